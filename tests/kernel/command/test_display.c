// Values shown: what a front end gets, and what it gets no more of after an interrupt.
#include "kernel/command/display.h"

#include "tests/support/recording_face.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

/// A large picture takes seconds: it is left, without a word, and its table is not drawn for it.
static void an_interrupt_ends_the_drawing(void **state)
{
    (void)state;
    pj_recording face;
    pj_recording_open(&face);
    atomic_bool stop = false;
    pj_session *session = pj_session_new(&face.face, &stop);
    pj_value picture = pj_value_drawing_take(pj_figure_new(400, 300, "F"), NULL);
    for (int raised = 0; raised < 2; raised++) {
        json_t *data, *metadata;
        pj_err err = {.code = PJ_E_NONE};
        atomic_store(&stop, raised);
        pj_display_bundle(session, &picture, &stop, &data, &metadata);
        bool draws = pj_draw_open(&err) != NULL;
        assert_int_equal(json_object_get(data, "image/png") != NULL, draws && !raised);
        assert_true(!draws || session->complaints == 0);
        json_decref(data);
        json_decref(metadata);
    }
    pj_value_clear(&picture);
    pj_session_free(session);
    pj_recording_close(&face);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_interrupt_ends_the_drawing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
