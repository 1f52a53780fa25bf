// The frame of the wizard: tabs that appear as they become useful, the code under every page, what
// is kept for the next time, and its end.
#include "widgets/wizard/wizard_browse.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "metrics/base/utf8.h"
#include "metrics/pop/metrics.h"
#include "metrics/pop/metricset.h"
#include "metrics/profile/profile.h"
#include "metrics/run/run.h"
#include "metrics/run/study/study.h"
#include "widgets/figure/escape.h"
#include "widgets/ipy/widget_record.h"
#include "widgets/wizard/profile/wizard_profile.h"
#include "widgets/wizard/wizard_gather.h"
#include "widgets/wizard/wizard_job.h"
#include "widgets/wizard/wizard_pieces.h"
#include "widgets/wizard/wizard_print.h"
#include "widgets/wizard/wizard_probe.h"
#include "widgets/wizard/wizard_record.h"
#include "widgets/wizard/wizard_recorder.h"

#include <stdlib.h>

const pj_wizard_step *const pj_wizard_steps[PJ_STEP_COUNT] = {
#define STEP(key, title) [PJ_STEP_##key] = &pj_wizard_step_##key,
#include "widgets/wizard/wizard_steps.def"
#undef STEP
};

static const char *const titles[] = {
#define STEP(key, title) [PJ_STEP_##key] = title,
#include "widgets/wizard/wizard_steps.def"
#undef STEP
};

// Pages

/// The page in front; -1 when there is none.
static int current(const pj_wizard *wizard)
{
    const pj_widget *tabs = pj_widgets_find(wizard->parts.widgets, wizard->tabs);
    json_int_t index = tabs ? json_integer_value(pj_widget_get(tabs, "selected_index", NULL)) : 0;
    for (int step = 0; step < PJ_STEP_COUNT; step++)
        if (wizard->shown[step] && index-- == 0)
            return step;
    return -1;
}

static void show_code(pj_wizard *wizard)
{
    bool on = pj_piece_is_on(&wizard->parts, wizard->code_switch);
    pj_piece_show(&wizard->parts, wizard->code_box, on);
    pj_auto_buf code = {0};
    if (on)
        pj_wizard_code(wizard, &code);
    pj_piece_say(&wizard->parts, wizard->code_text, code.len ? code.at : "");
}

static void refresh_current(pj_wizard *wizard)
{
    int step = current(wizard);
    if (step >= 0 && wizard->stale[step]) {
        wizard->stale[step] = false;
        pj_wizard_steps[step]->refresh(wizard);
    }
}

/// Shows another list of pages, with the same one in front.
static void set_pages(pj_wizard *wizard)
{
    int front = current(wizard), place = 0, count = 0;
    pj_piece pages[PJ_STEP_COUNT + 1] = {NULL};
    json_t *names = json_array();
    for (int step = 0; step < PJ_STEP_COUNT; step++) {
        if (!wizard->shown[step])
            continue;
        if (step == front)
            place = count;
        pages[count++] = wizard->page[step];
        json_array_append_new(names, json_string(titles[step]));
    }
    pj_piece_children(&wizard->parts, wizard->tabs, pages);
    pj_piece_set(&wizard->parts, wizard->tabs, "titles", names);
    pj_piece_set(&wizard->parts, wizard->tabs, "selected_index", json_integer(place));
}

void pj_wizard_refresh(pj_wizard *wizard)
{
    bool same = true;
    bool useful[PJ_STEP_COUNT];
    for (int step = 0; step < PJ_STEP_COUNT; step++) {
        useful[step] = pj_wizard_steps[step]->useful(wizard);
        same = same && useful[step] == wizard->shown[step];
        wizard->stale[step] = true;
    }
    if (!same) {
        for (int step = 0; step < PJ_STEP_COUNT; step++)
            wizard->shown[step] = useful[step];
        set_pages(wizard);
    }
    refresh_current(wizard);
    show_code(wizard);
}

void pj_wizard_renew(pj_wizard *wizard, int step)
{
    wizard->stale[step] = true;
    refresh_current(wizard);
    show_code(wizard);
}

void pj_wizard_turn(pj_wizard *wizard, int step)
{
    int place = 0;
    for (int i = 0; i < step; i++)
        place += wizard->shown[i];
    if (!wizard->shown[step])
        return;
    pj_piece_set(&wizard->parts, wizard->tabs, "selected_index", json_integer(place));
    refresh_current(wizard);
    show_code(wizard);
}

void pj_wizard_code(pj_wizard *wizard, pj_buf *out)
{
    int step = current(wizard);
    if (step >= 0)
        pj_wizard_steps[step]->code(wizard, out);
}

