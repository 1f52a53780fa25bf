// Reads the XML that PETSc writes with -log_view :f.xml:ascii_xml: nested events, averages over the
// ranks. Times are in percent of the run, calls are those of one call of the event around.
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "metrics/profile/build/profile_build.h"
#include "metrics/profile/profile.h"
#include "metrics/read/profile/profile_text.h"
#include "metrics/read/reader.h"
#include "metrics/read/source.h"

#include <expat.h>
#include <math.h>
#include <stdlib.h>

enum { DEPTH = 8192, TEXT = 1 << 16 };

/// Quantities of an event, each an element of its own.
typedef enum quantity { TIME, CALLS, MFLOPS, MBPS, REDUCTIONS, QUANTITIES } quantity;

static const char *const quantity_names[QUANTITIES] = {"time", "ncalls", "mflops", "mbps",
                                                       "nreductsps"};

/// An event that is open.
typedef struct event {
    uint32_t node; // PJ_NO_ITEM until its name is known, and of "self"
    bool self;     // stands for what its parent does itself
    bool nested;   // has events inside
    double calls;
    double values[QUANTITIES], least, most; // NaN = not told
} event;

typedef struct petsc_xml {
    pj_build *build;
    const char *path;
    pj_err *err;
    XML_Parser parser;
    bool failed;
    uint32_t location;
    uint32_t exclusive, inclusive, calls, least, most;
    uint32_t rates[QUANTITIES]; // columns
    unsigned depth;             // of elements
    bool in_tree;               // in the tree of timers
    double total;               // seconds of the run
    event *events;
    size_t count, cap;
    int quantity; // that is open; -1 = none
    pj_buf text;
} petsc_xml;

static void fail(petsc_xml *file, const char *what)
{
    if (!file->failed)
        pj_fail(file->err, PJ_E_FORMAT, file->path, XML_GetCurrentLineNumber(file->parser),
                "is a damaged PETSc log as XML: %s; copy it again or record it anew", what);
    file->failed = true;
    XML_StopParser(file->parser, XML_FALSE);
}

static event *top(petsc_xml *file)
{
    return file->count ? &file->events[file->count - 1] : NULL;
}

static void open_event(petsc_xml *file)
{
    if (top(file))
        top(file)->nested = true;
    event made = {.node = PJ_NO_ITEM, .least = NAN, .most = NAN};
    for (unsigned i = 0; i < QUANTITIES; i++)
        made.values[i] = NAN;
    event *events = pj_grow(file->events, &file->cap, file->count + 1);
    events[file->count++] = made;
}

static void XMLCALL start(void *self, const XML_Char *tag, const XML_Char **attributes)
{
    (void)attributes;
    petsc_xml *file = self;
    file->text.len = 0;
    if (++file->depth > DEPTH) {
        fail(file, "its elements are nested too deeply");
        return;
    }
    file->in_tree |= strcmp(tag, "timertree") == 0;
    if (file->in_tree && strcmp(tag, "event") == 0)
        open_event(file);
    for (int i = 0; file->count && i < QUANTITIES; i++)
        if (strcmp(tag, quantity_names[i]) == 0)
            file->quantity = i;
}

/// An event has its name before anything else.
static void name_event(petsc_xml *file, event *at, pj_str name)
{
    const event *above = file->count > 1 ? at - 1 : NULL;
    at->self = above && pj_str_equal(name, PJ_S("self"));
    if (at->self)
        return;
    uint32_t parent = above ? above->node : PJ_NO_ITEM;
    at->node = pj_build_node(file->build, parent, pj_build_region(file->build, name, PJ_S(""), 0));
}

static void take_value(petsc_xml *file, event *at, const char *tag, pj_str text)
{
    double value;
    if (!pj_text_number(text, &value))
        pj_build_odd(file->build, PJ_ODDITY_malformed_record,
                     XML_GetCurrentLineNumber(file->parser));
    else if (strcmp(tag, "value") == 0 || strcmp(tag, "avgvalue") == 0)
        at->values[file->quantity] = value;
    else if (file->quantity == TIME && strcmp(tag, "minvalue") == 0)
        at->least = value;
    else if (file->quantity == TIME && strcmp(tag, "maxvalue") == 0)
        at->most = value;
}

