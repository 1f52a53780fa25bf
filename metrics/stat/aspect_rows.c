// The registry of aspects, and the walks over those that are wanted.
#include "metrics/stat/aspect_rows.h"

#include "metrics/run/waits/run_delays.h"
#include "metrics/run/waits/run_waits.h"

// Those that the replay finds, which knows what calls wait for: no sink listens for them

static const char *lack_waits(const pj_run *run, const pj_timeline_opts *timeline, bool beside)
{
    (void)timeline;
    (void)beside;
    if (run->waits)
        return NULL;
    return run->layout.locations < PJ_FEW_WAITS
               ? "does not say who waited for whom"
               : "of thousands of threads does not say who waited for whom";
}

static bool stale_waits(const pj_run *run)
{
    return !run->waits;
}

const pj_aspect pj_aspect_waits = {
    .merged = true,
    .replayed = true,
    .lack = lack_waits,
    .stale = stale_waits,
};

static const char *lack_history(const pj_run *run, const pj_timeline_opts *timeline, bool beside)
{
    (void)timeline;
    (void)beside;
    return run->waits && run->waits->delays ? NULL : "does not say who made ranks wait";
}

static bool knows_of_waits(const pj_run *run, unsigned aspect)
{
    return run->waits && run->waits->delays && run->waits->delays->aspects & aspect;
}

#define HISTORY(key)                                                                               \
    static bool stale_##key(const pj_run *run)                                                     \
    {                                                                                              \
        return !knows_of_waits(run, PJ_WANT(key));                                                 \
    }                                                                                              \
    const pj_aspect pj_aspect_##key = {                                                            \
        .merged = true,                                                                            \
        .replayed = true,                                                                          \
        .named = true,                                                                             \
        .lack = lack_history,                                                                      \
        .stale = stale_##key,                                                                      \
    };
HISTORY(delays)
HISTORY(path)
HISTORY(ideal_path)
HISTORY(wait_regions)
#undef HISTORY

static const char *lack_tape(const pj_run *run, const pj_timeline_opts *timeline, bool beside)
{
    (void)timeline;
    (void)beside;
    return run->tape ? NULL : "has no events to replay";
}

static bool stale_tape(const pj_run *run)
{
    return !run->tape;
}

const pj_aspect pj_aspect_tape = {
    .merged = true,
    .replayed = true,
    .named = true,
    .lack = lack_tape,
    .stale = stale_tape,
};

// All of them

static const pj_aspect *const aspects[] = {
#define ASPECT(key, part) [PJ_ASPECT_##key] = &pj_aspect_##key,
#define FOUND(key, type, part) ASPECT(key, part)
#include "metrics/run/aspects.def"
#undef FOUND
#undef ASPECT
};

static bool is_wanted(unsigned wanted, unsigned key)
{
    return wanted >> key & 1;
}

size_t pj_aspects_listen(unsigned wanted, const pj_timeline_opts *timeline, pj_sink *out)
{
    size_t count = 0;
    for (unsigned key = 0; key < PJ_ASPECT_COUNT; key++)
        if (is_wanted(wanted, key) && aspects[key]->listen)
            count += aspects[key]->listen(timeline, out + count);
    return count;
}

bool pj_aspects_merged(unsigned wanted)
{
    for (unsigned key = 0; key < PJ_ASPECT_COUNT; key++)
        if (is_wanted(wanted, key) && aspects[key]->merged)
            return true;
    return false;
}

bool pj_aspects_named(unsigned wanted)
{
    for (unsigned key = 0; key < PJ_ASPECT_COUNT; key++)
        if (is_wanted(wanted, key) && aspects[key]->named)
            return true;
    return false;
}

bool pj_aspects_replayed(unsigned wanted)
{
    for (unsigned key = 0; key < PJ_ASPECT_COUNT; key++)
        if (is_wanted(wanted, key) && aspects[key]->replayed)
            return true;
    return false;
}

const char *pj_aspects_lack(unsigned wanted, const pj_run *run, const pj_timeline_opts *timeline,
                            bool beside)
{
    const char *lack = NULL;
    if (run->ai) // its account says what they would
        wanted &= PJ_WANT(timeline) | PJ_WANT(devices);
    for (unsigned key = 0; key < PJ_ASPECT_COUNT && !lack; key++)
        if (is_wanted(wanted, key) && aspects[key]->lack)
            lack = aspects[key]->lack(run, timeline, beside);
    return lack;
}

bool pj_aspects_stale(unsigned wanted, const pj_run *run)
{
    if (run->untraced) // its file has no more, but that of an AI run
        return run->ai && is_wanted(wanted, PJ_ASPECT_timeline);
    for (unsigned key = 0; key < PJ_ASPECT_COUNT; key++)
        if (is_wanted(wanted, key) && aspects[key]->stale && aspects[key]->stale(run))
            return true;
    return false;
}
