// First page: choosing traces and profiles, how they are read, and the reading itself.
#include "metrics/analyse/load_how.h"
#include "widgets/wizard/wizard_browse.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/num.h"
#include "metrics/base/str.h"
#include "metrics/pop/metricset.h"
#include "metrics/trace/layout.h"
#include "widgets/figure/escape.h"
#include "widgets/figure/html_page.h"
#include "widgets/wizard/profile/wizard_profile.h"
#include "widgets/wizard/wizard.h"
#include "widgets/wizard/wizard_job.h"
#include "widgets/wizard/wizard_pieces.h"
#include "widgets/wizard/wizard_record.h"

#include <stdio.h>

enum { LATENCY, BANDWIDTH, EAGER, NETWORK_PARTS };

typedef struct traces_page {
    pj_piece list, tag, reference, said; // of the chosen runs
    pj_piece how[PJ_HOW_COUNT];          // options of reading
    pj_piece network[NETWORK_PARTS];     // that is replayed in place of the ideal one
    pj_piece set, scaling, workers, memory, reread;
    pj_piece more, settings; // shows the box of them
    pj_piece analyse, cancel, all, trouble, progress;
} traces_page;

static traces_page *page_of(const pj_wizard *wizard)
{
    return wizard->pages[PJ_STEP_traces];
}

// The chosen runs

static void add_label(const pj_wizard *wizard, size_t index, pj_buf *out)
{
    static const char dot[] = " \u00b7 ";
    const pj_chosen *one = &wizard->chosen[index];
    char size[32];
    pj_format_bytes(one->facts.bytes, size);
    pj_buf_addf(out, "%zu. %s%s%s", index + 1, pj_wizard_name(one), dot,
                *one->facts.format ? one->facts.format : "unknown format");
    if (*one->facts.layout)
        pj_buf_addf(out, "%s%s", dot, one->facts.layout);
    if (one->facts.bytes)
        pj_buf_addf(out, "%s%s", dot, size);
    if (one->facts.summary)
        pj_buf_addf(out, "%ssummary", dot);
    if (*one->tag)
        pj_buf_addf(out, "%stag %s", dot, one->tag);
    if (wizard->reference && strcmp(wizard->reference, one->path) == 0)
        pj_buf_addf(out, "%sreference", dot);
    if (one->problem && !one->run)
        pj_buf_addf(out, "%s%s", dot, one->problem);
}

static void show_chosen(pj_wizard *wizard, const bool *marked)
{
    const traces_page *page = page_of(wizard);
    json_t *labels = json_array(), *marks = json_array();
    for (size_t i = 0; i < wizard->chosen_count; i++) {
        pj_auto_buf label = {0};
        add_label(wizard, i, &label);
        json_array_append_new(labels, pj_piece_string(label.at));
        if (marked && marked[i])
            json_array_append_new(marks, json_integer((json_int_t)i));
    }
    bool idle = !wizard->job;
    pj_piece_options(&wizard->parts, page->list, labels, -1);
    pj_piece_set(&wizard->parts, page->list, "index", marks);
    pj_piece_enable(&wizard->parts, page->analyse, idle && wizard->chosen_count > 0);
    pj_piece_enable(&wizard->parts, page->cancel, !idle);
}

/// Marks of the list by run, in the arena.
static bool *marks_of(const pj_wizard *wizard, pj_arena *arena)
{
    bool *marked = pj_new_n(arena, bool, wizard->chosen_count + 1);
    for (size_t i = 0; i < wizard->chosen_count; i++)
        marked[i] = pj_piece_has(&wizard->parts, page_of(wizard)->list, i);
    return marked;
}

/// After changes that the metrics see.
static void reconsider(pj_wizard *wizard)
{
    pj_err err = {.code = PJ_E_NONE};
    if (!wizard->job && !pj_wizard_evaluate(wizard, &err))
        pj_piece_tell(&wizard->parts, page_of(wizard)->said, err.text);
}

