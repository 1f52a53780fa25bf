// Every location keeps the names of what is open as a list: the time between two records belongs to
// the list as it stands.
#include "tests/support/trace/random_calls.h"

#include "metrics/base/arena.h"
#include "tests/support/trace/otf2_flush.h"

#include <otf2/otf2.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    RANKS_MOST = 3,
    THREADS = 3,
    FUNCTIONS = 6, // then the calls, then the parallel regions
    CALLS = 2,
    TEAMS = 2,
    REGIONS = FUNCTIONS + CALLS + TEAMS,
    OPEN_MOST = 64,
    TEXT_MOST = 4096,
    STEPS = 400, // of the first thread
    STRING_NAMES = 3,
    STRING_PARAMETER = STRING_NAMES + REGIONS,
    STRING_VALUES, // two
};

typedef struct sum {
    char *key;
    uint64_t visits, ns;
} sum;

typedef struct open_region {
    uint32_t region;
    char text[48];
} open_region;

typedef struct place {
    OTF2_EvtWriter *out;
    uint32_t rank, thread;
    uint64_t now, events;
    open_region open[OPEN_MOST];
    uint32_t depth, prefix; // of these: what its master had open
} place;

typedef struct app {
    pj_random_calls how;
    uint64_t random;
    place places[RANKS_MOST * THREADS];
    uint32_t ranks, threads;
    sum *sums;
    size_t sum_count, sum_cap;
    bool failed;
} app;

static const char *const names[REGIONS] = {"main",
                                           "solve",
                                           "sweep",
                                           "flux",
                                           "limit",
                                           "state",
                                           "MPI_Barrier",
                                           "MPI_Bcast",
                                           "!$omp parallel @a.c:1",
                                           "!$omp parallel @b.c:2"};

static uint32_t below(app *a, uint32_t most)
{
    a->random = a->random * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (uint32_t)(a->random >> 33) % most;
}

static void good(app *a, OTF2_ErrorCode code)
{
    a->failed |= code != OTF2_SUCCESS;
}

// What must come of it

static sum *sum_of(app *a, const place *p)
{
    pj_auto_buf key = {.at = NULL};
    pj_buf_addf(&key, "%u %u ", p->rank, p->thread);
    for (uint32_t i = 0; i < p->depth; i++)
        pj_buf_addf(&key, "%s%s", i ? "/" : "", p->open[i].text);
    for (size_t i = 0; i < a->sum_count; i++)
        if (strcmp(a->sums[i].key, key.at) == 0)
            return &a->sums[i];
    pj_grow(a->sums, &a->sum_cap, a->sum_count + 1);
    a->sums[a->sum_count] = (sum){.key = strdup(key.at)};
    return &a->sums[a->sum_count++];
}

static bool counts(const app *a, uint64_t time)
{
    return a->how.to_ns == 0 || (time >= a->how.from_ns && time < a->how.to_ns);
}

/// The next record of a place is written some time later.
static void go_on(app *a, place *p)
{
    uint64_t time = p->now + below(a, 4) * below(a, 500), from = p->now, to = time;
    if (a->how.to_ns) {
        from = from < a->how.from_ns ? a->how.from_ns : from;
        to = to > a->how.to_ns ? a->how.to_ns : to;
    }
    if (to > from && p->depth > p->prefix)
        sum_of(a, p)->ns += to - from;
    p->now = time;
    p->events++;
}

// Records

static void enter(app *a, place *p, uint32_t region)
{
    go_on(a, p);
    open_region *o = &p->open[p->depth++];
    o->region = region;
    snprintf(o->text, sizeof o->text, "%s", names[region]);
    good(a, OTF2_EvtWriter_Enter(p->out, NULL, p->now, region));
    if (region < FUNCTIONS && below(a, 6) == 0) {
        uint32_t value = below(a, 3);
        static const char *const texts[] = {"left", "right"};
        p->events++; // at the same time: what is before it belongs to what it tells apart
        if (value == 2) {
            good(a, OTF2_EvtWriter_ParameterInt(p->out, NULL, p->now, 0, -7));
            snprintf(o->text, sizeof o->text, "%s (side=-7)", names[region]);
        } else {
            good(a, OTF2_EvtWriter_ParameterString(p->out, NULL, p->now, 0, STRING_VALUES + value));
            snprintf(o->text, sizeof o->text, "%s (side=%s)", names[region], texts[value]);
        }
    }
    sum_of(a, p)->visits += counts(a, p->now);
}

