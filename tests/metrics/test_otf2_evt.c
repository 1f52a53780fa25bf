// The decoder of event files against the format's own library: the same events, member by member.
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/read/otf2_evt.h"
#include "metrics/read/otf2_lib.h"
#include "tests/support/archives.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define REAL PJ_SOURCE_DIR "/../shared/data/otf2/"

typedef struct place_list {
    uint64_t *ids;
    size_t count, cap;
} place_list;

static void take_location(void *self, const pj_otf2_def *def)
{
    place_list *list = self;
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

/// Compares one location; `buffer_bytes` of the decoder. Gives the number of events.
static uint64_t compare_location(const pj_otf2_lib *lib, pj_otf2_archive *archive, const char *path,
                                 uint64_t location, size_t buffer_bytes)
{
    pj_err err = {0};
    pj_otf2_evt *evt = pj_otf2_evt_open(
        path, (pj_otf2_evt_opts){.chunk_bytes = 1048576, .buffer_bytes = buffer_bytes}, &err);
    assert_non_null(evt);
    pj_otf2_event ours = {0}, theirs;
    uint64_t number = 0;
    while (lib->next(archive, location, &theirs, &err)) {
        memset(ours.field, 0, sizeof ours.field);
        if (!pj_otf2_evt_next(evt, &ours))
            fail_msg("%s ends after %llu events: %s", path, (unsigned long long)number,
                     pj_otf2_evt_facts_of(evt).damage);
        same_event(&ours, &theirs, number++);
    }
    assert_int_equal(err.code, PJ_E_NONE);
    assert_false(pj_otf2_evt_next(evt, &ours));
    pj_otf2_evt_facts facts = pj_otf2_evt_facts_of(evt);
    assert_null(facts.damage);
    assert_int_equal(facts.malformed, 0);
    assert_int_equal(facts.events, number);
    pj_otf2_evt_close(evt);
    return number;
}

static uint64_t compare_archive(const char *anchor, size_t buffer_bytes)
{
    pj_err err = {0};
    const pj_otf2_lib *lib = pj_otf2_lib_open(&err);
    assert_non_null(lib);
    pj_otf2_archive *archive = lib->open(anchor, &err);
    if (!archive)
        fail_msg("%s", err.text);
    place_list places = {0};
    assert_true(lib->definitions(archive, take_location, &places, &err));
    lib->select(archive, places.ids, places.count);
    uint64_t events = 0;
    for (size_t i = 0; i < places.count; i++) {
        pj_auto_buf path = {0};
        pj_buf_addf(&path, "%.*s/%llu.evt", (int)(strlen(anchor) - 5), anchor,
                    (unsigned long long)places.ids[i]);
        if (access(path.at, R_OK) == 0)
            events += compare_location(lib, archive, path.at, places.ids[i], buffer_bytes);
    }
    lib->close(archive);
    free(places.ids);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(real_archives_decode_as_with_the_library),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
