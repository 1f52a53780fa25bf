// Pages of a profile, a topic each: what the numbers say, a picture of it and of a trace's profile
// beside it, a table that is sorted and searched. Pictures are the rows of plots about the topic.
#include "widgets/wizard/profile/wizard_profile_page.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "metrics/profile/function_name.h"
#include "metrics/profile/part_order.h"
#include "metrics/profile/profile.h"
#include "metrics/profile/profile_findings.h"
#include "metrics/profile/profile_parts.h"
#include "metrics/profile/profile_sums.h"
#include "metrics/profile/profile_table.h"
#include "metrics/table/table.h"
#include "widgets/figure/alive/figure_alive.h"
#include "widgets/figure/draw.h"
#include "widgets/figure/escape.h"
#include "widgets/figure/figure.h"
#include "widgets/figure/html_page.h"
#include "widgets/plot/plot.h"
#include "widgets/table/call_tree_html.h"
#include "widgets/table/render.h"
#include "widgets/wizard/profile/wizard_profile.h"
#include "widgets/wizard/wizard.h"
#include "widgets/wizard/wizard_gather.h"
#include "widgets/wizard/wizard_pieces.h"
#include "widgets/wizard/wizard_record.h"

#include <inttypes.h>
#include <stdlib.h>

enum { ALONE = 860, BESIDE = 620, MOST_FUNCTIONS = 100, MOST_RANKS = 1024, MOST_ROWS = 40 };

typedef struct profile_page {
    pj_piece plot, function, rank, beside, match, sort, fold, stop;
    pj_piece words, left, right, table;
    const pj_profile *listed; // whose functions and ranks the lists show
    pj_wizard_saver saver;
} profile_page;

/// NULL of pages that are of no profile.
static const pj_profile_kind *kind_of(int step)
{
    return pj_wizard_steps[step]->profile;
}

static profile_page *page_of(const pj_wizard *wizard, int step)
{
    return wizard->pages[step];
}

static const pj_profile_topic *topic_of(int step)
{
    const pj_profile_topic *topic;
    for (size_t i = 0; (topic = pj_profile_topic_at(i)); i++)
        if (strcmp(topic->key, kind_of(step)->topic) == 0)
            return topic;
    return NULL;
}

bool pj_profile_page_useful(const pj_wizard *wizard, int step)
{
    return wizard->profile && topic_of(step)->has(wizard->profile);
}

/// To sort by; NULL = the table is as it is.
static const char *const *keys_of(const pj_wizard *wizard, int step)
{
    return kind_of(step)->keys && wizard->profile ? kind_of(step)->keys(wizard->profile) : NULL;
}

// ---- pictures

/// The nth plot about the topic; NULL past the last.
static const pj_plot *plot_at(int step, size_t index)
{
    const pj_plot *plot;
    for (size_t i = 0; (plot = pj_plot_at(i)); i++) {
        bool mine = plot->source == PJ_PLOT_PROFILE && plot->topic &&
                    strcmp(plot->topic, kind_of(step)->topic) == 0;
        if (mine && index-- == 0)
            return plot;
    }
    return NULL;
}

static const pj_plot *plot_of(const pj_wizard *wizard, int step)
{
    size_t count = 0;
    while (plot_at(step, count))
        count++;
    return count ? plot_at(step, pj_piece_pick(&wizard->parts, page_of(wizard, step)->plot, count))
                 : NULL;
}

/// The rank that is chosen; false = all.
static bool rank_of(const pj_wizard *wizard, int step, int64_t *rank)
{
    int index = pj_piece_index(&wizard->parts, page_of(wizard, step)->rank);
    const pj_profile *p = wizard->profile;
    int64_t before = -1;
    for (uint32_t at = 0, place = 0; index > 0 && at < p->location_count; at++) {
        *rank = p->locations[at].rank;
        bool other = at == 0 || *rank != before;
        before = *rank;
        if (other && ++place == (uint32_t)index)
            return true;
    }
    return false;
}

