// What is looked at is a path of functions from the root; each change draws the picture anew.
#include "widgets/view/call_browser.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/num.h"
#include "metrics/base/str.h"
#include "metrics/profile/call_tree.h"
#include "metrics/profile/function_name.h"
#include "metrics/profile/profile.h"
#include "metrics/profile/profile_sums.h"
#include "widgets/bundle.h"
#include "widgets/figure/draw.h"
#include "widgets/figure/figure.h"
#include "widgets/plot/plot.h"
#include "widgets/wizard/wizard_pieces.h"

#include <stdlib.h>

enum { STEPS_MOST = 64, LINKS_MOST = PJ_CALL_DEPTH_MOST, BELOW_MOST = 40 };

typedef struct path {
    uint32_t regions[PJ_CALL_DEPTH_MOST], count;
} path;

typedef struct browser {
    pj_arena *arena;
    pj_pieces parts;
    pj_profile *profile;
    const pj_plot *plot;
    pj_plot_opts opts;
    path at, steps[STEPS_MOST]; // where it was before
    size_t step_count;
    const pj_profile_sums *sums; // from which the calls below are listed
    uint32_t below[BELOW_MOST];  // functions that the list offers, behind its first line
    uint32_t below_count, first; // first: the root of everything
    pj_piece root, back, whole, depth, cutoff, search, down, said, calls, picture, asked;
    pj_piece links[LINKS_MOST + 1]; // of the list of calls, made as they are needed
    size_t link_count;
} browser;

static const unsigned depths[] = {0, 3, 5, 10, 15, 20, 40};
static const char *const depth_names[] = {"usual", "3", "5", "10", "15", "20", "40", NULL};
static const double cutoffs[] = {0, -1, 1e-3, 1e-2, 5e-2};
static const char *const cutoff_names[] = {"usual", "none", "1/1000", "1/100", "1/20", NULL};

// ---- showing

static const char *name_of(const browser *b, uint32_t region, pj_arena *arena)
{
    return region == PJ_NO_ITEM ? "all" : pj_function_short(b->profile, region, arena);
}

static void go_to_link(void *context, size_t place);

/// A button for each function of the path; what is above the last one leads back to it.
static void show_calls(browser *b)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_piece shown[LINKS_MOST + 1] = {0};
    for (uint32_t k = 0; k < b->at.count; k++) {
        const char *name = name_of(b, b->at.regions[k], arena);
        if (k >= b->link_count) {
            b->links[k] = pj_piece_button(&b->parts, "", NULL, "Looks at it again");
            pj_piece_on_place(&b->parts, b->links[k], go_to_link, k);
            b->link_count = k + 1;
        }
        pj_piece_set(&b->parts, b->links[k], "description", pj_piece_string(name));
        pj_piece_enable(&b->parts, b->links[k], k + 1 < b->at.count);
        shown[k] = b->links[k];
    }
    pj_piece_children(&b->parts, b->calls, shown);
    pj_piece_enable(&b->parts, b->back, b->step_count > 0);
    pj_piece_enable(&b->parts, b->whole, b->at.count > 0);
}

/// What is looked at calls these: a way down where no script runs.
static void show_below(browser *b)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_err err = {.code = PJ_E_NONE};
    json_t *names = json_pack("[s]", "a call below");
    const pj_call_tree *tree =
        pj_call_tree_new(b->sums,
                         (pj_call_tree_opts){.root = pj_str_of(b->opts.profile.root),
                                             .reverse = b->opts.profile.reverse,
                                             .depth = b->at.count ? b->at.count : 1,
                                             .cutoff = b->opts.profile.cutoff,
                                             .path = b->at.regions,
                                             .path_count = b->at.count},
                         arena, &err);
    const pj_call_box *top = tree ? &tree->boxes[tree->top] : NULL;
    b->below_count = 0;
    b->first = tree ? tree->boxes[0].region : PJ_NO_ITEM;
    for (uint32_t i = 0; top && i < top->count && b->below_count < BELOW_MOST; i++) {
        const pj_call_box *box = &tree->boxes[tree->order[top->first + i]];
        if (box->self || box->region == PJ_NO_ITEM)
            continue;
        b->below[b->below_count++] = box->region;
        const char *text =
            pj_arena_format(arena, "%s, %.1f %%", pj_function_short(b->profile, box->region, arena),
                            top->value > 0 ? 100 * box->value / top->value : 0);
        json_array_append_new(names, pj_piece_string(text));
    }
    pj_piece_options(&b->parts, b->down, names, 0);
    pj_piece_enable(&b->parts, b->down, b->below_count > 0);
}

