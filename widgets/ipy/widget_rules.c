// What ties traits of one widget together, as ipywidgets has it in its Python classes. A rule works
// on a draft: it corrects values, or refuses them when they were given.
#include "widgets/ipy/widget_record.h"

#include "metrics/base/err.h"
#include "widgets/ipy/trait_value.h"
#include "widgets/ipy/traits.h"
#include "widgets/ipy/widget.h"

#include <math.h>

/// One rule at work on the trait at `place`.
typedef struct ruling {
    pj_widget_draft *draft;
    const pj_trait *trait;
    size_t place;
    pj_err *err;
} ruling;

typedef bool (*rule)(ruling *r);

static size_t place_of(const ruling *r, const char *key)
{
    const pj_widget *widget = r->draft->widget;
    const pj_trait *trait = pj_model_trait(widget->model, key, widget->home->opts.dialect);
    return trait ? pj_widget_place(widget, trait) : SIZE_MAX;
}

/// NULL when the model has no such trait.
static json_t *other(const ruling *r, const char *key)
{
    size_t place = place_of(r, key);
    return place < SIZE_MAX ? r->draft->values[place] : NULL;
}

static json_t *value_of(const ruling *r)
{
    return r->draft->values[r->place];
}

static bool is_given(const ruling *r)
{
    return r->draft->given[r->place] != NULL;
}

static void put_new(ruling *r, size_t place, json_t *value)
{
    json_decref(r->draft->values[place]);
    r->draft->values[place] = value;
}

static bool has_changed(const ruling *r, const char *key)
{
    size_t place = place_of(r, key);
    return !json_equal(r->draft->values[place], r->draft->widget->values[place]);
}

static json_t *initial(const ruling *r)
{
    return pj_trait_value_initial(r->trait, r->draft->widget->home->opts.dialect);
}

#define TITLE(r) PJ_STR_ARG(pj_model_title((r)->draft->widget->model))

static json_t *clamped(json_t *value, json_t *min, json_t *max)
{
    if (min && pj_trait_value_order(value, min) < 0)
        return min;
    if (max && pj_trait_value_order(value, max) > 0)
        return max;
    return value;
}

static bool clamp_pair(ruling *r, json_t *min, json_t *max)
{
    json_t *pair = value_of(r);
    json_t *lower = json_array_get(pair, 0), *upper = json_array_get(pair, 1);
    if (pj_trait_value_order(lower, upper) > 0)
        return pj_fail(r->err, PJ_E_USAGE, NULL, 0,
                       PJ_STR_FMT ".%s: the lower value %g is above the upper value %g", TITLE(r),
                       r->trait->key, json_number_value(lower), json_number_value(upper));
    json_t *kept = json_array();
    json_array_append(kept, clamped(lower, min, max));
    json_array_append(kept, clamped(upper, min, max));
    put_new(r, r->place, kept);
    return true;
}

static bool clamp_between(ruling *r, json_t *min, json_t *max)
{
    if (min && max && pj_trait_value_order(min, max) > 0)
        return pj_fail(r->err, PJ_E_USAGE, NULL, 0, PJ_STR_FMT ": min is above max", TITLE(r));
    if (json_is_array(value_of(r)))
        return clamp_pair(r, min, max);
    put_new(r, r->place, json_incref(clamped(value_of(r), min, max)));
    return true;
}

static bool rule_clamped(ruling *r)
{
    return clamp_between(r, other(r, "min"), other(r, "max"));
}

static bool rule_clamped_log(ruling *r)
{
    double base = json_number_value(other(r, "base"));
    double least = pow(base, json_number_value(other(r, "min")));
    double most = pow(base, json_number_value(other(r, "max")));
    if (!(base > 0) || !isfinite(least) || !isfinite(most))
        return pj_fail(r->err, PJ_E_USAGE, NULL, 0,
                       PJ_STR_FMT ": base must be above 0, base^min and base^max numbers",
                       TITLE(r));
    json_t *min = json_real(least), *max = json_real(most);
    bool good = clamp_between(r, min, max);
    json_decref(min);
    json_decref(max);
    return good;
}

static bool is_within(const json_t *index, size_t count)
{
    for (size_t i = 0; i < json_array_size(index); i++)
        if (!is_within(json_array_get(index, i), count))
            return false;
    json_int_t at = json_integer_value(index); // 0 for arrays and null
    return json_is_null(index) || json_is_array(index) || (at >= 0 && (size_t)at < count);
}

/// Refuses a position beyond `list`; the default is always good, also for an empty list.
static bool check_position(ruling *r, const char *list, bool *good)
{
    json_t *fallback = initial(r);
    *good = is_within(value_of(r), json_array_size(other(r, list))) ||
            json_equal(value_of(r), fallback);
    json_decref(fallback);
    if (*good || !is_given(r))
        return true;
    return pj_fail(r->err, PJ_E_USAGE, NULL, 0,
                   PJ_STR_FMT ".%s is beyond the %zu entries of %s (the first one is 0)", TITLE(r),
                   r->trait->key, json_array_size(other(r, list)), list);
}

static bool rule_index(ruling *r)
{
    static const char list[] = "_options_labels";
    bool good;
    if (!check_position(r, list, &good))
        return false;
    if (is_given(r) || (good && !has_changed(r, list)))
        return true;
    bool first = json_array_size(other(r, list)) > 0 && r->trait->type == PJ_TRAIT_INT;
    put_new(r, r->place, first ? json_integer(0) : initial(r));
    return true;
}

static bool rule_page(ruling *r)
{
    bool good;
    if (!check_position(r, "children", &good))
        return false;
    if (!good)
        put_new(r, r->place, json_null());
    return true;
}

