// Widgets against any front end. Each line of the input is a message: its kind (o, m, c), whom it
// is for (0 to 9 a widget, p the control comm, else a stranger), its number of buffers (0 to 9),
// then the data as JSON, in which $0 to $9 stand for widgets. Whatever comes, the strict front end
// must find nothing wrong with the answers.
#include "metrics/base/buf.h"
#include "tests/support/widget_bench.h"
#include "widgets/ipy/widget_save.h"

#include <assert.h>
#include <stdint.h>
#include <stdio.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { CAST = 10, MOST_MESSAGES = 40 };

static const char *const models[CAST] = {"IntSlider", "FileUpload", "Image",      "VBox", "Tab",
                                         "Dropdown",  "Link",       "DatePicker", "Text", "Output"};

typedef struct stage {
    pj_bench bench;
    char ids[CAST][40];
} stage;

static void echo_back(void *context, const pj_widget_event *event)
{
    (void)context;
    json_t *now = json_object();
    json_object_set_new(now, "description", json_string("seen"));
    if (event->kind == PJ_WIDGET_CHANGE)
        pj_ignore(
            pj_widget_set(event->widget, now, NULL)); // another change from within, where it fits
    else if (event->kind == PJ_WIDGET_MESSAGE)
        pj_widget_close(event->widget);
    json_decref(now);
}

static void raise_curtain(stage *s, pj_dialect dialect)
{
    s->bench = pj_bench_new(dialect, true);
    for (size_t i = 0; i < CAST; i++) {
        pj_widget *widget = pj_bench_make(&s->bench, models[i], NULL);
        snprintf(s->ids[i], sizeof s->ids[i], "%s", pj_widget_id(widget));
        for (int kind = PJ_WIDGET_CHANGE; kind <= PJ_WIDGET_CLOSE; kind++)
            pj_ignore(pj_widget_observe(
                widget, (pj_widget_watch){.kind = (pj_widget_event_kind)kind, .call = echo_back},
                NULL));
    }
    pj_widget *slider = pj_widgets_find(s->bench.widgets, s->ids[0]);
    pj_widget *text = pj_widgets_find(s->bench.widgets, s->ids[8]);
    pj_ignore(pj_widget_link((pj_widget_end){slider, "description"}, (pj_widget_end){text, "value"},
                             true, NULL));
    pj_ignore(pj_widgets_take_open(
        s->bench.widgets, &(pj_comm_message){.id = "page", .target = PJ_WIDGET_CONTROL_TARGET},
        NULL));
    pj_front_open(s->bench.front, "page");
}

static json_t *parse(const stage *s, pj_str text)
{
    pj_auto_buf filled = {0};
    for (size_t i = 0; i < text.len; i++) {
        bool name =
            text.at[i] == '$' && i + 1 < text.len && text.at[i + 1] >= '0' && text.at[i + 1] <= '9';
        if (name)
            pj_buf_addf(&filled, "IPY_MODEL_%s", s->ids[text.at[++i] - '0']);
        else
            pj_buf_add_char(&filled, text.at[i]);
    }
    return json_loadb(filled.at ? filled.at : "", filled.len, JSON_DECODE_ANY, NULL);
}

static void play(stage *s, pj_str line)
{
    if (line.len < 3)
        return;
    static const pj_str buffers[9] = {{"\0\xff", 2}, {"", 0}, {"x", 1}};
    char whom = line.at[1];
    size_t count = (size_t)(line.at[2] - '0');
    json_t *data = parse(s, pj_str_from(line, 3));
    pj_comm_message message = {
        .id = whom >= '0' && whom <= '9' ? s->ids[whom - '0'] : (whom == 'p' ? "page" : "stranger"),
        .target = whom == 'q' ? PJ_WIDGET_CONTROL_TARGET : PJ_WIDGET_TARGET,
        .data = data,
        .buffers = buffers,
        .buffer_count = count <= 9 ? count : 0,
    };
    pj_widgets *widgets = s->bench.widgets;
    bool strange = !json_object_get(s->bench.front->states, message.id);
    if (line.at[0] == 'o') {
        if (strange)
            pj_front_open(s->bench.front, message.id);
        if (!pj_widgets_take_open(widgets, &message, NULL))
            json_object_del(s->bench.front->states, message.id);
    } else if (line.at[0] == 'm') {
        pj_ignore(pj_widgets_take_msg(widgets, &message, NULL));
    } else if (line.at[0] == 'c') {
        json_object_del(s->bench.front->states, message.id);
        pj_widgets_take_close(widgets, &message);
    }
    json_decref(data);
}

/// A page that names, in any text, what it has closed itself gets that back.
static bool is_own_fault(const char *mistake)
{
    static const char start[] = "mentioned before it was open";
    return strncmp(mistake, start, strlen(start)) == 0;
}

static void draw_curtain(stage *s)
{
    size_t i;
    json_t *mistake;
    json_decref(pj_widgets_saved(s->bench.widgets));
    json_array_foreach(s->bench.front->mistakes, i, mistake)
    {
        assert(is_own_fault(json_string_value(mistake)));
    }
    pj_bench_free(&s->bench);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    pj_str rest = {(const char *)data, size};
    stage s;
    raise_curtain(&s, size % 2 ? PJ_WIDGETS_7 : PJ_WIDGETS_8);
    for (int i = 0; i < MOST_MESSAGES && rest.len; i++)
        play(&s, pj_str_cut(&rest, '\n'));
    draw_curtain(&s);
    return 0;
}
