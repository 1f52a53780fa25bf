// Boxes stand in columns, each behind the one that it lies in, sizes as whole numbers: a box takes
// some twenty bytes. The largest are taken until the page is full, so that it holds every box above
// one that it holds.
#include "widgets/plot/profile/call_alive.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/num.h"
#include "metrics/base/str.h"
#include "metrics/base/utf8.h"
#include "metrics/profile/call_tree.h"
#include "metrics/profile/function_name.h"
#include "metrics/profile/profile.h"
#include "metrics/profile/profile_sums.h"
#include "widgets/figure/figure.h"
#include "widgets/plot/profile/call_change.h"
#include "widgets/plot/profile/call_view.h"
#include "widgets/plot/profile/profile_view.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { BYTES_MOST = 400000, BYTES_OF_BOX = 26, BYTES_OF_FUNCTION = 56, RANKED_MOST = 400 };
enum { SELF = 1, ESTIMATED = 2, MORE = 4, CALLS = 8, NOISE = 16 }; // as in alive.js
static const double scale = 1e9;                                   // sizes are parts of the whole

typedef struct alive {
    const pj_call_view *v;
    const pj_call_tree *tree;
    pj_arena *arena;
    bool *held;          // by box
    uint32_t *place;     // by box: where it stands in the page
    uint32_t *functions; // by region: 1 + where it stands in the page
    uint32_t *order;     // of the boxes in the page
    uint32_t count, function_count, passed;
} alive;

// ---- which boxes

typedef struct sized {
    double size;
    uint32_t box;
} sized;

static int by_size(const void *a, const void *b)
{
    const sized *x = a, *y = b;
    if (x->size != y->size)
        return x->size > y->size ? -1 : 1;
    return x->box < y->box ? -1 : x->box > y->box;
}

static bool is_rest(const pj_call_box *box)
{
    return box->parent != PJ_NO_ITEM && box->region == PJ_NO_ITEM;
}

static size_t bytes_of(const alive *a, uint32_t region)
{
    return BYTES_OF_FUNCTION + pj_profile_name(a->v->view.profile, region).len +
           strlen(pj_function_place(a->v->view.profile, region, a->arena));
}

/// The name is told twice where the short one differs.
static void hold_boxes(alive *a)
{
    const pj_call_tree *tree = a->tree;
    sized *all = pj_new_n(a->arena, sized, tree->count);
    size_t count = 0, bytes = 0;
    for (uint32_t i = 0; i < tree->count; i++)
        if (!is_rest(&tree->boxes[i]) && tree->boxes[i].size > 0)
            all[count++] = (sized){tree->boxes[i].size, i};
    qsort(all, count, sizeof *all, by_size);
    for (size_t k = 0; k < count && bytes < BYTES_MOST; k++) {
        const pj_call_box *box = &tree->boxes[all[k].box];
        bool chosen = a->v->drawn[all[k].box] || box->depth > tree->boxes[tree->top].depth;
        if (!chosen || (box->parent != PJ_NO_ITEM && !a->held[box->parent]))
            continue;
        a->held[all[k].box] = true;
        bytes += BYTES_OF_BOX;
        if (box->region != PJ_NO_ITEM && !a->functions[box->region]) {
            a->functions[box->region] = ++a->function_count;
            bytes += bytes_of(a, box->region);
        }
    }
    for (size_t k = 0; k < count; k++)
        a->passed += !a->held[all[k].box] && !tree->boxes[all[k].box].self &&
                     tree->boxes[all[k].box].depth > tree->boxes[tree->top].depth;
}

/// A box, then what lies in it, the largest first.
static void order_boxes(alive *a)
{
    const pj_call_tree *tree = a->tree;
    uint32_t *stack = pj_new_n(a->arena, uint32_t, tree->count + (size_t)1), depth = 0;
    a->order = pj_new_n(a->arena, uint32_t, tree->count);
    stack[depth++] = 0;
    while (depth) {
        uint32_t at = stack[--depth];
        const pj_call_box *box = &tree->boxes[at];
        a->place[at] = a->count;
        a->order[a->count++] = at;
        for (uint32_t k = box->count; k-- > 0;)
            if (a->held[tree->order[box->first + k]])
                stack[depth++] = tree->order[box->first + k];
    }
}

// ---- as JSON

