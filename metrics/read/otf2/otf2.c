// Reads OTF2 archives (Score-P, eztrace, APEX): definitions through libotf2, events by a decoder of
// our own. A first pass that finds its clocks in contradiction with messages or collectives asks
// for another one with clocks shifted, and stretched where they drift.
#include "metrics/read/otf2/cut/otf2_cut.h"
#include "metrics/read/otf2/events/otf2_merge.h"
#include "metrics/read/otf2/events/otf2_ranged.h"
#include "metrics/read/otf2/otf2_anchor.h"
#include "metrics/read/otf2/otf2_kept.h"
#include "metrics/read/otf2/otf2_share.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/job.h"
#include "metrics/base/num.h"
#include "metrics/base/process_group.h"
#include "metrics/base/str.h"
#include "metrics/base/tiny.h"
#include "metrics/read/otf2/events/otf2_index.h"
#include "metrics/read/otf2/events/otf2_location.h"
#include "metrics/read/otf2/events/otf2_match.h"
#include "metrics/read/otf2/otf2_clock.h"
#include "metrics/read/otf2/otf2_defs.h"
#include "metrics/read/otf2/otf2_lib.h"
#include "metrics/read/otf2/otf2_reach.h"
#include "metrics/read/otf2/otf2_sync.h"
#include "metrics/read/pass.h"
#include "metrics/read/reader.h"
#include "metrics/read/source.h"
#include "metrics/run/run.h"
#include "metrics/trace/import_stats.h"
#include "metrics/trace/layout.h"
#include "metrics/trace/sink.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>

enum {
    BUFFERS_IN_ALL = 16 << 20,
    BUFFER_LEAST = PJ_SIZE(4 << 10, 1 << 10),
    BUFFER_MOST = PJ_SIZE(128 << 10, 2 << 10),
    BUFFER_RANGED = PJ_SIZE(32 << 10, 1 << 10), // where parts are read
    MARKS_IN_ALL = 1 << 14,                     // for parts to be read later
    MARKS_LEAST = 8,                            // of a location; fewer are of no use
    MARKS_MOST = 256,
    CROWD_LEAST = PJ_SIZE(64, 2), // threads of which a process group replays the ranks apart
    READAHEAD_LEAST =
        PJ_SIZE(1 << 20, 4 << 10), // bytes of a file that is worth a thread of its own
    NS_PER_SECOND = 1000000000,
};

/// What a pass leaves to the next one: one piece of memory, the arrays behind it.
typedef struct learnt {
    pj_otf2_violations before;
    bool shifted;  // the shifts are to be used
    bool inferred; // some receives are to be inferred
    bool counted;  // some of these by their number, which another pass has still to confirm
    bool uneven;   // some messages have one end only
    uint32_t ranks, locations;
    size_t traffic_count;
    int64_t lacks_ns;         // what shifts without rates would leave contradicted
    pj_otf2_shift *shifts;    // by rank
    pj_otf2_traffic *traffic; // to ranks whose receives are inferred
    uint32_t *waits;          // by rank
    bool *infer;              // by location
} learnt;

typedef struct otf2_reading {
    pj_pass *pass;
    pj_run *run;
    const pj_otf2_lib *lib;
    pj_otf2_archive *archive;
    pj_otf2_defs *defs;
    pj_otf2_location **locations;
    uint32_t count;
    pj_otf2_sync *sync;
    pj_otf2_match *match;
    pj_otf2_share *share;  // in a process group
    const char *folder;    // of the event files
    pj_otf2_range *ranges; // that are looked at; NULL = all is read
    size_t range_count;
    uint64_t *sizes; // of the event files, bytes; where all is read
} otf2_reading;

static bool sniff(pj_str head)
{
    return pj_otf2_anchor_sniff(head);
}

// Locations

static size_t buffer_bytes(const otf2_reading *r, uint32_t count)
{
    size_t share = BUFFERS_IN_ALL / (count ? count : 1),
           most = r->ranges ? BUFFER_RANGED : BUFFER_MOST;
    return share < BUFFER_LEAST ? BUFFER_LEAST : share > most ? most : share;
}

/// Whether files stay open while they are read: they are a small part of those a process may have.
static bool keeps_open(uint32_t count)
{
    enum { PART = 16 };
    struct rlimit files;
    return getrlimit(RLIMIT_NOFILE, &files) == 0 && count <= files.rlim_cur / PART;
}

