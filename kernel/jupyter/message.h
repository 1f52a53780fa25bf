// Messages to front ends: replies, publications, questions. A post is complete text when it is
// made, so that any thread may send it. Ownership: new/free; a parameter named `take` is consumed.
#ifndef PJ_MESSAGE_H
#define PJ_MESSAGE_H

#include "kernel/command/face.h"
#include "kernel/jupyter/request.h"
#include "metrics/base/buf.h"
#include "metrics/base/str.h"
#include "widgets/ipy/channel.h"

#define PJ_PROTOCOL "5.6"

/// Who speaks: the same in every header of one kernel process. Kept by the server; serial numbers
/// make message ids unique.
typedef struct pj_origin {
    char session[33];
    char username[200]; // as JSON, with its quotes
    atomic_ulong serial;
} pj_origin;

/// A fresh session for this process.
void pj_origin_init(pj_origin *origin);

typedef struct pj_post {
    struct pj_post *next; // link of the queue that holds it
    pj_request *parent;   // held; NULL = none
    pj_channel channel;   // of a reply or question
    const char *type;     // static text
    unsigned long serial;
    char *topic; // of a publication; NULL = "kernel.<session>.<type>"
    size_t topic_len;
    char *content; // JSON text
    size_t content_len;
    bool turns_idle; // tells that the kernel is idle
    int count;       // of the execution that an execute_input begins
    char *metadata;  // JSON text; NULL = {}
    size_t metadata_len;
    pj_str *buffers; // one block with their bytes; NULL = none
    size_t buffer_count, buffer_bytes;
    unsigned long after; // a publication that waits until so many replies are out (outbox.h)
} pj_post;

pj_post *pj_post_new(pj_origin *origin, pj_request *parent, const char *type, json_t *take);
void pj_post_free(pj_post *post);
/// Bytes it holds, for bounded queues.
size_t pj_post_size(const pj_post *post);

/// "<session>_<serial>".
void pj_post_id(const pj_origin *origin, const pj_post *post, char *out, size_t size);

/// Contents of replies.
json_t *pj_reply_ok(void);
/// {"status": "error", "ename", "evalue", "traceback": []}
json_t *pj_reply_error(const char *name, const char *text);
json_t *pj_reply_aborted(int count);
json_t *pj_reply_kernel_info(void);

/// Publications.
pj_post *pj_publish_status(pj_origin *origin, pj_request *parent, const char *state);
pj_post *pj_publish_input(pj_origin *origin, pj_request *parent, pj_str code, int count);
pj_post *pj_publish_result(pj_origin *origin, pj_request *parent, int count, json_t *data,
                           json_t *metadata);
pj_post *pj_publish_error(pj_origin *origin, pj_request *parent, json_t *error);
pj_post *pj_publish_display(pj_origin *origin, pj_request *parent, const pj_display *display);
pj_post *pj_publish_clear(pj_origin *origin, pj_request *parent, bool wait);
pj_post *pj_publish_stream(pj_origin *origin, pj_request *parent, pj_stream stream, pj_str text);
pj_post *pj_publish_welcome(pj_origin *origin, pj_str subscription);
/// comm_open, comm_msg or comm_close (`type`).
pj_post *pj_publish_comm(pj_origin *origin, pj_request *parent, const char *type,
                         const pj_comm_message *message);
pj_post *pj_publish_comm_close(pj_origin *origin, pj_request *parent, pj_str comm_id);

/// The question of io.read on the stdin channel.
pj_post *pj_ask_input(pj_origin *origin, pj_request *parent, const char *prompt, bool password);

#endif
