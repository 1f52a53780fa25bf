// Strict UTF-8 after RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF.
#include "kernel/utf8.h"

#define REPLACEMENT PJ_S("\xEF\xBF\xBD")

static bool is_tail(unsigned char c)
{
    return (c & 0xC0) == 0x80;
}

/// Length that the first byte promises, 0 for a byte that starts nothing.
static size_t promised(unsigned char first)
{
    if (first < 0x80)
        return 1;
    if (first < 0xC2 || first > 0xF4)
        return 0;
    return first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
}

/// Whether the second byte keeps the code point in the shortest form and inside Unicode.
static bool second_fits(unsigned char first, unsigned char second)
{
    switch (first) {
    case 0xE0:
        return second >= 0xA0;
    case 0xED:
        return second < 0xA0;
    case 0xF0:
        return second >= 0x90;
    case 0xF4:
        return second < 0x90;
    }
    return true;
}

/// How many bytes of `text` (at most `len`) begin one code point correctly.
static size_t well_formed(pj_str text, size_t len)
{
    const unsigned char *at = (const unsigned char *)text.at;
    for (size_t i = 1; i < len; i++)
        if (i == text.len || !is_tail(at[i]) || (i == 1 && !second_fits(at[0], at[1])))
            return i;
    return len;
}

size_t pj_utf8_point(pj_str text)
{
    if (!text.len)
        return 0;
    size_t len = promised((unsigned char)text.at[0]);
    return well_formed(text, len) == len ? len : 0;
}

size_t pj_utf8_whole(pj_str text)
{
    for (size_t back = 1; back <= 3 && back <= text.len; back++) {
        pj_str tail = pj_str_from(text, text.len - back);
        size_t len = promised((unsigned char)tail.at[0]);
        if (len > back && well_formed(tail, len) == back)
            return text.len - back;
    }
    return text.len;
}

/// Length of the plain ASCII at the start, eight bytes at a time.
static size_t ascii_run(pj_str text)
{
    size_t n = 0;
    for (uint64_t word; n + 8 <= text.len; n += 8) {
        memcpy(&word, text.at + n, 8);
        if (word & 0x8080808080808080u)
            break;
    }
    while (n < text.len && (unsigned char)text.at[n] < 0x80)
        n++;
    return n;
}

/// Length of the well-formed start.
static size_t valid_run(pj_str text)
{
    size_t n = 0;
    for (;;) {
        n += ascii_run(pj_str_from(text, n));
        size_t len = pj_utf8_point(pj_str_from(text, n));
        if (!len)
            return n;
        n += len;
    }
}

bool pj_utf8_valid(pj_str text)
{
    return valid_run(text) == text.len;
}

void pj_utf8_add_clean(pj_buf *out, pj_str text)
{
    while (text.len) {
        size_t good = valid_run(text);
        pj_buf_add(out, pj_str_head(text, good));
        text = pj_str_from(text, good);
        if (!text.len)
            return;
        pj_buf_add(out, REPLACEMENT);
        size_t len = promised((unsigned char)text.at[0]);
        text = pj_str_from(text, len ? well_formed(text, len) : 1);
    }
}

void pj_utf8_add_point(pj_buf *out, uint32_t point)
{
    if (point > 0x10FFFF || (point >= 0xD800 && point < 0xE000))
        point = 0xFFFD;
    if (point < 0x80) {
        pj_buf_add_char(out, (char)point);
        return;
    }
    unsigned tails = point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;
    static const unsigned char lead[] = {0, 0xC0, 0xE0, 0xF0};
    pj_buf_add_char(out, (char)(lead[tails] | (point >> (6 * tails))));
    while (tails--)
        pj_buf_add_char(out, (char)(0x80 | ((point >> (6 * tails)) & 0x3F)));
}
