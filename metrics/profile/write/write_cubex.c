// A tree of call paths as a CUBE file: anchor.xml, and for every measure the rows of the call paths
// that have values, each packed (CUBE 4.8, "CUBE file format"; layout as in read/profile/cube).
// Values are written as the profile stores them: without or with those of the callees.
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/job.h"
#include "metrics/base/str.h"
#include "metrics/base/utf8.h"
#include "metrics/profile/profile.h"
#include "metrics/profile/write/profile_write.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <zlib.h>

enum { RECORD = 512, ORDER_OF_BYTES = 1, SPARSE = 1 };

/// The file's metrics: calls, then the measures with values.
typedef struct metric {
    const pj_measure *measure; // NULL = calls
    const pj_profile_column *column;
    bool inclusive;
    uint32_t above; // metric + 1; 0 = none
} metric;

typedef struct writing {
    const pj_profile *p;
    pj_arena *arena;
    pj_buf *out;
    pj_job *job;
    uint32_t *first, *next; // children of a node + 1, at 0 those of no node; PJ_NO_ITEM = no more
    uint32_t *sorted;       // nodes in pre-order
    metric *metrics;
    uint32_t metric_count;
} writing;

// Nodes

static void link_children(writing *w)
{
    const uint32_t count = w->p->count[PJ_AT_NODE];
    w->first = pj_new_n(w->arena, uint32_t, count + (size_t)1);
    w->next = pj_new_n(w->arena, uint32_t, count + (size_t)1);
    for (uint32_t i = 0; i <= count; i++)
        w->first[i] = PJ_NO_ITEM;
    for (uint32_t n = count; n-- > 0;) {
        uint32_t parent = w->p->nodes[n].parent;
        uint32_t *list = &w->first[parent == PJ_NO_ITEM ? 0 : parent + 1];
        w->next[n] = *list;
        *list = n;
    }
}

static void sort_nodes(writing *w)
{
    const pj_profile_node *nodes = w->p->nodes;
    uint32_t count = 0;
    w->sorted = pj_new_n(w->arena, uint32_t, w->p->count[PJ_AT_NODE] + (size_t)1);
    for (uint32_t n = w->first[0]; n != PJ_NO_ITEM;) {
        w->sorted[count++] = n;
        uint32_t child = w->first[n + 1];
        while (child == PJ_NO_ITEM && n != PJ_NO_ITEM) { // up to one that has another one beside it
            child = w->next[n];
            n = nodes[n].parent;
        }
        n = child;
    }
}

/// Nodes in the order of the rows' positions: as they stand, or the children of one together.
static uint32_t *order_of(const writing *w, bool wide)
{
    const uint32_t count = w->p->count[PJ_AT_NODE];
    uint32_t *order = pj_new_n(w->arena, uint32_t, count + (size_t)1), at = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t n = w->sorted[i];
        if (!wide || w->p->nodes[n].parent == PJ_NO_ITEM)
            order[at++] = n;
        for (uint32_t child = w->first[n + 1]; wide && child != PJ_NO_ITEM; child = w->next[child])
            order[at++] = child;
    }
    return order;
}

// anchor.xml

/// Markup and controls that XML cannot hold are replaced.
static void put_text(pj_buf *out, pj_str text)
{
    pj_auto_buf clean = {.at = NULL};
    pj_utf8_clean(&clean, text);
    for (size_t i = 0; i < clean.len; i++) {
        const char c = clean.at[i];
        if (c == '<')
            pj_buf_puts(out, "&lt;");
        else if (c == '>')
            pj_buf_puts(out, "&gt;");
        else if (c == '&')
            pj_buf_puts(out, "&amp;");
        else if (c == '"')
            pj_buf_puts(out, "&quot;");
        else
            pj_buf_add_char(out, (unsigned char)c < ' ' ? '?' : c);
    }
}