/// The function that is typed or chosen, for a plot that needs one the telling one; NULL = all.
static const char *function_of(const pj_wizard *wizard, int step, const pj_profile *p,
                               pj_arena *arena)
{
    const char *typed = pj_piece_text(&wizard->parts, page_of(wizard, step)->function);
    const pj_plot *plot = plot_of(wizard, step);
    if (*typed || !plot || plot != &pj_plot_histogram)
        return *typed ? typed : NULL;
    uint32_t region = pj_profile_telling_function(p);
    return region == PJ_NO_ITEM ? NULL : pj_function_label(p, region, arena);
}

static pj_figure *draw_profile(const pj_wizard *wizard, int step, const pj_profile *p, double width,
                               pj_err *err)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    const pj_draw *draw = pj_draw_open(err);
    const pj_plot *plot = plot_of(wizard, step);
    const char *function = function_of(wizard, step, p, arena);
    pj_plot_opts opts = {.width = width};
    opts.profile.one_rank = rank_of(wizard, step, &opts.profile.rank);
    if (kind_of(step)->one_function)
        opts.profile.function = function;
    else
        opts.profile.root = function;
    return draw && plot ? plot->make((pj_plot_data){.profile = p}, opts, draw, err) : NULL;
}

// ---- tables

static pj_profile_ask ask_of(const pj_wizard *wizard, int step)
{
    const profile_page *page = page_of(wizard, step);
    const char *const *keys = keys_of(wizard, step);
    size_t count = 0;
    while (keys && keys[count])
        count++;
    pj_profile_ask ask = {.match = pj_str_of(pj_piece_text(&wizard->parts, page->match))};
    if (count)
        ask.sort = pj_str_of(keys[pj_piece_pick(&wizard->parts, page->sort, count)]);
    return ask;
}

/// All rows that are searched for, sorted.
static pj_table *make_table(const pj_wizard *wizard, int step, pj_err *err)
{
    pj_profile_ask ask = ask_of(wizard, step);
    return kind_of(step)->table(wizard->profile, ask, err);
}

// ---- showing

static void add_list(pj_str lines, pj_buf *out)
{
    pj_buf_puts(out, "<ul style=\"margin:4px 0 8px 0\">");
    while (lines.len) {
        pj_buf_puts(out, "<li>");
        pj_escape_html(out, pj_str_cut(&lines, '\n'));
        pj_buf_puts(out, ".</li>");
    }
    pj_buf_puts(out, "</ul>");
}

/// The summary stands on the first page that there is.
static void show_words(const pj_wizard *wizard, int step)
{
    pj_auto_buf lines = {0}, html = {0};
    bool first = true;
    for (int i = 0; i < step; i++)
        first = first && !(kind_of(i) && wizard->shown[i]);
    pj_ignore(!first || pj_profile_findings_about(wizard->profile, PJ_S("summary"), &lines, NULL));
    pj_ignore(
        pj_profile_findings_about(wizard->profile, pj_str_of(kind_of(step)->topic), &lines, NULL));
    pj_buf_puts(&html, "<div style=\"" PJ_HTML_FONT ";line-height:1.5;max-width:900px\">");
    if (lines.len)
        add_list(pj_buf_str(&lines), &html);
    pj_buf_puts(&html, "</div>");
    pj_piece_say(&wizard->parts, page_of(wizard, step)->words, html.at);
}

/// Which tree of calls stands in the place of the table; -1 = none.
static int fold_of(const pj_wizard *wizard, int step)
{
    int index = pj_piece_index(&wizard->parts, page_of(wizard, step)->fold);
    return kind_of(step)->folds && index > 0 && index <= PJ_FOLD_COUNT ? index - 1 : -1;
}

static void show_tree(const pj_wizard *wizard, int step)
{
    pj_err err = {.code = PJ_E_NONE};
    pj_auto_buf html = {0};
    pj_str root = pj_str_of(pj_piece_text(&wizard->parts, page_of(wizard, step)->function));
    if (!pj_call_tree_html(wizard->profile, (pj_call_fold)fold_of(wizard, step), root, &html, &err))
        pj_escape_html(&html, pj_str_of(err.text));
    pj_piece_say(&wizard->parts, page_of(wizard, step)->table, html.at);
}

