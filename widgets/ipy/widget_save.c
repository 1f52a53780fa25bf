// Widgets in saved notebooks.
// Formats: application/vnd.jupyter.widget-view+json and widget-state+json, both version 2.0
// (packages/schema/v2 of ipywidgets).
#include "widgets/ipy/widget_save.h"

#include "metrics/base/base64.h"
#include "metrics/base/buf.h"
#include "metrics/base/str.h"
#include "widgets/ipy/traits.h"
#include "widgets/ipy/widget_pack.h"
#include "widgets/ipy/widget_record.h"

static json_t *base64(pj_str bytes)
{
    pj_auto_buf out = {0};
    pj_base64_add(&out, bytes);
    return json_stringn(out.len ? out.at : "", out.len);
}

static json_t *entry(const pj_widget *widget)
{
    pj_auto_pack pack = pj_widget_pack_new(widget->home->opts.dialect);
    pj_widget_pack_state(widget, &pack, false);
    json_t *model = pj_widget_model_entry(widget, pack.state);
    json_t *buffers = json_array();
    for (size_t i = 0; i < pack.buffer_count; i++)
        json_array_append_new(buffers,
                              json_pack("{s:O, s:o, s:s}", "path", json_array_get(pack.paths, i),
                                        "data", base64(pack.buffers[i]), "encoding", "base64"));
    if (pack.buffer_count)
        json_object_set(model, "buffers", buffers);
    json_decref(buffers);
    return model;
}

json_t *pj_widgets_saved(const pj_widgets *widgets)
{
    json_t *state = json_object();
    for (pj_widget *widget = widgets->first; widget; widget = widget->after)
        json_object_set_new(state, widget->id, entry(widget));
    return json_pack("{s:{s:i, s:i, s:o}}", "application/vnd.jupyter.widget-state+json",
                     "version_major", 2, "version_minor", 0, "state", state);
}

static json_t *sentence(const pj_widget *widget)
{
    const char *text = json_string_value(pj_widget_get(widget, "description", NULL));
    bool named = text && text[0];
    pj_str title = pj_model_title(widget->model);
    return json_sprintf(PJ_STR_FMT "%s%s%s: to use it, run the cell again in JupyterLab 4 or "
                                   "Notebook 7 with ipywidgets %d (pip install ipywidgets).",
                        PJ_STR_ARG(title), named ? " \"" : "", named ? text : "", named ? "\"" : "",
                        widget->home->opts.dialect == PJ_WIDGETS_7 ? 7 : 8);
}

json_t *pj_widget_view(const pj_widget *widget, const char *plain)
{
    return json_pack("{s:{s:i, s:i, s:s}, s:o}", "application/vnd.jupyter.widget-view+json",
                     "version_major", 2, "version_minor", 0, "model_id", widget->id, "text/plain",
                     plain ? json_string(plain) : sentence(widget));
}
