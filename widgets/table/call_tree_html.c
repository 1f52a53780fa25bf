// Rows of boxes (call_tree.h) or of edges; a row with others below it is a <details>.
// Styles stand in the elements: front ends that do not trust a notebook keep those.
#include "widgets/table/call_tree_html.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/num.h"
#include "metrics/base/str.h"
#include "metrics/base/utf8.h"
#include "metrics/profile/call_tree.h"
#include "metrics/profile/function_family.h"
#include "metrics/profile/function_name.h"
#include "metrics/profile/profile.h"
#include "metrics/profile/profile_sums.h"
#include "metrics/table/spread.h"
#include "widgets/figure/escape.h"
#include "widgets/figure/html_page.h"
#include "widgets/table/call_tree_spread.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_ROWS = 1200, MOST_LINES = 40, MOST_FUNCTIONS = 60, OPEN_DEPTH = 24 };
static const double least_part = 0.002, open_part = 0.2;

typedef struct folding {
    const pj_profile *p;
    pj_arena *arena;
    const pj_profile_sums *sums;
    const pj_call_tree *tree; // NULL: callers and callees
    pj_call_tree_spread spread;
    double whole;
    unsigned rows, left_out;
    pj_buf *out;
} folding;

/// What a row tells.
typedef struct row {
    const char *name, *place, *what; // `what`: before the name, may be ""
    double value, own, calls;        // NAN = not told
    bool estimated, holds, open;     // others below it; to begin with
    unsigned depth;
    pj_spread spread; // over ranks and threads
    pj_function_family family;
} row;

static const char *const names[] = {"top-down", "bottom-up", "callers"};

const char *pj_call_fold_name(size_t index)
{
    return index < PJ_FOLD_COUNT ? names[index] : NULL;
}

static const char *amount(const folding *f, double value)
{
    char text[32];
    const pj_measure *m = &f->p->measures[f->sums->measure];
    if (isnan(value))
        return "";
    if (m->kind == PJ_MEASURE_TIME)
        text[pj_format_duration(value * 1e9, text)] = 0;
    else if (fabs(value) < 1e15)
        text[pj_format_grouped((int64_t)value, text)] = 0;
    else
        return pj_arena_format(f->arena, "%.4g", value);
    return pj_arena_text(f->arena, pj_str_of(text));
}

// ---- rows as HTML

#define TRIANGLE "1em" // that the browser puts before rows that open
#define CELL                                                                                       \
    "display:inline-block;text-align:right;padding-right:8px;font-variant-numeric:tabular-nums"

static void add_spread(const folding *f, pj_spread spread)
{
    if (f->p->location_count < 2)
        return;
    pj_buf_puts(f->out, "<span aria-hidden=\"true\" style=\"display:inline-block;width:10.5em;"
                        "white-space:pre;line-height:1;opacity:.8;" PJ_HTML_BLOCKS "\">");
    pj_spread_text(spread, f->out);
    pj_buf_puts(f->out, "</span>");
}

/// The colours have contrast on light and dark pages.
static const char *const bars[PJ_FAMILY_COUNT] = {
    [PJ_FAMILY_WORK] = "#5b8fd0", [PJ_FAMILY_BUILTIN] = "#8a93a0", [PJ_FAMILY_WAIT] = "#dd7a12"};

/// A click has the pictures of the page show it (figure/alive/link.js).
static void add_name(pj_buf *out, row r)
{
    pj_buf_puts(out, "<span style=\"cursor:pointer\" data-pj-call=\"");
    pj_escape_html(out, pj_str_of(r.place));
    pj_buf_puts(out, *r.place ? "(" : "");
    pj_escape_html(out, pj_str_of(r.name));
    pj_buf_puts(out, *r.place ? ")\">" : "\">");
    pj_escape_html(out, pj_str_of(r.name));
    pj_buf_puts(out, "</span>");
}

