// The wizard against any front end. The first byte of the input says at which point of its life
// (pj_stage_point), each further line is a message: its kind (k click, s submit, m message with the
// data after a colon, c close), and a widget: its place among those that are open, or "=" and its
// description. Data is JSON with single quotes.
#include "metrics/base/buf.h"
#include "tests/support/wizard_stage.h"

#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_MESSAGES = 30 };

static void send_data(pj_stage *stage, const char *id, pj_str text)
{
    pj_auto_buf data = {0};
    for (size_t i = 0; i < text.len; i++)
        pj_buf_add_char(&data, text.at[i] == '\'' ? '"' : text.at[i]);
    json_t *parsed = json_loadb(data.len ? data.at : "", data.len, JSON_DECODE_ANY, NULL);
    pj_ignore(pj_widgets_take_msg(stage->bench.widgets,
                                  &(pj_comm_message){.id = id, .data = parsed}, NULL));
    json_decref(parsed);
}

/// "=Save" or "27"; another one where there is none of it.
static const pj_widget *widget_of(const pj_stage *stage, pj_str name)
{
    size_t number = 0;
    for (size_t i = 0; i < name.len; i++)
        number = number * 10 + (unsigned char)name.at[i] % 10;
    if (pj_str_starts(name, PJ_S("=")))
        for (const pj_widget *w = NULL; (w = pj_widgets_next(stage->bench.widgets, w));) {
            const json_t *label = pj_widget_get(w, "description", NULL);
            pj_str text = {json_string_value(label), json_string_length(label)};
            if (text.at && pj_str_equal(text, pj_str_from(name, 1)))
                return w;
        }
    return pj_stage_widget(stage, number % pj_widgets_count(stage->bench.widgets));
}

static void play(pj_stage *stage, pj_str line)
{
    if (line.len < 2 || !pj_widgets_count(stage->bench.widgets))
        return;
    char kind = line.at[0];
    pj_str name = pj_str_cut(&line, ':');
    const char *id = pj_widget_id(widget_of(stage, pj_str_from(name, 1)));
    if (kind == 'k')
        pj_stage_send(stage, id, "{'method':'custom','content':{'event':'click'}}");
    else if (kind == 's')
        pj_stage_send(stage, id, "{'method':'custom','content':{'event':'submit'}}");
    else if (kind == 'c')
        pj_widgets_take_close(stage->bench.widgets, &(pj_comm_message){.id = id});
    else
        send_data(stage, id, line);
    fake_host_drain(&stage->fake, false);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    pj_str rest = {(const char *)data, size};
    pj_stage stage;
    if (!size)
        return 0;
    pj_stage_open(&stage, (pj_stage_point)(data[0] % PJ_STAGE_POINTS));
    rest = pj_str_from(rest, 1);
    for (int i = 0; i < MOST_MESSAGES && rest.len; i++)
        play(&stage, pj_str_cut(&rest, '\n'));
    pj_stage_free(&stage);
    return 0;
}