static void put_element(pj_buf *out, const char *tag, pj_str text)
{
    pj_buf_addf(out, "<%s>", tag);
    put_text(out, text);
    pj_buf_addf(out, "</%s>\n", tag);
}

static void put_attribute(pj_buf *out, pj_str key, pj_str value)
{
    pj_buf_puts(out, "<attr key=\"");
    put_text(out, key);
    pj_buf_puts(out, "\" value=\"");
    put_text(out, value);
    pj_buf_puts(out, "\"/>\n");
}

static void put_attributes(const writing *w, pj_buf *out)
{
    const pj_profile *p = w->p;
    put_attribute(out, PJ_S("Creator"), PJ_S("popinjay " PJ_VERSION));
    for (uint32_t i = 0; i < p->pair_count; i++) {
        pj_str key = p->texts[p->pairs[i].key];
        if (p->pairs[i].location == PJ_NO_ITEM && !pj_str_equal(key, PJ_S("Creator")))
            put_attribute(out, key, p->texts[p->pairs[i].value]);
    }
}

/// Whether rows are of integers.
static bool is_whole(const metric *m)
{
    return !m->measure || (m->column->whole && m->measure->fold == PJ_MEASURE_SUM);
}

static const char *type_of(const metric *m)
{
    if (!m->measure)
        return "UINT64";
    if (m->measure->fold != PJ_MEASURE_SUM)
        return m->measure->fold == PJ_MEASURE_MIN ? "MINDOUBLE" : "MAXDOUBLE";
    return is_whole(m) ? "INT64" : "DOUBLE";
}

static const char *unit_of(const metric *m)
{
    if (!m->measure)
        return "occ";
    const char *unit = m->measure->unit;
    if (strcmp(unit, "s") == 0)
        return "sec";
    if (strcmp(unit, "B") == 0)
        return "bytes";
    return *unit ? unit : "#";
}

static void open_metric(const writing *w, uint32_t number, pj_buf *out)
{
    const metric *m = &w->metrics[number];
    pj_buf_addf(out, "<metric id=\"%u\" type=\"%s\">\n", number,
                m->inclusive ? "INCLUSIVE" : "EXCLUSIVE");
    put_element(out, "disp_name", pj_str_of(m->measure ? m->measure->title : "Visits"));
    put_element(out, "uniq_name", pj_str_of(m->measure ? m->measure->key : "visits"));
    put_element(out, "dtype", pj_str_of(type_of(m)));
    put_element(out, "uom", pj_str_of(unit_of(m)));
    pj_buf_puts(out, "<url></url>\n<descr></descr>\n");
}

/// Each stands before those below it.
static void put_metrics(const writing *w, pj_buf *out)
{
    uint32_t open = 0; // metric + 1
    pj_buf_puts(out, "<metrics>\n");
    for (uint32_t i = 0; i < w->metric_count; i++) {
        for (; open != w->metrics[i].above; open = w->metrics[open - 1].above)
            pj_buf_puts(out, "</metric>\n");
        open_metric(w, i, out);
        open = i + 1;
    }
    for (; open; open = w->metrics[open - 1].above)
        pj_buf_puts(out, "</metric>\n");
    pj_buf_puts(out, "</metrics>\n");
}

static pj_str paradigm_of(const pj_profile *p, const pj_profile_region *region)
{
    static const char *const paradigms[PJ_REGION_KIND_COUNT] = {
        [PJ_REGION_function] = "compiler", [PJ_REGION_builtin] = "compiler",
        [PJ_REGION_mpi] = "mpi",           [PJ_REGION_omp] = "openmp",
        [PJ_REGION_loop] = "compiler",     [PJ_REGION_user] = "user",
        [PJ_REGION_sample] = "sampling",   [PJ_REGION_system] = "measurement",
        [PJ_REGION_thread] = "pthread",    [PJ_REGION_unknown] = "unknown",
    };
    if (region->group_count && strcmp(p->format, "cubex") == 0)
        return p->texts[p->groups[region->first_group]];
    return pj_str_of(paradigms[region->kind]);
}

