// What must not depend on how ranks are numbered, nor on the unit of time, nor on where a run is
// cut: waits, who made ranks wait, and the critical paths of programs made at random, with and
// without threads.
#include "metrics/run/aspect.h"
#include "metrics/run/waits/run_delays.h"
#include "metrics/run/waits/run_waits.h"
#include "metrics/run/waits/wait_causes.h"
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
    pj_roi roi;       // that it is looked at in
    uint32_t threads; // of each rank, 1 or 2
    bool teams;       // work is shared with the second one, which may call MPI
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

/// The first thread, which calls MPI but in teams.
static uint32_t first_of(const writer *w, uint32_t rank)
{
    return w->as->to[rank] * w->as->threads;
}

static void compute(writer *w, uint32_t rank)
{
    uint64_t end = w->now[rank] + 20 + noise(w, 1000);
    pj_event event = {.time = at(w, w->now[rank]),
                      .a = 1 + noise(w, 3),
                      .location = first_of(w, rank),
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
        pj_script_call(w->script, first_of(w, r), "MPI_Send", at(w, sent[r]), at(w, w->now[r]));
        w->now[r] += 1 + noise(w, 5);
    }
    for (uint32_t r = 0; r < RANKS; r++) {
        uint32_t from = (r + RANKS - 1) % RANKS;
        uint64_t enter = w->now[r], ready = sent[from] > enter ? sent[from] : enter;
        w->now[r] = ready + 3 + noise(w, 20);
        pj_script_call(w->script, first_of(w, r), "MPI_Recv", at(w, enter), at(w, w->now[r]));
        pj_script_send(w->script,
                       (pj_script_message){first_of(w, from), first_of(w, r), at(w, sent[from]),
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
        pj_script_collect(w->script, first_of(w, r),
                          (pj_script_collective){name, at(w, w->now[r]), at(w, leave), 1,
                                                 .root = r == root, .bytes = 8});
        w->now[r] = leave;
    }
}

static void pair(writer *w, uint32_t location, uint16_t code, uint64_t begin, uint64_t end)
{
    pj_script_openmp(w->script, location, code, 1, at(w, begin));
    pj_script_openmp(w->script, location, code, 0, at(w, end));
}

/// All open a region of two threads; the second ones send each other messages in some.
static void work_in_teams(writer *w)
{
    uint64_t from[RANKS], now[RANKS], sent[RANKS];
    bool sends = noise(w, 2);
    for (uint32_t r = 0; r < RANKS; r++) {
        from[r] = w->now[r] + 1 + noise(w, 9);
        sent[r] = from[r] + noise(w, 300);
        now[r] = sent[r] + 2;
        if (sends)
            pj_script_call(w->script, first_of(w, r) + 1, "MPI_Send", at(w, sent[r]),
                           at(w, now[r]));
    }
    for (uint32_t r = 0; r < RANKS; r++) {
        uint32_t of = (r + RANKS - 1) % RANKS;
        uint64_t enter = now[r] + 1, ready = sent[of] > enter ? sent[of] : enter;
        uint64_t master = from[r] + 1 + noise(w, 400), worker = now[r] + noise(w, 400);
        if (sends) {
            uint64_t leave = ready + 2 + noise(w, 20);
            pj_script_call(w->script, first_of(w, r) + 1, "MPI_Recv", at(w, enter), at(w, leave));
            pj_script_send(w->script, (pj_script_message){first_of(w, of) + 1, first_of(w, r) + 1,
                                                          at(w, sent[of]), at(w, enter),
                                                          at(w, leave), .size = 100});
            worker = leave + noise(w, 100);
        }
        uint64_t end = (master > worker ? master : worker) + 1 + noise(w, 5);
        pair(w, first_of(w, r), PJ_OMP_PARALLEL, w->now[r], end);
        pair(w, first_of(w, r), PJ_OMP_FUNCTION, from[r], master);
        pair(w, first_of(w, r) + 1, PJ_OMP_FUNCTION, from[r], worker);
        w->script->run->totals[first_of(w, r)].openmp_ns += at(w, end - w->now[r]);
        w->now[r] = end;
    }
}

static pj_script *write_down(uint64_t seed, const guise *as)
{
    static const char *const names[] = {"MPI_Barrier", "MPI_Allreduce", "MPI_Bcast", "MPI_Reduce"};
    writer w = {.script = pj_script_new(RANKS, as->threads), .as = as, .seed = seed};
    uint64_t end = 0;
    for (unsigned round = 0; round < ROUNDS; round++) {
        for (uint32_t r = 0; r < RANKS; r++)
            compute(&w, r);
        if (as->teams)
            work_in_teams(&w);
        if (noise(&w, 3))
            ring(&w);
        else
            collect(&w, names[noise(&w, 4)], (uint32_t)noise(&w, RANKS));
    }
    for (uint32_t r = 0; r < RANKS; r++) {
        compute(&w, r);
        pj_script_last(w.script, first_of(&w, r), at(&w, w.now[r]));
        end = w.now[r] > end ? w.now[r] : end;
    }
    w.script->run->roi = as->roi;
    w.script->run->end_ns = at(&w, end);
    w.script->run->runtime_ns = as->roi.set ? as->roi.to_ns - as->roi.from_ns : at(&w, end);
    pj_script_replay(w.script, (pj_replay_opts){.waits = true, .history = PJ_HISTORY}, 0);
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

/// What is lost adds up, on the ideal network and beside it. Ranks with one thread each are outside
/// MPI there as long as they compute.
static void losses_add_up(const pj_script *s, pj_cause_work work_is)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    static const char *const metrics[] = {"load_balance", "serialisation_efficiency",
                                          "transfer_efficiency"};
    const pj_run *run = s->run;
    uint32_t count;
    double most = 0, sum = 0, lost[3] = {0};
    for (uint32_t r = 0; r < RANKS; r++) {
        double work = work_is == PJ_WORK_OUTSIDE
                          ? run->ideal.compute_ns[r]
                          : (double)run->totals[run->layout.first_location[r]].openmp_ns;
        most = fmax(most, work);
        sum += work;
    }
    double runtime = (double)run->runtime_ns, ideal = run->ideal.runtime_ns;
    double all[] = {RANKS * most - sum, RANKS * (ideal - most), RANKS * (runtime - ideal)};
    const pj_wait_cause *causes = pj_wait_causes(run, work_is, work_is, arena, &count);
    for (uint32_t i = 0; i < count; i++)
        for (size_t m = 0; m < 3; m++)
            lost[m] += strcmp(causes[i].metric, metrics[m]) == 0 ? causes[i].loss_ns : 0;
    for (size_t m = 0; m < 3; m++)
        if (fabs(lost[m] - all[m]) > 1e-9 * RANKS * runtime)
            fail_msg("%s: %.15g in place of %.15g", metrics[m], lost[m], all[m]);
}

/// Those of each cause make it up, whoever is waited for.
static void culprits_add_up(const pj_run *run)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    uint32_t count, each_count;
    const pj_wait_cause *causes =
        pj_wait_causes(run, PJ_WORK_OUTSIDE, PJ_WORK_OUTSIDE, arena, &count);
    const pj_wait_cause *each = pj_wait_causes_by_culprit(run, arena, &each_count);
    assert_true(each_count > count);
    for (uint32_t i = 0; i < count; i++) {
        double sum = 0;
        bool wait = strcmp(causes[i].metric, "transfer_efficiency") != 0;
        for (uint32_t k = 0; k < each_count; k++) {
            if (strcmp(each[k].metric, causes[i].metric) != 0 ||
                strcmp(each[k].cause, causes[i].cause) != 0)
                continue;
            sum += each[k].loss_ns;
            assert_int_equal(each[k].culprit < RANKS, wait && strcmp(each[k].cause, "end") != 0);
        }
        assert_true(fabs(sum - causes[i].loss_ns) < 1e-3);
    }
}

static void compare(const guise *as)
{
    const guise plain = {{0, 1, 2, 3, 4}, 1, {.set = false}, as->threads, as->teams};
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        pj_auto_script a = write_down(seed, &plain);
        pj_auto_script b = write_down(seed, as);
        const pj_waits *x = a->run->waits, *y = b->run->waits;
        losses_add_up(a, PJ_WORK_COMPUTING);
        losses_add_up(b, PJ_WORK_COMPUTING);
        culprits_add_up(b->run);
        same_sums(x, y, as);
        same_delays(x->delays, y->delays, as);
        for (unsigned clock = 0; clock < PJ_PATHS; clock++)
            same_path(x->delays, y->delays, (pj_path_clock)clock, as);
    }
}

