// Runs of several processes become one.
// All sums are whole numbers of one thread each, so nothing depends on who has found them.
#include "metrics/run/run_gather.h"

#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "metrics/trace/event_code.h"
#include "metrics/trace/layout.h"

typedef struct facts { // of the part of a run that a member has seen
    bool has_mpi, has_openmp, no_states, overlap;
    bool present[2]; // counters
    uint64_t overflown, cut_bursts;
} facts;

typedef struct row { // of a thread
    pj_totals totals;
    int64_t useful[2];
} row;

_Static_assert(PJ_COUNTER_CYCLES == 1, "two counters are gathered");

static void send_part(const pj_run *run, pj_process_group *group)
{
    pj_buf *out = &group->out[0];
    uint32_t n = run->layout.locations;
    facts found = {.has_mpi = run->has_mpi,
                   .has_openmp = run->has_openmp,
                   .no_states = run->no_states,
                   .overlap = run->ranged.states_overlap,
                   .present = {run->counters[0].present, run->counters[1].present},
                   .overflown = run->import.count[PJ_IMPORT_counter_overflow],
                   .cut_bursts = run->roi.cut_bursts};
    pj_buf_add(out, (pj_str){(const char *)&found, sizeof found});
    for (uint32_t i = 0; i < n; i++) {
        if (pj_layout_owner(&run->layout, group, i) != group->rank)
            continue;
        row mine = {run->totals[i], {run->counters[0].useful[i], run->counters[1].useful[i]}};
        pj_buf_add(out, (pj_str){(const char *)&mine, sizeof mine});
    }
}

static void take_row(pj_run *run, uint32_t i, const row *theirs)
{
    uint64_t seen = run->totals[i].first_record_ns; // by the leader, from a message's other end
    run->totals[i] = theirs->totals;
    if (seen < theirs->totals.first_record_ns)
        run->totals[i].first_record_ns = seen;
    for (unsigned c = 0; c < 2; c++)
        run->counters[c].useful[i] = theirs->useful[c];
}

static bool take_part(pj_run *run, const pj_process_group *group, unsigned member)
{
    pj_str in = pj_process_group_from(group, member);
    uint32_t n = run->layout.locations;
    facts found;
    if (!pj_decode_bytes(&in, &found, sizeof found))
        return false;
    run->has_mpi |= found.has_mpi;
    run->has_openmp |= found.has_openmp;
    run->no_states &= found.no_states;
    run->ranged.states_overlap |= found.overlap;
    run->roi.cut_bursts += found.cut_bursts;
    run->import.count[PJ_IMPORT_counter_overflow] += found.overflown;
    for (unsigned c = 0; c < 2; c++)
        run->counters[c].present |= found.present[c];
    for (uint32_t i = 0; i < n; i++) {
        row theirs;
        if (pj_layout_owner(&run->layout, group, i) != member)
            continue;
        if (!pj_decode_bytes(&in, &theirs, sizeof theirs))
            return false;
        take_row(run, i, &theirs);
    }
    return true;
}

bool pj_run_gather(pj_run *run, pj_process_group *group, pj_err *err)
{
    send_part(run, group);
    if (!pj_process_group_exchange(group, err))
        return false;
    if (!pj_process_group_leads(group))
        return true;
    for (unsigned member = 1; member < group->size; member++)
        if (!take_part(run, group, member))
            return pj_fail(err, PJ_E_IO, run->path, 0, "process %u sent too little", member);
    run->runtime_ns = 0;
    for (uint32_t i = 0; i < run->layout.locations; i++)
        if (run->totals[i].runtime_ns > run->runtime_ns)
            run->runtime_ns = run->totals[i].runtime_ns;
    return true;
}