// What is kept

void pj_wizard_keep(pj_wizard *wizard, const char *key, pj_piece part, const char *trait)
{
    pj_widget *widget = part ? pj_widgets_find(wizard->parts.widgets, part) : NULL;
    if (!widget || wizard->kept_count == PJ_WIZARD_MOST_KEPT)
        return;
    trait = trait ? trait : "value";
    wizard->kept[wizard->kept_count++] =
        (pj_kept_piece){key, trait, part, json_incref(pj_widget_get(widget, trait, NULL))};
}

static json_t *choices_of(const pj_wizard *wizard)
{
    json_t *parts = json_object(), *runs = json_array();
    for (size_t i = 0; i < wizard->kept_count; i++) {
        const pj_kept_piece *kept = &wizard->kept[i];
        const pj_widget *widget =
            kept->part ? pj_widgets_find(wizard->parts.widgets, kept->part) : NULL;
        if (widget)
            json_object_set(parts, kept->key, pj_widget_get(widget, kept->trait, NULL));
    }
    for (size_t i = 0; i < wizard->chosen_count; i++)
        json_array_append_new(runs, json_pack("{s:s, s:s}", "path", wizard->chosen[i].path, "tag",
                                              wizard->chosen[i].tag));
    bool is_kept = wizard->reference && pj_utf8_valid(pj_str_of(wizard->reference));
    return json_pack("{s:o, s:o, s:s?, s:s?}", "parts", parts, "runs", runs, "reference",
                     is_kept ? wizard->reference : NULL, "set",
                     wizard->set ? wizard->set->key : NULL);
}

static void keep_choices(pj_wizard *wizard)
{
    json_t *choices = choices_of(wizard);
    bool same = wizard->kept_last && json_equal(choices, wizard->kept_last);
    json_decref(wizard->kept_last);
    wizard->kept_last = choices;
    if (!same && wizard->host.keep)
        wizard->host.keep(wizard->host.self, choices);
}

static void recall_parts(pj_wizard *wizard, const json_t *parts)
{
    for (size_t i = 0; i < wizard->kept_count; i++) {
        json_t *value = json_object_get(parts, wizard->kept[i].key);
        if (value)
            pj_piece_set(&wizard->parts, wizard->kept[i].part, wizard->kept[i].trait,
                         json_incref(value));
    }
}

static void recall_runs(pj_wizard *wizard, const json_t *choices)
{
    size_t i;
    const json_t *run;
    json_array_foreach(json_object_get(choices, "runs"), i, run)
    {
        const char *path = json_string_value(json_object_get(run, "path"));
        if (path)
            pj_wizard_choose(wizard, path, json_string_value(json_object_get(run, "tag")));
    }
    const char *reference = json_string_value(json_object_get(choices, "reference"));
    if (reference)
        wizard->reference = pj_arena_text(wizard->arena, pj_str_of(reference));
}

/// Runs named by the caller take the place of those of the last time.
static void recall(pj_wizard *wizard, const pj_wizard_opts *opts)
{
    json_t *choices = wizard->host.recall ? wizard->host.recall(wizard->host.self) : NULL;
    recall_parts(wizard, json_object_get(choices, "parts"));
    const char *set = json_string_value(json_object_get(choices, "set"));
    const pj_metric_set *one;
    for (size_t i = 0; set && (one = wizard->host.set_at(wizard->host.self, i)); i++)
        if (strcmp(one->key, set) == 0)
            wizard->set = one;
    if (opts->path_count == 0)
        recall_runs(wizard, choices);
    for (size_t i = 0; i < opts->path_count; i++)
        pj_wizard_choose(wizard, opts->paths[i], NULL);
    json_decref(choices);
}

void pj_wizard_reset(pj_wizard *wizard)
{
    for (size_t i = 0; i < wizard->kept_count; i++) {
        const pj_kept_piece *kept = &wizard->kept[i];
        if (!pj_browser_keeps(wizard->browser, kept->part))
            pj_piece_set(&wizard->parts, kept->part, kept->trait, json_incref(kept->initial));
    }
    while (wizard->chosen_count)
        pj_wizard_unchoose(wizard, wizard->chosen_count - 1);
    wizard->reference = NULL;
    wizard->set = NULL;
    wizard->scaling = PJ_SCALING_AUTO;
    wizard->by = PJ_BY_NONE;
    wizard->palette = (pj_palette){0};
}

// Life

