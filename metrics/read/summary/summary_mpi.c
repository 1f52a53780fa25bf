// What a run did in MPI: as many rows as it called functions.
#include "metrics/base/arena.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "metrics/read/summary/summary_parts.h"
#include "metrics/run/mpi_use.h"
#include "metrics/run/run.h"
#include "metrics/trace/mpi_call.h"

static json_t *write_sum(const pj_mpi_sum *sum)
{
    return json_pack("[s, i, I, I, I, I, I]", sum->name, (int)sum->class_, (json_int_t)sum->calls,
                     (json_int_t)sum->time_ns, (json_int_t)sum->bytes, (json_int_t)sum->longest_ns,
                     (json_int_t)sum->rank);
}

static json_t *write(const pj_run *run, size_t budget)
{
    (void)budget; // as many rows as it called functions
    const pj_mpi_use *use = run->mpi_use;
    if (!use)
        return NULL;
    json_t *calls = json_array();
    for (uint32_t i = 0; i < use->count; i++)
        json_array_append_new(calls, write_sum(&use->sums[i]));
    json_t *out = json_pack("{s:I, s:I, s:I, s:I, s:o}", "messages", (json_int_t)use->messages,
                            "bytes", (json_int_t)use->bytes, "begun_ns", (json_int_t)use->begun_ns,
                            "input_ns", (json_int_t)use->input_ns, "calls", calls);
    if (use->input_end_ns)
        json_object_set_new(out, "input_end_ns", json_integer((json_int_t)use->input_end_ns));
    if (use->ended_ns != UINT64_MAX)
        json_object_set_new(out, "ended_ns", json_integer((json_int_t)use->ended_ns));
    return out;
}

static bool read_sum(json_t *from, const pj_run *run, pj_mpi_sum *out)
{
    const char *name;
    int class_;
    json_int_t calls, time, bytes, longest, rank;
    if (json_unpack(from, "[s, i, I, I, I, I, I]", &name, &class_, &calls, &time, &bytes, &longest,
                    &rank) != 0 ||
        class_ < PJ_MPI_P2P || class_ > PJ_MPI_IO || calls < 0 || time < 0 || bytes < 0 ||
        longest < 0 || rank < 0 || rank >= run->layout.ranks)
        return false;
    *out = (pj_mpi_sum){.name = pj_arena_text(run->arena, pj_str_of(name)),
                        .class_ = (pj_mpi_class)class_,
                        .calls = (uint64_t)calls,
                        .time_ns = (uint64_t)time,
                        .bytes = (uint64_t)bytes,
                        .longest_ns = (uint64_t)longest,
                        .rank = (uint32_t)rank};
    return true;
}

static uint64_t number(const json_t *from, const char *key, uint64_t otherwise)
{
    const json_t *value = json_object_get(from, key);
    return json_integer_value(value) > 0 ? (uint64_t)json_integer_value(value) : otherwise;
}

static bool read(json_t *from, pj_run *run, pj_err *err)
{
    const json_t *calls = json_object_get(from, "calls");
    size_t index, count = json_array_size(calls);
    json_t *item;
    bool ok = json_is_array(calls);
    pj_mpi_use *use = pj_new(run->arena, pj_mpi_use);
    *use = (pj_mpi_use){.sums = pj_new_n(run->arena, pj_mpi_sum, count + 1),
                        .count = (uint32_t)count,
                        .messages = number(from, "messages", 0),
                        .bytes = number(from, "bytes", 0),
                        .begun_ns = number(from, "begun_ns", 0),
                        .ended_ns = number(from, "ended_ns", UINT64_MAX),
                        .input_ns = number(from, "input_ns", 0),
                        .input_end_ns = number(from, "input_end_ns", 0)};
    json_array_foreach(calls, index, item)
    {
        ok = ok && read_sum(item, run, &use->sums[index]);
    }
    run->mpi_use = use;
    return ok || pj_fail(err, PJ_E_FORMAT, run->path, 0, "damaged summary: what it did in MPI");
}

/// What the run did in MPI.
const pj_summary_part pj_summary_part_mpi = {.name = "mpi", .write = write, .read = read};
