// Names of the threads of a Paraver trace: the .row file beside it. Ownership: arena.
#ifndef PJ_ROW_H
#define PJ_ROW_H

#include "metrics/model/layout.h"

/// Sets layout->location_name from the level THREAD of `text`, copies in `arena`. False when the
/// number of names there is not the number of locations; names are then left as they were.
bool pj_row_parse(pj_str text, pj_layout *layout, pj_arena *arena);

#endif
