// Ways to cut a run, a row each; parts of the program have theirs in
// run/parts/function_cuts.def.
#include "metrics/analyse/cut.h"

#include "metrics/base/num.h"
#include "metrics/run/parts/functions.h"
#include "metrics/run/parts/slices.h"

typedef struct cut_row {
    const char *name;
    bool (*take)(pj_str rest, pj_cut *out, pj_err *err); // `rest`: behind the colon
} cut_row;

enum { USUAL_COLUMNS = 8 };

static bool take_time(pj_str rest, pj_cut *out, pj_err *err)
{
    uint64_t count = USUAL_COLUMNS;
    if ((rest.len && !pj_parse_u64(rest, &count)) || count == 0 || count > PJ_SLICES_PARTS)
        return pj_fail(err, PJ_E_USAGE, NULL, 0,
                       "'" PJ_STR_FMT "' is no number of slices; use 1 to %d, as in time:16",
                       PJ_STR_ARG(rest), PJ_SLICES_PARTS);
    out->slices = pj_slicing_equal((uint32_t)count);
    return true;
}

static bool take_nothing(pj_str rest, pj_err *err)
{
    return rest.len == 0 || pj_fail(err, PJ_E_USAGE, NULL, 0, "'" PJ_STR_FMT "' says nothing here",
                                    PJ_STR_ARG(rest));
}

static bool take_iteration(pj_str rest, pj_cut *out, pj_err *err)
{
    out->iterations = true;
    return take_nothing(rest, err);
}

static const cut_row rows[] = {
    {"time", take_time},
    {"iteration", take_iteration},
};

enum { ROWS = sizeof rows / sizeof *rows };

const char *pj_cut_choice(size_t index)
{
    if (index < ROWS)
        return rows[index].name;
    pj_function_cut cut = (pj_function_cut)(index - ROWS + PJ_CUT_NOTHING + 1);
    return cut < PJ_CUT_END ? pj_function_cut_at(cut)->key : NULL;
}

bool pj_cut_parse(pj_str text, pj_cut *out, pj_err *err)
{
    size_t colon = pj_str_find(text, ':');
    pj_str name = pj_str_head(text, colon),
           rest = pj_str_from(text, colon < text.len ? colon + 1 : colon);
    *out = (pj_cut){.set = true};
    for (size_t i = 0; i < ROWS; i++)
        if (pj_str_equal(name, pj_str_of(rows[i].name)))
            return rows[i].take(rest, out, err);
    out->functions = pj_function_cut_of(name);
    if (out->functions != PJ_CUT_NOTHING)
        return take_nothing(rest, err);
    return pj_fail(err, PJ_E_USAGE, NULL, 0, "there is no way '" PJ_STR_FMT "' to cut a run",
                   PJ_STR_ARG(text));
}

void pj_cut_ask(const pj_cut *cut, pj_load_opts *opts)
{
    if (!cut->set)
        return;
    opts->slices = cut->slices.equal ? &cut->slices : NULL;
    opts->iterations = cut->iterations;
    opts->functions = cut->functions;
    opts->parts_too = true;
}