/// Also safe inside of <script>, in HTML and in XML.
static void add_string(pj_buf *out, const char *text)
{
    pj_auto_buf clean = {0};
    pj_utf8_clean(&clean, pj_str_of(text));
    pj_buf_add_char(out, '"');
    for (size_t i = 0; i < clean.len; i++) {
        unsigned char c = (unsigned char)clean.at[i];
        if (c < ' ' || c == 0x7f || strchr("\"\\<>&", c))
            pj_buf_addf(out, "\\u%04x", c);
        else
            pj_buf_add_char(out, (char)c);
    }
    pj_buf_add_char(out, '"');
}

static void add_key(pj_buf *out, const char *key, const char *text)
{
    pj_buf_addf(out, "\"%s\":", key);
    add_string(out, text ? text : "");
    pj_buf_add_char(out, ',');
}

/// A number from 0 on with as many decimals, without zeros at its end.
static void add_decimals(pj_buf *out, uint64_t scaled, int decimals)
{
    char text[32], *at = text + sizeof text;
    for (; decimals > 0 && scaled % 10 == 0; decimals--)
        scaled /= 10;
    for (int i = 0; i == 0 || scaled > 0 || i <= decimals; i++) {
        if (i == decimals && i > 0)
            *--at = '.';
        *--at = (char)('0' + scaled % 10);
        scaled /= 10;
    }
    pj_buf_add(out, (pj_str){at, (size_t)(text + sizeof text - at)});
}

/// Seven digits, of whole numbers all; what is not known is null. Pages hold ten thousands of them.
static void add_number(pj_buf *out, double value)
{
    static const double least = 1e-4, most = 1e7;
    char text[32];
    if (isnan(value) || isinf(value))
        pj_buf_puts(out, "null");
    else if (value >= 0 && value < 1e15 && value == floor(value))
        add_decimals(out, (uint64_t)value, 0);
    else if (value >= least && value < most) {
        int decimals = 0;
        double scaled = value;
        for (; scaled < most / 10; decimals++)
            scaled *= 10;
        add_decimals(out, (uint64_t)(scaled + 0.5), decimals);
    } else
        pj_buf_add(out, (pj_str){text, (size_t)snprintf(text, sizeof text, "%.7g", value)});
}

static void add_colour(pj_buf *out, pj_colour colour)
{
    pj_buf_addf(out, "\"#%06x\"", colour >> 8);
}

/// The colour that it has in the picture, where some schemes give them out.
static pj_colour *colours_of(const alive *a)
{
    pj_colour *colours =
        pj_new_n(a->arena, pj_colour, a->v->view.profile->count[PJ_AT_REGION] + (size_t)1);
    for (uint32_t i = 0; i < a->tree->count; i++) {
        const pj_call_box *box = &a->tree->boxes[i];
        if (a->v->drawn[i] && !box->self && box->region != PJ_NO_ITEM)
            colours[box->region] = a->v->colours[i];
    }
    return colours;
}

static void add_function(const alive *a, uint32_t region, pj_colour colour, pj_buf *out)
{
    const pj_profile_view *view = &a->v->view;
    const pj_profile_sums_of *of = &view->sums->regions;
    pj_str full = pj_profile_name(view->profile, region);
    const char *name = pj_function_short(view->profile, region, a->arena);
    pj_buf_add_char(out, '[');
    add_string(out, name);
    pj_buf_add_char(out, ',');
    add_string(out, pj_str_equal(full, pj_str_of(name)) ? "" : pj_arena_text(a->arena, full));
    pj_buf_add_char(out, ',');
    add_string(out, pj_function_place(view->profile, region, a->arena));
    pj_buf_add_char(out, ',');
    add_colour(out, colour ? colour : pj_function_colour(view->profile, region));
    pj_buf_add_char(out, ',');
    add_number(out, of->inclusive[region]);
    pj_buf_add_char(out, ',');
    add_number(out, of->exclusive[region]);
    pj_buf_add_char(out, ',');
    add_number(out, of->calls[region]);
    pj_buf_addf(out, ",%u]", region);
}

static void add_functions(const alive *a, pj_buf *out)
{
    uint32_t regions = a->v->view.profile->count[PJ_AT_REGION];
    uint32_t *region_of = pj_new_n(a->arena, uint32_t, a->function_count + (size_t)1);
    pj_colour *colours = colours_of(a);
    for (uint32_t r = 0; r < regions; r++)
        if (a->functions[r])
            region_of[a->functions[r] - 1] = r;
    pj_buf_puts(out, "\"functions\":[");
    for (uint32_t k = 0; k < a->function_count; k++) {
        pj_buf_puts(out, k ? ",\n" : "");
        add_function(a, region_of[k], colours[region_of[k]], out);
    }
    pj_buf_puts(out, "],\n");
}

