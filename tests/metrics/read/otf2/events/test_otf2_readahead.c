// A location whose file a read-ahead reads ahead gives what it gives without one: event by event,
// over random records of every shape, in order and out of it, whole files and broken ones.
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/read/otf2/events/otf2_location.h"
#include "metrics/read/otf2/events/otf2_readahead.h"
#include "tests/support/trace/made_defs.h"

#include <stdlib.h>
#include <unistd.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { FUNCTIONS = 6, SEND = FUNCTIONS, BARRIER, REGIONS, FILE_BYTES = 1500000 };

typedef struct writing {
    pj_buf bytes;
    uint64_t chunk_bytes, time;
    uint32_t noise;
    uint8_t open[64]; // regions
    size_t depth;
    uint64_t counted;
    bool plain; // leaves long records out, at whose crossing of a page a read-ahead stops
} writing;

static uint32_t dice(writing *w, uint32_t sides)
{
    w->noise = w->noise * 1664525u + 1013904223u;
    return (w->noise >> 8) % sides;
}

static void put(writing *w, const void *bytes, size_t size)
{
    memcpy(pj_buf_room(&w->bytes, size), bytes, size);
    w->bytes.len += size;
}

static void begin_chunk(writing *w)
{
    static const uint8_t head[18] = {3, 'B'};
    put(w, head, sizeof head);
}

/// Room for a record in this chunk, or in a new one.
static void reserve(writing *w, size_t size)
{
    static const uint8_t zeroes[1 << 16];
    size_t used = w->bytes.len % w->chunk_bytes;
    if (used + size + 2 < w->chunk_bytes)
        return;
    while (used < w->chunk_bytes) {
        size_t n = w->chunk_bytes - used < sizeof zeroes ? w->chunk_bytes - used : sizeof zeroes;
        put(w, zeroes, n);
        used += n;
    }
    begin_chunk(w);
}

static void put_time(writing *w)
{
    uint8_t bytes[9] = {5};
    bool back = dice(w, 5000) == 0;
    w->time += back ? (uint64_t)0 - w->time / 2 : dice(w, 300);
    memcpy(bytes + 1, &w->time, 8);
    put(w, bytes, sizeof bytes);
}

static void put_region(writing *w, uint8_t type, uint8_t region)
{
    uint8_t bytes[] = {type, region > 0, region};
    put(w, bytes, 2 + (region > 0));
}

/// Mostly of the metric that counts.
static void put_metric(writing *w)
{
    static const uint8_t other[] = {31, 6, 1, 1, 1, 6, 1, 200};
    if (dice(w, 200) == 0) {
        put(w, other, sizeof other);
        return;
    }
    uint8_t bytes[] = {31, 0, 0, 2, 6, 4, 0, 0, 0, 0, 6, 1, 9};
    w->counted += dice(w, 900);
    memcpy(bytes + 6, &w->counted, 4);
    bytes[1] = sizeof bytes - 2;
    put(w, bytes, sizeof bytes);
}

static void enter_or_leave(writing *w)
{
    bool leaves = w->depth > 1 && (w->depth > 20 || dice(w, 2));
    if (!leaves && w->depth < sizeof w->open) {
        uint8_t region = (uint8_t)dice(w, dice(w, 12) ? FUNCTIONS : REGIONS);
        w->open[w->depth++] = region;
        put_region(w, PJ_OTF2_ENTER, region);
        return;
    }
    uint8_t region = w->open[--w->depth];
    put_region(w, PJ_OTF2_LEAVE, dice(w, 3000) ? region : (uint8_t)dice(w, REGIONS));
}

/// Records that are not plain: messages, attributes, unknown, longer than the margin of the
/// decoder.
static void put_other(writing *w)
{
    static const uint8_t message[] = {14, 7, 1, 1, 0, 1, 7, 1, 64};
    static const uint8_t attributes[] = {6, 3, 1, 2, 3};
    static const uint8_t complete[] = {16, 1, 5};
    static const uint8_t unknown[] = {200, 2, 9, 9};
    static const uint8_t broken[] = {31, 4, 0, 9, 6, 1};
    uint8_t longer[700] = {201, UINT8_MAX};
    uint64_t length = sizeof longer - 10;
    memcpy(longer + 2, &length, sizeof length);
    switch (dice(w, 7) + w->plain) {
    case 0:
        put(w, longer, sizeof longer);
        return;
    case 1:
        put(w, attributes, sizeof attributes);
        put_region(w, PJ_OTF2_ENTER, 0);
        w->open[w->depth++ % sizeof w->open] = 0;
        w->depth = w->depth < sizeof w->open ? w->depth : sizeof w->open - 1;
        return;
    case 2:
        put(w, unknown, sizeof unknown);
        return;
    case 3:
        put(w, broken, sizeof broken);
        return;
    case 4:
        put(w, complete, sizeof complete);
        return;
    default:
        put(w, message, sizeof message);
        return;
    }
}

