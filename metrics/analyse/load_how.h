// Options of reading that change what a trace gives, as people write them in a shell, a cell or the
// fields of a page: one row of load_how.def each. Ownership: borrowed texts; NULL = not given.
#ifndef PJ_LOAD_HOW_H
#define PJ_LOAD_HOW_H

#include "metrics/analyse/load.h"
#include "metrics/base/arena.h"
#include "metrics/base/err.h"

typedef struct pj_load_how {
#define EVERYWHERE(key, ...) const char *key;
#define NUMBERS(key, ...) const char *key;
#include "metrics/analyse/load_how.def"
#undef EVERYWHERE
#undef NUMBERS
} pj_load_how;

enum {
#define EVERYWHERE(key, ...) PJ_HOW_##key,
#define NUMBERS(key, ...) PJ_HOW_##key,
#include "metrics/analyse/load_how.def"
#undef EVERYWHERE
#undef NUMBERS
    PJ_HOW_COUNT
};

typedef struct pj_load_how_row {
    const char *key, *name;     // "roi_cut" in cells, "roi-cut" in a shell
    const char *title, *hint;   // of its field on a page
    const char *const *choices; // NULL = any text
    size_t offset;              // in pj_load_how
    /// Neither has an effect where the text is what goes without saying.
    bool (*take)(const char *text, pj_load_opts *opts, pj_err *err);
    const char *(*say)(const pj_load_opts *opts, pj_arena *arena);
} pj_load_how_row;

/// Choices of a row.
#define PJ_WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})

/// By PJ_HOW_key; NULL past the end.
const pj_load_how_row *pj_load_how_at(size_t index);
static inline const char **pj_load_how_text(pj_load_how *how, size_t index)
{
    return (const char **)((char *)how + pj_load_how_at(index)->offset);
}

/// Leaves as it is what no text speaks of. Errors: PJ_E_USAGE.
PJ_CHECKED bool pj_load_how_take(const pj_load_how *how, pj_load_opts *opts, pj_err *err);
/// Whether anything is given.
bool pj_load_how_given(const pj_load_how *how);
pj_load_how pj_load_how_copy(const pj_load_how *how, pj_arena *arena);
/// What of the options changes the result, always in the same words: "roi auto, roi-cut clip, clock
/// repair"; arena.
const char *pj_load_options(const pj_load_opts *opts, pj_arena *arena);

#endif
