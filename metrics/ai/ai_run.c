// Ranks are numbered, matched and split; what remains of them is a run with devices and an account.
#include "metrics/ai/ai_run.h"
#include "metrics/ai/ai_cover.h"
#include "metrics/ai/ai_lanes.h"

#include "metrics/ai/ai_match.h"
#include "metrics/ai/ai_regions.h"
#include "metrics/ai/ai_spans.h"
#include "metrics/ai/ai_split.h"
#include "metrics/ai/ai_steps.h"
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/job.h"
#include "metrics/base/num.h"
#include "metrics/base/str.h"
#include "metrics/run/ai_account.h"
#include "metrics/run/devices.h"
#include "metrics/run/run.h"
#include "metrics/run/timeline.h"
#include "metrics/trace/device.h"
#include "metrics/trace/import_stats.h"
#include "metrics/trace/layout.h"

#include <stdlib.h>

static const struct {
    pj_severity severity;
    const char *key, *sentence;
} oddities[] = {
#define ODDITY(name, severity, sentence) {PJ_##severity, #name, sentence},
#include "metrics/ai/ai_oddities.def"
#undef ODDITY
};

/// The number behind "rank" in a file's name: rank0, rank_0, rank-0; -1 = none.
static int64_t rank_in_name(const char *path)
{
    pj_str text = pj_str_of(path);
    size_t slash = pj_str_find_last(text, '/');
    text = slash < text.len ? pj_str_from(text, slash + 1) : text;
    for (size_t i = 0; i + 4 < text.len; i++) {
        pj_str rest = pj_str_from(text, i);
        uint64_t number;
        size_t digits = 0;
        if (!pj_str_starts(rest, PJ_S("rank")))
            continue;
        rest = pj_str_from(rest, rest.at[4] == '-' || rest.at[4] == '_' ? 5 : 4);
        while (digits < rest.len && rest.at[digits] >= '0' && rest.at[digits] <= '9')
            digits++;
        if (digits && pj_parse_u64(pj_str_head(rest, digits), &number) && number < INT32_MAX)
            return (int64_t)number;
    }
    return -1;
}

static int by_path(const void *a, const void *b)
{
    const pj_ai_rank *x = *(pj_ai_rank *const *)a, *y = *(pj_ai_rank *const *)b;
    return pj_str_order_natural(pj_str_of(x->path), pj_str_of(y->path));
}

static bool has_devices(const pj_ai_rank *rank)
{
    return rank->device_count > 0;
}

/// Two files of one rank are the same when their devices did the same at the same time.
static bool are_same(const pj_ai_rank *a, const pj_ai_rank *b)
{
    if (!a->device_count || a->device_count != b->device_count ||
        a->exchange_count != b->exchange_count)
        return false;
    for (size_t d = 0; d < a->device_count; d++)
        if (a->devices[d].first != b->devices[d].first ||
            a->devices[d].last != b->devices[d].last ||
            a->devices[d].kernels != b->devices[d].kernels)
            return false;
    return a->events == b->events;
}

/// Whether one of these ranks has a device that the other one uses, too.
static bool share_with(pj_ai_rank *const *ranks, size_t count, const pj_ai_rank *other)
{
    for (size_t r = 0; r < count; r++)
        for (size_t d = 0; d < ranks[r]->device_count; d++)
            for (size_t u = 0; u < ranks[r]->devices[d].user_count; u++)
                if (ranks[r]->devices[d].users[u] == other)
                    return true;
    return false;
}

static void replace_clock(pj_ai_rank *const *ranks, size_t count, const pj_ai_rank *from,
                          const pj_ai_rank *to)
{
    for (size_t r = 0; r < count; r++)
        if (ranks[r]->clock == from)
            ranks[r]->clock = ranks[r] == to ? NULL : to;
}

/// Rank `i`, the same as the last of those that are kept; `kept` of them, all before it.
static bool leave_out(pj_ai_rank *const *ranks, size_t kept, size_t i, size_t count)
{
    pj_ai_rank *rank = ranks[i];
    const pj_ai_rank *same = ranks[kept - 1];
    if (!are_same(same, rank) || share_with(ranks, kept, rank) ||
        share_with(ranks + i, count - i, rank))
        return false;
    replace_clock(ranks, kept, rank, same);
    replace_clock(ranks + i, count - i, rank, same);
    pj_ai_rank_free(rank);
    return true;
}

