// Fourth page: one run: its ranks, its OpenMP regions, its timeline. What totals do not hold is
// read again on a thread of its own.
#include "widgets/wizard/wizard_record.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/num.h"
#include "metrics/base/str.h"
#include "metrics/run/breakdown.h"
#include "metrics/run/regions_table.h"
#include "metrics/run/run.h"
#include "metrics/run/study.h"
#include "metrics/run/timeline.h"
#include "metrics/table/table.h"
#include "widgets/figure/draw.h"
#include "widgets/figure/escape.h"
#include "widgets/figure/figure.h"
#include "widgets/figure/html_page.h"
#include "widgets/plot/plot.h"
#include "widgets/table/render.h"
#include "widgets/wizard/wizard.h"
#include "widgets/wizard/wizard_job.h"
#include "widgets/wizard/wizard_pieces.h"
#include "widgets/wizard/wizard_ranks.h"

static const char *const file_names[] = {
    [PJ_WIZARD_TOTALS] = "ranks",
    [PJ_WIZARD_REGIONS] = "regions",
    [PJ_WIZARD_TIMELINE] = "timeline",
};
enum { VIEWS = sizeof file_names / sizeof *file_names };
enum { LOOK_WIDTH = 860 }; // a page of 800 px shows it without scrolling

typedef struct inside_page {
    pj_piece run, view, quantity, bars, order, range, ranks, show, zoom, cancel, plot, summary;
    const char *mark; // class of the field of the time
    pj_wizard_saver saver;
} inside_page;

static inside_page *page_of(const pj_wizard *wizard)
{
    return wizard->pages[PJ_STEP_inside];
}

static const pj_run *run_of(const pj_wizard *wizard)
{
    int index = pj_piece_index(&wizard->parts, page_of(wizard)->run);
    const pj_study *study = wizard->study;
    bool known = index >= 0 && (size_t)index < study->count;
    return study->cases[known ? (size_t)index : study->count - 1].run;
}

/// NULL = where the time goes, which is the last choice.
static const pj_rank_quantity *quantity_of(const pj_wizard *wizard)
{
    return pj_rank_quantity_at(pj_piece_pick(&wizard->parts, page_of(wizard)->quantity, SIZE_MAX));
}

static pj_rank_bars bars_of(const pj_wizard *wizard)
{
    return (pj_rank_bars)pj_piece_pick(&wizard->parts, page_of(wizard)->bars, PJ_RANK_BARS);
}

static pj_wizard_view view_of(const pj_wizard *wizard)
{
    return (pj_wizard_view)pj_piece_pick(&wizard->parts, page_of(wizard)->view, VIEWS);
}

static pj_figure *make_breakdown(const pj_wizard *wizard, pj_table **table, pj_err *err)
{
    const pj_run *run = run_of(wizard);
    const pj_draw *draw = pj_draw_open(err);
    bool by_thread = pj_rank_has_threads(run, bars_of(wizard));
    pj_plot_opts opts = {.width = LOOK_WIDTH, .height = 360, .x = by_thread ? "thread" : "rank"};
    *table = pj_breakdown_table(run);
    return draw ? pj_plot_ranks.make((pj_plot_data){.run = run}, opts, draw, err) : NULL;
}

