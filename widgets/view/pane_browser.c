// Every change builds the rows of all panes anew: a few hundred texts, of which only those that
// differ are sent. Values are made anew when the metric or the kind of items changes.
#include "widgets/view/pane_browser.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/num.h"
#include "metrics/base/str.h"
#include "metrics/profile/function_family.h"
#include "metrics/profile/function_name.h"
#include "metrics/profile/location_values.h"
#include "metrics/profile/profile.h"
#include "metrics/profile/profile_names.h"
#include "metrics/profile/profile_sums.h"
#include "metrics/table/table.h"
#include "widgets/figure/figure.h"
#include "widgets/view/pane.h"
#include "widgets/view/pane_amount.h"
#include "widgets/view/pane_rows.h"
#include "widgets/view/pane_saver.h"
#include "widgets/wizard/wizard_pieces.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

enum { METRICS, ITEMS, PLACES, PANES };
enum { CHOSEN_MOST = 64, RANKS_MOST = 64 };
#define ALL PJ_NO_ITEM
static const pj_colour strong[PJ_FAMILY_COUNT] = {
    [PJ_FAMILY_WORK] = 0x2a6db0ff, [PJ_FAMILY_BUILTIN] = 0x66707dff, [PJ_FAMILY_WAIT] = 0xdd7a12ff};
static const pj_colour neutral = 0x2a6db0ff;
static const char *const item_names[] = {"call paths", "functions", NULL};

/// Several rows of a pane; none = the one that is chosen.
typedef struct choice {
    uint32_t items[CHOSEN_MOST];
    size_t count;
} choice;

typedef struct browser {
    pj_arena *arena;
    pj_pieces parts;
    pj_profile *profile;
    pj_arena *made;            // of the values
    pj_location_values values; // of the chosen metric
    bool flat;                 // functions in place of call paths
    uint32_t chosen[PANES];    // metric (ALL = calls), item, row of places; ALL = everything
    choice sets[PANES];        // of items and places
    bool *open_items, *open_places, open_all;
    double *totals; // by metric, calls last
    pj_pane panes[PANES];
    pj_piece root, how, kind, search, largest, zeros, several, said;
    pj_pane_saver saver;
} browser;

// ---- what is chosen

/// The set counts where it has several.
static bool is_chosen(const browser *b, size_t pane, uint32_t item)
{
    const choice *c = &b->sets[pane];
    for (size_t i = 0; i < c->count; i++)
        if (c->items[i] == item)
            return true;
    return c->count == 0 && b->chosen[pane] == item;
}

/// Adds an item to the set of a pane, or takes it out; the first one is what was chosen before.
static void toggle(browser *b, size_t pane, uint32_t item)
{
    choice *c = &b->sets[pane];
    if (c->count == 0 && b->chosen[pane] != ALL)
        c->items[c->count++] = b->chosen[pane];
    for (size_t i = 0; i < c->count; i++)
        if (c->items[i] == item) {
            memmove(c->items + i, c->items + i + 1, (--c->count - i) * sizeof *c->items);
            b->chosen[pane] = c->count ? c->items[c->count - 1] : ALL;
            return;
        }
    if (item != ALL && c->count < CHOSEN_MOST)
        c->items[c->count++] = item;
    if (item == ALL) // with everything nothing is added
        c->count = 0;
    b->chosen[pane] = item;
}

static void choose(browser *b, size_t pane, uint32_t item)
{
    b->sets[pane].count = 0;
    b->chosen[pane] = item;
}

static bool is_several(const browser *b)
{
    return pj_piece_is_on(&b->parts, b->several);
}

// ---- metrics

static bool is_metric(const pj_profile *p, uint32_t m)
{
    return !p->measures[m].reason && p->measures[m].kind != PJ_MEASURE_RATIO;
}

static unsigned metric_depth(const pj_profile *p, uint32_t m)
{
    unsigned depth = 0;
    for (; p->measures[m].above && depth < 16; m = p->measures[m].above - 1)
        depth++;
    return depth;
}

