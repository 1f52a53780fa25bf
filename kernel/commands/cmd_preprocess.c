// popinjay preprocess TRACE...: a summary of every trace, for the machine where they are looked at.
#include "kernel/cli/shell.h"
#include "kernel/command/code_version.h"
#include "kernel/command/command.h"
#include "kernel/command/export.h"
#include "kernel/command/inputs.h"
#include "kernel/command/progress.h"
#include "kernel/command/session.h"
#include "kernel/command/value.h"
#include "metrics/analyse/load.h"
#include "metrics/analyse/load_how.h"
#include "metrics/analyse/summarise.h"
#include "metrics/analyse/trace_files.h"
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/job.h"
#include "metrics/base/process_group.h"
#include "metrics/base/ranks.h"
#include "metrics/base/str.h"
#include "metrics/run/run.h"
#include "metrics/table/table.h"

#include <stdlib.h>
#include <sys/stat.h>

typedef struct preprocess_args {
    pj_load_args load;
    const char *folder;
    pj_exports exports;
} preprocess_args;

static const char WRITTEN[] = "written";

/// One trace and its summary.
typedef struct item {
    const char *path, *at;
    const char *outcome;
    uint64_t bytes; // of the summary
    bool done;
} item;

/// What a call needs from its first trace to its last.
typedef struct batch {
    pj_session *session;
    const preprocess_args *args;
    pj_load_opts opts;
    pj_run_origin version; // of the code
    pj_progress progress;
    pj_arena *arena;
    item *items;
    size_t count;
} batch;

static bool needs_path(pj_err *err)
{
    return pj_fail(err, PJ_E_USAGE, NULL, 0, "preprocess: give traces: files, globs or folders");
}

/// By the names of their summaries, then as they are given.
static int by_summary(const void *a, const void *b)
{
    const item *const *x = a, *const *y = b;
    int order = strcmp((*x)->at, (*y)->at);
    return order ? order : (*x > *y) - (*x < *y);
}

/// Two traces must not share a summary.
static bool check_places(const batch *b, pj_err *err)
{
    const item **sorted = pj_new_n(b->arena, const item *, b->count + 1);
    for (size_t i = 0; i < b->count; i++)
        sorted[i] = &b->items[i];
    if (b->count)
        qsort(sorted, b->count, sizeof *sorted, by_summary);
    for (size_t i = 1; i < b->count; i++)
        if (strcmp(sorted[i]->at, sorted[i - 1]->at) == 0)
            return pj_fail(err, PJ_E_USAGE, sorted[i]->path, 0,
                           "its summary would have the name of that of %s; write them to "
                           "folders of their own",
                           sorted[i - 1]->path);
    return true;
}

static bool make_folder(const char *folder, pj_err *err)
{
    struct stat info;
    if (!folder || (stat(folder, &info) == 0 && S_ISDIR(info.st_mode)) || mkdir(folder, 0777) == 0)
        return true;
    return pj_fail_io(err, folder, "the folder cannot be made");
}

static bool list_items(batch *b, pj_err *err)
{
    pj_inputs inputs = {0};
    if (!pj_inputs_expand_all(b->session, &b->args->load.inputs, b->arena, &inputs, err)) {
        free(inputs.items);
        return false;
    }
    b->items = pj_new_n(b->arena, item, inputs.count);
    bool ok = true;
    for (size_t i = 0; ok && i < inputs.count; i++) {
        const pj_value *input = &inputs.items[i];
        bool text = input->kind == PJ_VALUE_TEXT;
        ok = text || input->kind == PJ_VALUE_RUN || needs_path(err);
        const char *path = text ? input->text : ok ? input->run->path : "";
        path = pj_arena_text(b->arena, pj_str_of(path));
        b->items[b->count++] =
            (item){.path = path, .at = pj_trace_files_summary(path, b->args->folder, b->arena)};
    }
    free(inputs.items);
    return ok && check_places(b, err) && make_folder(b->args->folder, err);
}

static bool take_size(item *one, pj_err *err)
{
    struct stat info;
    if (stat(one->at, &info) != 0)
        return pj_fail(err, PJ_E_IO, one->at, 0, "vanished as soon as it was written");
    one->bytes = (uint64_t)info.st_size;
    return true;
}

