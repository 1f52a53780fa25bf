// Counters and power over time, with sums made by hand.
#include "metrics/stat/energy_meter.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define SECOND INT64_C(1000000000)

static uint64_t bits_of(double real)
{
    uint64_t bits;
    memcpy(&bits, &real, sizeof bits);
    return bits;
}

static bool near(double a, double b)
{
    return fabs(a - b) < 1e-9;
}

static pj_energy_meter over(const pj_meter *meter)
{
    return (pj_energy_meter){.meter = meter, .to = INT64_MAX};
}

static pj_energy_reading end(pj_energy_meter *m)
{
    pj_energy_reading out = pj_energy_meter_end(m);
    pj_energy_meter_free(m);
    return out;
}

/// Values of whole seconds.
static pj_energy_reading read_seconds(const pj_meter *meter, const uint64_t *values, size_t count)
{
    pj_energy_meter m = over(meter);
    for (size_t i = 0; i < count; i++)
        pj_energy_meter_take(&m, (int64_t)i * SECOND, PJ_METER_UNSIGNED, values[i], NULL);
    return end(&m);
}

static void power_is_integrated_as_its_label_says(void **state)
{
    (void)state;
    static const uint64_t watts[] = {100, 300, 200};
    static const struct {
        pj_meter_timing timing;
        double joules;
    } rows[] = {{PJ_METER_FROM_HERE, 400}, {PJ_METER_UP_TO_HERE, 500}, {PJ_METER_POINT, 450}};
    for (size_t i = 0; i < 3; i++) {
        pj_meter meter = {.kind = PJ_METER_POWER, .timing = rows[i].timing};
        pj_energy_reading reading = read_seconds(&meter, watts, 3);
        assert_int_equal(reading.kind, PJ_METER_POWER);
        assert_true(near(reading.sum, rows[i].joules));
        assert_int_equal(reading.covered_ns, 2 * SECOND);
        assert_int_equal(reading.step_ns, SECOND);
    }
}

/// Idle for 0.5 s, useful for 1 s, in MPI for 0.5 s.
static void energy_is_shared_by_time(void **state)
{
    (void)state;
    static const uint64_t joules[] = {0, 210, 460};
    static const double states[3][PJ_ENERGY_STATES] = {
        {0},
        {[PJ_ENERGY_USEFUL] = 5e8, [PJ_ENERGY_IDLE] = 5e8},
        {[PJ_ENERGY_USEFUL] = 1e9, [PJ_ENERGY_MPI] = 5e8, [PJ_ENERGY_IDLE] = 5e8}};
    pj_meter meter = {.kind = PJ_METER_ENERGY};
    pj_energy_meter m = over(&meter);
    for (size_t i = 0; i < 3; i++)
        pj_energy_meter_take(&m, (int64_t)i * SECOND, PJ_METER_UNSIGNED, joules[i], states[i]);
    pj_energy_reading reading = end(&m);
    assert_true(near(reading.sum, 460));
    assert_true(near(reading.states[PJ_ENERGY_IDLE], 105));
    assert_true(near(reading.states[PJ_ENERGY_USEFUL], 105 + 125));
    assert_true(near(reading.states[PJ_ENERGY_MPI], 125));
    assert_true(near(reading.min, 210) && near(reading.max, 250));
}

static void counters_come_around(void **state)
{
    (void)state;
    static const uint64_t values[] = {900, 950, 30};
    pj_meter meter = {.kind = PJ_METER_ENERGY, .range = 1000};
    pj_energy_reading reading = read_seconds(&meter, values, 3);
    assert_true(near(reading.sum, 50 + 80));
    assert_int_equal(reading.resets, 0);
    assert_int_equal(reading.kind, PJ_METER_ENERGY);
}

/// Registers of powercap by the name and the unit that PAPI gives them, of either width.
static void powercap_comes_around(void **state)
{
    (void)state;
    static const uint64_t wide[] = {262143000000, 262143300000, 171150}; // uJ
    static const uint64_t narrow[] = {65712000000, 65712999600, 1000000};
    pj_meter meter = pj_meter_of("powercap:::ENERGY_UJ:ZONE0", "uJ", 1);
    pj_energy_reading reading = read_seconds(&meter, wide, 3);
    assert_true(near(reading.sum, 300000 + 200000));
    assert_int_equal(reading.resets, 0);
    reading = read_seconds(&meter, narrow, 3);
    assert_true(near(reading.sum, 999600 + 1000013));
    assert_int_equal(reading.resets, 0);
}

static void counters_that_begin_anew_lose_a_piece(void **state)
{
    (void)state;
    static const uint64_t values[] = {900, 950, 30, 80};
    pj_meter meter = {.kind = PJ_METER_ENERGY};
    pj_energy_reading reading = read_seconds(&meter, values, 4);
    assert_true(near(reading.sum, 50 + 50));
    assert_int_equal(reading.resets, 1);
    assert_int_equal(reading.covered_ns, 2 * SECOND);
}

