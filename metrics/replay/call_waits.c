// What each MPI call waits for.
// A call collects the times that release it; the last of them counts. It is summed when nothing can
// change it any more: all its sends have found their receives, and enough receives have followed to
// tell whether messages came in the wrong order.
#include "metrics/replay/call_waits.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/num.h"
#include "metrics/base/str.h"
#include "metrics/replay/wait_delays.h"
#include "metrics/replay/wait_fences.h"
#include "metrics/replay/wait_history.h"
#include "metrics/replay/wait_meeting.h"
#include "metrics/replay/wait_sums.h"
#include "metrics/trace/layout.h"
#include "metrics/trace/mpi_call.h"
#include "metrics/trace/mpi_flow.h"

#include <stdlib.h>

enum {
    RECENT_MOST = 100, // late senders of a rank that later receives are compared with
    CALLS = 256,       // rows of mpi_calls.def, from 1; less are there
};

typedef struct call {
    uint64_t enter, leave; // ns in the trace
    uint64_t until;        // released at; enter = at once
    uint64_t awaited;      // when the message was sent that releases it
    uint64_t first_sent;   // the earliest of the messages that it receives
    uint64_t clock;        // of the replay, in ns
    uint32_t rank, culprit;
    uint32_t holders; // whoever may change it
    uint32_t claims;  // of them, those who may make it wait longer
    uint32_t region;  // that it was made in
    uint32_t tag;     // the watch's
    uint64_t step;    // where there is a history
    uint32_t next_free;
    uint16_t name;    // pj_mpi_call
    uint8_t pattern;  // pj_wait_pattern
    bool polls;       // MPI_Test: looks and goes on
    bool wrong_order; // a message that was sent before is received later
    bool told;        // the history knows how long it waited
    bool completes;   // a barrier or the like
    uint64_t behind;  // of its wait: after the last operation of the origin
} call;

typedef struct caller {
    uint32_t now;             // the call that it is in; PJ_NO_WAIT = none
    uint32_t last;            // MPI_Finalize; the same
    uint32_t *recent;         // ring of calls that waited for late senders
    uint64_t *recent_awaited; // of each place: when the message was sent; 0 = it came in that order
    uint32_t recent_first, recent_count;
    uint64_t recent_sent; // no message that these waited for, in the right order, was sent later
    uint64_t mpi_ns;
    uint64_t operated;              // when its last operation on a window ended
    uint64_t completed, completing; // MPI_Win_complete: its begin, the last operation before
    uint32_t epoch[2]; // calls that may wait for a post: MPI_Win_start, the longest operation since
} caller;

typedef struct use { // of an MPI function
    uint64_t calls, time_ns, ideal_ns;
    bool polls, last;         // MPI_Test and its like; MPI_Finalize
    bool operates, completes; // on a window: MPI_Put and the like; MPI_Win_complete
    bool starts;              // MPI_Win_start
} use;

struct pj_call_waits {
    pj_arena *arena;
    const pj_run *run;
    caller *callers; // by rank: of its first thread
    call *calls;
    size_t call_count, call_cap;
    uint32_t free_call;
    pj_wait_meetings meetings;
    pj_wait_fences fences;
    pj_wait_sums sums;
    const pj_replay_watch *watch; // NULL = nobody
    pj_wait_history *history;     // NULL = nobody asks for it
    use uses[CALLS + 1];          // the last one: of unknown calls
    uint64_t from_ns, to_ns;
    uint64_t completion_ns[PJ_WAIT_PATTERNS], late_complete_ns;
    uint64_t releases, contradictions, contradiction_ns, contradictions_ns;
    uint64_t contradictions_of[PJ_WAIT_PATTERNS];
};

static bool is_named(pj_mpi_call name, const char *prefix)
{
    const pj_mpi_call_row *row = pj_mpi_call_at(name);
    return row && pj_str_starts(pj_str_of(row->name), pj_str_of(prefix));
}

