// The page of findings: what costs the runs most, each with one click to the view that shows it.
#include "widgets/wizard/wizard_inside.h"

#include "metrics/analyse/faults/faults.h"
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/job.h"
#include "metrics/base/num.h"
#include "metrics/base/str.h"
#include "metrics/run/parts/bursts_table.h"
#include "metrics/run/regions_table.h"
#include "metrics/run/run.h"
#include "metrics/run/study/study.h"
#include "metrics/run/waits/omp_waits.h"
#include "metrics/run/waits/wait_places.h"
#include "metrics/run/waits/waits_table.h"
#include "metrics/table/table.h"
#include "widgets/figure/draw.h"
#include "widgets/figure/escape.h"
#include "widgets/figure/figure.h"
#include "widgets/figure/html_page.h"
#include "widgets/plot/plot.h"
#include "widgets/table/render.h"
#include "widgets/wizard/wizard.h"
#include "widgets/wizard/wizard_pieces.h"
#include "widgets/wizard/wizard_probe.h"
#include "widgets/wizard/wizard_record.h"
#include "widgets/wizard/wizard_whatif.h"

#include <limits.h>

enum { MOST_FINDINGS = 12 };

/// A table on this page, and what a cell says for it.
typedef struct table_view {
    const char *command, *options;
    const char *verb, *code; // before and behind the path in a cell
    pj_table *(*numbers)(const pj_run *run, pj_err *err);
    const pj_plot *plot; // NULL = none
    bool longest;        // its longest wait has a place in the timeline
} table_view;

typedef struct findings_page {
    pj_probe_pieces reading;
    pj_piece head, rest, buttons;
    struct {
        pj_piece look, replay, text, box;
    } rows[MOST_FINDINGS];
    pj_piece view, longest, plot, table; // what tables show
    pj_faults faults;
    uint64_t found_in;       // number of the reading
    const table_view *shown; // NULL = no table is shown
    pj_wait_place longest_at;
} findings_page;

static findings_page *page_of(const pj_wizard *wizard)
{
    return wizard->pages[PJ_STEP_findings];
}

// The places of findings

/// Where none is known all of the run is shown.
static void look_at_timeline(pj_wizard *wizard, pj_wait_place place)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_wizard_inside_open(wizard, wizard->probe.of, PJ_WIZARD_TIMELINE,
                          pj_wait_place_text(place, arena));
}

// Tables

static pj_table *by_culprit(const pj_run *run, pj_err *err)
{
    return pj_waits_table(run, PJ_WAITS_CULPRIT, err);
}

static pj_table *by_cause(const pj_run *run, pj_err *err)
{
    return pj_waits_table(run, PJ_WAITS_CAUSES, err);
}

static pj_table *by_function(const pj_run *run, pj_err *err)
{
    return pj_regions_table(run, PJ_REGIONS_FUNCTION, err);
}

static const char waits_command[] = "popinjay waits", regions_command[] = "popinjay regions";
static const table_view table_views[] = {
    {waits_command, "--by culprit", "waits", ", by = \"culprit\"", by_culprit, &pj_plot_waits,
     true},
    {waits_command, "--by cause", "waits", ", by = \"cause\"", by_cause, &pj_plot_waits, true},
    {waits_command, "--threads", "waits", ", threads = true", pj_omp_waits_table, NULL, false},
    {regions_command, "--by function", "regions", ", by = \"function\"", by_function,
     &pj_plot_regions, false},
    {"popinjay bursts", "", "bursts", "", pj_bursts_table, &pj_plot_bursts, false},
};

