// What the head of a file of JSON holds, for sniffing: the head may stop anywhere.
// Ownership: borrow.
#ifndef PJ_JSON_LOOK_H
#define PJ_JSON_LOOK_H

#include "metrics/base/str.h"

/// Whether it begins an object that has `key` and, unless `inner` is empty, an object there that
/// has `inner`.
bool pj_json_look_key(pj_str head, pj_str key, pj_str inner);
/// Whether it begins an object whose `key` is a text that contains `part`.
bool pj_json_look_text(pj_str head, pj_str key, pj_str part);
/// Whether it begins an array whose first item is an object that has `key`.
bool pj_json_look_item(pj_str head, pj_str key);

#endif