static void add_row(folding *f, row r)
{
    double part = f->whole > 0 ? r.value / f->whole : 0;
    pj_buf *out = f->out;
    if (r.holds)
        pj_buf_addf(out, "<details%s><summary style=\"cursor:pointer\">", r.open ? " open" : "");
    else
        pj_buf_puts(out, "<div style=\"padding-left:" TRIANGLE "\">");
    pj_buf_addf(out,
                "<span style=\"" CELL
                ";width:4em\">%.1f %%</span><span style=\"display:inline-block;"
                "width:6em;margin-right:8px\"><span style=\"display:inline-block;height:.7em;"
                "width:%.1f%%;background-color:%s\"></span></span>",
                100 * part, 100 * fmin(fmax(part, 0), 1), bars[r.family]);
    pj_buf_addf(out, "<span style=\"" CELL ";width:6em\">%s%s</span>", r.estimated ? "~" : "",
                amount(f, r.value));
    pj_buf_addf(out, "<span style=\"" CELL ";width:6em;opacity:.75\">%s</span>", amount(f, r.own));
    char calls[32] = "";
    if (r.calls >= 0 && r.calls < 1e15)
        calls[pj_format_grouped((int64_t)r.calls, calls)] = 0;
    pj_buf_addf(out, "<span style=\"" CELL ";width:6em;opacity:.75\">%s</span>", calls);
    add_spread(f, r.spread);
    pj_buf_addf(out, "<span style=\"padding-left:%upx\">%s",
                14 * (r.depth < OPEN_DEPTH ? r.depth : OPEN_DEPTH), r.what);
    add_name(out, r);
    pj_buf_puts(out, " <span style=\"opacity:.7\">");
    pj_escape_html(out, pj_str_of(r.place));
    pj_buf_puts(out, r.holds ? "</span></span></summary>" : "</span></span></div>");
    f->rows++;
}

static void end_row(const folding *f)
{
    pj_buf_puts(f->out, "</details>");
}

/// What is folded is kept under a name (figure/alive/link.js): of the profile, the kind and the
/// root.
static void add_fold_name(const folding *f, const char *kind, pj_str root)
{
    pj_buf_puts(f->out, "<div data-pj-folds=\"");
    pj_escape_html(f->out, pj_str_of(f->p->file_count ? f->p->files[0] : f->p->title));
    pj_buf_addf(f->out, " %u %s ", f->p->file_count, kind);
    pj_escape_html(f->out, root);
    pj_buf_puts(f->out, "\" ");
}

static void add_head(const folding *f, const char *about, const char *second)
{
    const pj_measure *m = &f->p->measures[f->sums->measure];
    pj_buf_puts(f->out, "style=\"" PJ_HTML_FONT ";line-height:1.6;overflow-x:auto;"
                        "white-space:nowrap\"><p style=\"margin:4px 0\">");
    pj_escape_html(f->out, pj_str_of(about));
    pj_buf_puts(f->out, "</p><div style=\"font-weight:600;padding-left:" TRIANGLE "\">"
                        "<span style=\"" CELL ";width:4em\">Part</span>"
                        "<span style=\"display:inline-block;width:6em;margin-right:8px\"></span>"
                        "<span style=\"" CELL ";width:6em\">");
    pj_escape_html(f->out, pj_str_of(m->title));
    pj_buf_addf(f->out,
                "</span><span style=\"" CELL ";width:6em\">%s</span><span style=\"" CELL
                ";width:6em\">Calls</span>%sFunction</div>",
                second,
                f->p->location_count > 1
                    ? "<span style=\"display:inline-block;width:105px\">Ranks</span>"
                    : "");
}

static void add_foot(const folding *f, bool estimated)
{
    pj_buf_puts(f->out, "<p style=\"margin:4px 0;opacity:.8;white-space:normal\">");
    if (f->left_out)
        pj_buf_addf(f->out, "%u rows with less than 0.2 %% or beyond the first %d are left out. ",
                    f->left_out, MOST_ROWS);
    if (estimated)
        pj_buf_puts(f->out, "~ is an estimate: a call graph does not tell how the time of a "
                            "function is shared out among longer paths. ");
    if (f->p->location_count > 1)
        pj_buf_puts(f->out,
                    "Ranks: a block for each or for some, as high as its part of the most. ");
    pj_buf_puts(f->out,
                "Blue: functions, orange: communication and waiting, grey: built-in.</p></div>");
}

// ---- boxes

