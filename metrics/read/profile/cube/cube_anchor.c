// anchor.xml of a CUBE file: what the rows of values stand for. Read by expat without entities; the
// depth of what is nested costs no stack.
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/job.h"
#include "metrics/base/map.h"
#include "metrics/base/num.h"
#include "metrics/base/str.h"
#include "metrics/read/profile/cube/cube.h"

#include <expat.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    TEXT_MAX = 1 << 20,    // bytes of a name
    REGIONS_MAX = 1 << 24, // also of locations, metrics, attributes
    NODES_MAX = 1 << 26,
    DEPTH_MAX = 4096,
};

typedef enum kind { NOTHING, METRIC, REGION, PROCESS, LOCATION, MACHINE, KINDS } kind;

/// An array of the cube while it grows.
typedef struct growing {
    void *items;
    size_t count, cap, size;
} growing;

typedef struct anchor {
    pj_cube *cube;
    const char *name;
    pj_err *err;
    XML_Parser parser;
    bool failed;
    kind kind;     // of what the texts belong to
    int32_t outer; // metric that is open; PJ_CUBE_NONE
    int32_t node;  // call path that is open
    unsigned depth;
    pj_buf text;
    pj_map regions; // from ids to indices
    growing attributes, metrics, regions_found, nodes, parameters, processes, locations;
} anchor;

static void refuse(anchor *a, const char *what, uint64_t number)
{
    if (!a->failed)
        pj_fail(a->err, PJ_E_FORMAT, a->name, XML_GetCurrentLineNumber(a->parser), what, number);
    a->failed = true;
    XML_StopParser(a->parser, XML_FALSE);
}

/// A zeroed item more; NULL when there are too many.
static void *add(anchor *a, growing *all, size_t most)
{
    if (all->count == most) {
        refuse(a, "anchor.xml has more than %" PRIu64 " things of a kind", most);
        return NULL;
    }
    all->items = pj_grow_array(all->items, &all->cap, all->count + 1, all->size);
    void *item = (char *)all->items + all->size * all->count++;
    memset(item, 0, all->size);
    return item;
}

static void *last_of(const growing *all)
{
    return all->count ? (char *)all->items + all->size * (all->count - 1) : NULL;
}

static pj_str attribute(const XML_Char **attributes, const char *key)
{
    for (; attributes[0]; attributes += 2)
        if (strcmp(attributes[0], key) == 0)
            return pj_str_of(attributes[1]);
    return (pj_str){NULL, 0};
}

static int64_t number_of(pj_str text, int64_t otherwise)
{
    int64_t number;
    return pj_parse_i64(pj_str_trim(text), &number) ? number : otherwise;
}

static bool parse_id(anchor *a, pj_str text, uint32_t *id)
{
    int64_t number = number_of(text, -1);
    if (number < 0 || number >= UINT32_MAX) {
        refuse(a, "anchor.xml has an element without a number", 0);
        return false;
    }
    *id = (uint32_t)number;
    return true;
}

// Elements that begin

static void open_metric(anchor *a, const XML_Char **attributes)
{
    pj_cube_metric *metric = add(a, &a->metrics, REGIONS_MAX);
    if (!metric || !parse_id(a, attribute(attributes, "id"), &metric->id))
        return;
    pj_str type = attribute(attributes, "type");
    metric->parent = a->outer;
    metric->inclusive = pj_str_equal(type, PJ_S("INCLUSIVE"));
    metric->derived = pj_str_contains(type, PJ_S("DERIVED"));
    a->outer = (int32_t)a->metrics.count - 1;
    a->kind = METRIC;
}

static void open_region(anchor *a, const XML_Char **attributes)
{
    uint32_t id;
    pj_cube_region *region = add(a, &a->regions_found, REGIONS_MAX);
    if (!region || !parse_id(a, attribute(attributes, "id"), &id))
        return;
    region->file = pj_arena_str(a->cube->arena, attribute(attributes, "mod"));
    region->begin = number_of(attribute(attributes, "begin"), -1);
    region->end = number_of(attribute(attributes, "end"), -1);
    region->arguments = -1;
    uint32_t before;
    if (pj_map_get(&a->regions, id, &before))
        refuse(a, "anchor.xml has two regions with the number %" PRIu64, id);
    pj_map_put(&a->regions, id, (uint32_t)a->regions_found.count - 1);
    a->kind = REGION;
}

