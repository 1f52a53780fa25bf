// From TAU's records to a profile. Beside the entries of call paths ("main => solve") stand flat
// ones of the same functions: these are the regions' own values, and only functions that no path
// ends with are roots of the tree; totals never use both. Paths that are cut at a depth (TAU's
// TAU_CALLPATH_DEPTH, phases) have no beginning: they are calls of a graph.
#include "metrics/read/profile/tau/trial.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/map.h"
#include "metrics/base/num.h"
#include "metrics/base/str.h"
#include "metrics/profile/build/profile_build.h"
#include "metrics/profile/profile.h"

#include <math.h>
#include <stdlib.h>

/// What a function is in the profile.
typedef struct role {
    bool is_path, is_first, is_last; // first, last: of paths
    bool has_prefix;                 // a path whose own beginning is a function, too
    bool is_long;                    // a path of more than two
    uint32_t first, caller, last;    // functions that it begins and ends with
    uint32_t item;                   // region, or node or edge of a path
} role;

typedef struct shaping {
    pj_trial *trial;
    role *roles;
    size_t role_cap;
    uint32_t *ended; // location for which a path has last ended with this function, plus 1
    double *taken;   // what these paths have of it
} shaping;

static pj_str name_of(const shaping *s, uint32_t function)
{
    const pj_profile *profile = pj_build_profile(s->trial->build);
    return pj_profile_text(profile, s->trial->functions[function].name);
}

/// Where the last element of a path begins: behind "=>"; 0 when it is no path.
static size_t find_last(pj_str name)
{
    for (size_t i = name.len; i-- > 1;)
        if (name.at[i] == '>' && name.at[i - 1] == '=')
            return i + 1;
    return 0;
}

static size_t find_first(pj_str name)
{
    for (size_t i = 0; i + 1 < name.len; i++)
        if (name.at[i] == '=' && name.at[i + 1] == '>')
            return i;
    return name.len;
}

/// Room for the roles of all functions, the new ones empty.
static void widen_roles(shaping *s)
{
    size_t had = s->role_cap;
    pj_grow(s->roles, &s->role_cap, s->trial->function_count + 1);
    memset(s->roles + had, 0, (s->role_cap - had) * sizeof *s->roles);
}

static uint32_t element(shaping *s, pj_str name)
{
    uint32_t function = pj_trial_function_of(s->trial, name);
    widen_roles(s);
    return function;
}

/// Cuts a path into what its shape hangs on. Elements that have no entry become functions, too.
static void classify(shaping *s, uint32_t function)
{
    pj_str name = name_of(s, function);
    size_t last = find_last(name);
    if (!last)
        return;
    pj_str before = pj_str_trim(pj_str_head(name, last - 2));
    role path = {.is_path = true, .has_prefix = true};
    path.first = element(s, pj_str_head(name, find_first(name)));
    path.last = element(s, pj_str_from(name, last));
    path.caller = element(s, pj_str_from(before, find_last(before)));
    path.is_long = find_last(before) > 0;
    uint32_t text = pj_build_text(s->trial->build, before), unused;
    path.has_prefix = pj_map_get(&s->trial->function_of, text, &unused);
    s->roles[function] = path;
    s->roles[path.first].is_first = true;
    s->roles[path.last].is_last = true;
}

static void classify_all(shaping *s)
{
    size_t count = s->trial->function_count; // elements that come to it are no paths
    widen_roles(s);
    for (uint32_t i = 0; i < count; i++)
        classify(s, i);
}

/// Whole paths begin with their own beginnings. Where none has more than two elements that says
/// nothing, but of whole ones none begins with what another ends with.
static pj_shape find_shape(const shaping *s)
{
    bool any = false, any_long = false, prefixes = true, apart = true;
    for (size_t i = 0; i < s->trial->function_count; i++) {
        const role *r = &s->roles[i];
        if (!r->is_path)
            continue;
        any = true;
        any_long |= r->is_long;
        prefixes &= r->has_prefix;
        apart &= !s->roles[r->first].is_last || r->first == r->last;
    }
    if (!any)
        return PJ_SHAPE_FLAT;
    return prefixes && (any_long || apart) ? PJ_SHAPE_TREE : PJ_SHAPE_GRAPH;
}

// Regions

/// "name [{file} {line}]", "[{file} {line,column}-{line,column}]", "name [{file}{line}]".
static void find_source(pj_str name, pj_str *file, uint32_t *line)
{
    *file = (pj_str){NULL, 0};
    *line = 0;
    for (size_t at = name.len; at-- > 1;) {
        if (name.at[at - 1] != '[' || name.at[at] != '{')
            continue;
        pj_str rest = pj_str_from(name, at + 1);
        size_t end = pj_str_find(rest, '}');
        if (end == rest.len)
            return;
        *file = pj_str_trim(pj_str_head(rest, end));
        rest = pj_str_from(rest, end + 1);
        rest = pj_str_trim(pj_str_head(rest, pj_str_find(rest, ']')));
        if (!rest.len || rest.at[0] != '{')
            return;
        rest = pj_str_from(rest, 1);
        rest = pj_str_head(rest, pj_str_find(rest, '}'));
        uint64_t number;
        if (pj_parse_u64(pj_str_trim(pj_str_cut(&rest, ',')), &number) && number < UINT32_MAX)
            *line = (uint32_t)number;
        return;
    }
}

