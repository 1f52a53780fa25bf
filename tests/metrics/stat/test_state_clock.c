// The timeline of a thread against the definitions, applied nanosecond by nanosecond.
#include "metrics/stat/state_clock.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { SPAN = 64, RECORDS = 40 }; // ns

typedef enum record_kind { STATE, READING, LEVEL, CALL } record_kind;

typedef struct record {
    record_kind kind;
    uint64_t time, end;
    unsigned code; // state, counter, MPI event type
    int64_t value;
} record;

/// A thread's records, and its timeline by definition.
typedef struct thread {
    record records[RECORDS];
    size_t count;
    pj_window window;
    unsigned state[SPAN]; // at each ns
    size_t depth[SPAN];   // OpenMP levels that are open
    bool in_openmp[SPAN]; // the innermost counts
    unsigned mpi[SPAN];
} thread;

static uint32_t noise(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

static record noisy_record(uint32_t *seed, uint64_t time)
{
    static const unsigned states[] = {1, 1, 1, 0, 2, 14, 15};
    static const int64_t levels[] = {1, 0, 0, 3, 200000, -1};
    record r = {.kind = (record_kind)(noise(seed) % 4), .time = time};
    switch (r.kind) {
    case STATE:
        r.code = states[noise(seed) % 7];
        r.end = noise(seed) % 8 ? time + noise(seed) % 20 : UINT64_MAX;
        break;
    case READING:
        r.code = noise(seed) % 2;
        r.value = (int64_t)(noise(seed) % 1000) - 100;
        break;
    case LEVEL:
        r.value = levels[noise(seed) % 6];
        break;
    case CALL:
        r.code = 1 + noise(seed) % 5;
        r.value = noise(seed) % 2;
        break;
    }
    return r;
}

static void make_records(thread *t, uint32_t *seed)
{
    uint64_t time = noise(seed) % 3;
    t->count = 0;
    while (t->count < RECORDS && time < SPAN) {
        t->records[t->count++] = noisy_record(seed, time);
        time += noise(seed) % 4 ? noise(seed) % 5 : 0;
    }
}

static bool is_left_out(const thread *t, const record *r)
{
    const pj_window *w = &t->window;
    return r->end <= r->time || (w->drop && ((r->time < w->from && r->end > w->from) ||
                                             (r->time < w->to && r->end > w->to)));
}

/// At each time ends come before begins, and of these the last one wins.
static void lay_out_states(thread *t)
{
    unsigned state = 0;
    for (uint64_t ns = 0; ns < SPAN; ns++) {
        for (size_t i = 0; i < t->count; i++)
            if (t->records[i].kind == STATE && !is_left_out(t, &t->records[i]) &&
                t->records[i].end == ns)
                state = 0;
        for (size_t i = 0; i < t->count; i++)
            if (t->records[i].kind == STATE && !is_left_out(t, &t->records[i]) &&
                t->records[i].time == ns)
                state = t->records[i].code;
        t->state[ns] = state;
    }
}

static void lay_out_events(thread *t)
{
    int64_t stack[RECORDS];
    size_t depth = 0, next = 0;
    unsigned mpi = 0;
    for (uint64_t ns = 0; ns < SPAN; ns++) {
        for (; next < t->count && t->records[next].time == ns; next++) {
            const record *r = &t->records[next];
            if (r->kind == CALL)
                mpi = r->value ? mpi | 1u << r->code : mpi & ~(1u << r->code);
            if (r->kind == LEVEL && r->value)
                stack[depth++] = r->value;
            else if (r->kind == LEVEL && depth)
                depth--;
        }
        t->depth[ns] = depth;
        t->in_openmp[ns] = depth && stack[depth - 1] >= 1 && stack[depth - 1] <= 100000;
        t->mpi[ns] = mpi;
    }
}

static bool is_inside(const thread *t, uint64_t ns)
{
    return ns >= t->window.from && ns < t->window.to;
}

/// What time is spent on adds up to the states that are neither useful nor idle.
static void check_spent(const thread *t, const pj_state_clock *clock)
{
    uint64_t spent = 0, others = 0;
    for (unsigned k = 0; k < PJ_STATE_CLOCK_SPENT; k++)
        spent += k == PJ_SPENT_NOTHING ? 0 : clock->spent[k];
    for (uint64_t ns = 0; ns < SPAN; ns++)
        others += is_inside(t, ns) && t->state[ns] != PJ_STATE_NOT_CREATED &&
                  pj_state_clock_class(t->state[ns]) == PJ_CLASS_OTHER;
    assert_int_equal(spent, others);
}

static void check_sums(const thread *t, const pj_state_clock *clock)
{
    uint64_t sums[PJ_STATE_CLOCK_SUMS] = {0}, openmp = 0;
    for (uint64_t ns = 0; ns < SPAN; ns++) {
        if (!is_inside(t, ns))
            continue;
        sums[pj_state_clock_class(t->state[ns]) | (t->depth[ns] ? PJ_IN_OPENMP : 0) |
             (t->mpi[ns] ? PJ_IN_MPI : 0)]++;
        openmp += t->in_openmp[ns];
    }
    for (unsigned i = 0; i < PJ_STATE_CLOCK_SUMS; i++) // gaps are not summed
        if (i >= PJ_CLASS_RUNNING)
            assert_int_equal(clock->sums[i], sums[i]);
    assert_int_equal(clock->openmp_ns, openmp);
    check_spent(t, clock);
}

static int64_t rounded_share(int64_t value, uint64_t inside, uint64_t length)
{
    int64_t twice = 2 * value * (int64_t)inside, whole = 2 * (int64_t)length;
    int64_t half = value < 0 ? -(int64_t)length : (int64_t)length;
    return (twice + half) / whole;
}

/// Credit of a reading at `time` after one at `last`: once for each Running burst in between.
static int64_t credit(const thread *t, uint64_t last, uint64_t time, int64_t value)
{
    int64_t sum = 0;
    for (uint64_t ns = last; ns < time; ns++) {
        if (t->state[ns] != PJ_STATE_RUNNING)
            continue;
        uint64_t inside = 0, length = 0;
        for (; ns < time && t->state[ns] == PJ_STATE_RUNNING; ns++, length++)
            inside += is_inside(t, ns);
        sum += rounded_share(value, inside, length);
    }
    return sum;
}

static void check_counter(const thread *t, const pj_state_clock *clock, unsigned counter)
{
    uint64_t last = 0;
    int64_t sum = 0;
    for (size_t i = 0; i < t->count; i++) {
        const record *r = &t->records[i];
        if (r->kind != READING || r->code != counter || r->time <= last)
            continue;
        sum += credit(t, last, r->time, r->value);
        last = r->time;
    }
    assert_int_equal(clock->credits[counter].useful, sum);
}

static void feed(const thread *t, pj_state_clock *clock)
{
    for (size_t i = 0; i < t->count; i++) {
        const record *r = &t->records[i];
        switch (r->kind) {
        case STATE:
            pj_state_clock_state(clock, r->time, r->end, r->code);
            break;
        case READING:
            pj_state_clock_reading(clock, r->code, r->time, r->value);
            break;
        case LEVEL:
            pj_state_clock_level(clock, r->time, r->value);
            break;
        case CALL:
            pj_state_clock_mpi(clock, r->time, r->code, r->value != 0);
            break;
        }
    }
    pj_state_clock_end(clock, SPAN);
}

static void check_thread(thread *t, bool windowed)
{
    pj_border borders[2];
    pj_state_clock clock;
    lay_out_states(t);
    lay_out_events(t);
    pj_state_clock_begin(&clock, &t->window, windowed ? borders : NULL);
    feed(t, &clock);
    check_sums(t, &clock);
    for (unsigned c = 0; c < PJ_STATE_CLOCK_COUNTERS; c++)
        check_counter(t, &clock, c);
    pj_state_clock_free(&clock);
}

static void whole_traces(void **state)
{
    (void)state;
    uint32_t seed = 1;
    for (unsigned round = 0; round < 20000; round++) {
        thread t = {.window = {0, UINT64_MAX, false}};
        make_records(&t, &seed);
        check_thread(&t, false);
    }
}

static void windows(void **state)
{
    (void)state;
    uint32_t seed = 2;
    for (unsigned round = 0; round < 40000; round++) {
        uint64_t from = noise(&seed) % SPAN, to = from + 1 + noise(&seed) % (SPAN - from);
        thread t = {.window = {from, to, round % 2}};
        make_records(&t, &seed);
        check_thread(&t, true);
    }
}

static void nested_states_reset_to_idle(void **state)
{
    (void)state;
    pj_window window = {0, UINT64_MAX, false};
    pj_state_clock clock;
    pj_state_clock_begin(&clock, &window, NULL);
    pj_state_clock_state(&clock, 0, 100, PJ_STATE_RUNNING);
    pj_state_clock_state(&clock, 50, 80, PJ_STATE_OTHERS);
    pj_state_clock_end(&clock, 100);
    assert_int_equal(clock.sums[PJ_CLASS_RUNNING], 50);
    assert_int_equal(clock.sums[PJ_CLASS_OTHER], 30);
    pj_state_clock_free(&clock);
}

static void of_equal_records_the_later_wins(void **state)
{
    (void)state;
    pj_window window = {0, UINT64_MAX, false};
    pj_state_clock clock;
    pj_state_clock_begin(&clock, &window, NULL);
    pj_state_clock_state(&clock, 0, 100, PJ_STATE_RUNNING);
    pj_state_clock_state(&clock, 0, 100, PJ_STATE_OTHERS);
    pj_state_clock_reading(&clock, 0, 100, 7);
    pj_state_clock_end(&clock, 100);
    assert_int_equal(clock.sums[PJ_CLASS_RUNNING], 0);
    assert_int_equal(clock.sums[PJ_CLASS_OTHER], 100);
    assert_int_equal(clock.credits[0].useful, 0);
    pj_state_clock_free(&clock);
}

static void two_bursts_are_credited_twice(void **state)
{
    (void)state;
    pj_window window = {0, UINT64_MAX, false};
    pj_state_clock clock;
    pj_state_clock_begin(&clock, &window, NULL);
    pj_state_clock_state(&clock, 0, 10, PJ_STATE_RUNNING);
    pj_state_clock_state(&clock, 10, 20, PJ_STATE_OTHERS);
    pj_state_clock_state(&clock, 20, 30, PJ_STATE_RUNNING);
    pj_state_clock_state(&clock, 30, 40, PJ_STATE_RUNNING);
    pj_state_clock_reading(&clock, 0, 40, 1000);
    pj_state_clock_reading(&clock, 0, 40, 5000);
    pj_state_clock_end(&clock, 100);
    assert_int_equal(clock.credits[0].useful, 2000);
    pj_state_clock_free(&clock);
}

/// What readings at 45 (35 counted) and 60 (no Running before it) give in a window.
static int64_t read_once(uint64_t from, uint64_t to, bool bordered)
{
    const pj_window window = {from, to, false};
    pj_border borders[2];
    pj_state_clock t;
    pj_state_clock_begin(&t, &window, bordered ? borders : NULL);
    t.once = true;
    pj_state_clock_state(&t, 0, 10,
                         1); // computes, forks, computes: 10, 20 and 5 ns until the reading
    pj_state_clock_state(&t, 10, 15, 7);
    pj_state_clock_state(&t, 15, 35, 1);
    pj_state_clock_state(&t, 35, 40, 7);
    pj_state_clock_state(&t, 40, 45, 1);
    pj_state_clock_state(&t, 45, 60, 15);
    pj_state_clock_readings(&t, 45, 35, 70);
    pj_state_clock_readings(&t, 60, 1000, 2000);
    pj_state_clock_end(&t, 60);
    int64_t sum = t.credits[0].useful;
    assert_int_equal(t.credits[1].useful, 2 * sum);
    pj_state_clock_free(&t);
    return sum;
}

static void late_readings_count_once(void **state)
{
    (void)state;
    assert_int_equal(read_once(0, UINT64_MAX, false), 35);
    assert_int_equal(read_once(0, 60, true), 35);
    assert_int_equal(read_once(0, 20, true), 10 + 5); // in proportion to Running time
    assert_int_equal(read_once(20, 60, true), 15 + 5);
    assert_int_equal(read_once(12, 42, true), 20 + 2);
    assert_int_equal(read_once(46, 60, true), 0);
}

static void sums_end_at_64_bits(void **state)
{
    (void)state;
    pj_window window = {0, UINT64_MAX, false};
    pj_state_clock clock;
    pj_state_clock_begin(&clock, &window, NULL);
    pj_state_clock_state(&clock, 0, 100, PJ_STATE_RUNNING);
    pj_state_clock_reading(&clock, 0, 10, INT64_MAX);
    pj_state_clock_reading(&clock, 1, 10, INT64_MIN);
    assert_false(clock.credits[0].overflown || clock.credits[1].overflown);
    pj_state_clock_reading(&clock, 0, 20, INT64_MAX);
    pj_state_clock_reading(&clock, 1, 20, -1);
    assert_int_equal(clock.credits[0].useful, INT64_MAX);
    assert_int_equal(clock.credits[1].useful, INT64_MIN);
    assert_true(clock.credits[0].overflown && clock.credits[1].overflown);
    pj_state_clock_free(&clock);
}

static void cut_bursts_are_counted(void **state)
{
    (void)state;
    pj_window window = {25, 75, false};
    pj_border borders[2];
    pj_state_clock clock;
    pj_state_clock_begin(&clock, &window, borders);
    pj_state_clock_state(&clock, 0, 50, PJ_STATE_RUNNING);
    pj_state_clock_reading(&clock, 0, 50, 101);
    pj_state_clock_state(&clock, 50, 100, PJ_STATE_RUNNING);
    pj_state_clock_reading(&clock, 0, 100, -101);
    pj_state_clock_end(&clock, 100);
    assert_int_equal(clock.sums[PJ_CLASS_RUNNING], 50);
    assert_int_equal(clock.credits[0].useful, 51 - 51); // halves away from zero
    assert_int_equal(pj_state_clock_cuts(&clock), 1 + 1);
    pj_state_clock_free(&clock);
}

static void deep_levels(void **state)
{
    (void)state;
    enum { DEPTH = 1000 };
    pj_window window = {0, UINT64_MAX, false};
    pj_state_clock clock;
    pj_state_clock_begin(&clock, &window, NULL);
    for (unsigned i = 0; i < DEPTH; i++)
        pj_state_clock_level(&clock, i, i % 2 ? 200000 : 1);
    for (unsigned i = 0; i < DEPTH + 10; i++)
        pj_state_clock_level(&clock, DEPTH + i, 0);
    pj_state_clock_end(&clock, 10 * DEPTH);
    assert_int_equal(clock.openmp_ns, DEPTH / 2 + DEPTH / 2);
    pj_state_clock_free(&clock);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_traces),
        cmocka_unit_test(windows),
        cmocka_unit_test(nested_states_reset_to_idle),
        cmocka_unit_test(of_equal_records_the_later_wins),
        cmocka_unit_test(two_bursts_are_credited_twice),
        cmocka_unit_test(late_readings_count_once),
        cmocka_unit_test(sums_end_at_64_bits),
        cmocka_unit_test(cut_bursts_are_counted),
        cmocka_unit_test(deep_levels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
