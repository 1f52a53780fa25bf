// What devices do as the tools write it, each in its own way: nsys2prv's tables, messages and
// graphs, OpenCL of Extrae.
#include "metrics/analyse/load.h"
#include "metrics/pop/metrics.h"
#include "metrics/run/devices.h"
#include "metrics/run/sums.h"
#include "tests/support/folder.h"
#include "tests/support/trace/device_trace.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/// As nsys2prv writes them unless it is told to sort: kernels, then copies, then calls, each with
/// its end behind its begin.
static void tables_one_after_another_are_put_in_order(void **state)
{
    (void)state;
    static const char *const traces[] = {
        "2:0:1:1:2:110:63000006:1\n"
        "2:0:1:1:2:400:63000006:0\n"
        "2:0:1:1:3:300:63000006:1\n"
        "2:0:1:1:3:550:63000006:0\n"
        "2:0:1:1:3:120:63000001:5\n"
        "2:0:1:1:3:150:63000001:0\n"
        "2:0:1:1:2:600:63000001:4\n"
        "2:0:1:1:2:640:63000001:0\n"
        "2:0:1:1:1:100:63000000:1\n"
        "2:0:1:1:1:105:63000000:0\n"
        "2:0:1:1:1:570:63000000:2\n"
        "2:0:1:1:1:645:63000000:0\n",
        "2:0:1:1:1:100:63000000:1\n"
        "2:0:1:1:1:105:63000000:0\n"
        "2:0:1:1:2:110:63000006:1\n"
        "2:0:1:1:3:120:63000001:5\n"
        "2:0:1:1:3:150:63000001:0\n"
        "2:0:1:1:3:300:63000006:1\n"
        "2:0:1:1:2:400:63000006:0\n"
        "2:0:1:1:3:550:63000006:0\n"
        "2:0:1:1:1:570:63000000:2\n"
        "2:0:1:1:2:600:63000001:4\n"
        "2:0:1:1:2:640:63000001:0\n"
        "2:0:1:1:1:645:63000000:0\n",
    };
    static const char pcf[] = "EVENT_TYPE\n0 63000000 CUDA library call\nVALUES\n0 End\n"
                              "1 cudaLaunchKernel\n2 cudaStreamSynchronize\n";
    for (unsigned i = 0; i < 4; i++) {
        char text[2048];
        snprintf(text, sizeof text, "%s0:1:1:(3:1)\n%s", DEVICE_TRACE_HEADER, traces[i / 2]);
        device_trace_put("run.prv", text);
        device_trace_put("run.pcf", pcf);
        device_trace_put("run.row", "LEVEL THREAD SIZE 3\nTHREAD 1.1.1\nCUDA-D0.S7\nCUDA-D0.S13\n");
        pj_auto_run run = device_trace_load("run.prv", i % 2 ? 4 : 1);
        const pj_device_sum *device = &run->devices->items[0];
        device_trace_expect(device, (pj_device_sum){.streams = 2,
                                                    .kernels = 2,
                                                    .useful_ns = 440,
                                                    .transfer_ns = 40,
                                                    .transfer_total_ns = 70});
        assert_int_equal(device->idle_ns[PJ_DEVICE_IDLE_host], 20);
        assert_int_equal(device->idle_ns[PJ_DEVICE_IDLE_synchronise], 30);
        assert_int_equal(run->totals[0].useful_ns, 1000 - 5 - 75);
        assert_int_equal(run->import.count[PJ_IMPORT_device_late], 0);
        device_trace_remove();
    }
}

/// Messages of nsys2prv lead from calls to what they ask for, whichever way that copies.
static void messages_do_not_tell_copies_twice(void **state)
{
    (void)state;
    device_trace_put("run.prv", DEVICE_TRACE_HEADER "0:1:1:(2:1)\n"
                                                    "2:0:1:1:1:100:63000000:7:9200:1\n"
                                                    "2:0:1:1:1:110:63000000:0:9200:0\n"
                                                    "3:0:1:1:1:100:100:0:1:1:2:120:120:4096:55002\n"
                                                    "2:0:1:1:2:120:63000001:4:63000002:4096\n"
                                                    "2:0:1:1:2:150:63000001:0:63000002:0\n");
    device_trace_put("run.row", "LEVEL THREAD SIZE 2\nTHREAD 1.1.1\nCUDA-D0.S7\n");
    pj_auto_run run = device_trace_load("run.prv", 1);
    device_trace_expect(
        &run->devices->items[0],
        (pj_device_sum){.streams = 1, .transfer_ns = 30, .transfer_total_ns = 30, .to_host = 4096});
    device_trace_remove();
}