/// Numbers by what files say, else their names, else their order; `*count` shrinks by repeated
/// files.
static void number_ranks(pj_run *run, pj_ai_rank **ranks, size_t *count)
{
    size_t kept = 0;
    bool all = true, repeated = false;
    qsort(ranks, *count, sizeof *ranks, by_path);
    for (size_t i = 0; i < *count; i++) {
        if (ranks[i]->rank < 0)
            ranks[i]->rank = rank_in_name(ranks[i]->path);
        all = all && ranks[i]->rank >= 0;
    }
    for (size_t i = 0; i < *count && !all; i++)
        ranks[i]->rank = (int64_t)i;
    qsort(ranks, *count, sizeof *ranks, pj_ai_rank_by_number);
    for (size_t i = 0; i < *count; i++) {
        pj_ai_rank *rank = ranks[i];
        bool again = kept && ranks[kept - 1]->rank == rank->rank;
        int64_t number = rank->rank;
        if (again && leave_out(ranks, kept, i, *count)) {
            pj_run_remark(run, PJ_WARNING, "rank_twice",
                          "two files hold the same rank %lld: one is left out", (long long)number);
            continue;
        }
        repeated = repeated || again;
        ranks[kept++] = rank;
    }
    *count = kept;
    for (size_t i = 0; repeated && i < kept; i++)
        ranks[i]->rank = (int64_t)i;
    if (repeated)
        pj_run_remark(run, PJ_WARNING, "rank_unclear",
                      "several files call themselves the same rank: ranks are numbered by the "
                      "order of the files (of a profiler that recorded several cycles give the "
                      "files of one)");
}

/// Of all records on the common clock.
static void find_window(pj_ai_ranks *ranks, const pj_ai_window *window)
{
    ranks->begin = INT64_MAX;
    ranks->end = INT64_MIN;
    for (size_t r = 0; r < ranks->count; r++)
        for (size_t d = 0; d < ranks->items[r]->device_count; d++) {
            const pj_ai_device *device = &ranks->items[r]->devices[d];
            if (!device->busy)
                continue;
            int64_t begin = pj_ai_rank_common(ranks->items[r], device->first);
            int64_t end = begin + device->last - device->first;
            ranks->begin = begin < ranks->begin ? begin : ranks->begin;
            ranks->end = end > ranks->end ? end : ranks->end;
        }
    if (window) {
        ranks->begin = window->begin;
        ranks->end = window->end;
    }
    for (size_t r = 0; r < ranks->count; r++) // what does nothing ends as it begins
        for (size_t d = 0; d < ranks->items[r]->device_count; d++) {
            pj_ai_device *device = &ranks->items[r]->devices[d];
            if (!device->busy)
                device->first = device->last = ranks->begin - ranks->items[r]->offset;
        }
}

static void lay_out(pj_run *run, const pj_ai_ranks *ranks)
{
    pj_layout *layout = &run->layout;
    uint32_t n = (uint32_t)ranks->count, streams = 0, at = 0;
    for (uint32_t r = 0; r < n; r++)
        streams += (uint32_t)ranks->items[r]->stream_count;
    *layout = (pj_layout){.applications = 1, .ranks = n, .locations = n};
    layout->first_location = pj_new_n(run->arena, uint32_t, n + 1);
    layout->rank_of = pj_new_n(run->arena, uint32_t, n);
    layout->node_of = pj_new_n(run->arena, uint32_t, n);
    layout->application_of = pj_new_n(run->arena, uint32_t, n);
    pj_device_stream *list = pj_new_n(run->arena, pj_device_stream, streams + 1);
    for (uint32_t r = 0; r < n; r++) {
        const pj_ai_rank *rank = ranks->items[r];
        layout->first_location[r + 1] = r + 1;
        layout->rank_of[r] = r;
        for (size_t d = 0; d < rank->device_count; d++) {
            const char *key =
                pj_arena_format(run->arena, "rank %lld:GPU %lld", (long long)rank->rank,
                                (long long)rank->devices[d].number);
            for (size_t s = 0; s < rank->stream_count; s++)
                if (rank->streams[s].of == d)
                    list[at++] = (pj_device_stream){
                        .kind = rank->hip ? PJ_STREAM_HIP : PJ_STREAM_CUDA,
                        .rank = r,
                        .device = key,
                        .name = pj_arena_format(run->arena, "stream %lld",
                                                (long long)rank->streams[s].number)};
        }
    }
    layout->streams = list;
    layout->stream_count = streams;
}

