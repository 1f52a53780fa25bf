// One place that knows how each kind of value looks.
#include "kernel/command/display.h"

#include "kernel/command/run_view.h"
#include "metrics/base/num.h"
#include "widgets/bundle.h"
#include "widgets/figure/figure_terminal.h"
#include "widgets/figure/textlines.h"

static pj_render_opts render_opts(const pj_session *session, const pj_value *value)
{
    pj_render_opts opts = session->render;
    opts.palette = value->palette;
    return opts;
}

static void add_number(double number, pj_buf *out)
{
    char text[32];
    pj_buf_add(out, (pj_str){text, pj_format_double(number, text)});
}

static void add_list(const pj_session *session, const pj_value *value, pj_buf *out)
{
    for (size_t i = 0; i < value->list->count; i++)
        pj_display_text(session, &value->list->items[i], out);
}

pj_table *pj_display_table(const pj_value *value)
{
    switch (value->kind) {
    case PJ_VALUE_NIL:
    case PJ_VALUE_BOOL:
    case PJ_VALUE_NUMBER:
    case PJ_VALUE_TEXT:
    case PJ_VALUE_WIDGET:
        return NULL;
    case PJ_VALUE_LIST:
        return pj_value_is_runs(value) ? pj_run_view_list(value->list) : NULL;
    case PJ_VALUE_RUN:
        return pj_run_view_facts(value->run);
    case PJ_VALUE_TABLE:
        return pj_table_hold(value->table);
    case PJ_VALUE_METRICS:
        return pj_metrics_table(value->metrics);
    case PJ_VALUE_DRAWING:
        return value->drawing->data ? pj_table_hold(value->drawing->data) : NULL;
    }
    return NULL;
}

static pj_terminal_opts terminal_opts(const pj_session *session)
{
    return (pj_terminal_opts){.columns = session->render.width, .colour = session->render.colour};
}

pj_value pj_display_plot(const pj_session *session, const pj_plot *plot, pj_plot_data data,
                         pj_plot_opts opts, const pj_exports *exports, pj_err *err)
{
    bool shell = !exports->paths.count && !session->lang; // no picture is made
    const pj_draw *draw = shell ? &pj_draw_terminal : pj_draw_open(err);
    if (shell)
        opts.width = pj_figure_terminal_width(terminal_opts(session));
    pj_figure *figure = draw ? plot->make(data, opts, draw, err) : NULL;
    if (!figure)
        return (pj_value){0};
    pj_value value = pj_value_drawing_take(figure, NULL);
    value.drawing->terminal = shell && session->face->draws;
    if (shell)
        pj_figure_terminal_stretch(figure);
    else
        pj_figure_zoom(figure, exports->size);
    return value;
}

/// The figure and what touches its numbers.
static void add_drawing(const pj_session *session, const pj_drawing *drawing, pj_buf *out)
{
    pj_terminal_opts opts = terminal_opts(session);
    pj_str rest = pj_str_of(drawing->data && drawing->data->note ? drawing->data->note : "");
    pj_figure_terminal(drawing->figure, opts, out);
    while (rest.len) {
        pj_str line = pj_str_cut(&rest, '\n');
        if (pj_str_starts(line, PJ_S("warning: ")) || pj_str_starts(line, PJ_S("loss: ")))
            pj_textlines_wrap(out, "! ", line, (size_t)pj_figure_terminal_columns(opts));
    }
}

static void add_table(const pj_session *session, const pj_value *value, pj_buf *out)
{
    pj_auto_table table = pj_display_table(value);
    if (value->kind == PJ_VALUE_DRAWING && value->drawing->terminal)
        add_drawing(session, value->drawing, out);
    else if (table)
        pj_render_table(&pj_renderer_txt, table, session->render, out);
    else if (value->kind == PJ_VALUE_LIST)
        add_list(session, value, out);
    else if (value->kind == PJ_VALUE_DRAWING)
        pj_buf_puts(out, value->drawing->figure->summary ? value->drawing->figure->summary
                                                         : value->drawing->figure->title);
}