/// What later versions keep beside is not in it.
static void say_if_old(const batch *b, const item *one, const pj_run *run)
{
    const char *program = run->provenance ? run->provenance->program : NULL;
    pj_auto_buf name = {0};
    if (!program || strcmp(program, PJ_VERSION) == 0)
        return;
    pj_shell_clean_name(pj_str_of(one->at), &name);
    pj_session_say(b->session,
                   "%s: was written by popinjay %.40s, which may have kept less of the trace "
                   "(functions, waits); --force makes it again",
                   name.at, program);
}

/// Whether the summary is there and fresh; the size is its own.
static bool is_done(batch *b, item *one, pj_job *job, pj_err *err)
{
    pj_summary_state state;
    pj_auto_run run = pj_summarise_find(one->at, one->path, &b->opts, job, &state, err);
    const char *tag = b->args->load.tag;
    if (!run || (tag && strcmp(run->tag, tag) != 0) || !take_size(one, err))
        return false;
    one->outcome = "kept";
    say_if_old(b, one, run);
    return true;
}

static bool make_one(batch *b, item *one, pj_err *err)
{
    const pj_load_args *load = &b->args->load;
    pj_job job = {
        .stop = b->session->stop, .workers = (unsigned)load->jobs, .memory_budget = load->memory};
    pj_progress_attach(&b->progress, &job);
    if (!load->reread && is_done(b, one, &job, err))
        return true;
    if (err->code)
        return false;
    pj_load_opts opts = b->opts;
    opts.tag = load->tag;
    opts.origin = &b->version;
    pj_auto_run run = NULL;
    if (!pj_summarise(one->path, one->at, opts, &job, &run, err) || !take_size(one, err))
        return false;
    pj_progress_clear(&b->progress);
    pj_inputs_complain_of_damage(b->session, run);
    b->progress.bytes += run->file_bytes;
    one->outcome = WRITTEN;
    return true;
}

/// What has become of a trace; what is kept needs no word where a table follows.
static void say(batch *b, const item *one, size_t number)
{
    pj_auto_buf name = {0};
    pj_progress_clear(&b->progress);
    pj_shell_clean_name(pj_str_of(one->at), &name);
    if (strcmp(one->outcome, WRITTEN) == 0)
        pj_session_wrote(b->session, one->at);
    else if (!b->session->face->rich)
        pj_session_say(b->session, "%zu of %zu: %s: %s", number, b->count, name.at, one->outcome);
}

static bool make_all(batch *b, pj_err *err)
{
    bool any = false;
    for (size_t i = 0; i < b->count; i++) {
        item *one = &b->items[i];
        pj_err problem = {0};
        one->done = make_one(b, one, &problem);
        any |= one->done;
        if (one->done) {
            say(b, one, i + 1);
            continue;
        }
        pj_progress_clear(&b->progress);
        if (problem.code == PJ_E_STOPPED || b->count == 1) {
            *err = problem;
            return false;
        }
        one->outcome = "failed";
        pj_session_complain(b->session, &problem);
    }
    return any ||
           pj_fail(err, PJ_E_IO, NULL, 0, "no summary could be made of %zu traces", b->count);
}

static pj_table *table_of(const batch *b)
{
    static const pj_column columns[] = {
        {"trace", "Trace", NULL, PJ_UNIT_NONE, true},
        {"summary", "Summary", NULL, PJ_UNIT_NONE, true},
        {"bytes", "Size", "Of the summary.", PJ_UNIT_BYTES, false},
        {"outcome", "Outcome", "kept: it was there, made from the same bytes and options.",
         PJ_UNIT_NONE, true},
    };
    pj_table *table = pj_table_new("Summaries");
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        pj_table_add_column(table, columns[i]);
    for (size_t i = 0; i < b->count; i++) {
        const item *one = &b->items[i];
        pj_cell *cells = pj_table_add_row(table);
        cells[0] = pj_cell_text(pj_arena_text(table->arena, pj_str_of(one->path)));
        cells[1] = pj_cell_text(pj_arena_text(table->arena, pj_str_of(one->at)));
        cells[2] = one->done ? pj_cell_int((int64_t)one->bytes) : pj_cell_empty("it was not made");
        cells[3] = pj_cell_text(one->outcome);
    }
    return table;
}

