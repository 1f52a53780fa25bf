// Takes events back, over chunks that were written already if need be.
#include "metrics/record/rec_rewind.h"

#include "metrics/record/rec_clock.h"
#include "metrics/record/rec_event.h"
#include "metrics/record/rec_part.h"
#include "metrics/record/rec_signal.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

enum { MODE_ON = 1, MODE_OFF = 2 };

static uint64_t entered(const pj_rec_thread *t, uint32_t depth)
{
    return depth > 0 && depth <= t->depth ? t->frames[depth - 1].ticks : 0;
}

pj_rec_mark pj_rec_rewind_mark(const pj_rec_thread *t)
{
    if (t->tree) // visits are counted, taken back or not
        return (pj_rec_mark){.thread = t};
    return (pj_rec_mark){.thread = t,
                         .events = t->events,
                         .last = t->last,
                         .entered = entered(t, t->depth),
                         .depth = t->depth,
                         .chunks = t->chunks,
                         .at = (size_t)(t->at - t->chunk)};
}

/// The chunk of this number again, and the file without it. The chunk in memory is whole at any
/// instant: its events stay until those of before are read.
static bool read_back(pj_rec_thread *t, uint32_t chunk)
{
    char path[PATH_MAX];
    int size = snprintf(path, sizeof path, "%s/%u.evt", pj_rec_part_folder(), t->number);
    int file = size > 0 && size < PATH_MAX ? open(path, O_RDWR | O_CLOEXEC) : -1;
    if (file < 0)
        return false;
    const off_t from = (off_t)chunk * PJ_REC_CHUNK_BYTES;
    bool ok = pread(file, t->chunk, PJ_REC_CHUNK_BYTES, from) == PJ_REC_CHUNK_BYTES &&
              ftruncate(file, from) == 0;
    close(file);
    return ok;
}

static bool rewind_to(pj_rec_thread *t, const pj_rec_mark *mark)
{
    if (mark->thread != t || t->depth < mark->depth || entered(t, mark->depth) != mark->entered ||
        !pj_rec_has_room(t))
        return false;
    int kept = errno;
    bool ok = mark->chunks == t->chunks || read_back(t, mark->chunks);
    errno = kept;
    if (!ok)
        return false;
    uint64_t now = pj_rec_now();
    t->at = t->chunk + mark->at;
    *t->at = PJ_REC_CHUNK_END;
    memset(t->chunk + PJ_REC_CHUNK_LAST, 0, sizeof t->events);
    t->chunks = mark->chunks;
    t->depth = mark->depth;
    t->events = mark->events;
    t->last = mark->last;
    return pj_rec_event(t, PJ_REC_MEASUREMENT_ON_OFF, mark->last, (const uint64_t[]){MODE_OFF}) &&
           pj_rec_event(t, PJ_REC_MEASUREMENT_ON_OFF, now, (const uint64_t[]){MODE_ON});
}

bool pj_rec_rewind_to(pj_rec_thread *t, const pj_rec_mark *mark)
{
    if (mark->thread == t && t->tree)
        return true;
    sigset_t before;
    pj_rec_signal_hold_all(&before);
    const bool done = rewind_to(t, mark);
    pj_rec_signal_let(&before);
    return done;
}