static pj_figure *make_ranks(pj_wizard *wizard, pj_table **table, pj_err *err)
{
    bool sorted = pj_piece_index(&wizard->parts, page_of(wizard)->order) == 1;
    const pj_rank_quantity *quantity = quantity_of(wizard);
    if (!quantity)
        return make_breakdown(wizard, table, err);
    const pj_run *run = run_of(wizard);
    *table = pj_rank_table(run, quantity, bars_of(wizard), sorted);
    const pj_draw *draw = pj_draw_open(err);
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_plot_opts opts = {
        .width = 760, .height = 320, .title = pj_rank_title(run, quantity, bars_of(wizard), arena)};
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
    const pj_rank_quantity *quantity = quantity_of(wizard);
    if (!quantity) { // its parts are in the legend
        pj_piece_say(&wizard->parts, page_of(wizard)->summary, "");
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
    pj_piece_say(&wizard->parts, page_of(wizard)->summary, html.at);
}

// Reading the run again

/// What is looked at, as one text: the run that was read for it is kept.
static const char *look_key(const pj_wizard *wizard, pj_arena *arena)
{
    const inside_page *page = page_of(wizard);
    bool timeline = view_of(wizard) == PJ_WIZARD_TIMELINE;
    const char *range = timeline ? pj_piece_text(&wizard->parts, page->range) : "";
    const char *ranks = timeline ? pj_piece_text(&wizard->parts, page->ranks) : "";
    return pj_arena_format(arena, "%d %s %s %s", (int)view_of(wizard), range, ranks,
                           run_of(wizard)->path);
}

static bool is_read(const pj_wizard *wizard)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    return wizard->looked && strcmp(wizard->looked_key, look_key(wizard, arena)) == 0;
}

static void say(const pj_wizard *wizard, const char *text)
{
    pj_auto_buf html = {0};
    pj_buf_puts(&html, "<div style=\"" PJ_HTML_FONT "\">");
    pj_escape_html(&html, pj_str_of(text));
    pj_buf_puts(&html, "</div>");
    pj_piece_say(&wizard->parts, page_of(wizard)->summary, html.at);
}

static void end_look(pj_wizard *wizard)
{
    pj_wizard_job_free(wizard->look);
    wizard->look = NULL;
    pj_piece_show(&wizard->parts, page_of(wizard)->cancel, false);
}

static void start_look(pj_wizard *wizard)
{
    const inside_page *page = page_of(wizard);
    const pj_pieces *parts = &wizard->parts;
    pj_wizard_load how = pj_wizard_how(wizard);
    how.view = view_of(wizard);
    const char *range = pj_piece_text(parts, page->range),
               *ranks = pj_piece_text(parts, page->ranks);
    how.texts.range = *range ? range : NULL;
    how.texts.ranks = *ranks ? ranks : NULL;
    pj_err err = {.code = PJ_E_NONE};
    end_look(wizard);
    if (!pj_wizard_job_check(&how, &err)) {
        say(wizard, err.text);
        return;
    }
    pj_auto_arena arena = pj_arena_new(NULL);
    wizard->looked_key = pj_arena_text(wizard->arena, pj_str_of(look_key(wizard, arena)));
    pj_run_release(wizard->looked);
    wizard->looked = NULL;
    const char *path = run_of(wizard)->path;
    say(wizard, "reading");
    pj_piece_show(parts, page->cancel, true);
    wizard->look = pj_wizard_job_start(&path, 1, &how, pj_wizard_call, wizard);
}

static void draw(pj_wizard *wizard);

void pj_wizard_inside_news(pj_wizard *wizard)
{
    if (!wizard->look)
        return;
    pj_wizard_progress p = pj_wizard_job_at(wizard->look, 0);
    if (!pj_wizard_job_ended(wizard->look)) {
        pj_auto_arena arena = pj_arena_new(NULL);
        double part = p.total ? (double)p.done / (double)p.total : 0;
        say(wizard, pj_arena_format(arena, "reading: %.0f %%", part * 100));
        return;
    }
    pj_err err = {.code = PJ_E_NONE};
    wizard->looked = pj_wizard_job_take(wizard->look, 0, &err);
    end_look(wizard);
    if (wizard->looked && wizard->study && is_read(wizard))
        draw(wizard);
    else if (!wizard->looked)
        say(wizard, err.code == PJ_E_STOPPED ? "cancelled" : err.text);
}

static void on_cancel(void *context)
{
    const pj_wizard *wizard = context;
    if (wizard->look)
        pj_wizard_job_stop(wizard->look);
}

// Drawing

