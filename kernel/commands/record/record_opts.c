// Options of recordings.
#include "kernel/commands/record/record_opts.h"

#include "kernel/command/datadir.h"
#include "metrics/analyse/score_filter.h"
#include "metrics/base/buf.h"
#include "metrics/base/file.h"
#include "metrics/base/num.h"
#include "metrics/base/str.h"

#include <ctype.h>
#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

#define PREFIX "POPINJAY_RECORD"

static const char *const hooks[] = {"auto", "frame", "monitor", "profile", NULL};
static const char *const answers[] = {"yes", "no", NULL};

const pj_param pj_record_rows[] = {
    {.name = "profile",
     .type = PJ_PARAM_FLAG,
     .offset = offsetof(pj_record_opts, profile),
     .help = "Count calls by call path in place of a trace: DIR/profile.cubex, and "
             "DIR/prof/RANK.prof for Python's own tools. Its size does not grow with the time; "
             "popinjay score tells what a trace would cost."},
    {.name = "trace",
     .type = PJ_PARAM_FLAG,
     .offset = offsetof(pj_record_opts, trace),
     .help = "A trace, which is what is recorded anyway; with --profile both."},
    {.name = "depth",
     .type = PJ_PARAM_COUNT,
     .offset = offsetof(pj_record_opts, depth),
     .shown = "N",
     .preset = "4000",
     .help = "Of a profile: how many calls within each other have paths of their own; deeper ones "
             "count for their function."},
    {.name = "filter",
     .letter = 'f',
     .type = PJ_PARAM_PATH,
     .offset = offsetof(pj_record_opts, filter),
     .shown = "FILE",
     .help = "A filter file of Score-P: which functions are left out, by name (module:function, "
             "module.Class:method) or by file. popinjay score --propose writes one."},
    {.name = "modules",
     .type = PJ_PARAM_TEXT,
     .offset = offsetof(pj_record_opts, modules),
     .shown = "NAME,...",
     .help = "Functions of these modules and of those inside them alone."},
    {.name = "exclude",
     .type = PJ_PARAM_TEXT,
     .offset = offsetof(pj_record_opts, exclude),
     .shown = "PATTERN,...",
     .help = "Functions to leave out, as '*:<listcomp>' or 'json.*'."},
    {.name = "include",
     .type = PJ_PARAM_TEXT,
     .offset = offsetof(pj_record_opts, include),
     .shown = "PATTERN,...",
     .help = "Functions that are recorded, whatever filter, modules and exclude say."},
    {.name = "min-duration",
     .type = PJ_PARAM_DURATION,
     .offset = offsetof(pj_record_opts, min_duration),
     .shown = "TIME",
     .help = "Calls that take less, with no other event inside, are taken out of the trace; how "
             "many and how long they were is told beside it."},
    {.name = "auto-off",
     .type = PJ_PARAM_TEXT,
     .offset = offsetof(pj_record_opts, auto_off),
     .shown = "N:TIME",
     .help = "A function that was called N times and took less than TIME on average is recorded no "
             "more, as 10000:1us; each process decides for itself."},
    {.name = "io",
     .type = PJ_PARAM_FLAG,
     .offset = offsetof(pj_record_opts, io),
     .help = "Input and output, too: open, read, write, lseek, close, fopen and their kin, with "
             "file and bytes. Pipes, sockets and terminals are left out."},
    {.name = "memory",
     .type = PJ_PARAM_TEXT,
     .offset = offsetof(pj_record_opts, memory),
     .shown = "TIME|calls",
     .bare = "10ms",
     .help = "How much memory each process has, read that often (--memory=1ms): in the trace, and "
             "in DIR/memory/RANK.dat for popinjay plot memory. --memory=calls: how often Python "
             "allocates, and how many bytes, by call path in a profile, and in a trace at regions "
             "of the user and calls of MPI."},
    {.name = "lines",
     .type = PJ_PARAM_TEXT,
     .offset = offsetof(pj_record_opts, lines),
     .shown = "PATTERN,...",
     .help = "Hits and time of each line of functions by these names, and of those decorated with "
             "@profile, which is then a built-in function (--lines @profile: of those alone): "
             "DIR/lines/RANK.lprof for popinjay profile --lines. Python 3.9 and later."},
    {.name = "c-functions",
     .type = PJ_PARAM_TEXT,
     .offset = offsetof(pj_record_opts, c_functions),
     .shown = "PATTERN,...",
     .help = "Functions and methods of C that Python calls, too, by their names: numpy*, "
             "builtins.list:sort, json.*, or * for all of them. Before 3.12 each call then costs "
             "as much as with hook profile."},
    {.name = "counters",
     .type = PJ_PARAM_TEXT,
     .offset = offsetof(pj_record_opts, counters),
     .shown = "NAME,...",
     .help =
         "Counters of the processor, for the rows of instructions and IPC: instructions,cycles; "
         "also task-clock and page-faults. Read at calls of MPI, constructs of OpenMP and regions "
         "of the user. Virtual machines often have none: then a note says so."},
    {.name = "openmp",
     .type = PJ_PARAM_FLAG,
     .offset = offsetof(pj_record_opts, openmp),
     .help =
         "OpenMP of libgomp in libraries and Python's extensions, too; that of a program which is "
         "linked with it is always recorded. Loops with a static schedule call nothing of libgomp: "
         "their time is that of the parallel region around them."},
    {.name = "blas",
     .type = PJ_PARAM_FLAG,
     .offset = offsetof(pj_record_opts, blas),
     .help =
         "Functions of BLAS that C calls (cblas_dgemm, ...), also from numpy where its BLAS is a "
         "library of the system: that within numpy's wheels has other names."},
    {.name = "sample",
     .type = PJ_PARAM_DURATION,
     .offset = offsetof(pj_record_opts, sample),
     .shown = "TIME",
     .help = "No call is recorded: what Python threads are inside is looked at that often, for a "
             "profile whose visits are those that were met. Costs the program nothing. Python 3.9 "
             "to 3.13."},
    {.name = "hook",
     .type = PJ_PARAM_CHOICE,
     .offset = offsetof(pj_record_opts, hook),
     .shown = "HOOK",
     .choices = hooks,
     .preset = "auto",
     .help = "How calls are seen: frame (Python 3.9 to 3.11), monitor (from 3.12 on), profile."},
    {.name = "all",
     .type = PJ_PARAM_FLAG,
     .offset = offsetof(pj_record_opts, all),
     .help = "Functions of importlib and of frozen modules, too."},
    {.name = "no-python",
     .type = PJ_PARAM_FLAG,
     .offset = offsetof(pj_record_opts, no_python),
     .help = "Only regions, and functions where the program itself switches them on."},
    {.name = "children",
     .type = PJ_PARAM_CHOICE,
     .offset = offsetof(pj_record_opts, children),
     .shown = "YES",
     .choices = answers,
     .preset = "yes",
     .help = "Whether Python processes that a recorded one starts are recorded."},
    {.name = "max-size",
     .type = PJ_PARAM_SIZE,
     .offset = offsetof(pj_record_opts, max_size),
     .shown = "SIZE",
     .help = "Of the events of one process; there its recording ends, and a note says so."},
    {.name = "keep-files",
     .type = PJ_PARAM_FLAG,
     .offset = offsetof(pj_record_opts, keep),
     .help = "Keep the parts that the archive was made of."},
    {0},
};

