// Finding colons and ends of lines, 64 bytes at a time.
// Sixty-four bytes become three masks; the positions of their bits are written without a branch
// for each.
#include "metrics/read/paraver/prv_scan.h"

#include <endian.h>
#include <stdbool.h>
#include <string.h>

/// A bit for each byte of a word.
typedef struct word_masks {
    uint64_t colons, newlines;
    uint64_t others; // neither these nor digits
} word_masks;

/// Where a scan stands. It is handed on by value: its counts stay in registers.
typedef struct scan_state {
    pj_prv_marks *out;
    size_t ends, lines; // written
    uint64_t odd;       // not 0: the line so far is odd
    uint64_t after_end; // 1: the byte before this word ended a field
} scan_state;

#define INLINE static inline __attribute__((always_inline))

/// Position of the lowest bit; anything when there is none.
typedef unsigned lowest_bit(uint64_t bits);

INLINE unsigned lowest_plain(uint64_t bits)
{
    return (unsigned)__builtin_ctzll(bits | UINT64_C(1) << 63);
}

/// The positions of the four lowest bits; the rest of `bits`. Where there are fewer, what is
/// written means nothing.
INLINE uint64_t write_4(lowest_bit *lowest, uint32_t *at, uint64_t bits, uint32_t base)
{
    at[0] = base + lowest(bits);
    bits &= bits - 1;
    at[1] = base + lowest(bits);
    bits &= bits - 1;
    at[2] = base + lowest(bits);
    bits &= bits - 1;
    at[3] = base + lowest(bits);
    return bits & (bits - 1);
}

/// Writes the positions of `bits`, in steps of a fixed number: fewer branches, some wasted writes.
INLINE void write_ends(lowest_bit *lowest, uint32_t *at, uint64_t bits, uint32_t base)
{
    do {
        bits = write_4(lowest, at, bits, base);
        bits = write_4(lowest, at + 4, bits, base);
        bits = write_4(lowest, at + 8, bits, base);
        bits = write_4(lowest, at + 12, bits, base);
        at += 16;
    } while (__builtin_expect(bits != 0, 0));
}

/// Index in `ends` of the lowest newline, when `before` were written before this word.
INLINE uint32_t end_index(size_t before, uint64_t newlines, uint64_t ends)
{
    uint64_t upto = newlines ^ (newlines - 1); // the newline and all below
    return (uint32_t)(before + (unsigned)__builtin_popcountll(ends & upto) - 1);
}

/// Notes the lines that end in this word when some of them may be odd.
static scan_state write_odd_lines(scan_state scan, uint64_t newlines, uint64_t ends, uint64_t odd)
{
    for (; newlines; newlines &= newlines - 1) {
        uint64_t upto = newlines ^ (newlines - 1);
        bool is_odd = scan.odd || (odd & upto);
        scan.out->lines[scan.lines++] = 2 * end_index(scan.ends, newlines, ends) + is_odd;
        scan.odd = 0;
        odd &= ~upto;
    }
    scan.odd |= odd;
    return scan;
}

/// Notes the lines that end in this word. There are none, one or two as a rule, and which is hard
/// to foresee: both are written without asking.
INLINE scan_state write_lines(scan_state scan, uint64_t newlines, uint64_t ends, uint64_t odd)
{
    uint64_t second = newlines & (newlines - 1), third = second & (second - 1);
    if (__builtin_expect((scan.odd | odd | third) != 0, 0))
        return write_odd_lines(scan, newlines, ends, odd);
    uint32_t *lines = &scan.out->lines[scan.lines];
    lines[0] = 2 * end_index(scan.ends, newlines, ends);
    lines[1] = 2 * end_index(scan.ends, second, ends);
    scan.lines += (unsigned)__builtin_popcountll(newlines);
    return scan;
}

/// An odd byte before a newline, which should be the '\r' of "\r\n", ends the last field and the
/// line. At the border of two words it stays odd.
INLINE word_masks end_before_newline(word_masks masks)
{
    uint64_t ends = masks.others & masks.newlines >> 1;
    masks.others ^= ends;
    masks.newlines ^= ends | ends << 1;
    return masks;
}

