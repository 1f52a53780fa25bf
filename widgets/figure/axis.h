// Axes: from data to px, with ticks people would choose. Ownership: ticks are arena.
#ifndef PJ_AXIS_H
#define PJ_AXIS_H

#include "metrics/base/arena.h"

typedef enum pj_axis_kind { PJ_AXIS_LINEAR, PJ_AXIS_LOG, PJ_AXIS_CATEGORIES } pj_axis_kind;

typedef struct pj_tick {
    double value;
    const char *label; // "" = a mark without text
} pj_tick;

typedef struct pj_axis {
    pj_axis_kind kind;
    const char *title; // with the unit; NULL = none
    double from, to;   // of the data; categories: -0.5 .. n - 0.5
    double start, end; // px; start is below end on a y axis
    pj_tick *ticks;    // given (measured values, categories) or made by pj_axis_ticks
    size_t tick_count;
    bool given; // ticks are the caller's
    bool whole; // values between whole numbers mean nothing (ranks)
} pj_axis;

/// An axis that holds lo..hi; linear ones include 0 when `zero`, and a single value gets room on
/// both sides. Values of a log axis are above 0.
pj_axis pj_axis_new(pj_axis_kind kind, double lo, double hi, bool zero);
/// Categories with one label each.
pj_axis pj_axis_categories(pj_arena *arena, const char *const *labels, size_t count);
/// Chooses ticks at least `gap` px apart; a linear axis begins at a tick, and ends at
/// one unless that leaves much of it empty. Numbers above 10,000 are shortened (20k, 3M, 1.5G).
void pj_axis_ticks(pj_axis *axis, pj_arena *arena, double gap);
/// px of a value.
double pj_axis_at(const pj_axis *axis, double value);

#endif