/// Names are looked at once.
static void name_uses(pj_call_waits *waits)
{
    for (unsigned i = 0; i < CALLS; i++) {
        waits->uses[i].polls = is_named((pj_mpi_call)i, "MPI_Test");
        waits->uses[i].last = is_named((pj_mpi_call)i, "MPI_Finalize");
        const pj_mpi_call_row *row = pj_mpi_call_at((pj_mpi_call)i);
        waits->uses[i].operates = row && row->class_ == PJ_MPI_ONE_SIDED &&
                                  row->role == PJ_ROLE_NONE &&
                                  !is_named((pj_mpi_call)i, "MPI_Win_");
        waits->uses[i].completes = is_named((pj_mpi_call)i, "MPI_Win_complete");
        waits->uses[i].starts = is_named((pj_mpi_call)i, "MPI_Win_start");
    }
}

pj_call_waits *pj_call_waits_new(const pj_run *run, unsigned history)
{
    pj_arena *arena = pj_arena_new(NULL);
    pj_call_waits *waits = pj_new(arena, pj_call_waits);
    waits->arena = arena;
    waits->run = run;
    waits->free_call = PJ_NO_WAIT;
    waits->to_ns = UINT64_MAX;
    if (run->roi.set) {
        waits->from_ns = run->roi.from_ns;
        waits->to_ns = run->roi.to_ns;
    }
    waits->history = history ? pj_wait_history_new(run, history) : NULL;
    waits->callers = pj_new_n(arena, caller, run->layout.ranks);
    for (uint32_t i = 0; i < run->layout.ranks; i++)
        waits->callers[i].now = waits->callers[i].last = waits->callers[i].epoch[0] =
            waits->callers[i].epoch[1] = PJ_NO_WAIT;
    name_uses(waits);
    return waits;
}

void pj_call_waits_watch(pj_call_waits *waits, const pj_replay_watch *watch)
{
    waits->watch = watch;
}

void pj_call_waits_free(pj_call_waits *waits)
{
    if (!waits)
        return;
    free(waits->calls);
    pj_wait_meetings_free(&waits->meetings);
    pj_wait_fences_free(&waits->fences);
    pj_wait_sums_free(&waits->sums);
    pj_wait_history_free(waits->history);
    pj_arena_free(waits->arena);
}

static uint64_t clip(const pj_call_waits *waits, uint64_t time)
{
    return time < waits->from_ns ? waits->from_ns : time > waits->to_ns ? waits->to_ns : time;
}

/// Whether a call counts in the region of interest, whose borders the replay passes before calls
/// that begin there and behind the others.
static bool begins_inside(const pj_call_waits *waits, uint64_t enter)
{
    return enter >= waits->from_ns && enter < waits->to_ns;
}

/// The rank, if the location is its first thread: others have no account. NULL else.
static caller *caller_of(const pj_call_waits *waits, uint32_t location)
{
    const pj_layout *layout = &waits->run->layout;
    uint32_t rank = layout->rank_of[location];
    return layout->first_location[rank] == location ? &waits->callers[rank] : NULL;
}

/// The call that the location is in; NULL = none.
static call *now_of(const pj_call_waits *waits, uint32_t location)
{
    const caller *c = caller_of(waits, location);
    return c && c->now != PJ_NO_WAIT ? &waits->calls[c->now] : NULL;
}

void pj_call_waits_event(pj_call_waits *waits, const pj_event *event)
{
    if (waits->history)
        pj_wait_history_event(waits->history, event);
}

// Calls

static use *use_of(pj_call_waits *waits, pj_mpi_call name)
{
    return &waits->uses[name < CALLS ? name : CALLS];
}

static uint32_t new_call(pj_call_waits *waits)
{
    uint32_t id = waits->free_call;
    if (id != PJ_NO_WAIT) {
        waits->free_call = waits->calls[id].next_free;
        return id;
    }
    pj_grow(waits->calls, &waits->call_cap, waits->call_count + 1);
    return (uint32_t)waits->call_count++;
}

