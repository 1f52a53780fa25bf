// Every change builds the rows of all panes anew: a few hundred texts, of which only those that
// differ are sent.
#include "widgets/view/pane_browser.h"

#include "metrics/base/arena.h"
#include "metrics/base/err.h"
#include "metrics/profile/location_values.h"
#include "metrics/profile/profile.h"
#include "metrics/table/table.h"
#include "widgets/view/pane.h"
#include "widgets/view/pane_amount.h"
#include "widgets/view/pane_list.h"
#include "widgets/view/pane_rows.h"
#include "widgets/view/pane_saver.h"
#include "widgets/view/pane_spread.h"
#include "widgets/view/pane_state.h"
#include "widgets/view/pane_table.h"
#include "widgets/wizard/wizard_pieces.h"

#include <stdlib.h>

static const char *const item_names[] = {"call paths", "functions", NULL};

typedef struct browser {
    pj_arena *arena;
    pj_pieces parts;
    pj_pane_state state;
    pj_pane panes[PJ_PANES];
    pj_piece root, how, kind, search, largest, zeros, several, said;
    pj_pane_saver saver;
} browser;

// ---- what is shown

static const char *headed(const browser *b, const char *what, const pj_pane_amount *how,
                          pj_arena *arena)
{
    uint32_t m = b->state.chosen[PJ_PANE_METRICS];
    return pj_arena_format(arena, "%s: %s%s%s%s", what,
                           m == PJ_NO_ITEM ? "calls" : b->state.profile->measures[m].title,
                           *how->unit ? " [" : "", how->unit, *how->unit ? "]" : "");
}

static void show_metrics(browser *b, pj_arena *arena)
{
    pj_pane_rows r = {0};
    pj_pane_list_metrics(&b->state, &r, arena);
    pj_pane_show(&b->panes[PJ_PANE_METRICS], "Metrics", r.at, r.count);
    pj_pane_rows_free(&r);
}

static void show_items(browser *b, pj_arena *arena)
{
    pj_pane_rows r = {0};
    pj_pane_amount how = pj_pane_list_amount(&b->state);
    pj_pane_list_items(&b->state, &r, arena);
    pj_pane_rows_complete(&r, &how, b->state.hides, arena);
    pj_pane_show(&b->panes[PJ_PANE_ITEMS],
                 headed(b, b->state.values.paths ? "Call paths" : "Functions", &how, arena), r.at,
                 r.count);
    pj_pane_rows_free(&r);
}

static void show_places(browser *b, pj_arena *arena)
{
    pj_pane_rows r = {0};
    double whole = pj_pane_state_place_value(&b->state, PJ_NO_ITEM);
    pj_pane_amount how = pj_pane_state_amount(&b->state, whole);
    pj_pane_list_places(&b->state, whole, &r, arena);
    pj_pane_rows_complete(&r, &how, b->state.hides, arena);
    pj_pane_show(&b->panes[PJ_PANE_PLACES], headed(b, "Ranks", &how, arena), r.at, r.count);
    pj_pane_rows_free(&r);
}

static void take_controls(browser *b)
{
    b->state.mode = (pj_pane_mode)pj_piece_pick(&b->parts, b->how, PJ_PANE_MODES);
    b->state.hides = pj_piece_is_on(&b->parts, b->zeros);
    b->state.search = pj_piece_text(&b->parts, b->search);
}

static void show(browser *b)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    take_controls(b);
    show_metrics(b, arena);
    show_items(b, arena);
    show_places(b, arena);
    const char *spread = pj_pane_spread(&b->state, arena);
    if (*spread)
        pj_piece_tell(&b->parts, b->said, spread);
    else
        pj_piece_say(&b->parts, b->said, "");
}

// ---- choices

static bool is_several(const browser *b)
{
    return pj_piece_is_on(&b->parts, b->several);
}

static void take_or_say(browser *b)
{
    pj_err err = {.code = PJ_E_NONE};
    if (pj_pane_state_take_values(&b->state, &err))
        show(b);
    else
        pj_piece_tell(&b->parts, b->said, err.text);
}

static void click_metric(browser *b, uint32_t item)
{
    b->state.chosen[PJ_PANE_METRICS] = item;
    take_or_say(b);
}

static bool has_children(const browser *b, uint32_t item)
{
    const pj_profile *p = pj_pane_state_items(&b->state);
    uint32_t next = item + 1; // a node stands after its parent, not always at once
    for (; b->state.values.paths && next < p->count[PJ_AT_NODE]; next++)
        if (p->nodes[next].parent == item)
            return true;
    return false;
}

static void click_item(browser *b, uint32_t item)
{
    if (is_several(b)) {
        pj_pane_state_toggle(&b->state, PJ_PANE_ITEMS, item);
        show(b);
        return;
    }
    if (item != PJ_NO_ITEM && item == b->state.chosen[PJ_PANE_ITEMS] && has_children(b, item))
        b->state.open_items[item] = !b->state.open_items[item];
    pj_pane_state_choose(&b->state, PJ_PANE_ITEMS, item);
    show(b);
}