/// In version 0.3 of nsys2prv copies are kernels; their names tell them.
static void copies_among_kernels_are_copies(void **state)
{
    (void)state;
    device_trace_put("run.prv",
                     DEVICE_TRACE_HEADER "0:1:1:(2:1)\n"
                                         "2:0:1:1:2:110:63000006:1:9200:1\n"
                                         "2:0:1:1:2:400:63000006:0:9200:0\n"
                                         "2:0:1:1:2:410:63000006:2000:63000002:4096:9200:2\n"
                                         "2:0:1:1:2:500:63000006:1:9200:3\n"
                                         "2:0:1:1:2:500:63000006:0:63000002:0:9200:0\n"
                                         "2:0:1:1:2:600:63000006:0:9200:0\n"
                                         "2:0:1:1:2:700:63000006:3:63000002:64:9200:4\n"
                                         "2:0:1:1:2:710:63000006:0:63000002:0:9200:0\n");
    device_trace_put("run.pcf", "EVENT_TYPE\n0 63000006 CUDA kernel\nVALUES\n0 End\n1 step\n"
                                "3 [CUDA memset]\n2000 [CUDA memcpy Device-to-Host]\n");
    device_trace_put("run.row", "LEVEL THREAD SIZE 2\nTHREAD 1.1.1\nCUDA-D0.S7\n");
    for (unsigned workers = 1; workers <= 4; workers += 3) {
        pj_auto_run run = device_trace_load("run.prv", workers);
        device_trace_expect(&run->devices->items[0], (pj_device_sum){.streams = 1,
                                                                     .kernels = 2,
                                                                     .useful_ns = 390,
                                                                     .transfer_ns = 100,
                                                                     .transfer_total_ns = 100,
                                                                     .to_host = 4096});
    }
    device_trace_remove();
}

/// A graph of kernels is one event of nsys2prv; Extrae gives the same number to another.
static void graphs_are_kernels(void **state)
{
    (void)state;
    static const char *const headers[] = {DEVICE_TRACE_HEADER "0:1:1:(2:1)\n",
                                          DEVICE_TRACE_HEADER "1(2):1:1(2:1)\n"};
    for (unsigned extrae_s = 0; extrae_s < 2; extrae_s++) {
        char text[512];
        snprintf(text, sizeof text,
                 "%s2:0:1:1:1:100:63000000:7\n2:0:1:1:1:110:63000000:0\n"
                 "2:0:1:1:2:120:63000008:1:63000100:3\n2:0:1:1:2:180:63000008:0:63000100:0\n",
                 headers[extrae_s]);
        device_trace_put("run.prv", text);
        device_trace_put("run.row", "LEVEL THREAD SIZE 2\nTHREAD 1.1.1\nCUDA-D0.S7\n");
        pj_auto_run run = device_trace_load("run.prv", 1);
        assert_int_equal(run->devices->items[0].useful_ns, extrae_s ? 0 : 60);
        assert_int_equal(run->devices->items[0].kernels, extrae_s ? 0 : 1);
        device_trace_remove();
    }
}

/// Of "run.prv": a kernel of 270 ns and a transfer of 50 ns, for which the host waits.
static void expect_kernel_and_read(void)
{
    pj_auto_run run = device_trace_load("run.prv", 1);
    assert_int_equal(run->layout.locations, 1);
    const pj_device_sum *device = &run->devices->items[0];
    device_trace_expect(device, (pj_device_sum){.streams = 1,
                                                .kernels = 1,
                                                .useful_ns = 270,
                                                .transfer_ns = 50,
                                                .transfer_total_ns = 50});
    assert_int_equal(device->idle_ns[PJ_DEVICE_IDLE_synchronise], 50);
    assert_int_equal(run->devices->runtime_ns[0], 20 + 300);
    device_trace_remove();
}