static void write_records(writing *w)
{
    begin_chunk(w);
    while (w->bytes.len < FILE_BYTES) {
        reserve(w, 800);
        put_time(w);
        if (dice(w, 2))
            put_metric(w);
        if (dice(w, 40))
            enter_or_leave(w);
        else
            put_other(w);
    }
    put(w, "\2", 1);
}

static pj_otf2_defs *make_defs(pj_arena *arena)
{
    static const pj_otf2_region special[] = {
        {.name = "MPI_Send", .state = 4, .construct = PJ_OTF2_MPI, .class_ = PJ_MPI_P2P, .call = 1},
        {.name = "barrier", .state = 5, .construct = PJ_OTF2_BARRIER},
        {.name = "", .state = PJ_OTF2_INHERIT, .unknown = true},
    };
    pj_otf2_defs *defs = pj_new(arena, pj_otf2_defs);
    *defs = (pj_otf2_defs){.arena = arena, .ticks_per_second = 1000000000, .region_count = REGIONS};
    defs->regions = pj_new_n(arena, pj_otf2_region, REGIONS + 1);
    for (uint32_t i = 0; i <= REGIONS; i++) {
        defs->regions[i] = (pj_otf2_region){.name = "f", .state = PJ_OTF2_INHERIT, .plain = true};
        if (i >= FUNCTIONS)
            defs->regions[i] = special[i - FUNCTIONS];
        if (i < REGIONS)
            pj_map_put(&defs->region_of, i, i);
    }
    made_defs_complete(defs, arena);
    return defs;
}

static void free_defs(pj_otf2_defs *defs)
{
    pj_map_free(&defs->region_of);
    pj_map_free(&defs->comm_of);
    pj_map_free(&defs->metric_of);
}

static pj_otf2_location *open_location(const pj_otf2_defs *defs, const char *path,
                                       uint64_t chunk_bytes, bool readahead)
{
    pj_err err = {0};
    pj_otf2_evt_opts opts = {.chunk_bytes = chunk_bytes, .buffer_bytes = 64 << 10};
    pj_otf2_evt *evt = pj_otf2_evt_open(path, opts, &err);
    if (!evt)
        fail_msg("%s", err.text);
    pj_otf2_location *location = pj_otf2_location_take(defs, 0, 0, evt);
    if (readahead)
        pj_otf2_location_start_readahead(location);
    return location;
}

static void same_events(pj_otf2_location *a, pj_otf2_location *b, size_t step)
{
    while (!a->ended) {
        pj_otf2_location_fill(a, step);
        pj_otf2_location_fill(b, step);
        assert_int_equal(a->event_count, b->event_count);
        assert_memory_equal(a->events, b->events, a->event_count * sizeof *a->events);
        assert_int_equal(a->ops.count, b->ops.count);
        assert_memory_equal(a->ops.at, b->ops.at, a->ops.count * sizeof *a->ops.at);
        assert_int_equal(a->records, b->records);
        assert_int_equal(a->depth, b->depth);
        assert_int_equal(a->ended, b->ended);
        a->event_first = a->event_count;
        b->event_first = b->event_count;
        a->ops.first = a->ops.seen = a->ops.count;
        b->ops.first = b->ops.seen = b->ops.count;
    }
    assert_memory_equal(&a->import, &b->import, sizeof a->import);
    assert_true(!a->damage == !b->damage);
    if (a->damage)
        assert_string_equal(a->damage, b->damage);
}

static void save(const writing *w, char *path, size_t size)
{
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, w->bytes.at, size), size);
    close(fd);
}

