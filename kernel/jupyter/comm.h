// The comms that are open, whoever opened them: their targets for comm_info, and the execution each
// belongs to, where people look for what its handlers say.
// Ownership: new/free; any thread may call.
#ifndef PJ_COMM_H
#define PJ_COMM_H

#include "kernel/jupyter/request.h"
#include "metrics/base/str.h"

typedef struct pj_comms pj_comms;

pj_comms *pj_comms_new(void);
void pj_comms_free(pj_comms *comms);

/// `maker` is held as long as the comm is open; NULL = nobody. A known comm is left as it is.
void pj_comms_add(pj_comms *comms, pj_str id, pj_str target, pj_request *maker);
void pj_comms_remove(pj_comms *comms, pj_str id);
/// Held for the caller; NULL when the comm is not open or belongs to nobody.
pj_request *pj_comms_maker(pj_comms *comms, pj_str id);
/// {"status": "ok", "comms": {id: {"target_name"}}}; an empty target_name means all.
json_t *pj_comms_info(pj_comms *comms, pj_str target_name);

#endif
