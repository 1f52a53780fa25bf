// Everything is copied, so that records stay when widgets change.
#include "tests/support/strict_front.h"

#include <stdlib.h>

pj_front pj_front_new(void)
{
    return (pj_front){json_array(), json_object(), json_array()};
}

void pj_front_free(pj_front *front)
{
    json_decref(front->messages);
    json_decref(front->states);
    json_decref(front->mistakes);
}

static void record(pj_front *front, const char *kind, const pj_comm_message *message)
{
    json_t *buffers = json_array();
    for (size_t i = 0; i < message->buffer_count; i++)
        json_array_append_new(
            buffers, json_stringn_nocheck(message->buffers[i].at, message->buffers[i].len));
    json_t *one = json_pack("{s:s, s:s, s:o}", "kind", kind, "id", message->id, "buffers", buffers);
    json_t *state = json_object_get(front->states, message->id);
    json_t *news = json_object_get(message->data, "state");
    json_t *view = json_object_get(state ? state : news, "_view_name");
    if (view)
        json_object_set(one, "view", view);
    if (message->target)
        json_object_set_new(one, "target", json_string(message->target));
    if (message->data)
        json_object_set_new(one, "data", json_deep_copy(message->data));
    if (message->metadata)
        json_object_set_new(one, "metadata", json_deep_copy(message->metadata));
    json_array_append_new(front->messages, one);
}

static void mistake(pj_front *front, const char *what, const char *id)
{
    json_array_append_new(front->mistakes, json_sprintf("%s: %s", what, id));
}

/// A model that is mentioned must be open already, or the page waits for it for ever.
static void check_mentions(pj_front *front, const json_t *value)
{
    static const char prefix[] = "IPY_MODEL_";
    const char *text = json_string_value(value), *key;
    size_t i;
    json_t *item;
    if (text && strncmp(text, prefix, strlen(prefix)) == 0 &&
        !json_object_get(front->states, text + strlen(prefix)))
        mistake(front, "mentioned before it was open", text);
    json_array_foreach(value, i, item)
    {
        check_mentions(front, item);
    }
    json_object_foreach((json_t *)value, key, item)
    {
        check_mentions(front, item);
    }
}

static void check_message(pj_front *front, const pj_comm_message *message)
{
    char *text = json_dumps(message->data, 0);
    if (message->data && !text)
        mistake(front, "data that is no valid JSON", message->id);
    free(text);
    if (json_array_size(json_object_get(message->data, "buffer_paths")) != message->buffer_count)
        mistake(front, "buffers and buffer_paths differ in number", message->id);
    check_mentions(front, json_object_get(message->data, "state"));
}

static void on_open(void *self, const pj_comm_message *message)
{
    pj_front *front = self;
    record(front, "open", message);
    check_message(front, message);
    if (json_object_get(front->states, message->id))
        mistake(front, "opened twice", message->id);
    json_object_set_new(front->states, message->id,
                        json_deep_copy(json_object_get(message->data, "state")));
}

static void on_msg(void *self, const pj_comm_message *message)
{
    pj_front *front = self;
    record(front, "msg", message);
    json_t *state = json_object_get(front->states, message->id);
    if (!state)
        mistake(front, "a message to a comm that is not open", message->id);
    const char *method = json_string_value(json_object_get(message->data, "method"));
    if (!method || strcmp(method, "custom") != 0)
        check_message(front, message);
    json_t *news = json_deep_copy(json_object_get(message->data, "state"));
    if (json_is_object(state) && news)
        json_object_update(state, news);
    json_decref(news);
}

static void on_close(void *self, const pj_comm_message *message)
{
    pj_front *front = self;
    record(front, "close", message);
    if (json_object_del(front->states, message->id) != 0)
        mistake(front, "closed what is not open", message->id);
}

pj_comm_channel pj_front_channel(pj_front *front)
{
    return (pj_comm_channel){.self = front, .open = on_open, .msg = on_msg, .close = on_close};
}

void pj_front_clear(pj_front *front)
{
    json_array_clear(front->messages);
}

size_t pj_front_count(const pj_front *front)
{
    return json_array_size(front->messages);
}

json_t *pj_front_at(const pj_front *front, long place)
{
    long count = (long)json_array_size(front->messages);
    return json_array_get(front->messages, (size_t)(place < 0 ? count + place : place));
}

void pj_front_open(pj_front *front, const char *id)
{
    json_object_set_new(front->states, id, json_object());
}
