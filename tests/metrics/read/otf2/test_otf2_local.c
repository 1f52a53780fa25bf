// The reader of plain local definitions against the format's own library: the same definitions in
// the same order, or none.
#include "metrics/base/buf.h"
#include "metrics/read/otf2/otf2_local.h"
#include "tests/support/trace/archives.h"
#include "tests/support/trace/model_app.h"
#include "tests/support/trace/otf2_writer.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define REAL PJ_SOURCE_DIR "/../shared/data/otf2/"
#define MADE PJ_BINARY_DIR "/local"
#define ANCHOR MADE ".otf2"
#define FIRST MADE "/0.def"

typedef struct told {
    pj_otf2_def *items;
    size_t count, cap;
} told;

static void take(void *self, const pj_otf2_def *def)
{
    told *list = self;
    pj_grow(list->items, &list->cap, list->count + 1);
    list->items[list->count++] = *def;
}

static void take_location(void *self, const pj_otf2_def *def)
{
    if (def->kind == PJ_OTF2_DEF_LOCATION)
        take(self, def);
}

static pj_otf2_archive *open_archive(const pj_otf2_lib **lib, const char *anchor, told *locations)
{
    pj_err err = {0};
    *lib = pj_otf2_lib_open(&err);
    assert_non_null(*lib);
    pj_otf2_archive *archive = (*lib)->open(anchor, &err);
    if (!archive)
        fail_msg("%s", err.text);
    assert_true((*lib)->definitions(archive, take_location, locations, &err));
    for (size_t i = 0; i < locations->count; i++)
        (*lib)->select(archive, &locations->items[i].id, 1);
    return archive;
}

static void same_definitions(const told *ours, const told *theirs)
{
    assert_int_equal(ours->count, theirs->count);
    for (size_t i = 0; i < ours->count; i++) {
        const pj_otf2_def *a = &ours->items[i], *b = &theirs->items[i];
        assert_int_equal(a->kind, b->kind);
        assert_true(a->id == b->id);
        assert_memory_equal(a->number, b->number, sizeof a->number);
    }
}

/// Whether the file is plain; then the library reads the same. Adds the number of definitions.
static bool compare(const pj_otf2_lib *lib, pj_otf2_archive *archive, const char *path, uint64_t id,
                    size_t *count)
{
    told ours = {0}, theirs = {0};
    bool plain = pj_otf2_local_read(path, take, &ours);
    if (plain) {
        assert_true(lib->local(archive, id, take, &theirs));
        same_definitions(&ours, &theirs);
    }
    assert_true(plain || ours.count == 0);
    *count += ours.count;
    free(ours.items);
    free(theirs.items);
    return plain;
}

/// Compares all locations that have a file, of which there are some; gives the number of
/// definitions.
static size_t compare_archive(const char *anchor)
{
    const pj_otf2_lib *lib;
    told locations = {0};
    pj_otf2_archive *archive = open_archive(&lib, anchor, &locations);
    size_t count = 0, files = 0;
    for (size_t i = 0; i < locations.count; i++) {
        pj_auto_buf path = {0};
        pj_buf_addf(&path, "%.*s/%llu.def", (int)(strlen(anchor) - 5), anchor,
                    (unsigned long long)locations.items[i].id);
        if (access(path.at, R_OK) != 0)
            continue;
        assert_true(compare(lib, archive, path.at, locations.items[i].id, &count));
        files++;
    }
    assert_true(files > 0);
    lib->close(archive);
    free(locations.items);
    return count;
}

static void definitions_of_real_archives_are_plain(void **state)
{
    (void)state;
    if (access(REAL, R_OK) != 0) {
        print_message("skipped: %s is not there\n", REAL);
        skip();
    }
    size_t count = 0;
    for (size_t i = 0; archives_real(i); i++) {
        pj_auto_buf anchor = {0};
        pj_buf_addf(&anchor, REAL "%s", archives_real(i));
        count += compare_archive(anchor.at);
    }
    assert_true(count > 0); // eztrace writes none
}

static void write_archive(void)
{
    const pj_model_app app = {
        .ranks = 3, .threads = 2, .iterations = 2, .openmp = true, PJ_MODEL_COSTS};
    pj_auto_trace trace = pj_model_write(&app);
    pj_err err = {0};
    pj_otf2_style style = {.clock_step = 1 << 20};
    if (!pj_otf2_writer_save(trace, ANCHOR, style, &err))
        fail_msg("%s", err.text);
}

