// Three bytes become four letters.
#include "metrics/base/base64.h"

#include "metrics/base/str.h"

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void pj_base64_add(pj_buf *out, pj_str bytes)
{
    const unsigned char *at = (const unsigned char *)bytes.at;
    char *to = pj_buf_room(out, (bytes.len + 2) / 3 * 4);
    size_t len = 0;
    for (size_t i = 0; i < bytes.len; i += 3) {
        size_t left = bytes.len - i;
        unsigned bits = (unsigned)at[i] << 16 | (left > 1 ? (unsigned)at[i + 1] << 8 : 0) |
                        (left > 2 ? at[i + 2] : 0u);
        to[len++] = letters[bits >> 18];
        to[len++] = letters[bits >> 12 & 63];
        to[len++] = left > 1 ? letters[bits >> 6 & 63] : '=';
        to[len++] = left > 2 ? letters[bits & 63] : '=';
    }
    out->len += len;
    pj_buf_add(out, PJ_S(""));
}

bool pj_base64_decode(pj_buf *out, pj_str text)
{
    unsigned bits = 0, count = 0; // of letters
    for (size_t i = 0; i < text.len; i++) {
        char c = text.at[i];
        if (c == '=')
            break;
        if (c == ' ' || c == '\n' || c == '\r' || c == '\t')
            continue;
        const char *letter = c ? strchr(letters, c) : NULL;
        if (!letter)
            return false;
        bits = bits << 6 | (unsigned)(letter - letters);
        if (count++ % 4)
            pj_buf_add_char(out, (char)(bits >> (8 - 2 * (count % 4 ? count % 4 : 4)) & 255));
    }
    return count % 4 != 1;
}