static row row_of(const folding *f, uint32_t box)
{
    const pj_call_box *b = &f->tree->boxes[box];
    row r = {.name = "all", .place = "", .what = "", .value = b->value, .own = NAN, .calls = NAN};
    r.depth = b->depth;
    r.estimated = b->estimated;
    if (b->region == PJ_NO_ITEM)
        return r;
    r.name = pj_function_short(f->p, b->region, f->arena);
    r.place = pj_function_place(f->p, b->region, f->arena);
    r.spread = pj_call_tree_spread_box(&f->spread, b, f->tree->reversed);
    r.family = pj_function_family_of(f->p, b->region);
    if (b->edge != PJ_NO_ITEM)
        r.calls = f->sums->edges.calls[b->edge];
    else if (b->node != PJ_NO_ITEM && f->p->shape == PJ_SHAPE_TREE && !f->tree->reversed)
        r.calls = f->sums->nodes.calls[b->node];
    else if (b->depth <= 1)
        r.calls = f->sums->regions.calls[b->region];
    return r;
}

static bool is_row(const folding *f, uint32_t box)
{
    const pj_call_box *b = &f->tree->boxes[box];
    return !b->others && !b->self && b->value >= least_part * f->whole;
}

/// What a box holds itself, as far as it is known apart from small callees.
static double own_of(const folding *f, const pj_call_box *b)
{
    for (uint32_t i = 0; i < b->count; i++) {
        const pj_call_box *child = &f->tree->boxes[f->tree->order[b->first + i]];
        if (child->self)
            return child->value;
    }
    return b->count || b->more ? NAN : b->value;
}

typedef struct level {
    uint32_t box, next;
} level;

static bool has_rows(const folding *f, const pj_call_box *b)
{
    for (uint32_t i = 0; i < b->count; i++)
        if (is_row(f, f->tree->order[b->first + i]))
            return true;
    return false;
}

/// Without recursion: paths may be deep.
static void walk(folding *f, void (*begin)(folding *f, row r), void (*end)(const folding *f),
                 unsigned most)
{
    const pj_call_tree *tree = f->tree;
    level *stack = pj_new_n(f->arena, level, tree->depth + (size_t)3);
    size_t depth = 0;
    stack[depth++] = (level){0, 0};
    for (bool fresh = true; depth;) {
        level *top = &stack[depth - 1];
        const pj_call_box *b = &tree->boxes[top->box];
        if (fresh) {
            row r = row_of(f, top->box);
            r.own = tree->reversed ? NAN : own_of(f, b);
            r.holds = has_rows(f, b);
            r.open = depth == 1 || (r.value >= open_part * f->whole && depth < OPEN_DEPTH);
            begin(f, r);
            fresh = false;
            if (!r.holds) {
                depth--;
                continue;
            }
        }
        if (top->next == b->count || f->rows >= most) {
            f->left_out += b->count - top->next;
            end(f);
            depth--;
            continue;
        }
        uint32_t child = tree->order[b->first + top->next++];
        if (is_row(f, child)) {
            stack[depth++] = (level){child, 0};
            fresh = true;
        } else {
            uint32_t others = tree->boxes[child].others;
            f->left_out += tree->boxes[child].self ? 0 : others ? others : 1;
        }
    }
}

// ---- callers and callees

typedef struct entry {
    double value;
    uint32_t item;
} entry;

static int by_value(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    if (x->value != y->value)
        return x->value < y->value ? 1 : -1;
    return (x->item > y->item) - (x->item < y->item);
}

static entry *sorted(const folding *f, const double *values, uint32_t count, const uint32_t *items)
{
    entry *list = pj_new_n(f->arena, entry, count + (size_t)1);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t item = items ? items[i] : i;
        list[i] = (entry){pj_profile_sums_size(values[item]), item};
    }
    qsort(list, count, sizeof *list, by_value);
    return list;
}

static void add_edges(folding *f, const pj_profile_sums_list *of, uint32_t region, bool callers)
{
    uint32_t count = of->first[region + 1] - of->first[region];
    const entry *list = sorted(f, f->sums->edges.inclusive, count, of->items + of->first[region]);
    for (uint32_t i = 0; i < count; i++) {
        const pj_profile_edge *edge = &f->sums->edge[list[i].item];
        uint32_t other = callers ? edge->caller : edge->callee;
        add_row(
            f, (row){.name = pj_function_short(f->p, other, f->arena),
                     .place = pj_function_place(f->p, other, f->arena),
                     .what = callers ? "called by " : "calls ",
                     .family = pj_function_family_of(f->p, other),
                     .depth = 1,
                     .value = list[i].value,
                     .own = f->sums->edges.exclusive ? f->sums->edges.exclusive[list[i].item] : NAN,
                     .calls = f->sums->edges.calls[list[i].item],
                     .spread = pj_call_tree_spread_at(&f->spread, f->spread.edges, list[i].item)});
    }
}

