// Records are rendered at once and kept as text; saving sorts them by time as Extrae's merger does.
#include "tests/support/trace/trace_writer.h"

#include "metrics/base/arena.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <zlib.h>

typedef struct record {
    uint64_t time;
    size_t at, len; // in the writer's text
} record;

typedef struct value_label {
    uint32_t type;
    int64_t value;
    char *label;
} value_label;

struct pj_trace_writer {
    pj_trace_header header;
    uint32_t *first_cpu; // by rank, from 0; ranks + 1 items
    uint64_t unit_ns;
    uint64_t end;
    pj_buf text; // all records, one after the other, without line ends
    record *records;
    size_t count, cap;
    pj_buf communicators; // lines
    uint32_t communicator_count;
    value_label *labels;
    size_t label_count, label_cap;
    pj_trace_item *items;
    size_t item_count, item_cap;
    uint32_t *used; // event types met: only they are named in the .pcf
    size_t used_count, used_cap;
};

typedef struct call_row {
    uint32_t type;
    int64_t value;
    uint32_t state;
    const char *name;
} call_row;

static const call_row calls[] = {
#define CALL(type, value, state, name) {type, value, state, name},
#define TYPE(gradient, type, name)
#define VALUE(type, value, name)
#include "tests/support/trace/trace_names.def"
#undef CALL
#undef TYPE
#undef VALUE
};

typedef struct type_row {
    int gradient;
    uint32_t type;
    const char *name;
} type_row;

static const type_row types[] = {
    {9, 50000001, "MPI Point-to-point"},
    {9, 50000002, "MPI Collective Comm"},
    {9, 50000003, "MPI Other"},
    {9, 50000004, "MPI One-sided"},
    {9, 50000005, "MPI I/O"},
#define CALL(type, value, state, name)
#define TYPE(gradient, type, name) {gradient, type, name},
#define VALUE(type, value, name)
#include "tests/support/trace/trace_names.def"
#undef CALL
#undef TYPE
#undef VALUE
};

static const struct {
    uint32_t type;
    int64_t value;
    const char *label;
} values[] = {
#define CALL(type, value, state, name) {type, value, name},
#define TYPE(gradient, type, name)
#define VALUE(type, value, name) {type, value, name},
#include "tests/support/trace/trace_names.def"
#undef CALL
#undef TYPE
#undef VALUE
};

static const char *const states[] = {
    "Idle",
    "Running",
    "Not created",
    "Waiting a message",
    "Blocking Send",
    "Synchronization",
    "Test/Probe",
    "Scheduling and Fork/Join",
    "Wait/WaitAll",
    "Blocked",
    "Immediate Send",
    "Immediate Receive",
    "I/O",
    "Group Communication",
    "Tracing Disabled",
    "Others",
    "Send Receive",
    "Memory transfer",
    "Profiling",
    "On-line analysis",
    "Remote memory access",
};

enum { type_instructions = 42000050, type_cycles = 42000059 };

static uint64_t unit_of(const char *unit)
{
    if (!unit || strcmp(unit, "_ns") == 0)
        return 1;
    return strcmp(unit, "_ms") == 0 ? 1000000 : 1000;
}

static uint32_t threads_of(const pj_trace_header *header, uint32_t rank)
{
    if (header->threads)
        return header->threads[rank];
    return header->threads_each ? header->threads_each : 1;
}

pj_trace_writer *pj_trace_writer_new(pj_trace_header header)
{
    pj_trace_writer *writer = pj_take_memory(sizeof *writer);
    *writer = (pj_trace_writer){.header = header, .unit_ns = unit_of(header.unit)};
    writer->end = header.end;
    writer->first_cpu = pj_take_memory((header.ranks + 1) * sizeof *writer->first_cpu);
    writer->first_cpu[0] = 0;
    for (uint32_t rank = 0; rank < header.ranks; rank++)
        writer->first_cpu[rank + 1] = writer->first_cpu[rank] + threads_of(&header, rank);
    return writer;
}

