// A profile as a file of cProfile: one marshalled dictionary of version 2, which every Python from
// 2.7 on reads. Values are summed over locations.
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/job.h"
#include "metrics/base/str.h"
#include "metrics/profile/profile.h"
#include "metrics/profile/profile_graph.h"
#include "metrics/profile/profile_table.h"
#include "metrics/profile/write/profile_write.h"

#include <endian.h>
#include <math.h>
#include <stdlib.h>

typedef struct writing {
    const pj_profile *p;
    pj_buf *out;
    uint32_t measure;
    uint32_t *first, *edges; // incoming edges of a region: edges[first[r]] .. edges[first[r + 1]-1]
} writing;

static void put_32(pj_buf *out, uint32_t value)
{
    value = htole32(value);
    pj_buf_add(out, (pj_str){(const char *)&value, sizeof value});
}

/// Integers of more than 31 bits are digits of 15 bits, the least first.
static void put_whole(pj_buf *out, int64_t value)
{
    enum { DIGIT_BITS = 15, MOST_DIGITS = 5 };
    if (value >= INT32_MIN && value <= INT32_MAX) {
        pj_buf_add_char(out, 'i');
        put_32(out, (uint32_t)(int32_t)value);
        return;
    }
    uint64_t rest = value < 0 ? -(uint64_t)value : (uint64_t)value;
    uint16_t digits[MOST_DIGITS];
    int32_t count = 0;
    for (; rest; rest >>= DIGIT_BITS)
        digits[count++] = htole16((uint16_t)(rest & 0x7fff));
    pj_buf_add_char(out, 'l');
    put_32(out, (uint32_t)(value < 0 ? -count : count));
    pj_buf_add(out, (pj_str){(const char *)digits, (size_t)count * sizeof *digits});
}

static void put_real(pj_buf *out, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    bits = htole64(bits);
    pj_buf_add_char(out, 'g');
    pj_buf_add(out, (pj_str){(const char *)&bits, sizeof bits});
}

static void put_tuple(pj_buf *out, uint32_t count)
{
    pj_buf_add_char(out, '(');
    put_32(out, count);
}

static void put_text(pj_buf *out, pj_str text)
{
    pj_buf_add_char(out, 'u');
    put_32(out, (uint32_t)text.len);
    pj_buf_add(out, text);
}

static void put_key(writing *w, uint32_t region)
{
    const pj_profile_region *r = &w->p->regions[region];
    put_tuple(w->out, 3);
    put_text(w->out, w->p->texts[r->file]);
    put_whole(w->out, r->line);
    put_text(w->out, w->p->texts[r->name]);
}

/// -1 = unknown, as other writers of such files have it.
static int64_t sum_calls(const writing *w, pj_site site, pj_value_part part, uint32_t item)
{
    const pj_profile_column *column = pj_profile_find(w->p, site, part, PJ_NO_ITEM);
    int64_t sum = -1;
    for (uint32_t at = 0; column && at < w->p->location_count; at++) {
        size_t cell = (size_t)item * w->p->location_count + at;
        double real = pj_profile_value(w->p, column, item, at);
        if (isnan(real))
            continue;
        int64_t value = column->whole ? column->integer[cell] : llround(real);
        if (__builtin_add_overflow(sum < 0 ? 0 : sum, value, &sum))
            sum = INT64_MAX;
    }
    return sum;
}

static double sum_time(const writing *w, pj_site site, pj_value_part part, uint32_t item)
{
    const pj_profile_column *column = pj_profile_find(w->p, site, part, w->measure);
    double sum = 0;
    for (uint32_t at = 0; at < w->p->location_count; at++) {
        double value = pj_profile_value(w->p, column, item, at);
        sum += isnan(value) ? 0 : value;
    }
    return sum;
}

