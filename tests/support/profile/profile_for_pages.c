// Values by rank: main calls solve and MPI_Barrier.
#include "tests/support/profile/profile_for_pages.h"

#include "metrics/base/err.h"
#include "metrics/base/job.h"
#include "metrics/base/str.h"
#include "metrics/profile/build/profile_build.h"

typedef struct making {
    pj_build *build;
    uint32_t own, whole, calls, given, by_line;
    uint32_t main_region, solve, barrier;
} making;

static void add_function(const making *m, uint32_t region, uint32_t at, double own, double whole)
{
    pj_build_add(m->build, m->own, region, at, own);
    pj_build_add(m->build, m->whole, region, at, whole);
    pj_build_count(m->build, m->calls, region, at, 3);
    if (region == m->main_region)
        return;
    uint32_t edge = pj_build_edge(m->build, m->main_region, region);
    pj_build_add(m->build, m->given, edge, at, whole);
}

static void add_rank(const making *m, uint32_t rank, bool waits, const char *path)
{
    uint32_t file = pj_build_file(m->build, path);
    uint32_t at = pj_build_location(m->build, (pj_profile_location){.rank = rank, .file = file});
    double work = waits ? 0 : 1 + (double)rank, wait = waits ? 9 : 1;
    add_function(m, m->main_region, at, 0.1, 0.1 + work + wait);
    add_function(m, m->barrier, at, wait, wait);
    if (waits)
        return;
    add_function(m, m->solve, at, work, work);
    uint32_t text = pj_build_text(m->build, PJ_S("    x = f(y)"));
    pj_build_add(m->build, m->by_line, pj_build_line(m->build, m->solve, 12, text), at, work);
}

static void add_memory(const making *m)
{
    uint32_t series = pj_build_series(m->build, 0, PJ_S("memory"), PJ_S("MiB"));
    for (int i = 0; i < 10; i++)
        pj_build_point(m->build, series, i, 20 + i);
    pj_build_event(m->build,
                   (pj_profile_event){.name = pj_build_text(m->build, PJ_S("bytes <sent>")),
                                      .count = 2,
                                      .min = 1,
                                      .max = 3,
                                      .mean = 2,
                                      .sum_of_squares = 10});
}

pj_profile *profile_for_pages(const char *const *paths, size_t count)
{
    pj_job job = {0};
    pj_err err = {0};
    pj_auto_build b = pj_build_new("made", &job);
    pj_build_profile(b)->shape = PJ_SHAPE_GRAPH;
    pj_build_profile(b)->format = "made";
    pj_build_profile(b)->title = "made profile";
    uint32_t time = pj_build_measure(
        b, (pj_measure){.key = "time", .title = "Time", .unit = "s", .stored = PJ_STORED_BOTH});
    making m = {.build = b,
                .own = pj_build_column(b, PJ_AT_REGION, PJ_EXCLUSIVE, time, false),
                .whole = pj_build_column(b, PJ_AT_REGION, PJ_INCLUSIVE, time, false),
                .calls = pj_build_column(b, PJ_AT_REGION, PJ_CALLS, PJ_NO_ITEM, true),
                .given = pj_build_column(b, PJ_AT_EDGE, PJ_INCLUSIVE, time, false),
                .by_line = pj_build_column(b, PJ_AT_LINE, PJ_EXCLUSIVE, time, false),
                .main_region = pj_build_region(b, PJ_S("main"), PJ_S("/opt/a.py"), 1),
                .solve = pj_build_region(b, PJ_S("solve"), PJ_S("/opt/a.py"), 10),
                .barrier = pj_build_region(b, PJ_S("MPI_Barrier"), PJ_S(""), 0)};
    for (size_t i = 0; i < count; i++)
        add_rank(&m, (uint32_t)i, count > 1 && i + 1 == count, paths[i]);
    add_memory(&m);
    return pj_build_finish(b, &err);
}
