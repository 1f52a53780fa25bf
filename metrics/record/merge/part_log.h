// The definitions that one process has logged (record/README.md). Ownership: new/free; texts are
// borrowed from it.
#ifndef PJ_PART_LOG_H
#define PJ_PART_LOG_H

#include "metrics/base/arena.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"

#include <stddef.h>
#include <stdint.h>

typedef struct pj_part_log pj_part_log;

/// Reads `folder`/defs. Errors: PJ_E_IO; PJ_E_FORMAT for a line of an unknown kind or a wrong id.
/// A last line without an end does not count.
PJ_CHECKED pj_part_log *pj_part_log_read(const char *folder, pj_err *err);
/// The same of a text.
PJ_CHECKED pj_part_log *pj_part_log_take(const char *folder, pj_str text, pj_err *err);
void pj_part_log_free(pj_part_log *log);
const char *pj_part_log_folder(const pj_part_log *log);

/// Lines of a kind, in their order; those with ids from 1 on without gaps.
uint32_t pj_part_log_count(const pj_part_log *log, char kind);
/// The fields of a line behind its kind, and for kinds with ids behind the id, as they stand.
pj_str pj_part_log_line(const pj_part_log *log, char kind, uint32_t index);
/// Another text in place of a line that is there; borrowed.
void pj_part_log_put(pj_part_log *log, char kind, uint32_t index, pj_str line);
/// A field of such a text, as it stands; "" beyond the last.
pj_str pj_part_log_field(pj_str line, unsigned index);
/// The same as the process meant it.
const char *pj_part_log_unescape(pj_str field, pj_arena *arena);
/// The name that a thread had last, as it stands.
pj_str pj_part_log_thread(const pj_part_log *log, uint32_t number);
/// Whether it is one of the recorder, which writes readings.
bool pj_part_log_reads(const pj_part_log *log, uint32_t number);
/// The same as a number; 0 when it is none.
uint64_t pj_part_log_number(pj_str line, unsigned index);

#endif
