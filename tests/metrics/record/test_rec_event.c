// Every record that the recorder writes, byte for byte against libotf2's writer.
#include "metrics/read/otf2/events/otf2_evt.h"
#include "metrics/record/rec_event.h"
#include "metrics/record/rec_part.h"
#include "tests/support/folder.h"

#include <otf2/otf2.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

// What libotf2 calls deprecated is still in the table.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

enum { BYTES_MOST = 256 * 1024, FILE_END = 2 };

/// A member as libotf2 takes it; undefined is undefined in 32 bits too.
static uint32_t m32(uint64_t value)
{
    return value == PJ_REC_UNDEFINED ? UINT32_MAX : (uint32_t)value;
}

// NOLINTBEGIN(readability-function-size): a row for every record
#define W writer, NULL, time
static OTF2_ErrorCode write_theirs(OTF2_EvtWriter *writer, int type, uint64_t time,
                                   const uint64_t *m)
{
    switch (type) {
#define ROW(name, call)                                                                            \
    case PJ_REC_##name:                                                                            \
        return OTF2_EvtWriter_##call;
        ROW(BUFFER_FLUSH, BufferFlush(W, m[0]))
        ROW(MEASUREMENT_ON_OFF, MeasurementOnOff(W, (OTF2_MeasurementMode)m[0]))
        ROW(ENTER, Enter(W, m32(m[0])))
        ROW(LEAVE, Leave(W, m32(m[0])))
        ROW(MPI_SEND, MpiSend(W, m32(m[0]), m32(m[1]), m32(m[2]), m[3]))
        ROW(MPI_ISEND, MpiIsend(W, m32(m[0]), m32(m[1]), m32(m[2]), m[3], m[4]))
        ROW(MPI_ISEND_COMPLETE, MpiIsendComplete(W, m[0]))
        ROW(MPI_IRECV_REQUEST, MpiIrecvRequest(W, m[0]))
        ROW(MPI_RECV, MpiRecv(W, m32(m[0]), m32(m[1]), m32(m[2]), m[3]))
        ROW(MPI_IRECV, MpiIrecv(W, m32(m[0]), m32(m[1]), m32(m[2]), m[3], m[4]))
        ROW(MPI_REQUEST_TEST, MpiRequestTest(W, m[0]))
        ROW(MPI_REQUEST_CANCELLED, MpiRequestCancelled(W, m[0]))
        ROW(MPI_COLLECTIVE_BEGIN, MpiCollectiveBegin(W))
        ROW(MPI_COLLECTIVE_END,
            MpiCollectiveEnd(W, (OTF2_CollectiveOp)m[0], m32(m[1]), m32(m[2]), m[3], m[4]))
        ROW(OMP_FORK, OmpFork(W, m32(m[0])))
        ROW(OMP_JOIN, OmpJoin(W))
        ROW(OMP_ACQUIRE_LOCK, OmpAcquireLock(W, m32(m[0]), m32(m[1])))
        ROW(OMP_RELEASE_LOCK, OmpReleaseLock(W, m32(m[0]), m32(m[1])))
        ROW(OMP_TASK_CREATE, OmpTaskCreate(W, m[0]))
        ROW(OMP_TASK_SWITCH, OmpTaskSwitch(W, m[0]))
        ROW(OMP_TASK_COMPLETE, OmpTaskComplete(W, m[0]))
        ROW(PARAMETER_STRING, ParameterString(W, m32(m[0]), m32(m[1])))
        ROW(PARAMETER_INT, ParameterInt(W, m32(m[0]), (int64_t)m[1]))
        ROW(PARAMETER_UNSIGNED, ParameterUnsignedInt(W, m32(m[0]), m[1]))
        ROW(RMA_COLLECTIVE_BEGIN, RmaCollectiveBegin(W))
        ROW(RMA_COLLECTIVE_END, RmaCollectiveEnd(W, (OTF2_CollectiveOp)m[0], m32(m[1]), m32(m[2]),
                                                 m32(m[3]), m[4], m[5]))
        ROW(RMA_GROUP_SYNC, RmaGroupSync(W, m32(m[0]), m32(m[1]), m32(m[2])))
        ROW(RMA_REQUEST_LOCK, RmaRequestLock(W, m32(m[0]), m32(m[1]), m[2], (OTF2_LockType)m[3]))
        ROW(RMA_ACQUIRE_LOCK, RmaAcquireLock(W, m32(m[0]), m32(m[1]), m[2], (OTF2_LockType)m[3]))
        ROW(RMA_RELEASE_LOCK, RmaReleaseLock(W, m32(m[0]), m32(m[1]), m[2]))
        ROW(RMA_PUT, RmaPut(W, m32(m[0]), m32(m[1]), m[2], m[3]))
        ROW(RMA_GET, RmaGet(W, m32(m[0]), m32(m[1]), m[2], m[3]))
        ROW(RMA_OP_COMPLETE_BLOCKING, RmaOpCompleteBlocking(W, m32(m[0]), m[1]))
        ROW(RMA_OP_COMPLETE_NON_BLOCKING, RmaOpCompleteNonBlocking(W, m32(m[0]), m[1]))
        ROW(THREAD_FORK, ThreadFork(W, (OTF2_Paradigm)m[0], m32(m[1])))
        ROW(THREAD_JOIN, ThreadJoin(W, (OTF2_Paradigm)m[0]))
        ROW(THREAD_TEAM_BEGIN, ThreadTeamBegin(W, m32(m[0])))
        ROW(THREAD_TEAM_END, ThreadTeamEnd(W, m32(m[0])))
        ROW(THREAD_ACQUIRE_LOCK, ThreadAcquireLock(W, (OTF2_Paradigm)m[0], m32(m[1]), m32(m[2])))
        ROW(THREAD_RELEASE_LOCK, ThreadReleaseLock(W, (OTF2_Paradigm)m[0], m32(m[1]), m32(m[2])))
        ROW(THREAD_TASK_CREATE, ThreadTaskCreate(W, m32(m[0]), m32(m[1]), m32(m[2])))
        ROW(THREAD_TASK_SWITCH, ThreadTaskSwitch(W, m32(m[0]), m32(m[1]), m32(m[2])))
        ROW(THREAD_TASK_COMPLETE, ThreadTaskComplete(W, m32(m[0]), m32(m[1]), m32(m[2])))
        ROW(THREAD_CREATE, ThreadCreate(W, m32(m[0]), m[1]))
        ROW(THREAD_BEGIN, ThreadBegin(W, m32(m[0]), m[1]))
        ROW(THREAD_WAIT, ThreadWait(W, m32(m[0]), m[1]))
        ROW(THREAD_END, ThreadEnd(W, m32(m[0]), m[1]))
        ROW(CALLING_CONTEXT_ENTER, CallingContextEnter(W, m32(m[0]), m32(m[1])))
        ROW(CALLING_CONTEXT_LEAVE, CallingContextLeave(W, m32(m[0])))
        ROW(IO_CREATE_HANDLE,
            IoCreateHandle(W, m32(m[0]), (OTF2_IoAccessMode)m[1], m32(m[2]), m32(m[3])))
        ROW(IO_DESTROY_HANDLE, IoDestroyHandle(W, m32(m[0])))
        ROW(IO_DUPLICATE_HANDLE, IoDuplicateHandle(W, m32(m[0]), m32(m[1]), m32(m[2])))
        ROW(IO_SEEK, IoSeek(W, m32(m[0]), (int64_t)m[1], (OTF2_IoSeekOption)m[2], m[3]))
        ROW(IO_OPERATION_BEGIN,
            IoOperationBegin(W, m32(m[0]), (OTF2_IoOperationMode)m[1], m32(m[2]), m[3], m[4]))
        ROW(IO_OPERATION_COMPLETE, IoOperationComplete(W, m32(m[0]), m[1], m[2]))
        ROW(PROGRAM_BEGIN, ProgramBegin(W, m32(m[0]), 0, NULL))
        ROW(PROGRAM_END, ProgramEnd(W, (int64_t)m[0]))
        ROW(NON_BLOCKING_COLLECTIVE_REQUEST, NonBlockingCollectiveRequest(W, m[0]))
        ROW(NON_BLOCKING_COLLECTIVE_COMPLETE,
            NonBlockingCollectiveComplete(W, (OTF2_CollectiveOp)m[0], m32(m[1]), m32(m[2]), m[3],
                                          m[4], m[5]))
        ROW(COMM_CREATE, CommCreate(W, m32(m[0])))
        ROW(COMM_DESTROY, CommDestroy(W, m32(m[0])))
#undef ROW
    default:
        return OTF2_ERROR_INVALID_ARGUMENT; // a row without a call here fails the test
    }
}
#undef W
// NOLINTEND(readability-function-size)

