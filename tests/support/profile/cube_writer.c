// Writes a CUBE file: visits (exclusive, integers), time (inclusive, doubles), bytes_sent (sparse).
#include "tests/support/profile/cube_writer.h"

#include "metrics/base/arena.h"

#include <stdio.h>
#include <stdlib.h>
#include <zlib.h>

enum { DEPTH = 11, RECORD = 512, SPARSE_EACH = 8 };

static uint32_t mix(uint32_t a, uint32_t b)
{
    uint64_t x = ((uint64_t)a << 32 | b) * UINT64_C(0x9E3779B97F4A7C15);
    x = (x ^ x >> 29) * UINT64_C(0xBF58476D1CE4E5B9);
    return (uint32_t)(x >> 32);
}

static uint32_t depth_of(uint32_t node)
{
    return node ? 1 + mix(node, 7) % DEPTH : 0;
}

int32_t cube_parent(const cube_spec *spec, uint32_t node)
{
    (void)spec;
    for (int32_t i = (int32_t)node - 1; i >= 0; i--)
        if (depth_of((uint32_t)i) < depth_of(node))
            return i;
    return -1;
}

uint32_t cube_region(const cube_spec *spec, uint32_t node)
{
    return node % spec->regions;
}

uint64_t cube_visits(const cube_spec *spec, uint32_t node, uint32_t location)
{
    bool worker = location % spec->threads != 0;
    return worker ? 0 : 1 + mix(node, location) % 1000;
}

double cube_time(const cube_spec *spec, uint32_t node, uint32_t location)
{
    (void)spec;
    return 1e-6 * (mix(node + 1, location) % 100000);
}

uint64_t cube_bytes(const cube_spec *spec, uint32_t node, uint32_t location)
{
    (void)spec;
    return node % SPARSE_EACH == 0 ? mix(node, location + 3) % 65536 : 0;
}

// Bytes

static void add_number(const cube_spec *spec, pj_buf *out, const void *value, size_t size)
{
    char bytes[8];
    memcpy(bytes, value, size);
    for (size_t low = 0, high = size - 1; spec->swapped && low < high; low++, high--) {
        char byte = bytes[low];
        bytes[low] = bytes[high];
        bytes[high] = byte;
    }
    pj_buf_add(out, (pj_str){bytes, size});
}

static void add_member(const cube_spec *spec, pj_buf *out, const char *name, pj_str bytes)
{
    char header[RECORD] = {0};
    unsigned sum = 0;
    snprintf(header, 100, "%s", name);
    snprintf(header + 100, 8, "0000664");
    snprintf(header + 124, 12, "%011zo", bytes.len);
    snprintf(header + 136, 12, "00000000000");
    memset(header + 148, ' ', 8);
    header[156] = '0';
    snprintf(header + 257, 6, "ustar");
    header[263] = header[264] = '0';
    for (size_t i = 0; i < RECORD; i++)
        sum += (unsigned char)header[i];
    snprintf(header + 148, 8, "%06o", sum + spec->wrong_sums);
    pj_buf_add(out, (pj_str){header, RECORD});
    pj_buf_add(out, bytes);
    static const char zeros[RECORD];
    pj_buf_add(out, (pj_str){zeros, (RECORD - bytes.len % RECORD) % RECORD});
}

// Rows

typedef struct metric {
    const char *number;
    bool inclusive, sparse;
    void (*row)(const cube_spec *spec, uint32_t node, const double *times, pj_buf *out);
} metric;

static uint32_t locations_of(const cube_spec *spec)
{
    return spec->ranks * spec->threads;
}

static void visits_row(const cube_spec *spec, uint32_t node, const double *times, pj_buf *out)
{
    (void)times;
    for (uint32_t at = 0; at < locations_of(spec); at++) {
        uint64_t value = cube_visits(spec, node, at);
        add_number(spec, out, &value, sizeof value);
    }
}

static void time_row(const cube_spec *spec, uint32_t node, const double *times, pj_buf *out)
{
    for (uint32_t at = 0; at < locations_of(spec); at++)
        add_number(spec, out, &times[(size_t)node * locations_of(spec) + at], sizeof *times);
}

static void bytes_row(const cube_spec *spec, uint32_t node, const double *times, pj_buf *out)
{
    (void)times;
    for (uint32_t at = 0; at < locations_of(spec); at++) {
        uint64_t value = cube_bytes(spec, node, at);
        add_number(spec, out, &value, sizeof value);
    }
}

/// Times with those of the callees.
static double *sum_times(const cube_spec *spec, const int32_t *parents)
{
    size_t count = locations_of(spec);
    double *times = malloc(spec->nodes * count * sizeof *times);
    for (uint32_t node = 0; node < spec->nodes; node++)
        for (uint32_t at = 0; at < count; at++)
            times[node * count + at] = cube_time(spec, node, at);
    for (uint32_t node = spec->nodes; node-- > 1;)
        for (size_t at = 0; at < count; at++)
            times[(size_t)parents[node] * count + at] += times[node * count + at];
    return times;
}

