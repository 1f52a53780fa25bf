// Records that change nothing may be passed over: the sums of a location are the same as where it
// looks at each of them, whatever the ids of its regions and metrics, and what is counted beside.
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/read/otf2/events/otf2_location.h"
#include "tests/support/trace/made_defs.h"

#include <stdlib.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum {
    REGIONS = 3000, // plain ones, and a call of MPI
    CALL = REGIONS,
    HOT = 12,
    DEPTH = 20,
    STEPS = 30000,
    UINT64 = 4, // OTF2_Type
    RECORD_METRIC = PJ_OTF2_METRIC,
};

/// Ids of a trace: region r has `first + r * apart`.
typedef struct numbering {
    uint32_t first, apart, metric, idle;
} numbering;

static const numbering numberings[] = {
    {.first = 0, .apart = 1, .metric = 0, .idle = 1},
    {.first = 300, .apart = 1, .metric = 2, .idle = 300},
    {.first = 7, .apart = 512, .metric = 70000, .idle = 3},
    {.first = 536870911, .apart = 104729, .metric = 1u << 30, .idle = 1u << 31},
};

static uint32_t id_of(const numbering *n, uint32_t region)
{
    return n->first + region * n->apart;
}

static void byte(pj_buf *to, unsigned value)
{
    pj_buf_add_char(to, (char)value);
}

static void bytes(pj_buf *to, uint64_t value, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        byte(to, (unsigned)(value >> 8 * i & UINT8_MAX));
}

static void number(pj_buf *to, uint64_t value)
{
    unsigned size = 0;
    while (size < 8 && value >> 8 * size)
        size++;
    byte(to, size);
    bytes(to, value, size);
}

static void change(pj_buf *to, unsigned type, uint32_t id)
{
    byte(to, type);
    number(to, id);
}

static void reading(pj_buf *to, uint32_t metric, uint64_t instructions, uint64_t cycles)
{
    pj_auto_buf members = {0};
    number(&members, metric);
    byte(&members, 2);
    byte(&members, UINT64);
    number(&members, instructions);
    byte(&members, UINT64);
    number(&members, cycles);
    byte(to, RECORD_METRIC);
    byte(to, (unsigned)members.len);
    pj_buf_add(to, pj_buf_str(&members));
}

static uint32_t draw(uint32_t *seed, uint32_t below)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (*seed >> 8) % below;
}

static uint32_t draw_region(uint32_t *seed)
{
    uint32_t kind = draw(seed, 20);
    return kind == 0 ? CALL : draw(seed, kind < 4 ? REGIONS : HOT);
}

/// Regions entered and left at random; two counters at most of these, another metric at some.
static void write_records(pj_buf *to, const numbering *n)
{
    uint32_t open[DEPTH], depth = 0, seed = 7;
    uint64_t time = 1000, counted = 0;
    byte(to, PJ_OTF2_MARK_CHUNK);
    byte(to, PJ_OTF2_LITTLE_ENDIAN);
    for (unsigned i = 2; i < PJ_OTF2_CHUNK_HEAD; i++)
        byte(to, 0);
    for (unsigned i = 0; i < STEPS || depth; i++) {
        byte(to, PJ_OTF2_MARK_TIME);
        bytes(to, time += draw(&seed, 3), sizeof time);
        if (draw(&seed, 5))
            reading(to, n->metric, counted, counted / 2);
        counted += draw(&seed, 1000);
        if (draw(&seed, 3) == 0)
            reading(to, n->idle, i, 0);
        bool enter = i < STEPS && depth < DEPTH && (depth < 2 || draw(&seed, 2));
        if (enter)
            open[depth] = draw_region(&seed);
        depth -= !enter;
        change(to, enter ? PJ_OTF2_ENTER : PJ_OTF2_LEAVE, id_of(n, open[depth]));
        depth += enter;
    }
    byte(to, PJ_OTF2_MARK_FILE_END);
}

