// What the endings of the locations say of the run.
#include "metrics/replay/endings.h"

#include "metrics/base/arena.h"
#include "metrics/base/err.h"
#include "metrics/replay/engine/engine.h"
#include "metrics/replay/groups.h"
#include "metrics/replay/waits.h"
#include "metrics/run/run.h"
#include "metrics/trace/layout.h"

#include <math.h>
#include <stdlib.h>

void pj_endings_ideal(const pj_ending *endings, pj_run *run, pj_ideal *ideal)
{
    const pj_layout *layout = &run->layout;
    ideal->finish_ns = pj_new_n(run->arena, double, layout->ranks);
    ideal->first_ns = pj_new_n(run->arena, double, layout->ranks);
    ideal->ahead_ns = pj_new_n(run->arena, double, layout->ranks);
    ideal->compute_ns = pj_new_n(run->arena, double, layout->ranks);
    double start = 0, end = 0;
    for (uint32_t i = 0; i < layout->locations; i++) {
        const pj_ending *o = &endings[i];
        uint32_t rank = layout->rank_of[i];
        bool first = i == layout->first_location[rank];
        // A worker idles across a border and shows its clock only in the region after it, if any.
        if (!o->lives || (!first && !pj_run_ends_inside(run)))
            continue;
        start = first ? fmax(start, o->from.now) : start;
        end = fmax(end, o->to.now);
        ideal->finish_ns[rank] = fmax(ideal->finish_ns[rank], o->to.now);
        if (!first)
            continue;
        ideal->first_ns[rank] = o->to.now;
        ideal->ahead_ns[rank] = -o->from.now;
        ideal->compute_ns[rank] = o->to.compute_ns - o->from.compute_ns;
    }
    for (uint32_t k = 0; k < layout->ranks; k++) {
        ideal->ahead_ns[k] += fmin(start, ideal->first_ns[k]); // else it has left before all came
        ideal->finish_ns[k] = fmax(ideal->finish_ns[k] - start, 0);
        ideal->first_ns[k] = fmax(ideal->first_ns[k] - start, 0);
    }
    ideal->runtime_ns = nearbyint(fmax(end - start, 0));
    ideal->available = true;
    ideal->reason = NULL;
}

#define WORTH_SAYING 1e-4 // of a transfer above 1

void pj_endings_remark(const pj_ending *endings, pj_run *run)
{
    double ratio = run->ideal.runtime_ns / (double)run->runtime_ns;
    if (!run->roi.set || !(ratio > 1 + WORTH_SAYING))
        return;
    const char *why = "the replay lets ranks wait where they did not: in collectives for all "
                      "members, with large messages for the receiver";
    uint32_t last = 0;
    const uint32_t *first = run->layout.first_location;
    for (uint32_t k = 1; k < run->layout.ranks; k++)
        if (endings[first[k]].to.now > endings[first[last]].to.now)
            last = k;
    if (endings[first[last]].in_call)
        why = pj_arena_format(run->arena,
                              "at its end rank %u is in an MPI call, which the replay takes whole: "
                              "put the border where no rank is in MPI",
                              last);
    else if (run->ideal.runtime_ns <= (double)(run->roi.to_ns - run->roi.from_ns))
        why = "the measured runtime leaves out time in which threads are idle or tracing is off";
    pj_run_remark(run, PJ_WARNING, "transfer_above_1",
                  "transfer is above 1 (%.4f): the region of interest takes longer on the ideal "
                  "network than was measured; %s",
                  ratio, why);
}

const char *pj_endings_waits(const pj_ending *endings, const pj_groups *groups, pj_run *run)
{
    uint32_t count = run->layout.locations;
    pj_wait *waits = pj_take_memory(count * sizeof *waits);
    for (uint32_t i = 0; i < count; i++)
        waits[i] = endings[i].wait;
    const char *text = pj_waits_text(waits, groups, &run->layout, run->arena);
    free(waits);
    return text;
}
