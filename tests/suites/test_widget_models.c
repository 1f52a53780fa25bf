// Every row of traits.def: against the schema of ipywidgets where it is at hand, against the digest
// of the last reviewed rows everywhere, and alive: each model opens, each trait takes and gives
// back a value of its type and refuses one of another.
#include "tests/support/widget_bench.h"
#include "widgets/ipy/trait_value.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

/// How the schema calls a type, and a value of it that is no row's default; NULL = made by
/// sample().
static const struct {
    const char *name, *sample;
} types[] = {
    [PJ_TRAIT_BOOL] = {"'bool'", NULL},
    [PJ_TRAIT_INT] = {"'int'", "7"},
    [PJ_TRAIT_FLOAT] = {"'float'", "2.5"},
    [PJ_TRAIT_TEXT] = {"'string'", NULL},
    [PJ_TRAIT_INT_OR_TEXT] = {"['int', 'string']", "7"},
    [PJ_TRAIT_FLOAT_OR_TEXT] = {"['float', 'string']", "2.5"},
    [PJ_TRAIT_BYTES] = {"'bytes'", "'bytes'"},
    [PJ_TRAIT_DATE] = {"'Date'", "{'year': 2024, 'month': 1, 'date': 29}"},
    [PJ_TRAIT_DATETIME] = {"'Datetime'", "{'year': 2024, 'month': 1, 'date': 29, 'hours': 1, "
                                         "'minutes': 2, 'seconds': 3, 'milliseconds': 4}"},
    [PJ_TRAIT_TIME] = {"'Time'", "{'hours': 1, 'minutes': 2, 'seconds': 3, 'milliseconds': 4}"},
    [PJ_TRAIT_TEXTS] = {"'array'", "['a', 'b']"},
    [PJ_TRAIT_INTS] = {"'array'", "[2, 5]"},
    [PJ_TRAIT_FLOATS] = {"'array'", "[2.5, 5.5]"},
    [PJ_TRAIT_INT_PAIR] = {"'array'", "[2, 5]"},
    [PJ_TRAIT_FLOAT_PAIR] = {"'array'", "[2.5, 5.5]"},
    [PJ_TRAIT_OBJECTS] = {"'array'", "[{'output_type': 'stream'}]"},
    [PJ_TRAIT_BYTES_LIST] = {"'array'", "['bytes', '']"},
    [PJ_TRAIT_UPLOADS] = {"'array'", "[{'name': 'a.prv', 'type': '', 'size': 5, "
                                     "'last_modified': 1, 'content': 'bytes'}]"},
    [PJ_TRAIT_WIDGETS] = {"'array'", NULL},
    [PJ_TRAIT_END] = {"'array'", NULL},
    [PJ_TRAIT_REFERENCE] = {"'reference'", NULL},
};

static json_t *schema_default(const pj_trait *trait, pj_dialect dialect)
{
    if (trait->type == PJ_TRAIT_REFERENCE)
        return json_string("reference to new instance");
    if (trait->type == PJ_TRAIT_BYTES)
        return json_string("b''");
    return pj_trait_value_initial(trait, dialect);
}

/// A row in the form of the schema: {default, type, enum?, allow_none?}.
static json_t *schema_of_trait(const pj_trait *trait, pj_dialect dialect)
{
    json_t *out = json_object();
    json_object_set_new(out, "default", schema_default(trait, dialect));
    json_object_set_new(out, "type", pj_bench_json(types[trait->type].name));
    if (trait->null)
        json_object_set_new(out, "allow_none", json_true());
    if (trait->choices) {
        json_t *choices = json_array();
        pj_str rest = pj_str_of(trait->choices);
        for (bool more = true; more;) {
            more = pj_str_find(rest, '|') < rest.len;
            pj_str choice = pj_str_cut(&rest, '|');
            json_array_append_new(choices, json_stringn(choice.at, choice.len));
        }
        json_object_set_new(out, "enum", choices);
    }
    return out;
}

