// Which region the code objects of functions are. Touched under the lock of the interpreter only.
// No code object is kept alive: one that dies takes its row along.
#ifndef PJ_PY_CODES_H
#define PJ_PY_CODES_H

#include "metrics/record/python/py_api.h"

/// The region of what is not recorded.
#define PJ_PY_NOT_RECORDED UINT32_MAX

typedef struct pj_py_code {
    const void *code; // NULL = a free row
    uint32_t region;
    uint32_t lines;       // of rec_lines; 0 = not recorded
    bool off;             // it was switched off meanwhile: calls that are open still end
    bool makes_generator; // its first frame only makes a generator, a coroutine, ...
} pj_py_code;

typedef struct pj_py_codes {
    pj_py_code *rows;
    size_t mask, used; // mask + 1 rows
    bool all;          // the machinery of Python and of the recorder, too
} pj_py_codes;

extern pj_py_codes pj_py_codes_seen;

static inline size_t pj_py_codes_place(const void *code)
{
    return (size_t)(((uintptr_t)code >> 4) * UINT64_C(0x9E3779B97F4A7C15) >> 32);
}

/// NULL when it was never seen.
static inline const pj_py_code *pj_py_codes_find(const void *code)
{
    const pj_py_codes *codes = &pj_py_codes_seen;
    for (size_t at = pj_py_codes_place(code) & codes->mask;; at = (at + 1) & codes->mask) {
        const pj_py_code *row = &codes->rows[at];
        if (row->code == code)
            return row;
        if (!row->code)
            return NULL;
    }
}

/// How many code objects that were known have died: their addresses may be those of others.
uint64_t pj_py_codes_deaths(void);

/// False without memory.
bool pj_py_codes_init(bool all);
/// The row of code that was never seen, its region made known; `globals` are those of its function.
pj_py_code pj_py_codes_add(PyObject *code, PyObject *globals);

/// The lines of this function are recorded from now on; whether they can be.
bool pj_py_codes_take_lines(PyObject *code, PyObject *globals);

#endif