static void sum_up(pj_call_waits *waits, const call *done)
{
    uint64_t begin = clip(waits, done->enter), end = clip(waits, done->until);
    if (end <= begin)
        return;
    waits->late_complete_ns +=
        done->behind && done->pattern == PJ_WAIT_early_wait ? end - clip(waits, done->behind) : 0;
    if (waits->watch && waits->watch->waited)
        waits->watch->waited(waits->watch->self, done->rank, done->tag, begin, end);
    pj_wait_pattern pattern = (pj_wait_pattern)done->pattern;
    if (pattern == PJ_WAIT_late_sender && done->wrong_order)
        pattern = PJ_WAIT_late_sender_wrong_order;
    pj_one_wait wait = {.rank = done->rank,
                        .culprit = done->culprit,
                        .pattern = pattern,
                        .call = done->name,
                        .begin = begin,
                        .ns = end - begin};
    pj_wait_sums_add(&waits->sums, &wait);
    if (waits->history)
        pj_wait_history_sum(waits->history, done->region, &wait);
}

/// Nothing makes the call wait longer: the history is told.
static void tell_history(const pj_call_waits *waits, call *c)
{
    if (!waits->history || c->told)
        return;
    c->told = true;
    if (c->until > c->enter)
        pj_wait_history_wait(waits->history, &(pj_delayed){.rank = c->rank,
                                                           .culprit = c->culprit,
                                                           .step = c->step,
                                                           .released = c->awaited,
                                                           .ns = c->until - c->enter,
                                                           .inside_ns = clip(waits, c->until) -
                                                                        clip(waits, c->enter)});
}

static void release(pj_call_waits *waits, uint32_t id)
{
    call *c = &waits->calls[id];
    if (--c->holders > 0)
        return;
    sum_up(waits, c);
    c->next_free = waits->free_call;
    waits->free_call = id;
}

/// The call was held until the other rank did something at `time`.
static void release_at(pj_call_waits *waits, call *c, uint64_t time, pj_wait_pattern pattern,
                       uint32_t culprit)
{
    waits->releases++;
    if (time > c->leave && pattern != PJ_WAIT_late_receiver) {
        waits->contradictions++;
        waits->contradictions_of[pattern]++;
        waits->contradictions_ns += time - c->leave;
        if (time - c->leave > waits->contradiction_ns)
            waits->contradiction_ns = time - c->leave;
    }
    uint64_t until = time < c->leave ? time : c->leave;
    if (c->polls || until <= c->enter || until < c->until)
        return;
    if (until == c->until &&
        (c->pattern < pattern || (c->pattern == pattern && c->culprit <= culprit)))
        return;
    c->until = until;
    c->pattern = (uint8_t)pattern;
    c->culprit = culprit;
    c->awaited = time;
}

static bool waits_for_sender(const call *c)
{
    return c->until > c->enter && c->pattern == PJ_WAIT_late_sender;
}

static uint32_t *recent_at(const caller *c, uint32_t i)
{
    return &c->recent[(c->recent_first + i) % RECENT_MOST];
}

/// Messages that were sent before those that earlier calls waited for came in the wrong order.
static void look_back(pj_call_waits *waits, caller *c, const call *done)
{
    if (done->first_sent >= c->recent_sent)
        return;
    c->recent_sent = 0;
    for (uint32_t i = 0; i < RECENT_MOST && c->recent; i++) {
        uint64_t *awaited = &c->recent_awaited[i];
        if (*awaited > done->first_sent) {
            call *before = &waits->calls[c->recent[i]];
            before->wrong_order |= waits_for_sender(before);
            *awaited = 0;
        }
        c->recent_sent = *awaited > c->recent_sent ? *awaited : c->recent_sent;
    }
}

static void forget_first(pj_call_waits *waits, caller *c)
{
    uint32_t first = *recent_at(c, 0);
    c->recent_awaited[c->recent_first] = 0;
    c->recent_first = (c->recent_first + 1) % RECENT_MOST;
    c->recent_count--;
    release(waits, first);
}

static void remember(pj_call_waits *waits, caller *c, uint32_t id)
{
    if (!c->recent) {
        c->recent = pj_new_n(waits->arena, uint32_t, RECENT_MOST);
        c->recent_awaited = pj_new_n(waits->arena, uint64_t, RECENT_MOST);
    }
    if (c->recent_count == RECENT_MOST)
        forget_first(waits, c);
    waits->calls[id].holders++;
    if (waits->calls[id].awaited > c->recent_sent)
        c->recent_sent = waits->calls[id].awaited;
    c->recent_awaited[(c->recent_first + c->recent_count) % RECENT_MOST] = waits->calls[id].awaited;
    *recent_at(c, c->recent_count++) = id;
}

