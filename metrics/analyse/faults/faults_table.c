// Findings as a table.
#include "metrics/analyse/faults/faults_table.h"

#include "metrics/analyse/faults/faults.h"
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/str.h"
#include "metrics/run/run.h"
#include "metrics/run/waits/wait_places.h"
#include "metrics/table/table.h"

#include <string.h>

static const double NS_PER_CORE_HOUR = 3.6e12;

enum {
    RANK,
    KEY,
    TITLE,
    WHERE,
    LOSS,
    CORE_HOURS,
    RECOVERABLE,
    SHARE,
    METHOD,
    CONFIDENCE,
    RANGE,
    EVIDENCE,
    REPLAY,
    COLUMNS
};

static const pj_column columns[COLUMNS] = {
    {"rank", "#", NULL, PJ_UNIT_IDENTIFIER, false},
    {"finding", "Finding", NULL, PJ_UNIT_NONE, PJ_TEXT_OF_MACHINES},
    {"title", "Finding", NULL, PJ_UNIT_NONE, PJ_TEXT_OF_PEOPLE},
    {"where", "Where", NULL, PJ_UNIT_SENTENCE, PJ_TEXT},
    {"loss_ns", "Loss", "Of all threads; waits that follow from it are in what is recoverable.",
     PJ_UNIT_NS, false},
    {"core_hours", "Core time", "That mending it brings, of all threads.", PJ_UNIT_CORE_HOURS,
     false},
    {"recoverable_ns", "Recoverable", "By mending it, of all threads.", PJ_UNIT_NS, false},
    {"share", "Of the run", "Part of the runtime of all threads that it brings.", PJ_UNIT_RATIO,
     false},
    {"method", "How it is known", NULL, PJ_UNIT_NONE, PJ_TEXT},
    {"confidence", "Confidence", NULL, PJ_UNIT_NONE, PJ_TEXT},
    {"range", "Worst at", "The range of the timeline (--range) in which it is seen worst.",
     PJ_UNIT_NONE, PJ_TEXT},
    {"evidence", "What shows it", NULL, PJ_UNIT_COMMAND, PJ_TEXT},
    {"replay", "What proves it", "Of two changes what the second brings beyond the first.",
     PJ_UNIT_COMMAND, PJ_TEXT},
};

static pj_cell share(const pj_faults *faults, double ns)
{
    double whole = (double)faults->run->runtime_ns * faults->units;
    return whole > 0 ? pj_cell_real(ns / whole) : pj_cell_empty("the run has no runtime");
}

/// The name as a shell takes it.
static const char *file_of(const char *path, pj_arena *arena)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_./+-@%:,=";
    const char *slash = strrchr(path, '/'), *file = slash && slash[1] ? slash + 1 : path;
    if (*file == '-')
        file = pj_arena_format(arena, "./%s", file);
    if (*file && file[strspn(file, plain)] == '\0')
        return file;
    pj_auto_buf quoted = {0};
    pj_buf_add_char(&quoted, '\'');
    for (const char *at = file; *at; at++)
        if (*at == '\'')
            pj_buf_puts(&quoted, "'\\''");
        else
            pj_buf_add_char(&quoted, *at);
    pj_buf_add_char(&quoted, '\'');
    return pj_arena_text(arena, pj_buf_str(&quoted));
}

/// Options of a command that is to look at the region of interest of the run.
static const char *looking_at_roi(const pj_run *run, const char *options, pj_arena *arena)
{
    if (!run->roi.set)
        return options;
    return pj_arena_format(arena, "%s%s--roi %lluns..%lluns", options, *options ? " " : "",
                           (unsigned long long)run->roi.from_ns,
                           (unsigned long long)run->roi.to_ns);
}

/// As it is typed where the trace lies.
static pj_cell command(pj_table *table, const char *name, const pj_run *run, const char *options)
{
    return pj_cell_text(pj_arena_format(table->arena, "%s %s%s%s", name,
                                        file_of(run->path, table->arena), *options ? " " : "",
                                        options));
}

/// Options of the command that shows a fault; a timeline is led to its place, a table of scalings
/// has the run that they are against.
static const char *shown_by(const pj_run *run, const pj_fault *fault, pj_table *table)
{
    pj_fault_view view = pj_fault_view_of(fault);
    if (fault->against && strcmp(view.command, "popinjay metrics") == 0)
        return file_of(fault->against, table->arena);
    if (!fault->place.to_ns || strcmp(view.command, "popinjay timeline") != 0)
        return looking_at_roi(run, view.options, table->arena);
    return pj_arena_format(table->arena, "--range %s",
                           pj_wait_place_text(fault->place, table->arena));
}

