// The tree and the findings stand side by side where there is room.
#include "widgets/wizard/wizard_glance.h"

#include "metrics/analyse/faults/faults.h"
#include "metrics/base/arena.h"
#include "metrics/base/err.h"
#include "metrics/base/job.h"
#include "metrics/base/str.h"
#include "metrics/pop/metrics.h"
#include "metrics/pop/metricset.h"
#include "metrics/run/ai_account.h"
#include "metrics/run/study/study.h"
#include "metrics/table/table.h"
#include "widgets/figure/escape.h"
#include "widgets/figure/figure.h"
#include "widgets/figure/html_page.h"
#include "widgets/table/metrics_grid.h"
#include "widgets/table/render.h"

#include <string.h>

#define SHADED "pj-glance-cell"

static void add_efficiency(const pj_grid *grid, size_t row, pj_palette palette, pj_buf *out)
{
    const pj_grid_row *r = &grid->rows[row];
    const pj_grid_cell *cell = pj_grid_at(grid, row, 0);
    pj_buf_addf(out, "<tr><th style=\"text-align:left;font-weight:400;padding:3px 12px 3px %upx\"",
                18 * r->depth);
    pj_html_tooltip(out, pj_str_of(r->explanation));
    pj_buf_addf(out, ">%s</th><td style=\"padding:3px 8px;text-align:center", r->title);
    bool coloured = pj_grid_coloured(grid, row, 0);
    if (coloured) {
        pj_colour fill = pj_grid_fill(grid, row, 0, palette);
        pj_buf_addf(out, ";background:#%06x;color:#%06x\" class=\"" SHADED, fill >> 8,
                    pj_palette_ink(fill) >> 8);
    }
    pj_buf_addf(out, "\"");
    pj_html_tooltip(out, pj_str_of(cell->exact));
    pj_buf_addf(out, ">%s</td></tr>\n", cell->text);
}

/// The half that is about devices: what the host does is estimated.
static void add_tree(pj_run *run, pj_palette palette, pj_buf *out)
{
    static const char *const keys[] = {
        "device_parallel_efficiency",      "device_load_balance",
        "device_communication_efficiency", "device_serialisation_efficiency",
        "device_transfer_efficiency",      "device_orchestration_efficiency"};
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_auto_study study = pj_study_new(&run, 1, (pj_study_opts){0}, NULL);
    pj_auto_metrics metrics = study ? pj_metrics_new(pj_metric_set_by_key(PJ_S("gpu")), study,
                                                     (pj_metrics_opts){.bare = true}, NULL)
                                    : NULL;
    const pj_grid *grid = metrics ? pj_grid_new(metrics, arena) : NULL;
    pj_buf_puts(out, "<style>" PJ_DARK_RULES("." SHADED) "</style><div>");
    pj_html_title(out, PJ_S("Efficiency of devices"));
    pj_buf_puts(out, "<table style=\"border-collapse:separate;border-spacing:2px;margin:0\">\n");
    for (size_t row = 0; grid && row < grid->row_count; row++)
        for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
            if (!grid->rows[row].residual && (ptrdiff_t)grid->rows[row].metric ==
                                                 pj_metric_row(metrics->set, pj_str_of(keys[k])))
                add_efficiency(grid, row, palette, out);
    pj_buf_puts(out, "</table></div>\n");
}

static void add_finding(const char *sentence, pj_buf *out)
{
    pj_str text = pj_str_of(sentence);
    size_t colon = pj_str_find(text, ':');
    pj_buf_puts(out, "<li style=\"padding:2px 0\"><b>");
    pj_escape_html(out, pj_str_head(text, colon));
    pj_buf_puts(out, "</b>");
    pj_escape_html(out, pj_str_from(text, colon));
    pj_buf_puts(out, "</li>\n");
}

static void add_findings(pj_run *run, pj_buf *out)
{
    enum { MOST = 3 };
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_job job = {.workers = 1};
    pj_faults faults;
    pj_buf_puts(out, "<div style=\"max-width:28em\">");
    pj_html_title(out, PJ_S("What costs most"));
    bool found = pj_faults_find(&run, 1, &job, arena, &faults, NULL) && faults.count;
    pj_buf_puts(out, "<ol style=\"margin:0;padding-left:1.6em\">\n");
    for (size_t i = 0; found && i < faults.count && i < MOST; i++)
        add_finding(pj_fault_sentence(&faults, &faults.items[i], arena), out);
    pj_buf_puts(out, "</ol>");
    if (!found)
        pj_buf_puts(out, "Nothing costs a hundredth of the run.");
    pj_html_note(out, "", PJ_S("Shares are of the time of all devices."));
    pj_buf_puts(out, "</div>\n");
}

void pj_wizard_glance(pj_run *run, pj_palette palette, pj_buf *out)
{
    enum { MOST_ROWS = 16 };
    pj_buf_puts(out, "<div style=\"" PJ_HTML_FONT
                     ";line-height:1.4;font-size:13px;display:flex;flex-wrap:wrap;gap:4px 40px\">");
    add_tree(run, palette, out);
    add_findings(run, out);
    pj_buf_puts(out, "</div>\n");
    if (!run->ai->step_count)
        return;
    pj_auto_table steps = pj_ai_iterations_table(run);
    // Its width is no reason to widen what stands above.
    pj_buf_puts(out, "<div style=\"overflow-x:auto;contain:inline-size;line-height:1.4;"
                     "margin-top:10px\">");
    pj_render_table(&pj_renderer_html, steps, (pj_render_opts){.max_rows = MOST_ROWS}, out);
    pj_buf_puts(out, "</div>");
}