static void put_regions(const writing *w, pj_buf *out)
{
    const pj_profile *p = w->p;
    for (uint32_t i = 0; i < p->count[PJ_AT_REGION]; i++) {
        const pj_profile_region *region = &p->regions[i];
        pj_buf_addf(out, "<region id=\"%u\" mod=\"", i);
        put_text(out, p->texts[region->file]);
        pj_buf_addf(out, "\" begin=\"%lld\" end=\"%lld\">\n",
                    region->line ? (long long)region->line : -1,
                    region->end_line ? (long long)region->end_line : -1);
        put_element(out, "name", p->texts[region->name]);
        put_element(out, "mangled_name", p->texts[region->name]);
        put_element(out, "paradigm", paradigm_of(p, region));
        pj_buf_addf(out, "<role>%s</role>\n<url></url>\n<descr></descr>\n</region>\n",
                    region->kind == PJ_REGION_loop ? "loop" : "function");
    }
}

/// "parity=1, level=2"
static void put_parameters(pj_str text, pj_buf *out)
{
    while (text.len) {
        pj_str value = pj_str_cut(&text, ',');
        text = pj_str_trim(text);
        pj_str key = pj_str_cut(&value, '=');
        pj_buf_puts(out, "<parameter partype=\"string\" parkey=\"");
        put_text(out, key);
        pj_buf_puts(out, "\" parvalue=\"");
        put_text(out, value);
        pj_buf_puts(out, "\"/>\n");
    }
}

static void put_nodes(const writing *w, pj_buf *out)
{
    const pj_profile_node *nodes = w->p->nodes;
    uint32_t open = PJ_NO_ITEM;
    for (uint32_t i = 0; i < w->p->count[PJ_AT_NODE] && !pj_job_stopped(w->job); i++) {
        const uint32_t n = w->sorted[i];
        for (; open != nodes[n].parent; open = nodes[open].parent)
            pj_buf_puts(out, "</cnode>\n");
        pj_buf_addf(out, "<cnode id=\"%u\" calleeId=\"%u\">\n", i, nodes[n].region);
        put_parameters(w->p->texts[nodes[n].parameters], out);
        open = n;
    }
    for (; open != PJ_NO_ITEM; open = nodes[open].parent)
        pj_buf_puts(out, "</cnode>\n");
}

static void put_location(const pj_profile *p, uint32_t at, pj_buf *out)
{
    const pj_profile_location *location = &p->locations[at];
    pj_buf_addf(out, "<location Id=\"%u\">\n", at);
    put_element(out, "name", location->name ? p->texts[location->name] : PJ_S("thread"));
    pj_buf_addf(out, "<rank>%lld</rank>\n<type>%s</type>\n</location>\n",
                location->thread >= 0 ? (long long)location->thread : 0,
                location->kind == PJ_LOCATION_GPU ? "gpu" : "thread");
}

/// Locations of one rank, or of one file that tells none, are a process.
static bool same_process(const pj_profile_location *a, const pj_profile_location *b)
{
    return a->rank == b->rank && (a->rank >= 0 || a->file == b->file);
}

static void put_processes(const pj_profile *p, pj_buf *out)
{
    uint32_t processes = 0;
    for (uint32_t at = 0; at < p->location_count; at++) {
        const pj_profile_location *location = &p->locations[at];
        bool begins = at == 0 || !same_process(location - 1, location);
        if (begins) {
            pj_buf_addf(out, "%s<locationgroup Id=\"%u\">\n", processes ? "</locationgroup>\n" : "",
                        processes);
            long long rank = location->rank >= 0 ? location->rank : processes;
            pj_buf_addf(out, "<name>Process %lld</name>\n<rank>%lld</rank>\n<type>process</type>\n",
                        rank, rank);
            processes++;
        }
        put_location(p, at, out);
    }
    pj_buf_puts(out, processes ? "</locationgroup>\n" : "");
}

