// Reads OTF2 archives (Score-P, eztrace, APEX): definitions through libotf2, events by a decoder of
// our own.
#include "metrics/read/otf2/cut/otf2_cut.h"
#include "metrics/read/otf2/events/otf2_merge.h"
#include "metrics/read/otf2/otf2_anchor.h"
#include "metrics/read/otf2/otf2_end.h"
#include "metrics/read/otf2/otf2_kept.h"
#include "metrics/read/otf2/otf2_learnt.h"
#include "metrics/read/otf2/otf2_open.h"

#include "metrics/base/err.h"
#include "metrics/base/job.h"
#include "metrics/base/process_group.h"
#include "metrics/base/str.h"
#include "metrics/base/tiny.h"
#include "metrics/read/otf2/events/otf2_index.h"
#include "metrics/read/otf2/events/otf2_location.h"
#include "metrics/read/otf2/events/otf2_match.h"
#include "metrics/read/otf2/otf2_clock.h"
#include "metrics/read/otf2/otf2_defs.h"
#include "metrics/read/otf2/otf2_lib.h"
#include "metrics/read/otf2/otf2_parameters.h"
#include "metrics/read/otf2/otf2_read.h"
#include "metrics/read/otf2/otf2_share.h"
#include "metrics/read/otf2/otf2_sync.h"
#include "metrics/read/pass.h"
#include "metrics/read/reader.h"
#include "metrics/read/source.h"
#include "metrics/run/run.h"
#include "metrics/trace/layout.h"
#include "metrics/trace/sink.h"

#include <stdlib.h>

enum {
    READAHEAD_LEAST =
        PJ_SIZE(1 << 20, 4 << 10), // bytes of a file that is worth a thread of its own
};

static bool sniff(pj_str head)
{
    return pj_otf2_anchor_sniff(head);
}

/// Both ends of a message find each other by counting when each of them is in the trace; as far as
/// is known.
static bool gives_parts(const pj_otf2_read *r)
{
    const pj_otf2_learnt *l = r->pass->learnt;
    return !r->ranges && pj_pass_asks(r->pass, PJ_EV_PART) && !(l && (l->inferred || l->uneven));
}

/// Whether each member of the process group has ranks of its own, and rounds of news between them
/// cost less than one that replays all (replay/README.md).
static bool shares_ranks(const pj_otf2_read *r)
{
    const pj_process_group *group = r->pass->group;
    const pj_layout *layout = &r->run->layout;
    return group && layout->ranks >= pj_process_group_readers(group) &&
           layout->locations >= pj_pass_shared_from(r->pass);
}

/// The run begins with its first event: 0 ns is there after all clocks have been shifted.
static bool set_clocks(pj_otf2_read *r, pj_err *err)
{
    if (r->share && !pj_otf2_share_begins(r->share, err))
        return false;
    const pj_otf2_learnt *l = r->pass->learnt;
    uint64_t base = UINT64_MAX, ticks;
    uint32_t count = r->count - r->recorders; // meters may be read before the run begins
    for (uint32_t i = 0; i < count; i++)
        if (pj_otf2_location_first(r->locations[i], &ticks) && ticks < base)
            base = ticks;
    if (base == UINT64_MAX)
        return pj_fail(err, PJ_E_FORMAT, r->run->path, 0,
                       "holds no events: its event files (.evt) are missing, empty or damaged");
    int64_t first = INT64_MAX;
    for (uint32_t i = 0; i < r->count; i++) {
        pj_otf2_location *location = r->locations[i];
        pj_otf2_shift shift = pj_otf2_learnt_shift(r, location->rank);
        location->clock.base = base;
        if (shift.rate != 0)
            pj_otf2_clock_stretch(&location->clock, shift.rate);
        location->infer = l && l->infer[i];
        if (i >= count || !pj_otf2_location_first(location, &ticks))
            continue;
        int64_t begin =
            (int64_t)pj_otf2_clock_ns(&location->clock, location->ahead.time) + shift.ns;
        first = begin < first ? begin : first;
    }
    for (uint32_t i = 0; i < r->count; i++)
        r->locations[i]->clock.shift = pj_otf2_learnt_shift(r, r->locations[i]->rank).ns - first;
    return true;
}

