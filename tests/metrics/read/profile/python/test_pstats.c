// cProfile files: every version of marshal gives the same numbers; what is cut or made to exhaust a
// reader is refused, and nothing else is.
#include "metrics/base/file.h"
#include "metrics/profile/build/profile_build.h"
#include "metrics/read/read.h"
#include "metrics/read/reader.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#define CORPUS PJ_SOURCE_DIR "/tests/corpus/pstats/"

static pj_profile *read_bytes(pj_str bytes, pj_err *err)
{
    pj_job job = {0};
    pj_auto_build build = pj_build_new("a.prof", &job);
    *err = (pj_err){0};
    const pj_reader *reader = pj_read_profile_memory("a.prof", bytes, &job, build, err);
    return reader ? pj_build_finish(build, err) : NULL;
}

static void read_whole(const char *path, pj_buf *bytes)
{
    pj_err err = {0};
    assert_true(pj_file_read(path, bytes, &err));
}

static pj_profile *read_path(const char *path)
{
    pj_err err;
    pj_auto_buf bytes = {0};
    read_whole(path, &bytes);
    pj_profile *profile = read_bytes(pj_buf_str(&bytes), &err);
    assert_string_equal(err.text, "");
    return profile;
}

static uint32_t region_named(const pj_profile *p, const char *name)
{
    for (uint32_t r = 0; r < p->count[PJ_AT_REGION]; r++)
        if (pj_str_equal(pj_profile_name(p, r), pj_str_of(name)))
            return r;
    fail_msg("no function %s", name);
    return 0;
}

static double value(const pj_profile *p, pj_site site, pj_value_part part, uint32_t item)
{
    bool is_time = part == PJ_EXCLUSIVE || part == PJ_INCLUSIVE;
    return pj_profile_value(p, pj_profile_find(p, site, part, is_time ? 0 : PJ_NO_ITEM), item, 0);
}

static void functions_and_callers_keep_their_order_of_counts(void **state)
{
    (void)state;
    static const char *const files[] = {"version_0.prof", "version_1.prof", "version_2.prof",
                                        "version_4.prof"};
    char path[512];
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        snprintf(path, sizeof path, CORPUS "%s", files[i]);
        pj_auto_profile p = read_path(path);
        assert_int_equal(p->shape, PJ_SHAPE_GRAPH);
        assert_int_equal(p->count[PJ_AT_REGION], 4);
        assert_int_equal(p->count[PJ_AT_EDGE], 5);
        uint32_t leaf = region_named(p, "leaf");
        assert_int_equal(p->regions[leaf].line, 5);
        assert_true(value(p, PJ_AT_REGION, PJ_CALLS, leaf) == 9);
        assert_true(value(p, PJ_AT_REGION, PJ_PRIMITIVE_CALLS, leaf) == 2);
        assert_true(value(p, PJ_AT_REGION, PJ_EXCLUSIVE, leaf) == 2.25);
        assert_true(value(p, PJ_AT_REGION, PJ_INCLUSIVE, leaf) == 2.375);
        uint32_t last = p->count[PJ_AT_EDGE] - 1; // leaf by itself
        assert_true(p->edges[last].caller == leaf && p->edges[last].callee == leaf);
        assert_true(value(p, PJ_AT_EDGE, PJ_CALLS, last) == 7);
        assert_true(value(p, PJ_AT_EDGE, PJ_PRIMITIVE_CALLS, last) == 5);
        uint32_t builtin = region_named(p, "<built-in method builtins.len>");
        assert_int_equal(p->regions[builtin].kind, PJ_REGION_builtin);
        for (unsigned k = 0; k < PJ_ODDITY_COUNT; k++)
            assert_int_equal(p->oddities.count[k], 0);
    }
}

static void a_code_object_is_its_name(void **state)
{
    (void)state;
    pj_auto_profile p = read_path(CORPUS "profile_module.prof");
    uint32_t module = region_named(p, "<module>");
    assert_int_equal(p->count[PJ_AT_EDGE], 1);
    assert_true(p->edges[0].caller == module);
    assert_true(value(p, PJ_AT_EDGE, PJ_CALLS, 0) == 1);
    assert_true(isnan(value(p, PJ_AT_EDGE, PJ_INCLUSIVE, 0)));
}

