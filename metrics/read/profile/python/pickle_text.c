// Texts of the pickles that are lines of text (protocol 0): what their escapes stand for.
#include "metrics/read/profile/python/pickle_text.h"

#include "metrics/base/buf.h"
#include "metrics/base/str.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    char lower = (char)(c | 0x20);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

/// `digits` hexadecimal digits at the start of `text`; false when they are not there.
static bool hex_number(pj_str text, size_t digits, uint32_t *out)
{
    *out = 0;
    for (size_t i = 0; i < digits; i++) {
        int digit = i < text.len ? hex_digit(text.at[i]) : -1;
        if (digit < 0)
            return false;
        *out = *out << 4 | (uint32_t)digit;
    }
    return true;
}

/// A code point as UTF-8; a lone surrogate as the three bytes that it would have.
static void add_code_point(pj_buf *out, uint32_t code)
{
    char *at = pj_buf_room(out, 4);
    size_t len = 0;
    if (code < 0x80) {
        at[len++] = (char)code;
    } else if (code < 0x800) {
        at[len++] = (char)(0xc0 | code >> 6);
        at[len++] = (char)(0x80 | (code & 0x3f));
    } else if (code < 0x10000) {
        at[len++] = (char)(0xe0 | code >> 12);
        at[len++] = (char)(0x80 | (code >> 6 & 0x3f));
        at[len++] = (char)(0x80 | (code & 0x3f));
    } else {
        at[len++] = (char)(0xf0 | (code >> 18 & 7));
        at[len++] = (char)(0x80 | (code >> 12 & 0x3f));
        at[len++] = (char)(0x80 | (code >> 6 & 0x3f));
        at[len++] = (char)(0x80 | (code & 0x3f));
    }
    out->len += len;
}

void pj_pickle_unicode(pj_str line, pj_buf *out)
{
    while (line.len) {
        uint32_t code = (unsigned char)line.at[0];
        size_t used = 1;
        bool escaped = code == '\\' && line.len > 1;
        if (escaped && line.at[1] == 'u' && hex_number(pj_str_from(line, 2), 4, &code))
            used = 6;
        else if (escaped && line.at[1] == 'U' && hex_number(pj_str_from(line, 2), 8, &code))
            used = 10;
        add_code_point(out, code);
        line = pj_str_from(line, used);
    }
}

/// What a backslash and the next bytes stand for in a string of Python; returns the bytes used.
static size_t add_escape(pj_buf *out, pj_str rest)
{
    static const char letters[] = "abfnrtv\\'\"";
    static const char means[] = "\a\b\f\n\r\t\v\\'\"";
    uint32_t code;
    const char *found = rest.len > 1 && rest.at[1] ? strchr(letters, rest.at[1]) : NULL;
    if (found) {
        pj_buf_add_char(out, means[found - letters]);
        return 2;
    }
    if (rest.len > 1 && rest.at[1] == 'x' && hex_number(pj_str_from(rest, 2), 2, &code)) {
        pj_buf_add_char(out, (char)code);
        return 4;
    }
    pj_buf_add_char(out, rest.at[0]);
    return 1;
}

void pj_pickle_quoted(pj_str text, pj_buf *out)
{
    while (text.len) {
        size_t used = 1;
        if (text.at[0] == '\\')
            used = add_escape(out, text);
        else
            pj_buf_add_char(out, text.at[0]);
        text = pj_str_from(text, used);
    }
}
