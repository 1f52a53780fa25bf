// Fourth page: one run: its ranks, its OpenMP regions, its timeline, its efficiencies over time and
// over iterations.
#include "widgets/wizard/wizard_inside.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/num.h"
#include "metrics/run/breakdown.h"
#include "metrics/run/parts/slices.h"
#include "metrics/run/parts/slices_table.h"
#include "metrics/run/regions_table.h"
#include "metrics/run/run.h"
#include "metrics/run/study/study.h"
#include "metrics/table/table.h"
#include "widgets/figure/draw.h"
#include "widgets/figure/figure.h"
#include "widgets/figure/html_page.h"
#include "widgets/plot/plot.h"
#include "widgets/table/render.h"
#include "widgets/wizard/wizard.h"

static const char *const file_names[] = {
    [PJ_WIZARD_TOTALS] = "ranks",      [PJ_WIZARD_REGIONS] = "regions",
    [PJ_WIZARD_TIMELINE] = "timeline", [PJ_WIZARD_SLICES] = "slices",
    [PJ_WIZARD_STEPS] = "iterations",
};
enum { VIEWS = sizeof file_names / sizeof *file_names };
enum { LOOK_WIDTH = 860 }; // a page of 800 px shows it without scrolling

pj_inside_page *pj_wizard_inside_page(const pj_wizard *wizard)
{
    return wizard->pages[PJ_STEP_inside];
}

const pj_run *pj_wizard_inside_run(const pj_wizard *wizard)
{
    int index = pj_piece_index(&wizard->parts, pj_wizard_inside_page(wizard)->run);
    const pj_study *study = wizard->study;
    bool known = index >= 0 && (size_t)index < study->count;
    return study->cases[known ? (size_t)index : study->count - 1].run;
}

/// NULL = where the time goes, which is the last choice.
const pj_rank_quantity *pj_wizard_inside_quantity(const pj_wizard *wizard)
{
    return pj_rank_quantity_at(
        pj_piece_pick(&wizard->parts, pj_wizard_inside_page(wizard)->quantity, SIZE_MAX));
}

pj_rank_bars pj_wizard_inside_bars(const pj_wizard *wizard)
{
    return (pj_rank_bars)pj_piece_pick(&wizard->parts, pj_wizard_inside_page(wizard)->bars,
                                       PJ_RANK_BARS);
}

pj_wizard_view pj_wizard_inside_view(const pj_wizard *wizard)
{
    return (pj_wizard_view)pj_piece_pick(&wizard->parts, pj_wizard_inside_page(wizard)->view,
                                         VIEWS);
}

static pj_figure *make_breakdown(const pj_wizard *wizard, pj_table **table, pj_err *err)
{
    const pj_run *run = pj_wizard_inside_run(wizard);
    const pj_draw *draw = pj_draw_open(err);
    bool by_thread = pj_rank_has_threads(run, pj_wizard_inside_bars(wizard));
    pj_plot_opts opts = {.width = LOOK_WIDTH, .height = 360, .x = by_thread ? "thread" : "rank"};
    *table = pj_breakdown_table(run);
    return draw ? pj_plot_ranks.make((pj_plot_data){.run = run}, opts, draw, err) : NULL;
}

static pj_figure *make_ranks(pj_wizard *wizard, pj_table **table, pj_err *err)
{
    bool sorted = pj_piece_index(&wizard->parts, pj_wizard_inside_page(wizard)->order) == 1;
    const pj_rank_quantity *quantity = pj_wizard_inside_quantity(wizard);
    if (!quantity)
        return make_breakdown(wizard, table, err);
    const pj_run *run = pj_wizard_inside_run(wizard);
    *table = pj_rank_table(run, quantity, pj_wizard_inside_bars(wizard), sorted);
    const pj_draw *draw = pj_draw_open(err);
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_plot_opts opts = {.width = 760,
                         .height = 320,
                         .title =
                             pj_rank_title(run, quantity, pj_wizard_inside_bars(wizard), arena)};
    return draw ? pj_rank_figure(*table, quantity, opts, draw, err) : NULL;
}