/// Those with which the run was read before.
static void take_clocks(pj_otf2_read *r)
{
    const pj_otf2_kept *known = pj_otf2_kept_of(r->pass->known);
    for (uint32_t i = 0; i < r->count; i++)
        pj_otf2_clock_take(&r->locations[i]->clock, &known->clocks.items[i]);
}

// Reading

/// Threads to decode with: the library gives events to one at a time.
static unsigned workers_of(const pj_otf2_read *r)
{
    bool by_library = r->lib->needed(r->archive);
    for (uint32_t i = 0; i < r->count; i++)
        by_library |= r->locations[i]->library.lib != NULL;
    return by_library ? 1 : pj_job_workers(r->pass->job);
}

/// A location with most of the events would keep one thread busy while the others wait.
static void send_readahead(const pj_otf2_read *r)
{
    const pj_pass *pass = r->pass;
    if (!r->sizes || pass->group || pass->regions || pj_pass_calls(pass) || workers_of(r) < 2)
        return;
    for (uint32_t i = 0; i < r->count; i++)
        if (r->sizes[i] > READAHEAD_LEAST && r->sizes[i] > r->run->file_bytes / 2)
            pj_otf2_location_start_readahead(r->locations[i]);
}

/// All events in one stream: alone, or as the leader of a process group.
static bool merge_events(pj_otf2_read *r, pj_err *err)
{
    r->sync = pj_otf2_sync_new(r->run->layout.ranks);
    r->match = pj_otf2_match_new(r->defs, r->sync);
    pj_otf2_learnt_use(r);
    pj_otf2_merge merge = {.pass = r->pass,
                           .locations = r->locations,
                           .count = r->count,
                           .match = r->match,
                           .workers = workers_of(r),
                           .share = r->share};
    if (!pj_otf2_merge_run(&merge, err))
        return false;
    if (r->ranges) {
        r->run->end_ns = r->run->last_record_ns = r->pass->known->end_ns;
        return true;
    }
    pj_otf2_end_run(r);
    pj_otf2_learnt_take(r);
    return true;
}

static bool read_shared(pj_otf2_read *r, pj_err *err)
{
    bool leads = pj_process_group_leads(r->pass->group);
    bool ok = leads ? merge_events(r, err) : pj_otf2_share_serve(r->share, err);
    if (ok && leads)
        pj_otf2_learnt_tell(r);
    if (!ok || !pj_process_group_exchange(r->pass->group, err))
        return false;
    if (!leads)
        pj_otf2_learnt_hear(r);
    return true;
}

/// Locations fill the call trees of a sink that asks for them. Where one is read after the other,
/// masters come before the members of their teams.
static void hand_out_calls(const pj_otf2_read *r)
{
    const pj_sink *sink = pj_pass_calls(r->pass);
    const uint32_t *first = r->run->layout.first_location;
    for (uint32_t i = 0; sink && i < r->count; i++) {
        pj_otf2_location *location = r->locations[i];
        if (!pj_otf2_open_reads(r, i) || location->stream)
            continue;
        location->calls = sink->calls(sink->self, location->number);
        if (location->worker && r->pass->by_location)
            location->calls->master = sink->calls(sink->self, first[location->rank]);
    }
}

static bool read_events(pj_otf2_read *r, pj_err *err)
{
    if (!pj_pass_begin(r->pass, err))
        return false;
    hand_out_calls(r);
    return r->share ? read_shared(r, err) : merge_events(r, err);
}

/// Streams are read with the threads, all in one order of time; true where that is for the leader
/// of a process group alone to do.
static bool take_streams(pj_otf2_read *r)
{
    if (!pj_pass_has_devices(r->pass))
        return false;
    r->count += r->defs->stream_count;
    r->pass->by_location = false;
    r->pass->apart = r->pass->group != NULL;
    return r->pass->apart;
}

