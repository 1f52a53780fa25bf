// Events as bytes, for their way from one process to another: a byte for what there is, then
// numbers of seven bits a byte, times as differences. Ownership: borrow.
#ifndef PJ_EVENT_CODE_H
#define PJ_EVENT_CODE_H

#include "metrics/base/buf.h"
#include "metrics/base/str.h"
#include "metrics/trace/event.h"

/// What differences are taken from; zeroed at the begin of each text.
typedef struct pj_event_code {
    uint64_t time;
    uint32_t location;
} pj_event_code;

void pj_code_number(pj_buf *out, uint64_t value);
/// False at the end of the text.
bool pj_decode_number(pj_str *in, uint64_t *value);
/// Copies what a process of the same process group has written as it is in memory.
bool pj_decode_bytes(pj_str *in, void *out, size_t size);

void pj_code_event(pj_event_code *code, pj_buf *out, const pj_event *event);
bool pj_decode_event(pj_event_code *code, pj_str *in, pj_event *event);
void pj_code_message(pj_event_code *code, pj_buf *out, const pj_message *message);
bool pj_decode_message(pj_event_code *code, pj_str *in, pj_message *message);

#endif
