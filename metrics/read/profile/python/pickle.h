// Pickled Python values, as line_profiler stores them, read with a closed list of opcodes: nothing
// is imported, called or executed. Ownership: arena.
#ifndef PJ_PICKLE_H
#define PJ_PICKLE_H

#include "metrics/base/arena.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "metrics/read/source.h"

typedef enum pj_pickle_kind {
    PJ_PICKLE_NONE,
    PJ_PICKLE_BOOL,
    PJ_PICKLE_INT,
    PJ_PICKLE_REAL,
    PJ_PICKLE_TEXT,
    PJ_PICKLE_TUPLE,
    PJ_PICKLE_LIST,
    PJ_PICKLE_DICT,       // its list holds key, value, key, value ...
    PJ_PICKLE_OBJECT,     // a LineStats: its list holds its state once it has one
    PJ_PICKLE_LINE_STATS, // the classes and functions that may be named
    PJ_PICKLE_RECONSTRUCTOR,
    PJ_PICKLE_OBJECT_CLASS,
} pj_pickle_kind;

typedef struct pj_pickle_list pj_pickle_list;

typedef struct pj_pickle_value {
    pj_pickle_kind kind;
    uint32_t count; // bytes of a text, items of a tuple
    union {
        int64_t integer; // of a bool too
        double real;
        const char *text; // UTF-8, or the bytes of a string of Python 2
        const struct pj_pickle_value *items;
        pj_pickle_list *list;
    };
} pj_pickle_value;

struct pj_pickle_list {
    pj_pickle_value *items;
    size_t count, cap;
};

static inline pj_str pj_pickle_text(pj_pickle_value value)
{
    return (pj_str){value.text, value.count};
}

/// Whether the bytes begin as a pickle does: protocols 2 to 5 by their first byte, the text of
/// protocols 0 and 1 by what it names.
bool pj_pickle_sniff(pj_str head);

/// The value of a whole pickle of protocol 0 to 5, all of `source`. Texts may point into `bytes`. A
/// list may hold itself: who walks it goes no deeper than it expects. Errors (PJ_E_FORMAT): an
/// opcode or a name that is not on the list, or damage, with its byte.
PJ_CHECKED bool pj_pickle_read(const pj_source *source, pj_str bytes, pj_arena *arena,
                               pj_pickle_value *out, pj_err *err);

#endif
