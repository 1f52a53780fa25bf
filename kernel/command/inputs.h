// What a command is given to work on: files, globs, folders, runs and results of earlier commands.
// Ownership: the list of runs is the caller's.
#ifndef PJ_INPUTS_H
#define PJ_INPUTS_H

#include "kernel/command/command.h"
#include "kernel/command/export.h"
#include "kernel/command/session.h"
#include "kernel/command/value.h"
#include "metrics/analyse/load.h"
#include "metrics/base/arena.h"
#include "metrics/base/err.h"
#include "metrics/run/run.h"

/// Options of every command that reads traces.
typedef struct pj_load_args {
    pj_inputs inputs;
    const char *roi, *roi_cut, *clock;
    const char *tag;
    uint64_t jobs, memory;
    bool reread; // from the traces: neither summaries nor runs in memory will do
} pj_load_args;

/// Rows for a struct with a field `load` of this type; `many` says how inputs are shown.
#define PJ_LOAD_PARAMS(args_type, help_text)                                                       \
    {                                                                                              \
        .name = "traces", .type = PJ_PARAM_INPUTS, .place = PJ_IN_BOTH, .required = true,          \
        .offset = offsetof(args_type, load.inputs), .shown = "TRACE", .help = help_text            \
    }

/// Options of reading: which part of the traces, what of states across its borders, and the rest.
#define PJ_LOAD_OPTIONS(args_type)                                                                 \
    PJ_LOAD_ROI(args_type), PJ_LOAD_ROI_CUT(args_type), PJ_LOAD_READING(args_type)

#define PJ_LOAD_ROI(args_type)                                                                     \
    {                                                                                              \
        .name = "roi", .type = PJ_PARAM_TEXT, .offset = offsetof(args_type, load.roi),             \
        .shown = "auto|off|FROM..TO", .preset = "auto",                                            \
        .help =                                                                                    \
            "Region of interest: tracing on/off events when there are any, the whole trace, or "   \
            "a range in time (1.5s..20s) or percent (10%..90%)."                                   \
    }

#define PJ_LOAD_ROI_CUT(args_type)                                                                 \
    {                                                                                              \
        .name = "roi-cut", .type = PJ_PARAM_CHOICE, .offset = offsetof(args_type, load.roi_cut),   \
        .shown = "clip|drop", .choices = pj_roi_cuts, .preset = "clip",                            \
        .help = "What happens to a burst that crosses the border of the region: it counts with "   \
                "the part inside, or not at all."                                                  \
    }

#define PJ_LOAD_READING(args_type)                                                                 \
    {.name = "clock",                                                                              \
     .type = PJ_PARAM_CHOICE,                                                                      \
     .offset = offsetof(args_type, load.clock),                                                    \
     .shown = "raw|repair",                                                                        \
     .choices = pj_clocks,                                                                         \
     .preset = "repair",                                                                           \
     .help = "Clocks of OTF2 archives that contradict messages or collectives: taken as they "     \
             "are, or shifted until they fit, and stretched where they drift."},                   \
        {.name = "tag",                                                                            \
         .type = PJ_PARAM_TEXT,                                                                    \
         .offset = offsetof(args_type, load.tag),                                                  \
         .shown = "TAG",                                                                           \
         .help = "Tag of all traces of this call, to group and order them by; several groups: "    \
                 "load each with a tag of its own, or set runs[1].tag, in the notebook."},         \
        {.name = "force",                                                                          \
         .type = PJ_PARAM_FLAG,                                                                    \
         .offset = offsetof(args_type, load.reread),                                               \
         .help = "Reads the traces themselves, whatever summaries lie beside them, and those of "  \
                 "runs in memory again."},                                                         \
        {.name = "jobs",                                                                           \
         .type = PJ_PARAM_COUNT,                                                                   \
         .offset = offsetof(args_type, load.jobs),                                                 \
         .shown = "N",                                                                             \
         .preset = "one per core",                                                                 \
         .help = "Threads to compute with; every number gives the same digits."},                  \
    {                                                                                              \
        .name = "memory", .type = PJ_PARAM_SIZE, .offset = offsetof(args_type, load.memory),       \
        .shown = "SIZE", .preset = "half of what this process may use",                            \
        .help = "Memory that reading may use; beyond it the command ends with a clear message."    \
    }

extern const char *const pj_roi_cuts[], *const pj_clocks[];

/// Runs of the inputs in the order given: files are read one after another with all workers, runs
/// and results give their own. What cannot be read is a complaint; false when nothing is left or
/// the user interrupted. `opts` without region: args say it.
PJ_CHECKED bool pj_inputs_load(pj_session *session, const pj_load_args *args, pj_load_opts opts,
                               pj_value *runs, pj_err *err);
/// The same where exactly one run is wanted.
PJ_CHECKED bool pj_inputs_load_one(pj_session *session, const pj_load_args *args, pj_load_opts opts,
                                   pj_run **run, pj_err *err);
/// Options of reading that the arguments give. Errors: PJ_E_USAGE.
PJ_CHECKED bool pj_inputs_options(const pj_load_args *args, pj_load_opts *opts, pj_err *err);
/// Texts become paths, runs and results stay. What does not expand is a complaint when there is
/// more. The list is malloc, the paths arena.
PJ_CHECKED bool pj_inputs_expand_all(pj_session *session, const pj_inputs *inputs, pj_arena *arena,
                                     pj_inputs *out, pj_err *err);
/// A damaged trace gives a result, but not silently and not with status 0.
void pj_inputs_complain_of_damage(pj_session *session, const pj_run *run);

#endif
