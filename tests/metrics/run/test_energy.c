// Which meters make up the whole: nothing counts twice.
#include "metrics/base/arena.h"
#include "metrics/run/energy.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 8 };

typedef struct house {
    pj_energy_row rows[MOST];
    pj_energy energy;
} house;

static void add(house *h, const char *name, pj_meter_kind kind, double joules)
{
    pj_meter meter = pj_meter_of(name, kind == PJ_METER_ENERGY ? "J" : "W", 1);
    meter.scope = "node1";
    h->energy.rows = h->rows;
    h->rows[h->energy.count] = (pj_energy_row){
        .meter = meter,
        .reading = {.kind = kind, .covered_ns = 1000000000, .sum = joules},
        .same = h->energy.count,
    };
    h->energy.count++;
}

static void settle(house *h, const pj_energy_pair *pairs, pj_arena *arena)
{
    pj_energy_settle(&h->energy, pairs, arena);
    for (uint32_t i = 0; i < h->energy.count; i++)
        assert_int_equal(h->rows[i].counted, !h->rows[i].apart); // each has a reason
}

static void a_node_holds_all_others(void **state)
{
    (void)state;
    pj_auto_arena arena = pj_arena_new(NULL);
    house h = {.energy.span_ns = 1};
    add(&h, "rapl package0 energy", PJ_METER_ENERGY, 40);
    add(&h, "nvml device_0 energy", PJ_METER_ENERGY, 50);
    add(&h, "pm_counters energy", PJ_METER_ENERGY, 100);
    add(&h, "pm_counters accel0_energy", PJ_METER_ENERGY, 50);
    settle(&h, NULL, arena);
    assert_true(h.energy.joules == 100);
    assert_string_equal(h.rows[0].apart, "the node holds it");
}

static void packages_memory_and_boards_are_disjoint(void **state)
{
    (void)state;
    pj_auto_arena arena = pj_arena_new(NULL);
    house h = {.energy.span_ns = 1};
    add(&h, "rapl PP0_ENERGY:PACKAGE0", PJ_METER_ENERGY, 30);
    add(&h, "rapl PACKAGE_ENERGY:PACKAGE0", PJ_METER_ENERGY, 40);
    add(&h, "rapl PACKAGE_ENERGY:PACKAGE1", PJ_METER_ENERGY, 41);
    add(&h, "rapl DRAM_ENERGY:PACKAGE0", PJ_METER_ENERGY, 5);
    add(&h, "nvml device_0 energy", PJ_METER_ENERGY, 50);
    add(&h, "nvml device_0 power", PJ_METER_POWER, 49);
    add(&h, "energy of something", PJ_METER_ENERGY, 7);
    settle(&h, NULL, arena);
    assert_true(h.energy.joules == 40 + 41 + 5 + 50);
    assert_string_equal(h.rows[5].apart, "its counter counts");
    assert_int_equal(h.rows[5].same, 4);
}

static void a_counter_that_stands_still_does_not_count(void **state)
{
    (void)state;
    pj_auto_arena arena = pj_arena_new(NULL);
    house h = {.energy.span_ns = 1};
    add(&h, "amdsmi energy_consumed:device=0", PJ_METER_ENERGY, 0);
    add(&h, "amdsmi power_average:device=0", PJ_METER_POWER, 90);
    add(&h, "amdsmi energy_consumed:device=1", PJ_METER_ENERGY, 0); // the other half of its socket
    add(&h, "amdsmi power_average:device=1", PJ_METER_POWER, 0);
    settle(&h, NULL, arena);
    assert_true(h.energy.joules == 90);
    assert_string_equal(h.rows[0].apart, "it stands still while there is power");
    assert_true(h.rows[1].counted && h.rows[2].counted);
}

static void a_platform_holds_packages_and_memory(void **state)
{
    (void)state;
    pj_auto_arena arena = pj_arena_new(NULL);
    house h = {.energy.span_ns = 1};
    add(&h, "rapl PACKAGE_ENERGY:PACKAGE0", PJ_METER_ENERGY, 40);
    add(&h, "rapl DRAM_ENERGY:PACKAGE0", PJ_METER_ENERGY, 5);
    add(&h, "rapl PSYS_ENERGY", PJ_METER_ENERGY, 60);
    add(&h, "nvml device_0 energy", PJ_METER_ENERGY, 50);
    settle(&h, NULL, arena);
    assert_true(h.energy.joules == 60 + 50);
}