static void add_functions(folding *f)
{
    uint32_t count = f->p->count[PJ_AT_REGION];
    const entry *list = sorted(f, f->sums->regions.inclusive, count, NULL);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t region = list[i].item;
        if (i >= MOST_FUNCTIONS || list[i].value < least_part * f->whole) {
            f->left_out += list[i].value > 0;
            continue;
        }
        const pj_profile_sums *s = f->sums;
        bool holds = s->callers.first[region + 1] > s->callers.first[region] ||
                     s->callees.first[region + 1] > s->callees.first[region];
        add_row(f, (row){.name = pj_function_short(f->p, region, f->arena),
                         .place = pj_function_place(f->p, region, f->arena),
                         .what = "",
                         .value = list[i].value,
                         .own = s->regions.exclusive[region],
                         .calls = s->regions.calls[region],
                         .holds = holds,
                         .family = pj_function_family_of(f->p, region),
                         .spread = pj_call_tree_spread_at(&f->spread, f->spread.regions, region)});
        if (!holds)
            continue;
        add_edges(f, &s->callers, region, true);
        add_edges(f, &s->callees, region, false);
        end_row(f);
    }
}

// ---- all of it

static bool begin(const pj_profile *p, pj_call_fold fold, pj_str root, folding *f, pj_err *err)
{
    uint32_t measure = pj_profile_sums_usual_measure(p);
    if (measure == PJ_NO_ITEM) {
        pj_fail(err, PJ_E_MISSING, NULL, 0, "the profile has no values that can be added");
        return false;
    }
    f->sums = pj_profile_sums_new(p, measure, NULL, f->arena);
    f->whole = pj_profile_sums_total(f->sums);
    f->spread = pj_call_tree_spread_of(p, measure, fold != PJ_FOLD_TOP_DOWN || root.len, f->arena);
    if (fold == PJ_FOLD_CALLERS)
        return p->shape != PJ_SHAPE_FLAT || pj_profile_sums_lack_paths(f->sums, err);
    pj_call_tree_opts opts = {.root = root, .reverse = fold == PJ_FOLD_BOTTOM_UP};
    f->tree = pj_call_tree_new(f->sums, opts, f->arena, err);
    return f->tree != NULL;
}

bool pj_call_tree_html(const pj_profile *p, pj_call_fold fold, pj_str root, pj_buf *out,
                       pj_err *err)
{
    static const char *const about[] = {
        "Top-down: below a function stands what it calls.",
        ("Bottom-up: functions by their own time; below each stand its callers, with the part of "
         "it that they cause."),
        "Functions by their time with callees; below each, who calls it and what it calls."};
    pj_auto_arena arena = pj_arena_new(NULL);
    folding f = {.p = p, .arena = arena, .out = out};
    if (!begin(p, fold, root, &f, err))
        return false;
    add_fold_name(&f, names[fold], root);
    add_head(&f, about[fold], fold == PJ_FOLD_BOTTOM_UP ? "" : "Own");
    if (f.tree)
        walk(&f, add_row, end_row, MOST_ROWS);
    else
        add_functions(&f);
    add_foot(&f, f.tree && f.tree->estimated);
    return true;
}

static void add_line(folding *f, row r)
{
    pj_buf_addf(f->out, "%5.1f %% %s%-9s ", f->whole > 0 ? 100 * r.value / f->whole : 0,
                r.estimated ? "~" : " ", amount(f, r.value));
    for (unsigned i = 0; i < r.depth && i < OPEN_DEPTH; i++)
        pj_buf_puts(f->out, "  ");
    pj_utf8_clean_line(f->out, pj_str_of(r.name));
    pj_buf_add_char(f->out, ' ');
    pj_utf8_clean_line(f->out, pj_str_of(r.place));
    pj_buf_add_char(f->out, '\n');
    f->rows++;
}

static void end_line(const folding *f)
{
    (void)f;
}

bool pj_call_tree_text(const pj_profile *p, pj_call_fold fold, pj_str root, pj_buf *out,
                       pj_err *err)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    folding f = {.p = p, .arena = arena, .out = out};
    if (!begin(p, fold == PJ_FOLD_CALLERS ? PJ_FOLD_TOP_DOWN : fold, root, &f, err) || !f.tree)
        return false;
    walk(&f, add_line, end_line, MOST_LINES);
    return true;
}
