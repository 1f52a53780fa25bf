// An archive with every defect that real ones have, written on purpose: each is met, counted in its
// row, and leaves the times of the threads what they are.
#include "metrics/analyse/load.h"
#include "metrics/read/otf2/cut/otf2_cut.h"
#include "tests/support/trace/otf2_flush.h"
#include "tests/support/trace/otf2_writer.h"

#include <otf2/otf2.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define NAME "odd_archive"
#define ANCHOR PJ_BINARY_DIR "/" NAME ".otf2"
#define PART PJ_BINARY_DIR "/odd_part.otf2"

/// Ids are sparse, large and out of order.
enum {
    ID = 1600000000,
    WORK = ID + 70,
    STEP = ID + 9,
    NAMELESS = ID + 8,
    NEWER = ID + 5, // its role
    UNDEFINED = ID + 1,
    WORLD = ID + 3,
    SELF = ID + 2,
    TEAMS = 50,
    NOBODY = UINT32_MAX - 1, // what MPI_PROC_NULL is recorded as
    TEXT_EMPTY = ID + 11,
    TEXT_WORK = ID + 4,
    TEXT_STEP = ID + 90,
    PROMISED = 79, // events, for every location
};

static const uint64_t locations[] = {UINT64_C(536870911) * 3, 4};
enum { LOCATIONS = 2 };

typedef struct writing {
    OTF2_Archive *archive;
    OTF2_GlobalDefWriter *global;
    OTF2_EvtWriter *events;
} writing;

static void enter(const writing *w, uint64_t time, uint32_t region)
{
    pj_otf2_good(OTF2_EvtWriter_Enter(w->events, NULL, time, region));
}

static void leave(const writing *w, uint64_t time, uint32_t region)
{
    pj_otf2_good(OTF2_EvtWriter_Leave(w->events, NULL, time, region));
}

/// 900 ns of work, from 1000 to 1900; all in it is the program's own code.
static void write_odd_events(const writing *w)
{
    enter(w, 1000, WORK);
    enter(w, 1100, STEP);
    enter(w, 1200, NAMELESS);
    leave(w, 1300, STEP); // not the innermost one
    leave(w, 1400, NAMELESS);
    leave(w, 1450, NAMELESS); // not open: WORK ends instead
    enter(w, 1500, WORK);
    enter(w, 1500, UNDEFINED);
    leave(w, 1550, UNDEFINED);
    pj_otf2_good(OTF2_EvtWriter_MpiSend(w->events, NULL, 1600, NOBODY, WORLD, 0, 8));
    pj_otf2_good(OTF2_EvtWriter_MpiSend(w->events, NULL, 1610, 77, WORLD, 0, 8)); // no such member
    pj_otf2_good(OTF2_EvtWriter_MpiSend(w->events, NULL, 1620, 1, WORLD, 1, 8)); // received nowhere
    pj_otf2_good(OTF2_EvtWriter_MpiRecv(w->events, NULL, 1630, 1, WORLD, 1, 8)); // sent nowhere
    pj_otf2_good(OTF2_EvtWriter_MpiIrecv(w->events, NULL, 1640, 1, WORLD, 2, 8, 140723034832400u));
    pj_otf2_good(OTF2_EvtWriter_BufferFlush(w->events, NULL, 1700, 1750));
    pj_otf2_good(OTF2_EvtWriter_MeasurementOnOff(w->events, NULL, 1800, OTF2_MEASUREMENT_OFF));
    pj_otf2_good(OTF2_EvtWriter_MeasurementOnOff(w->events, NULL, 1850, OTF2_MEASUREMENT_ON));
    enter(w, 1900, NEWER); // WORK and this are never left
}

static void write_plain_events(const writing *w)
{
    enter(w, 1000, WORK);
    leave(w, 2000, WORK);
}

static void write_region(const writing *w, uint32_t id, uint32_t name, unsigned role)
{
    pj_otf2_good(OTF2_GlobalDefWriter_WriteRegion(w->global, id, name, name, TEXT_EMPTY,
                                                  (OTF2_RegionRole)role, OTF2_PARADIGM_USER,
                                                  OTF2_REGION_FLAG_NONE, TEXT_EMPTY, 0, 0));
}

static void write_group(const writing *w, uint32_t id, OTF2_GroupType type, uint32_t count,
                        const uint64_t *members)
{
    pj_otf2_good(OTF2_GlobalDefWriter_WriteGroup(w->global, id, TEXT_EMPTY, type, OTF2_PARADIGM_MPI,
                                                 OTF2_GROUP_FLAG_NONE, count, members));
}