/// Calls of OpenCL and what they make its streams do (a kernel, a read), with and without names.
static void opencl_is_read(void **state)
{
    (void)state;
    for (unsigned named = 0; named < 2; named++) {
        device_trace_put("run.prv", DEVICE_TRACE_HEADER "1(2):1:1(2:1)\n"
                                                        "1:1:1:1:1:0:100:1\n"
                                                        "2:1:1:1:1:100:64000000:15\n"
                                                        "1:1:1:1:1:100:120:15\n"
                                                        "2:1:1:1:1:120:64000000:0\n"
                                                        "1:1:1:1:1:120:300:1\n"
                                                        "1:2:1:1:2:130:400:1\n"
                                                        "2:2:1:1:2:130:64100000:15\n"
                                                        "2:1:1:1:1:300:64000000:25\n"
                                                        "1:1:1:1:1:300:600:5\n"
                                                        "2:2:1:1:2:400:64100000:0\n"
                                                        "2:2:1:1:2:450:64100000:18\n"
                                                        "1:2:1:1:2:450:500:17\n"
                                                        "2:2:1:1:2:500:64100000:0\n"
                                                        "2:1:1:1:1:600:64000000:0\n"
                                                        "1:1:1:1:1:600:1000:1\n"
                                                        "2:1:1:1:1:1000:40000001:0\n");
        if (named)
            device_trace_put("run.row", "LEVEL THREAD SIZE 2\nTHREAD 1.1.1\nOpenCL-D0.S1\n");
        expect_kernel_and_read();
    }
}

/// HIP has numbers of its own, the same values; with and without names.
static void hip_is_read(void **state)
{
    (void)state;
    for (unsigned named = 0; named < 2; named++) {
        device_trace_put("run.prv", DEVICE_TRACE_HEADER "1(2):1:1(2:1)\n"
                                                        "1:1:1:1:1:0:100:1\n"
                                                        "2:1:1:1:1:100:63500000:1\n"
                                                        "1:1:1:1:1:100:120:32\n"
                                                        "2:1:1:1:1:120:63500000:0\n"
                                                        "1:1:1:1:1:120:300:1\n"
                                                        "1:2:1:1:2:130:400:1\n"
                                                        "2:2:1:1:2:130:63500006:7\n"
                                                        "2:1:1:1:1:300:63500000:4\n"
                                                        "1:1:1:1:1:300:600:5\n"
                                                        "2:2:1:1:2:400:63500006:0\n"
                                                        "1:2:1:1:2:450:500:17\n"
                                                        "2:2:1:1:2:450:63500001:3\n"
                                                        "2:2:1:1:2:500:63500001:0\n"
                                                        "2:1:1:1:1:600:63500000:0\n"
                                                        "1:1:1:1:1:600:1000:1\n"
                                                        "2:1:1:1:1:1000:40000001:0\n");
        if (named)
            device_trace_put("run.row", "LEVEL THREAD SIZE 2\nTHREAD 1.1.1\nHIP-D0.S1-node1\n");
        expect_kernel_and_read();
    }
}

/// Constructs of OpenACC are calls of the runtime; what they call of CUDA lies within them.
static void openacc_is_the_runtime(void **state)
{
    (void)state;
    device_trace_put("run.prv", DEVICE_TRACE_HEADER "0:1:1:(2:1)\n"
                                                    "2:0:1:1:1:100:66000001:1\n"
                                                    "2:0:1:1:1:150:66000001:0\n"
                                                    "2:0:1:1:1:200:66000002:2\n"
                                                    "2:0:1:1:1:205:63000000:1\n"
                                                    "2:0:1:1:2:210:63000006:1\n"
                                                    "2:0:1:1:1:215:63000000:0\n"
                                                    "2:0:1:1:1:220:66000002:0\n"
                                                    "2:0:1:1:1:300:66000000:3\n"
                                                    "2:0:1:1:1:310:66000000:0\n"
                                                    "2:0:1:1:2:400:63000006:0\n");
    device_trace_put("run.row", "LEVEL THREAD SIZE 2\nTHREAD 1.1.1\nCUDA-D0.S7\n");
    pj_auto_run run = device_trace_load("run.prv", 1);
    device_trace_expect(&run->devices->items[0],
                        (pj_device_sum){.streams = 1, .kernels = 1, .useful_ns = 190});
    assert_int_equal(run->devices->runtime_ns[0], 50 + 20 + 10);
    assert_int_equal(run->totals[0].useful_ns, 1000 - 80);
    device_trace_remove();
}

