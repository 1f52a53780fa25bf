// A scanner of our own: jansson builds the whole document, and Debian's one streaming parser in C
// (yajl) has had no release since 2014, bounds no string and takes twice as long.
#include "metrics/read/jsonpull.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/num.h"
#include "metrics/base/str.h"
#include "metrics/base/utf8.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/// What may come next.
typedef enum expected {
    A_VALUE,
    A_VALUE_OR_END, // in an array
    A_KEY,
    A_KEY_OR_END,
    A_COMMA_OR_END,
    NOTHING,
} expected;

/// Tokens up to LOOKAHEAD never meet the end of the buffer, unless it is that of the input.
enum { BUFFER = 1 << 20, LOOKAHEAD = 1 << 16, PAD = 16 };

struct pj_jsonpull {
    pj_source *source; // NULL = bytes in memory
    char *buffer;      // followed by PAD zeros
    size_t at, len, cap;
    uint64_t before; // bytes of the input before the buffer
    bool ended;
    expected next;
    unsigned depth;
    bool *in_object; // by level
    size_t level_cap;
    bool skipping; // escapes are left as they are
    bool cut;      // the input has ended inside a token
    bool strict;   // it must not end early
    bool allows_nan;
    pj_str text;
    pj_buf plain; // a text whose escapes have been replaced
};

static pj_jsonpull *new_pull(size_t cap)
{
    pj_jsonpull *json = pj_take_memory(sizeof *json);
    *json = (pj_jsonpull){.cap = cap, .buffer = pj_take_memory(cap + PAD), .next = A_VALUE};
    memset(json->buffer, 0, PAD);
    return json;
}

pj_jsonpull *pj_jsonpull_new(pj_source *source)
{
    pj_jsonpull *json = new_pull(BUFFER);
    json->source = source;
    return json;
}

pj_jsonpull *pj_jsonpull_of(pj_str bytes)
{
    pj_jsonpull *json = new_pull(bytes.len);
    if (bytes.len)
        memcpy(json->buffer, bytes.at, bytes.len);
    memset(json->buffer + bytes.len, 0, PAD);
    json->len = bytes.len;
    json->ended = true;
    return json;
}

void pj_jsonpull_free(pj_jsonpull *json)
{
    if (!json)
        return;
    pj_buf_free(&json->plain);
    free(json->in_object);
    free(json->buffer);
    free(json);
}

pj_str pj_jsonpull_text(const pj_jsonpull *json)
{
    return json->text;
}

bool pj_jsonpull_is_whole(const pj_jsonpull *json)
{
    return json->next == NOTHING && !json->cut;
}

unsigned pj_jsonpull_depth(const pj_jsonpull *json)
{
    return json->depth;
}

uint64_t pj_jsonpull_offset(const pj_jsonpull *json)
{
    return json->before + json->at;
}

bool pj_jsonpull_fail(const pj_jsonpull *json, pj_err *err, const char *what)
{
    pj_spot spot = {.offset = pj_jsonpull_offset(json), .at_byte = true};
    if (!json->source)
        return pj_fail(err, PJ_E_FORMAT, NULL, 0, "%s", what);
    return pj_source_damaged(json->source, spot, err, "%s", what);
}

double pj_jsonpull_number(const pj_jsonpull *json)
{
    double value;
    return pj_parse_decimal(json->text, &value) ? value : INFINITY;
}

/// Moves what is left to the front and reads on.
static bool refill(pj_jsonpull *json, pj_err *err)
{
    json->before += json->at;
    json->len -= json->at;
    memmove(json->buffer, json->buffer + json->at, json->len);
    json->at = 0;
    while (json->len < json->cap && !json->ended) {
        size_t got;
        if (!pj_source_read(json->source, json->buffer + json->len, json->cap - json->len, &got,
                            err))
            return false;
        json->len += got;
        json->ended = got == 0;
    }
    memset(json->buffer + json->len, 0, PAD);
    return true;
}

