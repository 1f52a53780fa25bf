// A folder holds one run: its files of ranks belong together.
#include "metrics/analyse/rank_runs.h"

#include "metrics/analyse/trace_files.h"
#include "metrics/base/str.h"
#include "metrics/read/rank_files.h"
#include "metrics/read/reader.h"

#include <stdlib.h>

static bool is_of_rank(const char *path)
{
    const pj_reader *reader = pj_trace_files_named(path);
    reader = reader ? reader : pj_reader_of_path(path);
    return reader && reader->gives == PJ_GIVES_RUN && (reader->both || reader->several);
}

static bool same_folder(const char *a, const char *b)
{
    pj_str x = pj_str_of(a), y = pj_str_of(b);
    size_t i = pj_str_find_last(x, '/'), k = pj_str_find_last(y, '/');
    bool has = i < x.len, other = k < y.len;
    return has == other && (!has || pj_str_equal(pj_str_head(x, i), pj_str_head(y, k)));
}

static int by_name(const void *a, const void *b)
{
    return pj_str_order_natural(pj_str_of(*(const char *const *)a),
                                pj_str_of(*(const char *const *)b));
}

/// The summary beside the files of a run is the same run once more.
static void leave_out_summary(const char *joined, const char **paths, size_t count, pj_arena *arena)
{
    const char *summary = pj_trace_files_summary(joined, NULL, arena);
    for (size_t i = 0; i < count; i++)
        if (paths[i] && strcmp(paths[i], summary) == 0)
            paths[i] = NULL;
}

void pj_rank_runs_join(const char **paths, size_t count, pj_arena *arena)
{
    bool *ranks = pj_new_n(arena, bool, count + 1);
    const char **found = pj_new_n(arena, const char *, count + 1);
    for (size_t i = 0; i < count; i++)
        ranks[i] = paths[i] && is_of_rank(paths[i]);
    for (size_t i = 0; i < count; i++) {
        size_t many = 0;
        for (size_t k = i; ranks[i] && k < count; k++) {
            if (!ranks[k] || !same_folder(paths[i], paths[k]))
                continue;
            found[many++] = paths[k];
            if (k > i) {
                ranks[k] = false;
                paths[k] = NULL;
            }
        }
        if (many > 1) {
            qsort(found, many, sizeof *found, by_name);
            paths[i] = pj_rank_files_join(found, many, arena);
            leave_out_summary(paths[i], paths, count, arena);
        }
    }
}
