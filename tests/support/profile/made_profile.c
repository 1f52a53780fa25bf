// Functions form a heap: i calls 3i+1, 3i+2 and 3i+3; times follow from the numbers alone.
#include "tests/support/profile/made_profile.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/job.h"
#include "metrics/profile/build/profile_build.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { FAN = 3, LONG = 300 };

static uint32_t named(pj_build *b, uint32_t i, bool odd)
{
    pj_auto_buf name = {0};
    static const char *const kinds[] = {
        "",
        "\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e",
        "<b>&amp;\"'</b>\n\t",
        "\xff\xfe broken",
        "std::vector<std::map<int, std::string> >::operator[](unsigned long) const",
        "<method 'Barrier' of 'mpi4py.MPI.Comm' objects>",
        "MPI_Waitall()"};
    enum { KINDS = sizeof kinds / sizeof *kinds };
    if (odd && i % (KINDS + 1) < KINDS)
        pj_buf_puts(&name, kinds[i % (KINDS + 1)]);
    for (int k = 0; odd && i % (KINDS + 1) == KINDS && k < LONG / 6; k++)
        pj_buf_puts(&name, "abcde_");
    if (!odd)
        pj_buf_addf(&name, "function_%u", i);
    return pj_build_region(b, (pj_str){name.at ? name.at : "", name.len}, PJ_S("/x/program.py"), i);
}

static double own_time(uint32_t i, uint32_t rank)
{
    return 1e-3 * (1 + (i * 7 + rank * 3) % 11) / (1 + (double)i / 16);
}

typedef struct making {
    pj_build *b;
    made_profile_opts opts;
    double *whole;  // of functions, of one rank
    uint32_t at[3]; // columns: exclusive, inclusive, calls
    uint32_t of_edges[2];
} making;

static void add_rank(making *m, uint32_t rank, const uint32_t *items)
{
    uint32_t n = m->opts.functions;
    uint32_t location = pj_build_location(m->b, (pj_profile_location){.rank = rank});
    for (uint32_t i = n; i-- > 0;) {
        m->whole[i] = own_time(i, rank);
        for (uint32_t k = 1; k <= FAN && FAN * i + k < n; k++)
            m->whole[i] += m->whole[FAN * i + k];
        if (!m->opts.inclusive)
            pj_build_add(m->b, m->at[0], items[i], location, own_time(i, rank));
        if (m->opts.shape == MADE_GRAPH || m->opts.inclusive)
            pj_build_add(m->b, m->at[1], items[i], location, m->whole[i]);
        pj_build_count(m->b, m->at[2], items[i], location, 1 + i % 5);
    }
    for (uint32_t i = 1; m->opts.shape == MADE_GRAPH && i < n; i++) {
        uint32_t edge = pj_build_edge(m->b, (i - 1) / FAN, i);
        pj_build_add(m->b, m->of_edges[0], edge, location, m->whole[i]);
        pj_build_count(m->b, m->of_edges[1], edge, location, 1 + i % 5);
        if (!m->opts.cyclic || i % 7)
            continue;
        edge = pj_build_edge(m->b, i, i / 2);
        pj_build_add(m->b, m->of_edges[0], edge, location, m->whole[i] / 2);
    }
}

pj_profile *made_profile(made_profile_opts opts)
{
    pj_job job = {0};
    pj_auto_build b = pj_build_new("made", &job);
    pj_auto_arena arena = pj_arena_new(NULL);
    uint32_t n = opts.functions, *items = pj_new_n(arena, uint32_t, n + (size_t)1);
    pj_profile *made = pj_build_profile(b);
    made->shape = opts.shape == MADE_TREE    ? PJ_SHAPE_TREE
                  : opts.shape == MADE_GRAPH ? PJ_SHAPE_GRAPH
                                             : PJ_SHAPE_FLAT;
    pj_build_file(b, "/x/made.prof");
    for (uint32_t i = 0; i < n; i++)
        items[i] = named(b, i, opts.odd_names);
    for (uint32_t i = 0; opts.shape == MADE_TREE && i < n; i++)
        items[i] = pj_build_node(b, i ? items[(i - 1) / FAN] : PJ_NO_ITEM, items[i]);
    pj_site site = opts.shape == MADE_TREE ? PJ_AT_NODE : PJ_AT_REGION;
    uint32_t time = pj_build_measure(b, (pj_measure){.key = "time", .title = "Time", .unit = "s"});
    making m = {.b = b, .opts = opts, .whole = pj_new_n(arena, double, n + (size_t)1)};
    if (!opts.inclusive)
        m.at[0] = pj_build_column(b, site, PJ_EXCLUSIVE, time, false);
    if (opts.shape == MADE_GRAPH || opts.inclusive)
        m.at[1] = pj_build_column(b, site, PJ_INCLUSIVE, time, false);
    m.at[2] = pj_build_column(b, site, PJ_CALLS, PJ_NO_ITEM, true);
    if (opts.shape == MADE_GRAPH) {
        m.of_edges[0] = pj_build_column(b, PJ_AT_EDGE, PJ_INCLUSIVE, time, false);
        m.of_edges[1] = pj_build_column(b, PJ_AT_EDGE, PJ_CALLS, PJ_NO_ITEM, true);
    }
    for (uint32_t rank = 0; rank < (opts.ranks ? opts.ranks : 1); rank++)
        add_rank(&m, rank, items);
    pj_err err = {0};
    pj_profile *profile = pj_build_finish(b, &err);
    assert_string_equal(err.text, "");
    return profile;
}