static void odd_numbers_are_absent_and_counted(void **state)
{
    (void)state;
    pj_auto_profile p = read_path(CORPUS "odd.prof");
    uint32_t f = region_named(p, "f"), h = region_named(p, "h");
    assert_true(isnan(value(p, PJ_AT_REGION, PJ_CALLS, f)));
    assert_true(isnan(value(p, PJ_AT_REGION, PJ_EXCLUSIVE, f)));
    assert_true(isnan(value(p, PJ_AT_REGION, PJ_INCLUSIVE, f)));
    assert_true(isnan(value(p, PJ_AT_REGION, PJ_PRIMITIVE_CALLS, h)));
    assert_true(value(p, PJ_AT_EDGE, PJ_CALLS, 0) == 2); // two records of one caller
    assert_int_equal(p->oddities.count[PJ_ODDITY_calls_unknown], 2);
    assert_int_equal(p->oddities.count[PJ_ODDITY_negative_left_out], 1);
    assert_int_equal(p->oddities.count[PJ_ODDITY_not_finite], 1);
    assert_int_equal(p->oddities.count[PJ_ODDITY_large_value], 1);
    assert_int_equal(p->oddities.count[PJ_ODDITY_caller_unknown], 1);
    pj_auto_profile none = read_path(CORPUS "empty.prof");
    assert_int_equal(none->oddities.count[PJ_ODDITY_empty], 1);
}

static void cut_files_are_refused(void **state)
{
    (void)state;
    static const char *const files[] = {"version_0.prof", "version_2.prof", "version_4.prof",
                                        "profile_module.prof"};
    char path[512];
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        pj_auto_buf bytes = {0};
        snprintf(path, sizeof path, CORPUS "%s", files[i]);
        read_whole(path, &bytes);
        for (size_t len = 0; len < bytes.len; len++) {
            pj_err err;
            assert_null(read_bytes((pj_str){bytes.at, len}, &err));
            assert_true(err.text[0]);
        }
        pj_err err;
        pj_buf_add(&bytes, PJ_S("0"));
        assert_null(read_bytes(pj_buf_str(&bytes), &err));
        assert_non_null(strstr(err.text, "bytes follow its end"));
    }
}

/// One dictionary of callers, to which many functions refer: read again each time, it would be read
/// for ever.
static void repeated_references_end(void **state)
{
    (void)state;
    pj_auto_buf bytes = {0};
    enum { CALLERS = 300, FUNCTIONS = 300 };
    pj_buf_add(&bytes, PJ_S("{"));
    for (unsigned f = 0; f < FUNCTIONS; f++) {
        pj_buf_addf(&bytes, ")%cz%cai", 3, 1);
        pj_buf_add(&bytes, (pj_str){(const char[]){(char)f, (char)(f >> 8), 0, 0}, 4});
        pj_buf_addf(&bytes, "z%cf)%c", 1, 5);
        for (unsigned k = 0; k < 4; k++)
            pj_buf_add(&bytes, (pj_str){"i\1\0\0\0", 5});
        if (f > 0) {
            pj_buf_add(&bytes, (pj_str){"r\0\0\0\0", 5});
            continue;
        }
        pj_buf_add(&bytes, PJ_S("\xfb"));
        for (unsigned c = 0; c < CALLERS; c++) {
            pj_buf_addf(&bytes, ")%cz%cai", 3, 1);
            pj_buf_add(&bytes, (pj_str){(const char[]){(char)c, (char)(c >> 8), 0, 0}, 4});
            pj_buf_addf(&bytes, "z%cf", 1);
            pj_buf_add(&bytes, (pj_str){"i\1\0\0\0", 5});
        }
        pj_buf_add(&bytes, PJ_S("0"));
    }
    pj_buf_add(&bytes, PJ_S("0"));
    pj_err err;
    assert_null(read_bytes(pj_buf_str(&bytes), &err));
    assert_non_null(strstr(err.text, "more entries than its bytes can hold"));
}

static void a_listing_says_how_to_record(void **state)
{
    (void)state;
    pj_err err;
    assert_null(read_bytes(PJ_S("         3 function calls in 0.000 seconds\n\n"), &err));
    assert_non_null(strstr(err.text, "python -m cProfile -o"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_and_callers_keep_their_order_of_counts),
        cmocka_unit_test(a_code_object_is_its_name),
        cmocka_unit_test(odd_numbers_are_absent_and_counted),
        cmocka_unit_test(cut_files_are_refused),
        cmocka_unit_test(repeated_references_end),
        cmocka_unit_test(a_listing_says_how_to_record),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
