// The page of sliders: each step replays the run that is kept, and says what it would take.
#include "widgets/wizard/wizard_whatif.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/job.h"
#include "metrics/base/num.h"
#include "metrics/base/str.h"
#include "metrics/replay/network.h"
#include "metrics/replay/whatif/tape.h"
#include "metrics/replay/whatif/whatif.h"
#include "metrics/replay/whatif/whatif_table.h"
#include "metrics/run/run.h"
#include "metrics/table/table.h"
#include "widgets/figure/escape.h"
#include "widgets/figure/html_page.h"
#include "widgets/table/render.h"
#include "widgets/wizard/wizard.h"
#include "widgets/wizard/wizard_pieces.h"
#include "widgets/wizard/wizard_probe.h"
#include "widgets/wizard/wizard_record.h"

/// Sliders of the time that computation takes, in percent of what it took.
enum { ALL, SLOWEST, LONG_BURSTS, SPEEDS };
/// Choices, the first of each changes nothing.
enum { BALANCE, LATENCY, BANDWIDTH, CHOICES };

static const struct {
    const char *title, *word; // of the change
} speeds[SPEEDS] = {
    {"Computation %", "compute"}, {"Slowest rank %", "slowest"}, {"Long bursts %", "bursts"}};

static const char *const balances[] = {"as it is", "ranks", "steps", "collectives", NULL};
static const char *const latencies[] = {"0",    "1us",  "2us",   "5us", "10us",
                                        "20us", "50us", "100us", NULL};
static const char *const bandwidths[] = {"inf", "100G", "50G", "25G", "12G",
                                         "6G",  "3G",   "1G",  NULL};
static const struct {
    const char *title, *word, *model;
    const char *const *values;
} choices[CHOICES] = {{"Balance", "balance", "Dropdown", balances},
                      {"Latency", "latency", "SelectionSlider", latencies},
                      {"Bandwidth [B/s]", "bandwidth", "SelectionSlider", bandwidths}};

typedef struct whatif_page {
    pj_probe_pieces reading;
    pj_piece speed[SPEEDS], choice[CHOICES], other, controls, said, table;
    pj_whatif whatif;
    pj_job job;
    bool begun;                  // `whatif` is of a run
    uint64_t begun_in;           // number of its reading
    const char *opened, *on_top; // a change, and the first ones of it that it is told beyond; NULL
} whatif_page;

static whatif_page *page_of(const pj_wizard *wizard)
{
    return wizard->pages[PJ_STEP_whatif];
}

static bool is_begun(const pj_wizard *wizard)
{
    const whatif_page *page = page_of(wizard);
    return wizard->probe.run && page->begun && page->begun_in == wizard->probe.number;
}

// The change in words

static void add_part(pj_buf *out, const char *word)
{
    pj_buf_addf(out, "%s%s:", out->len ? "+" : "", word);
}

/// "" = nothing is changed.
static void add_change(const pj_wizard *wizard, pj_buf *out)
{
    const whatif_page *page = page_of(wizard);
    const pj_pieces *parts = &wizard->parts;
    for (int i = 0; i < SPEEDS; i++) {
        long long percent = pj_piece_value(parts, page->speed[i]);
        if (percent == 100 || percent <= 0)
            continue;
        add_part(out, speeds[i].word);
        if (i == LONG_BURSTS)
            pj_buf_addf(out, "%lluus:", (unsigned long long)page->whatif.bursts.long_ns / 1000);
        pj_buf_addf(out, "%.6g", 100.0 / (double)percent);
    }
    for (int i = 0; i < CHOICES; i++) {
        int index = pj_piece_index(parts, page->choice[i]);
        size_t count = 0;
        while (choices[i].values[count])
            count++;
        if (index <= 0 || (size_t)index >= count)
            continue;
        add_part(out, choices[i].word);
        pj_buf_puts(out, choices[i].values[index]);
    }
    const char *other = pj_piece_text(parts, page->other);
    if (*other)
        pj_buf_addf(out, "%s%s", out->len ? "+" : "", other);
}

// What it would bring

static void say(const pj_wizard *wizard, const char *text)
{
    pj_piece_tell(&wizard->parts, page_of(wizard)->said, text);
}