static json_t *schema_of_model(const pj_model *model, pj_dialect dialect)
{
    json_t *attrs = json_object();
    for (size_t i = 0; i < model->trait_count; i++) {
        const char *wire = pj_trait_wire(&model->traits[i], dialect);
        if (wire && pj_trait_in(&model->traits[i], dialect))
            json_object_set_new(attrs, wire, schema_of_trait(&model->traits[i], dialect));
    }
    return json_pack("{s:o, s:s, s:s, s:s?, s:s, s:s}", "attrs", attrs, "module",
                     pj_module_name(model->module), "version",
                     pj_module_version(model->module, dialect), "view", model->view, "view_module",
                     pj_module_name(model->view_module), "view_version",
                     pj_module_version(model->view_module, dialect));
}

static json_t *schema_of_all(pj_dialect dialect)
{
    json_t *all = json_object();
    for (size_t i = 0; pj_model_at(i); i++)
        if (pj_model_find(pj_model_at(i)->name, dialect, NULL) == pj_model_at(i))
            json_object_set_new(all, pj_model_at(i)->name,
                                schema_of_model(pj_model_at(i), dialect));
    return all;
}

static void rows_equal_the_schema(void **state)
{
    (void)state;
    json_t *theirs = json_load_file(PJ_SOURCE_DIR "/../shared/widgets.json", 0, NULL);
    if (!theirs) {
        print_message("../shared/widgets.json is not there: the digest below stands for it\n");
        skip();
    }
    // The Python class gives its button a label; the schema has the one of its base class.
    json_t *upload = json_object_get(json_object_get(theirs, "FileUploadModel"), "attrs");
    json_object_set_new(json_object_get(upload, "description"), "default", json_string("Upload"));
    json_t *ours = schema_of_all(PJ_WIDGETS_8);
    const char *name;
    json_t *model;
    json_object_foreach(theirs, name, model)
    {
        json_t *row = json_object_get(ours, name);
        if (!json_equal(model, row)) {
            char *a = json_dumps(model, JSON_SORT_KEYS | JSON_INDENT(1));
            char *b = json_dumps(row, JSON_SORT_KEYS | JSON_INDENT(1));
            fail_msg("%s: schema\n%s\nrow\n%s", name, a, b ? b : "none");
        }
    }
    assert_int_equal(json_object_size(ours), json_object_size(theirs));
    json_decref(theirs);
    json_decref(ours);
}

static uint64_t digest(pj_dialect dialect)
{
    json_t *all = schema_of_all(dialect);
    char *text = json_dumps(all, JSON_SORT_KEYS | JSON_COMPACT);
    uint64_t hash = 14695981039346656037u;
    for (const char *c = text; *c; c++)
        hash = (hash ^ (unsigned char)*c) * 1099511628211u;
    free(text);
    json_decref(all);
    return hash;
}

static void rows_are_those_reviewed(void **state)
{
    (void)state;
    // After a change of rows that was checked against the schema: take the new numbers over.
    print_message("digest of ipywidgets 8: 0x%016" PRIx64 ", 7: 0x%016" PRIx64 "\n",
                  digest(PJ_WIDGETS_8), digest(PJ_WIDGETS_7));
    assert_true(digest(PJ_WIDGETS_8) == 0xa328cb39f1a8ecc9);
    assert_true(digest(PJ_WIDGETS_7) == 0xaeca17049f4ab113);
}

typedef struct bench {
    pj_bench base;
    pj_widget *button; // somebody to mention
} bench;

static void bench_start(bench *b, pj_dialect dialect)
{
    b->base = pj_bench_new(dialect, true);
    b->button = pj_bench_make(&b->base, "Button", NULL);
}

static void bench_end(bench *b)
{
    assert_string_equal(pj_bench_mistakes(&b->base), "[]");
    pj_bench_free(&b->base);
}

static json_t *sample(const bench *b, const pj_trait *trait)
{
    if (types[trait->type].sample)
        return pj_bench_json(types[trait->type].sample);
    if (trait->type == PJ_TRAIT_BOOL)
        return json_boolean(strcmp(trait->initial, "true") != 0);
    if (trait->type == PJ_TRAIT_REFERENCE)
        return pj_widget_reference(pj_widget_new(b->base.widgets, trait->model, NULL, NULL));
    if (trait->type == PJ_TRAIT_WIDGETS)
        return json_pack("[o]", pj_widget_reference(b->button));
    if (trait->type == PJ_TRAIT_END)
        return json_pack("[o, s]", pj_widget_reference(b->button), "description");
    pj_str rest = pj_str_of(trait->choices ? trait->choices : "round trip \xc3\xa9");
    pj_str first = pj_str_cut(&rest, '|');
    return json_stringn(first.at, first.len);
}

