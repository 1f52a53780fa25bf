// Part of the module around libotf2: writes the definitions of a recorded archive.
#include "metrics/base/err.h"
#include "metrics/record/merge/recorded.h"

#include <otf2/otf2.h>

#include <stdlib.h>
#include <string.h>

extern const pj_recorded_writer pj_recorded_module;

enum { CHUNK = 256 * 1024, CHUNK_MOST = 4 * 1024 * 1024, MEMBERS_IN_CHUNK = 20000 };

typedef struct saving {
    const pj_recorded *of;
    OTF2_Archive *archive;
    OTF2_GlobalDefWriter *out;
    OTF2_GroupRef groups; // so far: their ids have no gaps
    OTF2_ErrorCode failed;
} saving;

static void good(saving *s, OTF2_ErrorCode code)
{
    if (s->failed == OTF2_SUCCESS)
        s->failed = code;
}

static OTF2_FlushType before_flush(void *self, OTF2_FileType type, OTF2_LocationRef location,
                                   void *caller, bool last)
{
    (void)self, (void)type, (void)location, (void)caller, (void)last;
    return OTF2_FLUSH;
}

static const OTF2_FlushCallbacks flush = {.otf2_pre_flush = before_flush};

// NOLINTNEXTLINE(readability-function-size): the library says what its parameters are
static OTF2_ErrorCode keep_silent(void *self, const char *file, uint64_t line, const char *function,
                                  OTF2_ErrorCode code, const char *format, va_list args)
{
    (void)self, (void)file, (void)line, (void)function, (void)format, (void)args;
    return code;
}

// Local definitions

static void write_map(saving *s, OTF2_DefWriter *out, OTF2_MappingType kind, pj_recorded_map map)
{
    if (!map.ids)
        return;
    OTF2_IdMap *ids = OTF2_IdMap_CreateFromUint32Array(map.count + 1, map.ids, false);
    good(s, ids ? OTF2_DefWriter_WriteMappingTable(out, kind, ids) : OTF2_ERROR_MEM_ALLOC_FAILED);
    OTF2_IdMap_Free(ids);
}

static void write_local(saving *s, const pj_recorded_location *location)
{
    const pj_recorded_process *p = &s->of->processes[location->process];
    OTF2_DefWriter *out = OTF2_Archive_GetDefWriter(s->archive, location->id);
    if (!out) {
        good(s, OTF2_ERROR_MEM_ALLOC_FAILED);
        return;
    }
    write_map(s, out, OTF2_MAPPING_STRING, p->strings);
    write_map(s, out, OTF2_MAPPING_REGION, p->regions);
    write_map(s, out, OTF2_MAPPING_PARAMETER, p->parameters);
    write_map(s, out, OTF2_MAPPING_METRIC, p->metrics);
    write_map(s, out, OTF2_MAPPING_COMM, p->comms);
    write_map(s, out, OTF2_MAPPING_IO_HANDLE, p->handles);
    for (unsigned i = 0; i < 2 && p->has_offsets; i++)
        good(s, OTF2_DefWriter_WriteClockOffset(out, p->offsets[i].ticks, p->offsets[i].offset, 0));
    good(s, OTF2_Archive_CloseDefWriter(s->archive, out));
}

// Global definitions

static void write_regions(saving *s)
{
    for (uint32_t i = 0; i < s->of->region_count; i++) {
        const pj_recorded_region *r = &s->of->regions[i];
        good(s, OTF2_GlobalDefWriter_WriteRegion(s->out, i, r->name, r->canonical, r->description,
                                                 r->role, r->paradigm, OTF2_REGION_FLAG_NONE,
                                                 r->file ? r->file : OTF2_UNDEFINED_STRING,
                                                 r->first_line, r->last_line));
    }
}

static void write_values(saving *s)
{
    for (uint32_t i = 0; i < s->of->parameter_count; i++)
        good(s, OTF2_GlobalDefWriter_WriteParameter(s->out, i, s->of->parameters[i].name,
                                                    s->of->parameters[i].type));
    for (uint32_t i = 0; i < s->of->metric_count; i++) {
        const pj_recorded_metric *m = &s->of->metrics[i];
        good(s, OTF2_GlobalDefWriter_WriteMetricMember(
                    s->out, i, m->name, m->name, OTF2_METRIC_TYPE_OTHER, OTF2_METRIC_ABSOLUTE_POINT,
                    m->type, OTF2_BASE_DECIMAL, 0, m->unit));
        good(s, OTF2_GlobalDefWriter_WriteMetricClass(s->out, i, 1, &i,
                                                      m->of_thread ? OTF2_METRIC_SYNCHRONOUS
                                                                   : OTF2_METRIC_ASYNCHRONOUS,
                                                      OTF2_RECORDER_KIND_CPU));
    }
}