static void open_node(anchor *a, const XML_Char **attributes)
{
    uint32_t callee;
    pj_cube_node *node = add(a, &a->nodes, NODES_MAX);
    if (!node || !parse_id(a, attribute(attributes, "id"), &node->id) ||
        !parse_id(a, attribute(attributes, "calleeId"), &callee))
        return;
    if (!pj_map_get(&a->regions, callee, &node->region))
        refuse(a, "anchor.xml has a call path of a region %" PRIu64 " that is not there", callee);
    else if (++a->depth > DEPTH_MAX)
        refuse(a, "anchor.xml has call paths of more than %" PRIu64 " levels", DEPTH_MAX);
    node->parent = a->node;
    node->first_parameter = (uint32_t)a->parameters.count;
    a->node = (int32_t)a->nodes.count - 1;
}

static void add_parameter(anchor *a, const XML_Char **attributes)
{
    pj_cube_node *node = last_of(&a->nodes);
    if (!node || a->node != (int32_t)a->nodes.count - 1) // not before the call paths below
        return;
    pj_cube_parameter *parameter = add(a, &a->parameters, REGIONS_MAX);
    if (!parameter)
        return;
    parameter->numeric = pj_str_equal(attribute(attributes, "partype"), PJ_S("numeric"));
    parameter->key = pj_arena_str(a->cube->arena, attribute(attributes, "parkey"));
    parameter->value = pj_arena_str(a->cube->arena, attribute(attributes, "parvalue"));
    node->parameter_count++;
}

/// Attributes of the file, and the one of a region that matters.
static void add_attribute(anchor *a, const XML_Char **attributes)
{
    pj_str key = attribute(attributes, "key"), value = attribute(attributes, "value");
    if (a->kind == REGION &&
        pj_str_equal(key, PJ_S("Score-P::ProgramArguments::numberOfArguments")))
        ((pj_cube_region *)last_of(&a->regions_found))->arguments = number_of(value, -1);
    if (a->kind != NOTHING)
        return;
    pj_cube_attribute *out = add(a, &a->attributes, REGIONS_MAX);
    if (out)
        *out = (pj_cube_attribute){pj_arena_str(a->cube->arena, key),
                                   pj_arena_str(a->cube->arena, value)};
}

static void open_process(anchor *a, const XML_Char **attributes)
{
    (void)attributes;
    pj_cube_process *process = add(a, &a->processes, REGIONS_MAX);
    if (process)
        process->rank = (int64_t)a->processes.count - 1;
    a->kind = PROCESS;
}

static void open_location(anchor *a, const XML_Char **attributes)
{
    if (!a->processes.count) {
        refuse(a, "anchor.xml has a location without a process", 0);
        return;
    }
    pj_cube_location *location = add(a, &a->locations, REGIONS_MAX);
    if (!location || !parse_id(a, attribute(attributes, "Id"), &location->id))
        return;
    location->process = (uint32_t)a->processes.count - 1;
    a->kind = LOCATION;
}

static void open_machine(anchor *a, const XML_Char **attributes)
{
    (void)attributes;
    a->kind = MACHINE;
}

static const struct opening {
    const char *tag;
    void (*open)(anchor *a, const XML_Char **attributes);
} openings[] = {
    {"cnode", open_node},         {"region", open_region},          {"location", open_location},
    {"metric", open_metric},      {"locationgroup", open_process},  {"attr", add_attribute},
    {"parameter", add_parameter}, {"systemtreenode", open_machine},
};

static void XMLCALL start(void *self, const XML_Char *tag, const XML_Char **attributes)
{
    anchor *a = self;
    a->text.len = 0;
    for (size_t i = 0; i < sizeof openings / sizeof *openings; i++)
        if (strcmp(tag, openings[i].tag) == 0)
            openings[i].open(a, attributes);
}

// Elements that end