void pj_trace_writer_free(pj_trace_writer *writer)
{
    if (!writer)
        return;
    for (size_t i = 0; i < writer->label_count; i++)
        free(writer->labels[i].label);
    free(writer->labels);
    free(writer->used);
    free(writer->records);
    free(writer->items);
    free(writer->first_cpu);
    pj_buf_free(&writer->text);
    pj_buf_free(&writer->communicators);
    free(writer);
}

static void begin_record(pj_trace_writer *writer, uint64_t time)
{
    pj_grow(writer->records, &writer->cap, writer->count + 1);
    writer->records[writer->count++] = (record){.time = time, .at = writer->text.len};
}

static void end_record(pj_trace_writer *writer)
{
    record *last = &writer->records[writer->count - 1];
    last->len = writer->text.len - last->at;
}

static void add_time(pj_trace_writer *writer, uint64_t time)
{
    if (time != UINT64_MAX && time > writer->end)
        writer->end = time;
    pj_buf_addf(&writer->text, ":%" PRIu64, time / writer->unit_ns);
}

/// "cpu:application:task:thread".
static void add_place(pj_trace_writer *writer, pj_place at)
{
    uint32_t cpu = writer->header.shared_cpus ? 0 : writer->first_cpu[at.rank] + at.thread + 1;
    pj_buf_addf(&writer->text, ":%u:1:%u:%u", cpu, at.rank + 1, at.thread + 1);
}

static void add_item(pj_trace_writer *writer, pj_trace_item item)
{
    pj_grow(writer->items, &writer->item_cap, writer->item_count + 1);
    writer->items[writer->item_count++] = item;
}

const pj_trace_item *pj_trace_writer_items(const pj_trace_writer *writer, size_t *count)
{
    *count = writer->item_count;
    return writer->items;
}

const pj_trace_header *pj_trace_writer_header(const pj_trace_writer *writer)
{
    return &writer->header;
}

uint32_t pj_trace_writer_threads(const pj_trace_writer *writer, uint32_t rank)
{
    return threads_of(&writer->header, rank);
}

static void add_state(pj_trace_writer *writer, pj_place at, uint64_t begin, uint64_t end,
                      uint32_t state)
{
    begin_record(writer, begin);
    pj_buf_add_char(&writer->text, '1');
    add_place(writer, at);
    add_time(writer, begin);
    add_time(writer, end);
    pj_buf_addf(&writer->text, ":%u", state);
    end_record(writer);
}

static bool is_used(const pj_trace_writer *writer, uint32_t type)
{
    for (size_t i = 0; i < writer->used_count; i++)
        if (writer->used[i] == type)
            return true;
    return false;
}

static void note_type(pj_trace_writer *writer, uint32_t type)
{
    if (is_used(writer, type))
        return;
    pj_grow(writer->used, &writer->used_cap, writer->used_count + 1);
    writer->used[writer->used_count++] = type;
}

static void add_events(pj_trace_writer *writer, pj_place at, uint64_t time,
                       const pj_trace_pair *pairs, size_t count)
{
    begin_record(writer, time);
    pj_buf_add_char(&writer->text, '2');
    add_place(writer, at);
    add_time(writer, time);
    for (size_t i = 0; i < count; i++) {
        note_type(writer, pairs[i].type);
        pj_buf_addf(&writer->text, ":%u:%" PRId64, pairs[i].type, pairs[i].value);
    }
    end_record(writer);
}

void pj_trace_writer_state(pj_trace_writer *writer, pj_place at, uint64_t begin, uint64_t end,
                           uint32_t state)
{
    add_item(writer, (pj_trace_item){PJ_TRACE_STATE, at, begin, end, .state = state});
    add_state(writer, at, begin, end, state);
}

void pj_trace_writer_events(pj_trace_writer *writer, pj_place at, uint64_t time,
                            const pj_trace_pair *pairs, size_t count)
{
    for (size_t i = 0; i < count; i++)
        add_item(writer, (pj_trace_item){PJ_TRACE_PAIR, at, time, .pair = pairs[i]});
    add_events(writer, at, time, pairs, count);
}