/// One of those who may make a call wait longer does not any more.
static void release_claim(pj_call_waits *waits, uint32_t id)
{
    call *c = &waits->calls[id];
    c->claims--;
    if (c->claims == 0 && waits->callers[c->rank].now != id)
        tell_history(waits, c);
    release(waits, id);
}

/// What a target that waits for the end of its epoch asks for.
static void note_operation(caller *c, const use *u, const uint64_t trace[2])
{
    if (u->operates)
        c->operated = trace[1];
    if (!u->completes)
        return;
    c->completed = trace[0];
    c->completing = c->operated;
}

static void drop_epoch(pj_call_waits *waits, caller *c, unsigned which)
{
    if (c->epoch[which] != PJ_NO_WAIT)
        release_claim(waits, c->epoch[which]);
    c->epoch[which] = PJ_NO_WAIT;
}

/// Which call waits for a post is known when its signal is taken, as the epoch is completed.
static void note_epoch(pj_call_waits *waits, caller *c, const use *u)
{
    unsigned which = u->starts ? 0 : 1;
    call *now = &waits->calls[c->now];
    const call *longest = c->epoch[1] == PJ_NO_WAIT ? NULL : &waits->calls[c->epoch[1]];
    if (u->starts)
        drop_epoch(waits, c, 1);
    else if (c->epoch[0] == PJ_NO_WAIT ||
             (longest && now->leave - now->enter <= longest->leave - longest->enter))
        return;
    drop_epoch(waits, c, which);
    now->holders++;
    now->claims++;
    c->epoch[which] = c->now;
}

void pj_call_waits_enter(pj_call_waits *waits, uint32_t location, pj_mpi_call name,
                         const uint64_t trace[2], double clock)
{
    caller *c = caller_of(waits, location);
    uint64_t enter = trace[0], leave = trace[1];
    if (!c)
        return;
    c->now = new_call(waits);
    waits->calls[c->now] = (call){.enter = enter,
                                  .leave = leave,
                                  .until = enter,
                                  .first_sent = UINT64_MAX,
                                  .clock = (uint64_t)(clock + 0.5),
                                  .rank = waits->run->layout.rank_of[location],
                                  .holders = 1,
                                  .name = (uint16_t)name,
                                  .polls = use_of(waits, name)->polls};
    if (waits->history) {
        pj_step_place place = pj_wait_history_enter(waits->history, waits->calls[c->now].rank, name,
                                                    enter, waits->calls[c->now].clock);
        waits->calls[c->now].step = place.step;
        waits->calls[c->now].region = place.region;
    }
    uint64_t begin = clip(waits, enter), end = clip(waits, leave);
    use *u = use_of(waits, name);
    note_operation(c, u, trace);
    if (u->starts || u->operates)
        note_epoch(waits, c, u);
    u->calls += begins_inside(waits, enter);
    u->time_ns += end - begin;
    c->mpi_ns += end - begin;
    if (waits->watch && waits->watch->called && end > begin)
        waits->calls[c->now].tag =
            waits->watch->called(waits->watch->self, waits->calls[c->now].rank, begin, end);
}

void pj_call_waits_leave(pj_call_waits *waits, uint32_t location)
{
    caller *c = caller_of(waits, location);
    if (!c || c->now == PJ_NO_WAIT)
        return;
    uint32_t id = c->now;
    c->now = PJ_NO_WAIT;
    call *done = &waits->calls[id];
    if (done->first_sent != UINT64_MAX)
        look_back(waits, c, done);
    if (waits_for_sender(done))
        remember(waits, c, id);
    bool last = use_of(waits, (pj_mpi_call)done->name)->last && c->last == PJ_NO_WAIT;
    if (!last && done->claims == 0)
        tell_history(waits, done);
    if (waits->history)
        pj_wait_history_leave(waits->history, done->rank, done->leave);
    for (unsigned i = 0; use_of(waits, (pj_mpi_call)done->name)->completes && i < 2; i++)
        drop_epoch(waits, c, i);
    if (last)
        c->last = id; // until all have come
    else
        release(waits, id);
}

