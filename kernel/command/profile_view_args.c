// Numbers that may be 0, parts and percents, as users write them.
#include "kernel/command/profile_view_args.h"

#include "metrics/base/err.h"
#include "metrics/base/num.h"
#include "metrics/base/str.h"
#include "widgets/plot/plot.h"

#include <string.h>

const char *const pj_profile_view_colour_by[] = {"total", "self", NULL};
const char *const pj_profile_view_labels[] = {"share", "time", NULL};

static bool part_of(const char *name, const char *text, double unit, double *out, pj_err *err)
{
    pj_str rest = pj_str_of(text), first = pj_str_cut(&rest, '/');
    double value = 0, below = 1;
    bool percent = pj_str_ends(first, PJ_S("%"));
    if (!text)
        return true;
    if (percent)
        first = pj_str_head(first, first.len - 1);
    bool ok =
        pj_parse_double(first, &value) && (!rest.len || pj_parse_double(rest, &below)) && below > 0;
    value *= (percent ? 0.01 : unit) / below;
    if (!ok || !(value >= 0) || value >= 1)
        return pj_fail(err, PJ_E_USAGE, NULL, 0, "%s: \"%s\" is no part (0.5, 1%%, 1/100)", name,
                       text);
    *out = value > 0 ? value : -1; // none
    return true;
}

bool pj_profile_view_args_take(const pj_profile_view_args *args, pj_profile_opts *out, pj_err *err)
{
    *out =
        (pj_profile_opts){.measure = args->measure,
                          .function = args->function,
                          .root = args->root,
                          .leaf = args->leaf,
                          .path = args->path,
                          .colours = args->colours,
                          .label = args->label,
                          .reverse = args->reverse,
                          .by_self = args->colour_by && strcmp(args->colour_by, "self") == 0,
                          .one_rank = args->rank != NULL,
                          .depth = args->depth < UINT16_MAX ? (unsigned)args->depth : UINT16_MAX};
    if (args->rank && !pj_parse_i64(pj_str_of(args->rank), &out->rank))
        return pj_fail(err, PJ_E_USAGE, NULL, 0, "rank: \"%s\" is no number", args->rank);
    return part_of("cutoff", args->cutoff, 1, &out->cutoff, err) &&
           part_of("n", args->least_node, 0.01, &out->least_node, err) &&
           part_of("e", args->least_edge, 0.01, &out->least_edge, err);
}
