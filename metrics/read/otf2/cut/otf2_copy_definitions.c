// Definitions of an archive that is copied: those of its locations and the global ones, with
// made-up names where names are hidden.
#include "metrics/read/otf2/cut/otf2_copy_definitions.h"

#include "metrics/base/map.h"
#include "metrics/base/pseudonym.h"
#include "metrics/read/otf2/cut/otf2_copy.h"
#include "metrics/read/otf2/cut/otf2_copy_state.h"

#include <otf2/otf2.h>

#include <stdlib.h>
#include <string.h>

// What libotf2 calls deprecated is still in archives.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

// NOLINTBEGIN(readability-function-size): the library says what parameters its callbacks have.

typedef pj_otf2_copying copying;
typedef pj_otf2_copy_location location;

// Local definitions

static OTF2_CallbackCode go_on(const copying *c)
{
    return c->failed ? OTF2_CALLBACK_INTERRUPT : OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode copy_map(void *self, OTF2_MappingType kind, const OTF2_IdMap *map)
{
    copying *c = self;
    pj_otf2_copy_check(c, OTF2_DefWriter_WriteMappingTable(c->local, kind, map));
    return go_on(c);
}

static void read_local(copying *c, OTF2_Reader *reader, OTF2_LocationRef id)
{
    OTF2_DefReader *defs = OTF2_Reader_GetDefReader(reader, id);
    OTF2_DefReaderCallbacks *set = defs ? OTF2_DefReaderCallbacks_New() : NULL;
    if (!set)
        return;
    OTF2_DefReaderCallbacks_SetMappingTableCallback(set, copy_map);
    OTF2_Reader_RegisterDefCallbacks(reader, defs, set, c);
    OTF2_DefReaderCallbacks_Delete(set);
    uint64_t read;
    OTF2_Reader_ReadAllLocalDefinitions(reader, defs, &read);
    OTF2_Reader_CloseDefReader(reader, defs);
}

void pj_otf2_copy_local(copying *c, OTF2_Reader *reader, const location *p)
{
    c->local = OTF2_Archive_GetDefWriter(c->out, p->id);
    if (!c->local) {
        c->failed = true;
        return;
    }
    read_local(c, reader, p->id);
    size_t count;
    const pj_otf2_knot *knots = c->part->knots(c->part->self, p->id, &count);
    for (size_t i = 0; i < count; i++)
        pj_otf2_copy_check(
            c, OTF2_DefWriter_WriteClockOffset(c->local, knots[i].time, knots[i].offset, 0));
    pj_otf2_copy_check(c, OTF2_Archive_CloseDefWriter(c->out, c->local));
}

// Global definitions

#define PLAIN(...) __VA_ARGS__
#define COPY(name, parameters, arguments)                                                          \
    static OTF2_CallbackCode define_##name(void *self, PLAIN parameters)                           \
    {                                                                                              \
        copying *c = self;                                                                         \
        pj_otf2_copy_check(c, OTF2_GlobalDefWriter_Write##name(c->global, PLAIN arguments));       \
        return go_on(c);                                                                           \
    }
#include "metrics/read/otf2/cut/otf2_copy_defs.def"
#undef COPY

// Names: a string is one unless a definition says that it is a word of the measurement

enum { ALL, WORDS, PLACE, WORD }; // the last wins where several definitions share a string

static void keep(copying *c, OTF2_StringRef string, uint32_t what)
{
    uint32_t before = ALL;
    if (!c->part->names)
        return;
    pj_map_get(&c->kept, string, &before);
    if (what > before)
        pj_map_put(&c->kept, string, what);
}

/// Names that mean something where a tool does not say whose they are: functions of MPI, OpenMP
/// and the system, and what GPUs' libraries call theirs ("cudaMalloc", not "cudart_of_mine").
static bool is_standard(const char *text)
{
    static const struct {
        const char *begin;
        bool whole;
    } rows[] = {
        {"PMPI_", false},
        {"!$omp", false},
        {"PAPI_", false},
#define RULE(paradigm, role, state, construct)
#define NAME(begin, state, construct) {begin, false},
#define EXACT(name, state, construct) {name, true},
#include "metrics/read/otf2/events/otf2_regions.def"
#undef RULE
#undef NAME
#undef EXACT
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t len = strlen(rows[i].begin);
        char last = rows[i].begin[len - 1],
             next = strncmp(text, rows[i].begin, len) ? 0 : text[len];
        bool word = !(last >= 'a' && last <= 'z') || (next >= 'A' && next <= 'Z') || next == ' ';
        if (rows[i].whole ? strcmp(text, rows[i].begin) == 0 : next && word)
            return true;
    }
    return false;
}

#define KEEP(name, parameters, ...)                                                                \
    static OTF2_CallbackCode keep_##name(void *self, PLAIN parameters)                             \
    {                                                                                              \
        copying *c = self;                                                                         \
        __VA_ARGS__                                                                                \
        return go_on(c);                                                                           \
    }
#include "metrics/read/otf2/cut/otf2_copy_words.def"
#undef KEEP

static OTF2_CallbackCode define_String(void *self, OTF2_StringRef id, const char *text)
{
    static const pj_pseudonym_part parts[] = {[ALL] = PJ_NAME_ALL,
                                              [WORDS] = PJ_NAME_WORDS,
                                              [PLACE] = PJ_NAME_PLACE,
                                              [WORD] = PJ_NAME_NONE};
    copying *c = self;
    size_t len = strlen(text);
    uint32_t what = ALL;
    pj_map_get(&c->kept, id, &what);
    if (what < PLACE && is_standard(text))
        what = PLACE;
    bool hidden = c->part->names && len && what != WORD;
    char *made = hidden ? pj_pseudonym_of(c->part->names, text, len, parts[what]) : NULL;
    if (hidden && !made)
        c->failed = true;
    else
        pj_otf2_copy_check(c, OTF2_GlobalDefWriter_WriteString(c->global, id, made ? made : text));
    free(made);
    return go_on(c);
}

static OTF2_CallbackCode find_Location(void *self, OTF2_LocationRef id, OTF2_StringRef name,
                                       OTF2_LocationType type, uint64_t events,
                                       OTF2_LocationGroupRef group)
{
    (void)type, (void)events, (void)group;
    copying *c = self;
    keep(c, name, WORDS);
    for (size_t i = 0; i < c->count; i++)
        if (c->locations[i].id == id)
            return go_on(c);
    if (pj_otf2_copy_grow(c, (void **)&c->locations, c->count, sizeof *c->locations))
        c->locations[c->count++] = (location){.id = id};
    return go_on(c);
}

static OTF2_CallbackCode define_Location(void *self, OTF2_LocationRef id, OTF2_StringRef name,
                                         OTF2_LocationType type, uint64_t events,
                                         OTF2_LocationGroupRef group)
{
    copying *c = self;
    for (size_t i = 0; i < c->count; i++)
        if (c->locations[i].id == id)
            events = c->locations[i].events;
    pj_otf2_copy_check(
        c, OTF2_GlobalDefWriter_WriteLocation(c->global, id, name, type, events, group));
    return go_on(c);
}

static OTF2_CallbackCode define_ClockProperties(void *self, uint64_t resolution, uint64_t offset,
                                                uint64_t length, uint64_t date)
{
    (void)offset, (void)length;
    copying *c = self;
    pj_otf2_copy_check(c, OTF2_GlobalDefWriter_WriteClockProperties(
                              c->global, resolution, c->part->clock_from,
                              c->part->clock_to - c->part->clock_from, date));
    return go_on(c);
}

static void set_definition_callbacks(OTF2_GlobalDefReaderCallbacks *set, bool find)
{
    if (find) {
        OTF2_GlobalDefReaderCallbacks_SetLocationCallback(set, find_Location);
#define KEEP(name, parameters, ...)                                                                \
    OTF2_GlobalDefReaderCallbacks_Set##name##Callback(set, keep_##name);
#include "metrics/read/otf2/cut/otf2_copy_words.def"
#undef KEEP
        return;
    }
#define SET(name) OTF2_GlobalDefReaderCallbacks_Set##name##Callback(set, define_##name);
#define COPY(name, parameters, arguments) SET(name)
#include "metrics/read/otf2/cut/otf2_copy_defs.def"
#undef COPY
    SET(String)
    SET(Location)
    SET(ClockProperties)
#undef SET
}

void pj_otf2_copy_global(copying *c, OTF2_Reader *reader, bool find)
{
    OTF2_GlobalDefReader *defs = OTF2_Reader_GetGlobalDefReader(reader);
    OTF2_GlobalDefReaderCallbacks *set = defs ? OTF2_GlobalDefReaderCallbacks_New() : NULL;
    if (!set) {
        c->failed = true;
        return;
    }
    set_definition_callbacks(set, find);
    OTF2_Reader_RegisterGlobalDefCallbacks(reader, defs, set, c);
    OTF2_GlobalDefReaderCallbacks_Delete(set);
    uint64_t read;
    pj_otf2_copy_check(c, OTF2_Reader_ReadAllGlobalDefinitions(reader, defs, &read));
    OTF2_Reader_CloseGlobalDefReader(reader, defs);
}

// NOLINTEND(readability-function-size)
