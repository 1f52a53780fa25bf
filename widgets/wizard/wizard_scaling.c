// Third page: any metric over the scale of the runs, drawn at the wanted size and saved.
#include "widgets/wizard/wizard_record.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "metrics/pop/metrics.h"
#include "metrics/pop/metricset.h"
#include "metrics/run/study/study.h"
#include "metrics/table/table.h"
#include "widgets/figure/draw.h"
#include "widgets/figure/figure.h"
#include "widgets/plot/plot.h"
#include "widgets/wizard/wizard.h"
#include "widgets/wizard/wizard_pieces.h"

typedef struct scaling_page {
    pj_piece metric, x, by, axes, width, height, plot;
    pj_wizard_saver saver;
    const pj_metric_set *listed; // whose metrics the list shows
} scaling_page;

/// Automatic: logarithmic where the runs span a factor of 8.
enum { AUTOMATIC, LINEAR, LOGARITHMIC, AXES };
static const char *const axes_names[] = {"automatic", "linear", "logarithmic", NULL};
static const char *const axes_code[] = {
    [AUTOMATIC] = "", [LINEAR] = "linear = true, ", [LOGARITHMIC] = "log_x = true, log_y = true, "};

static scaling_page *page_of(const pj_wizard *wizard)
{
    return wizard->pages[PJ_STEP_scaling];
}

static const char *metric_key(const pj_wizard *wizard)
{
    int index = pj_piece_index(&wizard->parts, page_of(wizard)->metric);
    const pj_metric_set *set = wizard->metrics->set;
    return index >= 0 && (size_t)index < set->count ? set->rows[index].key : "speedup";
}

static const char *key_at(const pj_wizard *wizard, pj_piece part)
{
    pj_key key = pj_wizard_key(wizard, part);
    return key == PJ_BY_NONE ? NULL : pj_key_name(key);
}

static pj_figure *make(pj_wizard *wizard, pj_table **table, pj_err *err)
{
    const scaling_page *page = page_of(wizard);
    const pj_pieces *parts = &wizard->parts;
    size_t axes = pj_piece_pick(parts, page->axes, AXES);
    pj_plot_opts opts = {
        .x = key_at(wizard, page->x),
        .y = {metric_key(wizard)},
        .by = key_at(wizard, page->by),
        .linear = axes == LINEAR,
        .log_x = axes == LOGARITHMIC,
        .log_y = axes == LOGARITHMIC,
        .width = (double)pj_piece_value(parts, page->width),
        .height = (double)pj_piece_value(parts, page->height),
        .palette = wizard->palette,
    };
    if (table)
        *table = pj_metrics_table(wizard->metrics);
    const pj_draw *draw = pj_draw_open(err);
    return draw ? pj_plot_scaling.make((pj_plot_data){.metrics = wizard->metrics}, opts, draw, err)
                : NULL;
}

static void draw(pj_wizard *wizard)
{
    pj_err err = {.code = PJ_E_NONE};
    pj_auto_figure figure = make(wizard, NULL, &err);
    pj_wizard_draw(wizard, page_of(wizard)->plot, figure, &err);
}

static void on_control(void *context)
{
    const pj_wizard *wizard = context;
    if (wizard->metrics)
        draw(context);
}

static void on_save(void *context)
{
    pj_wizard_saver_save(context, &page_of(context)->saver);
}

static pj_piece key_choice(pj_wizard *wizard, const char *label, const char *none)
{
    static const char *const empty[] = {NULL};
    json_t *keys = json_pack("[s]", none);
    const char *title;
    for (int i = PJ_BY_NONE + 1; i < PJ_BY_COUNT && (title = pj_key_title((pj_key)i)); i++)
        json_array_append_new(keys, json_string(title));
    pj_piece part = pj_piece_choice(&wizard->parts, label, empty);
    pj_piece_options(&wizard->parts, part, keys, 0);
    pj_piece_on(&wizard->parts, part, "index", on_control);
    return part;
}

