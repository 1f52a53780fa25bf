// The wire protocol of Jupyter 5.6: frames to requests and posts to frames, signed with HMAC.
// Pure: no sockets, no threads. Ownership: new/free; decoded requests are the caller's.
//   [identities...] <IDS|MSG> hex-HMAC header parent_header metadata content [buffers...]
#ifndef PJ_WIRE_H
#define PJ_WIRE_H

#include "kernel/jupyter/message.h"
#include "kernel/jupyter/request.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"

enum {
    PJ_WIRE_FRAMES = 1024,     // most frames of one message
    PJ_WIRE_IDS = 16,          // most identities before the delimiter
    PJ_WIRE_SIGNATURE = 128,   // most digits of a signature
    PJ_WIRE_REMEMBERED = 32768 // signatures the replay guard holds at least, at most twice that
};

/// Signs and verifies for one connection; used by one thread at a time.
typedef struct pj_wire pj_wire;
/// Signatures seen on any channel; shared by all threads of a connection.
typedef struct pj_replay pj_replay;

/// `scheme` is "hmac-<digest>" with a digest OpenSSL knows; an empty key means no signing.
PJ_CHECKED pj_wire *pj_wire_new(pj_str scheme, pj_str key, pj_err *err);
void pj_wire_free(pj_wire *wire);

/// The signature of any frames in hexadecimal; returns its length, 0 when nothing is signed.
size_t pj_wire_sign(pj_wire *wire, const pj_str *frames, size_t count, char *out);
/// In constant time.
bool pj_wire_verify(pj_wire *wire, pj_str signature, const pj_str *frames, size_t count);

pj_replay *pj_replay_new(void);
void pj_replay_free(pj_replay *replay);

/// Checks the frames' number and signature before anything is parsed, then decodes the header,
/// then the rest. NULL with PJ_E_FORMAT that says why the message was refused. `replay` may be
/// NULL. The frames are copied.
PJ_CHECKED pj_request *pj_wire_decode(pj_wire *wire, pj_replay *replay, const pj_str *frames,
                                      size_t count, pj_err *err);

/// The frames of one message; views into `store` and the post. Zero it before first use and give
/// it to any number of encodings; free with pj_frames_free.
typedef struct pj_frames {
    pj_str *at;
    size_t count, cap;
    pj_buf store;
} pj_frames;

/// `ids` come before the delimiter: identities of a ROUTER's peer or the topic of a publication.
void pj_wire_encode(pj_wire *wire, const pj_origin *origin, const pj_post *post, const pj_str *ids,
                    size_t id_count, pj_frames *out);
void pj_frames_free(pj_frames *frames);

#endif
