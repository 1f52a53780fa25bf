// Rows of traits.def as arrays, and finding them by name.
#include "widgets/ipy/traits.h"

#include "metrics/base/buf.h"

#define TRAIT(name, kind, default_json, ...)                                                       \
    {                                                                                              \
        .key = #name, .type = PJ_TRAIT_##kind, .initial = default_json, __VA_ARGS__                \
    }

#define BOOL(key, value, ...) TRAIT(key, BOOL, #value, __VA_ARGS__)
#define BOOL_OR_NULL(key, ...) TRAIT(key, BOOL, "null", NULLABLE, __VA_ARGS__)
#define INT(key, value, ...) TRAIT(key, INT, #value, __VA_ARGS__)
#define INT_OR_NULL(key, ...) TRAIT(key, INT, "null", NULLABLE, __VA_ARGS__)
#define FLOAT(key, value, ...) TRAIT(key, FLOAT, #value, __VA_ARGS__)
#define FLOAT_OR_NULL(key, ...) TRAIT(key, FLOAT, "null", NULLABLE, __VA_ARGS__)
#define TEXT(key, value, ...) TRAIT(key, TEXT, "\"" value "\"", __VA_ARGS__)
#define TEXT_OR_NULL(key, ...) TRAIT(key, TEXT, "null", NULLABLE, __VA_ARGS__)
#define CHOICE(key, list, value, ...)                                                              \
    TRAIT(key, TEXT, "\"" value "\"", .choices = (list), __VA_ARGS__)
#define CSS(key, ...) TRAIT(key, TEXT, "null", NULLABLE, .css = true, __VA_ARGS__)
#define CSS_CHOICE(key, list, ...) CSS(key, .choices = list, __VA_ARGS__)
#define INT_OR_TEXT(key, value, ...) TRAIT(key, INT_OR_TEXT, #value, __VA_ARGS__)
#define FLOAT_OR_TEXT(key, value, ...) TRAIT(key, FLOAT_OR_TEXT, #value, __VA_ARGS__)
#define BYTES(key, ...) TRAIT(key, BYTES, "\"\"", __VA_ARGS__)
#define DATE(key, ...) TRAIT(key, DATE, "null", NULLABLE, __VA_ARGS__)
#define DATETIME(key, ...) TRAIT(key, DATETIME, "null", NULLABLE, __VA_ARGS__)
#define TIME(key, ...) TRAIT(key, TIME, "null", NULLABLE, __VA_ARGS__)
#define TEXTS(key, json, ...) TRAIT(key, TEXTS, json, __VA_ARGS__)
#define INTS(key, json, ...) TRAIT(key, INTS, json, __VA_ARGS__)
#define FLOATS(key, json, ...) TRAIT(key, FLOATS, json, __VA_ARGS__)
#define INT_PAIR(key, json, ...) TRAIT(key, INT_PAIR, json, __VA_ARGS__)
#define FLOAT_PAIR(key, json, ...) TRAIT(key, FLOAT_PAIR, json, __VA_ARGS__)
#define OBJECTS(key, ...) TRAIT(key, OBJECTS, "[]", __VA_ARGS__)
#define BYTES_LIST(key, ...) TRAIT(key, BYTES_LIST, "[]", __VA_ARGS__)
#define UPLOADS(key, ...) TRAIT(key, UPLOADS, "[]", __VA_ARGS__)
#define WIDGETS(key, json, ...) TRAIT(key, WIDGETS, json, __VA_ARGS__)
#define END(key) TRAIT(key, END, "[]", .null = false)
#define REFERENCE(key, target) TRAIT(key, REFERENCE, NULL, .model = #target "Model")

#define NULLABLE .null = true
#define ONLY_8 .only = PJ_ONLY_8
#define ONLY_7 .only = PJ_ONLY_7
#define DEFAULT_7(json) .initial_7 = (json)
#define WIRE_7(name) .wire_7 = (name)
#define SETS(traits) .sets = (traits)
#define INPUT .input = true
#define NO_ECHO .no_echo = true
#define CLAMPED .rule = PJ_RULE_CLAMPED
#define CLAMPED_LOG .rule = PJ_RULE_CLAMPED_LOG
#define INDEX .rule = PJ_RULE_INDEX
#define PAGE .rule = PJ_RULE_PAGE
#define FIRST_PAGE .rule = PJ_RULE_FIRST_PAGE
#define TITLES .rule = PJ_RULE_TITLES
#define TAGS .rule = PJ_RULE_TAGS
#define OPTION .rule = PJ_RULE_OPTION
#define UPLOAD_7 .rule = PJ_RULE_UPLOAD_7, .wire_7 = ""

