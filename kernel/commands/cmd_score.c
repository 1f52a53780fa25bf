// popinjay score CUBEX: what a trace of a profiled program would cost, and how to make it smaller.
#include "kernel/command/command.h"
#include "kernel/command/export.h"
#include "kernel/command/session.h"
#include "kernel/command/value.h"
#include "metrics/analyse/score.h"
#include "metrics/analyse/score_filter.h"
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/file.h"
#include "metrics/base/job.h"
#include "metrics/base/newfile.h"
#include "metrics/base/str.h"

#include <unistd.h>

typedef struct score_args {
    const char *profile, *filter, *sort, *propose, *output;
    bool regions;
    uint64_t counters;
    pj_exports exports;
} score_args;

static const char *const sorts[] = {[PJ_SCORE_BY_MAX_BUFFER] = "maxbuffer",
                                    [PJ_SCORE_BY_TOTAL_TIME] = "totaltime",
                                    [PJ_SCORE_BY_TIME_PER_VISIT] = "timepervisit",
                                    [PJ_SCORE_BY_VISITS] = "visits",
                                    [PJ_SCORE_BY_NAME] = "name",
                                    NULL};

static bool read_filter(const pj_session *session, const char *path, pj_score_filter *out,
                        pj_err *err)
{
    pj_auto_buf text = {.at = NULL};
    return pj_file_await(path, session->stop, &text, err) &&
           pj_score_filter_parse(out, path, pj_buf_str(&text), err);
}

static bool take_opts(const score_args *args, const pj_score_filter *filter, pj_score_opts *out,
                      pj_err *err)
{
    enum { COUNTERS_MAX = 255 };
    *out = (pj_score_opts){.counters = (uint32_t)args->counters,
                           .filter = args->filter ? filter : NULL,
                           .with_regions = args->regions};
    for (unsigned i = 0; args->sort && sorts[i]; i++)
        if (strcmp(args->sort, sorts[i]) == 0)
            out->sort = (pj_score_sort)i;
    return args->counters <= COUNTERS_MAX ||
           pj_fail(err, PJ_E_USAGE, NULL, 0,
                   "score: --counters: %llu are more than the 255 that "
                   "an event can hold",
                   (unsigned long long)args->counters);
}

/// The proposal into its file, or as the value.
static bool propose(pj_session *session, const score_args *args, pj_score *score, pj_value *out,
                    pj_err *err)
{
    pj_score_proposal proposal;
    pj_auto_buf text = {.at = NULL};
    if (!pj_score_parse_proposal(pj_str_of(args->propose), &proposal, err))
        return false;
    pj_score_propose(score, proposal, &text);
    if (!args->output) {
        pj_value_clear(out);
        *out = pj_value_text(text.at);
        return true;
    }
    if (!pj_newfile_put(args->output, pj_buf_str(&text), err))
        return false;
    pj_session_wrote(session, args->output);
    score->proposed = pj_arena_text(score->arena, pj_str_of(args->output));
    return true;
}

static bool score(pj_session *session, const score_args *args, const pj_score_filter *filter,
                  pj_value *out, pj_err *err)
{
    pj_job job = {.stop = session->stop};
    pj_score_opts opts;
    if (!take_opts(args, filter, &opts, err))
        return false;
    pj_score *made = pj_score_new(args->profile, opts, &job, err);
    if (!made)
        return false;
    *out = (pj_value){.kind = PJ_VALUE_SCORE, .score = made};
    if ((args->propose || args->output) && !propose(session, args, made, out, err))
        return false;
    return pj_export_all(session, out, &args->exports, err);
}

static bool run_score(pj_session *session, const void *given, pj_value *out, pj_err *err)
{
    const score_args *args = given;
    pj_score_filter filter = {.arena = NULL};
    if (args->output && access(args->output, F_OK) == 0)
        return pj_fail(err, PJ_E_USAGE, args->output, 0,
                       "is there already and is not replaced; give another name");
    bool ok = pj_export_check(&args->exports, err) &&
              (!args->filter || read_filter(session, args->filter, &filter, err)) &&
              score(session, args, &filter, out, err);
    pj_score_filter_free(&filter);
    return ok;
}

static const pj_param params[] = {
    {.name = "profile",
     .type = PJ_PARAM_PATH,
     .place = PJ_IN_BOTH,
     .required = true,
     .offset = offsetof(score_args, profile),
     .shown = "CUBEX",
     .help = "A CUBE profile of Score-P (profile.cubex), or the folder of an experiment."},
    {.name = "regions",
     .letter = 'r',
     .type = PJ_PARAM_FLAG,
     .offset = offsetof(score_args, regions),
     .help = "Lists regions below the groups."},
    {.name = "sort",
     .letter = 's',
     .type = PJ_PARAM_CHOICE,
     .offset = offsetof(score_args, sort),
     .shown = "KEY",
     .choices = sorts,
     .preset = "maxbuffer",
     .help = "Order of groups and regions."},
    {.name = "filter",
     .letter = 'f',
     .type = PJ_PARAM_PATH,
     .offset = offsetof(score_args, filter),
     .shown = "FILE",
     .help = "A filter file of Score-P: what it would leave."},
    {.name = "counters",
     .letter = 'c',
     .type = PJ_PARAM_COUNT,
     .offset = offsetof(score_args, counters),
     .shown = "N",
     .help = "Hardware counters that the measurement is to read at every enter and leave."},
    {.name = "propose",
     .letter = 'g',
     .type = PJ_PARAM_TEXT,
     .offset = offsetof(score_args, propose),
     .shown = "LIMITS",
     .bare = "",
     .preset = "bufferpercent=1,timepervisit=1,type=usr",
     .help = "A filter file of the regions that cost much and tell little: at least bufferpercent "
             "of the buffer, bufferabsolute MB and visits, less than timepervisit us a visit, of "
             "type usr, com or both."},
    {.name = "output",
     .output = true,
     .letter = 'o',
     .type = PJ_PARAM_PATH,
     .offset = offsetof(score_args, output),
     .shown = "FILE",
     .help = "Where the proposed filter file goes, for Score-P and for popinjay record --filter; a "
             "file that is there is never replaced."},
    {0},
};

static const pj_param_group groups[] = {
    {.rows = params},
    {.rows = pj_export_rows, .base = offsetof(score_args, exports)},
    {0},
};

const pj_command pj_command_score = {
    .name = "score",
    .summary = "What a trace of a program profiled with Score-P would cost, and filters",
    .detail = "Bytes of events by region and process, from the visits of a profile and the sizes "
              "that libotf2 tells, as scorep-score estimates them: max_buf is what the largest "
              "process needs, and SCOREP_TOTAL_MEMORY what to set for the measurement.\n"
              "Types: MPI, OMP, ... by what a region is; COM is the program's own code on the way "
              "to one of these, USR all other code: only USR and COM and wrapped libraries can be "
              "filtered.",
    .example = "popinjay score scorep-run --regions --propose -o initial.filter",
    .faces = PJ_IN_BOTH,
    .reads = true,
    .groups = groups,
    .args_size = sizeof(score_args),
    .run = run_score,
};
