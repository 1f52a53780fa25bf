// A part has the devices and ranks of its run, and an account of its own.
#include "metrics/ai/ai_parts.h"

#include "metrics/base/arena.h"
#include "metrics/base/str.h"
#include "metrics/run/devices.h"
#include "metrics/run/sums.h"

#include <math.h>

pj_run *pj_ai_part_new(pj_run *run, const char *name, uint64_t length_ns)
{
    const pj_ai_account *whole = run->ai;
    pj_run *part = pj_run_add_part(run, pj_str_of(name));
    pj_ai_account *account = pj_new(run->arena, pj_ai_account);
    pj_devices *devices = pj_new(run->arena, pj_devices);
    *account = (pj_ai_account){.shares = pj_new_n(run->arena, pj_ai_share, whole->count + 1),
                               .rank_of = whole->rank_of,
                               .numbers = whole->numbers,
                               .count = whole->count};
    *devices = (pj_devices){.items = pj_new_n(run->arena, pj_device_sum, whole->count + 1),
                            .count = whole->count,
                            .runtime_ns = pj_new_n(run->arena, uint64_t, run->layout.ranks + 1)};
    for (uint32_t d = 0; d < whole->count; d++) {
        devices->items[d].key = run->devices->items[d].key;
        devices->items[d].streams = run->devices->items[d].streams;
        account->shares[d].idle[PJ_AI_IDLE_unknown] = length_ns;
    }
    part->ai = account;
    part->devices = devices;
    part->runtime_ns = part->end_ns = part->last_record_ns = length_ns;
    part->untraced = true;
    for (uint32_t r = 0; r < part->layout.ranks; r++)
        pj_ai_part_set_host(part, r, 0);
    return part;
}

void pj_ai_part_set_device(pj_run *part, uint32_t device, const pj_ai_share *share)
{
    pj_device_sum *sum = &part->devices->items[device];
    pj_ai_share *own = &part->ai->shares[device];
    *own = *share;
    own->idle[PJ_AI_IDLE_unknown] += part->runtime_ns - pj_ai_share_time(share);
    sum->useful_ns = share->useful;
    sum->transfer_ns = share->transfer + share->copies + share->unsplit + share->wait;
    sum->transfer_total_ns = sum->transfer_ns;
}

void pj_ai_part_set_host(pj_run *part, uint32_t rank, uint64_t driving_ns)
{
    pj_totals *t = &part->totals[rank];
    part->devices->runtime_ns[rank] = driving_ns;
    t->runtime_ns = t->outside_mpi_ns = t->last_event_ns = part->runtime_ns;
    t->first_record_ns = 0;
    t->useful_ns = t->serial_useful_ns =
        part->runtime_ns > driving_ns ? part->runtime_ns - driving_ns : 0;
    t->spent_ns[PJ_SPENT_DEVICE] = part->runtime_ns - t->useful_ns;
    t->device_calls_ns = driving_ns;
}

void pj_ai_part_set_steps(pj_run *part, pj_ai_step_row *rows, uint32_t count)
{
    pj_ai_account *account = pj_new(part->arena, pj_ai_account);
    *account = *part->ai;
    account->steps = rows;
    account->step_count = count;
    part->ai = account;
}

void pj_ai_part_without_hosts(pj_run *part)
{
    pj_sums *sums = pj_new(part->arena, pj_sums);
    *sums = pj_sums_of(part);
    sums->useful_sum = sums->useful_mean = sums->useful_max = NAN;
    sums->master_useful_mean = sums->master_useful_max = NAN;
    sums->gpu_runtime_sum = sums->host_outside_sum = sums->host_outside_max = NAN;
    part->sums = sums;
}