/// Calls that fold, as a page of their own.
static bool fold_page(pj_wizard *wizard, int step, pj_buf *out, pj_err *err)
{
    const profile_page *page = page_of(wizard, step);
    pj_str root = pj_str_of(pj_piece_text(&wizard->parts, page->function));
    int fold = fold_of(wizard, step);
    if (fold < 0)
        return false;
    pj_html_page_open(out, pj_str_of(wizard->profile->title));
    bool made = pj_call_tree_html(wizard->profile, (pj_call_fold)fold, root, out, err);
    pj_figure_link_html(out);
    pj_html_page_close(out);
    return made;
}

static void show_table(const pj_wizard *wizard, int step)
{
    pj_err err = {.code = PJ_E_NONE};
    pj_auto_buf html = {0};
    if (fold_of(wizard, step) >= 0) {
        show_tree(wizard, step);
        return;
    }
    pj_auto_table table = kind_of(step)->untold ? NULL : make_table(wizard, step, &err);
    pj_buf_puts(&html, "<div style=\"overflow-x:auto;line-height:1.4\">");
    if (table)
        pj_render_table(&pj_renderer_html, table, (pj_render_opts){.max_rows = MOST_ROWS}, &html);
    else
        pj_escape_html(&html, pj_str_of(err.text));
    pj_buf_puts(&html, "</div>");
    pj_piece_say(&wizard->parts, page_of(wizard, step)->table, html.at);
}

/// The trace that is to stand beside the profile; NULL = none.
static const pj_chosen *beside_of(const pj_wizard *wizard, int step)
{
    int index = pj_piece_index(&wizard->parts, page_of(wizard, step)->beside);
    for (size_t i = 0; index > 0 && i < wizard->chosen_count; i++)
        if (!wizard->chosen[i].facts.profile && --index == 0)
            return &wizard->chosen[i];
    return NULL;
}

static bool is_traced(const pj_wizard *wizard, const pj_chosen *trace)
{
    return trace && wizard->traced && strcmp(wizard->traced_path, trace->path) == 0;
}

static void say_beside(const pj_wizard *wizard, int step, const char *text)
{
    pj_wizard_tell(wizard, page_of(wizard, step)->right, text);
}

/// Reads the trace first where that has not been done.
static void draw_beside(pj_wizard *wizard, int step)
{
    const profile_page *page = page_of(wizard, step);
    const pj_chosen *trace = beside_of(wizard, step);
    pj_err err = {.code = PJ_E_NONE};
    if (!trace || !plot_of(wizard, step)) {
        say_beside(wizard, step, "");
    } else if (is_traced(wizard, trace)) {
        pj_auto_figure figure = draw_profile(wizard, step, wizard->traced, BESIDE, &err);
        pj_wizard_draw(wizard, page->right, figure, &err);
    } else if (!wizard->beside ||
               strcmp(pj_wizard_gather_path(wizard->beside, 0), trace->path) != 0) {
        say_beside(wizard, step, "reading the functions of the trace");
        pj_wizard_profile_beside(wizard, trace->path);
    }
    pj_piece_show(&wizard->parts, page->stop, wizard->beside != NULL);
}

static void draw(pj_wizard *wizard, int step)
{
    const profile_page *page = page_of(wizard, step);
    pj_err err = {.code = PJ_E_NONE};
    const char *share = beside_of(wizard, step) ? "49%" : "auto";
    show_words(wizard, step);
    show_table(wizard, step);
    pj_piece_layout(&wizard->parts, page->left, "width", share);
    pj_piece_layout(&wizard->parts, page->right, "width", share);
    if (plot_of(wizard, step)) {
        double width = beside_of(wizard, step) ? BESIDE : ALONE;
        pj_auto_figure figure = draw_profile(wizard, step, wizard->profile, width, &err);
        pj_wizard_draw(wizard, page->left, figure, &err);
    }
    draw_beside(wizard, step);
}

void pj_wizard_profile_came(pj_wizard *wizard, const pj_err *err)
{
    for (int step = 0; step < PJ_STEP_COUNT; step++) {
        if (!kind_of(step) || !pj_profile_page_useful(wizard, step))
            continue;
        pj_piece_show(&wizard->parts, page_of(wizard, step)->stop, false);
        const pj_chosen *trace = beside_of(wizard, step);
        if (!trace)
            continue;
        if (is_traced(wizard, trace))
            draw_beside(wizard, step);
        else
            say_beside(wizard, step, err->code == PJ_E_STOPPED ? "cancelled" : err->text);
    }
}