void pj_display_text(const pj_session *session, const pj_value *value, pj_buf *out)
{
    switch (value->kind) {
    case PJ_VALUE_NIL:
        pj_buf_puts(out, "nil");
        break;
    case PJ_VALUE_BOOL:
        pj_buf_puts(out, value->flag ? "true" : "false");
        break;
    case PJ_VALUE_NUMBER:
        add_number(value->number, out);
        break;
    case PJ_VALUE_WIDGET:
        pj_buf_puts(out, "widget");
        break;
    case PJ_VALUE_TEXT:
        pj_buf_puts(out, value->text);
        break;
    case PJ_VALUE_METRICS:
        pj_render_metrics(&pj_renderer_txt, value->metrics, render_opts(session, value), out);
        break;
    case PJ_VALUE_LIST:
    case PJ_VALUE_RUN:
    case PJ_VALUE_TABLE:
    case PJ_VALUE_DRAWING:
        add_table(session, value, out);
        break;
    }
    if (out->len && out->at[out->len - 1] != '\n')
        pj_buf_add_char(out, '\n');
}

static pj_bundle plain_bundle(const pj_session *session, const pj_value *value)
{
    pj_auto_buf text = {0};
    pj_display_text(session, value, &text);
    if (text.len && text.at[text.len - 1] == '\n')
        text.len--;
    return (pj_bundle){
        .data = json_pack("{s:o}", "text/plain", json_stringn(text.at ? text.at : "", text.len)),
        .metadata = json_object(),
    };
}

/// The picture with its table folded under it; without the drawing module the table alone.
static pj_bundle drawing_bundle(pj_session *session, const pj_value *value, pj_bundle_opts opts)
{
    pj_bundle bundle = {0};
    pj_err err = {0};
    pj_auto_buf plain = {0}, details = {0};
    pj_render_opts brief = {.max_rows = PJ_BUNDLE_ROWS};
    pj_display_text(session, value, &plain);
    if (value->drawing->data)
        pj_render_table(&pj_renderer_html, value->drawing->data, brief, &details);
    if (pj_bundle_figure(value->drawing->figure, pj_buf_str(&plain), pj_buf_str(&details), opts,
                         &bundle, &err))
        return bundle;
    pj_session_complain(session, &err);
    return value->drawing->data ? pj_bundle_table(value->drawing->data, opts)
                                : plain_bundle(session, value);
}

/// What a report says of the result: its set, and where its numbers come from.
static json_t *origin(const pj_metrics *metrics)
{
    const pj_study *study = metrics->study;
    json_t *traces = json_array();
    for (size_t i = 0; i < study->count; i++)
        json_array_append_new(traces, json_pack("{s:s,s:s,s:s}", "name", study->names[i], "path",
                                                study->runs[i]->path, "layout",
                                                pj_study_key_text(study, i, PJ_BY_LAYOUT)));
    return json_pack("{s:s,s:o}", "set", metrics->set->key, "traces", traces);
}

void pj_display_bundle(pj_session *session, const pj_value *value, json_t **data, json_t **metadata)
{
    pj_bundle_opts opts = {.render = render_opts(session, value), .size = value->size};
    pj_bundle bundle;
    if (value->kind == PJ_VALUE_METRICS) {
        bundle = pj_bundle_metrics(value->metrics, opts);
        json_object_set_new(bundle.metadata, PJ_DISPLAY_ORIGIN, origin(value->metrics));
    } else if (value->kind == PJ_VALUE_DRAWING) {
        bundle = drawing_bundle(session, value, opts);
    } else {
        pj_auto_table table = pj_display_table(value);
        bundle = table ? pj_bundle_table(table, opts) : plain_bundle(session, value);
    }
    *data = bundle.data;
    *metadata = bundle.metadata;
}
