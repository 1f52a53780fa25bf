// Second page: the efficiency table with its controls; a click on a metric explains it.
#include "widgets/wizard/wizard_record.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/num.h"
#include "metrics/base/str.h"
#include "metrics/pop/conventions.h"
#include "metrics/pop/findings.h"
#include "metrics/pop/metrics.h"
#include "metrics/pop/metricset.h"
#include "metrics/run/run.h"
#include "metrics/run/study/study.h"
#include "metrics/table/table.h"
#include "widgets/figure/draw.h"
#include "widgets/figure/escape.h"
#include "widgets/figure/figure.h"
#include "widgets/figure/html_page.h"
#include "widgets/figure/palette.h"
#include "widgets/plot/plot.h"
#include "widgets/table/metrics_grid.h"
#include "widgets/table/render.h"
#include "widgets/table/table_figure.h"
#include "widgets/wizard/wizard.h"
#include "widgets/wizard/wizard_pieces.h"
#include "widgets/wizard/wizard_ranks.h"
#include "widgets/wizard/wizard_table.h"

#include <stdio.h>

enum { MOST_ROWS = 96 };

typedef struct efficiencies_page {
    pj_piece set, scaling, by, colours, good, bad, turned, said;
    pj_piece title, tree, labels, values, head, both, notes, houses;
    pj_wizard_saver saver;
    pj_piece metric[MOST_ROWS]; // buttons, made as they are needed
    size_t metric_count;
    size_t grid_rows[MOST_ROWS]; // of buttons: rows of the set
    size_t grid_row_count;       // of the set shown; further buttons are those of a longer one
    pj_piece about, plot, inside;
    size_t row; // explained row of the set
    bool explained;
} efficiencies_page;

static efficiencies_page *page_of(const pj_wizard *wizard)
{
    return wizard->pages[PJ_STEP_efficiencies];
}

static void show_values(pj_wizard *wizard, const pj_grid *grid, bool turned)
{
    const efficiencies_page *page = page_of(wizard);
    pj_auto_buf html = {0}, tree = {0}, title = {0};
    pj_wizard_table_values(grid, wizard->palette, turned, &html);
    pj_piece_say(&wizard->parts, page->values, html.at);
    if (!turned)
        pj_wizard_table_tree(grid, &tree);
    pj_piece_say(&wizard->parts, page->tree, tree.len ? tree.at : "");
    pj_buf_puts(&title, "<div style=\"" PJ_HTML_FONT ";font-size:15px;font-weight:600\">");
    pj_escape_html(&title, pj_str_of(wizard->metrics->title));
    pj_buf_puts(&title, "</div>");
    pj_piece_say(&wizard->parts, page->title, title.at);
}

static void show_notes(pj_wizard *wizard, const pj_grid *grid)
{
    const pj_metrics *metrics = wizard->metrics;
    pj_auto_buf html = {0};
    pj_wizard_table_legend(wizard->palette, &html);
    pj_buf_puts(&html, "<div style=\"line-height:1.4\">");
    if (grid->beyond_note)
        pj_html_note(&html, "", pj_str_of(grid->beyond_note));
    for (size_t i = 0; i < grid->reason_count; i++)
        pj_html_note(&html, "n/a: ", pj_str_of(grid->reasons[i]));
    if (metrics->note)
        pj_html_note(&html, "", pj_str_of(metrics->note));
    for (size_t i = 0; i < metrics->remark_count; i++)
        pj_html_note(&html, metrics->remarks[i].severity == PJ_NOTE ? "\u2022 " : "\u26a0 ",
                     pj_str_of(metrics->remarks[i].text));
    pj_buf_puts(&html, "</div>");
    pj_piece_say(&wizard->parts, page_of(wizard)->notes, html.at);
}

