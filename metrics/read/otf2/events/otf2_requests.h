// Receives that are posted and not completed, by request. Requests are numbers that tracers use
// again (addresses) or never (counters). Ownership: a zeroed struct is empty; free releases it.
#ifndef PJ_OTF2_REQUESTS_H
#define PJ_OTF2_REQUESTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct pj_otf2_request {
    uint64_t id;
    uint64_t posted; // ns
    bool used;
} pj_otf2_request;

typedef struct pj_otf2_requests {
    pj_otf2_request *items; // hash table, linear probing
    size_t count, cap;
} pj_otf2_requests;

/// A request with this number replaces one that was not completed.
void pj_otf2_requests_put(pj_otf2_requests *requests, uint64_t id, uint64_t posted);
/// Takes it out; false when there is none.
bool pj_otf2_requests_take(pj_otf2_requests *requests, uint64_t id, uint64_t *posted);
void pj_otf2_requests_free(pj_otf2_requests *requests);

#endif