static void show_metrics(browser *b, pj_arena *arena)
{
    const pj_profile *p = b->profile;
    pj_pane_rows r = {0};
    for (uint32_t m = 0; m <= p->measure_count; m++) {
        bool calls = m == p->measure_count;
        if ((calls && isnan(b->totals[m])) || (!calls && !is_metric(p, m)))
            continue;
        pj_pane_amount one = pj_pane_amount_of(p, calls ? ALL : m);
        pj_pane_amount_fit(&one, &b->totals[m], 1);
        const char *value = pj_arena_format(
            arena, "%s %s", pj_pane_amount_text(&one, b->totals[m], arena), one.unit);
        pj_pane_rows_add(&r,
                         (pj_pane_row){.item = calls ? ALL : m,
                                       .depth = calls ? 0 : metric_depth(p, m),
                                       .value = value,
                                       .name = calls ? "Calls" : p->measures[m].title,
                                       .tip = calls ? "Calls, visits" : p->measures[m].key,
                                       .part = 0,
                                       .colour = neutral,
                                       .chosen = b->chosen[METRICS] == (calls ? ALL : m)},
                         b->totals[m]);
    }
    pj_pane_rows_align(&r, arena);
    pj_pane_show(&b->panes[METRICS], "Metrics", r.at, r.count);
    pj_pane_rows_free(&r);
}

// ---- call paths, functions

static const pj_profile *items_of(const browser *b)
{
    return b->values.profile;
}

static uint32_t region_of(const browser *b, uint32_t item)
{
    return b->values.paths ? items_of(b)->nodes[item].region : item;
}

static uint32_t item_count(const browser *b)
{
    return items_of(b)->count[b->values.paths ? PJ_AT_NODE : PJ_AT_REGION];
}

static bool is_wanted(const browser *b, uint32_t region)
{
    const char *wanted = pj_piece_text(&b->parts, b->search);
    pj_str name = pj_profile_name(items_of(b), region);
    size_t length = strlen(wanted);
    for (size_t i = 0; length && i + length <= name.len; i++)
        if (strncasecmp(name.at + i, wanted, length) == 0)
            return true;
    return false;
}

static const char *item_name(const browser *b, uint32_t item, pj_arena *arena)
{
    const pj_profile *p = items_of(b);
    const char *name = pj_function_short(p, region_of(b, item), arena);
    uint32_t parameters = b->values.paths ? p->nodes[item].parameters : 0;
    if (!parameters)
        return name;
    return pj_arena_format(arena, "%s (" PJ_STR_FMT ")", name,
                           PJ_STR_ARG(pj_profile_text(p, parameters)));
}

static const char *item_tip(const browser *b, uint32_t item, pj_arena *arena)
{
    const pj_profile *p = items_of(b);
    uint32_t region = region_of(b, item);
    const char *place = pj_function_place(p, region, arena);
    return pj_arena_format(arena, PJ_STR_FMT "%s%s", PJ_STR_ARG(pj_profile_name(p, region)),
                           *place ? ", " : "", place);
}

/// Shut: with what lies below; open: its own.
static void add_item(const browser *b, pj_pane_rows *r, uint32_t item, unsigned depth, bool holds,
                     pj_arena *arena)
{
    bool open = holds && b->open_items[item];
    uint32_t region = region_of(b, item);
    pj_pane_rows_add(r,
                     (pj_pane_row){.item = item,
                                   .depth = depth,
                                   .holds = holds,
                                   .open = open,
                                   .name = item_name(b, item, arena),
                                   .tip = item_tip(b, item, arena),
                                   .colour = strong[pj_function_family_of(items_of(b), region)],
                                   .wanted = is_wanted(b, region),
                                   .chosen = is_chosen(b, ITEMS, item)},
                     pj_location_value(&b->values, item, ALL, !open && b->values.paths));
}

static void add_paths(const browser *b, pj_pane_rows *r, pj_arena *arena)
{
    const pj_profile *p = items_of(b);
    uint32_t nodes = p->count[PJ_AT_NODE], *first = pj_new_n(arena, uint32_t, nodes + (size_t)1);
    uint32_t *next = pj_new_n(arena, uint32_t, nodes + (size_t)1), roots = ALL, count = 0;
    for (uint32_t n = 0; n < nodes; n++)
        first[n] = ALL;
    for (uint32_t n = nodes; n-- > 0;) {
        uint32_t *to = p->nodes[n].parent == ALL ? &roots : &first[p->nodes[n].parent];
        next[n] = *to;
        *to = n;
        count += p->nodes[n].parent == ALL;
    }
    unsigned shift = count > 1;
    for (uint32_t n = roots; n != ALL && r->count < PJ_PANE_ROWS_MOST;) {
        add_item(b, r, n, p->nodes[n].depth + shift, first[n] != ALL, arena);
        if (first[n] != ALL && b->open_items[n]) {
            n = first[n];
            continue;
        }
        while (n != ALL && next[n] == ALL)
            n = p->nodes[n].parent;
        n = n == ALL ? ALL : next[n];
    }
}