static pj_piece size_slider(pj_wizard *wizard, const char *label, int value, int max)
{
    pj_piece part = pj_piece_number(
        &wizard->parts, "IntSlider", label,
        json_pack("{s:i, s:i, s:i, s:i}", "max", max, "min", 200, "value", value, "step", 20));
    pj_piece_on(&wizard->parts, part, "value", on_control);
    return part;
}

static pj_piece build(pj_wizard *wizard)
{
    static const char *const none[] = {NULL};
    pj_pieces *parts = &wizard->parts;
    scaling_page *page = pj_new(wizard->arena, scaling_page);
    wizard->pages[PJ_STEP_scaling] = page;
    page->metric = pj_piece_choice(parts, "Metric", none);
    pj_piece_on(parts, page->metric, "index", on_control);
    page->x = key_choice(wizard, "Over", "what fits the runs");
    page->by = key_choice(wizard, "Lines by", "what fits the runs");
    page->axes = pj_piece_choice(parts, "Axes", axes_names);
    pj_piece_on(parts, page->axes, "index", on_control);
    page->width = size_slider(wizard, "Width px", 640, 1600);
    page->height = size_slider(wizard, "Height px", 400, 1200);
    pj_wizard_keep(wizard, "scaling_width", page->width, NULL);
    pj_wizard_keep(wizard, "scaling_height", page->height, NULL);
    pj_wizard_keep(wizard, "scaling_x", page->x, "index");
    page->plot = pj_piece_output(parts);
    page->saver.make = make;
    pj_wizard_saver_build(wizard, &page->saver, "scaling", on_save);
    return PJ_PIECE_COLUMN(parts, PJ_PIECE_ROW(parts, page->metric, page->x, page->by),
                           PJ_PIECE_ROW(parts, page->axes, page->width, page->height), page->plot,
                           page->saver.box);
}

static bool useful(const pj_wizard *wizard)
{
    return wizard->metrics && wizard->study->count > 1;
}

/// Another set has other metrics: the one chosen stays when it is among them.
static void list_metrics(pj_wizard *wizard)
{
    scaling_page *page = page_of(wizard);
    const pj_metric_set *set = wizard->metrics->set;
    const char *wanted = "speedup";
    if (page->listed)
        wanted =
            page->listed->rows[pj_piece_pick(&wizard->parts, page->metric, page->listed->count)]
                .key;
    int index = pj_metric_row(set, pj_str_of(wanted));
    json_t *titles = json_array();
    for (size_t i = 0; i < set->count; i++)
        json_array_append_new(titles, json_string(set->rows[i].title));
    pj_piece_options(&wizard->parts, page->metric, titles, index < 0 ? 0 : index);
    page->listed = set;
}

static void refresh(pj_wizard *wizard)
{
    if (!wizard->metrics)
        return;
    if (page_of(wizard)->listed != wizard->metrics->set)
        list_metrics(wizard);
    draw(wizard);
}

static void code(const pj_wizard *wizard, pj_buf *out)
{
    const scaling_page *page = page_of(wizard);
    const pj_pieces *parts = &wizard->parts;
    const char *x = key_at(wizard, page->x), *by = key_at(wizard, page->by);
    pj_wizard_code_metrics(wizard, out);
    pj_buf_addf(out, "plot(m, \"%s\"", wizard->metrics ? metric_key(wizard) : "speedup");
    pj_auto_buf opts = {0};
    if (x)
        pj_buf_addf(&opts, "x = \"%s\", ", x);
    if (by)
        pj_buf_addf(&opts, "by = \"%s\", ", by);
    pj_buf_puts(&opts, axes_code[pj_piece_pick(parts, page->axes, AXES)]);
    if (opts.len)
        pj_buf_addf(out, ", {%.*s}", (int)opts.len - 2, opts.at);
    pj_buf_puts(out, ")\n");
}

const pj_wizard_step pj_wizard_step_scaling = {build, useful, refresh, code, NULL};
