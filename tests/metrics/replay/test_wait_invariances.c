// What must not depend on how ranks are numbered, nor on the unit of time, nor on where a run is
// cut: waits, who made ranks wait, and the critical paths of programs made at random.
#include "metrics/run/waits/run_delays.h"
#include "metrics/run/waits/run_waits.h"
#include "metrics/trace/event.h"
#include "tests/support/trace/replay_script.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { RANKS = 5, ROUNDS = 40, SEEDS = 12 };

/// How a program is written down: rank r as to[r], each ns as `scale`.
typedef struct guise {
    uint32_t to[RANKS];
    uint64_t scale;
    pj_roi roi; // that it is looked at in
} guise;

typedef struct writer {
    pj_script *script;
    const guise *as;
    uint64_t now[RANKS];
    uint64_t seed;
} writer;

static uint64_t noise(writer *w, uint64_t most)
{
    w->seed = w->seed * 6364136223846793005u + 1442695040888963407u;
    return (w->seed >> 33) % most;
}

static uint64_t at(const writer *w, uint64_t time)
{
    return time * w->as->scale;
}

static void compute(writer *w, uint32_t rank)
{
    uint64_t end = w->now[rank] + 20 + noise(w, 1000);
    pj_event event = {.time = at(w, w->now[rank]),
                      .a = 1 + noise(w, 3),
                      .location = w->as->to[rank],
                      .kind = PJ_EV_OTHER,
                      .code = PJ_FUNCTION};
    pj_script_event(w->script, event);
    event.time = at(w, end);
    event.a = 0;
    pj_script_event(w->script, event);
    w->now[rank] = end;
}

/// Each sends to the next one and receives from the one before.
static void ring(writer *w)
{
    uint64_t sent[RANKS];
    for (uint32_t r = 0; r < RANKS; r++) {
        sent[r] = w->now[r];
        w->now[r] += 1 + noise(w, 9);
        pj_script_call(w->script, w->as->to[r], "MPI_Send", at(w, sent[r]), at(w, w->now[r]));
        w->now[r] += 1 + noise(w, 5);
    }
    for (uint32_t r = 0; r < RANKS; r++) {
        uint32_t from = (r + RANKS - 1) % RANKS;
        uint64_t enter = w->now[r], ready = sent[from] > enter ? sent[from] : enter;
        w->now[r] = ready + 3 + noise(w, 20);
        pj_script_call(w->script, w->as->to[r], "MPI_Recv", at(w, enter), at(w, w->now[r]));
        pj_script_send(w->script,
                       (pj_script_message){w->as->to[from], w->as->to[r], at(w, sent[from]),
                                           at(w, enter), at(w, w->now[r]), .size = 100});
    }
}

static void collect(writer *w, const char *name, uint32_t root)
{
    uint64_t latest = 0;
    for (uint32_t r = 0; r < RANKS; r++)
        latest = w->now[r] > latest ? w->now[r] : latest;
    for (uint32_t r = 0; r < RANKS; r++) {
        uint64_t leave = latest + 1 + noise(w, 30);
        pj_script_collect(w->script, w->as->to[r],
                          (pj_script_collective){name, at(w, w->now[r]), at(w, leave), 1,
                                                 .root = r == root, .bytes = 8});
        w->now[r] = leave;
    }
}

