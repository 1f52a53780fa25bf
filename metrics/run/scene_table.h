// The time in each kind of state as a table. Ownership: new tables that hold one reference.
#ifndef PJ_SCENE_TABLE_H
#define PJ_SCENE_TABLE_H

#include "metrics/run/scene.h"
#include "metrics/table/table.h"

/// rank, thread, then the ns of each kind within run->scene; one row per thread.
pj_table *pj_scene_table(const pj_run *run);

#endif
