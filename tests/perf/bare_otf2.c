// bare_otf2 ANCHOR: what libotf2 itself needs to read an archive: local definitions and the events
// of one location after another, with callbacks that do nothing. Prints the number of events.
#include <otf2/otf2.h>

#include <stdio.h>
#include <stdlib.h>

typedef struct places {
    OTF2_LocationRef *ids;
    size_t count, cap;
} places;

static OTF2_CallbackCode take_location(void *self, OTF2_LocationRef id, OTF2_StringRef name,
                                       OTF2_LocationType type, uint64_t events,
                                       OTF2_LocationGroupRef group)
{
    places *all = self;
    (void)name, (void)type, (void)events, (void)group;
    if (all->count == all->cap) {
        all->cap = all->cap ? 2 * all->cap : 64;
        all->ids = realloc(all->ids, all->cap * sizeof *all->ids);
        if (!all->ids)
            exit(1);
    }
    all->ids[all->count++] = id;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_region(OTF2_LocationRef location, OTF2_TimeStamp time,
                                   uint64_t position, void *self, OTF2_AttributeList *attributes,
                                   OTF2_RegionRef region)
{
    (void)location, (void)time, (void)position, (void)self, (void)attributes, (void)region;
    return OTF2_CALLBACK_SUCCESS;
}

// NOLINTNEXTLINE(readability-function-size): the library says what parameters its callbacks have.
static OTF2_CallbackCode on_metric(OTF2_LocationRef location, OTF2_TimeStamp time,
                                   uint64_t position, void *self, OTF2_AttributeList *attributes,
                                   OTF2_MetricRef metric, uint8_t count, const OTF2_Type *types,
                                   const OTF2_MetricValue *values)
{
    (void)location, (void)time, (void)position, (void)self, (void)attributes;
    (void)metric, (void)count, (void)types, (void)values;
    return OTF2_CALLBACK_SUCCESS;
}

static void read_definitions(OTF2_Reader *reader, places *all)
{
    uint64_t read;
    OTF2_GlobalDefReader *definitions = OTF2_Reader_GetGlobalDefReader(reader);
    OTF2_GlobalDefReaderCallbacks *set = OTF2_GlobalDefReaderCallbacks_New();
    OTF2_GlobalDefReaderCallbacks_SetLocationCallback(set, take_location);
    OTF2_Reader_RegisterGlobalDefCallbacks(reader, definitions, set, all);
    OTF2_Reader_ReadAllGlobalDefinitions(reader, definitions, &read);
    OTF2_GlobalDefReaderCallbacks_Delete(set);
    for (size_t i = 0; i < all->count; i++)
        OTF2_Reader_SelectLocation(reader, all->ids[i]);
    OTF2_Reader_OpenDefFiles(reader);
    OTF2_Reader_OpenEvtFiles(reader);
    for (size_t i = 0; i < all->count; i++) {
        OTF2_DefReader *local = OTF2_Reader_GetDefReader(reader, all->ids[i]);
        if (!local)
            continue;
        OTF2_Reader_ReadAllLocalDefinitions(reader, local, &read);
        OTF2_Reader_CloseDefReader(reader, local);
    }
}

static uint64_t read_events(OTF2_Reader *reader, const places *all)
{
    uint64_t sum = 0, read;
    OTF2_EvtReaderCallbacks *set = OTF2_EvtReaderCallbacks_New();
    OTF2_EvtReaderCallbacks_SetEnterCallback(set, on_region);
    OTF2_EvtReaderCallbacks_SetLeaveCallback(set, on_region);
    OTF2_EvtReaderCallbacks_SetMetricCallback(set, on_metric);
    for (size_t i = 0; i < all->count; i++) {
        OTF2_EvtReader *events = OTF2_Reader_GetEvtReader(reader, all->ids[i]);
        if (!events)
            continue;
        OTF2_Reader_RegisterEvtCallbacks(reader, events, set, NULL);
        OTF2_Reader_ReadAllLocalEvents(reader, events, &read);
        OTF2_Reader_CloseEvtReader(reader, events);
        sum += read;
    }
    OTF2_EvtReaderCallbacks_Delete(set);
    return sum;
}

int main(int argc, char **argv)
{
    OTF2_Reader *reader = argc == 2 ? OTF2_Reader_Open(argv[1]) : NULL;
    if (!reader) {
        fprintf(stderr, "usage: bare_otf2 NAME.otf2\n");
        return 1;
    }
    places all = {0};
    OTF2_Reader_SetSerialCollectiveCallbacks(reader);
    read_definitions(reader, &all);
    printf("%llu\n", (unsigned long long)read_events(reader, &all));
    OTF2_Reader_Close(reader);
    free(all.ids);
    return 0;
}