/// Enough labels or pages for the sample of an index, none for titles.
static void prepare(const bench *b, pj_widget *widget, const pj_trait *trait)
{
    json_t *labels = json_array(), *pages = json_array();
    for (int i = 0; i < 10; i++) {
        json_array_append_new(labels, json_string("label"));
        json_array_append_new(pages, pj_widget_reference(b->button));
    }
    if (trait->rule == PJ_RULE_INDEX)
        assert_true(pj_widget_set_one(widget, "_options_labels", labels, NULL));
    if (trait->rule == PJ_RULE_PAGE || trait->rule == PJ_RULE_FIRST_PAGE)
        assert_true(pj_widget_set_one(widget, "children", pages, NULL));
    json_array_clear(pages);
    if (trait->rule == PJ_RULE_TITLES)
        assert_true(pj_widget_set_one(widget, "children", pages, NULL));
    json_decref(labels);
    json_decref(pages);
}

static void goes_round(bench *b, pj_widget *widget, const pj_trait *trait)
{
    json_t *value = sample(b, trait);
    pj_err err = {0};
    if (!pj_widget_set_one(widget, trait->key, value, &err))
        fail_msg("%s.%s: %s", widget ? pj_widget_model(widget)->name : "", trait->key, err.text);
    json_t *kept = pj_widget_get(widget, trait->key, NULL);
    if (!json_equal(kept, value))
        fail_msg("%s.%s is not what was set", pj_widget_model(widget)->name, trait->key);
    json_decref(value);
}

static void refuses(bench *b, pj_widget *widget, const pj_trait *trait, json_t *wrong_take)
{
    json_t *before = json_deep_copy(pj_widget_get(widget, trait->key, NULL));
    pj_front_clear(b->base.front);
    pj_err err = {0};
    assert_false(pj_widget_set_one(widget, trait->key, wrong_take, &err));
    assert_int_equal(err.code, PJ_E_USAGE);
    assert_non_null(strstr(err.text, trait->key));
    assert_true(json_equal(pj_widget_get(widget, trait->key, NULL), before));
    assert_int_equal(pj_front_count(b->base.front), 0);
    json_decref(before);
    json_decref(wrong_take);
}

static void has_defaults(const pj_widget *widget, pj_dialect dialect)
{
    const pj_model *model = pj_widget_model(widget);
    for (size_t i = 0; i < model->trait_count; i++) {
        const pj_trait *trait = &model->traits[i];
        if (!pj_trait_in(trait, dialect)) {
            assert_null(pj_widget_get(widget, trait->key, NULL));
            continue;
        }
        json_t *wanted = pj_trait_value_initial(trait, dialect);
        json_t *value = pj_widget_get(widget, trait->key, NULL);
        if (trait->type == PJ_TRAIT_REFERENCE)
            assert_non_null(pj_trait_value_reference(value));
        else if (!json_equal(value, wanted))
            fail_msg("%s.%s does not start with its default", model->name, trait->key);
        json_decref(wanted);
    }
}

/// The comm_open says the identity, and every trait but the nulls that browsers assume.
static void has_opened(bench *b, const pj_widget *widget, pj_dialect dialect)
{
    const pj_model *model = pj_widget_model(widget);
    json_t *message = pj_front_at(b->base.front, -1);
    assert_string_equal(json_string_value(json_object_get(message, "kind")), "open");
    assert_string_equal(json_string_value(json_object_get(message, "target")), "jupyter.widget");
    json_t *state = json_object_get(json_object_get(message, "data"), "state");
    assert_string_equal(json_string_value(json_object_get(state, "_model_name")), model->name);
    assert_string_equal(json_string_value(json_object_get(state, "_model_module_version")),
                        pj_module_version(model->module, dialect));
    assert_true(json_object_get(state, "_view_name") != NULL);
    for (size_t i = 0; i < model->trait_count; i++) {
        const pj_trait *trait = &model->traits[i];
        const char *wire = pj_trait_in(trait, dialect) ? pj_trait_wire(trait, dialect) : NULL;
        bool assumed = trait->css && json_is_null(pj_widget_get(widget, trait->key, NULL));
        bool sent = wire && json_object_get(state, wire);
        bool is_buffer = trait->type == PJ_TRAIT_BYTES;
        if (sent != (wire && !assumed && !is_buffer))
            fail_msg("%s.%s in comm_open: %d", model->name, trait->key, sent);
    }
}