void pj_wizard_profile_turn(pj_wizard *wizard)
{
    for (int step = 0; step < PJ_STEP_COUNT; step++)
        if (kind_of(step) && wizard->shown[step]) {
            pj_wizard_turn(wizard, step);
            return;
        }
}

// ---- what the lists offer

typedef struct offer {
    double value;
    uint32_t region;
} offer;

static int by_value(const void *a, const void *b)
{
    const offer *x = a, *y = b;
    if (x->value != y->value)
        return x->value < y->value ? 1 : -1;
    return (x->region > y->region) - (x->region < y->region);
}

/// The functions with most time of their own.
static json_t *function_names(const pj_profile *p)
{
    json_t *names = json_array();
    uint32_t measure = pj_profile_sums_usual_measure(p), count = p->count[PJ_AT_REGION];
    if (measure == PJ_NO_ITEM)
        return names;
    pj_auto_arena arena = pj_arena_new(NULL);
    const pj_profile_sums *sums = pj_profile_sums_new(p, measure, NULL, arena);
    offer *list = pj_new_n(arena, offer, count + (size_t)1);
    for (uint32_t r = 0; r < count; r++)
        list[r] = (offer){pj_profile_sums_size(sums->regions.exclusive[r]), r};
    qsort(list, count, sizeof *list, by_value);
    for (uint32_t i = 0; i < count && i < MOST_FUNCTIONS; i++)
        json_array_append_new(names, pj_piece_string(pj_function_label(p, list[i].region, arena)));
    return names;
}

static json_t *rank_names(const pj_profile *p)
{
    json_t *names = json_pack("[s]", "all");
    for (uint32_t at = 0; at < p->location_count && json_array_size(names) <= MOST_RANKS; at++)
        if (at == 0 || p->locations[at].rank != p->locations[at - 1].rank)
            json_array_append_new(
                names, json_sprintf("%" JSON_INTEGER_FORMAT, (json_int_t)p->locations[at].rank));
    return names;
}

static void list_traces(const pj_wizard *wizard, int step)
{
    const profile_page *page = page_of(wizard, step);
    const pj_chosen *before = beside_of(wizard, step);
    json_t *names = json_pack("[s]", "nothing");
    int chosen = 0;
    for (size_t i = 0; i < wizard->chosen_count; i++) {
        const pj_chosen *one = &wizard->chosen[i];
        if (one->facts.profile)
            continue;
        json_array_append_new(names, pj_piece_string(pj_wizard_name(one)));
        chosen = one == before ? (int)json_array_size(names) - 1 : chosen;
    }
    pj_piece_show(&wizard->parts, page->beside,
                  json_array_size(names) > 1 && plot_of(wizard, step));
    pj_piece_options(&wizard->parts, page->beside, names, chosen);
}

/// "time" of "time_s": the table says its unit.
static json_t *sort_name(const char *key)
{
    pj_str name = pj_str_of(key);
    if (pj_str_ends(name, PJ_S("_s")))
        name.len -= 2;
    return json_stringn(name.at, name.len);
}

static void list_sorts(const pj_wizard *wizard, int step)
{
    const profile_page *page = page_of(wizard, step);
    const char *const *keys = keys_of(wizard, step);
    json_t *names = json_array();
    for (size_t i = 0; keys && keys[i]; i++)
        json_array_append_new(names, sort_name(keys[i]));
    pj_piece_show(&wizard->parts, page->sort, keys);
    pj_piece_options(&wizard->parts, page->sort, names, keys ? 0 : -1);
}

void pj_profile_page_refresh(pj_wizard *wizard, int step)
{
    profile_page *page = page_of(wizard, step);
    if (!pj_profile_page_useful(wizard, step))
        return;
    if (page->listed != wizard->profile) {
        bool several = pj_profile_rank_count(wizard->profile) > 1;
        pj_piece_set(&wizard->parts, page->function, "options", function_names(wizard->profile));
        pj_piece_options(&wizard->parts, page->rank, rank_names(wizard->profile), 0);
        pj_piece_show(&wizard->parts, page->rank, several && !kind_of(step)->one_function);
        list_sorts(wizard, step);
        page->listed = wizard->profile;
    }
    list_traces(wizard, step);
    draw(wizard, step);
}