static inline bool look_ahead(pj_jsonpull *json, pj_err *err)
{
    return json->len - json->at >= LOOKAHEAD || json->ended || refill(json, err);
}

/// To the first byte of the next token; false with an error. At the end `at` is `len`.
static bool skip_blanks(pj_jsonpull *json, pj_err *err)
{
    do {
        if (!look_ahead(json, err))
            return false;
        const char *p = json->buffer + json->at;
        while (*p == ' ' || *p == '\n' || *p == '\r' || *p == '\t')
            p++;
        json->at = (size_t)(p - json->buffer);
    } while (json->at == json->len && !json->ended);
    return true;
}

/// Whether one of the 8 bytes is zero.
static inline bool has_zero(uint64_t bytes)
{
    return ((bytes - UINT64_C(0x0101010101010101)) & ~bytes & UINT64_C(0x8080808080808080)) != 0;
}

/// To the next quote, backslash or end of the buffer.
static const char *plain_run(const char *p, const char *end)
{
    for (; end - p >= 8; p += 8) {
        uint64_t bytes;
        memcpy(&bytes, p, sizeof bytes);
        if (has_zero(bytes ^ UINT64_C(0x2222222222222222)) ||
            has_zero(bytes ^ UINT64_C(0x5C5C5C5C5C5C5C5C)))
            break;
    }
    while (p < end && *p != '"' && *p != '\\')
        p++;
    return p;
}

/// The input ends before the token at hand does.
static bool cut_token(pj_jsonpull *json)
{
    json->at = json->len;
    json->cut = true;
    return false;
}

/// Room for a string that is longer than the buffer; `at` is its quote.
static bool widen(pj_jsonpull *json, pj_err *err)
{
    if (json->ended)
        return cut_token(json);
    if (json->len - json->at > PJ_JSON_STRING_MAX)
        return pj_jsonpull_fail(json, err, "a string of more than 16 MiB");
    if (json->len - json->at > json->cap / 2) {
        json->cap *= 2;
        json->buffer = pj_resize_memory(json->buffer, json->cap + PAD);
    }
    return refill(json, err);
}

/// The length of the string that begins behind the quote at `at`; `*escaped`: it has escapes.
static bool find_end(pj_jsonpull *json, size_t *len, bool *escaped, pj_err *err)
{
    *escaped = false;
    for (size_t n = 1;;) {
        const char *end = json->buffer + json->len;
        const char *p = plain_run(json->buffer + json->at + n, end);
        n = (size_t)(p - json->buffer) - json->at;
        if (p < end && *p == '"') {
            *len = n - 1;
            return true;
        }
        if (end - p >= 2) {
            *escaped = true;
            n += 2;
        } else if (!widen(json, err)) {
            return false;
        }
    }
}

static bool take_hex(pj_str *rest, uint32_t *code)
{
    uint32_t value = 0;
    if (rest->len < 4)
        return false;
    for (size_t i = 0; i < 4; i++) {
        unsigned c = (unsigned char)rest->at[i];
        unsigned digit = c - '0';
        if (digit > 9) {
            digit = (c | 0x20) - 'a' + 10;
            if (digit < 10 || digit > 15)
                return false;
        }
        value = value << 4 | digit;
    }
    *rest = pj_str_from(*rest, 4);
    *code = value;
    return true;
}

/// What follows "\u": one code point, or two halves of one.
static bool add_unicode(pj_buf *out, pj_str *rest)
{
    uint32_t code, low;
    if (!take_hex(rest, &code))
        return false;
    if (code - 0xD800 < 0x400 && pj_str_starts(*rest, PJ_S("\\u"))) {
        pj_str after = pj_str_from(*rest, 2);
        if (take_hex(&after, &low) && low - 0xDC00 < 0x400) {
            *rest = after;
            code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
        }
    }
    pj_utf8_add(out, code - 0xD800 < 0x800 ? 0xFFFD : code);
    return true;
}

