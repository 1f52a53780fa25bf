// Phases, parameters and calls within functions of archives that are made here, whose every number
// is known.
#include "metrics/analyse/load.h"
#include "metrics/base/err.h"
#include "metrics/base/job.h"
#include "metrics/run/parts/functions.h"
#include "tests/support/folder.h"
#include "tests/support/trace/otf2_flush.h"
#include "tests/support/trace/otf2_writer.h"

#include <otf2/otf2.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { MAIN, STEP, SOLVE, SEND, RECEIVE, REGIONS };
enum { TEXT_NAMES = 3, TEXT_SIZE = TEXT_NAMES + REGIONS, TEXT_CASE, TEXT_HOT, TEXTS };
enum { RANKS = 2 };

static void define_regions(OTF2_GlobalDefWriter *out)
{
    for (uint32_t r = 0; r < REGIONS; r++)
        pj_otf2_good(OTF2_GlobalDefWriter_WriteRegion(
            out, r, TEXT_NAMES + r, TEXT_NAMES + r, 0,
            r < SEND ? OTF2_REGION_ROLE_CODE : OTF2_REGION_ROLE_POINT2POINT,
            r < SEND ? OTF2_PARADIGM_USER : OTF2_PARADIGM_MPI,
            r == STEP ? OTF2_REGION_FLAG_PHASE | OTF2_REGION_FLAG_DYNAMIC : OTF2_REGION_FLAG_NONE,
            0, 0, 0));
    pj_otf2_good(OTF2_GlobalDefWriter_WriteParameter(out, 7, TEXT_SIZE, OTF2_PARAMETER_TYPE_INT64));
    pj_otf2_good(
        OTF2_GlobalDefWriter_WriteParameter(out, 9, TEXT_CASE, OTF2_PARAMETER_TYPE_STRING));
}

static void write_definitions(OTF2_GlobalDefWriter *out)
{
    static const char *const texts[TEXTS] = {"",     "node",  "thread",   "main",
                                             "step", "solve", "MPI_Send", "MPI_Recv",
                                             "size", "case",  "hot"};
    pj_otf2_good(OTF2_GlobalDefWriter_WriteClockProperties(out, 1000000000, 0, 1000,
                                                           OTF2_UNDEFINED_TIMESTAMP));
    for (uint32_t i = 0; i < TEXTS; i++)
        pj_otf2_good(OTF2_GlobalDefWriter_WriteString(out, i, texts[i]));
    define_regions(out);
    pj_otf2_good(
        OTF2_GlobalDefWriter_WriteSystemTreeNode(out, 0, 1, 1, OTF2_UNDEFINED_SYSTEM_TREE_NODE));
    for (uint32_t r = 0; r < RANKS; r++) {
        pj_otf2_good(OTF2_GlobalDefWriter_WriteLocationGroup(
            out, r, 1, OTF2_LOCATION_GROUP_TYPE_PROCESS, 0, OTF2_UNDEFINED_LOCATION_GROUP));
        pj_otf2_good(
            OTF2_GlobalDefWriter_WriteLocation(out, r, 2, OTF2_LOCATION_TYPE_CPU_THREAD, 14, r));
    }
    static const uint64_t ranks[RANKS] = {0, 1};
    for (uint32_t g = 0; g < 2; g++)
        pj_otf2_good(OTF2_GlobalDefWriter_WriteGroup(
            out, g, 0, g ? OTF2_GROUP_TYPE_COMM_GROUP : OTF2_GROUP_TYPE_COMM_LOCATIONS,
            OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, RANKS, ranks));
    pj_otf2_good(
        OTF2_GlobalDefWriter_WriteComm(out, 0, 0, 1, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE));
}

/// Two steps of 300 and 400 + 100 r; in each solve with a size, which in the second is given anew
/// halfway, within a case.
static void write_events(OTF2_EvtWriter *out, uint64_t rank)
{
    uint64_t late = 100 * rank;
    pj_otf2_good(OTF2_EvtWriter_Enter(out, NULL, 0, MAIN));
    pj_otf2_good(OTF2_EvtWriter_Enter(out, NULL, 100, STEP));
    pj_otf2_good(OTF2_EvtWriter_Enter(out, NULL, 150, SOLVE));
    pj_otf2_good(OTF2_EvtWriter_ParameterInt(out, NULL, 150, 7, -8));
    pj_otf2_good(OTF2_EvtWriter_Leave(out, NULL, 350, SOLVE));
    pj_otf2_good(OTF2_EvtWriter_Leave(out, NULL, 400, STEP));
    pj_otf2_good(OTF2_EvtWriter_Enter(out, NULL, 500, STEP));
    pj_otf2_good(OTF2_EvtWriter_Enter(out, NULL, 500, SOLVE));
    pj_otf2_good(OTF2_EvtWriter_ParameterInt(out, NULL, 500, 7, -8));
    pj_otf2_good(OTF2_EvtWriter_ParameterString(out, NULL, 500, 9, TEXT_HOT));
    pj_otf2_good(OTF2_EvtWriter_ParameterInt(out, NULL, 600, 7, 16));
    pj_otf2_good(OTF2_EvtWriter_Leave(out, NULL, 800 + late, SOLVE));
    pj_otf2_good(OTF2_EvtWriter_Leave(out, NULL, 900 + late, STEP));
    pj_otf2_good(OTF2_EvtWriter_Leave(out, NULL, 1000, MAIN));
}

