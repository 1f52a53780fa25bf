// Values shown: as their kind has it, else as their table, else as text.
#include "kernel/command/display.h"

#include "kernel/command/kind.h"
#include "kernel/command/session.h"
#include "kernel/command/value.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/table/table.h"
#include "widgets/bundle.h"
#include "widgets/figure/draw.h"
#include "widgets/figure/figure.h"
#include "widgets/figure/figure_terminal.h"
#include "widgets/table/render.h"

#include <math.h>

pj_table *pj_display_table(const pj_value *value)
{
    const pj_kind *kind = pj_kind_of(value);
    return kind->table ? kind->table(value) : NULL;
}

pj_table *pj_display_whole(const pj_value *value, atomic_bool *stop)
{
    const pj_kind *kind = pj_kind_of(value);
    pj_auto_table all = kind->whole ? kind->whole(value, stop) : pj_display_table(value);
    pj_table *known = all ? pj_table_without(all, PJ_TEXT_OF_PEOPLE) : NULL;
    return known || !all ? known : pj_table_hold(all);
}

pj_terminal_opts pj_display_terminal(const pj_session *session)
{
    return (pj_terminal_opts){.columns = session->render.width, .colour = session->render.colour};
}

/// How many times larger than said a figure is.
static double excess(const pj_figure *figure, const pj_plot_opts *opts)
{
    return fmax(opts->width > 0 ? figure->width / opts->width : 1,
                opts->height > 0 ? figure->height / opts->height : 1);
}

/// What does not fit is laid out for a larger sheet of the same shape, to be drawn smaller: it
/// keeps its proportions and uses the whole of its room.
static pj_figure *make_figure(const pj_plot *plot, pj_plot_data data, pj_plot_opts opts,
                              const pj_draw *draw, pj_err *err)
{
    enum { TRIALS = 3 };
    static const double close = 1.02;
    pj_figure *figure = plot->make(data, opts, draw, err);
    double larger = figure ? excess(figure, &opts) : 1;
    opts.width = figure && larger > close && !(opts.width > 0) ? figure->width : opts.width;
    for (int i = 0; i < TRIALS && figure && larger > close; i++) {
        opts.width *= larger;
        opts.height *= larger;
        pj_figure_free(figure);
        figure = plot->make(data, opts, draw, err);
        larger = figure ? excess(figure, &opts) : 1;
    }
    return figure;
}

/// A picture whose text can hardly be read says what would help.
static void say_reduction(pj_session *session, double reduction, double zoom)
{
    static const double legible = 0.6;
    if (reduction < legible)
        pj_session_say(session,
                       "the picture needs more room: all of it is drawn smaller, with text of "
                       "%.1f px; a larger --height or --width keeps it at %.0f px",
                       PJ_FONT_SIZE * zoom * reduction, PJ_FONT_SIZE * zoom);
}

pj_value pj_display_plot(pj_session *session, const pj_plot *plot, pj_plot_data data,
                         pj_plot_opts opts, const pj_exports *exports, pj_err *err)
{
    bool shell = !exports->paths.count && !session->lang; // no picture is made
    const pj_draw *draw = shell ? &pj_draw_terminal : pj_draw_open(err);
    if (shell)
        opts.width = pj_figure_terminal_width(pj_display_terminal(session));
    if (!draw)
        return (pj_value){0};
    pj_figure *figure =
        shell ? plot->make(data, opts, draw, err) : make_figure(plot, data, opts, draw, err);
    if (!figure)
        return (pj_value){0};
    pj_value value = pj_value_drawing_take(figure, NULL);
    value.drawing->terminal = shell && session->face->draws;
    if (shell)
        pj_figure_terminal_stretch(figure);
    else
        say_reduction(session, pj_figure_zoom(figure, exports->size),
                      pj_picture_zoom(exports->size));
    return value;
}

static void add_text(const pj_session *session, const pj_value *value, pj_buf *out)
{
    const pj_kind *kind = pj_kind_of(value);
    if (kind->text) {
        kind->text(session, value, out);
        return;
    }
    pj_auto_table table = pj_display_table(value);
    if (table)
        pj_render_table(&pj_renderer_txt, table, session->render, out);
    else
        pj_buf_puts(out, kind->name);
}

void pj_display_text(const pj_session *session, const pj_value *value, pj_buf *out)
{
    add_text(session, value, out);
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

void pj_display_bundle(pj_session *session, const pj_value *value, const atomic_bool *stop,
                       json_t **data, json_t **metadata)
{
    const pj_kind *kind = pj_kind_of(value);
    pj_bundle_opts opts = {.render = session->render, .size = value->size};
    pj_bundle bundle;
    opts.render.palette = value->palette;
    opts.render.stop = stop;
    if (!kind->bundle || !kind->bundle(session, value, opts, &bundle)) {
        pj_auto_table table = pj_display_table(value);
        bundle = table ? pj_bundle_table(table, opts) : plain_bundle(session, value);
    }
    *data = bundle.data;
    *metadata = bundle.metadata;
}