/// Of the last change; `beyond`: also what it brings beyond the one before it.
static void tell_gain(const pj_wizard *wizard, const pj_table *table, bool beyond)
{
    const whatif_page *page = page_of(wizard);
    size_t last = table->row_count - 1, gains = 0, runtimes = 0;
    char before[32], after[32], gain[32];
    pj_auto_buf html = {0};
    for (size_t c = 0; c < table->column_count; c++) {
        gains = strcmp(table->columns[c].key, "gain_ns") == 0 ? c : gains;
        runtimes = strcmp(table->columns[c].key, "runtime_ns") == 0 ? c : runtimes;
    }
    double runtime = pj_cell_number(*pj_table_cell(table, last, runtimes));
    double brings = pj_cell_number(*pj_table_cell(table, last, gains));
    double measured = (double)page->whatif.run->runtime_ns;
    pj_format_duration(runtime + brings, before);
    pj_format_duration(runtime, after);
    pj_format_duration(fabs(brings), gain);
    pj_buf_addf(&html,
                "<div style=\"" PJ_HTML_FONT ";font-size:16px;padding:6px 0\">%s &rarr; <b>%s</b>: "
                "%s %s (%.1f %% of the measured runtime)</div>",
                before, after, brings < 0 ? "costs" : "saves", gain, fabs(brings) / measured * 100);
    if (beyond) {
        double beside = brings - pj_cell_number(*pj_table_cell(table, last - 1, gains));
        pj_auto_arena arena = pj_arena_new(NULL);
        pj_format_duration(fabs(beside), gain);
        pj_buf_addf(&html, "<div style=\"" PJ_HTML_FONT "\">%s%s of that (%.1f %%) beyond: ",
                    beside < 0 ? "-" : "", gain, beside / measured * 100);
        pj_escape_html(&html, pj_str_of(pj_whatif_title(pj_str_of(page->on_top), arena)));
        pj_buf_puts(&html, "</div>");
    }
    pj_piece_say(&wizard->parts, page->said, html.at);
}

/// What is there before anything is changed: the network costs nothing.
static void tell_network(const pj_wizard *wizard)
{
    const whatif_page *page = page_of(wizard);
    double measured = (double)page->whatif.run->runtime_ns, ideal = page->whatif.ideal.runtime_ns;
    pj_auto_buf text = {0};
    char saved[32];
    pj_buf_puts(&text, "Nothing is changed: move a slider.");
    if (measured > ideal) {
        pj_format_duration(measured - ideal, saved);
        pj_buf_addf(&text, " A network that costs nothing saves %s of what was measured (%.1f %%).",
                    saved, 100 * (measured - ideal) / measured);
    }
    say(wizard, text.at);
}

/// Every step has an arena of its own: many are made.
static void step(const pj_wizard *wizard)
{
    const whatif_page *page = page_of(wizard);
    if (!is_begun(wizard))
        return;
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_auto_buf change = {0}, html = {0};
    pj_err err = {.code = PJ_E_NONE};
    pj_whatif whatif = page->whatif;
    whatif.arena = arena;
    add_change(wizard, &change);
    bool beyond = page->on_top && strcmp(change.len ? change.at : "", page->opened) == 0;
    const char *changes[] = {page->on_top, change.len ? change.at : "compute:1"};
    pj_auto_table table = pj_whatif_table(
        &whatif, (pj_whatif_opts){.changes = changes + !beyond, .count = 1 + beyond}, &err);
    if (!table) {
        say(wizard, err.text);
        return;
    }
    if (change.len)
        tell_gain(wizard, table, beyond);
    else
        tell_network(wizard);
    pj_buf_puts(&html, "<div style=\"overflow-x:auto;line-height:1.4\">");
    pj_render_table(&pj_renderer_html, table, (pj_render_opts){.max_rows = 0}, &html);
    pj_buf_puts(&html, "</div>");
    pj_piece_say(&wizard->parts, page->table, html.at);
}

static void on_change(void *context)
{
    step(context);
}

static void set_back(const pj_wizard *wizard)
{
    const whatif_page *page = page_of(wizard);
    const pj_pieces *parts = &wizard->parts;
    for (int i = 0; i < SPEEDS; i++)
        pj_piece_set(parts, page->speed[i], "value", json_integer(100));
    for (int i = 0; i < CHOICES; i++)
        pj_piece_set(parts, page->choice[i], "index", json_integer(0));
    pj_piece_say(parts, page->other, "");
}

static void on_back(void *context)
{
    set_back(context);
    step(context);
}

void pj_wizard_whatif_open(pj_wizard *wizard, const char *change, const char *on_top)
{
    whatif_page *page = page_of(wizard);
    set_back(wizard);
    page->on_top = on_top ? pj_arena_format(wizard->arena, "%s", on_top) : NULL;
    page->opened =
        pj_arena_format(wizard->arena, "%s%s%s", on_top ? on_top : "", on_top ? "+" : "", change);
    pj_piece_say(&wizard->parts, page->other, page->opened);
    wizard->stale[PJ_STEP_whatif] = true;
    pj_wizard_turn(wizard, PJ_STEP_whatif);
}

