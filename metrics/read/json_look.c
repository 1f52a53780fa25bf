// A look at the first keys by the scanner itself.
#include "metrics/read/json_look.h"

#include "metrics/base/err.h"
#include "metrics/read/jsonpull.h"

/// Opens the head when its first byte is `bracket`; NULL otherwise.
static pj_jsonpull *open_head(pj_str head, char bracket)
{
    head = pj_str_trim(head);
    pj_jsonpull *json = head.len && head.at[0] == bracket ? pj_jsonpull_of(head) : NULL;
    if (json)
        pj_jsonpull_allow_nan(json);
    return json;
}

/// Goes on behind `key` of the object at hand; false when it has none, or the head ends.
static bool find_key(pj_jsonpull *json, pj_str key)
{
    pj_err quiet = {.code = PJ_E_NONE};
    while (pj_jsonpull_next(json, &quiet) == PJ_JSON_KEY) {
        if (pj_str_equal(pj_jsonpull_text(json), key))
            return true;
        if (!pj_jsonpull_skip(json, &quiet))
            break;
    }
    return false;
}

static bool opens(pj_jsonpull *json, pj_json_token token)
{
    pj_err quiet = {.code = PJ_E_NONE};
    return pj_jsonpull_next(json, &quiet) == token;
}

bool pj_json_look_key(pj_str head, pj_str key, pj_str inner)
{
    pj_auto_jsonpull json = open_head(head, '{');
    return json && opens(json, PJ_JSON_OBJECT) && find_key(json, key) &&
           (inner.len == 0 || (opens(json, PJ_JSON_OBJECT) && find_key(json, inner)));
}

bool pj_json_look_text(pj_str head, pj_str key, pj_str part)
{
    pj_auto_jsonpull json = open_head(head, '{');
    return json && opens(json, PJ_JSON_OBJECT) && find_key(json, key) &&
           opens(json, PJ_JSON_STRING) && pj_str_contains(pj_jsonpull_text(json), part);
}

bool pj_json_look_item(pj_str head, pj_str key)
{
    pj_auto_jsonpull json = open_head(head, '[');
    return json && opens(json, PJ_JSON_ARRAY) && opens(json, PJ_JSON_OBJECT) && find_key(json, key);
}