static void write_places(saving *s)
{
    const pj_recorded *of = s->of;
    good(s, OTF2_GlobalDefWriter_WriteSystemTreeNode(s->out, 0, of->machine, of->machine_class,
                                                     OTF2_UNDEFINED_SYSTEM_TREE_NODE));
    good(s, OTF2_GlobalDefWriter_WriteSystemTreeNodeDomain(s->out, 0,
                                                           OTF2_SYSTEM_TREE_DOMAIN_MACHINE));
    for (uint32_t i = 0; i < of->node_count; i++) {
        good(s, OTF2_GlobalDefWriter_WriteSystemTreeNode(s->out, i + 1, of->nodes[i],
                                                         of->node_class, 0));
        good(s, OTF2_GlobalDefWriter_WriteSystemTreeNodeDomain(
                    s->out, i + 1, OTF2_SYSTEM_TREE_DOMAIN_SHARED_MEMORY));
    }
    for (uint32_t i = 0; i < of->process_count; i++) {
        const pj_recorded_process *p = &of->processes[i];
        good(s, OTF2_GlobalDefWriter_WriteLocationGroup(
                    s->out, i, p->name, OTF2_LOCATION_GROUP_TYPE_PROCESS, p->node + 1, p->creator));
        good(s, OTF2_GlobalDefWriter_WriteLocationGroupProperty(
                    s->out, i, of->id_name, OTF2_TYPE_UINT64,
                    (OTF2_AttributeValue){.uint64 = p->pid}));
    }
    for (size_t i = 0; i < of->location_count; i++)
        good(s, OTF2_GlobalDefWriter_WriteLocation(
                    s->out, of->locations[i].id, of->locations[i].name,
                    of->locations[i].readings ? OTF2_LOCATION_TYPE_METRIC
                                              : OTF2_LOCATION_TYPE_CPU_THREAD,
                    of->locations[i].events, of->locations[i].process));
}

static OTF2_GroupRef write_group(saving *s, uint32_t name, OTF2_GroupType type,
                                 OTF2_Paradigm paradigm, const uint64_t *members, uint32_t count)
{
    good(s, OTF2_GlobalDefWriter_WriteGroup(s->out, s->groups, name, type, paradigm,
                                            OTF2_GROUP_FLAG_NONE, count, members));
    return s->groups++;
}

/// What has processes or threads, and the group of all of them.
static void write_paradigm(saving *s, OTF2_Paradigm paradigm, uint32_t name, uint32_t all,
                           const uint64_t *members, uint32_t count)
{
    const bool mpi = paradigm == OTF2_PARADIGM_MPI;
    good(s, OTF2_GlobalDefWriter_WriteParadigm(s->out, paradigm, name,
                                               mpi ? OTF2_PARADIGM_CLASS_PROCESS
                                                   : OTF2_PARADIGM_CLASS_THREAD_FORK_JOIN));
    write_group(s, all, OTF2_GROUP_TYPE_COMM_LOCATIONS, paradigm, members, count);
}

static void write_comm(saving *s, uint32_t id, OTF2_GroupRef self)
{
    const pj_recorded_comm *c = &s->of->comms[id];
    const OTF2_Paradigm paradigm = c->team ? OTF2_PARADIGM_OPENMP : OTF2_PARADIGM_MPI;
    const OTF2_GroupType type = OTF2_GROUP_TYPE_COMM_GROUP;
    const OTF2_CommRef parent = c->parent == PJ_RECORDED_NONE ? OTF2_UNDEFINED_COMM : c->parent;
    OTF2_GroupRef group =
        c->self ? self : write_group(s, c->name, type, paradigm, c->members, c->count);
    if (!c->others) {
        good(s, OTF2_GlobalDefWriter_WriteComm(s->out, id, c->name, group, parent,
                                               OTF2_COMM_FLAG_NONE));
        return;
    }
    OTF2_GroupRef others = write_group(s, c->name, type, paradigm, c->others, c->other_count);
    good(s, OTF2_GlobalDefWriter_WriteInterComm(s->out, id, c->name, group, others, parent,
                                                OTF2_COMM_FLAG_NONE));
}

static void write_comms(saving *s)
{
    const pj_recorded *of = s->of;
    OTF2_GroupRef self = 0;
    if (of->world_size) {
        write_paradigm(s, OTF2_PARADIGM_MPI, of->mpi_name, of->world_name, of->world,
                       of->world_size);
        self = write_group(s, of->self_name, OTF2_GROUP_TYPE_COMM_SELF, OTF2_PARADIGM_MPI, NULL, 0);
    }
    if (of->thread_count)
        write_paradigm(s, OTF2_PARADIGM_OPENMP, of->openmp_name, of->threads_name, of->threads,
                       of->thread_count);
    for (uint32_t i = 0; i < of->comm_count; i++)
        if (of->comms[i].team ? of->thread_count : of->world_size)
            write_comm(s, i, self);
}