/// The call paths in the order of positions: as they are, or a call path's children together.
static uint32_t *order_of(const cube_spec *spec, const int32_t *parents, bool wide)
{
    uint32_t *order = malloc(spec->nodes * sizeof *order), count = 0;
    uint32_t *first = calloc(spec->nodes + 1, sizeof *first), *next = calloc(spec->nodes + 1, 4);
    for (uint32_t node = spec->nodes; node-- > 1;) { // lists of children
        next[node] = first[parents[node]];
        first[parents[node]] = node;
    }
    order[count++] = 0;
    for (uint32_t node = 0; wide && node < spec->nodes; node++)
        for (uint32_t child = first[node]; child; child = next[child])
            order[count++] = child;
    for (uint32_t node = 1; !wide && node < spec->nodes; node++)
        order[count++] = node;
    free(first);
    free(next);
    return order;
}

static void add_index(const cube_spec *spec, const metric *m, const uint32_t *order, pj_buf *out)
{
    uint32_t one = 1, count = 0;
    uint16_t version = 0;
    bool dense = spec->dense && !m->sparse;
    pj_buf_puts(out, "CUBEX.INDEX");
    add_number(spec, out, &one, sizeof one);
    add_number(spec, out, &version, sizeof version);
    pj_buf_add_char(out, !dense);
    for (uint32_t i = 0; i < spec->nodes; i++)
        count += !m->sparse || order[i] % SPARSE_EACH == 0;
    if (!dense)
        add_number(spec, out, &count, sizeof count);
    for (uint32_t i = 0; !dense && i < spec->nodes; i++)
        if (!m->sparse || order[i] % SPARSE_EACH == 0)
            add_number(spec, out, &i, sizeof i);
}

static void pack_rows(const cube_spec *spec, const pj_buf *rows, pj_buf *out)
{
    uint64_t width = locations_of(spec) * sizeof(double), count = rows->len / width, packed = 0;
    pj_auto_buf streams = {.at = NULL};
    pj_buf_puts(out, "ZCUBEX.DATA");
    add_number(spec, out, &count, sizeof count);
    for (uint64_t i = 0; i < count; i++) {
        uint64_t raw = i * width, size = compressBound(width);
        compress2((Bytef *)pj_buf_room(&streams, size), &size, (Bytef *)rows->at + raw, width, 1);
        streams.len += size;
        add_number(spec, out, &raw, sizeof raw);
        add_number(spec, out, &packed, sizeof packed);
        add_number(spec, out, &size, sizeof size);
        packed += size;
    }
    pj_buf_add(out, pj_buf_str(&streams));
}

static void add_metric(const cube_spec *spec, const metric *m, const int32_t *parents,
                       const double *times, pj_buf *out)
{
    char name[32];
    uint32_t *order = order_of(spec, parents, m->inclusive);
    pj_auto_buf index = {.at = NULL}, rows = {.at = NULL}, packed = {.at = NULL};
    add_index(spec, m, order, &index);
    if (!spec->packed)
        pj_buf_puts(&rows, "CUBEX.DATA");
    for (uint32_t i = 0; i < spec->nodes; i++)
        if (!m->sparse || order[i] % SPARSE_EACH == 0)
            m->row(spec, order[i], times, &rows);
    if (spec->packed)
        pack_rows(spec, &rows, &packed);
    snprintf(name, sizeof name, "%s.data", m->number);
    add_member(spec, out, name, pj_buf_str(spec->packed ? &packed : &rows));
    snprintf(name, sizeof name, "%s.index", m->number);
    add_member(spec, out, name, pj_buf_str(&index));
    free(order);
}

// anchor.xml

static const char *const names[] = {"MPI_Allreduce", "MPI_Waitall",   "!$omp parallel @grid.c:27",
                                    "solve",         "exchange_halo", "update",
                                    "norm"};
enum { NAMES = sizeof names / sizeof *names };

static void add_regions(const cube_spec *spec, pj_buf *out)
{
    static const char *const paradigms[] = {"mpi", "mpi", "openmp", "compiler"};
    for (uint32_t i = 0; i < spec->regions; i++) {
        uint32_t kind = i % NAMES;
        const char *paradigm = i == 0 ? "measurement" : paradigms[kind < 3 ? kind : 3];
        pj_buf_addf(out, "<region id=\"%u\" mod=\"%s\" begin=\"%d\" end=\"-1\">\n", i,
                    kind < 2 ? "MPI" : "src/grid.c", kind < 2 ? -1 : (int)i + 1);
        const char *name = i == 0 ? "ocean" : names[kind];
        pj_buf_addf(out, "<name>%s%.0u</name>\n<mangled_name>%s%.0u</mangled_name>\n", name,
                    i / NAMES, name, i / NAMES);
        pj_buf_addf(out,
                    "<paradigm>%s</paradigm>\n<role>function</role>\n<url></url>\n"
                    "<descr></descr>\n</region>\n",
                    paradigm);
    }
}

