// Where values of JSON end, by vectors of bytes: for texts of gigabytes of which little is wanted.
// All functions look at up to 64 bytes behind `end`, which must be zeros; NULL = the value goes on
// behind it. Ownership: borrow.
#ifndef PJ_JSON_SPAN_H
#define PJ_JSON_SPAN_H

#include "metrics/base/str.h"

#include <stdbool.h>
#include <stdint.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/// Set where a value cannot be right: a line break in a string, a bracket too many.
typedef bool pj_json_broken;

/// Behind blanks, for which other control characters pass as well.
static inline const char *pj_json_blank(const char *at, const char *end)
{
    if (at < end && (unsigned char)*at > ' ')
        return at;
#if defined(__SSE2__)
    const __m128i least = _mm_set1_epi8(' ' + 1);
    for (; at < end; at += 16) {
        __m128i x = _mm_loadu_si128((const __m128i *)(const void *)at);
        int mask = _mm_movemask_epi8(_mm_cmpeq_epi8(_mm_max_epu8(x, least), x));
        if (mask)
            return at + __builtin_ctz((unsigned)mask); // not behind `end`, where zeros stand
    }
    return end;
#else
    while (at < end && (unsigned char)*at <= ' ')
        at++;
    return at;
#endif
}

/// `at` is behind the opening quote: the closing one.
const char *pj_json_quote(const char *at, const char *end, pj_json_broken *broken);
/// `at` is at an opening bracket: behind its closing one.
const char *pj_json_container(const char *at, const char *end, pj_json_broken *broken);
/// The same with so many brackets open before `at`, which is in no string.
const char *pj_json_rest(const char *at, const char *end, uint64_t depth, pj_json_broken *broken);
/// Behind any value that begins at `at`.
const char *pj_json_value(const char *at, const char *end, pj_json_broken *broken);
/// Microseconds in decimals as whole ns, exactly; the fourth decimal rounds. False when it is no
/// number. More than 2^61 ns become that.
bool pj_json_nanoseconds(pj_str text, int64_t *ns);
/// Without its escapes, into `out`, which holds text.len bytes; broken UTF-8 stays for names to
/// mend.
pj_str pj_json_unescape(pj_str text, char *out);

#endif
