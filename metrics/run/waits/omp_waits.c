// Waits of OpenMP threads as a table.
#include "metrics/run/waits/omp_waits.h"

#include "metrics/base/arena.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "metrics/run/run.h"

#include <stdlib.h>

const pj_omp_pattern_row pj_omp_pattern_rows[PJ_OMP_PATTERNS] = {
#define PATTERN(key, title, sentence) {#key, title},
#include "metrics/run/waits/omp_wait_patterns.def"
#undef PATTERN
};

int pj_omp_wait_order(const void *a, const void *b)
{
    const pj_omp_wait *x = a, *y = b;
    const uint32_t left[] = {x->pattern, x->rank, x->culprit};
    const uint32_t right[] = {y->pattern, y->rank, y->culprit};
    for (size_t i = 0; i < sizeof left / sizeof *left; i++)
        if (left[i] != right[i])
            return left[i] < right[i] ? -1 : 1;
    return 0;
}

static int by_time(const void *a, const void *b)
{
    const pj_omp_wait *x = a, *y = b;
    if (x->ns != y->ns)
        return x->ns > y->ns ? -1 : 1;
    return pj_omp_wait_order(a, b);
}

pj_table *pj_omp_waits_table(const pj_run *run, pj_err *err)
{
    static const pj_column columns[] = {
        {"pattern", "Pattern", "Why threads do not compute.", PJ_UNIT_NONE, PJ_TEXT_OF_MACHINES},
        {"title", "Pattern", "Why threads do not compute.", PJ_UNIT_NONE, PJ_TEXT_OF_PEOPLE},
        {"rank", "Rank", "Whose threads they are.", PJ_UNIT_IDENTIFIER, false},
        {"culprit", "Culprit", "The thread that came last or had the lock.", PJ_UNIT_IDENTIFIER,
         false},
        {"instances", "Instances", NULL, PJ_UNIT_NONE, false},
        {"wait_ns", "Time", "Of all threads.", PJ_UNIT_NS, false},
        {"share", "Share", "Of the runtime of all threads.", PJ_UNIT_RATIO, false},
        {"max_ns", "Longest", NULL, PJ_UNIT_NS, false},
        {"at_ns", "Longest at", "When the longest one began.", PJ_UNIT_NS, false},
    };
    if (!run->omp_waits) {
        pj_fail(err, PJ_E_MISSING, run->path, 0, "has no OpenMP events, hence no waits of threads");
        return NULL;
    }
    pj_table *table = pj_table_new("");
    table->title = pj_arena_format(table->arena, "What threads of %s wait for", run->name);
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        pj_table_add_column(table, columns[i]);
    pj_table_set_decimals(table, (size_t)pj_table_column(table, PJ_S("share")), 4);
    const pj_omp_waits *waits = run->omp_waits;
    pj_omp_wait *rows = pj_new_n(table->arena, pj_omp_wait, waits->count + 1);
    for (size_t i = 0; i < waits->count; i++)
        rows[i] = waits->items[i];
    if (waits->count)
        qsort(rows, waits->count, sizeof *rows, by_time);
    double all = (double)run->runtime_ns * run->layout.locations;
    for (size_t i = 0; i < waits->count; i++) {
        pj_cell *cells = pj_table_add_row(table);
        cells[0] = pj_cell_text(pj_omp_pattern_rows[rows[i].pattern].key);
        cells[1] = pj_cell_text(pj_omp_pattern_rows[rows[i].pattern].title);
        cells[2] = pj_cell_int(rows[i].rank);
        cells[3] = rows[i].culprit == PJ_NO_THREAD ? pj_cell_empty("no thread alone")
                                                   : pj_cell_int(rows[i].culprit);
        cells[4] = pj_cell_int((int64_t)rows[i].instances);
        cells[5] = pj_cell_int((int64_t)rows[i].ns);
        cells[6] = all > 0 ? pj_cell_real((double)rows[i].ns / all)
                           : pj_cell_empty("the run has no runtime");
        cells[7] = pj_cell_int((int64_t)rows[i].longest_ns);
        cells[8] = pj_cell_int((int64_t)rows[i].longest_at_ns);
    }
    return table;
}
