// Reads Paraver traces: header and communicators first, then blocks of records in parallel, whose
// events go to the sinks in the order of the file.
#include "metrics/read/paraver/prv_block.h"
#include "metrics/read/paraver/prv_estimate.h"
#include "metrics/read/paraver/prv_names.h"
#include "metrics/read/paraver/prv_order.h"
#include "metrics/read/paraver/prv_part.h"
#include "metrics/read/paraver/prv_record.h"
#include "metrics/read/paraver/prv_share.h"
#include "metrics/read/paraver/prv_streams.h"
#include "metrics/read/pass.h"
#include "metrics/read/reader.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/job.h"
#include "metrics/base/pool.h"
#include "metrics/base/process_group.h"
#include "metrics/base/str.h"
#include "metrics/read/paraver/prv_cut.h"
#include "metrics/read/paraver/prv_header.h"
#include "metrics/read/source.h"
#include "metrics/run/run.h"
#include "metrics/trace/device.h"
#include "metrics/trace/event.h"
#include "metrics/trace/import_stats.h"
#include "metrics/trace/layout.h"

#include <stdlib.h>
#include <sys/stat.h>

/// One block on its way through the line.
typedef struct piece {
    pj_block block;
    size_t begin; // where its records begin
    bool last;    // in a process group: its range has ended
    pj_prv_block *reader;
    pj_prv_batch batch;
} piece;

typedef struct prv_reading {
    pj_source *source;
    pj_pass *pass;
    pj_run *run;
    pj_prv_trace trace;
    pj_prv_order *order;
    piece first;    // the block in which the records begin
    bool first_due; // it has not been taken yet
    uint64_t lines; // of all blocks put so far
    uint64_t communicator_lines;
    pj_prv_batch spare; // for looking up the line of an event
    pj_prv_parts parts;
    bool indexed;              // they are kept
    pj_prv_share *share;       // in a process group
    bool disordered;           // the same: a thread has gone back in time
    bool untold;               // nothing but their events tells threads from streams
    pj_prv_deeds *deeds;       // which show it in this pass
    uint32_t locations;        // events of later ones, streams, are wanted by nobody
    pj_prv_estimate *estimate; // of a trace without states; NULL = it has them
} prv_reading;

static bool header_line(prv_reading *reading, pj_str line, pj_err *err)
{
    pj_run *run = reading->run;
    if (!pj_prv_header_parse(line, run, reading->pass->job, &reading->trace.header, err))
        return false;
    run->end_ns = reading->trace.header.end_ns;
    const pj_run *known = reading->pass->known;
    if (known && known->end_ns > run->end_ns)
        run->end_ns = known->end_ns;
    return true;
}

static void communicator_line(prv_reading *reading, pj_str line, size_t *cap)
{
    pj_run *run = reading->run;
    pj_grow(run->names.communicators, cap, run->names.communicator_count + 1);
    pj_communicator *communicator = &run->names.communicators[run->names.communicator_count];
    if (pj_prv_communicator_parse(line, &reading->trace.header, communicator, run->arena))
        run->names.communicator_count++;
    else
        pj_import_add(&run->import, PJ_IMPORT_bad_communicator, reading->lines + 1);
    reading->communicator_lines++;
}

/// The communicators were gathered in an array of their own; the run keeps them in its arena.
static void keep_communicators(prv_reading *reading)
{
    pj_run *run = reading->run;
    pj_communicator *gathered = run->names.communicators;
    uint32_t n = run->names.communicator_count;
    run->names.communicators = pj_new_n(run->arena, pj_communicator, n);
    if (n)
        memcpy(run->names.communicators, gathered, n * sizeof *gathered);
    free(gathered);
    if (reading->communicator_lines != reading->trace.header.communicators)
        pj_import_add(&run->import, PJ_IMPORT_communicator_number, 1);
}

/// The next block that holds text; dropped lines are counted.
static bool take_text(prv_reading *reading, piece *slot, pj_err *err)
{
    slot->begin = 0;
    while (pj_source_next(reading->source, &slot->block, err)) {
        if (!slot->block.dropped)
            return true;
        pj_import_add(&reading->run->import, PJ_IMPORT_long_line, ++reading->lines);
    }
    return false;
}