/// What refers to others comes before them; texts come last.
static void write_definitions(const writing *w, uint64_t promised)
{
    enum { ROLE_NEWER = 90 };
    const uint64_t ranks[] = {0, 1};
    for (unsigned i = 0; i < LOCATIONS; i++)
        pj_otf2_good(OTF2_GlobalDefWriter_WriteLocation(
            w->global, locations[i], TEXT_EMPTY, OTF2_LOCATION_TYPE_CPU_THREAD, promised, ID - i));
    pj_otf2_good(OTF2_GlobalDefWriter_WriteComm(w->global, WORLD, TEXT_EMPTY, ID,
                                                OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE));
    pj_otf2_good(OTF2_GlobalDefWriter_WriteComm(w->global, SELF, TEXT_EMPTY, ID + 1,
                                                OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE));
    write_group(w, ID + 1, OTF2_GROUP_TYPE_COMM_SELF, 0, NULL);
    write_group(w, ID, OTF2_GROUP_TYPE_COMM_GROUP, LOCATIONS, ranks);
    write_group(w, ID, OTF2_GROUP_TYPE_COMM_LOCATIONS, LOCATIONS, locations); // the same id
    for (uint32_t i = 0; i < TEAMS; i++)
        write_group(w, 20, OTF2_GROUP_TYPE_COMM_GROUP, 1, ranks); // one for each fork, one id
    write_region(w, WORK, TEXT_WORK, OTF2_REGION_ROLE_FUNCTION);
    write_region(w, NAMELESS, TEXT_EMPTY, OTF2_REGION_ROLE_FUNCTION);
    write_region(w, STEP, TEXT_STEP, OTF2_REGION_ROLE_FUNCTION);
    write_region(w, STEP, TEXT_WORK, OTF2_REGION_ROLE_BARRIER);
    write_region(w, NEWER, TEXT_STEP, ROLE_NEWER);
    for (unsigned i = 0; i < LOCATIONS; i++)
        pj_otf2_good(OTF2_GlobalDefWriter_WriteLocationGroup(w->global, ID - i, TEXT_EMPTY,
                                                             OTF2_LOCATION_GROUP_TYPE_PROCESS, 0,
                                                             OTF2_UNDEFINED_LOCATION_GROUP));
    pj_otf2_good(OTF2_GlobalDefWriter_WriteSystemTreeNode(w->global, 0, TEXT_EMPTY, TEXT_EMPTY,
                                                          OTF2_UNDEFINED_SYSTEM_TREE_NODE));
    pj_otf2_good(OTF2_GlobalDefWriter_WriteString(w->global, TEXT_STEP, "step"));
    pj_otf2_good(OTF2_GlobalDefWriter_WriteString(w->global, TEXT_WORK, "work"));
    pj_otf2_good(OTF2_GlobalDefWriter_WriteString(w->global, TEXT_EMPTY, ""));
    pj_otf2_good(OTF2_GlobalDefWriter_WriteClockProperties(w->global, 1000000000, 1000, 500,
                                                           OTF2_UNDEFINED_TIMESTAMP));
}

/// Without the second thread's events where `both` is false.
static void write_archive_with(uint64_t promised, bool both)
{
    pj_otf2_writer_remove(ANCHOR);
    writing w = {.archive =
                     OTF2_Archive_Open(PJ_BINARY_DIR, NAME, OTF2_FILEMODE_WRITE, 1 << 20, 1 << 20,
                                       OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE)};
    assert_non_null(w.archive);
    pj_otf2_good(OTF2_Archive_SetFlushCallbacks(w.archive, &pj_otf2_flush, NULL));
    pj_otf2_good(OTF2_Archive_SetSerialCollectiveCallbacks(w.archive));
    pj_otf2_good(OTF2_Archive_OpenEvtFiles(w.archive));
    for (unsigned i = 0; i < (both ? LOCATIONS : 1); i++) {
        w.events = OTF2_Archive_GetEvtWriter(w.archive, locations[i]);
        if (i == 0)
            write_odd_events(&w);
        else
            write_plain_events(&w);
        pj_otf2_good(OTF2_Archive_CloseEvtWriter(w.archive, w.events));
    }
    pj_otf2_good(OTF2_Archive_CloseEvtFiles(w.archive));
    pj_otf2_good(OTF2_Archive_OpenDefFiles(w.archive));
    for (unsigned i = 0; i < LOCATIONS; i++)
        pj_otf2_good(OTF2_Archive_CloseDefWriter(
            w.archive, OTF2_Archive_GetDefWriter(w.archive, locations[i])));
    pj_otf2_good(OTF2_Archive_CloseDefFiles(w.archive));
    w.global = OTF2_Archive_GetGlobalDefWriter(w.archive);
    write_definitions(&w, promised);
    pj_otf2_good(OTF2_Archive_CloseGlobalDefWriter(w.archive, w.global));
    pj_otf2_good(OTF2_Archive_Close(w.archive));
}

static void write_archive(void)
{
    write_archive_with(PROMISED, true);
}

static pj_run *load(const char *path, unsigned workers)
{
    pj_err err = {0};
    pj_job job = {.workers = workers};
    pj_run *run = pj_load(path, (pj_load_opts){.roi = {.kind = PJ_ROI_OFF}}, &job, &err);
    if (!run)
        fail_msg("%s", err.text);
    return run;
}