/// The file's first `size` bytes, with and without a read-ahead.
static void compare(const writing *w, size_t size, size_t step)
{
    char path[] = "/tmp/pj_scout_XXXXXX";
    save(w, path, size);
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_otf2_defs *defs = make_defs(arena);
    pj_otf2_location *alone = open_location(defs, path, w->chunk_bytes, false);
    pj_otf2_location *scouted = open_location(defs, path, w->chunk_bytes, true);
    same_events(alone, scouted, step);
    pj_otf2_location_free(alone);
    pj_otf2_location_free(scouted);
    free_defs(defs);
    unlink(path);
}

static void a_readahead_changes_nothing(void **state)
{
    (void)state;
    static const uint64_t chunks[] = {1 << 14, 1 << 18, 1 << 20, 1 << 22, 300001};
    for (uint32_t i = 0; i < sizeof chunks / sizeof *chunks; i++) {
        writing w = {.chunk_bytes = chunks[i], .time = 1000, .noise = 77 + i, .plain = i % 2};
        write_records(&w);
        compare(&w, w.bytes.len, 100);
        compare(&w, w.bytes.len, 20000);
        compare(&w, w.bytes.len - 1, 3000);              // no end mark
        compare(&w, PJ_OTF2_PAGE_BYTES + 32 + i, 3000);  // ends near a page
        compare(&w, FILE_BYTES / 2 + 1000 * i + 5, 777); // anywhere
        pj_buf_free(&w.bytes);
    }
}

/// Bytes that are no records: both stop at the same location, for the same reason.
static void a_readahead_survives_anything(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 20; i++) {
        writing w = {.chunk_bytes = i % 2 ? 1 << 18 : UINT64_MAX / 3, .time = 1000, .noise = i};
        uint64_t chunk_bytes = w.chunk_bytes;
        w.chunk_bytes = 1 << 18;
        write_records(&w);
        w.chunk_bytes = chunk_bytes;
        for (uint32_t flips = 0; flips < 5; flips++)
            w.bytes.at[FILE_BYTES / 3 + dice(&w, FILE_BYTES / 2)] = (char)dice(&w, 256);
        compare(&w, w.bytes.len, 5000);
        pj_buf_free(&w.bytes);
    }
}

/// Most of a file is pages to its end, and most of these are stretches.
static void a_readahead_finds_stretches(void **state)
{
    (void)state;
    writing w = {.chunk_bytes = 1 << 20, .time = 1000, .plain = true};
    write_records(&w);
    char path[] = "/tmp/pj_scout_XXXXXX";
    save(&w, path, w.bytes.len);
    static const uint32_t region_of[FUNCTIONS] = {0, 1, 2, 3, 4, 5};
    pj_otf2_readahead *readahead =
        pj_otf2_readahead_new((pj_otf2_readahead_opts){.path = path,
                                                       .chunk_bytes = w.chunk_bytes,
                                                       .from = {18, 0},
                                                       .region_of = region_of,
                                                       .region_ids = FUNCTIONS});
    assert_non_null(readahead);
    pj_otf2_page page = {0};
    uint64_t bytes = 0;
    while (pj_otf2_readahead_next(readahead, &page))
        for (size_t i = 0; i < page.count; i++)
            bytes += page.stretches[i].end - page.stretches[i].begin;
    assert_true(page.ends);
    assert_true(bytes > w.bytes.len / 2);
    pj_otf2_readahead_free(readahead);
    pj_buf_free(&w.bytes);
    unlink(path);
}

/// A location that is given up in the middle leaves no thread behind.
static void a_readahead_is_called_back(void **state)
{
    (void)state;
    writing w = {.chunk_bytes = 1 << 20, .time = 1000};
    write_records(&w);
    char path[] = "/tmp/pj_scout_XXXXXX";
    save(&w, path, w.bytes.len);
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_otf2_defs *defs = make_defs(arena);
    pj_otf2_location *location = open_location(defs, path, w.chunk_bytes, true);
    pj_otf2_location_fill(location, 100);
    pj_otf2_location_free(location);
    free_defs(defs);
    pj_buf_free(&w.bytes);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_readahead_changes_nothing),
        cmocka_unit_test(a_readahead_survives_anything),
        cmocka_unit_test(a_readahead_finds_stretches),
        cmocka_unit_test(a_readahead_is_called_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