void pj_call_waits_held(pj_call_waits *waits, uint32_t location, pj_wait_pattern pattern,
                        uint32_t by, double ideal_ns)
{
    call *c = now_of(waits, location);
    if (!c || !(ideal_ns > 0))
        return;
    uint64_t ns = (uint64_t)(ideal_ns + 0.5);
    bool inside = begins_inside(waits, c->enter);
    c->clock += ns;
    if (waits->history)
        pj_wait_history_ideal(waits->history,
                              &(pj_ideal_wait){.rank = c->rank,
                                               .culprit = waits->run->layout.rank_of[by],
                                               .region = c->region,
                                               .pattern = pattern,
                                               .inside = inside,
                                               .until = c->clock,
                                               .ns = ns});
    if (!inside)
        return;
    use_of(waits, c->name)->ideal_ns += ns;
    pj_wait_sums_add_ideal(&waits->sums, &(pj_one_wait){.rank = c->rank,
                                                        .culprit = waits->run->layout.rank_of[by],
                                                        .pattern = pattern,
                                                        .call = c->name,
                                                        .ns = ns});
}

// Messages

/// Windows are opened and closed by messages without bytes.
static pj_wait_pattern pattern_of_signal(pj_mpi_call name)
{
    const pj_mpi_call_row *row = pj_mpi_call_at(name);
    if (!row || row->class_ != PJ_MPI_ONE_SIDED)
        return PJ_WAIT_late_sender;
    return is_named(name, "MPI_Win_wait") ? PJ_WAIT_early_wait : PJ_WAIT_late_post;
}

/// Of the wait for an origin that has completed, the part after its last operation.
static void note_completion(const pj_call_waits *waits, call *c, uint32_t from, uint64_t sent)
{
    const caller *origin = caller_of(waits, from);
    if (!origin || c->until != sent || c->culprit != waits->run->layout.rank_of[from])
        return;
    bool known = origin->completed == sent && origin->completing;
    c->behind = !known ? 0 : origin->completing > c->enter ? origin->completing : c->enter;
}

/// The calls of the epoch that were held until this post.
static void release_epoch(pj_call_waits *waits, const call *completing, uint32_t from,
                          uint64_t posted)
{
    const caller *c = &waits->callers[completing->rank];
    for (unsigned i = 0; i < 2; i++) {
        call *held = c->epoch[i] == PJ_NO_WAIT ? NULL : &waits->calls[c->epoch[i]];
        if (held && posted > held->enter && posted <= held->leave)
            release_at(waits, held, posted, PJ_WAIT_late_post, waits->run->layout.rank_of[from]);
    }
}

void pj_call_waits_receive(pj_call_waits *waits, uint32_t location, uint32_t from, uint64_t sent,
                           double ideal_ns)
{
    call *c = now_of(waits, location);
    if (!c)
        return;
    if (sent < c->first_sent)
        c->first_sent = sent;
    if (waits->history)
        pj_wait_history_receive(waits->history, c->rank, waits->run->layout.rank_of[from], sent);
    release_at(waits, c, sent, pattern_of_signal(c->name), waits->run->layout.rank_of[from]);
    note_completion(waits, c, from, sent);
    if (pattern_of_signal(c->name) == PJ_WAIT_late_post)
        release_epoch(waits, c, from, sent);
    pj_call_waits_held(waits, location, pattern_of_signal(c->name), from, ideal_ns);
}

uint32_t pj_call_waits_claim(pj_call_waits *waits, uint32_t location)
{
    const caller *c = caller_of(waits, location);
    if (!c || c->now == PJ_NO_WAIT)
        return PJ_NO_WAIT;
    waits->calls[c->now].holders++;
    waits->calls[c->now].claims++;
    return c->now;
}

