// The fast reading of blocks of records.
// A line is read fast when all its fields are plain numbers of a size that cannot overflow. Each
// function here gives up (returns false) as soon as one is not; the line is then read carefully.
#include "metrics/read/paraver/prv_block.h"

#include "metrics/base/arena.h"
#include "metrics/read/paraver/prv_scan.h"
#include "metrics/trace/event.h"
#include "metrics/trace/import_stats.h"

#include <endian.h>
#include <stdlib.h>

#define INLINE static inline __attribute__((always_inline))

enum {
    NAME_BYTES = 16,  // of "cpu:app:task:thread" that are compared at once
    PLACES = 1 << 11, // threads seen before
    TYPE_BYTES = 8,   // all types of prv_types.def have eight digits
    TYPE_SLOTS =
        1 << 9,  // a power of 2, so large that a multiplier without collisions is found soon
    DIGITS = 16, // of a number that is read at once
};

/// A thread by the text that names it, the unused bytes 0; all 0 = none.
typedef struct thread_place {
    uint64_t name[2];
    uint32_t location;
} thread_place;

struct pj_prv_block {
    const pj_prv_trace *trace;
    pj_prv_scan *scan;
    uint64_t unit_ns;
    unsigned time_digits;                   // longer times may overflow
    uint64_t name_bytes[NAME_BYTES + 1][2]; // the bytes of a name of this length
    uint64_t multiplier;
    uint64_t type_texts[TYPE_SLOTS]; // the eight digits; 0 = empty
    const pj_prv_type *types[TYPE_SLOTS];
    thread_place places[PLACES];
    pj_prv_marks marks;
};

/// One line while it is read: `ends` are those of its fields, as positions in `text`.
typedef struct line_marks {
    const char *text;
    const uint32_t *ends;
    unsigned fields;
} line_marks;

INLINE uint64_t load_8(const char *at)
{
    uint64_t bytes;
    memcpy(&bytes, at, sizeof bytes);
    return le64toh(bytes);
}

INLINE unsigned type_place(uint64_t text, uint64_t multiplier)
{
    return (unsigned)(text * multiplier >> 55);
}

static bool place_types(pj_prv_block *block)
{
    memset(block->type_texts, 0, sizeof block->type_texts);
    for (size_t i = 0; i < pj_prv_type_count; i++) {
        char digits[TYPE_BYTES];
        uint64_t rest = pj_prv_types[i].type;
        for (unsigned d = TYPE_BYTES; d-- > 0; rest /= 10)
            digits[d] = (char)('0' + rest % 10);
        uint64_t text = load_8(digits);
        unsigned place = type_place(text, block->multiplier);
        if (block->type_texts[place])
            return false;
        block->type_texts[place] = text;
        block->types[place] = &pj_prv_types[i];
    }
    return true;
}

/// The first `count` of eight bytes.
static uint64_t first_bytes(unsigned count)
{
    return count ? UINT64_MAX >> (64 - 8 * count) : 0;
}

pj_prv_block *pj_prv_block_new(const pj_prv_trace *trace)
{
    pj_prv_block *block = pj_take_memory(sizeof *block);
    block->trace = trace;
    block->scan = pj_prv_scan_choose();
    block->unit_ns = trace->header.unit_ns;
    block->time_digits = block->unit_ns == 1 ? DIGITS : DIGITS - 4;
    for (unsigned length = 0; length <= NAME_BYTES; length++) {
        block->name_bytes[length][0] = first_bytes(length < 8 ? length : 8);
        block->name_bytes[length][1] = first_bytes(length < 8 ? 0 : length - 8);
    }
    memset(block->places, 0, sizeof block->places);
    block->multiplier = UINT64_C(0x9e3779b97f4a7c15);
    while (!place_types(block))
        block->multiplier = block->multiplier * UINT64_C(6364136223846793005) + 2;
    return block;
}

void pj_prv_block_free(pj_prv_block *block)
{
    free(block);
}

#if defined(__SSE2__)
#include <emmintrin.h>

