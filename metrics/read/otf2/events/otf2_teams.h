// Teams and parallel regions of OpenMP at one location. Ownership: borrow.
#ifndef PJ_OTF2_TEAMS_H
#define PJ_OTF2_TEAMS_H

#include "metrics/read/otf2/events/otf2_location.h"

/// An event of OpenMP, after all that is before it.
void pj_otf2_teams_give(pj_otf2_location *location, uint64_t time, uint16_t code, uint64_t value);
/// What an event says of a region: its number, from 1 on.
uint64_t pj_otf2_teams_level(const pj_otf2_location *location, uint32_t region);
/// An event that was given out is about the innermost team that the thread is in. A team whose
/// parent is not among the definitions, as in eztrace, is known to be nested by its master, who is
/// in two; of the others the replay finds out by its number.
void pj_otf2_teams_mark(pj_otf2_location *location);
/// The region of a team that was there before it is entered now.
void pj_otf2_teams_name(pj_otf2_location *location, uint64_t level);
/// A thread works in the body of a parallel region while the region or its team is open.
void pj_otf2_teams_enter(pj_otf2_location *location, uint64_t time, uint64_t level);
void pj_otf2_teams_leave(pj_otf2_location *location, uint64_t time);
void pj_otf2_teams_fork(pj_otf2_location *location, uint64_t time);
void pj_otf2_teams_join(pj_otf2_location *location, uint64_t time);
void pj_otf2_teams_begin(pj_otf2_location *location, uint64_t time, uint64_t team);
void pj_otf2_teams_end(pj_otf2_location *location, uint64_t time, uint64_t team);

#endif
