// How panes tell amounts: a column has one unit and one number of decimals, so that they align.
// Ownership: plain values; texts are the arena's.
#ifndef PJ_PANE_AMOUNT_H
#define PJ_PANE_AMOUNT_H

#include "metrics/base/arena.h"
#include "metrics/profile/profile.h"

/// In place of the amount itself: its part of all of the metric, its part of what is chosen in the
/// pane before, its mean over ranks.
typedef enum pj_pane_mode {
    PJ_PANE_ABSOLUTE,
    PJ_PANE_OF_METRIC,
    PJ_PANE_OF_CHOICE,
    PJ_PANE_PER_RANK,
    PJ_PANE_MODES,
} pj_pane_mode;
/// Labels for a choice; ends with NULL.
extern const char *const pj_pane_modes[];

typedef struct pj_pane_amount {
    pj_pane_mode mode;
    bool is_time;
    const char *unit; // that is shown
    double factor;    // from values to what is shown
    int decimals;     // -1 = whole numbers, grouped
    double total;     // of the metric
    double whole;     // of what is chosen in the pane before
    double ranks;     // that amounts are shared out among; 0 = they are not
} pj_pane_amount;

/// `measure` PJ_NO_ITEM: calls.
pj_pane_amount pj_pane_amount_of(const pj_profile *profile, uint32_t measure);
/// Unit and decimals for all of the values; NAN = left out.
void pj_pane_amount_fit(pj_pane_amount *how, const double *values, size_t count);
/// As the mode has it, in the measure's own unit; NAN = there is none.
double pj_pane_amount_told(const pj_pane_amount *how, double value);
/// "12.3"; a dot where there is none.
const char *pj_pane_amount_text(const pj_pane_amount *how, double value, pj_arena *arena);
/// The text with blanks before it, so wide as a digit, up to so many letters.
const char *pj_pane_amount_pad(const char *text, size_t width, pj_arena *arena);

#endif
