// What all tests of event files need, whatever their regions.
#include "tests/support/trace/made_defs.h"

void made_defs_complete(pj_otf2_defs *defs, pj_arena *arena)
{
    defs->comm_count = 1;
    defs->comms = pj_new(arena, pj_otf2_comm);
    *defs->comms = (pj_otf2_comm){.number = 1, .size = 2, .ranks = pj_new_n(arena, uint32_t, 2)};
    defs->comms->ranks[1] = 1;
    pj_map_put(&defs->comm_of, 0, 0);
    defs->metrics = pj_new(arena, pj_otf2_metric);
    *defs->metrics = (pj_otf2_metric){.used = true, .has = {true, true}, .at = {0, 1}};
    pj_map_put(&defs->metric_of, 0, 0);
}