static pj_device_sum sum_of(const pj_ai_rank *rank, uint32_t index, const char *key)
{
    const pj_ai_device *device = &rank->devices[index];
    pj_device_sum sum = {.key = key,
                         .kernels = device->kernels,
                         .useful_ns = device->useful,
                         .transfer_ns = device->active - device->useful,
                         .transfer_total_ns = device->exchange_total + device->copy_total,
                         .to_device = device->to_device,
                         .to_host = device->to_host,
                         .bytes_known = !rank->windowed};
    for (size_t s = 0; s < rank->stream_count; s++)
        sum.streams += rank->streams[s].of == index;
    for (unsigned c = 0; c < PJ_AI_IDLE_CAUSES; c++)
        sum.idle_ns[pj_ai_idle_of(c)] += device->share.idle[c];
    return sum;
}

static void fill_devices(pj_run *run, const pj_ai_ranks *ranks, pj_ai_account *account)
{
    uint32_t count = 0, at = 0;
    for (size_t r = 0; r < ranks->count; r++)
        count += (uint32_t)ranks->items[r]->device_count;
    pj_devices *devices = pj_new(run->arena, pj_devices);
    uint32_t *rank_of = pj_new_n(run->arena, uint32_t, count + 1);
    int64_t *numbers = pj_new_n(run->arena, int64_t, ranks->count + 1);
    devices->items = pj_new_n(run->arena, pj_device_sum, count + 1);
    devices->count = account->count = count;
    devices->runtime_ns = pj_new_n(run->arena, uint64_t, ranks->count + 1);
    account->shares = pj_new_n(run->arena, pj_ai_share, count + 1);
    for (uint32_t r = 0; r < ranks->count; r++) {
        const pj_ai_rank *rank = ranks->items[r];
        numbers[r] = rank->rank;
        for (uint32_t d = 0; d < rank->device_count; d++, at++) {
            const char *key =
                pj_arena_format(run->arena, "rank %lld:GPU %lld", (long long)rank->rank,
                                (long long)rank->devices[d].number);
            devices->items[at] = sum_of(rank, d, key);
            account->shares[at] = rank->devices[d].share;
            rank_of[at] = r;
        }
        devices->runtime_ns[r] =
            rank->driving_within + (uint64_t)pj_ai_cover_within(&rank->driving,
                                                                ranks->begin - rank->offset,
                                                                ranks->end - rank->offset);
        devices->early += rank->odd[PJ_AI_ODD_early];
    }
    account->rank_of = rank_of;
    account->numbers = numbers;
    run->devices = devices;
}

static uint64_t at_most(uint64_t ns, uint64_t most)
{
    return ns < most ? ns : most;
}

/// Time of the host in MPI; what it calls the runtime of devices for in there is MPI's.
static void fill_mpi(pj_run *run, const pj_ai_ranks *ranks, uint32_t r)
{
    const pj_ai_rank *rank = ranks->items[r];
    int64_t begin = ranks->begin - rank->offset, end = ranks->end - rank->offset;
    uint64_t ns[PJ_AI_MPI_KINDS];
    pj_totals *t = &run->totals[r];
    for (unsigned k = 0; k < PJ_AI_MPI_KINDS; k++)
        ns[k] = (uint64_t)pj_ai_cover_within(&rank->mpi[k], begin, end);
    uint64_t all = ns[PJ_AI_MPI_ALL], messages = ns[PJ_AI_MPI_MESSAGES];
    // Of other threads at the same time.
    uint64_t collectives = at_most(ns[PJ_AI_MPI_COLLECTIVES], all - messages);
    uint64_t files = at_most(ns[PJ_AI_MPI_FILES], all - messages - collectives);
    t->mpi_ns = t->mpi_serial_ns = all;
    t->outside_mpi_ns = t->runtime_ns - all;
    t->spent_ns[PJ_SPENT_P2P] = messages;
    t->spent_ns[PJ_SPENT_COLLECTIVE] = collectives;
    t->spent_ns[PJ_SPENT_IO] = t->mpi_io_ns = files;
    t->spent_ns[PJ_SPENT_MPI] = all - messages - collectives - files;
    t->spent_ns[PJ_SPENT_DEVICE] -=
        rank->driving_in_mpi + pj_ai_rank_driving_in_mpi(rank, begin, end);
    t->useful_ns = t->serial_useful_ns = t->outside_mpi_ns - t->spent_ns[PJ_SPENT_DEVICE];
    run->devices->runtime_ns[r] = t->spent_ns[PJ_SPENT_DEVICE];
}

