// The call tree as a picture shows it: which of its boxes are drawn, their colours, names, hover
// texts and spread over ranks, and what is said above and below them. Ownership: arena.
#ifndef PJ_CALL_VIEW_H
#define PJ_CALL_VIEW_H

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/profile/call_tree.h"
#include "metrics/profile/function_family.h"
#include "metrics/profile/profile.h"
#include "widgets/figure/chart.h"
#include "widgets/figure/figure.h"
#include "widgets/plot/plot.h"
#include "widgets/plot/profile/call_change.h"
#include "widgets/plot/profile/profile_view.h"

enum { PJ_CALL_KEYS = PJ_FAMILY_COUNT + 3 };

typedef struct pj_call_view {
    pj_profile_view view;
    const pj_call_tree *tree;
    bool *drawn;          // by box: large enough, and so are all above it
    uint32_t first;       // box at which the picture begins: above it are only boxes of one child
    uint32_t rows;        // from its row to the last one that is drawn
    bool cut;             // below that all boxes are narrow
    uint32_t rows_beyond; // those that a picture of a given height has no room for
    const char *strip;    // where a strip of the ranks is: "in a box"; NULL = nowhere
    uint64_t left_out;    // boxes that are too small to be drawn
    pj_colour *colours;
    double *spreads;        // by box and location, of the trees that do not store them; NULL = none
    pj_call_change *change; // since another profile; NULL = it is compared with none
    const char *title, *subtitle, *note, *summary;
    const char *about; // the part of the note that is true of any zoom; NULL = none
    pj_chart_key keys[PJ_CALL_KEYS];
    size_t key_count;
} pj_call_view;

typedef struct pj_call_picture {
    const char *kind;  // begins the title: "Flame graph"
    double least;      // part of the whole; smaller boxes are not drawn
    const char *strip; // where a strip of the ranks is: "in a box"; NULL = nowhere
} pj_call_picture;

PJ_CHECKED bool pj_call_view_new(const pj_profile *profile, const pj_plot_opts *opts,
                                 pj_call_picture picture, pj_arena *arena, pj_call_view *out,
                                 pj_err *err);
/// Draws no more than the first rows; the note says how many are missing, and of strips while
/// there are some.
void pj_call_view_fit(pj_call_view *view, uint32_t rows);
/// The name for people; of the first box with the names of those above it.
const char *pj_call_view_name(const pj_call_view *view, uint32_t box);
/// Whether a label, cut or not, still tells the name: of fewer letters nobody guesses it.
bool pj_call_view_says(const char *label);
const char *pj_call_view_hover(const pj_call_view *view, uint32_t box);
/// Appends how the locations differ in a box, as a line of its own; nothing when nobody knows.
void pj_call_view_ranks(const pj_call_view *view, uint32_t box, pj_buf *out);
/// Its values at the locations shown, as they follow one another; NULL when nobody knows them or
/// there is one location.
const double *pj_call_view_spread(const pj_call_view *view, uint32_t box);
/// Colours of a strip with a cell for each location, at most `cells` of them; darker = more.
pj_colour *pj_call_view_strip(const pj_call_view *view, const double *values, pj_colour fill,
                              size_t *cells);
/// Of the time between two ends of siblings that are too small: one pale box.
#define PJ_COLOUR_OTHERS 0xeceff2ffu

#endif