/// The number whose 1 to 16 digits end before `end`: pairs of digits, then of pairs, and so on.
INLINE uint64_t number_before(const char *end, unsigned digits)
{
    static const char keep[2 * DIGITS] = {
        [DIGITS] = 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15};
    __m128i text = _mm_loadu_si128((const __m128i *)(const void *)(end - DIGITS));
    __m128i mask = _mm_loadu_si128((const __m128i *)(const void *)(keep + digits));
    __m128i each = _mm_and_si128(text, mask);
    // (10 x first + second) x 256 + first: the second is the high byte
    __m128i tens = _mm_mullo_epi16(each, _mm_set1_epi16(10 * 256 + 1));
    __m128i by_2 = _mm_srli_epi16(tens, 8);
    __m128i by_4 = _mm_madd_epi16(by_2, _mm_set1_epi32(1 << 16 | 100));
    __m128i packed = _mm_packs_epi32(by_4, by_4);
    __m128i by_8 = _mm_madd_epi16(packed, _mm_set1_epi32(1 << 16 | 10000));
    uint64_t halves = (uint64_t)_mm_cvtsi128_si64(by_8);
    return (halves & UINT32_MAX) * 100000000 + (halves >> 32);
}

#else

INLINE uint64_t number_before(const char *end, unsigned digits)
{
    uint64_t value = 0;
    for (const char *at = end - digits; at < end; at++)
        value = value * 10 + (unsigned)(*at - '0');
    return value;
}

#endif

/// Field `i` as a number of at most `most` digits.
INLINE bool field(line_marks line, unsigned i, unsigned most, uint64_t *value)
{
    unsigned digits = line.ends[i] - line.ends[i - 1] - 1;
    if (__builtin_expect(digits > most, 0))
        return false;
    *value = number_before(line.text + line.ends[i], digits);
    return true;
}

INLINE bool time_field(const pj_prv_block *block, line_marks line, unsigned i, uint64_t *time)
{
    uint64_t units;
    if (!field(line, i, block->time_digits, &units))
        return false;
    *time = units * block->unit_ns;
    return true;
}

/// Finds the thread that fields first .. first + 3 name when it was not seen before.
static bool locate(const pj_prv_block *block, line_marks line, unsigned first, uint32_t *location)
{
    enum { OBJECT_DIGITS = 9 };
    uint64_t object[4];
    for (unsigned i = 0; i < 4; i++)
        if (!field(line, first + i, OBJECT_DIGITS, &object[i]))
            return false;
    pj_import_key oddity;
    return pj_prv_locate(block->trace, object, location, &oddity);
}

INLINE bool object_fields(pj_prv_block *block, line_marks line, unsigned first, uint32_t *location)
{
    const char *name = line.text + line.ends[first - 1] + 1;
    unsigned length = line.ends[first + 3] - line.ends[first - 1] - 1;
    if (__builtin_expect(length > NAME_BYTES, 0))
        return locate(block, line, first, location);
    uint64_t low = load_8(name) & block->name_bytes[length][0];
    uint64_t high = load_8(name + 8) & block->name_bytes[length][1];
    uint64_t mixed = (low ^ high * UINT64_C(0x9e3779b97f4a7c15)) * UINT64_C(0xff51afd7ed558ccd);
    thread_place *place = &block->places[mixed >> 53];
    if (__builtin_expect(place->name[0] != low || place->name[1] != high, 0)) {
        uint32_t found;
        if (!locate(block, line, first, &found))
            return false;
        *place = (thread_place){{low, high}, found};
    }
    *location = place->location;
    return true;
}

INLINE bool read_state(pj_prv_block *block, line_marks line, pj_prv_out *out)
{
    enum { FIELDS = 8, STATE_DIGITS = 4 };
    pj_event event = {.kind = PJ_EV_STATE};
    uint64_t state;
    if (line.fields != FIELDS || !object_fields(block, line, 1, &event.location) ||
        !time_field(block, line, 5, &event.time) || !time_field(block, line, 6, &event.a) ||
        !field(line, 7, STATE_DIGITS, &state) || event.a < event.time)
        return false;
    event.code = (uint16_t)state;
    pj_prv_state(out, event);
    return true;
}