static void fill_threads(pj_run *run, const pj_ai_ranks *ranks, uint64_t runtime)
{
    pj_run_allocate(run);
    for (size_t r = 0; r < ranks->count; r++)
        run->has_mpi = run->has_mpi || ranks->items[r]->mpi[PJ_AI_MPI_ALL].total;
    for (uint32_t r = 0; r < run->layout.ranks; r++) {
        pj_totals *t = &run->totals[r];
        t->runtime_ns = t->outside_mpi_ns = t->last_event_ns = runtime;
        t->first_record_ns = 0;
        t->useful_ns = t->serial_useful_ns = runtime - run->devices->runtime_ns[r];
        t->spent_ns[PJ_SPENT_DEVICE] = t->device_calls_ns = run->devices->runtime_ns[r];
        if (run->has_mpi)
            fill_mpi(run, ranks, r);
    }
    run->runtime_ns = run->end_ns = run->last_record_ns = runtime;
}

/// The first damaged file is what commands complain of.
static void remark_on_damage(pj_run *run, const pj_ai_rank *rank)
{
    if (run->damage || !(rank->cut || rank->unchecked))
        return;
    if (rank->unchecked) {
        run->damage = pj_arena_format(run->arena,
                                      "the checksum of the file of rank %lld is missing or wrong: "
                                      "all of its text was used; copy it again or record it anew",
                                      (long long)rank->rank);
        return;
    }
    run->damage =
        pj_arena_format(run->arena,
                        "the file of rank %lld is cut short: what came before byte %llu of its "
                        "text was used; copy it again or record it anew",
                        (long long)rank->rank, (unsigned long long)rank->cut_at);
}

static void remark_on_ranks(pj_run *run, const pj_ai_ranks *ranks)
{
    int64_t world = -1, holes = 0;
    for (size_t r = 0; r < ranks->count; r++) {
        const pj_ai_rank *rank = ranks->items[r];
        world = rank->world > world ? rank->world : world;
        holes += r && rank->rank != ranks->items[r - 1]->rank + 1;
        remark_on_damage(run, rank);
        if (rank->cut)
            pj_run_remark(run, PJ_LOSS, "cut_short",
                          "rank %lld: the file is cut short: what follows byte %llu of its text is "
                          "missing",
                          (long long)rank->rank, (unsigned long long)rank->cut_at);
        if (rank->unchecked)
            pj_run_remark(run, PJ_WARNING, "checksum",
                          "rank %lld: the checksum of the file is missing or wrong: what it says "
                          "may be, too",
                          (long long)rank->rank);
        uint64_t lost = rank->odd[PJ_AI_ODD_zero_stamp], kept = 0;
        for (size_t d = 0; d < rank->device_count; d++)
            kept += rank->devices[d].kernels;
        if (lost && lost * 100 > lost + kept)
            pj_run_remark(run, PJ_URGENT, "untimed_many",
                          "rank %lld: more than 1 %% of the records of its devices have no time: "
                          "the result is not reliable",
                          (long long)rank->rank);
    }
    if (world > (int64_t)ranks->count)
        pj_run_remark(run, PJ_WARNING, "ranks_missing", "%zu of %lld ranks were read", ranks->count,
                      (long long)world);
    else if (holes)
        pj_run_remark(run, PJ_WARNING, "ranks_missing",
                      "ranks are missing between those that were read");
}

