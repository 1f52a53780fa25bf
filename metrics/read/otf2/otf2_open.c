// How the locations of an archive are opened: which of their files this process reads, with buffers
// that all of them can have.
#include "metrics/read/otf2/otf2_open.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/job.h"
#include "metrics/base/process_group.h"
#include "metrics/base/tiny.h"
#include "metrics/read/otf2/events/otf2_index.h"
#include "metrics/read/otf2/events/otf2_location.h"
#include "metrics/read/otf2/events/otf2_ranged.h"
#include "metrics/read/otf2/otf2_kept.h"
#include "metrics/read/otf2/otf2_reach.h"
#include "metrics/read/pass.h"
#include "metrics/trace/layout.h"

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
};

static bool wants_regions(const pj_otf2_read *r)
{
    const pj_pass *pass = r->pass;
    return pass->regions &&
           (!pass->regions_below || r->run->layout.locations < pass->regions_below);
}

static size_t buffer_bytes(const pj_otf2_read *r, uint32_t count)
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
static size_t marks_each(const pj_otf2_read *r)
{
    size_t share = MARKS_IN_ALL / (r->count ? r->count : 1);
    if (r->pass->group || share < MARKS_LEAST)
        return 0;
    return share > MARKS_MOST ? MARKS_MOST : share;
}

bool pj_otf2_open_parts(pj_otf2_read *r, pj_err *err)
{
    const pj_pass *pass = r->pass;
    if (!pass->known)
        return true;
    const pj_otf2_indices *indices = pj_otf2_kept_of(pass->known)->indices;
    if (indices->count < r->count || indices->region_count != r->defs->region_count)
        return pj_fail(err, PJ_E_FORMAT, r->run->path, 0,
                       "has changed since it was read; load it again");
    r->ranges = pj_new_n(r->defs->arena, pj_otf2_range, PJ_OTF2_REACH_BINS + 1);
    r->range_count = pj_otf2_reach_ranges(&indices->reach,
                                          (pj_otf2_range){pass->from_ns, pass->to_ns}, r->ranges);
    return true;
}

static uint64_t file_size(const pj_otf2_read *r, uint32_t location)
{
    pj_auto_buf path = {.at = NULL};
    struct stat facts;
    pj_buf_addf(&path, "%s/%llu.evt", r->folder,
                (unsigned long long)r->defs->locations[location].id);
    return stat(path.at, &facts) == 0 && S_ISREG(facts.st_mode) ? (uint64_t)facts.st_size : 0;
}

void pj_otf2_open_sizes(pj_otf2_read *r)
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

bool pj_otf2_open_reads(const pj_otf2_read *r, uint32_t location)
{
    const pj_process_group *group = r->pass->group;
    return !group || pj_layout_owner(&r->run->layout, group,
                                     r->defs->locations[location].location) == group->rank;
}

void pj_otf2_open_locations(pj_otf2_read *r, const pj_otf2_anchor *anchor)
{
    uint64_t *ids = pj_new_n(r->defs->arena, uint64_t, r->count);
    uint32_t own = 0;
    for (uint32_t i = 0; i < r->count; i++)
        if (pj_otf2_open_reads(r, i))
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
        .regions = wants_regions(r),
        .parameters = r->pass->parameters,
        .locks = pj_pass_wants_locks(r->pass),
        .parts = r->run->told.messages_apart,
        .sent = pj_pass_wants_sent(r->pass),
        .roi = &r->run->roi,
        .marks = marks_each(r),
        .indices = r->ranges ? pj_otf2_kept_of(r->pass->known)->indices->items : NULL,
        .ranges = r->ranges,
        .range_count = r->range_count};
    r->locations = pj_new_n(r->defs->arena, pj_otf2_location *, r->count);
    for (uint32_t i = 0; i < r->count; i++)
        r->locations[i] = pj_otf2_open_reads(r, i) ? pj_otf2_location_new(&opts, i)
                                                   : pj_otf2_location_absent(&opts, i);
}
