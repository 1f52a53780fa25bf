// What a run is told when all its events have been read: oddities, damage, promises not kept.
#include "metrics/read/otf2/otf2_end.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/str.h"
#include "metrics/read/otf2/events/otf2_index.h"
#include "metrics/read/otf2/events/otf2_location.h"
#include "metrics/read/otf2/events/otf2_match.h"
#include "metrics/read/otf2/otf2_clock.h"
#include "metrics/read/otf2/otf2_defs.h"
#include "metrics/read/otf2/otf2_kept.h"
#include "metrics/read/otf2/otf2_learnt.h"
#include "metrics/run/run.h"
#include "metrics/trace/import_stats.h"

static const char *const passed_names[UINT8_MAX + 1] = {
#define PASSED(name, type) [type] = name,
#include "metrics/read/otf2/otf2_passed.def"
#undef PASSED
};

/// Which records were passed over, and how many; later versions of OTF2 have more than are known by
/// name.
static void name_passed(const pj_otf2_read *r)
{
    uint64_t events[UINT8_MAX + 1] = {0};
    pj_auto_buf names = {0};
    for (uint32_t i = 0; i < r->count; i++)
        for (size_t k = 0; k < PJ_OTF2_PASSED_MOST; k++)
            events[r->locations[i]->passed[k].type] += r->locations[i]->passed[k].events;
    for (unsigned type = 0; type <= UINT8_MAX; type++) {
        if (!events[type])
            continue;
        pj_buf_puts(&names, names.len ? ", " : "");
        if (passed_names[type])
            pj_buf_puts(&names, passed_names[type]);
        else
            pj_buf_addf(&names, "number %u of a later version of OTF2", type);
        pj_buf_addf(&names, " (%llu)", (unsigned long long)events[type]);
    }
    if (names.len)
        pj_run_remark(r->run, PJ_NOTE, "events_passed_over", "events that were passed over: %s",
                      names.at);
}

static void count_defs(pj_otf2_read *r)
{
    pj_import_stats *import = &r->run->import;
    import->count[PJ_IMPORT_metric_location] = r->defs->recorders;
    import->count[PJ_IMPORT_metric_apart] = r->defs->left_out;
}

/// What a location's definition and the clock's promised and its file did not keep.
static void count_promises(pj_otf2_read *r, const pj_otf2_location *location)
{
    const pj_otf2_defs *defs = r->defs;
    if (location->records != defs->locations[location->number].events && location->records)
        pj_import_add(&r->run->import, PJ_IMPORT_event_number, 0);
    uint64_t from = location->clock.base, length = defs->length;
    pj_otf2_clock unit = location->clock;
    uint64_t span = 0;
    if (defs->length && from >= defs->offset) {
        unit.base = 0;
        unit.shift = 0;
        unit.count = 0;
        span = pj_otf2_clock_ns(
            &unit, length - (from - defs->offset < length ? from - defs->offset : length));
    }
    if (defs->length && location->now.begun && location->now.last > span + 1)
        pj_import_add(&r->run->import, PJ_IMPORT_outside_clock, 0);
}

/// What reading a part of the archive, or cutting it, will want to know.
static const pj_otf2_kept *keep(const pj_otf2_read *r)
{
    pj_arena *arena = r->run->arena;
    pj_otf2_kept *kept = pj_new(arena, pj_otf2_kept);
    kept->clocks = (pj_otf2_clocks){pj_new_n(arena, pj_otf2_clock, r->count), r->count};
    for (uint32_t i = 0; i < r->count; i++) {
        kept->clocks.items[i] = (pj_otf2_clock){.base = 0};
        pj_otf2_clock_take(&kept->clocks.items[i], &r->locations[i]->clock);
    }
    kept->indices = pj_otf2_indices_keep(r->locations, r->count, pj_otf2_match_reach(r->match),
                                         r->folder, arena);
    return kept;
}

void pj_otf2_end_run(pj_otf2_read *r)
{
    pj_run *run = r->run;
    uint32_t damaged = 0;
    for (uint32_t i = 0; i < r->count; i++) {
        const pj_otf2_location *location = r->locations[i];
        pj_import_merge(&run->import, &location->import);
        if (location->damage && !damaged++)
            run->damage = pj_arena_format(run->arena, "the event file of location %llu %s",
                                          (unsigned long long)location->id, location->damage);
        if (location->recorder)
            continue;
        run->events += location->records;
        if (location->now.last > run->end_ns)
            run->end_ns = location->now.last;
        count_promises(r, location);
        if (r->pass->by_location && pj_otf2_learnt_lacks_completions(location))
            pj_otf2_match_forgive(r->match, location->rank);
    }
    if (damaged > 1)
        run->damage = pj_arena_format(run->arena, "%s, and %u more are broken", run->damage,
                                      (unsigned)damaged - 1);
    if (damaged)
        pj_run_remark(run, PJ_WARNING, "damage", "%s", run->damage);
    run->last_record_ns = run->end_ns;
    run->kept = keep(r);
    count_defs(r);
    name_passed(r);
    pj_otf2_match_end(r->match, &run->import);
    if (run->told.messages_apart)
        run->import.count[PJ_IMPORT_message_reversed] = pj_otf2_match_reversed(r->match);
}