static void add_number(const pj_rank_quantity *quantity, const char *label, double value,
                       pj_buf *out)
{
    char text[32];
    if (quantity->unit == PJ_UNIT_NS)
        pj_format_duration(value, text);
    else if (value >= 1e4)
        pj_format_grouped((int64_t)value, text);
    else
        pj_format_fixed(value, 3, text);
    pj_buf_addf(out, "<span style=\"padding-right:24px\">%s <b>%s</b></span>", label, text);
}

static void show_summary(pj_wizard *wizard, const pj_table *table)
{
    const pj_rank_quantity *quantity = pj_wizard_inside_quantity(wizard);
    if (!quantity) { // its parts are in the legend
        pj_piece_say(&wizard->parts, pj_wizard_inside_page(wizard)->summary, "");
        return;
    }
    pj_rank_summary s = pj_rank_summarise(table);
    pj_auto_buf html = {0};
    pj_buf_puts(&html, "<div style=\"" PJ_HTML_FONT ";line-height:1.6\">");
    if (s.count) {
        add_number(quantity, "min", s.min, &html);
        add_number(quantity, "mean", s.mean, &html);
        add_number(quantity, "max", s.max, &html);
        add_number(quantity, "deviation", s.deviation, &html);
        pj_buf_addf(&html, "<span>mean / max <b>%.3f</b></span>", s.max > 0 ? s.mean / s.max : 1);
    } else {
        pj_buf_puts(&html, "The trace does not hold this.");
    }
    pj_buf_puts(&html, "</div>");
    pj_piece_say(&wizard->parts, pj_wizard_inside_page(wizard)->summary, html.at);
}

/// The picture says why there is nothing.
static pj_table *numbers_over_time(const pj_run *run)
{
    pj_err err = {.code = PJ_E_NONE};
    return run->slices && run->slices->count ? pj_slices_table(run, &err) : NULL;
}

static pj_figure *make_look(pj_wizard *wizard, pj_table **table, pj_err *err)
{
    static const pj_plot *const plots[VIEWS] = {
        [PJ_WIZARD_TOTALS] = &pj_plot_ranks,      [PJ_WIZARD_REGIONS] = &pj_plot_regions,
        [PJ_WIZARD_TIMELINE] = &pj_plot_timeline, [PJ_WIZARD_SLICES] = &pj_plot_slices,
        [PJ_WIZARD_STEPS] = &pj_plot_slices,
    };
    const pj_draw *module = pj_draw_open(err);
    pj_wizard_view view = pj_wizard_inside_view(wizard);
    pj_plot_opts opts = {.width = LOOK_WIDTH, .palette = wizard->palette};
    if (!pj_wizard_look_done(wizard)) {
        pj_fail(err, PJ_E_MISSING, NULL, 0, "the run has not been read for this");
        return NULL;
    }
    if (view == PJ_WIZARD_REGIONS && wizard->looked->openmp_regions)
        *table = pj_regions_table(wizard->looked, PJ_REGIONS_FUNCTION, err);
    if (view == PJ_WIZARD_SLICES || view == PJ_WIZARD_STEPS)
        *table = numbers_over_time(wizard->looked);
    return module ? plots[view]->make((pj_plot_data){.run = wizard->looked}, opts, module, err)
                  : NULL;
}

static pj_figure *make(pj_wizard *wizard, pj_table **table, pj_err *err)
{
    bool totals = pj_wizard_inside_view(wizard) == PJ_WIZARD_TOTALS;
    return totals ? make_ranks(wizard, table, err) : make_look(wizard, table, err);
}

static void show_regions(const pj_wizard *wizard, const pj_table *table)
{
    enum { MOST_ROWS = 20 };
    pj_auto_buf html = {0};
    pj_buf_puts(&html, "<div style=\"overflow-x:auto;line-height:1.4\">");
    if (table)
        pj_render_table(&pj_renderer_html, table, (pj_render_opts){.max_rows = MOST_ROWS}, &html);
    pj_buf_puts(&html, "</div>");
    pj_piece_say(&wizard->parts, pj_wizard_inside_page(wizard)->summary, html.at);
}

/// Of MPI calls; those of AI runs are drawn as they are.
static bool has_waits(const pj_run *run)
{
    return run->has_mpi && !run->ai;
}