static void ranks_may_be_numbered_otherwise(void **state)
{
    (void)state;
    compare(&(guise){{4, 2, 0, 3, 1}, 1, {.set = false}, 1, false});
    compare(&(guise){{1, 2, 3, 4, 0}, 1, {.set = false}, 1, false});
}

static void times_may_be_longer(void **state)
{
    (void)state;
    compare(&(guise){{0, 1, 2, 3, 4}, 1000, {.set = false}, 1, false});
}

/// All that a region of interest tells is added to `sums`, in an order that is the same for all
/// regions of a run.
static size_t add_up(const pj_run *run, double *sums)
{
    const pj_delays *d = run->waits->delays;
    double *to = sums;
    for (uint32_t r = 0; r < d->region_count; r++)
        for (uint32_t rank = 0; rank < RANKS; rank++, to += 2)
            for (uint32_t i = 0; i < d->delay_count; i++)
                if (d->delays[i].region == r && d->delays[i].culprit == rank) {
                    to[0] += d->delays[i].short_ns;
                    to[1] += d->delays[i].long_ns;
                }
    for (uint32_t r = 0; r < d->region_count; r++, to += 2)
        for (unsigned p = 0; p < PJ_WAIT_PATTERNS; p++) {
            to[0] += (double)d->regions[r].waits[p].wait_ns;
            to[1] += (double)d->regions[r].ideal_wait_ns[p];
        }
    for (unsigned clock = 0; clock < PJ_PATHS; clock++) {
        for (uint32_t r = 0; r < d->region_count; r++, to += 2) {
            to[0] += (double)d->regions[r].path_ns[clock];
            to[1] += (double)d->regions[r].time_ns[clock];
        }
        *to++ += (double)d->paths[clock].length_ns;
    }
    *to++ += d->unattributed_ns;
    *to++ += run->ideal.runtime_ns;
    return (size_t)(to - sums);
}

