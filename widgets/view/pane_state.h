// What linked panes show and what is chosen in them: a metric, items (call paths or functions) and
// places (ranks and threads). Ownership: the arena's, but for the values, which end frees; texts
// are those of the arena that is given.
#ifndef PJ_PANE_STATE_H
#define PJ_PANE_STATE_H

#include "metrics/base/arena.h"
#include "metrics/base/err.h"
#include "metrics/profile/location_values.h"
#include "metrics/profile/profile.h"
#include "widgets/view/pane_amount.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PJ_PANE_METRICS, PJ_PANE_ITEMS, PJ_PANE_PLACES, PJ_PANES };
enum { PJ_PANE_CHOSEN_MOST = 64 };

/// Several rows of a pane; none = the one that is chosen.
typedef struct pj_pane_choice {
    uint32_t items[PJ_PANE_CHOSEN_MOST];
    size_t count;
} pj_pane_choice;

typedef struct pj_pane_state {
    pj_arena *arena;
    pj_profile *profile;
    pj_arena *made;            // of the values; NULL = none
    pj_location_values values; // of the chosen metric
    bool flat;                 // functions in place of call paths
    uint32_t chosen[PJ_PANES]; // metric (PJ_NO_ITEM = calls), item, row of places; PJ_NO_ITEM = all
    pj_pane_choice sets[PJ_PANES]; // of items and places
    bool *open_items, *open_places, open_all;
    double *totals; // by metric, calls last; NAN = there is none
    // As the page has it:
    pj_pane_mode mode;
    bool hides;         // rows of nothing
    const char *search; // part of a name
} pj_pane_state;

/// With `arena` and `profile` set: everything is ready to be shown, the usual metric, the root
/// open. Errors: PJ_E_MISSING (no values of functions), those of pj_location_values_new.
PJ_CHECKED bool pj_pane_state_begin(pj_pane_state *state, pj_err *err);
void pj_pane_state_end(pj_pane_state *state);
/// Values of the metric and the kind of items that are chosen; on failure those before stay.
PJ_CHECKED bool pj_pane_state_take_values(pj_pane_state *state, pj_err *err);

// What is chosen

/// The set counts where it has several.
bool pj_pane_state_has(const pj_pane_state *state, size_t pane, uint32_t item);
/// Adds an item to the set of a pane, or takes it out; the first one is what was chosen before.
void pj_pane_state_toggle(pj_pane_state *state, size_t pane, uint32_t item);
void pj_pane_state_choose(pj_pane_state *state, size_t pane, uint32_t item);

// Metrics

/// Whether it can be summed and shown.
bool pj_pane_state_is_metric(const pj_profile *profile, uint32_t measure);
/// How amounts are told; `whole` is that of what is chosen in the pane before.
pj_pane_amount pj_pane_state_amount(const pj_pane_state *state, double whole);

// Items: nodes or regions of this profile

static inline const pj_profile *pj_pane_state_items(const pj_pane_state *state)
{
    return state->values.profile;
}
static inline uint32_t pj_pane_state_region(const pj_pane_state *state, uint32_t item)
{
    return state->values.paths ? state->values.profile->nodes[item].region : item;
}
uint32_t pj_pane_state_item_count(const pj_pane_state *state);
/// Of call paths; 0 where functions are shown.
uint32_t pj_pane_state_roots(const pj_pane_state *state);
/// Whether the search names the region.
bool pj_pane_state_is_wanted(const pj_pane_state *state, uint32_t region);
const char *pj_pane_state_item_name(const pj_pane_state *state, uint32_t item, pj_arena *arena);
/// A shut item counts with all below it.
bool pj_pane_state_asks_with(const pj_pane_state *state, uint32_t item);
/// At a location, or of all of them (PJ_NO_ITEM); NAN = it has nothing of it.
double pj_pane_state_item_value(const pj_pane_state *state, uint32_t item, uint32_t location);

// Places: locations by rank; their threads have the number of locations added

static inline int64_t pj_pane_state_rank(const pj_pane_state *state, uint32_t location)
{
    return state->profile->locations[location].rank;
}
/// Places of one rank: from `location` up to the result.
uint32_t pj_pane_state_rank_end(const pj_pane_state *state, uint32_t location);
const char *pj_pane_state_place_name(const pj_pane_state *state, uint32_t location, bool of_rank,
                                     pj_arena *arena);
/// Of the chosen items together, at a location or all of them (PJ_NO_ITEM).
double pj_pane_state_place_value(const pj_pane_state *state, uint32_t location);

#endif