static void add_nodes(const cube_spec *spec, const int32_t *parents, pj_buf *out)
{
    int32_t open = -1;
    for (uint32_t i = 0; i < spec->nodes; i++) {
        for (; open != parents[i]; open = parents[open])
            pj_buf_puts(out, "</cnode>\n");
        pj_buf_addf(out, "<cnode id=\"%u\" calleeId=\"%u\">\n", i, cube_region(spec, i));
        pj_buf_addf(out, "<parameter partype=\"numeric\" parkey=\"step\" parvalue=\"%u\" />\n", i);
        open = (int32_t)i;
    }
    for (; open >= 0; open = parents[open])
        pj_buf_puts(out, "</cnode>\n");
}

static void add_system(const cube_spec *spec, pj_buf *out)
{
    uint32_t location = 0;
    pj_buf_puts(out, "<system>\n<systemtreenode Id=\"0\">\n<name>machine</name>\n"
                     "<class>machine</class>\n<attr key=\"platform\" value=\"Linux\"/>\n");
    for (uint32_t rank = 0; rank < spec->ranks; rank++) {
        pj_buf_addf(out,
                    "<locationgroup Id=\"%u\">\n<name>MPI Rank %u</name>\n<rank>%u</rank>\n"
                    "<type>process</type>\n",
                    rank, rank, rank);
        for (uint32_t thread = 0; thread < spec->threads; thread++)
            pj_buf_addf(out,
                        "<location Id=\"%u\">\n<name>thread %u</name>\n<rank>%u</rank>\n"
                        "<type>thread</type>\n</location>\n",
                        location++, thread, thread);
        pj_buf_puts(out, "</locationgroup>\n");
    }
    pj_buf_puts(out, "</systemtreenode>\n<topologies>\n</topologies>\n</system>\n</cube>\n");
}

static void add_anchor(const cube_spec *spec, const int32_t *parents, pj_buf *out)
{
    static const char *const metrics[][5] = {
        {"EXCLUSIVE", "Visits", "visits", "UINT64", "occ"},
        {"INCLUSIVE", "Time", "time", "DOUBLE", "sec"},
        {"EXCLUSIVE", "Bytes sent", "bytes_sent", "UINT64", "bytes"},
        {"POSTDERIVED", "Rate", "rate", "DOUBLE", "bytes/sec"},
    };
    pj_buf_puts(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<cube version=\"4.4\">\n"
                     "<attr key=\"Creator\" value=\"made for tests\"/>\n<metrics>\n");
    for (size_t i = 0; i < sizeof metrics / sizeof *metrics; i++)
        pj_buf_addf(out,
                    "<metric id=\"%zu\" type=\"%s\">\n<disp_name>%s</disp_name>\n"
                    "<uniq_name>%s</uniq_name>\n<dtype>%s</dtype>\n<uom>%s</uom>\n</metric>\n",
                    i, metrics[i][0], metrics[i][1], metrics[i][2], metrics[i][3], metrics[i][4]);
    pj_buf_puts(out, "</metrics>\n<program>\n");
    add_regions(spec, out);
    add_nodes(spec, parents, out);
    pj_buf_puts(out, "</program>\n");
    add_system(spec, out);
}

static void pack_text(pj_buf *text)
{
    pj_buf out = {.at = NULL};
    z_stream stream = {.next_in = (Bytef *)text->at, .avail_in = (uInt)text->len};
    deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
    uLong room = deflateBound(&stream, text->len);
    stream.next_out = (Bytef *)pj_buf_room(&out, room);
    stream.avail_out = (uInt)room;
    deflate(&stream, Z_FINISH);
    out.len = stream.total_out;
    deflateEnd(&stream);
    pj_buf_free(text);
    *text = out;
}

void cube_write(const cube_spec *spec, pj_buf *out)
{
    static const metric metrics[] = {{"0", .row = visits_row},
                                     {"1", .inclusive = true, .row = time_row},
                                     {"2", .sparse = true, .row = bytes_row}};
    static const char end[2 * RECORD];
    int32_t *parents = malloc(spec->nodes * sizeof *parents);
    for (uint32_t i = 0; i < spec->nodes; i++)
        parents[i] = cube_parent(spec, i);
    double *times = sum_times(spec, parents);
    for (size_t i = 0; i < sizeof metrics / sizeof *metrics; i++)
        add_metric(spec, &metrics[i], parents, times, out);
    pj_auto_buf text = {.at = NULL};
    add_anchor(spec, parents, &text);
    if (spec->packed_text)
        pack_text(&text);
    add_member(spec, out, "anchor.xml", pj_buf_str(&text));
    pj_buf_add(out, (pj_str){end, sizeof end});
    free(parents);
    free(times);
}