static void write_files(saving *s)
{
    const pj_recorded *of = s->of;
    for (uint8_t i = 0; i < of->io_paradigm_count; i++)
        good(s, OTF2_GlobalDefWriter_WriteIoParadigm(
                    s->out, i, of->io_paradigms[i].id, of->io_paradigms[i].name,
                    OTF2_IO_PARADIGM_CLASS_SERIAL, OTF2_IO_PARADIGM_FLAG_OS, 0, NULL, NULL, NULL));
    for (uint32_t i = 0; i < of->file_count; i++)
        good(s, OTF2_GlobalDefWriter_WriteIoRegularFile(s->out, i, of->files[i], 0));
    for (uint32_t i = 0; i < of->handle_count; i++) {
        const pj_recorded_handle *h = &of->handles[i];
        good(s, OTF2_GlobalDefWriter_WriteIoHandle(s->out, i, h->name, h->file, h->paradigm,
                                                   h->before ? OTF2_IO_HANDLE_FLAG_PRE_CREATED
                                                             : OTF2_IO_HANDLE_FLAG_NONE,
                                                   OTF2_UNDEFINED_COMM, OTF2_UNDEFINED_IO_HANDLE));
        if (h->before)
            good(s, OTF2_GlobalDefWriter_WriteIoPreCreatedHandleState(
                        s->out, i, OTF2_IO_ACCESS_MODE_READ_WRITE, OTF2_IO_STATUS_FLAG_NONE));
    }
}

static void write_global(saving *s)
{
    const pj_recorded *of = s->of;
    s->out = OTF2_Archive_GetGlobalDefWriter(s->archive);
    if (!s->out) {
        good(s, OTF2_ERROR_MEM_ALLOC_FAILED);
        return;
    }
    good(s, OTF2_GlobalDefWriter_WriteClockProperties(s->out, of->ticks_per_second, of->begin,
                                                      of->length, of->real));
    for (uint32_t i = 0; i <= of->string_count; i++)
        good(s, OTF2_GlobalDefWriter_WriteString(s->out, i, of->strings[i]));
    write_regions(s);
    write_values(s);
    write_places(s);
    write_comms(s);
    write_files(s);
    good(s, OTF2_Archive_CloseGlobalDefWriter(s->archive, s->out));
}

/// A definition must fit into a chunk; large ones cost time.
static uint64_t chunk_for(const pj_recorded *of)
{
    uint32_t most = of->world_size > of->thread_count ? of->world_size : of->thread_count;
    for (uint32_t i = 0; i < of->comm_count; i++)
        most = of->comms[i].count > most ? of->comms[i].count : most;
    for (uint32_t i = 0; i <= of->string_count; i++)
        if (strlen(of->strings[i]) > CHUNK / 2)
            return CHUNK_MOST;
    return most > MEMBERS_IN_CHUNK ? CHUNK_MOST : CHUNK;
}

static void write_archive(saving *s)
{
    const pj_recorded *of = s->of;
    good(s, OTF2_Archive_SetFlushCallbacks(s->archive, &flush, NULL));
    good(s, OTF2_Archive_SetSerialCollectiveCallbacks(s->archive));
    good(s, OTF2_Archive_SetCreator(s->archive, "popinjay " PJ_VERSION));
    for (size_t i = 0; i < of->property_count; i++)
        good(s, OTF2_Archive_SetProperty(s->archive, of->properties[i].name,
                                         of->properties[i].value, true));
    good(s, OTF2_Archive_OpenDefFiles(s->archive));
    for (size_t i = 0; i < of->location_count && s->failed == OTF2_SUCCESS; i++)
        write_local(s, &of->locations[i]);
    good(s, OTF2_Archive_CloseDefFiles(s->archive));
    write_global(s);
}

static bool write_recorded(const pj_recorded *of, const char *folder, pj_err *err)
{
    OTF2_Error_RegisterCallback(keep_silent, NULL);
    saving s = {.of = of,
                .archive =
                    OTF2_Archive_Open(folder, "traces", OTF2_FILEMODE_WRITE, CHUNK, chunk_for(of),
                                      OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE)};
    if (!s.archive)
        return pj_fail(err, PJ_E_IO, folder, 0, "the archive cannot be written there");
    write_archive(&s);
    good(&s, OTF2_Archive_Close(s.archive));
    return s.failed == OTF2_SUCCESS ||
           pj_fail(err, PJ_E_IO, folder, 0, "the archive cannot be written: %s",
                   OTF2_Error_GetDescription(s.failed));
}

__attribute__((visibility("default"))) const pj_recorded_writer pj_recorded_module = {
    .write = write_recorded,
};
