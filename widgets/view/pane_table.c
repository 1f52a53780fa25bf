// Amounts are those of the pane: parts where it shows parts.
#include "widgets/view/pane_table.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/profile/location_values.h"
#include "metrics/profile/profile.h"
#include "metrics/profile/profile_names.h"
#include "metrics/table/table.h"
#include "widgets/view/pane.h"
#include "widgets/view/pane_amount.h"
#include "widgets/view/pane_list.h"
#include "widgets/view/pane_rows.h"

#include <math.h>

enum { RANKS_MOST = 64 };

/// "main => solve => MPI_Wait".
static const char *path_of(const pj_pane_state *s, uint32_t item, pj_arena *arena)
{
    pj_auto_buf text = {0};
    if (item == PJ_NO_ITEM)
        return "";
    if (s->values.paths)
        pj_profile_path(pj_pane_state_items(s), item, &text);
    else
        pj_buf_add(&text, pj_profile_name(pj_pane_state_items(s), pj_pane_state_region(s, item)));
    return pj_arena_text(arena, pj_buf_str(&text));
}

static void add_columns(const pj_pane_state *s, const pj_pane_amount *how, pj_table *table,
                        pj_arena *arena)
{
    bool percent = how->mode == PJ_PANE_OF_METRIC || how->mode == PJ_PANE_OF_CHOICE;
    pj_unit unit = percent ? PJ_UNIT_PERCENT : how->is_time ? PJ_UNIT_S : PJ_UNIT_NONE;
    pj_table_add_column(table, (pj_column){.key = "name",
                                           .title = s->values.paths ? "Call path" : "Function",
                                           .text = PJ_TEXT_OF_PEOPLE});
    pj_table_add_column(table, (pj_column){.key = s->values.paths ? "path" : "function",
                                           .title = "Path",
                                           .text = PJ_TEXT_OF_MACHINES});
    pj_table_add_column(table, (pj_column){.key = "value", .title = "All", .unit = unit});
    for (uint32_t k = 0, n = 0; k < s->profile->location_count && n < RANKS_MOST; n++) {
        const char *name = pj_pane_state_place_name(s, k, true, arena);
        const char *key = pj_arena_format(arena, "rank_%lld", (long long)pj_pane_state_rank(s, k));
        pj_table_add_column(table, (pj_column){.key = key, .title = name, .unit = unit});
        k = pj_pane_state_rank_end(s, k);
    }
}

static pj_cell amount_cell(const pj_pane_amount *how, double value)
{
    double told = pj_pane_amount_told(how, value);
    return isnan(told) ? pj_cell_empty("it has nothing of it") : pj_cell_real(told);
}

/// An item as the pane shows it, and what each rank has of that.
static void add_table_row(const pj_pane_state *s, const pj_pane_row *row, double value,
                          const pj_pane_amount *how, pj_table *table)
{
    const char *name = pj_arena_format(table->arena, "%*s%s", 2 * (int)row->depth, "", row->name);
    pj_cell *cell = pj_table_add_row(table);
    *cell++ = pj_cell_text(name);
    *cell++ = pj_cell_text(path_of(s, row->item, table->arena));
    *cell++ = amount_cell(how, value);
    for (uint32_t k = 0, n = 0; k < s->profile->location_count && n < RANKS_MOST; n++) {
        uint32_t end = pj_pane_state_rank_end(s, k);
        double sum = NAN;
        for (; k < end; k++)
            sum =
                pj_location_values_fold(&s->values, sum, pj_pane_state_item_value(s, row->item, k));
        *cell++ = amount_cell(how, sum);
    }
}

pj_table *pj_pane_table_new(const pj_pane_state *s)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_pane_rows r = {0};
    pj_pane_list_items(s, &r, arena);
    pj_pane_amount how = pj_pane_list_amount(s);
    pj_pane_rows_complete(&r, &how, s->hides, arena);
    uint32_t m = s->chosen[PJ_PANE_METRICS];
    pj_table *table = pj_table_new(pj_arena_format(
        arena, "%s of %s, %s", m == PJ_NO_ITEM ? "Calls" : s->profile->measures[m].title,
        s->profile->title ? s->profile->title : "the profile", pj_pane_modes[how.mode]));
    add_columns(s, &how, table, arena);
    for (size_t i = 0; i < r.count; i++)
        add_table_row(s, &r.at[i], r.values[i], &how, table);
    pj_pane_rows_free(&r);
    return table;
}