static void definitions_written_by_the_library_are_plain(void **state)
{
    (void)state;
    enum { LOCATIONS = 6, REGIONS_LEAST = 5, OFFSETS = 2 };
    write_archive();
    assert_true(compare_archive(ANCHOR) > (REGIONS_LEAST + OFFSETS) * LOCATIONS);
    pj_otf2_writer_remove(ANCHOR);
}

// Files made here

static void write_first(const pj_buf *bytes)
{
    FILE *file = fopen(FIRST, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes->at, 1, bytes->len, file), bytes->len);
    assert_int_equal(fclose(file), 0);
}

/// As `compare` for these bytes as definitions of location 0.
static bool compare_bytes(const pj_buf *bytes, size_t *count)
{
    const pj_otf2_lib *lib;
    told locations = {0};
    write_first(bytes);
    pj_otf2_archive *archive = open_archive(&lib, ANCHOR, &locations);
    bool plain = compare(lib, archive, FIRST, locations.items[0].id, count);
    lib->close(archive);
    free(locations.items);
    return plain;
}

static void add(pj_buf *to, const char *bytes, size_t size)
{
    pj_buf_add(to, (pj_str){bytes, size});
}
#define ADD(to, bytes) add(to, bytes, sizeof(bytes) - 1)

static void begin_file(pj_buf *to)
{
    ADD(to, "\x03"
            "B\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0");
}

/// A dense map of 200 regions to themselves, whose length needs eight bytes; a sparse one; an
/// undefined id; an offset of -2 at 2^56.
static size_t add_records(pj_buf *to)
{
    enum { REGIONS = 200, SPARSE = 2, UNDEFINED = 1, OFFSETS = 1 };
    begin_file(to);
    ADD(to, "\x05\xFF\x94\x01\0\0\0\0\0\0\x03\x01\xC8\0"); // 4 + 2 * 200 bytes
    for (unsigned i = 0; i < REGIONS; i++) {
        pj_buf_add_char(to, 1);
        pj_buf_add_char(to, (char)i);
    }
    ADD(to, "\x05\x0E\x06\x01\x02\x01\x00\x02\x01\x02\x01\x07\x03\x03\x02\x01");
    ADD(to, "\x05\x05\x05\x01\x01\x00\xFF");
    ADD(to, "\x06\x19\0\0\0\0\0\0\0\x01\x08\xFE\xFF\xFF\xFF\xFF\xFF\xFF\xFF\0\0\0\0\0\0\0\0");
    ADD(to, "\x02");
    return REGIONS + SPARSE + UNDEFINED + OFFSETS;
}

static void every_form_is_read(void **state)
{
    (void)state;
    pj_auto_buf bytes = {0};
    size_t count = 0, added = add_records(&bytes);
    write_archive();
    assert_true(compare_bytes(&bytes, &count));
    assert_int_equal(count, added);
    pj_otf2_writer_remove(ANCHOR);
}

static void what_is_cut_is_not_plain(void **state)
{
    (void)state;
    pj_auto_buf bytes = {0};
    add_records(&bytes);
    for (size_t size = 0; size < bytes.len; size++)
        assert_false(pj_otf2_local_take(bytes.at, size, take, NULL));
}

static void what_is_damaged_is_read_as_by_the_library_or_not_at_all(void **state)
{
    (void)state;
    static const uint8_t flips[] = {0x01, 0x80, 0xFF};
    pj_auto_buf bytes = {0};
    begin_file(&bytes);
    ADD(&bytes, "\x05\x0B\x06\x01\x02\x01\x01\x02\x01\x02\x01\x07\x00");
    ADD(&bytes, "\x06\x12\0\0\0\0\0\0\0\x01\x01\xFE\0\0\0\0\0\0\0\0\x02");
    write_archive();
    size_t count = 0, plain = 0, cases = 0;
    for (size_t i = 0; i < bytes.len; i++)
        for (size_t f = 0; f < sizeof flips; f++, cases++) {
            bytes.at[i] = (char)(bytes.at[i] ^ flips[f]);
            plain += compare_bytes(&bytes, &count);
            bytes.at[i] = (char)(bytes.at[i] ^ flips[f]);
        }
    assert_true(plain > 0 && plain < cases);
    pj_otf2_writer_remove(ANCHOR);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(definitions_of_real_archives_are_plain),
        cmocka_unit_test(definitions_written_by_the_library_are_plain),
        cmocka_unit_test(every_form_is_read),
        cmocka_unit_test(what_is_cut_is_not_plain),
        cmocka_unit_test(what_is_damaged_is_read_as_by_the_library_or_not_at_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