void pj_call_waits_drop(pj_call_waits *waits, uint32_t claim)
{
    release_claim(waits, claim);
}

void pj_call_waits_posted(pj_call_waits *waits, uint32_t claim, uint32_t by, uint64_t posted)
{
    call *c = &waits->calls[claim];
    if (posted < c->leave) // else the message went off without its receive
        release_at(waits, c, posted, PJ_WAIT_late_receiver, waits->run->layout.rank_of[by]);
    release_claim(waits, claim);
}

// Collectives

uint32_t pj_call_waits_meet(pj_call_waits *waits)
{
    return pj_wait_meetings_new(&waits->meetings);
}

void pj_call_waits_part(pj_call_waits *waits, uint32_t meeting)
{
    const pj_wait_meeting *m = &waits->meetings.items[meeting];
    if (m->leave_count) {
        uint64_t from = m->leave_count * clip(waits, pj_wait_meeting_complete(m));
        waits->completion_ns[pj_wait_meeting_pattern(m)] += m->leaves > from ? m->leaves - from : 0;
    }
    pj_wait_meetings_part(&waits->meetings, meeting);
}

void pj_call_waits_mean(pj_call_waits *waits, uint32_t meeting, pj_mpi_call name, uint32_t root)
{
    pj_wait_meeting *m = &waits->meetings.items[meeting];
    m->flow = pj_mpi_flow_of(name);
    if (root == PJ_NO_WAIT)
        return;
    m->has_root = true;
    m->root = waits->run->layout.rank_of[root];
}

void pj_call_waits_arrive(pj_call_waits *waits, uint32_t meeting, uint32_t location, uint64_t enter,
                          double clock)
{
    pj_wait_meeting_arrive(&waits->meetings.items[meeting],
                           (pj_arrival){waits->run->layout.rank_of[location], enter}, clock);
    if (waits->history && now_of(waits, location))
        pj_wait_history_meet(waits->history, waits->run->layout.rank_of[location],
                             waits->meetings.items[meeting].number);
}

void pj_call_waits_merge(pj_call_waits *waits, uint32_t meeting, uint32_t meant)
{
    pj_wait_meeting_merge(&waits->meetings.items[meeting], &waits->meetings.items[meant]);
    pj_call_waits_part(waits, meeting);
}

void pj_call_waits_met(pj_call_waits *waits, uint32_t location, uint32_t meeting, double ideal_ns)
{
    pj_wait_meeting *m = &waits->meetings.items[meeting];
    call *c = now_of(waits, location);
    pj_arrival released;
    if (!c || !m->came)
        return;
    if (waits->history)
        pj_wait_history_meet(waits->history, c->rank, m->number);
    pj_wait_pattern pattern = pj_wait_meeting_pattern(m);
    if (pj_wait_meeting_release(m, c->rank, &released))
        release_at(waits, c, released.enter, pattern, released.rank);
    if (!c->completes && (pattern == PJ_WAIT_barrier_wait || pattern == PJ_WAIT_wait_at_nxn))
        pj_wait_meeting_leave(m, c->leave, clip(waits, c->leave));
    c->completes = true;
    pj_call_waits_held(waits, location, pattern, waits->run->layout.first_location[m->clock_rank],
                       ideal_ns);
}

/// Whoever came to the first open fence waited for the last one, if all have come.
static void open_fence(pj_call_waits *waits, const pj_wait_fence *fence, bool all)
{
    for (size_t i = 0; i < fence->count; i++) {
        if (all)
            release_at(waits, &waits->calls[fence->calls[i]], fence->latest.enter,
                       PJ_WAIT_wait_at_fence, fence->latest.rank);
        release_claim(waits, fence->calls[i]);
    }
    pj_wait_fences_take(&waits->fences);
}

void pj_call_waits_fence(pj_call_waits *waits, uint32_t location)
{
    const caller *c = caller_of(waits, location);
    if (!c || c->now == PJ_NO_WAIT)
        return;
    call *now = &waits->calls[c->now];
    now->holders++;
    now->claims++;
    const pj_wait_fence *fence = pj_wait_fences_come(&waits->fences, waits->run->layout.ranks,
                                                     (pj_arrival){now->rank, now->enter}, c->now);
    if (fence)
        open_fence(waits, fence, true);
}

