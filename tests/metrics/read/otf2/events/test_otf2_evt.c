// The decoder of event files against the format's own library: the same events, member by member.
#include "metrics/analyse/load.h"
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/read/otf2/events/otf2_evt.h"
#include "metrics/read/otf2/otf2_anchor.h"
#include "metrics/read/otf2/otf2_lib.h"
#include "tests/support/trace/archives.h"
#include "tests/support/trace/model_app.h"
#include "tests/support/trace/otf2_writer.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define REAL PJ_SOURCE_DIR "/../shared/data/otf2/"

typedef struct location_list {
    uint64_t *ids;
    size_t count, cap;
} location_list;

static void take_location(void *self, const pj_otf2_def *def)
{
    location_list *list = self;
    if (def->kind != PJ_OTF2_DEF_LOCATION)
        return;
    pj_grow(list->ids, &list->cap, list->count + 1);
    list->ids[list->count++] = def->id;
}

static void same_event(const pj_otf2_event *ours, const pj_otf2_event *theirs, uint64_t number)
{
    if (theirs->type == UINT8_MAX)
        return; // the library has no callback for it here
    if (ours->type != theirs->type || ours->time != theirs->time)
        fail_msg("event %llu: type %u at %llu, not %u at %llu", (unsigned long long)number,
                 ours->type, (unsigned long long)ours->time, theirs->type,
                 (unsigned long long)theirs->time);
    assert_memory_equal(ours->field, theirs->field, sizeof ours->field);
    if (ours->type != PJ_OTF2_METRIC)
        return;
    assert_int_equal(ours->count, theirs->count);
    assert_memory_equal(ours->kinds, theirs->kinds, ours->count);
    assert_memory_equal(ours->values, theirs->values, ours->count * sizeof *ours->values);
}

/// The chunk size of the archive with this event file.
static uint64_t chunk_of(const char *path)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_str folder = pj_str_head(pj_str_of(path), pj_str_find_last(pj_str_of(path), '/'));
    pj_otf2_anchor anchor;
    pj_err err = {0};
    const char *file = pj_arena_format(arena, PJ_STR_FMT ".otf2", PJ_STR_ARG(folder));
    assert_true(pj_otf2_anchor_read(file, arena, &anchor, &err));
    return anchor.chunk_bytes;
}

/// Compares one location; `buffer_bytes` of the decoder. Gives the number of events.
static uint64_t compare_location(const pj_otf2_lib *lib, pj_otf2_archive *archive, const char *path,
                                 uint64_t number, size_t buffer_bytes)
{
    pj_err err = {0};
    const uint64_t chunk_bytes = chunk_of(path);
    pj_otf2_evt *evt = pj_otf2_evt_open(
        path, (pj_otf2_evt_opts){.chunk_bytes = chunk_bytes, .buffer_bytes = buffer_bytes}, &err);
    assert_non_null(evt);
    pj_otf2_event ours = {0}, theirs;
    uint64_t events = 0;
    while (lib->next(archive, number, &theirs, &err)) {
        memset(ours.field, 0, sizeof ours.field);
        if (!pj_otf2_evt_next(evt, &ours))
            fail_msg("%s ends after %llu events: %s", path, (unsigned long long)events,
                     pj_otf2_evt_facts_of(evt).damage);
        same_event(&ours, &theirs, events++);
    }
    assert_int_equal(err.code, PJ_E_NONE);
    assert_false(pj_otf2_evt_next(evt, &ours));
    pj_otf2_evt_facts facts = pj_otf2_evt_facts_of(evt);
    assert_null(facts.damage);
    assert_int_equal(facts.malformed, 0);
    assert_int_equal(facts.events, events);
    pj_otf2_evt_close(evt);
    return events;
}

static uint64_t compare_archive(const char *anchor, size_t buffer_bytes)
{
    pj_err err = {0};
    const pj_otf2_lib *lib = pj_otf2_lib_open(&err);
    assert_non_null(lib);
    pj_otf2_archive *archive = lib->open(anchor, &err);
    if (!archive)
        fail_msg("%s", err.text);
    location_list locations = {0};
    assert_true(lib->definitions(archive, take_location, &locations, &err));
    lib->select(archive, locations.ids, locations.count);
    uint64_t events = 0;
    for (size_t i = 0; i < locations.count; i++) {
        pj_auto_buf path = {0};
        pj_buf_addf(&path, "%.*s/%llu.evt", (int)(strlen(anchor) - 5), anchor,
                    (unsigned long long)locations.ids[i]);
        if (access(path.at, R_OK) == 0)
            events += compare_location(lib, archive, path.at, locations.ids[i], buffer_bytes);
    }
    lib->close(archive);
    free(locations.ids);
    return events;
}

