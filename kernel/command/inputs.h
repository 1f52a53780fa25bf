// What a command is given to work on: files, globs, folders, runs and results of earlier commands.
// Ownership: the list of runs is the caller's.
#ifndef PJ_INPUTS_H
#define PJ_INPUTS_H

#include "kernel/command/command.h"
#include "kernel/command/export.h"
#include "kernel/command/session.h"
#include "kernel/command/value.h"
#include "metrics/analyse/load.h"
#include "metrics/analyse/load_how.h"
#include "metrics/base/arena.h"
#include "metrics/base/err.h"
#include "metrics/run/run.h"
#include "metrics/run/study/study.h"

/// Options of every command that reads traces.
typedef struct pj_load_args {
    pj_inputs inputs;
    pj_load_how how;
    const char *region; // NULL = the whole run
    const char *tag;
    uint64_t jobs, memory;
    bool reread; // from the traces: neither summaries nor runs in memory will do
} pj_load_args;

/// Groups over pj_load_args: what is read, how, and what becomes of bursts across the borders of a
/// region of interest.
extern const pj_param pj_input_rows[], pj_reading_rows[], pj_roi_cut_rows[];
/// Which region of a run that has regions; over pj_load_args.
extern const pj_param pj_region_rows[];

/// A row of load_how.def as a parameter of a struct that has it in its member `how`.
#define PJ_READING_ROW(args, key, name_, type_, title, choices_, shown_, preset_, hint, help_)     \
    {.name = name_,                                                                                \
     .type = PJ_PARAM_##type_,                                                                     \
     .offset = offsetof(args, how.key),                                                            \
     .shown = shown_,                                                                              \
     .choices = choices_,                                                                          \
     .preset = preset_,                                                                            \
     .help = help_},

/// Runs of the inputs in the order given: files are read one after another with all workers, runs
/// and results give their own. What cannot be read is a complaint; false when nothing is left or
/// the user interrupted. `opts` without region: args say it.
PJ_CHECKED bool pj_inputs_load(pj_session *session, const pj_load_args *args, pj_load_opts opts,
                               pj_value *runs, pj_err *err);
/// The same where exactly one run is wanted.
PJ_CHECKED bool pj_inputs_load_one(pj_session *session, const pj_load_args *args, pj_load_opts opts,
                                   pj_run **run, pj_err *err);
/// Texts become paths, runs and results stay. What does not expand is a complaint when there is
/// more. The list is malloc, the paths arena.
PJ_CHECKED bool pj_inputs_expand_all(pj_session *session, const pj_inputs *inputs, pj_arena *arena,
                                     pj_inputs *out, pj_err *err);
/// A damaged trace gives a result, but not silently and not with status 0.
void pj_inputs_complain_of_damage(pj_session *session, const pj_run *run);

/// A study of runs that were loaded.
PJ_CHECKED pj_study *pj_inputs_study(const pj_list *runs, pj_study_opts opts, pj_err *err);

#endif
