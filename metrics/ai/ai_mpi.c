// From rows of calls, as databases have them, to events: which request a call completes, who is at
// the other end of a message, and which collective of which communicator it is.
#include "metrics/ai/ai_mpi.h"

#include "metrics/ai/ai_communicators.h"
#include "metrics/ai/ai_rank.h"
#include "metrics/ai/ai_spill.h"
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/job.h"
#include "metrics/base/map.h"
#include "metrics/base/sort.h"
#include "metrics/base/str.h"
#include "metrics/run/ai_account.h"
#include "metrics/run/run.h"
#include "metrics/run/waits/run_waits.h"
#include "metrics/trace/event.h"
#include "metrics/trace/mpi_call.h"

#include <stdlib.h>

enum { BATCH = 4096 };

void pj_ai_mpi_keep(pj_ai_rank *rank, pj_ai_mpi_call call)
{
    if (!rank->keeps_mpi)
        return;
    pj_ai_grow(&rank->spill, rank->mpi_calls, &rank->mpi_call_cap, rank->mpi_call_count + 1);
    call.row = (uint32_t)rank->mpi_call_count;
    rank->mpi_calls[rank->mpi_call_count++] = call;
}

// What a rank calls

static pj_mpi_role role_of(pj_mpi_call call)
{
    const pj_mpi_call_row *row = pj_mpi_call_at(call);
    return row ? row->role : PJ_ROLE_NONE;
}

bool pj_ai_mpi_is_collective(const pj_ai_mpi_call *call)
{
    const pj_mpi_call_row *row = pj_mpi_call_at(call->call);
    return row && row->class_ == PJ_MPI_COLLECTIVE && call->communicator != -1;
}

