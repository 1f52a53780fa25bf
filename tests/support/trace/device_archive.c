// Writes archives with devices through libotf2.
#include "tests/support/trace/device_archive.h"

#include "tests/support/trace/otf2_flush.h"
#include "tests/support/trace/otf2_writer.h"

#include <otf2/otf2.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LOCATIONS_GROUP, MEMBERS_GROUP, LOCATIONS_MOST = 64, PATH_MOST = 512 };

static const uint64_t second = 1000000000;

static uint32_t texts; // of the archive that is being written

static uint32_t text(OTF2_GlobalDefWriter *out, const char *words)
{
    pj_otf2_good(OTF2_GlobalDefWriter_WriteString(out, texts, words));
    return texts++;
}

static uint32_t or_none(uint32_t number, uint32_t none)
{
    return number == DEVICE_ARCHIVE_NONE ? none : number;
}

static void define_system(OTF2_GlobalDefWriter *out, const device_archive *archive)
{
    for (uint32_t i = 0; archive->nodes[i].name; i++) {
        const device_archive_node *node = &archive->nodes[i];
        uint32_t name = text(out, node->name), class_ = text(out, node->class_);
        pj_otf2_good(OTF2_GlobalDefWriter_WriteSystemTreeNode(
            out, i, name, class_, or_none(node->parent, OTF2_UNDEFINED_SYSTEM_TREE_NODE)));
    }
    for (uint32_t i = 0; archive->groups[i].name; i++) {
        const device_archive_group *group = &archive->groups[i];
        uint32_t name = text(out, group->name);
        pj_otf2_good(OTF2_GlobalDefWriter_WriteLocationGroup(
            out, i, name,
            group->accelerator ? OTF2_LOCATION_GROUP_TYPE_ACCELERATOR
                               : OTF2_LOCATION_GROUP_TYPE_PROCESS,
            or_none(group->node, OTF2_UNDEFINED_SYSTEM_TREE_NODE),
            or_none(group->creator, OTF2_UNDEFINED_LOCATION_GROUP)));
    }
}

static void define_locations(OTF2_GlobalDefWriter *out, const device_archive *archive)
{
    for (uint32_t i = 0; archive->locations[i].name; i++) {
        const device_archive_location *location = &archive->locations[i];
        uint64_t records = 0;
        for (size_t r = 0; r < archive->record_count; r++)
            records += archive->records[r].location == i;
        uint32_t name = text(out, location->name);
        pj_otf2_good(OTF2_GlobalDefWriter_WriteLocation(out, i, name,
                                                        location->stream
                                                            ? OTF2_LOCATION_TYPE_ACCELERATOR_STREAM
                                                            : OTF2_LOCATION_TYPE_CPU_THREAD,
                                                        records, location->group));
    }
    for (uint32_t i = 0; archive->regions[i].name; i++) {
        const device_archive_region *region = &archive->regions[i];
        uint32_t name = text(out, region->name);
        pj_otf2_good(OTF2_GlobalDefWriter_WriteRegion(
            out, i, name, name, 0, region->role, region->paradigm, OTF2_REGION_FLAG_NONE, 0, 0, 0));
    }
}

static void define_window(OTF2_GlobalDefWriter *out, const device_archive *archive)
{
    uint64_t members[LOCATIONS_MOST];
    uint32_t count = 0;
    for (; archive->locations[count].name; count++)
        members[count] = count;
    uint32_t name = text(out, archive->window);
    pj_otf2_good(OTF2_GlobalDefWriter_WriteGroup(out, LOCATIONS_GROUP, name,
                                                 OTF2_GROUP_TYPE_COMM_LOCATIONS, archive->paradigm,
                                                 OTF2_GROUP_FLAG_NONE, count, members));
    pj_otf2_good(OTF2_GlobalDefWriter_WriteGroup(out, MEMBERS_GROUP, name,
                                                 OTF2_GROUP_TYPE_COMM_GROUP, archive->paradigm,
                                                 OTF2_GROUP_FLAG_NONE, count, members));
    pj_otf2_good(OTF2_GlobalDefWriter_WriteComm(out, 0, name, MEMBERS_GROUP, OTF2_UNDEFINED_COMM,
                                                OTF2_COMM_FLAG_NONE));
    pj_otf2_good(OTF2_GlobalDefWriter_WriteRmaWin(out, 0, name, 0, OTF2_RMA_WIN_FLAG_NONE));
}