static void draw_table(pj_wizard *wizard)
{
    enum { MOST_ROWS = 20 };
    const findings_page *page = page_of(wizard);
    const pj_run *run = wizard->probe.run;
    const pj_pieces *parts = &wizard->parts;
    pj_piece_show(parts, page->view, page->shown);
    if (!page->shown)
        return;
    const pj_plot *plot = page->shown->plot;
    pj_err err = {.code = PJ_E_NONE};
    pj_auto_table table = page->shown->numbers(run, &err);
    pj_auto_buf html = {0};
    pj_buf_puts(&html, "<div style=\"overflow-x:auto;line-height:1.4\">");
    if (table)
        pj_render_table(&pj_renderer_html, table, (pj_render_opts){.max_rows = MOST_ROWS}, &html);
    else
        pj_escape_html(&html, pj_str_of(err.text));
    pj_buf_puts(&html, "</div>");
    pj_piece_say(parts, page->table, html.at);
    pj_piece_show(parts, page->longest, page->shown->longest);
    pj_piece_show(parts, page->plot, plot);
    if (!plot)
        return;
    const pj_draw *draw = pj_draw_open(&err);
    pj_plot_opts opts = {.width = 860, .palette = wizard->palette};
    pj_auto_figure figure = draw ? plot->make((pj_plot_data){.run = run}, opts, draw, &err) : NULL;
    pj_wizard_draw(wizard, page->plot, figure, &err);
}

static void on_longest(void *context)
{
    const pj_wizard *wizard = context;
    if (wizard->probe.run)
        look_at_timeline(context, page_of(wizard)->longest_at);
}

// What shows a finding: the command of its row, as a view

static void look_at_table(pj_wizard *wizard, const pj_fault *fault)
{
    findings_page *page = page_of(wizard);
    pj_fault_view view = pj_fault_view_of(fault);
    for (size_t i = 0; i < sizeof table_views / sizeof *table_views; i++)
        if (strcmp(view.command, table_views[i].command) == 0 &&
            strcmp(view.options, table_views[i].options) == 0)
            page->shown = &table_views[i];
    page->longest_at = fault->place.to_ns
                           ? fault->place
                           : pj_wait_place_longest(wizard->probe.run, UINT_MAX, NULL);
    draw_table(wizard);
}

static void look_at_place(pj_wizard *wizard, const pj_fault *fault)
{
    look_at_timeline(wizard, fault->place);
}

static void look_at_ranks(pj_wizard *wizard, const pj_fault *fault)
{
    (void)fault;
    pj_wizard_inside_open(wizard, wizard->probe.of, PJ_WIZARD_TOTALS, "");
}

static void look_at_metrics(pj_wizard *wizard, const pj_fault *fault)
{
    (void)fault;
    pj_wizard_turn(wizard, PJ_STEP_efficiencies);
}

static void look_at_devices(pj_wizard *wizard, const pj_fault *fault)
{
    (void)fault;
    pj_wizard_turn(wizard, PJ_STEP_devices);
}

typedef void look_at(pj_wizard *wizard, const pj_fault *fault);

static look_at *view_of(const pj_wizard *wizard, const pj_fault *fault)
{
    static const struct {
        const char *command;
        look_at *look;
    } views[] = {{"popinjay timeline", look_at_place}, {"popinjay plot ranks", look_at_ranks},
                 {waits_command, look_at_table},       {"popinjay bursts", look_at_table},
                 {regions_command, look_at_table},     {"popinjay metrics", look_at_metrics},
                 {"popinjay stats", look_at_devices}};
    if (wizard->probe.run && wizard->probe.run->ai)
        return look_at_devices;
    for (size_t i = 0; i < sizeof views / sizeof *views; i++)
        if (strcmp(pj_fault_view_of(fault).command, views[i].command) == 0)
            return views[i].look;
    return NULL;
}

static bool is_found(const pj_wizard *wizard)
{
    return wizard->probe.run && page_of(wizard)->found_in == wizard->probe.number;
}

static const pj_fault *fault_at(const pj_wizard *wizard, size_t place)
{
    const findings_page *page = page_of(wizard);
    return is_found(wizard) && place < page->faults.count ? &page->faults.items[place] : NULL;
}

static void on_look(void *context, size_t place)
{
    const pj_fault *fault = fault_at(context, place);
    look_at *look = fault ? view_of(context, fault) : NULL;
    if (look)
        look(context, fault);
}

static void on_replay(void *context, size_t place)
{
    const pj_fault *fault = fault_at(context, place);
    if (!fault || !fault->change)
        return;
    bool ideal = strcmp(fault->change, PJ_FAULT_IDEAL) == 0; // as the page begins
    pj_wizard_whatif_open(context, ideal ? "" : fault->change, ideal ? NULL : fault->on_top);
}

// The list