/// Marks that each location may leave.
static size_t marks_each(const otf2_reading *r)
{
    size_t share = MARKS_IN_ALL / (r->count ? r->count : 1);
    if (r->pass->group || share < MARKS_LEAST)
        return 0;
    return share > MARKS_MOST ? MARKS_MOST : share;
}

/// What is to be read again of a run that was read before.
static bool choose_parts(otf2_reading *r, pj_err *err)
{
    const pj_pass *pass = r->pass;
    if (!pass->known)
        return true;
    const pj_otf2_indices *indices = pj_otf2_kept_of(pass->known)->indices;
    if (indices->count != r->count || indices->region_count != r->defs->region_count)
        return pj_fail(err, PJ_E_FORMAT, r->run->path, 0,
                       "has changed since it was read; load it again");
    r->ranges = pj_new_n(r->defs->arena, pj_otf2_range, PJ_OTF2_REACH_BINS + 1);
    r->range_count = pj_otf2_reach_ranges(&indices->reach,
                                          (pj_otf2_range){pass->from_ns, pass->to_ns}, r->ranges);
    return true;
}

static uint64_t file_size(const otf2_reading *r, uint32_t location)
{
    pj_auto_buf path = {.at = NULL};
    struct stat facts;
    pj_buf_addf(&path, "%s/%llu.evt", r->folder,
                (unsigned long long)r->defs->locations[location].id);
    return stat(path.at, &facts) == 0 && S_ISREG(facts.st_mode) ? (uint64_t)facts.st_size : 0;
}

/// The sizes of the event files, for the account and the progress.
static void sum_sizes(otf2_reading *r)
{
    for (uint32_t i = 0; r->ranges && i < r->count; i++)
        if (r->locations[i]->ranged)
            r->run->file_bytes += pj_otf2_ranged_bytes(r->locations[i]->ranged);
    r->sizes = r->ranges ? NULL : pj_new_n(r->defs->arena, uint64_t, r->count);
    for (uint32_t i = 0; r->sizes && i < r->count; i++)
        r->run->file_bytes += r->sizes[i] = file_size(r, i);
    r->run->text_bytes = r->run->file_bytes;
    atomic_fetch_add(&r->pass->job->bytes_total, r->run->file_bytes);
}

/// Whether this process reads the event file of a location.
static bool reads(const otf2_reading *r, uint32_t location)
{
    const pj_process_group *group = r->pass->group;
    return !group || pj_layout_owner(&r->run->layout, group,
                                     r->defs->locations[location].location) == group->rank;
}

static void open_locations(otf2_reading *r, const pj_otf2_anchor *anchor)
{
    uint64_t *ids = pj_new_n(r->defs->arena, uint64_t, r->count);
    uint32_t own = 0;
    for (uint32_t i = 0; i < r->count; i++)
        if (reads(r, i))
            ids[own++] = r->defs->locations[i].id;
    r->lib->select(r->archive, ids, own);
    pj_otf2_location_opts opts = {
        .defs = r->defs,
        .layout = &r->run->layout,
        .lib = r->lib,
        .archive = r->archive,
        .folder = anchor->folder,
        .chunk_bytes = anchor->chunk_bytes,
        .buffer_bytes = buffer_bytes(r, own),
        .keep_open = keeps_open(own),
        .sum = &r->pass->job->bytes_done,
        .by_library = r->lib->needed(r->archive),
        .regions = r->pass->regions,
        .parts = r->run->told.messages_apart,
        .roi = &r->run->roi,
        .marks = marks_each(r),
        .indices = r->ranges ? pj_otf2_kept_of(r->pass->known)->indices->items : NULL,
        .ranges = r->ranges,
        .range_count = r->range_count};
    r->locations = pj_new_n(r->defs->arena, pj_otf2_location *, r->count);
    for (uint32_t i = 0; i < r->count; i++)
        r->locations[i] =
            reads(r, i) ? pj_otf2_location_new(&opts, i) : pj_otf2_location_absent(&opts, i);
}

/// Both ends of a message find each other by counting when each of them is in the trace; as far as
/// is known.
static bool gives_parts(const otf2_reading *r)
{
    const learnt *l = r->pass->learnt;
    return !r->ranges && pj_pass_asks(r->pass, PJ_EV_PART) && !(l && (l->inferred || l->uneven));
}