static pj_figure *make_look(pj_wizard *wizard, pj_table **table, pj_err *err)
{
    const pj_draw *module = pj_draw_open(err);
    bool timeline = view_of(wizard) == PJ_WIZARD_TIMELINE;
    const pj_plot *plot = timeline ? &pj_plot_timeline : &pj_plot_regions;
    pj_plot_opts opts = {.width = LOOK_WIDTH, .palette = wizard->palette};
    if (!is_read(wizard)) {
        pj_fail(err, PJ_E_MISSING, NULL, 0, "the run has not been read for this");
        return NULL;
    }
    if (!timeline && wizard->looked->openmp_regions)
        *table = pj_regions_table(wizard->looked, PJ_REGIONS_FUNCTION, err);
    return module ? plot->make((pj_plot_data){.run = wizard->looked}, opts, module, err) : NULL;
}

static pj_figure *make(pj_wizard *wizard, pj_table **table, pj_err *err)
{
    bool totals = view_of(wizard) == PJ_WIZARD_TOTALS;
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
    pj_piece_say(&wizard->parts, page_of(wizard)->summary, html.at);
}

static void show_controls(const pj_wizard *wizard)
{
    const inside_page *page = page_of(wizard);
    const pj_pieces *parts = &wizard->parts;
    bool totals = view_of(wizard) == PJ_WIZARD_TOTALS;
    bool timeline = view_of(wizard) == PJ_WIZARD_TIMELINE;
    pj_piece_show(parts, page->quantity, totals);
    pj_piece_show(parts, page->bars, totals);
    pj_piece_show(parts, page->order, totals && quantity_of(wizard));
    pj_piece_show(parts, page->range, timeline);
    pj_piece_show(parts, page->ranks, timeline);
    pj_piece_show(parts, page->show, timeline);
    pj_piece_show(parts, page->zoom, timeline);
}

static void draw(pj_wizard *wizard)
{
    show_controls(wizard);
    bool totals = view_of(wizard) == PJ_WIZARD_TOTALS;
    if (!totals && !is_read(wizard)) {
        pj_piece_display(&wizard->parts, page_of(wizard)->plot, NULL, NULL);
        start_look(wizard);
        return;
    }
    end_look(wizard);
    pj_err err = {.code = PJ_E_NONE};
    pj_auto_table table = NULL;
    pj_auto_figure figure = make(wizard, &table, &err);
    pj_wizard_draw_marked(wizard, page_of(wizard)->plot, figure, page_of(wizard)->mark, &err);
    if (totals)
        show_summary(wizard, table);
    else
        show_regions(wizard, table);
}

static void on_control(void *context)
{
    const pj_wizard *wizard = context;
    if (wizard->study)
        draw(context);
}

/// The name to save under follows, unless the user gave one.
static void on_view(void *context)
{
    const pj_wizard *wizard = context;
    pj_piece part = page_of(wizard)->saver.name;
    const char *name = pj_piece_text(&wizard->parts, part);
    bool ours = false;
    for (size_t i = 0; i < sizeof file_names / sizeof *file_names; i++)
        ours = ours || strcmp(name, file_names[i]) == 0;
    if (ours)
        pj_piece_say(&wizard->parts, part, file_names[view_of(wizard)]);
    on_control(context);
}

// Zoom

/// Shows `factor` times the time that is shown now, its middle moved by `shift` of it.
static void zoom(pj_wizard *wizard, double factor, double shift)
{
    const pj_run *run = wizard->looked;
    if (view_of(wizard) != PJ_WIZARD_TIMELINE || !is_read(wizard) || !run->timeline)
        return;
    double from = (double)run->timeline->from_ns, to = (double)run->timeline->to_ns;
    double width = (to - from) * factor, last = (double)run->end_ns;
    double begin = (from + to - width) / 2 + shift * (to - from);
    if (width < 1000) // the least that Extrae's clocks tell apart
        return;
    begin = begin + width > last ? last - width : begin;
    begin = begin < 0 ? 0 : begin;
    double end = begin + width > last ? last : begin + width;
    pj_auto_arena arena = pj_arena_new(NULL);
    const char *range = pj_arena_format(arena, "%.7gms..%.7gms", begin / 1e6, end / 1e6);
    pj_piece_say(&wizard->parts, page_of(wizard)->range, begin > 0 || end < last ? range : "");
    draw(wizard);
}