void pj_call_waits_lock(pj_call_waits *waits, uint32_t location, uint32_t rank, uint64_t time)
{
    call *c = now_of(waits, location);
    if (c)
        release_at(waits, c, time < c->leave ? time : c->leave, PJ_WAIT_rma_lock, rank);
}

// The end

/// MPI_Finalize ends where all have come to it.
static void meet_at_the_end(pj_call_waits *waits)
{
    const call *latest = NULL;
    uint32_t ranks = waits->run->layout.ranks;
    for (uint32_t i = 0; i < ranks; i++) {
        const call *c =
            waits->callers[i].last == PJ_NO_WAIT ? NULL : &waits->calls[waits->callers[i].last];
        if (c && (!latest || c->enter > latest->enter))
            latest = c;
    }
    for (uint32_t i = 0; i < ranks && latest; i++)
        if (waits->callers[i].last != PJ_NO_WAIT)
            release_at(waits, &waits->calls[waits->callers[i].last], latest->enter,
                       PJ_WAIT_finalize_wait, latest->rank);
}

static void let_go(pj_call_waits *waits)
{
    for (const pj_wait_fence *f; (f = pj_wait_fences_first(&waits->fences));)
        open_fence(waits, f, false);
    for (uint32_t i = 0; i < waits->run->layout.ranks; i++) {
        caller *c = &waits->callers[i];
        for (unsigned k = 0; k < 2; k++)
            drop_epoch(waits, c, k);
        if (c->now != PJ_NO_WAIT)
            release(waits, c->now);
        if (c->last != PJ_NO_WAIT) {
            tell_history(waits, &waits->calls[c->last]);
            release(waits, c->last);
        }
        while (c->recent_count > 0)
            forget_first(waits, c);
        c->now = c->last = PJ_NO_WAIT;
    }
}

static int by_name(const void *a, const void *b)
{
    const pj_mpi_call_row *x = pj_mpi_call_at(((const pj_wait_call *)a)->call);
    const pj_mpi_call_row *y = pj_mpi_call_at(((const pj_wait_call *)b)->call);
    return strcmp(x ? x->name : "", y ? y->name : "");
}

static void write_calls(const pj_call_waits *waits, pj_waits *out, pj_arena *arena)
{
    out->calls = pj_new_n(arena, pj_wait_call, CALLS + 1);
    for (uint32_t i = 0; i <= CALLS; i++) {
        const use *u = &waits->uses[i];
        if (!u->calls && !u->time_ns)
            continue;
        out->calls[out->call_count++] = (pj_wait_call){.call = i < CALLS ? i : PJ_MPI_UNKNOWN,
                                                       .calls = u->calls,
                                                       .time_ns = u->time_ns,
                                                       .ideal_ns = u->ideal_ns};
    }
    qsort(out->calls, out->call_count, sizeof *out->calls, by_name);
    for (uint32_t s = 0; s < out->sum_count; s++)
        for (uint32_t i = 0; i < out->call_count; i++)
            if (out->calls[i].call == out->sums[s].call)
                out->calls[i].wait_ns += out->sums[s].wait_ns;
}

/// Of calls that the replay has not come to nothing is known but that they were in MPI.
static uint64_t mpi_of_cut(const pj_run *run, uint32_t rank)
{
    const pj_totals *t = &run->totals[run->layout.first_location[rank]];
    return t->last_event_ns > t->outside_mpi_ns ? t->last_event_ns - t->outside_mpi_ns : 0;
}