typedef struct sized {
    double value;
    uint32_t item;
} sized;

static int by_value(const void *a, const void *b)
{
    const sized *x = a, *y = b;
    if (x->value != y->value)
        return x->value < y->value ? 1 : -1;
    return (x->item > y->item) - (x->item < y->item);
}

/// By their own values, the largest first.
static void add_functions(const browser *b, pj_pane_rows *r, pj_arena *arena)
{
    uint32_t count = item_count(b);
    sized *list = pj_new_n(arena, sized, count + (size_t)1);
    for (uint32_t i = 0; i < count; i++) {
        double value = pj_location_value(&b->values, i, ALL, false);
        list[i] = (sized){isnan(value) ? -INFINITY : value, i};
    }
    qsort(list, count, sizeof *list, by_value);
    for (uint32_t i = 0; i < count && r->count < PJ_PANE_ROWS_MOST; i++)
        if (isfinite(list[i].value))
            add_item(b, r, list[i].item, 1, false, arena);
}

static uint32_t root_count(const browser *b)
{
    const pj_profile *p = items_of(b);
    uint32_t roots = 0;
    for (uint32_t n = 0; b->values.paths && n < p->count[PJ_AT_NODE]; n++)
        roots += p->nodes[n].parent == ALL;
    return roots;
}

static pj_pane_amount amount_how(const browser *b, double whole)
{
    pj_pane_amount how = pj_pane_amount_of(b->profile, b->chosen[METRICS]);
    how.mode = (pj_pane_mode)pj_piece_pick(&b->parts, b->how, PJ_PANE_MODES);
    how.total = b->values.total;
    how.whole = whole;
    return how;
}

static const char *headed(const browser *b, const char *what, const pj_pane_amount *how,
                          pj_arena *arena)
{
    uint32_t m = b->chosen[METRICS];
    return pj_arena_format(arena, "%s: %s%s%s%s", what,
                           m == ALL ? "calls" : b->profile->measures[m].title,
                           *how->unit ? " [" : "", how->unit, *how->unit ? "]" : "");
}

static void add_items(const browser *b, pj_pane_rows *r, pj_arena *arena)
{
    if (root_count(b) != 1)
        pj_pane_rows_add(r,
                         (pj_pane_row){.item = ALL,
                                       .holds = b->values.paths,
                                       .open = b->values.paths,
                                       .name = b->values.paths ? "all call paths" : "all functions",
                                       .tip = "Everything",
                                       .colour = neutral,
                                       .chosen = is_chosen(b, ITEMS, ALL)},
                         b->values.total);
    if (b->values.paths)
        add_paths(b, r, arena);
    else
        add_functions(b, r, arena);
}

static pj_pane_amount items_amount(const browser *b)
{
    pj_pane_amount how = amount_how(b, b->values.total);
    how.ranks = (double)pj_profile_rank_count(b->profile);
    return how;
}

static void show_items(browser *b, pj_arena *arena)
{
    pj_pane_rows r = {0};
    add_items(b, &r, arena);
    pj_pane_amount how = items_amount(b);
    pj_pane_rows_complete(&r, &how, pj_piece_is_on(&b->parts, b->zeros), arena);
    pj_pane_show(&b->panes[ITEMS],
                 headed(b, b->values.paths ? "Call paths" : "Functions", &how, arena), r.at,
                 r.count);
    pj_pane_rows_free(&r);
}

// ---- ranks and threads

/// A shut item counts with all below it.
static bool asks_with(const browser *b, uint32_t item)
{
    return item == ALL || (b->values.paths && !b->open_items[item]);
}

static double item_value(const browser *b, uint32_t item, uint32_t location)
{
    return pj_location_value(&b->values, item, location, asks_with(b, item));
}

/// Whether a shut one above it, which is chosen, too, counts it already.
static bool is_counted_above(const browser *b, uint32_t item)
{
    const pj_profile *p = items_of(b);
    if (!b->values.paths || item == ALL)
        return false;
    for (uint32_t at = p->nodes[item].parent; at != ALL; at = p->nodes[at].parent)
        if (!b->open_items[at] && is_chosen(b, ITEMS, at))
            return true;
    return false;
}

