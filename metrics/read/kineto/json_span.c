// Strings are told from structure by the quotes before them: of 64 bytes at a time, as in Langdale
// and Lemire, "Parsing Gigabytes of JSON per Second" (VLDB Journal 28, 2019), section 3.1.
#include "metrics/read/kineto/json_span.h"

#include "metrics/base/num.h"

#include <stddef.h>

enum { STEP = 64 };

/// Bits of 64 bytes.
typedef struct marks {
    uint64_t quotes, slashes, lines, opens, closes;
} marks;

#if defined(__SSE2__)
static inline uint64_t bits(__m128i found, int shift)
{
    return (uint64_t)(uint16_t)_mm_movemask_epi8(found) << shift;
}

static inline marks look(const char *at)
{
    marks m = {0};
    for (int i = 0; i < STEP; i += 16) {
        __m128i x = _mm_loadu_si128((const __m128i *)(const void *)(at + i));
        __m128i brackets = _mm_or_si128(x, _mm_set1_epi8(0x20)); // [ is {, ] is }
        m.quotes |= bits(_mm_cmpeq_epi8(x, _mm_set1_epi8('"')), i);
        m.slashes |= bits(_mm_cmpeq_epi8(x, _mm_set1_epi8('\\')), i);
        m.lines |= bits(_mm_cmpeq_epi8(x, _mm_set1_epi8('\n')), i);
        m.opens |= bits(_mm_cmpeq_epi8(brackets, _mm_set1_epi8('{')), i);
        m.closes |= bits(_mm_cmpeq_epi8(brackets, _mm_set1_epi8('}')), i);
    }
    return m;
}
#else
static inline marks look(const char *at)
{
    marks m = {0};
    for (int i = 0; i < STEP; i++) {
        uint64_t bit = (uint64_t)1 << i;
        char c = at[i];
        m.quotes |= c == '"' ? bit : 0;
        m.slashes |= c == '\\' ? bit : 0;
        m.lines |= c == '\n' ? bit : 0;
        m.opens |= c == '{' || c == '[' ? bit : 0;
        m.closes |= c == '}' || c == ']' ? bit : 0;
    }
    return m;
}
#endif

/// The bytes that a backslash takes the meaning of; `*carry`: the first byte of the next 64.
static uint64_t escaped(uint64_t slashes, uint64_t *carry)
{
    uint64_t found = *carry;
    slashes &= ~*carry;
    *carry = 0;
    while (slashes) {
        int i = __builtin_ctzll(slashes);
        if (i == STEP - 1) {
            *carry = 1;
            break;
        }
        found |= (uint64_t)2 << i;
        slashes &= ~((uint64_t)3 << i);
    }
    return found;
}

/// Ones from each quote to the one before the next.
static uint64_t inside(uint64_t quotes)
{
    for (int shift = 1; shift < STEP; shift *= 2)
        quotes ^= quotes << shift;
    return quotes;
}

const char *pj_json_quote(const char *at, const char *end, pj_json_broken *broken)
{
#if defined(__SSE2__)
    for (; at < end; at += 16) {
        __m128i x = _mm_loadu_si128((const __m128i *)(const void *)at);
        __m128i found = _mm_or_si128(_mm_cmpeq_epi8(x, _mm_set1_epi8('"')),
                                     _mm_cmpeq_epi8(x, _mm_set1_epi8('\\')));
        found = _mm_or_si128(found, _mm_cmpeq_epi8(x, _mm_set1_epi8('\n')));
        int mask = _mm_movemask_epi8(found);
        if (!mask)
            continue;
        at += __builtin_ctz((unsigned)mask);
        break;
    }
#endif
    for (; at < end; at++) {
        if (*at == '"')
            return at;
        *broken = *broken || *at == '\n';
        if (*at == '\n')
            return NULL;
        at += *at == '\\';
    }
    return NULL;
}

/// Few of 64 are set.
static uint64_t count(uint64_t set)
{
    uint64_t found = 0;
    for (; set; set &= set - 1)
        found++;
    return found;
}

/// The bracket among `closes` that ends the container, with so many open before.
static const char *last_bracket(const char *at, uint64_t opens, uint64_t closes, uint64_t depth)
{
    while (closes) {
        uint64_t below = (closes & -closes) - 1;
        depth += count(opens & below);
        opens &= ~below;
        if (--depth == 0)
            return at + __builtin_ctzll(closes) + 1;
        closes &= closes - 1;
    }
    return NULL;
}

