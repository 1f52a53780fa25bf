// Values as MIME bundles: text/plain, text/html whose hover needs no script and whose picture is
// vector, image/png with its sizes for what shows no HTML, unless the text says the same. For
// documents (opts.render.paper) that is at 2x, beside image/svg+xml with application/pdf, and
// text/latex of tables. Ownership: new JSON references, the caller's.
#ifndef PJ_BUNDLE_H
#define PJ_BUNDLE_H

#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "metrics/pop/metrics.h"
#include "metrics/table/table.h"
#include "widgets/figure/draw.h"
#include "widgets/figure/figure.h"
#include "widgets/table/render.h"

#include <jansson.h>

enum { PJ_BUNDLE_MOST_BYTES = 1000000, PJ_BUNDLE_ROWS = 100 };

typedef struct pj_bundle {
    json_t *data;     // MIME type -> text; binary ones as base64
    json_t *metadata; // MIME type -> {"width", "height"}
} pj_bundle;

void pj_bundle_clear(pj_bundle *bundle);
#define pj_auto_bundle __attribute__((cleanup(pj_bundle_clear))) pj_bundle

typedef struct pj_bundle_opts {
    const char *id; // unique in the page: HTML ids; NULL = made from the time
    pj_render_opts render;
    pj_picture_size size; // of the picture of metrics
    bool told;            // text/plain says all that the picture does: a notebook keeps no PNG
} pj_bundle_opts;

/// `plain` is the text/plain part, `details` an HTML fragment folded under the picture (may be
/// empty). Fails with PJ_E_MISSING without the drawing module.
PJ_CHECKED bool pj_bundle_figure(const pj_figure *figure, pj_str plain, pj_str details,
                                 pj_bundle_opts opts, pj_bundle *out, pj_err *err);
/// Text and HTML (on paper LaTeX); the first PJ_BUNDLE_ROWS rows unless opts.render.max_rows says
/// otherwise.
pj_bundle pj_bundle_table(const pj_table *table, pj_bundle_opts opts);
/// The efficiency table: picture, numbers, LaTeX. Without the drawing module: as a table.
pj_bundle pj_bundle_metrics(const pj_metrics *metrics, pj_bundle_opts opts);

#endif