/// Whether each member of the process group has ranks of its own, and rounds of news between them
/// cost less than one that replays all (replay/README.md).
static bool shares_ranks(const otf2_reading *r)
{
    const pj_process_group *group = r->pass->group;
    const pj_layout *layout = &r->run->layout;
    return group && layout->ranks >= pj_process_group_readers(group) &&
           layout->locations >= CROWD_LEAST;
}

static pj_otf2_shift shift_of(const otf2_reading *r, uint32_t rank)
{
    const learnt *l = r->pass->learnt;
    return l && l->shifted ? l->shifts[rank] : (pj_otf2_shift){0};
}

/// The run begins with its first event: 0 ns is there after all clocks have been shifted.
static bool set_clocks(otf2_reading *r, pj_err *err)
{
    if (r->share && !pj_otf2_share_begins(r->share, err))
        return false;
    const learnt *l = r->pass->learnt;
    uint64_t base = UINT64_MAX, ticks;
    for (uint32_t i = 0; i < r->count; i++)
        if (pj_otf2_location_first(r->locations[i], &ticks) && ticks < base)
            base = ticks;
    if (base == UINT64_MAX)
        return pj_fail(err, PJ_E_FORMAT, r->run->path, 0,
                       "holds no events: its event files (.evt) are missing, empty or damaged");
    int64_t first = INT64_MAX;
    for (uint32_t i = 0; i < r->count; i++) {
        pj_otf2_location *location = r->locations[i];
        pj_otf2_shift shift = shift_of(r, location->rank);
        location->clock.base = base;
        if (shift.rate != 0)
            pj_otf2_clock_stretch(&location->clock, shift.rate);
        location->infer = l && l->infer[i];
        if (!pj_otf2_location_first(location, &ticks))
            continue;
        int64_t begin =
            (int64_t)pj_otf2_clock_ns(&location->clock, location->ahead.time) + shift.ns;
        first = begin < first ? begin : first;
    }
    for (uint32_t i = 0; i < r->count; i++)
        r->locations[i]->clock.shift = shift_of(r, r->locations[i]->rank).ns - first;
    return true;
}

/// All but the offsets, which stay with the definitions.
static void set_clock(pj_otf2_clock *clock, const pj_otf2_clock *from)
{
    clock->base = from->base;
    clock->factor = from->factor;
    clock->bits = from->bits;
    clock->rate = from->rate;
    clock->shift = from->shift;
}

/// Those with which the run was read before.
static void take_clocks(otf2_reading *r)
{
    const pj_otf2_kept *known = pj_otf2_kept_of(r->pass->known);
    for (uint32_t i = 0; i < r->count; i++)
        set_clock(&r->locations[i]->clock, &known->clocks.items[i]);
}

// The end

static void count_defs(otf2_reading *r)
{
    pj_import_stats *import = &r->run->import;
    import->count[PJ_IMPORT_metric_location] = r->defs->recorders;
    import->count[PJ_IMPORT_metric_apart] = r->defs->left_out;
}

/// What a location's definition and the clock's promised and its file did not keep.
static void count_promises(otf2_reading *r, const pj_otf2_location *location)
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

/// Whether a location posts receives and never completes one (eztrace).
static bool lacks_completions(const pj_otf2_location *location)
{
    return location->pending.posted && !location->pending.completed;
}

/// What reading a part of the archive, or cutting it, will want to know.
static const pj_otf2_kept *keep(const otf2_reading *r)
{
    pj_arena *arena = r->run->arena;
    pj_otf2_kept *kept = pj_new(arena, pj_otf2_kept);
    kept->clocks = (pj_otf2_clocks){pj_new_n(arena, pj_otf2_clock, r->count), r->count};
    for (uint32_t i = 0; i < r->count; i++) {
        kept->clocks.items[i] = (pj_otf2_clock){.base = 0};
        set_clock(&kept->clocks.items[i], &r->locations[i]->clock);
    }
    kept->indices = pj_otf2_indices_keep(r->locations, r->count, pj_otf2_match_reach(r->match),
                                         r->folder, arena);
    return kept;
}

