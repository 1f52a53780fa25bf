// Calls of MPI of hosts as they are told.
#include "metrics/ai/ai_mpi.h"
#include "metrics/ai/ai_rank.h"
#include "metrics/base/arena.h"
#include "metrics/base/err.h"
#include "metrics/base/job.h"
#include "metrics/run/ai_account.h"
#include "metrics/run/run.h"
#include "metrics/trace/event.h"
#include "metrics/trace/mpi_call.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

enum { RANKS = 2, EVENTS_MOST = 256, EXCHANGES = 3 };

typedef struct heard {
    pj_run *run;
    pj_ai_rank *ranks[RANKS];
    pj_job job;
    pj_event events[EVENTS_MOST];
    size_t count;
} heard;

static bool hear_nothing(void *self, pj_err *err)
{
    (void)self;
    (void)err;
    return true;
}

static bool hear(void *self, const pj_batch *batch, pj_err *err)
{
    heard *h = self;
    (void)err;
    for (size_t i = 0; i < batch->count && h->count < EVENTS_MOST; i++)
        h->events[h->count++] = batch->events[i];
    return true;
}

static void begin(heard *h)
{
    *h = (heard){.run = pj_run_new("run"), .job = {.workers = 1}};
    h->run->layout.ranks = h->run->layout.locations = RANKS;
    h->run->totals = pj_new_n(h->run->arena, pj_totals, RANKS);
    h->run->ai = pj_new(h->run->arena, pj_ai_account);
    h->run->runtime_ns = 1000000;
    for (int64_t r = 0; r < RANKS; r++) {
        h->ranks[r] = pj_ai_rank_new("rank");
        h->ranks[r]->rank = r;
        h->ranks[r]->keeps_mpi = true;
    }
}

static bool tell(heard *h, pj_err *err)
{
    return pj_ai_mpi_tell(
        h->run, h->ranks,
        (pj_ai_mpi_listener){
            .begin = hear_nothing, .events = hear, .finish = hear_nothing, .self = h, .sent = true},
        &h->job, err);
}

static void end(heard *h)
{
    for (int r = 0; r < RANKS; r++)
        pj_ai_rank_free(h->ranks[r]);
    pj_run_drop(&h->run);
}

/// A call of rank `r`, with the other one.
static void call(heard *h, int32_t r, const char *name, int64_t from, int64_t to, int64_t request)
{
    pj_ai_mpi_keep(h->ranks[r], (pj_ai_mpi_call){.begin = from,
                                                 .end = to,
                                                 .communicator = 7,
                                                 .request = request,
                                                 .bytes = 8,
                                                 .call = pj_mpi_call_by_name(pj_str_of(name)),
                                                 .peer = 1 - r,
                                                 .root = -1});
}

static size_t count_of(const heard *h, uint32_t rank, pj_event_kind kind, uint16_t code)
{
    size_t count = 0;
    for (size_t i = 0; i < h->count; i++)
        count +=
            h->events[i].location == rank && h->events[i].kind == kind && h->events[i].code == code;
    return count;
}

/// The clock of the second rank gains a hundredth: both are in a barrier at the same time.
static void clocks_that_drift_are_followed(void **state)
{
    (void)state;
    heard h;
    pj_err err = {.code = PJ_E_NONE};
    begin(&h);
    h.ranks[1]->offset = -500;
    h.ranks[1]->drift = -1.0 / 101;
    h.ranks[1]->drift_from = 500;
    call(&h, 0, "MPI_Barrier", 100000, 200000, -1);
    call(&h, 1, "MPI_Barrier", 101500, 202500, -1);
    assert_true(tell(&h, &err));
    assert_int_equal(h.count, 6);
    for (size_t i = 0; i < h.count; i++)
        assert_int_equal(h.events[i].time, i % 3 < 2 ? 100000 : 200000);
    end(&h);
}

/// Of rows of one call, which nothing else tells apart, the first sends.
static void rows_keep_their_order(void **state)
{
    (void)state;
    heard h;
    pj_err err = {.code = PJ_E_NONE};
    begin(&h);
    for (int i = EXCHANGES; i-- > 0;)
        for (int row = 0; row < 2; row++) {
            call(&h, 0, "MPI_Sendrecv", 1000 * i, 1000 * i + 500, -1);
            h.ranks[0]->mpi_calls[h.ranks[0]->mpi_call_count - 1].tag = row;
        }
    assert_true(tell(&h, &err));
    assert_int_equal(count_of(&h, 0, PJ_EV_PART, PJ_PART_SEND), EXCHANGES);
    assert_int_equal(count_of(&h, 0, PJ_EV_PART, PJ_PART_RECEIVE), EXCHANGES);
    for (size_t i = 0; i < h.count; i++)
        if (h.events[i].kind == PJ_EV_PART && h.events[i].code != PJ_PART_CHANNEL)
            assert_int_equal((uint32_t)h.events[i].a, h.events[i].code == PJ_PART_RECEIVE);
    end(&h);
}

/// A send of another thread is left out; what completes it does not complete the first one.
static void calls_left_out_complete_nothing(void **state)
{
    (void)state;
    heard h;
    pj_err err = {.code = PJ_E_NONE};
    begin(&h);
    call(&h, 0, "MPI_Isend", 1000, 2000, 1);
    call(&h, 0, "MPI_Isend", 1500, 1600, 2);
    call(&h, 0, "MPI_Wait", 3000, 4000, 2);
    assert_true(tell(&h, &err));
    assert_int_equal(count_of(&h, 0, PJ_EV_PART, PJ_PART_SEND), 1);
    assert_int_equal(count_of(&h, 0, PJ_EV_PART, PJ_PART_SENT), 0);
    assert_string_equal(h.run->remarks.items[0].key, "mpi_threads");
    end(&h);
}

static void a_stop_ends_it(void **state)
{
    (void)state;
    atomic_bool stop = true;
    heard h;
    pj_err err = {.code = PJ_E_NONE};
    begin(&h);
    h.job.stop = &stop;
    call(&h, 0, "MPI_Barrier", 1000, 2000, -1);
    call(&h, 1, "MPI_Barrier", 1000, 2000, -1);
    assert_false(tell(&h, &err));
    assert_int_equal(err.code, PJ_E_STOPPED);
    assert_int_equal(h.count, 0);
    end(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clocks_that_drift_are_followed),
        cmocka_unit_test(rows_keep_their_order),
        cmocka_unit_test(calls_left_out_complete_nothing),
        cmocka_unit_test(a_stop_ends_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