#define ROWS(...)                                                                                  \
    .traits = (const pj_trait[]){__VA_ARGS__},                                                     \
    .trait_count = sizeof(const pj_trait[]){__VA_ARGS__} / sizeof(pj_trait)
#define MODEL_OF(where, title, shown, ...)                                                         \
    {.name = #title "Model",                                                                       \
     .view = (shown),                                                                              \
     .module = PJ_MODULE_##where,                                                                  \
     .view_module = PJ_MODULE_##where,                                                             \
     ROWS(__VA_ARGS__)},
#define MODEL(title, shown, ...) MODEL_OF(CONTROLS, title, shown, __VA_ARGS__)
#define MODEL_8(title, shown, ...)                                                                 \
    {.name = #title "Model", .view = (shown), .model_7 = "", ROWS(__VA_ARGS__)},
#define STYLE(title, stand_in, ...)                                                                \
    {.name = #title "Model",                                                                       \
     .view = "StyleView",                                                                          \
     .view_module = PJ_MODULE_BASE,                                                                \
     .model_7 = (stand_in),                                                                        \
     ROWS(__VA_ARGS__)},
#define ITSELF NULL

static const pj_model models[] = {
#include "widgets/ipy/traits.def"
};

static const struct {
    const char *name, *version_8, *version_7;
} modules[] = {
    [PJ_MODULE_CONTROLS] = {"@jupyter-widgets/controls", "2.0.0", "1.5.0"},
    [PJ_MODULE_BASE] = {"@jupyter-widgets/base", "2.0.0", "1.2.0"},
    [PJ_MODULE_OUTPUT] = {"@jupyter-widgets/output", "1.0.0", "1.0.0"},
};

const char *pj_module_name(pj_module module)
{
    return modules[module].name;
}

const char *pj_module_version(pj_module module, pj_dialect dialect)
{
    return dialect == PJ_WIDGETS_7 ? modules[module].version_7 : modules[module].version_8;
}

bool pj_trait_in(const pj_trait *trait, pj_dialect dialect)
{
    switch (trait->only) {
    case PJ_ONLY_8:
        return dialect == PJ_WIDGETS_8;
    case PJ_ONLY_7:
        return dialect == PJ_WIDGETS_7;
    case PJ_ALWAYS:
        break;
    }
    return true;
}

const char *pj_trait_wire(const pj_trait *trait, pj_dialect dialect)
{
    if (dialect == PJ_WIDGETS_8 || !trait->wire_7)
        return trait->key;
    return trait->wire_7[0] ? trait->wire_7 : NULL;
}

const char *pj_trait_initial(const pj_trait *trait, pj_dialect dialect)
{
    return dialect == PJ_WIDGETS_7 && trait->initial_7 ? trait->initial_7 : trait->initial;
}

const pj_model *pj_model_at(size_t index)
{
    return index < sizeof models / sizeof *models ? &models[index] : NULL;
}

pj_str pj_model_title(const pj_model *model)
{
    return (pj_str){model->name, strlen(model->name) - strlen("Model")};
}

static const pj_model *model_by_name(const char *name)
{
    pj_str wanted = pj_str_of(name);
    for (size_t i = 0; i < sizeof models / sizeof *models; i++)
        if (pj_str_equal(wanted, pj_str_of(models[i].name)) ||
            pj_str_equal(wanted, pj_model_title(&models[i])))
            return &models[i];
    return NULL;
}

/// The nearest of the names seen so far; names that differ in more than a third do not count.
typedef struct nearest {
    pj_str word, best;
    size_t distance;
} nearest;

static nearest nearest_to(const char *word)
{
    pj_str wanted = pj_str_of(word);
    return (nearest){.word = wanted, .distance = 2 + wanted.len / 3};
}

static void try_name(nearest *found, pj_str name)
{
    size_t distance = pj_str_distance(found->word, name);
    if (distance < found->distance) {
        found->distance = distance;
        found->best = name;
    }
}

static void refuse_widget(const char *name, pj_err *err)
{
    pj_auto_buf list = {.at = NULL};
    for (size_t i = 0; i < sizeof models / sizeof *models; i++)
        pj_buf_addf(&list, "%s" PJ_STR_FMT, i ? ", " : "", PJ_STR_ARG(pj_model_title(&models[i])));
    pj_fail(err, PJ_E_USAGE, NULL, 0, "there is no widget %s; valid: %s", name, list.at);
}

const pj_model *pj_model_find(const char *name, pj_dialect dialect, pj_err *err)
{
    const pj_model *model = model_by_name(name);
    if (!model) {
        nearest found = nearest_to(name);
        for (size_t i = 0; i < sizeof models / sizeof *models; i++)
            try_name(&found, pj_model_title(&models[i]));
        if (found.best.len)
            pj_fail(err, PJ_E_USAGE, NULL, 0, "there is no widget %s; did you mean " PJ_STR_FMT "?",
                    name, PJ_STR_ARG(found.best));
        else
            refuse_widget(name, err);
        return NULL;
    }
    if (dialect == PJ_WIDGETS_8 || !model->model_7)
        return model;
    if (!model->model_7[0])
        pj_fail(err, PJ_E_USAGE, NULL, 0,
                PJ_STR_FMT " is not part of ipywidgets 7; it needs ipywidgets 8",
                PJ_STR_ARG(pj_model_title(model)));
    return model_by_name(model->model_7);
}

const pj_trait *pj_model_trait(const pj_model *model, const char *key, pj_dialect dialect)
{
    for (size_t i = 0; i < model->trait_count; i++)
        if (strcmp(model->traits[i].key, key) == 0 && pj_trait_in(&model->traits[i], dialect))
            return &model->traits[i];
    return NULL;
}

const pj_trait *pj_model_wire_trait(const pj_model *model, const char *wire, pj_dialect dialect)
{
    for (size_t i = 0; i < model->trait_count; i++) {
        const char *name = pj_trait_wire(&model->traits[i], dialect);
        if (name && strcmp(name, wire) == 0 && pj_trait_in(&model->traits[i], dialect))
            return &model->traits[i];
    }
    return NULL;
}

static void refuse_trait(const pj_model *model, const char *key, pj_dialect dialect, pj_err *err)
{
    pj_auto_buf list = {.at = NULL};
    for (size_t i = 0; i < model->trait_count; i++) {
        const pj_trait *trait = &model->traits[i];
        if (trait->key[0] != '_' && pj_trait_in(trait, dialect))
            pj_buf_addf(&list, "%s%s", list.len ? ", " : "", trait->key);
    }
    pj_fail(err, PJ_E_USAGE, NULL, 0, PJ_STR_FMT " has no %s; valid: %s",
            PJ_STR_ARG(pj_model_title(model)), key, list.len ? list.at : "nothing");
}

const pj_trait *pj_model_no_trait(const pj_model *model, const char *key, pj_dialect dialect,
                                  pj_err *err)
{
    pj_str title = pj_model_title(model);
    nearest found = nearest_to(key);
    for (size_t i = 0; i < model->trait_count; i++) {
        const pj_trait *trait = &model->traits[i];
        if (pj_trait_in(trait, dialect)) {
            try_name(&found, pj_str_of(trait->key));
        } else if (strcmp(trait->key, key) == 0) {
            pj_fail(err, PJ_E_USAGE, NULL, 0,
                    PJ_STR_FMT ".%s is not part of ipywidgets %d, which is spoken here",
                    PJ_STR_ARG(title), key, dialect == PJ_WIDGETS_7 ? 7 : 8);
            return NULL;
        }
    }
    if (found.best.len)
        pj_fail(err, PJ_E_USAGE, NULL, 0, PJ_STR_FMT " has no %s; did you mean " PJ_STR_FMT "?",
                PJ_STR_ARG(title), key, PJ_STR_ARG(found.best));
    else
        refuse_trait(model, key, dialect, err);
    return NULL;
}
