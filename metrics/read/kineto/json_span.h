// Where values of JSON end, by vectors of bytes: for texts of gigabytes of which little is wanted.
// All functions look at up to 64 bytes behind `end`, which must be zeros; NULL = the value goes on
// behind it. Ownership: borrow.
#ifndef PJ_JSON_SPAN_H
#define PJ_JSON_SPAN_H

#include "metrics/base/str.h"

#include <stdbool.h>
#include <stdint.h>

/// Set where a value cannot be right: a line break in a string, a bracket too many.
typedef bool pj_json_broken;

static inline const char *pj_json_blank(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t'))
        at++;
    return at;
}

/// `at` is behind the opening quote: the closing one.
const char *pj_json_quote(const char *at, const char *end, pj_json_broken *broken);
/// `at` is at an opening bracket: behind its closing one.
const char *pj_json_container(const char *at, const char *end, pj_json_broken *broken);
/// Behind any value that begins at `at`.
const char *pj_json_value(const char *at, const char *end, pj_json_broken *broken);
/// Microseconds in decimals as whole ns, exactly; the fourth decimal rounds. False when it is no
/// number. More than 2^61 ns become that.
bool pj_json_nanoseconds(pj_str text, int64_t *ns);
/// Without its escapes, into `out`, which holds text.len bytes; broken UTF-8 stays for names to
/// mend.
pj_str pj_json_unescape(pj_str text, char *out);

#endif
