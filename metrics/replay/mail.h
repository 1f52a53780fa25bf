// Which send a receive belongs to, where both are told apart: messages of one tag do not overtake
// each other on their way from a rank to another one on a communicator. Ownership: new/free.
#ifndef PJ_MAIL_H
#define PJ_MAIL_H

#include "metrics/replay/engine.h"
#include "metrics/replay/far.h"
#include "metrics/run/run.h"

typedef struct pj_mail pj_mail;

/// `far`: ranks of other processes; NULL = none.
pj_mail *pj_mail_new(pj_engine *engine, const pj_layout *layout, pj_far *far);
void pj_mail_free(pj_mail *mail);

/// The next channel of a location, from 0 on: messages to and from the rank `other`.
void pj_mail_open(pj_mail *mail, uint32_t location, uint32_t other, uint32_t communicator);

/// One end of a message on a channel that has been opened.
typedef struct pj_mail_end {
    uint32_t location;
    uint32_t channel;
    uint32_t tag;
} pj_mail_end;

/// A send; gives the engine's number for it, held once for the caller.
uint32_t pj_mail_send(pj_mail *mail, pj_mail_end end, uint64_t size);
/// The receive `message` of the engine (pj_engine_post) belongs to the channel.
void pj_mail_receive(pj_mail *mail, pj_mail_end end, uint32_t message);
/// Writes to `far` what the others need to know, and takes what `member` has written; false when
/// that cannot be understood.
void pj_mail_tell(pj_mail *mail);
bool pj_mail_hear(pj_mail *mail, unsigned member, pj_far_kind kind, pj_str *in);
/// Bytes in use.
size_t pj_mail_bytes(const pj_mail *mail);

#endif