static pj_otf2_defs *make_defs(pj_arena *arena, const numbering *n)
{
    pj_otf2_defs *defs = pj_new(arena, pj_otf2_defs);
    *defs = (pj_otf2_defs){.arena = arena, .ticks_per_second = 1000000000};
    defs->regions = pj_new_n(arena, pj_otf2_region, REGIONS + 2);
    defs->region_count = REGIONS + 1;
    for (uint32_t r = 0; r < REGIONS; r++)
        defs->regions[r] =
            (pj_otf2_region){.name = "f", .state = PJ_OTF2_INHERIT, .plain = true, .number = r};
    defs->regions[CALL] = (pj_otf2_region){.name = "MPI_Wtime",
                                           .state = PJ_STATE_OTHERS,
                                           .construct = PJ_OTF2_MPI,
                                           .call = 1,
                                           .number = CALL};
    defs->regions[CALL + 1] =
        (pj_otf2_region){.name = "", .state = PJ_OTF2_INHERIT, .unknown = true};
    for (uint32_t r = 0; r <= CALL; r++)
        pj_map_put(&defs->region_of, id_of(n, r), r);
    made_defs_complete(defs, arena);
    pj_map_free(&defs->metric_of);
    pj_map_put(&defs->metric_of, n->metric, 0);
    return defs;
}

static void free_maps(pj_otf2_defs *defs)
{
    pj_map_free(&defs->region_of);
    pj_map_free(&defs->comm_of);
    pj_map_free(&defs->metric_of);
}

typedef struct given {
    pj_event *events;
    size_t count;
    uint64_t records;
} given;

/// What a location makes of the records; `named` looks at each one, for the names of regions.
static given read_all(const numbering *n, bool named)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_auto_buf file = {0};
    write_records(&file, n);
    pj_otf2_defs *defs = make_defs(arena, n);
    pj_otf2_evt *evt = pj_otf2_evt_memory(file.at, file.len, 1 << 30);
    pj_otf2_location *location = pj_otf2_location_take(defs, 0, 0, evt);
    location->named = named;
    while (!location->ended)
        pj_otf2_location_fill(location, location->event_count + 64);
    assert_null(location->damage);
    given all = {.records = location->records, .count = location->event_count};
    all.events = pj_take_memory(all.count * sizeof *all.events);
    memcpy(all.events, location->events, all.count * sizeof *all.events);
    pj_otf2_location_free(location);
    free_maps(defs);
    return all;
}

static void same(const given *a, const given *b)
{
    assert_int_equal(a->records, b->records);
    assert_int_equal(a->count, b->count);
    for (size_t i = 0; i < a->count; i++) {
        const pj_event *x = &a->events[i], *y = &b->events[i];
        assert_int_equal(x->kind, y->kind);
        assert_int_equal(x->time, y->time);
        assert_int_equal(x->a, y->a);
        assert_int_equal(x->b, y->b);
        assert_int_equal(x->code, y->code);
    }
}

typedef struct sums {
    uint64_t time[PJ_STATE_OTHERS + 1]; // by state
    uint64_t counted[2];
    uint64_t calls;
} sums;

static sums sums_of(const given *all)
{
    sums of = {.calls = 0};
    for (size_t i = 0; i < all->count; i++) {
        const pj_event *event = &all->events[i];
        if (event->kind == PJ_EV_STATE)
            of.time[event->code] += event->a - event->time;
        if (event->kind == PJ_EV_COUNTERS) {
            of.counted[0] += event->a;
            of.counted[1] += event->b;
        }
        of.calls += event->kind == PJ_EV_MPI;
    }
    return of;
}

static void ids_of_all_sizes_give_the_same(void **state)
{
    (void)state;
    given narrow = read_all(&numberings[0], false);
    assert_true(narrow.records > 2 * STEPS);
    for (size_t i = 1; i < sizeof numberings / sizeof *numberings; i++) {
        given wide = read_all(&numberings[i], false);
        same(&narrow, &wide);
        free(wide.events);
    }
    free(narrow.events);
}

static void what_is_passed_over_changes_nothing(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof numberings / sizeof *numberings; i++) {
        given skimmed = read_all(&numberings[i], false), named = read_all(&numberings[i], true);
        sums few = sums_of(&skimmed), all = sums_of(&named);
        assert_int_equal(skimmed.records, named.records);
        assert_true(skimmed.count < named.count / 2);
        assert_true(few.calls > 0 && few.counted[0] > 0 && few.time[PJ_STATE_RUNNING] > 0);
        assert_memory_equal(&few, &all, sizeof few);
        free(skimmed.events);
        free(named.events);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ids_of_all_sizes_give_the_same),
        cmocka_unit_test(what_is_passed_over_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