static pj_script *write_down(uint64_t seed, const guise *as)
{
    static const char *const names[] = {"MPI_Barrier", "MPI_Allreduce", "MPI_Bcast", "MPI_Reduce"};
    writer w = {.script = pj_script_new(RANKS, 1), .as = as, .seed = seed};
    uint64_t end = 0;
    for (unsigned round = 0; round < ROUNDS; round++) {
        for (uint32_t r = 0; r < RANKS; r++)
            compute(&w, r);
        if (noise(&w, 3))
            ring(&w);
        else
            collect(&w, names[noise(&w, 4)], (uint32_t)noise(&w, RANKS));
    }
    for (uint32_t r = 0; r < RANKS; r++) {
        compute(&w, r);
        pj_script_last(w.script, as->to[r], at(&w, w.now[r]));
        end = w.now[r] > end ? w.now[r] : end;
    }
    w.script->run->roi = as->roi;
    w.script->run->end_ns = at(&w, end);
    w.script->run->runtime_ns = as->roi.set ? as->roi.to_ns - as->roi.from_ns : at(&w, end);
    pj_script_replay(w.script, (pj_replay_opts){.waits = true, .delays = true}, 0);
    assert_true(w.script->run->ideal.available);
    return w.script;
}

static pj_wait_sum sum_of(const pj_waits *waits, pj_wait_sum like)
{
    for (uint32_t i = 0; i < waits->sum_count; i++)
        if (pj_wait_sum_order(&waits->sums[i], &like) == 0)
            return waits->sums[i];
    return (pj_wait_sum){.rank = like.rank};
}

static void same_sums(const pj_waits *plain, const pj_waits *other, const guise *as)
{
    assert_int_equal(plain->sum_count, other->sum_count);
    for (uint32_t i = 0; i < plain->sum_count; i++) {
        pj_wait_sum want = plain->sums[i], like = want;
        like.rank = as->to[want.rank];
        like.culprit = as->to[want.culprit];
        pj_wait_sum got = sum_of(other, like);
        assert_int_equal(got.instances, want.instances);
        assert_int_equal(got.wait_ns, want.wait_ns * as->scale);
        assert_int_equal(got.ideal_ns, want.ideal_ns * as->scale);
        assert_int_equal(got.longest_at_ns, want.longest_at_ns * as->scale);
    }
    for (unsigned p = 0; p < PJ_WAIT_PATTERNS; p++)
        assert_int_equal(other->completion_ns[p], plain->completion_ns[p] * as->scale);
}

/// Regions are numbered as they are met.
static uint32_t region_like(const pj_delays *of, uint32_t region, const pj_delays *in)
{
    for (uint32_t i = 0; i < in->region_count; i++)
        if (strcmp(in->regions[i].name, of->regions[region].name) == 0)
            return i;
    fail_msg("no region %s", of->regions[region].name);
    return 0;
}

static void same_path(const pj_delays *plain, const pj_delays *other, pj_path_clock clock,
                      const guise *as)
{
    const pj_critical_path *a = &plain->paths[clock], *b = &other->paths[clock];
    assert_int_equal(a->count, b->count);
    assert_int_equal(b->last_rank, as->to[a->last_rank]);
    assert_int_equal(b->length_ns, a->length_ns * as->scale);
    for (uint32_t i = 0; i < a->count; i++) {
        uint32_t region = region_like(plain, a->parts[i].region, other), k = 0;
        while (k < b->count &&
               (b->parts[k].region != region || b->parts[k].rank != as->to[a->parts[i].rank]))
            k++;
        assert_true(k < b->count);
        assert_int_equal(b->parts[k].ns, a->parts[i].ns * as->scale);
    }
    for (uint32_t r = 0; r < plain->region_count; r++) {
        const pj_path_impact *x = &plain->regions[r].impact[clock];
        const pj_path_impact *y = &other->regions[region_like(plain, r, other)].impact[clock];
        assert_int_equal(y->on_path_ns, x->on_path_ns * as->scale);
        assert_int_equal(y->off_path_ns, x->off_path_ns * as->scale);
    }
}

static void same_delays(const pj_delays *plain, const pj_delays *other, const guise *as)
{
    double scale = (double)as->scale;
    assert_int_equal(plain->delay_count, other->delay_count);
    assert_true(fabs(other->unattributed_ns - plain->unattributed_ns * scale) < 1e-3 * scale);
    for (uint32_t i = 0; i < plain->delay_count; i++) {
        const pj_delay *x = &plain->delays[i];
        if (x->culprit == PJ_CULPRIT_OTHERS)
            continue;
        uint32_t region = region_like(plain, x->region, other), k = 0;
        while (k < other->delay_count && (other->delays[k].region != region ||
                                          other->delays[k].culprit != as->to[x->culprit]))
            k++;
        assert_true(k < other->delay_count);
        assert_true(fabs(other->delays[k].short_ns - x->short_ns * scale) < 1e-3 * scale);
    }
}