static bool show_picture(browser *b, pj_err *err)
{
    pj_plot_opts opts = b->opts;
    const pj_draw *draw = pj_draw_open(err);
    opts.profile.zoom = b->at.regions;
    opts.profile.zoom_count = b->at.count;
    opts.profile.asks = b->asked;
    opts.profile.wanted = pj_piece_text(&b->parts, b->search);
    pj_auto_figure figure =
        draw ? b->plot->make((pj_plot_data){.profile = b->profile}, opts, draw, err) : NULL;
    pj_auto_bundle bundle = {0};
    if (!figure || !pj_bundle_figure(figure, pj_str_of(figure->summary), (pj_str){0},
                                     (pj_bundle_opts){.told = true}, &bundle, err))
        return false;
    pj_piece_display(&b->parts, b->picture, bundle.data, bundle.metadata);
    return true;
}

static bool show(browser *b, pj_err *err)
{
    if (!show_picture(b, err))
        return false;
    show_calls(b);
    show_below(b);
    return true;
}

static void show_or_say(browser *b)
{
    pj_err err = {.code = PJ_E_NONE};
    pj_piece_tell(&b->parts, b->said, show(b, &err) ? "" : err.text);
}

// ---- going

static void go(browser *b, path to)
{
    if (b->step_count == STEPS_MOST)
        memmove(b->steps, b->steps + 1, --b->step_count * sizeof *b->steps);
    b->steps[b->step_count++] = b->at;
    b->at = to;
    show_or_say(b);
}

static void go_back(void *context)
{
    browser *b = context;
    if (b->step_count == 0)
        return;
    b->at = b->steps[--b->step_count];
    show_or_say(b);
}

static void go_to_whole(void *context)
{
    browser *b = context;
    if (b->at.count)
        go(b, (path){.count = 0});
}

static void go_to_link(void *context, size_t place)
{
    browser *b = context;
    path to = b->at;
    to.count = place < to.count ? (uint32_t)place + 1 : to.count;
    go(b, to);
}

/// "12 0/7/31": a number that tells messages apart, then functions from the root, -1 = all of
/// several roots; "12 back", "12 whole". False when it is nothing of the kind.
static bool read_path(const browser *b, pj_str text, path *out)
{
    *out = (path){.count = 0};
    while (text.len) {
        int64_t region;
        pj_str one = pj_str_cut(&text, '/');
        if (out->count == PJ_CALL_DEPTH_MOST || !pj_parse_i64(one, &region) || region < -1 ||
            region >= (int64_t)b->profile->count[PJ_AT_REGION])
            return false;
        out->regions[out->count++] = region < 0 ? PJ_NO_ITEM : (uint32_t)region;
    }
    return out->count > 0;
}

static void hear(void *context)
{
    browser *b = context;
    pj_str text = pj_str_of(pj_piece_text(&b->parts, b->asked));
    path to;
    pj_str_cut(&text, ' ');
    if (pj_str_equal(text, PJ_S("back")))
        go_back(b);
    else if (pj_str_equal(text, PJ_S("whole")))
        go_to_whole(b);
    else if (read_path(b, text, &to))
        go(b, to);
}

static void go_down(void *context)
{
    browser *b = context;
    int index = pj_piece_index(&b->parts, b->down);
    path to = b->at;
    if (index < 1 || (uint32_t)index > b->below_count)
        return;
    if (to.count == 0)
        to.regions[to.count++] = b->first;
    if (to.count == PJ_CALL_DEPTH_MOST)
        return;
    to.regions[to.count++] = b->below[index - 1];
    go(b, to);
}

static void choose_depth(void *context)
{
    browser *b = context;
    b->opts.profile.depth =
        depths[pj_piece_pick(&b->parts, b->depth, sizeof depths / sizeof *depths)];
    show_or_say(b);
}

static void choose_cutoff(void *context)
{
    browser *b = context;
    b->opts.profile.cutoff =
        cutoffs[pj_piece_pick(&b->parts, b->cutoff, sizeof cutoffs / sizeof *cutoffs)];
    show_or_say(b);
}

static void search(void *context)
{
    show_or_say(context);
}

// ---- the page

static pj_piece field_of_clicks(browser *b)
{
    pj_piece field = pj_piece_new(
        &b->parts, "Text",
        json_pack("{s:b, s:{s:s}}", "continuous_update", 1, "layout", "display", "none"));
    if (field) // the picture finds it by its id
        pj_piece_set(&b->parts, field, "_dom_classes", json_pack("[s+]", "pj-asks-", field));
    return field;
}