/// Where the text of an element goes.
static const struct leaf {
    const char *tag;
    kind kind;
    size_t offset;
} leaves[] = {
    {"name", REGION, offsetof(pj_cube_region, name)},
    {"mangled_name", REGION, offsetof(pj_cube_region, mangled)},
    {"paradigm", REGION, offsetof(pj_cube_region, paradigm)},
    {"role", REGION, offsetof(pj_cube_region, role)},
    {"uniq_name", METRIC, offsetof(pj_cube_metric, key)},
    {"disp_name", METRIC, offsetof(pj_cube_metric, title)},
    {"dtype", METRIC, offsetof(pj_cube_metric, dtype)},
    {"uom", METRIC, offsetof(pj_cube_metric, unit)},
    {"descr", METRIC, offsetof(pj_cube_metric, description)},
    {"name", PROCESS, offsetof(pj_cube_process, name)},
    {"type", PROCESS, offsetof(pj_cube_process, type)},
    {"name", LOCATION, offsetof(pj_cube_location, name)},
    {"type", LOCATION, offsetof(pj_cube_location, type)},
};

static void *current(const anchor *a)
{
    const growing *of[KINDS] = {[METRIC] = &a->metrics,
                                [REGION] = &a->regions_found,
                                [PROCESS] = &a->processes,
                                [LOCATION] = &a->locations};
    return of[a->kind] ? last_of(of[a->kind]) : NULL;
}

static void take_text(anchor *a, const char *tag)
{
    void *object = current(a);
    pj_str text = pj_str_trim(pj_buf_str(&a->text));
    for (size_t i = 0; object && i < sizeof leaves / sizeof *leaves; i++)
        if (leaves[i].kind == a->kind && strcmp(tag, leaves[i].tag) == 0)
            *(pj_str *)((char *)object + leaves[i].offset) = pj_arena_str(a->cube->arena, text);
    if (strcmp(tag, "rank") != 0)
        return;
    if (a->kind == PROCESS)
        ((pj_cube_process *)object)->rank = number_of(text, -1);
    if (a->kind == LOCATION)
        ((pj_cube_location *)object)->rank = number_of(text, -1);
}

static void close_node(anchor *a)
{
    pj_cube_node *node = (pj_cube_node *)a->nodes.items + a->node;
    node->after = (uint32_t)a->nodes.count;
    a->node = node->parent;
    a->depth--;
}

static void XMLCALL end(void *self, const XML_Char *tag)
{
    static const char *const containers[] = {"metric", "region", "location", "locationgroup",
                                             "systemtreenode"};
    anchor *a = self;
    take_text(a, tag);
    a->text.len = 0;
    for (size_t i = 0; i < sizeof containers / sizeof *containers; i++)
        if (strcmp(tag, containers[i]) == 0)
            a->kind = NOTHING;
    if (strcmp(tag, "metric") == 0 && a->outer >= 0)
        a->outer = ((pj_cube_metric *)a->metrics.items)[a->outer].parent;
    if (strcmp(tag, "cnode") == 0 && a->node >= 0)
        close_node(a);
}

static void XMLCALL characters(void *self, const XML_Char *text, int len)
{
    anchor *a = self;
    if (a->kind == NOTHING)
        return;
    if (a->text.len + (size_t)len > TEXT_MAX)
        refuse(a, "anchor.xml has a text of more than %" PRIu64 " bytes", TEXT_MAX);
    else
        pj_buf_add(&a->text, (pj_str){text, (size_t)len});
}

/// Entities are how a small file becomes a large one; CUBE files have none.
static void XMLCALL doctype(void *self, const XML_Char *name, const XML_Char *system,
                            const XML_Char *public, int internal)
{
    (void)name, (void)system, (void)public, (void)internal;
    refuse(self, "anchor.xml has a document type, which CUBE files have not", 0);
}

// The whole

static void *settle(anchor *a, growing *all, size_t *count)
{
    void *out = pj_arena_alloc_n(a->cube->arena, all->size, all->count + 1);
    if (all->count)
        memcpy(out, all->items, all->count * all->size);
    *count = all->count;
    free(all->items);
    all->items = NULL;
    return out;
}

static int by_id(const void *left, const void *right)
{
    const pj_cube_location *a = left, *b = right;
    return a->id < b->id ? -1 : a->id > b->id;
}