static void on_remove(void *context)
{
    pj_wizard *wizard = context;
    pj_auto_arena arena = pj_arena_new(NULL);
    const bool *marked = marks_of(wizard, arena);
    for (size_t i = wizard->chosen_count; i-- > 0;)
        if (marked[i])
            pj_wizard_unchoose(wizard, i);
    show_chosen(wizard, NULL);
    reconsider(wizard);
}

static void swap(pj_wizard *wizard, bool *marked, size_t a, size_t b)
{
    pj_chosen one = wizard->chosen[a];
    wizard->chosen[a] = wizard->chosen[b];
    wizard->chosen[b] = one;
    marked[b] = true;
    marked[a] = false;
}

static void on_up(void *context)
{
    pj_wizard *wizard = context;
    pj_auto_arena arena = pj_arena_new(NULL);
    bool *marked = marks_of(wizard, arena);
    for (size_t i = 1; i < wizard->chosen_count; i++)
        if (marked[i] && !marked[i - 1])
            swap(wizard, marked, i, i - 1);
    show_chosen(wizard, marked);
}

static void on_down(void *context)
{
    pj_wizard *wizard = context;
    pj_auto_arena arena = pj_arena_new(NULL);
    bool *marked = marks_of(wizard, arena);
    for (size_t i = wizard->chosen_count; i-- > 1;)
        if (marked[i - 1] && !marked[i])
            swap(wizard, marked, i - 1, i);
    show_chosen(wizard, marked);
}

static void on_tag(void *context)
{
    pj_wizard *wizard = context;
    pj_auto_arena arena = pj_arena_new(NULL);
    const bool *marked = marks_of(wizard, arena);
    for (size_t i = 0; i < wizard->chosen_count; i++)
        if (marked[i])
            pj_wizard_retag(wizard, i, pj_piece_text(&wizard->parts, page_of(wizard)->tag));
    show_chosen(wizard, marked);
    reconsider(wizard);
}

static void on_reference(void *context)
{
    pj_wizard *wizard = context;
    pj_auto_arena arena = pj_arena_new(NULL);
    const bool *marked = marks_of(wizard, arena);
    wizard->reference = NULL; // nothing marked: the smallest again
    for (size_t i = 0; i < wizard->chosen_count; i++)
        if (marked[i])
            wizard->reference = pj_arena_text(wizard->arena, pj_str_of(wizard->chosen[i].path));
    show_chosen(wizard, marked);
    reconsider(wizard);
}

static void chosen_changed(pj_wizard *wizard)
{
    show_chosen(wizard, NULL);
}

static pj_piece build_chosen(pj_wizard *wizard, traces_page *page)
{
    pj_pieces *parts = &wizard->parts;
    page->list =
        pj_piece_new(parts, "SelectMultiple",
                     json_pack("{s:i, s:s, s:{s:s, s:s}}", "rows", 7, "tooltip", "The chosen runs",
                               "layout", "width", "auto", "max_width", "900px"));
    pj_piece removes =
        pj_piece_button(parts, "Remove", "times", "Takes the marked runs off the list");
    pj_piece up = pj_piece_button(parts, "Up", "arrow-up", "Moves the marked runs up");
    pj_piece down = pj_piece_button(parts, "Down", "arrow-down", "Moves the marked runs down");
    page->reference =
        pj_piece_button(parts, "Reference", "flag",
                        "Scalings compare with the marked run; with none marked, with "
                        "the smallest");
    page->tag = pj_piece_new(parts, "Text",
                             json_pack("{s:s, s:b, s:{s:s}}", "placeholder", "tag",
                                       "continuous_update", 0, "layout", "width", "120px"));
    pj_piece set_tag =
        pj_piece_button(parts, "Set tag", "tag", "Tags the marked runs, to group them");
    page->said = pj_piece_html(parts, "");
    pj_piece_on(parts, removes, NULL, on_remove);
    pj_piece_on(parts, up, NULL, on_up);
    pj_piece_on(parts, down, NULL, on_down);
    pj_piece_on(parts, page->reference, NULL, on_reference);
    pj_piece_on(parts, set_tag, NULL, on_tag);
    return PJ_PIECE_COLUMN(
        parts, pj_piece_html(parts, "<b>Chosen runs</b>"), page->list,
        PJ_PIECE_ROW(parts, removes, up, down, page->reference, page->tag, set_tag), page->said);
}

