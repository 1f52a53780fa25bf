// Time range and ranks as people write them.
#include "kernel/command/timeline_args.h"

#include "metrics/base/err.h"
#include "metrics/base/num.h"
#include "metrics/base/str.h"
#include "metrics/trace/roi.h"
#include "widgets/figure/lanes.h"

const pj_param pj_timeline_rows[] = {
    {.name = "range",
     .type = PJ_PARAM_TEXT,
     .offset = offsetof(pj_timeline_args, range),
     .shown = "FROM..TO",
     .preset = "what is analysed",
     .help = "The time that a timeline shows (1.5s..1.6s, 10%..20%)."},
    {.name = "ranks",
     .type = PJ_PARAM_TEXT,
     .offset = offsetof(pj_timeline_args, ranks),
     .shown = "FIRST-LAST",
     .preset = "all",
     .help = "The ranks that a timeline shows (3, 0-15); they count from 0."},
    {0},
};

static bool take_ranks(pj_str text, pj_timeline_opts *out)
{
    uint64_t first, last;
    pj_str rest = text, head = pj_str_cut(&rest, '-');
    bool one = head.len == text.len;
    if (!pj_parse_u64(head, &first) || first >= UINT32_MAX)
        return false;
    out->first_rank = out->last_rank = (uint32_t)first;
    if (one)
        return true;
    if (!pj_parse_u64(rest, &last) || last < first || last >= UINT32_MAX)
        return false;
    out->last_rank = (uint32_t)last;
    return true;
}

bool pj_timeline_args_take(const pj_timeline_args *args, pj_picture_size size,
                           pj_timeline_opts *out, pj_err *err)
{
    double zoom = pj_picture_zoom(size);
    *out = (pj_timeline_opts){.last_rank = UINT32_MAX};
    size_t rows, columns;
    pj_lanes_size(size.width / zoom, size.height / zoom, SIZE_MAX, &rows, &columns);
    out->rows_most = (uint32_t)rows;
    out->columns = (uint32_t)columns;
    if (args->range && !pj_roi_parse(pj_str_of(args->range), &out->range, err))
        return false;
    if (args->ranks && !take_ranks(pj_str_of(args->ranks), out))
        return pj_fail(err, PJ_E_USAGE, NULL, 0,
                       "\"%s\" names no ranks; give one (3) or the first and the last (0-15)",
                       args->ranks);
    return true;
}