static pj_region_kind kind_of(const shaping *s, uint32_t function, pj_str name)
{
    static const struct named {
        const char *group;
        pj_region_kind kind;
    } kinds[] = {
        {"MPI", PJ_REGION_mpi},           {"OpenMP", PJ_REGION_omp},
        {"TAU_OPENMP", PJ_REGION_omp},    {"OPENMP", PJ_REGION_omp},
        {"TAU_SAMPLE", PJ_REGION_sample}, {"TAU_SAMPLE_CONTEXT", PJ_REGION_sample},
        {"TAU_IO", PJ_REGION_system},     {"TAU_LOOP", PJ_REGION_loop},
    };
    if (pj_str_equal(name, PJ_S(".TAU application")))
        return PJ_REGION_thread;
    if (pj_str_starts(name, PJ_S("[SAMPLE]")) || pj_str_starts(name, PJ_S("[UNWIND]")) ||
        pj_str_starts(name, PJ_S("[SUMMARY]")))
        return PJ_REGION_sample;
    const pj_trial_function *at = &s->trial->functions[function];
    const pj_profile *profile = pj_build_profile(s->trial->build);
    for (uint32_t g = 0; g < at->group_count; g++)
        for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
            if (pj_str_equal(pj_profile_text(profile, s->trial->groups[at->first_group + g]),
                             pj_str_of(kinds[i].group)))
                return kinds[i].kind;
    return PJ_REGION_function;
}

static void make_regions(shaping *s)
{
    pj_build *build = s->trial->build;
    for (uint32_t i = 0; i < s->trial->function_count; i++) {
        if (s->roles[i].is_path)
            continue;
        const pj_trial_function *at = &s->trial->functions[i];
        pj_str name = name_of(s, i), file;
        uint32_t line;
        find_source(name, &file, &line);
        uint32_t region = pj_build_region_of(build, at->name, pj_build_text(build, file), line);
        s->roles[i].item = region;
        pj_build_region_at(build, region)->kind = kind_of(s, i, name);
        if (at->group_count)
            pj_build_groups(build, region, s->trial->groups + at->first_group, at->group_count);
    }
}

// Paths

/// The node of a path, its callers before it.
static uint32_t make_node(shaping *s, uint32_t function)
{
    pj_build *build = s->trial->build;
    pj_str rest = name_of(s, function);
    uint32_t node = PJ_NO_ITEM;
    while (rest.len) {
        pj_str name = pj_str_head(rest, find_first(rest));
        rest = pj_str_from(rest, name.len + 2);
        node = pj_build_node(build, node, s->roles[element(s, name)].item);
    }
    return node;
}

static void make_paths(shaping *s, pj_shape shape)
{
    for (uint32_t i = 0; i < s->trial->function_count; i++) {
        role *r = &s->roles[i];
        if (!r->is_path)
            continue;
        if (shape == PJ_SHAPE_TREE)
            r->item = make_node(s, i);
        else
            r->item =
                pj_build_edge(s->trial->build, s->roles[r->caller].item, s->roles[r->last].item);
    }
}

// Values

/// Clocks count nanoseconds: of whole ones, which microseconds hold to their last digit but one,
/// the nearest number of seconds.
static double seconds_of(double microseconds)
{
    static const double most = 1e15, slip = 4.5e-16; // two roundings
    double ns = microseconds * 1e3, whole = round(ns);
    bool counted = fabs(ns) < most && fabs(ns - whole) <= slip * fabs(ns);
    return counted ? whole / 1e9 : microseconds / 1e6;
}

static void add_record(const shaping *s, size_t number, pj_site site, uint32_t item)
{
    const pj_trial *trial = s->trial;
    pj_build *build = trial->build;
    const pj_trial_record *record = &trial->records[number];
    uint32_t calls = pj_build_column(build, site, PJ_CALLS, PJ_NO_ITEM, true);
    uint32_t child_calls = pj_build_column(build, site, PJ_CHILD_CALLS, PJ_NO_ITEM, true);
    pj_build_add(build, calls, item, record->location, record->calls);
    pj_build_add(build, child_calls, item, record->location, record->child_calls);
    for (size_t m = 0; m < trial->measure_count; m++) {
        const double *value = trial->values + 2 * (number * trial->measure_count + m);
        for (unsigned part = 0; part < 2; part++)
            if (!isnan(value[part]))
                pj_build_add(build,
                             pj_build_column(build, site, part ? PJ_INCLUSIVE : PJ_EXCLUSIVE,
                                             trial->measures[m], false),
                             item, record->location,
                             trial->timed[m] ? seconds_of(value[part]) : value[part]);
    }
}