const char *pj_json_rest(const char *at, const char *end, uint64_t depth, pj_json_broken *broken)
{
    uint64_t carry = 0, in_string = 0;
    for (; at < end; at += STEP) {
        marks m = look(at);
        uint64_t quotes = m.quotes;
        if (m.slashes | carry)
            quotes &= ~escaped(m.slashes, &carry);
        uint64_t strings = inside(quotes) ^ in_string;
        uint64_t opens = m.opens & ~strings, closes = m.closes & ~strings;
        in_string = (uint64_t)((int64_t)strings >> (STEP - 1));
        uint64_t ends = count(closes);
        if (ends >= depth) {
            const char *last = last_bracket(at, opens, closes, depth);
            uint64_t before = last ? ((uint64_t)1 << (last - at - 1)) - 1 : ~(uint64_t)0;
            *broken = *broken || (m.lines & strings & before);
            if (*broken || last)
                return *broken ? NULL : last;
        } else if (m.lines & strings) {
            *broken = true;
            return NULL;
        }
        depth += count(opens) - ends;
    }
    return NULL;
}

const char *pj_json_container(const char *at, const char *end, pj_json_broken *broken)
{
    return pj_json_rest(at, end, 0, broken);
}

/// What a number or a word ends with, and what cannot stand in it; zeros stand behind the text.
enum { ENDS = 1, BREAKS };
static const uint8_t stops[256] = {
    [0] = ENDS,    [','] = ENDS,  ['}'] = ENDS,  [']'] = ENDS,   [' '] = ENDS,
    ['\n'] = ENDS, ['\r'] = ENDS, ['\t'] = ENDS, ['"'] = BREAKS, [':'] = BREAKS};

const char *pj_json_value(const char *at, const char *end, pj_json_broken *broken)
{
    if (at >= end)
        return NULL;
    if (*at == '"') {
        const char *quote = pj_json_quote(at + 1, end, broken);
        return quote ? quote + 1 : NULL;
    }
    if (*at == '{' || *at == '[')
        return pj_json_container(at, end, broken);
    const char *from = at;
    while (!stops[(unsigned char)*at])
        at++;
    if (at >= end)
        return NULL;
    *broken = *broken || at == from || stops[(unsigned char)*at] != ENDS;
    return *broken ? NULL : at;
}

/// The number from the text as it stands, unless it has an exponent.
static bool plain(pj_str text, bool *negative, uint64_t *whole, unsigned *part)
{
    size_t i = 0, digits = 0;
    *negative = text.len && text.at[0] == '-';
    *whole = *part = 0;
    for (i = *negative; i < text.len && text.at[i] >= '0' && text.at[i] <= '9'; i++, digits++)
        *whole = *whole < UINT64_MAX / 100 ? *whole * 10 + (uint64_t)(text.at[i] - '0') : *whole;
    if (i == text.len)
        return digits > 0;
    if (text.at[i++] != '.')
        return false;
    for (size_t k = 0; k < 4; k++) {
        bool digit = i + k < text.len && text.at[i + k] >= '0' && text.at[i + k] <= '9';
        if (i + k < text.len && !digit)
            return false;
        *part = *part * 10 + (digit ? (unsigned)(text.at[i + k] - '0') : 0);
        digits += digit;
    }
    for (size_t k = i + 4; k < text.len; k++)
        if (text.at[k] < '0' || text.at[k] > '9')
            return false;
    *part = *part / 10 + (*part % 10 >= 5);
    return digits > 0;
}

bool pj_json_nanoseconds(pj_str text, int64_t *ns)
{
    const uint64_t most = (uint64_t)1 << 61; // sums and differences of times fit 64 bits
    bool negative;
    uint64_t whole;
    unsigned part;
    double value;
    if (!plain(text, &negative, &whole, &part)) {
        if (!pj_parse_decimal(text, &value))
            return false;
        negative = value < 0;
        value = negative ? -value : value;
        whole = value < (double)most / 1000 ? (uint64_t)value : most;
        part = value < (double)most / 1000 ? (unsigned)((value - (double)whole) * 1000 + 0.5) : 0;
    }
    uint64_t all = whole < most / 1000 ? whole * 1000 + part : most;
    *ns = negative ? -(int64_t)all : (int64_t)all;
    return true;
}

pj_str pj_json_unescape(pj_str text, char *out)
{
    static const char codes[] = "nrtbf", meant[] = "\n\r\t\b\f";
    size_t len = 0;
    for (size_t i = 0; i < text.len; i++) {
        char c = text.at[i];
        if (c == '\\' && i + 1 < text.len) {
            const char *code = strchr(codes, text.at[++i]);
            c = code && *code ? meant[code - codes] : text.at[i];
        }
        out[len++] = c;
    }
    return (pj_str){out, len};
}