/// The same runs by the conventions of other houses, behind a line that opens.
static void show_houses(pj_wizard *wizard)
{
    pj_auto_buf html = {0};
    pj_auto_table table = pj_conventions_table(wizard->metrics->study, NULL);
    if (table) {
        pj_buf_puts(&html, "<details><summary>The same by the conventions of POP, BSC, JSC and "
                           "TALP, and why they differ</summary>");
        pj_render_table(pj_renderer_by_name(PJ_S("html")), table, (pj_render_opts){0}, &html);
        pj_buf_puts(&html, "</details>");
    }
    pj_piece_say(&wizard->parts, page_of(wizard)->houses, html.len ? html.at : "");
}

// Names as buttons

static void explain(pj_wizard *wizard, size_t row);

static void on_metric(void *context, size_t place)
{
    pj_wizard *wizard = context;
    const efficiencies_page *page = page_of(wizard);
    if (wizard->metrics && place < page->grid_row_count)
        explain(wizard, page->grid_rows[place]);
}

static pj_piece metric_button(pj_wizard *wizard, size_t place)
{
    pj_pieces *parts = &wizard->parts;
    efficiencies_page *page = page_of(wizard);
    if (place < page->metric_count)
        return page->metric[place];
    pj_piece button =
        pj_piece_new(parts, "Button",
                     json_pack("{s:{s:s, s:s, s:s, s:s, s:s, s:s, s:s}, s:{s:s}}", "layout",
                               "width", "auto", "height", "28px", "margin", "0", "display", "flex",
                               "justify_content", "flex-start", "align_items", "center", "flex",
                               "0 0 auto", "style", "button_color", "transparent"));
    pj_piece_on_place(parts, button, on_metric, place);
    page->metric[page->metric_count++] = button;
    return button;
}

static void label_button(pj_wizard *wizard, pj_piece button, const pj_grid_row *row, bool turned)
{
    const pj_pieces *parts = &wizard->parts;
    char padding[48];
    snprintf(padding, sizeof padding, "0 12px 0 %upx",
             turned ? 8 : 6 + PJ_WIZARD_STEP_PX * row->depth);
    pj_piece_set(parts, button, "description", json_string(row->title));
    pj_piece_set(parts, button, "tooltip", json_string(row->formula ? row->formula : row->title));
    pj_piece_layout(parts, button, "padding", padding);
    pj_piece_set(parts, button, "style",
                 json_pack("{s:s, s:s}", "font_weight", row->depth == 0 ? "600" : "400",
                           "font_style", row->residual ? "italic" : "normal"));
}

static void show_labels(pj_wizard *wizard, const pj_grid *grid, bool turned)
{
    pj_pieces *parts = &wizard->parts;
    efficiencies_page *page = page_of(wizard);
    size_t rows = grid->row_count < MOST_ROWS ? grid->row_count : MOST_ROWS, count = 0;
    pj_piece children[MOST_ROWS + 2] = {NULL};
    pj_auto_buf head = {0};
    pj_wizard_table_head(grid, turned, &head);
    pj_piece_say(parts, page->head, head.len ? head.at : "");
    children[count++] = page->head;
    page->grid_row_count = rows;
    for (size_t row = 0; row < rows; row++) {
        page->grid_rows[row] = grid->rows[row].metric;
        children[count] = metric_button(wizard, row);
        label_button(wizard, children[count++], &grid->rows[row], turned);
    }
    pj_piece_children(parts, page->labels, children);
    pj_piece_layout(parts, page->labels, "flex_flow", turned ? "row wrap" : "column");
    pj_piece_layout(parts, page->both, "flex_flow", turned ? "column" : "row nowrap");
}

static void show_table(pj_wizard *wizard)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    const pj_grid *grid = pj_grid_new(wizard->metrics, arena);
    bool turned = pj_piece_is_on(&wizard->parts, page_of(wizard)->turned);
    show_labels(wizard, grid, turned);
    show_values(wizard, grid, turned);
    show_notes(wizard, grid);
    show_houses(wizard);
    pj_wizard_show_table(wizard);
}

// Explanation