typedef double column(const alive *a, const pj_call_box *box, double end);

static double depth_of(const alive *a, const pj_call_box *box, double end)
{
    (void)a, (void)end;
    return box->depth;
}

static double function_of(const alive *a, const pj_call_box *box, double end)
{
    (void)end;
    return box->region == PJ_NO_ITEM ? -1.0 : a->functions[box->region] - 1.0;
}

/// Between it and the one before it in the same box.
static double gap_of(const alive *a, const pj_call_box *box, double end)
{
    return fmax(round((box->start - a->tree->boxes[0].start) * scale) - end, 0);
}

static double size_of(const alive *a, const pj_call_box *box, double end)
{
    (void)a, (void)end;
    return fmax(round(box->size * scale), 1);
}

/// The value of what has the size 1.
static double value_of_whole(const alive *a)
{
    const pj_call_box *first = &a->tree->boxes[0];
    return first->value / first->size;
}

/// 0 where its size tells it.
static double value_of(const alive *a, const pj_call_box *box, double end)
{
    double told = box->size * value_of_whole(a);
    (void)end;
    return fabs(told - box->value) <= 1e-6 * box->value ? 0 : box->value;
}

static double flags_of(const alive *a, const pj_call_box *box, double end)
{
    (void)a, (void)end;
    const pj_call_change *change = a->v->change;
    bool noise = change && pj_call_change_is_noise(change, (uint32_t)(box - a->tree->boxes));
    return (noise ? NOISE : 0) | (box->self ? SELF : 0) | (box->estimated ? ESTIMATED : 0) |
           (box->more ? MORE : 0) | (!box->self && box->count ? CALLS : 0);
}

/// What it took before; NAN = there was none.
static double before_of(const alive *a, const pj_call_box *box, double end)
{
    (void)end;
    return a->v->change->before[box - a->tree->boxes];
}

/// The colour of its change, 0xRRGGBB.
static double fill_of(const alive *a, const pj_call_box *box, double end)
{
    (void)end;
    return pj_call_change_colour(a->v->change, (uint32_t)(box - a->tree->boxes)) >> 8;
}

static void add_column(const alive *a, const char *name, column *of, pj_buf *out)
{
    double *ends = pj_new_n(a->arena, double, a->tree->count); // of what lies in a box so far
    pj_buf_addf(out, "\"%s\":[", name);
    for (uint32_t k = 0; k < a->count; k++) {
        const pj_call_box *box = &a->tree->boxes[a->order[k]];
        double *end = box->parent == PJ_NO_ITEM ? &ends[0] : &ends[box->parent];
        pj_buf_puts(out, k ? "," : "");
        add_number(out, of(a, box, *end));
        *end += gap_of(a, box, *end) + size_of(a, box, 0);
        ends[a->order[k]] = box->parent == PJ_NO_ITEM ? 0 : *end - size_of(a, box, 0);
    }
    pj_buf_puts(out, "]");
}

static void add_boxes(const alive *a, pj_buf *out)
{
    static const struct {
        const char *name;
        column *of;
    } columns[] = {{"depth", depth_of},   {"of", function_of}, {"gap", gap_of},
                   {"size", size_of},     {"value", value_of}, {"flags", flags_of},
                   {"before", before_of}, {"fill", fill_of}};
    enum { CHANGES = 2 }; // the last ones are of comparisons
    size_t count = sizeof columns / sizeof *columns - (a->v->change ? 0 : CHANGES);
    pj_buf_puts(out, "\"boxes\":{");
    for (size_t i = 0; i < count; i++) {
        pj_buf_puts(out, i ? ",\n" : "");
        add_column(a, columns[i].name, columns[i].of, out);
    }
    pj_buf_puts(out, "},\n");
}

/// A digit for each cell of a strip: 0 = nothing, f = as much as the largest.
static void add_levels(const alive *a, const double *values, pj_buf *out)
{
    enum { CELLS_MOST = 160 };
    double largest[CELLS_MOST] = {0}, most = 0;
    size_t locations = a->v->view.location_count;
    size_t cells = locations < CELLS_MOST ? locations : CELLS_MOST;
    for (size_t k = 0; k < locations; k++) {
        double *cell = &largest[k * cells / locations];
        *cell = fmax(*cell, pj_profile_sums_size(values[k]));
        most = fmax(most, *cell);
    }
    pj_buf_add_char(out, '"');
    for (size_t k = 0; k < cells; k++)
        pj_buf_add_char(out,
                        "0123456789abcdef"[largest[k] > 0 ? 1 + (int)(14 * largest[k] / most) : 0]);
    pj_buf_add_char(out, '"');
}

