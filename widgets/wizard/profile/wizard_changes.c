// Changes: what took more or less time in some of the files than in others. Files of several
// folders are compared folder by folder, else one by one.
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/num.h"
#include "metrics/base/str.h"
#include "metrics/profile/derive/profile_difference.h"
#include "metrics/profile/derive/profile_filter.h"
#include "metrics/profile/profile.h"
#include "metrics/profile/profile_sums.h"
#include "metrics/table/table.h"
#include "widgets/figure/draw.h"
#include "widgets/figure/escape.h"
#include "widgets/figure/figure.h"
#include "widgets/figure/html_page.h"
#include "widgets/plot/plot.h"
#include "widgets/table/render.h"
#include "widgets/wizard/wizard.h"
#include "widgets/wizard/wizard_pieces.h"
#include "widgets/wizard/wizard_record.h"

#include <math.h>

enum { MOST_GROUPS = 200, MOST_ROWS = 20 };

typedef struct changes_page {
    pj_piece before, after, plot, normalise, words, picture, table;
    const pj_profile *listed; // whose files the lists show
    pj_wizard_saver saver;
} changes_page;

/// Files that are compared as one.
typedef struct groups {
    const char *names[MOST_GROUPS];
    size_t count;
    size_t *of; // by file; MOST_GROUPS = of none
} groups;

/// Both sides, new; released together.
typedef struct sides {
    pj_profile *before, *after;
} sides;

/// `code` is what makes it, of q and p, up to where an option `more` may stand.
static const struct {
    const char *title;
    const pj_plot *plot;
    const char *code, *more, *end;
} pictures[] = {
    {"Call paths", &pj_plot_difference, "plot(\"difference\", {q, p}", ", {normalise = true}",
     ")\n"},
    {"Call graph", &pj_plot_callgraph, "plot(\"callgraph\", p, {before = q", ", normalise = true",
     "})\n"},
};
enum { PICTURES = sizeof pictures / sizeof *pictures };

static changes_page *page_of(const pj_wizard *wizard)
{
    return wizard->pages[PJ_STEP_changes];
}

static bool useful(const pj_wizard *wizard)
{
    return wizard->profile && wizard->profile->file_count > 1 &&
           pj_profile_sums_usual_measure(wizard->profile) != PJ_NO_ITEM;
}

// ---- which files

static pj_str folder_of(const char *path)
{
    pj_str text = pj_str_of(path);
    size_t slash = pj_str_find_last(text, '/');
    return slash == text.len ? (pj_str){0} : pj_str_head(text, slash);
}

static bool have_folders(const pj_profile *p)
{
    for (uint32_t f = 1; f < p->file_count; f++)
        if (!pj_str_equal(folder_of(p->files[f]), folder_of(p->files[0])))
            return true;
    return false;
}

static groups group(const pj_wizard *wizard, pj_arena *arena)
{
    const pj_profile *p = wizard->profile;
    groups g = {.of = pj_new_n(arena, size_t, p->file_count + (size_t)1)};
    bool folders = have_folders(p);
    for (uint32_t f = 0; f < p->file_count; f++) {
        const char *path = folders ? pj_arena_text(arena, folder_of(p->files[f])) : p->files[f];
        const char *name = pj_arena_text(arena, pj_str_of(pj_wizard_path(wizard, path)));
        size_t at = 0;
        while (at < g.count && strcmp(g.names[at], name) != 0)
            at++;
        if (at == g.count && g.count < MOST_GROUPS)
            g.names[g.count++] = name;
        g.of[f] = at;
    }
    return g;
}

static pj_profile *side(const pj_wizard *wizard, const groups *g, size_t which, pj_err *err)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    bool *of = pj_new_n(arena, bool, wizard->profile->file_count + (size_t)1);
    for (uint32_t f = 0; f < wizard->profile->file_count; f++)
        of[f] = g->of[f] == which;
    return pj_profile_of_files(wizard->profile, of, err);
}

static void release(sides *s)
{
    pj_profile_release(s->before);
    pj_profile_release(s->after);
}

