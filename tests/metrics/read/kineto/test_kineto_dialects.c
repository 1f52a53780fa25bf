// Traces of PyTorch's profiler as its versions, other devices and other tools write them.
#include "metrics/base/buf.h"
#include "metrics/read/reader.h"
#include "metrics/run/ai_account.h"
#include "metrics/run/devices.h"
#include "tests/support/kineto_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define TWO CALL("9", "1", "2", "1") "," KERNEL("a", "5", "20", "1")

static pj_run *must_read(pj_str text)
{
    pj_err err = {.code = PJ_E_NONE};
    pj_run *run = kineto_run_of(text, &err);
    if (!run)
        fail_msg("%s", err.text);
    assert_string_equal(run->format, "kineto");
    return run;
}

/// Written anew by scripts: without metadata, or that behind the events, and the first records of
/// devices behind all that is looked at; PyTorch 1.8, whose metadata and categories had other
/// names.
static void any_layout_is_known(void **state)
{
    (void)state;
    static const char operator[] =
        "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::add\",\"pid\":9,\"tid\":9,\"ts\":1,"
        "\"dur\":1,\"args\":{\"External id\":3}},";
    static const char *const layouts[][2] = {
        {"[", "]"},
        {"{\"traceEvents\":[", "]}"},
        {"{\"displayTimeUnit\": \"ms\", \"traceEvents\": [",
         "], \"distributedInfo\": {\"rank\": 3, \"world_size\": 8}}"},
    };
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++) {
        pj_auto_buf text = {.at = NULL};
        pj_buf_puts(&text, layouts[i][0]);
        while (text.len < 80 << 10)
            pj_buf_puts(&text, operator);
        pj_buf_puts(&text, TWO);
        pj_buf_puts(&text, layouts[i][1]);
        pj_auto_run run = must_read(pj_buf_str(&text));
        assert_int_equal(run->ai->shares[0].useful, 20000);
    }
    pj_auto_run old = must_read(PJ_S(
        "{\"schemaVersion\": 1, \"computeProperties\": [], \"traceEvents\": [{\"ph\": \"X\", "
        "\"cat\": \"Runtime\", \"name\": \"cudaLaunchKernel\", \"pid\": 9, \"tid\": \"9\", \"ts\": "
        "1621401187223197, \"dur\": 4, \"args\": {\"correlation\": 7}}, {\"ph\": \"X\", \"cat\": "
        "\"Kernel\", \"name\": \"a\", \"pid\": 0, \"tid\": \"stream 7\", \"ts\": "
        "1621401187223205, \"dur\": 20, \"args\": {\"device\": 0, \"stream\": 7, \"correlation\": "
        "7}}]}"));
    assert_int_equal(old->ai->shares[0].useful, 20000);
    assert_false(kineto_run_says(old, "have no launch"));
}

/// The groups of a large run fill more than what is looked at, and more than what is kept.
static void lists_of_groups_are_long(void **state)
{
    (void)state;
    for (size_t len = 100 << 10; len <= 5 << 20; len *= 51) {
        pj_auto_buf text = {.at = NULL};
        pj_buf_puts(&text, "{\"schemaVersion\": 1, \"deviceProperties\": [], \"distributedInfo\": "
                           "{\"backend\": \"nccl\", \"rank\": 3, \"world_size\": 8, \"pg_config\": "
                           "[{\"pg_name\": \"0\", \"ranks\": [0");
        while (text.len < len)
            pj_buf_puts(&text, ", 1, 2, 3, 4, 5, 6, 7");
        pj_buf_puts(&text, "]}]}, \"traceEvents\": [" TWO "]}");
        pj_auto_run run = must_read(pj_buf_str(&text));
        assert_true(kineto_run_says(run, "1 of 8 ranks were read"));
        assert_non_null(pj_reader_guess_profile(pj_buf_str(&text)));
    }
}

