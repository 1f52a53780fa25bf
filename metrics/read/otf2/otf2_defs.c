// The definitions of an archive, resolved.
// Everything is gathered first and resolved afterwards: definitions come in any order.
#include "metrics/read/otf2/otf2_defs.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "metrics/read/otf2/otf2_gather.h"
#include "metrics/read/otf2/otf2_layout.h"
#include "metrics/read/otf2/otf2_meters.h"
#include "metrics/read/otf2/otf2_parameters.h"
#include "metrics/trace/import_stats.h"

#include <stdlib.h>

enum { // OTF2_GeneralDefinitions.h, OTF2_Definitions.h
    METRIC_ASYNCHRONOUS = 2,
    VALUE_MASK = 15,
    TIMING_NEXT = 3 << 4,
    TIMING_MASK = 15 << 4,
    ROLE_UNKNOWN_FROM = PJ_OTF2_ROLE_LAST_KNOWN + 1,
};

// Regions

/// Whether regions say by their paradigm what they are.
static bool has_paradigms(const pj_otf2_def_list *regions)
{
    for (size_t i = 0; i < regions->count; i++)
        if (regions->items[i].number[3] == PJ_OTF2_PARADIGM_MPI ||
            regions->items[i].number[3] == PJ_OTF2_PARADIGM_OPENMP)
            return true;
    return false;
}

static uint64_t hash_of(const pj_region *region)
{
    uint64_t hash = UINT64_C(14695981039346656037) ^ region->line; // FNV-1a
    const char *texts[] = {region->name, region->file ? region->file : ""};
    for (unsigned i = 0; i < 2; i++)
        for (const char *c = texts[i]; *c; c++)
            hash = (hash ^ (unsigned char)*c) * UINT64_C(1099511628211);
    return hash;
}

static bool same_region(const pj_region *a, const pj_region *b)
{
    bool files = a->file && b->file ? strcmp(a->file, b->file) == 0 : a->file == b->file;
    return files && a->line == b->line && strcmp(a->name, b->name) == 0;
}

/// Every rank may have a definition of its own of one region: they count as one.
static uint32_t number_of(pj_run *run, pj_map *numbers, pj_region region)
{
    uint64_t hash = hash_of(&region);
    uint32_t number;
    for (; pj_map_get(numbers, hash, &number); hash++)
        if (same_region(&run->names.regions[number], &region))
            return number;
    number = run->names.region_count++;
    pj_map_put(numbers, hash, number);
    region.name = pj_arena_text(run->arena, pj_str_of(region.name));
    region.file = region.file ? pj_arena_text(run->arena, pj_str_of(region.file)) : NULL;
    run->names.regions[number] = region;
    return number;
}

static pj_region plain_region(const pj_otf2_gathered *all, const pj_otf2_def *def)
{
    enum { FLAG_PHASE = 2 }; // OTF2_REGION_FLAG_PHASE
    const char *file = pj_otf2_text(all, def->number[4]);
    bool known = *file && def->number[5] < UINT32_MAX;
    return (pj_region){.name = pj_otf2_text(all, def->number[0]),
                       .file = *file ? file : NULL,
                       .line = known ? (uint32_t)def->number[5] : 0,
                       .phase = def->number[6] & FLAG_PHASE};
}

static void resolve_regions(pj_otf2_defs *defs, const pj_otf2_gathered *all, pj_run *run)
{
    const pj_otf2_def_list *from = &all->lists[PJ_OTF2_DEF_REGION];
    bool by_name = !has_paradigms(from);
    defs->region_count = (uint32_t)from->count;
    defs->regions = pj_new_n(defs->arena, pj_otf2_region, from->count + 1);
    run->names.regions = pj_new_n(run->arena, pj_region, from->count + 1);
    pj_map numbers = {0};
    for (uint32_t i = 0; i < from->count; i++) {
        const pj_otf2_def *def = &from->items[i];
        pj_otf2_region_def what = {.name = pj_otf2_text(all, def->number[0]),
                                   .canonical = pj_otf2_text(all, def->number[1]),
                                   .role = (uint32_t)def->number[2],
                                   .paradigm = (uint32_t)def->number[3]};
        defs->regions[i] = pj_otf2_region_of(&what, by_name);
        pj_region plain = plain_region(all, def);
        plain.kind = pj_otf2_region_kind(&what, &defs->regions[i], by_name);
        plain.root = defs->regions[i].construct == PJ_OTF2_ROOT;
        defs->regions[i].number = number_of(run, &numbers, plain);
        run->names.regions[defs->regions[i].number].phase |= plain.phase;
        defs->regions[i].plain = defs->regions[i].state == PJ_OTF2_INHERIT &&
                                 defs->regions[i].construct == PJ_OTF2_PLAIN;
        defs->regions[i].name = run->names.regions[defs->regions[i].number].name;
        defs->has_teams |= defs->regions[i].construct == PJ_OTF2_PARALLEL;
        if (what.role >= ROLE_UNKNOWN_FROM)
            pj_import_add(&run->import, PJ_IMPORT_unknown_role, 0);
        pj_map_put(&defs->region_of, def->id, i);
    }
    // What is entered without a definition is the program's own code, as far as one can see.
    uint32_t nameless = number_of(run, &numbers, (pj_region){.name = "", .kind = "unknown"});
    defs->regions[from->count] =
        (pj_otf2_region){.name = "", .state = PJ_OTF2_INHERIT, .unknown = true, .number = nameless};
    pj_map_free(&numbers);
    const pj_otf2_def_list *contexts = &all->lists[PJ_OTF2_DEF_CALLING_CONTEXT];
    for (size_t i = 0; i < contexts->count; i++) {
        uint32_t region;
        if (pj_map_get(&defs->region_of, contexts->items[i].number[0], &region))
            pj_map_put(&defs->context_of, contexts->items[i].id, region);
    }
}

