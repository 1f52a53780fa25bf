// Looks renderers up; the formats are in table_*.c and metrics_*.c.
#include "widgets/render.h"

static const pj_renderer *const renderers[] = {
#define RENDERER(name) &pj_renderer_##name,
#include "widgets/renderers.def"
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
    renderer->table(table, opts, out);
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