/// PyTorch 2.10 writes an event a line; of a key that stands twice the last counts: kernels of a
/// graph are moved to one stream. All have the launch of their graph.
static void kernels_of_graphs_have_a_launch(void **state)
{
    (void)state;
    pj_auto_buf text = {.at = NULL};
    pj_buf_puts(&text,
                "{\n\"schemaVersion\": 1,\n\"deviceProperties\": [{\"id\": 0}],\n"
                "\"baseTimeNanoseconds\": 1775078550000000000,\n\"cudaGraphInlineAnnotated\": "
                "true,\n\"traceEvents\": [\n"
                "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaGraphLaunch\",\"pid\":9,"
                "\"tid\":9,\"ts\":1.000,\"dur\":4.000,\"args\":{\"cbid\": 311, \"correlation\": "
                "5}},\n");
    for (unsigned i = 0; i < 3; i++)
        pj_buf_addf(&text,
                    "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":0,\"tid\":7,\"ts\":%u."
                    "000,\"dur\":6.500,\"args\":{\"device\": 0, \"stream\": %u, \"correlation\": "
                    "5, \"graph node id\": %u,\"stream\": 7,\"original_stream\": %u}},\n",
                    10 + 10 * i, 100 + i, i, 100 + i);
    pj_buf_puts(&text, "{\"ph\":\"i\",\"s\":\"g\",\"name\":\"Record Window End\",\"pid\":\"\","
                       "\"tid\":\"\",\"ts\":52.000}\n],\n\"traceName\": \"a\"\n}\n");
    pj_auto_run run = must_read(pj_buf_str(&text));
    assert_int_equal(run->ai->shares[0].useful, 19500);
    assert_int_equal(run->ai->shares[0].idle[PJ_AI_IDLE_queued], 7000);
    assert_int_equal(run->devices->items[0].streams, 1);
}

/// XPU: streams are queues of SYCL, copies are between M and D, and its own calls wait.
static void xpu_waits_and_copies(void **state)
{
    (void)state;
    pj_auto_run run = must_read(PJ_S(EVENTS(
        "{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"gemm\", \"pid\": 0, \"tid\": 2, \"ts\": "
        "10, \"dur\": 20, \"args\": {\"correlation\": 11, \"device\": 0, \"sycl queue\": 2}}, "
        "{\"ph\": \"X\", \"cat\": \"xpu_runtime\", \"name\": \"urEventWait\", \"pid\": 9, \"tid\": "
        "9, \"ts\": 32, \"dur\": 28, \"args\": {\"correlation\": 12}}, "
        "{\"ph\": \"X\", \"cat\": \"xpu_driver\", \"name\": \"zeEventHostSynchronize\", \"pid\": "
        "9, \"tid\": 9, \"ts\": 33, \"dur\": 26, \"args\": {\"correlation\": 13}}, "
        "{\"ph\": \"X\", \"cat\": \"xpu_runtime\", \"name\": \"urEnqueueUSMMemcpy\", \"pid\": 9, "
        "\"tid\": 9, \"ts\": 61, \"dur\": 2, \"args\": {\"correlation\": 14}}, "
        "{\"ph\": \"X\", \"cat\": \"gpu_memcpy\", \"name\": \"Memcpy M2D (Host -> Device)\", "
        "\"pid\": 0, \"tid\": 2, \"ts\": 70, \"dur\": 5, \"args\": {\"correlation\": 14, "
        "\"bytes\": 4096}}")));
    const pj_ai_share *share = &run->ai->shares[0];
    assert_int_equal(share->copies, 5000);
    assert_int_equal(share->idle[PJ_AI_IDLE_synchronise], 28000);
    assert_int_equal(share->idle[PJ_AI_IDLE_host], 3000);
    assert_int_equal(run->devices->items[0].streams, 1);
    assert_int_equal(run->devices->items[0].to_device, 4096);
}

/// What libraries call their kernels; those that compute as well stay useful.
static void exchanges_have_many_names(void **state)
{
    (void)state;
    static const char *const names[] = {
        "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
        "ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t(ncclDevComm*, unsigned long, ncclWork*)",
        "ncclSymkDevKernel_AllGather_LL(ncclSymkDevWorkArgs4K)",
        "ncclDevKernel_Generic_1(ncclDevKernelArgsStorage<4096ul>)",
        "void vllm::cross_device_reduce_2stage<__half, 8>(vllm::RankData*)",
        "void aiter::cross_device_reduce_1stage_naive<__half, 8>(aiter::RankData*)",
        "void tensorrt_llm::kernels::oneShotAllReduceKernel<float>(Params)",
        "void (anonymous namespace)::two_shot_all_reduce_kernel<c10::BFloat16, 16, 8>()",
        "multimem_all_reduce_kernel",
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        pj_auto_buf text = {.at = NULL};
        pj_buf_addf(&text, EVENTS(KERNEL("%s", "1", "9", "1") "," KERNEL("a", "10", "2", "2")),
                    names[i]);
        pj_auto_run run = must_read(pj_buf_str(&text));
        if (run->ai->shares[0].unsplit != 9000 || run->ai->shares[0].useful != 2000)
            fail_msg("%s is no exchange", names[i]);
    }
    pj_auto_run fused = must_read(PJ_S(EVENTS(KERNEL("allreduce_fusion_kernel", "1", "9", "1"))));
    assert_int_equal(fused->ai->shares[0].useful, 9000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_layout_is_known),
        cmocka_unit_test(lists_of_groups_are_long),
        cmocka_unit_test(kernels_of_graphs_have_a_launch),
        cmocka_unit_test(xpu_waits_and_copies),
        cmocka_unit_test(exchanges_have_many_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
