// Profiles that a command is given: files, globs, folders, profiles of earlier commands.
// Ownership: new references.
#ifndef PJ_PROFILE_INPUTS_H
#define PJ_PROFILE_INPUTS_H

#include "kernel/command/command.h"
#include "kernel/command/inputs.h"
#include "kernel/command/session.h"
#include "metrics/base/err.h"
#include "metrics/profile/profile.h"

/// Options of every command that reads profiles.
typedef struct pj_profile_args {
    pj_inputs inputs;
    const char *roi, *clock; // of traces
    uint64_t jobs, memory;
} pj_profile_args;

#define PJ_PROFILE_PARAMS(args_type, help_text)                                                    \
    {                                                                                              \
        .name = "profiles", .type = PJ_PARAM_INPUTS, .place = PJ_IN_BOTH, .required = true,        \
        .offset = offsetof(args_type, files.inputs), .shown = "PROFILE", .help = help_text         \
    }

#define PJ_PROFILE_READING(args_type)                                                              \
    {.name = "roi",                                                                                \
     .type = PJ_PARAM_TEXT,                                                                        \
     .offset = offsetof(args_type, files.roi),                                                     \
     .shown = "auto|off|FROM..TO",                                                                 \
     .preset = "auto",                                                                             \
     .help = "Of traces: the part that counts, as in every command that reads them."},             \
        {.name = "clock",                                                                          \
         .type = PJ_PARAM_CHOICE,                                                                  \
         .offset = offsetof(args_type, files.clock),                                               \
         .shown = "raw|repair",                                                                    \
         .choices = pj_clocks,                                                                     \
         .preset = "repair",                                                                       \
         .help = "Of traces: clocks that contradict messages, as they are or shifted until they "  \
                 "fit."},                                                                          \
        {.name = "jobs",                                                                           \
         .type = PJ_PARAM_COUNT,                                                                   \
         .offset = offsetof(args_type, files.jobs),                                                \
         .shown = "N",                                                                             \
         .preset = "one per core",                                                                 \
         .help = "Threads to compute with; every number gives the same digits."},                  \
    {                                                                                              \
        .name = "memory", .type = PJ_PARAM_SIZE, .offset = offsetof(args_type, files.memory),      \
        .shown = "SIZE", .preset = "half of what this process may use",                            \
        .help = "Memory that reading may use; beyond it the command ends with a clear message."    \
    }

/// All inputs as one profile with the locations of each; of traces and runs their call paths, for
/// which a trace is read once. What cannot be read is a complaint where there is more. Under mpirun
/// all processes read traces together: the first one has the profile, the others NULL without an
/// error.
PJ_CHECKED pj_profile *pj_profile_inputs(pj_session *session, const pj_profile_args *args,
                                         pj_err *err);
/// Whether all inputs are profiles: commands that take traces too ask this first.
bool pj_profile_inputs_are(const pj_inputs *inputs);

#endif
