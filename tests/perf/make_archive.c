// make_archive ANCHOR EVENTS [RANKS THREADS [wide|mixed]]: an OTF2 archive of about that many
// events, written with libotf2 as Score-P would: 8 ranks with 2 threads (at most 64 ranks, 4096
// threads), two counters before every enter and leave, ids of each location's own, clock offsets;
// iterations of nested functions, OpenMP, a ring of messages and an Allreduce. `wide`: ids of
// regions have four bytes, and a metric that is no counter stands beside the two. `mixed`: 40
// functions call each other in no order, to changing depths.
#include <otf2/otf2.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    RANKS_MOST = 64,
    LOCATIONS_MOST = 4096,
    NAMED = 8,      // functions that call one another in order
    FUNCTIONS = 40, // then the regions below
    PARALLEL = FUNCTIONS,
    BARRIER,
    IRECV,
    ISEND,
    WAITALL,
    ALLREDUCE,
    REGIONS,
    STRING_WORLD = 7,
    STRINGS_NAMES = 8,
    INNER = 10,                  // rounds of nested functions in an iteration
    PAIRS = INNER * (NAMED - 1), // of enter and leave in an iteration
};

static const char *const names[NAMED] = {"main",    "solve", "sweep",   "flux",
                                         "limiter", "state", "riemann", "root"};
static const char *const calls[REGIONS - FUNCTIONS] = {"!$omp parallel @solve.c:12",
                                                       "!$omp implicit barrier @solve.c:12",
                                                       "MPI_Irecv",
                                                       "MPI_Isend",
                                                       "MPI_Waitall",
                                                       "MPI_Allreduce"};

static uint32_t ranks = 8, threads = 2;
static bool wide, mixed;

typedef struct place {
    OTF2_EvtWriter *out;
    uint32_t rank, thread;
    uint64_t time, events;
    uint64_t counts[2];
    uint32_t noise;
} place;

static void must(OTF2_ErrorCode code)
{
    if (code == OTF2_SUCCESS)
        return;
    fprintf(stderr, "make_archive: %s\n", OTF2_Error_GetDescription(code));
    exit(1);
}

/// The location's own id of a region.
static uint32_t id_of(const place *p, uint32_t region)
{
    enum { FIRST = 1 << 29, APART = 104729 };
    uint32_t number = (region + p->rank + 1) % REGIONS;
    return wide ? FIRST + number * APART : number;
}

static uint64_t step(place *p)
{
    p->noise = p->noise * 1664525u + 1013904223u;
    p->time += 200 + (p->noise >> 22);
    return p->time;
}

static void count(place *p, uint64_t time)
{
    OTF2_Type types[] = {OTF2_TYPE_UINT64, OTF2_TYPE_UINT64};
    OTF2_MetricValue values[2];
    p->counts[0] += 900 + (p->noise >> 24);
    p->counts[1] += 1300 + (p->noise >> 24);
    values[0].unsigned_int = p->counts[0];
    values[1].unsigned_int = p->counts[1];
    must(OTF2_EvtWriter_Metric(p->out, NULL, time, 0, 2, types, values));
    if (wide)
        must(OTF2_EvtWriter_Metric(p->out, NULL, time, 1, 1, types, values));
    p->events += 2 + wide; // with the enter or leave that follows
}

static void enter(place *p, uint32_t region)
{
    uint64_t time = step(p);
    count(p, time);
    must(OTF2_EvtWriter_Enter(p->out, NULL, time, id_of(p, region)));
}

static void leave(place *p, uint32_t region)
{
    uint64_t time = step(p);
    count(p, time);
    must(OTF2_EvtWriter_Leave(p->out, NULL, time, id_of(p, region)));
}

/// As many calls as the functions in order make: each function calls three others, in no order.
static void wander(place *p)
{
    enum { DEEPEST = 6, CALLEES = 3 };
    uint32_t open[DEEPEST + 1] = {0}, depth = 0, pairs = 0;
    while (pairs < PAIRS || depth > 0) {
        bool down = depth < DEEPEST && p->noise >> 31;
        if (pairs < PAIRS && (down || depth == 0)) {
            uint32_t callee = open[depth] * CALLEES + (p->noise >> 12) % CALLEES;
            open[++depth] = 1 + callee % (FUNCTIONS - 1);
            enter(p, open[depth]);
            pairs++;
        } else {
            leave(p, open[depth--]);
        }
    }
}