/// Of the chosen items together, at a location or all of them.
static double place_value(const browser *b, uint32_t location)
{
    const choice *c = &b->sets[ITEMS];
    double sum = NAN;
    for (size_t i = 0; i < c->count; i++)
        if (!is_counted_above(b, c->items[i]))
            sum = pj_location_values_fold(&b->values, sum, item_value(b, c->items[i], location));
    return c->count ? sum : item_value(b, b->chosen[ITEMS], location);
}

static int64_t rank_at(const browser *b, uint32_t k)
{
    return b->profile->locations[k].rank;
}

/// Places of one rank: from `k` up to the result.
static uint32_t end_of_rank(const browser *b, uint32_t k)
{
    uint32_t end = k + 1;
    while (end < b->profile->location_count && rank_at(b, end) >= 0 &&
           rank_at(b, end) == rank_at(b, k))
        end++;
    return end;
}

static uint32_t first_of_rank(const browser *b, uint32_t k)
{
    while (k > 0 && rank_at(b, k) >= 0 && rank_at(b, k - 1) == rank_at(b, k))
        k--;
    return k;
}

static const char *place_name(const browser *b, uint32_t k, bool of_rank, pj_arena *arena)
{
    const pj_profile_location *at = &b->profile->locations[k];
    const char *what = at->kind == PJ_LOCATION_GPU ? "GPU" : of_rank ? "rank" : "thread";
    long long number = of_rank ? at->rank < 0 ? k : at->rank : at->thread < 0 ? k : at->thread;
    pj_str name = pj_profile_text(b->profile, at->name);
    if (name.len && !of_rank)
        return pj_arena_format(arena, "%s %lld, " PJ_STR_FMT, what, number, PJ_STR_ARG(name));
    return pj_arena_format(arena, "%s %lld", what, number);
}

static void add_place(const browser *b, pj_pane_rows *r, uint32_t k, uint32_t end, pj_arena *arena)
{
    bool holds = end - k > 1, open = holds && b->open_places[k];
    double value = open ? 0 : NAN;
    for (uint32_t i = k; !open && i < end; i++)
        value = pj_location_values_fold(&b->values, value, place_value(b, i));
    pj_pane_row row = {.item = k,
                       .depth = 1,
                       .holds = holds,
                       .open = open,
                       .name = place_name(b, k, true, arena),
                       .colour = neutral,
                       .chosen = is_chosen(b, PLACES, k)};
    row.tip = isnan(value) ? "it has nothing of it" : row.name;
    pj_pane_rows_add(r, row, value);
    for (uint32_t i = k; open && i < end; i++)
        pj_pane_rows_add(
            r,
            (pj_pane_row){.item = b->profile->location_count + i,
                          .depth = 2,
                          .name = place_name(b, i, false, arena),
                          .tip = "A thread",
                          .colour = neutral,
                          .chosen = is_chosen(b, PLACES, b->profile->location_count + i)},
            place_value(b, i));
}

static void show_places(browser *b, pj_arena *arena)
{
    pj_pane_rows r = {0};
    double whole = place_value(b, ALL);
    pj_pane_rows_add(&r,
                     (pj_pane_row){.item = ALL,
                                   .holds = true,
                                   .open = b->open_all,
                                   .name = "all ranks",
                                   .tip = "All ranks and threads",
                                   .colour = neutral,
                                   .chosen = is_chosen(b, PLACES, ALL)},
                     b->open_all ? 0 : whole);
    for (uint32_t k = 0; b->open_all && k < b->profile->location_count;) {
        uint32_t end = end_of_rank(b, k);
        add_place(b, &r, k, end, arena);
        k = end;
    }
    pj_pane_amount how = amount_how(b, whole);
    pj_pane_rows_complete(&r, &how, pj_piece_is_on(&b->parts, b->zeros), arena);
    pj_pane_show(&b->panes[PLACES], headed(b, "Ranks", &how, arena), r.at, r.count);
    pj_pane_rows_free(&r);
}

// ---- what is said below

static const char *chosen_name(const browser *b, pj_arena *arena)
{
    size_t count = b->sets[ITEMS].count;
    if (count > 1)
        return pj_arena_format(arena, "%zu %s together", count,
                               b->values.paths ? "call paths" : "functions");
    return b->chosen[ITEMS] == ALL ? "Everything" : item_name(b, b->chosen[ITEMS], arena);
}