void pj_trace_writer_event(pj_trace_writer *writer, pj_place at, uint64_t time, uint32_t type,
                           int64_t value)
{
    pj_trace_writer_events(writer, at, time, &(pj_trace_pair){type, value}, 1);
}

void pj_trace_writer_message(pj_trace_writer *writer, pj_trace_message message)
{
    add_item(writer, (pj_trace_item){PJ_TRACE_MESSAGE, message.from, message.times.logical_send,
                                     .message = message});
    begin_record(writer, message.times.physical_send);
    pj_buf_add_char(&writer->text, '3');
    add_place(writer, message.from);
    add_time(writer, message.times.logical_send);
    add_time(writer, message.times.physical_send);
    add_place(writer, message.to);
    add_time(writer, message.times.logical_recv);
    add_time(writer, message.times.physical_recv);
    pj_buf_addf(&writer->text, ":%" PRIu64 ":%" PRId64, message.size, message.tag);
    end_record(writer);
}

void pj_trace_writer_line(pj_trace_writer *writer, uint64_t time, const char *line)
{
    begin_record(writer, time);
    pj_buf_puts(&writer->text, line);
    end_record(writer);
}

static uint32_t add_communicator(pj_trace_writer *writer, char kind, const uint32_t *ranks,
                                 size_t count)
{
    uint32_t id = ++writer->communicator_count;
    pj_buf_addf(&writer->communicators, "%c:1:%u:%zu", kind, id, count);
    for (size_t i = 0; i < count; i++)
        pj_buf_addf(&writer->communicators, ":%u", ranks[i] + 1);
    pj_buf_puts(&writer->communicators, writer->header.crlf ? "\r\n" : "\n");
    return id;
}

uint32_t pj_trace_writer_communicator(pj_trace_writer *writer, const uint32_t *ranks, size_t count)
{
    return add_communicator(writer, 'c', ranks, count);
}

uint32_t pj_trace_writer_intercommunicator(pj_trace_writer *writer, const uint32_t *ranks,
                                           size_t count)
{
    return add_communicator(writer, 'i', ranks, count);
}

static const call_row *call_by_name(const char *name)
{
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++)
        if (strcmp(calls[i].name, name) == 0)
            return &calls[i];
    fprintf(stderr, "trace_names.def has no call %s\n", name);
    abort();
}

static size_t add_counters(pj_trace_pair *pairs, size_t count, int64_t instructions, int64_t cycles)
{
    if (instructions == 0 && cycles == 0)
        return count;
    pairs[count++] = (pj_trace_pair){type_instructions, instructions};
    pairs[count++] = (pj_trace_pair){type_cycles, cycles};
    return count;
}

void pj_trace_writer_call(pj_trace_writer *writer, pj_place at, pj_trace_call call)
{
    add_item(writer, (pj_trace_item){PJ_TRACE_CALL, at, call.begin, .call = call});
    const call_row *row = call_by_name(call.name);
    pj_trace_pair pairs[8] = {{row->type, row->value}};
    size_t count = 1;
    if (call.communicator) {
        pairs[count++] = (pj_trace_pair){50100001, (int64_t)call.send_bytes};
        pairs[count++] = (pj_trace_pair){50100002, (int64_t)call.recv_bytes};
        pairs[count++] = (pj_trace_pair){50100004, call.communicator};
        if (call.root)
            pairs[count++] = (pj_trace_pair){50100003, 1};
    }
    count = add_counters(pairs, count, call.instructions, call.cycles);
    add_state(writer, at, call.begin, call.end, row->state);
    add_events(writer, at, call.begin, pairs, count);

    pairs[0].value = 0;
    count = add_counters(pairs, 1, call.instructions_inside, call.cycles_inside);
    add_events(writer, at, call.end, pairs, count);
}

void pj_trace_writer_label_value(pj_trace_writer *writer, uint32_t type, int64_t value,
                                 const char *label)
{
    pj_grow(writer->labels, &writer->label_cap, writer->label_count + 1);
    char *copy = pj_take_memory(strlen(label) + 1);
    memcpy(copy, label, strlen(label) + 1);
    writer->labels[writer->label_count++] = (value_label){type, value, copy};
}

