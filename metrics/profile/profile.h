// A profile: functions or call paths, by location (rank, thread), by measure (time, bytes, counts).
// Ownership: new/free by counted reference; all that it holds lives as long as it. Nothing changes
// a finished profile; profile_build.h makes one.
//
// Items are numbered from 0 within their site. Regions, edges and lines stand in the order in which
// they were met; a node stands after its parent, so that a loop from the last node to the first
// meets children before their parents and needs no recursion.
#ifndef PJ_PROFILE_H
#define PJ_PROFILE_H

#include "metrics/base/arena.h"
#include "metrics/base/str.h"
#include "metrics/profile/build/oddities.h"

#include <math.h>

#define PJ_NO_ITEM UINT32_MAX // no parent, no location, no measure
#define PJ_ABSENT_WHOLE INT64_MIN

/// What the source holds. FLAT: values by region. GRAPH: values by region and by edge. TREE: values
/// by node; values by region may stand beside them as the source's own (TAU), and are never added
/// to them. A profile of nothing but lines or series is FLAT.
typedef enum pj_shape { PJ_SHAPE_FLAT, PJ_SHAPE_GRAPH, PJ_SHAPE_TREE } pj_shape;

/// What a value belongs to.
typedef enum pj_site { PJ_AT_REGION, PJ_AT_NODE, PJ_AT_EDGE, PJ_AT_LINE, PJ_SITE_COUNT } pj_site;

/// Which of an item's values: two of each measure, and calls, which have no measure. At a line,
/// EXCLUSIVE is its value (time, memory) and CALLS are its hits or occurrences.
typedef enum pj_value_part {
    PJ_EXCLUSIVE,       // without callees
    PJ_INCLUSIVE,       // with callees
    PJ_CALLS,           // all calls, visits
    PJ_PRIMITIVE_CALLS, // those that are not recursive
    PJ_CHILD_CALLS,     // calls made from it (TAU's subroutines)
} pj_value_part;

typedef enum pj_region_kind {
#define REGION_KIND(key, ...) PJ_REGION_##key,
#include "metrics/profile/region_kinds.def"
#undef REGION_KIND
    PJ_REGION_KIND_COUNT
} pj_region_kind;

typedef enum pj_measure_kind {
    PJ_MEASURE_TIME,  // seconds, wherever it came from
    PJ_MEASURE_COUNT, // events, samples, visits
    PJ_MEASURE_BYTES, // bytes, unless `unit` says MiB
    PJ_MEASURE_RATIO, // means nothing when added
} pj_measure_kind;

/// How values become one, over locations and where an item is met twice.
typedef enum pj_measure_fold { PJ_MEASURE_SUM, PJ_MEASURE_MIN, PJ_MEASURE_MAX } pj_measure_fold;

typedef enum pj_measure_stored {
    PJ_STORED_EXCLUSIVE, // inclusive is the sum over the subtree
    PJ_STORED_INCLUSIVE, // exclusive is it without the children
    PJ_STORED_BOTH,
} pj_measure_stored;

typedef struct pj_measure {
    const char *key;   // "time": columns are exclusive_<key>, inclusive_<key>; time's end in _s
    const char *title; // "Time"
    const char *unit;  // "s", "B", "MiB", "" for counts
    pj_measure_kind kind;
    pj_measure_fold fold;
    pj_measure_stored stored;
    uint32_t above;     // 1 + the measure above it in a tree of measures; 0 = none
    const char *reason; // why it has no values ("not evaluated"); NULL = it has
} pj_measure;

/// Regions with equal name, file, line and `apart` are one. Names are the source's own text.
typedef struct pj_profile_region {
    uint32_t name, file, module; // texts; 0 = ""
    uint32_t apart;              // text: what tells it from another of this name, file and line
    uint32_t line, end_line;     // 0 = not known
    uint32_t first_group, group_count;
    pj_region_kind kind;
} pj_profile_region;

typedef struct pj_profile_node {
    uint32_t parent; // PJ_NO_ITEM = a root
    uint32_t region;
    uint32_t parameters; // text "parity=1"; 0 = none. They make another node, not another region
    uint32_t depth;      // of a root: 0
} pj_profile_node;

typedef struct pj_profile_edge {
    uint32_t caller, callee; // regions
} pj_profile_edge;

typedef struct pj_profile_line {
    uint32_t region;
    uint32_t line;
    uint32_t text; // of the source, where the profile has it; else 0
} pj_profile_line;

typedef enum pj_location_kind {
    PJ_LOCATION_CPU,
    PJ_LOCATION_GPU,
    PJ_LOCATION_PROCESS, // the total of a process whose threads are not told
    PJ_LOCATION_UNKNOWN,
} pj_location_kind;

typedef struct pj_profile_location {
    int64_t rank, thread; // as the source numbers them; -1 = not told
    pj_location_kind kind;
    uint32_t name; // text "Master thread"; 0 = none
    uint32_t file; // index in `files`
} pj_profile_location;

/// Cells [item * locations + location]; NaN and PJ_ABSENT_WHOLE are absent, which is not 0.
typedef struct pj_profile_column {
    pj_site site;
    pj_value_part part;
    uint32_t measure; // PJ_NO_ITEM for calls
    bool whole;       // integers, else doubles
    union {
        double *real;
        int64_t *integer;
    };
} pj_profile_column;

