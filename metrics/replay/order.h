// Events of the threads of a rank in the order in which one process reads them, however those of
// different threads come: by time, then by thread. Ownership: new/free.
#ifndef PJ_ORDER_H
#define PJ_ORDER_H

#include "metrics/trace/event.h"
#include "metrics/trace/layout.h"

typedef struct pj_order pj_order;

pj_order *pj_order_new(const pj_layout *layout);
void pj_order_free(pj_order *order);

/// Keeps an event until nothing of its rank can come before it.
void pj_order_add(pj_order *order, const pj_event *event);
/// What comes of the location is not earlier than `time`; UINT64_MAX: nothing comes.
void pj_order_reach(pj_order *order, uint32_t location, uint64_t time);
/// Hands on the events of the rank that are earlier than everything that may still come of it.
void pj_order_hand_on(pj_order *order, uint32_t rank,
                      void (*take)(void *self, const pj_event *event), void *self);
/// Bytes in use.
size_t pj_order_bytes(const pj_order *order);

#endif