// The page

static void begin(pj_wizard *wizard, const pj_run *run)
{
    whatif_page *page = page_of(wizard);
    pj_err err = {.code = PJ_E_NONE};
    page->job = (pj_job){.workers = 0};
    page->begun_in = wizard->probe.number;
    page->begun = pj_whatif_begin(run, (pj_network){.latency_ns = 0}, &page->job,
                                  wizard->probe.arena, &page->whatif, &err);
    if (!page->begun)
        say(wizard, err.text);
}

static void refresh(pj_wizard *wizard)
{
    whatif_page *page = page_of(wizard);
    if (!wizard->study)
        return;
    const pj_run *run = pj_wizard_probe_run(wizard, page->reading);
    if (run && !is_begun(wizard))
        begin(wizard, run);
    pj_piece_show(&wizard->parts, page->controls, is_begun(wizard));
    pj_piece_show(&wizard->parts, page->said, run);
    pj_piece_show(&wizard->parts, page->table, is_begun(wizard));
    step(wizard);
}

static void build_controls(pj_wizard *wizard)
{
    whatif_page *page = page_of(wizard);
    pj_pieces *parts = &wizard->parts;
    for (int i = 0; i < SPEEDS; i++) {
        page->speed[i] =
            pj_piece_number(parts, "IntSlider", speeds[i].title,
                            json_pack("{s:i, s:i, s:i}", "min", 10, "max", 200, "value", 100));
        pj_piece_on(parts, page->speed[i], "value", on_change);
    }
    for (int i = 0; i < CHOICES; i++) {
        json_t *labels = json_array();
        for (size_t k = 0; choices[i].values[k]; k++)
            json_array_append_new(labels, json_string(choices[i].values[k]));
        page->choice[i] = pj_piece_new(parts, choices[i].model,
                                       json_pack("{s:s, s:o, s:i, s:{s:s}}", "description",
                                                 choices[i].title, "_options_labels", labels,
                                                 "index", 0, "style", "description_width", "8em"));
        pj_piece_on(parts, page->choice[i], "index", on_change);
    }
    page->other = pj_piece_entry(parts, "Other change",
                                 "rank:3:1.5, function:solve:2, "
                                 "without:late_sender");
    pj_piece_on(parts, page->other, "value", on_change);
}

static pj_piece build(pj_wizard *wizard)
{
    pj_pieces *parts = &wizard->parts;
    whatif_page *page = pj_new(wizard->arena, whatif_page);
    wizard->pages[PJ_STEP_whatif] = page;
    page->reading = pj_wizard_probe_build(wizard);
    build_controls(wizard);
    pj_piece back = pj_piece_button(parts, "As it was", "undo", "Takes all changes back");
    pj_piece_on(parts, back, NULL, on_back);
    page->controls = PJ_PIECE_COLUMN(
        parts,
        PJ_PIECE_ROW(parts, page->speed[ALL], page->speed[SLOWEST], page->speed[LONG_BURSTS]),
        PJ_PIECE_ROW(parts, page->choice[BALANCE], page->choice[LATENCY], page->choice[BANDWIDTH]),
        PJ_PIECE_ROW(parts, page->other, back));
    page->said = pj_piece_html(parts, "");
    page->table = pj_piece_html(parts, "");
    return PJ_PIECE_COLUMN(parts, page->reading.box, page->controls, page->said, page->table);
}

static bool useful(const pj_wizard *wizard)
{
    return wizard->study != NULL;
}

static void code(const pj_wizard *wizard, pj_buf *out)
{
    pj_auto_buf change = {0};
    if (!wizard->probe.of)
        return;
    pj_buf_puts(out, "whatif(");
    pj_wizard_code_text(out, pj_wizard_path(wizard, wizard->probe.of->path));
    add_change(wizard, &change);
    pj_auto_buf fields = {0};
    if (change.len) {
        pj_buf_puts(&fields, ", change = ");
        pj_wizard_code_text(&fields, change.at);
    }
    pj_wizard_code_how(wizard, false, &fields);
    if (fields.len)
        pj_buf_addf(out, ", {%s}", fields.at + 2);
    pj_buf_puts(out, ")\n");
}

const pj_wizard_step pj_wizard_step_whatif = {build, useful, refresh, code, NULL};