static const struct {
    int type;
    const char *members;
} rows[] = {
#define EVENT(name, number, text) {number, text},
#define SINGLE(name, number) {number, "n"},
#include "metrics/read/otf2/events/otf2_events.def"
#undef EVENT
#undef SINGLE
};
enum { ROWS = sizeof rows / sizeof *rows };

/// Members of each size, the undefined one last.
static const uint64_t patterns[] = {
    0, 1, 0x7F, 0xFF, 0x100, 0xABCD, 0x10000, 0xABCDEF, 0x1000000, 0xFFFFFFFE, PJ_REC_UNDEFINED};
enum { PATTERNS = sizeof patterns / sizeof *patterns };

static void fill(const char *shape, size_t pattern, int type, uint64_t *members)
{
    for (size_t i = 0; shape[i]; i++)
        members[i] = shape[i] == 'b' ? (pattern + i) % 2 + 1 : patterns[(pattern + i) % PATTERNS];
    if (type == PJ_REC_PROGRAM_BEGIN)
        members[1] = 0; // arguments
}

static OTF2_FlushType before_flush(void *self, OTF2_FileType type, OTF2_LocationRef location,
                                   void *caller, bool last)
{
    (void)self, (void)type, (void)location, (void)caller, (void)last;
    return OTF2_FLUSH;
}