static pj_cube_type type_of(pj_str dtype)
{
    static const char *const names[] = {
        [PJ_CUBE_DOUBLE] = "DOUBLE", [PJ_CUBE_MIN] = "MINDOUBLE",     [PJ_CUBE_MAX] = "MAXDOUBLE",
        [PJ_CUBE_INT8] = "INT8",     [PJ_CUBE_UINT8] = "UINT8",       [PJ_CUBE_INT16] = "INT16",
        [PJ_CUBE_UINT16] = "UINT16", [PJ_CUBE_INT32] = "INT32",       [PJ_CUBE_UINT32] = "UINT32",
        [PJ_CUBE_INT64] = "INT64",   [PJ_CUBE_UINT64] = "UINT64",     [PJ_CUBE_COMPLEX] = "COMPLEX",
        [PJ_CUBE_RATE] = "RATE",     [PJ_CUBE_ATOMIC] = "TAU_ATOMIC",
    };
    static const struct alias {
        const char *name;
        pj_cube_type type;
    } aliases[] = {{"FLOAT", PJ_CUBE_DOUBLE}, {"INTEGER", PJ_CUBE_INT64}, {"CHAR", PJ_CUBE_INT8}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (pj_str_equal(dtype, pj_str_of(names[i])))
            return (pj_cube_type)i;
    for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++)
        if (pj_str_equal(dtype, pj_str_of(aliases[i].name)))
            return aliases[i].type;
    return PJ_CUBE_UNREAD;
}

static void settle_all(anchor *a)
{
    pj_cube *cube = a->cube;
    cube->attributes = settle(a, &a->attributes, &cube->attribute_count);
    cube->metrics = settle(a, &a->metrics, &cube->metric_count);
    cube->regions = settle(a, &a->regions_found, &cube->region_count);
    cube->nodes = settle(a, &a->nodes, &cube->node_count);
    cube->parameters = settle(a, &a->parameters, &cube->parameter_count);
    cube->processes = settle(a, &a->processes, &cube->process_count);
    cube->locations = settle(a, &a->locations, &cube->location_count);
    qsort(cube->locations, cube->location_count, sizeof *cube->locations, by_id);
    for (size_t i = 0; i < cube->metric_count; i++)
        cube->metrics[i].type = type_of(cube->metrics[i].dtype);
    pj_map_free(&a->regions);
    pj_buf_free(&a->text);
}

static bool run_parser(anchor *a, pj_str xml, pj_job *job)
{
    enum { STEP = 1 << 18 };
    enum XML_Status status = XML_STATUS_OK;
    while (status == XML_STATUS_OK && xml.len > STEP) {
        if (!pj_job_check(job, a->name, a->err))
            return false;
        status = XML_Parse(a->parser, xml.at, STEP, 0);
        xml = pj_str_from(xml, STEP);
    }
    if (status == XML_STATUS_OK)
        status = XML_Parse(a->parser, xml.len ? xml.at : "", (int)xml.len, 1);
    if (status != XML_STATUS_OK && !a->failed)
        pj_fail(a->err, PJ_E_FORMAT, a->name, XML_GetCurrentLineNumber(a->parser),
                "its anchor.xml cannot be read: %s", XML_ErrorString(XML_GetErrorCode(a->parser)));
    return status == XML_STATUS_OK;
}

bool pj_cube_parse_anchor(pj_cube *cube, const char *name, pj_str xml, pj_job *job, pj_err *err)
{
    anchor a = {
        .cube = cube,
        .name = name,
        .err = err,
        .parser = XML_ParserCreate(NULL),
        .outer = PJ_CUBE_NONE,
        .node = PJ_CUBE_NONE,
        .attributes.size = sizeof(pj_cube_attribute),
        .metrics.size = sizeof(pj_cube_metric),
        .regions_found.size = sizeof(pj_cube_region),
        .nodes.size = sizeof(pj_cube_node),
        .parameters.size = sizeof(pj_cube_parameter),
        .processes.size = sizeof(pj_cube_process),
        .locations.size = sizeof(pj_cube_location),
    };
    if (!a.parser)
        return pj_fail(err, PJ_E_MEMORY, name, 0, "no memory for a parser of XML");
    XML_SetUserData(a.parser, &a);
    XML_SetElementHandler(a.parser, start, end);
    XML_SetCharacterDataHandler(a.parser, characters);
    XML_SetStartDoctypeDeclHandler(a.parser, doctype);
    bool ok = run_parser(&a, xml, job);
    XML_ParserFree(a.parser);
    settle_all(&a);
    return ok;
}