static void compute(place *p)
{
    if (mixed) {
        wander(p);
        return;
    }
    for (uint32_t round = 0; round < INNER; round++) {
        for (uint32_t f = 1; f < NAMED; f++)
            enter(p, f);
        for (uint32_t f = NAMED; f-- > 1;)
            leave(p, f);
    }
}

static void team(place *p)
{
    if (p->thread == 0)
        must(OTF2_EvtWriter_ThreadFork(p->out, NULL, step(p), OTF2_PARADIGM_OPENMP, threads));
    else
        p->time += 3000;
    must(OTF2_EvtWriter_ThreadTeamBegin(p->out, NULL, p->time, 1));
    enter(p, PARALLEL);
    compute(p);
    enter(p, BARRIER);
    leave(p, BARRIER);
    leave(p, PARALLEL);
    must(OTF2_EvtWriter_ThreadTeamEnd(p->out, NULL, p->time, 1));
    if (p->thread == 0)
        must(OTF2_EvtWriter_ThreadJoin(p->out, NULL, step(p), OTF2_PARADIGM_OPENMP));
    p->events += p->thread == 0 ? 4 : 2;
}

/// What has come from elsewhere is waited for until shortly before `end`.
static void exchange(place *p, uint64_t request, uint64_t end)
{
    uint32_t next = (p->rank + 1) % ranks, before = (p->rank + ranks - 1) % ranks;
    enter(p, IRECV);
    must(OTF2_EvtWriter_MpiIrecvRequest(p->out, NULL, p->time, request));
    leave(p, IRECV);
    enter(p, ISEND);
    must(OTF2_EvtWriter_MpiIsend(p->out, NULL, p->time, next, 0, 7, 8192, request + 1));
    leave(p, ISEND);
    enter(p, WAITALL);
    p->time = end - 40000;
    must(OTF2_EvtWriter_MpiIsendComplete(p->out, NULL, p->time, request + 1));
    must(OTF2_EvtWriter_MpiIrecv(p->out, NULL, p->time, before, 0, 7, 8192, request));
    leave(p, WAITALL);
    enter(p, ALLREDUCE);
    must(OTF2_EvtWriter_MpiCollectiveBegin(p->out, NULL, p->time));
    p->time = end - 20000;
    must(OTF2_EvtWriter_MpiCollectiveEnd(p->out, NULL, p->time, OTF2_COLLECTIVE_OP_ALLREDUCE, 0,
                                         OTF2_UNDEFINED_UINT32, 8, 8));
    leave(p, ALLREDUCE);
    p->events += 6;
}

static void write_place(OTF2_Archive *archive, place *p, uint64_t iterations)
{
    enum { LENGTH = 400000 }; // ns, of an iteration
    p->out = OTF2_Archive_GetEvtWriter(archive, p->rank * threads + p->thread);
    p->noise = p->rank * threads + p->thread;
    p->time = 1000000;
    for (uint64_t i = 0; i < iterations; i++) {
        uint64_t begin = p->time;
        team(p);
        if (p->thread == 0)
            exchange(p, 2 * i, begin + LENGTH);
        p->time = begin + LENGTH;
    }
    must(OTF2_Archive_CloseEvtWriter(archive, p->out));
}

static void write_map(OTF2_DefWriter *out, const place *p)
{
    OTF2_IdMap *ids = OTF2_IdMap_Create(wide ? OTF2_ID_MAP_SPARSE : OTF2_ID_MAP_DENSE, REGIONS);
    uint32_t first = REGIONS - (p->rank + 1) % REGIONS; // the one with the least id
    for (uint32_t i = first; i < first + REGIONS; i++)
        must(OTF2_IdMap_AddIdPair(ids, id_of(p, i % REGIONS), i % REGIONS));
    must(OTF2_DefWriter_WriteMappingTable(out, OTF2_MAPPING_REGION, ids));
    OTF2_IdMap_Free(ids);
    must(OTF2_DefWriter_WriteClockOffset(out, 0, 0, 0));
    must(OTF2_DefWriter_WriteClockOffset(out, UINT64_C(1) << 50, p->rank, 0));
}

