// Regions of ranks become rows by their names; a device's time in a row is that of what was
// launched there, with the idle time before it.
#include "metrics/ai/ai_regions.h"

#include "metrics/ai/ai_parts.h"
#include "metrics/ai/ai_rank.h"
#include "metrics/ai/ai_sweep.h"
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/str.h"
#include "metrics/run/parts/functions.h"

#include <stdlib.h>

enum { MOST_ROWS = 4096, LEAST_ROWS = 16, MOST_CELLS = 1 << 18 };

typedef struct summing {
    pj_run *run;
    const pj_ai_ranks *ranks;
    bool paths;
    pj_ai_account *account;
    pj_ai_rank *texts; // the name of a row is the text of its number; "" = outside
    uint32_t **row_of; // by rank and region
    uint32_t most;
} summing;

/// Rows that are too many count with what is around them.
static uint32_t row_named(summing *s, pj_ai_rank *rank, uint32_t around, pj_str name)
{
    uint32_t row = pj_ai_rank_name(s->texts, name);
    if (row < s->most)
        return row;
    s->texts->name_count = s->most;
    rank->odd[PJ_AI_ODD_regions]++;
    return around;
}

static void name_rows(summing *s, pj_ai_rank *rank, uint32_t *row_of)
{
    pj_auto_buf path = {.at = NULL};
    row_of[0] = 0;
    for (size_t i = 1; i < rank->region_count; i++) { // behind those around it
        const pj_ai_region *region = &rank->regions[i];
        uint32_t around = row_of[region->parent];
        path.len = 0;
        if (s->paths && around)
            pj_buf_addf(&path, "%s/", s->texts->names[around]);
        pj_buf_puts(&path, rank->names[region->name]);
        row_of[i] = row_named(s, rank, around, pj_buf_str(&path));
    }
}

static void add_share(pj_ai_region_use *use, uint32_t device, const pj_ai_region_share *of)
{
    pj_ai_share *to = &use->shares[device];
    to->useful += of->share.useful;
    to->transfer += of->share.transfer;
    to->copies += of->share.copies;
    to->unsplit += of->share.unsplit;
    to->wait += of->share.wait;
    for (unsigned c = 0; c < PJ_AI_IDLE_CAUSES; c++)
        to->idle[c] += of->share.idle[c];
    use->kernels += of->kernels;
}

/// Whether a row stands for a region that lies within this one, or is it: it counts once.
static bool comes_again(const pj_ai_rank *rank, const uint32_t *row_of, uint32_t from, uint32_t to)
{
    for (uint32_t i = from; i != to; i = rank->regions[i].parent)
        if (row_of[i] == row_of[to])
            return true;
    return false;
}

static void add_region(summing *s, size_t r, uint32_t region, uint32_t device,
                       const pj_ai_region_share *of)
{
    const pj_ai_rank *rank = s->ranks->items[r];
    const uint32_t *row_of = s->row_of[r];
    add_share(&s->account->regions[row_of[region]].own, device, of);
    for (uint32_t i = region;; i = rank->regions[i].parent) {
        if (!comes_again(rank, row_of, region, i) && (i == region || row_of[i]))
            add_share(&s->account->regions[row_of[i]].whole, device, of);
        if (!i)
            break;
    }
}

/// Where the regions of each user of a device begin among those of all.
typedef struct sharing {
    pj_ai_region_share *of;
    size_t firsts[UINT8_MAX + 1];
} sharing;

static void share_stretch(void *self, const pj_ai_stretch *stretch)
{
    sharing *u = self;
    pj_ai_share *share = &u->of[u->firsts[stretch->user] + stretch->region].share;
    uint64_t *const parts[PJ_AI_LAYERS] = {[PJ_AI_TRANSFERS] = &share->transfer,
                                           [PJ_AI_COPIES] = &share->copies,
                                           [PJ_AI_UNSPLIT] = &share->unsplit,
                                           [PJ_AI_WAITS] = &share->wait};
    *parts[stretch->layer] += (uint64_t)(stretch->end - stretch->begin);
}

static size_t index_of(const summing *s, const pj_ai_rank *rank)
{
    size_t r = 0;
    while (s->ranks->items[r] != rank)
        r++;
    return r;
}

static void add_device(summing *s, size_t r, const pj_ai_device *device, uint32_t index)
{
    pj_ai_rank *rank = s->ranks->items[r];
    pj_ai_region_share outside = {.kernels = 0};
    outside.share.idle[PJ_AI_IDLE_not_started] = device->share.idle[PJ_AI_IDLE_not_started];
    outside.share.idle[PJ_AI_IDLE_ended] = device->share.idle[PJ_AI_IDLE_ended];
    add_region(s, r, 0, index, &outside);
    if (!device->of_region)
        return;
    unsigned users = device->users ? device->user_count : 1;
    sharing use = {.of = device->of_region};
    for (unsigned u = 1; u < users; u++)
        use.firsts[u] = use.firsts[u - 1] + device->users[u - 1]->region_count + 1;
    pj_ai_sweep(rank, device, (pj_ai_watch){share_stretch, &use});
    for (unsigned u = 0; u < users; u++) {
        const pj_ai_rank *user = pj_ai_device_user(rank, device, (uint8_t)u);
        for (uint32_t i = 0; i < user->region_count; i++)
            add_region(s, index_of(s, user), i, index, &use.of[use.firsts[u] + i]);
    }
}

