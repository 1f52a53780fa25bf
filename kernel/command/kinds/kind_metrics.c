// The metrics of a set over runs: a table whose efficiencies are coloured.
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
#include "metrics/pop/metrics.h"
#include "metrics/run/study/study.h"
#include "metrics/table/table.h"
#include "widgets/bundle.h"
#include "widgets/figure/draw.h"
#include "widgets/figure/figure.h"
#include "widgets/figure/figure_file.h"
#include "widgets/table/render.h"
#include "widgets/table/table_figure.h"

static void hold(pj_value *value)
{
    pj_metrics_hold(value->metrics);
}

static void release(pj_value *value)
{
    pj_metrics_release(value->metrics);
}

static uint64_t bytes(const pj_value *value)
{
    return pj_arena_size(value->metrics->arena);
}

static void brief(const pj_value *value, pj_buf *out)
{
    pj_buf_addf(out, "%s: %zu runs", value->metrics->title, value->metrics->study->count);
}

static pj_table *table(const pj_value *value)
{
    return pj_metrics_table(value->metrics);
}

static void text(const pj_session *session, const pj_value *value, pj_buf *out)
{
    pj_render_opts opts = session->render;
    opts.palette = value->palette;
    pj_render_metrics(&pj_renderer_txt, value->metrics, opts, out);
}

/// What a report says of the result: its set, and where its numbers come from.
static json_t *origin(const pj_metrics *metrics)
{
    const pj_study *study = metrics->study;
    json_t *traces = json_array();
    for (size_t i = 0; i < study->count; i++)
        json_array_append_new(traces, json_pack("{s:s,s:s,s:s}", "name", study->cases[i].name,
                                                "path", study->cases[i].run->path, "layout",
                                                pj_study_key_text(study, i, PJ_BY_LAYOUT)));
    return json_pack("{s:s,s:o}", "set", metrics->set->key, "traces", traces);
}

static bool bundle(pj_session *session, const pj_value *value, pj_bundle_opts opts, pj_bundle *out)
{
    (void)session;
    *out = pj_bundle_metrics(value->metrics, opts);
    json_object_set_new(out->metadata, PJ_DISPLAY_ORIGIN, origin(value->metrics));
    return true;
}

static bool write(const pj_value *value, pj_str suffix, atomic_bool *stop, pj_buf *out, pj_err *err)
{
    const pj_renderer *renderer = pj_renderer_by_name(suffix);
    if (renderer) {
        pj_render_opts opts = {.page = true, .palette = value->palette};
        pj_render_metrics(renderer, value->metrics, opts, out);
        return true;
    }
    const pj_draw *module = pj_draw_open(err);
    if (!module)
        return false;
    pj_auto_figure figure = pj_table_figure(value->metrics, value->palette, module);
    pj_figure_fit(figure, value->size);
    return pj_figure_file(figure, suffix, stop, out, err);
}

const pj_kind pj_kind_metrics = {
    .name = "metrics",
    .hold = hold,
    .release = release,
    .bytes = bytes,
    .brief = brief,
    .table = table,
    .text = text,
    .bundle = bundle,
    .writes = pj_export_is_common,
    .write = write,
    .lang = &pj_lang_type_metrics,
};