static bool take_sides(const pj_wizard *wizard, const groups *g, sides *out, pj_err *err)
{
    const changes_page *page = page_of(wizard);
    size_t before = pj_piece_pick(&wizard->parts, page->before, g->count);
    size_t after = pj_piece_pick(&wizard->parts, page->after, g->count);
    *out = (sides){0};
    if (before == after) {
        pj_fail(err, PJ_E_USAGE, NULL, 0, "before and after are the same");
        return false;
    }
    out->before = side(wizard, g, before, err);
    out->after = out->before ? side(wizard, g, after, err) : NULL;
    return out->after != NULL;
}

// ---- what is shown of them

static pj_figure *draw_sides(const pj_wizard *wizard, const groups *g, const sides *s, pj_err *err)
{
    const changes_page *page = page_of(wizard);
    pj_auto_arena arena = pj_arena_new(NULL);
    const pj_draw *draw = pj_draw_open(err);
    const pj_plot *plot = pictures[pj_piece_pick(&wizard->parts, page->plot, PICTURES)].plot;
    pj_plot_opts opts = {
        .title = pj_arena_format(arena, "What changed from %s to %s",
                                 g->names[pj_piece_pick(&wizard->parts, page->before, g->count)],
                                 g->names[pj_piece_pick(&wizard->parts, page->after, g->count)])};
    opts.profile.before = s->before;
    opts.profile.normalise = pj_piece_is_on(&wizard->parts, page->normalise);
    return draw ? plot->make((pj_plot_data){.profile = s->after}, opts, draw, err) : NULL;
}

static double total_of(const pj_profile *p)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    uint32_t measure = pj_profile_sums_usual_measure(p);
    return measure == PJ_NO_ITEM
               ? NAN
               : pj_profile_sums_total(pj_profile_sums_new(p, measure, NULL, arena));
}

/// "2.31 s in all, 2.00 s before: 15.5 % more".
static void say_total(const pj_wizard *wizard, const sides *s)
{
    pj_auto_buf text = {0};
    char then_text[32], now_text[32];
    double then = total_of(s->before), now = total_of(s->after);
    uint32_t measure = pj_profile_sums_usual_measure(s->after);
    bool times = measure != PJ_NO_ITEM && s->after->measures[measure].kind == PJ_MEASURE_TIME;
    if (times && then > 0) {
        then_text[pj_format_duration(then * 1e9, then_text)] = 0;
        now_text[pj_format_duration(now * 1e9, now_text)] = 0;
        pj_buf_addf(&text, "%s in all, %s before: %.1f %% %s", now_text, then_text,
                    100 * fabs(now - then) / then, now < then ? "less" : "more");
    }
    pj_piece_tell(&wizard->parts, page_of(wizard)->words, text.len ? text.at : "");
}

static void show_table(const pj_wizard *wizard, const sides *s)
{
    const changes_page *page = page_of(wizard);
    pj_err err = {.code = PJ_E_NONE};
    pj_auto_buf html = {0};
    pj_auto_table table = pj_profile_difference(
        s->before, s->after, pj_piece_is_on(&wizard->parts, page->normalise), &err);
    pj_buf_puts(&html, "<div style=\"" PJ_HTML_FONT ";overflow-x:auto;line-height:1.4\">");
    if (table)
        pj_render_table(&pj_renderer_html, table, (pj_render_opts){.max_rows = MOST_ROWS}, &html);
    else
        pj_escape_html(&html, pj_str_of(err.text));
    pj_buf_puts(&html, "</div>");
    pj_piece_say(&wizard->parts, page->table, html.at);
}

static void draw(pj_wizard *wizard)
{
    const changes_page *page = page_of(wizard);
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_err err = {.code = PJ_E_NONE};
    groups g = group(wizard, arena);
    sides s;
    pj_figure *figure = NULL;
    if (take_sides(wizard, &g, &s, &err)) {
        say_total(wizard, &s);
        show_table(wizard, &s);
        figure = draw_sides(wizard, &g, &s, &err);
    } else {
        pj_piece_say(&wizard->parts, page->words, "");
        pj_piece_say(&wizard->parts, page->table, "");
    }
    pj_wizard_draw(wizard, page->picture, figure, &err);
    pj_figure_free(figure);
    release(&s);
}

static pj_figure *make(pj_wizard *wizard, pj_table **table, pj_err *err)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    groups g = group(wizard, arena);
    sides s;
    pj_figure *figure = NULL;
    if (take_sides(wizard, &g, &s, err)) {
        pj_err problem = {.code = PJ_E_NONE}; // a table alone is something to save
        *table = pj_profile_difference(
            s.before, s.after, pj_piece_is_on(&wizard->parts, page_of(wizard)->normalise), err);
        figure = draw_sides(wizard, &g, &s, &problem);
    }
    release(&s);
    return figure;
}

