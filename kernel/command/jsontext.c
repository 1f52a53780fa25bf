// Reading JSON of other programs. The strict reader goes first; mending costs only odd messages.
#include "kernel/command/jsontext.h"

#include "metrics/base/str.h"
#include "metrics/base/utf8.h"

enum { SAFE_DIGITS = 18 };

/// Value of four hexadecimal digits, or -1.
static int hex4(pj_str text)
{
    if (text.len < 4)
        return -1;
    int value = 0;
    for (int i = 0; i < 4; i++) {
        char c = text.at[i];
        int digit = c >= '0' && c <= '9'   ? c - '0'
                    : c >= 'a' && c <= 'f' ? c - 'a' + 10
                    : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                           : -1;
        if (digit < 0)
            return -1;
        value = value * 16 + digit;
    }
    return value;
}

static int unicode_escape(pj_str text)
{
    return pj_str_starts(text, PJ_S("\\u")) ? hex4(pj_str_from(text, 2)) : -1;
}

/// Copies the escape at the start of `text`; returns its length.
static size_t mend_escape(pj_buf *out, pj_str text)
{
    int unit = unicode_escape(text);
    size_t len = unit >= 0 ? 6 : text.len < 2 ? text.len : 2;
    if (unit >= 0xD800 && unit < 0xDC00) {
        int low = unicode_escape(pj_str_from(text, 6));
        if (low >= 0xDC00 && low < 0xE000)
            len = 12;
    }
    if (len == 6 && unit >= 0xD800 && unit < 0xE000)
        pj_buf_add(out, PJ_S("\\ufffd"));
    else
        pj_buf_add(out, pj_str_head(text, len));
    return len;
}

/// Copies the string at the start of `text` (its quote included); returns its length.
static size_t mend_string(pj_buf *out, pj_str text)
{
    pj_buf_add_char(out, '"');
    size_t at = 1;
    while (at < text.len && text.at[at] != '"') {
        size_t end = at;
        while (end < text.len && text.at[end] != '"' && text.at[end] != '\\')
            end++;
        pj_utf8_clean(out, (pj_str){text.at + at, end - at});
        at = end;
        if (at < text.len && text.at[at] == '\\')
            at += mend_escape(out, pj_str_from(text, at));
    }
    if (at == text.len)
        return at;
    pj_buf_add_char(out, '"');
    return at + 1;
}

static bool in_number(char c)
{
    return (c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E';
}

static size_t mend_number(pj_buf *out, pj_str text)
{
    size_t len = 0, digits = 0;
    for (; len < text.len && in_number(text.at[len]); len++)
        digits += text.at[len] >= '0' && text.at[len] <= '9';
    pj_str number = pj_str_head(text, len);
    bool real = pj_str_find(number, '.') < len || pj_str_find(number, 'e') < len ||
                pj_str_find(number, 'E') < len;
    pj_buf_add(out, number);
    if (!real && digits > SAFE_DIGITS)
        pj_buf_add(out, PJ_S("e0"));
    return len;
}

/// Length of "NaN", "Infinity" or "-Infinity" at the start of `text`, else 0.
static size_t not_finite(pj_str text)
{
    static const pj_str words[] = {{"NaN", 3}, {"Infinity", 8}, {"-Infinity", 9}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (pj_str_starts(text, words[i]))
            return words[i].len;
    return 0;
}

void pj_jsontext_mend(pj_buf *out, pj_str text)
{
    while (text.len) {
        size_t used = not_finite(text);
        if (used) {
            pj_buf_add(out, PJ_S("null"));
        } else if (text.at[0] == '"') {
            used = mend_string(out, text);
        } else if ((text.at[0] >= '0' && text.at[0] <= '9') || text.at[0] == '-') {
            used = mend_number(out, text);
        } else {
            used = 1;
            pj_buf_add_char(out, text.at[0]);
        }
        text = pj_str_from(text, used);
    }
}

json_t *pj_jsontext_read(pj_str text, const char *what, pj_buf *mended, pj_err *err)
{
    const size_t flags = JSON_ALLOW_NUL | JSON_DECODE_ANY;
    json_error_t why;
    json_t *value = text.len ? json_loadb(text.at, text.len, flags, &why) : NULL;
    if (value)
        return value;
    pj_auto_buf second = {0};
    pj_jsontext_mend(&second, text);
    value = second.len ? json_loadb(second.at, second.len, flags, &why) : NULL;
    if (!value) {
        pj_fail(err, PJ_E_FORMAT, what, 0, "not JSON: %s", text.len ? why.text : "empty");
        return NULL;
    }
    if (mended) {
        pj_buf_free(mended);
        *mended = second;
        second = (pj_buf){0};
    }
    return value;
}

json_t *pj_jsontext_string(pj_str text)
{
    if (!text.len)
        return json_string("");
    json_t *string = json_stringn(text.at, text.len);
    if (string)
        return string;
    pj_auto_buf clean = {0};
    pj_utf8_clean(&clean, text);
    return json_stringn(clean.at, clean.len);
}

pj_str pj_jsontext_str(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return (pj_str){json_string_value(value), json_string_length(value)};
}

bool pj_jsontext_flag(const json_t *object, const char *key, bool otherwise)
{
    const json_t *value = json_object_get(object, key);
    return json_is_boolean(value) ? json_boolean_value(value) : otherwise;
}

json_int_t pj_jsontext_int(const json_t *object, const char *key, json_int_t otherwise)
{
    const json_t *value = json_object_get(object, key);
    if (json_is_integer(value))
        return json_integer_value(value);
    if (json_is_real(value) && json_real_value(value) > -1e15 && json_real_value(value) < 1e15)
        return (json_int_t)json_real_value(value);
    return otherwise;
}