/// How the ranks differ, of the uppermost boxes.
static void add_ranks(const alive *a, pj_buf *out)
{
    uint32_t told = 0;
    pj_buf_puts(out, "\"ranks\":{");
    for (uint32_t i = 0; i < a->tree->count && told < RANKED_MOST; i++) {
        const double *values = a->held[i] && a->v->drawn[i] ? pj_call_view_spread(a->v, i) : NULL;
        pj_auto_buf text = {0};
        if (values)
            pj_call_view_ranks(a->v, i, &text);
        if (!text.len)
            continue;
        pj_buf_addf(out, "%s\"%u\":[", told++ ? ",\n" : "", a->place[i]);
        add_string(out, pj_arena_text(a->arena, pj_str_trim(pj_buf_str(&text))));
        pj_buf_add_char(out, ',');
        add_levels(a, values, out);
        pj_buf_add_char(out, ']');
    }
    pj_buf_addf(out, "},\n\"strips\":%d,\n", told > 0);
}

static void add_keys(const alive *a, pj_buf *out)
{
    pj_buf_puts(out, "\"keys\":[");
    for (size_t i = 0; i < a->v->key_count; i++) {
        pj_buf_puts(out, i ? ",[" : "[");
        add_string(out, a->v->keys[i].name);
        pj_buf_add_char(out, ',');
        add_colour(out, a->v->keys[i].colour);
        pj_buf_add_char(out, ']');
    }
    pj_buf_puts(out, "],\n");
}

/// What the page does not hold, and how to see it.
static const char *left_of(const alive *a)
{
    char held[32], passed[32];
    if (!a->passed || a->v->view.opts.asks)
        return "";
    held[pj_format_grouped(a->count, held)] = 0;
    passed[pj_format_grouped(a->passed, passed)] = 0;
    return pj_arena_format(a->arena,
                           "This page holds the %s largest boxes; --root NAME draws what calls "
                           "some of %s smaller ones.",
                           held, passed);
}

static void add_head(const alive *a, pj_call_alive_opts opts, pj_buf *out)
{
    const pj_profile_view *view = &a->v->view;
    const pj_measure *measure = &view->profile->measures[view->measure];
    pj_buf_puts(out, "{");
    add_key(out, "shape", opts.shape);
    add_key(out, "title", a->v->title);
    add_key(out, "subtitle", a->v->subtitle);
    add_key(out, "note", a->v->about);
    add_key(out, "summary", a->v->summary);
    add_key(out, "unit", measure->unit);
    add_key(out, "asks", view->opts.asks);
    add_key(out, "wanted", view->opts.wanted);
    add_key(out, "left", left_of(a));
    add_key(out, "beyond",
            view->opts.asks ? "its callees are too small to be seen here"
                            : "its callees are too small for this page: --root NAME draws them");
    pj_buf_addf(out, "\"up\":%d,\"reversed\":%d,\"first\":%u,\"scale\":%.0f,\"ns\":", opts.upwards,
                a->tree->reversed, a->place[a->v->first], scale);
    add_number(out, view->is_time ? view->factor : 0);
    pj_buf_puts(out, ",\"change\":"); // the largest one
    add_number(out, a->v->change ? a->v->change->most : NAN);
    pj_buf_puts(out, ",\"total\":");
    add_number(out, a->tree->boxes[0].value);
    pj_buf_puts(out, ",\"per\":");
    add_number(out, value_of_whole(a));
    pj_buf_puts(out, ",\n");
}

const char *pj_call_alive(const pj_call_view *view, pj_call_alive_opts opts, pj_arena *arena)
{
    pj_auto_arena scratch = pj_arena_new(NULL);
    pj_auto_buf out = {0};
    size_t boxes = view->tree->count, regions = view->view.profile->count[PJ_AT_REGION];
    alive a = {.v = view, .tree = view->tree, .arena = scratch};
    a.held = pj_new_n(scratch, bool, boxes);
    a.place = pj_new_n(scratch, uint32_t, boxes);
    a.functions = pj_new_n(scratch, uint32_t, regions + 1);
    hold_boxes(&a);
    order_boxes(&a);
    add_head(&a, opts, &out);
    add_keys(&a, &out);
    add_functions(&a, &out);
    add_boxes(&a, &out);
    add_ranks(&a, &out);
    pj_buf_puts(&out, "\"version\":1}");
    return pj_arena_text(arena, pj_buf_str(&out));
}
