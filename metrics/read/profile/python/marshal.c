// A walk over marshalled bytes. Objects may refer to earlier ones: of a text or number the table
// keeps the value, of a container where its contents begin, so that they can be read again.
// Nothing is executed; of code objects only the name is kept.
#include "metrics/read/profile/python/marshal.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/num.h"

#include <math.h>
#include <stdlib.h>

enum {
    FLAG = 0x80,
    TYPE = 0x7f,
    DEEPEST = 20,
    CODE_OBJECTS = 8,
    NAME_OLD = 7,
    NAME_NEW = 6,
    KINDS = 4,
    LONGEST = (1 << 27) - 1
};

pj_marshal pj_marshal_open(pj_str bytes, pj_job *job)
{
    return (pj_marshal){.start = bytes.at, .at = bytes.at, .end = bytes.at + bytes.len, .job = job};
}

void pj_marshal_close(pj_marshal *m)
{
    atomic_fetch_sub(&m->job->memory_used, m->reference_cap * sizeof *m->references);
    free(m->references);
    free(m->strings);
    *m = (pj_marshal){.problem = "closed"};
}

bool pj_marshal_fail(pj_marshal *m, const char *problem)
{
    if (!m->problem)
        m->problem = problem;
    return false;
}

static size_t left(const pj_marshal *m)
{
    return (size_t)(m->end - m->at);
}

static uint32_t offset(const pj_marshal *m)
{
    return (uint32_t)(m->at - m->start);
}

static bool take(pj_marshal *m, size_t size, const char **bytes)
{
    *bytes = m->at;
    if (left(m) < size)
        return pj_marshal_fail(m, "it ends in the middle of a value");
    m->at += size;
    return true;
}

static bool take_byte(pj_marshal *m, uint8_t *byte)
{
    const char *at;
    if (!take(m, 1, &at))
        return false;
    *byte = (uint8_t)*at;
    return true;
}

static uint32_t little_32(const char *at)
{
    uint32_t value;
    memcpy(&value, at, sizeof value);
    return le32toh(value);
}

static uint64_t little_64(const char *at)
{
    uint64_t value;
    memcpy(&value, at, sizeof value);
    return le64toh(value);
}

static bool take_i32(pj_marshal *m, int32_t *value)
{
    const char *at;
    if (!take(m, 4, &at))
        return false;
    *value = (int32_t)little_32(at);
    return true;
}

/// A length that the bytes left can hold.
static bool take_length(pj_marshal *m, bool is_short, uint32_t *length)
{
    int32_t wide = 0;
    uint8_t narrow = 0;
    if (!(is_short ? take_byte(m, &narrow) : take_i32(m, &wide)))
        return false;
    if (wide < 0)
        return pj_marshal_fail(m, "a length is negative");
    *length = is_short ? narrow : (uint32_t)wide;
    if (*length > LONGEST)
        return pj_marshal_fail(m, "a value is longer than 128 MB");
    return *length <= left(m) || pj_marshal_fail(m, "a length is larger than what follows");
}

static bool take_text(pj_marshal *m, bool is_short, pj_marshal_value *value)
{
    uint32_t length = 0;
    value->kind = PJ_MARSHAL_TEXT;
    if (!take_length(m, is_short, &length))
        return false;
    value->text.len = length;
    return take(m, length, &value->text.at);
}

static bool take_whole(pj_marshal *m, size_t size, pj_marshal_value *value)
{
    const char *at;
    if (!take(m, size, &at))
        return false;
    value->kind = PJ_MARSHAL_WHOLE;
    value->whole = size == 4 ? (int32_t)little_32(at) : (int64_t)little_64(at);
    return true;
}

