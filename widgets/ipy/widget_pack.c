// Widget states as messages.
// Protocol 2.1.0: bytes inside a state travel as buffers beside it. A member of an object that is
// bytes is left out of the state, an item of a list becomes null; buffer_paths says where they
// were.
#include "widgets/ipy/widget_pack.h"

#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"

#include <stdio.h>
#include <stdlib.h>

pj_widget_pack pj_widget_pack_new(pj_dialect dialect)
{
    return (pj_widget_pack){.dialect = dialect, .state = json_object(), .paths = json_array()};
}

void pj_widget_pack_free(pj_widget_pack *pack)
{
    json_decref(pack->state);
    json_decref(pack->paths);
    free(pack->buffers);
}

static void add_buffer(pj_widget_pack *pack, json_t *path_take, const json_t *bytes)
{
    if (pack->id) {
        json_array_insert_new(path_take, 0, json_string(pack->id));
        json_array_insert_new(path_take, 1, json_string("state"));
    }
    json_array_append_new(pack->paths, path_take);
    pj_grow(pack->buffers, &pack->buffer_cap, pack->buffer_count + 1);
    pack->buffers[pack->buffer_count++] =
        (pj_str){json_string_value(bytes), json_string_length(bytes)};
}

static json_t *bytes_list(pj_widget_pack *pack, const char *name, const json_t *list)
{
    json_t *nulls = json_array();
    for (size_t i = 0; i < json_array_size(list); i++) {
        json_array_append_new(nulls, json_null());
        add_buffer(pack, json_pack("[s, I]", name, (json_int_t)i), json_array_get(list, i));
    }
    return nulls;
}

static json_t *uploads(pj_widget_pack *pack, const char *name, const json_t *list)
{
    json_t *files = json_array();
    for (size_t i = 0; i < json_array_size(list); i++) {
        json_t *file = json_copy(json_array_get(list, i));
        add_buffer(pack, json_pack("[s, I, s]", name, (json_int_t)i, "content"),
                   json_object_get(file, "content"));
        json_object_del(file, "content");
        json_array_append_new(files, file);
    }
    return files;
}

/// ["a", "b"] as {"0": "a", "1": "b"}.
static json_t *numbered(const json_t *list)
{
    json_t *object = json_object();
    for (size_t i = 0; i < json_array_size(list); i++) {
        char number[24];
        snprintf(number, sizeof number, "%zu", i);
        json_object_set(object, number, json_array_get(list, i));
    }
    return object;
}

static bool all_strings(const json_t *list)
{
    for (size_t i = 0; i < json_array_size(list); i++)
        if (!json_is_string(json_array_get(list, i)))
            return false;
    return json_is_array(list);
}

static bool all_have_content(const json_t *list)
{
    for (size_t i = 0; i < json_array_size(list); i++)
        if (!json_is_string(json_object_get(json_array_get(list, i), "content")))
            return false;
    return json_is_array(list);
}

static json_t *packed(pj_widget_pack *pack, const pj_trait *trait, const char *name, json_t *value)
{
    bool is_7 = pack->dialect == PJ_WIDGETS_7;
    if (trait->type == PJ_TRAIT_BYTES_LIST && all_strings(value))
        return bytes_list(pack, name, value);
    if (trait->type == PJ_TRAIT_UPLOADS && all_have_content(value))
        return uploads(pack, name, value);
    if (trait->rule == PJ_RULE_TITLES && is_7 && json_is_array(value))
        return numbered(value);
    return json_incref(value);
}

void pj_widget_pack_add(pj_widget_pack *pack, const pj_trait *trait, json_t *value)
{
    const char *name = pj_trait_wire(trait, pack->dialect);
    if (!name)
        return;
    if (trait->type == PJ_TRAIT_BYTES && json_is_string(value))
        add_buffer(pack, json_pack("[s]", name), value);
    else
        json_object_set_new(pack->state, name, packed(pack, trait, name, value));
}

/// {"0": "a", "1": "b"} as ["a", "b"]; anything else as it is.
static json_t *unnumbered(json_t *value)
{
    if (!json_is_object(value))
        return json_incref(value);
    json_t *list = json_array();
    for (size_t i = 0; i < json_object_size(value); i++) {
        char number[24];
        snprintf(number, sizeof number, "%zu", i);
        json_t *item = json_object_get(value, number);
        json_array_append_new(list, item ? json_incref(item) : json_string(""));
    }
    return list;
}

/// Puts the bytes where the path leads; the lists and objects on the way are there already.
static bool place_bytes(json_t *traits, const pj_trait *trait, const json_t *path, json_t *bytes)
{
    json_t *value = json_object_get(traits, trait->key);
    json_t *step = json_array_get(path, 1);
    size_t item = (size_t)json_integer_value(step);
    size_t steps = json_array_size(path);
    if (trait->type == PJ_TRAIT_BYTES)
        return steps == 1 && json_object_set(traits, trait->key, bytes) == 0;
    if (!json_is_integer(step))
        return false;
    if (trait->type == PJ_TRAIT_BYTES_LIST)
        return steps == 2 && json_array_set(value, item, bytes) == 0;
    const char *member = json_string_value(json_array_get(path, 2));
    return trait->type == PJ_TRAIT_UPLOADS && steps == 3 && member &&
           strcmp(member, "content") == 0 &&
           json_object_set(json_array_get(value, item), "content", bytes) == 0;
}

static bool unpack_buffer(const pj_model *model, pj_dialect dialect, const json_t *path,
                          pj_str bytes, json_t *traits)
{
    const char *name = json_string_value(json_array_get(path, 0));
    const pj_trait *trait = name ? pj_model_wire_trait(model, name, dialect) : NULL;
    json_t *text = json_stringn_nocheck(bytes.len ? bytes.at : "", bytes.len);
    bool placed = trait && place_bytes(traits, trait, path, text);
    json_decref(text);
    return placed;
}

json_t *pj_widget_unpack(const pj_model *model, pj_dialect dialect, const pj_comm_message *message,
                         pj_err *err)
{
    json_t *state = json_object_get(message->data, "state");
    json_t *paths = json_object_get(message->data, "buffer_paths");
    pj_str title = pj_model_title(model);
    if (!json_is_object(state) || json_array_size(paths) != message->buffer_count) {
        pj_fail(err, PJ_E_FORMAT, NULL, 0,
                "a message for " PJ_STR_FMT " has no state or %zu buffers for %zu buffer_paths",
                PJ_STR_ARG(title), message->buffer_count, json_array_size(paths));
        return NULL;
    }
    json_t *traits = json_object();
    const char *name;
    json_t *value;
    json_object_foreach(state, name, value)
    {
        const pj_trait *trait = pj_model_wire_trait(model, name, dialect);
        if (!trait)
            continue;
        bool titles_7 = trait->rule == PJ_RULE_TITLES && dialect == PJ_WIDGETS_7;
        bool holds_bytes = trait->type == PJ_TRAIT_BYTES_LIST || trait->type == PJ_TRAIT_UPLOADS;
        json_object_set_new(traits, trait->key,
                            titles_7      ? unnumbered(value)
                            : holds_bytes ? json_deep_copy(value)
                                          : json_incref(value));
    }
    for (size_t i = 0; i < message->buffer_count; i++)
        if (!unpack_buffer(model, dialect, json_array_get(paths, i), message->buffers[i], traits)) {
            pj_fail(err, PJ_E_FORMAT, NULL, 0,
                    "a message for " PJ_STR_FMT " has a buffer_path that leads nowhere",
                    PJ_STR_ARG(title));
            json_decref(traits);
            return NULL;
        }
    return traits;
}
