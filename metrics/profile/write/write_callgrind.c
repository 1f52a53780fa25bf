// A call graph in the format of callgrind (valgrind's manual, "Callgrind Format Specification"),
// for kcachegrind and callgrind_annotate: times in nanoseconds, counts as they are.
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/job.h"
#include "metrics/base/str.h"
#include "metrics/profile/profile.h"
#include "metrics/profile/profile_graph.h"
#include "metrics/profile/profile_table.h"
#include "metrics/profile/write/profile_write.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

typedef struct writing {
    const pj_profile *p;
    pj_buf *out;
    uint32_t measure;
    double factor;
    bool *told_file, *told_function; // by text, by region: whether its name has been written
} writing;

static double sum_of(const writing *w, pj_site site, pj_value_part part, uint32_t item)
{
    bool calls = part == PJ_CALLS;
    const pj_profile_column *column =
        pj_profile_find(w->p, site, part, calls ? PJ_NO_ITEM : w->measure);
    double sum = 0;
    for (uint32_t at = 0; at < w->p->location_count; at++) {
        double value = pj_profile_value(w->p, column, item, at);
        sum += isnan(value) || value < 0 ? 0 : value;
    }
    return round(calls ? sum : sum * w->factor);
}

static void put_text(const writing *w, uint32_t text)
{
    pj_str t = w->p->texts[text];
    for (size_t i = 0; i < t.len; i++)
        pj_buf_add_char(w->out, t.at[i] == '\n' || t.at[i] == '\r' ? ' ' : t.at[i]);
    if (!t.len)
        pj_buf_puts(w->out, "???");
}

/// Names have a number, so that none is taken for one: "(3) name", from then on "(3)".
static void put_file(const writing *w, const char *key, uint32_t file)
{
    bool told = w->told_file[file];
    pj_buf_addf(w->out, "%s=(%" PRIu32 ")%s", key, file + 1, told ? "" : " ");
    if (!told)
        put_text(w, file);
    w->told_file[file] = true;
    pj_buf_add_char(w->out, '\n');
}

/// Regions of one name and file but another line are functions of their own.
static void put_function(const writing *w, const char *key, uint32_t region)
{
    bool told = w->told_function[region];
    pj_buf_addf(w->out, "%s=(%" PRIu32 ")%s", key, region + 1, told ? "" : " ");
    if (!told)
        put_text(w, w->p->regions[region].name);
    if (!told && w->p->regions[region].line)
        pj_buf_addf(w->out, ":%" PRIu32, w->p->regions[region].line);
    w->told_function[region] = true;
    pj_buf_add_char(w->out, '\n');
}

/// Blanks part the names of events.
static void put_event(const writing *w, const char *key)
{
    for (; *key; key++)
        pj_buf_add_char(w->out, *key == ' ' || *key == '\t' ? '_' : *key);
}

static void put_edges(const writing *w, const uint32_t *edges, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t callee = w->p->edges[edges[i]].callee;
        const pj_profile_region *region = &w->p->regions[callee];
        put_file(w, "cfi", region->file);
        put_function(w, "cfn", callee);
        pj_buf_addf(w->out, "calls=%.0f %" PRIu32 "\n%" PRIu32 " %.0f\n",
                    sum_of(w, PJ_AT_EDGE, PJ_CALLS, edges[i]), region->line,
                    w->p->regions[w->p->edges[edges[i]].caller].line,
                    sum_of(w, PJ_AT_EDGE, PJ_INCLUSIVE, edges[i]));
    }
}

static bool write_callgrind(pj_profile *profile, pj_job *job, pj_buf *out, pj_err *err)
{
    static const double NANOSECONDS = 1e9;
    uint32_t measure;
    pj_auto_profile p = pj_profile_graph(profile, job, err);
    if (!p || !pj_profile_pick_measure(p, (pj_str){0}, &measure, err))
        return false;
    if (measure == PJ_NO_ITEM)
        return pj_fail(err, PJ_E_MISSING, NULL, 0, "the profile has no metric");
    bool time = p->measures[measure].kind == PJ_MEASURE_TIME;
    writing w = {.p = p, .out = out, .measure = measure, .factor = time ? NANOSECONDS : 1};
    uint32_t regions = p->count[PJ_AT_REGION], edges = p->count[PJ_AT_EDGE];
    pj_auto_arena arena = pj_arena_new(NULL);
    w.told_file = pj_new_n(arena, bool, p->text_count);
    w.told_function = pj_new_n(arena, bool, regions + (size_t)1);
    uint32_t *first = pj_new_n(arena, uint32_t, regions + (size_t)2);
    uint32_t *sorted = pj_new_n(arena, uint32_t, edges + (size_t)1);
    for (uint32_t e = 0; e < edges; e++)
        first[p->edges[e].caller + 2]++;
    for (uint32_t r = 0; r < regions; r++)
        first[r + 2] += first[r + 1];
    for (uint32_t e = 0; e < edges; e++)
        sorted[first[p->edges[e].caller + 1]++] = e;
    double total = 0;
    for (uint32_t r = 0; r < regions; r++)
        total += sum_of(&w, PJ_AT_REGION, PJ_EXCLUSIVE, r);
    pj_buf_puts(out, "# callgrind format\nversion: 1\ncreator: popinjay\npositions: line\n"
                     "events: ");
    put_event(&w, time ? "ns" : p->measures[measure].key);
    pj_buf_addf(out, "\nsummary: %.0f\n", total);
    for (uint32_t r = 0; r < regions && !pj_job_stopped(job); r++) {
        pj_buf_add_char(out, '\n');
        put_file(&w, "fl", p->regions[r].file);
        put_function(&w, "fn", r);
        pj_buf_addf(out, "%" PRIu32 " %.0f\n", p->regions[r].line,
                    sum_of(&w, PJ_AT_REGION, PJ_EXCLUSIVE, r));
        put_edges(&w, sorted + first[r], first[r + 1] - first[r]);
    }
    return pj_job_check(job, NULL, err);
}

const pj_profile_writer pj_profile_writer_callgrind = {
    .suffixes = "callgrind",
    .title = "callgrind profile",
    .write = write_callgrind,
};