static size_t read_bytes(const char *path, uint8_t *bytes)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t size = fread(bytes, 1, BYTES_MOST, file);
    fclose(file);
    return size;
}

static size_t their_bytes(uint8_t *bytes)
{
    static const OTF2_FlushCallbacks flush = {.otf2_pre_flush = before_flush};
    OTF2_Archive *archive =
        OTF2_Archive_Open(folder_file("theirs"), "traces", OTF2_FILEMODE_WRITE, BYTES_MOST,
                          BYTES_MOST, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    OTF2_Archive_SetFlushCallbacks(archive, &flush, NULL);
    OTF2_Archive_SetSerialCollectiveCallbacks(archive);
    OTF2_Archive_OpenEvtFiles(archive);
    OTF2_EvtWriter *writer = OTF2_Archive_GetEvtWriter(archive, 0);
    uint64_t time = 1, m[PJ_REC_MEMBERS_MOST];
    for (size_t row = 0; row < ROWS; row++)
        for (size_t pattern = 0; pattern < PATTERNS; pattern++) {
            fill(rows[row].members, pattern, rows[row].type, m);
            if (write_theirs(writer, rows[row].type, time++, m) != OTF2_SUCCESS)
                fail_msg("record %d is not written", rows[row].type);
        }
    OTF2_Type types[] = {OTF2_TYPE_UINT64, OTF2_TYPE_INT64, OTF2_TYPE_DOUBLE, OTF2_TYPE_DOUBLE};
    OTF2_MetricValue values[] = {
        {.unsigned_int = 300}, {.signed_int = -5}, {.floating_point = 1.5}, {.floating_point = 0}};
    OTF2_EvtWriter_Metric(writer, NULL, time, 7, 4, types, values);
    OTF2_Archive_CloseEvtWriter(archive, writer);
    OTF2_Archive_CloseEvtFiles(archive);
    OTF2_Archive_Close(archive);
    char path[4096];
    snprintf(path, sizeof path, "%s/traces/0.evt", folder_file("theirs"));
    return read_bytes(path, bytes);
}

static size_t our_bytes(uint8_t *bytes)
{
    pj_rec_thread *thread = pj_rec_here();
    assert_non_null(thread);
    const size_t begin = (size_t)(thread->at - thread->chunk);
    thread->last = 0; // the moments of the test instead of the clock
    uint64_t time = 1, m[PJ_REC_MEMBERS_MOST];
    for (size_t row = 0; row < ROWS; row++)
        for (size_t pattern = 0; pattern < PATTERNS; pattern++) {
            fill(rows[row].members, pattern, rows[row].type, m);
            assert_true(pj_rec_event(thread, (pj_rec_event_type)rows[row].type, time++, m));
        }
    const pj_rec_value values[] = {{PJ_REC_VALUE_UINT64, {.natural = 300}},
                                   {PJ_REC_VALUE_INT64, {.integer = -5}},
                                   {PJ_REC_VALUE_DOUBLE, {.real = 1.5}},
                                   {PJ_REC_VALUE_DOUBLE, {.real = 0}}};
    assert_true(pj_rec_values(thread, time, 7, values, 4));
    assert_int_equal(*thread->at, PJ_REC_CHUNK_END);
    const size_t size = (size_t)(thread->at - thread->chunk) - begin;
    memcpy(bytes, thread->chunk + begin, size);
    return size;
}

static void remove_all(const char *name)
{
    char command[8192];
    snprintf(command, sizeof command, "rm -rf '%s'", folder_file(name));
    assert_int_equal(system(command), 0); // NOLINT(cert-env33-c)
}

/// The type of the record that a byte belongs to: its row and pattern are its time.
static int record_at(const uint8_t *bytes, size_t place)
{
    uint64_t time = 0;
    for (size_t at = 0; at + 9 < place; at++)
        if (bytes[at] == PJ_REC_CHUNK_TIME && bytes[at + 1] == (uint8_t)(time + 1) &&
            bytes[at + 2] == (uint8_t)((time + 1) >> 8))
            time++;
    return time ? rows[(time - 1) / PATTERNS % ROWS].type : 0;
}

/// The decoder reads the values that the last record holds.
static void check_values(const uint8_t *bytes, size_t size)
{
    pj_otf2_evt *evt = pj_otf2_evt_memory(bytes, size, BYTES_MOST);
    pj_otf2_event event;
    unsigned count = 0;
    while (pj_otf2_evt_next(evt, &event))
        count = event.type == PJ_OTF2_METRIC ? event.count : 0;
    assert_int_equal(count, 4);
    double value;
    memcpy(&value, &event.values[2], sizeof value);
    assert_true(event.values[0] == 300 && event.values[1] == (uint64_t)-5 && value == 1.5);
    assert_true(event.values[3] == 0);
    pj_otf2_evt_close(evt);
}

static void bytes_are_libotf2s(void **state)
{
    (void)state;
    static uint8_t theirs[BYTES_MOST], ours[BYTES_MOST];
    size_t their_size = their_bytes(theirs), our_size = our_bytes(ours);
    assert_true(their_size > PJ_REC_CHUNK_HEAD && theirs[their_size - 2] == FILE_END);
    for (size_t i = 0; i < our_size; i++)
        if (ours[i] != theirs[PJ_REC_CHUNK_HEAD + i])
            fail_msg("byte %zu of record %d: %02x, not %02x", i, record_at(ours, i), ours[i],
                     theirs[PJ_REC_CHUNK_HEAD + i]);
    assert_int_equal(our_size, their_size - PJ_REC_CHUNK_HEAD - 2);
    uint8_t head[PJ_REC_CHUNK_HEAD + 1];
    pj_rec_chunk_begin(head, 1);
    assert_memory_equal(head, theirs, PJ_REC_CHUNK_LAST);
    check_values(theirs, their_size);
    pj_rec_finish();
    assert_null(pj_rec_here());
    remove_all("theirs");
    remove_all("ours");
}

static int begin(void **state)
{
    return folder_make(state) || !pj_rec_start((pj_rec_options){.folder = folder_file("ours")});
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(bytes_are_libotf2s)};
    return cmocka_run_group_tests(tests, begin, folder_remove);
}