// ---- the page

static void on_control(void *context)
{
    if (useful(context))
        draw(context);
}

static void on_save(void *context)
{
    if (useful(context))
        pj_wizard_saver_save(context, &page_of(context)->saver);
}

static pj_piece build(pj_wizard *wizard)
{
    static const char *const none[] = {NULL};
    static const char *const formats[] = {"png", "svg", "pdf", "csv", "json", "html", "tex", NULL};
    pj_pieces *parts = &wizard->parts;
    changes_page *page = pj_new(wizard->arena, changes_page);
    const char *titles[PICTURES + 1] = {NULL};
    wizard->pages[PJ_STEP_changes] = page;
    for (size_t i = 0; i < PICTURES; i++)
        titles[i] = pictures[i].title;
    page->before = pj_piece_choice(parts, "Before", none);
    page->after = pj_piece_choice(parts, "After", none);
    page->plot = pj_piece_choice(parts, "Picture", titles);
    page->normalise = pj_piece_check(parts, "As if both took as long", false);
    page->words = pj_piece_html(parts, "");
    page->picture = pj_piece_output(parts);
    page->table = pj_piece_html(parts, "");
    pj_piece_on(parts, page->before, "index", on_control);
    pj_piece_on(parts, page->after, "index", on_control);
    pj_piece_on(parts, page->plot, "index", on_control);
    pj_piece_on(parts, page->normalise, "value", on_control);
    page->saver.formats = formats;
    page->saver.make = make;
    pj_wizard_saver_build(wizard, &page->saver, "changes", on_save);
    return PJ_PIECE_COLUMN(
        parts, PJ_PIECE_ROW(parts, page->before, page->after, page->plot, page->normalise),
        page->words, page->picture, page->table, page->saver.box);
}

static json_t *names_of(const groups *g)
{
    json_t *names = json_array();
    for (size_t i = 0; i < g->count; i++)
        json_array_append_new(names, pj_piece_string(g->names[i]));
    return names;
}

static void refresh(pj_wizard *wizard)
{
    changes_page *page = page_of(wizard);
    if (!useful(wizard))
        return;
    if (page->listed != wizard->profile) {
        pj_auto_arena arena = pj_arena_new(NULL);
        groups g = group(wizard, arena);
        pj_piece_options(&wizard->parts, page->before, names_of(&g), 0);
        pj_piece_options(&wizard->parts, page->after, names_of(&g), 1);
        page->listed = wizard->profile;
    }
    draw(wizard);
}

// ---- the same as commands

static void add_side(const pj_wizard *wizard, const groups *g, const char *name, pj_piece choice,
                     pj_buf *out)
{
    size_t which = pj_piece_pick(&wizard->parts, choice, g->count);
    const char *separator = "";
    pj_buf_addf(out, "%s = profile{", name);
    for (uint32_t f = 0; f < wizard->profile->file_count; f++) {
        if (g->of[f] != which)
            continue;
        pj_buf_puts(out, separator);
        pj_wizard_code_text(out, pj_wizard_path(wizard, wizard->profile->files[f]));
        separator = ", ";
    }
    pj_buf_puts(out, "}\n");
}

static void code(const pj_wizard *wizard, pj_buf *out)
{
    const changes_page *page = page_of(wizard);
    if (!useful(wizard))
        return;
    pj_auto_arena arena = pj_arena_new(NULL);
    groups g = group(wizard, arena);
    size_t picture = pj_piece_pick(&wizard->parts, page->plot, PICTURES);
    bool normalise = pj_piece_is_on(&wizard->parts, page->normalise);
    add_side(wizard, &g, "q", page->before, out);
    add_side(wizard, &g, "p", page->after, out);
    pj_buf_puts(out, pictures[picture].code);
    pj_buf_puts(out, normalise ? pictures[picture].more : "");
    pj_buf_puts(out, pictures[picture].end);
    pj_buf_addf(out, "compare(q, p%s):head(%d)\n", normalise ? ", {normalise = true}" : "",
                MOST_ROWS);
}

const pj_wizard_step pj_wizard_step_changes = {build, useful, refresh, code, NULL};