/// The next line of the preamble; false at its end.
static bool preamble_line(piece *slot, pj_str *line)
{
    pj_str rest = {slot->block.text + slot->begin, slot->block.len - slot->begin};
    if (!rest.len)
        return false;
    *line = pj_str_cut(&rest, '\n');
    return true;
}

/// Takes a line before the first record; false when it is none: the records begin there.
static bool line_before_records(prv_reading *reading, pj_str line, size_t *cap)
{
    pj_run *run = reading->run;
    if (pj_prv_is_comment(line)) {
        run->chopped |= pj_prv_says_chopped(line);
        if (pj_prv_says_idealised(line)) {
            run->idealised = reading->trace.idealised = true;
            run->told.forks_traced = pj_str_contains(line, PJ_S(":forks:"));
            run->told.starts_go_on = pj_str_contains(line, PJ_S(":starts:"));
            run->told.windows = pj_str_contains(line, PJ_S(":windows:"));
        }
    } else if (pj_prv_is_communicator(line)) {
        communicator_line(reading, line, cap);
    } else {
        return false;
    }
    return true;
}

/// Everything before the first record. Leaves the block where the records begin in
/// reading->first.
static bool read_preamble(prv_reading *reading, pj_err *err)
{
    piece *slot = &reading->first;
    pj_str line;
    size_t cap = 0;
    if (!pj_source_next(reading->source, &slot->block, err))
        return false;
    if (!preamble_line(slot, &line) || slot->block.dropped)
        return pj_fail(err, PJ_E_FORMAT, reading->run->path, 1,
                       "the header has no end within %d MB: this is no trace",
                       PJ_LINE_BYTES_MAX >> 20);
    if (!header_line(reading, line, err))
        return false;
    bool more = true;
    do {
        slot->begin += line.len + 1;
        reading->lines++;
        while (more && !preamble_line(slot, &line))
            more = take_text(reading, slot, err);
    } while (more && line_before_records(reading, line, &cap));
    reading->first_due = more;
    keep_communicators(reading);
    return !err->code;
}

static bool take(void *self, void *memory, pj_err *err)
{
    prv_reading *reading = self;
    piece *slot = memory;
    if (!pj_job_check(reading->pass->job, reading->run->path, err))
        return false;
    slot->begin = 0;
    if (reading->share)
        return pj_prv_share_next(reading->share, reading->source, &slot->block, &slot->begin,
                                 &slot->last, err);
    if (!reading->first_due)
        return pj_prv_parts_seek(&reading->parts, reading->source, reading->pass, err) &&
               pj_source_next(reading->source, &slot->block, err);
    pj_block spent = slot->block;
    slot->block = reading->first.block;
    slot->begin = reading->first.begin;
    reading->first.block = spent;
    reading->first_due = false;
    return true;
}

/// Leaves out events of streams, and messages with them, from the event of this index on.
static void leave_out_streams(const prv_reading *reading, pj_prv_batch *batch, size_t from)
{
    const pj_event *end = batch->out.event;
    pj_event *kept = batch->events + from;
    for (const pj_event *event = kept; event < end; event++) {
        bool message = event->kind == PJ_EV_MESSAGE;
        if (event->location < reading->locations &&
            (!message || batch->messages[event->a].to < reading->locations))
            *kept++ = *event;
    }
    batch->out.event = kept;
}

static bool has_unwanted(const prv_reading *reading)
{
    return reading->run->layout.stream_count && !pj_pass_has_devices(reading->pass);
}

static bool work(void *self, void *memory, pj_err *err)
{
    const prv_reading *reading = self;
    piece *slot = memory;
    (void)err;
    pj_str text = {slot->block.text + slot->begin, slot->block.len - slot->begin};
    pj_prv_batch_begin(&slot->batch, &reading->trace, text.len);
    if (slot->block.dropped) {
        slot->batch.lines = 1;
        pj_import_add(&slot->batch.import, PJ_IMPORT_long_line, 1);
    }
    pj_prv_block_read(slot->reader, text, &slot->batch);
    if (has_unwanted(reading))
        leave_out_streams(reading, &slot->batch, 0);
    return true;
}

