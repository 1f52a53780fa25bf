// What threads of OpenMP waited for: rows by pattern, rank and thread, all of them or none.
#include "metrics/base/arena.h"
#include "metrics/base/err.h"
#include "metrics/read/summary/summary_parts.h"
#include "metrics/run/run.h"
#include "metrics/run/waits/omp_waits.h"
#include "metrics/trace/layout.h"

#include <string.h>

enum { BUDGET = 16000, BYTES_EACH = 64, VALUES = 4, NOBODY = -1 };

static json_t *write(const pj_run *run, size_t budget)
{
    const pj_omp_waits *waits = run->omp_waits;
    if (!waits || waits->count * BYTES_EACH > budget)
        return NULL;
    json_t *rows = json_array();
    for (size_t i = 0; i < waits->count; i++) {
        const pj_omp_wait *wait = &waits->items[i];
        json_int_t culprit = wait->culprit == PJ_NO_THREAD ? NOBODY : (json_int_t)wait->culprit;
        json_array_append_new(
            rows, json_pack("[s, I, I, I, I, I, I]", pj_omp_pattern_rows[wait->pattern].key,
                            (json_int_t)wait->rank, culprit, (json_int_t)wait->instances,
                            (json_int_t)wait->ns, (json_int_t)wait->longest_ns,
                            (json_int_t)wait->longest_at_ns));
    }
    return rows;
}

static bool read_row(json_t *from, const pj_layout *layout, pj_omp_wait *out)
{
    const char *key;
    json_int_t rank, culprit, value[VALUES];
    unsigned pattern = 0;
    if (json_unpack(from, "[s, I, I, I, I, I, I]", &key, &rank, &culprit, &value[0], &value[1],
                    &value[2], &value[3]) != 0)
        return false;
    while (pattern < PJ_OMP_PATTERNS && strcmp(key, pj_omp_pattern_rows[pattern].key) != 0)
        pattern++;
    if (pattern == PJ_OMP_PATTERNS || rank < 0 || rank >= layout->ranks || culprit < NOBODY ||
        culprit >= layout->locations)
        return false;
    for (size_t i = 0; i < VALUES; i++)
        if (value[i] < 0)
            return false;
    *out = (pj_omp_wait){.rank = (uint32_t)rank,
                         .culprit = culprit == NOBODY ? PJ_NO_THREAD : (uint32_t)culprit,
                         .pattern = (pj_omp_pattern)pattern,
                         .instances = (uint64_t)value[0],
                         .ns = (uint64_t)value[1],
                         .longest_ns = (uint64_t)value[2],
                         .longest_at_ns = (uint64_t)value[3]};
    return true;
}

static bool read(json_t *from, pj_run *run, pj_err *err)
{
    pj_omp_waits *waits = pj_new(run->arena, pj_omp_waits);
    json_t *row;
    size_t i;
    waits->items = pj_new_n(run->arena, pj_omp_wait, json_array_size(from) + 1);
    waits->count = json_array_size(from);
    bool ok = json_is_array(from);
    json_array_foreach(from, i, row) ok = ok && read_row(row, &run->layout, &waits->items[i]);
    if (!ok)
        return pj_fail(err, PJ_E_FORMAT, run->path, 0, "damaged summary: waits of threads");
    run->omp_waits = waits;
    return true;
}

/// What threads waited for.
const pj_summary_part pj_summary_part_omp_waits = {
    .name = "omp_waits", .budget = BUDGET, .write = write, .read = read};
