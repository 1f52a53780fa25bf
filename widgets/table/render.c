// Looks renderers up; the formats are in table_*.c and metrics_*.c.
#include "widgets/table/render.h"

#include "metrics/base/str.h"
#include "metrics/run/overview.h"

static const pj_renderer *const renderers[] = {
#define RENDERER(name) &pj_renderer_##name,
#include "widgets/table/renderers.def"
#undef RENDERER
};

const pj_renderer *pj_renderer_at(size_t index)
{
    return index < sizeof renderers / sizeof *renderers ? renderers[index] : NULL;
}

const pj_renderer *pj_renderer_by_name(pj_str name)
{
    for (size_t i = 0; pj_renderer_at(i); i++)
        if (pj_str_equal(name, pj_str_of(pj_renderer_at(i)->name)))
            return pj_renderer_at(i);
    return NULL;
}

void pj_render_table(const pj_renderer *renderer, const pj_table *table, pj_render_opts opts,
                     pj_buf *out)
{
    pj_auto_table shown =
        pj_table_without(table, renderer->machines ? PJ_TEXT_OF_PEOPLE : PJ_TEXT_OF_MACHINES);
    renderer->table(shown ? shown : table, opts, out);
}

void pj_render_metrics(const pj_renderer *renderer, const pj_metrics *metrics, pj_render_opts opts,
                       pj_buf *out)
{
    if (renderer->metrics) {
        renderer->metrics(metrics, opts, out);
        return;
    }
    pj_auto_table table = pj_metrics_table(metrics);
    renderer->table(table, opts, out);
}

void pj_render_overview(const pj_renderer *renderer, const pj_metrics *metrics, pj_render_opts opts,
                        pj_buf *out)
{
    if (metrics->study->count != 1)
        return;
    pj_auto_table table = pj_overview_table(metrics->study->cases[0].run);
    opts.page = false;
    pj_render_table(renderer, table, opts, out);
}