/// Line in the block of the event with this index: the block is read again up to it.
static uint64_t line_of(prv_reading *reading, const piece *slot, size_t index)
{
    pj_str text = {slot->block.text + slot->begin, slot->block.len - slot->begin};
    pj_prv_batch_begin(&reading->spare, &reading->trace, text.len);
    for (size_t count; text.len && (count = pj_prv_batch_view(&reading->spare).count) <= index;) {
        reading->spare.lines++;
        pj_prv_line(&reading->trace, pj_str_cut(&text, '\n'), &reading->spare);
        if (has_unwanted(reading))
            leave_out_streams(reading, &reading->spare, count);
    }
    return reading->spare.lines;
}

static void watch_order(prv_reading *reading, piece *slot, const pj_batch *batch)
{
    size_t first;
    uint64_t back = pj_prv_order_watch(reading->order, batch, &first);
    if (!back)
        return;
    if (!reading->run->import.count[PJ_IMPORT_time_backwards])
        reading->run->import.first_line[PJ_IMPORT_time_backwards] =
            reading->lines + line_of(reading, slot, first);
    reading->run->import.count[PJ_IMPORT_time_backwards] += back;
}

/// Counts what the block held; its lines are numbered on from the blocks before.
static void account(prv_reading *reading, const pj_prv_batch *batch, bool unended)
{
    pj_run *run = reading->run;
    pj_import_stats import = batch->import;
    if (unended)
        pj_import_add(&import, PJ_IMPORT_no_final_newline, batch->lines);
    for (unsigned k = 0; k < PJ_IMPORT_COUNT; k++)
        if (import.first_line[k])
            import.first_line[k] += reading->lines;
    pj_import_merge(&run->import, &import);
    reading->lines += batch->lines;
    run->events += batch->out.records;
    if (batch->out.last_ns > run->last_record_ns)
        run->last_record_ns = batch->out.last_ns;
    run->chopped |= batch->chopped;
}

static void watch_streams(prv_reading *reading, const piece *slot)
{
    pj_batch batch = pj_prv_batch_view(&slot->batch);
    if (reading->untold && slot->batch.out.devices)
        pj_prv_streams_watch(&reading->deeds, &reading->run->layout, &batch);
}

/// In a process group: at the end of each range every member gets what is its own.
static bool put_shared(prv_reading *reading, const piece *slot, pj_err *err)
{
    pj_prv_received got;
    size_t first;
    watch_streams(reading, slot);
    if (!slot->last) {
        pj_prv_share_send(reading->share, &slot->batch, slot->block.unended);
        return true;
    }
    if (!pj_prv_share_exchange(reading->share, err))
        return false;
    while (pj_prv_share_receive(reading->share, &got, err)) {
        if (got.facts)
            account(reading, got.facts, got.unended);
        reading->disordered |= pj_prv_order_watch(reading->order, &got.own, &first) > 0;
        if (!pj_pass_own(reading->pass, &got.own, err) ||
            !pj_pass_all(reading->pass, &got.all, err))
            return false;
    }
    return !err->code;
}

/// Events in order of time go to the sinks.
static bool hand_on(prv_reading *reading, const pj_batch *ordered, pj_err *err)
{
    if (!reading->estimate)
        return pj_pass_events(reading->pass, ordered, err);
    pj_batch estimated = pj_prv_estimate_pass(reading->estimate, ordered);
    return pj_pass_events(reading->pass, &estimated, err);
}

static bool put(void *self, void *memory, pj_err *err)
{
    prv_reading *reading = self;
    piece *slot = memory;
    if (reading->share)
        return put_shared(reading, slot, err);
    pj_batch batch = pj_prv_batch_view(&slot->batch);
    watch_streams(reading, slot);
    watch_order(reading, slot, &batch);
    account(reading, &slot->batch, slot->block.unended);
    if (reading->indexed)
        pj_prv_parts_add(&reading->parts, &slot->block, slot->begin, &slot->batch);
    pj_batch ordered = pj_prv_order_pass(reading->order, &batch);
    return hand_on(reading, &ordered, err);
}

static void report(void *self)
{
    const prv_reading *reading = self;
    pj_job_report(reading->pass->job, reading->run->path, false);
}

