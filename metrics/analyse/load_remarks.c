// What an analyst must know of a run before its numbers are used: its window, devices, origin.
#include "metrics/analyse/load_remarks.h"

#include "metrics/base/num.h"
#include "metrics/base/str.h"
#include "metrics/run/devices.h"
#include "metrics/run/run_table.h"
#include "metrics/trace/device.h"
#include "metrics/trace/layout.h"

static void remark_on_roi(pj_run *run)
{
    char from[32], to[32];
    pj_format_grouped((int64_t)run->roi.from_ns, from);
    pj_format_grouped((int64_t)run->roi.to_ns, to);
    pj_run_remark(run, PJ_NOTE, "roi", "region of interest: %s ns to %s ns of the trace", from, to);
    if (run->roi.cut_bursts)
        pj_run_remark(run, PJ_NOTE, "roi_bursts",
                      run->roi.drop ? "%llu bursts across its borders were left out"
                                    : "%llu bursts across its borders count with the part inside, "
                                      "their counters in proportion to time",
                      (unsigned long long)run->roi.cut_bursts);
}

/// The label is that of BSC's Basic Analysis: units, ranks x threads, and devices among them.
static void remark_on_devices(pj_run *run)
{
    const pj_layout *layout = &run->layout;
    uint32_t streams = pj_device_streams(layout->streams, layout->stream_count), devices;
    pj_device_keys(layout->streams, layout->stream_count, run->arena, &devices, NULL);
    if (streams)
        pj_run_remark(run, PJ_NOTE, "devices", "%u device%s in %u stream%s: %u (%s) [%uD]", devices,
                      devices == 1 ? "" : "s", streams, streams == 1 ? "" : "s",
                      layout->locations + devices, pj_layout_threads_text(layout, run->arena),
                      devices);
    if (streams < layout->stream_count)
        pj_run_remark(run, PJ_NOTE, "device_samples",
                      "%u threads of samples of device metrics were left out",
                      layout->stream_count - streams);
    if (run->devices && run->devices->early)
        pj_run_remark(run, PJ_NOTE, "early_kernels",
                      "%llu kernels begin before their launch: the clocks of devices and threads "
                      "differ by that much; nothing was moved",
                      (unsigned long long)run->devices->early);
}

/// What lies in both counts for MPI-I/O alone.
static void remark_on_files(pj_run *run)
{
    uint64_t overlap = 0;
    for (uint32_t i = 0; run->totals && i < run->layout.locations; i++)
        overlap += run->totals[i].io_overlap_ns;
    char ns[32];
    pj_format_grouped((int64_t)overlap, ns);
    if (overlap)
        pj_run_remark(run, PJ_NOTE, "io_overlap",
                      "%s ns of other input and output lie in calls of MPI-I/O, summed over all "
                      "threads: they count for these alone",
                      ns);
}

/// No network is faster than one that costs nothing: a replay that takes longer than the run does
/// not fit it. A part of the run may well begin later there, and end as late.
static void remark_on_replay(pj_run *run)
{
    static const double tolerance = 1.01;
    char ideal[32], measured[32];
    if (!run->ideal.available || run->roi.set ||
        run->ideal.runtime_ns <= tolerance * (double)run->runtime_ns)
        return;
    pj_format_duration(run->ideal.runtime_ns, ideal);
    pj_format_duration((double)run->runtime_ns, measured);
    pj_run_remark(run, PJ_WARNING, "replay_long",
                  "the replay on an ideal network takes %s, the run %s, and cannot take longer: "
                  "records are missing or damaged, or sends did not wait for their receivers as "
                  "those of the replay do; do not use transfer, serialisation or what replays "
                  "would bring",
                  ideal, measured);
}

void pj_load_remark_processes(pj_run *run)
{
    pj_run_remark(run, PJ_WARNING, "processes",
                  "each of the processes that were started together reads the whole trace and "
                  "answers; preprocess shares the work, and its summary answers this too");
}

void pj_load_remark(pj_run *run)
{
    pj_str name = pj_str_of(run->name);
    if (run->roi.set)
        remark_on_roi(run);
    remark_on_devices(run);
    remark_on_files(run);
    if (!run->no_states)
        remark_on_replay(run);
    if (run->no_states)
        pj_run_remark(run, PJ_WARNING, "no_states", "%s, nor any efficiency",
                      pj_run_lacks_states(run));
    if (run->idealised || pj_str_ends(name, PJ_S(".sim")) || pj_str_contains(name, PJ_S(".sim.")))
        pj_run_remark(run, PJ_WARNING, "simulated",
                      "this trace is the result of a simulation%s, not a measurement",
                      run->idealised ? " (a replay)" : " (.sim.)");
    if (run->chopped || pj_str_contains(name, PJ_S(".chop")))
        pj_run_remark(run, PJ_NOTE, "chopped", "this trace was cut out of a longer one");
    if (run->layout.applications > 1)
        pj_run_remark(run, PJ_NOTE, "applications",
                      "the trace holds %u applications; ranks are numbered through",
                      run->layout.applications);
}