// Advanced settings

static const char *or_none(const char *text)
{
    return *text ? text : NULL;
}

static pj_load_how texts_of(const pj_pieces *parts, const traces_page *page)
{
    pj_load_how how = {.roi = NULL};
    const pj_load_how_row *row;
    for (size_t i = 0; (row = pj_load_how_at(i)); i++) {
        size_t count = 0;
        while (row->choices && row->choices[count])
            count++;
        size_t picked = row->choices ? pj_piece_pick(parts, page->how[i], count) : 0;
        *pj_load_how_text(&how, i) = !row->choices ? or_none(pj_piece_text(parts, page->how[i]))
                                     : picked      ? row->choices[picked]
                                                   : NULL; // what goes without saying
    }
    return how;
}

pj_wizard_load pj_wizard_how(const pj_wizard *wizard)
{
    const traces_page *page = page_of(wizard);
    const pj_pieces *parts = &wizard->parts;
    return (pj_wizard_load){
        .texts = {.how = texts_of(parts, page),
                  .latency = or_none(pj_piece_text(parts, page->network[LATENCY])),
                  .bandwidth = or_none(pj_piece_text(parts, page->network[BANDWIDTH])),
                  .eager = or_none(pj_piece_text(parts, page->network[EAGER])),
                  .memory = or_none(pj_piece_text(parts, page->memory))},
        .workers = (uint64_t)pj_piece_value(parts, page->workers),
        .reread = pj_piece_is_on(parts, page->reread),
    };
}

static void on_how(void *context)
{
    pj_wizard *wizard = context;
    pj_wizard_load how = pj_wizard_how(wizard);
    pj_err err = {.code = PJ_E_NONE};
    bool good = pj_wizard_job_check(&how, &err);
    pj_piece_tell(&wizard->parts, page_of(wizard)->trouble, good ? "" : err.text);
    if (!wizard->job)
        pj_wizard_forget_runs(wizard);
}

static void on_set(void *context)
{
    pj_wizard *wizard = context;
    int index = pj_piece_index(&wizard->parts, page_of(wizard)->set);
    wizard->set = index > 0 ? wizard->host.set_at(wizard->host.self, (size_t)index - 1) : NULL;
    wizard->scaling = pj_wizard_scaling(wizard, page_of(wizard)->scaling);
    reconsider(wizard);
}

static json_t *set_labels(const pj_wizard *wizard)
{
    json_t *labels = json_pack("[s]", "what fits the runs");
    const pj_metric_set *set;
    for (size_t i = 0; (set = wizard->host.set_at(wizard->host.self, i)); i++)
        json_array_append_new(labels, json_string(set->title));
    return labels;
}

static void keep_settings(pj_wizard *wizard, const traces_page *page)
{
    const struct {
        const char *key, *trait;
        pj_piece part;
    } kept[] = {
        {"memory", NULL, page->memory},
        {"workers", NULL, page->workers},
        {"reread", NULL, page->reread},
    };
    for (size_t i = 0; i < PJ_HOW_COUNT; i++) {
        const char *trait = pj_load_how_at(i)->choices ? "index" : NULL;
        pj_wizard_keep(wizard, pj_load_how_at(i)->key, page->how[i], trait);
        pj_piece_on(&wizard->parts, page->how[i], trait ? trait : "value", on_how);
    }
    for (size_t i = 0; i < NETWORK_PARTS; i++) // is looked at, and never remembered
        pj_piece_on(&wizard->parts, page->network[i], "value", on_how);
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
        pj_wizard_keep(wizard, kept[i].key, kept[i].part, kept[i].trait);
        pj_piece_on(&wizard->parts, kept[i].part, kept[i].trait ? kept[i].trait : "value", on_how);
    }
}

