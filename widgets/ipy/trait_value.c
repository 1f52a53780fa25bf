// Checking values of traits.
// Checks follow what ipywidgets accepts from users and from front ends alike.
#include "widgets/ipy/trait_value.h"

#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"

#include <math.h>

enum { MOST_DEPTH = 100, MOST_SHOWN = 40 };
static const double EXACT_INT = 9007199254740992.0; // 2^53

/// What is being checked; `item` is the place in an array, -1 outside.
typedef struct check {
    const pj_model *model;
    const pj_trait *trait;
    long item;
    pj_err *err;
} check;

typedef json_t *(*accept)(const check *c, json_t *value);

/// "the text "abc"", "the number 1.5", "null", "a list": for messages.
static void describe(const json_t *value, pj_buf *out)
{
    switch (json_typeof(value)) {
    case JSON_OBJECT:
        pj_buf_puts(out, "a table");
        break;
    case JSON_ARRAY:
        pj_buf_puts(out, "a list");
        break;
    case JSON_STRING: {
        bool whole = json_string_length(value) <= MOST_SHOWN;
        json_t *valid = json_stringn(json_string_value(value), json_string_length(value));
        if (valid)
            pj_buf_addf(out, "the text \"%.*s%s\"", MOST_SHOWN, json_string_value(value),
                        whole ? "" : "...");
        else
            pj_buf_puts(out, "a text that is not UTF-8");
        json_decref(valid);
        break;
    }
    case JSON_INTEGER:
        pj_buf_addf(out, "the number %lld", (long long)json_integer_value(value));
        break;
    case JSON_REAL:
        pj_buf_addf(out, "the number %g", json_real_value(value));
        break;
    case JSON_TRUE:
    case JSON_FALSE:
        pj_buf_puts(out, json_is_true(value) ? "true" : "false");
        break;
    case JSON_NULL:
        pj_buf_puts(out, "null");
        break;
    }
}

static json_t *refuse(const check *c, const char *wanted, const json_t *value)
{
    pj_auto_buf given = {0};
    describe(value, &given);
    pj_auto_buf place = {0};
    if (c->item >= 0)
        pj_buf_addf(&place, "[%ld]", c->item);
    pj_fail(c->err, PJ_E_USAGE, NULL, 0, PJ_STR_FMT ".%s%s must be %s, not %s",
            PJ_STR_ARG(pj_model_title(c->model)), c->trait->key, place.at ? place.at : "", wanted,
            given.at);
    return NULL;
}

static json_t *accept_bool(const check *c, json_t *value)
{
    return json_is_boolean(value) ? json_incref(value) : refuse(c, "true or false", value);
}

static json_t *accept_int(const check *c, json_t *value)
{
    if (json_is_integer(value))
        return json_incref(value);
    double real = json_real_value(value); // 0 for other types
    bool whole = json_is_real(value) && fabs(real) <= EXACT_INT && real == floor(real);
    return whole ? json_integer((json_int_t)real) : refuse(c, "a whole number", value);
}

static json_t *accept_float(const check *c, json_t *value)
{
    return json_is_number(value) ? json_real(json_number_value(value))
                                 : refuse(c, "a number", value);
}

static json_t *accept_choice(const check *c, json_t *value)
{
    pj_str given = {json_string_value(value), json_string_length(value)};
    pj_str rest = pj_str_of(c->trait->choices);
    for (bool more = true; more;) {
        more = pj_str_find(rest, '|') < rest.len;
        if (pj_str_equal(given, pj_str_cut(&rest, '|')))
            return json_incref(value);
    }
    pj_auto_buf wanted = {0};
    pj_buf_puts(&wanted, "one of");
    rest = pj_str_of(c->trait->choices);
    for (bool more = true; more;) {
        more = pj_str_find(rest, '|') < rest.len;
        pj_str choice = pj_str_cut(&rest, '|');
        pj_buf_addf(&wanted, " \"" PJ_STR_FMT "\"%s", PJ_STR_ARG(choice), more ? "," : "");
    }
    return refuse(c, wanted.at, value);
}

static json_t *accept_text(const check *c, json_t *value)
{
    if (!json_is_string(value))
        return refuse(c, "a text", value);
    if (c->trait->choices)
        return accept_choice(c, value);
    json_t *copy = json_stringn(json_string_value(value), json_string_length(value));
    return copy ? copy : refuse(c, "a text in UTF-8", value);
}

static json_t *accept_int_or_text(const check *c, json_t *value)
{
    return json_is_string(value) ? accept_text(c, value) : accept_int(c, value);
}

