// A profile as pictures show it: the ranks and the measure that are asked for, colours of
// functions, amounts, names and hover texts. Ownership: arena.
#ifndef PJ_PROFILE_VIEW_H
#define PJ_PROFILE_VIEW_H

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/profile/function_family.h"
#include "metrics/profile/function_name.h"
#include "metrics/profile/profile.h"
#include "metrics/profile/profile_sums.h"
#include "widgets/figure/chart.h"
#include "widgets/figure/column_text.h"
#include "widgets/figure/figure.h"
#include "widgets/plot/plot.h"

typedef struct pj_profile_view {
    const pj_profile *profile;
    const pj_profile_sums *sums;
    pj_profile_opts opts;
    pj_arena *arena;
    uint32_t measure;
    bool is_time;  // of that measure
    double factor; // to ns, where it is a time
    double total;
    uint32_t *locations;            // that are shown, in the order of ranks and threads
    uint32_t location_count, ranks; // of them
    bool *shown;                    // by location
    const char *name;               // of the profile: "cpu_0.prof", "cpu_*.prof (32 files)"
    const char *where;              // "rank 3", "32 ranks"
    const char *finding;            // how ranks differ, in a sentence; "" = nothing stands out
    const char *told;               // that, else which functions take most
} pj_profile_view;

/// What all pictures say of a profile in which no function has a value; false.
bool pj_profile_view_empty(const pj_profile_view *view, pj_err *err);
/// As pj_profile_view_new, though all values be 0: for what numbers of calls alone can show.
PJ_CHECKED bool pj_profile_view_untimed(const pj_profile *profile, pj_profile_opts opts,
                                        pj_arena *arena, pj_profile_view *out, pj_err *err);
/// Errors: PJ_E_USAGE (no such measure or rank), PJ_E_MISSING (nothing that can be added).
PJ_CHECKED bool pj_profile_view_new(const pj_profile *profile, pj_profile_opts opts,
                                    pj_arena *arena, pj_profile_view *out, pj_err *err);

/// "1.64 s", "3.2 MB", "1,200": an amount of the measure.
const char *pj_profile_view_amount(const pj_profile_view *view, double value);
/// The same for a title: "1.64 s", "6,850,637 cycles:u in 93 samples".
const char *pj_profile_view_whole(const pj_profile_view *view, double value);
/// "82 %", "0.4 %", "<0.1 %".
const char *pj_profile_view_share(const pj_profile_view *view, double part, double whole);
/// How a column of amounts is told: one unit, one number of decimals, NaN = left out.
pj_column_text pj_profile_view_column(const pj_profile_view *view, const double *values,
                                      size_t count);
/// "0.66", "<0.01", "1,200": a number of the column; its unit stands in the column's title.
const char *pj_profile_view_number(const pj_profile_view *view, pj_column_text form, double value);
/// "Own [s]", "Own [cycles]": the title of a column.
const char *pj_profile_view_head(const pj_profile_view *view, pj_column_text form,
                                 const char *title);
/// "100.0", "0.4", "<0.1": a number of a column of per cent.
const char *pj_profile_view_percent(const pj_profile_view *view, double part, double whole);
/// "after.prof against before.prof"; of files of one name with their folders.
const char *pj_profile_view_against(const pj_profile_view *view, const pj_profile *then,
                                    const char *then_name);
/// "rank 3", "rank 3, thread 1", "GPU 0 of rank 2".
const char *pj_profile_view_location(const pj_profile_view *view, uint32_t location);
/// The values of an item at the locations shown, in their order; NULL where the source has none.
double *pj_profile_view_spread(const pj_profile_view *view, pj_site site, uint32_t item,
                               pj_value_part part);
/// Appends what is known of a function: name, place, values of the whole profile, over ranks.
void pj_profile_view_describe(const pj_profile_view *view, uint32_t region, pj_buf *out);

/// The same for the same function in every picture. Work is blue, what is built in grey, waiting
/// orange: told apart by the colour-blind, and by their lightness.
pj_colour pj_function_colour(const pj_profile *profile, uint32_t region);
/// Keys of a legend for the families that are there.
size_t pj_function_keys(const bool there[PJ_FAMILY_COUNT], pj_chart_key keys[PJ_FAMILY_COUNT]);
/// SnakeViz's twenty colours, in order of appearance.
pj_colour pj_function_colour_of_snakeviz(size_t appearance);

#endif