static void end_run(otf2_reading *r)
{
    pj_run *run = r->run;
    uint32_t damaged = 0;
    for (uint32_t i = 0; i < r->count; i++) {
        const pj_otf2_location *location = r->locations[i];
        pj_import_merge(&run->import, &location->import);
        run->events += location->records;
        if (location->now.last > run->end_ns)
            run->end_ns = location->now.last;
        count_promises(r, location);
        if (r->pass->by_location && lacks_completions(location))
            pj_otf2_match_forgive(r->match, location->rank);
        if (location->damage && !damaged++)
            run->damage = pj_arena_format(run->arena, "the event file of location %llu %s",
                                          (unsigned long long)location->id, location->damage);
    }
    if (damaged > 1)
        run->damage = pj_arena_format(run->arena, "%s, and %u more are broken", run->damage,
                                      (unsigned)damaged - 1);
    if (damaged)
        pj_run_remark(run, PJ_WARNING, "%s", run->damage);
    run->last_record_ns = run->end_ns;
    run->kept = keep(r);
    count_defs(r);
    pj_otf2_match_end(r->match, &run->import);
    if (run->told.messages_apart)
        run->import.count[PJ_IMPORT_message_reversed] = pj_otf2_match_reversed(r->match);
}

// Clocks

static uint64_t violated(pj_otf2_violations v)
{
    return v.messages + v.collectives;
}

static void remark_on_drift(const otf2_reading *r)
{
    const learnt *l = r->pass->learnt;
    double slowest = 0, fastest = 0;
    uint32_t stretched = 0;
    for (uint32_t i = 0; i < l->ranks; i++) {
        stretched += l->shifts[i].rate != 0;
        slowest = fmin(slowest, l->shifts[i].rate);
        fastest = fmax(fastest, l->shifts[i].rate);
    }
    if (!stretched)
        return;
    char drift[32], left[32];
    pj_format_duration((fastest - slowest) * NS_PER_SECOND, drift);
    pj_format_duration((double)l->lacks_ns, left);
    pj_run_remark(
        r->run, PJ_NOTE,
        "clocks drift: those of %" PRIu32 " of %" PRIu32 " ranks were stretched, against "
        "each other by up to %s per second; shifts alone would leave contradictions of %s",
        stretched, l->ranks, drift, left);
}

static void remark_on_clocks(const otf2_reading *r)
{
    const learnt *l = r->pass->learnt;
    pj_otf2_violations now = pj_otf2_sync_violations(r->sync);
    char worst[32], left[32];
    pj_format_duration((double)now.worst_ns, left);
    if (l && l->shifted) {
        pj_format_duration((double)l->before.worst_ns, worst);
        pj_run_remark(r->run, PJ_NOTE,
                      "clocks repaired: %llu of %llu messages and %llu of %llu collectives "
                      "contradicted them (worst by %s), after it %llu and %llu (worst by %s); "
                      "--clock raw takes them as they are",
                      (unsigned long long)l->before.messages,
                      (unsigned long long)l->before.messages_seen,
                      (unsigned long long)l->before.collectives,
                      (unsigned long long)l->before.collectives_seen, worst,
                      (unsigned long long)now.messages, (unsigned long long)now.collectives, left);
        remark_on_drift(r);
    } else if (violated(now)) {
        pj_run_remark(r->run, PJ_WARNING,
                      "the clocks contradict %llu of %llu messages and %llu of %llu collectives "
                      "(worst by %s)",
                      (unsigned long long)now.messages, (unsigned long long)now.messages_seen,
                      (unsigned long long)now.collectives, (unsigned long long)now.collectives_seen,
                      left);
    }
}

static size_t size_of(const learnt *l)
{
    return sizeof *l + l->ranks * (sizeof *l->shifts + sizeof *l->waits) +
           l->traffic_count * sizeof *l->traffic + l->locations * sizeof *l->infer;
}

static void location_arrays(learnt *l)
{
    l->shifts = (pj_otf2_shift *)(l + 1);
    l->traffic = (pj_otf2_traffic *)(l->shifts + l->ranks);
    l->waits = (uint32_t *)(l->traffic + l->traffic_count);
    l->infer = (bool *)(l->waits + l->ranks);
}

static learnt *new_learnt(uint32_t ranks, uint32_t locations, size_t traffic)
{
    learnt facts = {.ranks = ranks, .locations = locations, .traffic_count = traffic};
    size_t size = size_of(&facts);
    learnt *l = memset(pj_take_memory(size), 0, size);
    *l = facts;
    location_arrays(l);
    return l;
}

/// Whether each wait of the receiver completes as many of these messages.
static bool is_even(const pj_otf2_location *to, const pj_otf2_traffic *traffic)
{
    return !to->pending.partial && to->pending.waits && !traffic->completed &&
           traffic->sends % to->pending.waits == 0;
}