/// The same of recorders of meters.
static bool take_recorders(pj_otf2_read *r)
{
    if (!pj_pass_has_meters(r->pass) || r->pass->known)
        return false;
    r->recorders = r->defs->meter_recorders;
    r->count += r->recorders;
    r->pass->by_location = false;
    r->pass->apart = r->pass->group != NULL;
    return r->pass->apart;
}

/// A process group merges times, unless call paths of teams go on from those of their masters: then
/// these are read first, by the members that have whole ranks; where there are more members than
/// ranks, by the leader alone.
static bool take_teams(pj_otf2_read *r)
{
    pj_pass *pass = r->pass;
    if (!pass->group)
        return false;
    bool teams = pass->by_location && r->defs->has_teams && pj_pass_calls(pass);
    bool whole = r->run->layout.ranks >= pj_process_group_readers(pass->group);
    pass->by_location = teams && whole;
    pass->apart |= teams && !whole;
    return pass->apart;
}

static bool read_archive(pj_otf2_read *r, pj_err *err)
{
    pj_otf2_anchor anchor;
    if (!pj_otf2_anchor_read(r->run->path, r->run->arena, &anchor, err))
        return false;
    r->lib = pj_otf2_lib_open(err);
    r->archive = r->lib ? pj_otf2_lib_archive(r->lib, &anchor, err) : NULL;
    r->defs = r->archive ? pj_otf2_defs_read(r->lib, r->archive, r->run, err) : NULL;
    if (r->defs && r->pass->parameters)
        pj_otf2_parameters_name_run(r->defs->parameters, r->run);
    if (!r->defs)
        return false;
    if (r->defs->ticks_per_second == 0)
        return pj_fail(err, PJ_E_FORMAT, r->run->path, 0, "the archive does not define its clock");
    r->run->told.forks_traced = true;
    r->run->told.starts_go_on = true;
    r->run->told.states_unread = true;
    r->folder = anchor.folder;
    r->count = r->defs->location_count;
    if (take_streams(r) || take_recorders(r) || take_teams(r))
        return true;
    if (!pj_otf2_open_parts(r, err))
        return false;
    r->run->told.messages_apart = gives_parts(r);
    r->run->told.windows &= r->run->told.messages_apart;
    r->pass->ranks_apart = r->run->told.messages_apart && shares_ranks(r);
    pj_otf2_open_locations(r, &anchor);
    if (r->pass->group)
        r->share = pj_otf2_share_new(r->pass, r->locations, workers_of(r));
    if (pj_process_group_leads(r->pass->group))
        pj_otf2_open_sizes(r);
    if (r->ranges)
        take_clocks(r);
    send_readahead(r);
    return (r->ranges || set_clocks(r, err)) && read_events(r, err);
}

static bool read_otf2(pj_source *source, pj_pass *pass, pj_err *err)
{
    (void)source; // the anchor's content is no stream: its files are read
    pj_err local = {.code = PJ_E_NONE};
    pj_otf2_read r = {.pass = pass, .run = pass->run};
    bool ok = read_archive(&r, &local);
    for (uint32_t i = 0; r.locations && i < r.count; i++)
        pj_otf2_location_free(r.locations[i]);
    pj_otf2_share_free(r.share);
    pj_otf2_match_free(r.match);
    pj_otf2_sync_free(r.sync);
    pj_otf2_defs_free(r.defs);
    if (r.archive)
        r.lib->close(r.archive);
    if (!ok && err && !err->code)
        *err = local;
    return ok;
}

static bool knows_parts(const pj_run *run)
{
    const pj_otf2_kept *kept = pj_otf2_kept_of(run);
    return kept && kept->indices && pj_otf2_indices_hold(kept->indices);
}

const pj_reader pj_reader_otf2 = {
    .name = "otf2",
    .title = "OTF2 archive",
    .suffixes = ".otf2",
    .parts = ".def .evt",
    .sniff = sniff,
    .read = read_otf2,
    .knows = knows_parts,
    .several = true,
    .shares = true,
    .cut = &pj_otf2_cutter,
};
