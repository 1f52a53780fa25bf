// Everything is copied, so that records stay when widgets change.
#include "tests/support/recording_channel.h"

#include <stdlib.h>

pj_recording pj_recording_new(void)
{
    return (pj_recording){json_array(), json_object(), json_array()};
}

void pj_recording_free(pj_recording *recording)
{
    json_decref(recording->messages);
    json_decref(recording->states);
    json_decref(recording->mistakes);
}

static void record(pj_recording *recording, const char *kind, const pj_comm_message *message)
{
    json_t *buffers = json_array();
    for (size_t i = 0; i < message->buffer_count; i++)
        json_array_append_new(
            buffers, json_stringn_nocheck(message->buffers[i].at, message->buffers[i].len));
    json_t *one = json_pack("{s:s, s:s, s:o}", "kind", kind, "id", message->id, "buffers", buffers);
    json_t *state = json_object_get(recording->states, message->id);
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
    json_array_append_new(recording->messages, one);
}

static void mistake(pj_recording *recording, const char *what, const char *id)
{
    json_array_append_new(recording->mistakes, json_sprintf("%s: %s", what, id));
}

/// A model that is mentioned must be open already, or the page waits for it for ever.
static void check_mentions(pj_recording *recording, const json_t *value)
{
    static const char prefix[] = "IPY_MODEL_";
    const char *text = json_string_value(value), *key;
    size_t i;
    json_t *item;
    if (text && strncmp(text, prefix, strlen(prefix)) == 0 &&
        !json_object_get(recording->states, text + strlen(prefix)))
        mistake(recording, "mentioned before it was open", text);
    json_array_foreach(value, i, item) check_mentions(recording, item);
    json_object_foreach((json_t *)value, key, item) check_mentions(recording, item);
}

static void check_message(pj_recording *recording, const pj_comm_message *message)
{
    char *text = json_dumps(message->data, 0);
    if (message->data && !text)
        mistake(recording, "data that is no valid JSON", message->id);
    free(text);
    if (json_array_size(json_object_get(message->data, "buffer_paths")) != message->buffer_count)
        mistake(recording, "buffers and buffer_paths differ in number", message->id);
    check_mentions(recording, json_object_get(message->data, "state"));
}

static void on_open(void *self, const pj_comm_message *message)
{
    pj_recording *recording = self;
    record(recording, "open", message);
    check_message(recording, message);
    if (json_object_get(recording->states, message->id))
        mistake(recording, "opened twice", message->id);
    json_object_set_new(recording->states, message->id,
                        json_deep_copy(json_object_get(message->data, "state")));
}

static void on_msg(void *self, const pj_comm_message *message)
{
    pj_recording *recording = self;
    record(recording, "msg", message);
    json_t *state = json_object_get(recording->states, message->id);
    if (!state)
        mistake(recording, "a message to a comm that is not open", message->id);
    const char *method = json_string_value(json_object_get(message->data, "method"));
    if (!method || strcmp(method, "custom") != 0)
        check_message(recording, message);
    json_t *news = json_deep_copy(json_object_get(message->data, "state"));
    if (json_is_object(state) && news)
        json_object_update(state, news);
    json_decref(news);
}

static void on_close(void *self, const pj_comm_message *message)
{
    pj_recording *recording = self;
    record(recording, "close", message);
    if (json_object_del(recording->states, message->id) != 0)
        mistake(recording, "closed what is not open", message->id);
}

pj_comm_channel pj_recording_channel(pj_recording *recording)
{
    return (pj_comm_channel){.self = recording, .open = on_open, .msg = on_msg, .close = on_close};
}

void pj_recording_clear(pj_recording *recording)
{
    json_array_clear(recording->messages);
}

size_t pj_recording_count(const pj_recording *recording)
{
    return json_array_size(recording->messages);
}

json_t *pj_recording_at(const pj_recording *recording, long place)
{
    long count = (long)json_array_size(recording->messages);
    return json_array_get(recording->messages, (size_t)(place < 0 ? count + place : place));
}

void pj_recording_open(pj_recording *recording, const char *id)
{
    json_object_set_new(recording->states, id, json_object());
}