const char *pj_record_site(pj_arena *arena, pj_err *err)
{
    const char *path = pj_datadir_find(arena, "share/popinjay/python/site", "share/python/site");
    if (!path)
        pj_fail(err, PJ_E_MISSING, "share/popinjay/python", 0,
                "the recorder's Python files are not installed");
    return path;
}

static bool check_filter(const char *path, const atomic_bool *stop, pj_err *err)
{
    pj_score_filter filter = {.arena = NULL};
    pj_auto_buf text = {.at = NULL};
    bool ok = pj_file_await(path, stop, &text, err) &&
              pj_score_filter_parse(&filter, path, pj_buf_str(&text), err);
    pj_score_filter_free(&filter);
    return ok;
}

static bool check_auto_off(const char *given, pj_err *err)
{
    pj_str time = pj_str_of(given), visits = pj_str_cut(&time, ':');
    uint64_t number;
    double ns;
    return (pj_parse_u64(visits, &number) && number > 0 && pj_parse_duration(time, &ns) &&
            ns > 0) ||
           pj_fail(err, PJ_E_USAGE, NULL, 0,
                   "record: --auto-off %s: give visits and a time, as 10000:1us", given);
}

bool pj_record_opts_check(const pj_record_opts *opts, const atomic_bool *stop, pj_err *err)
{
    if (opts->sample > 0 && opts->trace)
        return pj_fail(err, PJ_E_USAGE, NULL, 0,
                       "record: --sample makes a profile alone, no trace: leave out --trace");
    return (!opts->filter || check_filter(opts->filter, stop, err)) &&
           (!opts->auto_off || check_auto_off(opts->auto_off, err));
}