/// "; 3 of them together 1.23 s", of ranks and threads; nothing for one.
static const char *chosen_places(const browser *b, pj_arena *arena)
{
    const choice *c = &b->sets[PLACES];
    uint32_t locations = b->profile->location_count;
    double sum = NAN;
    for (size_t i = 0; i < c->count; i++) {
        uint32_t item = c->items[i], from = item < locations ? item : item - locations;
        uint32_t to = item < locations ? end_of_rank(b, from) : from + 1;
        bool counted = item >= locations && is_chosen(b, PLACES, first_of_rank(b, from));
        for (uint32_t k = from; k < to && !counted; k++)
            sum = pj_location_values_fold(&b->values, sum, place_value(b, k));
    }
    if (c->count < 2 || isnan(sum))
        return "";
    pj_pane_amount how = pj_pane_amount_of(b->profile, b->chosen[METRICS]);
    pj_pane_amount_fit(&how, &sum, 1);
    return pj_arena_format(arena, "; %zu of them together %s %s", c->count,
                           pj_pane_amount_text(&how, sum, arena), how.unit);
}

/// How the ranks differ in what is chosen.
static void say_spread(const browser *b, pj_arena *arena)
{
    uint32_t ranks = 0, with = 0, least_at = 0, most_at = 0;
    double sum = 0, least = INFINITY, most = -INFINITY;
    for (uint32_t k = 0; k < b->profile->location_count; ranks++) {
        uint32_t end = end_of_rank(b, k);
        double value = NAN;
        for (uint32_t i = k; i < end; i++)
            value = pj_location_values_fold(&b->values, value, place_value(b, i));
        with += isnan(value) ? 0 : 1;
        double size = isnan(value) ? 0 : value;
        sum += size;
        least_at = size < least ? k : least_at;
        most_at = size > most ? k : most_at;
        least = fmin(least, size);
        most = fmax(most, size);
        k = end;
    }
    pj_pane_amount how = pj_pane_amount_of(b->profile, b->chosen[METRICS]);
    pj_pane_amount_fit(&how, &most, 1);
    if (ranks < 2 || !(most > 0) || b->values.fold != PJ_MEASURE_SUM) {
        pj_piece_say(&b->parts, b->said, "");
        return;
    }
    bool alone = !b->sets[ITEMS].count && !asks_with(b, b->chosen[ITEMS]);
    const char *text = pj_arena_format(
        arena, "%s%s over %u ranks: mean %s, least %s (%s), most %s (%s) %s; load balance %.3f%s",
        chosen_name(b, arena), alone ? " alone" : "", ranks,
        pj_pane_amount_text(&how, sum / ranks, arena), pj_pane_amount_text(&how, least, arena),
        place_name(b, least_at, true, arena), pj_pane_amount_text(&how, most, arena),
        place_name(b, most_at, true, arena), how.unit, sum / ranks / most,
        with < ranks ? pj_arena_format(arena, "; %u of %u ranks have it", with, ranks) : "");
    pj_piece_tell(&b->parts, b->said,
                  pj_arena_format(arena, "%s%s", text, chosen_places(b, arena)));
}

static void show(browser *b)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    show_metrics(b, arena);
    show_items(b, arena);
    show_places(b, arena);
    say_spread(b, arena);
}

// ---- choices

static bool take_values(browser *b, pj_err *err)
{
    pj_arena *arena = pj_arena_new(NULL);
    pj_location_values values;
    if (!pj_location_values_new(b->profile, b->chosen[METRICS], !b->flat, arena, &values, err)) {
        pj_arena_free(arena);
        return false;
    }
    if (b->made) {
        pj_location_values_free(&b->values);
        pj_arena_free(b->made);
    }
    b->made = arena;
    b->values = values;
    return true;
}

static void take_or_say(browser *b)
{
    pj_err err = {.code = PJ_E_NONE};
    if (take_values(b, &err))
        show(b);
    else
        pj_piece_tell(&b->parts, b->said, err.text);
}

static void click_metric(browser *b, uint32_t item)
{
    b->chosen[METRICS] = item;
    take_or_say(b);
}