static void click_place(browser *b, uint32_t item)
{
    if (is_several(b)) {
        pj_pane_state_toggle(&b->state, PJ_PANE_PLACES, item);
        show(b);
        return;
    }
    if (item == b->state.chosen[PJ_PANE_PLACES] && item == PJ_NO_ITEM)
        b->state.open_all = !b->state.open_all;
    else if (item == b->state.chosen[PJ_PANE_PLACES] && item < b->state.profile->location_count)
        b->state.open_places[item] = !b->state.open_places[item];
    pj_pane_state_choose(&b->state, PJ_PANE_PLACES, item);
    show(b);
}

static void on_row(void *context, size_t place)
{
    static void (*const clicks[PJ_PANES])(browser * b, uint32_t item) = {click_metric, click_item,
                                                                         click_place};
    browser *b = context;
    size_t pane = place / (PJ_PANE_MOST + 1), row = place % (PJ_PANE_MOST + 1);
    if (pane >= PJ_PANES)
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
    b->state.flat = pj_piece_index(&b->parts, b->kind) == 1;
    pj_pane_state_choose(&b->state, PJ_PANE_ITEMS, PJ_NO_ITEM);
    take_or_say(b);
    if (pj_pane_state_roots(&b->state) == 1)
        click_item(b, 0);
}

static void open_above(browser *b, uint32_t node)
{
    const pj_profile *p = pj_pane_state_items(&b->state);
    for (uint32_t at = p->nodes[node].parent; at != PJ_NO_ITEM; at = p->nodes[at].parent)
        b->state.open_items[at] = true;
}

/// What is found is seen: all above it opens.
static void on_search(void *context)
{
    enum { OPENED_MOST = 200 };
    browser *b = context;
    uint32_t opened = 0;
    take_controls(b);
    for (uint32_t i = 0;
         b->state.values.paths && i < pj_pane_state_item_count(&b->state) && opened < OPENED_MOST;
         i++)
        if (pj_pane_state_is_wanted(&b->state, pj_pane_state_region(&b->state, i))) {
            open_above(b, i);
            opened++;
        }
    show(b);
}

/// Down the costliest callee of each, as Cube's "Expand largest".
static void on_largest(void *context)
{
    browser *b = context;
    const pj_profile *p = pj_pane_state_items(&b->state);
    uint32_t at = b->state.chosen[PJ_PANE_ITEMS];
    for (bool further = b->state.values.paths; further;) {
        uint32_t best = PJ_NO_ITEM;
        double most = 0;
        for (uint32_t n = at == PJ_NO_ITEM ? 0 : at + 1; n < p->count[PJ_AT_NODE]; n++) {
            double value = pj_location_value(&b->state.values, n, PJ_NO_ITEM, true);
            if (p->nodes[n].parent == at && value > most) {
                best = n;
                most = value;
            }
        }
        further = best != PJ_NO_ITEM;
        if (further && at != PJ_NO_ITEM)
            b->state.open_items[at] = true;
        at = further ? best : at;
    }
    pj_pane_state_choose(&b->state, PJ_PANE_ITEMS, at);
    show(b);
}

static void on_how(void *context)
{
    show(context);
}

static void save(void *context)
{
    browser *b = context;
    take_controls(b);
    pj_auto_table table = pj_pane_table_new(&b->state);
    pj_pane_saver_save(&b->saver, &b->parts, table);
}

// ---- the page

static void make_panes(browser *b)
{
    static const char *const widths[PJ_PANES] = {"24%", "46%", "28%"};
    for (size_t i = 0; i < PJ_PANES; i++)
        pj_pane_build(&b->panes[i], &b->parts, i * (PJ_PANE_MOST + 1), widths[i], on_row);
    b->panes[PJ_PANE_ITEMS].of_calls = true;
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
    pj_piece panes = PJ_PIECE_ROW(parts, b->panes[PJ_PANE_METRICS].root,
                                  b->panes[PJ_PANE_ITEMS].root, b->panes[PJ_PANE_PLACES].root);
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
    pj_piece_show(parts, b->kind, b->state.profile->count[PJ_AT_NODE] > 0);
    pj_piece_show(parts, b->largest, b->state.profile->count[PJ_AT_NODE] > 0);
    pj_piece_on(parts, b->how, "index", on_how);
    pj_piece_on(parts, b->kind, "index", on_kind);
    pj_piece_on(parts, b->search, "value", on_search);
    pj_piece_on(parts, b->largest, NULL, on_largest);
    pj_piece_on(parts, b->zeros, "value", on_how);
}

static void release(void *context)
{
    browser *b = context;
    pj_pane_state_end(&b->state);
    pj_profile_release(b->state.profile);
    pj_pieces_free(&b->parts);
    pj_arena_free(b->arena);
    free(b);
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
    *b = (browser){.arena = pj_arena_new(NULL)};
    b->state = (pj_pane_state){.arena = b->arena, .profile = pj_profile_hold(profile)};
    b->parts = (pj_pieces){.widgets = widgets, .arena = b->arena, .context = b};
    bool ok = pj_pane_state_begin(&b->state, err);
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
