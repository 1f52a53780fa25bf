// A tangle has the frames and states of a plain stack, whatever is opened, left and restated.
#include "metrics/read/otf2/events/otf2_tangle.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { REGIONS = 7, MOST = 3000, STEPS = 100000 };

static const pj_otf2_region regions[REGIONS] = {
    {.state = PJ_OTF2_INHERIT},
    {.state = PJ_OTF2_INHERIT, .construct = PJ_OTF2_ROOT},
    {.state = PJ_STATE_RUNNING, .construct = PJ_OTF2_PARALLEL},
    {.state = 4, .construct = PJ_OTF2_MPI},
    {.state = 5, .construct = PJ_OTF2_BARRIER},
    {.state = PJ_OTF2_INHERIT},
    {.state = PJ_STATE_RUNNING},
};

typedef struct plain {
    pj_otf2_frame frames[MOST];
    size_t count;
} plain;

static uint32_t next_random(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*seed >> 33);
}

static uint8_t state_below(const plain *p, size_t at)
{
    return at ? p->frames[at - 1].state : PJ_OTF2_STATE_BASE;
}

static void leave_plain(plain *p, uint32_t region, bool in_call)
{
    size_t at = p->count - 1;
    while (at > 0 && p->frames[at].region != region)
        at--;
    at = p->frames[at].region == region ? at : p->count - 1;
    p->count--;
    memmove(p->frames + at, p->frames + at + 1, (p->count - at) * sizeof *p->frames);
    for (; at < p->count; at++)
        p->frames[at].state =
            pj_otf2_state_above(&regions[p->frames[at].region], state_below(p, at), in_call);
}

static void leave(pj_otf2_tangle *t, uint32_t region, bool in_call)
{
    size_t at;
    if (!pj_otf2_tangle_find(t, region, &at))
        at = pj_otf2_tangle_top(t);
    pj_otf2_tangle_take(t, at);
    pj_otf2_tangle_restate(t, at, in_call);
}

static void enter(pj_otf2_tangle **t, plain *p, uint32_t region, bool in_call)
{
    uint8_t below = state_below(p, p->count);
    pj_otf2_frame frame = {region, pj_otf2_state_above(&regions[region], below, in_call)};
    if (!pj_otf2_tangle_push(*t, frame)) {
        pj_otf2_tangle_free(*t);
        *t = pj_otf2_tangle_new(regions, p->frames, p->count);
        assert_true(pj_otf2_tangle_push(*t, frame));
    }
    p->frames[p->count++] = frame;
}

static void expect_the_same(pj_otf2_tangle *t, const plain *p)
{
    static pj_otf2_frame frames[MOST];
    assert_int_equal(pj_otf2_tangle_frames(t, frames), p->count);
    for (size_t i = 0; i < p->count; i++) {
        assert_int_equal(frames[i].region, p->frames[i].region);
        assert_int_equal(frames[i].state, p->frames[i].state);
    }
}

static void a_tangle_is_as_a_stack(void **state)
{
    (void)state;
    static plain p;
    uint64_t seed = 5;
    pj_otf2_tangle *t = pj_otf2_tangle_new(regions, NULL, 0);
    for (unsigned i = 0; i < STEPS; i++) {
        unsigned comes = i / 5000 % 2 ? 3 : 5;
        bool in_call = next_random(&seed) % 3 == 0;
        uint32_t region = next_random(&seed) % REGIONS;
        if (next_random(&seed) % 8 < comes && p.count < MOST)
            enter(&t, &p, region, in_call);
        else if (p.count > 0) {
            leave(t, region, in_call);
            leave_plain(&p, region, in_call);
        }
        assert_int_equal(pj_otf2_tangle_state(t), state_below(&p, p.count));
        if (i % 1000 == 0)
            expect_the_same(t, &p);
    }
    pj_otf2_tangle_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_tangle_is_as_a_stack)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