typedef struct pj_profile_point {
    double time; // seconds since 1970, or since the start where the source has no date
    double value;
} pj_profile_point;

typedef struct pj_profile_series {
    uint32_t location;
    uint32_t quantity, unit; // texts "memory", "MiB"
    pj_profile_point *points;
    size_t count;
} pj_profile_series;

/// A call as a span of a series.
typedef struct pj_profile_bracket {
    uint32_t series, region, level;
    double begin, end, value_begin, value_end;
} pj_profile_bracket;

typedef struct pj_profile_phase {
    uint32_t name, location;
    double begin, end; // seconds
} pj_profile_phase;

/// A quantity that the program reported n times (TAU's user events).
typedef struct pj_profile_event {
    uint32_t name, location;
    double count, min, max, mean, sum_of_squares;
} pj_profile_event;

typedef struct pj_profile_pair {
    uint32_t location; // PJ_NO_ITEM = of the whole profile
    uint32_t key, value;
} pj_profile_pair;

/// The format of what files of several are together.
extern const char pj_profile_of_several[];

typedef struct pj_profile {
    pj_arena *arena;
    _Atomic uint32_t references;
    const char *format; // name of its reader: "pstats"
    const char *title;  // of it: "cProfile profile"
    bool shared;        // inclusive times are shared out by numbers of calls, and rounded
    bool by_line;       // functions are told by module, line and name, as those of Python are
    pj_shape shape;
    double tick;      // resolution of its clock in seconds; 0 = not known
    uint64_t bytes;   // that it holds beside the arena
    uint32_t command; // texts: what ran, when, and what recorded it; 0 = not known
    uint32_t created, tool, version;
    const char **files; // as opened
    uint32_t file_count;
    pj_str *texts; // each once; 0 is ""
    uint32_t text_count;
    uint32_t *groups; // texts, in slices of regions
    pj_profile_region *regions;
    pj_profile_node *nodes;
    pj_profile_edge *edges;
    pj_profile_line *lines;
    uint32_t count[PJ_SITE_COUNT]; // of regions, nodes, edges, lines
    pj_profile_location *locations;
    uint32_t location_count;
    pj_measure *measures;
    uint32_t measure_count;
    pj_profile_column *columns;
    uint32_t column_count;
    pj_profile_series *series;
    pj_profile_bracket *brackets;
    pj_profile_phase *phases;
    pj_profile_event *events;
    pj_profile_pair *pairs;
    uint32_t series_count, bracket_count, phase_count, event_count, pair_count;
    pj_oddities oddities;
} pj_profile;

pj_profile *pj_profile_hold(pj_profile *profile);
void pj_profile_release(pj_profile *profile);
static inline void pj_profile_drop(pj_profile **profile)
{
    pj_profile_release(*profile);
}
#define pj_auto_profile __attribute__((cleanup(pj_profile_drop))) pj_profile *

/// Key of a kind of region: "builtin".
const char *pj_region_kind_key(pj_region_kind kind);
/// "flat", "graph", "tree".
const char *pj_shape_name(pj_shape shape);

/// Ranks that are different; those of one stand together.
int64_t pj_profile_rank_count(const pj_profile *profile);
/// Whether what recorded the location tells the column at all: beside a profile of times a memory
/// curve does not. Locations of a single format do, whatever they lack; so does every one of NULL.
bool pj_profile_tells(const pj_profile *profile, const pj_profile_column *column,
                      uint32_t location);
/// The measure of that key, or PJ_NO_ITEM.
uint32_t pj_profile_measure(const pj_profile *profile, pj_str key);
/// NULL = absent everywhere, or it follows from what is stored (measures[].stored). Of calls,
/// `measure` is PJ_NO_ITEM.
const pj_profile_column *pj_profile_find(const pj_profile *profile, pj_site site,
                                         pj_value_part part, uint32_t measure);

static inline pj_str pj_profile_text(const pj_profile *profile, uint32_t text)
{
    return profile->texts[text];
}

static inline pj_str pj_profile_name(const pj_profile *profile, uint32_t region)
{
    return profile->texts[profile->regions[region].name];
}

/// The value as a double, NaN where it is absent; `column` may be NULL.
static inline double pj_profile_value(const pj_profile *profile, const pj_profile_column *column,
                                      uint32_t item, uint32_t location)
{
    if (!column)
        return NAN;
    size_t at = (size_t)item * profile->location_count + location;
    if (!column->whole)
        return column->real[at];
    return column->integer[at] == PJ_ABSENT_WHOLE ? NAN : (double)column->integer[at];
}

/// Folds a value into another as its measure says; absent ones (NaN) change nothing.
static inline void pj_measure_fold_in(double *sum, double value, pj_measure_fold fold)
{
    if (isnan(value))
        return;
    if (isnan(*sum))
        *sum = value;
    else if (fold == PJ_MEASURE_SUM)
        *sum += value;
    else
        *sum = (fold == PJ_MEASURE_MIN) == (value < *sum) ? value : *sum;
}

#endif
