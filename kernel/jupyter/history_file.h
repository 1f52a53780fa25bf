// The user's history file: one line of JSON per input, [session, line, input] or with its result
// [session, line, null, output]. Several kernels write it side by side: every line is one write at
// the end, under a lock that nobody waits for long. What is damaged is left out. Ownership: new
// references and texts are the caller's.
#ifndef PJ_HISTORY_FILE_H
#define PJ_HISTORY_FILE_H

#include "metrics/base/str.h"

#include <jansson.h>
#include <stdbool.h>

enum {
    PJ_HISTORY_FILE_BYTES = 8 << 20, // beyond it the older half is given up
    PJ_HISTORY_LINE_BYTES = 64 << 10 // longer inputs and results are not kept beyond the session
};

/// POPINJAY_HISTORY, else popinjay/history in the user's folder of states (XDG_STATE_HOME,
/// ~/.local/state). NULL when POPINJAY_HISTORY is "off" or empty, or there is no home.
char *pj_history_file_path(void);
/// A number of a new session, above all that the file holds; 0 when the file cannot be written.
int pj_history_file_session(const char *path);
/// Adds whole lines; false when they were not written. Without patience they are not while another
/// holds the lock; with it they are after 20 ms at most, lock or not.
bool pj_history_file_add(const char *path, pj_str lines, bool patient);
/// The records in order; empty when there is nothing to read.
json_t *pj_history_file_read(const char *path);

#endif
