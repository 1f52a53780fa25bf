// Comms: pairs of an object here and one in the front end. Who owns comms registers a target.
// Ownership: new/free; used by the thread that runs comm messages, `info` by any.
#ifndef PJ_COMM_H
#define PJ_COMM_H

#include "kernel/request.h"

typedef struct pj_comms pj_comms;

/// One kind of comm. `open` false = refused: the comm is closed at once.
typedef struct pj_comm_target {
    const char *name;
    void *self;
    bool (*open)(void *self, pj_str id, const pj_request *request);
    void (*message)(void *self, pj_str id, const pj_request *request);
    void (*closed)(void *self, pj_str id);
} pj_comm_target;

/// `targets` are borrowed for the life of the comms; they end with a NULL name.
pj_comms *pj_comms_new(const pj_comm_target *targets);
void pj_comms_free(pj_comms *comms);

/// comm_open; false when the comm must be closed (unknown target or refused).
bool pj_comms_open(pj_comms *comms, const pj_request *request);
/// comm_msg and comm_close; for a comm that is not open nothing happens.
void pj_comms_message(pj_comms *comms, const pj_request *request);
void pj_comms_close(pj_comms *comms, const pj_request *request);
/// {"status": "ok", "comms": {id: {"target_name"}}}; an empty target_name means all.
json_t *pj_comms_info(pj_comms *comms, pj_str target_name);

#endif
