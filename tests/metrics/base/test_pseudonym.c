// Hidden names: SipHash as published, and what of a text is a name.
#include "metrics/base/pseudonym.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/// The vectors of the paper's reference code: key 00..0f, texts 00, 00 01, ...
static void test_siphash(void **state)
{
    (void)state;
    const pj_pseudonyms names = {{0x0706050403020100, 0x0f0e0d0c0b0a0908}};
    static const struct {
        size_t len;
        uint64_t hash;
    } vectors[] = {{0, 0x726fdb47dd0e0e31},
                   {1, 0x74f839c593dc67fd},
                   {8, 0x93f5f5799a932462},
                   {15, 0xa129ca6149be45e5}};
    char text[16];
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = (char)i;
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        assert_true(pj_pseudonym_hash(&names, text, vectors[i].len) == vectors[i].hash);
}

static char *hide(const char *text, pj_pseudonym_part part)
{
    const pj_pseudonyms names = pj_pseudonyms_of("key");
    char *made = pj_pseudonym_of(&names, text, strlen(text), part);
    assert_non_null(made);
    return made;
}

static void test_parts(void **state)
{
    (void)state;
    static const char *const stay[] = {"THREAD 1.2.31", "CUDA-D1.S2", "MPI Rank 7", "Master thread",
                                       ""};
    for (size_t i = 0; i < sizeof stay / sizeof *stay; i++) {
        char *made = hide(stay[i], PJ_NAME_WORDS);
        assert_string_equal(made, stay[i]);
        free(made);
    }
    char *node = hide("CUDA-D1.S2-login7.site", PJ_NAME_WORDS);
    assert_memory_equal(node, "CUDA-D1.S2-n", 12);
    assert_null(strstr(node, "login7"));
    assert_null(strstr(node, "site"));
    char *place = hide("!$omp parallel @solver.c:12", PJ_NAME_PLACE);
    assert_memory_equal(place, "!$omp parallel @n", 17);
    assert_null(strstr(place, "solver"));
    char *call = hide("MPI_Send", PJ_NAME_PLACE), *whole = hide("solve", PJ_NAME_ALL);
    assert_string_equal(call, "MPI_Send");
    assert_int_equal(strlen(whole), 17);
    free(node);
    free(place);
    free(call);
    free(whole);
}

static void test_keys(void **state)
{
    (void)state;
    pj_pseudonyms a, b, c = pj_pseudonyms_of("one"), d = pj_pseudonyms_of("other");
    assert_true(pj_pseudonyms_new(&a, NULL) && pj_pseudonyms_new(&b, NULL));
    assert_true(a.key[0] != b.key[0] && c.key[0] != d.key[0] && c.key[0] != c.key[1]);
    pj_pseudonyms again = pj_pseudonyms_of("one");
    assert_memory_equal(&again, &c, sizeof c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_siphash), cmocka_unit_test(test_parts),
                                       cmocka_unit_test(test_keys)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
