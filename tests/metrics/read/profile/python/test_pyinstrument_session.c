// Sessions of pyinstrument: threads, lines, and the tree that its renderer makes of one.
#include "tests/support/csv.h"
#include "tests/support/profile/profile_totals.h"
#include "tests/support/profile/read_profile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define SAMPLES PJ_SOURCE_DIR "/tests/samples/pyinstrument_session/"
#define DATA PJ_SOURCE_DIR "/../shared/data/profiles/"
#define REFERENCE PJ_SOURCE_DIR "/../shared/data/reference/profiles/"

static void threads_and_lines(void **state)
{
    (void)state;
    pj_auto_profile p = read_profile_file(SAMPLES "two_threads.json");
    assert_int_equal(p->location_count, 2);
    assert_true(pj_str_equal(pj_profile_text(p, p->locations[1].name), PJ_S("worker")));
    same_value(profile_totals_at(p, "time", 0, "<module>").inclusive, 0.75);
    same_value(profile_totals_at(p, "time", 0, "relax").exclusive, 0.75);
    same_value(profile_totals_at(p, "time", 1, "norm").inclusive, 0.125);
    assert_int_equal(p->count[PJ_AT_LINE], 2);
    assert_int_equal(p->lines[1].line, 15);
    same_value(profile_value(p, PJ_AT_LINE, PJ_EXCLUSIVE, "time", 1, 0), 0.25);
    uint32_t relax = region_called(p, PJ_S("relax"), &PJ_S("grid.py"));
    assert_int_equal(p->regions[relax].line, 12);
}

/// The renderer leaves out pyinstrument's own frames: what is left has the same times.
static void as_rendered(void **state)
{
    (void)state;
    FILE *there = fopen(DATA "json/pyinstrument_session_rendered.json", "r");
    if (!there) {
        print_message("no data of real tools: %s\n", DATA "json");
        skip();
    }
    fclose(there);
    pj_auto_profile raw = read_profile_file(DATA "json/pyinstrument.session.json");
    pj_auto_profile seen = read_profile_file(DATA "json/pyinstrument_session_rendered.json");
    double fit = 0;
    for (uint32_t n = 0; n < seen->count[PJ_AT_NODE]; n++)
        if (pj_str_equal(pj_profile_name(seen, seen->nodes[n].region), PJ_S("fit")))
            fit += profile_value(seen, PJ_AT_NODE, PJ_INCLUSIVE, "time", n, 0);
    assert_true(fabs(profile_totals_at(raw, "time", PJ_NO_ITEM, "fit").inclusive - fit) < 1e-5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_and_lines),
        cmocka_unit_test(as_rendered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
