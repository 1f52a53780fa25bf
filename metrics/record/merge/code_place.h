// Where a function that the compiler has made stands in the source, by the debug information of its
// program or library. Ownership: the caller's struct.
#ifndef PJ_CODE_PLACE_H
#define PJ_CODE_PLACE_H

#include "metrics/base/arena.h"
#include "metrics/base/err.h"
#include "metrics/record/merge/unite.h"

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct pj_code_place {
    char function[256]; // that it was part of; "" = not told
    char file[PATH_MAX];
    uint32_t line;
} pj_code_place;

/// What the module around libdw gives.
typedef struct pj_code_place_lib {
    /// The debug information of a program or library; NULL when it has none. Closed with `close`.
    void *(*open)(const char *object);
    void (*close)(void *information);
    /// Of the function `symbol` that begins at the address; false when another one does, or none.
    bool (*find)(void *information, uint64_t address, const char *symbol, pj_code_place *place);
} pj_code_place_lib;

/// Regions of OpenMP that are named by such a function get its file and line, where they are told.
/// False with PJ_E_MISSING where there are such and no libdw: their names tell the functions all
/// the same.
PJ_CHECKED bool pj_code_place_regions(const pj_united_part *parts, size_t count, pj_arena *arena,
                                      pj_err *err);

#endif
