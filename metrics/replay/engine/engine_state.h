// What the clocks of the replay consist of, for those files that move or see them: engine,
// engine_*. Ownership: the engine's.
#ifndef PJ_ENGINE_STATE_H
#define PJ_ENGINE_STATE_H

#include "metrics/replay/call_waits.h"
#include "metrics/replay/engine/engine.h"
#include "metrics/replay/network.h"
#include "metrics/replay/whatif/tape.h"

typedef struct message {
    double sent, posted, arrived; // clocks
    uint64_t size;
    uint64_t mark;               // the watch's, of its sending
    uint64_t sent_at, posted_at; // ns in the trace, of the calls that do it
    uint32_t claim;              // of its sender, in the account
    uint32_t from, to;           // `to` links free messages
    uint32_t holders;
    uint32_t other;          // end of the message, where they are apart; PJ_NOTHING = none yet
    bool is_send;            // the sender's end of these
    bool far;                // its clock is news for another process
    bool is_sent, is_posted; // the clock is known
    bool sender_waits, receiver_waits;
    bool no_send, no_post; // no operation does it
    bool has_post;         // an operation posts it, now or later
    bool has_send;         // the same
} message;

typedef struct sync {
    double clock; // of the last arrival; when open: when guests leave
    uint64_t bytes;
    uint32_t expected, arrived;
    uint32_t holders;
    uint32_t first_waiter; // location; also links free synchronisations
    uint32_t next;         // synchronisation that this one arrives at, or that it has joined
    bool costed, closed, open, joined;
    bool far, listed;    // has guests in other processes; is in the news
    uint32_t row, fresh; // its number there; guests who have come since the last news
    uint64_t number;
    double came;      // clock of the last arrival in this process
    uint32_t meeting; // in the account
    bool means, marked;
    uint64_t mark; // the watch's, of the first guest
} sync;

typedef struct line {
    pj_clock clock;
    double seen; // clock at clock.at: the watch has been told up to here
    pj_op *ops;  // ring of what is to be done after waiting
    uint32_t head, count, cap;
    uint32_t next_waiter;
    bool waits, woken;
} line;

typedef struct border { // of a location
    pj_clock clock;
    bool passed, inside; // inside: on its way at no cost
} border;

struct pj_engine {
    pj_network network;
    pj_engine_watch watch;
    pj_call_waits *account;
    pj_tape *tape; // NULL = nobody keeps what is done
    uint32_t locations;
    line *lines;
    message *messages;
    size_t message_count, message_cap;
    uint32_t free_message;
    sync *syncs;
    size_t sync_count, sync_cap;
    uint32_t free_sync;
    uint32_t *woken; // stack of locations
    size_t woken_count;
    uint64_t roi[2];
    border *borders; // two by location; NULL = the whole trace
    size_t ring_bytes;
    uint32_t *news, *sync_news; // messages and synchronisations, for other processes
    size_t news_count, news_cap, sync_news_count, sync_news_cap;
};

static inline double later(double a, double b)
{
    return a < b ? b : a;
}

/// The location, if it waits, is to go on at the next `pj_engine_run_woken`, which lets all such
/// run until they wait again.
void pj_engine_wake(pj_engine *engine, uint32_t location);
void pj_engine_run_woken(pj_engine *engine);

/// What operations on a message do on the location's clock; false when it must wait.
bool pj_engine_do_send(pj_engine *engine, line *l, uint32_t id, bool blocking);
bool pj_engine_do_wait(pj_engine *engine, line *l, uint32_t id);
void pj_engine_do_post(pj_engine *engine, const line *l, uint32_t id);

/// The call that the location is in is held by the send of the message.
void pj_engine_claim(pj_engine *engine, uint32_t location, message *m);

/// The same on a synchronisation; false when the location must wait.
bool pj_engine_do_await(pj_engine *engine, uint32_t location, uint32_t id);
void pj_engine_do_arrive(pj_engine *engine, const line *l, uint32_t id);

#endif
