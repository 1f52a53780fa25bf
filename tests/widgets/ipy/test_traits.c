// Finding models and traits by name, in both versions of ipywidgets.
#include "widgets/ipy/traits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void models_are_found_by_both_names(void **state)
{
    (void)state;
    const pj_model *model = pj_model_find("IntSlider", PJ_WIDGETS_8, NULL);
    assert_string_equal(model->name, "IntSliderModel");
    assert_ptr_equal(pj_model_find("IntSliderModel", PJ_WIDGETS_8, NULL), model);
    pj_err err = {0};
    assert_null(pj_model_find("intslider", PJ_WIDGETS_8, &err));
    assert_string_equal(err.text, "there is no widget intslider; did you mean IntSlider?");
    err = (pj_err){0};
    assert_null(pj_model_find("Zzyzx", PJ_WIDGETS_8, &err));
    assert_memory_equal(err.text, "there is no widget Zzyzx; valid: Box, VBox, ", 44);
    assert_null(pj_model_find("", PJ_WIDGETS_8, NULL));
}

static void ipywidgets_7_has_stand_ins(void **state)
{
    (void)state;
    const pj_model *style = pj_model_find("TextStyle", PJ_WIDGETS_7, NULL);
    assert_string_equal(style->name, "DescriptionStyleModel");
    const pj_model *play = pj_model_find("Play", PJ_WIDGETS_7, NULL);
    const pj_trait *playing = pj_model_trait(play, "playing", PJ_WIDGETS_7);
    assert_string_equal(pj_trait_wire(playing, PJ_WIDGETS_7), "_playing");
    assert_string_equal(pj_trait_wire(playing, PJ_WIDGETS_8), "playing");
    assert_ptr_equal(pj_model_wire_trait(play, "_playing", PJ_WIDGETS_7), playing);
    assert_null(pj_model_wire_trait(play, "_playing", PJ_WIDGETS_8));
    const pj_model *tab = pj_model_find("Tab", PJ_WIDGETS_7, NULL);
    const pj_trait *page = pj_model_trait(tab, "selected_index", PJ_WIDGETS_7);
    assert_string_equal(pj_trait_initial(page, PJ_WIDGETS_7), "0");
    assert_string_equal(pj_trait_initial(page, PJ_WIDGETS_8), "null");
    assert_string_equal(pj_module_version(PJ_MODULE_BASE, PJ_WIDGETS_7), "1.2.0");
    assert_string_equal(pj_module_version(PJ_MODULE_CONTROLS, PJ_WIDGETS_7), "1.5.0");
    assert_string_equal(pj_module_version(PJ_MODULE_OUTPUT, PJ_WIDGETS_7), "1.0.0");
}

static void traits_of_the_other_version_say_so(void **state)
{
    (void)state;
    const pj_model *slider = pj_model_find("IntSlider", PJ_WIDGETS_7, NULL);
    assert_null(pj_model_trait(slider, "behavior", PJ_WIDGETS_7));
    pj_err err = {0};
    assert_null(pj_model_no_trait(slider, "behavior", PJ_WIDGETS_7, &err));
    assert_string_equal(err.text,
                        "IntSlider.behavior is not part of ipywidgets 7, which is spoken here");
}

/// What the code takes for granted about every row.
static void rows_keep_their_promises(void **state)
{
    (void)state;
    for (size_t m = 0; pj_model_at(m); m++) {
        const pj_model *model = pj_model_at(m);
        assert_true(model->trait_count <= PJ_MODEL_MOST_TRAITS);
        assert_true(pj_str_ends(pj_str_of(model->name), PJ_S("Model")));
        for (size_t i = 0; i < model->trait_count; i++) {
            const pj_trait *trait = &model->traits[i];
            assert_true((trait->type == PJ_TRAIT_REFERENCE) == (trait->model != NULL));
            assert_true(!trait->css || (trait->null && trait->type == PJ_TRAIT_TEXT));
            assert_true(!trait->model || pj_model_find(trait->model, PJ_WIDGETS_8, NULL));
            assert_true(!trait->model || pj_model_find(trait->model, PJ_WIDGETS_7, NULL));
            for (size_t k = i + 1; k < model->trait_count; k++)
                assert_string_not_equal(trait->key, model->traits[k].key);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(models_are_found_by_both_names),
        cmocka_unit_test(ipywidgets_7_has_stand_ins),
        cmocka_unit_test(traits_of_the_other_version_say_so),
        cmocka_unit_test(rows_keep_their_promises),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