static void real_archives_decode_as_with_the_library(void **state)
{
    (void)state;
    if (access(REAL, R_OK) != 0) {
        print_message("skipped: %s is not there\n", REAL);
        skip();
    }
    for (size_t i = 0; archives_real(i); i++) {
        pj_auto_buf anchor = {0};
        pj_buf_addf(&anchor, REAL "%s", archives_real(i));
        uint64_t large = compare_archive(anchor.at, 0), small = compare_archive(anchor.at, 1);
        assert_int_equal(large, small);
        assert_true(large > 0);
    }
}

// Archives made here

#define MADE PJ_BINARY_DIR "/decoded"
#define ANCHOR MADE ".otf2"

static void write_archive(pj_otf2_style style, uint32_t iterations)
{
    const pj_model_app app = {
        .ranks = 3, .threads = 2, .iterations = iterations, .openmp = true, PJ_MODEL_COSTS};
    pj_auto_trace trace = pj_model_write(&app);
    pj_err err = {0};
    if (!pj_otf2_writer_save(trace, ANCHOR, style, &err))
        fail_msg("%s", err.text);
}

static void requests_decode_as_with_the_library(void **state)
{
    (void)state;
    pj_auto_trace trace = pj_trace_writer_new((pj_trace_header){.ranks = 1});
    const uint32_t world = pj_trace_writer_communicator(trace, (uint32_t[]){0}, 1);
    uint32_t numbers[301];
    for (uint32_t i = 1; i <= 300; i++) {
        numbers[i] = i;
        pj_trace_call request = {.name = "MPI_Iallreduce",
                                 .begin = UINT64_C(100) * i,
                                 .end = UINT64_C(100) * i + 10,
                                 .communicator = world,
                                 .send_bytes = i % 5 ? UINT64_C(1) << i % 64 : 0,
                                 .recv_bytes = i,
                                 .root = i % 2,
                                 .request = i};
        pj_trace_call wait = {.name = "MPI_Wait",
                              .begin = request.end + 10,
                              .end = request.end + 20,
                              .completes = &numbers[i],
                              .completed = 1};
        pj_trace_writer_call(trace, (pj_place){0, 0}, request);
        pj_trace_writer_call(trace, (pj_place){0, 0}, wait);
    }
    pj_err err = {0};
    assert_true(pj_otf2_writer_save(trace, ANCHOR, (pj_otf2_style){.global_ids = true}, &err));
    assert_int_equal(compare_archive(ANCHOR, 0), compare_archive(ANCHOR, 1));
    pj_otf2_writer_remove(ANCHOR);
}

static void made_archives_decode_as_with_the_library(void **state)
{
    (void)state;
    static const pj_otf2_style styles[] = {
        {.global_ids = true},
        {.global_ids = true, .no_offsets = true, .chunk_bytes = 256 * 1024},
        {.global_ids = true, .no_offsets = true, .eztrace = true, .relative = true},
        {.global_ids = true, .no_offsets = true, .ticks_per_ns = 1000, .clock_step = 1 << 30},
    };
    for (size_t i = 0; i < sizeof styles / sizeof *styles; i++) {
        write_archive(styles[i], 40);
        uint64_t large = compare_archive(ANCHOR, 0), small = compare_archive(ANCHOR, 1);
        assert_int_equal(large, small);
        assert_true(large > 1000);
    }
    pj_otf2_writer_remove(ANCHOR);
}

// The other byte order: libotf2 writes its machine's, so that the files are turned here.

static const char *const members_of[UINT8_MAX + 1] = {
#define EVENT(name, type, members) [type] = members,
#define SINGLE(name, type) [type] = "s",
#include "metrics/read/otf2/events/otf2_events.def"
#undef EVENT
#undef SINGLE
};

