// The page of devices: what each does, and why it is idle.
#include "widgets/wizard/wizard_record.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/run/ai_account.h"
#include "metrics/run/devices.h"
#include "metrics/run/run.h"
#include "metrics/run/study/study.h"
#include "metrics/table/table.h"
#include "widgets/figure/draw.h"
#include "widgets/figure/figure.h"
#include "widgets/plot/plot.h"
#include "widgets/table/render.h"
#include "widgets/wizard/wizard.h"
#include "widgets/wizard/wizard_glance.h"
#include "widgets/wizard/wizard_pieces.h"

typedef struct devices_page {
    pj_piece run, view, plot, table;
    size_t shown; // view
    pj_wizard_saver saver;
} devices_page;

enum { GLANCE, WORK, IDLE_CAUSES, ACCOUNT, CULPRITS, STEPS, VIEWS };
static const struct {
    const char *name, *code;
    bool ai; // of AI runs alone
} views[VIEWS] = {
    [GLANCE] = {"At a glance", "metrics(run)\nfindings(run)\niterations(run)", true},
    [WORK] = {"What they do", "stats(run, {devices = true})", false},
    [IDLE_CAUSES] = {"Why they are idle", "stats(run, {device_idle = true})", false},
    [ACCOUNT] = {"Where all of their time goes", "waits(run)", true},
    [CULPRITS] = {"Who makes others wait", "waits(run, {by = \"culprit\"})", true},
    [STEPS] = {"Steps", "iterations(run)", true},
};

static devices_page *page_of(const pj_wizard *wizard)
{
    return wizard->pages[PJ_STEP_devices];
}

static bool has_devices(const pj_run *run)
{
    return run->devices && run->devices->count;
}

/// The runs of the study that have devices, from 0; NULL past the end.
static pj_run *run_at(const pj_wizard *wizard, size_t index)
{
    const pj_study *study = wizard->study;
    for (size_t i = 0; i < study->count; i++)
        if (has_devices(study->cases[i].run) && index-- == 0)
            return study->cases[i].run;
    return NULL;
}

static bool useful(const pj_wizard *wizard)
{
    return wizard->study && run_at(wizard, 0);
}

static pj_run *chosen_run(const pj_wizard *wizard)
{
    int index = pj_piece_index(&wizard->parts, page_of(wizard)->run);
    pj_run *run = index >= 0 ? run_at(wizard, (size_t)index) : NULL;
    return run ? run : run_at(wizard, 0);
}

/// The view at a place of the list, which has those that the run has; VIEWS past its end.
static size_t view_at(const pj_run *run, size_t place)
{
    size_t view = 0;
    while (view < VIEWS && ((views[view].ai && !run->ai) || place--))
        view++;
    return view;
}

static size_t view_of(const pj_wizard *wizard)
{
    size_t view =
        view_at(chosen_run(wizard), pj_piece_pick(&wizard->parts, page_of(wizard)->view, VIEWS));
    return view < VIEWS ? view : WORK;
}

static pj_table *table_of(const pj_run *run, size_t view)
{
    if (run->ai && (view == ACCOUNT || view == GLANCE))
        return pj_ai_account_table(run, PJ_AI_BY_ACCOUNT);
    if (run->ai && view == CULPRITS)
        return pj_ai_account_table(run, PJ_AI_BY_CULPRIT);
    if (run->ai && view == STEPS)
        return pj_ai_iterations_table(run);
    return view == IDLE_CAUSES ? pj_devices_idle_table(run) : pj_devices_table(run);
}

static pj_figure *make(pj_wizard *wizard, pj_table **table, pj_err *err)
{
    const pj_run *run = chosen_run(wizard);
    const pj_draw *draw = pj_draw_open(err);
    *table = table_of(run, view_of(wizard));
    return draw ? pj_plot_devices.make((pj_plot_data){.run = run}, (pj_plot_opts){0}, draw, err)
                : NULL;
}