static void add_gain(const pj_faults *faults, double ns, pj_buf *out)
{
    enum { WIDEST = 160 };
    char text[32];
    double whole = (double)faults->run->runtime_ns * faults->units;
    double part = whole > 0 ? ns / whole : 0;
    pj_format_duration(ns, text);
    pj_buf_addf(out,
                "<span style=\"display:inline-block;height:9px;width:%.0fpx;"
                "background:#d9722b;margin-right:6px\"></span>%.1f %% of the run, %s of all %s",
                fmin(part, 1) * WIDEST + 1, part * 100, text,
                faults->run->ai ? "devices" : "threads");
}

static void add_finding(const pj_faults *faults, size_t place, pj_buf *out)
{
    const pj_fault *fault = &faults->items[place];
    const pj_fault_row *row = &pj_fault_rows[fault->kind];
    pj_buf_addf(out,
                "<div style=\"" PJ_HTML_FONT ";line-height:1.45;padding:3px 0\"><b>%zu. %s</b> ",
                place + 1, row->title);
    pj_escape_html(out, pj_str_of(fault->where));
    pj_buf_addf(out, "<br>%s", row->sentence);
    if (fault->said) {
        pj_buf_puts(out, " It lies in ");
        pj_escape_html(out, pj_str_of(fault->said));
        pj_buf_add_char(out, '.');
    }
    pj_buf_puts(out, "<br>Mending it brings ");
    add_gain(faults, fault->recoverable_ns, out);
    pj_buf_addf(out, " (%s, confidence %s)</div>", fault->method, fault->confidence);
}

static void tell_rest(const pj_wizard *wizard)
{
    const findings_page *page = page_of(wizard);
    const pj_faults *faults = &page->faults;
    pj_auto_buf html = {0};
    pj_buf_puts(&html, "<div style=\"" PJ_HTML_FONT "\">");
    if (faults->lack) {
        pj_buf_puts(&html, "The run cannot be replayed: ");
        pj_escape_html(&html, pj_str_of(faults->lack));
        pj_buf_puts(&html, ". Faults that only a replay tells are not among these. ");
    } else if (faults->count == 0) {
        pj_buf_puts(&html, "Nothing was found that would bring a hundredth of the run. ");
    }
    if (faults->count > MOST_FINDINGS)
        pj_buf_addf(&html, "%zu more are in the table of <code>findings</code>. ",
                    faults->count - MOST_FINDINGS);
    if (faults->others) {
        pj_buf_addf(&html, "Others, each below 1 %% of the run: ");
        add_gain(faults, faults->others_ns, &html);
    }
    pj_buf_puts(&html, "</div>");
    pj_piece_say(&wizard->parts, page->rest, html.at);
}

static void show_list(const pj_wizard *wizard)
{
    const findings_page *page = page_of(wizard);
    const pj_pieces *parts = &wizard->parts;
    for (size_t i = 0; i < MOST_FINDINGS; i++) {
        const pj_fault *fault = fault_at(wizard, i);
        pj_piece_show(parts, page->rows[i].box, fault);
        if (!fault)
            continue;
        pj_auto_buf html = {0};
        add_finding(&page->faults, i, &html);
        pj_piece_say(parts, page->rows[i].text, html.at);
        pj_piece_enable(parts, page->rows[i].look, view_of(wizard, fault));
        pj_piece_enable(parts, page->rows[i].replay, fault->change);
    }
    if (wizard->probe.run)
        tell_rest(wizard);
    pj_piece_show(parts, page->rest, wizard->probe.run);
    pj_piece_show(parts, page->head, wizard->probe.run);
}

static bool find(pj_wizard *wizard, pj_err *err)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    const pj_study *study = wizard->study;
    pj_run **runs = pj_new_n(arena, pj_run *, study->count);
    pj_job job = {.workers = 0};
    for (size_t i = 0; i < study->count; i++) {
        pj_run *run = study->cases[i].run;
        runs[i] = run == wizard->probe.of ? wizard->probe.run : run;
    }
    return pj_faults_find(runs, study->count, &job, wizard->probe.arena, &page_of(wizard)->faults,
                          err);
}

