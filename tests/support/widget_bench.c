// Text in, text out, so that a test reads like the exchange it checks.
#include "tests/support/widget_bench.h"

#include "metrics/base/buf.h"

#include <stdlib.h>

pj_bench pj_bench_new(pj_dialect dialect, bool echo)
{
    pj_bench bench = {.arena = pj_arena_new(NULL)};
    bench.front = pj_take_memory(sizeof *bench.front);
    *bench.front = pj_front_new();
    bench.widgets = pj_widgets_new((pj_widgets_opts){
        .channel = pj_front_channel(bench.front), .dialect = dialect, .echo = echo});
    return bench;
}

void pj_bench_free(pj_bench *bench)
{
    pj_widgets_free(bench->widgets);
    pj_front_free(bench->front);
    free(bench->front);
    pj_arena_free(bench->arena);
}

static void swap_quotes(char *text, char from, char to)
{
    for (; *text; text++)
        if (*text == from)
            *text = to;
}

json_t *pj_bench_json(const char *text)
{
    pj_auto_buf copy = {0};
    pj_buf_puts(&copy, text);
    swap_quotes(copy.at, '\'', '"');
    return json_loads(copy.at, JSON_DECODE_ANY, NULL);
}

/// A copy in which bytes that are no text are named by their number.
static json_t *shown(const json_t *value)
{
    size_t i;
    const char *key;
    json_t *item, *copy;
    switch (json_typeof(value)) {
    case JSON_STRING:
        copy = json_stringn(json_string_value(value), json_string_length(value));
        return copy ? copy : json_sprintf("<%zu bytes>", json_string_length(value));
    case JSON_ARRAY:
        copy = json_array();
        json_array_foreach(value, i, item)
        {
            json_array_append_new(copy, shown(item));
        }
        return copy;
    case JSON_OBJECT:
        copy = json_object();
        json_object_foreach((json_t *)value, key, item)
        {
            json_object_set_new(copy, key, shown(item));
        }
        return copy;
    case JSON_INTEGER:
    case JSON_REAL:
    case JSON_TRUE:
    case JSON_FALSE:
    case JSON_NULL:
        break;
    }
    return json_deep_copy(value);
}

const char *pj_bench_text(pj_bench *bench, const json_t *value)
{
    if (!value)
        return "(none)";
    json_t *copy = shown(value);
    char *text =
        json_dumps(copy, JSON_SORT_KEYS | JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(12));
    json_decref(copy);
    swap_quotes(text, '"', '\'');
    const char *kept = pj_arena_text(bench->arena, pj_str_of(text));
    free(text);
    return kept;
}

pj_widget *pj_bench_make(pj_bench *bench, const char *model, const char *traits)
{
    bench->err = (pj_err){0};
    json_t *given = traits ? pj_bench_json(traits) : NULL;
    pj_widget *widget = pj_widget_new(bench->widgets, model, given, &bench->err);
    json_decref(given);
    return widget;
}

bool pj_bench_set(pj_bench *bench, pj_widget *widget, const char *traits)
{
    bench->err = (pj_err){0};
    json_t *given = pj_bench_json(traits);
    bool good = pj_widget_set(widget, given, &bench->err);
    json_decref(given);
    return good;
}

const char *pj_bench_get(pj_bench *bench, const pj_widget *widget, const char *key)
{
    bench->err = (pj_err){0};
    return pj_bench_text(bench, pj_widget_get(widget, key, &bench->err));
}

const char *pj_bench_children(pj_bench *bench, const char *key, pj_widget *a, pj_widget *b,
                              pj_widget *c)
{
    pj_widget *const all[] = {a, b, c};
    json_t *list = json_array();
    for (size_t i = 0; i < 3; i++)
        if (all[i])
            json_array_append_new(list, pj_widget_reference(all[i]));
    json_t *traits = json_pack("{s:o}", key, list);
    const char *text = pj_bench_text(bench, traits);
    json_decref(traits);
    return text;
}

bool pj_bench_msg_with(pj_bench *bench, const char *id, const char *data, const pj_str *buffers,
                       size_t count)
{
    bench->err = (pj_err){0};
    json_t *parsed = pj_bench_json(data);
    pj_comm_message message = {.id = id, .data = parsed, .buffers = buffers, .buffer_count = count};
    bool good = pj_widgets_take_msg(bench->widgets, &message, &bench->err);
    json_decref(parsed);
    return good;
}

bool pj_bench_msg(pj_bench *bench, const pj_widget *widget, const char *data)
{
    return pj_bench_msg_with(bench, pj_widget_id(widget), data, NULL, 0);
}

static bool is_decoration(json_t *message)
{
    const char *view = json_string_value(json_object_get(message, "view"));
    return view && (strcmp(view, "LayoutView") == 0 || strcmp(view, "StyleView") == 0);
}

static void describe(pj_bench *bench, json_t *message, pj_buf *out)
{
    const char *kind = json_string_value(json_object_get(message, "kind"));
    json_t *data = json_object_get(message, "data"), *state = json_object_get(data, "state");
    if (is_decoration(message))
        return;
    if (strcmp(kind, "open") == 0) {
        const char *model = json_string_value(json_object_get(state, "_model_name"));
        pj_buf_addf(out, "open %s\n", model);
    } else if (strcmp(kind, "close") == 0) {
        pj_buf_puts(out, "close\n");
    } else {
        const char *method = json_string_value(json_object_get(data, "method"));
        bool custom = strcmp(method, "custom") == 0;
        pj_buf_addf(out, "%s %s", method,
                    pj_bench_text(bench, custom ? json_object_get(data, "content") : state));
        json_t *paths = json_object_get(data, "buffer_paths");
        if (json_array_size(paths))
            pj_buf_addf(out, " %s", pj_bench_text(bench, paths));
        pj_buf_puts(out, "\n");
    }
}

const char *pj_bench_sent(pj_bench *bench)
{
    pj_auto_buf out = {0};
    pj_buf_puts(&out, "");
    for (size_t i = 0; i < pj_front_count(bench->front); i++)
        describe(bench, pj_front_at(bench->front, (long)i), &out);
    pj_front_clear(bench->front);
    return pj_arena_text(bench->arena, pj_buf_str(&out));
}

const char *pj_bench_mistakes(pj_bench *bench)
{
    return pj_bench_text(bench, bench->front->mistakes);
}
