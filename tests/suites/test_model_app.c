// The modelled application: its traces hold what the model says.
#include "tests/support/model_app.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void traces_are_the_same_bytes_again(void **state)
{
    (void)state;
    const char *name = NULL;
    for (size_t i = 0; pj_model_example(i, &name); i++) {
        pj_auto_trace one = pj_model_write(pj_model_example(i, &name));
        pj_auto_trace two = pj_model_write(pj_model_example(i, &name));
        pj_auto_buf a = {0}, b = {0};
        pj_trace_writer_prv(one, &a);
        pj_trace_writer_prv(two, &b);
        assert_int_equal(a.len, b.len);
        assert_memory_equal(a.at, b.at, a.len);
    }
}

static void times_and_parts_fit(void **state)
{
    (void)state;
    const char *name = NULL;
    const pj_model_app *app = NULL;
    for (size_t i = 0; (app = pj_model_example(i, &name)); i++) {
        pj_auto_expected run = pj_model_expect(app);
        assert_true(run.ideal <= run.runtime);
        for (uint32_t k = 0; k < run.ranks * run.threads; k++) {
            const pj_model_totals *t = &run.totals[k];
            assert_int_equal(t->useful, t->serial_useful + t->openmp_useful);
            assert_true(t->useful <= t->outside_mpi && t->outside_mpi <= t->runtime);
            assert_true(t->runtime <= run.runtime && t->openmp_useful <= t->openmp);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(traces_are_the_same_bytes_again),
        cmocka_unit_test(times_and_parts_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
