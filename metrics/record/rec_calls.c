// The thread's calls by region; limits are of the whole process.
#include "metrics/record/rec_calls.h"

#include "metrics/record/rec_clock.h"
#include "metrics/record/rec_defs.h"
#include "metrics/record/rec_duration.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

typedef struct calls {
    uint64_t visits, ticks;
    uint64_t short_visits, short_ticks;
    bool off;
} calls;

struct pj_rec_calls {
    calls *rows; // by region
    uint32_t count;
};

static pthread_once_t read_once = PTHREAD_ONCE_INIT;
static uint64_t least_ticks;          // of a call; 0 = any
static uint64_t most_visits, mean_of; // visits and ticks of a function that is switched off
static bool (*switch_off)(uint32_t region);

/// How long the clock takes for so many ns, measured for a moment.
static uint64_t ticks_of(double ns)
{
    enum { MOMENT_NS = 1000000 };
    uint64_t begin = pj_rec_clock_monotonic(), ticks = pj_rec_now(), end = begin;
    while (ns > 0 && end < begin + MOMENT_NS)
        end = pj_rec_clock_monotonic();
    ticks = pj_rec_now() - ticks;
    return ns > 0 ? (uint64_t)(ns * (double)ticks / (double)(end - begin)) + 1 : 0;
}

static void read_limits(void)
{
    const char *off = getenv("POPINJAY_RECORD_AUTO_OFF"), *colon = off ? strchr(off, ':') : NULL;
    least_ticks = ticks_of(pj_rec_duration(getenv("POPINJAY_RECORD_MIN_DURATION")));
    mean_of = colon ? ticks_of(pj_rec_duration(colon + 1)) : 0;
    most_visits = mean_of ? strtoull(off, NULL, 10) : 0;
}

bool pj_rec_calls_wanted(void)
{
    pthread_once(&read_once, read_limits);
    return least_ticks || most_visits;
}

void pj_rec_calls_switch(bool (*off)(uint32_t region))
{
    switch_off = off;
}

static calls *row_of(pj_rec_thread *t, uint32_t region)
{
    pj_rec_calls *all = t->calls;
    if (!all)
        all = t->calls = calloc(1, sizeof *all);
    if (all && region >= all->count) {
        uint32_t count = 2 * region + 256;
        calls *rows = realloc(all->rows, count * sizeof *rows);
        if (!rows)
            return NULL;
        memset(rows + all->count, 0, (count - all->count) * sizeof *rows);
        all->rows = rows;
        all->count = count;
    }
    return all ? &all->rows[region] : NULL;
}

/// Nothing was recorded behind the innermost region's enter.
static bool is_last(const pj_rec_thread *t, const pj_rec_frame *frame)
{
    return !t->tree && frame->chunk == t->chunks && t->end &&
           t->at == frame->at + PJ_REC_RECORD_BEFORE + frame->at[PJ_REC_RECORD_BEFORE - 1];
}

static void take_back(pj_rec_thread *t)
{
    uint8_t *at = t->frames[--t->depth].at;
    *at = PJ_REC_CHUNK_END;
    t->at = at;
    t->events--;
}

static void count_visit(calls *row, uint32_t region, uint64_t took)
{
    row->visits++;
    row->ticks += took;
    if (row->off || row->visits < most_visits || row->ticks >= row->visits * mean_of)
        return;
    row->off = true;
    if (switch_off && switch_off(region))
        pj_rec_defs_numbers('F', "%u\t%llu\toff\t%llu\t%llu", region,
                            (unsigned long long)pj_rec_now(), (unsigned long long)row->visits,
                            (unsigned long long)row->ticks);
}

bool pj_rec_calls_end(pj_rec_thread *t, uint64_t ticks)
{
    const pj_rec_frame *frame = t->depth ? &t->frames[t->depth - 1] : NULL;
    calls *row = frame ? row_of(t, frame->region) : NULL;
    if (!row || ticks < frame->ticks)
        return false;
    const uint64_t took = ticks - frame->ticks;
    if (most_visits)
        count_visit(row, frame->region, took);
    if (took >= least_ticks || !is_last(t, frame))
        return false;
    row->short_visits++;
    row->short_ticks += took;
    take_back(t);
    return true;
}

void pj_rec_calls_close(pj_rec_thread *t)
{
    pj_rec_calls *all = t->calls;
    t->calls = NULL;
    for (uint32_t region = 1; all && region < all->count; region++)
        if (all->rows[region].short_visits)
            pj_rec_defs_numbers('F', "%u\t%llu\tshort\t%llu\t%llu", region,
                                (unsigned long long)t->last,
                                (unsigned long long)all->rows[region].short_visits,
                                (unsigned long long)all->rows[region].short_ticks);
    if (all)
        free(all->rows);
    free(all);
}
