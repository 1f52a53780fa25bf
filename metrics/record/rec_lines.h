// Hits and time of the lines of chosen functions: a file for each in the part, mapped into memory,
// so that it is there whatever becomes of the process. Ownership: the process's; callers hold the
// lock of the interpreter.
#ifndef PJ_REC_LINES_H
#define PJ_REC_LINES_H

#include "metrics/record/rec_export.h"

#include <stdint.h>

/// The file `lines.<region>`: this, then a row for each line from `first` on.
typedef struct pj_rec_lines_head {
    uint64_t first, count;
} pj_rec_lines_head;

typedef struct pj_rec_line {
    uint64_t hits, ticks; // callees included
} pj_rec_line;

enum { PJ_REC_LINES_MOST = 1 << 16 }; // of a function

/// The number of a function, from 1 on; 0 = its lines cannot be kept. `last` 0 = not known.
PJ_REC_API uint32_t pj_rec_lines_of(uint32_t region, uint32_t first, uint32_t last);
/// Nothing for a line that is none of the function's.
PJ_REC_API void pj_rec_lines_add(uint32_t function, uint32_t line, pj_rec_line more);

#endif