/// Digits of 15 bits, the least first; the sign is that of their number.
static bool take_long(pj_marshal *m, pj_marshal_value *value)
{
    enum { DIGIT_BITS = 15, WHOLE_BITS = 63 };
    int32_t n;
    const char *at;
    if (!take_i32(m, &n))
        return false;
    size_t digits = n < 0 ? (size_t) - (int64_t)n : (size_t)n;
    if (digits > left(m) / 2)
        return pj_marshal_fail(m, "a length is larger than what follows");
    if (!take(m, digits * 2, &at))
        return false;
    uint64_t sum = 0;
    bool large = false;
    for (size_t i = digits; i-- > 0;) {
        large = large || sum >> (WHOLE_BITS - DIGIT_BITS);
        uint32_t digit = (uint8_t)at[2 * i] | (uint32_t)(uint8_t)at[2 * i + 1] << 8;
        sum = sum << DIGIT_BITS | (digit & 0x7fff);
    }
    value->kind = large ? PJ_MARSHAL_LARGE : PJ_MARSHAL_WHOLE;
    value->whole = large ? 0 : n < 0 ? -(int64_t)sum : (int64_t)sum;
    return true;
}

static bool take_real(pj_marshal *m, pj_marshal_value *value)
{
    const char *at;
    if (!take(m, sizeof value->real, &at))
        return false;
    uint64_t bits = little_64(at);
    value->kind = PJ_MARSHAL_REAL;
    memcpy(&value->real, &bits, sizeof bits);
    return true;
}

static bool take_real_text(pj_marshal *m, pj_marshal_value *value)
{
    pj_marshal_value digits = {.kind = PJ_MARSHAL_TEXT};
    if (!take_text(m, true, &digits))
        return false;
    value->kind = PJ_MARSHAL_REAL;
    if (!pj_parse_double(digits.text, &value->real))
        value->real = NAN;
    return true;
}

/// The number of the new reference, from 1; 0 = there is no memory for it.
static uint32_t add_reference(pj_marshal *m)
{
    size_t had = m->reference_cap;
    if (m->reference_count >= UINT32_MAX - 1)
        return 0;
    if (m->reference_count == had) {
        pj_grow(m->references, &m->reference_cap, m->reference_count + 1);
        atomic_fetch_add(&m->job->memory_used, (m->reference_cap - had) * sizeof *m->references);
    }
    m->references[m->reference_count] = (pj_marshal_reference){.unfinished = true};
    return (uint32_t)++m->reference_count;
}

static bool is_container(const pj_marshal_value *value)
{
    return value->kind == PJ_MARSHAL_DICT || value->kind == PJ_MARSHAL_TUPLE;
}

static void settle(pj_marshal *m, const pj_marshal_value *value)
{
    pj_marshal_reference *reference = &m->references[value->reference - 1];
    reference->at = value->from;
    reference->is_text = value->kind == PJ_MARSHAL_TEXT;
    reference->is_other = value->kind == PJ_MARSHAL_OTHER;
    reference->unfinished = false;
}

static bool take_value(pj_marshal *m, uint8_t type, bool flagged, pj_marshal_value *value);

/// Reads a value another time, where it stands; the contents of a container are read next.
static bool refer(pj_marshal *m, size_t number, pj_marshal_value *value)
{
    if (number >= m->reference_count)
        return pj_marshal_fail(m, "it refers to an object that does not exist");
    const pj_marshal_reference *reference = &m->references[number];
    if (reference->unfinished)
        return pj_marshal_fail(m, "it refers to an object that is not complete");
    value->reference = (uint32_t)number + 1;
    value->from = reference->at;
    if (reference->is_other)
        return true;
    const char *back = m->at;
    m->at = m->start + reference->at;
    m->again++;
    uint8_t type = (uint8_t)*m->at++ & TYPE;
    if (!take_value(m, type, false, value))
        return false;
    if (is_container(value)) {
        value->back = back;
        return true;
    }
    m->at = back;
    m->again--;
    return true;
}

static bool take_reference(pj_marshal *m, bool is_string, pj_marshal_value *value)
{
    int32_t number;
    if (!take_i32(m, &number))
        return false;
    if (number < 0 || (is_string && (size_t)number >= m->string_count))
        return pj_marshal_fail(m, "it refers to an object that does not exist");
    return refer(m, is_string ? m->strings[number] : (size_t)number, value);
}