static json_t *accept_float_or_text(const check *c, json_t *value)
{
    if (json_is_integer(value))
        return json_incref(value);
    return json_is_string(value) ? accept_text(c, value) : accept_float(c, value);
}

static json_t *accept_bytes(const check *c, json_t *value)
{
    return json_is_string(value) ? json_incref(value) : refuse(c, "bytes", value);
}

typedef struct date_part {
    const char *name;
    double least, most;
} date_part;

static const date_part date_parts[] = {
    {"year", -271821, 275760}, {"month", 0, 11},   {"date", 1, 31},          {"hours", 0, 23},
    {"minutes", 0, 59},        {"seconds", 0, 59}, {"milliseconds", 0, 999},
};
enum { DATE_PARTS = 7, CLOCK = 3 };

static json_t *accept_parts(const check *c, json_t *value, size_t first, size_t end)
{
    json_t *kept = json_object();
    for (size_t i = first; i < end; i++) {
        const date_part *part = &date_parts[i];
        json_t *number = json_object_get(value, part->name);
        double at = json_number_value(number);
        if (json_is_number(number) && at >= part->least && at < part->most + 1) {
            json_object_set_new(kept, part->name, json_integer((json_int_t)floor(at)));
            continue;
        }
        json_decref(kept);
        pj_auto_buf wanted = {0};
        pj_buf_puts(&wanted, "a table of");
        for (size_t k = first; k < end; k++)
            pj_buf_addf(&wanted, " %s (%g to %g)%s", date_parts[k].name, date_parts[k].least,
                        date_parts[k].most, k + 1 < end ? "," : "");
        return refuse(c, wanted.at, value);
    }
    return kept;
}

static json_t *accept_date(const check *c, json_t *value)
{
    return accept_parts(c, value, 0, CLOCK);
}

static json_t *accept_datetime(const check *c, json_t *value)
{
    return accept_parts(c, value, 0, DATE_PARTS);
}

static json_t *accept_time(const check *c, json_t *value)
{
    return accept_parts(c, value, CLOCK, DATE_PARTS);
}

const char *pj_trait_value_reference(const json_t *value)
{
    static const char prefix[] = "IPY_MODEL_";
    const char *text = json_string_value(value);
    bool is = text && strncmp(text, prefix, strlen(prefix)) == 0 && text[strlen(prefix)] &&
              strlen(text) == json_string_length(value);
    return is ? text + strlen(prefix) : NULL;
}

static json_t *accept_reference(const check *c, json_t *value)
{
    return pj_trait_value_reference(value) ? json_incref(value) : refuse(c, "a widget", value);
}

static bool texts_are_valid(const json_t *value, unsigned depth)
{
    if (depth > MOST_DEPTH)
        return false;
    if (json_is_string(value)) {
        json_t *copy = json_stringn(json_string_value(value), json_string_length(value));
        json_decref(copy);
        return copy != NULL;
    }
    size_t i;
    json_t *item;
    json_array_foreach(value, i, item)
    {
        if (!texts_are_valid(item, depth + 1))
            return false;
    }
    const char *key;
    json_object_foreach((json_t *)value, key, item)
    {
        if (!texts_are_valid(item, depth + 1))
            return false;
    }
    return true;
}

static json_t *accept_object(const check *c, json_t *value)
{
    if (!json_is_object(value))
        return refuse(c, "a table", value);
    return texts_are_valid(value, 0) ? json_deep_copy(value)
                                     : refuse(c, "a table of valid texts, not too deep", value);
}

static json_t *accept_upload(const check *c, json_t *value)
{
    static const struct {
        const char *name;
        accept fits;
    } members[] = {{"name", accept_text},
                   {"type", accept_text},
                   {"size", accept_int},
                   {"last_modified", accept_int},
                   {"content", accept_bytes}};
    json_t *kept = json_object();
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        json_t *member = json_object_get(value, members[i].name);
        json_t *fitting = member ? members[i].fits(c, member) : NULL;
        if (!fitting) {
            json_decref(kept);
            return refuse(c, "a table of name, type, size, last_modified, content", value);
        }
        json_object_set_new(kept, members[i].name, fitting);
    }
    return kept;
}

static json_t *accept_list(const check *c, json_t *value, accept fits)
{
    if (!json_is_array(value)) {
        // An empty table of the command language has no shape of its own.
        if (json_is_object(value) && json_object_size(value) == 0)
            return json_array();
        return refuse(c, "a list", value);
    }
    json_t *kept = json_array();
    check inner = *c;
    for (size_t i = 0; i < json_array_size(value); i++) {
        inner.item = (long)i;
        json_t *item = fits(&inner, json_array_get(value, i));
        if (!item) {
            json_decref(kept);
            return NULL;
        }
        json_array_append_new(kept, item);
    }
    return kept;
}