static void put_anchor(const writing *w, pj_buf *out)
{
    pj_buf_puts(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\n<cube version=\"4.4\">\n");
    put_attributes(w, out);
    pj_buf_puts(out, "<doc>\n<mirrors>\n</mirrors>\n</doc>\n");
    put_metrics(w, out);
    pj_buf_puts(out, "<program>\n");
    put_regions(w, out);
    put_nodes(w, out);
    pj_buf_puts(out, "</program>\n<system>\n<systemtreenode Id=\"0\">\n<name>machine</name>\n"
                     "<class>machine</class>\n<descr></descr>\n");
    put_processes(w->p, out);
    pj_buf_puts(out, "</systemtreenode>\n<topologies>\n</topologies>\n</system>\n</cube>\n");
}

// Rows

static bool has_row(const writing *w, const metric *m, uint32_t node)
{
    for (uint32_t at = 0; at < w->p->location_count; at++) {
        double value = pj_profile_value(w->p, m->column, node, at);
        if (!isnan(value) && value != 0)
            return true;
    }
    return false;
}

/// What is absent is 0 in a row; of least values it is CUBE's largest number.
static void put_row(const writing *w, const metric *m, uint32_t node, pj_buf *out)
{
    const bool least = m->measure && m->measure->fold == PJ_MEASURE_MIN;
    const bool whole = is_whole(m);
    for (uint32_t at = 0; at < w->p->location_count; at++) {
        size_t cell = (size_t)node * w->p->location_count + at;
        double real = pj_profile_value(w->p, m->column, node, at);
        bool absent = isnan(real);
        real = !absent ? real : least ? DBL_MAX : 0;
        int64_t number = absent ? 0 : m->column->whole ? m->column->integer[cell] : llround(real);
        const char *bytes = whole ? (const char *)&number : (const char *)&real;
        pj_buf_add(out, (pj_str){bytes, sizeof real});
    }
}

static void put_u64(pj_buf *out, uint64_t value)
{
    pj_buf_add(out, (pj_str){(const char *)&value, sizeof value});
}

static void put_u32(pj_buf *out, uint32_t value)
{
    pj_buf_add(out, (pj_str){(const char *)&value, sizeof value});
}

/// For each row: where it would lie, where it lies packed, how long that is; then the packed rows.
static void pack_rows(const pj_buf *rows, size_t width, pj_buf *out)
{
    const size_t count = width ? rows->len / width : 0;
    pj_auto_buf streams = {.at = NULL};
    pj_buf_puts(out, "ZCUBEX.DATA");
    put_u64(out, count);
    for (size_t i = 0; i < count; i++) {
        uLongf size = compressBound(width);
        put_u64(out, i * width);
        put_u64(out, streams.len);
        compress2((Bytef *)pj_buf_room(&streams, size), &size, (const Bytef *)rows->at + i * width,
                  width, Z_BEST_SPEED);
        streams.len += size;
        put_u64(out, size);
    }
    pj_buf_add(out, pj_buf_str(&streams));
}

// The archive

static void put_member(pj_buf *out, const char *name, pj_str bytes)
{
    static const char zeros[RECORD];
    char head[RECORD] = {0};
    unsigned sum = 0;
    snprintf(head, 100, "%s", name);
    snprintf(head + 100, 8, "0000644");
    snprintf(head + 108, 8, "0000000");
    snprintf(head + 116, 8, "0000000");
    snprintf(head + 124, 12, "%011zo", bytes.len);
    snprintf(head + 136, 12, "%011llo", (unsigned long long)time(NULL));
    memset(head + 148, ' ', 8);
    head[156] = '0';
    snprintf(head + 257, 6, "ustar");
    head[263] = head[264] = '0'; // version
    for (size_t i = 0; i < RECORD; i++)
        sum += (unsigned char)head[i];
    snprintf(head + 148, 8, "%06o", sum);
    pj_buf_add(out, (pj_str){head, RECORD});
    pj_buf_add(out, bytes);
    pj_buf_add(out, (pj_str){zeros, (RECORD - bytes.len % RECORD) % RECORD});
}