static bool add_escape(pj_buf *out, pj_str *rest)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    char c = rest->at[0];
    *rest = pj_str_from(*rest, 1);
    if (c == 'u')
        return add_unicode(out, rest);
    const char *known = c ? strchr(from, c) : NULL;
    if (known)
        pj_buf_add_char(out, to[known - from]);
    return known != NULL;
}

static bool unescape(pj_jsonpull *json, pj_str raw, pj_err *err)
{
    pj_buf *out = &json->plain;
    out->len = 0;
    while (raw.len) {
        size_t n = pj_str_find(raw, '\\');
        pj_buf_add(out, pj_str_head(raw, n));
        raw = pj_str_from(raw, n);
        if (raw.len == 0)
            break;
        raw = pj_str_from(raw, 1);
        if (!add_escape(out, &raw))
            return pj_jsonpull_fail(json, err, "an unknown escape in a string that ends");
    }
    json->text = pj_buf_str(out);
    return true;
}

static bool take_string(pj_jsonpull *json, pj_err *err)
{
    size_t len;
    bool escaped;
    if (!find_end(json, &len, &escaped, err))
        return false;
    json->text = (pj_str){json->buffer + json->at + 1, len};
    json->at += len + 2;
    return !escaped || json->skipping || unescape(json, json->text, err);
}

static inline bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/// The grammar of RFC 8259: neither nan nor inf nor hexadecimal.
static bool take_number(pj_jsonpull *json, pj_err *err)
{
    const char *start = json->buffer + json->at, *p = start;
    p += *p == '-';
    bool good = is_digit(*p) && !(*p == '0' && is_digit(p[1]));
    while (is_digit(*p))
        p++;
    if (*p == '.') {
        good = good && is_digit(p[1]);
        for (p++; is_digit(*p);)
            p++;
    }
    if (good && (*p == 'e' || *p == 'E')) {
        p++;
        p += *p == '+' || *p == '-';
        good = is_digit(*p);
        while (is_digit(*p))
            p++;
    }
    if (!good && p == json->buffer + json->len && p > start)
        return cut_token(json);
    if (!good)
        return pj_jsonpull_fail(json, err, "neither a value nor an end of JSON");
    json->text = (pj_str){start, (size_t)(p - start)};
    json->at += json->text.len;
    return json->text.len < 64 || pj_jsonpull_fail(json, err, "a number of more than 63 digits");
}

static bool take_word(pj_jsonpull *json, pj_str word, pj_err *err)
{
    pj_str rest = {json->buffer + json->at, json->len - json->at};
    if (rest.len < word.len && pj_str_starts(word, rest))
        return cut_token(json);
    if (!pj_str_starts(rest, word))
        return pj_jsonpull_fail(json, err, "neither a value nor an end of JSON");
    json->at += word.len;
    return true;
}

/// What a token that could not be taken comes to.
static pj_json_token failed(const pj_jsonpull *json)
{
    return json->cut ? PJ_JSON_END : PJ_JSON_ERROR;
}

static void after_value(pj_jsonpull *json)
{
    json->next = json->depth ? A_COMMA_OR_END : NOTHING;
}

static pj_json_token open_level(pj_jsonpull *json, bool object, pj_err *err)
{
    if (json->depth == (json->skipping ? PJ_JSON_SKIPPED_MAX : PJ_JSON_DEPTH_MAX)) {
        pj_jsonpull_fail(json, err,
                         json->skipping ? "nested more than 16 million deep"
                                        : "nested more than 8400 deep");
        return PJ_JSON_ERROR;
    }
    pj_grow(json->in_object, &json->level_cap, (size_t)json->depth + 1);
    json->in_object[json->depth++] = object;
    json->at++;
    json->next = object ? A_KEY_OR_END : A_VALUE_OR_END;
    return object ? PJ_JSON_OBJECT : PJ_JSON_ARRAY;
}

