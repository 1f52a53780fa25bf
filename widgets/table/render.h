// Tables and metrics as text formats: one line of renderers.def and one file per format.
// Ownership: borrow; output is appended to the caller's buffer. Rendering cannot fail.
#ifndef PJ_RENDER_H
#define PJ_RENDER_H

#include "metrics/base/buf.h"
#include "metrics/base/str.h"
#include "metrics/pop/metrics.h"
#include "metrics/table/table.h"
#include "widgets/figure/palette.h"

#include <stdatomic.h>

typedef struct pj_render_opts {
    bool colour;     // txt: ANSI colours
    unsigned width;  // txt: columns of the terminal; 0 = 100
    size_t max_rows; // txt, md, tex, html: rows shown, with a line that names the rest; 0 = all
    bool page;       // html: a whole document instead of a fragment
    bool plain;      // html: no tooltips, no colours of efficiencies: folded under their picture
    bool paper;      // bundles: PDF, SVG and LaTeX too, for documents
    pj_palette palette;
    const atomic_bool
        *stop; // NULL = never; rows end where it is raised, the text is of no use then
} pj_render_opts;

static inline bool pj_render_stopped(pj_render_opts opts)
{
    return opts.stop && atomic_load_explicit(opts.stop, memory_order_relaxed);
}

typedef struct pj_renderer {
    const char *name; // suffix without the point: "csv"
    const char *title;
    const char *mime;
    bool machines; // its readers: see pj_text
    void (*table)(const pj_table *table, pj_render_opts opts, pj_buf *out);
    /// The efficiency table; NULL = `table` of pj_metrics_table.
    void (*metrics)(const pj_metrics *metrics, pj_render_opts opts, pj_buf *out);
} pj_renderer;

/// In the order of renderers.def; NULL past the end.
const pj_renderer *pj_renderer_at(size_t index);
/// NULL when there is none.
const pj_renderer *pj_renderer_by_name(pj_str name);

void pj_render_table(const pj_renderer *renderer, const pj_table *table, pj_render_opts opts,
                     pj_buf *out);
void pj_render_metrics(const pj_renderer *renderer, const pj_metrics *metrics, pj_render_opts opts,
                       pj_buf *out);

#define RENDERER(name) extern const pj_renderer pj_renderer_##name;
#include "widgets/table/renderers.def"
#undef RENDERER

/// Of one run, its absolute figures too: what the efficiency table of one run is followed by.
void pj_render_overview(const pj_renderer *renderer, const pj_metrics *metrics, pj_render_opts opts,
                        pj_buf *out);

// Efficiency tables, used by the renderer of the same format.
void pj_metrics_txt(const pj_metrics *metrics, pj_render_opts opts, pj_buf *out);
void pj_metrics_md(const pj_metrics *metrics, pj_render_opts opts, pj_buf *out);
void pj_metrics_tex(const pj_metrics *metrics, pj_render_opts opts, pj_buf *out);
void pj_metrics_html(const pj_metrics *metrics, pj_render_opts opts, pj_buf *out);

#endif
