// Decoding, checking and measuring UTF-8.
// Decoding follows the Unicode standard's table 3-7: no overlong forms, no surrogates.
#include "metrics/base/utf8.h"

#include "metrics/base/str.h"

static const uint32_t replacement = 0xfffd;

/// Length of a sequence by its first byte; 0 = cannot be one.
static unsigned sequence_length(unsigned char first)
{
    return first < 0x80   ? 1
           : first < 0xc2 ? 0
           : first < 0xe0 ? 2
           : first < 0xf0 ? 3
           : first < 0xf5 ? 4
                          : 0;
}

static bool is_scalar(uint32_t code, unsigned length)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    return code >= least[length] && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
}

uint32_t pj_utf8_next(pj_str *rest)
{
    unsigned char first = (unsigned char)rest->at[0];
    unsigned length = sequence_length(first);
    uint32_t code = length <= 1 ? first : first & (0xffu >> (length + 1));
    bool good = length > 0 && length <= rest->len;
    for (unsigned i = 1; good && i < length; i++) {
        unsigned char next = (unsigned char)rest->at[i];
        good = (next & 0xc0) == 0x80;
        code = code << 6 | (next & 0x3f);
    }
    good = good && is_scalar(code, length);
    *rest = pj_str_from(*rest, good ? length : 1);
    return good ? code : replacement;
}

void pj_utf8_add(pj_buf *out, uint32_t code)
{
    if (code < 0x80) {
        pj_buf_add_char(out, (char)code);
        return;
    }
    unsigned more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    static const unsigned lead[] = {0, 0xc0, 0xe0, 0xf0};
    pj_buf_add_char(out, (char)(lead[more] | code >> (6 * more)));
    while (more-- > 0)
        pj_buf_add_char(out, (char)(0x80 | (code >> (6 * more) & 0x3f)));
}

void pj_utf8_clean(pj_buf *out, pj_str text)
{
    while (text.len)
        pj_utf8_add(out, pj_utf8_next(&text));
}

void pj_utf8_show(pj_buf *out, pj_str text)
{
    enum { DELETE = 0x7f };
    while (text.len) {
        pj_str rest = text;
        uint32_t code = pj_utf8_next(&rest);
        size_t length = text.len - rest.len;
        bool broken = code == replacement && length == 1;
        if (broken || code < ' ' || code == DELETE)
            pj_buf_addf(out, "\\x%02x", (unsigned char)text.at[0]);
        else
            pj_buf_add(out, pj_str_head(text, length));
        text = rest;
    }
}

bool pj_utf8_valid(pj_str text)
{
    while (text.len) {
        size_t before = text.len;
        if (pj_utf8_next(&text) == replacement && before - text.len == 1)
            return false;
    }
    return true;
}

static bool are_tails(pj_str text)
{
    for (size_t i = 0; i < text.len; i++)
        if (((unsigned char)text.at[i] & 0xc0) != 0x80)
            return false;
    return true;
}

size_t pj_utf8_whole(pj_str text)
{
    for (size_t back = 1; back <= 3 && back <= text.len; back++) {
        pj_str last = pj_str_from(text, text.len - back);
        if (sequence_length((unsigned char)last.at[0]) > back && are_tails(pj_str_from(last, 1)))
            return text.len - back;
    }
    return text.len;
}

static bool is_obeyed(uint32_t code)
{
    return code < 0x20 || (code >= 0x7f && code < 0xa0);
}

static bool is_control(uint32_t code)
{
    return is_obeyed(code) || (code >= 0x202a && code <= 0x202e) ||
           (code >= 0x2066 && code <= 0x2069);
}

void pj_utf8_clean_text(pj_buf *out, pj_str text)
{
    while (text.len) {
        uint32_t code = pj_utf8_next(&text);
        if (!is_obeyed(code) || code == '\n' || code == '\t')
            pj_utf8_add(out, code);
    }
}

void pj_utf8_clean_line(pj_buf *out, pj_str text)
{
    while (text.len) {
        uint32_t code = pj_utf8_next(&text);
        if (code == '\n' || code == '\t' || code == 0x2028)
            pj_buf_add_char(out, ' ');
        else if (!is_control(code))
            pj_utf8_add(out, code);
    }
}

typedef struct range {
    uint32_t first, last;
} range;

static bool in_ranges(const range *ranges, size_t count, uint32_t code)
{
    for (size_t i = 0; i < count; i++)
        if (code >= ranges[i].first && code <= ranges[i].last)
            return true;
    return false;
}

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

static bool is_leftward(pj_str text)
{
    static const range leftward[] = {{0x0590, 0x08ff},
                                     {0xfb1d, 0xfdff},
                                     {0xfe70, 0xfefc},
                                     {0x10800, 0x10fff},
                                     {0x1e800, 0x1efff}};
    while (text.len) {
        uint32_t code = pj_utf8_next(&text);
        if (code >= leftward[0].first && in_ranges(leftward, COUNT_OF(leftward), code))
            return true;
    }
    return false;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n';
}

static size_t count_until(pj_str text, bool blank)
{
    size_t count = 0;
    while (count < text.len && is_blank(text.at[count]) != blank)
        count++;
    return count;
}

void pj_utf8_apart(pj_buf *out, pj_str text)
{
    static const char isolate[] = "\xe2\x81\xa6", end[] = "\xe2\x81\xa9";
    bool several = is_leftward(text) && count_until(text, true) < text.len;
    while (several && text.len) {
        pj_str word = pj_str_head(text, count_until(text, true));
        bool leftward = is_leftward(word);
        pj_buf_puts(out, leftward ? isolate : "");
        pj_buf_add(out, word);
        pj_buf_puts(out, leftward ? end : "");
        text = pj_str_from(text, word.len);
        word = pj_str_head(text, count_until(text, false));
        pj_buf_add(out, word);
        text = pj_str_from(text, word.len);
    }
    pj_buf_add(out, text);
}

size_t pj_utf8_columns(pj_str text)
{
    static const range wide[] = {{0x1100, 0x115f},   {0x2e80, 0x303e},   {0x3041, 0xa4cf},
                                 {0xac00, 0xd7a3},   {0xf900, 0xfaff},   {0xfe30, 0xfe6f},
                                 {0xff00, 0xff60},   {0xffe0, 0xffe6},   {0x1f300, 0x1f64f},
                                 {0x1f680, 0x1f6ff}, {0x1f900, 0x1f9ff}, {0x20000, 0x3fffd}};
    static const range narrowest[] = {{0x0300, 0x036f}, {0x0591, 0x05bd}, {0x064b, 0x065f},
                                      {0x1ab0, 0x1aff}, {0x1dc0, 0x1dff}, {0x200b, 0x200f},
                                      {0x20d0, 0x20ff}, {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f}};
    size_t columns = 0;
    while (text.len) {
        uint32_t code = pj_utf8_next(&text);
        if (code < 0x300)
            columns += !is_control(code);
        else if (!in_ranges(narrowest, COUNT_OF(narrowest), code))
            columns += in_ranges(wide, COUNT_OF(wide), code) ? 2 : 1;
    }
    return columns;
}
