// Sixty-four bytes become three masks; the positions of their bits are written without a branch
// for each.
#include "metrics/read/prv_scan.h"

#include <stdbool.h>
#include <string.h>

/// A bit for each byte of a word.
typedef struct word_masks {
    uint64_t colons, newlines;
    uint64_t others; // neither these nor digits
} word_masks;

/// Where a scan stands.
typedef struct scan_state {
    pj_prv_marks *out;
    size_t ends;        // written
    bool odd;           // the line so far
    uint64_t after_end; // 1 when the byte before this word ended a field
} scan_state;

#define INLINE static inline __attribute__((always_inline))

INLINE unsigned lowest(uint64_t bits)
{
    return (unsigned)__builtin_ctzll(bits);
}

/// Writes the positions of `bits`, in steps of a fixed number: fewer branches, some wasted writes.
INLINE void write_ends(scan_state *scan, uint64_t bits, uint32_t base)
{
    enum { STEP = 12 };
    uint32_t *at = &scan->out->ends[scan->ends];
    scan->ends += (unsigned)__builtin_popcountll(bits);
    do {
        for (unsigned i = 0; i < STEP; i++) {
            at[i] = base + lowest(bits | UINT64_C(1) << 63);
            bits &= bits - 1;
        }
        at += STEP;
    } while (__builtin_expect(bits != 0, 0));
}

/// Notes the lines that end in this word.
INLINE void write_lines(scan_state *scan, uint64_t newlines, uint64_t ends, uint64_t odd)
{
    while (newlines) {
        uint64_t upto = newlines ^ (newlines - 1); // the newline and all below
        size_t index = scan->ends + (unsigned)__builtin_popcountll(ends & upto) - 1;
        bool is_odd = scan->odd || (odd & upto);
        scan->out->lines[scan->out->line_count++] = (uint32_t)(2 * index + is_odd);
        scan->odd = false;
        odd &= ~upto;
        newlines &= newlines - 1;
    }
    scan->odd |= odd != 0;
}

/// Takes the masks of the word at `base`; only the bits of `valid` belong to the text.
INLINE void take_word(scan_state *scan, word_masks masks, uint64_t valid, uint32_t base)
{
    uint64_t newlines = masks.newlines & valid, ends = (masks.colons & valid) | newlines;
    uint64_t empty = ends & (ends << 1 | scan->after_end);
    scan->after_end = ends >> 63;
    write_lines(scan, newlines, ends, (masks.others & valid) | empty);
    write_ends(scan, ends, base);
}

INLINE uint64_t valid_bits(size_t left)
{
    return left >= PJ_PRV_WORD ? UINT64_MAX : (UINT64_C(1) << left) - 1;
}

/// The three masks of the eight bytes of `bytes`, one bit a byte.
INLINE word_masks masks_of_8(const char *bytes)
{
    word_masks masks = {0, 0, 0};
    for (unsigned i = 0; i < 8; i++) {
        unsigned value = (unsigned)(unsigned char)bytes[i];
        masks.colons |= (uint64_t)(value == ':') << i;
        masks.newlines |= (uint64_t)(value == '\n') << i;
        masks.others |= (uint64_t)(value - '0' > 10 && value != '\n') << i;
    }
    return masks;
}

void pj_prv_scan_plain(const char *text, size_t size, pj_prv_marks *out)
{
    scan_state scan = {.out = out, .after_end = 1};
    out->line_count = 0;
    for (size_t at = 0; at < size; at += PJ_PRV_WORD) {
        word_masks word = {0, 0, 0};
        for (unsigned i = 0; i < PJ_PRV_WORD; i += 8) {
            word_masks part = masks_of_8(text + at + i);
            word.colons |= part.colons << i;
            word.newlines |= part.newlines << i;
            word.others |= part.others << i;
        }
        take_word(&scan, word, valid_bits(size - at), (uint32_t)at);
    }
}

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>

#define TARGET __attribute__((target("avx2,bmi,popcnt")))

TARGET INLINE uint64_t bits_of(__m256i low, __m256i high)
{
    return (uint32_t)_mm256_movemask_epi8(low) | (uint64_t)(uint32_t)_mm256_movemask_epi8(high)
                                                     << 32;
}

TARGET INLINE uint64_t equal_bytes(__m256i low, __m256i high, char byte)
{
    __m256i all = _mm256_set1_epi8(byte);
    return bits_of(_mm256_cmpeq_epi8(low, all), _mm256_cmpeq_epi8(high, all));
}

/// ':' follows '9': less '0', digits and colons are the bytes up to 10.
TARGET INLINE word_masks masks_of_64(const char *bytes)
{
    const __m256i zero = _mm256_set1_epi8('0'), ten = _mm256_set1_epi8(10);
    __m256i low = _mm256_loadu_si256((const __m256i *)(const void *)bytes);
    __m256i high = _mm256_loadu_si256((const __m256i *)(const void *)(bytes + 32));
    __m256i low_value = _mm256_sub_epi8(low, zero), high_value = _mm256_sub_epi8(high, zero);
    word_masks masks = {.colons = equal_bytes(low, high, ':'),
                        .newlines = equal_bytes(low, high, '\n')};
    uint64_t numbers = bits_of(_mm256_cmpeq_epi8(_mm256_min_epu8(low_value, ten), low_value),
                               _mm256_cmpeq_epi8(_mm256_min_epu8(high_value, ten), high_value));
    masks.others = ~(numbers | masks.newlines);
    return masks;
}

TARGET static void scan_avx2(const char *text, size_t size, pj_prv_marks *out)
{
    scan_state scan = {.out = out, .after_end = 1};
    out->line_count = 0;
    for (size_t at = 0; at < size; at += PJ_PRV_WORD)
        take_word(&scan, masks_of_64(text + at), valid_bits(size - at), (uint32_t)at);
}

pj_prv_scan *pj_prv_scan_choose(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") ? scan_avx2
                                                                           : pj_prv_scan_plain;
}

#else

pj_prv_scan *pj_prv_scan_choose(void)
{
    return pj_prv_scan_plain;
}

#endif