static void model_lives(const pj_model *model, pj_dialect dialect)
{
    bench b;
    bench_start(&b, dialect);
    size_t others = pj_widgets_count(b.base.widgets);
    pj_widget *widget = pj_widget_new(b.base.widgets, model->name, NULL, NULL);
    assert_non_null(widget);
    has_defaults(widget, dialect);
    has_opened(&b, widget, dialect);
    for (size_t i = 0; i < model->trait_count; i++) {
        const pj_trait *trait = &model->traits[i];
        if (!pj_trait_in(trait, dialect))
            continue;
        prepare(&b, widget, trait);
        goes_round(&b, widget, trait);
        refuses(&b, widget, trait, trait->type == PJ_TRAIT_BOOL ? json_integer(5) : json_true());
        if (!trait->null)
            refuses(&b, widget, trait, json_null());
    }
    pj_widget_close(widget);
    assert_true(pj_widgets_count(b.base.widgets) >= others);
    bench_end(&b);
}

static void every_model_lives(void **state)
{
    (void)state;
    for (size_t i = 0; pj_model_at(i); i++)
        model_lives(pj_model_at(i), PJ_WIDGETS_8);
}

static void every_model_lives_in_ipywidgets_7(void **state)
{
    (void)state;
    for (size_t i = 0; pj_model_at(i); i++)
        if (pj_model_find(pj_model_at(i)->name, PJ_WIDGETS_7, NULL) == pj_model_at(i))
            model_lives(pj_model_at(i), PJ_WIDGETS_7);
}

/// What the page sends for a trait is echoed. Where the row says that it may, it arrives and is not
/// sent back as an update; else the page is told what holds.
static void every_trait_arrives(void **state)
{
    (void)state;
    for (size_t m = 0; pj_model_at(m); m++) {
        const pj_model *model = pj_model_at(m);
        bench b;
        bench_start(&b, PJ_WIDGETS_8);
        pj_widget *widget = pj_widget_new(b.base.widgets, model->name, NULL, NULL);
        for (size_t i = 0; i < model->trait_count; i++) {
            const pj_trait *trait = &model->traits[i];
            bool by_buffer = trait->type == PJ_TRAIT_BYTES || trait->type == PJ_TRAIT_UPLOADS;
            if (!pj_trait_in(trait, PJ_WIDGETS_8) || by_buffer || trait->rule)
                continue;
            json_t *value = sample(&b, trait);
            json_t *before = json_incref(pj_widget_get(widget, trait->key, NULL));
            json_t *data = json_pack("{s:s, s:{s:O}, s:[]}", "method", "update", "state",
                                     trait->key, value, "buffer_paths");
            pj_front_clear(b.base.front);
            assert_true(pj_widgets_take_msg(
                b.base.widgets, &(pj_comm_message){.id = pj_widget_id(widget), .data = data},
                NULL));
            assert_true(
                json_equal(pj_widget_get(widget, trait->key, NULL), trait->input ? value : before));
            json_t *echo = json_object_get(pj_front_at(b.base.front, 0), "data");
            assert_string_equal(json_string_value(json_object_get(echo, "method")), "echo_update");
            bool corrected = pj_front_at(b.base.front, 1) != NULL;
            assert_true(corrected == !trait->input);
            json_decref(before);
            json_decref(data);
            json_decref(value);
        }
        bench_end(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_equal_the_schema),
        cmocka_unit_test(rows_are_those_reviewed),
        cmocka_unit_test(every_model_lives),
        cmocka_unit_test(every_model_lives_in_ipywidgets_7),
        cmocka_unit_test(every_trait_arrives),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
