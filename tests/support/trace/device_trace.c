// Traces with devices in the folder of a test.
#include "tests/support/trace/device_trace.h"

#include "metrics/base/err.h"
#include "tests/support/folder.h"
#include "tests/support/trace/trace_writer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <unistd.h>

#include <cmocka.h>

void device_trace_put(const char *name, const char *text)
{
    pj_err err = {0};
    if (!pj_trace_writer_file(folder_file(name), pj_str_of(text), &err))
        fail_msg("%s", err.text);
}

void device_trace_remove(void)
{
    static const char *const names[] = {"run.prv",  "run.row",  "run.pcf",
                                        "run.json", "part.prv", "part.row"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        unlink(folder_file(names[i]));
}

pj_run *device_trace_load_with(const char *path, pj_load_opts opts, unsigned workers)
{
    pj_err err = {0};
    pj_job job = {.workers = workers};
    pj_run *run = pj_load(path, opts, &job, &err);
    if (!run)
        fail_msg("%s: %s", path, err.text);
    return run;
}

pj_run *device_trace_load(const char *name, unsigned workers)
{
    return device_trace_load_with(folder_file(name), (pj_load_opts){0}, workers);
}

void device_trace_expect(const pj_device_sum *device, pj_device_sum wanted)
{
    assert_int_equal(device->streams, wanted.streams);
    assert_int_equal(device->kernels, wanted.kernels);
    assert_int_equal(device->useful_ns, wanted.useful_ns);
    assert_int_equal(device->transfer_ns, wanted.transfer_ns);
    assert_int_equal(device->transfer_total_ns, wanted.transfer_total_ns);
    assert_int_equal(device->to_device, wanted.to_device);
    assert_int_equal(device->to_host, wanted.to_host);
}