static void drop(pj_wizard *wizard)
{
    if (--wizard->references > 0)
        return;
    pj_metrics_release(wizard->metrics);
    pj_study_release(wizard->study);
    pj_run_release(wizard->looked);
    pj_profile_release(wizard->profile);
    pj_profile_release(wizard->traced);
    for (size_t i = 0; i < wizard->chosen_count; i++) {
        pj_run_release(wizard->chosen[i].run);
        pj_arena_free(wizard->chosen[i].arena);
    }
    free(wizard->chosen);
    for (size_t i = 0; i < wizard->kept_count; i++)
        json_decref(wizard->kept[i].initial);
    pj_browser_free(wizard->browser);
    json_decref(wizard->kept_last);
    pj_pieces_free(&wizard->parts);
    if (wizard->host.release)
        wizard->host.release(wizard->host.self);
    pj_arena_free(wizard->arena);
}

static void end_jobs(pj_wizard *wizard)
{
    pj_wizard_job_free(wizard->job);
    pj_wizard_job_free(wizard->look);
    pj_wizard_probe_forget(wizard);
    pj_wizard_gather_free(wizard->gather);
    pj_wizard_gather_free(wizard->beside);
    pj_wizard_print_free(wizard->print);
    pj_wizard_recorder_free(wizard->recorder);
    wizard->job = wizard->look = NULL;
    wizard->gather = wizard->beside = NULL;
    wizard->print = NULL;
    wizard->recorder = NULL;
}

static void root_closed(void *context, const pj_widget_event *event)
{
    (void)event;
    pj_wizard *wizard = context;
    wizard->closed = true;
    pj_pieces_close(&wizard->parts);
}

static void root_gone(void *context)
{
    pj_wizard *wizard = context;
    wizard->closed = true;
    end_jobs(wizard);
    drop(wizard);
}

static void after_touch(void *context)
{
    pj_wizard *wizard = context;
    if (wizard->closed)
        return;
    show_code(wizard);
    keep_choices(wizard);
}

/// A front end may still send clicks of a page whose results are gone.
static bool is_awake(void *context, int page)
{
    const pj_wizard *wizard = context;
    return !wizard->closed && (page == PJ_STEP_COUNT || pj_wizard_steps[page]->useful(wizard));
}

static void on_turn(void *context)
{
    refresh_current(context);
}

static void on_code(void *context)
{
    (void)context; // after_touch shows it
}

/// A click copies: the text is in the page, so the browser can do it alone. Pages without https
/// have no clipboard but the old one.
#define COPY                                                                                       \
    "<button type=\"button\" class=\"jupyter-button\" style=\"padding:0 10px;height:28px\" "       \
    "title=\"Copies the code, to be put into a cell\" "                                            \
    "onclick=\"const code=this.closest('.pj-wizard-code').querySelector('textarea');"              \
    "if(navigator.clipboard)navigator.clipboard.writeText(code.value);"                            \
    "else{code.select();document.execCommand('copy')}this.textContent='Copied'\">Copy</button>"    \
    "&ensp;or run <code>wizard{code = true}</code> in a cell: it makes a cell of this below"

static void build_code(pj_wizard *wizard)
{
    pj_pieces *parts = &wizard->parts;
    wizard->code_switch =
        pj_piece_new(parts, "ToggleButton",
                     json_pack("{s:s, s:s, s:s, s:{s:s, s:s}}", "description", "Show code", "icon",
                               "code", "tooltip", "The commands that make what this page shows",
                               "layout", "width", "auto", "align_self", "flex-start"));
    wizard->code_text = pj_piece_new(parts, "Textarea",
                                     json_pack("{s:i, s:s, s:{s:s, s:s}}", "rows", 8, "tooltip",
                                               "Code of this page", "layout", "width", "auto",
                                               "max_width", "900px"));
    wizard->code_box = PJ_PIECE_COLUMN(parts, wizard->code_text, pj_piece_html(parts, COPY));
    pj_piece_set(parts, wizard->code_box, "_dom_classes", json_pack("[s]", "pj-wizard-code"));
    pj_piece_show(parts, wizard->code_box, false);
    pj_piece_on(parts, wizard->code_switch, "value", on_code);
}

/// Tabs as wide as their titles, in two lines where one is too narrow: ipywidgets gives each the
/// same width and cuts the titles.
#define TABS "pj-wizard-tabs"
#define TABS_STYLE                                                                                 \
    "<style>." TABS ">* .lm-TabBar-tab,." TABS ">* .p-TabBar-tab"                                  \
    "{flex:0 0 auto!important;min-width:0!important}"                                              \
    "." TABS ">.lm-TabBar>ul,." TABS ">.p-TabBar>ul{flex-wrap:wrap}</style>"