static void on_zoom_in(void *context)
{
    zoom(context, 0.25, 0);
}

static void on_zoom_out(void *context)
{
    zoom(context, 4, 0);
}

static void on_earlier(void *context)
{
    zoom(context, 1, -0.5);
}

static void on_later(void *context)
{
    zoom(context, 1, 0.5);
}

static void on_whole(void *context)
{
    const pj_wizard *wizard = context;
    pj_piece_say(&wizard->parts, page_of(wizard)->range, "");
    on_control(context);
}

static void on_region(void *context)
{
    pj_wizard *wizard = context;
    const pj_run *run = wizard->looked;
    if (view_of(wizard) != PJ_WIZARD_TIMELINE || !is_read(wizard) || !run->timeline)
        return;
    double from = (double)run->timeline->from_ns, to = (double)run->timeline->to_ns;
    double whole = (double)run->end_ns / 100;
    pj_auto_arena arena = pj_arena_new(NULL);
    bool several = wizard->chosen_count > 1 && whole > 0;
    pj_wizard_analyse_region(
        wizard, several ? pj_arena_format(arena, "%.4f%%..%.4f%%", from / whole, to / whole)
                        : pj_arena_format(arena, "%.0fns..%.0fns", from, to));
}

static pj_piece build_zoom(pj_wizard *wizard)
{
    static const struct {
        const char *label, *icon, *tip;
        void (*call)(void *context);
    } buttons[] = {
        {"Zoom in", "search-plus", "A quarter of this time", on_zoom_in},
        {"Zoom out", "search-minus", "Four times this time", on_zoom_out},
        {"Earlier", "arrow-left", "Half a picture back", on_earlier},
        {"Later", "arrow-right", "Half a picture on", on_later},
        {"Whole run", "arrows-h", "What is analysed", on_whole},
        {"Use as region", "crop",
         "Reads the runs again with this time as the region of interest; of several runs, the same "
         "part of each",
         on_region},
    };
    enum { COUNT = sizeof buttons / sizeof *buttons };
    pj_pieces *parts = &wizard->parts;
    pj_piece row[COUNT + 1] = {NULL};
    for (int i = 0; i < COUNT; i++) {
        row[i] = pj_piece_button(parts, buttons[i].label, buttons[i].icon, buttons[i].tip);
        pj_piece_on(parts, row[i], NULL, buttons[i].call);
    }
    return pj_piece_box(parts, "HBox", row);
}

static void on_save(void *context)
{
    pj_wizard_saver_save(context, &page_of(context)->saver);
}

static pj_piece build(pj_wizard *wizard)
{
    static const char *const none[] = {NULL}, *const orders[] = {"number", "value", NULL};
    static const char *const bars[] = {"what fits the run", "ranks", "threads", NULL};
    pj_pieces *parts = &wizard->parts;
    inside_page *page = pj_new(wizard->arena, inside_page);
    wizard->pages[PJ_STEP_inside] = page;
    page->run = pj_piece_choice(parts, "Run", none);
    page->view = pj_piece_new(parts, "ToggleButtons",
                              json_pack("{s:[s,s,s], s:i, s:{s:s}}", "_options_labels", "Ranks",
                                        "OpenMP regions", "Timeline", "index", 0, "style",
                                        "button_width", "10em"));
    page->quantity = pj_piece_choice(parts, "Show", none);
    page->range = pj_piece_entry(parts, "Time", "all, 1.5s..1.6s or 10%..20%");
    page->mark = pj_arena_format(wizard->arena, "pj-time-%s", page->range);
    pj_piece_set(parts, page->range, "_dom_classes", json_pack("[s]", page->mark));
    page->ranks = pj_piece_entry(parts, "Ranks", "all, 3 or 0-15");
    page->show = pj_piece_button(parts, "Show", "refresh", "Draws this time and these ranks");
    page->zoom = build_zoom(wizard);
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
    pj_piece_on(parts, page->show, NULL, on_control);
    pj_piece_on(parts, page->cancel, NULL, on_cancel);
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
                                        page->ranks, page->show),
                           page->zoom, page->cancel, page->summary, page->plot, page->saver.box);
}