INLINE bool read_event(pj_prv_block *block, line_marks line, pj_prv_out *out)
{
    enum { BEFORE_PAIRS = 6 };
    pj_prv_pairs pairs = {.first = out->event, .collective = block->trace->idealised};
    pj_event *first = out->event;
    if (line.fields <= BEFORE_PAIRS || line.fields % 2 ||
        !object_fields(block, line, 1, &pairs.base.location) ||
        !time_field(block, line, 5, &pairs.base.time))
        return false;
    const uint64_t multiplier = block->multiplier;
    const bool careful = block->trace->parameter_count;
    const uint32_t *const last = line.ends + line.fields;
    for (const uint32_t *end = line.ends + BEFORE_PAIRS; end < last; end += 2) {
        uint64_t text = load_8(line.text + end[0] - TYPE_BYTES), value;
        unsigned place = type_place(text, multiplier);
        if (block->type_texts[place] != text || end[0] - end[-1] != TYPE_BYTES + 1) {
            if (__builtin_expect(!careful, 1))
                continue;
            out->event = first;
            return false;
        }
        if (!field((line_marks){line.text, end, 2}, 1, DIGITS, &value)) {
            out->event = first;
            return false;
        }
        pj_prv_pair(block->trace, out, &pairs, block->types[place], value);
    }
    pj_prv_end_pairs(out, &pairs);
    return true;
}

INLINE bool read_message(pj_prv_block *block, line_marks line, const pj_message *messages,
                         pj_prv_out *out)
{
    enum { FIELDS = 15 };
    pj_message message;
    uint64_t tag;
    if (line.fields != FIELDS || !object_fields(block, line, 1, &message.from) ||
        !time_field(block, line, 5, &message.logical_send) ||
        !time_field(block, line, 6, &message.physical_send) ||
        !object_fields(block, line, 7, &message.to) ||
        !time_field(block, line, 11, &message.logical_recv) ||
        !time_field(block, line, 12, &message.physical_recv) ||
        !field(line, 13, DIGITS, &message.size) || !field(line, 14, DIGITS, &tag))
        return false;
    message.tag = (int64_t)tag;
    pj_prv_message(out, messages, message);
    return true;
}

INLINE bool read_line(pj_prv_block *block, line_marks line, char kind, const pj_message *messages,
                      pj_prv_out *out)
{
    if (kind == '1')
        return read_state(block, line, out);
    if (kind == '2')
        return read_event(block, line, out);
    return kind == '3' && read_message(block, line, messages, out);
}

/// Reads the lines that `block->marks` has of `text`; returns the bytes they take.
static size_t read_marked(pj_prv_block *block, const char *text, pj_prv_batch *batch)
{
    const pj_prv_marks *marks = &block->marks;
    const uint64_t lines = batch->lines;
    pj_prv_out out = batch->out;
    size_t begin = 0, mark = 0;
    for (size_t i = 0; i < marks->line_count; i++) {
        size_t last = marks->lines[i] / 2, end = marks->ends[last];
        line_marks line = {text, &marks->ends[mark], (unsigned)(last - mark + 1)};
        bool plain = !(marks->lines[i] & 1) && line.ends[0] == begin + 1;
        if (__builtin_expect(text[end] != '\n', 0))
            plain &= text[end++] == '\r';
        if (!plain || !read_line(block, line, text[begin], batch->messages, &out)) {
            batch->out = out;
            batch->lines = lines + i + 1;
            pj_prv_line(block->trace, (pj_str){text + begin, end - begin}, batch);
            out = batch->out;
        }
        begin = end + 1;
        mark = last + 1;
    }
    batch->out = out;
    batch->lines = lines + marks->line_count;
    return begin;
}

void pj_prv_block_read(pj_prv_block *block, pj_str text, pj_prv_batch *batch)
{
    while (text.len) {
        block->scan(text.at, text.len < PJ_PRV_CHUNK ? text.len : PJ_PRV_CHUNK, &block->marks);
        if (block->marks.line_count) {
            text = pj_str_from(text, read_marked(block, text.at, batch));
        } else {
            batch->lines++;
            pj_prv_line(block->trace, pj_str_cut(&text, '\n'), batch);
        }
    }
}