static bool read_records(prv_reading *reading, pj_err *err)
{
    const pj_line line = {reading, take, work, put, report};
    unsigned workers = pj_job_workers(reading->pass->job);
    size_t n = pj_pool_slots(workers);
    piece *slots = pj_take_memory(n * sizeof *slots);
    void **each = pj_take_memory(n * sizeof *each);
    for (size_t i = 0; i < n; i++) {
        slots[i] = (piece){.reader = pj_prv_block_new(&reading->trace)};
        each[i] = &slots[i];
    }
    bool ok = pj_pool_run(&line, workers, each, n, err);
    for (size_t i = 0; i < n; i++) {
        pj_block_free(&slots[i].block);
        pj_prv_block_free(slots[i].reader);
        pj_prv_batch_free(&slots[i].batch);
    }
    free(each);
    free(slots);
    return ok;
}

/// Streams that events have shown are taken out in another pass, where there can be one. No member
/// of a process group has seen all events: its leader goes on alone.
static void learn_streams(prv_reading *reading)
{
    pj_pass *pass = reading->pass;
    if (pass->group || !pj_prv_streams_seen(reading->deeds))
        return;
    if (!pj_source_facts_of(reading->source).again) {
        pj_run_remark(reading->run, PJ_WARNING, "pipe_streams",
                      "a pipe cannot be read twice: streams of devices, which no .row file names, "
                      "count as threads");
        return;
    }
    pass->learnt = reading->deeds;
    pass->learning = true;
    reading->deeds = NULL;
}

/// What can be said only when the input has ended.
static bool end_run(prv_reading *reading, pj_err *err)
{
    pj_run *run = reading->run;
    if (reading->pass->known)
        return true;
    if (!run->events)
        return pj_fail(err, PJ_E_FORMAT, run->path, reading->lines,
                       "holds no record that can be read, only a header");
    pj_source_facts facts = pj_source_facts_of(reading->source);
    if (facts.damage)
        pj_import_add(&run->import, PJ_IMPORT_damaged_stream, reading->lines);
    const uint64_t slack = run->end_ns / 1000; // tools round
    if (run->last_record_ns + slack < run->end_ns && !reading->estimate)
        pj_import_add(&run->import, PJ_IMPORT_ends_early, reading->lines);
    if (run->last_record_ns > run->end_ns)
        run->end_ns = run->last_record_ns;
    bool ordered = !reading->pass->disorder && !run->import.count[PJ_IMPORT_time_backwards];
    if (reading->indexed && ordered)
        pj_prv_parts_keep(&reading->parts, run);
    learn_streams(reading);
    if (!reading->pass->disorder && !reading->pass->learning)
        reading->pass->disorder = pj_prv_order_take_disorder(reading->order);
    return true;
}

/// In a process group: what its members have seen together.
static bool end_shared(prv_reading *reading, pj_err *err)
{
    bool ordered = !reading->disordered && !pj_prv_streams_seen(reading->deeds);
    bool ok = !pj_process_group_leads(reading->pass->group) || end_run(reading, err);
    ok = ok && pj_prv_share_end(reading->share, &ordered, &reading->run->end_ns, err);
    reading->pass->apart = !ordered;
    return ok;
}

/// In a process group: the records are read from where they begin, by ranges.
static bool begin_shared(prv_reading *reading, pj_err *err)
{
    const piece *first = &reading->first;
    uint64_t begin = reading->first_due ? first->block.offset + first->begin : UINT64_MAX;
    reading->share = pj_prv_share_new(reading->pass, reading->source, begin, err);
    return reading->share != NULL;
}

static bool read_shared(prv_reading *reading, pj_err *err)
{
    return begin_shared(reading, err) && pj_pass_begin(reading->pass, err) &&
           read_records(reading, err) && end_shared(reading, err);
}

/// The names of the trace, and by them or by what is known of it which threads are streams.
static void name_and_sort(prv_reading *reading)
{
    const pj_pass *pass = reading->pass;
    pj_run *run = reading->run;
    pj_prv_read_names(run, &reading->trace, pass->parameters);
    pj_prv_streams_settle(run, &reading->trace.header, pass->known ? &pass->known->layout : NULL,
                          pass->learnt);
    reading->locations = run->layout.locations;
    reading->untold = !pass->known && !pass->learnt && !pj_prv_streams_are_named(&run->layout);
}

