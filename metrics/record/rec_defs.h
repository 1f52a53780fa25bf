// The definitions of a part: a log of lines "kind\tfield...", each written before the first event
// that uses it. Ids count from 1 in each kind; the same fields are the same definition.
// Ownership: borrow. Every function may be called from any thread.
#ifndef PJ_REC_DEFS_H
#define PJ_REC_DEFS_H

#include "metrics/record/rec_export.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PJ_REC_FIELDS_MOST = 12 };

/// Id of the definition of this kind with these fields (NULL = empty), or 0 when it could not be
/// written: then the recording has ended.
PJ_REC_API uint32_t pj_rec_defs_id(char kind, const char *const *fields, size_t count);
/// A line without an id.
PJ_REC_API bool pj_rec_defs_line(char kind, const char *const *fields, size_t count);
/// As printf: a line of numbers; tabs part the fields.
PJ_REC_API bool pj_rec_defs_numbers(char kind, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/// The sentence will be shown beside the result; severity 1 note, 2 warning, 3 error.
PJ_REC_API void pj_rec_note(int severity, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/// For rec_part: writes into `folder`/defs from now on. false when that cannot be made.
bool pj_rec_defs_open(const char *folder);
/// In a forked child: what the parent had defined becomes the beginning of the new log.
bool pj_rec_defs_inherit(const char *folder);
void pj_rec_defs_lock(void);
void pj_rec_defs_unlock(void);

#endif
