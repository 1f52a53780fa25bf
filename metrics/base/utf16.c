// UTF-16 to UTF-8.
// What PowerShell's `>` and some editors of Windows write. The Unicode Standard, 3.9, D91.
#include "metrics/base/utf16.h"

#include "metrics/base/str.h"
#include "metrics/base/utf8.h"

enum { BROKEN = 0xfffd, HIGH = 0xd800, LOW = 0xdc00, PAIRS_END = 0xe000, PAIRED = 0x10000 };

bool pj_utf16_begin(pj_str bytes, pj_utf16 *text)
{
    bool little = pj_str_starts(bytes, PJ_S("\xff\xfe"));
    *text = (pj_utf16){.big = pj_str_starts(bytes, PJ_S("\xfe\xff"))};
    return little || text->big;
}

static void add_unit(pj_utf16 *text, uint32_t unit, pj_buf *out)
{
    bool high = unit >= HIGH && unit < LOW, low = unit >= LOW && unit < PAIRS_END;
    if (low && text->high) {
        pj_utf8_add(out, PAIRED + ((text->high - HIGH) << 10) + (unit - LOW));
        text->high = 0;
        return;
    }
    if (text->high)
        pj_utf8_add(out, BROKEN);
    text->high = high ? unit : 0;
    if (!high)
        pj_utf8_add(out, low ? BROKEN : unit);
}

void pj_utf16_add(pj_utf16 *text, pj_str bytes, pj_buf *out)
{
    for (size_t i = 0; i < bytes.len; i++) {
        unsigned char byte = (unsigned char)bytes.at[i];
        unsigned first = text->half;
        text->half = byte;
        text->halved = !text->halved;
        if (!text->halved)
            add_unit(text, text->big ? first << 8 | byte : (unsigned)byte << 8 | first, out);
    }
}

void pj_utf16_end(pj_utf16 *text, pj_buf *out)
{
    if (text->halved || text->high)
        pj_utf8_add(out, BROKEN);
    text->halved = false;
    text->high = 0;
}