/// Whether a rank before this one, of the same machine, calls a device the same, where no uuid says
/// whether it is.
static bool is_unclear(const pj_ai_ranks *ranks, size_t r, const pj_ai_device *device)
{
    const pj_ai_rank *rank = ranks->items[r];
    for (size_t q = 0; !device->unit && rank->clock && q < ranks->count; q++) {
        const pj_ai_rank *other = ranks->items[q];
        if (q == r || (other != rank->clock && other->clock != rank->clock))
            continue;
        for (size_t d = 0; d < other->device_count; d++)
            if (other->devices[d].number == device->number)
                return true;
    }
    return false;
}

static void remark_on_devices(pj_run *run, const pj_ai_ranks *ranks)
{
    size_t shared = 0, unclear = 0;
    for (size_t r = 0; r < ranks->count; r++)
        for (size_t d = 0; d < ranks->items[r]->device_count; d++) {
            const pj_ai_device *device = &ranks->items[r]->devices[d];
            shared += device->users != NULL;
            unclear += is_unclear(ranks, r, device);
        }
    if (shared)
        pj_run_remark(run, PJ_NOTE, "devices_shared",
                      "%zu device%s used by several ranks (one uuid): each counts once, and is "
                      "shown with the first of these",
                      shared, shared == 1 ? " is" : "s are");
    if (unclear)
        pj_run_remark(run, PJ_WARNING, "devices_unclear",
                      "several ranks of a machine call a device the same, and the trace has no "
                      "uuid: %zu ranks count it as a device of their own",
                      unclear);
}

/// Time of the profiler is told where it may matter.
static void remark_on_overhead(pj_run *run, const pj_ai_ranks *ranks)
{
    const pj_ai_rank *worst = ranks->items[0];
    for (size_t r = 1; r < ranks->count; r++)
        worst = ranks->items[r]->overhead > worst->overhead ? ranks->items[r] : worst;
    if (worst->overhead > run->runtime_ns / 100)
        pj_run_remark(run, PJ_NOTE, "profiler_overhead",
                      "rank %lld: its profiler took %.1f %% of the run for itself",
                      (long long)worst->rank,
                      100 * (double)worst->overhead / (double)run->runtime_ns);
}