static void draw(pj_wizard *wizard)
{
    enum { MOST_ROWS = 64 };
    pj_err err = {.code = PJ_E_NONE};
    pj_auto_table table = NULL;
    pj_auto_figure figure = make(wizard, &table, &err);
    pj_auto_buf html = {0};
    page_of(wizard)->shown = view_of(wizard);
    pj_wizard_draw(wizard, page_of(wizard)->plot, figure, &err);
    if (view_of(wizard) == GLANCE) {
        pj_wizard_glance(chosen_run(wizard), wizard->palette, &html);
    } else {
        pj_buf_puts(&html, "<div style=\"overflow-x:auto;line-height:1.4\">");
        pj_render_table(&pj_renderer_html, table, (pj_render_opts){.max_rows = MOST_ROWS}, &html);
        pj_buf_puts(&html, "</div>");
    }
    pj_piece_say(&wizard->parts, page_of(wizard)->table, html.at);
}

static void on_view(void *context)
{
    if (useful(context))
        draw(context);
}

/// What was looked at before stays where the run has it; else the first view.
static void show_views(pj_wizard *wizard)
{
    const pj_run *run = chosen_run(wizard);
    json_t *names = json_array();
    int index = 0;
    for (size_t i = 0; view_at(run, i) < VIEWS; i++) {
        if (view_at(run, i) == page_of(wizard)->shown)
            index = (int)i;
        json_array_append_new(names, pj_piece_string(views[view_at(run, i)].name));
    }
    pj_piece_options(&wizard->parts, page_of(wizard)->view, names, index);
}

static void on_run(void *context)
{
    if (!useful(context))
        return;
    show_views(context);
    draw(context);
}

static void on_save(void *context)
{
    pj_wizard_saver_save(context, &page_of(context)->saver);
}

static pj_piece build(pj_wizard *wizard)
{
    static const char *const none[] = {NULL};
    pj_pieces *parts = &wizard->parts;
    devices_page *page = pj_new(wizard->arena, devices_page);
    wizard->pages[PJ_STEP_devices] = page;
    page->run = pj_piece_choice(parts, "Run", none);
    page->view = pj_piece_choice(parts, "Numbers", none);
    page->plot = pj_piece_output(parts);
    page->table = pj_piece_html(parts, "");
    pj_piece_on(parts, page->run, "index", on_run);
    pj_piece_on(parts, page->view, "index", on_view);
    page->saver.make = make;
    pj_wizard_saver_build(wizard, &page->saver, "devices", on_save);
    return PJ_PIECE_COLUMN(parts, PJ_PIECE_ROW(parts, page->run, page->view), page->plot,
                           page->table, page->saver.box);
}

/// The largest of the runs in front of the user.
static void refresh(pj_wizard *wizard)
{
    if (!useful(wizard))
        return;
    const pj_piece part = page_of(wizard)->run;
    const pj_study *study = wizard->study;
    int before = pj_piece_index(&wizard->parts, part), count = 0;
    json_t *names = json_array();
    for (size_t i = 0; i < study->count; i++) {
        if (!has_devices(study->cases[i].run))
            continue;
        json_array_append_new(names, pj_piece_string(study->cases[i].name));
        count++;
    }
    pj_piece_options(&wizard->parts, part, names,
                     before >= 0 && before < count ? before : count - 1);
    show_views(wizard);
    draw(wizard);
}

static void code(const pj_wizard *wizard, pj_buf *out)
{
    if (!useful(wizard))
        return;
    pj_buf_puts(out, "run = load{");
    pj_wizard_code_text(out, pj_wizard_path(wizard, chosen_run(wizard)->path));
    pj_wizard_code_how(wizard, true, out);
    pj_buf_puts(out, "}[1]\nplot(\"devices\", run)\n");
    pj_buf_addf(out, "%s\n", views[view_of(wizard)].code);
}

const pj_wizard_step pj_wizard_step_devices = {build, useful, refresh, code, NULL};