static void put_callers(writing *w, uint32_t region)
{
    pj_buf_add_char(w->out, '{');
    for (uint32_t i = w->first[region]; i < w->first[region + 1]; i++) {
        uint32_t e = w->edges[i];
        int64_t calls = sum_calls(w, PJ_AT_EDGE, PJ_CALLS, e);
        int64_t primitive = sum_calls(w, PJ_AT_EDGE, PJ_PRIMITIVE_CALLS, e);
        put_key(w, w->p->edges[e].caller);
        if (!pj_profile_find(w->p, PJ_AT_EDGE, PJ_INCLUSIVE, w->measure)) {
            put_whole(w->out, calls);
            continue;
        }
        put_tuple(w->out, 4);
        put_whole(w->out, calls);
        put_whole(w->out, primitive < 0 ? calls : primitive);
        put_real(w->out, sum_time(w, PJ_AT_EDGE, PJ_EXCLUSIVE, e));
        put_real(w->out, sum_time(w, PJ_AT_EDGE, PJ_INCLUSIVE, e));
    }
    pj_buf_add_char(w->out, '0');
}

static void put_function(writing *w, uint32_t region)
{
    int64_t calls = sum_calls(w, PJ_AT_REGION, PJ_CALLS, region);
    int64_t primitive = sum_calls(w, PJ_AT_REGION, PJ_PRIMITIVE_CALLS, region);
    double exclusive = sum_time(w, PJ_AT_REGION, PJ_EXCLUSIVE, region);
    double inclusive = sum_time(w, PJ_AT_REGION, PJ_INCLUSIVE, region);
    put_key(w, region);
    put_tuple(w->out, 5);
    put_whole(w->out, primitive < 0 ? calls : primitive);
    put_whole(w->out, calls);
    put_real(w->out, exclusive);
    put_real(w->out, inclusive > exclusive ? inclusive : exclusive);
    put_callers(w, region);
}

static void sort_edges(writing *w, pj_arena *arena)
{
    const pj_profile *p = w->p;
    uint32_t regions = p->count[PJ_AT_REGION], edges = p->count[PJ_AT_EDGE];
    w->first = pj_new_n(arena, uint32_t, regions + (size_t)2);
    w->edges = pj_new_n(arena, uint32_t, edges + (size_t)1);
    for (uint32_t e = 0; e < edges; e++)
        w->first[p->edges[e].callee + 2]++;
    for (uint32_t r = 0; r < regions; r++)
        w->first[r + 2] += w->first[r + 1];
    for (uint32_t e = 0; e < edges; e++)
        w->edges[w->first[p->edges[e].callee + 1]++] = e;
}

/// A caller without values of its own was no entry of its file either.
static bool has_values(const pj_profile *p, uint32_t region)
{
    for (uint32_t c = 0; c < p->column_count; c++)
        for (uint32_t at = 0; p->columns[c].site == PJ_AT_REGION && at < p->location_count; at++)
            if (!isnan(pj_profile_value(p, &p->columns[c], region, at)))
                return true;
    return false;
}

static bool write_pstats(pj_profile *profile, pj_job *job, pj_buf *out, pj_err *err)
{
    uint32_t measure;
    pj_auto_profile graph = pj_profile_graph(profile, job, err);
    if (!graph || !pj_profile_pick_measure(graph, (pj_str){0}, &measure, err))
        return false;
    pj_auto_arena arena = pj_arena_new(NULL);
    writing w = {.p = graph, .out = out, .measure = measure};
    sort_edges(&w, arena);
    pj_buf_add_char(out, '{');
    for (uint32_t r = 0; r < graph->count[PJ_AT_REGION] && !pj_job_stopped(job); r++)
        if (has_values(graph, r))
            put_function(&w, r);
    pj_buf_add_char(out, '0');
    return pj_job_check(job, NULL, err);
}

const pj_profile_writer pj_profile_writer_pstats = {
    .suffixes = "prof pstats",
    .title = "cProfile profile",
    .write = write_pstats,
};
