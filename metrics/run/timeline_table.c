// A timeline as a table.
// Threads with the sums of what they do.
#include "metrics/run/timeline_table.h"

#include "metrics/base/arena.h"
#include "metrics/run/run.h"
#include "metrics/trace/layout.h"

pj_table *pj_timeline_table(const pj_run *run)
{
    static const char *const keys[] = {
#define KIND(name, title) #name "_ns",
#include "metrics/run/timeline_kinds.def"
#undef KIND
    };
    const pj_timeline *timeline = run->timeline;
    const pj_layout *layout = &run->layout;
    pj_table *table = pj_table_new("");
    table->title = pj_arena_format(table->arena, "Timeline of %s", run->name);
    pj_table_add_column(table,
                        (pj_column){.key = "rank", .title = "Rank", .unit = PJ_UNIT_IDENTIFIER});
    pj_table_add_column(
        table, (pj_column){.key = "thread", .title = "Thread", .unit = PJ_UNIT_IDENTIFIER});
    for (size_t k = 0; k < PJ_TIMELINE_KINDS; k++)
        pj_table_add_column(table, (pj_column){.key = keys[k],
                                               .title = pj_timeline_kind_title((pj_timeline_kind)k),
                                               .unit = PJ_UNIT_NS});
    for (uint32_t lane = 0; lane < timeline->lanes; lane++) {
        uint32_t location = timeline->first_location + lane, rank = layout->rank_of[location];
        pj_cell *cells = pj_table_add_row(table);
        cells[0] = pj_cell_int(rank);
        cells[1] = pj_cell_int(location - layout->first_location[rank]);
        for (size_t k = 0; k < PJ_TIMELINE_KINDS; k++)
            cells[2 + k] = pj_cell_int((int64_t)timeline->sums[lane * PJ_TIMELINE_KINDS + k]);
    }
    return table;
}