/// Texts of Python 2 that are interned go to a table of their own.
static bool take_interned(pj_marshal *m, bool flagged, pj_marshal_value *value)
{
    if (!take_text(m, false, value))
        return false;
    if (!flagged && !m->again) {
        value->reference = add_reference(m);
        settle(m, value);
        pj_grow(m->strings, &m->string_cap, m->string_count + 1);
        m->strings[m->string_count++] = value->reference - 1;
    }
    return true;
}

/// A code object: the number of integers in front depends on the version of Python, and so does
/// what stands where after them.
typedef struct open_object {
    uint64_t rest; // values that follow
    bool is_code, is_new;
    unsigned met; // objects of a code object so far
    uint32_t reference, name_from;
    pj_str name; // none yet: its text is NULL
} open_object;

static bool open_code(pj_marshal *m, open_object *object)
{
    static const size_t integers[] = {4, 5, 6};
    for (size_t i = 0; i < sizeof integers / sizeof *integers; i++) {
        size_t bytes = integers[i] * 4;
        if (left(m) > bytes && (m->at[bytes] & TYPE) == 's') {
            m->at += bytes;
            *object = (open_object){.is_code = true, .rest = CODE_OBJECTS + 1};
            return true;
        }
    }
    return pj_marshal_fail(m, "a code object is of an unknown version of Python");
}

/// Whether a type is a container; its number of values is taken.
static bool open_container(pj_marshal *m, uint8_t type, open_object *object, bool *ok)
{
    uint32_t count = 0;
    switch (type) {
    case 'c':
        *ok = open_code(m, object);
        return true;
    case '(':
    case '[':
    case '<':
    case '>':
    case ')':
        *ok = take_length(m, type == ')', &count);
        *object = (open_object){.rest = count};
        return true;
    default:
        return false;
    }
}

/// One more object of a code object is complete.
static bool count_object(pj_marshal *m, open_object *code, const pj_marshal_value *value)
{
    const char *line;
    bool is_text = value && value->kind == PJ_MARSHAL_TEXT;
    if (code->met == KINDS)
        code->is_new = is_text;
    if (code->met == (code->is_new ? NAME_NEW : NAME_OLD) && is_text) {
        code->name = value->text;
        code->name_from = value->from;
    }
    if (++code->met != CODE_OBJECTS)
        return true;
    code->rest += code->is_new;
    return take(m, 4, &line); // the first line, a bare integer
}

static bool count_in(pj_marshal *m, open_object *object, const pj_marshal_value *value)
{
    object->rest--;
    return !object->is_code || count_object(m, object, value);
}

/// A value within a code object; a container is put on the stack.
static bool walk_value(pj_marshal *m, open_object *stack, unsigned *depth)
{
    uint8_t byte;
    uint32_t from = offset(m);
    if (!take_byte(m, &byte))
        return false;
    bool flagged = byte & FLAG && !m->again && (byte & TYPE) != 'r', ok = true;
    uint32_t reference = flagged ? add_reference(m) : 0;
    open_object inner;
    if (open_container(m, byte & TYPE, &inner, &ok)) {
        if (!ok || *depth == DEEPEST)
            return pj_marshal_fail(m, "objects are nested too deeply");
        inner.reference = reference;
        stack[(*depth)++] = inner;
        return true;
    }
    pj_marshal_value value = {.kind = PJ_MARSHAL_OTHER, .reference = reference, .from = from};
    if (!take_value(m, byte & TYPE, byte & FLAG, &value))
        return false;
    if (value.back)
        pj_marshal_leave(m, &value);
    else if (value.kind == PJ_MARSHAL_DICT)
        return pj_marshal_fail(m, "a code object holds a dictionary");
    else if (reference && reference == value.reference)
        settle(m, &value);
    return count_in(m, &stack[*depth - 1], &value);
}

static bool close_object(pj_marshal *m, open_object *stack, unsigned *depth,
                         pj_marshal_value *value)
{
    open_object done = stack[--*depth];
    *value = (pj_marshal_value){.kind = PJ_MARSHAL_OTHER, .reference = done.reference};
    if (done.is_code) {
        value->kind = done.name.at ? PJ_MARSHAL_TEXT : PJ_MARSHAL_OTHER;
        value->text = done.name;
        value->from = done.name_from;
    }
    if (done.reference)
        settle(m, value);
    return *depth == 0 || count_in(m, &stack[*depth - 1], value);
}