static void values_tell_counters_from_power(void **state)
{
    (void)state;
    static const uint64_t gauge[] = {100, 90, 95};
    pj_meter energy = {.kind = PJ_METER_ENERGY}, power = {.kind = PJ_METER_POWER};
    pj_energy_reading reading = read_seconds(&energy, gauge, 3);
    assert_int_equal(reading.kind, PJ_METER_POWER);
    assert_true(near(reading.sum, 190));
    uint64_t rising[101];
    for (uint64_t i = 0; i < 101; i++)
        rising[i] = 7 * i;
    assert_int_equal(read_seconds(&power, rising, 100).kind, PJ_METER_POWER); // 99 changes
    reading = read_seconds(&power, rising, 101);
    assert_int_equal(reading.kind, PJ_METER_ENERGY);
    assert_true(near(reading.sum, 700));
}

static void gaps_have_no_data(void **state)
{
    (void)state;
    pj_meter meter = {.kind = PJ_METER_POWER};
    pj_energy_meter m = over(&meter);
    int64_t time = 0;
    for (unsigned i = 0; i < 20; i++, time += SECOND)
        pj_energy_meter_take(&m, time, PJ_METER_UNSIGNED, 10, NULL);
    time += 30 * SECOND;
    pj_energy_meter_take(&m, time, PJ_METER_UNSIGNED, 10, NULL);
    pj_energy_meter_take(&m, time + 5 * SECOND, PJ_METER_UNSIGNED, 10, NULL); // no gap
    pj_energy_reading reading = end(&m);
    assert_int_equal(reading.gaps, 1);
    assert_int_equal(reading.covered_ns, 24 * SECOND);
    assert_true(near(reading.sum, 240));
}

static void hostile_values_are_left_out(void **state)
{
    (void)state;
    pj_meter meter = {.kind = PJ_METER_POWER};
    pj_energy_meter m = over(&meter);
    pj_energy_meter_take(&m, 0, PJ_METER_REAL, bits_of(10), NULL);
    pj_energy_meter_take(&m, 1, PJ_METER_REAL, bits_of(NAN), NULL);
    pj_energy_meter_take(&m, 2, PJ_METER_REAL, bits_of(-1), NULL);
    pj_energy_meter_take(&m, 3, PJ_METER_REAL, bits_of(INFINITY), NULL);
    pj_energy_meter_take(&m, 4, PJ_METER_SIGNED, (uint64_t)-5, NULL);
    pj_energy_meter_take(&m, SECOND, PJ_METER_REAL, bits_of(20), NULL);
    pj_energy_meter_take(&m, SECOND / 2, PJ_METER_REAL, bits_of(9000), NULL); // time goes back
    pj_energy_meter_take(&m, 2 * SECOND, PJ_METER_REAL, bits_of(30), NULL);
    pj_energy_reading reading = end(&m);
    assert_int_equal(reading.dropped, 4);
    assert_true(near(reading.sum, 30));
    assert_true(near(reading.max, 20));
}

static void nothing_is_read_of_one_sample(void **state)
{
    (void)state;
    static const uint64_t one[] = {100};
    pj_meter meter = {.kind = PJ_METER_ENERGY};
    pj_energy_reading reading = read_seconds(&meter, one, 1);
    assert_int_equal(reading.covered_ns, 0);
    assert_int_equal(reading.step_ns, 0);
    assert_int_equal(reading.samples, 1);
}

static void a_region_of_interest_takes_its_part(void **state)
{
    (void)state;
    pj_meter meter = {.kind = PJ_METER_ENERGY};
    pj_energy_meter m = {.meter = &meter, .from = SECOND / 2, .to = 3 * SECOND / 2};
    for (uint64_t i = 0; i < 4; i++)
        pj_energy_meter_take(&m, (int64_t)i * SECOND, PJ_METER_UNSIGNED, 100 * i, NULL);
    pj_energy_reading reading = end(&m);
    assert_true(near(reading.sum, 100));
    assert_int_equal(reading.covered_ns, SECOND);
}

/// Of what is read across a border the part inside counts.
static void a_run_takes_its_part(void **state)
{
    (void)state;
    pj_meter meter = {.kind = PJ_METER_ENERGY};
    pj_energy_meter m = {.meter = &meter, .to = 3 * SECOND / 2};
    for (int64_t i = -3; i < 4; i += 2)
        pj_energy_meter_take(&m, i * SECOND, PJ_METER_UNSIGNED, (uint64_t)(100 * (i + 3)), NULL);
    pj_energy_reading reading = end(&m);
    assert_true(near(reading.sum, 150));
    assert_int_equal(reading.covered_ns, 3 * SECOND / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(power_is_integrated_as_its_label_says),
        cmocka_unit_test(energy_is_shared_by_time),
        cmocka_unit_test(counters_come_around),
        cmocka_unit_test(powercap_comes_around),
        cmocka_unit_test(counters_that_begin_anew_lose_a_piece),
        cmocka_unit_test(values_tell_counters_from_power),
        cmocka_unit_test(gaps_have_no_data),
        cmocka_unit_test(hostile_values_are_left_out),
        cmocka_unit_test(nothing_is_read_of_one_sample),
        cmocka_unit_test(a_region_of_interest_takes_its_part),
        cmocka_unit_test(a_run_takes_its_part),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
