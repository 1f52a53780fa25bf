// Recordings that a command is given as folders. Ownership: none.
#ifndef PJ_RECORDING_H
#define PJ_RECORDING_H

#include "kernel/command/command.h"
#include "kernel/command/session.h"
#include "kernel/command/value.h"
#include "metrics/base/err.h"

/// Whether all inputs are folders with parts of a recording.
bool pj_recording_inputs_are(const pj_inputs *inputs);
/// The first input that is the folder of a recording whose parts are merged; NULL = none.
const char *pj_recording_merged(const pj_inputs *inputs);
typedef struct pj_recording_opts {
    bool keep;    // the parts stay
    bool profile; // of a trace too: `folder`/profile.cubex
} pj_recording_opts;

/// Makes the archive of each and gives a table of them. What is left out is a complaint.
PJ_CHECKED bool pj_recording_merge(pj_session *session, const pj_inputs *inputs,
                                   pj_recording_opts opts, pj_value *out, pj_err *err);
/// Writes the call paths of `folder`/traces.otf2 as `folder`/profile.cubex.
PJ_CHECKED bool pj_recording_profile(pj_session *session, const char *folder, pj_err *err);

#endif
