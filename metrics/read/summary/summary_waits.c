// What MPI calls waited for: rows by rank, culprit, pattern and function, or columns where there
// are too many of them.
#include "metrics/base/arena.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "metrics/read/summary/summary_parts.h"
#include "metrics/read/summary/summary_wait_columns.h"
#include "metrics/run/run.h"
#include "metrics/run/waits/run_waits.h"
#include "metrics/trace/mpi_call.h"

#include <stdlib.h>
#include <string.h>

enum { BUDGET = 40000, BYTES_EACH = 110, WORST = 20 };

static const char unknown[] = "?";

static const char *name_of(pj_mpi_call call)
{
    const pj_mpi_call_row *row = pj_mpi_call_at(call);
    return row ? row->name : unknown;
}

static json_t *write_sum(const pj_wait_sum *sum)
{
    return json_pack("[s, I, I, s, I, I, I, I, I]", pj_wait_pattern_rows[sum->pattern].key,
                     (json_int_t)sum->rank, (json_int_t)sum->culprit, name_of(sum->call),
                     (json_int_t)sum->instances, (json_int_t)sum->wait_ns,
                     (json_int_t)sum->longest_ns, (json_int_t)sum->longest_at_ns,
                     (json_int_t)sum->ideal_ns);
}

static json_t *write_worst(const pj_one_wait *wait)
{
    return json_pack("[s, I, I, s, I, I]", pj_wait_pattern_rows[wait->pattern].key,
                     (json_int_t)wait->rank, (json_int_t)wait->culprit, name_of(wait->call),
                     (json_int_t)wait->begin, (json_int_t)wait->ns);
}

static void write_rows(const pj_run *run, json_t *into)
{
    const pj_waits *waits = run->waits;
    json_t *sums = json_array(), *ranks = json_array();
    for (uint32_t i = 0; i < waits->sum_count; i++)
        json_array_append_new(sums, write_sum(&waits->sums[i]));
    for (uint32_t i = 0; i < run->layout.ranks; i++) {
        const pj_wait_rank *rank = &waits->ranks[i];
        json_array_append_new(
            ranks, json_pack("[I, I, I, I]", (json_int_t)rank->mpi_ns, (json_int_t)rank->wait_ns,
                             (json_int_t)rank->outside_ns, (json_int_t)rank->end_ns));
    }
    json_object_set_new(into, "sums", sums);
    json_object_set_new(into, "ranks", ranks);
}

/// False = they do not fit.
static bool write_sums(const pj_run *run, size_t budget, json_t *into)
{
    const pj_waits *waits = run->waits;
    size_t rows = (size_t)waits->sum_count + run->layout.ranks + waits->call_count;
    if (rows * BYTES_EACH <= budget) {
        write_rows(run, into);
        return true;
    }
    size_t others = (waits->call_count + (size_t)WORST) * BYTES_EACH;
    json_t *columns = others < budget ? pj_summary_wait_columns_write(run, budget - others) : NULL;
    if (columns)
        json_object_set_new(into, "columns", columns);
    return columns != NULL;
}

/// Those that there are.
static json_t *write_patterns(const uint64_t values[PJ_WAIT_PATTERNS])
{
    json_t *out = json_object();
    for (unsigned p = 0; p < PJ_WAIT_PATTERNS; p++)
        if (values[p])
            json_object_set_new(out, pj_wait_pattern_rows[p].key,
                                json_integer((json_int_t)values[p]));
    return out;
}

static json_t *write(const pj_run *run, size_t budget)
{
    const pj_waits *waits = run->waits;
    json_t *out = waits ? json_object() : NULL;
    if (!out || !write_sums(run, budget, out)) {
        json_decref(out);
        return NULL;
    }
    json_t *calls = json_array(), *worst = json_array();
    for (uint32_t i = 0; i < waits->call_count; i++) {
        const pj_wait_call *call = &waits->calls[i];
        json_array_append_new(calls,
                              json_pack("[s, I, I, I, I]", name_of(call->call),
                                        (json_int_t)call->calls, (json_int_t)call->time_ns,
                                        (json_int_t)call->wait_ns, (json_int_t)call->ideal_ns));
    }
    for (uint32_t i = 0; i < waits->worst_count && i < WORST; i++)
        json_array_append_new(worst, write_worst(&waits->worst[i]));
    json_object_set_new(out, "calls", calls);
    json_object_set_new(out, "worst", worst);
    json_object_set_new(out, "contradictions", json_integer((json_int_t)waits->contradictions));
    json_object_set_new(out, "contradiction_ns", json_integer((json_int_t)waits->contradiction_ns));
    json_object_set_new(out, "late_complete_ns", json_integer((json_int_t)waits->late_complete_ns));
    json_object_set_new(out, "completion_ns", write_patterns(waits->completion_ns));
    json_object_set_new(out, "contradictions_of", write_patterns(waits->contradictions_of));
    if (waits->cut)
        json_object_set_new(out, "cut", json_true());
    if (waits->locks_unknown)
        json_object_set_new(out, "locks_unknown", json_true());
    if (waits->ideal_lacks)
        json_object_set_new(out, "ideal_lacks", pj_summary_text(waits->ideal_lacks));
    return out;
}

