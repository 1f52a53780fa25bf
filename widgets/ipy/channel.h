// How widgets reach a front end: comm messages, whatever carries them. Widgets never see a socket.
// Ownership: borrow - everything in a message is valid until the call returns; a channel copies.
#ifndef PJ_CHANNEL_H
#define PJ_CHANNEL_H

#include "metrics/base/str.h"

#include <jansson.h>

/// The content of a comm_open, comm_msg or comm_close message, in either direction.
typedef struct pj_comm_message {
    const char *id;     // comm_id
    const char *target; // target_name; comm_open only
    json_t *data;       // NULL = {}
    json_t *metadata;   // of the message, not of its content; NULL = {}
    const pj_str *buffers;
    size_t buffer_count;
} pj_comm_message;

/// Messages leave in the order of the calls. None of them can fail for the caller: a channel that
/// cannot deliver drops what it must.
typedef struct pj_comm_channel {
    void *self;
    void (*open)(void *self, const pj_comm_message *message);
    void (*msg)(void *self, const pj_comm_message *message);
    void (*close)(void *self, const pj_comm_message *message);
} pj_comm_channel;

#endif
