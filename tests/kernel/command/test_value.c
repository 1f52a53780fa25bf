// Values share what they point to and free it once; "did you mean" finds near names only.
#include "kernel/command/value.h"

#include "metrics/base/suggest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

static void references_are_counted(void **state)
{
    (void)state;
    pj_table *table = pj_table_new("T");
    pj_value value = pj_value_table_take(table);
    pj_value again = pj_value_hold(value);
    assert_int_equal(table->references, 2);
    pj_value_clear(&value);
    assert_int_equal(value.kind, PJ_VALUE_NIL);
    assert_int_equal(table->references, 1);
    pj_value drawing = pj_value_drawing_take(pj_figure_new(10, 10, "F"), pj_table_hold(table));
    pj_value_clear(&again);
    assert_int_equal(drawing.drawing->data->references, 1);
    pj_value held = pj_value_hold(drawing);
    pj_value_clear(&drawing);
    pj_value_clear(&held);
}

static void texts_are_copied(void **state)
{
    (void)state;
    pj_value text = pj_value_text("abc");
    pj_value copy = pj_value_hold(text);
    assert_ptr_not_equal(text.text, copy.text);
    pj_value_clear(&text);
    assert_string_equal(copy.text, "abc");
    pj_value_clear(&copy);
}

static void lists_own_their_items(void **state)
{
    (void)state;
    pj_run *run = pj_run_new("a/b.prv");
    pj_value list = pj_value_list_new();
    assert_false(pj_value_is_runs(&list));
    pj_value_list_add_take(&list, pj_value_run_take(pj_run_hold(run)));
    assert_true(pj_value_is_runs(&list));
    pj_value_list_add_take(&list, pj_value_number(1));
    assert_false(pj_value_is_runs(&list));
    pj_value held = pj_value_hold(list);
    pj_value_clear(&list);
    assert_int_equal(run->references, 2);
    pj_value_clear(&held);
    assert_int_equal(run->references, 1);
    pj_run_release(run);
}

static void near_names_are_suggested(void **state)
{
    (void)state;
    static const char *const names[] = {"metrics", "stats", "plot", "set", "y", "mpi", "mpi-mult"};
    static const struct {
        const char *word, *best;
    } rows[] = {
        {"metrcs", "metrics"},
        {"mertics", "metrics"},
        {"stat", "stats"},
        {"plto", "plot"},
        {"mpi-mul", "mpi-mult"},
        {"sett", "set"},
        {"xyzzy", NULL},
        {"", NULL},
        {"q", NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        pj_suggest suggest = {.word = pj_str_of(rows[i].word)};
        for (size_t k = 0; k < sizeof names / sizeof *names; k++)
            pj_suggest_try(&suggest, names[k]);
        assert_string_equal(suggest.best ? suggest.best : "", rows[i].best ? rows[i].best : "");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(references_are_counted),
        cmocka_unit_test(texts_are_copied),
        cmocka_unit_test(lists_own_their_items),
        cmocka_unit_test(near_names_are_suggested),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
