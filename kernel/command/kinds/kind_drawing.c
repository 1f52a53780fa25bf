// A picture with the table that it was drawn from.
#include "kernel/command/display.h"
#include "kernel/command/export.h"
#include "kernel/command/kind.h"
#include "kernel/command/session.h"
#include "kernel/command/value.h"
#include "kernel/lua/lang_type.h"
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "metrics/table/table.h"
#include "widgets/bundle.h"
#include "widgets/figure/figure.h"
#include "widgets/figure/figure_file.h"
#include "widgets/figure/figure_terminal.h"
#include "widgets/figure/textlines.h"
#include "widgets/table/render.h"

#include <stdlib.h>

static void hold(pj_value *value)
{
    value->drawing->references++;
}

static void release(pj_value *value)
{
    pj_drawing *drawing = value->drawing;
    if (--drawing->references > 0)
        return;
    pj_figure_free(drawing->figure);
    pj_table_release(drawing->data);
    free(drawing);
}

static pj_table *table(const pj_value *value)
{
    return value->drawing->data ? pj_table_hold(value->drawing->data) : NULL;
}

static uint64_t bytes(const pj_value *value)
{
    const pj_figure *figure = value->drawing->figure;
    pj_value data = pj_value_table_take(value->drawing->data);
    return pj_arena_size(figure->arena) + figure->mark_cap * sizeof *figure->marks +
           (data.table ? pj_value_bytes(&data) : 0);
}

static void brief(const pj_value *value, pj_buf *out)
{
    pj_buf_puts(out, value->drawing->figure->title);
}

/// The figure and what touches its numbers.
static void add_drawing(const pj_session *session, const pj_drawing *drawing, pj_buf *out)
{
    pj_terminal_opts opts = pj_display_terminal(session);
    pj_str rest = pj_str_of(drawing->data && drawing->data->note ? drawing->data->note : "");
    pj_figure_terminal(drawing->figure, opts, out);
    while (rest.len) {
        pj_str line = pj_str_cut(&rest, '\n');
        if (pj_str_starts(line, PJ_S("warning: ")) || pj_str_starts(line, PJ_S("loss: ")))
            pj_textlines_wrap(out, "! ", line, (size_t)pj_figure_terminal_columns(opts));
    }
}

static void text(const pj_session *session, const pj_value *value, pj_buf *out)
{
    const pj_drawing *drawing = value->drawing;
    const pj_figure *figure = drawing->figure;
    if (drawing->terminal)
        add_drawing(session, drawing, out);
    else if (drawing->data)
        pj_render_table(&pj_renderer_txt, drawing->data, session->render, out);
    else
        pj_buf_puts(out, figure->summary ? figure->summary : figure->title);
}

/// The picture with its table folded under it; without the drawing module the table alone.
static bool bundle(pj_session *session, const pj_value *value, pj_bundle_opts opts, pj_bundle *out)
{
    pj_err err = {0};
    pj_auto_buf plain = {0}, details = {0};
    pj_render_opts brief_opts = {.max_rows = PJ_BUNDLE_ROWS};
    pj_display_text(session, value, &plain);
    if (value->drawing->data)
        pj_render_table(&pj_renderer_html, value->drawing->data, brief_opts, &details);
    if (pj_bundle_figure(value->drawing->figure, pj_buf_str(&plain), pj_buf_str(&details), opts,
                         out, &err))
        return true;
    if (err.code != PJ_E_STOPPED) // who interrupts knows
        pj_session_complain(session, &err);
    return false;
}

/// Pictures, and the page with one; texts are its table.
static bool writes(pj_str suffix)
{
    bool text = pj_renderer_by_name(suffix) && !pj_str_equal(suffix, PJ_S("html"));
    return pj_str_equal(suffix, PJ_S("dot")) || (!text && pj_export_is_common(suffix));
}

static const char *const suffixes[] = {"dot", NULL}; // of call graphs

static bool write(const pj_value *value, pj_str suffix, atomic_bool *stop, pj_buf *out, pj_err *err)
{
    return pj_figure_file(value->drawing->figure, suffix, stop, out, err);
}

const pj_kind pj_kind_drawing = {
    .name = "picture",
    .hold = hold,
    .release = release,
    .bytes = bytes,
    .brief = brief,
    .table = table,
    .text = text,
    .bundle = bundle,
    .writes = writes,
    .write = write,
    .suffixes = suffixes,
    .lang = &pj_lang_type_drawing,
};