/// By time, then in the order of writing.
static int order_of_records(const void *left, const void *right)
{
    const record *a = left;
    const record *b = right;
    if (a->time != b->time)
        return a->time < b->time ? -1 : 1;
    return a->at < b->at ? -1 : a->at > b->at;
}

static uint32_t node_of(const pj_trace_header *header, uint32_t rank)
{
    return header->ranks_per_node ? rank / header->ranks_per_node : 0;
}

/// "2(48,16)": nodes and their CPUs.
static void add_nodes(const pj_trace_writer *writer, pj_buf *out)
{
    const pj_trace_header *header = &writer->header;
    if (header->nodes) {
        pj_buf_puts(out, header->nodes);
        return;
    }
    pj_buf_addf(out, "%u(", node_of(header, header->ranks - 1) + 1);
    uint32_t cpus = 0;
    for (uint32_t rank = 0; rank < header->ranks; rank++) {
        cpus += threads_of(header, rank);
        bool last = rank + 1 == header->ranks;
        if (last || node_of(header, rank + 1) != node_of(header, rank)) {
            pj_buf_addf(out, "%u%s", cpus, last ? ")" : ",");
            cpus = 0;
        }
    }
}

static void add_header(const pj_trace_writer *writer, pj_buf *out)
{
    const pj_trace_header *header = &writer->header;
    bool no_nodes = header->nodes && strcmp(header->nodes, "0") == 0;
    pj_buf_addf(out,
                "#Paraver (%s):%" PRIu64 "%s:", header->date ? header->date : "01/01/2024 at 12:00",
                writer->end / writer->unit_ns, header->unit ? header->unit : "_ns");
    add_nodes(writer, out);
    pj_buf_addf(out, ":1:%u(", header->ranks);
    for (uint32_t rank = 0; rank < header->ranks; rank++)
        pj_buf_addf(out, "%s%u:%u", rank ? "," : "", threads_of(header, rank),
                    no_nodes ? 0 : node_of(header, rank) + 1);
    pj_buf_add_char(out, ')');
    if (!header->no_communicators)
        pj_buf_addf(out, ",%u", writer->communicator_count);
    pj_buf_puts(out, header->crlf ? "\r\n" : "\n");
    if (!header->no_communicators)
        pj_buf_add(out, pj_buf_str(&writer->communicators));
}

void pj_trace_writer_prv(pj_trace_writer *writer, pj_buf *out)
{
    if (writer->count)
        qsort(writer->records, writer->count, sizeof *writer->records, order_of_records);
    add_header(writer, out);
    for (size_t i = 0; i < writer->count; i++) {
        const record *line = &writer->records[i];
        pj_buf_add(out, (pj_str){writer->text.at + line->at, line->len});
        pj_buf_puts(out, writer->header.crlf ? "\r\n" : "\n");
    }
}

static void add_values(const pj_trace_writer *writer, uint32_t type, pj_buf *out)
{
    pj_auto_buf lines = {0};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
        if (values[i].type == type)
            pj_buf_addf(&lines, "%" PRId64 "   %s\n", values[i].value, values[i].label);
    for (size_t i = 0; i < writer->label_count; i++)
        if (writer->labels[i].type == type)
            pj_buf_addf(&lines, "%" PRId64 "   %s\n", writer->labels[i].value,
                        writer->labels[i].label);
    if (lines.len == 0)
        return;
    pj_buf_puts(out, "VALUES\n");
    pj_buf_add(out, pj_buf_str(&lines));
    if (type >= 50000001 && type <= 50000005)
        pj_buf_puts(out, "0   Outside MPI\n");
}

