// Counted ownership of requests; the last owner frees.
#include "kernel/jupyter/request.h"

#include <stdlib.h>

pj_request *pj_request_hold(pj_request *request)
{
    atomic_fetch_add_explicit(&request->owners, 1, memory_order_relaxed);
    return request;
}

void pj_request_drop(pj_request *request)
{
    if (!request || atomic_fetch_sub_explicit(&request->owners, 1, memory_order_acq_rel) > 1)
        return;
    json_decref(request->metadata);
    json_decref(request->content);
    free(request);
}
