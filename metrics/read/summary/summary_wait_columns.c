// Columns of sums of waits. Those of a rank stand together, so that its number is told once.
#include "metrics/read/summary/summary_wait_columns.h"

#include "metrics/base/arena.h"
#include "metrics/base/err.h"
#include "metrics/read/summary/summary_vectors.h"
#include "metrics/run/run.h"
#include "metrics/run/waits/run_waits.h"
#include "metrics/trace/mpi_call.h"

#include <stdlib.h>
#include <string.h>

enum { SUMS_MOST = 1 << 16 };          // that are read
enum { LONGEST_SHARE = 5 };            // of the budget, for the longest waits of some
static const uint64_t shortest = 1000; // ns that culprits are kept for, at first
static const uint64_t longer = 4;      // times as long when there are still too many

enum { PATTERN, CULPRIT, CALL, INSTANCES, WAIT, IDEAL, LONGEST, LONGEST_AT, COLUMNS };
enum { IN_MPI, WAITED, OUTSIDE, END, SUMS, RANK_COLUMNS };

static pj_summary_vectors columns_of(uint32_t ranks, const uint32_t *first, bool sums,
                                     pj_arena *arena)
{
    static const char *const of_sums[COLUMNS] = {"pattern",    "culprit",      "call",
                                                 "instances",  "wait_ns",      "ideal_ns",
                                                 "longest_ns", "longest_at_ns"};
    static const char *const of_ranks[RANK_COLUMNS] = {"mpi_ns", "wait_ns", "outside_ns", "end_ns",
                                                       "sums"};
    size_t count = sums ? COLUMNS : RANK_COLUMNS;
    pj_summary_vectors v = {.items = pj_new_n(arena, pj_summary_vector, count),
                            .count = count,
                            .ranks = ranks,
                            .first = first};
    for (size_t i = 0; i < count; i++)
        v.items[i] = (pj_summary_vector){sums ? of_sums[i] : of_ranks[i],
                                         pj_new_n(arena, int64_t, first[ranks] + (size_t)1)};
    return v;
}

static int by_rank(const void *a, const void *b)
{
    const pj_wait_sum *p = a, *q = b;
    if (p->rank != q->rank)
        return p->rank < q->rank ? -1 : 1;
    return pj_wait_sum_order(a, b);
}

/// Culprits of shorter ones become others; returns how many sums are left.
static uint32_t fold(pj_wait_sum *sums, uint32_t count, uint64_t least)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++)
        if (sums[i].wait_ns < least)
            sums[i].culprit = PJ_CULPRIT_OTHERS;
    qsort(sums, count, sizeof *sums, by_rank);
    for (uint32_t i = 0; i < count; i++) {
        pj_wait_sum *to = kept ? &sums[kept - 1] : NULL;
        if (!to || by_rank(to, &sums[i]) != 0) {
            sums[kept++] = sums[i];
            continue;
        }
        to->instances += sums[i].instances;
        to->wait_ns += sums[i].wait_ns;
        to->ideal_ns += sums[i].ideal_ns;
        pj_wait_sum_keep_longest(to, sums[i].longest_ns, sums[i].longest_at_ns);
    }
    return kept;
}

static uint32_t place_of(const pj_waits *waits, pj_mpi_call call)
{
    uint32_t i = 0;
    while (i < waits->call_count && waits->calls[i].call != call)
        i++;
    return i;
}

/// As a distance, which is the same for many ranks.
static int64_t culprit_from(const pj_wait_sum *sum, uint32_t ranks)
{
    return sum->culprit == PJ_CULPRIT_OTHERS ? ranks : (sum->culprit + ranks - sum->rank) % ranks;
}

/// How many sums each rank has, as places of its first one.
static uint32_t *firsts_of(const pj_wait_sum *sums, uint32_t count, uint32_t ranks, pj_arena *arena)
{
    uint32_t *first = pj_new_n(arena, uint32_t, ranks + (size_t)1);
    for (uint32_t i = 0; i < count; i++)
        first[sums[i].rank + 1]++;
    for (uint32_t r = 0; r < ranks; r++)
        first[r + 1] += first[r];
    return first;
}

