// Studies: one case after another.
#include "kernel/commands/record/record_study.h"

#include "kernel/command/child.h"
#include "kernel/command/command.h"
#include "kernel/command/inputs.h"
#include "kernel/command/profile_inputs.h"
#include "kernel/command/progress.h"
#include "kernel/commands/record/record_archive.h"
#include "kernel/commands/record/record_facts.h"
#include "kernel/commands/record/record_folder.h"
#include "kernel/commands/record/record_opts.h"
#include "kernel/commands/record/record_run.h"
#include "metrics/analyse/load.h"
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/clock.h"
#include "metrics/base/file.h"
#include "metrics/base/num.h"
#include "metrics/base/str.h"
#include "metrics/profile/profile.h"
#include "metrics/record/merge/merge_parts.h"
#include "metrics/table/table.h"

/// What of a study stays as it is and what moves on.
typedef struct study {
    pj_session *session;
    const pj_record_plan *plan;
    const pj_record_order *order;
    pj_record_cases cases;
    pj_progress progress;
    size_t at;         // the case in work
    uint64_t began_ns; // it was
    pj_arena *arena;
} study;

static const char *plural(size_t count)
{
    return count == 1 ? "" : "s";
}

static void show_progress(void *context)
{
    study *s = context;
    char time[32];
    pj_auto_buf text = {0};
    pj_format_duration((double)(pj_clock_ns() - s->began_ns), time);
    pj_buf_addf(&text, "recording %s (%zu of %zu): %s", s->cases.items[s->at].name, s->at + 1,
                s->cases.count, time);
    pj_progress_say(&s->progress, text.at, (double)s->at / (double)s->cases.count);
}

/// A line for each case where no notebook shows the progress.
static void say_case(study *s, const pj_record_case *one)
{
    char time[32];
    pj_auto_buf text = {0};
    if (s->order->opts.quiet || s->session->face->rich)
        return;
    if (one->state == PJ_RECORD_DONE) {
        pj_format_duration((double)one->ns, time);
        pj_record_archive_told(&one->merged, one->folder, &text);
        pj_buf_addf(&text, ", %s", time);
    } else
        pj_buf_puts(&text, one->state == PJ_RECORD_KEPT ? "is there already" : "failed");
    pj_progress_clear(&s->progress);
    pj_session_say(s->session, "popinjay: %zu of %zu: %s: %s", s->at + 1, s->cases.count, one->name,
                   text.at);
}

/// What a failed case leaves, or one of another command, is no run of the study: it goes to a
/// folder of its own.
static bool put_aside(const study *s, const pj_record_case *one, pj_err *err)
{
    const char *aside = pj_arena_format(s->arena, "%s/aside/%s", s->order->folder, one->name);
    return pj_record_folder_aside(one->folder, aside, err);
}

static void complain(const study *s, const pj_record_case *one, int status, const pj_err *why)
{
    pj_err err = {0};
    pj_auto_buf said = {0}, log = {0};
    const char *errors = pj_arena_format(s->arena, "%s/stderr", one->folder);
    const char *output = pj_arena_format(s->arena, "%s/stdout", one->folder);
    pj_ignore(pj_file_read(errors, &log, NULL));
    if (!log.len)
        pj_ignore(pj_file_read(output, &log, NULL));
    pj_child_explain(pj_buf_str(&log), &said);
    const char *told = said.at ? said.at : "";
    if (status != 0)
        pj_fail(&err, PJ_E_IO, one->name, 0, "the program ended with status %d%s%s", status,
                *told ? ":" : "", told);
    else
        pj_fail(&err, why->code, one->name, 0, "%s%s", why->text, told);
    pj_session_complain(s->session, &err);
}

