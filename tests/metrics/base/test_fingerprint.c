// XXH64 against published vectors, in pieces of every size; files and archives.
#include "metrics/read/fingerprint_trace.h"
#include "tests/support/thread_group.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static uint64_t print_of(const char *text, size_t piece)
{
    pj_fingerprint print;
    pj_fingerprint_begin(&print);
    for (pj_str rest = pj_str_of(text); rest.len;) {
        size_t n = piece < rest.len ? piece : rest.len;
        pj_fingerprint_add(&print, pj_str_head(rest, n));
        rest = pj_str_from(rest, n);
    }
    return pj_fingerprint_end(&print);
}

static void known_texts_have_known_prints(void **state)
{
    (void)state;
    assert_int_equal(print_of("", 1), 0xef46db3751d8e999u);
    assert_int_equal(print_of("a", 1), 0xd24ec4f1a98c6e5bu);
    assert_int_equal(print_of("abc", 3), 0x44bc2cf5ad770999u);
    assert_int_equal(print_of("xxhash", 6), 0x32dd38952c4bc720u);
    assert_int_equal(print_of("Nobody inspects the spammish repetition", 39), 0xfbcea83c8a378bf1u);
}

static void pieces_do_not_matter(void **state)
{
    (void)state;
    char text[300];
    for (size_t i = 0; i < sizeof text - 1; i++)
        text[i] = (char)('a' + i * i % 26);
    text[sizeof text - 1] = 0;
    uint64_t whole = print_of(text, sizeof text);
    for (size_t piece = 1; piece < 100; piece++)
        assert_int_equal(print_of(text, piece), whole);
    text[150]++;
    assert_int_not_equal(print_of(text, sizeof text), whole);
}

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "we");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static void archives_count_all_their_files(void **state)
{
    (void)state;
    char folder[] = "/tmp/pj_fingerprint_XXXXXX", anchor[64], data[64], events[80];
    assert_non_null(mkdtemp(folder));
    snprintf(anchor, sizeof anchor, "%s/traces.otf2", folder);
    snprintf(data, sizeof data, "%s/traces", folder);
    snprintf(events, sizeof events, "%s/0.evt", data);
    assert_int_equal(mkdir(data, 0700), 0);
    write_text(anchor, "anchor");
    write_text(events, "events");
    uint64_t first, second, size, plain;
    assert_true(pj_fingerprint_trace(anchor, NULL, &first, &size, NULL));
    assert_int_equal(size, strlen("anchor") + strlen("events"));
    assert_true(pj_fingerprint_trace(events, NULL, &plain, NULL, NULL));
    assert_int_equal(plain, print_of("events", 6));
    write_text(events, "Events");
    assert_true(pj_fingerprint_trace(anchor, NULL, &second, &size, NULL));
    assert_int_not_equal(first, second);
    unlink(events);
    unlink(anchor);
    rmdir(data);
    rmdir(folder);
}

typedef struct sharing {
    const char *path, *odd_path; // the latter for the last member
    uint64_t value, bytes;       // of the leader
    _Atomic unsigned read;       // files, by all
    _Atomic unsigned failed;     // members
    _Atomic unsigned unread;     // members that could not read their files
} sharing;

static void share_archive(pj_process_group *group, void *context)
{
    sharing *s = context;
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_fingerprint_parts parts;
    bool odd = s->odd_path && group->rank == group->size - 1;
    if (!pj_fingerprint_list(odd ? s->odd_path : s->path, arena, &parts, NULL) ||
        !pj_fingerprint_read(&parts, group, NULL, NULL))
        s->unread++;
    for (size_t i = 0; i < parts.count; i++)
        s->read += parts.items[i].known;
    if (!pj_fingerprint_gather(&parts, group, NULL))
        s->failed++;
    else if (group->rank == 0)
        s->value = pj_fingerprint_fold(&parts, &s->bytes);
    pj_fingerprint_free(&parts);
}

/// Each file is read once, and the fingerprint is the one that one process finds.
static void members_of_a_group_share_the_files(void **state)
{
    (void)state;
    char folder[] = "/tmp/pj_fingerprint_XXXXXX", other[80], path[80];
    enum { FILES = 9 };
    assert_non_null(mkdtemp(folder));
    snprintf(other, sizeof other, "%s/9", folder);
    assert_int_equal(mkdir(other, 0700), 0); // empty
    for (int i = 0; i < FILES; i++) {
        snprintf(path, sizeof path, "%s/%d", folder, i);
        write_text(path, &"some text of ours"[i]);
    }
    uint64_t value, bytes;
    assert_true(pj_fingerprint_trace(folder, NULL, &value, &bytes, NULL));
    for (unsigned size = 1; size < 12; size += 5) {
        sharing s = {.path = folder};
        pj_thread_group_run(size, share_archive, &s);
        assert_int_equal(s.failed, 0);
        assert_int_equal(s.unread, 0);
        assert_int_equal(s.read, FILES);
        assert_int_equal(s.value, value);
        assert_int_equal(s.bytes, bytes);
    }
    sharing apart = {.path = folder, .odd_path = other};
    pj_thread_group_run(2, share_archive, &apart);
    assert_int_equal(apart.failed, 1); // the leader lacks what the other one did not see
    for (int i = 0; i < FILES; i++) {
        snprintf(path, sizeof path, "%s/%d", folder, i);
        unlink(path);
    }
    rmdir(other);
    rmdir(folder);
}

static void what_is_not_there_is_an_error(void **state)
{
    (void)state;
    pj_err err = {0};
    uint64_t value;
    assert_false(pj_fingerprint_trace("/no/such/file.prv", NULL, &value, NULL, &err));
    assert_int_equal(err.code, PJ_E_IO);
    assert_string_equal(err.where, "/no/such/file.prv");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_texts_have_known_prints),
        cmocka_unit_test(pieces_do_not_matter),
        cmocka_unit_test(archives_count_all_their_files),
        cmocka_unit_test(members_of_a_group_share_the_files),
        cmocka_unit_test(what_is_not_there_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