static json_t *encode_ranks(const pj_run *run, const uint32_t *first, size_t budget,
                            pj_arena *arena)
{
    uint32_t ranks = run->layout.ranks;
    uint32_t *each = pj_new_n(arena, uint32_t, ranks + (size_t)1);
    for (uint32_t r = 0; r <= ranks; r++)
        each[r] = r;
    pj_summary_vectors v = columns_of(ranks, each, false, arena);
    for (uint32_t r = 0; r < ranks; r++) {
        const pj_wait_rank *rank = &run->waits->ranks[r];
        v.items[IN_MPI].values[r] = (int64_t)rank->mpi_ns;
        v.items[WAITED].values[r] = (int64_t)rank->wait_ns;
        v.items[OUTSIDE].values[r] = (int64_t)rank->outside_ns;
        v.items[END].values[r] = (int64_t)rank->end_ns;
        v.items[SUMS].values[r] = (int64_t)(first[r + 1] - first[r]);
    }
    return pj_summary_vectors_encode(&v, budget, true);
}

static json_t *encode_sums(const pj_run *run, const pj_wait_sum *sums, const uint32_t *first,
                           bool longest, size_t budget, pj_arena *arena)
{
    uint32_t ranks = run->layout.ranks;
    pj_summary_vectors v = columns_of(ranks, first, true, arena);
    for (uint32_t i = 0; i < first[ranks]; i++) {
        v.items[PATTERN].values[i] = sums[i].pattern;
        v.items[CULPRIT].values[i] = culprit_from(&sums[i], ranks);
        v.items[CALL].values[i] = place_of(run->waits, sums[i].call);
        v.items[INSTANCES].values[i] = (int64_t)sums[i].instances;
        v.items[WAIT].values[i] = (int64_t)sums[i].wait_ns;
        v.items[IDEAL].values[i] = (int64_t)sums[i].ideal_ns;
        v.items[LONGEST].values[i] = (int64_t)sums[i].longest_ns;
        v.items[LONGEST_AT].values[i] = (int64_t)sums[i].longest_at_ns;
    }
    v.count = longest ? COLUMNS : LONGEST;
    return pj_summary_vectors_encode(&v, budget, true);
}

/// Both parts; NULL = they do not fit.
static json_t *encode(const pj_run *run, const pj_wait_sum *sums, uint32_t count, bool longest,
                      size_t budget)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    const uint32_t *first = firsts_of(sums, count, run->layout.ranks, arena);
    json_t *ranks = encode_ranks(run, first, budget, arena);
    size_t used = ranks ? pj_summary_size(ranks) : budget;
    json_t *rows =
        used < budget ? encode_sums(run, sums, first, longest, budget - used, arena) : NULL;
    if (rows)
        return json_pack("{s:o, s:o}", "ranks", ranks, "sums", rows);
    json_decref(ranks);
    return NULL;
}

static json_t *pattern_names(void)
{
    json_t *names = json_array();
    for (unsigned p = 0; p < PJ_WAIT_PATTERNS; p++)
        json_array_append_new(names, json_string(pj_wait_pattern_rows[p].key));
    return names;
}

// The longest waits of some

enum { OF_SUM, OF_NS, OF_AT, OF_COLUMNS };

typedef struct ranked {
    const pj_wait_sum *sum;
    uint32_t place;
} ranked;

/// The earliest of equal ones stand first, which count.
static int by_longest(const void *a, const void *b)
{
    const ranked *p = a, *q = b;
    if (p->sum->longest_ns != q->sum->longest_ns)
        return p->sum->longest_ns > q->sum->longest_ns ? -1 : 1;
    if (p->sum->longest_at_ns != q->sum->longest_at_ns)
        return p->sum->longest_at_ns < q->sum->longest_at_ns ? -1 : 1;
    return (p->place > q->place) - (p->place < q->place);
}

static int by_place(const void *a, const void *b)
{
    const ranked *p = a, *q = b;
    return (p->place > q->place) - (p->place < q->place);
}

