// Reads what the user writes after --roi.
#include "metrics/trace/roi.h"

#include "metrics/base/num.h"

/// One end of a range: "1.5s", "10%", or nothing (`*value` keeps its default).
static bool parse_end(pj_str text, double *value, bool *percent)
{
    if (text.len == 0)
        return true;
    *percent = pj_str_ends(text, PJ_S("%"));
    if (*percent)
        return pj_parse_double(pj_str_head(text, text.len - 1), value) && *value >= 0 &&
               *value <= 100;
    return pj_parse_duration(text, value);
}

/// Index of the first ".." in `text`, or its length.
static size_t find_dots(pj_str text)
{
    size_t i = 0;
    while (i + 1 < text.len && !(text.at[i] == '.' && text.at[i + 1] == '.'))
        i++;
    return i + 1 < text.len ? i : text.len;
}

/// "", ":5", ":3..8".
static bool parse_iterations(pj_str text, pj_roi_request *out)
{
    uint64_t first = 0, last = UINT32_MAX;
    *out = (pj_roi_request){.kind = PJ_ROI_ITERATIONS, .steady = text.len == 0};
    if (text.len) {
        pj_str range = pj_str_from(text, 1);
        size_t dots = find_dots(range);
        pj_str from = pj_str_trim(pj_str_head(range, dots));
        pj_str to = dots == range.len ? from : pj_str_trim(pj_str_from(range, dots + 2));
        if (text.at[0] != ':' || (from.len == 0 && to.len == 0) ||
            (from.len && !pj_parse_u64(from, &first)) || (to.len && !pj_parse_u64(to, &last)) ||
            first > last || last > UINT32_MAX)
            return false;
    }
    out->first = (uint32_t)first;
    out->last = (uint32_t)last;
    return true;
}

bool pj_roi_parse(pj_str text, pj_roi_request *out, pj_err *err)
{
    *out = (pj_roi_request){.kind = PJ_ROI_AUTO};
    if (pj_str_equal(text, PJ_S("auto")))
        return true;
    out->kind = PJ_ROI_OFF;
    if (pj_str_equal(text, PJ_S("off")))
        return true;
    const pj_str iterations = PJ_S("iterations"), steps = PJ_S("steps");
    if (pj_str_starts(text, iterations) || pj_str_starts(text, steps))
        return parse_iterations(pj_str_from(text, text.at[0] == 's' ? steps.len : iterations.len),
                                out) ||
               pj_fail(err, PJ_E_USAGE, NULL, 0,
                       "'" PJ_STR_FMT "' names no iterations; use iterations (the steady ones), "
                       "iterations:3..8 or iterations:3, counted from 0; of AI runs steps:3..8 or "
                       "steps:3, numbered as the trace numbers them",
                       PJ_STR_ARG(text));
    *out = (pj_roi_request){.kind = PJ_ROI_RANGE, .to = 100, .to_percent = true};
    size_t dots = find_dots(text);
    if (dots == text.len || text.len == 2 ||
        !parse_end(pj_str_trim(pj_str_head(text, dots)), &out->from, &out->from_percent) ||
        !parse_end(pj_str_trim(pj_str_from(text, dots + 2)), &out->to, &out->to_percent))
        return pj_fail(err, PJ_E_USAGE, NULL, 0,
                       "'" PJ_STR_FMT
                       "' is no region of interest; use auto, off, iterations or a range such "
                       "as 1.5s..20s, 10%%..90%%, 2s.. (units ns, us, ms, s)",
                       PJ_STR_ARG(text));
    if (out->from_percent == out->to_percent && out->from >= out->to)
        return pj_fail(err, PJ_E_USAGE, NULL, 0, "the region of interest '" PJ_STR_FMT "' is empty",
                       PJ_STR_ARG(text));
    return true;
}