static void add(petsc_xml *file, uint32_t column, uint32_t node, double value)
{
    if (!isnan(value))
        pj_build_add(file->build, column, node, file->location, value);
}

/// Calls are told with times: those of the events below follow from them.
static void end_quantity(petsc_xml *file, event *at)
{
    if (file->quantity == CALLS) {
        double around = file->count > 1 ? at[-1].calls : 1;
        at->calls = at->values[CALLS] * around;
    }
    file->quantity = -1;
}

static void end_event(petsc_xml *file, const event *at)
{
    const double second = file->total / 100; // a percent
    file->count--;
    if (at->self && at[-1].node != PJ_NO_ITEM)
        add(file, file->exclusive, at[-1].node, at->values[TIME] * second);
    if (at->self || at->node == PJ_NO_ITEM)
        return;
    add(file, file->inclusive, at->node, at->values[TIME] * second);
    add(file, file->least, at->node, (isnan(at->least) ? at->values[TIME] : at->least) * second);
    add(file, file->most, at->node, (isnan(at->most) ? at->values[TIME] : at->most) * second);
    if (!at->nested)
        add(file, file->exclusive, at->node, at->values[TIME] * second);
    if (at->calls > 0)
        add(file, file->calls, at->node, at->calls);
    for (unsigned i = MFLOPS; i < QUANTITIES; i++)
        add(file, file->rates[i], at->node, at->values[i]);
}

/// What the head says of the run.
static void take_fact(petsc_xml *file, const char *tag, pj_str text)
{
    pj_profile *p = pj_build_profile(file->build);
    if (strcmp(tag, "executable") == 0)
        p->command = pj_build_text(file->build, text);
    else if (strcmp(tag, "petscrelease") == 0)
        p->version = pj_build_text(file->build, text);
    else if (strcmp(tag, "date") == 0)
        p->created = pj_build_text(file->build, text);
    else if (strcmp(tag, "nprocesses") == 0)
        pj_build_pair(file->build, PJ_NO_ITEM, PJ_S("processes"), text);
    else if (strcmp(tag, "totaltime") == 0 && !pj_text_number(text, &file->total))
        fail(file, "its total time is no number");
}

static void XMLCALL end(void *self, const XML_Char *tag)
{
    petsc_xml *file = self;
    pj_str text = pj_str_trim(pj_buf_str(&file->text));
    event *at = top(file);
    file->depth--;
    if (!at) {
        take_fact(file, tag, text);
        file->in_tree &= strcmp(tag, "timertree") != 0;
    } else if (strcmp(tag, "event") == 0) {
        end_event(file, at);
    } else if (file->quantity >= 0 && strcmp(tag, quantity_names[file->quantity]) == 0) {
        end_quantity(file, at);
    } else if (file->quantity >= 0) {
        take_value(file, at, tag, text);
    } else if (strcmp(tag, "name") == 0) {
        name_event(file, at, text);
    }
    file->text.len = 0;
}

static void XMLCALL characters(void *self, const XML_Char *text, int len)
{
    petsc_xml *file = self;
    if (file->text.len + (size_t)len > TEXT)
        fail(file, "a text is longer than 64 kB");
    else
        pj_buf_add(&file->text, (pj_str){text, (size_t)len});
}

/// PETSc declares no document type; what does may be anything.
static void XMLCALL doctype(void *self, const XML_Char *name, const XML_Char *system,
                            const XML_Char *public, int internal)
{
    (void)name, (void)system, (void)public, (void)internal;
    fail(self, "it declares a document type");
}