static void add_numbers(const pj_wizard *wizard, size_t row, pj_buf *html)
{
    const pj_metrics *metrics = wizard->metrics;
    const pj_study *study = metrics->study;
    pj_buf_puts(html, "<div style=\"" PJ_HTML_FONT ";display:flex;flex-wrap:wrap;gap:4px 16px\">");
    for (size_t run = 0; run < study->count; run++) {
        pj_metric_value value = pj_metrics_at(metrics, run, row);
        char text[32];
        pj_format_fixed(value.value, 4, text);
        pj_buf_puts(html, "<div><span style=\"opacity:.75\">");
        pj_escape_html(html, pj_str_of(study->cases[run].name));
        pj_buf_puts(html, "</span><br>");
        pj_escape_html(html, pj_str_of(value.reason ? value.reason : text));
        pj_buf_puts(html, "</div>");
    }
    pj_buf_puts(html, "</div>");
}

/// The run where the metric is worst; n/a counts as good.
static size_t worst_run(const pj_metrics *metrics, size_t row)
{
    bool mirrored = metrics->set->rows[row].kind == PJ_METRIC_INEFFICIENCY;
    size_t worst = 0;
    double least = 1e300;
    for (size_t run = 0; run < metrics->study->count; run++) {
        pj_metric_value value = pj_metrics_at(metrics, run, row);
        double quality = mirrored ? 1 - value.value : value.value;
        if (!value.reason && quality < least) {
            least = quality;
            worst = run;
        }
    }
    return worst;
}

static void draw_ranks(pj_wizard *wizard, size_t row)
{
    efficiencies_page *page = page_of(wizard);
    const pj_study *study = wizard->study;
    const pj_run *run = study->cases[worst_run(wizard->metrics, row)].run;
    const pj_rank_quantity *quantity =
        pj_rank_quantity_of(pj_str_of(wizard->metrics->set->rows[row].key));
    pj_err err = {.code = PJ_E_NONE};
    const pj_draw *draw = pj_draw_open(&err);
    pj_auto_table table = pj_rank_table(run, quantity, PJ_RANK_FITTING, false);
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_plot_opts opts = {
        .width = 720, .height = 260, .title = pj_rank_title(run, quantity, PJ_RANK_FITTING, arena)};
    pj_auto_figure figure = draw ? pj_rank_figure(table, quantity, opts, draw, &err) : NULL;
    pj_wizard_draw(wizard, page->plot, figure, &err);
}

static void add_next_step(const pj_metric *metric, pj_buf *html)
{
    const pj_advice *advice = pj_advice_of(pj_str_of(metric->key));
    if (!advice)
        return;
    pj_buf_puts(html, "<p style=\"margin:4px 0\"><b>Next:</b> ");
    pj_escape_html(html, pj_str_of(advice->look));
    pj_buf_puts(html, "</p>");
}

static void explain(pj_wizard *wizard, size_t row)
{
    efficiencies_page *page = page_of(wizard);
    const pj_metric *metric = &wizard->metrics->set->rows[row];
    page->row = row;
    page->explained = true;
    pj_auto_buf html = {0};
    pj_buf_puts(&html, "<div style=\"" PJ_HTML_FONT ";line-height:1.5;max-width:60em\"><h3 "
                       "style=\"margin:8px 0 4px\">");
    pj_escape_html(&html, pj_str_of(metric->title));
    pj_buf_puts(&html, "</h3>");
    if (metric->formula_text) {
        pj_buf_puts(&html, "<div style=\"opacity:.75\">= ");
        pj_escape_html(&html, pj_str_of(metric->formula_text));
        pj_buf_puts(&html, "</div>");
    }
    pj_buf_puts(&html, "<p style=\"margin:4px 0\">");
    pj_escape_html(&html, pj_str_of(metric->explanation));
    pj_buf_puts(&html, "</p>");
    add_next_step(metric, &html);
    add_numbers(wizard, row, &html);
    pj_buf_puts(&html, "</div>");
    pj_piece_say(&wizard->parts, page->about, html.at);
    draw_ranks(wizard, row);
    pj_piece_show(&wizard->parts, page->inside, true);
}