static bool rule_first_page(ruling *r)
{
    bool good;
    if (!check_position(r, "children", &good))
        return false;
    if (is_given(r) || (good && !has_changed(r, "children")))
        return true;
    size_t pages = json_array_size(other(r, "children"));
    if (pages == 0)
        put_new(r, r->place, initial(r));
    else if (!good || json_is_null(value_of(r)))
        put_new(r, r->place, json_integer(good ? 0 : (json_int_t)pages - 1));
    return true;
}

static bool rule_titles(ruling *r)
{
    size_t pages = json_array_size(other(r, "children"));
    if (json_array_size(value_of(r)) >= pages)
        return true;
    json_t *padded = json_copy(value_of(r));
    while (json_array_size(padded) < pages)
        json_array_append_new(padded, json_string(""));
    put_new(r, r->place, padded);
    return true;
}

static bool contains(const json_t *list, const json_t *item, size_t end)
{
    for (size_t i = 0; i < json_array_size(list) && i < end; i++)
        if (json_equal(json_array_get(list, i), item))
            return true;
    return false;
}

static bool rule_tags(ruling *r)
{
    json_t *allowed = other(r, "allowed_tags"), *min = other(r, "min"), *max = other(r, "max");
    const char *wrong = NULL;
    if (!is_given(r))
        return true;
    size_t i;
    json_t *tag;
    json_array_foreach(value_of(r), i, tag)
    {
        if (json_array_size(allowed) && !contains(allowed, tag, SIZE_MAX))
            wrong = "is not among allowed_tags";
        else if (clamped(tag, min, max) != tag)
            wrong = "is not within min and max";
        else if (json_is_false(other(r, "allow_duplicates")) && contains(value_of(r), tag, i))
            wrong = "is there twice; allow_duplicates is false";
        if (wrong)
            return pj_fail(r->err, PJ_E_USAGE, NULL, 0, PJ_STR_FMT ".%s[%zu] %s", TITLE(r),
                           r->trait->key, i, wrong);
    }
    return true;
}

static bool rule_option(ruling *r)
{
    bool free = json_is_false(other(r, "ensure_option")) || !json_string_length(value_of(r));
    if (!is_given(r) || free || contains(other(r, "options"), value_of(r), SIZE_MAX))
        return true;
    return pj_fail(r->err, PJ_E_USAGE, NULL, 0,
                   PJ_STR_FMT ".%s is not among its options; ensure_option is true", TITLE(r),
                   r->trait->key);
}

static json_t *text_of(const json_t *file, const char *key)
{
    json_t *text = json_object_get(file, key);
    return json_is_string(text) ? json_incref(text) : json_string("");
}

/// In ipywidgets 7: a list of contents beside a list of {name, type, size, lastModified}.
static json_t *joined_uploads(const json_t *contents, const json_t *metadata)
{
    json_t *uploads = json_array();
    for (size_t i = 0; i < json_array_size(contents) && i < json_array_size(metadata); i++) {
        const json_t *file = json_array_get(metadata, i);
        json_int_t size = (json_int_t)json_string_length(json_array_get(contents, i));
        json_int_t modified = json_integer_value(json_object_get(file, "lastModified"));
        json_array_append_new(
            uploads, json_pack("{s:o, s:o, s:I, s:I, s:O}", "name", text_of(file, "name"), "type",
                               text_of(file, "type"), "size", size, "last_modified", modified,
                               "content", json_array_get(contents, i)));
    }
    return uploads;
}

static void split_uploads(ruling *r)
{
    json_t *contents = json_array(), *metadata = json_array();
    size_t i;
    json_t *upload;
    json_array_foreach(value_of(r), i, upload)
    {
        json_array_append(contents, json_object_get(upload, "content"));
        json_array_append_new(metadata, json_pack("{s:O, s:O, s:O, s:O}", "name",
                                                  json_object_get(upload, "name"), "type",
                                                  json_object_get(upload, "type"), "size",
                                                  json_object_get(upload, "size"), "lastModified",
                                                  json_object_get(upload, "last_modified")));
    }
    put_new(r, place_of(r, "_counter"), json_integer((json_int_t)json_array_size(contents)));
    put_new(r, place_of(r, "data"), contents);
    put_new(r, place_of(r, "metadata"), metadata);
}

static bool rule_upload_7(ruling *r)
{
    if (r->draft->widget->home->opts.dialect == PJ_WIDGETS_8)
        return true;
    if (is_given(r)) {
        split_uploads(r);
        return true;
    }
    put_new(r, r->place, joined_uploads(other(r, "data"), other(r, "metadata")));
    return true;
}

static const rule rules[] = {
    [PJ_RULE_CLAMPED] = rule_clamped,
    [PJ_RULE_CLAMPED_LOG] = rule_clamped_log,
    [PJ_RULE_INDEX] = rule_index,
    [PJ_RULE_PAGE] = rule_page,
    [PJ_RULE_FIRST_PAGE] = rule_first_page,
    [PJ_RULE_TITLES] = rule_titles,
    [PJ_RULE_TAGS] = rule_tags,
    [PJ_RULE_OPTION] = rule_option,
    [PJ_RULE_UPLOAD_7] = rule_upload_7,
};

bool pj_widget_rules(pj_widget_draft *draft, pj_err *err)
{
    const pj_widget *widget = draft->widget;
    for (size_t i = 0; i < widget->model->trait_count; i++) {
        const pj_trait *trait = &widget->model->traits[i];
        ruling r = {draft, trait, i, err};
        if (trait->rule != PJ_RULE_NONE && draft->values[i] && !rules[trait->rule](&r))
            return false;
    }
    return true;
}