static void put_metric(const writing *w, uint32_t number, pj_buf *out)
{
    const metric *m = &w->metrics[number];
    const uint32_t *order = order_of(w, m->inclusive);
    pj_auto_buf entries = {.at = NULL}, rows = {.at = NULL}, index = {.at = NULL},
                packed = {.at = NULL};
    for (uint32_t i = 0; i < w->p->count[PJ_AT_NODE] && !pj_job_stopped(w->job); i++)
        if (has_row(w, m, order[i])) {
            put_u32(&entries, i);
            put_row(w, m, order[i], &rows);
        }
    pj_buf_puts(&index, "CUBEX.INDEX");
    put_u32(&index, ORDER_OF_BYTES);
    pj_buf_add(&index, (pj_str){"\0\0", 2}); // version
    pj_buf_add_char(&index, SPARSE);
    put_u32(&index, (uint32_t)(entries.len / sizeof(uint32_t)));
    pj_buf_add(&index, pj_buf_str(&entries));
    pack_rows(&rows, w->p->location_count * sizeof(double), &packed);
    put_member(out, pj_arena_format(w->arena, "%u.data", number), pj_buf_str(&packed));
    put_member(out, pj_arena_format(w->arena, "%u.index", number), pj_buf_str(&index));
}

/// The measures below `above`, each behind the one that it is part of.
static void take_metrics(writing *w, uint32_t above, uint32_t under)
{
    for (uint32_t i = 0; i < w->p->measure_count; i++) {
        const pj_measure *measure = &w->p->measures[i];
        const pj_profile_column *own = pj_profile_find(w->p, PJ_AT_NODE, PJ_EXCLUSIVE, i),
                                *all = pj_profile_find(w->p, PJ_AT_NODE, PJ_INCLUSIVE, i);
        bool inclusive = measure->stored != PJ_STORED_EXCLUSIVE && all;
        const pj_profile_column *column = inclusive ? all : own;
        if ((measure->above <= i ? measure->above : 0) != above)
            continue;
        uint32_t made = under;
        if (column) {
            w->metrics[w->metric_count] = (metric){measure, column, inclusive, under};
            made = ++w->metric_count;
        }
        take_metrics(w, i + 1, made);
    }
}

static bool write_cubex(pj_profile *profile, pj_job *job, pj_buf *out, pj_err *err)
{
    static const char end[2 * RECORD];
    uint32_t measure;
    if (!pj_profile_write_stacks(profile, &measure, err))
        return false;
    pj_auto_arena arena = pj_arena_new(NULL);
    writing w = {.p = profile, .arena = arena, .out = out, .job = job};
    w.metrics = pj_new_n(arena, metric, profile->measure_count + (size_t)1);
    const pj_profile_column *calls = pj_profile_find(profile, PJ_AT_NODE, PJ_CALLS, PJ_NO_ITEM);
    if (calls)
        w.metrics[w.metric_count++] = (metric){.column = calls};
    take_metrics(&w, 0, 0);
    link_children(&w);
    sort_nodes(&w);
    for (uint32_t i = 0; i < w.metric_count; i++)
        put_metric(&w, i, out);
    pj_auto_buf anchor = {.at = NULL};
    put_anchor(&w, &anchor);
    put_member(out, "anchor.xml", pj_buf_str(&anchor));
    pj_buf_add(out, (pj_str){end, sizeof end});
    return pj_job_check(job, NULL, err);
}

const pj_profile_writer pj_profile_writer_cubex = {
    .suffixes = "cubex",
    .title = "CUBE profile",
    .write = write_cubex,
};