/// Rank 1 receives from 60 on, in solve, what rank 0 sends at 150.
static void write_calls(OTF2_EvtWriter *out, uint64_t rank)
{
    uint64_t begin = rank ? 60 : 150;
    pj_otf2_good(OTF2_EvtWriter_Enter(out, NULL, 0, MAIN));
    pj_otf2_good(OTF2_EvtWriter_Enter(out, NULL, 50, SOLVE));
    pj_otf2_good(OTF2_EvtWriter_Enter(out, NULL, begin, rank ? RECEIVE : SEND));
    pj_otf2_good(rank ? OTF2_EvtWriter_MpiRecv(out, NULL, 170, 0, 0, 7, 8)
                      : OTF2_EvtWriter_MpiSend(out, NULL, 150, 1, 0, 7, 8));
    pj_otf2_good(OTF2_EvtWriter_Leave(out, NULL, rank ? 170 : 160, rank ? RECEIVE : SEND));
    pj_otf2_good(OTF2_EvtWriter_Leave(out, NULL, 200, SOLVE));
    pj_otf2_good(OTF2_EvtWriter_Leave(out, NULL, 300, MAIN));
}

static void save(const char *name, void (*write)(OTF2_EvtWriter *out, uint64_t rank))
{
    OTF2_Archive *archive = OTF2_Archive_Open(folder_file(name), name, OTF2_FILEMODE_WRITE, 1 << 20,
                                              1 << 20, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    assert_non_null(archive);
    pj_otf2_good(OTF2_Archive_SetFlushCallbacks(archive, &pj_otf2_flush, NULL));
    pj_otf2_good(OTF2_Archive_SetSerialCollectiveCallbacks(archive));
    pj_otf2_good(OTF2_Archive_OpenEvtFiles(archive));
    for (uint64_t r = 0; r < RANKS; r++) {
        OTF2_EvtWriter *events = OTF2_Archive_GetEvtWriter(archive, r);
        write(events, r);
        pj_otf2_good(OTF2_Archive_CloseEvtWriter(archive, events));
    }
    pj_otf2_good(OTF2_Archive_CloseEvtFiles(archive));
    OTF2_GlobalDefWriter *out = OTF2_Archive_GetGlobalDefWriter(archive);
    write_definitions(out);
    pj_otf2_good(OTF2_Archive_CloseGlobalDefWriter(archive, out));
    pj_otf2_good(OTF2_Archive_Close(archive));
}

static pj_run *load(const char *anchor, pj_function_cut cut, unsigned workers)
{
    pj_err err = {.code = PJ_E_NONE};
    pj_job job = {.workers = workers};
    pj_run *run = pj_load(folder_file(anchor), (pj_load_opts){.functions = cut}, &job, &err);
    if (!run)
        fail_msg("%s", err.text);
    return run;
}

typedef struct wanted_part {
    const char *name;
    uint64_t own, whole, longest, instances;
} wanted_part;

static void expect(pj_function_cut cut, const wanted_part *wanted, size_t count)
{
    for (unsigned workers = 1; workers <= 4; workers += 3) {
        pj_auto_run run = load("parts/parts.otf2", cut, workers);
        assert_int_equal(run->functions->count, count);
        for (size_t i = 0; i < count; i++) {
            const pj_function *f = &run->functions->items[i];
            assert_string_equal(f->name, wanted[i].name);
            assert_int_equal(f->own.time_ns, wanted[i].own);
            assert_int_equal(f->whole.time_ns, wanted[i].whole);
            assert_int_equal(f->whole.longest_ns, wanted[i].longest);
            assert_int_equal(f->instances, wanted[i].instances);
        }
    }
}

static void phases_are_those_that_the_archive_marks(void **state)
{
    static const wanted_part wanted[] = {{"step", 1500, 1500, 800, 4},
                                         {"outside any phase", 500, 500, 300, 0}};
    (void)state;
    expect(PJ_CUT_PHASES, wanted, 2);
}

/// A value holds until its region is left, or until another one of the same parameter.
static void parameters_hold_as_long_as_their_region(void **state)
{
    static const wanted_part wanted[] = {{"size=16", 500, 500, 300, 2},
                                         {"size=-8", 400, 600, 300, 4},
                                         {"case=hot", 200, 700, 400, 2},
                                         {"outside any parameter", 900, 900, 500, 0}};
    (void)state;
    expect(PJ_CUT_PARAMETERS, wanted, 4);
}

/// Archives are replayed as they are read: what functions call counts there all the same.
static void calls_are_in_their_functions(void **state)
{
    (void)state;
    pj_auto_run run = load("calls/calls.otf2", PJ_CUT_FUNCTIONS, 2);
    const pj_function *solve = &run->functions->items[0];
    for (uint32_t i = 0; i < run->functions->count; i++) {
        const pj_function *f = &run->functions->items[i];
        solve = strcmp(f->name, "solve") == 0 ? f : solve;
        assert_int_equal(f->mpi_ns, strcmp(f->name, "solve") == 0 ? 120 : 0);
    }
    assert_string_equal(solve->name, "solve");
    assert_int_equal(solve->wait_ns, 90);
    assert_null(solve->whole.ideal_lacks);
    assert_true(solve->whole.ideal_ns == 140); // rank 0, whose call takes no time
}

static int make(void **state)
{
    if (folder_make(state) != 0)
        return -1;
    save("parts", write_events);
    save("calls", write_calls);
    return 0;
}

static int drop(void **state)
{
    pj_otf2_writer_remove(folder_file("parts/parts.otf2"));
    pj_otf2_writer_remove(folder_file("calls/calls.otf2"));
    rmdir(folder_file("parts"));
    rmdir(folder_file("calls"));
    return folder_remove(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(phases_are_those_that_the_archive_marks),
        cmocka_unit_test(parameters_hold_as_long_as_their_region),
        cmocka_unit_test(calls_are_in_their_functions),
    };
    return cmocka_run_group_tests(tests, make, drop);
}