static void regions_that_adjoin_add_up(void **state)
{
    (void)state;
    enum { MOST = 4096, CUTS = 3 };
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        guise as = {{0, 1, 2, 3, 4}, 1, {.set = false}, 1, false};
        double all[MOST] = {0}, parts[MOST] = {0}, same[MOST] = {0};
        pj_auto_script whole = write_down(seed, &as);
        uint64_t end = whole->run->end_ns;
        size_t count = add_up(whole->run, all);
        as.roi = (pj_roi){.set = true, .to_ns = end};
        pj_auto_script again = write_down(seed, &as);
        add_up(again->run, same);
        assert_memory_equal(all, same, count * sizeof *all);
        for (uint64_t cut = 0; cut < CUTS; cut++) {
            as.roi =
                (pj_roi){.set = true, .from_ns = end * cut / CUTS, .to_ns = end * (cut + 1) / CUTS};
            pj_auto_script part = write_down(seed, &as);
            assert_int_equal(add_up(part->run, parts), count);
            losses_add_up(part, PJ_WORK_OUTSIDE);
            losses_add_up(part, PJ_WORK_COMPUTING);
        }
        for (size_t i = 0; i < count; i++)
            assert_true(fabs(all[i] - parts[i]) < 1e-6);
    }
}

static void threads_go_with_their_ranks(void **state)
{
    (void)state;
    compare(&(guise){{4, 2, 0, 3, 1}, 1, {.set = false}, 2, true});
}

/// A second thread that does nothing changes nothing.
static void idle_threads_are_none(void **state)
{
    (void)state;
    const guise alone = {{0, 1, 2, 3, 4}, 1, {.set = false}, 1, false},
                idle = {{0, 1, 2, 3, 4}, 1, {.set = false}, 2, false};
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        pj_auto_script a = write_down(seed, &alone);
        pj_auto_script b = write_down(seed, &idle);
        same_sums(a->run->waits, b->run->waits, &alone);
        same_delays(a->run->waits->delays, b->run->waits->delays, &alone);
        for (unsigned clock = 0; clock < PJ_PATHS; clock++)
            same_path(a->run->waits->delays, b->run->waits->delays, (pj_path_clock)clock, &alone);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks_may_be_numbered_otherwise),
        cmocka_unit_test(times_may_be_longer),
        cmocka_unit_test(regions_that_adjoin_add_up),
        cmocka_unit_test(threads_go_with_their_ranks),
        cmocka_unit_test(idle_threads_are_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