static pj_summary_vectors longest_columns(const uint32_t *first, pj_arena *arena)
{
    static const char *const names[OF_COLUMNS] = {"sum", "ns", "at_ns"};
    pj_summary_vectors v = {.items = pj_new_n(arena, pj_summary_vector, OF_COLUMNS),
                            .count = OF_COLUMNS,
                            .ranks = 1,
                            .first = first};
    for (size_t i = 0; i < OF_COLUMNS; i++)
        v.items[i] = (pj_summary_vector){names[i], pj_new_n(arena, int64_t, first[1] + (size_t)1)};
    return v;
}

/// The first ones of all, and the first one of each pattern and function; how many. `bests` are
/// these, without those.
static uint32_t bests_of(const ranked *all, uint32_t count, ranked *bests)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < count; i++) {
        bool known = false;
        for (uint32_t k = 0; k < found && !known; k++)
            known = bests[k].sum->pattern == all[i].sum->pattern &&
                    bests[k].sum->call == all[i].sum->call;
        if (!known)
            bests[found++] = all[i];
    }
    return found;
}

static json_t *encode_longest(const ranked *all, uint32_t count, uint32_t most, size_t budget)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    ranked *chosen = pj_new_n(arena, ranked, (size_t)most + count + 1);
    ranked *bests = pj_new_n(arena, ranked, (size_t)count + 1);
    uint32_t first[2] = {0, most};
    memcpy(chosen, all, most * sizeof *all);
    uint32_t best_count = bests_of(all, count, bests);
    for (uint32_t k = 0; k < best_count; k++)
        if (most == 0 || by_longest(&bests[k], &all[most - 1]) > 0)
            chosen[first[1]++] = bests[k];
    qsort(chosen, first[1], sizeof *chosen, by_place);
    pj_summary_vectors v = longest_columns(first, arena);
    for (uint32_t i = 0; i < first[1]; i++) {
        v.items[OF_SUM].values[i] = chosen[i].place;
        v.items[OF_NS].values[i] = (int64_t)chosen[i].sum->longest_ns;
        v.items[OF_AT].values[i] = (int64_t)chosen[i].sum->longest_at_ns;
    }
    json_t *of = pj_summary_vectors_encode(&v, budget, true);
    uint64_t others = most < count ? all[most].sum->longest_ns : 0;
    return of ? json_pack("{s:I, s:I, s:o}", "count", (json_int_t)first[1], "others_ns",
                          (json_int_t)others, "of", of)
              : NULL;
}

/// As many as fit.
static void write_longest(const pj_wait_sum *sums, uint32_t count, size_t budget, json_t *into)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    ranked *all = pj_new_n(arena, ranked, count + (size_t)1);
    json_t *out = NULL;
    for (uint32_t i = 0; i < count; i++)
        all[i] = (ranked){&sums[i], i};
    if (count)
        qsort(all, count, sizeof *all, by_longest);
    for (uint32_t most = count; !out; most = most / 4 * 3) {
        out = encode_longest(all, count, most, budget);
        if (most == 0)
            break;
    }
    if (out)
        json_object_set_new(into, "longest", out);
}

/// With as many culprits as fit; NULL = not even without them. `count`: of sums then.
static json_t *encode_most(const pj_run *run, pj_wait_sum *sums, uint32_t *count, size_t budget)
{
    json_t *out = NULL;
    uint64_t longest_sum = 0;
    for (uint32_t i = 0; i < *count; i++)
        longest_sum = sums[i].wait_ns > longest_sum ? sums[i].wait_ns : longest_sum;
    for (uint64_t least = 0; !out; least = least ? least * longer : shortest) {
        *count = fold(sums, *count, least);
        out = encode(run, sums, *count, false, budget);
        if (least > longest_sum)
            break;
    }
    return out;
}