/// What paths that end with a function have of it at a location: calls, child calls, then exclusive
/// values.
static void take_path(shaping *s, const pj_trial_record *record, const double *values)
{
    size_t measures = s->trial->measure_count;
    uint32_t last = s->roles[record->function].last;
    double *taken = s->taken + last * (2 + measures);
    if (s->ended[last] != record->location + 1)
        memset(taken, 0, (2 + measures) * sizeof *taken);
    s->ended[last] = record->location + 1;
    taken[0] += record->calls;
    taken[1] += record->child_calls;
    for (size_t m = 0; m < measures; m++)
        taken[2 + m] += isnan(values[2 * m]) ? 0 : values[2 * m];
}

/// A function that begins paths and is called again below has in its root what these leave.
static void leave_rest(shaping *s, size_t number)
{
    size_t measures = s->trial->measure_count;
    pj_trial_record *record = &s->trial->records[number];
    double *values = s->trial->values + 2 * number * measures;
    const double *taken = s->taken + record->function * (2 + measures);
    record->calls = fmax(record->calls - taken[0], 0);
    record->child_calls = fmax(record->child_calls - taken[1], 0);
    for (size_t m = 0; m < measures; m++)
        values[2 * m] = fmax(values[2 * m] - taken[2 + m], 0);
}

/// Gives what no path ends with a root, or what is left of it.
static void add_roots(shaping *s, const uint32_t *order, size_t count)
{
    const pj_trial *trial = s->trial;
    for (size_t i = 0; i < count; i++)
        if (s->roles[trial->records[order[i]].function].is_path)
            take_path(s, &trial->records[order[i]],
                      trial->values + 2 * order[i] * trial->measure_count);
    for (size_t i = 0; i < count; i++) {
        const pj_trial_record *record = &trial->records[order[i]];
        const role *r = &s->roles[record->function];
        bool ended = s->ended[record->function] == record->location + 1;
        if (r->is_path || (ended && !r->is_first))
            continue;
        if (ended)
            leave_rest(s, order[i]);
        if (!ended || record->calls > 0)
            add_record(s, order[i], PJ_AT_NODE, pj_build_node(trial->build, PJ_NO_ITEM, r->item));
    }
}

/// Numbers of records, those of a location together; `ends` says where each location ends.
static uint32_t *order_by_location(const pj_trial *trial, size_t locations, size_t *ends)
{
    uint32_t *order = pj_take_memory(trial->record_count * sizeof *order);
    memset(ends, 0, (locations + 1) * sizeof *ends);
    for (size_t i = 0; i < trial->record_count; i++)
        ends[trial->records[i].location + 1]++;
    for (size_t i = 0; i < locations; i++)
        ends[i + 1] += ends[i];
    for (size_t i = 0; i < trial->record_count; i++)
        order[ends[trial->records[i].location]++] = (uint32_t)i;
    return order;
}

static void add_all_roots(shaping *s)
{
    const pj_trial *trial = s->trial;
    size_t locations = pj_build_profile(trial->build)->location_count;
    size_t *ends = pj_take_memory((locations + 1) * sizeof *ends);
    uint32_t *order = order_by_location(trial, locations, ends);
    s->ended = pj_take_memory((trial->function_count + 1) * sizeof *s->ended);
    memset(s->ended, 0, (trial->function_count + 1) * sizeof *s->ended);
    s->taken =
        pj_take_memory((trial->function_count + 1) * (2 + trial->measure_count) * sizeof *s->taken);
    for (size_t i = 0, begin = 0; i < locations; begin = ends[i++])
        add_roots(s, order + begin, ends[i] - begin);
    free(s->ended);
    free(s->taken);
    free(order);
    free(ends);
}

static void add_values(shaping *s, pj_shape shape)
{
    const pj_trial *trial = s->trial;
    pj_site of_paths = shape == PJ_SHAPE_TREE ? PJ_AT_NODE : PJ_AT_EDGE;
    for (size_t i = 0; i < trial->record_count; i++) {
        const role *r = &s->roles[trial->records[i].function];
        add_record(s, i, r->is_path ? of_paths : PJ_AT_REGION, r->item);
    }
    if (shape == PJ_SHAPE_TREE)
        add_all_roots(s);
}

void pj_trial_build(pj_trial *trial)
{
    shaping s = {.trial = trial};
    classify_all(&s);
    pj_shape shape = find_shape(&s);
    pj_build_profile(trial->build)->shape = shape;
    make_regions(&s);
    make_paths(&s, shape);
    if (pj_build_ok(trial->build))
        add_values(&s, shape);
    free(s.roles);
}