// Metrics

/// Names that hardware counters have with PAPI and perf.
static int counter_named(const char *name)
{
    static const char *const known[2][4] = {
        [PJ_COUNTER_INSTRUCTIONS] = {"PAPI_TOT_INS", "instructions", "perf::INSTRUCTIONS",
                                     "INSTRUCTION_RETIRED"},
        [PJ_COUNTER_CYCLES] = {"PAPI_TOT_CYC", "cpu-cycles", "perf::CPU-CYCLES", "cycles"},
    };
    for (int c = 0; c < 2; c++)
        for (size_t i = 0; i < 4; i++)
            if (strcmp(name, known[c][i]) == 0)
                return c;
    return -1;
}

static pj_otf2_metric metric_of_class(const pj_otf2_gathered *all, const pj_otf2_def *class_)
{
    pj_otf2_metric metric = {.used = false};
    for (size_t i = 0; i < class_->member_count; i++) {
        const pj_otf2_def *member =
            pj_otf2_def_of(all, PJ_OTF2_DEF_METRIC_MEMBER, class_->members[i]);
        int c = member ? counter_named(pj_otf2_text(all, member->number[0])) : -1;
        if (c < 0 || metric.has[c])
            continue;
        metric.used = metric.has[c] = true;
        metric.at[c] = (uint8_t)i;
        metric.mode[c] = (uint8_t)(member->number[1] & VALUE_MASK);
        metric.next[c] = (member->number[1] & TIMING_MASK) == TIMING_NEXT;
    }
    return metric;
}

static void resolve_metrics(pj_otf2_defs *defs, const pj_otf2_gathered *all)
{
    const pj_otf2_def_list *classes = &all->lists[PJ_OTF2_DEF_METRIC_CLASS];
    defs->metrics = pj_new_n(defs->arena, pj_otf2_metric, classes->count);
    for (uint32_t i = 0; i < classes->count; i++) {
        const pj_otf2_def *class_ = &classes->items[i];
        if (class_->number[0] != METRIC_ASYNCHRONOUS)
            defs->metrics[i] = metric_of_class(all, class_);
        else
            defs->left_out++;
        pj_map_put(&defs->metric_of, class_->id, i);
    }
    // An instance is recorded by another location than it is about.
    defs->left_out += (uint32_t)all->lists[PJ_OTF2_DEF_METRIC_INSTANCE].count;
}

// Clock

static void resolve_clock(pj_otf2_defs *defs, const pj_otf2_gathered *all)
{
    const pj_otf2_def_list *clocks = &all->lists[PJ_OTF2_DEF_CLOCK];
    if (clocks->count) {
        defs->ticks_per_second = clocks->items[0].number[0];
        defs->offset = clocks->items[0].number[1];
        defs->length = clocks->items[0].number[2];
    }
}

pj_otf2_defs *pj_otf2_defs_read(const pj_otf2_lib *lib, pj_otf2_archive *archive, pj_run *run,
                                pj_err *err)
{
    pj_otf2_gathered all = {.arena = pj_arena_new(NULL)};
    pj_otf2_defs *defs = NULL;
    if (lib->definitions(archive, pj_otf2_gather, &all, err)) {
        defs = pj_take_memory(sizeof *defs);
        *defs = (pj_otf2_defs){.arena = pj_arena_new(NULL)};
        pj_otf2_gathered_count(&all, &run->import);
        resolve_clock(defs, &all);
        resolve_regions(defs, &all, run);
        resolve_metrics(defs, &all);
        defs->parameters = pj_otf2_parameters_new(&all);
        if (pj_otf2_layout_resolve(defs, &all, run, err)) {
            pj_otf2_meters_resolve(defs, &all, run);
        } else {
            pj_otf2_defs_free(defs);
            defs = NULL;
        }
    }
    pj_otf2_gathered_free(&all);
    return defs;
}

void pj_otf2_defs_free(pj_otf2_defs *defs)
{
    if (!defs)
        return;
    pj_otf2_parameters_free(defs->parameters);
    pj_map_free(&defs->region_of);
    pj_map_free(&defs->context_of);
    pj_map_free(&defs->comm_of);
    pj_map_free(&defs->window_of);
    pj_map_free(&defs->stream_ranks);
    pj_map_free(&defs->group_of);
    pj_map_free(&defs->metric_of);
    pj_map_free(&defs->meter_of);
    pj_arena_free(defs->arena);
    free(defs);
}
