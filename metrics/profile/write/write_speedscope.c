// A tree of call paths in speedscope's own format (file-format-spec.ts): each thread is a profile
// of samples, one for every call path that has an exclusive value, with all of its digits.
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/job.h"
#include "metrics/base/num.h"
#include "metrics/base/str.h"
#include "metrics/base/utf8.h"
#include "metrics/profile/build/profile_build.h"
#include "metrics/profile/profile.h"
#include "metrics/profile/profile_graph.h"
#include "metrics/profile/profile_table.h"
#include "metrics/profile/write/profile_write.h"

static void put_text(pj_buf *out, pj_str text)
{
    pj_auto_buf clean = {.at = NULL};
    pj_utf8_clean(&clean, text);
    pj_buf_add_char(out, '"');
    for (size_t i = 0; i < clean.len; i++) {
        char c = clean.at[i];
        if (c == '"' || c == '\\')
            pj_buf_addf(out, "\\%c", c);
        else if ((unsigned char)c < ' ')
            pj_buf_addf(out, "\\u%04x", (unsigned)c);
        else
            pj_buf_add_char(out, c);
    }
    pj_buf_add_char(out, '"');
}

static void put_frames(const pj_profile *p, pj_buf *out)
{
    pj_buf_puts(out, "\"shared\":{\"frames\":[");
    for (uint32_t r = 0; r < p->count[PJ_AT_REGION]; r++) {
        const pj_profile_region *region = &p->regions[r];
        pj_buf_puts(out, r ? ",\n{\"name\":" : "{\"name\":");
        put_text(out, pj_profile_text(p, region->name));
        if (region->file) {
            pj_buf_puts(out, ",\"file\":");
            put_text(out, pj_profile_text(p, region->file));
        }
        if (region->line)
            pj_buf_addf(out, ",\"line\":%u", region->line);
        pj_buf_puts(out, "}");
    }
    pj_buf_puts(out, "]}");
}

static const char *unit_of(const pj_measure *measure)
{
    if (measure->kind == PJ_MEASURE_TIME)
        return "seconds";
    return pj_str_equal(pj_str_of(measure->unit), PJ_S("B")) ? "bytes" : "none";
}

static void put_stack(const pj_profile *p, uint32_t node, uint32_t *chain, pj_buf *out)
{
    uint32_t depth = p->nodes[node].depth + 1;
    for (uint32_t i = depth; i-- > 0; node = p->nodes[node].parent)
        chain[i] = p->nodes[node].region;
    for (uint32_t i = 0; i < depth; i++)
        pj_buf_addf(out, "%c%u", i ? ',' : '[', chain[i]);
    pj_buf_puts(out, "]");
}

/// The samples of a thread and, in `weights`, their values; the sum of these.
static double put_samples(const pj_profile *p, const pj_profile_column *column, uint32_t location,
                          pj_buf *out, pj_buf *weights)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    uint32_t *chain = pj_new_n(arena, uint32_t, PJ_BUILD_DEPTH);
    double sum = 0;
    for (uint32_t n = 0; n < p->count[PJ_AT_NODE]; n++) {
        char number[32];
        double value = pj_profile_value(p, column, n, location);
        if (isnan(value) || value == 0)
            continue;
        const char *comma = weights->len ? ",\n" : "";
        pj_buf_puts(out, comma);
        put_stack(p, n, chain, out);
        size_t len = pj_format_double(value, number);
        pj_buf_puts(weights, comma);
        pj_buf_add(weights, (pj_str){number, len});
        sum += value;
    }
    return sum;
}

static void put_location(const pj_profile *p, const pj_profile_column *column,
                         const pj_measure *measure, uint32_t location, pj_buf *out)
{
    const pj_profile_location *at = &p->locations[location];
    pj_auto_buf name = {.at = NULL}, samples = {.at = NULL}, weights = {.at = NULL};
    pj_buf_add(&name, pj_profile_text(p, at->name));
    if (!name.len)
        pj_buf_addf(&name, "%lld.%lld", (long long)at->rank, (long long)at->thread);
    double sum = put_samples(p, column, location, &samples, &weights);
    char end[32];
    size_t len = pj_format_double(sum, end);
    pj_buf_puts(out, "{\"type\":\"sampled\",\"name\":");
    put_text(out, pj_buf_str(&name));
    pj_buf_addf(out, ",\"unit\":\"%s\",\"startValue\":0,\"endValue\":", unit_of(measure));
    pj_buf_add(out, (pj_str){end, len});
    pj_buf_puts(out, ",\"samples\":[");
    pj_buf_add(out, pj_buf_str(&samples));
    pj_buf_puts(out, "],\"weights\":[");
    pj_buf_add(out, pj_buf_str(&weights));
    pj_buf_puts(out, "]}");
}

static bool write_speedscope(pj_profile *p, pj_job *job, pj_buf *out, pj_err *err)
{
    uint32_t measure;
    if (!pj_profile_write_stacks(p, &measure, err))
        return false;
    pj_auto_arena arena = pj_arena_new(NULL);
    const pj_profile_column *column = pj_profile_paths_of(p, measure, arena).exclusive;
    pj_buf_puts(out, "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\n"
                     "\"exporter\":\"popinjay@" PJ_VERSION "\",\n");
    put_frames(p, out);
    pj_buf_puts(out, ",\n\"profiles\":[");
    for (uint32_t at = 0; at < p->location_count && !pj_job_stopped(job); at++) {
        pj_buf_puts(out, at ? ",\n" : "");
        put_location(p, column, &p->measures[measure], at, out);
    }
    pj_buf_puts(out, "]}\n");
    return pj_job_check(job, NULL, err);
}

const pj_profile_writer pj_profile_writer_speedscope = {
    .suffixes = "speedscope.json",
    .title = "speedscope profile",
    .write = write_speedscope,
};
