// A part is a merge of one profile that leaves things out.
#include "metrics/profile/derive/profile_filter.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/job.h"
#include "metrics/profile/build/profile_build.h"
#include "metrics/profile/derive/profile_merge.h"
#include "metrics/profile/profile_names.h"

#include <inttypes.h>
#include <regex.h>

static pj_profile *take(pj_profile *profile, pj_profile_merging how, pj_err *err)
{
    pj_job job = {0};
    pj_auto_build build = pj_build_new(profile->file_count ? profile->files[0] : "", &job);
    bool ok = pj_profile_merge(build, &profile, 1, how, err);
    return ok ? pj_build_finish(build, err) : NULL;
}

pj_profile *pj_profile_of_rank(pj_profile *p, int64_t rank, pj_err *err)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    bool *without = pj_new_n(arena, bool, p->location_count + (size_t)1), any = false;
    for (uint32_t i = 0; i < p->location_count; i++) {
        without[i] = p->locations[i].rank != rank;
        any = any || !without[i];
    }
    if (any)
        return take(p, (pj_profile_merging){.without_location = without}, err);
    int64_t first = p->location_count ? p->locations[0].rank : -1;
    int64_t last = p->location_count ? p->locations[p->location_count - 1].rank : -1;
    if (pj_profile_rank_count(p) == 1)
        pj_fail(err, PJ_E_MISSING, NULL, 0,
                "there is no rank %" PRId64 "; the only one is %" PRId64, rank, first);
    pj_fail(err, PJ_E_MISSING, NULL, 0,
            "there is no rank %" PRId64 "; there are %" PRId64 " ranks from %" PRId64
            " to %" PRId64,
            rank, pj_profile_rank_count(p), first, last);
    return NULL;
}

pj_profile *pj_profile_of_files(pj_profile *p, const bool *of, pj_err *err)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    bool *without = pj_new_n(arena, bool, p->location_count + (size_t)1);
    for (uint32_t i = 0; i < p->location_count; i++)
        without[i] = !of[p->locations[i].file];
    return take(p, (pj_profile_merging){.without_location = without}, err);
}

/// Regions that match: NULL with an error when none does.
static bool *find_regions(const pj_profile *p, pj_str functions, pj_arena *arena, pj_err *err)
{
    const char *text = pj_arena_text(arena, functions);
    regex_t pattern;
    char why[128];
    int status = regcomp(&pattern, text, REG_EXTENDED | REG_NOSUB);
    if (status != 0) {
        regerror(status, &pattern, why, sizeof why);
        pj_fail(err, PJ_E_USAGE, NULL, 0, "\"%s\" is no regular expression: %s", text, why);
        return NULL;
    }
    bool *found = pj_new_n(arena, bool, p->count[PJ_AT_REGION] + (size_t)1), any = false;
    pj_auto_buf label = {0};
    for (uint32_t r = 0; r < p->count[PJ_AT_REGION]; r++) {
        label.len = 0;
        pj_profile_label(p, r, false, &label);
        pj_buf_add_char(&label, '\0');
        found[r] = regexec(&pattern, label.at, 0, NULL, 0) == 0;
        any = any || found[r];
    }
    regfree(&pattern);
    if (!any)
        pj_fail(err, PJ_E_MISSING, NULL, 0, "no function matches \"%s\"", text);
    return any ? found : NULL;
}

static pj_profile *below_nodes(pj_profile *p, const bool *found, pj_arena *arena, pj_err *err)
{
    bool *without = pj_new_n(arena, bool, p->count[PJ_AT_NODE]);
    for (uint32_t n = 0; n < p->count[PJ_AT_NODE]; n++) {
        uint32_t parent = p->nodes[n].parent;
        without[n] = !found[p->nodes[n].region] && (parent == PJ_NO_ITEM || without[parent]);
    }
    return take(p, (pj_profile_merging){.without_node = without}, err);
}

/// All that the functions reach; edges are followed until nothing new is met.
static pj_profile *below_regions(pj_profile *p, bool *found, pj_arena *arena, pj_err *err)
{
    uint32_t regions = p->count[PJ_AT_REGION], edges = p->count[PJ_AT_EDGE], waiting = 0;
    uint32_t *first = pj_new_n(arena, uint32_t, regions + (size_t)2);
    uint32_t *callee = pj_new_n(arena, uint32_t, edges + (size_t)1);
    uint32_t *stack = pj_new_n(arena, uint32_t, regions + (size_t)1);
    bool *without = pj_new_n(arena, bool, regions);
    for (uint32_t e = 0; e < edges; e++)
        first[p->edges[e].caller + 2]++;
    for (uint32_t r = 0; r < regions; r++) {
        first[r + 2] += first[r + 1];
        if (found[r])
            stack[waiting++] = r;
    }
    for (uint32_t e = 0; e < edges; e++)
        callee[first[p->edges[e].caller + 1]++] = p->edges[e].callee;
    while (waiting > 0) {
        uint32_t r = stack[--waiting];
        for (uint32_t i = first[r]; i < first[r + 1]; i++)
            if (!found[callee[i]]) {
                found[callee[i]] = true;
                stack[waiting++] = callee[i];
            }
    }
    for (uint32_t r = 0; r < regions; r++)
        without[r] = !found[r];
    return take(p, (pj_profile_merging){.without_region = without}, err);
}

pj_profile *pj_profile_below(pj_profile *p, pj_str functions, pj_err *err)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    bool *found = find_regions(p, functions, arena, err);
    if (!found)
        return NULL;
    return p->shape == PJ_SHAPE_TREE ? below_nodes(p, found, arena, err)
                                     : below_regions(p, found, arena, err);
}
