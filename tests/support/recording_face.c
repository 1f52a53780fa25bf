// Recording face.
#include "tests/support/recording_face.h"

static void write_text(void *self, pj_stream stream, pj_str text)
{
    pj_recording *r = self;
    pj_buf_add(stream == PJ_STDERR ? &r->err : &r->out, text);
}

static void display(void *self, const pj_display *shown)
{
    pj_recording *r = self;
    json_array_append_new(r->displays, json_pack("{s:O, s:s?, s:b}", "data", shown->data, "id",
                                                 shown->id, "update", shown->update));
}

static void clear(void *self, bool wait)
{
    (void)wait;
    ((pj_recording *)self)->clears++;
}

static bool input(void *self, const char *prompt, bool password, pj_buf *out, pj_err *err)
{
    (void)prompt, (void)password;
    pj_recording *r = self;
    if (!r->answers)
        return pj_fail(err, PJ_E_MISSING, NULL, 0, "nobody is there to answer");
    pj_str rest = pj_str_of(r->answers);
    if (!rest.len)
        return pj_fail(err, PJ_E_IO, NULL, 0, "end of input");
    pj_buf_add(out, pj_str_cut(&rest, '\n'));
    r->answers = rest.len ? rest.at : "";
    return true;
}

static void payload(void *self, json_t *content)
{
    json_array_append(((pj_recording *)self)->payloads, content);
}

void pj_recording_open(pj_recording *recording)
{
    *recording = (pj_recording){
        .face = {.self = recording,
                 .write = write_text,
                 .display = display,
                 .clear = clear,
                 .input = input,
                 .payload = payload},
        .displays = json_array(),
        .payloads = json_array(),
    };
}

void pj_recording_reset(pj_recording *recording)
{
    recording->out.len = recording->err.len = 0;
    recording->clears = 0;
    json_array_clear(recording->displays);
    json_array_clear(recording->payloads);
}

void pj_recording_close(pj_recording *recording)
{
    pj_buf_free(&recording->out);
    pj_buf_free(&recording->err);
    json_decref(recording->displays);
    json_decref(recording->payloads);
}