static uint32_t column_of(pj_build *b, pj_value_part part, const char *key, const char *title,
                          pj_measure_kind kind)
{
    uint32_t measure = pj_build_measure(b, (pj_measure){.key = key,
                                                        .title = title,
                                                        .unit = kind == PJ_MEASURE_TIME ? "s" : "",
                                                        .kind = kind,
                                                        .stored = PJ_STORED_BOTH});
    return pj_build_column(b, PJ_AT_NODE, part, measure, false);
}

static void add_columns(petsc_xml *file)
{
    pj_build *b = file->build;
    pj_profile *p = pj_build_profile(b);
    p->shape = PJ_SHAPE_TREE;
    file->location = pj_build_location(
        b, (pj_profile_location){.rank = -1,
                                 .thread = -1,
                                 .kind = PJ_LOCATION_PROCESS,
                                 .name = pj_build_text(b, PJ_S("mean of the ranks"))});
    const char *time = "Time, mean of the ranks";
    file->inclusive = column_of(b, PJ_INCLUSIVE, "time", time, PJ_MEASURE_TIME);
    file->exclusive = column_of(b, PJ_EXCLUSIVE, "time", time, PJ_MEASURE_TIME);
    file->least =
        column_of(b, PJ_INCLUSIVE, "time_min", "Time, least of the ranks", PJ_MEASURE_TIME);
    file->most =
        column_of(b, PJ_INCLUSIVE, "time_max", "Time, largest of the ranks", PJ_MEASURE_TIME);
    file->calls = pj_build_column(b, PJ_AT_NODE, PJ_CALLS, PJ_NO_ITEM, true);
    file->rates[MFLOPS] = column_of(b, PJ_INCLUSIVE, "mflops", "Mflop/s", PJ_MEASURE_RATIO);
    file->rates[MBPS] = column_of(b, PJ_INCLUSIVE, "mbps", "MB/s of messages", PJ_MEASURE_RATIO);
    file->rates[REDUCTIONS] =
        column_of(b, PJ_INCLUSIVE, "reductions_per_s", "Reductions/s", PJ_MEASURE_RATIO);
}

static bool parse(petsc_xml *file, pj_str xml)
{
    enum { STEP = 1 << 20 };
    enum XML_Status status = XML_STATUS_OK;
    for (; status == XML_STATUS_OK && xml.len > STEP; xml = pj_str_from(xml, STEP))
        status = XML_Parse(file->parser, xml.at, STEP, 0);
    if (status == XML_STATUS_OK)
        status = XML_Parse(file->parser, xml.len ? xml.at : "", (int)xml.len, 1);
    if (status != XML_STATUS_OK)
        fail(file, XML_ErrorString(XML_GetErrorCode(file->parser)));
    return !file->failed;
}

static bool read_petsc_xml(pj_source *source, pj_build *build, pj_err *err)
{
    pj_str text;
    if (!pj_source_whole(source, PJ_TEXT_BYTES, &text, err))
        return false;
    petsc_xml file = {.build = build,
                      .path = pj_source_path(source),
                      .err = err,
                      .parser = XML_ParserCreate(NULL),
                      .quantity = -1};
    if (!file.parser)
        return pj_fail(err, PJ_E_MEMORY, file.path, 0, "there is no memory to read it");
    add_columns(&file);
    XML_SetUserData(file.parser, &file);
    XML_SetElementHandler(file.parser, start, end);
    XML_SetCharacterDataHandler(file.parser, characters);
    XML_SetStartDoctypeDeclHandler(file.parser, doctype);
    bool ok = parse(&file, text);
    XML_ParserFree(file.parser);
    free(file.events);
    pj_buf_free(&file.text);
    return ok;
}

static bool sniff(pj_str head)
{
    return pj_str_starts(head, PJ_S("<")) && pj_str_contains(head, PJ_S("<petscroot"));
}

const pj_reader pj_reader_petsc_xml = {
    .name = "petsc_xml",
    .title = "PETSc log as XML",
    .suffixes = ".xml",
    .gives = PJ_GIVES_PROFILE,
    .sniff = sniff,
    .profile = read_petsc_xml,
};
