// Marshalled Python objects (CPython's Python/marshal.c, versions 0 to 4 of the format, code
// objects of 2.7 to 3.13), one value after another: dictionaries, tuples, texts and numbers.
// Ownership: new/free; texts are views of the input.
#ifndef PJ_MARSHAL_H
#define PJ_MARSHAL_H

#include "metrics/base/job.h"
#include "metrics/base/str.h"

#include <endian.h>

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
    uint32_t from;      // bytes before its type
    const char *back;   // where to go on after a container that was referred to; else NULL
    union {
        pj_str text;
        int64_t whole;
        double real;
    };
} pj_marshal_value;

/// Where a value is, kept small: files have millions. Of a code object: where its name is.
typedef struct pj_marshal_reference {
    uint32_t at;        // bytes before its type; files are smaller than 4 GiB
    uint32_t note : 27; // the reader's: a number that it has found for the value; at first 0
    uint32_t is_text : 1;
    uint32_t is_other : 1;   // nothing that a profile needs
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

/// `bytes` must outlive it, and be less than 4 GiB.
pj_marshal pj_marshal_open(pj_str bytes, pj_job *job);
void pj_marshal_close(pj_marshal *marshal);
/// The next value; false with `problem`. The contents of a container are to be read next, and then
/// it is left.
bool pj_marshal_next(pj_marshal *marshal, pj_marshal_value *value);
void pj_marshal_leave(pj_marshal *marshal, const pj_marshal_value *container);
/// Says what is wrong, unless something is already; false.
bool pj_marshal_fail(pj_marshal *marshal, const char *problem);
/// Keeps a number, less than 2^27 and not 0, of a value that others may refer to.
static inline void pj_marshal_note(pj_marshal *marshal, const pj_marshal_value *value,
                                   uint32_t number)
{
    if (value->reference)
        marshal->references[value->reference - 1].note = number & ((UINT32_C(1) << 27) - 1);
}

/// Takes a reference to a value of which the reader has noted a number, and gives that: most keys
/// of a profile. Otherwise takes nothing; 0.
static inline uint32_t pj_marshal_known(pj_marshal *marshal, bool is_text)
{
    uint32_t number;
    if ((size_t)(marshal->end - marshal->at) <= sizeof number || *marshal->at != 'r')
        return 0;
    memcpy(&number, marshal->at + 1, sizeof number);
    number = le32toh(number);
    if (number >= marshal->reference_count || marshal->references[number].unfinished ||
        marshal->references[number].is_text != is_text || !marshal->references[number].note)
        return 0;
    marshal->at += 1 + sizeof number;
    return marshal->references[number].note;
}

/// An integer of 32 bits that others may refer to, whose type has not been taken.
bool pj_marshal_shared_whole(pj_marshal *marshal, pj_marshal_value *value);

/// Takes a reference to an integer of 32 bits: Python has each small one once. Otherwise takes
/// nothing; false.
static inline bool pj_marshal_whole_again(pj_marshal *marshal, pj_marshal_value *value)
{
    uint32_t number;
    memcpy(&number, marshal->at + 1, sizeof number);
    number = le32toh(number);
    if (number >= marshal->reference_count || marshal->references[number].unfinished)
        return false;
    const char *at = marshal->start + marshal->references[number].at;
    if ((*at & 0x7f) != 'i')
        return false;
    memcpy(&number, at + 1, sizeof number);
    value->whole = (int32_t)le32toh(number);
    value->kind = PJ_MARSHAL_WHOLE;
    marshal->at += 1 + sizeof number;
    return true;
}

/// As pj_marshal_next, and faster for plain tuples.
static inline bool pj_marshal_tuple(pj_marshal *marshal, pj_marshal_value *value)
{
    if (marshal->end - marshal->at < 2 || *marshal->at != ')')
        return pj_marshal_next(marshal, value);
    uint32_t from = (uint32_t)(marshal->at - marshal->start);
    *value = (pj_marshal_value){
        .kind = PJ_MARSHAL_TUPLE, .count = (uint8_t)marshal->at[1], .from = from};
    marshal->at += 2;
    return true;
}

/// As pj_marshal_next, and faster for what most numbers of a profile are. Of them the value is only
/// its kind and the number.
static inline bool pj_marshal_number(pj_marshal *marshal, pj_marshal_value *value)
{
    size_t left = (size_t)(marshal->end - marshal->at);
    if (left > sizeof(uint64_t) && *marshal->at == 'g') {
        uint64_t bits;
        memcpy(&bits, marshal->at + 1, sizeof bits);
        bits = le64toh(bits);
        memcpy(&value->real, &bits, sizeof bits);
        value->kind = PJ_MARSHAL_REAL;
        marshal->at += 1 + sizeof bits;
        return true;
    }
    if (left > sizeof(uint32_t) && *marshal->at == 'i') {
        uint32_t bits;
        memcpy(&bits, marshal->at + 1, sizeof bits);
        value->whole = (int32_t)le32toh(bits);
        value->kind = PJ_MARSHAL_WHOLE;
        marshal->at += 1 + sizeof bits;
        return true;
    }
    if (left > sizeof(uint32_t) && *marshal->at == 'r' && pj_marshal_whole_again(marshal, value))
        return true;
    if (left > sizeof(uint32_t) && *marshal->at == (char)('i' | 0x80))
        return pj_marshal_shared_whole(marshal, value);
    return pj_marshal_next(marshal, value);
}

#endif