static void name_of(uint32_t region, char *name, size_t size)
{
    if (region >= FUNCTIONS)
        snprintf(name, size, "%s", calls[region - FUNCTIONS]);
    else if (region < NAMED)
        snprintf(name, size, "%s", names[region]);
    else
        snprintf(name, size, "function_%u", region);
}

static void write_regions(OTF2_GlobalDefWriter *out)
{
    for (uint32_t r = 0; r < REGIONS; r++) {
        OTF2_RegionRole role = OTF2_REGION_ROLE_FUNCTION;
        OTF2_Paradigm paradigm = OTF2_PARADIGM_COMPILER;
        if (r == PARALLEL || r == BARRIER) {
            role = r == PARALLEL ? OTF2_REGION_ROLE_PARALLEL : OTF2_REGION_ROLE_IMPLICIT_BARRIER;
            paradigm = OTF2_PARADIGM_OPENMP;
        } else if (r > BARRIER) {
            role = r == ALLREDUCE ? OTF2_REGION_ROLE_COLL_ALL2ALL : OTF2_REGION_ROLE_POINT2POINT;
            paradigm = OTF2_PARADIGM_MPI;
        }
        char name[64];
        name_of(r, name, sizeof name);
        must(OTF2_GlobalDefWriter_WriteString(out, STRINGS_NAMES + r, name));
        must(OTF2_GlobalDefWriter_WriteRegion(out, r, STRINGS_NAMES + r, STRINGS_NAMES + r, 0, role,
                                              paradigm, OTF2_REGION_FLAG_NONE, 0, 0, 0));
    }
}

static void write_metrics(OTF2_GlobalDefWriter *out)
{
    OTF2_MetricMemberRef members[] = {0, 1, 2};
    for (uint32_t m = 0; m < 3; m++)
        must(OTF2_GlobalDefWriter_WriteMetricMember(out, m, 4 + m, 0, OTF2_METRIC_TYPE_PAPI,
                                                    OTF2_METRIC_ACCUMULATED_START, OTF2_TYPE_UINT64,
                                                    OTF2_BASE_DECIMAL, 0, 0));
    must(OTF2_GlobalDefWriter_WriteMetricClass(out, 0, 2, members, OTF2_METRIC_SYNCHRONOUS_STRICT,
                                               OTF2_RECORDER_KIND_CPU));
    must(OTF2_GlobalDefWriter_WriteMetricClass(
        out, 1, 1, members + 2, OTF2_METRIC_SYNCHRONOUS_STRICT, OTF2_RECORDER_KIND_CPU));
}

static void write_global(OTF2_Archive *archive, const place *places)
{
    static const char *const texts[] = {"",          "machine",       "rank",
                                        "thread",    "PAPI_TOT_INS",  "PAPI_TOT_CYC",
                                        "ru_minflt", "MPI_COMM_WORLD"};
    uint64_t masters[RANKS_MOST], members[RANKS_MOST];
    OTF2_GlobalDefWriter *out = OTF2_Archive_GetGlobalDefWriter(archive);
    must(OTF2_GlobalDefWriter_WriteClockProperties(out, 1000000000, 1000000, UINT64_C(1) << 45,
                                                   OTF2_UNDEFINED_TIMESTAMP));
    for (uint32_t i = 0; i < sizeof texts / sizeof *texts; i++)
        must(OTF2_GlobalDefWriter_WriteString(out, i, texts[i]));
    write_regions(out);
    must(OTF2_GlobalDefWriter_WriteSystemTreeNode(out, 0, 1, 1, OTF2_UNDEFINED_SYSTEM_TREE_NODE));
    for (uint32_t r = 0; r < ranks; r++) {
        masters[r] = r * threads;
        members[r] = r;
        must(OTF2_GlobalDefWriter_WriteLocationGroup(out, r, 2, OTF2_LOCATION_GROUP_TYPE_PROCESS, 0,
                                                     OTF2_UNDEFINED_LOCATION_GROUP));
        for (uint32_t l = r * threads; l < (r + 1) * threads; l++)
            must(OTF2_GlobalDefWriter_WriteLocation(out, l, 3, OTF2_LOCATION_TYPE_CPU_THREAD,
                                                    places[l].events, r));
    }
    must(OTF2_GlobalDefWriter_WriteGroup(out, 0, 0, OTF2_GROUP_TYPE_COMM_LOCATIONS,
                                         OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, ranks, masters));
    must(OTF2_GlobalDefWriter_WriteGroup(out, 1, 0, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI,
                                         OTF2_GROUP_FLAG_NONE, ranks, members));
    must(OTF2_GlobalDefWriter_WriteComm(out, 0, STRING_WORLD, 1, OTF2_UNDEFINED_COMM,
                                        OTF2_COMM_FLAG_NONE));
    write_metrics(out);
    must(OTF2_Archive_CloseGlobalDefWriter(archive, out));
}