static void write_ranks(const pj_call_waits *waits, const pj_run *run, pj_waits *out)
{
    const pj_layout *layout = &run->layout;
    out->ranks = pj_new_n(run->arena, pj_wait_rank, layout->ranks);
    for (uint32_t i = 0; i < layout->ranks; i++) {
        pj_wait_rank *rank = &out->ranks[i];
        uint64_t last = clip(waits, run->totals[layout->first_location[i]].last_event_ns);
        uint64_t end = run->roi.set ? run->roi.to_ns : run->runtime_ns;
        rank->mpi_ns = waits->callers[i].mpi_ns;
        uint64_t whole = out->cut && !run->roi.set ? mpi_of_cut(run, i) : 0;
        rank->mpi_ns = whole > rank->mpi_ns ? whole : rank->mpi_ns;
        rank->outside_ns = last - waits->from_ns - rank->mpi_ns;
        rank->end_ns = end > last ? end - last : 0;
    }
    for (uint32_t s = 0; s < out->sum_count; s++)
        out->ranks[out->sums[s].rank].wait_ns += out->sums[s].wait_ns;
}

static const char *lack_of_ideal(const pj_run *run)
{
    if (run->roi.set && run->ideal.available && !(run->ideal.runtime_ns > 0))
        return "no time is left between the borders of the region of interest";
    return run->ideal.available ? NULL : run->ideal.reason;
}

/// Where releases contradict so often, or by so much, that waits are not to be relied upon.
static void remark_clocks(const pj_call_waits *waits, pj_run *run)
{
    const double often = 1e-3, much = 1e-2;
    char sum[32];
    if ((double)waits->contradictions <= often * (double)waits->releases &&
        (double)waits->contradictions_ns <= much * (double)run->runtime_ns)
        return;
    pj_format_duration((double)waits->contradictions_ns, sum);
    pj_run_remark(run, PJ_WARNING, "clocks",
                  "clocks of ranks disagree: %llu of %llu calls ended before what they waited for "
                  "had begun, by %s in sum; waits are short of that",
                  (unsigned long long)waits->contradictions, (unsigned long long)waits->releases,
                  sum);
}

/// Whether windows are locked, and the trace does not name them.
static bool lacks_locks(const pj_call_waits *waits, const pj_run *run)
{
    bool any = false;
    for (unsigned i = 0; i < CALLS; i++)
        any |= waits->uses[i].calls && (is_named((pj_mpi_call)i, "MPI_Win_lock") ||
                                        is_named((pj_mpi_call)i, "MPI_Win_unlock"));
    return any && !run->told.windows;
}

void pj_call_waits_finish(pj_call_waits *waits, pj_run *run)
{
    meet_at_the_end(waits);
    let_go(waits);
    pj_wait_sums_sort(&waits->sums);
    pj_waits *out = pj_new(run->arena, pj_waits);
    out->sums = pj_new_n(run->arena, pj_wait_sum, waits->sums.count + 1);
    out->sum_count = (uint32_t)waits->sums.count;
    for (uint32_t i = 0; i < out->sum_count; i++)
        out->sums[i] = waits->sums.items[i];
    out->worst = pj_new_n(run->arena, pj_one_wait, waits->sums.worst_count + 1);
    out->worst_count = waits->sums.worst_count;
    for (uint32_t i = 0; i < out->worst_count; i++)
        out->worst[i] = waits->sums.worst[i];
    out->locks_unknown = lacks_locks(waits, run);
    out->cut = run->has_mpi && !run->ideal.available;
    write_calls(waits, out, run->arena);
    write_ranks(waits, run, out);
    memcpy(out->completion_ns, waits->completion_ns, sizeof out->completion_ns);
    out->late_complete_ns = waits->late_complete_ns;
    out->contradictions = waits->contradictions;
    memcpy(out->contradictions_of, waits->contradictions_of, sizeof out->contradictions_of);
    out->contradiction_ns = waits->contradiction_ns;
    remark_clocks(waits, run);
    out->ideal_lacks = lack_of_ideal(run);
    out->has_ideal = !out->ideal_lacks;
    out->delays = waits->history ? pj_wait_history_finish(waits->history, run, out) : NULL;
    run->waits = out;
}

size_t pj_call_waits_bytes(const pj_call_waits *waits)
{
    return (waits->history ? pj_wait_history_bytes(waits->history) : 0) +
           waits->call_cap * sizeof *waits->calls +
           waits->meetings.cap * sizeof *waits->meetings.items + pj_wait_sums_bytes(&waits->sums) +
           (size_t)pj_arena_size(waits->arena);
}