static size_t count_of(const char *const *texts)
{
    size_t count = 0;
    while (texts && texts[count])
        count++;
    return count;
}

/// The program may go elsewhere.
static const char *absolute(const char *path, pj_arena *arena)
{
    char here[PATH_MAX];
    return !path || *path == '/' || !getcwd(here, sizeof here)
               ? path
               : pj_arena_format(arena, "%s/%s", here, path);
}

/// The value of a row; NULL where it is not given.
static const char *value_of(const pj_param *row, const void *field, pj_arena *arena)
{
    if (row->type == PJ_PARAM_FLAG)
        return *(const bool *)field ? "1" : NULL;
    if (row->type == PJ_PARAM_PATH)
        return absolute(*(const char *const *)field, arena);
    if (row->type == PJ_PARAM_TEXT || row->type == PJ_PARAM_CHOICE)
        return *(const char *const *)field;
    uint64_t number = 0;
    if (row->type == PJ_PARAM_DURATION)
        number = (uint64_t) * (const double *)field;
    if (row->type == PJ_PARAM_SIZE || row->type == PJ_PARAM_COUNT)
        number = *(const uint64_t *)field;
    return number ? pj_arena_format(arena, "%llu", (unsigned long long)number) : NULL;
}

/// "POPINJAY_RECORD_MAX_SIZE=1000" of "max-size"
static const char *setting_of(const pj_param *row, const void *field, pj_arena *arena)
{
    const char *value = value_of(row, field, arena);
    char *setting = (char *)pj_arena_format(arena, PREFIX "_%s=%s", row->name, value ? value : "");
    for (char *at = setting + sizeof PREFIX; *at != '='; at++)
        *at = (char)(*at == '-' ? '_' : toupper((unsigned char)*at));
    return setting;
}

const char *const *pj_record_settings(const pj_record_opts *opts, const char *folder,
                                      const char *const *more, pj_arena *arena, pj_err *err)
{
    enum { OWN = 3 };
    const char *site = pj_record_site(arena, err);
    const char *path = getenv("PYTHONPATH");
    if (!site)
        return NULL;
    size_t added = count_of(more), used = 0;
    const char **all =
        pj_new_n(arena, const char *, OWN + added + sizeof pj_record_rows / sizeof *pj_record_rows);
    all[used++] = pj_arena_format(arena, PREFIX "=%s", folder);
    all[used++] =
        pj_arena_format(arena, "PYTHONPATH=%s%s%s%s%s", site, opts->home ? ":" : "",
                        opts->home ? opts->home : "", path && *path ? ":" : "", path ? path : "");
    all[used++] = PREFIX "_MERGE=later";
    // What was set for another recording must not reach this one: every variable is said.
    pj_record_opts said = *opts;
    said.profile = pj_record_opts_counts(opts);
    for (const pj_param *row = pj_record_rows; row->name; row++)
        all[used++] = setting_of(row, (const char *)&said + row->offset, arena);
    for (size_t i = 0; i < added; i++)
        all[used++] = more[i];
    return all;
}

static void add_word(pj_texts *words, const char *word)
{
    pj_grow(words->items, &words->cap, words->count + 1);
    words->items[words->count++] = word;
}

void pj_record_opts_words(const pj_record_opts *opts, pj_arena *arena, pj_texts *words)
{
    for (const pj_param *row = pj_record_rows; row->name; row++) {
        const char *value = value_of(row, (const char *)opts + row->offset, arena);
        if (value && row->type == PJ_PARAM_FLAG)
            add_word(words, pj_arena_format(arena, "--%s", row->name));
        else if (value)
            add_word(words, pj_arena_format(arena, "--%s=%s", row->name, value));
    }
}