// ---- the page

static void on_control(void *context, size_t step)
{
    pj_wizard *wizard = context;
    if (pj_profile_page_useful(wizard, (int)step))
        draw(wizard, (int)step);
}

static void on_search(void *context, size_t step)
{
    const pj_wizard *wizard = context;
    if (pj_profile_page_useful(wizard, (int)step))
        show_table(wizard, (int)step);
}

static void on_stop(void *context, size_t step)
{
    const pj_wizard *wizard = context;
    (void)step;
    if (wizard->beside)
        pj_wizard_gather_stop(wizard->beside);
}

static pj_piece build_controls(pj_wizard *wizard, profile_page *page, int step)
{
    static const char *const none[] = {NULL};
    pj_pieces *parts = &wizard->parts;
    json_t *titles = json_array();
    for (size_t i = 0; plot_at(step, i); i++)
        json_array_append_new(titles, json_string(plot_at(step, i)->title));
    size_t plots = json_array_size(titles);
    page->plot = pj_piece_choice(parts, "Picture", none);
    pj_piece_options(parts, page->plot, titles, plots ? 0 : -1);
    pj_piece_show(parts, page->plot, plots > 1);
    page->function = pj_piece_new(parts, "Combobox",
                                  json_pack("{s:s, s:s, s:b}", "description", "Function",
                                            "placeholder", "all", "continuous_update", 0));
    pj_piece_show(parts, page->function, kind_of(step)->about_functions);
    page->rank = pj_piece_choice(parts, "Rank", none);
    page->beside = pj_piece_choice(parts, "Beside it", none);
    page->stop = pj_piece_button(parts, "Stop reading", "stop", "Ends the reading of the trace");
    pj_piece_show(parts, page->stop, false);
    pj_piece_on_key_place(parts, page->plot, "index", on_control, (size_t)step);
    pj_piece_on_key_place(parts, page->function, "value", on_control, (size_t)step);
    pj_piece_on_key_place(parts, page->rank, "index", on_control, (size_t)step);
    pj_piece_on_key_place(parts, page->beside, "index", on_control, (size_t)step);
    pj_piece_on_place(parts, page->stop, on_stop, (size_t)step);
    return PJ_PIECE_ROW(parts, page->plot, page->function, page->rank, page->beside, page->stop);
}

pj_piece pj_profile_page_build(pj_wizard *wizard, int step, void (*save)(void *wizard),
                               pj_figure *(*make)(pj_wizard *, pj_table **, pj_err *))
{
    static const char *const none[] = {NULL};
    static const char *const formats[] = {"png",  "svg", "pdf", "csv", "json",
                                          "html", "tex", "dot", NULL};
    static const char *const folds[] = {"functions", "calls, top-down", "calls, bottom-up",
                                        "callers and callees", NULL};
    static const char *const tables[] = {"csv", "json", "html", "md", "tex", NULL};
    pj_pieces *parts = &wizard->parts;
    profile_page *page = pj_new(wizard->arena, profile_page);
    wizard->pages[step] = page;
    pj_piece controls = build_controls(wizard, page, step);
    page->match = pj_piece_live_entry(parts, "Search", "part of file:line(function), or a pattern");
    page->sort = pj_piece_choice(parts, "Sorted by", none);
    pj_piece_show(parts, page->match, !kind_of(step)->untold);
    pj_piece_on_key_place(parts, page->match, "value", on_search, (size_t)step);
    pj_piece_on_key_place(parts, page->sort, "index", on_search, (size_t)step);
    page->fold = pj_piece_choice(parts, "Table", folds);
    pj_piece_show(parts, page->fold, kind_of(step)->folds);
    if (kind_of(step)->folds)
        pj_wizard_keep(wizard, "calls_fold", page->fold, "index");
    pj_piece_on_key_place(parts, page->fold, "index", on_search, (size_t)step);
    page->words = pj_piece_html(parts, "");
    page->left = pj_piece_output(parts);
    page->right = pj_piece_output(parts);
    page->table = pj_piece_html(parts, "");
    pj_piece pictures = PJ_PIECE_ROW(parts, page->left, page->right);
    pj_piece_layout(parts, pictures, "flex_flow", "row wrap");
    page->saver.formats = plot_at(step, 0) ? formats : tables;
    page->saver.make = make;
    page->saver.html = kind_of(step)->folds ? fold_page : NULL;
    page->saver.step = step;
    pj_wizard_saver_build(wizard, &page->saver, kind_of(step)->file, save);
    return PJ_PIECE_COLUMN(parts, page->words, controls, pictures,
                           PJ_PIECE_ROW(parts, page->fold, page->match, page->sort), page->table,
                           page->saver.box);
}

