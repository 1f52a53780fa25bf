// From one stretch of a timeline to another: nearer, farther, earlier, later, as the region to
// analyse.
#include "widgets/wizard/wizard_inside.h"

#include "metrics/base/arena.h"
#include "metrics/run/run.h"
#include "metrics/run/timeline.h"
#include "widgets/wizard/wizard.h"
#include "widgets/wizard/wizard_pieces.h"
#include "widgets/wizard/wizard_record.h"

/// Shows `factor` times the time that is shown now, its middle moved by `shift` of it.
static void zoom(pj_wizard *wizard, double factor, double shift)
{
    const pj_run *run = wizard->looked;
    if (pj_wizard_inside_view(wizard) != PJ_WIZARD_TIMELINE || !pj_wizard_look_done(wizard) ||
        !run->timeline)
        return;
    double from = (double)run->timeline->from_ns, to = (double)run->timeline->to_ns;
    double width = (to - from) * factor, last = (double)run->end_ns;
    double begin = (from + to - width) / 2 + shift * (to - from);
    if (width < 1000) // the least that Extrae's clocks tell apart
        return;
    begin = begin + width > last ? last - width : begin;
    begin = begin < 0 ? 0 : begin;
    double end = begin + width > last ? last : begin + width;
    pj_auto_arena arena = pj_arena_new(NULL);
    const char *range = pj_arena_format(arena, "%.7gms..%.7gms", begin / 1e6, end / 1e6);
    pj_piece_say(&wizard->parts, pj_wizard_inside_page(wizard)->range,
                 begin > 0 || end < last ? range : "");
    pj_wizard_inside_draw(wizard);
}

static void on_zoom_in(void *context)
{
    zoom(context, 0.25, 0);
}

static void on_zoom_out(void *context)
{
    zoom(context, 4, 0);
}

static void on_earlier(void *context)
{
    zoom(context, 1, -0.5);
}

static void on_later(void *context)
{
    zoom(context, 1, 0.5);
}

static void on_whole(void *context)
{
    pj_wizard *wizard = context;
    pj_piece_say(&wizard->parts, pj_wizard_inside_page(wizard)->range, "");
    if (wizard->study)
        pj_wizard_inside_draw(wizard);
}

static void on_region(void *context)
{
    pj_wizard *wizard = context;
    const pj_run *run = wizard->looked;
    if (pj_wizard_inside_view(wizard) != PJ_WIZARD_TIMELINE || !pj_wizard_look_done(wizard) ||
        !run->timeline)
        return;
    double from = (double)run->timeline->from_ns, to = (double)run->timeline->to_ns;
    double whole = (double)run->end_ns / 100;
    pj_auto_arena arena = pj_arena_new(NULL);
    bool several = wizard->chosen_count > 1 && whole > 0;
    pj_wizard_analyse_region(
        wizard, several ? pj_arena_format(arena, "%.4f%%..%.4f%%", from / whole, to / whole)
                        : pj_arena_format(arena, "%.0fns..%.0fns", from, to));
}

pj_piece pj_wizard_zoom_build(pj_wizard *wizard)
{
    static const struct {
        const char *label, *icon, *tip;
        void (*call)(void *context);
    } buttons[] = {
        {"Zoom in", "search-plus", "A quarter of this time", on_zoom_in},
        {"Zoom out", "search-minus", "Four times this time", on_zoom_out},
        {"Earlier", "arrow-left", "Half a picture back", on_earlier},
        {"Later", "arrow-right", "Half a picture on", on_later},
        {"Whole run", "arrows-h", "What is analysed", on_whole},
        {"Use as region", "crop",
         "Reads the runs again with this time as the region of interest; of several runs, the same "
         "part of each",
         on_region},
    };
    enum { COUNT = sizeof buttons / sizeof *buttons };
    pj_pieces *parts = &wizard->parts;
    pj_piece row[COUNT + 1] = {NULL};
    for (int i = 0; i < COUNT; i++) {
        row[i] = pj_piece_button(parts, buttons[i].label, buttons[i].icon, buttons[i].tip);
        pj_piece_on(parts, row[i], NULL, buttons[i].call);
    }
    return pj_piece_box(parts, "HBox", row);
}