json_t *pj_summary_wait_columns_write(const pj_run *run, size_t budget)
{
    const pj_waits *waits = run->waits;
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_wait_sum *sums = pj_new_n(arena, pj_wait_sum, waits->sum_count + (size_t)1);
    uint32_t count = waits->sum_count;
    memcpy(sums, waits->sums, count * sizeof *sums);
    for (uint32_t i = 0; i < count; i++)
        if (place_of(waits, sums[i].call) == waits->call_count)
            return NULL;
    count = fold(sums, count, 0);
    json_t *out = encode(run, sums, count, true, budget);
    bool whole = out != NULL;
    if (!out)
        out = encode_most(run, sums, &count, budget - budget / LONGEST_SHARE);
    if (!out)
        out = encode_most(run, sums, &count, budget);
    size_t size = out ? pj_summary_size(out) : 0;
    if (out && !whole && size < budget)
        write_longest(sums, count, budget - size, out);
    if (out)
        json_object_set_new(out, "patterns", pattern_names());
    return out;
}

// Reading

/// The patterns that the file numbers; false = one of them is none.
static bool read_patterns(const json_t *from, pj_wait_pattern *out, size_t *count)
{
    const json_t *names = json_object_get(from, "patterns");
    *count = json_array_size(names);
    for (size_t i = 0; i < *count && i < PJ_WAIT_PATTERNS; i++) {
        const char *name = json_string_value(json_array_get(names, i));
        unsigned p = 0;
        while (name && p < PJ_WAIT_PATTERNS && strcmp(name, pj_wait_pattern_rows[p].key) != 0)
            p++;
        if (!name || p == PJ_WAIT_PATTERNS)
            return false;
        out[i] = (pj_wait_pattern)p;
    }
    return *count <= PJ_WAIT_PATTERNS;
}

/// Where the sums of each rank begin, or NULL.
static uint32_t *read_ranks(const json_t *from, const pj_run *run, pj_waits *out, pj_arena *arena,
                            pj_err *err)
{
    uint32_t ranks = run->layout.ranks, *first = pj_new_n(arena, uint32_t, ranks + (size_t)1);
    for (uint32_t r = 0; r <= ranks; r++)
        first[r] = r;
    pj_summary_vectors v = columns_of(ranks, first, false, arena);
    if (!pj_summary_vectors_decode(json_object_get(from, "ranks"), &v, run->path, err))
        return NULL;
    out->ranks = pj_new_n(run->arena, pj_wait_rank, ranks + (size_t)1);
    uint32_t next = 0;
    for (uint32_t r = 0; r < ranks; r++) {
        bool sound = v.items[SUMS].values[r] <= SUMS_MOST - (int64_t)next;
        for (size_t c = 0; c < RANK_COLUMNS; c++)
            sound = sound && v.items[c].values[r] >= 0;
        if (!sound || v.items[WAITED].values[r] > v.items[IN_MPI].values[r])
            return NULL;
        out->ranks[r] = (pj_wait_rank){.mpi_ns = (uint64_t)v.items[IN_MPI].values[r],
                                       .wait_ns = (uint64_t)v.items[WAITED].values[r],
                                       .outside_ns = (uint64_t)v.items[OUTSIDE].values[r],
                                       .end_ns = (uint64_t)v.items[END].values[r]};
        first[r] = next;
        next += (uint32_t)v.items[SUMS].values[r];
    }
    first[ranks] = next;
    return first;
}

static bool read_sum(const pj_summary_vectors *v, uint32_t rank, uint32_t at,
                     const pj_wait_pattern *patterns, size_t pattern_count, pj_waits *out)
{
    for (size_t c = 0; c < COLUMNS; c++)
        if (v->items[c].values[at] < 0)
            return false;
    uint64_t pattern = (uint64_t)v->items[PATTERN].values[at];
    uint64_t call = (uint64_t)v->items[CALL].values[at];
    uint64_t culprit = (uint64_t)v->items[CULPRIT].values[at];
    if (pattern >= pattern_count || call >= out->call_count || culprit > v->ranks)
        return false;
    out->sums[at] = (pj_wait_sum){
        .rank = rank,
        .culprit =
            culprit == v->ranks ? PJ_CULPRIT_OTHERS : (uint32_t)((culprit + rank) % v->ranks),
        .pattern = patterns[pattern],
        .call = out->calls[call].call,
        .instances = (uint64_t)v->items[INSTANCES].values[at],
        .wait_ns = (uint64_t)v->items[WAIT].values[at],
        .ideal_ns = (uint64_t)v->items[IDEAL].values[at],
        .longest_ns = (uint64_t)v->items[LONGEST].values[at],
        .longest_at_ns = (uint64_t)v->items[LONGEST_AT].values[at],
    };
    return true;
}