/// A button, since no key reaches the title of ipywidgets' accordion.
static void on_more(void *context)
{
    pj_wizard *wizard = context;
    traces_page *page = page_of(wizard);
    pj_piece_show(&wizard->parts, page->settings, pj_piece_is_on(&wizard->parts, page->more));
}

static pj_piece build_settings(pj_wizard *wizard, traces_page *page)
{
    pj_pieces *parts = &wizard->parts;
    static const char *const none[] = {NULL};
    const pj_load_how_row *row;
    for (size_t i = 0; (row = pj_load_how_at(i)); i++)
        page->how[i] = row->choices ? pj_piece_choice(parts, row->title, row->choices)
                                    : pj_piece_entry(parts, row->title, row->hint);
    page->set = pj_piece_choice(parts, "Metric set", none);
    pj_piece_options(parts, page->set, set_labels(wizard), 0);
    page->scaling = pj_piece_choice(parts, "Scaling", pj_wizard_scalings);
    page->network[LATENCY] =
        pj_piece_entry(parts, "Latency", "of the replayed network: 0 (ideal), 2us");
    page->network[BANDWIDTH] =
        pj_piece_entry(parts, "Bandwidth", "of the replayed network: inf (ideal), 10G");
    page->network[EAGER] = pj_piece_entry(parts, "Eager", "largest message sent at once: 32k");
    page->memory = pj_piece_entry(parts, "Memory", "half of what there is, or 4G");
    page->workers = pj_piece_number(
        parts, "BoundedIntText", "Workers",
        json_pack("{s:i, s:i, s:s}", "min", 0, "max", 1024, "tooltip", "Threads to read with"));
    pj_piece workers = PJ_PIECE_ROW(parts, page->workers, pj_piece_html(parts, "0 = one per core"));
    page->reread = pj_piece_check(parts, "Ignore summaries", false);
    keep_settings(wizard, page);
    pj_piece_on(parts, page->set, "index", on_set);
    pj_piece_on(parts, page->scaling, "index", on_set);
    pj_piece how[PJ_HOW_COUNT + 1] = {NULL};
    for (size_t i = 0; i < PJ_HOW_COUNT; i++)
        how[i] = page->how[i];
    pj_piece box = pj_piece_box(parts, "VBox",
                                (const pj_piece[]){pj_piece_box(parts, "VBox", how), page->set,
                                                   page->scaling, page->network[LATENCY],
                                                   page->network[BANDWIDTH], page->network[EAGER],
                                                   workers, page->memory, page->reread, NULL});
    page->settings = box;
    page->more =
        pj_piece_new(parts, "ToggleButton",
                     json_pack("{s:s, s:s, s:s, s:{s:s, s:s}}", "description", "Advanced", "icon",
                               "sliders", "tooltip", "How traces are read and what is computed",
                               "layout", "width", "auto", "align_self", "flex-start"));
    pj_piece_show(parts, box, false);
    pj_piece_on(parts, page->more, "value", on_more);
    return PJ_PIECE_COLUMN(parts, page->more, box);
}

// Reading

static void add_rest(const pj_wizard_progress *p, pj_buf *out)
{
    double part = p->total ? (double)p->done / (double)p->total : 0;
    double seconds = (double)p->ns / 1e9;
    char total[32], rate[32], left[32];
    pj_format_bytes(p->total, total);
    pj_buf_addf(out, "%.0f %% of %s", part * 100, total);
    if (seconds <= 0 || !p->done || p->done > p->total)
        return;
    pj_format_bytes((uint64_t)((double)p->done / seconds), rate);
    pj_format_duration((double)p->ns * (1 - part) / part, left);
    pj_buf_addf(out, ", %s/s, %s left", rate, left);
}