static learnt *learn_traffic(const otf2_reading *r)
{
    size_t count = 0;
    for (uint32_t i = 0; i < r->count; i++)
        if (lacks_completions(r->locations[i]))
            count += pj_otf2_match_traffic(r->match, r->locations[i]->rank, NULL);
    learnt *l = new_learnt(r->run->layout.ranks, r->count, count);
    size_t at = 0;
    for (uint32_t i = 0; i < r->count; i++) {
        const pj_otf2_location *location = r->locations[i];
        if (!lacks_completions(location))
            continue;
        l->infer[i] = l->inferred = true;
        l->waits[location->rank] += location->pending.waits;
        size_t end = at + pj_otf2_match_traffic(r->match, location->rank, l->traffic + at);
        for (; at < end; at++)
            l->counted |= l->traffic[at].counted = is_even(location, &l->traffic[at]);
    }
    return l;
}

static void use_traffic(const otf2_reading *r)
{
    const learnt *l = r->pass->learnt;
    for (size_t i = 0; l && i < l->traffic_count; i++)
        pj_otf2_match_infer(r->match, &l->traffic[i], l->waits[l->traffic[i].to]);
}

/// Keeps for another pass what the first one has found; nothing when there is nothing to do better.
static void learn_first(otf2_reading *r)
{
    learnt *l = learn_traffic(r);
    l->before = pj_otf2_sync_violations(r->sync);
    l->shifted = violated(l->before) && !r->pass->raw_clock;
    if (l->shifted)
        l->lacks_ns = pj_otf2_sync_solve(r->sync, l->shifts);
    l->uneven = r->run->told.messages_apart && pj_otf2_match_left(r->match);
    r->pass->learning = l->shifted || l->inferred || l->uneven;
    if (r->pass->learning)
        r->pass->learnt = l;
    else
        free(l);
}

/// Shifts what is shifted already.
static void shift_more(const otf2_reading *r, learnt *l, const pj_otf2_shift *more)
{
    if (!l->shifted)
        l->before = pj_otf2_sync_violations(r->sync);
    l->shifted = true;
    for (uint32_t i = 0; i < r->count; i++) { // locations of one rank agree
        uint32_t rank = r->locations[i]->rank;
        int64_t now = r->locations[i]->clock.shift;
        double rate = r->locations[i]->clock.rate, by = more[rank].rate;
        l->shifts[rank].ns = now + llround((double)now * by) + more[rank].ns;
        l->shifts[rank].rate = (1 + rate) * (1 + by) - 1;
    }
}

/// Receives that found their sender by number tie the clocks as others do: when they fit together,
/// they are right. Else the order of time must do.
static void confirm_counts(otf2_reading *r, learnt *l)
{
    l->counted = false;
    if (!violated(pj_otf2_sync_violations(r->sync)))
        return;
    pj_otf2_shift *more = pj_take_memory((l->ranks + 1) * sizeof *more);
    bool fits = pj_otf2_sync_solve(r->sync, more) == 0;
    r->pass->learning = !fits || !r->pass->raw_clock;
    for (size_t i = 0; i < l->traffic_count && !fits; i++)
        l->traffic[i].counted = false;
    if (fits && r->pass->learning)
        shift_more(r, l, more);
    free(more);
}

static void learn(otf2_reading *r)
{
    learnt *l = r->pass->learnt;
    if (!l)
        learn_first(r);
    else if (l->counted)
        confirm_counts(r, l);
    r->run->unsettled = r->pass->learning;
}

// Reading

/// Threads to decode with: the library gives events to one at a time.
static unsigned workers_of(const otf2_reading *r)
{
    bool by_library = r->lib->needed(r->archive);
    for (uint32_t i = 0; i < r->count; i++)
        by_library |= r->locations[i]->library.lib != NULL;
    return by_library ? 1 : pj_job_workers(r->pass->job);
}

/// A location with most of the events would keep one thread busy while the others wait.
static void send_readahead(const otf2_reading *r)
{
    const pj_pass *pass = r->pass;
    if (!r->sizes || pass->group || pass->regions || pj_pass_calls(pass) || workers_of(r) < 2)
        return;
    for (uint32_t i = 0; i < r->count; i++)
        if (r->sizes[i] > READAHEAD_LEAST && r->sizes[i] > r->run->file_bytes / 2)
            pj_otf2_location_start_readahead(r->locations[i]);
}

