// Labels of streams, and the devices that they tell.
#include "metrics/trace/device.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void assert_text(pj_str got, const char *wanted)
{
    if (!pj_str_equal(got, pj_str_of(wanted)))
        fail_msg("\"" PJ_STR_FMT "\" is not \"%s\"", PJ_STR_ARG(got), wanted);
}

static void labels_of_streams(void **state)
{
    (void)state;
    static const struct {
        const char *label;
        pj_device_kind kind;
        const char *device, *node;
    } cases[] = {
        {"CUDA-D1.S2-node1", PJ_STREAM_CUDA, "D1", "node1"},
        {"CUDA-D0.S7", PJ_STREAM_CUDA, "D0", ""},
        {"CUDA-D12.S3-gpu-node-7", PJ_STREAM_CUDA, "D12", "gpu-node-7"},
        {"HIP-D0.S1-n", PJ_STREAM_HIP, "D0", "n"},
        {"OpenCL-D0.S1", PJ_STREAM_OPENCL, "D0", ""},
        {"GPU-D3.S1", PJ_STREAM_DEVICE, "D3", ""},
        {"GPU_1a2b3c4d.7", PJ_STREAM_DEVICE, "1a2b3c4d", ""},
        {"Metrics GPU0", PJ_STREAM_SAMPLES, "0", ""},
        {"THREAD 1.1.2", PJ_STREAM_NONE, "", ""},
        {"CUDA-Driver", PJ_STREAM_NONE, "", ""},
        {"CUDA-D", PJ_STREAM_NONE, "", ""},
        {"CUDA-D1x", PJ_STREAM_NONE, "", ""},
        {"GPU_", PJ_STREAM_NONE, "", ""},
        {"GPU_zz.1", PJ_STREAM_NONE, "", ""},
        {"", PJ_STREAM_NONE, "", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        pj_device_label got = pj_device_of_label(pj_str_of(cases[i].label));
        if (got.kind != cases[i].kind)
            fail_msg("%s is %s", cases[i].label, pj_device_kind_name(got.kind));
        if (got.kind == PJ_STREAM_NONE)
            continue;
        assert_text(got.device, cases[i].device);
        assert_text(got.node, cases[i].node);
    }
}

static void devices_are_listed_once(void **state)
{
    (void)state;
    static const pj_device_stream streams[] = {
        {PJ_STREAM_CUDA, 0, 1, "a:D0", NULL},     {PJ_STREAM_CUDA, 0, 2, "a:D0", NULL},
        {PJ_STREAM_SAMPLES, 0, 3, "a:0", NULL},   {PJ_STREAM_CUDA, 1, 1, "a:D1", NULL},
        {PJ_STREAM_CUDA, 2, 1, "a:D0", "shared"},
    };
    const uint32_t count = sizeof streams / sizeof *streams;
    pj_auto_arena arena = pj_arena_new(NULL);
    uint32_t devices, device_of[sizeof streams / sizeof *streams];
    const char **keys = pj_device_keys(streams, count, arena, &devices, device_of);
    static const uint32_t wanted[] = {0, 0, PJ_NO_DEVICE, 1, 0};
    assert_memory_equal(device_of, wanted, sizeof wanted);
    assert_int_equal(devices, 2);
    assert_string_equal(keys[0], "a:D0");
    assert_string_equal(keys[1], "a:D1");
    assert_int_equal(pj_device_streams(streams, count), 4);
}

static void names_tell_what_calls_are_for(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        pj_device_call call;
    } calls[] = {{"cudaLaunchKernel", PJ_DEVICE_CALL_LAUNCH},
                 {"hipModuleLaunchKernel", PJ_DEVICE_CALL_LAUNCH},
                 {"cudaGraphLaunch", PJ_DEVICE_CALL_LAUNCH},
                 {"cudaLaunchHostFunc", PJ_DEVICE_CALL_OTHER},
                 {"cudaMemcpyAsync", PJ_DEVICE_CALL_COPY},
                 {"hipMemset", PJ_DEVICE_CALL_COPY},
                 {"cuStreamSynchronize", PJ_DEVICE_CALL_SYNC},
                 {"cudaStreamWaitEvent", PJ_DEVICE_CALL_OTHER}, // the thread goes on
                 {"cudaMalloc", PJ_DEVICE_CALL_OTHER}};
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (pj_device_call_named(pj_str_of(calls[i].name)) != calls[i].call)
            fail_msg("%s", calls[i].name);
    assert_int_equal(pj_device_copy_named(PJ_S("[CUDA memcpy Device-to-Host]")),
                     PJ_DEVICE_COPY_TO_HOST);
    assert_int_equal(pj_device_copy_named(PJ_S("MEMORY_COPY_HOST_TO_DEVICE")),
                     PJ_DEVICE_COPY_TO_DEVICE);
    assert_int_equal(pj_device_copy_named(PJ_S("[CUDA memset]")), PJ_DEVICE_COPY_SET);
    assert_int_equal(pj_device_copy_named(PJ_S("cudaMemcpy")), PJ_DEVICE_COPY_SOME);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(labels_of_streams),
        cmocka_unit_test(devices_are_listed_once),
        cmocka_unit_test(names_tell_what_calls_are_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