static bool useful(const pj_wizard *wizard)
{
    return wizard->study != NULL;
}

/// The runs of the study, the largest in front of the user.
static void list_runs(pj_wizard *wizard)
{
    const inside_page *page = page_of(wizard);
    const pj_study *study = wizard->study;
    int before = pj_piece_index(&wizard->parts, page->run);
    json_t *names = json_array();
    for (size_t i = 0; i < study->count; i++)
        json_array_append_new(names, pj_piece_string(study->cases[i].name));
    bool there = before >= 0 && (size_t)before < study->count;
    pj_piece_options(&wizard->parts, page->run, names, there ? before : (int)study->count - 1);
}

static void refresh(pj_wizard *wizard)
{
    if (!wizard->study)
        return;
    list_runs(wizard);
    draw(wizard);
}

static void add_field(const pj_wizard *wizard, const char *key, pj_piece part, pj_buf *out)
{
    const char *text = pj_piece_text(&wizard->parts, part);
    if (!*text)
        return;
    pj_buf_addf(out, ", %s = ", key);
    pj_wizard_code_text(out, text);
}

/// A verb that reads the run itself; `fields` begins with a comma.
static void add_call(const pj_wizard *wizard, const char *verb, pj_str fields, pj_buf *out)
{
    pj_buf_puts(out, verb);
    pj_wizard_code_text(out, pj_wizard_path(wizard, run_of(wizard)->path));
    if (fields.len)
        pj_buf_addf(out, ", {" PJ_STR_FMT "}", PJ_STR_ARG(pj_str_from(fields, 2)));
    pj_buf_puts(out, ")\n");
}

static void code_look(const pj_wizard *wizard, pj_buf *out)
{
    const inside_page *page = page_of(wizard);
    pj_auto_buf fields = {0};
    if (view_of(wizard) == PJ_WIZARD_TIMELINE) {
        add_field(wizard, "range", page->range, &fields);
        add_field(wizard, "ranks", page->ranks, &fields);
        pj_wizard_code_how(wizard, false, &fields);
        add_call(wizard, "timeline(", pj_buf_str(&fields), out);
        return;
    }
    pj_wizard_code_how(wizard, false, &fields);
    pj_auto_buf sums = {0};
    pj_buf_puts(&sums, ", by = \"function\"");
    pj_buf_add(&sums, pj_buf_str(&fields));
    add_call(wizard, "regions(", pj_buf_str(&sums), out);
    add_call(wizard, "plot(\"regions\", ", pj_buf_str(&fields), out);
}

static void code(const pj_wizard *wizard, pj_buf *out)
{
    const pj_rank_quantity *quantity = quantity_of(wizard);
    if (!wizard->study)
        return;
    if (view_of(wizard) != PJ_WIZARD_TOTALS) {
        code_look(wizard, out);
        return;
    }
    const char *bar = pj_rank_has_threads(run_of(wizard), bars_of(wizard)) ? "thread" : "rank";
    pj_buf_puts(out, "run = load{");
    pj_wizard_code_text(out, pj_wizard_path(wizard, run_of(wizard)->path));
    pj_wizard_code_how(wizard, true, out);
    if (!quantity) {
        pj_buf_addf(out, "}[1]\nplot(\"ranks\", run, {x = \"%s\"})\n", bar);
        return;
    }
    pj_buf_puts(out, "}[1]\nstats = run.stats\n");
    if (quantity->formula)
        pj_buf_addf(out, "stats = stats:add(\"%s\", \"%s\")\n", quantity->key, quantity->formula);
    if (pj_piece_index(&wizard->parts, page_of(wizard)->order) == 1)
        pj_buf_addf(out, "stats = stats:sort \"-%s\"\n", quantity->key);
    pj_buf_addf(out, "stats:plot{\"bar\", x = \"%s\", y = \"%s\"}\n", bar, quantity->key);
}

const pj_wizard_step pj_wizard_step_inside = {build, useful, refresh, code};
