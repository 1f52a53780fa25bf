// String views. Ownership: borrow - a pj_str never owns its bytes.
#ifndef PJ_STR_H
#define PJ_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

typedef struct pj_str {
    const char *at; // not terminated; may be NULL when len is 0
    size_t len;
} pj_str;

#define PJ_S(literal) ((pj_str){"" literal, sizeof(literal) - 1})
#define PJ_STR_FMT "%.*s"
#define PJ_STR_ARG(s) (int)(s).len, ((s).len ? (s).at : "")

/// View of a terminated string; NULL gives the empty view.
static inline pj_str pj_str_of(const char *text)
{
    return (pj_str){text, text ? strlen(text) : 0};
}

static inline bool pj_str_equal(pj_str a, pj_str b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.at, b.at, a.len) == 0);
}

static inline bool pj_str_starts(pj_str s, pj_str prefix)
{
    return s.len >= prefix.len && (prefix.len == 0 || memcmp(s.at, prefix.at, prefix.len) == 0);
}

static inline bool pj_str_ends(pj_str s, pj_str suffix)
{
    return s.len >= suffix.len &&
           (suffix.len == 0 || memcmp(s.at + s.len - suffix.len, suffix.at, suffix.len) == 0);
}

static inline pj_str pj_str_from(pj_str s, size_t first)
{
    return first < s.len ? (pj_str){s.at + first, s.len - first} : (pj_str){s.at, 0};
}

static inline pj_str pj_str_head(pj_str s, size_t len)
{
    return (pj_str){s.at, len < s.len ? len : s.len};
}

/// Index of the first `c`, or `s.len` when there is none.
size_t pj_str_find(pj_str s, char c);
/// Index of the last `c`, or `s.len` when there is none.
size_t pj_str_find_last(pj_str s, char c);
/// Whether `part` occurs in `s`.
bool pj_str_contains(pj_str s, pj_str part);
/// Without white space (blank, tab, CR, LF) on both ends.
pj_str pj_str_trim(pj_str s);
/// The part of `*rest` before the first `sep`; `*rest` becomes what follows it (empty at the end).
pj_str pj_str_cut(pj_str *rest, char sep);
/// Equal, but `asked` may spell -isation and -ised of `key` with z: serialization.
bool pj_str_same_word(pj_str key, pj_str asked);
/// Order by bytes, as memcmp with length.
int pj_str_order(pj_str a, pj_str b);
/// Order in which runs of digits compare as numbers: "run_2" before "run_10".
int pj_str_order_natural(pj_str a, pj_str b);
/// Edit distance (insert, delete, replace, swap), for "did you mean".
size_t pj_str_distance(pj_str a, pj_str b);

#endif