enum { CALLS = 256 }; // rows of mpi_calls.def, from 1; less are there

static uint64_t *best_at(uint64_t *bests, const pj_wait_sum *sum)
{
    return &bests[sum->pattern * CALLS + (sum->call < CALLS ? sum->call : 0)];
}

/// One that is not told is no longer than the longest of its pattern and function, nor than
/// `others`.
static void bound_longest(pj_waits *out, uint64_t others, pj_arena *arena)
{
    uint64_t *bests = pj_new_n(arena, uint64_t, (size_t)PJ_WAIT_PATTERNS * CALLS);
    for (uint32_t i = 0; i < out->sum_count; i++) {
        uint64_t *best = best_at(bests, &out->sums[i]);
        *best = out->sums[i].longest_ns > *best ? out->sums[i].longest_ns : *best;
    }
    for (uint32_t i = 0; i < out->sum_count; i++) {
        pj_wait_sum *sum = &out->sums[i];
        uint64_t best = *best_at(bests, sum);
        if (sum->wait_ns && !sum->longest_ns)
            sum->unknown_ns = best && best < others ? best : others;
    }
}

static bool read_longest(json_t *from, const pj_run *run, pj_waits *out, pj_err *err)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    json_int_t count = json_integer_value(json_object_get(from, "count"));
    json_int_t others = json_integer_value(json_object_get(from, "others_ns"));
    if (count < 0 || count > out->sum_count || others < 0)
        return false;
    uint32_t first[2] = {0, (uint32_t)count};
    pj_summary_vectors v = longest_columns(first, arena);
    if (!pj_summary_vectors_decode(json_object_get(from, "of"), &v, run->path, err))
        return false;
    for (uint32_t i = 0; i < first[1]; i++) {
        int64_t at = v.items[OF_SUM].values[i];
        if (at < 0 || at >= out->sum_count || v.items[OF_NS].values[i] < 0 ||
            v.items[OF_AT].values[i] < 0)
            return false;
        out->sums[at].longest_ns = (uint64_t)v.items[OF_NS].values[i];
        out->sums[at].longest_at_ns = (uint64_t)v.items[OF_AT].values[i];
    }
    bound_longest(out, (uint64_t)others, arena);
    return true;
}

/// What older summaries do not tell at all.
static void forget_longest(pj_waits *out)
{
    for (uint32_t i = 0; i < out->sum_count; i++)
        if (out->sums[i].wait_ns && !out->sums[i].longest_ns)
            out->sums[i].unknown_ns = UINT64_MAX;
}

bool pj_summary_wait_columns_read(const json_t *from, const pj_run *run, pj_waits *out, pj_err *err)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_wait_pattern patterns[PJ_WAIT_PATTERNS];
    size_t pattern_count;
    uint32_t ranks = run->layout.ranks;
    const uint32_t *first = read_patterns(from, patterns, &pattern_count)
                                ? read_ranks(from, run, out, arena, err)
                                : NULL;
    if (!first)
        return pj_fail(err, PJ_E_FORMAT, run->path, 0, "damaged summary: ranks that waited");
    pj_summary_vectors v = columns_of(ranks, first, true, arena);
    if (!pj_summary_vectors_decode(json_object_get(from, "sums"), &v, run->path, err))
        return false;
    out->sums = pj_new_n(run->arena, pj_wait_sum, first[ranks] + (size_t)1);
    out->sum_count = first[ranks];
    for (uint32_t r = 0; r < ranks; r++)
        for (uint32_t at = first[r]; at < first[r + 1]; at++)
            if (!read_sum(&v, r, at, patterns, pattern_count, out))
                return pj_fail(err, PJ_E_FORMAT, run->path, 0, "damaged summary: sums of waits");
    json_t *longest = json_object_get(from, "longest");
    if (!longest)
        forget_longest(out);
    else if (!read_longest(longest, run, out, err))
        return pj_fail(err, PJ_E_FORMAT, run->path, 0, "damaged summary: the longest waits");
    return true;
}