static void leave(app *a, place *p, uint32_t region)
{
    go_on(a, p);
    uint32_t at = p->depth;
    while (at > p->prefix && p->open[at - 1].region != region)
        at--;
    good(a, OTF2_EvtWriter_Leave(p->out, NULL, p->now, region));
    memmove(&p->open[at - 1], &p->open[at], (p->depth - at) * sizeof *p->open);
    p->depth--;
}

static void step(app *a, place *p, uint32_t floor)
{
    if (p->depth == floor || (p->depth < OPEN_MOST - THREADS - 2 && below(a, 2)))
        enter(a, p, below(a, FUNCTIONS + CALLS));
    else if (a->how.tangled && below(a, 5) == 0)
        leave(a, p, p->open[floor + below(a, p->depth - floor)].region);
    else
        leave(a, p, p->open[p->depth - 1].region);
}

/// What is done in a team: as many steps as it likes, and all that it has entered is left.
static void work(app *a, place *p, uint32_t region)
{
    good(a, OTF2_EvtWriter_ThreadTeamBegin(p->out, NULL, p->now, 1));
    p->events++;
    enter(a, p, region);
    uint32_t floor = p->depth;
    for (uint32_t i = below(a, 12); i > 0; i--) {
        bool tangled = a->how.tangled;
        a->how.tangled = false;
        step(a, p, floor);
        a->how.tangled = tangled;
    }
    while (p->depth >= floor)
        leave(a, p, p->open[p->depth - 1].region);
    good(a, OTF2_EvtWriter_ThreadTeamEnd(p->out, NULL, p->now, 1));
    p->events++;
}

static void make_team(app *a, place *master)
{
    uint32_t region = FUNCTIONS + CALLS + below(a, TEAMS);
    uint64_t end = master->now;
    go_on(a, master);
    good(a, OTF2_EvtWriter_ThreadFork(master->out, NULL, master->now, OTF2_PARADIGM_OPENMP, 3));
    for (uint32_t t = 1; t < a->threads; t++) {
        place *p = master + t;
        if (below(a, 3) == 0)
            continue;
        p->now = master->now + below(a, 50);
        memcpy(p->open, master->open, sizeof p->open);
        p->depth = p->prefix = master->depth;
        work(a, p, region);
        end = p->now > end ? p->now : end;
    }
    work(a, master, region);
    if (master->now < end) {
        place before = *master;
        go_on(a, master);
        if (master->now < end) { // it waits for the others
            uint64_t from = master->now, to = end;
            if (a->how.to_ns) {
                from = from < a->how.from_ns ? a->how.from_ns : from;
                to = to > a->how.to_ns ? a->how.to_ns : to;
            }
            if (to > from && master->depth)
                sum_of(a, master)->ns += to - from;
            master->now = end;
        }
        master->events = before.events;
    }
    good(a, OTF2_EvtWriter_ThreadJoin(master->out, NULL, master->now, OTF2_PARADIGM_OPENMP));
    master->events++;
}

static void run_rank(app *a, place *master)
{
    for (uint32_t i = 0; i < STEPS; i++)
        if (a->threads > 1 && below(a, 20) == 0 && master->depth < OPEN_MOST / 2)
            make_team(a, master);
        else
            step(a, master, 0);
    while (master->depth && !(a->how.tangled && below(a, 8) == 0))
        leave(a, master, master->open[master->depth - 1].region);
}

// The archive

static void write_strings(app *a, OTF2_GlobalDefWriter *out)
{
    static const char *const texts[] = {"", "node", "thread"}, *const values[] = {"left", "right"};
    for (uint32_t i = 0; i < STRING_NAMES; i++)
        good(a, OTF2_GlobalDefWriter_WriteString(out, i, texts[i]));
    for (uint32_t i = 0; i < REGIONS; i++)
        good(a, OTF2_GlobalDefWriter_WriteString(out, STRING_NAMES + i, names[i]));
    good(a, OTF2_GlobalDefWriter_WriteString(out, STRING_PARAMETER, "side"));
    for (uint32_t i = 0; i < 2; i++)
        good(a, OTF2_GlobalDefWriter_WriteString(out, STRING_VALUES + i, values[i]));
}