static OTF2_FlushType flush_all(void *self, OTF2_FileType type, OTF2_LocationRef location,
                                void *caller, bool last)
{
    (void)self, (void)type, (void)location, (void)caller, (void)last;
    return OTF2_FLUSH;
}

static const OTF2_FlushCallbacks flushes = {.otf2_pre_flush = flush_all};

static void write_archive(OTF2_Archive *archive, uint64_t iterations)
{
    static place places[LOCATIONS_MOST];
    must(OTF2_Archive_SetFlushCallbacks(archive, &flushes, NULL));
    must(OTF2_Archive_SetSerialCollectiveCallbacks(archive));
    must(OTF2_Archive_OpenEvtFiles(archive));
    for (uint32_t l = 0; l < ranks * threads; l++) {
        places[l].rank = l / threads;
        places[l].thread = l % threads;
        write_place(archive, &places[l], iterations);
    }
    must(OTF2_Archive_CloseEvtFiles(archive));
    must(OTF2_Archive_OpenDefFiles(archive));
    for (uint32_t l = 0; l < ranks * threads; l++) {
        OTF2_DefWriter *out = OTF2_Archive_GetDefWriter(archive, l);
        write_map(out, &places[l]);
        must(OTF2_Archive_CloseDefWriter(archive, out));
    }
    must(OTF2_Archive_CloseDefFiles(archive));
    write_global(archive, places);
    must(OTF2_Archive_Close(archive));
}

int main(int argc, char **argv)
{
    enum { EACH = 2 * (2 * PAIRS + 4) + 10 }; // events of an iteration, about
    char folder[4096] = ".", *slash, *dot;
    if (argc >= 5) {
        ranks = (uint32_t)strtoul(argv[3], NULL, 10);
        threads = (uint32_t)strtoul(argv[4], NULL, 10);
    }
    wide = argc == 6 && strcmp(argv[5], "wide") == 0;
    mixed = argc == 6 && strcmp(argv[5], "mixed") == 0;
    bool fits = ranks - 1 < RANKS_MOST && threads - 1 < LOCATIONS_MOST / ranks;
    if ((argc != 3 && argc != 5 && !wide && !mixed) || !fits || strlen(argv[1]) >= sizeof folder ||
        !(dot = strrchr(argv[1], '.'))) {
        fprintf(stderr,
                "usage: make_archive FOLDER/NAME.otf2 EVENTS [RANKS THREADS [wide|mixed]]\n");
        return 1;
    }
    *dot = 0;
    slash = strrchr(argv[1], '/');
    if (slash) {
        *slash = 0;
        strcpy(folder, argv[1]);
    }
    OTF2_Archive *archive =
        OTF2_Archive_Open(folder, slash ? slash + 1 : argv[1], OTF2_FILEMODE_WRITE, 1024 * 1024,
                          4 * 1024 * 1024, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    if (!archive)
        return 1;
    write_archive(archive, strtoull(argv[2], NULL, 10) / ((uint64_t)EACH * ranks * threads) + 1);
    return 0;
}