/// nsys2prv puts all ranks on one node: what is called alike counts as one device, which is said.
static void devices_without_nodes_are_told(void **state)
{
    (void)state;
    static const char *const names[] = {"CUDA-D0.S7", "CUDA-D1.S7"};
    for (unsigned apart = 0; apart < 2; apart++) {
        char row[256];
        snprintf(row, sizeof row, "LEVEL THREAD SIZE 4\nTHREAD 1.1.1\n%s\nTHREAD 1.2.1\n%s\n",
                 names[0], names[apart]);
        device_trace_put("run.prv", DEVICE_TRACE_HEADER "0:1:2:(2:1,2:1)\n"
                                                        "2:0:1:1:2:100:63000006:1\n"
                                                        "2:0:1:2:2:150:63000006:1\n"
                                                        "2:0:1:1:2:300:63000006:0\n"
                                                        "2:0:1:2:2:350:63000006:0\n");
        device_trace_put("run.row", row);
        pj_auto_run run = device_trace_load("run.prv", 1);
        bool said = false;
        for (size_t i = 0; i < run->remarks.count; i++)
            said |= strstr(run->remarks.items[i].text, "devices with the same number") != NULL;
        assert_int_equal(said, !apart);
        assert_int_equal(run->devices->count, apart ? 2 : 1);
        assert_int_equal(run->devices->items[0].useful_ns, apart ? 200 : 250);
        device_trace_remove();
    }
}

/// A thread that waits for its device does not wait for its team.
static void waiting_for_a_device_is_none_of_openmp(void **state)
{
    (void)state;
    device_trace_put("run.prv", DEVICE_TRACE_HEADER "1(3):1:1(3:1)\n"
                                                    "2:1:1:1:1:0:60000001:1\n"
                                                    "2:1:1:1:1:0:60000018:1\n"
                                                    "1:1:1:1:1:0:80:1\n"
                                                    "2:2:1:1:2:0:60000018:1\n"
                                                    "1:2:1:1:2:0:100:1\n"
                                                    "1:1:1:1:1:80:100:5\n"
                                                    "2:1:1:1:1:100:60000018:0:60000001:0\n"
                                                    "2:2:1:1:2:100:60000018:0\n"
                                                    "1:1:1:1:1:100:600:5\n"
                                                    "2:1:1:1:1:100:63000000:4\n"
                                                    "1:3:1:1:3:200:500:1\n"
                                                    "2:1:1:1:1:600:63000000:0\n"
                                                    "1:1:1:1:1:600:1000:1\n"
                                                    "2:1:1:1:1:1000:40000001:0\n");
    device_trace_put("run.row", "LEVEL THREAD SIZE 3\nTHREAD 1.1.1\nTHREAD 1.1.2\nCUDA-D0.S1\n");
    pj_auto_run run = device_trace_load("run.prv", 1);
    assert_int_equal(run->layout.locations, 2);
    assert_int_equal(run->totals[0].spent_ns[PJ_SPENT_SYNC], 20);
    assert_int_equal(run->totals[0].spent_ns[PJ_SPENT_DEVICE], 500);
    assert_int_equal(run->totals[0].spent_ns[PJ_SPENT_OTHER], 0);
    assert_int_equal(run->totals[0].device_calls_ns, 500);
    assert_int_equal(run->devices->runtime_ns[0], 500);
    device_trace_remove();
}

/// NAN where there is none.
static double value_of(pj_run *run, const char *set, const char *key)
{
    pj_err err = {0};
    pj_auto_study study = pj_study_new(&run, 1, (pj_study_opts){0}, &err);
    pj_auto_metrics metrics =
        pj_metrics_new(pj_metric_set_by_key(pj_str_of(set)), study, (pj_metrics_opts){0}, &err);
    if (!metrics)
        fail_msg("%s", err.text);
    int row = pj_metric_row(metrics->set, pj_str_of(key));
    assert_true(row >= 0);
    pj_metric_value got = pj_metrics_at(metrics, 0, (size_t)row);
    return got.reason ? NAN : got.value;
}