// ---- the same as commands

static void add_option(pj_buf *out, const char *key, const char *text)
{
    pj_buf_addf(out, "%s%s = ", out->len ? ", " : "", key);
    pj_wizard_code_text(out, text);
}

static void add_plot(const pj_wizard *wizard, int step, const char *of, pj_buf *out)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_auto_buf more = {0};
    const pj_plot *plot = plot_of(wizard, step);
    if (!plot)
        return;
    const char *function = function_of(wizard, step, wizard->profile, arena);
    int64_t rank;
    if (function)
        add_option(&more, kind_of(step)->one_function ? "f" : "root", function);
    if (rank_of(wizard, step, &rank))
        add_option(&more, "rank", pj_arena_format(arena, "%" PRId64, rank));
    pj_buf_addf(out, more.len ? "plot(\"%s\", %s, {%s})\n" : "plot(\"%s\", %s)\n", plot->name, of,
                more.at);
}

static void add_table(const pj_wizard *wizard, int step, pj_buf *out)
{
    pj_profile_ask ask = ask_of(wizard, step);
    pj_auto_buf more = {0}, match = {0}, sort = {0};
    if (fold_of(wizard, step) >= 0) {
        pj_buf_addf(out, "p:tree \"%s\"\n", pj_call_fold_name((size_t)fold_of(wizard, step)));
        return;
    }
    if (kind_of(step)->code) {
        pj_buf_addf(out, "%s\n", kind_of(step)->code);
        return;
    }
    pj_buf_add(&match, ask.match);
    pj_buf_add(&sort, ask.sort);
    if (kind_of(step)->asks)
        pj_buf_puts(&more, kind_of(step)->asks);
    if (sort.len)
        add_option(&more, "sort", sort.at);
    if (match.len)
        add_option(&more, "match", match.at);
    pj_buf_addf(&more, "%sfirst = %d", more.len ? ", " : "", MOST_ROWS);
    pj_buf_addf(out, "profile(p, {%s})\n", more.at);
}

void pj_profile_page_code(const pj_wizard *wizard, int step, pj_buf *out)
{
    if (!pj_profile_page_useful(wizard, step))
        return;
    pj_wizard_code_profile(wizard, out);
    pj_buf_addf(out, "p:findings \"%s\"\n", kind_of(step)->topic);
    add_plot(wizard, step, "p", out);
    const pj_chosen *trace = beside_of(wizard, step);
    if (trace && plot_of(wizard, step)) {
        pj_buf_puts(out, "q = profile(");
        pj_wizard_code_text(out, pj_wizard_path(wizard, trace->path));
        pj_buf_puts(out, ")\n");
        add_plot(wizard, step, "q", out);
    }
    add_table(wizard, step, out);
}

pj_figure *pj_profile_page_make(pj_wizard *wizard, int step, pj_table **table, pj_err *err)
{
    pj_err problem = {.code = PJ_E_NONE}; // a table alone is something to save
    *table = make_table(wizard, step, err);
    return draw_profile(wizard, step, wizard->profile, ALONE, &problem);
}

void pj_profile_page_save(pj_wizard *wizard, int step)
{
    if (pj_profile_page_useful(wizard, step))
        pj_wizard_saver_save(wizard, &page_of(wizard, step)->saver);
}
