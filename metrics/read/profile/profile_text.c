// Lines, words and numbers of the text that profilers print.
#include "metrics/read/profile/profile_text.h"

#include "metrics/base/num.h"

#include <inttypes.h>
#include <math.h>

bool pj_text_next(pj_text_lines *text, pj_str *line)
{
    if (!text->rest.len)
        return false;
    const char *end = memchr(text->rest.at, '\n', text->rest.len);
    size_t len = end ? (size_t)(end - text->rest.at) : text->rest.len;
    *line = (pj_str){text->rest.at, len};
    text->rest = pj_str_from(text->rest, end ? len + 1 : len);
    if (len && line->at[len - 1] == '\r')
        line->len--;
    text->line++;
    return true;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

pj_str pj_text_word(pj_str *rest)
{
    size_t first = 0, end;
    while (first < rest->len && is_blank(rest->at[first]))
        first++;
    for (end = first; end < rest->len && !is_blank(rest->at[end]);)
        end++;
    pj_str word = {rest->at + first, end - first};
    *rest = pj_str_from(*rest, end);
    return word;
}

pj_str pj_text_last_word(pj_str *rest)
{
    pj_str before = pj_str_trim(*rest);
    size_t first = before.len;
    while (first && !is_blank(before.at[first - 1]))
        first--;
    pj_str word = pj_str_from(before, first);
    *rest = pj_str_trim(pj_str_head(before, first));
    return word;
}

/// Digits from `*at` on, which goes behind them, after those of `number`.
static inline uint64_t take_digits(pj_str text, size_t *at, uint64_t number)
{
    size_t i = *at;
    for (; i < text.len; i++) {
        unsigned digit = (unsigned)(unsigned char)text.at[i] - '0';
        if (digit > 9)
            break;
        number = number * 10 + digit;
    }
    *at = i;
    return number;
}

/// Plain decimals of at most 15 digits, for which one division gives the nearest double.
static bool plain_number(pj_str text, double *out)
{
    static const double powers[] = {1,   1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                    1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
    bool negative = text.len && text.at[0] == '-';
    size_t at = negative, whole, behind = 0;
    uint64_t digits = take_digits(text, &at, 0);
    whole = at - negative;
    if (at < text.len && text.at[at] == '.') {
        size_t first = ++at;
        digits = take_digits(text, &at, digits);
        behind = at - first;
    }
    if (at != text.len || whole + behind == 0 || whole + behind > 15)
        return false;
    double value = (double)digits / powers[behind];
    *out = negative ? -value : value;
    return true;
}

bool pj_text_number(pj_str text, double *out)
{
    if (plain_number(text, out))
        return true;
    bool digit = false;
    for (size_t i = 0; i < text.len; i++) {
        char c = text.at[i];
        digit |= c >= '0' && c <= '9';
        if (!(c >= '0' && c <= '9') && c != '.' && c != '-' && c != '+' && (c | 0x20) != 'e')
            return false;
    }
    return digit && pj_parse_double(text, out) && isfinite(*out);
}

bool pj_text_take(pj_text_lines *text, size_t max, const char *path, pj_str *line, pj_err *err)
{
    if (!pj_text_next(text, line))
        return false;
    if (line->len > max)
        text->failed =
            !pj_fail(err, PJ_E_FORMAT, path, text->line,
                     "has more than %zu bytes in a line: it is no text of a profiler", max);
    return !text->failed;
}