static void add_state(const pj_chosen *one, pj_buf *out)
{
    const pj_wizard_progress *p = &one->progress;
    char time[32], rate[32];
    pj_format_duration((double)p->ns, time);
    switch (p->state) {
    case PJ_READING_NOT:
        break;
    case PJ_READING_WAITS:
        pj_buf_puts(out, "waits");
        break;
    case PJ_READING_NOW:
        add_rest(p, out);
        break;
    case PJ_READING_DONE:
        if (one->run && one->run->provenance) {
            pj_buf_addf(out, "summary read in %s", time);
            break;
        }
        pj_format_bytes((uint64_t)((double)one->facts.bytes / ((double)(p->ns + 1) / 1e9)), rate);
        pj_buf_addf(out, "read in %s, %s/s", time, rate);
        break;
    case PJ_READING_FAILED:
        pj_buf_puts(out, "failed: ");
        pj_escape_html(out, pj_str_of(one->problem));
        break;
    case PJ_READING_STOPPED:
        pj_buf_puts(out, "cancelled");
        break;
    }
}

static double part_of(const pj_wizard_progress *p)
{
    if (p->state >= PJ_READING_DONE)
        return 1;
    return p->state == PJ_READING_NOW && p->total ? (double)p->done / (double)p->total : 0;
}

/// Large traces count for more of the whole; one that fails or is cancelled needs no more.
static double weight_of(const pj_chosen *one)
{
    return (double)(one->facts.bytes ? one->facts.bytes : 1);
}

static void begin_progress_row(const char *name, const pj_wizard_progress *p, pj_buf *out)
{
    pj_buf_puts(out, "<tr><td style=\"padding:1px 12px 1px 0;white-space:nowrap\">");
    pj_escape_html(out, pj_str_of(name));
    pj_buf_addf(out,
                "</td><td style=\"padding-right:12px\"><progress max=\"1\" value=\"%.3f\">"
                "</progress></td><td>%s",
                part_of(p), p->state == PJ_READING_FAILED ? "\u26a0 " : "");
}

static void add_progress_row(const pj_chosen *one, pj_buf *out)
{
    begin_progress_row(pj_wizard_name(one), &one->progress, out);
    add_state(one, out);
    pj_buf_puts(out, "</td></tr>");
}

/// All profiles are read together.
static void add_profile_row(const pj_wizard *wizard, pj_buf *out)
{
    const pj_wizard_progress *p = &wizard->gathered;
    char time[32];
    const char *problem = NULL, *name = NULL;
    size_t unread = 0;
    for (size_t i = 0; i < wizard->chosen_count; i++) {
        const pj_chosen *one = &wizard->chosen[i];
        if (!one->facts.profile || !one->problem)
            continue;
        if (!unread++) {
            problem = one->problem;
            name = pj_wizard_name(one);
        }
    }
    begin_progress_row("Profiles", p, out);
    pj_format_duration((double)p->ns, time);
    if (p->state == PJ_READING_FAILED) {
        pj_buf_puts(out, "failed: ");
        pj_escape_html(out, pj_str_of(name ? name : ""));
        pj_buf_puts(out, ": ");
        pj_escape_html(out, pj_str_of(problem ? problem : "unknown reason"));
    } else if (p->state == PJ_READING_DONE) {
        pj_buf_addf(out, "read in %s", time);
        if (unread) { // the others are there
            pj_buf_addf(out, "; without %zu: ", unread);
            pj_escape_html(out, pj_str_of(name));
            pj_buf_puts(out, ": ");
            pj_escape_html(out, pj_str_of(problem));
        }
    } else {
        pj_buf_puts(out, p->state == PJ_READING_STOPPED ? "cancelled" : "reading");
    }
    pj_buf_puts(out, "</td></tr>");
}