static void on_inside(void *context)
{
    pj_wizard_turn(context, PJ_STEP_inside);
}

// Controls

static const char *const colours[] = {"red to green", "blue and orange", NULL};

static pj_scheme scheme_of(const pj_wizard *wizard)
{
    enum { SCHEMES = sizeof colours / sizeof *colours - 1 };
    return (pj_scheme)pj_piece_pick(&wizard->parts, page_of(wizard)->colours, SCHEMES);
}

static void on_control(void *context)
{
    pj_wizard *wizard = context;
    const efficiencies_page *page = page_of(wizard);
    const pj_pieces *parts = &wizard->parts;
    wizard->set = wizard->host.set_at(wizard->host.self, pj_piece_pick(parts, page->set, SIZE_MAX));
    wizard->scaling = pj_wizard_scaling(wizard, page->scaling);
    wizard->by = pj_wizard_key(wizard, page->by);
    wizard->palette.scheme = scheme_of(wizard);
    double good = (double)pj_piece_value(parts, page->good) / 100;
    double bad = (double)pj_piece_value(parts, page->bad) / 100;
    wizard->palette.good = good;
    wizard->palette.bad = bad < good ? bad : good - 0.01;
    pj_err err = {.code = PJ_E_NONE};
    bool ok = pj_wizard_evaluate(wizard, &err);
    pj_piece_tell(parts, page->said, ok ? "" : err.text);
}

static pj_piece build_controls(pj_wizard *wizard, efficiencies_page *page)
{
    pj_pieces *parts = &wizard->parts;
    static const char *const none[] = {NULL};
    json_t *keys = json_pack("[s]", "as they are"), *sets = json_array();
    const char *key;
    for (int i = PJ_BY_NONE + 1; i < PJ_BY_COUNT && (key = pj_key_title((pj_key)i)); i++)
        json_array_append_new(keys, json_string(key));
    const pj_metric_set *set;
    for (size_t i = 0; (set = wizard->host.set_at(wizard->host.self, i)); i++)
        json_array_append_new(sets, json_string(set->title));
    page->set = pj_piece_choice(parts, "Metric set", none);
    pj_piece_options(parts, page->set, sets, 0);
    page->scaling = pj_piece_choice(parts, "Scaling", pj_wizard_scalings);
    page->by = pj_piece_choice(parts, "Group by", none);
    pj_piece_options(parts, page->by, keys, 0);
    page->colours = pj_piece_choice(parts, "Colours", colours);
    page->good = pj_piece_number(parts, "IntSlider", "Good from %",
                                 json_pack("{s:i, s:i, s:i}", "value", 80, "min", 1, "max", 100));
    page->bad = pj_piece_number(parts, "IntSlider", "Bad below %",
                                json_pack("{s:i, s:i, s:i}", "value", 50, "min", 0, "max", 99));
    page->turned = pj_piece_check(parts, "Runs as rows", false);
    const pj_piece heard[] = {page->set, page->scaling, page->by, page->colours};
    for (size_t i = 0; i < sizeof heard / sizeof *heard; i++)
        pj_piece_on(parts, heard[i], "index", on_control);
    pj_piece_on(parts, page->good, "value", on_control);
    pj_piece_on(parts, page->bad, "value", on_control);
    pj_piece_on(parts, page->turned, "value", on_control);
    pj_wizard_keep(wizard, "colours", page->colours, "index");
    pj_wizard_keep(wizard, "turned", page->turned, NULL);
    return PJ_PIECE_COLUMN(parts, PJ_PIECE_ROW(parts, page->set, page->scaling),
                           PJ_PIECE_ROW(parts, page->by, page->colours),
                           PJ_PIECE_ROW(parts, page->good, page->bad, page->turned));
}

// Saving

static const char *const table_formats[] = {"png", "svg", "pdf",  "csv", "json",
                                            "md",  "tex", "html", "txt", NULL};

