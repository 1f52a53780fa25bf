// Profiles that a command is given: files, globs, folders, profiles of earlier commands.
// Ownership: new references.
#ifndef PJ_PROFILE_INPUTS_H
#define PJ_PROFILE_INPUTS_H

#include "kernel/command/command.h"
#include "kernel/command/inputs.h"
#include "kernel/command/session.h"
#include "metrics/analyse/load_how.h"
#include "metrics/base/err.h"
#include "metrics/profile/profile.h"

/// Options of every command that reads profiles.
typedef struct pj_profile_args {
    pj_inputs inputs;
    pj_load_how how; // of traces
    uint64_t jobs, memory;
    /// What recordings keep in a folder of that name beside trace and profile is meant, where there
    /// is one: "memory", "lines". NULL = trace and profile themselves.
    const char *beside;
    bool align; // functions that have moved from file to file or line to line are the same
} pj_profile_args;

/// Groups over pj_profile_args: what is read, and how.
extern const pj_param pj_profile_input_rows[], pj_profile_reading_rows[];

/// All inputs as one profile with the locations of each; of traces and runs their call paths, for
/// which a trace is read once. What cannot be read is a complaint where there is more. Under mpirun
/// all processes read traces together: the first one has the profile, the others NULL without an
/// error.
PJ_CHECKED pj_profile *pj_profile_inputs(pj_session *session, const pj_profile_args *args,
                                         pj_err *err);
/// Whether all inputs are profiles: commands that take traces too ask this first.
bool pj_profile_inputs_are(const pj_inputs *inputs);

#endif
