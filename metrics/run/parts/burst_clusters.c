// DBSCAN over cells of bursts instead of bursts: each counts as many as lie in it.
#include "metrics/run/parts/burst_clusters.h"

#include "metrics/base/arena.h"

#include <stdlib.h>
#include <string.h>

enum { BURSTS_LEAST = 4, DURATIONS = 257, NO_CLUSTER = UINT32_MAX };

static const double near_by = 0.05;   // of each axis
static const double time_kept = 0.95; // of all bursts

// What matters

/// The shortest class of durations that is kept.
static uint32_t shortest_kept(const pj_burst_cells *cells)
{
    uint64_t times[DURATIONS] = {0};
    double whole = 0, kept = 0;
    for (size_t i = 0; i < cells->count; i++)
        times[cells->items[i].duration] += cells->items[i].sum.time_ns;
    for (uint32_t i = 0; i < DURATIONS; i++)
        whole += (double)times[i];
    uint32_t shortest = DURATIONS;
    while (shortest > 0 && kept < time_kept * whole)
        kept += (double)times[--shortest];
    return shortest;
}

static int order_points(const void *a, const void *b)
{
    const pj_burst_point *p = a, *q = b;
    if (p->x != q->x)
        return p->x < q->x ? -1 : 1;
    return p->y < q->y ? -1 : p->y > q->y;
}

/// Cells of the same place become one.
static void merge_points(pj_burst_clusters *out)
{
    size_t count = 0;
    for (size_t i = 0; i < out->point_count; i++) {
        pj_burst_point *last = count ? &out->points[count - 1] : NULL;
        if (last && order_points(last, &out->points[i]) == 0)
            pj_burst_sum_add(&last->sum, &out->points[i].sum);
        else
            out->points[count++] = out->points[i];
    }
    out->point_count = count;
}

static void take_points(const pj_burst_cells *cells, pj_burst_clusters *out, pj_arena *arena)
{
    uint32_t shortest = shortest_kept(cells);
    out->points = pj_new_n(arena, pj_burst_point, cells->count + 1);
    for (size_t i = 0; i < cells->count; i++) {
        const pj_burst_cell *cell = &cells->items[i];
        if (cell->duration < shortest)
            pj_burst_sum_add(&out->shorter, &cell->sum);
        else
            out->points[out->point_count++] =
                (pj_burst_point){.x = cell->x, .y = cell->y, .sum = cell->sum};
    }
    qsort(out->points, out->point_count, sizeof *out->points, order_points);
    merge_points(out);
}

// Neighbours

/// Squares of distances where both axes are 1 long.
typedef struct plane {
    const pj_burst_point *points;
    size_t count;
    double x_scale, y_scale;
    uint32_t reach; // in x: cells that may be near
} plane;

static plane plane_of(const pj_burst_clusters *bursts)
{
    uint32_t y_lo = UINT32_MAX, y_hi = 0;
    for (size_t i = 0; i < bursts->point_count; i++) {
        y_lo = bursts->points[i].y < y_lo ? bursts->points[i].y : y_lo;
        y_hi = bursts->points[i].y > y_hi ? bursts->points[i].y : y_hi;
    }
    uint32_t x_span = bursts->points[bursts->point_count - 1].x - bursts->points[0].x;
    return (plane){.points = bursts->points,
                   .count = bursts->point_count,
                   .x_scale = x_span ? 1.0 / x_span : 0,
                   .y_scale = y_hi > y_lo ? 1.0 / (y_hi - y_lo) : 0,
                   .reach = (uint32_t)(near_by * x_span) + 1};
}

static double distance(const plane *p, size_t a, size_t b)
{
    double x = ((double)p->points[a].x - p->points[b].x) * p->x_scale;
    double y = ((double)p->points[a].y - p->points[b].y) * p->y_scale;
    return x * x + y * y;
}

static bool is_near(const plane *p, size_t a, size_t b)
{
    return distance(p, a, b) <= near_by * near_by;
}