static bool has_children(const browser *b, uint32_t item)
{
    const pj_profile *p = items_of(b);
    uint32_t next = item + 1; // a node stands after its parent, not always at once
    for (; b->values.paths && next < p->count[PJ_AT_NODE]; next++)
        if (p->nodes[next].parent == item)
            return true;
    return false;
}

static void click_item(browser *b, uint32_t item)
{
    if (is_several(b)) {
        toggle(b, ITEMS, item);
        show(b);
        return;
    }
    if (item != ALL && item == b->chosen[ITEMS] && has_children(b, item))
        b->open_items[item] = !b->open_items[item];
    choose(b, ITEMS, item);
    show(b);
}

static void click_place(browser *b, uint32_t item)
{
    if (is_several(b)) {
        toggle(b, PLACES, item);
        show(b);
        return;
    }
    if (item == b->chosen[PLACES] && item == ALL)
        b->open_all = !b->open_all;
    else if (item == b->chosen[PLACES] && item < b->profile->location_count)
        b->open_places[item] = !b->open_places[item];
    choose(b, PLACES, item);
    show(b);
}

static void on_row(void *context, size_t place)
{
    static void (*const clicks[PANES])(browser * b, uint32_t item) = {click_metric, click_item,
                                                                      click_place};
    browser *b = context;
    size_t pane = place / (PJ_PANE_MOST + 1), row = place % (PJ_PANE_MOST + 1);
    if (pane >= PANES)
        return;
    if (row == PJ_PANE_MOST) {
        pj_pane_grow(&b->panes[pane]);
        show(b);
    } else if (row < b->panes[pane].shown) {
        clicks[pane](b, b->panes[pane].items[row]);
    }
}

static void on_kind(void *context)
{
    browser *b = context;
    b->flat = pj_piece_index(&b->parts, b->kind) == 1;
    choose(b, ITEMS, ALL);
    take_or_say(b);
    if (root_count(b) == 1)
        click_item(b, 0);
}

static void open_above(browser *b, uint32_t node)
{
    const pj_profile *p = items_of(b);
    for (uint32_t at = p->nodes[node].parent; at != ALL; at = p->nodes[at].parent)
        b->open_items[at] = true;
}

/// What is found is seen: all above it opens.
static void on_search(void *context)
{
    enum { OPENED_MOST = 200 };
    browser *b = context;
    uint32_t opened = 0;
    for (uint32_t i = 0; b->values.paths && i < item_count(b) && opened < OPENED_MOST; i++)
        if (is_wanted(b, region_of(b, i))) {
            open_above(b, i);
            opened++;
        }
    show(b);
}

/// Down the costliest callee of each, as Cube's "Expand largest".
static void on_largest(void *context)
{
    browser *b = context;
    const pj_profile *p = items_of(b);
    uint32_t at = b->chosen[ITEMS];
    for (bool further = b->values.paths; further;) {
        uint32_t best = ALL;
        double most = 0;
        for (uint32_t n = at == ALL ? 0 : at + 1; n < p->count[PJ_AT_NODE]; n++) {
            double value = pj_location_value(&b->values, n, ALL, true);
            if (p->nodes[n].parent == at && value > most) {
                best = n;
                most = value;
            }
        }
        further = best != ALL;
        if (further && at != ALL)
            b->open_items[at] = true;
        at = further ? best : at;
    }
    choose(b, ITEMS, at);
    show(b);
}

static void on_how(void *context)
{
    show(context);
}

// ---- saving

/// "main => solve => MPI_Wait".
static const char *path_of(const browser *b, uint32_t item, pj_arena *arena)
{
    pj_auto_buf text = {0};
    if (item == ALL)
        return "";
    if (b->values.paths)
        pj_profile_path(items_of(b), item, &text);
    else
        pj_buf_add(&text, pj_profile_name(items_of(b), region_of(b, item)));
    return pj_arena_text(arena, pj_buf_str(&text));
}

