// Marshalled Python objects (CPython's Python/marshal.c, versions 0 to 4 of the format, code
// objects of 2.7 to 3.13), one value after another: dictionaries, tuples, texts and numbers.
// Ownership: new/free; texts are views of the input.
#ifndef PJ_MARSHAL_H
#define PJ_MARSHAL_H

#include "metrics/base/job.h"
#include "metrics/base/str.h"

typedef enum pj_marshal_kind {
    PJ_MARSHAL_END,   // of a dictionary, in place of a key
    PJ_MARSHAL_DICT,  // its keys and values follow, then END
    PJ_MARSHAL_TUPLE, // `count` values follow
    PJ_MARSHAL_TEXT,  // also bytes, and the name of a code object
    PJ_MARSHAL_WHOLE,
    PJ_MARSHAL_LARGE, // an integer of more than 63 bits
    PJ_MARSHAL_REAL,
    PJ_MARSHAL_OTHER, // None, True, ...
} pj_marshal_kind;

typedef struct pj_marshal_value {
    pj_marshal_kind kind;
    uint32_t count;     // values of a tuple
    uint32_t reference; // 1 + its number in the table of references; 0 = has none
    const char *back;   // where to go on after a container that was referred to; else NULL
    union {
        pj_str text;
        int64_t whole;
        double real;
    };
} pj_marshal_value;

/// A value kept small: files have millions.
typedef struct pj_marshal_reference {
    union {
        const char *at; // a text, or the contents of a container
        int64_t whole;
        double real;
    };
    uint32_t note;           // the reader's: a number that it has found for the value; at first 0
    uint32_t count : 27;     // bytes of a text, values of a tuple
    uint32_t kind : 4;       // a pj_marshal_kind
    uint32_t unfinished : 1; // its contents are being read
} pj_marshal_reference;

typedef struct pj_marshal {
    const char *start, *at, *end;
    pj_marshal_reference *references;
    size_t reference_count, reference_cap;
    uint32_t *strings; // Python 2's table of interned texts: numbers of references
    size_t string_count, string_cap;
    unsigned again; // containers that are read another time
    pj_job *job;
    const char *problem; // what is wrong at `at`; NULL = nothing
} pj_marshal;

/// `bytes` must outlive it.
pj_marshal pj_marshal_open(pj_str bytes, pj_job *job);
void pj_marshal_close(pj_marshal *marshal);
/// The next value; false with `problem`. The contents of a container are to be read next, and then
/// it is left.
bool pj_marshal_next(pj_marshal *marshal, pj_marshal_value *value);
void pj_marshal_leave(pj_marshal *marshal, const pj_marshal_value *container);
/// Says what is wrong, unless something is already; false.
bool pj_marshal_fail(pj_marshal *marshal, const char *problem);
/// Place for the reader's number of a value that others may refer to; NULL = it has none.
static inline uint32_t *pj_marshal_note(pj_marshal *marshal, const pj_marshal_value *value)
{
    return value->reference ? &marshal->references[value->reference - 1].note : NULL;
}

#endif