static int by_begin(const void *a, const void *b)
{
    const pj_ai_mpi_call *x = a, *y = b;
    if (x->begin != y->begin)
        return x->begin < y->begin ? -1 : 1;
    if (x->end != y->end)
        return x->end > y->end ? -1 : 1; // what is called within another one comes behind it
    if (x->call != y->call)
        return x->call < y->call ? -1 : 1;
    if (x->request != y->request)
        return x->request < y->request ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

static bool same_call(const pj_ai_mpi_call *a, const pj_ai_mpi_call *b)
{
    return a->begin == b->begin && a->end == b->end && a->call == b->call;
}

/// A persistent request, which is made for one direction.
static bool is_made(pj_mpi_call call, bool *sends)
{
    const pj_mpi_call_row *row = pj_mpi_call_at(call);
    pj_str name = pj_str_of(row ? row->name : "");
    *sends = !pj_str_starts(name, PJ_S("MPI_Recv"));
    return row && row->class_ == PJ_MPI_P2P && pj_str_ends(name, PJ_S("_init"));
}

/// Of a call that starts what was made before: what that is.
static void take_made(pj_ai_mpi_call *call, const pj_ai_mpi_call *made)
{
    bool sends;
    if (!is_made(made->call, &sends))
        return;
    call->communicator = made->communicator;
    call->bytes = made->bytes;
    call->peer = made->peer;
    call->tag = made->tag;
    call->sends = sends;
    call->receives = !sends;
}

/// Which end of a message a call is; of MPI_Sendrecv the first row sends.
static void take_direction(pj_ai_mpi_call *call, const pj_ai_mpi_call *before)
{
    pj_mpi_role role = role_of(call->call);
    bool again = before && same_call(before, call) && before->sends;
    call->sends =
        role == PJ_ROLE_SEND || role == PJ_ROLE_ISEND || (role == PJ_ROLE_SENDRECV && !again);
    call->receives =
        role == PJ_ROLE_RECV || role == PJ_ROLE_IRECV || (role == PJ_ROLE_SENDRECV && again);
}

static bool is_posted(const pj_ai_mpi_call *call)
{
    pj_mpi_role role = role_of(call->call);
    return (call->sends || call->receives) && call->request != -1 &&
           (role == PJ_ROLE_ISEND || role == PJ_ROLE_IRECV || role == PJ_ROLE_START);
}

/// The last call that waits for a request, or tests it, before its handle is used anew completes
/// it.
static void find_completions(pj_ai_mpi_call *calls, size_t count)
{
    pj_map posted = {.entries = NULL}, made = {.entries = NULL};
    uint32_t found;
    bool sends;
    for (uint32_t i = 0; i < count; i++) {
        pj_ai_mpi_call *call = &calls[i];
        pj_mpi_role role = role_of(call->call);
        call->done = call->first = call->next = PJ_AI_NONE;
        take_direction(call, i ? call - 1 : NULL);
        if (is_made(call->call, &sends) && call->request != -1)
            pj_map_put(&made, (uint64_t)call->request, i);
        if (role == PJ_ROLE_START && pj_map_get(&made, (uint64_t)call->request, &found))
            take_made(call, &calls[found]);
        if (is_posted(call))
            pj_map_put(&posted, (uint64_t)call->request, i);
        else if (role == PJ_ROLE_WAIT && call->request != -1 &&
                 pj_map_get(&posted, (uint64_t)call->request, &found))
            calls[found].done = i;
    }
    for (uint32_t i = (uint32_t)count; i-- > 0;)
        if (calls[i].done != PJ_AI_NONE) {
            calls[i].next = calls[calls[i].done].first;
            calls[calls[i].done].first = i;
        }
    pj_map_free(&posted);
    pj_map_free(&made);
}

// Telling

typedef struct telling {
    pj_run *run;
    pj_ai_rank *const *ranks;
    const pj_ai_communicators *communicators;
    pj_ai_mpi_listener to;
    int64_t begin, end; // of all calls, on the common clock
    pj_map *channels;   // by rank
    uint32_t *sent;     // by rank
    int64_t *last;      // end of the last call, by rank
    uint64_t overlaps;  // calls that were left out, as another thread was in one
    uint64_t strangers; // messages from and to ranks that are not told
    pj_event events[BATCH];
    size_t count;
    pj_err *err;
    bool ok;
} telling;

static void flush(telling *t)
{
    pj_batch batch = {.events = t->events, .count = t->count};
    t->ok = t->ok && (!t->count || t->to.events(t->to.self, &batch, t->err));
    t->count = 0;
}

/// A time of a rank as it is told.
static uint64_t told_time(const telling *t, uint32_t rank, int64_t time)
{
    return (uint64_t)(pj_ai_rank_common(t->ranks[rank], time) - t->begin);
}

static void give(telling *t, uint32_t rank, int64_t time, pj_event event)
{
    if (t->count == BATCH)
        flush(t);
    event.time = told_time(t, rank, time);
    event.location = rank;
    t->events[t->count++] = event;
}

static uint64_t channel_of(telling *t, uint32_t rank, const pj_ai_mpi_call *at, uint32_t peer,
                           uint32_t communicator)
{
    uint64_t key = (uint64_t)peer << 32 | communicator;
    uint32_t found;
    if (!pj_map_get(&t->channels[rank], key, &found)) {
        found = (uint32_t)t->channels[rank].count;
        pj_map_put(&t->channels[rank], key, found);
        give(t, rank, at->begin, (pj_event){.kind = PJ_EV_PART, .code = PJ_PART_CHANNEL, .a = key});
    }
    return found;
}

/// An end of a message, told while its rank is in the call `at`.
static void give_end(telling *t, uint32_t rank, const pj_ai_mpi_call *at,
                     const pj_ai_mpi_call *message, pj_part_kind kind)
{
    uint32_t communicator = pj_ai_communicators_of(t->communicators, rank, message->communicator);
    uint32_t peer = pj_ai_communicators_member(t->communicators, communicator, message->peer);
    if (peer == PJ_AI_NONE) {
        t->strangers++;
        return;
    }
    uint64_t more = kind == PJ_PART_SEND ? message->bytes : told_time(t, rank, message->begin);
    uint64_t channel = channel_of(t, rank, at, peer, communicator);
    give(t, rank, at->begin,
         (pj_event){.kind = PJ_EV_PART,
                    .code = (uint16_t)kind,
                    .a = channel << 32 | (uint32_t)message->tag,
                    .b = more});
}

static bool is_known(const telling *t, uint32_t rank, const pj_ai_mpi_call *message)
{
    uint32_t communicator = pj_ai_communicators_of(t->communicators, rank, message->communicator);
    return pj_ai_communicators_member(t->communicators, communicator, message->peer) != PJ_AI_NONE;
}

static void give_message(telling *t, uint32_t rank, pj_ai_mpi_call *call)
{
    bool completed = call->done != PJ_AI_NONE;
    if (call->sends) {
        call->sent = t->sent[rank];
        t->sent[rank] += is_known(t, rank, call);
        give_end(t, rank, call, call, PJ_PART_SEND);
    } else if (call->receives && !is_posted(call)) {
        give_end(t, rank, call, call, PJ_PART_RECEIVE);
    } else if (call->receives && completed && is_known(t, rank, call)) {
        uint64_t posted = told_time(t, rank, call->begin);
        give(t, rank, call->begin,
             (pj_event){.kind = PJ_EV_PART, .code = PJ_PART_POST, .b = posted});
    }
}

/// Of what was posted within another call as well, as its receives have senders; its sends were not
/// told.
static void give_completions(telling *t, uint32_t rank, const pj_ai_mpi_call *call)
{
    const pj_ai_mpi_call *calls = t->ranks[rank]->mpi_calls;
    for (uint32_t i = call->first; i != PJ_AI_NONE; i = calls[i].next) {
        const pj_ai_mpi_call *message = &calls[i];
        if (message->receives)
            give_end(t, rank, call, message, PJ_PART_COMPLETE);
        else if (t->to.sent && !message->dropped && is_known(t, rank, message))
            give(t, rank, call->begin,
                 (pj_event){.kind = PJ_EV_PART, .code = PJ_PART_SENT, .a = message->sent});
    }
}

static void give_collective(telling *t, uint32_t rank, const pj_ai_mpi_call *call)
{
    if (!pj_ai_mpi_is_collective(call))
        return;
    uint32_t communicator = pj_ai_communicators_of(t->communicators, rank, call->communicator);
    uint32_t root = pj_ai_communicators_member(t->communicators, communicator, call->root);
    give(t, rank, call->begin,
         (pj_event){
             .kind = PJ_EV_COLLECTIVE, .code = root == rank, .a = communicator, .b = call->bytes});
}

/// A call with all its rows.
static void tell_call(telling *t, uint32_t rank, pj_ai_mpi_call *call, size_t rows)
{
    const pj_mpi_call_row *known = pj_mpi_call_at(call->call);
    uint16_t class_ = known ? (uint16_t)known->class_ : PJ_MPI_OTHER;
    if (call->begin < t->last[rank]) {
        t->overlaps++;
        for (size_t i = 0; i < rows; i++)
            call[i].dropped = true;
        return;
    }
    t->last[rank] = call->end;
    give(t, rank, call->begin, (pj_event){.kind = PJ_EV_MPI, .code = class_, .a = call->call});
    give_collective(t, rank, call);
    for (size_t i = 0; i < rows; i++) {
        give_message(t, rank, &call[i]);
        give_completions(t, rank, &call[i]);
    }
    give(t, rank, call->end, (pj_event){.kind = PJ_EV_MPI, .code = class_});
}

// All ranks

/// Where a call stands.
typedef struct turn {
    int64_t begin;
    uint32_t rank, call;
} turn;

static int by_time(const void *a, const void *b)
{
    const turn *x = a, *y = b;
    if (x->begin != y->begin)
        return x->begin < y->begin ? -1 : 1;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return (x->call > y->call) - (x->call < y->call);
}

static bool tell_all(telling *t, turn *turns, size_t count, pj_job *job)
{
    if (!pj_sort_records(turns, count, sizeof *turns, by_time, job->stop))
        t->ok = pj_job_check(job, t->run->path, t->err);
    for (size_t i = 0; t->ok && i < count; i++) {
        pj_ai_rank *rank = t->ranks[turns[i].rank];
        pj_ai_mpi_call *call = &rank->mpi_calls[turns[i].call];
        size_t rows = 1;
        while (turns[i].call + rows < rank->mpi_call_count && same_call(call, call + rows))
            rows++;
        tell_call(t, turns[i].rank, call, rows);
        if (i % BATCH == 0)
            t->ok = t->ok && pj_job_check(job, t->run->path, t->err);
    }
    flush(t);
    return t->ok;
}

static bool arrange(telling *t, uint32_t r, turn *turns, size_t *count, pj_job *job)
{
    pj_ai_rank *rank = t->ranks[r];
    pj_ai_mpi_call *calls = rank->mpi_calls;
    if (!pj_sort_records(calls, rank->mpi_call_count, sizeof *calls, by_begin, job->stop))
        return pj_job_check(job, rank->path, t->err);
    find_completions(calls, rank->mpi_call_count);
    for (size_t i = 0; i < rank->mpi_call_count; i++) {
        int64_t begin = pj_ai_rank_common(rank, calls[i].begin);
        int64_t end = pj_ai_rank_common(rank, calls[i].end);
        t->begin = begin < t->begin ? begin : t->begin;
        t->end = end > t->end ? end : t->end;
        if (!i || !same_call(&calls[i - 1], &calls[i]))
            turns[(*count)++] = (turn){begin, r, (uint32_t)i};
    }
    return true;
}

/// Times of waits count from the begin of the devices.
static void shift_waits(pj_run *run, uint64_t by)
{
    if (!run->waits || !by)
        return;
    pj_waits *waits = pj_new(run->arena, pj_waits);
    *waits = *run->waits;
    for (uint32_t i = 0; i < waits->sum_count; i++)
        waits->sums[i].longest_at_ns -=
            by < waits->sums[i].longest_at_ns ? by : waits->sums[i].longest_at_ns;
    for (uint32_t i = 0; i < waits->worst_count; i++)
        waits->worst[i].begin -= by < waits->worst[i].begin ? by : waits->worst[i].begin;
    run->waits = waits;
}

/// While calls are told, the time of the devices is a region of interest among them.
static bool tell_within(telling *t, turn *turns, size_t count, pj_job *job)
{
    pj_run *run = t->run;
    uint64_t before = (uint64_t)(run->ai->begin - t->begin), last = run->runtime_ns;
    if (before || t->end - run->ai->begin > (int64_t)last)
        run->roi = (pj_roi){.set = true, .from_ns = before, .to_ns = before + run->runtime_ns};
    for (uint32_t r = 0; r < run->layout.locations; r++)
        run->totals[r].last_event_ns = before + last;
    run->end_ns = before + last;
    bool ok = t->to.begin(t->to.self, t->err) && tell_all(t, turns, count, job) &&
              t->to.finish(t->to.self, t->err);
    for (uint32_t r = 0; r < run->layout.locations; r++)
        run->totals[r].last_event_ns = last;
    run->end_ns = last;
    run->roi = (pj_roi){.set = false};
    shift_waits(run, before);
    return ok;
}

static void remark(const telling *t)
{
    if (t->overlaps)
        pj_run_remark(t->run, PJ_WARNING, "mpi_threads",
                      "%llu calls of MPI lie within others of their rank, of another thread: waits "
                      "do not count them",
                      (unsigned long long)t->overlaps);
    if (t->strangers)
        pj_run_remark(t->run, PJ_NOTE, "mpi_strangers",
                      "%llu ends of messages do not tell which rank that was read is at the other "
                      "end: waits do not count them",
                      (unsigned long long)t->strangers);
}

bool pj_ai_mpi_tell(pj_run *run, pj_ai_rank *const *ranks, pj_ai_mpi_listener to, pj_job *job,
                    pj_err *err)
{
    uint32_t n = run->layout.ranks;
    size_t all = 0, count = 0;
    telling *t = pj_take_zeros(sizeof *t);
    *t = (telling){.run = run, .ranks = ranks, .to = to, .begin = run->ai->begin, .err = err};
    t->ok = true;
    t->channels = pj_take_zeros((n + 1) * sizeof *t->channels);
    t->sent = pj_take_zeros((n + 1) * sizeof *t->sent);
    t->last = pj_take_memory((n + 1) * sizeof *t->last);
    for (uint32_t r = 0; r < n; r++) {
        all += ranks[r]->mpi_call_count;
        t->last[r] = INT64_MIN;
    }
    turn *turns = pj_take_memory((all + 1) * sizeof *turns);
    for (uint32_t r = 0; t->ok && r < n; r++)
        t->ok = arrange(t, r, turns, &count, job);
    if (t->ok && count) {
        pj_ai_communicators *communicators = pj_ai_communicators_new(run, ranks, n, job, err);
        t->communicators = communicators;
        run->told.messages_apart = true;
        t->ok = communicators && tell_within(t, turns, count, job);
        pj_ai_communicators_free(communicators);
        remark(t);
    }
    bool ok = t->ok;
    for (uint32_t r = 0; r < n; r++)
        pj_map_free(&t->channels[r]);
    free(turns);
    free(t->channels);
    free(t->sent);
    free(t->last);
    free(t);
    return ok;
}