static void compare(const guise *as)
{
    const guise plain = {{0, 1, 2, 3, 4}, 1, {.set = false}};
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        pj_auto_script a = write_down(seed, &plain);
        pj_auto_script b = write_down(seed, as);
        const pj_waits *x = a->run->waits, *y = b->run->waits;
        same_sums(x, y, as);
        same_delays(x->delays, y->delays, as);
        for (unsigned clock = 0; clock < PJ_PATHS; clock++)
            same_path(x->delays, y->delays, (pj_path_clock)clock, as);
    }
}

static void ranks_may_be_numbered_otherwise(void **state)
{
    (void)state;
    compare(&(guise){{4, 2, 0, 3, 1}, 1, {.set = false}});
    compare(&(guise){{1, 2, 3, 4, 0}, 1, {.set = false}});
}

static void times_may_be_longer(void **state)
{
    (void)state;
    compare(&(guise){{0, 1, 2, 3, 4}, 1000, {.set = false}});
}

/// All that a region of interest tells is added to `sums`, in an order that is the same for all
/// regions of a run.
static size_t add_up(const pj_waits *waits, double *sums)
{
    const pj_delays *d = waits->delays;
    double *to = sums;
    for (uint32_t r = 0; r < d->region_count; r++)
        for (uint32_t rank = 0; rank < RANKS; rank++, to += 2)
            for (uint32_t i = 0; i < d->delay_count; i++)
                if (d->delays[i].region == r && d->delays[i].culprit == rank) {
                    to[0] += d->delays[i].short_ns;
                    to[1] += d->delays[i].long_ns;
                }
    for (uint32_t r = 0; r < d->region_count; r++, to += 3) {
        to[0] += (double)d->regions[r].path_ns[PJ_PATH_MEASURED];
        to[1] += (double)d->regions[r].time_ns[PJ_PATH_MEASURED];
        for (unsigned p = 0; p < PJ_WAIT_PATTERNS; p++)
            to[2] += (double)d->regions[r].waits[p].wait_ns;
    }
    *to++ += d->unattributed_ns;
    *to++ += (double)d->paths[PJ_PATH_MEASURED].length_ns;
    return (size_t)(to - sums);
}

static void regions_that_adjoin_add_up(void **state)
{
    (void)state;
    enum { MOST = 4096, CUTS = 3 };
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        guise as = {{0, 1, 2, 3, 4}, 1, {.set = false}};
        double all[MOST] = {0}, parts[MOST] = {0}, same[MOST] = {0};
        pj_auto_script whole = write_down(seed, &as);
        uint64_t end = whole->run->end_ns;
        size_t count = add_up(whole->run->waits, all);
        as.roi = (pj_roi){.set = true, .to_ns = end};
        pj_auto_script again = write_down(seed, &as);
        add_up(again->run->waits, same);
        assert_memory_equal(all, same, count * sizeof *all);
        for (uint64_t cut = 0; cut < CUTS; cut++) {
            as.roi =
                (pj_roi){.set = true, .from_ns = end * cut / CUTS, .to_ns = end * (cut + 1) / CUTS};
            pj_auto_script part = write_down(seed, &as);
            assert_int_equal(add_up(part->run->waits, parts), count);
        }
        for (size_t i = 0; i < count; i++)
            assert_true(fabs(all[i] - parts[i]) < 1e-6);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks_may_be_numbered_otherwise),
        cmocka_unit_test(times_may_be_longer),
        cmocka_unit_test(regions_that_adjoin_add_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