/// What devices do is told by who has all events of a run.
static bool is_apart(const prv_reading *reading)
{
    return reading->pass->group &&
           (pj_pass_has_devices(reading->pass) || reading->trace.devices.nsys);
}

/// Whether streams of two ranks are of one device.
static bool shares_devices(const pj_layout *layout)
{
    pj_auto_arena scratch = pj_arena_new(NULL);
    uint32_t *device_of = pj_new_n(scratch, uint32_t, layout->stream_count + 1), devices;
    pj_device_keys(layout->streams, layout->stream_count, scratch, &devices, device_of);
    uint32_t *rank_of = pj_new_n(scratch, uint32_t, devices + 1); // + 1; 0 = not seen
    for (uint32_t s = 0; s < layout->stream_count; s++) {
        uint32_t rank = layout->streams[s].rank + 1;
        if (device_of[s] == PJ_NO_DEVICE)
            continue;
        if (rank_of[device_of[s]] && rank_of[device_of[s]] != rank)
            return true;
        rank_of[device_of[s]] = rank;
    }
    return false;
}

/// States of threads that the trace does not have: it is then read whole, always.
static void begin_estimate(prv_reading *reading)
{
    if (!reading->trace.devices.nsys)
        return;
    reading->estimate = pj_prv_estimate_new(reading->run->layout.locations);
    reading->indexed = false;
    pj_run_remark(reading->run, PJ_WARNING, "states_estimated",
                  "the trace has no states: useful time is estimated, as all time outside MPI and "
                  "the runtime of devices");
    if (shares_devices(&reading->run->layout))
        pj_run_remark(reading->run, PJ_NOTE, "nodes_unknown",
                      "the trace does not tell nodes: devices with the same number count as one, "
                      "also where ranks on several nodes each have theirs");
}

static bool end_estimate(const prv_reading *reading, pj_err *err)
{
    if (!reading->estimate)
        return true;
    pj_batch last = pj_prv_estimate_end(reading->estimate, reading->run->end_ns);
    return pj_pass_events(reading->pass, &last, err);
}

static bool read_body(prv_reading *reading, pj_err *err)
{
    name_and_sort(reading);
    reading->pass->apart |= is_apart(reading);
    if (reading->pass->apart)
        return true;
    reading->order = pj_prv_order_new(
        reading->run->layout.locations + reading->run->layout.stream_count, reading->pass->disorder,
        pj_pass_has_devices(reading->pass), reading->pass->job);
    if (reading->pass->group)
        return read_shared(reading, err);
    begin_estimate(reading);
    if (!pj_pass_begin(reading->pass, err) || !read_records(reading, err))
        return false;
    pj_batch rest = pj_prv_order_pass(reading->order, NULL);
    return hand_on(reading, &rest, err) && end_run(reading, err) && end_estimate(reading, err);
}

static bool read_prv(pj_source *source, pj_pass *pass, pj_err *err)
{
    pj_err local = {.code = PJ_E_NONE};
    prv_reading reading = {.source = source, .pass = pass, .run = pass->run};
    reading.indexed = !pass->known && !pass->group && pj_source_facts_of(source).skips;
    bool ok = read_preamble(&reading, &local) && read_body(&reading, &local);
    pj_block_free(&reading.first.block);
    pj_prv_batch_free(&reading.spare);
    pj_prv_order_free(reading.order);
    pj_prv_estimate_free(reading.estimate);
    pj_prv_parts_free(&reading.parts);
    pj_prv_share_free(reading.share);
    free(reading.deeds);
    if (!ok && err && !err->code)
        *err = local;
    return ok;
}

static bool knows_parts(const pj_run *run)
{
    struct stat facts;
    return run->ranged.count && !run->ranged.streams_by_events && stat(run->path, &facts) == 0 &&
           (uint64_t)facts.st_size == run->file_bytes;
}

const pj_reader pj_reader_prv = {
    .name = "prv",
    .title = "Paraver trace",
    .suffixes = ".prv .prv.gz",
    .sniff = pj_prv_sniff,
    .read = read_prv,
    .knows = knows_parts,
    .shares = true,
    .aside = true,
    .cut = &pj_prv_cutter,
};
