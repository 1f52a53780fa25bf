// popinjay cut TRACE --roi FROM..TO --export part.prv: a part of a trace as a trace of its own.
#include "kernel/command/command.h"
#include "kernel/command/inputs.h"
#include "kernel/command/progress.h"
#include "kernel/command/session.h"
#include "kernel/command/value.h"
#include "metrics/analyse/load.h"
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/job.h"
#include "metrics/base/pseudonym.h"
#include "metrics/base/str.h"
#include "metrics/read/cutter.h"
#include "metrics/read/reader.h"
#include "metrics/run/run.h"
#include "metrics/table/table.h"
#include "metrics/trace/companion.h"
#include "metrics/trace/roi.h"
#include "metrics/trace/sink.h"

typedef struct cut_args {
    pj_load_args load;
    const char *path, *key;
    bool anonymous;
} cut_args;

static bool cannot_be_cut(const pj_run *run, pj_err *err)
{
    pj_auto_buf formats = {.at = NULL};
    const pj_reader *reader;
    for (unsigned i = 0; (reader = pj_reader_at(i)); i++)
        if (reader->cut)
            pj_buf_addf(&formats, "%s%s", formats.len ? ", " : "", reader->title);
    return pj_fail(err, PJ_E_USAGE, run->path, 0, "cannot be cut; these can: %s", formats.at);
}

static bool check(const pj_run *run, const char *path, pj_err *err)
{
    const pj_reader *reader = pj_reader_of_run(run);
    if (!reader || !reader->cut)
        return cannot_be_cut(run, err);
    pj_str suffix = pj_str_of(reader->cut->suffix);
    if (!pj_str_ends(pj_str_of(path), suffix) || strlen(path) == suffix.len)
        return pj_fail(err, PJ_E_USAGE, path, 0, "the part is written as " PJ_STR_FMT,
                       PJ_STR_ARG(suffix));
    if (pj_companion_shared(run->path, path))
        return pj_fail(err, PJ_E_USAGE, path, 0,
                       "would replace files of the trace; give the part another name");
    if (run->roi.drop)
        return pj_fail(err, PJ_E_USAGE, NULL, 0,
                       "cut: the run has no states that cross a border, a part has their insides: "
                       "load it with roi_cut = \"clip\"");
    return run->roi.set ||
           pj_fail(err, PJ_E_USAGE, run->path, 0,
                   "the trace marks no region of interest: say which part with --roi FROM..TO");
}

static pj_table *table_of(const pj_run *run, const pj_cut_facts *facts)
{
    const struct {
        const char *key;
        uint64_t value;
        pj_unit unit;
        const char *help;
    } rows[] = {
        {"from_ns", run->roi.from_ns, PJ_UNIT_NS, "Begin of the part in the trace."},
        {"to_ns", run->roi.to_ns, PJ_UNIT_NS, "Its end."},
        {"records", facts->records, PJ_UNIT_NONE, "Records kept."},
        {"states_clipped", facts->clipped, PJ_UNIT_NONE, "States that a border cuts."},
        {"readings_divided", facts->divided, PJ_UNIT_NONE,
         "Counter readings across a border, divided in proportion to time."},
        {"messages_left_out", facts->messages, PJ_UNIT_NONE, "Messages across a border."},
    };
    pj_table *table = pj_table_new("");
    table->title = pj_arena_format(table->arena, "Cut from %s", run->name);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        pj_table_add_column(table, (pj_column){.key = rows[i].key,
                                               .title = rows[i].key,
                                               .help = rows[i].help,
                                               .unit = rows[i].unit});
    pj_cell *cells = pj_table_add_row(table);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        cells[i] = pj_cell_int((int64_t)rows[i].value);
    return table;
}

/// The cutters of all formats, by row: which one is wanted shows only when the trace is read.
typedef struct cutters {
    void **selves;
    pj_sink *sinks;
    size_t sink_count;
} cutters;

static cutters begin_all(pj_arena *arena, const pj_pseudonyms *names)
{
    unsigned rows = 0;
    const pj_reader *reader;
    while (pj_reader_at(rows))
        rows++;
    cutters all = {.selves = pj_new_n(arena, void *, rows),
                   .sinks = pj_new_n(arena, pj_sink, rows)};
    for (unsigned i = 0; (reader = pj_reader_at(i)); i++) {
        if (!reader->cut || !reader->cut->begin)
            continue;
        all.selves[i] = reader->cut->begin(names);
        if (reader->cut->sink)
            all.sinks[all.sink_count++] = reader->cut->sink(all.selves[i]);
    }
    return all;
}

static void end_all(const cutters *all)
{
    const pj_reader *reader;
    for (unsigned i = 0; (reader = pj_reader_at(i)); i++)
        if (all->selves[i])
            reader->cut->end(all->selves[i]);
}

