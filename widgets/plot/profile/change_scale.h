// How a change from one profile to another is told and coloured, alike in all pictures.
// Ownership: texts are the view's arena.
#ifndef PJ_CHANGE_SCALE_H
#define PJ_CHANGE_SCALE_H

#include "widgets/figure/chart.h"
#include "widgets/figure/figure.h"
#include "widgets/plot/profile/profile_view.h"

enum { PJ_CHANGE_KEYS = 3 };
#define PJ_CHANGE_EQUAL 0xeff1f4ffu

/// Red = more, blue = less, pale = as before; `most` is the largest change, either way.
pj_colour pj_change_colour(double by, double most);
bool pj_change_is_seen(double by, double most);
/// "+550 ms".
const char *pj_change_amount(const pj_profile_view *view, double by);
/// "+550 ms, +91 %", "new, 3 ms" (before is NAN), "as before".
const char *pj_change_text(const pj_profile_view *view, double before, double now, double most);
/// "1.15 s, before 600 ms: +550 ms (+91 %)", "new: 3 ms".
const char *pj_change_sentence(const pj_profile_view *view, double before, double now);
void pj_change_keys(const pj_profile_view *view, double most, pj_chart_key keys[PJ_CHANGE_KEYS]);

#endif