static uint8_t *turn(uint8_t *at, size_t size)
{
    for (size_t i = 0; i < size / 2; i++) {
        uint8_t byte = at[i];
        at[i] = at[size - 1 - i];
        at[size - 1 - i] = byte;
    }
    return at + size;
}

static uint8_t *turn_number(uint8_t *at)
{
    return turn(at + 1, *at == UINT8_MAX ? 0 : *at);
}

static uint8_t *turn_metric(uint8_t *at)
{
    at = turn_number(at);
    for (unsigned count = *at++; count > 0; count--) {
        at = turn_number(at + 1);
    }
    return at;
}

static uint8_t *turn_record(uint8_t *at)
{
    uint8_t type = *at++;
    if (type == PJ_OTF2_METRIC)
        return turn_metric(at + 1);
    const char *members = members_of[type];
    assert_non_null(members);
    if (*members == 's')
        return turn_number(at);
    uint8_t *end = at + 1 + *at;
    at++;
    for (; *members; members++)
        at = *members == 'n' || *members == 'i' ? turn_number(at)
             : *members == 't'                  ? turn(at, 8)
                                                : at + 1;
    return end;
}

static void turn_file(const char *path)
{
    enum { SIZE_MOST = 4 << 20, END = 0, FILE_END = 2, CHUNK = 3, TIME = 5 };
    static uint8_t bytes[SIZE_MOST];
    uint64_t chunk_bytes = chunk_of(path);
    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    size_t size = fread(bytes, 1, SIZE_MOST, file);
    assert_true(size < SIZE_MOST);
    uint8_t *at = bytes;
    while (at < bytes + size && *at != FILE_END) {
        if (*at == END) {
            at = bytes + ((uint64_t)(at - bytes) / chunk_bytes + 1) * chunk_bytes;
        } else if (*at == CHUNK) {
            at[1] = '#';
            at = turn(turn(at + 2, 8), 8);
        } else {
            at = *at == TIME ? turn(at + 1, 8) : turn_record(at);
        }
    }
    rewind(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    fclose(file);
}

static pj_run *load(unsigned workers)
{
    pj_err err = {0};
    pj_job job = {.workers = workers};
    pj_run *run = pj_load(ANCHOR, (pj_load_opts){0}, &job, &err);
    if (!run)
        fail_msg("%s", err.text);
    return run;
}

static void same_run(const pj_run *native, const pj_run *turned)
{
    assert_int_equal(native->events, turned->events);
    assert_int_equal(native->end_ns, turned->end_ns);
    assert_memory_equal(native->totals, turned->totals,
                        native->layout.locations * sizeof *native->totals);
    for (unsigned c = 0; c < 2; c++)
        assert_memory_equal(native->counters[c].useful, turned->counters[c].useful,
                            native->layout.locations * sizeof *native->counters[c].useful);
    assert_true(native->ideal.runtime_ns == turned->ideal.runtime_ns);
    assert_memory_equal(&native->import, &turned->import, sizeof native->import);
}

static long size_of(const char *path)
{
    struct stat facts = {.st_size = 0};
    assert_int_equal(stat(path, &facts), 0);
    return (long)facts.st_size;
}

static void turn_locations(unsigned from, unsigned to)
{
    for (unsigned i = from; i < to; i++) {
        char path[4096];
        snprintf(path, sizeof path, MADE "/%u.evt", i);
        turn_file(path);
    }
}

static void the_other_byte_order_is_left_to_the_library(void **state)
{
    (void)state;
    enum { SOME = 2, ALL = 6, CHUNK = 256 * 1024 };
    write_archive((pj_otf2_style){.clock_step = 123456, .chunk_bytes = CHUNK}, 800);
    assert_true(size_of(MADE "/0.evt") > CHUNK);
    pj_auto_run native = load(2);
    turn_locations(0, SOME);
    pj_auto_run mixed = load(2);
    same_run(native, mixed);
    turn_locations(SOME, ALL);
    pj_auto_run turned = load(2);
    same_run(native, turned);
    pj_otf2_writer_remove(ANCHOR);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(real_archives_decode_as_with_the_library),
        cmocka_unit_test(made_archives_decode_as_with_the_library),
        cmocka_unit_test(requests_decode_as_with_the_library),
        cmocka_unit_test(the_other_byte_order_is_left_to_the_library),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