static void show_controls(const pj_wizard *wizard)
{
    const pj_inside_page *page = pj_wizard_inside_page(wizard);
    const pj_pieces *parts = &wizard->parts;
    bool totals = pj_wizard_inside_view(wizard) == PJ_WIZARD_TOTALS;
    bool timeline = pj_wizard_inside_view(wizard) == PJ_WIZARD_TIMELINE;
    pj_piece_show(parts, page->quantity, totals);
    pj_piece_show(parts, page->bars, totals);
    pj_piece_show(parts, page->order, totals && pj_wizard_inside_quantity(wizard));
    pj_piece_show(parts, page->range, timeline);
    pj_piece_show(parts, page->ranks, timeline);
    pj_piece_show(parts, page->streams,
                  timeline && pj_wizard_inside_run(wizard)->layout.stream_count);
    pj_piece_show(parts, page->waits, timeline && has_waits(pj_wizard_inside_run(wizard)));
    pj_piece_show(parts, page->show, timeline);
    pj_piece_show(parts, page->zoom, timeline);
}

void pj_wizard_inside_draw(pj_wizard *wizard)
{
    show_controls(wizard);
    bool totals = pj_wizard_inside_view(wizard) == PJ_WIZARD_TOTALS;
    if (!totals && !pj_wizard_look_done(wizard)) {
        pj_piece_display(&wizard->parts, pj_wizard_inside_page(wizard)->plot, NULL, NULL);
        pj_wizard_look_start(wizard);
        return;
    }
    pj_wizard_look_end(wizard);
    pj_err err = {.code = PJ_E_NONE};
    pj_auto_table table = NULL;
    pj_auto_figure figure = make(wizard, &table, &err);
    pj_wizard_draw_marked(wizard, pj_wizard_inside_page(wizard)->plot, figure,
                          pj_wizard_inside_page(wizard)->mark, &err);
    if (totals)
        show_summary(wizard, table);
    else
        show_regions(wizard, table);
}

static void on_control(void *context)
{
    const pj_wizard *wizard = context;
    if (wizard->study)
        pj_wizard_inside_draw(context);
}

/// The name to save under follows, unless the user gave one.
static void on_view(void *context)
{
    const pj_wizard *wizard = context;
    pj_piece part = pj_wizard_inside_page(wizard)->saver.name;
    const char *name = pj_piece_text(&wizard->parts, part);
    bool ours = false;
    for (size_t i = 0; i < sizeof file_names / sizeof *file_names; i++)
        ours = ours || strcmp(name, file_names[i]) == 0;
    if (ours)
        pj_piece_say(&wizard->parts, part, file_names[pj_wizard_inside_view(wizard)]);
    on_control(context);
}

static void on_save(void *context)
{
    pj_wizard_saver_save(context, &pj_wizard_inside_page(context)->saver);
}