static void show_progress(pj_wizard *wizard)
{
    const traces_page *page = page_of(wizard);
    pj_auto_buf html = {0};
    double done = 0, all = 0;
    pj_buf_puts(&html, "<table style=\"" PJ_HTML_FONT ";line-height:1.5;border-spacing:0\">");
    for (size_t i = 0; i < wizard->chosen_count; i++) {
        const pj_chosen *one = &wizard->chosen[i];
        if (one->progress.state == PJ_READING_NOT)
            continue;
        add_progress_row(one, &html);
        done += part_of(&one->progress) * weight_of(one);
        all += weight_of(one);
    }
    if (wizard->gather || wizard->gathered.state != PJ_READING_NOT) {
        add_profile_row(wizard, &html);
        done += part_of(&wizard->gathered);
        all += 1;
    }
    pj_buf_puts(&html, "</table>");
    pj_piece_say(&wizard->parts, page->progress, all > 0 ? html.at : "");
    pj_piece_set(&wizard->parts, page->all, "value", json_real(all > 0 ? done / all : 0));
    pj_piece_show(&wizard->parts, page->all, wizard->job != NULL);
}

static pj_chosen *find_chosen(pj_wizard *wizard, const char *path)
{
    for (size_t i = 0; i < wizard->chosen_count; i++)
        if (strcmp(wizard->chosen[i].path, path) == 0)
            return &wizard->chosen[i];
    return NULL;
}

/// Takes over what the job has done so far.
static void take_results(pj_wizard *wizard)
{
    for (size_t i = 0; i < pj_wizard_job_count(wizard->job); i++) {
        pj_chosen *one = find_chosen(wizard, pj_wizard_job_path(wizard->job, i));
        if (!one)
            continue;
        one->progress = pj_wizard_job_at(wizard->job, i);
        if (one->run || one->progress.state < PJ_READING_DONE)
            continue;
        pj_err err = {.code = PJ_E_NONE};
        one->run = pj_wizard_job_take(wizard->job, i, &err);
        if (one->run)
            one->facts.layout = pj_layout_text(&one->run->layout, one->arena);
        else if (one->progress.state == PJ_READING_FAILED)
            one->problem = pj_arena_text(one->arena, pj_str_of(err.text));
    }
}

static void end_reading(pj_wizard *wizard)
{
    const traces_page *page = page_of(wizard);
    pj_wizard_job_free(wizard->job);
    wizard->job = NULL;
    pj_err err = {.code = PJ_E_NONE};
    bool good = pj_wizard_evaluate(wizard, &err);
    pj_piece_tell(&wizard->parts, page->trouble, good ? "" : err.text);
    show_chosen(wizard, NULL);
    bool ai = wizard->metrics && wizard->study->count == 1 && wizard->study->cases[0].run->ai;
    if (wizard->metrics)
        pj_wizard_turn(wizard, ai ? PJ_STEP_devices : PJ_STEP_efficiencies);
    else
        pj_wizard_profile_turn(wizard);
}

void pj_wizard_traces_news(pj_wizard *wizard)
{
    if (!wizard->job)
        return;
    bool ended = pj_wizard_job_ended(wizard->job) && !wizard->gather;
    take_results(wizard);
    if (ended)
        end_reading(wizard);
    show_progress(wizard);
}

static void on_analyse(void *context)
{
    pj_wizard *wizard = context;
    traces_page *page = page_of(wizard);
    pj_wizard_load how = pj_wizard_how(wizard);
    pj_err err = {.code = PJ_E_NONE};
    if (wizard->job)
        return;
    bool good = pj_wizard_job_check(&how, &err);
    pj_piece_tell(&wizard->parts, page->trouble, good ? "" : err.text);
    if (!good)
        return;
    pj_auto_arena arena = pj_arena_new(NULL);
    const char **paths = pj_new_n(arena, const char *, wizard->chosen_count + 1);
    size_t count = 0;
    for (size_t i = 0; i < wizard->chosen_count; i++)
        if (!wizard->chosen[i].run && !wizard->chosen[i].facts.profile) {
            wizard->chosen[i].problem = NULL;
            wizard->chosen[i].progress = (pj_wizard_progress){.state = PJ_READING_WAITS};
            paths[count++] = wizard->chosen[i].path;
        }
    pj_wizard_profile_start(wizard);
    wizard->job = pj_wizard_job_start(paths, count, &how, pj_wizard_call, wizard);
    show_chosen(wizard, NULL);
    show_progress(wizard);
}