static void add_columns(const browser *b, const pj_pane_amount *how, pj_table *table,
                        pj_arena *arena)
{
    bool percent = how->mode == PJ_PANE_OF_METRIC || how->mode == PJ_PANE_OF_CHOICE;
    pj_unit unit = percent ? PJ_UNIT_PERCENT : how->is_time ? PJ_UNIT_S : PJ_UNIT_NONE;
    pj_table_add_column(table, (pj_column){.key = "name",
                                           .title = b->values.paths ? "Call path" : "Function",
                                           .text = PJ_TEXT_OF_PEOPLE});
    pj_table_add_column(table, (pj_column){.key = b->values.paths ? "path" : "function",
                                           .title = "Path",
                                           .text = PJ_TEXT_OF_MACHINES});
    pj_table_add_column(table, (pj_column){.key = "value", .title = "All", .unit = unit});
    for (uint32_t k = 0, n = 0; k < b->profile->location_count && n < RANKS_MOST; n++) {
        const char *name = place_name(b, k, true, arena);
        const char *key = pj_arena_format(arena, "rank_%lld", (long long)rank_at(b, k));
        pj_table_add_column(table, (pj_column){.key = key, .title = name, .unit = unit});
        k = end_of_rank(b, k);
    }
}

static pj_cell amount_cell(const pj_pane_amount *how, double value)
{
    double told = pj_pane_amount_told(how, value);
    return isnan(told) ? pj_cell_empty("it has nothing of it") : pj_cell_real(told);
}

/// An item as the pane shows it, and what each rank has of that.
static void add_table_row(const browser *b, const pj_pane_row *row, double value,
                          const pj_pane_amount *how, pj_table *table)
{
    const char *name = pj_arena_format(table->arena, "%*s%s", 2 * (int)row->depth, "", row->name);
    pj_cell *cell = pj_table_add_row(table);
    *cell++ = pj_cell_text(name);
    *cell++ = pj_cell_text(path_of(b, row->item, table->arena));
    *cell++ = amount_cell(how, value);
    for (uint32_t k = 0, n = 0; k < b->profile->location_count && n < RANKS_MOST; n++) {
        uint32_t end = end_of_rank(b, k);
        double sum = NAN;
        for (; k < end; k++)
            sum = pj_location_values_fold(&b->values, sum, item_value(b, row->item, k));
        *cell++ = amount_cell(how, sum);
    }
}

/// The middle pane as it is open now, with a column for each rank.
static pj_table *table_of(const browser *b)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_pane_rows r = {0};
    add_items(b, &r, arena);
    pj_pane_amount how = items_amount(b);
    pj_pane_rows_complete(&r, &how, pj_piece_is_on(&b->parts, b->zeros), arena);
    uint32_t m = b->chosen[METRICS];
    pj_table *table = pj_table_new(pj_arena_format(
        arena, "%s of %s, %s", m == ALL ? "Calls" : b->profile->measures[m].title,
        b->profile->title ? b->profile->title : "the profile", pj_pane_modes[how.mode]));
    add_columns(b, &how, table, arena);
    for (size_t i = 0; i < r.count; i++)
        add_table_row(b, &r.at[i], r.values[i], &how, table);
    pj_pane_rows_free(&r);
    return table;
}

static void save(void *context)
{
    browser *b = context;
    pj_auto_table table = table_of(b);
    pj_pane_saver_save(&b->saver, &b->parts, table);
}

// ---- the page

static void make_panes(browser *b)
{
    static const char *const widths[PANES] = {"24%", "46%", "28%"};
    for (size_t i = 0; i < PANES; i++)
        pj_pane_build(&b->panes[i], &b->parts, i * (PJ_PANE_MOST + 1), widths[i], on_row);
    b->panes[ITEMS].of_calls = true;
}