static void every_defect_has_its_row(void **state)
{
    (void)state;
    enum { COMMS = 2, GROUPS = 4, REGIONS = 4 };
    static const struct {
        pj_import_key key;
        uint64_t count;
    } rows[] = {
        {PJ_IMPORT_duplicate_definition, TEAMS - 1 + 1},
        // All but the node: locations and their groups, and what has an id twice.
        {PJ_IMPORT_definition_order, 2 * LOCATIONS + COMMS + GROUPS + TEAMS - 1 + REGIONS + 1},
        {PJ_IMPORT_nameless_definition, 2 * LOCATIONS + COMMS + GROUPS + 1},
        {PJ_IMPORT_unknown_role, 1},
        {PJ_IMPORT_undefined_region, 1},
        {PJ_IMPORT_wrong_nesting, 1},
        {PJ_IMPORT_leave_without_enter, 1},
        {PJ_IMPORT_region_not_left, 2},
        {PJ_IMPORT_message_to_nobody, 1},
        {PJ_IMPORT_unknown_peer, 1},
        {PJ_IMPORT_message_not_received, 1},
        {PJ_IMPORT_message_not_sent, 2},
        {PJ_IMPORT_request_unknown, 1},
        {PJ_IMPORT_outside_clock, LOCATIONS},
        {PJ_IMPORT_event_number, LOCATIONS},
        {PJ_IMPORT_measurement_off, 1},
        {PJ_IMPORT_buffer_flush, 1},
    };
    write_archive();
    for (unsigned workers = 1; workers <= 3; workers += 2) {
        pj_auto_run run = load(ANCHOR, workers);
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
            if (run->import.count[rows[i].key] != rows[i].count)
                fail_msg("%s: %llu", pj_import_at(rows[i].key)->key,
                         (unsigned long long)run->import.count[rows[i].key]);
        assert_int_equal(run->layout.ranks, LOCATIONS);
    }
    pj_otf2_writer_remove(ANCHOR);
}

static void times_are_those_of_the_threads(void **state)
{
    (void)state;
    write_archive();
    pj_auto_run run = load(ANCHOR, 1);
    const uint64_t flushed = 50, off = 50, length = 900;
    assert_int_equal(run->totals[0].useful_ns + run->totals[1].useful_ns,
                     length - flushed - off + 1000);
    assert_int_equal(run->end_ns, 1000);
    assert_true(run->told.states_unread); // teams begin where nothing is read
    pj_otf2_writer_remove(ANCHOR);
}

static void cut_60_ns(uint64_t from)
{
    pj_otf2_writer_remove(PART);
    pj_otf2_cut *cut = pj_otf2_cut_new();
    pj_sink sink = pj_otf2_cut_sink(cut);
    pj_err err = {0};
    pj_job job = {.workers = 1};
    pj_load_opts opts = {
        .roi = {.kind = PJ_ROI_RANGE, .from = (double)from, .to = (double)from + 60},
        .listeners = &sink,
        .listener_count = 1,
        .in_order = true,
        .no_replay = true};
    pj_auto_run run = pj_load(ANCHOR, opts, &job, &err);
    assert_non_null(run);
    assert_int_equal(run->totals[0].useful_ns + run->totals[1].useful_ns, 30 + 60);
    pj_otf2_copied copied;
    assert_true(pj_otf2_cut_write(cut, run, PART, &job, &copied, &err));
    pj_otf2_cut_free(cut);
    pj_auto_run part = load(PART, 1);
    assert_int_equal(part->totals[0].useful_ns + part->totals[1].useful_ns, 30 + 60);
}

/// Parts that begin while the buffer is flushed, and while the measurement is off.
static void parts_keep_what_lasts_at_their_border(void **state)
{
    (void)state;
    write_archive();
    cut_60_ns(720); // up to 1750
    cut_60_ns(820); // up to 1850
    pj_otf2_writer_remove(ANCHOR);
    pj_otf2_writer_remove(PART);
}

/// What was never asked for a writer has no file, and nothing is lost.
static void a_thread_without_events_needs_no_file(void **state)
{
    (void)state;
    enum { NO_FILE, LOST };
    for (int lost = NO_FILE; lost <= LOST; lost++) {
        write_archive_with(PROMISED * (uint64_t)lost, false);
        pj_auto_run run = load(ANCHOR, 1);
        assert_int_equal(run->import.count[PJ_IMPORT_missing_location], lost);
        assert_true((run->damage != NULL) == (lost == LOST));
        assert_int_equal(run->totals[0].useful_ns + run->totals[1].useful_ns, 800);
        pj_otf2_writer_remove(ANCHOR);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_defect_has_its_row),
        cmocka_unit_test(times_are_those_of_the_threads),
        cmocka_unit_test(parts_keep_what_lasts_at_their_border),
        cmocka_unit_test(a_thread_without_events_needs_no_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