static void write_definitions(OTF2_GlobalDefWriter *out, const device_archive *archive)
{
    uint64_t last = 0;
    for (size_t i = 0; i < archive->record_count; i++)
        last = archive->records[i].time > last ? archive->records[i].time : last;
    texts = 0;
    pj_otf2_good(OTF2_GlobalDefWriter_WriteClockProperties(out, second, 0, last + 1,
                                                           OTF2_UNDEFINED_TIMESTAMP));
    text(out, "");
    define_system(out, archive);
    define_locations(out, archive);
    if (archive->window)
        define_window(out, archive);
}

static OTF2_ErrorCode write_record(OTF2_EvtWriter *out, const device_archive_record *record)
{
    switch (record->kind) {
    case DEVICE_ARCHIVE_ENTER:
        return OTF2_EvtWriter_Enter(out, NULL, record->time, record->what);
    case DEVICE_ARCHIVE_LEAVE:
        return OTF2_EvtWriter_Leave(out, NULL, record->time, record->what);
    case DEVICE_ARCHIVE_GET:
        return OTF2_EvtWriter_RmaGet(out, NULL, record->time, 0, record->what, record->bytes,
                                     record->id);
    case DEVICE_ARCHIVE_PUT:
        return OTF2_EvtWriter_RmaPut(out, NULL, record->time, 0, record->what, record->bytes,
                                     record->id);
    case DEVICE_ARCHIVE_DONE:
        return OTF2_EvtWriter_RmaOpCompleteBlocking(out, NULL, record->time, 0, record->id);
    }
    return OTF2_SUCCESS;
}

static void write_events(OTF2_Archive *out, const device_archive *archive)
{
    pj_otf2_good(OTF2_Archive_OpenEvtFiles(out));
    for (uint32_t i = 0; archive->locations[i].name; i++) {
        OTF2_EvtWriter *events = OTF2_Archive_GetEvtWriter(out, i);
        for (size_t r = 0; r < archive->record_count; r++)
            if (archive->records[r].location == i)
                pj_otf2_good(write_record(events, &archive->records[r]));
        pj_otf2_good(OTF2_Archive_CloseEvtWriter(out, events));
    }
    pj_otf2_good(OTF2_Archive_CloseEvtFiles(out));
    pj_otf2_good(OTF2_Archive_OpenDefFiles(out));
    for (uint32_t i = 0; archive->locations[i].name; i++)
        pj_otf2_good(OTF2_Archive_CloseDefWriter(out, OTF2_Archive_GetDefWriter(out, i)));
    pj_otf2_good(OTF2_Archive_CloseDefFiles(out));
}

void device_archive_write(const char *anchor, const device_archive *archive)
{
    char folder[PATH_MOST], *name;
    pj_otf2_writer_remove(anchor);
    snprintf(folder, sizeof folder, "%.*s", (int)(strlen(anchor) - strlen(".otf2")), anchor);
    name = strrchr(folder, '/');
    *name++ = '\0';
    OTF2_Archive *out = OTF2_Archive_Open(folder, name, OTF2_FILEMODE_WRITE, 1 << 18, 1 << 20,
                                          OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    pj_otf2_good(OTF2_Archive_SetFlushCallbacks(out, &pj_otf2_flush, NULL));
    pj_otf2_good(OTF2_Archive_SetSerialCollectiveCallbacks(out));
    pj_otf2_good(OTF2_Archive_SetCreator(out, "Score-P 9.0"));
    write_events(out, archive);
    OTF2_GlobalDefWriter *global = OTF2_Archive_GetGlobalDefWriter(out);
    write_definitions(global, archive);
    pj_otf2_good(OTF2_Archive_CloseGlobalDefWriter(out, global));
    pj_otf2_good(OTF2_Archive_Close(out));
}
