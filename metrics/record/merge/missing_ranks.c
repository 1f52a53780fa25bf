// A stand-in is a part of its own: the clock of a part that is there, and a thread that was off.
#include "metrics/record/merge/missing_ranks.h"

#include "metrics/base/arena.h"
#include "metrics/base/newfile.h"
#include "metrics/base/str.h"
#include "metrics/record/merge/part_clock.h"
#include "metrics/record/merge/part_log.h"
#include "metrics/record/merge/recover.h"
#include "metrics/record/rec_chunk.h"
#include "metrics/record/rec_event.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

static uint32_t world_of(const pj_united_part *parts, size_t count)
{
    uint32_t ranks = 0;
    for (size_t i = 0; i < count; i++)
        if (parts[i].in_world && parts[i].world_size > ranks)
            ranks = parts[i].world_size;
    return ranks;
}

static bool is_there(const pj_united_part *parts, size_t count, uint32_t rank)
{
    for (size_t i = 0; i < count; i++)
        if (parts[i].in_world && parts[i].rank == rank)
            return true;
    return false;
}

uint32_t pj_missing_ranks(const pj_united_part *parts, size_t count, pj_buf *names)
{
    enum { NAMED = 8 };
    const uint32_t ranks = world_of(parts, count);
    if (ranks > count + PJ_MISSING_RANKS_MOST)
        return ranks - (uint32_t)count;
    uint32_t missing = 0;
    for (uint32_t rank = 0; rank < ranks; rank++) {
        if (is_there(parts, count, rank))
            continue;
        if (missing < NAMED)
            pj_buf_addf(names, "%s%u", missing ? ", " : "", rank);
        else if (missing == NAMED)
            pj_buf_puts(names, ", ...");
        missing++;
    }
    return missing;
}

static void add_clock(const char *kind, const pj_clock_reading *reading, pj_buf *out)
{
    pj_buf_addf(out, "K\t%s\t%llu\t%llu\t%llu\n", kind, (unsigned long long)reading->ticks,
                (unsigned long long)reading->monotonic, (unsigned long long)reading->real);
}

static pj_part_log *make_log(const pj_united_part *like, uint32_t rank, const char *folder,
                             pj_err *err)
{
    pj_auto_buf text = {.at = NULL};
    pj_str boot = pj_part_log_field(pj_part_log_line(like->log, 'H', 0), 1);
    const char *kind = like->clock.counts_ns ? "monotonic" : "ticks";
    pj_buf_addf(&text, "H\tnot recorded\t" PJ_STR_FMT "\t0\t0\t\t\t\n", PJ_STR_ARG(boot));
    add_clock(kind, &like->clock.first, &text);
    add_clock(kind, &like->clock.last, &text);
    pj_buf_addf(&text, "P\t0\t%u\t%u\nT\t0\tnot recorded\tthread\nE\n", rank, like->world_size);
    return pj_part_log_take(folder, pj_buf_str(&text), err);
}

static const uint8_t *no_chunk(void *self, uint64_t index)
{
    (void)self, (void)index;
    return NULL;
}

/// An event file with the mark that the measurement is off.
static bool make_events(const char *folder, uint64_t ticks, pj_recovered *out, pj_err *err)
{
    enum { OFF = 2 };
    uint8_t chunk[64] = {0};
    uint8_t *at = chunk + PJ_REC_CHUNK_HEAD;
    const pj_recover_chunks none = {.chunk = no_chunk};
    const pj_recover_known known = {.closed = true};
    pj_recovered_tail tail = {0};
    pj_auto_buf path = {.at = NULL};
    pj_rec_chunk_begin(chunk, 1);
    at[PJ_REC_RECORD_BEFORE] = OFF;
    pj_rec_chunk_commit(at, ticks, PJ_REC_MEASUREMENT_ON_OFF, 1);
    pj_recover_bytes(&none, (pj_str){(const char *)chunk, sizeof chunk}, &known, out, &tail);
    pj_buf_addf(&path, "%s/0.evt", folder);
    bool ok = pj_newfile_put(path.at, pj_buf_str(&tail.bytes), err);
    pj_buf_free(&tail.bytes);
    return ok;
}

bool pj_missing_rank_make(const pj_united_part *like, uint32_t rank, const char *folder,
                          pj_united_part *out, pj_err *err)
{
    *out = (pj_united_part){
        .clock = like->clock, .in_world = true, .rank = rank, .world_size = like->world_size};
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return pj_fail_io(err, folder, "cannot be made");
    out->log = make_log(like, rank, folder, err);
    pj_united_thread thread = {.number = 0};
    if (!out->log || !make_events(folder, like->clock.first.ticks, &thread.recovered, err))
        return false;
    pj_grow(out->threads, &out->thread_cap, 1);
    out->threads[out->thread_count++] = thread;
    return true;
}
