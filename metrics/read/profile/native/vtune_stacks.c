// What callers leave of a function is its own path: there are limits to what reports list. Reports
// round each number, so that little of it goes to the stack before instead.
#include "metrics/read/profile/native/vtune_stacks.h"

#include "metrics/base/buf.h"
#include "metrics/profile/build/oddities.h"
#include "metrics/profile/build/profile_build.h"
#include "metrics/profile/profile.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

struct pj_vtune_caller {
    uint32_t region, location;
    uint32_t path; // the last one that holds a part of it; PJ_NO_ITEM = none
};

static const double rounding = 1e-3; // part of a number

static double *whole_of(const pj_vtune_stacks *s, size_t depth)
{
    return &s->amounts[2 * depth * s->width];
}

static double *rest_of(const pj_vtune_stacks *s, size_t depth)
{
    return whole_of(s, depth) + s->width;
}

/// The path from the outermost caller that is open to the function.
static uint32_t make_path(const pj_vtune_stacks *s)
{
    uint32_t node = PJ_NO_ITEM;
    for (size_t i = s->count; i-- > 0;)
        node = pj_build_node(s->build, node, s->callers[i].region);
    return node;
}

/// What its callers leave of the last one that is open.
static void share_out(pj_vtune_stacks *s)
{
    size_t last = s->count - 1;
    pj_vtune_caller *caller = &s->callers[last];
    const double *whole = whole_of(s, last), *rest = rest_of(s, last);
    uint32_t own = caller->path == PJ_NO_ITEM ? make_path(s) : PJ_NO_ITEM;
    for (size_t k = 0; k < s->width; k++) {
        uint32_t path = own != PJ_NO_ITEM ? own : caller->path;
        if (s->columns[k] == PJ_NO_ITEM || isnan(rest[k]))
            continue;
        if (own == PJ_NO_ITEM && rest[k] > rounding * fabs(whole[k]))
            path = make_path(s);
        if (rest[k] < -rounding * fabs(whole[k]))
            pj_build_odd(s->build, PJ_ODDITY_edges_not_sum, 0);
        else if (rest[k] != 0 || path == own)
            pj_build_add(s->build, s->columns[k], path, caller->location, rest[k]);
        caller->path = path;
    }
    if (last > 0)
        s->callers[last - 1].path = caller->path;
    s->count--;
}

void pj_vtune_stacks_put(pj_vtune_stacks *s, size_t depth, uint32_t region, uint32_t location,
                         const double *values)
{
    while (s->count > depth)
        share_out(s);
    depth = s->count;
    pj_grow(s->callers, &s->cap, depth + 1);
    pj_grow(s->amounts, &s->amount_cap, 2 * (depth + 1) * s->width);
    assert(s->amounts);
    s->callers[depth] = (pj_vtune_caller){region, location, PJ_NO_ITEM};
    double *above = depth ? rest_of(s, depth - 1) : NULL;
    double *whole = whole_of(s, depth), *rest = rest_of(s, depth);
    for (size_t k = 0; k < s->width; k++) {
        double value = values ? values[k] : above ? above[k] : NAN;
        whole[k] = rest[k] = value;
        if (above && !isnan(value))
            above[k] -= value;
    }
    s->count++;
}

void pj_vtune_stacks_end(pj_vtune_stacks *s)
{
    while (s->count > 0)
        share_out(s);
}

void pj_vtune_stacks_free(pj_vtune_stacks *s)
{
    free(s->callers);
    free(s->amounts);
    *s = (pj_vtune_stacks){.build = NULL};
}