static bool record_case(study *s, pj_record_case *one, pj_err *err)
{
    const pj_record_run run = {
        .words = one->words,
        .folder = one->folder,
        .opts = &s->order->opts,
        .options = &s->order->options,
        .settings = one->settings,
        .ranks = one->ranks,
        .threads = one->threads,
        .number = one->number,
        .out = pj_arena_format(s->arena, "%s/stdout", one->folder),
        .errors = pj_arena_format(s->arena, "%s/stderr", one->folder),
        .patience_ns = (uint64_t)s->plan->patience_ns,
        .waits = show_progress,
        .context = s,
    };
    pj_err why = {0};
    pj_record_made made;
    bool good = pj_record_run_it(s->session, &run, &made, &why) && made.status == 0;
    one->ns = pj_clock_ns() - s->began_ns;
    one->merged = made.merged;
    one->state = good ? PJ_RECORD_DONE : PJ_RECORD_FAILED;
    if (why.code == PJ_E_STOPPED) {
        *err = why;
        pj_ignore(put_aside(s, one, NULL));
        return false;
    }
    pj_progress_clear(&s->progress);
    if (!good)
        complain(s, one, made.status, &why);
    return good || put_aside(s, one, err);
}

static bool do_case(study *s, pj_record_case *one, pj_err *err)
{
    s->began_ns = pj_clock_ns();
    if (pj_record_facts_good(one->folder, &one->words, &s->order->options))
        one->state = PJ_RECORD_KEPT;
    else if (!put_aside(s, one, err) || !pj_record_folder_make(one->folder, err) ||
             !record_case(s, one, err))
        return false;
    say_case(s, one);
    return true;
}

static size_t count_of(const study *s, pj_record_state state)
{
    size_t count = 0;
    for (size_t i = 0; i < s->cases.count; i++)
        count += s->cases.items[i].state == state;
    return count;
}

static void end_progress(study *s)
{
    char time[32];
    pj_auto_buf text = {0};
    size_t kept = count_of(s, PJ_RECORD_KEPT), failed = count_of(s, PJ_RECORD_FAILED);
    size_t done = count_of(s, PJ_RECORD_DONE);
    pj_format_duration((double)(pj_clock_ns() - s->progress.began_ns), time);
    pj_buf_addf(&text, "recorded %zu run%s in %s", done, plural(done), time);
    if (kept)
        pj_buf_addf(&text, "; %zu %s there already", kept, kept == 1 ? "was" : "were");
    if (failed)
        pj_buf_addf(&text, "; %zu failed", failed);
    pj_progress_end_as(&s->progress, text.at);
}

static bool do_cases(study *s, pj_err *err)
{
    bool ok = true;
    s->progress = pj_progress_of(s->session, s->cases.count);
    for (s->at = 0; ok && s->at < s->cases.count; s->at++)
        ok = do_case(s, &s->cases.items[s->at], err);
    end_progress(s);
    size_t there = count_of(s, PJ_RECORD_DONE) + count_of(s, PJ_RECORD_KEPT);
    if (!ok && err->code == PJ_E_STOPPED)
        pj_session_say(s->session,
                       "popinjay: %zu of %zu runs are in %s; with --resume (resume = true) the "
                       "study goes on",
                       there, s->cases.count, s->order->folder);
    return ok &&
           (there || pj_fail(err, PJ_E_MISSING, s->order->folder, 0, "no case could be recorded"));
}

// What came of it

static const char *state_text(pj_record_state state)
{
    switch (state) {
    case PJ_RECORD_WAITS:
        return "not run";
    case PJ_RECORD_KEPT:
        return "was there";
    case PJ_RECORD_DONE:
        return "recorded";
    case PJ_RECORD_FAILED:
        return "failed";
    }
    return "";
}

static pj_cell number_or_none(uint64_t number)
{
    return number ? pj_cell_int((int64_t)number) : pj_cell_empty("as the command says");
}