static pj_json_token close_level(pj_jsonpull *json)
{
    bool object = json->in_object[--json->depth];
    json->at++;
    after_value(json);
    return object ? PJ_JSON_OBJECT_END : PJ_JSON_ARRAY_END;
}

/// NaN and Infinity, which JSON does not have.
static bool begins_no_number(const pj_jsonpull *json)
{
    const char *at = json->buffer + json->at;
    return *at == 'N' || at[*at == '-'] == 'I';
}

static bool take_no_number(pj_jsonpull *json, pj_err *err)
{
    json->at += json->buffer[json->at] == '-';
    bool infinite = json->buffer[json->at] == 'I';
    return take_word(json, infinite ? PJ_S("Infinity") : PJ_S("NaN"), err);
}

static pj_json_token take_value(pj_jsonpull *json, pj_err *err)
{
    pj_json_token token = PJ_JSON_NUMBER;
    bool ok;
    if (json->allows_nan && begins_no_number(json)) {
        ok = take_no_number(json, err);
        after_value(json);
        return ok ? PJ_JSON_NULL : failed(json);
    }
    switch (json->buffer[json->at]) {
    case '{':
        return open_level(json, true, err);
    case '[':
        return open_level(json, false, err);
    case '"':
        ok = take_string(json, err);
        token = PJ_JSON_STRING;
        break;
    case 't':
        ok = take_word(json, PJ_S("true"), err);
        token = PJ_JSON_TRUE;
        break;
    case 'f':
        ok = take_word(json, PJ_S("false"), err);
        token = PJ_JSON_FALSE;
        break;
    case 'n':
        ok = take_word(json, PJ_S("null"), err);
        token = PJ_JSON_NULL;
        break;
    default:
        ok = take_number(json, err);
        break;
    }
    after_value(json);
    return ok ? token : failed(json);
}

/// A key and its colon.
static pj_json_token take_key(pj_jsonpull *json, pj_err *err)
{
    json->next = A_VALUE;
    if (json->buffer[json->at] != '"') {
        pj_jsonpull_fail(json, err, "a key is missing");
        return PJ_JSON_ERROR;
    }
    if (!take_string(json, err))
        return failed(json);
    if (json->buffer[json->at] == ':') {
        json->at++;
        return PJ_JSON_KEY;
    }
    // Reading on may move the buffer from under the text.
    if (json->text.at != json->plain.at) {
        json->plain.len = 0;
        pj_buf_add(&json->plain, json->text);
        json->text = pj_buf_str(&json->plain);
    }
    if (!skip_blanks(json, err))
        return PJ_JSON_ERROR;
    if (json->at == json->len)
        return PJ_JSON_END;
    if (json->buffer[json->at] != ':') {
        pj_jsonpull_fail(json, err, "a colon is missing");
        return PJ_JSON_ERROR;
    }
    json->at++;
    return PJ_JSON_KEY;
}

/// Past the comma after a value, or to the end of what holds it: false.
static bool pass_comma(pj_jsonpull *json)
{
    if (json->buffer[json->at] != ',')
        return false;
    json->at++;
    json->next = json->in_object[json->depth - 1] ? A_KEY : A_VALUE_OR_END;
    return true;
}

static bool at_end(const pj_jsonpull *json)
{
    char c = json->buffer[json->at];
    bool may =
        json->next == A_COMMA_OR_END || json->next == A_KEY_OR_END || json->next == A_VALUE_OR_END;
    return may && c == (json->in_object[json->depth - 1] ? '}' : ']');
}