static void refresh(pj_wizard *wizard)
{
    findings_page *page = page_of(wizard);
    if (!wizard->study)
        return;
    const pj_run *run = pj_wizard_probe_run(wizard, page->reading);
    pj_err err = {.code = PJ_E_NONE};
    if (!is_found(wizard))
        page->shown = NULL;
    page->faults = (pj_faults){.run = run};
    page->found_in = wizard->probe.number;
    if (run && !find(wizard, &err))
        page->faults = (pj_faults){.run = run};
    show_list(wizard);
    if (err.code != PJ_E_NONE)
        pj_piece_tell(&wizard->parts, page->rest, err.text);
    pj_auto_arena text = pj_arena_new(NULL);
    if (run)
        pj_piece_tell(&wizard->parts, page->head,
                      pj_arena_format(text, "What costs %s most, by what mending it would bring",
                                      wizard->probe.of->name));
    draw_table(wizard);
}

// The page

static void on_steady(void *context)
{
    pj_wizard_analyse_region(context, "iterations");
}

static void on_usual(void *context)
{
    pj_wizard_analyse_region(context, "");
}

static void build_row(pj_wizard *wizard, size_t place)
{
    findings_page *page = page_of(wizard);
    pj_pieces *parts = &wizard->parts;
    pj_piece look = pj_piece_button(parts, "Look", "search", "Turns to the view that shows it");
    pj_piece replay =
        pj_piece_button(parts, "Replay", "play", "Turns to the replay of the run without it");
    pj_piece text = pj_piece_html(parts, "");
    pj_piece_layout(parts, text, "flex", "1 1 400px");
    pj_piece_on_place(parts, look, on_look, place);
    pj_piece_on_place(parts, replay, on_replay, place);
    page->rows[place].look = look;
    page->rows[place].replay = replay;
    page->rows[place].text = text;
    page->rows[place].box = PJ_PIECE_ROW(parts, look, replay, text);
    pj_piece_show(parts, page->rows[place].box, false);
}

static pj_piece build(pj_wizard *wizard)
{
    pj_pieces *parts = &wizard->parts;
    findings_page *page = pj_new(wizard->arena, findings_page);
    wizard->pages[PJ_STEP_findings] = page;
    page->reading = pj_wizard_probe_build(wizard);
    page->head = pj_piece_html(parts, "");
    page->rest = pj_piece_html(parts, "");
    pj_piece rows[MOST_FINDINGS + 1] = {NULL};
    for (size_t i = 0; i < MOST_FINDINGS; i++) {
        build_row(wizard, i);
        rows[i] = page->rows[i].box;
    }
    pj_piece steady = pj_piece_button(
        parts, "Steady iterations", "repeat",
        "Reads the runs again with their steady iterations as the region of interest");
    pj_piece usual = pj_piece_button(parts, "Usual region", "arrows-h",
                                     "Reads the runs again with the region that they mark");
    pj_piece_on(parts, steady, NULL, on_steady);
    pj_piece_on(parts, usual, NULL, on_usual);
    page->longest = pj_piece_button(parts, "Longest in the timeline", "search",
                                    "Turns to the timeline around the longest of these waits");
    pj_piece_on(parts, page->longest, NULL, on_longest);
    page->plot = pj_piece_output(parts);
    page->table = pj_piece_html(parts, "");
    page->view =
        PJ_PIECE_COLUMN(parts, PJ_PIECE_ROW(parts, page->longest), page->plot, page->table);
    pj_piece_show(parts, page->view, false);
    return PJ_PIECE_COLUMN(parts, PJ_PIECE_ROW(parts, steady, usual), page->reading.box, page->head,
                           pj_piece_box(parts, "VBox", rows), page->rest, page->view);
}

static bool useful(const pj_wizard *wizard)
{
    return wizard->study != NULL;
}

static void code(const pj_wizard *wizard, pj_buf *out)
{
    const findings_page *page = page_of(wizard);
    pj_wizard_code_runs(wizard, out);
    pj_buf_puts(out, "findings(runs)\n");
    if (!page->shown || !wizard->probe.of)
        return;
    pj_buf_addf(out, "%s{", page->shown->verb);
    pj_wizard_code_text(out, pj_wizard_path(wizard, wizard->probe.of->path));
    pj_buf_puts(out, page->shown->code);
    pj_wizard_code_how(wizard, false, out);
    pj_buf_puts(out, "}\n");
}

const pj_wizard_step pj_wizard_step_findings = {build, useful, refresh, code, NULL};