static bool make_summaries(batch *b, pj_value *out, pj_err *err)
{
    const preprocess_args *args = b->args;
    pj_process_group *group = b->opts.group;
    if (!pj_export_check(&args->exports, err) ||
        !pj_load_how_take(&args->load.how, &b->opts, err) || !list_items(b, err))
        return false;
    b->opts.group = group;
    b->progress = pj_progress_of(b->session, b->count);
    b->version = pj_code_version(b->arena, b->session->stop);
    if (b->args->load.tag) // says it in the user's words
        b->version.commit = NULL;
    bool ok = make_all(b, err);
    pj_progress_end(&b->progress);
    if (!ok)
        return false;
    *out = pj_value_table_take(table_of(b));
    return pj_export_all(b->session, out, &args->exports, err);
}

/// Under mpirun: one of several processes, of which the first one speaks.
static void help(const batch *b, pj_process_group *group)
{
    const pj_load_args *load = &b->args->load;
    pj_job job = {
        .stop = b->session->stop, .workers = (unsigned)load->jobs, .memory_budget = load->memory};
    pj_load_opts opts = {.group = NULL};
    pj_ignore(pj_load_how_take(&load->how, &opts, &(pj_err){.code = PJ_E_NONE}));
    opts.group = group;
    pj_summarise_help(opts, &job);
}

static bool run_preprocess(pj_session *session, const void *given, pj_value *out, pj_err *err)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    batch b = {.session = session, .args = given, .arena = arena};
    pj_auto_ranks group = pj_ranks_join(err);
    if (err->code)
        return false;
    if (!pj_process_group_leads(group)) {
        help(&b, group);
        return true;
    }
    b.opts.group = group;
    bool ok = make_summaries(&b, out, err);
    pj_summarise_dismiss(group);
    return ok;
}

static const pj_param params[] = {
    {.name = "output",
     .letter = 'o',
     .type = PJ_PARAM_PATH,
     .offset = offsetof(preprocess_args, folder),
     .shown = "DIR",
     .preset = "beside each trace",
     .help = "The folder for the summaries; it is made when it is missing."},
    {0},
};

static const pj_param_group groups[] = {
    {.rows = pj_input_rows,
     .base = offsetof(preprocess_args, load),
     .help = "Traces: files, globs or folders."},
    {.rows = params},
    {.rows = pj_reading_rows, .base = offsetof(preprocess_args, load)},
    {.rows = pj_roi_cut_rows, .base = offsetof(preprocess_args, load)},
    {.rows = pj_export_rows, .base = offsetof(preprocess_args, exports)},
    {0},
};

const pj_command pj_command_preprocess = {
    .name = "preprocess",
    .summary = "Summaries of traces, small enough to be taken along",
    .detail =
        "A summary (TRACE.popinjay.json.gz) is smaller than 100 kB, whatever the size of the trace "
        "and the number of its threads. Every command takes it in place of the trace and gives the "
        "same metrics to the last digit; where it lies beside the trace, or in the folder "
        "POPINJAY_SUMMARIES, it is used by itself. "
        "Values of single threads are rounded when there are too many of them. Functions (the 64 "
        "longest, and the others together) and waits are kept of runs of less than 4,096 threads; "
        "events, slices, call paths, phases and parameters are not: what needs these reads the "
        "trace.\n"
        "Summaries that are there, made from the same bytes with the same options, are kept: "
        "called again after an interrupt, the command goes on where it ended.\n"
        "Under mpirun all processes read each trace together and the first one writes the summary, "
        "of the same bytes: OTF2 archives by threads, plain .prv files by ranges. Compressed "
        "traces "
        "cannot be shared: one process reads them.",
    .example = "popinjay preprocess runs/*.prv.gz -o summaries",
    .faces = PJ_IN_BOTH,
    .groups = groups,
    .args_size = sizeof(preprocess_args),
    .run = run_preprocess,
};
