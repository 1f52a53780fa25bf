// libotf2 as a module.
// The only file that sees libotf2. Its callbacks become definitions and events of our own; what it
// would print becomes the text of an error.
#include "metrics/base/err.h"
#include "metrics/read/otf2/cut/otf2_copy.h"
#include "metrics/read/otf2/events/otf2_event.h"
#include "metrics/read/otf2/otf2_lib.h"

#include <otf2/otf2.h>

#include <malloc.h>
#include <stdlib.h>
#include <string.h>

// NOLINTBEGIN(readability-function-size): the library says what parameters its callbacks have.

struct pj_otf2_archive {
    char *path;
    OTF2_Reader *reader;
    bool needed;
    OTF2_EvtReaderCallbacks *callbacks; // made at the first event
    pj_otf2_define *define;             // while definitions are read
    void *self;
    uint64_t map_kind;
    pj_otf2_event *event; // while an event is read
    bool got;
    uint64_t values[PJ_OTF2_VALUES];
    uint8_t kinds[PJ_OTF2_VALUES];
};

extern const pj_otf2_lib pj_otf2_module;

static uint64_t wide(uint32_t number)
{
    return number == UINT32_MAX ? PJ_OTF2_UNDEFINED : number;
}

#define WIDE(number)                                                                               \
    _Generic((number), uint64_t                                                                    \
             : (number), int64_t                                                                   \
             : (uint64_t)(number), default                                                         \
             : wide((uint32_t)(number)))

/// The library tells of errors that its callers also see.
static OTF2_ErrorCode keep_silent(void *self, const char *file, uint64_t line, const char *function,
                                  OTF2_ErrorCode code, const char *format, va_list args)
{
    (void)self, (void)file, (void)line, (void)function, (void)format, (void)args;
    return code;
}

static bool fail(pj_err *err, const pj_otf2_archive *archive, const char *what, OTF2_ErrorCode code)
{
    return pj_fail(err, PJ_E_FORMAT, archive->path, 0, "%s (libotf2: %s)", what,
                   OTF2_Error_GetDescription(code));
}

// Life

static void close_archive(pj_otf2_archive *archive)
{
    if (!archive)
        return;
    if (archive->callbacks)
        OTF2_EvtReaderCallbacks_Delete(archive->callbacks);
    if (archive->reader)
        OTF2_Reader_Close(archive->reader);
    free(archive->path);
    free(archive);
}

static pj_otf2_archive *open_archive(const char *anchor, pj_err *err)
{
    OTF2_Error_RegisterCallback(keep_silent, NULL);
    pj_otf2_archive *archive = calloc(1, sizeof *archive);
    char *path = strdup(anchor);
    if (!archive || !path) {
        free(archive);
        free(path);
        pj_fail(err, PJ_E_MEMORY, anchor, 0, "no memory for the archive");
        return NULL;
    }
    archive->path = path;
    archive->reader = OTF2_Reader_Open(anchor);
    OTF2_FileSubstrate substrate;
    OTF2_Compression compression;
    if (!archive->reader ||
        OTF2_Reader_SetSerialCollectiveCallbacks(archive->reader) != OTF2_SUCCESS ||
        OTF2_Reader_GetFileSubstrate(archive->reader, &substrate) != OTF2_SUCCESS ||
        OTF2_Reader_GetCompression(archive->reader, &compression) != OTF2_SUCCESS) {
        pj_fail(err, PJ_E_FORMAT, anchor, 0,
                "is no OTF2 archive that libotf2 can read: its definitions (.def) are missing, "
                "damaged or of a newer version");
        close_archive(archive);
        return NULL;
    }
    archive->needed = substrate != OTF2_SUBSTRATE_POSIX || compression != OTF2_COMPRESSION_NONE;
    return archive;
}

static bool needed(const pj_otf2_archive *archive)
{
    return archive->needed;
}

// Definitions