static bool write_part(const cutters *all, const pj_run *run, const char *path, pj_job *job,
                       pj_cut_facts *facts, pj_err *err)
{
    const pj_reader *reader = pj_reader_of_run(run);
    unsigned row = 0;
    while (pj_reader_at(row) != reader)
        row++;
    return reader->cut->write(all->selves[row], run, path, job, facts, err);
}

/// The key of the names that are hidden.
static bool take_key(const cut_args *args, pj_pseudonyms *names, pj_err *err)
{
    if (args->key && !args->anonymous)
        return pj_fail(err, PJ_E_USAGE, NULL, 0, "cut: --key is that of --anonymous");
    if (args->key)
        *names = pj_pseudonyms_of(args->key);
    return !args->anonymous || args->key || pj_pseudonyms_new(names, err);
}

static bool run_cut(pj_session *session, const void *given, pj_value *out, pj_err *err)
{
    const cut_args *args = given;
    pj_pseudonyms names = {{0}};
    if (!take_key(args, &names, err))
        return false;
    pj_auto_run run = NULL;
    pj_cut_facts facts;
    pj_auto_arena arena = pj_arena_new(NULL);
    cutters all = begin_all(arena, args->anonymous ? &names : NULL);
    pj_load_opts opts = {.no_replay = true,
                         .listeners = all.sinks,
                         .listener_count = all.sink_count,
                         .in_order = true};
    if (args->anonymous) // whole, unless a part is named
        opts.roi = (pj_roi_request){
            .kind = PJ_ROI_RANGE, .to = 100, .from_percent = true, .to_percent = true};
    pj_job job = {.stop = session->stop, .memory_budget = args->load.memory};
    bool ok = pj_inputs_load_one(session, &args->load, opts, &run, err) &&
              check(run, args->path, err) && write_part(&all, run, args->path, &job, &facts, err);
    if (ok)
        pj_session_wrote(session, args->path);
    if (ok)
        *out = pj_value_table_take(table_of(run, &facts));
    end_all(&all);
    return ok;
}

/// What cutters write; NULL past the end.
static const char *cut_suffix(size_t index)
{
    const pj_reader *reader;
    for (unsigned i = 0; (reader = pj_reader_at(i)); i++)
        if (reader->cut && index-- == 0)
            return reader->cut->suffix + 1; // without the point
    return NULL;
}

static const pj_param params[] = {
    {.name = "export",
     .type = PJ_PARAM_PATH,
     .required = true,
     .offset = offsetof(cut_args, path),
     .shown = "FILE",
     .suffix = cut_suffix,
     .help = "The new trace, of the same format; the files that belong to it are "
             "written beside it."},
    {.name = "anonymous",
     .type = PJ_PARAM_FLAG,
     .offset = offsetof(cut_args, anonymous),
     .help = "Hides names: of functions, files, lines of code, nodes, programs, communicators. "
             "Times, structure, numbers and the names of MPI and OpenMP stay, so that the metrics "
             "are the same. Without --roi the trace stays whole."},
    {.name = "key",
     .type = PJ_PARAM_TEXT,
     .offset = offsetof(cut_args, key),
     .shown = "TEXT",
     .preset = "a new one that nobody has",
     .help = "Of --anonymous: with the same key the same name is hidden as the same in every "
             "trace; who has it can try names."},
    {0},
};

static const pj_param_group groups[] = {
    {.rows = pj_input_rows,
     .base = offsetof(cut_args, load),
     .help = "One trace, or in Lua a run."},
    {.rows = params},
    {.rows = pj_reading_rows, .base = offsetof(cut_args, load)},
    {0},
};

const pj_command pj_command_cut = {
    .name = "cut",
    .summary = "A part of a trace as a trace of its own",
    .detail =
        "The part has the statistics that the trace has with the same --roi; states that cross "
        "its borders are clipped. Every kind of event is kept. (Read as a whole trace, idle "
        "threads have the runtime of their states; with --roi 0%..100% that of the part.) Times "
        "count from the begin of the part; calls, constructs and functions that are open there "
        "are opened at 0. Archives have the clocks that they were read with, repaired ones too; "
        "where these do not "
        "tick in nanoseconds, times may differ by 1 ns each. The replay of a part knows nothing of "
        "what lies before it: transfer and serialisation differ from those of --roi, which "
        "replays the whole trace. A part without OpenMP has no workers that wait for it: they are "
        "idle, not in serial idle.",
    .example = "popinjay cut run_64.prv.gz --roi 1.5s..20s --export part.prv",
    .faces = PJ_IN_BOTH,
    .groups = groups,
    .args_size = sizeof(cut_args),
    .run = run_cut,
};