/// Walks over a code object, whose type has been taken; its value is its name.
static bool take_code(pj_marshal *m, pj_marshal_value *value)
{
    open_object stack[DEEPEST];
    unsigned depth = 0;
    uint32_t reference = value->reference;
    if (!open_code(m, &stack[depth++]))
        return false;
    while (depth > 0) {
        bool closes = stack[depth - 1].rest == 0;
        if (!(closes ? close_object(m, stack, &depth, value) : walk_value(m, stack, &depth)))
            return false;
    }
    value->reference = reference;
    return true;
}

static bool take_container(pj_marshal *m, uint8_t type, pj_marshal_value *value)
{
    value->kind = type == '{' ? PJ_MARSHAL_DICT : PJ_MARSHAL_TUPLE;
    if (type != '{' && !take_length(m, type == ')', &value->count))
        return false;
    value->text = (pj_str){m->at, 0};
    return true;
}

static bool take_complex(pj_marshal *m, uint8_t type)
{
    pj_marshal_value part = {.kind = PJ_MARSHAL_OTHER};
    const char *at;
    if (type == 'y')
        return take(m, 2 * sizeof part.real, &at);
    bool real = take_real_text(m, &part);
    return real && take_real_text(m, &part);
}

/// What follows a type.
static bool take_value(pj_marshal *m, uint8_t type, bool flagged, pj_marshal_value *value)
{
    switch (type) {
    case '0':
        value->kind = PJ_MARSHAL_END;
        return true;
    case '{':
    case '(':
    case ')':
        return take_container(m, type, value);
    case 'z':
    case 'Z':
        return take_text(m, true, value);
    case 'a':
    case 'A':
    case 'u':
    case 's':
        return take_text(m, false, value);
    case 't':
        return take_interned(m, flagged, value);
    case 'R':
    case 'r':
        return take_reference(m, type == 'R', value);
    case 'i':
    case 'I':
        return take_whole(m, type == 'i' ? 4 : 8, value);
    case 'l':
        return take_long(m, value);
    case 'g':
        return take_real(m, value);
    case 'f':
        return take_real_text(m, value);
    case 'x':
    case 'y':
        return take_complex(m, type);
    case 'N':
    case 'T':
    case 'F':
    case '.':
    case 'S':
        return true;
    default:
        m->at--;
        return pj_marshal_fail(m, "an object is of a type that a profile does not hold");
    }
}

bool pj_marshal_next(pj_marshal *m, pj_marshal_value *value)
{
    uint8_t byte;
    *value = (pj_marshal_value){.kind = PJ_MARSHAL_OTHER, .from = offset(m)};
    if (m->problem || !take_byte(m, &byte))
        return false;
    uint8_t type = byte & TYPE;
    if (type == 'r')
        return take_reference(m, false, value);
    // An object has its number before its contents have theirs.
    if (byte & FLAG && !m->again)
        value->reference = add_reference(m);
    uint32_t own = value->reference;
    if (!(type == 'c' ? take_code(m, value) : take_value(m, type, byte & FLAG, value)))
        return false;
    if (own && own == value->reference) {
        settle(m, value);
        m->references[own - 1].unfinished = is_container(value) & 1;
    }
    return true;
}

bool pj_marshal_shared_whole(pj_marshal *m, pj_marshal_value *value)
{
    uint32_t from = offset(m), number = m->again ? 0 : add_reference(m);
    *value = (pj_marshal_value){.kind = PJ_MARSHAL_WHOLE, .reference = number, .from = from};
    value->whole = (int32_t)little_32(++m->at);
    m->at += sizeof(int32_t);
    if (number)
        settle(m, value);
    return true;
}

void pj_marshal_leave(pj_marshal *m, const pj_marshal_value *container)
{
    if (container->back) {
        m->at = container->back;
        m->again--;
    } else if (container->reference) {
        m->references[container->reference - 1].unfinished = false;
    }
}