static OTF2_CallbackCode define(void *self, pj_otf2_def def)
{
    pj_otf2_archive *archive = self;
    archive->define(archive->self, &def);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode clock_def(void *self, uint64_t resolution, uint64_t offset,
                                   uint64_t length, uint64_t realtime)
{
    (void)realtime;
    return define(self,
                  (pj_otf2_def){.kind = PJ_OTF2_DEF_CLOCK, .number = {resolution, offset, length}});
}

static OTF2_CallbackCode string_def(void *self, OTF2_StringRef id, const char *text)
{
    return define(self, (pj_otf2_def){.kind = PJ_OTF2_DEF_STRING, .id = id, .text = text});
}

static OTF2_CallbackCode node_def(void *self, OTF2_SystemTreeNodeRef id, OTF2_StringRef name,
                                  OTF2_StringRef class_, OTF2_SystemTreeNodeRef parent)
{
    return define(self, (pj_otf2_def){.kind = PJ_OTF2_DEF_NODE,
                                      .id = id,
                                      .number = {WIDE(parent), WIDE(name), WIDE(class_)}});
}

static OTF2_CallbackCode location_group_def(void *self, OTF2_LocationGroupRef id,
                                            OTF2_StringRef name, OTF2_LocationGroupType type,
                                            OTF2_SystemTreeNodeRef node,
                                            OTF2_LocationGroupRef creator)
{
    return define(self, (pj_otf2_def){.kind = PJ_OTF2_DEF_LOCATION_GROUP,
                                      .id = id,
                                      .number = {WIDE(name), type, WIDE(node), WIDE(creator)}});
}

static OTF2_CallbackCode location_def(void *self, OTF2_LocationRef id, OTF2_StringRef name,
                                      OTF2_LocationType type, uint64_t events,
                                      OTF2_LocationGroupRef group)
{
    return define(self, (pj_otf2_def){.kind = PJ_OTF2_DEF_LOCATION,
                                      .id = id,
                                      .number = {WIDE(name), type, events, WIDE(group)}});
}

static OTF2_CallbackCode region_def(void *self, OTF2_RegionRef id, OTF2_StringRef name,
                                    OTF2_StringRef canonical, OTF2_StringRef description,
                                    OTF2_RegionRole role, OTF2_Paradigm paradigm,
                                    OTF2_RegionFlag flags, OTF2_StringRef file, uint32_t first,
                                    uint32_t last)
{
    (void)description, (void)last;
    return define(self, (pj_otf2_def){.kind = PJ_OTF2_DEF_REGION,
                                      .id = id,
                                      .number = {WIDE(name), WIDE(canonical), role, paradigm,
                                                 WIDE(file), WIDE(first), flags}});
}

static OTF2_CallbackCode calling_context_def(void *self, OTF2_CallingContextRef id,
                                             OTF2_RegionRef region, OTF2_SourceCodeLocationRef code,
                                             OTF2_CallingContextRef parent)
{
    (void)code, (void)parent;
    return define(
        self,
        (pj_otf2_def){.kind = PJ_OTF2_DEF_CALLING_CONTEXT, .id = id, .number = {WIDE(region)}});
}

static OTF2_CallbackCode group_def(void *self, OTF2_GroupRef id, OTF2_StringRef name,
                                   OTF2_GroupType type, OTF2_Paradigm paradigm,
                                   OTF2_GroupFlag flags, uint32_t count, const uint64_t *members)
{
    (void)flags;
    return define(self, (pj_otf2_def){.kind = PJ_OTF2_DEF_GROUP,
                                      .id = id,
                                      .number = {type, paradigm, WIDE(name)},
                                      .members = members,
                                      .member_count = count});
}

static OTF2_CallbackCode comm_def(void *self, OTF2_CommRef id, OTF2_StringRef name,
                                  OTF2_GroupRef group, OTF2_CommRef parent, OTF2_CommFlag flags)
{
    (void)flags;
    return define(
        self, (pj_otf2_def){.kind = PJ_OTF2_DEF_COMM,
                            .id = id,
                            .number = {WIDE(name), WIDE(group), PJ_OTF2_UNDEFINED, WIDE(parent)}});
}

static OTF2_CallbackCode inter_comm_def(void *self, OTF2_CommRef id, OTF2_StringRef name,
                                        OTF2_GroupRef a, OTF2_GroupRef b, OTF2_CommRef parent,
                                        OTF2_CommFlag flags)
{
    (void)parent, (void)flags;
    return define(self, (pj_otf2_def){.kind = PJ_OTF2_DEF_COMM,
                                      .id = id,
                                      .number = {WIDE(name), WIDE(a), WIDE(b)}});
}

static OTF2_CallbackCode window_def(void *self, OTF2_RmaWinRef id, OTF2_StringRef name,
                                    OTF2_CommRef comm, OTF2_RmaWinFlag flags)
{
    (void)flags;
    return define(
        self,
        (pj_otf2_def){.kind = PJ_OTF2_DEF_WINDOW, .id = id, .number = {WIDE(name), WIDE(comm)}});
}

static OTF2_CallbackCode metric_member_def(void *self, OTF2_MetricMemberRef id, OTF2_StringRef name,
                                           OTF2_StringRef description, OTF2_MetricType type,
                                           OTF2_MetricMode mode, OTF2_Type value, OTF2_Base base,
                                           int64_t exponent, OTF2_StringRef unit)
{
    (void)description, (void)type;
    return define(self, (pj_otf2_def){.kind = PJ_OTF2_DEF_METRIC_MEMBER,
                                      .id = id,
                                      .number = {WIDE(name), mode, value, base, (uint64_t)exponent,
                                                 WIDE(unit)}});
}

static OTF2_CallbackCode metric_class_def(void *self, OTF2_MetricRef id, uint8_t count,
                                          const OTF2_MetricMemberRef *members,
                                          OTF2_MetricOccurrence occurrence,
                                          OTF2_RecorderKind recorder)
{
    (void)recorder;
    uint64_t wider[UINT8_MAX];
    for (unsigned i = 0; i < count; i++)
        wider[i] = WIDE(members[i]);
    return define(self, (pj_otf2_def){.kind = PJ_OTF2_DEF_METRIC_CLASS,
                                      .id = id,
                                      .number = {occurrence},
                                      .members = wider,
                                      .member_count = count});
}

static OTF2_CallbackCode metric_instance_def(void *self, OTF2_MetricRef id, OTF2_MetricRef class_,
                                             OTF2_LocationRef recorder, OTF2_MetricScope kind,
                                             uint64_t scope)
{
    return define(self, (pj_otf2_def){.kind = PJ_OTF2_DEF_METRIC_INSTANCE,
                                      .id = id,
                                      .number = {WIDE(class_), recorder, kind, scope}});
}

static OTF2_CallbackCode parameter_def(void *self, OTF2_ParameterRef id, OTF2_StringRef name,
                                       OTF2_ParameterType type)
{
    (void)type;
    return define(self,
                  (pj_otf2_def){.kind = PJ_OTF2_DEF_PARAMETER, .id = id, .number = {WIDE(name)}});
}

static OTF2_CallbackCode file_def(void *self, OTF2_IoFileRef id, OTF2_StringRef name,
                                  OTF2_SystemTreeNodeRef scope)
{
    (void)scope;
    return define(self, (pj_otf2_def){.kind = PJ_OTF2_DEF_FILE, .id = id, .number = {WIDE(name)}});
}

static OTF2_CallbackCode handle_def(void *self, OTF2_IoHandleRef id, OTF2_StringRef name,
                                    OTF2_IoFileRef file, OTF2_IoParadigmRef paradigm,
                                    OTF2_IoHandleFlag flags, OTF2_CommRef comm,
                                    OTF2_IoHandleRef parent)
{
    (void)paradigm, (void)flags, (void)comm, (void)parent;
    return define(
        self,
        (pj_otf2_def){.kind = PJ_OTF2_DEF_HANDLE, .id = id, .number = {WIDE(name), WIDE(file)}});
}

static void set_callbacks(OTF2_GlobalDefReaderCallbacks *set)
{
    OTF2_GlobalDefReaderCallbacks_SetClockPropertiesCallback(set, clock_def);
    OTF2_GlobalDefReaderCallbacks_SetStringCallback(set, string_def);
    OTF2_GlobalDefReaderCallbacks_SetSystemTreeNodeCallback(set, node_def);
    OTF2_GlobalDefReaderCallbacks_SetLocationGroupCallback(set, location_group_def);
    OTF2_GlobalDefReaderCallbacks_SetLocationCallback(set, location_def);
    OTF2_GlobalDefReaderCallbacks_SetRegionCallback(set, region_def);
    OTF2_GlobalDefReaderCallbacks_SetCallingContextCallback(set, calling_context_def);
    OTF2_GlobalDefReaderCallbacks_SetGroupCallback(set, group_def);
    OTF2_GlobalDefReaderCallbacks_SetCommCallback(set, comm_def);
    OTF2_GlobalDefReaderCallbacks_SetInterCommCallback(set, inter_comm_def);
    OTF2_GlobalDefReaderCallbacks_SetRmaWinCallback(set, window_def);
    OTF2_GlobalDefReaderCallbacks_SetMetricMemberCallback(set, metric_member_def);
    OTF2_GlobalDefReaderCallbacks_SetMetricClassCallback(set, metric_class_def);
    OTF2_GlobalDefReaderCallbacks_SetMetricInstanceCallback(set, metric_instance_def);
    OTF2_GlobalDefReaderCallbacks_SetParameterCallback(set, parameter_def);
    OTF2_GlobalDefReaderCallbacks_SetIoRegularFileCallback(set, file_def);
    OTF2_GlobalDefReaderCallbacks_SetIoDirectoryCallback(set, file_def);
    OTF2_GlobalDefReaderCallbacks_SetIoHandleCallback(set, handle_def);
}

/// Of damaged definitions libotf2 reads memory that it has never written: while it reads them that
/// is zeros, so that the same bytes always give the same result.
static void clear_memory(bool on)
{
    mallopt(M_PERTURB, on ? UINT8_MAX : 0);
}

static bool definitions(pj_otf2_archive *archive, pj_otf2_define *to, void *self, pj_err *err)
{
    archive->define = to;
    archive->self = self;
    OTF2_GlobalDefReader *reader = OTF2_Reader_GetGlobalDefReader(archive->reader);
    OTF2_GlobalDefReaderCallbacks *set = OTF2_GlobalDefReaderCallbacks_New();
    if (!reader || !set) {
        OTF2_GlobalDefReaderCallbacks_Delete(set);
        return fail(err, archive, "its global definitions (.def) cannot be opened",
                    OTF2_ERROR_FILE_INTERACTION);
    }
    set_callbacks(set);
    OTF2_Reader_RegisterGlobalDefCallbacks(archive->reader, reader, set, archive);
    OTF2_GlobalDefReaderCallbacks_Delete(set);
    uint64_t read;
    clear_memory(true);
    OTF2_ErrorCode code = OTF2_Reader_ReadAllGlobalDefinitions(archive->reader, reader, &read);
    clear_memory(false);
    OTF2_Reader_CloseGlobalDefReader(archive->reader, reader);
    return code == OTF2_SUCCESS ||
           fail(err, archive, "its global definitions (.def) are damaged", code);
}

static void take_mapping(uint64_t from, uint64_t to, void *self)
{
    const pj_otf2_archive *archive = self;
    define(self,
           (pj_otf2_def){.kind = PJ_OTF2_DEF_MAP, .id = from, .number = {archive->map_kind, to}});
}

static OTF2_CallbackCode map_def(void *self, OTF2_MappingType kind, const OTF2_IdMap *map)
{
    ((pj_otf2_archive *)self)->map_kind = kind;
    OTF2_IdMap_Traverse(map, take_mapping, self);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode offset_def(void *self, OTF2_TimeStamp time, int64_t offset,
                                    double deviation)
{
    (void)deviation;
    return define(self,
                  (pj_otf2_def){.kind = PJ_OTF2_DEF_OFFSET, .number = {time, (uint64_t)offset}});
}

static void select_locations(pj_otf2_archive *archive, const uint64_t *locations, size_t count)
{
    for (size_t i = 0; i < count; i++)
        OTF2_Reader_SelectLocation(archive->reader, locations[i]);
    OTF2_Reader_OpenDefFiles(archive->reader);
    OTF2_Reader_OpenEvtFiles(archive->reader);
}

static bool local(pj_otf2_archive *archive, uint64_t number, pj_otf2_define *to, void *self)
{
    archive->define = to;
    archive->self = self;
    OTF2_DefReader *reader = OTF2_Reader_GetDefReader(archive->reader, number);
    OTF2_DefReaderCallbacks *set = OTF2_DefReaderCallbacks_New();
    if (!reader || !set) {
        OTF2_DefReaderCallbacks_Delete(set);
        return false;
    }
    OTF2_DefReaderCallbacks_SetMappingTableCallback(set, map_def);
    OTF2_DefReaderCallbacks_SetClockOffsetCallback(set, offset_def);
    OTF2_Reader_RegisterDefCallbacks(archive->reader, reader, set, archive);
    OTF2_DefReaderCallbacks_Delete(set);
    uint64_t read;
    clear_memory(true);
    OTF2_ErrorCode code = OTF2_Reader_ReadAllLocalDefinitions(archive->reader, reader, &read);
    clear_memory(false);
    OTF2_Reader_CloseDefReader(archive->reader, reader);
    return code == OTF2_SUCCESS;
}

// Events

#define HEAD                                                                                       \
    OTF2_LocationRef number, OTF2_TimeStamp time, uint64_t position, void *self,                   \
        OTF2_AttributeList *attributes
#define TAKE(type, ...)                                                                            \
    {                                                                                              \
        (void)number, (void)position, (void)attributes;                                            \
        return take(self, time, type, (const uint64_t[PJ_OTF2_FIELDS]){__VA_ARGS__});              \
    }

static OTF2_CallbackCode take(void *self, uint64_t time, uint8_t type, const uint64_t *fields)
{
    pj_otf2_archive *archive = self;
    archive->event->time = time;
    archive->event->type = type;
    memcpy(archive->event->field, fields, sizeof archive->event->field);
    archive->got = true;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode take_metric(HEAD, OTF2_MetricRef metric, uint8_t count,
                                     const OTF2_Type *types, const OTF2_MetricValue *values)
{
    pj_otf2_archive *archive = self;
    for (unsigned i = 0; i < count; i++) {
        archive->kinds[i] = types[i];
        archive->values[i] = values[i].unsigned_int;
    }
    archive->event->count = count;
    archive->event->values = archive->values;
    archive->event->kinds = archive->kinds;
    TAKE(PJ_OTF2_METRIC, WIDE(metric))
}

// clang-format off
#define ON_0(name) static OTF2_CallbackCode on_##name(HEAD) TAKE(PJ_OTF2_##name, 0)
#define ON_1(name, A) static OTF2_CallbackCode on_##name(HEAD, A a) TAKE(PJ_OTF2_##name, WIDE(a))
#define ON_2(name, A, B) static OTF2_CallbackCode on_##name(HEAD, A a, B b) \
    TAKE(PJ_OTF2_##name, WIDE(a), WIDE(b))
#define ON_3(name, A, B, C) static OTF2_CallbackCode on_##name(HEAD, A a, B b, C c) \
    TAKE(PJ_OTF2_##name, WIDE(a), WIDE(b), WIDE(c))
#define ON_4(name, A, B, C, D) static OTF2_CallbackCode on_##name(HEAD, A a, B b, C c, D d) \
    TAKE(PJ_OTF2_##name, WIDE(a), WIDE(b), WIDE(c), WIDE(d))
#define ON_5(name, A, B, C, D, E) static OTF2_CallbackCode on_##name(HEAD, A a, B b, C c, D d, E e) \
    TAKE(PJ_OTF2_##name, WIDE(a), WIDE(b), WIDE(c), WIDE(d), WIDE(e))
#define ON_6(name, A, B, C, D, E, F) \
    static OTF2_CallbackCode on_##name(HEAD, A a, B b, C c, D d, E e, F f) \
    TAKE(PJ_OTF2_##name, WIDE(a), WIDE(b), WIDE(c), WIDE(d), WIDE(e), WIDE(f))

ON_1(BUFFER_FLUSH, OTF2_TimeStamp)
ON_1(MEASUREMENT_ON_OFF, OTF2_MeasurementMode)
ON_1(ENTER, OTF2_RegionRef)
ON_1(LEAVE, OTF2_RegionRef)
ON_4(MPI_SEND, uint32_t, OTF2_CommRef, uint32_t, uint64_t)
ON_5(MPI_ISEND, uint32_t, OTF2_CommRef, uint32_t, uint64_t, uint64_t)
ON_1(MPI_ISEND_COMPLETE, uint64_t)
ON_1(MPI_IRECV_REQUEST, uint64_t)
ON_4(MPI_RECV, uint32_t, OTF2_CommRef, uint32_t, uint64_t)
ON_5(MPI_IRECV, uint32_t, OTF2_CommRef, uint32_t, uint64_t, uint64_t)
ON_1(MPI_REQUEST_TEST, uint64_t)
ON_1(MPI_REQUEST_CANCELLED, uint64_t)
ON_0(MPI_COLLECTIVE_BEGIN)
ON_5(MPI_COLLECTIVE_END, OTF2_CollectiveOp, OTF2_CommRef, uint32_t, uint64_t, uint64_t)
ON_1(OMP_FORK, uint32_t)
ON_0(OMP_JOIN)
ON_2(OMP_ACQUIRE_LOCK, uint32_t, uint32_t)
ON_2(OMP_RELEASE_LOCK, uint32_t, uint32_t)
ON_1(OMP_TASK_CREATE, uint64_t)
ON_1(OMP_TASK_SWITCH, uint64_t)
ON_1(OMP_TASK_COMPLETE, uint64_t)
ON_2(PARAMETER_STRING, OTF2_ParameterRef, OTF2_StringRef)
ON_2(PARAMETER_INT, OTF2_ParameterRef, int64_t)
ON_2(PARAMETER_UNSIGNED, OTF2_ParameterRef, uint64_t)
ON_0(RMA_COLLECTIVE_BEGIN)
ON_6(RMA_COLLECTIVE_END, OTF2_CollectiveOp, OTF2_RmaSyncLevel, OTF2_RmaWinRef, uint32_t, uint64_t, uint64_t)
ON_3(RMA_GROUP_SYNC, OTF2_RmaSyncLevel, OTF2_RmaWinRef, OTF2_GroupRef)
ON_4(RMA_REQUEST_LOCK, OTF2_RmaWinRef, uint32_t, uint64_t, OTF2_LockType)
ON_4(RMA_ACQUIRE_LOCK, OTF2_RmaWinRef, uint32_t, uint64_t, OTF2_LockType)
ON_3(RMA_RELEASE_LOCK, OTF2_RmaWinRef, uint32_t, uint64_t)
ON_4(RMA_PUT, OTF2_RmaWinRef, uint32_t, uint64_t, uint64_t)
ON_4(RMA_GET, OTF2_RmaWinRef, uint32_t, uint64_t, uint64_t)
ON_2(RMA_OP_COMPLETE_BLOCKING, OTF2_RmaWinRef, uint64_t)
ON_2(RMA_OP_COMPLETE_NON_BLOCKING, OTF2_RmaWinRef, uint64_t)
ON_2(THREAD_FORK, OTF2_Paradigm, uint32_t)
ON_1(THREAD_JOIN, OTF2_Paradigm)
ON_1(THREAD_TEAM_BEGIN, OTF2_CommRef)
ON_1(THREAD_TEAM_END, OTF2_CommRef)
ON_3(THREAD_ACQUIRE_LOCK, OTF2_Paradigm, uint32_t, uint32_t)
ON_3(THREAD_RELEASE_LOCK, OTF2_Paradigm, uint32_t, uint32_t)
ON_3(THREAD_TASK_CREATE, OTF2_CommRef, uint32_t, uint32_t)
ON_3(THREAD_TASK_SWITCH, OTF2_CommRef, uint32_t, uint32_t)
ON_3(THREAD_TASK_COMPLETE, OTF2_CommRef, uint32_t, uint32_t)
ON_2(THREAD_BEGIN, OTF2_CommRef, uint64_t)
ON_2(THREAD_END, OTF2_CommRef, uint64_t)
ON_2(CALLING_CONTEXT_ENTER, OTF2_CallingContextRef, uint32_t)
ON_1(CALLING_CONTEXT_LEAVE, OTF2_CallingContextRef)
ON_4(IO_CREATE_HANDLE, OTF2_IoHandleRef, OTF2_IoAccessMode, OTF2_IoCreationFlag, OTF2_IoStatusFlag)
ON_1(IO_DESTROY_HANDLE, OTF2_IoHandleRef)
ON_3(IO_DUPLICATE_HANDLE, OTF2_IoHandleRef, OTF2_IoHandleRef, OTF2_IoStatusFlag)
ON_4(IO_SEEK, OTF2_IoHandleRef, int64_t, OTF2_IoSeekOption, uint64_t)
ON_5(IO_OPERATION_BEGIN, OTF2_IoHandleRef, OTF2_IoOperationMode, OTF2_IoOperationFlag, uint64_t, uint64_t)
ON_3(IO_OPERATION_COMPLETE, OTF2_IoHandleRef, uint64_t, uint64_t)
ON_1(PROGRAM_END, int64_t)
ON_1(NON_BLOCKING_COLLECTIVE_REQUEST, uint64_t)
ON_6(NON_BLOCKING_COLLECTIVE_COMPLETE, OTF2_CollectiveOp, OTF2_CommRef, uint32_t, uint64_t, uint64_t, uint64_t)
ON_1(COMM_CREATE, OTF2_CommRef)
ON_1(COMM_DESTROY, OTF2_CommRef)
// clang-format on

static OTF2_CallbackCode on_PROGRAM_BEGIN(HEAD, OTF2_StringRef name, uint32_t count,
                                          const OTF2_StringRef *arguments)
{
    (void)count, (void)arguments;
    TAKE(PJ_OTF2_PROGRAM_BEGIN, WIDE(name))
}

static OTF2_EvtReaderCallbacks *event_callbacks(void)
{
    OTF2_EvtReaderCallbacks *set = OTF2_EvtReaderCallbacks_New();
    if (!set)
        return NULL;
#define ON(Name, name) OTF2_EvtReaderCallbacks_Set##Name##Callback(set, on_##name)
    ON(BufferFlush, BUFFER_FLUSH);
    ON(MeasurementOnOff, MEASUREMENT_ON_OFF);
    ON(Enter, ENTER);
    ON(Leave, LEAVE);
    ON(MpiSend, MPI_SEND);
    ON(MpiIsend, MPI_ISEND);
    ON(MpiIsendComplete, MPI_ISEND_COMPLETE);
    ON(MpiIrecvRequest, MPI_IRECV_REQUEST);
    ON(MpiRecv, MPI_RECV);
    ON(MpiIrecv, MPI_IRECV);
    ON(MpiRequestTest, MPI_REQUEST_TEST);
    ON(MpiRequestCancelled, MPI_REQUEST_CANCELLED);
    ON(MpiCollectiveBegin, MPI_COLLECTIVE_BEGIN);
    ON(MpiCollectiveEnd, MPI_COLLECTIVE_END);
    ON(OmpFork, OMP_FORK);
    ON(OmpJoin, OMP_JOIN);
    ON(OmpAcquireLock, OMP_ACQUIRE_LOCK);
    ON(OmpReleaseLock, OMP_RELEASE_LOCK);
    ON(OmpTaskCreate, OMP_TASK_CREATE);
    ON(OmpTaskSwitch, OMP_TASK_SWITCH);
    ON(OmpTaskComplete, OMP_TASK_COMPLETE);
    ON(ParameterString, PARAMETER_STRING);
    ON(ParameterInt, PARAMETER_INT);
    ON(ParameterUnsignedInt, PARAMETER_UNSIGNED);
    ON(RmaCollectiveBegin, RMA_COLLECTIVE_BEGIN);
    ON(RmaCollectiveEnd, RMA_COLLECTIVE_END);
    ON(RmaGroupSync, RMA_GROUP_SYNC);
    ON(RmaRequestLock, RMA_REQUEST_LOCK);
    ON(RmaAcquireLock, RMA_ACQUIRE_LOCK);
    ON(RmaReleaseLock, RMA_RELEASE_LOCK);
    ON(RmaPut, RMA_PUT);
    ON(RmaGet, RMA_GET);
    ON(RmaOpCompleteBlocking, RMA_OP_COMPLETE_BLOCKING);
    ON(RmaOpCompleteNonBlocking, RMA_OP_COMPLETE_NON_BLOCKING);
    ON(ThreadFork, THREAD_FORK);
    ON(ThreadJoin, THREAD_JOIN);
    ON(ThreadTeamBegin, THREAD_TEAM_BEGIN);
    ON(ThreadTeamEnd, THREAD_TEAM_END);
    ON(ThreadAcquireLock, THREAD_ACQUIRE_LOCK);
    ON(ThreadReleaseLock, THREAD_RELEASE_LOCK);
    ON(ThreadTaskCreate, THREAD_TASK_CREATE);
    ON(ThreadTaskSwitch, THREAD_TASK_SWITCH);
    ON(ThreadTaskComplete, THREAD_TASK_COMPLETE);
    ON(ThreadBegin, THREAD_BEGIN);
    ON(ThreadEnd, THREAD_END);
    ON(CallingContextEnter, CALLING_CONTEXT_ENTER);
    ON(CallingContextLeave, CALLING_CONTEXT_LEAVE);
    ON(IoCreateHandle, IO_CREATE_HANDLE);
    ON(IoDestroyHandle, IO_DESTROY_HANDLE);
    ON(IoDuplicateHandle, IO_DUPLICATE_HANDLE);
    ON(IoSeek, IO_SEEK);
    ON(IoOperationBegin, IO_OPERATION_BEGIN);
    ON(IoOperationComplete, IO_OPERATION_COMPLETE);
    ON(ProgramBegin, PROGRAM_BEGIN);
    ON(ProgramEnd, PROGRAM_END);
    ON(NonBlockingCollectiveRequest, NON_BLOCKING_COLLECTIVE_REQUEST);
    ON(NonBlockingCollectiveComplete, NON_BLOCKING_COLLECTIVE_COMPLETE);
    ON(CommCreate, COMM_CREATE);
    ON(CommDestroy, COMM_DESTROY);
#undef ON
    OTF2_EvtReaderCallbacks_SetMetricCallback(set, take_metric);
    return set;
}

static bool next(pj_otf2_archive *archive, uint64_t number, pj_otf2_event *event, pj_err *err)
{
    OTF2_EvtReader *reader = OTF2_Reader_GetEvtReader(archive->reader, number);
    if (!archive->callbacks)
        archive->callbacks = event_callbacks();
    if (!reader || !archive->callbacks)
        return fail(err, archive, "events of a location cannot be opened",
                    OTF2_ERROR_FILE_INTERACTION);
    OTF2_Reader_RegisterEvtCallbacks(archive->reader, reader, archive->callbacks, archive);
    archive->event = event;
    archive->got = false;
    *event = (pj_otf2_event){.type = UINT8_MAX};
    uint64_t read = 0;
    OTF2_ErrorCode code = OTF2_Reader_ReadLocalEvents(archive->reader, reader, 1, &read);
    if (code != OTF2_SUCCESS && read == 0)
        return fail(err, archive, "events of a location are damaged", code);
    return read > 0;
}

__attribute__((visibility("default"))) const pj_otf2_lib pj_otf2_module = {
    .open = open_archive,
    .close = close_archive,
    .needed = needed,
    .definitions = definitions,
    .select = select_locations,
    .local = local,
    .next = next,
    .copy = pj_otf2_copy,
};

// NOLINTEND(readability-function-size)