static void write_regions(app *a, OTF2_GlobalDefWriter *out)
{
    for (uint32_t r = 0; r < REGIONS; r++) {
        bool is_call = r >= FUNCTIONS && r < FUNCTIONS + CALLS, is_team = r >= FUNCTIONS + CALLS;
        OTF2_Paradigm paradigm = is_call   ? OTF2_PARADIGM_MPI
                                 : is_team ? OTF2_PARADIGM_OPENMP
                                           : OTF2_PARADIGM_COMPILER;
        OTF2_RegionRole role = is_team ? OTF2_REGION_ROLE_PARALLEL : OTF2_REGION_ROLE_FUNCTION;
        good(a, OTF2_GlobalDefWriter_WriteRegion(out, r, STRING_NAMES + r, STRING_NAMES + r, 0,
                                                 role, paradigm, 0, 0, 0, 0));
    }
    good(a,
         OTF2_GlobalDefWriter_WriteParameter(out, 0, STRING_PARAMETER, OTF2_PARAMETER_TYPE_INT64));
}

static void write_definitions(app *a, OTF2_Archive *archive)
{
    const uint32_t none = OTF2_UNDEFINED_UINT32;
    OTF2_GlobalDefWriter *out = OTF2_Archive_GetGlobalDefWriter(archive);
    good(a, OTF2_GlobalDefWriter_WriteClockProperties(out, 1000000000, 0, UINT64_C(1) << 40,
                                                      OTF2_UNDEFINED_TIMESTAMP));
    write_strings(a, out);
    write_regions(a, out);
    good(a, OTF2_GlobalDefWriter_WriteSystemTreeNode(out, 0, 1, 1, none));
    for (uint32_t r = 0; r < a->ranks; r++)
        good(a, OTF2_GlobalDefWriter_WriteLocationGroup(out, r, 1, OTF2_LOCATION_GROUP_TYPE_PROCESS,
                                                        0, none));
    for (uint32_t l = 0; l < a->ranks * a->threads; l++)
        good(a, OTF2_GlobalDefWriter_WriteLocation(out, l, 2, OTF2_LOCATION_TYPE_CPU_THREAD,
                                                   a->places[l].events, l / a->threads));
    good(a, OTF2_Archive_CloseGlobalDefWriter(archive, out));
}

static void write_archive(app *a, OTF2_Archive *archive)
{
    good(a, OTF2_Archive_SetFlushCallbacks(archive, &pj_otf2_flush, NULL));
    good(a, OTF2_Archive_SetSerialCollectiveCallbacks(archive));
    good(a, OTF2_Archive_OpenEvtFiles(archive));
    for (uint32_t l = 0; l < a->ranks * a->threads; l++) {
        a->places[l].rank = l / a->threads;
        a->places[l].thread = l % a->threads;
        a->places[l].out = OTF2_Archive_GetEvtWriter(archive, l);
    }
    good(a, OTF2_EvtWriter_ProgramBegin(a->places[0].out, NULL, 0, 0, 0, NULL));
    a->places[0].events++; // the run begins at 0
    for (uint32_t r = 0; r < a->ranks; r++)
        run_rank(a, &a->places[r * a->threads]);
    for (uint32_t l = 0; l < a->ranks * a->threads; l++)
        good(a, OTF2_Archive_CloseEvtWriter(archive, a->places[l].out));
    good(a, OTF2_Archive_CloseEvtFiles(archive));
    write_definitions(a, archive);
}

static int by_line(const void *a, const void *b)
{
    return strcmp(((const sum *)a)->key, ((const sum *)b)->key);
}

static void tell(app *a, pj_buf *out)
{
    for (size_t i = 0; i < a->sum_count; i++) {
        sum *s = &a->sums[i];
        pj_auto_buf line = {.at = NULL};
        pj_buf_addf(&line, "%s %llu %llu\n", s->key, (unsigned long long)s->visits,
                    (unsigned long long)s->ns);
        free(s->key);
        s->key = strdup(line.at);
    }
    qsort(a->sums, a->sum_count, sizeof *a->sums, by_line);
    for (size_t i = 0; i < a->sum_count; i++) {
        if (a->sums[i].visits || a->sums[i].ns)
            pj_buf_puts(out, a->sums[i].key);
        free(a->sums[i].key);
    }
    free(a->sums);
}

bool pj_random_calls_save(pj_random_calls how, const char *folder, pj_buf *out)
{
    app *a = pj_take_memory(sizeof *a);
    *a = (app){.how = how, .random = how.seed * 977 + 5};
    a->ranks = 1 + below(a, RANKS_MOST);
    a->threads = how.teams ? THREADS : 1;
    OTF2_Archive *archive = OTF2_Archive_Open(folder, "run", OTF2_FILEMODE_WRITE, 1 << 20, 1 << 20,
                                              OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    if (archive) {
        write_archive(a, archive);
        good(a, OTF2_Archive_Close(archive));
    }
    tell(a, out);
    bool saved = archive && !a->failed;
    free(a);
    return saved;
}