static pj_json_token next_token(pj_jsonpull *json, pj_err *err)
{
    do {
        if (!skip_blanks(json, err))
            return PJ_JSON_ERROR;
        if (json->at == json->len)
            return PJ_JSON_END;
    } while (json->next == A_COMMA_OR_END && pass_comma(json));
    if (at_end(json))
        return close_level(json);
    switch (json->next) {
    case A_VALUE:
    case A_VALUE_OR_END:
        return take_value(json, err);
    case A_KEY:
    case A_KEY_OR_END:
        return take_key(json, err);
    case A_COMMA_OR_END:
        pj_jsonpull_fail(json, err, "a comma is missing");
        return PJ_JSON_ERROR;
    case NOTHING:
        break;
    }
    pj_jsonpull_fail(json, err, "something follows the JSON document");
    return PJ_JSON_ERROR;
}

pj_json_token pj_jsonpull_next(pj_jsonpull *json, pj_err *err)
{
    pj_json_token token = next_token(json, err);
    if (token != PJ_JSON_END || !json->strict || pj_jsonpull_is_whole(json))
        return token;
    pj_jsonpull_fail(json, err, "it ends early");
    return PJ_JSON_ERROR;
}

void pj_jsonpull_want_whole(pj_jsonpull *json)
{
    json->strict = true;
}

void pj_jsonpull_allow_nan(pj_jsonpull *json)
{
    json->allows_nan = true;
}

static bool unexpected(const pj_jsonpull *json, pj_json_token token, pj_err *err)
{
    return token != PJ_JSON_ERROR && pj_jsonpull_fail(json, err, "another kind of value is wanted");
}

bool pj_jsonpull_expect(pj_jsonpull *json, pj_json_token token, pj_err *err)
{
    pj_json_token got = pj_jsonpull_next(json, err);
    return got == token || unexpected(json, got, err);
}

bool pj_jsonpull_key(pj_jsonpull *json, pj_str *key, pj_err *err)
{
    pj_json_token got = pj_jsonpull_next(json, err);
    *key = json->text;
    return got == PJ_JSON_KEY || (got != PJ_JSON_OBJECT_END && unexpected(json, got, err));
}

bool pj_jsonpull_item(pj_jsonpull *json, pj_json_token token, pj_err *err)
{
    pj_json_token got = pj_jsonpull_next(json, err);
    return got == token || (got != PJ_JSON_ARRAY_END && unexpected(json, got, err));
}

bool pj_jsonpull_want_number(pj_jsonpull *json, double *out, pj_err *err)
{
    if (!pj_jsonpull_expect(json, PJ_JSON_NUMBER, err))
        return false;
    *out = pj_jsonpull_number(json);
    return isfinite(*out) || pj_jsonpull_fail(json, err, "a number is too large");
}

bool pj_jsonpull_take_number(pj_jsonpull *json, double *out, pj_err *err)
{
    pj_json_token got = pj_jsonpull_next(json, err);
    if (got == PJ_JSON_NUMBER)
        *out = pj_jsonpull_number(json);
    return pj_jsonpull_skip_value(json, got, err);
}

bool pj_jsonpull_take_text(pj_jsonpull *json, pj_str *out, pj_err *err)
{
    pj_json_token got = pj_jsonpull_next(json, err);
    if (got == PJ_JSON_STRING)
        *out = json->text;
    return pj_jsonpull_skip_value(json, got, err);
}

static bool skip_to(pj_jsonpull *json, unsigned depth, pj_err *err)
{
    pj_json_token token;
    json->skipping = true;
    do {
        token = pj_jsonpull_next(json, err);
    } while (token > PJ_JSON_END && (json->depth > depth || token == PJ_JSON_KEY));
    json->skipping = false;
    return token > PJ_JSON_END;
}

bool pj_jsonpull_skip(pj_jsonpull *json, pj_err *err)
{
    bool after_key = json->next == A_VALUE;
    return skip_to(json, json->depth - !after_key, err);
}

bool pj_jsonpull_skip_value(pj_jsonpull *json, pj_json_token token, pj_err *err)
{
    bool nested = token == PJ_JSON_OBJECT || token == PJ_JSON_ARRAY;
    return nested ? skip_to(json, json->depth - 1, err) : token > PJ_JSON_END;
}