static void add_row(pj_table *table, const pj_record_case *one)
{
    pj_cell *cells = pj_table_add_row(table);
    bool there = one->state == PJ_RECORD_DONE || one->state == PJ_RECORD_KEPT;
    double seconds, events;
    bool known = there && pj_record_facts_number(one->folder, "seconds", &seconds) &&
                 pj_record_facts_number(one->folder, "events", &events);
    cells[0] = pj_cell_text(pj_arena_text(table->arena, pj_str_of(one->name)));
    cells[1] = number_or_none(one->ranks);
    cells[2] = number_or_none(one->threads);
    cells[3] = pj_cell_int((int64_t)one->number);
    cells[4] = pj_cell_text(state_text(one->state));
    cells[5] = known ? pj_cell_real(seconds) : pj_cell_empty("not recorded");
    cells[6] = known ? pj_cell_int((int64_t)events) : pj_cell_empty("not recorded");
}

static pj_value table_of(const study *s)
{
    pj_table *table = pj_table_new("Recorded runs");
    bool profile = pj_record_opts_counts(&s->order->opts);
    pj_table_add_column(table, (pj_column){.key = "run", .title = "Run", .text = true});
    pj_table_add_column(table, (pj_column){.key = "ranks", .title = "Ranks"});
    pj_table_add_column(table, (pj_column){.key = "threads", .title = "Threads each"});
    pj_table_add_column(table, (pj_column){.key = "repetition", .title = "Repetition"});
    pj_table_add_column(table, (pj_column){.key = "state", .title = "State", .text = true});
    pj_table_add_column(table, (pj_column){.key = "seconds", .title = "Seconds"});
    pj_table_set_decimals(table, table->column_count - 1, 2);
    pj_table_add_column(table, (pj_column){.key = "events", .title = profile ? "Calls" : "Events"});
    for (size_t i = 0; i < s->cases.count; i++)
        add_row(table, &s->cases.items[i]);
    const char *next = profile ? "popinjay profile of each" : "popinjay metrics of all";
    table->note = pj_arena_format(table->arena, "in %s: %s", s->order->folder, next);
    return pj_value_table_take(table);
}

/// One for each case: they are compared, never added up.
static bool load_profiles(const study *s, const pj_inputs *files, pj_value *out, pj_err *err)
{
    *out = pj_value_list_new();
    for (size_t i = 0; i < files->count; i++) {
        const pj_profile_args args = {.inputs = {.items = &files->items[i], .count = 1}};
        pj_profile *profile = pj_profile_inputs(s->session, &args, err);
        if (!profile)
            return false;
        pj_value_list_add_take(out, pj_value_profile_take(profile));
    }
    return true;
}

static bool load_runs(const study *s, pj_value *out, pj_err *err)
{
    const pj_record_opts *opts = &s->order->opts;
    const char *name =
        pj_record_archive_name(&(pj_merged_parts){.profile = pj_record_opts_counts(opts)});
    pj_load_args args = {0};
    args.inputs.items = pj_new_n(s->arena, pj_value, s->cases.count);
    for (size_t i = 0; i < s->cases.count; i++) {
        const pj_record_case *one = &s->cases.items[i];
        if (one->state == PJ_RECORD_DONE || one->state == PJ_RECORD_KEPT)
            args.inputs.items[args.inputs.count++] =
                pj_value_borrow_text(pj_arena_format(s->arena, "%s/%s", one->folder, name));
    }
    return pj_record_opts_counts(opts)
               ? load_profiles(s, &args.inputs, out, err)
               : pj_inputs_load(s->session, &args, (pj_load_opts){0}, out, err);
}

bool pj_record_study(pj_session *session, const pj_record_plan *plan, const pj_record_order *order,
                     pj_value *out, pj_err *err)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    study s = {.session = session, .plan = plan, .order = order, .arena = arena};
    // Wrong numbers are told before anything is made or moved.
    if (!pj_record_plan_cases(plan, (pj_record_work){&order->words, order->name, order->folder},
                              arena, &s.cases, err) ||
        !pj_record_order_begin(order, plan->resume, err) || !do_cases(&s, err))
        return false;
    if (session->lang)
        return load_runs(&s, out, err);
    if (!order->opts.quiet)
        *out = table_of(&s);
    return true;
}
