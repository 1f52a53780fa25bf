// What names, units and labels of metrics say of the meters behind them.
#include "metrics/trace/meter.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

typedef struct wanted {
    const char *name, *unit;
    pj_meter_kind kind;
    const char *source, *domain;
    uint32_t number;
    double factor;
} wanted;

static void names_tell_meters(void **state)
{
    (void)state;
    static const wanted rows[] = {
        {"A2rocm_smi:::energy_count:device=3", "#", PJ_METER_ENERGY, "rocm_smi", "board", 3, 1e-6},
        {"A2rocm_smi:::current_socket_power:device=0", "#", PJ_METER_POWER, "rocm_smi", "board", 0,
         1e-6},
        {"A2coretemp:::hwmon5:power1_input", "#", PJ_METER_POWER, "hwmon", "board", 5, 1e-6},
        {"nvml:::Tesla_V100:device_1:power", "", PJ_METER_POWER, "nvml", "board", 1, 1e-3},
        {"rapl:::PACKAGE_ENERGY:PACKAGE1", "nJ", PJ_METER_ENERGY, "rapl", "package", 1, 1e-9},
        {"rapl:::PP0_ENERGY:PACKAGE0", "nJ", PJ_METER_ENERGY, "rapl", "cores", 0, 1e-9},
        {"rapl:::DRAM_ENERGY:PACKAGE0", "", PJ_METER_ENERGY, "rapl", "dram", 0, 0},
        {"powercap:::ENERGY_UJ:PSYS", "", PJ_METER_ENERGY, "powercap", "platform", 0, 1e-6},
        {"pm_counters:::energy", "J", PJ_METER_ENERGY, "pm_counters", "node", 0, 1},
        {"pm_counters:::accel2_power", "W", PJ_METER_POWER, "pm_counters", "board", 2, 1},
        {"Watts of the wall", "furlong", PJ_METER_POWER, "", "other", 0, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        pj_meter meter = pj_meter_of(rows[i].name, rows[i].unit, 1);
        assert_int_equal(meter.kind, rows[i].kind);
        assert_string_equal(pj_meter_source_name(meter.source), rows[i].source);
        assert_string_equal(pj_meter_domain_name(meter.domain), rows[i].domain);
        assert_int_equal(meter.number, rows[i].number);
        assert_true(fabs(meter.factor - rows[i].factor) <= 1e-15);
    }
}

static void other_metrics_are_none(void **state)
{
    (void)state;
    static const char *const names[] = {"PAPI_TOT_INS",
                                        "A2rocm_smi:::busy_percent:device=0",
                                        "A2coretemp:::hwmon2:freq1_input",
                                        "power_cap",
                                        "HIP Memory",
                                        ""};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_int_equal(pj_meter_of(names[i], "#", 1).kind, PJ_METER_NONE);
}

static void scales_are_taken_and_absurd_ones_are_not(void **state)
{
    (void)state;
    assert_true(fabs(pj_meter_of("energy", "J", 1e-3).factor - 1e-3) < 1e-15);
    assert_true(pj_meter_of("energy", "J", INFINITY).factor == 0);
    assert_true(pj_meter_of("energy", "J", 0).factor == 0);
    assert_true(pj_meter_of("rapl energy", "", 1).range > 4e9);  // the register, as it is
    assert_true(pj_meter_of("rapl energy", "nJ", 1).range == 0); // a tool has made more of it
    assert_true(pj_meter_of("powercap:::ENERGY_UJ:ZONE0", "", 1).range > 262e9);
    assert_true(pj_meter_of("powercap:::ENERGY_UJ:ZONE0", "uJ", 1).range > 262e9);
    assert_true(pj_meter_of("powercap:::ENERGY_UJ:ZONE0", "J", 1).range == 0);
    assert_true(pj_meter_of("powercap:::ENERGY_UJ:ZONE0", "uJ", 1).lesser_range < 66e9);
    assert_true(pj_meter_of("intel-rapl:0/energy_uj", "", 1).range > 262e9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_tell_meters),
        cmocka_unit_test(other_metrics_are_none),
        cmocka_unit_test(scales_are_taken_and_absurd_ones_are_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