static void make_parts(browser *b)
{
    pj_pieces *parts = &b->parts;
    b->how = pj_piece_choice(parts, "Values", pj_pane_modes);
    b->kind = pj_piece_choice(parts, "Items", item_names);
    b->search = pj_piece_entry(parts, "Search", "part of a name");
    b->largest = pj_piece_button(parts, "Largest path", "angle-double-down",
                                 "Opens the costliest call of each, down to the last one");
    b->zeros = pj_piece_check(parts, "Hide what has none", false);
    b->several = pj_piece_check(parts, "Choose several", false);
    b->said = pj_piece_html(parts, "");
    pj_piece narrow[] = {b->how, b->kind, b->search};
    for (size_t i = 0; i < sizeof narrow / sizeof *narrow; i++) {
        pj_piece_layout(parts, narrow[i], "width", "220px");
        pj_piece_set(parts, narrow[i], "style", json_pack("{s:s}", "description_width", "auto"));
    }
    make_panes(b);
    pj_piece panes =
        PJ_PIECE_ROW(parts, b->panes[METRICS].root, b->panes[ITEMS].root, b->panes[PLACES].root);
    pj_piece_layout(parts, panes, "align_items", "flex-start");
    pj_piece hint = pj_piece_html(parts, "");
    pj_piece_tell(
        parts, hint,
        "A click on a row chooses it for the panes to its right, one on the chosen row "
        "opens or shuts it; with \"Choose several\" it adds the row to the chosen ones, or takes "
        "it out, and their sum is shown. Shut rows show their value with all below, open ones "
        "their "
        "own. Blue: functions, orange: communication and waiting, grey: built-in; darker "
        "is more.");
    b->root = PJ_PIECE_COLUMN(
        parts, PJ_PIECE_ROW(parts, b->how, b->kind, b->search, b->largest, b->zeros, b->several),
        panes, b->said, pj_pane_saver_build(&b->saver, parts, save), hint);
    pj_piece_show(parts, b->kind, b->profile->count[PJ_AT_NODE] > 0);
    pj_piece_show(parts, b->largest, b->profile->count[PJ_AT_NODE] > 0);
    pj_piece_on(parts, b->how, "index", on_how);
    pj_piece_on(parts, b->kind, "index", on_kind);
    pj_piece_on(parts, b->search, "value", on_search);
    pj_piece_on(parts, b->largest, NULL, on_largest);
    pj_piece_on(parts, b->zeros, "value", on_how);
}

static void release(void *context)
{
    browser *b = context;
    if (b->made)
        pj_location_values_free(&b->values);
    pj_arena_free(b->made);
    pj_profile_release(b->profile);
    pj_pieces_free(&b->parts);
    pj_arena_free(b->arena);
    free(b);
}

/// What each metric has in all, once.
static bool take_totals(browser *b, pj_err *err)
{
    const pj_profile *p = b->profile;
    b->totals = pj_new_n(b->arena, double, p->measure_count + (size_t)1);
    for (uint32_t m = 0; m <= p->measure_count; m++) {
        pj_auto_arena arena = pj_arena_new(NULL);
        pj_location_values values;
        b->totals[m] = NAN;
        if (m < p->measure_count && !is_metric(p, m))
            continue;
        uint32_t measure = m < p->measure_count ? m : ALL;
        if (!pj_location_values_new(b->profile, measure, true, arena, &values, err))
            return false;
        b->totals[m] = values.total;
        pj_location_values_free(&values);
    }
    return true;
}

/// Everything is ready to be shown: the usual metric, the root open.
static bool begin(browser *b, pj_err *err)
{
    const pj_profile *p = b->profile;
    b->chosen[METRICS] = pj_profile_sums_usual_measure(p);
    if (b->chosen[METRICS] == PJ_NO_ITEM)
        return pj_fail(err, PJ_E_MISSING, NULL, 0, "the profile has no values of functions");
    b->open_items = pj_new_n(b->arena, bool, p->count[PJ_AT_NODE] + p->count[PJ_AT_REGION] + 1);
    b->open_places = pj_new_n(b->arena, bool, p->location_count + (size_t)1);
    b->open_all = true;
    b->chosen[ITEMS] = b->chosen[PLACES] = ALL;
    if (!take_totals(b, err) || !take_values(b, err))
        return false;
    b->open_items[0] = root_count(b) == 1;
    return true;
}

static bool tie(browser *b, pj_err *err)
{
    pj_widget *root = pj_widgets_find(b->parts.widgets, b->root);
    pj_widget_watch watch = {.kind = PJ_WIDGET_CLOSE, .release = release, .context = b};
    return pj_widget_observe(root, watch, err) != 0;
}

pj_widget *pj_pane_browser_new(pj_widgets *widgets, pj_profile *profile, pj_err *err)
{
    browser *b = pj_take_memory(sizeof *b);
    *b = (browser){.arena = pj_arena_new(NULL), .profile = pj_profile_hold(profile)};
    b->parts = (pj_pieces){.widgets = widgets, .arena = b->arena, .context = b};
    bool ok = begin(b, err);
    if (ok) {
        make_parts(b);
        show(b);
        if (b->parts.err.code != PJ_E_NONE && err)
            *err = b->parts.err;
        ok = b->parts.err.code == PJ_E_NONE;
    }
    if (ok && tie(b, err))
        return pj_widgets_find(widgets, b->root);
    pj_pieces_close(&b->parts);
    release(b);
    return NULL;
}