/// The gain of the last change beside that of the one before it.
static pj_cell proof(const pj_faults *faults, const pj_fault *fault, pj_table *table)
{
    if (!fault->change)
        return pj_cell_empty("no replay tells it");
    if (strcmp(fault->change, PJ_FAULT_IDEAL) == 0)
        return command(table, "popinjay replay", faults->run,
                       looking_at_roi(faults->run, "", table->arena));
    const char *options = fault->on_top
                              ? pj_arena_format(table->arena, "-c %s -c %s+%s", fault->on_top,
                                                fault->on_top, fault->change)
                              : pj_arena_format(table->arena, "-c %s", fault->change);
    return command(table, "popinjay whatif", faults->run,
                   looking_at_roi(faults->run, options, table->arena));
}

static void add_row(const pj_faults *faults, size_t i, double runs, pj_table *table)
{
    const pj_fault *fault = &faults->items[i];
    const pj_fault_row *row = &pj_fault_rows[fault->kind];
    pj_cell *cells = pj_table_add_row(table);
    cells[RANK] = pj_cell_int((int64_t)i + 1);
    cells[KEY] = pj_cell_text(row->key);
    cells[TITLE] = pj_cell_text(row->title);
    cells[WHERE] = pj_table_copy_cell(table, pj_cell_text(fault->where));
    cells[LOSS] = pj_cell_int((int64_t)fault->loss_ns);
    cells[CORE_HOURS] = pj_cell_real(fault->recoverable_ns / NS_PER_CORE_HOUR * runs);
    cells[RECOVERABLE] = pj_cell_int((int64_t)fault->recoverable_ns);
    cells[SHARE] = share(faults, fault->recoverable_ns);
    cells[METHOD] = pj_cell_text(fault->method);
    cells[CONFIDENCE] = pj_cell_text(fault->confidence);
    cells[RANGE] = fault->place.to_ns ? pj_cell_text(pj_wait_place_text(fault->place, table->arena))
                                      : pj_cell_empty("no wait shows it");
    cells[EVIDENCE] = command(table, pj_fault_view_of(fault).command, faults->run,
                              shown_by(faults->run, fault, table));
    cells[REPLAY] = proof(faults, fault, table);
}

static void add_others(const pj_faults *faults, double runs, pj_table *table)
{
    static const char many[] = "of several findings";
    pj_cell *cells = pj_table_add_row(table);
    for (size_t c = 0; c < COLUMNS; c++)
        cells[c] = pj_cell_empty(many);
    cells[RANK] = pj_cell_int((int64_t)faults->count + 1);
    cells[KEY] = pj_cell_text("others");
    cells[TITLE] = pj_cell_text("Others, each below 1 % of the run");
    cells[CORE_HOURS] = pj_cell_real(faults->others_ns / NS_PER_CORE_HOUR * runs);
    cells[RECOVERABLE] = pj_cell_int((int64_t)faults->others_ns);
    cells[SHARE] = share(faults, faults->others_ns);
}

/// AI runs are told in the time of their devices.
static pj_column column_of(const pj_faults *faults, size_t c)
{
    pj_column column = columns[c];
    if (!faults->run->ai)
        return column;
    if (c == LOSS)
        column.help = "Of all devices.";
    if (c == RECOVERABLE)
        column.help = "By mending it, of all devices: at most.";
    if (c == SHARE)
        column.help = "Part of the time of all devices.";
    if (c == CORE_HOURS) {
        column.title = "Device-hours";
        column.help = "That mending it brings at most, of all devices.";
    }
    return column;
}

static void say(const pj_faults *faults, const pj_fault *fault, pj_table *table)
{
    const pj_fault_row *row = &pj_fault_rows[fault->kind];
    const char *text =
        pj_arena_format(table->arena, "%s of %s: %s", row->title, faults->run->name, fault->said);
    pj_table_add_remark(table, "note", row->key, pj_str_of(text));
}

pj_table *pj_faults_table(const pj_faults *faults, double runs_per_year)
{
    pj_table *table = pj_table_new("");
    double runs = runs_per_year > 0 ? runs_per_year : 1;
    table->title = pj_arena_format(table->arena, "What mending %s would bring", faults->run->name);
    for (size_t c = 0; c < COLUMNS; c++)
        pj_table_add_column(table, column_of(faults, c));
    for (size_t i = 0; i < faults->count; i++)
        add_row(faults, i, runs, table);
    if (faults->others)
        add_others(faults, runs, table);
    table->note =
        faults->count == 0 ? "Nothing was found that would bring a hundredth of the run."
        : faults->run->ai
            ? "Parts of the account of devices: what is lost in each. Together with useful time "
              "they "
              "are all of it; what mending one would bring is at most that."
            : "Each finding is mended in a replay on top of those that are more particular, "
              "scaling "
              "against the smallest run on top of all: what replays tell adds up. What an account "
              "of waits tells is an "
              "upper bound that overlaps it, and at most the rest of the run.";
    if (faults->lack)
        table->note = pj_arena_format(
            table->arena,
            "The run cannot be replayed: %s. Faults that only a replay tells are not among these.",
            faults->lack);
    for (size_t i = 0; i < faults->count; i++)
        if (faults->items[i].said)
            say(faults, &faults->items[i], table);
    return table;
}