typedef word_masks read_masks(const char *bytes);

/// The scan, made of the two parts that depend on the processor. One word, of which the bytes of
/// `valid` count.
INLINE scan_state scan_word(read_masks *read, lowest_bit *lowest, const char *text, size_t at,
                            uint64_t valid, scan_state scan)
{
    word_masks masks = read(text + at);
    masks.newlines &= valid;
    masks.others &= valid;
    if (__builtin_expect(masks.others != 0, 0))
        masks = end_before_newline(masks);
    uint64_t ends = (masks.colons & valid) | masks.newlines;
    uint64_t empty = ends & (ends << 1 | scan.after_end);
    scan = write_lines(scan, masks.newlines, ends, masks.others | empty);
    write_ends(lowest, &scan.out->ends[scan.ends], ends, (uint32_t)at);
    scan.ends += (unsigned)__builtin_popcountll(ends);
    scan.after_end = ends >> 63;
    return scan;
}

INLINE void scan_with(read_masks *read, lowest_bit *lowest, const char *text, size_t size,
                      pj_prv_marks *out)
{
    scan_state scan = {.out = out, .after_end = 1};
    size_t at = 0;
    for (; at + PJ_PRV_WORD <= size; at += PJ_PRV_WORD)
        scan = scan_word(read, lowest, text, at, UINT64_MAX, scan);
    if (at < size)
        scan = scan_word(read, lowest, text, at, (UINT64_C(1) << (size - at)) - 1, scan);
    out->line_count = scan.lines;
}

#define EACH_BYTE UINT64_C(0x0101010101010101)

/// A bit for each byte of `bytes` that is 0: its high bit, gathered by a multiplication.
INLINE uint64_t zero_bytes(uint64_t bytes)
{
    const uint64_t low_bits = 0x7f * EACH_BYTE;
    uint64_t high = ~(((bytes & low_bits) + low_bits) | bytes | low_bits);
    return (high >> 7) * UINT64_C(0x0102040810204080) >> 56;
}

/// A bit for each byte of `bytes` that is a digit or ':'.
INLINE uint64_t number_bytes(uint64_t bytes)
{
    const uint64_t high_bits = 0x80 * EACH_BYTE;
    uint64_t low = bytes & ~high_bits;
    uint64_t from_zero = low + (0x80 - '0') * EACH_BYTE,
             after_colon = low + (0x7f - ':') * EACH_BYTE;
    uint64_t high = from_zero & ~after_colon & ~bytes & high_bits;
    return (high >> 7) * UINT64_C(0x0102040810204080) >> 56;
}

INLINE word_masks masks_plain(const char *bytes)
{
    word_masks masks = {0, 0, 0};
    for (unsigned i = 0; i < PJ_PRV_WORD; i += 8) {
        uint64_t eight;
        memcpy(&eight, bytes + i, sizeof eight);
        eight = le64toh(eight);
        masks.colons |= zero_bytes(eight ^ ':' * EACH_BYTE) << i;
        masks.newlines |= zero_bytes(eight ^ '\n' * EACH_BYTE) << i;
        masks.others |= (number_bytes(eight) ^ 0xff) << i;
    }
    masks.others &= ~masks.newlines;
    return masks;
}

void pj_prv_scan_plain(const char *text, size_t size, pj_prv_marks *out)
{
    scan_with(masks_plain, lowest_plain, text, size, out);
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
TARGET INLINE word_masks masks_avx2(const char *bytes)
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

TARGET INLINE unsigned lowest_avx2(uint64_t bits)
{
    uint64_t place; // compilers clear the register first, for processors of long ago
    __asm__("tzcnt %1, %0" : "=r"(place) : "r"(bits));
    return (unsigned)place;
}

TARGET static void scan_avx2(const char *text, size_t size, pj_prv_marks *out)
{
    scan_with(masks_avx2, lowest_avx2, text, size, out);
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