/// All events in one stream: alone, or as the leader of a process group.
static bool merge_events(otf2_reading *r, pj_err *err)
{
    r->sync = pj_otf2_sync_new(r->run->layout.ranks);
    r->match = pj_otf2_match_new(r->defs, r->sync);
    use_traffic(r);
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
    end_run(r);
    remark_on_clocks(r);
    learn(r);
    return true;
}

/// In a process group: what the leader knows of the run and of another pass.
static void tell_end(const otf2_reading *r)
{
    pj_process_group *group = r->pass->group;
    const learnt *l = r->pass->learning ? r->pass->learnt : NULL;
    pj_process_group_tell(group, (pj_str){(const char *)&r->run->end_ns, sizeof r->run->end_ns});
    if (l)
        pj_process_group_tell(group, (pj_str){(const char *)l, size_of(l)});
}

static void hear_end(otf2_reading *r)
{
    pj_str in = pj_process_group_from(r->pass->group, 0);
    memcpy(&r->run->end_ns, in.at, sizeof r->run->end_ns);
    in = pj_str_from(in, sizeof r->run->end_ns);
    r->pass->learning = in.len > 0;
    if (!in.len)
        return;
    learnt *l = pj_take_memory(in.len);
    memcpy(l, in.at, in.len);
    location_arrays(l);
    free(r->pass->learnt);
    r->pass->learnt = l;
}

static bool read_shared(otf2_reading *r, pj_err *err)
{
    bool leads = pj_process_group_leads(r->pass->group);
    bool ok = leads ? merge_events(r, err) : pj_otf2_share_serve(r->share, err);
    if (ok && leads)
        tell_end(r);
    if (!ok || !pj_process_group_exchange(r->pass->group, err))
        return false;
    if (!leads)
        hear_end(r);
    return true;
}

/// Locations fill the call trees of a sink that asks for them. Where one is read after the other,
/// masters come before the members of their teams.
static void hand_out_calls(const otf2_reading *r)
{
    const pj_sink *sink = pj_pass_calls(r->pass);
    const uint32_t *first = r->run->layout.first_location;
    for (uint32_t i = 0; sink && i < r->count; i++) {
        pj_otf2_location *location = r->locations[i];
        if (!reads(r, i))
            continue;
        location->calls = sink->calls(sink->self, location->number);
        if (location->worker && r->pass->by_location)
            location->calls->master = sink->calls(sink->self, first[location->rank]);
    }
}

static bool read_events(otf2_reading *r, pj_err *err)
{
    if (!pj_pass_begin(r->pass, err))
        return false;
    hand_out_calls(r);
    return r->share ? read_shared(r, err) : merge_events(r, err);
}

static bool read_archive(otf2_reading *r, pj_err *err)
{
    pj_otf2_anchor anchor;
    if (!pj_otf2_anchor_read(r->run->path, r->run->arena, &anchor, err))
        return false;
    r->lib = pj_otf2_lib_open(err);
    r->archive = r->lib ? pj_otf2_lib_archive(r->lib, &anchor, err) : NULL;
    r->defs = r->archive ? pj_otf2_defs_read(r->lib, r->archive, r->run, err) : NULL;
    if (!r->defs)
        return false;
    if (r->defs->ticks_per_second == 0)
        return pj_fail(err, PJ_E_FORMAT, r->run->path, 0, "the archive does not define its clock");
    r->run->told.forks_traced = true;
    r->run->told.starts_go_on = true;
    r->run->told.states_unread = true;
    r->folder = anchor.folder;
    r->count = r->defs->location_count;
    if (!choose_parts(r, err))
        return false;
    r->run->told.messages_apart = gives_parts(r);
    r->run->told.windows &= r->run->told.messages_apart;
    r->pass->ranks_apart = r->run->told.messages_apart && shares_ranks(r);
    open_locations(r, &anchor);
    if (r->pass->group)
        r->share = pj_otf2_share_new(r->pass, r->locations, workers_of(r));
    if (pj_process_group_leads(r->pass->group))
        sum_sizes(r);
    if (r->ranges)
        take_clocks(r);
    send_readahead(r);
    return (r->ranges || set_clocks(r, err)) && read_events(r, err);
}

static bool read_otf2(pj_source *source, pj_pass *pass, pj_err *err)
{
    (void)source; // the anchor's content is no stream: its files are read
    pj_err local = {.code = PJ_E_NONE};
    otf2_reading r = {.pass = pass, .run = pass->run};
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
