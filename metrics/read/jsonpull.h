// JSON read token by token from a source: the document is never held, only the token at hand.
// Ownership: new/free; a text is borrowed until the next token.
#ifndef PJ_JSONPULL_H
#define PJ_JSONPULL_H

#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "metrics/read/source.h"

enum {
    PJ_JSON_DEPTH_MAX = 8400, // two for each of the 4096 levels of a call tree, and what is around
    PJ_JSON_SKIPPED_MAX = 1 << 24, // of what is left out
    PJ_JSON_STRING_MAX = 16 * 1024 * 1024,
};

typedef enum pj_json_token {
    PJ_JSON_ERROR, // the error is filled
    PJ_JSON_END,   // the input has ended, perhaps inside a token; see pj_jsonpull_is_whole
    PJ_JSON_OBJECT,
    PJ_JSON_OBJECT_END,
    PJ_JSON_ARRAY,
    PJ_JSON_ARRAY_END,
    PJ_JSON_KEY,
    PJ_JSON_STRING,
    PJ_JSON_NUMBER,
    PJ_JSON_TRUE,
    PJ_JSON_FALSE,
    PJ_JSON_NULL,
} pj_json_token;

typedef struct pj_jsonpull pj_jsonpull;

/// `source` must outlive it and have given no block yet.
pj_jsonpull *pj_jsonpull_new(pj_source *source);
/// The same over bytes that may stop anywhere: what a sniffer is given.
pj_jsonpull *pj_jsonpull_of(pj_str bytes);
void pj_jsonpull_free(pj_jsonpull *json);

/// RFC 8259, and a comma before the end of an array. Errors (PJ_E_FORMAT) name the byte: bad
/// syntax, nesting over PJ_JSON_DEPTH_MAX, of what
/// is left out PJ_JSON_SKIPPED_MAX, a string over PJ_JSON_STRING_MAX.
PJ_CHECKED pj_json_token pj_jsonpull_next(pj_jsonpull *json, pj_err *err);
/// From now on an input that ends early is an error, and no PJ_JSON_END comes but at the end.
void pj_jsonpull_want_whole(pj_jsonpull *json);
/// From now on NaN, Infinity and -Infinity, as Python writes them, are PJ_JSON_NULL.
void pj_jsonpull_allow_nan(pj_jsonpull *json);
/// Whether `token` comes next; an error otherwise.
PJ_CHECKED bool pj_jsonpull_expect(pj_jsonpull *json, pj_json_token token, pj_err *err);
/// Goes over the members of an object: the next key; false at its end, or with an error.
PJ_CHECKED bool pj_jsonpull_key(pj_jsonpull *json, pj_str *key, pj_err *err);
/// Goes over an array of such values: whether one comes; false at its end, or with an error.
PJ_CHECKED bool pj_jsonpull_item(pj_jsonpull *json, pj_json_token token, pj_err *err);
/// The number that must come next.
PJ_CHECKED bool pj_jsonpull_want_number(pj_jsonpull *json, double *out, pj_err *err);
/// After a key: its value where that is a number or text; other values are passed over, which
/// leaves
/// `*out` as it is. The text is valid until the next token.
PJ_CHECKED bool pj_jsonpull_take_number(pj_jsonpull *json, double *out, pj_err *err);
PJ_CHECKED bool pj_jsonpull_take_text(pj_jsonpull *json, pj_str *out, pj_err *err);
/// After a key: leaves out its value. After the start of an object or array: leaves out the rest of
/// it. False at an error or the end of the input.
PJ_CHECKED bool pj_jsonpull_skip(pj_jsonpull *json, pj_err *err);
/// Leaves out what is left of the value that began with `token`: nothing of a plain one.
PJ_CHECKED bool pj_jsonpull_skip_value(pj_jsonpull *json, pj_json_token token, pj_err *err);

/// The text of the last key or string, without escapes, or of the last number as written.
pj_str pj_jsonpull_text(const pj_jsonpull *json);
/// The value of the last number.
double pj_jsonpull_number(const pj_jsonpull *json);
/// After PJ_JSON_END: whether the document is whole.
bool pj_jsonpull_is_whole(const pj_jsonpull *json);
/// Objects and arrays that are open.
unsigned pj_jsonpull_depth(const pj_jsonpull *json);
/// Bytes of the input before what comes next.
uint64_t pj_jsonpull_offset(const pj_jsonpull *json);
/// Fails with PJ_E_FORMAT at this place of the input.
bool pj_jsonpull_fail(const pj_jsonpull *json, pj_err *err, const char *what);

static inline void pj_jsonpull_drop(pj_jsonpull **json)
{
    pj_jsonpull_free(*json);
}
#define pj_auto_jsonpull __attribute__((cleanup(pj_jsonpull_drop))) pj_jsonpull *

#endif
