// String views: searching, cutting, ordering.
#include "metrics/base/str.h"

#include <stdint.h>

size_t pj_str_find(pj_str s, char c)
{
    const char *hit = s.len ? memchr(s.at, c, s.len) : NULL;
    return hit ? (size_t)(hit - s.at) : s.len;
}

size_t pj_str_find_last(pj_str s, char c)
{
    for (size_t i = s.len; i > 0; i--)
        if (s.at[i - 1] == c)
            return i - 1;
    return s.len;
}

bool pj_str_contains(pj_str s, pj_str part)
{
    for (size_t i = 0; i + part.len <= s.len; i++)
        if (pj_str_starts(pj_str_from(s, i), part))
            return true;
    return part.len == 0;
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

pj_str pj_str_trim(pj_str s)
{
    while (s.len && is_space(s.at[0]))
        s = pj_str_from(s, 1);
    while (s.len && is_space(s.at[s.len - 1]))
        s.len--;
    return s;
}

pj_str pj_str_cut(pj_str *rest, char sep)
{
    size_t at = pj_str_find(*rest, sep);
    pj_str part = pj_str_head(*rest, at);
    *rest = pj_str_from(*rest, at + 1);
    return part;
}

/// Whether the s at `at` is one that others write as z: serialisation, synchronised.
static bool is_either_spelling(pj_str key, size_t at)
{
    pj_str ending = pj_str_from(key, at);
    return at > 0 && key.at[at - 1] == 'i' &&
           (pj_str_starts(ending, PJ_S("sation")) || pj_str_starts(ending, PJ_S("sed")));
}

bool pj_str_same_word(pj_str key, pj_str asked)
{
    if (key.len != asked.len)
        return false;
    for (size_t i = 0; i < key.len; i++)
        if (key.at[i] != asked.at[i] && !(asked.at[i] == 'z' && is_either_spelling(key, i)))
            return false;
    return true;
}

int pj_str_order(pj_str a, pj_str b)
{
    size_t shared = a.len < b.len ? a.len : b.len;
    int order = shared ? memcmp(a.at, b.at, shared) : 0;
    return order ? order : (a.len > b.len) - (a.len < b.len);
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/// Takes the leading digits of `*s` without leading zeros.
static pj_str take_digits(pj_str *s)
{
    size_t n = 0;
    while (n < s->len && is_digit(s->at[n]))
        n++;
    pj_str digits = pj_str_head(*s, n);
    *s = pj_str_from(*s, n);
    while (digits.len > 1 && digits.at[0] == '0')
        digits = pj_str_from(digits, 1);
    return digits;
}

int pj_str_order_natural(pj_str a, pj_str b)
{
    pj_str x = a, y = b;
    while (x.len && y.len) {
        if (is_digit(x.at[0]) && is_digit(y.at[0])) {
            pj_str dx = take_digits(&x), dy = take_digits(&y);
            if (dx.len != dy.len)
                return dx.len < dy.len ? -1 : 1;
            int order = pj_str_order(dx, dy);
            if (order)
                return order;
        } else {
            if (x.at[0] != y.at[0])
                return (unsigned char)x.at[0] < (unsigned char)y.at[0] ? -1 : 1;
            x = pj_str_from(x, 1);
            y = pj_str_from(y, 1);
        }
    }
    int order = (x.len > 0) - (y.len > 0);
    return order ? order : pj_str_order(a, b); // "01" and "1" still have one order
}

static size_t min3(size_t a, size_t b, size_t c)
{
    size_t m = a < b ? a : b;
    return m < c ? m : c;
}

enum { DISTANCE_MAX = 63 };

size_t pj_str_distance(pj_str a, pj_str b)
{
    if (a.len > DISTANCE_MAX || b.len > DISTANCE_MAX)
        return SIZE_MAX;
    size_t before[DISTANCE_MAX + 1], row[DISTANCE_MAX + 1], next[DISTANCE_MAX + 1];
    for (size_t j = 0; j <= b.len; j++)
        before[j] = row[j] = j;
    for (size_t i = 1; i <= a.len; i++) {
        next[0] = i;
        for (size_t j = 1; j <= b.len; j++) {
            size_t replace = row[j - 1] + (a.at[i - 1] != b.at[j - 1]);
            next[j] = min3(row[j] + 1, next[j - 1] + 1, replace);
            bool swapped =
                i > 1 && j > 1 && a.at[i - 1] == b.at[j - 2] && a.at[i - 2] == b.at[j - 1];
            if (swapped && before[j - 2] + 1 < next[j])
                next[j] = before[j - 2] + 1;
        }
        memcpy(before, row, sizeof row);
        memcpy(row, next, sizeof row);
    }
    return row[b.len];
}