static void build_footer(pj_wizard *wizard)
{
    pj_auto_buf text = {0};
    pj_buf_puts(&text, TABS_STYLE "<span style=\"font-size:12px;opacity:.7\">");
    if (wizard->host.kept_where) {
        pj_buf_puts(&text, "Choices are kept ");
        pj_escape_html(&text, pj_str_of(wizard->host.kept_where));
        pj_buf_puts(&text, ", for the next wizard in this folder.");
    }
    pj_buf_puts(&text, "</span>");
    wizard->footer = pj_piece_html(&wizard->parts, text.at);
}

static bool build(pj_wizard *wizard, pj_err *err)
{
    pj_pieces *parts = &wizard->parts;
    wizard->tabs = pj_piece_new(
        parts, "Tab",
        json_pack("{s:[s], s:{s:s}}", "_dom_classes", TABS, "layout", "width", "auto"));
    for (int step = 0; step < PJ_STEP_COUNT; step++) {
        parts->page = step;
        wizard->page[step] = pj_wizard_steps[step]->build(wizard);
    }
    parts->page = PJ_STEP_COUNT; // the frame
    build_code(wizard);
    build_footer(wizard);
    wizard->root =
        PJ_PIECE_COLUMN(parts, wizard->tabs, wizard->code_switch, wizard->code_box, wizard->footer);
    pj_piece_on(parts, wizard->tabs, "selected_index", on_turn);
    if (parts->err.code == PJ_E_NONE && wizard->root)
        return true;
    *err = parts->err;
    return false;
}

pj_wizard *pj_wizard_new(pj_widgets *widgets, const pj_wizard_host *host,
                         const pj_wizard_opts *opts, pj_err *err)
{
    pj_arena *arena = pj_arena_new(NULL);
    pj_wizard *wizard = pj_new(arena, pj_wizard);
    wizard->references = 1;
    wizard->arena = arena;
    wizard->host = *host;
    wizard->parts = (pj_pieces){.widgets = widgets,
                                .arena = arena,
                                .context = wizard,
                                .after = after_touch,
                                .awake = is_awake};
    if (!build(wizard, err)) {
        pj_pieces_close(&wizard->parts);
        drop(wizard);
        return NULL;
    }
    pj_widget *root = pj_wizard_root(wizard);
    pj_ignore(pj_widget_observe(
        root,
        (pj_widget_watch){
            .kind = PJ_WIDGET_CLOSE, .call = root_closed, .release = root_gone, .context = wizard},
        NULL));
    if (opts->mark)
        pj_piece_set(&wizard->parts, wizard->root, "_dom_classes", json_pack("[s]", opts->mark));
    pj_browser_start(wizard->browser, opts->folder);
    recall(wizard, opts);
    if (opts->folder_wanted)
        pj_browser_start(wizard->browser, opts->folder);
    pj_browser_show(wizard->browser);
    pj_wizard_refresh(wizard);
    keep_choices(wizard);
    return wizard;
}

pj_widget *pj_wizard_root(const pj_wizard *wizard)
{
    return pj_widgets_find(wizard->parts.widgets, wizard->root);
}

static pj_wizard *wizard_of(const pj_widget *root)
{
    for (size_t i = 0; i < root->watcher_count; i++)
        if (root->watchers[i].number && root->watchers[i].watch.call == root_closed)
            return root->watchers[i].watch.context;
    return NULL;
}

pj_wizard *pj_wizard_last(const pj_widgets *widgets)
{
    pj_wizard *last = NULL;
    const pj_widget *widget = NULL;
    while ((widget = pj_widgets_next(widgets, widget))) {
        pj_wizard *found = wizard_of(widget);
        last = found ? found : last;
    }
    return last;
}

// News of the job

static void take_news(void *context)
{
    pj_wizard *wizard = context;
    atomic_store(&wizard->due, false);
    const pj_widget *root = wizard->closed ? NULL : pj_wizard_root(wizard);
    if (!root)
        return;
    pj_widgets_own(wizard->parts.widgets, pj_widget_owner(root));
    pj_wizard_profile_news(wizard);
    pj_wizard_traces_news(wizard);
    pj_wizard_inside_news(wizard);
    pj_wizard_probe_news(wizard);
    pj_wizard_report_news(wizard);
    pj_wizard_recording_news(wizard);
    pj_widgets_own(wizard->parts.widgets, NULL);
}

static void drop_news(void *context)
{
    drop(context);
}

void pj_wizard_call(void *context)
{
    pj_wizard *wizard = context;
    if (atomic_exchange(&wizard->due, true))
        return; // it will see this too
    wizard->references++;
    wizard->host.later(wizard->host.self, take_news, drop_news, wizard);
}