/// The host is traced and no stream is: what it spends in the runtime is no less lost.
static void calls_count_without_streams(void **state)
{
    (void)state;
    static const char *const types[] = {"63000000", "63500000", "66000000"};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        char text[1024];
        snprintf(text, sizeof text,
                 DEVICE_TRACE_HEADER "1(1):1:1(1:1)\n"
                                     "1:1:1:1:1:0:200:1\n"
                                     "2:1:1:1:1:200:%s:1\n"
                                     "1:1:1:1:1:200:300:32\n"
                                     "2:1:1:1:1:300:%s:0\n"
                                     "1:1:1:1:1:300:600:1\n"
                                     "2:1:1:1:1:600:%s:2\n"
                                     "1:1:1:1:1:600:900:15\n"
                                     "2:1:1:1:1:900:%s:0\n"
                                     "1:1:1:1:1:900:1000:1\n"
                                     "2:1:1:1:1:1000:40000001:0\n",
                 types[i], types[i], types[i], types[i]);
        device_trace_put("run.prv", text);
        pj_auto_run run = device_trace_load("run.prv", 1);
        pj_sums sums = pj_sums_of(run);
        assert_string_equal(pj_devices_lack(run), "no device activity in the trace");
        assert_true(sums.devices == 0 && sums.gpu_runtime_sum == 400);
        assert_int_equal(run->totals[0].spent_ns[PJ_SPENT_DEVICE], 400);
        assert_float_equal(value_of(run, "talp", "parallel_efficiency"), 0.6, 1e-12);
        assert_float_equal(value_of(run, "talp", "device_offload_efficiency"), 0.6, 1e-12);
        assert_float_equal(value_of(run, "talp-v1", "device_offload_efficiency"), 0.6, 1e-12);
        assert_float_equal(value_of(run, "bsc-2026", "device_offload_efficiency"), 0.6, 1e-12);
        assert_true(isnan(value_of(run, "gpu", "device_offload_efficiency")));
        device_trace_remove();
    }
}

/// Nobody is longer at work than the run on an ideal network lasts, where no event ends the work.
static void computation_behind_the_last_event_is_replayed(void **state)
{
    (void)state;
    device_trace_put("run.prv", DEVICE_TRACE_HEADER "1(3):1:2(2:1,1:1),1\n"
                                                    "c:1:1:2:1:2\n"
                                                    "1:1:1:1:1:0:600:1\n"
                                                    "1:3:1:2:1:0:500:1\n"
                                                    "1:2:1:1:2:100:400:1\n"
                                                    "2:3:1:2:1:500:50000002:8:50100004:1\n"
                                                    "1:3:1:2:1:500:700:13\n"
                                                    "2:1:1:1:1:600:50000002:8:50100004:1\n"
                                                    "1:1:1:1:1:600:700:13\n"
                                                    "2:1:1:1:1:700:50000002:0\n"
                                                    "2:3:1:2:1:700:50000002:0\n"
                                                    "1:1:1:1:1:700:1000:1\n"
                                                    "1:3:1:2:1:700:950:1\n"
                                                    "1:3:1:2:1:950:1000:0\n");
    device_trace_put("run.pcf", "EVENT_TYPE\n9 50000002 MPI Collective Comm\nVALUES\n"
                                "8 MPI_Barrier\n0 Outside MPI\n");
    device_trace_put("run.row", "LEVEL THREAD SIZE 3\nTHREAD 1.1.1\nCUDA-D0.S1\nTHREAD 1.2.1\n");
    pj_auto_run run = device_trace_load("run.prv", 1);
    assert_true(run->ideal.available);
    assert_int_equal((uint64_t)run->ideal.runtime_ns, 900);
    assert_int_equal((uint64_t)run->ideal.finish_ns[1], 850);
    device_trace_remove();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_one_after_another_are_put_in_order),
        cmocka_unit_test(messages_do_not_tell_copies_twice),
        cmocka_unit_test(copies_among_kernels_are_copies),
        cmocka_unit_test(graphs_are_kernels),
        cmocka_unit_test(opencl_is_read),
        cmocka_unit_test(hip_is_read),
        cmocka_unit_test(openacc_is_the_runtime),
        cmocka_unit_test(devices_without_nodes_are_told),
        cmocka_unit_test(waiting_for_a_device_is_none_of_openmp),
        cmocka_unit_test(calls_count_without_streams),
        cmocka_unit_test(computation_behind_the_last_event_is_replayed),
    };
    return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