void pj_wizard_analyse_region(pj_wizard *wizard, const char *roi)
{
    if (wizard->job)
        return;
    pj_piece_say(&wizard->parts, page_of(wizard)->how[PJ_HOW_roi], roi);
    pj_wizard_forget_runs(wizard);
    pj_wizard_turn(wizard, PJ_STEP_traces);
    on_analyse(wizard);
}

static void on_cancel(void *context)
{
    pj_wizard *wizard = context;
    if (!wizard->job)
        return;
    pj_wizard_job_stop(wizard->job);
    pj_wizard_profile_stop(wizard);
    pj_piece_enable(&wizard->parts, page_of(wizard)->cancel, false);
}

static void on_reset(void *context)
{
    pj_wizard *wizard = context;
    const traces_page *page = page_of(wizard);
    if (wizard->job)
        return;
    pj_wizard_reset(wizard);
    pj_piece_set(&wizard->parts, page->set, "index", json_integer(0));
    pj_piece_set(&wizard->parts, page->scaling, "index", json_integer(0));
    for (size_t i = 0; i < NETWORK_PARTS; i++)
        pj_piece_say(&wizard->parts, page->network[i], "");
    pj_piece_say(&wizard->parts, page->said, "");
    pj_piece_say(&wizard->parts, page->trouble, "");
    wizard->gathered = (pj_wizard_progress){.state = PJ_READING_NOT};
    show_chosen(wizard, NULL);
    reconsider(wizard);
}

// The page

static pj_piece build(pj_wizard *wizard)
{
    pj_pieces *parts = &wizard->parts;
    traces_page *page = pj_new(wizard->arena, traces_page);
    wizard->pages[PJ_STEP_traces] = page;
    pj_browser *browser = pj_browser_new(wizard, chosen_changed);
    page->analyse = pj_piece_button(parts, "Analyse", "play", "Reads the chosen runs");
    pj_piece_set(parts, page->analyse, "button_style", json_string("primary"));
    page->cancel = pj_piece_button(parts, "Cancel", "stop", "Stops reading; what was read stays");
    pj_piece_enable(parts, page->cancel, false);
    pj_piece_enable(parts, page->analyse, false);
    page->all = pj_piece_new(parts, "FloatProgress",
                             json_pack("{s:f, s:{s:s, s:s}}", "max", 1.0, "layout", "width",
                                       "320px", "display", "none"));
    page->trouble = pj_piece_html(parts, "");
    page->progress = pj_piece_html(parts, "");
    pj_piece reset = pj_piece_button(parts, "Reset", "undo",
                                     "Takes all files off the list and all settings back");
    pj_piece_on(parts, reset, NULL, on_reset);
    pj_piece_on(parts, page->analyse, NULL, on_analyse);
    pj_piece_on(parts, page->cancel, NULL, on_cancel);
    pj_piece chosen = build_chosen(wizard, page), settings = build_settings(wizard, page);
    return PJ_PIECE_COLUMN(parts, pj_browser_box(browser), chosen, settings,
                           PJ_PIECE_ROW(parts, page->analyse, page->cancel, page->all, reset),
                           page->trouble, page->progress);
}

static bool useful(const pj_wizard *wizard)
{
    (void)wizard;
    return true;
}

static void refresh(pj_wizard *wizard)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    show_chosen(wizard, marks_of(wizard, arena));
    show_progress(wizard);
}

static void code(const pj_wizard *wizard, pj_buf *out)
{
    size_t profiles = 0;
    for (size_t i = 0; i < wizard->chosen_count; i++)
        profiles += wizard->chosen[i].facts.profile;
    if (wizard->chosen_count > profiles) {
        pj_wizard_code_runs(wizard, out);
        pj_buf_puts(out, "runs\n");
    }
    if (profiles) {
        pj_wizard_code_profile(wizard, out);
        pj_buf_puts(out, "p\n");
    }
}

const pj_wizard_step pj_wizard_step_traces = {build, useful, refresh, code, NULL};