/// Readings that agree announce one sensor; where they do not, only one source of boards counts.
static void one_sensor_under_two_sources_counts_once(void **state)
{
    (void)state;
    pj_auto_arena arena = pj_arena_new(NULL);
    house h = {.energy.span_ns = 1};
    pj_energy_pair pairs[9] = {{0}};
    add(&h, "hwmon2 power1", PJ_METER_POWER, 99.5);
    add(&h, "hwmon3 power1", PJ_METER_POWER, 300);
    add(&h, "rocm_smi power device=0", PJ_METER_POWER, 100);
    pairs[0 * 3 + 2] = (pj_energy_pair){.total = 10, .near = 9};
    settle(&h, pairs, arena);
    assert_true(h.energy.joules == 100);
    assert_string_equal(h.rows[0].apart, "the sensor of rocm_smi power device=0");
    assert_int_equal(h.rows[0].same, 2);
    assert_string_equal(h.rows[1].apart, "another source of its kind counts");
}

static void what_is_recorded_twice_counts_once(void **state)
{
    (void)state;
    pj_auto_arena arena = pj_arena_new(NULL);
    house h = {.energy.span_ns = 1};
    add(&h, "rapl PACKAGE_ENERGY:PACKAGE0", PJ_METER_ENERGY, 40);
    add(&h, "rapl PACKAGE_ENERGY:PACKAGE0", PJ_METER_ENERGY, 40);
    settle(&h, NULL, arena);
    assert_true(h.energy.joules == 40);
}

static void what_cannot_be_told_is_no_number(void **state)
{
    (void)state;
    pj_auto_arena arena = pj_arena_new(NULL);
    house h = {.energy.span_ns = 1};
    add(&h, "rapl PACKAGE_ENERGY:PACKAGE0", PJ_METER_ENERGY, 40);
    h.rows[0].meter.factor = 0;
    add(&h, "rapl PACKAGE_ENERGY:PACKAGE1", PJ_METER_ENERGY, INFINITY);
    add(&h, "rapl PACKAGE_ENERGY:PACKAGE2", PJ_METER_ENERGY, 3);
    h.rows[2].reading.covered_ns = 0;
    settle(&h, NULL, arena);
    assert_true(isnan(h.energy.joules));
    assert_string_equal(h.rows[0].apart, "the trace does not tell its unit: --energy-unit does");
    assert_string_equal(h.rows[1].apart, "it is too large for a number");
    assert_string_equal(h.rows[2].apart, "it has no two readings");
}

/// Within 1 % where power is steady, within 5 % where it changes by more than half.
static void power_and_counter_are_compared(void **state)
{
    (void)state;
    static const struct {
        double joules, last;
        const char *says, *not ;
    } rows[] = {
        {100.9, 90, NULL, "differ"},
        {103, 90, "differ by 3.0 %, more than steady power explains", "expected"},
        {97, 20, "differ by 3.0 %, its power at begin and end by more than half (100 and 20 W)",
         "It is more"},
        {107, 300, "up to 5 % are to be expected. It is more.", "steady"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        house h = {.energy = {.span_ns = 1000000000}};
        pj_auto_run run = pj_run_new("made");
        add(&h, "rocm_smi:::energy_count:device=0", PJ_METER_ENERGY, 100);
        add(&h, "rocm_smi:::current_socket_power:device=0", PJ_METER_POWER, rows[i].joules);
        h.rows[1].reading.first = 100;
        h.rows[1].reading.last = rows[i].last;
        settle(&h, NULL, run->arena);
        run->meters.count = 2;
        run->energy = &h.energy;
        pj_auto_table table = pj_energy_table(run, 0);
        if (rows[i].says && !strstr(table->note, rows[i].says))
            fail_msg("%zu: %s", i, table->note);
        assert_null(strstr(table->note, rows[i].not ));
    }
}

static void a_unit_that_is_given_fills_in(void **state)
{
    (void)state;
    pj_auto_arena arena = pj_arena_new(NULL);
    house h = {.energy.span_ns = 1};
    add(&h, "rapl PACKAGE_ENERGY:PACKAGE0", PJ_METER_ENERGY, 40000);
    h.rows[0].meter.factor = 0;
    add(&h, "rapl PACKAGE_ENERGY:PACKAGE1", PJ_METER_ENERGY, 3);
    settle(&h, NULL, arena);
    assert_true(h.energy.joules == 3);
    assert_ptr_equal(pj_energy_in_unit(&h.energy, 0, arena), &h.energy);
    assert_true(pj_energy_in_unit(&h.energy, 1e-3, arena)->joules == 43);
    assert_true(h.energy.joules == 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_node_holds_all_others),
        cmocka_unit_test(packages_memory_and_boards_are_disjoint),
        cmocka_unit_test(a_counter_that_stands_still_does_not_count),
        cmocka_unit_test(a_platform_holds_packages_and_memory),
        cmocka_unit_test(one_sensor_under_two_sources_counts_once),
        cmocka_unit_test(what_is_recorded_twice_counts_once),
        cmocka_unit_test(what_cannot_be_told_is_no_number),
        cmocka_unit_test(power_and_counter_are_compared),
        cmocka_unit_test(a_unit_that_is_given_fills_in),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