/// How often each row comes, and on how many ranks.
static void count_instances(summing *s, size_t r)
{
    const pj_ai_rank *rank = s->ranks->items[r];
    bool *seen = pj_take_zeros(s->account->region_count * sizeof *seen);
    for (size_t i = 1; i < rank->region_count; i++) {
        pj_ai_region_row *row = &s->account->regions[s->row_of[r][i]];
        row->instances += rank->regions[i].instances;
        row->host_ns += rank->regions[i].time;
        row->ranks += !seen[s->row_of[r][i]];
        seen[s->row_of[r][i]] = true;
    }
    free(seen);
}

static void total(pj_ai_region_use *use, uint32_t devices)
{
    for (uint32_t d = 0; d < devices; d++) {
        uint64_t time = pj_ai_share_time(&use->shares[d]);
        use->time_ns += time;
        use->longest_ns = time > use->longest_ns ? time : use->longest_ns;
    }
}

static int by_own_time(const void *a, const void *b)
{
    const pj_ai_region_row *x = a, *y = b;
    if (x->outside != y->outside)
        return x->outside ? 1 : -1;
    if (x->own.time_ns != y->own.time_ns)
        return x->own.time_ns > y->own.time_ns ? -1 : 1;
    return strcmp(x->name, y->name);
}

static void make_rows(summing *s)
{
    pj_ai_account *account = s->account;
    pj_arena *arena = s->run->arena;
    uint32_t devices = account->count;
    account->region_count = s->texts->name_count;
    account->regions = pj_new_n(arena, pj_ai_region_row, account->region_count);
    for (uint32_t i = 0; i < account->region_count; i++) {
        pj_ai_region_row *row = &account->regions[i];
        row->outside = i == 0;
        row->name = i ? pj_arena_text(arena, pj_str_of(s->texts->names[i])) : "outside any range";
        row->own.shares = pj_new_n(arena, pj_ai_share, devices + 1);
        row->whole.shares = pj_new_n(arena, pj_ai_share, devices + 1);
    }
}

void pj_ai_regions_fill(pj_run *run, const pj_ai_ranks *ranks, bool paths, pj_ai_account *account)
{
    uint32_t most = MOST_CELLS / (account->count + 1), index = 0;
    summing s = {.run = run,
                 .ranks = ranks,
                 .paths = paths,
                 .account = account,
                 .texts = pj_ai_rank_new(""),
                 .row_of = pj_take_zeros((ranks->count + 1) * sizeof *s.row_of),
                 .most = most > MOST_ROWS    ? MOST_ROWS
                         : most < LEAST_ROWS ? LEAST_ROWS
                                             : most};
    for (size_t r = 0; r < ranks->count; r++) {
        s.row_of[r] = pj_take_zeros((ranks->items[r]->region_count + 1) * sizeof **s.row_of);
        name_rows(&s, ranks->items[r], s.row_of[r]);
    }
    make_rows(&s);
    for (size_t r = 0; r < ranks->count; r++) {
        for (size_t d = 0; d < ranks->items[r]->device_count; d++)
            add_device(&s, r, &ranks->items[r]->devices[d], index++);
        count_instances(&s, r);
    }
    for (size_t r = 0; r < ranks->count; r++)
        free(s.row_of[r]);
    for (uint32_t i = 0; i < account->region_count; i++) {
        total(&account->regions[i].own, account->count);
        total(&account->regions[i].whole, account->count);
    }
    qsort(account->regions, account->region_count, sizeof *account->regions, by_own_time);
    free(s.row_of);
    pj_ai_rank_free(s.texts);
}

void pj_ai_regions_parts(pj_run *run)
{
    const pj_ai_account *account = run->ai;
    uint32_t parts = 0;
    for (uint32_t i = 0; i < account->region_count && parts < PJ_FUNCTIONS_PARTS; i++) {
        const pj_ai_region_row *row = &account->regions[i];
        if (row->outside || !row->whole.longest_ns)
            continue;
        pj_run *part = pj_ai_part_new(run, row->name, row->whole.longest_ns);
        for (uint32_t d = 0; d < account->count; d++)
            pj_ai_part_set_device(part, d, &row->whole.shares[d]);
        pj_ai_part_without_hosts(part);
        parts++;
    }
}