static pj_piece build(pj_wizard *wizard)
{
    static const char *const none[] = {NULL}, *const orders[] = {"number", "value", NULL};
    static const char *const bars[] = {"what fits the run", "ranks", "threads", NULL};
    pj_pieces *parts = &wizard->parts;
    pj_inside_page *page = pj_new(wizard->arena, pj_inside_page);
    wizard->pages[PJ_STEP_inside] = page;
    page->run = pj_piece_choice(parts, "Run", none);
    page->view =
        pj_piece_new(parts, "ToggleButtons",
                     json_pack("{s:[s,s,s,s,s], s:i, s:{s:s}}", "_options_labels", "Ranks",
                               "OpenMP regions", "Timeline", "Over time", "Over iterations",
                               "index", 0, "style", "button_width", "11em"));
    page->quantity = pj_piece_choice(parts, "Show", none);
    page->range = pj_piece_entry(parts, "Time", "all, 1.5s..1.6s or 10%..20%");
    page->mark = pj_arena_format(wizard->arena, "pj-time-%s", page->range);
    pj_piece_set(parts, page->range, "_dom_classes", json_pack("[s]", page->mark));
    page->ranks = pj_piece_entry(parts, "Ranks", "all, 3 or 0-15");
    page->streams = pj_piece_check(parts, "Streams of devices", false);
    page->waits = pj_piece_check(parts, "Longest waits", false);
    page->show = pj_piece_button(parts, "Show", "refresh", "Draws this time and these ranks");
    page->zoom = pj_wizard_zoom_build(wizard);
    page->cancel = pj_piece_button(parts, "Stop reading", "stop", "Ends the reading of this run");
    pj_piece_layout(parts, page->cancel, "align_self", "flex-start");
    pj_piece_show(parts, page->cancel, false);
    page->order = pj_piece_choice(parts, "Sorted by", orders);
    page->bars = pj_piece_choice(parts, "Bars", bars);
    json_t *titles = json_array();
    const pj_rank_quantity *quantity;
    for (size_t i = 0; (quantity = pj_rank_quantity_at(i)); i++)
        json_array_append_new(titles, json_string(quantity->title));
    json_array_append_new(titles, json_string("Where the time goes"));
    pj_piece_options(parts, page->quantity, titles, 0);
    pj_piece_on(parts, page->run, "index", on_control);
    pj_piece_on(parts, page->view, "index", on_view);
    pj_piece_on(parts, page->range, "value", on_control);
    pj_piece_on(parts, page->ranks, "value", on_control);
    pj_piece_on(parts, page->streams, "value", on_control);
    pj_piece_on(parts, page->waits, "value", on_control);
    pj_piece_on(parts, page->show, NULL, on_control);
    pj_piece_on(parts, page->cancel, NULL, pj_wizard_look_cancel);
    pj_piece_on(parts, page->quantity, "index", on_control);
    pj_piece_on(parts, page->order, "index", on_control);
    pj_piece_on(parts, page->bars, "index", on_control);
    pj_wizard_keep(wizard, "inside_order", page->order, "index");
    page->summary = pj_piece_html(parts, "");
    page->plot = pj_piece_output(parts);
    page->saver.make = make;
    pj_wizard_saver_build(wizard, &page->saver, file_names[PJ_WIZARD_TOTALS], on_save);
    return PJ_PIECE_COLUMN(parts, PJ_PIECE_ROW(parts, page->run, page->view),
                           PJ_PIECE_ROW(parts, page->quantity, page->bars, page->order, page->range,
                                        page->ranks, page->streams, page->waits, page->show),
                           page->zoom, page->cancel, page->summary, page->plot, page->saver.box);
}

static bool useful(const pj_wizard *wizard)
{
    return wizard->study != NULL;
}

/// The runs of the study, the largest in front of the user.
static void list_runs(pj_wizard *wizard)
{
    const pj_inside_page *page = pj_wizard_inside_page(wizard);
    const pj_study *study = wizard->study;
    int before = pj_piece_index(&wizard->parts, page->run);
    json_t *names = json_array();
    for (size_t i = 0; i < study->count; i++)
        json_array_append_new(names, pj_piece_string(study->cases[i].name));
    bool there = before >= 0 && (size_t)before < study->count;
    pj_piece_options(&wizard->parts, page->run, names, there ? before : (int)study->count - 1);
}

void pj_wizard_inside_open(pj_wizard *wizard, const pj_run *run, pj_wizard_view view,
                           const char *range)
{
    const pj_inside_page *page = pj_wizard_inside_page(wizard);
    const pj_pieces *parts = &wizard->parts;
    const pj_study *study = wizard->study;
    list_runs(wizard);
    for (size_t i = 0; i < study->count; i++)
        if (study->cases[i].run == run)
            pj_piece_set(parts, page->run, "index", json_integer((json_int_t)i));
    pj_piece_set(parts, page->view, "index", json_integer(view));
    pj_piece_set(parts, page->quantity, "index", json_integer(0));
    pj_piece_say(parts, page->range, range);
    pj_piece_say(parts, page->ranks, "");
    pj_piece_set(parts, page->waits, "value", json_boolean(*range && has_waits(run)));
    wizard->stale[PJ_STEP_inside] = true;
    pj_wizard_turn(wizard, PJ_STEP_inside);
}

static void refresh(pj_wizard *wizard)
{
    if (!wizard->study)
        return;
    list_runs(wizard);
    pj_wizard_inside_draw(wizard);
}

const pj_wizard_step pj_wizard_step_inside = {build, useful, refresh, pj_wizard_inside_code, NULL};