void pj_trace_writer_pcf(const pj_trace_writer *writer, pj_buf *out)
{
    pj_buf_puts(out, "DEFAULT_OPTIONS\n\nLEVEL               THREAD\n"
                     "UNITS               NANOSEC\n\n\n"
                     "DEFAULT_SEMANTIC\n\nTHREAD_FUNC          State As Is\n\n\nSTATES\n");
    for (size_t i = 0; i < sizeof states / sizeof states[0]; i++)
        pj_buf_addf(out, "%zu    %s\n", i, states[i]);
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        if (!is_used(writer, types[i].type))
            continue;
        pj_buf_addf(out, "\n\nEVENT_TYPE\n%d    %u    %s\n", types[i].gradient, types[i].type,
                    types[i].name);
        add_values(writer, types[i].type, out);
    }
    pj_buf_add_char(out, '\n');
}

void pj_trace_writer_row(const pj_trace_writer *writer, pj_buf *out)
{
    uint32_t ranks = writer->header.ranks;
    uint32_t nodes = node_of(&writer->header, ranks - 1) + 1;
    pj_buf_addf(out, "LEVEL CPU SIZE %u\n", writer->first_cpu[ranks]);
    for (uint32_t rank = 0; rank < ranks; rank++)
        for (uint32_t cpu = writer->first_cpu[rank]; cpu < writer->first_cpu[rank + 1]; cpu++)
            pj_buf_addf(out, "%u.node%02u\n", cpu + 1, node_of(&writer->header, rank) + 1);
    pj_buf_addf(out, "\nLEVEL NODE SIZE %u\n", nodes);
    for (uint32_t node = 0; node < nodes; node++)
        pj_buf_addf(out, "node%02u\n", node + 1);
    pj_buf_addf(out, "\nLEVEL THREAD SIZE %u\n", writer->first_cpu[ranks]);
    for (uint32_t rank = 0; rank < ranks; rank++)
        for (uint32_t thread = 0; thread < threads_of(&writer->header, rank); thread++)
            if (writer->header.devices && thread)
                pj_buf_addf(out, "CUDA-D%u.S%u-node%02u\n", rank + 1, thread,
                            node_of(&writer->header, rank) + 1);
            else
                pj_buf_addf(out, "THREAD 1.%u.%u\n", rank + 1, thread + 1);
}

static bool write_plain(const char *path, pj_str bytes)
{
    FILE *file = fopen(path, "wb");
    if (!file)
        return false;
    bool written = fwrite(bytes.at, 1, bytes.len, file) == bytes.len;
    return fclose(file) == 0 && written;
}

static bool write_gzip(const char *path, pj_str bytes)
{
    gzFile file = gzopen(path, "wb9"); // no name and no time in its header: the same bytes again
    if (!file)
        return false;
    bool written = gzfwrite(bytes.at, 1, bytes.len, file) == bytes.len;
    return gzclose(file) == Z_OK && written;
}

bool pj_trace_writer_file(const char *path, pj_str bytes, pj_err *err)
{
    bool compressed = pj_str_ends(pj_str_of(path), PJ_S(".gz"));
    if (compressed ? write_gzip(path, bytes) : write_plain(path, bytes))
        return true;
    return pj_fail(err, PJ_E_IO, path, 0, "cannot be written");
}

bool pj_trace_writer_save(pj_trace_writer *writer, const char *path, pj_err *err)
{
    pj_str stem = pj_str_of(path);
    if (pj_str_ends(stem, PJ_S(".gz")))
        stem.len -= 3;
    if (!pj_str_ends(stem, PJ_S(".prv")))
        return pj_fail(err, PJ_E_USAGE, path, 0, "a trace's name ends with .prv or .prv.gz");
    stem.len -= 4;

    pj_auto_buf prv = {0}, pcf = {0}, row = {0}, name = {0};
    pj_trace_writer_prv(writer, &prv);
    pj_trace_writer_pcf(writer, &pcf);
    pj_trace_writer_row(writer, &row);
    if (!pj_trace_writer_file(path, pj_buf_str(&prv), err))
        return false;
    pj_buf_addf(&name, PJ_STR_FMT ".pcf", PJ_STR_ARG(stem));
    if (!pj_trace_writer_file(name.at, pj_buf_str(&pcf), err))
        return false;
    name.len = stem.len;
    pj_buf_puts(&name, ".row");
    return pj_trace_writer_file(name.at, pj_buf_str(&row), err);
}
