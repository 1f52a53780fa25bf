// A CUBE 4 file (.cubex) as it is: metrics, regions, call paths, locations, and the rows of values
// where they lie. Formats: CUBE 4.8 (cubelib), section "CUBE file format"; Score-P 8 and 9.
// Ownership: everything is the arena's; the blob must outlive the cube.
#ifndef PJ_CUBE_H
#define PJ_CUBE_H

#include "metrics/base/arena.h"
#include "metrics/base/err.h"
#include "metrics/base/job.h"
#include "metrics/base/str.h"
#include "metrics/read/profile/cube/blob.h"
#include "metrics/read/profile/cube/tar.h"

enum { PJ_CUBE_NONE = -1 };

/// What a value is made of; the bytes of each are in cube_values.c.
typedef enum pj_cube_type {
    PJ_CUBE_DOUBLE,
    PJ_CUBE_MIN, // a double of which the least is taken, over call paths and locations
    PJ_CUBE_MAX,
    PJ_CUBE_INT8,
    PJ_CUBE_UINT8,
    PJ_CUBE_INT16,
    PJ_CUBE_UINT16,
    PJ_CUBE_INT32,
    PJ_CUBE_UINT32,
    PJ_CUBE_INT64,
    PJ_CUBE_UINT64,
    PJ_CUBE_COMPLEX, // two doubles: its value is the modulus
    PJ_CUBE_RATE,    // two doubles: a quotient
    PJ_CUBE_ATOMIC,  // count, least, greatest, sum, sum of squares: its value is the mean
    PJ_CUBE_UNREAD,  // histograms, several doubles, scaling functions
} pj_cube_type;

typedef struct pj_cube_metric {
    pj_str key, title, unit, dtype, description;
    uint32_t id;
    int32_t parent; // index of a metric; PJ_CUBE_NONE at the top
    pj_cube_type type;
    bool inclusive;                    // values are stored with those of the call paths below
    bool derived;                      // a formula (CubePL), which is not evaluated
    const pj_tar_member *index, *data; // NULL = all values are zero
} pj_cube_metric;

typedef struct pj_cube_region {
    pj_str name, mangled, file, paradigm, role;
    int64_t begin, end; // lines; -1 = not known
    int64_t arguments;  // of the program; -1 = not told
} pj_cube_region;

typedef struct pj_cube_parameter {
    pj_str key, value;
    bool numeric;
} pj_cube_parameter;

/// A call path. They stand in pre-order: parents before children, subtrees together.
typedef struct pj_cube_node {
    uint32_t id;
    uint32_t region;
    int32_t parent;
    uint32_t after; // index of the first call path behind the subtree
    uint32_t first_parameter, parameter_count;
} pj_cube_node;

typedef struct pj_cube_process {
    pj_str name;
    pj_str type; // "process", "accelerator", "metrics"
    int64_t rank;
} pj_cube_process;

/// In the order of their ids, which is that of the columns.
typedef struct pj_cube_location {
    pj_str name;
    pj_str type; // "thread", "gpu", "metric"
    uint32_t id;
    uint32_t process;
    int64_t rank; // number within its process
} pj_cube_location;

typedef struct pj_cube_attribute {
    pj_str key, value;
} pj_cube_attribute;

typedef struct pj_cube {
    pj_arena *arena;
    const pj_blob *blob;
    pj_tar tar;
    pj_cube_attribute *attributes;
    pj_cube_metric *metrics;
    pj_cube_region *regions;
    pj_cube_node *nodes;
    pj_cube_parameter *parameters;
    pj_cube_process *processes;
    pj_cube_location *locations;
    size_t attribute_count, metric_count, region_count, node_count, parameter_count, process_count,
        location_count;
} pj_cube;

/// Reads everything but the values. Errors: PJ_E_FORMAT, PJ_E_IO, PJ_E_MEMORY.
PJ_CHECKED bool pj_cube_open(pj_cube *cube, const pj_blob *blob, pj_arena *arena, pj_job *job,
                             pj_err *err);
/// anchor.xml alone, which `name` names in messages. Errors: PJ_E_FORMAT, PJ_E_MEMORY,
/// PJ_E_STOPPED.
PJ_CHECKED bool pj_cube_parse_anchor(pj_cube *cube, const char *name, pj_str xml, pj_job *job,
                                     pj_err *err);
/// The metric with this key; NULL = none.
const pj_cube_metric *pj_cube_find(const pj_cube *cube, pj_str key);

/// Bytes of a value in the file.
size_t pj_cube_width(pj_cube_type type);
/// Whether a value is made of two numbers, which are added apart: see pj_cube_merge.
bool pj_cube_is_pair(pj_cube_type type);
/// Whether values are integers.
bool pj_cube_is_whole(pj_cube_type type);

/// Where stored values go, call path by call path: `stride` cells each, the first `location_count`
/// are set where the file has a row; they come as zeros. One of `real` and `whole` is given;
/// `second` only for pairs.
typedef struct pj_cube_cells {
    double *real, *second;
    int64_t *whole;
    size_t stride;
} pj_cube_cells;

/// What cannot be told in a cell.
typedef struct pj_cube_counts {
    uint64_t not_finite; // left NaN
    uint64_t large;      // integers beyond 63 bits, left INT64_MIN
} pj_cube_counts;

/// Reads the stored values of a metric. Errors: PJ_E_FORMAT when index and rows do not fit each
/// other or the call paths.
PJ_CHECKED bool pj_cube_read(const pj_cube *cube, const pj_cube_metric *metric, pj_cube_cells out,
                             pj_job *job, pj_cube_counts *counts, pj_err *err);

#endif