static int by_length(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/// Steps that are not marked as such.
static void remark_on_repeats(pj_run *run, const pj_ai_ranks *ranks)
{
    for (size_t r = 0; r < ranks->count; r++)
        if (ranks->items[r]->repeated) {
            pj_run_remark(run, PJ_NOTE, "steps_of_ranges",
                          "no steps are marked (profiler.step()): ranges \"%s\", which come again "
                          "and again, are taken for them",
                          ranks->items[r]->names[ranks->items[r]->repeated]);
            return;
        }
}

/// A first step that is much longer than the others is said, never left out.
static void remark_on_warm_up(pj_run *run)
{
    const double much = 1.5;
    const pj_ai_account *account = run->ai;
    uint64_t *lengths = pj_take_zeros((account->step_count + 1) * sizeof *lengths), first = 0;
    size_t count = 0;
    for (uint32_t i = 0; i < account->step_count; i++) { // in the order of steps
        bool begins = !i || account->steps[i].number != account->steps[i - 1].number;
        count += begins;
        if (lengths[count - 1] < account->steps[i].length_ns)
            lengths[count - 1] = account->steps[i].length_ns;
    }
    first = lengths[0];
    if (count > 1)
        qsort(lengths, count, sizeof *lengths, by_length);
    uint64_t median = count ? lengths[(count - 1) / 2] : 0;
    if (count > 2 && (double)first > much * (double)median)
        pj_run_remark(run, PJ_NOTE, "warm_up",
                      "step %lld takes %.1f times as long as the others: warming up? --roi "
                      "steps:%lld..%lld leaves it out",
                      (long long)account->steps[0].number, (double)first / (double)median,
                      (long long)account->steps[0].number + 1,
                      (long long)account->steps[account->step_count - 1].number);
    free(lengths);
}

static void remark_on_exchanges(pj_run *run, const pj_ai_match *match)
{
    for (unsigned why = 0; why < PJ_AI_REFUSALS; why++)
        if (match->refused[why])
            pj_run_remark(run, PJ_WARNING, "unsplit",
                          "%llu exchanges %s: their time is neither transfer nor wait (unsplit)",
                          (unsigned long long)match->refused[why], pj_ai_refusal_sentence(why));
    if (match->partial)
        pj_run_remark(run, PJ_WARNING, "members_missing",
                      "%llu collectives lack ranks of their group: their transfer is an upper "
                      "bound",
                      (unsigned long long)match->partial);
    if (match->uneven)
        pj_run_remark(run, PJ_NOTE, "rooted_collectives",
                      "%llu collectives are rooted or move different amounts: their transfer is "
                      "that of the shortest member",
                      (unsigned long long)match->uneven);
    if (match->by_ends)
        pj_run_remark(run, PJ_NOTE, "groups_unknown",
                      "the trace does not tell groups: %llu collectives were matched by ends",
                      (unsigned long long)match->by_ends);
}

static void remark_on_clocks(pj_run *run, const pj_ai_ranks *ranks, bool raw_clock)
{
    const pj_ai_match *match = ranks->match;
    char text[32];
    pj_format_duration((double)match->farthest, text);
    if (match->apart)
        pj_run_remark(run, PJ_WARNING, "ranks_apart",
                      "the ranks have no collective in common and hardly run at the same time: "
                      "each begins at 0");
    else if (ranks->count > 1 && !match->clocks_checked && !raw_clock)
        pj_run_remark(run, PJ_NOTE, "clocks_unchecked",
                      "clocks not checked: the ranks have no collective in common");
    if (raw_clock && (match->farthest || match->drift > 0)) {
        pj_run_remark(run, PJ_WARNING, "clocks_raw",
                      "clocks of ranks differ by up to %s and are taken as they are: without "
                      "--clock raw they are aligned at the ends of collectives",
                      text);
        return;
    }
    if (match->drift > 0)
        pj_run_remark(
            run, PJ_NOTE, "clocks_drift",
            "clocks of ranks drift apart by up to %.1f us in a second: straightened by the "
            "ends of collectives",
            match->drift * 1e6);
    if (match->farthest)
        pj_run_remark(run, PJ_NOTE, "clocks_aligned",
                      "clocks of ranks differ by up to %s: aligned at the ends of collectives",
                      text);
}

/// "waiting for rank 3 takes 21.0 % of the devices' time: 18.0 % its data loading, 3.0 % ...".
static void remark_on_culprit(pj_run *run, const pj_ai_ranks *ranks)
{
    const double least = 0.01, part = 0.1; // of all time, of the wait
    pj_ai_pair *culprits = pj_ai_culprits(run);
    const pj_ai_pair *worst = culprits;
    double all = (double)run->runtime_ns * run->ai->count;
    for (uint32_t r = 1; r < run->layout.ranks; r++)
        worst = culprits[r].exposed_ns > worst->exposed_ns ? &culprits[r] : worst;
    pj_auto_buf reasons = {.at = NULL};
    uint64_t left[PJ_AI_KINDS];
    double exposed = pj_ai_pair_exposed(worst);
    memcpy(left, worst->reasons, sizeof left);
    for (pj_ai_kind k; (k = pj_ai_main_reason(left)) != PJ_AI_KINDS; left[k] = 0) // largest first
        if ((double)left[k] * exposed >= least * all &&
            (double)left[k] >= part * (double)worst->wait_ns)
            pj_buf_addf(&reasons, "%s%.1f %% %s", reasons.len ? ", " : ": ",
                        100 * (double)left[k] * exposed / all, pj_ai_kind_words(k));
    if (all > 0 && (double)worst->exposed_ns >= least * all)
        pj_run_remark(run, PJ_NOTE, "waits_for_rank",
                      "waiting for rank %lld takes %.1f %% of the devices' time%s",
                      (long long)ranks->items[worst->culprit]->rank,
                      100 * (double)worst->exposed_ns / all, reasons.len ? reasons.at : "");
    free(culprits);
}

/// The first names of kernels that seem to exchange data themselves, without their arguments.
static void remark_on_fused(pj_run *run, const pj_ai_ranks *ranks)
{
    enum { MOST = 4, LONGEST = 60 };
    pj_str found[MOST];
    size_t count = 0, more = 0;
    pj_auto_buf text = {.at = NULL};
    for (size_t r = 0; r < ranks->count; r++)
        for (uint32_t n = 0; n < ranks->items[r]->name_count; n++) {
            pj_str name = pj_str_of(ranks->items[r]->names[n]);
            size_t round = pj_str_find(name, '('), angle = pj_str_find(name, '<'), i = 0;
            name = pj_str_head(name, round < angle ? round : angle);
            name = pj_str_head(name, LONGEST);
            while (i < count && !pj_str_equal(found[i], name))
                i++;
            if (i < count || !pj_ai_rank_is_fused(ranks->items[r], n))
                continue;
            more += count == MOST;
            if (count < MOST) {
                pj_buf_addf(&text, "%s" PJ_STR_FMT, count ? ", " : "", PJ_STR_ARG(name));
                found[count++] = name;
            }
        }
    if (count)
        pj_run_remark(run, PJ_NOTE, "fused_names", "these seem to exchange data themselves: %s%s",
                      text.at, more ? ", and more" : "");
}

static void remark(pj_run *run, const pj_ai_ranks *ranks, bool raw_clock)
{
    remark_on_culprit(run, ranks);
    remark_on_ranks(run, ranks);
    remark_on_devices(run, ranks);
    remark_on_overhead(run, ranks);
    remark_on_repeats(run, ranks);
    remark_on_warm_up(run);
    for (unsigned odd = 0; odd < PJ_AI_ODDITIES; odd++) {
        uint64_t count = 0;
        for (size_t r = 0; r < ranks->count; r++)
            count += ranks->items[r]->odd[odd];
        if (count)
            pj_run_remark(run, oddities[odd].severity, oddities[odd].key, "%llu %s",
                          (unsigned long long)count, oddities[odd].sentence);
    }
    remark_on_fused(run, ranks);
    remark_on_exchanges(run, ranks->match);
    remark_on_clocks(run, ranks, raw_clock);
    pj_run_remark(run, PJ_NOTE, "host_estimated",
                  "host rows are estimated: the trace tells calls of %s, not what else the host "
                  "does",
                  run->has_mpi ? "the device's runtime and of MPI" : "the device's runtime");
}

/// For who reads the run again.
static void keep_clocks(pj_run *run, const pj_ai_ranks *ranks, pj_ai_account *account)
{
    const char **paths = pj_new_n(run->arena, const char *, ranks->count + 1);
    int64_t *begins = pj_new_n(run->arena, int64_t, ranks->count + 1);
    double *drifts = pj_new_n(run->arena, double, ranks->count + 1);
    for (size_t r = 0; r < ranks->count; r++) {
        const pj_ai_rank *rank = ranks->items[r];
        paths[r] = pj_arena_text(run->arena, pj_str_of(rank->path));
        int64_t near = ranks->begin - rank->offset; // but for its drift
        begins[r] = near - (pj_ai_rank_common(rank, near) - ranks->begin);
        drifts[r] = rank->drift;
    }
    account->begin = ranks->begin;
    account->paths = paths;
    account->begins = begins;
    account->drifts = drifts;
}

static void fill(pj_run *run, const pj_ai_ranks *ranks, pj_ai_account *account)
{
    uint64_t runtime = (uint64_t)(ranks->end - ranks->begin);
    keep_clocks(run, ranks, account);
    lay_out(run, ranks);
    fill_devices(run, ranks, account);
    fill_threads(run, ranks, runtime);
    pj_ai_steps_fill(run, ranks, account);
    run->ai = account;
    run->untraced = true;
    run->ideal.reason = run->has_mpi ? "the trace of an AI run does not tell what its MPI calls "
                                       "exchange"
                                     : "the trace of an AI run has no MPI calls to replay";
    for (size_t r = 0; r < ranks->count; r++)
        run->events += ranks->items[r]->events;
}

bool pj_ai_run_wants_regions(pj_ai_run_opts opts)
{
    return opts.cut == PJ_CUT_FUNCTIONS || opts.cut == PJ_CUT_PATHS;
}

void pj_ai_run_prepare(pj_ai_run_opts opts, pj_ai_rank *rank)
{
    if (opts.timeline)
        rank->draws = opts.timeline->streams ? PJ_AI_DRAWS_STREAMS : PJ_AI_DRAWS_DEVICES;
    rank->wants_regions = pj_ai_run_wants_regions(opts);
    if (opts.window)
        pj_ai_window_tell(opts.window, rank);
    if (!opts.steps)
        return;
    rank->some_steps = true;
    rank->first_step = opts.steps->steady ? INT64_MIN : opts.steps->first;
    rank->last_step =
        opts.steps->steady || opts.steps->last == UINT32_MAX ? INT64_MAX : opts.steps->last;
}

/// Whether there is work in the steps that are looked at.
static bool check_steps(const pj_run *run, const pj_ai_ranks *ranks, pj_err *err)
{
    int64_t first = INT64_MAX, last = INT64_MIN;
    bool busy = false;
    for (size_t r = 0; r < ranks->count; r++) {
        const pj_ai_rank *rank = ranks->items[r];
        for (size_t d = 0; d < rank->device_count; d++)
            busy = busy || rank->devices[d].busy;
        for (size_t i = 0; i < rank->step_count; i++) {
            first = rank->steps[i].number < first ? rank->steps[i].number : first;
            last = rank->steps[i].number > last ? rank->steps[i].number : last;
        }
    }
    if (busy)
        return true;
    if (first > last)
        return pj_fail(err, PJ_E_MISSING, run->path, 0,
                       "has no steps: the program does not mark them (profiler.step())");
    return pj_fail(err, PJ_E_MISSING, run->path, 0,
                   "no work of devices was launched in these steps; it has steps %lld to %lld",
                   (long long)first, (long long)last);
}

static void say_steps(pj_run *run, const pj_roi_request *steps, pj_ai_account *account)
{
    pj_roi_request *only = pj_new(run->arena, pj_roi_request);
    *only = *steps;
    account->only = only;
    if (account->step_count)
        pj_run_remark(run, PJ_NOTE, "iterations", "steps %lld to %lld are looked at",
                      (long long)account->steps[0].number,
                      (long long)account->steps[account->step_count - 1].number);
}

static void say_window(pj_run *run, const pj_ai_window *window, pj_ai_account *account)
{
    char from[32], to[32];
    pj_roi_request *only = pj_new(run->arena, pj_roi_request);
    *only = window->request;
    account->only = only;
    pj_format_duration(only->from, from);
    pj_format_duration(only->to, to);
    pj_run_remark(run, PJ_NOTE, "roi", "what lies from %s to %s of the run is looked at", from, to);
}

bool pj_ai_run_fill(pj_run *run, pj_ai_rank **ranks, size_t count, pj_ai_run_opts opts, pj_job *job,
                    pj_err *err)
{
    size_t with = 0, all = count;
    for (size_t r = 0; r < count; r++)
        with += has_devices(ranks[r]);
    if (!with)
        return pj_fail(err, PJ_E_MISSING, run->path, 0,
                       "no device activity in the trace: metrics need kernels");
    number_ranks(run, ranks, &count);
    if (count < all)
        memset(ranks + count, 0, (all - count) * sizeof *ranks);
    pj_ai_match match;
    pj_ai_ranks whole = {.items = ranks, .count = count, .match = &match};
    pj_ai_account *account = pj_new(run->arena, pj_ai_account);
    if (opts.steps && !check_steps(run, &whole, err))
        return false;
    bool ok = pj_ai_match_ranks(ranks, count, opts.raw_clock, job, &match, err);
    find_window(&whole, opts.window);
    ok = ok && pj_ai_split(&whole, run->arena, account, job, err);
    if (ok) {
        fill(run, &whole, account);
        if (opts.steps)
            say_steps(run, opts.steps, account);
        if (opts.window)
            say_window(run, opts.window, account);
        if (opts.parts)
            pj_ai_steps_parts(run);
        if (pj_ai_run_wants_regions(opts)) {
            pj_ai_regions_fill(run, &whole, opts.cut == PJ_CUT_PATHS, account);
            pj_ai_regions_parts(run);
        }
        remark(run, &whole, opts.raw_clock);
        ok = !opts.timeline || pj_ai_lanes_draw(run, &whole, opts.timeline, err);
    }
    pj_ai_match_free(&match);
    return ok;
}