// Reading

static bool read_pattern(const char *key, pj_wait_pattern *out)
{
    for (unsigned p = 0; p < PJ_WAIT_PATTERNS; p++)
        if (strcmp(key, pj_wait_pattern_rows[p].key) == 0) {
            *out = (pj_wait_pattern)p;
            return true;
        }
    return false;
}

static pj_mpi_call call_of(const char *name)
{
    pj_mpi_call call = pj_mpi_call_by_name(pj_str_of(name));
    return call == PJ_MPI_NONE ? PJ_MPI_UNKNOWN : call;
}

static bool is_rank(const pj_run *run, json_int_t rank)
{
    return rank >= 0 && rank < run->layout.ranks;
}

static bool read_sum(json_t *from, const pj_run *run, pj_wait_sum *out)
{
    const char *key, *name;
    json_int_t rank, culprit, value[5];
    if (json_unpack(from, "[s, I, I, s, I, I, I, I, I]", &key, &rank, &culprit, &name, &value[0],
                    &value[1], &value[2], &value[3], &value[4]) != 0 ||
        !read_pattern(key, &out->pattern) || !is_rank(run, rank) ||
        (culprit != PJ_CULPRIT_OTHERS && !is_rank(run, culprit)))
        return false;
    out->rank = (uint32_t)rank;
    out->culprit = (uint32_t)culprit;
    out->call = call_of(name);
    uint64_t *const into[] = {&out->instances, &out->wait_ns, &out->longest_ns, &out->longest_at_ns,
                              &out->ideal_ns};
    for (size_t i = 0; i < sizeof into / sizeof *into; i++) {
        if (value[i] < 0)
            return false;
        *into[i] = (uint64_t)value[i];
    }
    return true;
}

static bool read_worst(json_t *from, const pj_run *run, pj_one_wait *out)
{
    const char *key, *name;
    json_int_t rank, culprit, begin, ns;
    if (json_unpack(from, "[s, I, I, s, I, I]", &key, &rank, &culprit, &name, &begin, &ns) != 0 ||
        !read_pattern(key, &out->pattern) || !is_rank(run, rank) || !is_rank(run, culprit) ||
        begin < 0 || ns < 0)
        return false;
    out->rank = (uint32_t)rank;
    out->culprit = (uint32_t)culprit;
    out->call = call_of(name);
    out->begin = (uint64_t)begin;
    out->ns = (uint64_t)ns;
    return true;
}

static bool read_call(json_t *from, pj_wait_call *out)
{
    const char *name;
    json_int_t calls, time, wait, ideal;
    if (json_unpack(from, "[s, I, I, I, I]", &name, &calls, &time, &wait, &ideal) != 0 ||
        calls < 0 || time < 0 || wait < 0 || ideal < 0)
        return false;
    *out = (pj_wait_call){call_of(name), (uint64_t)calls, (uint64_t)time, (uint64_t)wait,
                          (uint64_t)ideal};
    return true;
}

static bool read_rank(json_t *from, pj_wait_rank *out)
{
    json_int_t mpi, wait, outside, end;
    if (json_unpack(from, "[I, I, I, I]", &mpi, &wait, &outside, &end) != 0 || mpi < 0 ||
        wait < 0 || wait > mpi || outside < 0 || end < 0)
        return false;
    *out = (pj_wait_rank){.mpi_ns = (uint64_t)mpi,
                          .wait_ns = (uint64_t)wait,
                          .outside_ns = (uint64_t)outside,
                          .end_ns = (uint64_t)end};
    return true;
}

