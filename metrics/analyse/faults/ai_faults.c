// Faults of AI runs: every part of the account but useful time is one, waits by whom they are for
// and what that rank did meanwhile.
#include "metrics/analyse/faults/ai_faults.h"

#include "metrics/analyse/faults/faults.h"
#include "metrics/base/arena.h"
#include "metrics/run/ai_account.h"
#include "metrics/run/run.h"

#include <stdlib.h>

static const char METHOD[] = "account of devices";

static const pj_fault_kind of_idle[PJ_AI_IDLE_CAUSES] = {
    [PJ_AI_IDLE_not_started] = PJ_FAULT_device_ends,
    [PJ_AI_IDLE_data_loading] = PJ_FAULT_data_loading,
    [PJ_AI_IDLE_synchronise] = PJ_FAULT_device_synchronise,
    [PJ_AI_IDLE_runtime] = PJ_FAULT_device_runtime,
    [PJ_AI_IDLE_host] = PJ_FAULT_host_code,
    [PJ_AI_IDLE_launch] = PJ_FAULT_launches,
    [PJ_AI_IDLE_launch_latency] = PJ_FAULT_launches,
    [PJ_AI_IDLE_queued] = PJ_FAULT_queued,
    [PJ_AI_IDLE_unknown] = PJ_FAULT_idle_unknown,
    [PJ_AI_IDLE_ended] = PJ_FAULT_device_ends,
};

/// One kind of loss over all devices, and the device that has most of it.
typedef struct loss {
    uint64_t ns, most;
    uint32_t device;
} loss;

static void lose(loss *sum, uint64_t ns, uint32_t device)
{
    sum->ns += ns;
    if (ns > sum->most) {
        sum->most = ns;
        sum->device = device;
    }
}

static void add(pj_faults *out, pj_fault_kind kind, const char *where, double ns)
{
    if (ns > 0)
        out->items[out->count++] = (pj_fault){.kind = kind,
                                              .where = where,
                                              .loss_ns = ns,
                                              .recoverable_ns = ns,
                                              .method = METHOD,
                                              .confidence = "medium"};
}

/// "rank 3: its data loading", a fault for each reason.
static void find_late(const pj_run *run, pj_arena *arena, pj_faults *out)
{
    pj_ai_pair *culprits = pj_ai_culprits(run);
    for (uint32_t r = 0; r < run->layout.ranks; r++) {
        double exposed = pj_ai_pair_exposed(&culprits[r]);
        for (unsigned k = 0; k < PJ_AI_KINDS; k++)
            if (culprits[r].reasons[k] && exposed > 0)
                add(out, PJ_FAULT_late_rank,
                    pj_arena_format(arena, "rank %lld: %s", (long long)run->ai->numbers[r],
                                    pj_ai_kind_words(k)),
                    (double)culprits[r].reasons[k] * exposed);
    }
    free(culprits);
}

/// "most in allreduce of group 0".
static const char *longest_exchange(const pj_run *run, pj_arena *arena)
{
    const pj_ai_operation *most = NULL;
    for (uint32_t i = 0; i < run->ai->operation_count; i++)
        if (!most || run->ai->operations[i].transfer_ns > most->transfer_ns)
            most = &run->ai->operations[i];
    if (!most)
        return "all ranks";
    return *most->group
               ? pj_arena_format(arena, "most in %s of group %s", most->operation, most->group)
               : pj_arena_format(arena, "most in %s", most->operation);
}

static const char *most_of(const pj_run *run, const loss *lost, pj_arena *arena)
{
    return pj_arena_format(arena, "most: rank %lld",
                           (long long)run->ai->numbers[run->ai->rank_of[lost->device]]);
}

void pj_ai_faults_find(const pj_run *run, pj_arena *arena, pj_faults *out)
{
    const pj_ai_account *account = run->ai;
    loss lost[PJ_FAULT_KINDS] = {{0}};
    out->items =
        pj_new_n(arena, pj_fault, (size_t)run->layout.ranks * PJ_AI_KINDS + PJ_FAULT_KINDS);
    for (uint32_t d = 0; d < account->count; d++) {
        const pj_ai_share *share = &account->shares[d];
        lose(&lost[PJ_FAULT_exposed_transfer], share->transfer, d);
        lose(&lost[PJ_FAULT_exposed_copies], share->copies, d);
        lose(&lost[PJ_FAULT_unsplit_exchanges], share->unsplit, d);
        for (unsigned c = 0; c < PJ_AI_IDLE_CAUSES; c++)
            lose(&lost[of_idle[c]], share->idle[c], d);
    }
    find_late(run, arena, out);
    for (unsigned kind = 0; kind < PJ_FAULT_KINDS; kind++)
        add(out, (pj_fault_kind)kind,
            kind == PJ_FAULT_exposed_transfer ? longest_exchange(run, arena)
                                              : most_of(run, &lost[kind], arena),
            (double)lost[kind].ns);
}
