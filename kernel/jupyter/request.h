// One message received from a front end, verified and decoded; it never changes afterwards, so
// that threads may share it. Ownership: counted - hold for another owner, drop when done.
#ifndef PJ_REQUEST_H
#define PJ_REQUEST_H

#include "metrics/base/str.h"

#include <jansson.h>
#include <stdatomic.h>

typedef enum pj_channel { PJ_SHELL, PJ_CONTROL, PJ_STDIN } pj_channel;

typedef struct pj_request {
    atomic_uint owners;
    pj_channel channel;
    pj_str *ids; // routing identities of the sender
    size_t id_count;
    pj_str header; // JSON as received: the parent_header of every answer
    pj_str msg_id;
    pj_str type;
    pj_str parent_id;   // msg_id of its own parent; empty = none
    pj_str subshell_id; // empty = the main shell
    json_t *metadata;   // objects
    json_t *content;
    pj_str *buffers;
    size_t buffer_count;
    size_t size; // bytes of all frames
} pj_request;

pj_request *pj_request_hold(pj_request *request);
void pj_request_drop(pj_request *request); // NULL is fine

static inline bool pj_request_is(const pj_request *request, pj_str type)
{
    return pj_str_equal(request->type, type);
}

#endif