/// The first point that may be near.
static size_t first_near(const plane *p, size_t of)
{
    uint32_t x = p->points[of].x, from = x > p->reach ? x - p->reach : 0;
    size_t low = 0, high = of;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (p->points[middle].x < from)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool may_be_near(const plane *p, size_t of, size_t other)
{
    return other < p->count && p->points[other].x <= p->points[of].x + p->reach;
}

// Clusters

static bool is_core(const plane *p, size_t point)
{
    uint64_t bursts = 0;
    for (size_t i = first_near(p, point); may_be_near(p, point, i); i++) {
        bursts += is_near(p, point, i) ? p->points[i].sum.bursts : 0;
        if (bursts >= BURSTS_LEAST)
            return true;
    }
    return false;
}

static uint32_t root_of(uint32_t *parents, uint32_t point)
{
    while (parents[point] != point)
        point = parents[point] = parents[parents[point]];
    return point;
}

/// Cores that are near each other become one tree.
static void join_cores(const plane *p, uint32_t *parents)
{
    for (size_t i = 0; i < p->count; i++)
        parents[i] = is_core(p, i) ? (uint32_t)i : NO_CLUSTER;
    for (size_t i = 0; i < p->count; i++)
        for (size_t k = i + 1; parents[i] != NO_CLUSTER && may_be_near(p, i, k); k++)
            if (parents[k] != NO_CLUSTER && is_near(p, i, k))
                parents[root_of(parents, (uint32_t)k)] = root_of(parents, (uint32_t)i);
}

/// The nearest core of a point that is none, the first of several; NO_CLUSTER = there is none near.
static uint32_t nearest_core(const plane *p, const uint32_t *parents, size_t point)
{
    uint32_t nearest = NO_CLUSTER;
    for (size_t i = first_near(p, point); may_be_near(p, point, i); i++)
        if (parents[i] != NO_CLUSTER && is_near(p, point, i) &&
            (nearest == NO_CLUSTER || distance(p, point, i) < distance(p, point, nearest)))
            nearest = (uint32_t)i;
    return nearest;
}

typedef struct found { // a cluster
    uint32_t root;
    pj_burst_sum sum;
} found;

static int order_found(const void *a, const void *b)
{
    const found *f = a, *g = b;
    if (f->sum.time_ns != g->sum.time_ns)
        return f->sum.time_ns > g->sum.time_ns ? -1 : 1;
    return f->root < g->root ? -1 : f->root > g->root;
}

/// Numbers clusters by time. `roots`: of each point, NO_CLUSTER = none.
static void number_clusters(pj_burst_clusters *out, const uint32_t *roots, pj_arena *arena)
{
    size_t count = out->point_count;
    found *clusters = pj_new_n(arena, found, count);
    uint32_t *number_of = pj_new_n(arena, uint32_t, count);
    for (size_t i = 0; i < count; i++)
        if (roots[i] == NO_CLUSTER) {
            pj_burst_sum_add(&out->noise, &out->points[i].sum);
        } else {
            clusters[roots[i]].root = roots[i];
            pj_burst_sum_add(&clusters[roots[i]].sum, &out->points[i].sum);
        }
    for (size_t i = 0; i < count; i++)
        if (clusters[i].sum.bursts)
            clusters[out->count++] = clusters[i];
    qsort(clusters, out->count, sizeof *clusters, order_found);
    out->clusters = pj_new_n(arena, pj_burst_sum, out->count + 1);
    for (uint32_t i = 0; i < out->count; i++) {
        out->clusters[i] = clusters[i].sum;
        number_of[clusters[i].root] = i + 1;
    }
    for (size_t i = 0; i < count; i++)
        out->points[i].cluster = roots[i] == NO_CLUSTER ? 0 : number_of[roots[i]];
}

// Functions

/// Time of a function in a cluster.
typedef struct stay {
    uint32_t cluster, function;
    uint64_t time_ns;
} stay;

static int order_stays(const void *a, const void *b)
{
    const stay *s = a, *t = b;
    if (s->cluster != t->cluster)
        return s->cluster < t->cluster ? -1 : 1;
    return s->function < t->function ? -1 : s->function > t->function;
}

static uint32_t cluster_of(const pj_burst_clusters *out, const pj_burst_cell *cell)
{
    const pj_burst_point at = {.x = cell->x, .y = cell->y};
    const pj_burst_point *point =
        bsearch(&at, out->points, out->point_count, sizeof *out->points, order_points);
    return point ? point->cluster : 0;
}

/// The function of each cluster: of two that take as long the lower number.
static void find_functions(const pj_burst_cells *cells, pj_burst_clusters *out, pj_arena *arena)
{
    uint32_t shortest = shortest_kept(cells);
    stay *stays = pj_new_n(arena, stay, cells->count + 1);
    size_t count = 0;
    out->functions = pj_new_n(arena, pj_burst_function, out->count + 1);
    for (size_t i = 0; i < cells->count; i++) {
        const pj_burst_cell *cell = &cells->items[i];
        uint32_t cluster = cell->duration < shortest ? 0 : cluster_of(out, cell);
        if (cluster)
            stays[count++] = (stay){cluster - 1, cell->function, cell->sum.time_ns};
    }
    qsort(stays, count, sizeof *stays, order_stays);
    for (size_t from = 0, to; from < count; from = to) {
        pj_burst_function sum = {.number = stays[from].function};
        for (to = from; to < count && order_stays(&stays[from], &stays[to]) == 0; to++)
            sum.time_ns += stays[to].time_ns;
        if (sum.time_ns > out->functions[stays[from].cluster].time_ns)
            out->functions[stays[from].cluster] = sum;
    }
}

void pj_burst_clusters_find(const pj_burst_cells *cells, pj_burst_clusters *out, pj_arena *arena)
{
    take_points(cells, out, arena);
    out->coarser = cells->coarser;
    if (!out->point_count)
        return;
    plane p = plane_of(out);
    uint32_t *parents = pj_new_n(arena, uint32_t, p.count);
    uint32_t *roots = pj_new_n(arena, uint32_t, p.count);
    join_cores(&p, parents);
    for (size_t i = 0; i < p.count; i++) {
        uint32_t core = parents[i] == NO_CLUSTER ? nearest_core(&p, parents, i) : (uint32_t)i;
        roots[i] = core == NO_CLUSTER ? NO_CLUSTER : root_of(parents, core);
    }
    number_clusters(out, roots, arena);
    find_functions(cells, out, arena);
}
