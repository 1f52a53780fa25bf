// A tree of call paths as collapsed stacks: names from the root down, ';' in between, a blank and
// the exclusive value (B. Gregg's flamegraph.pl): times in microseconds, counts as they are.
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/job.h"
#include "metrics/base/str.h"
#include "metrics/profile/profile.h"
#include "metrics/profile/profile_graph.h"
#include "metrics/profile/profile_table.h"
#include "metrics/profile/write/profile_write.h"

#include <math.h>
#include <stdlib.h>

static void put_name(const pj_profile *p, uint32_t region, pj_buf *out)
{
    pj_str name = pj_profile_name(p, region);
    pj_buf_puts(out, name.len ? "" : "???"); // readers pass over what has no name
    for (size_t i = 0; i < name.len; i++) {
        char c = name.at[i];
        pj_buf_add_char(out, c == ';' ? ',' : c == '\n' || c == '\r' ? ' ' : c);
    }
}

static void put_stack(const pj_profile *p, uint32_t node, uint32_t *chain, pj_buf *out)
{
    uint32_t depth = p->nodes[node].depth + 1;
    for (uint32_t i = depth; i-- > 0; node = p->nodes[node].parent)
        chain[i] = p->nodes[node].region;
    for (uint32_t i = 0; i < depth; i++) {
        if (i)
            pj_buf_add_char(out, ';');
        put_name(p, chain[i], out);
    }
}

static bool write_collapsed(pj_profile *p, pj_job *job, pj_buf *out, pj_err *err)
{
    enum { DEEPEST = 4096, MICROSECONDS = 1000000 };
    uint32_t measure;
    if (!pj_profile_write_stacks(p, &measure, err))
        return false;
    pj_auto_arena arena = pj_arena_new(NULL);
    uint32_t *chain = pj_new_n(arena, uint32_t, DEEPEST + 1);
    const pj_profile_column *column = pj_profile_paths_of(p, measure, arena).exclusive;
    bool time = p->measures[measure].kind == PJ_MEASURE_TIME;
    for (uint32_t n = 0; n < p->count[PJ_AT_NODE] && !pj_job_stopped(job); n++) {
        double sum = 0;
        for (uint32_t at = 0; at < p->location_count; at++) {
            double value = pj_profile_value(p, column, n, at);
            sum += isnan(value) ? 0 : value;
        }
        sum = round(time ? sum * MICROSECONDS : sum);
        if (!(sum > 0))
            continue;
        put_stack(p, n, chain, out);
        pj_buf_addf(out, " %.0f\n", sum);
    }
    return pj_job_check(job, NULL, err);
}

const pj_profile_writer pj_profile_writer_collapsed = {
    .suffixes = "collapsed",
    .title = "collapsed stacks",
    .write = write_collapsed,
};
