// Values of a profile summed by what is asked for: functions, call paths, modules, ranks, threads.
// Ownership: new/free; pj_auto_profile_rows frees.
#ifndef PJ_PROFILE_ROWS_H
#define PJ_PROFILE_ROWS_H

#include "metrics/base/arena.h"
#include "metrics/base/str.h"
#include "metrics/profile/profile.h"
#include "metrics/table/spread.h"

/// What makes rows of their own: one of the items, and any of the locations.
typedef enum pj_profile_by {
    PJ_BY_NOTHING, // all functions together
    PJ_BY_FUNCTION,
    PJ_BY_PATH,
    PJ_BY_LINE,
    PJ_BY_MODULE,
    PJ_BY_FILE,
    PJ_BY_GROUP,
} pj_profile_by;

typedef struct pj_profile_grouping {
    pj_profile_by item;
    bool rank, thread;
} pj_profile_grouping;

/// In the item of PJ_BY_MODULE: the text is that of a file, whose name stands for a module.
#define PJ_ROW_IS_FILE (UINT32_C(1) << 31)

/// A number of calls: whole where the source counts, else a double.
typedef union pj_profile_calls {
    int64_t whole;
    double real;
} pj_profile_calls;

/// A sum, and its statistics over the ranks (or threads) that were summed; those that lack the item
/// count as 0. Absent values are NaN and PJ_ABSENT_WHOLE.
typedef struct pj_profile_row {
    uint32_t item;        // region, node, line, or the text of a module, file or group
    int64_t rank, thread; // of its locations, where they are asked for
    pj_profile_calls calls, primitive_calls;
    double exclusive, inclusive;
    uint32_t have; // ranks (or threads) that have it
    double least, mean, most, deviation, balance;
    int64_t where; // rank (or thread) of the most
    pj_spread spread;
    uint64_t place; // in the order of the profile, to keep equal rows in it
} pj_profile_row;

typedef struct pj_profile_rows {
    pj_profile_row *rows; // in the order of the profile
    size_t count;
    bool whole_calls, whole_primitive; // which member of pj_profile_calls
    bool has_calls, has_primitive, has_exclusive, has_inclusive;
    bool has_statistics; // several ranks or threads were summed
    bool over_threads;   // of one rank: the statistics are over its threads
    double total;        // of the exclusive values
} pj_profile_rows;

/// Of a profile with values by region (profile_graph.h turns trees into one), or for PJ_BY_PATH of
/// a tree. `measure` may be PJ_NO_ITEM: only calls.
pj_profile_rows pj_profile_rows_of(const pj_profile *profile, pj_profile_grouping grouping,
                                   uint32_t measure, pj_arena *arena);

void pj_profile_rows_free(pj_profile_rows *rows);
#define pj_auto_profile_rows __attribute__((cleanup(pj_profile_rows_free))) pj_profile_rows

#endif
