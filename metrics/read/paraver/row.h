// Names of threads, programs and nodes of a Paraver trace: the .row file beside it. Ownership:
// arena.
#ifndef PJ_ROW_H
#define PJ_ROW_H

#include "metrics/base/arena.h"
#include "metrics/base/str.h"
#include "metrics/trace/layout.h"

/// Sets layout->location_name, ->application_name and ->node_name from the levels THREAD, APPL and
/// NODE of `text`, copies in `arena`. False when the number of names of threads is not the number
/// of locations; these are then left as they were.
bool pj_row_parse(pj_str text, pj_layout *layout, pj_arena *arena);

#endif