static json_t *accept_pair(const check *c, json_t *value, accept fits)
{
    if (!json_is_array(value) || json_array_size(value) != 2)
        return refuse(c, "a list of two numbers", value);
    return accept_list(c, value, fits);
}

static json_t *accept_end(const check *c, json_t *value)
{
    if (json_is_array(value) && json_array_size(value) == 0)
        return json_array();
    json_t *trait = json_array_get(value, 1);
    if (json_array_size(value) != 2 || !pj_trait_value_reference(json_array_get(value, 0)) ||
        !json_is_string(trait))
        return refuse(c, "a list of a widget and the name of one of its traits", value);
    return accept_list(c, value, accept_text);
}

/// How each type is checked; lists name the check of their items.
static const struct {
    accept fits;
    enum { ONE, LIST, PAIR } shape;
} kinds[] = {
    [PJ_TRAIT_BOOL] = {accept_bool, ONE},
    [PJ_TRAIT_INT] = {accept_int, ONE},
    [PJ_TRAIT_FLOAT] = {accept_float, ONE},
    [PJ_TRAIT_TEXT] = {accept_text, ONE},
    [PJ_TRAIT_INT_OR_TEXT] = {accept_int_or_text, ONE},
    [PJ_TRAIT_FLOAT_OR_TEXT] = {accept_float_or_text, ONE},
    [PJ_TRAIT_BYTES] = {accept_bytes, ONE},
    [PJ_TRAIT_DATE] = {accept_date, ONE},
    [PJ_TRAIT_DATETIME] = {accept_datetime, ONE},
    [PJ_TRAIT_TIME] = {accept_time, ONE},
    [PJ_TRAIT_TEXTS] = {accept_text, LIST},
    [PJ_TRAIT_INTS] = {accept_int, LIST},
    [PJ_TRAIT_FLOATS] = {accept_float, LIST},
    [PJ_TRAIT_INT_PAIR] = {accept_int, PAIR},
    [PJ_TRAIT_FLOAT_PAIR] = {accept_float, PAIR},
    [PJ_TRAIT_OBJECTS] = {accept_object, LIST},
    [PJ_TRAIT_BYTES_LIST] = {accept_bytes, LIST},
    [PJ_TRAIT_UPLOADS] = {accept_upload, LIST},
    [PJ_TRAIT_WIDGETS] = {accept_reference, LIST},
    [PJ_TRAIT_END] = {accept_end, ONE},
    [PJ_TRAIT_REFERENCE] = {accept_reference, ONE},
};

json_t *pj_trait_value(const pj_model *model, const pj_trait *trait, json_t *value, pj_err *err)
{
    const check c = {model, trait, -1, err};
    if (json_is_null(value))
        return trait->null ? json_null() : refuse(&c, "given", value);
    accept fits = kinds[trait->type].fits;
    switch (kinds[trait->type].shape) {
    case LIST:
        return accept_list(&c, value, fits);
    case PAIR:
        return accept_pair(&c, value, fits);
    case ONE:
        break;
    }
    return fits(&c, value);
}

json_t *pj_trait_value_initial(const pj_trait *trait, pj_dialect dialect)
{
    const char *text = pj_trait_initial(trait, dialect);
    return text ? json_loads(text, JSON_DECODE_ANY, NULL) : json_null();
}

static int order(double a, double b)
{
    return (a > b) - (a < b);
}

int pj_trait_value_order(const json_t *a, const json_t *b)
{
    if (json_is_number(a) && json_is_number(b))
        return order(json_number_value(a), json_number_value(b));
    for (size_t i = 0; i < DATE_PARTS; i++) {
        double x = json_number_value(json_object_get(a, date_parts[i].name));
        double y = json_number_value(json_object_get(b, date_parts[i].name));
        if (json_is_object(a) && json_is_object(b) && x != y)
            return order(x, y);
    }
    return 0;
}

bool pj_trait_value_references(const pj_trait *trait, const json_t *value,
                               bool (*each)(void *context, const char *id), void *context)
{
    if (trait->type == PJ_TRAIT_REFERENCE && json_is_string(value))
        return each(context, pj_trait_value_reference(value));
    if (trait->type == PJ_TRAIT_END && json_array_size(value))
        return each(context, pj_trait_value_reference(json_array_get(value, 0)));
    if (trait->type == PJ_TRAIT_WIDGETS)
        for (size_t i = 0; i < json_array_size(value); i++)
            if (!each(context, pj_trait_value_reference(json_array_get(value, i))))
                return false;
    return true;
}
