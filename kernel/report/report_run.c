// Running the cells of a notebook.
// A face that keeps what cells put out as nbformat has it.
#include "kernel/report/report_run.h"

#include "kernel/command/face.h"
#include "kernel/command/session.h"
#include "kernel/lua/lang.h"
#include "kernel/report/notebook_parameters.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"

typedef struct desk {
    json_t *outputs; // of the running cell, borrowed
} desk;

static const char *stream_name(pj_stream stream)
{
    return stream == PJ_STDERR ? "stderr" : "stdout";
}

/// Text joins what the same stream printed last.
static void write_stream(void *self, pj_stream stream, pj_str text)
{
    const desk *d = self;
    json_t *last = json_array_get(d->outputs, json_array_size(d->outputs) - 1);
    const char *name = json_string_value(json_object_get(last, "name"));
    if (name && strcmp(name, stream_name(stream)) == 0) {
        pj_auto_buf all = {0};
        pj_buf_puts(&all, json_string_value(json_object_get(last, "text")));
        pj_buf_add(&all, text);
        json_object_set_new(last, "text", json_stringn(all.at, all.len));
        return;
    }
    json_array_append_new(d->outputs,
                          json_pack("{s:s,s:s,s:o}", "output_type", "stream", "name",
                                    stream_name(stream), "text", json_stringn(text.at, text.len)));
}

static void add_data(const desk *d, json_t *data, json_t *metadata)
{
    json_array_append_new(d->outputs,
                          json_pack("{s:s,s:O,s:o}", "output_type", "display_data", "data", data,
                                    "metadata", metadata ? json_incref(metadata) : json_object()));
}

/// What is shown to be replaced (progress) is no part of a document.
static void show(void *self, const pj_display *shown)
{
    if (!shown->id)
        add_data(self, shown->data, shown->metadata);
}

static void clear(void *self, bool wait)
{
    (void)wait;
    json_array_clear(((desk *)self)->outputs);
}

static bool fail_cell(const json_t *error, pj_err *err)
{
    pj_auto_buf text = {0};
    size_t i;
    json_t *line;
    json_array_foreach(json_object_get(error, "traceback"), i, line)
        pj_buf_addf(&text, "%s%s", i ? "\n" : "", json_string_value(line));
    return pj_fail(err, PJ_E_SCRIPT, NULL, 0, "report: %s", text.at ? text.at : "a cell failed");
}

static bool run_cell(pj_lang *lang, desk *d, json_t *cell, int count, pj_err *err)
{
    pj_auto_buf source = {0};
    pj_notebook_source(cell, &source);
    pj_str code = pj_buf_str(&source);
    char name[32];
    snprintf(name, sizeof name, "cell %d", count);
    d->outputs = json_array();
    pj_outcome outcome =
        pj_lang_run(lang, code, (pj_cell_opts){.name = name, .execution_count = count});
    if (outcome.data)
        add_data(d, outcome.data, outcome.metadata);
    json_object_set_new(cell, "outputs", d->outputs);
    json_object_set_new(cell, "execution_count", json_integer(count));
    bool ok = outcome.ok || (outcome.stopped ? pj_fail(err, PJ_E_STOPPED, NULL, 0, "interrupted")
                                             : fail_cell(outcome.error, err));
    pj_outcome_clear(&outcome);
    return ok;
}

bool pj_report_run(pj_report *report, json_t *notebook, pj_err *err)
{
    desk d = {.outputs = NULL};
    pj_face face = pj_face_silent;
    face.self = &d;
    face.write = write_stream;
    face.display = show;
    face.clear = clear;
    face.rich = true;
    pj_lang *lang = pj_lang_new(&face, report->session->stop);
    pj_session *session = pj_lang_session(lang);
    session->summaries = report->summaries ? report->summaries : report->session->summaries;
    session->render.paper |= report->format != PJ_REPORT_ipynb;
    size_t i;
    json_t *cell;
    int count = 0;
    bool ok = true;
    json_array_foreach(json_object_get(notebook, "cells"), i, cell)
    {
        const char *type = json_string_value(json_object_get(cell, "cell_type"));
        if (ok && type && strcmp(type, "code") == 0)
            ok = run_cell(lang, &d, cell, ++count, err);
    }
    pj_lang_free(lang);
    return ok;
}
