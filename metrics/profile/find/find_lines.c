// Where the time of a function goes by line.
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/str.h"
#include "metrics/profile/find/find.h"
#include "metrics/profile/find/profile_facts.h"
#include "metrics/profile/profile.h"
#include "metrics/profile/profile_sums.h"

#include <math.h>

static const pj_profile_column *time_by_line(const pj_profile *p)
{
    for (uint32_t c = 0; c < p->column_count; c++) {
        const pj_profile_column *column = &p->columns[c];
        if (column->site == PJ_AT_LINE && column->part == PJ_EXCLUSIVE &&
            p->measures[column->measure].kind == PJ_MEASURE_TIME)
            return column;
    }
    return NULL;
}

static double over_locations(const pj_profile *p, const pj_profile_column *column, uint32_t line)
{
    double sum = 0;
    for (uint32_t at = 0; at < p->location_count; at++)
        sum += pj_profile_sums_size(pj_profile_value(p, column, line, at));
    return sum;
}

static void add_line(const pj_profile *p, uint32_t line, double part, pj_arena *arena, pj_buf *out)
{
    const pj_profile_line *l = &p->lines[line];
    const pj_profile_region *region = &p->regions[l->region];
    pj_str file = pj_profile_text(p, region->file);
    size_t slash = pj_str_find_last(file, '/');
    file = slash < file.len ? pj_str_from(file, slash + 1) : file;
    bool named = pj_profile_name(p, l->region).len > 0;
    if (part > 0.9995)
        pj_buf_puts(out, "More than 99.9 %");
    else
        pj_buf_addf(out, "%.1f %%", 100 * part);
    pj_buf_addf(out, " of the time measured in %s is in one line, with what it calls: ",
                named ? pj_find_name(p, l->region, arena) : "the file");
    if (file.len)
        pj_buf_addf(out, PJ_STR_FMT ":", PJ_STR_ARG(file));
    pj_buf_addf(out, "%u", l->line);
    pj_find_add_text(pj_profile_text(p, l->text), out);
    pj_buf_add_char(out, '\n');
}

/// Of the functions that take most: lines that take a third of their function or more.
void pj_find_hot_line(const pj_profile *p, const pj_profile_facts *f, pj_buf *out)
{
    enum { TOLD = 3 };
    static const double much = 1.0 / 3, most_part = 1 - 1e-9;
    const pj_profile_column *column = time_by_line(p);
    (void)f;
    if (!column)
        return;
    pj_auto_arena arena = pj_arena_new(NULL);
    uint32_t regions = p->count[PJ_AT_REGION];
    double *sums = pj_new_n(arena, double, regions + (size_t)1);
    double *most = pj_new_n(arena, double, regions + (size_t)1);
    uint32_t *where = pj_new_n(arena, uint32_t, regions + (size_t)1);
    for (uint32_t i = 0; i < p->count[PJ_AT_LINE]; i++) {
        double value = over_locations(p, column, i);
        uint32_t region = p->lines[i].region;
        sums[region] += value;
        if (value > most[region]) {
            most[region] = value;
            where[region] = i;
        }
    }
    for (unsigned told = 0; told < TOLD; told++) {
        uint32_t found = PJ_NO_ITEM;
        for (uint32_t r = 0; r < regions; r++)
            if (sums[r] > 0 && (found == PJ_NO_ITEM || sums[r] > sums[found]))
                found = r;
        if (found == PJ_NO_ITEM)
            return;
        double part = most[found] / sums[found];
        if (part >= much && part <= most_part)
            add_line(p, where[found], part, arena, out);
        sums[found] = 0;
    }
}