static void make_parts(browser *b)
{
    pj_pieces *parts = &b->parts;
    b->back = pj_piece_button(parts, "Back", "arrow-left", "To what was looked at before");
    b->whole = pj_piece_button(parts, "Whole", "arrows-alt", "To the root");
    b->depth = pj_piece_choice(parts, "Depth", depth_names);
    b->cutoff = pj_piece_choice(parts, "Cut-off", cutoff_names);
    b->search = pj_piece_entry(parts, "Search", "part of a name");
    b->down = pj_piece_choice(parts, "Look at", (const char *const[]){"a call below", NULL});
    b->said = pj_piece_html(parts, "");
    b->picture = pj_piece_output(parts);
    b->asked = field_of_clicks(b);
    pj_piece none = NULL;
    b->calls = pj_piece_box(parts, "HBox", &none);
    pj_piece narrow[] = {b->depth, b->cutoff, b->search, b->down};
    for (size_t i = 0; i < sizeof narrow / sizeof *narrow; i++) {
        pj_piece_layout(parts, narrow[i], "width", i >= 2 ? "260px" : "180px");
        pj_piece_set(parts, narrow[i], "style", json_pack("{s:s}", "description_width", "auto"));
    }
    b->root = PJ_PIECE_COLUMN(
        parts, PJ_PIECE_ROW(parts, b->back, b->whole, b->down, b->depth, b->cutoff, b->search),
        b->calls, b->said, b->picture, b->asked);
    pj_piece_on(parts, b->back, NULL, go_back);
    pj_piece_on(parts, b->whole, NULL, go_to_whole);
    pj_piece_on(parts, b->depth, "index", choose_depth);
    pj_piece_on(parts, b->cutoff, "index", choose_cutoff);
    pj_piece_on(parts, b->search, "value", search);
    pj_piece_on(parts, b->down, "index", go_down);
    pj_piece_on(parts, b->asked, "value", hear);
}

static void release(void *context)
{
    browser *b = context;
    pj_profile_release(b->profile);
    pj_pieces_free(&b->parts);
    pj_arena_free(b->arena);
    free(b);
}

static const char *kept(const browser *b, const char *text)
{
    return text ? pj_arena_text(b->arena, pj_str_of(text)) : NULL;
}

/// The options outlive the command that they were given to.
static void keep_opts(browser *b, pj_plot_opts opts)
{
    b->opts = opts;
    b->opts.title = kept(b, opts.title);
    b->opts.profile.measure = kept(b, opts.profile.measure);
    b->opts.profile.root = kept(b, opts.profile.root);
    b->opts.profile.colours = kept(b, opts.profile.colours);
}

/// Of the ranks and the metric that the picture shows.
static void take_sums(browser *b)
{
    const pj_profile *p = b->profile;
    const pj_profile_opts *opts = &b->opts.profile;
    uint32_t measure = opts->measure ? pj_profile_measure(p, pj_str_of(opts->measure))
                                     : pj_profile_sums_usual_measure(p);
    bool *shown = pj_new_n(b->arena, bool, p->location_count + (size_t)1);
    for (uint32_t at = 0; at < p->location_count; at++) {
        int64_t rank = p->locations[at].rank < 0 ? (int64_t)at : p->locations[at].rank;
        shown[at] = !opts->one_rank || rank == opts->rank;
    }
    b->sums = pj_profile_sums_new(p, measure, shown, b->arena);
}

/// Released with the outermost widget.
static bool tie(browser *b, pj_err *err)
{
    pj_widget *root = pj_widgets_find(b->parts.widgets, b->root);
    pj_widget_watch watch = {.kind = PJ_WIDGET_CLOSE, .release = release, .context = b};
    return pj_widget_observe(root, watch, err) != 0;
}

pj_widget *pj_call_browser_new(pj_widgets *widgets, pj_profile *profile, const pj_plot *plot,
                               pj_plot_opts opts, pj_err *err)
{
    browser *b = pj_take_memory(sizeof *b);
    *b = (browser){.arena = pj_arena_new(NULL), .profile = pj_profile_hold(profile), .plot = plot};
    b->parts = (pj_pieces){.widgets = widgets, .arena = b->arena, .context = b};
    keep_opts(b, opts);
    take_sums(b);
    make_parts(b);
    if (b->parts.err.code != PJ_E_NONE && err)
        *err = b->parts.err;
    if (b->parts.err.code == PJ_E_NONE && show(b, err) && tie(b, err))
        return pj_widgets_find(widgets, b->root);
    pj_pieces_close(&b->parts);
    release(b);
    return NULL;
}