static bool read_rows(const json_t *from, const pj_run *run, pj_waits *out)
{
    json_t *sums = json_object_get(from, "sums"), *ranks = json_object_get(from, "ranks"), *item;
    size_t i;
    bool ok = json_array_size(ranks) == run->layout.ranks;
    out->sums = pj_new_n(run->arena, pj_wait_sum, json_array_size(sums) + 1);
    out->sum_count = (uint32_t)json_array_size(sums);
    json_array_foreach(sums, i, item) ok = ok && read_sum(item, run, &out->sums[i]);
    out->ranks = pj_new_n(run->arena, pj_wait_rank, run->layout.ranks + (size_t)1);
    if (ok)
        json_array_foreach(ranks, i, item) ok = ok && read_rank(item, &out->ranks[i]);
    return ok;
}

static bool read_all(const json_t *from, const pj_run *run, pj_waits *out, pj_err *err)
{
    json_t *calls = json_object_get(from, "calls"), *worst = json_object_get(from, "worst"), *item;
    const json_t *columns = json_object_get(from, "columns");
    size_t i;
    bool ok = true;
    out->calls = pj_new_n(run->arena, pj_wait_call, json_array_size(calls) + 1);
    out->call_count = (uint32_t)json_array_size(calls);
    json_array_foreach(calls, i, item) ok = ok && read_call(item, &out->calls[i]);
    out->worst = pj_new_n(run->arena, pj_one_wait, json_array_size(worst) + 1);
    out->worst_count = (uint32_t)json_array_size(worst);
    json_array_foreach(worst, i, item) ok = ok && read_worst(item, run, &out->worst[i]);
    return ok && (columns ? pj_summary_wait_columns_read(columns, run, out, err)
                          : read_rows(from, run, out));
}

/// Columns may lack the longest wait of each sum; those that are listed one by one are known.
static void restore_longest(pj_waits *waits)
{
    for (uint32_t w = 0; w < waits->worst_count; w++) {
        const pj_one_wait *one = &waits->worst[w];
        pj_wait_sum *of = NULL;
        for (uint32_t i = 0; i < waits->sum_count; i++) {
            pj_wait_sum *sum = &waits->sums[i];
            bool same =
                sum->rank == one->rank && sum->pattern == one->pattern && sum->call == one->call;
            if (same &&
                (sum->culprit == one->culprit || (!of && sum->culprit == PJ_CULPRIT_OTHERS)))
                of = sum;
        }
        if (!of)
            continue;
        pj_wait_sum_keep_longest(of, one->ns, one->begin);
        of->unknown_ns = 0;
    }
}

static uint64_t number(const json_t *from, const char *key)
{
    json_int_t value = json_integer_value(json_object_get(from, key));
    return value > 0 ? (uint64_t)value : 0;
}

static bool read(json_t *from, pj_run *run, pj_err *err)
{
    pj_waits *waits = pj_new(run->arena, pj_waits);
    const char *lacks = json_string_value(json_object_get(from, "ideal_lacks"));
    if (!read_all(from, run, waits, err))
        return pj_fail(err, PJ_E_FORMAT, run->path, 0, "damaged summary: waits");
    waits->contradictions = number(from, "contradictions");
    waits->contradiction_ns = number(from, "contradiction_ns");
    waits->cut = json_is_true(json_object_get(from, "cut"));
    waits->locks_unknown = json_is_true(json_object_get(from, "locks_unknown"));
    waits->late_complete_ns = number(from, "late_complete_ns");
    for (unsigned p = 0; p < PJ_WAIT_PATTERNS; p++) {
        const char *key = pj_wait_pattern_rows[p].key;
        waits->completion_ns[p] = number(json_object_get(from, "completion_ns"), key);
        waits->contradictions_of[p] = number(json_object_get(from, "contradictions_of"), key);
    }
    waits->ideal_lacks = lacks ? pj_arena_text(run->arena, pj_str_of(lacks)) : NULL;
    if (!lacks && !run->ideal.available)
        waits->ideal_lacks = "the summary has no ideal times";
    waits->has_ideal = !waits->ideal_lacks;
    if (waits->sum_count)
        qsort(waits->sums, waits->sum_count, sizeof *waits->sums, pj_wait_sum_order);
    if (json_object_get(from, "columns"))
        restore_longest(waits);
    run->waits = waits;
    return true;
}

/// What MPI calls waited for.
const pj_summary_part pj_summary_part_waits = {
    .name = "waits", .budget = BUDGET, .write = write, .read = read};