static pj_figure *make_figure(pj_wizard *wizard, pj_table **table, pj_err *err)
{
    (void)table;
    const pj_draw *draw = pj_draw_open(err);
    return draw ? pj_table_figure(wizard->metrics, wizard->palette, draw) : NULL;
}

static void on_save(void *context)
{
    pj_wizard_saver_save(context, &page_of(context)->saver);
}

// The page

static pj_piece build(pj_wizard *wizard)
{
    pj_pieces *parts = &wizard->parts;
    efficiencies_page *page = pj_new(wizard->arena, efficiencies_page);
    wizard->pages[PJ_STEP_efficiencies] = page;
    pj_piece controls = build_controls(wizard, page);
    page->said = pj_piece_html(parts, "");
    page->head = pj_piece_html(parts, "");
    page->labels = PJ_PIECE_COLUMN(parts, page->head);
    page->values = pj_piece_html(parts, "");
    pj_piece_layout(parts, page->head, "margin", "0");
    pj_piece_layout(parts, page->values, "margin", "0");
    pj_piece_layout(parts, page->values, "overflow", "auto");
    pj_piece_layout(parts, page->values, "min_width", "0");
    pj_piece_layout(parts, page->labels, "flex", "0 0 auto"); // values scroll, names stay whole
    page->title = pj_piece_html(parts, "");
    page->tree = pj_piece_html(parts, "");
    pj_piece_layout(parts, page->tree, "width", "0"); // it lies under the names
    pj_piece_layout(parts, page->tree, "margin", "0");
    pj_piece_layout(parts, page->tree, "overflow", "visible");
    page->both = PJ_PIECE_ROW(parts, page->tree, page->labels, page->values);
    pj_piece_layout(parts, page->both, "align_items", "flex-start");
    page->notes = pj_piece_html(parts, "");
    page->houses = pj_piece_html(parts, "");
    page->about = pj_piece_html(parts, "<i>Click a metric: what it means, why it is low, the "
                                       "numbers behind it, where to look next.</i>");
    page->plot = pj_piece_output(parts);
    page->inside =
        pj_piece_button(parts, "Look inside the run", "arrow-right", "Opens the page of the ranks");
    pj_piece_layout(parts, page->inside, "align_self", "flex-start");
    pj_piece_show(parts, page->inside, false);
    pj_piece_on(parts, page->inside, NULL, on_inside);
    page->saver = (pj_wizard_saver){.formats = table_formats, .metrics = true, .make = make_figure};
    pj_wizard_saver_build(wizard, &page->saver, "efficiencies", on_save);
    return PJ_PIECE_COLUMN(parts, controls, page->said, page->title, page->both, page->notes,
                           page->houses, page->saver.box, page->about, page->plot, page->inside);
}

static bool useful(const pj_wizard *wizard)
{
    return wizard->metrics != NULL;
}

/// Controls follow what was chosen on other pages.
static void follow(pj_wizard *wizard)
{
    const efficiencies_page *page = page_of(wizard);
    const pj_pieces *parts = &wizard->parts;
    const pj_metric_set *set;
    for (size_t i = 0; (set = wizard->host.set_at(wizard->host.self, i)); i++)
        if (set == wizard->metrics->set)
            pj_piece_set(parts, page->set, "index", json_integer((json_int_t)i));
    pj_piece_set(parts, page->scaling, "index", json_integer(wizard->scaling));
    wizard->palette.scheme = scheme_of(wizard);
}

static void refresh(pj_wizard *wizard)
{
    if (!wizard->metrics)
        return;
    efficiencies_page *page = page_of(wizard);
    follow(wizard);
    show_table(wizard);
    if (page->explained)
        explain(wizard, page->row < wizard->metrics->set->count ? page->row : 0);
}

static void code(const pj_wizard *wizard, pj_buf *out)
{
    pj_wizard_code_metrics(wizard, out);
    pj_buf_puts(out, "m\n");
}

const pj_wizard_step pj_wizard_step_efficiencies = {build, useful, refresh, code, NULL};
