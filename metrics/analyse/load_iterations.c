// Finds the iterations of a trace.
#include "metrics/analyse/load_iterations.h"

#include "metrics/analyse/load_window.h"
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/num.h"
#include "metrics/run/parts/anchors.h"
#include "metrics/run/parts/slices.h"
#include "metrics/run/parts/useful_signal.h"
#include "metrics/run/run.h"
#include "metrics/stat/parts/call_list_sink.h"
#include "metrics/stat/parts/slice_sink.h"
#include "metrics/trace/roi.h"
#include "metrics/trace/sink.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
    ITERATIONS_MOST = 1 << 16, // later ones are left out
    BIN_LEAST = 100,           // ns, of the useful share
};

/// Where they are looked for.
typedef struct looking {
    const char *path;
    const pj_load_opts *opts;
    pj_job *job;
    pj_arena *arena;
    const pj_call_lists *lists;
} looking;

static bool is_pipe(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode);
}

bool pj_load_wants_iterations(const pj_load_opts *opts, const char *path)
{
    return opts->iterations || opts->roi.kind == PJ_ROI_ITERATIONS ||
           (opts->steps && !is_pipe(path));
}

static pj_load_opts plain(const looking *l)
{
    return (pj_load_opts){.roi = {.kind = PJ_ROI_OFF},
                          .ignore_summary = true,
                          .no_replay = true,
                          .raw_clock = l->opts->raw_clock};
}

/// A pass for a sink alone; the run without times.
static pj_run *listen(const looking *l, const pj_sink *sink, pj_err *err)
{
    pj_load_opts opts = plain(l);
    opts.regions = true;
    opts.listeners = sink;
    opts.listener_count = 1;
    return pj_load(l->path, opts, l->job, err);
}

static bool can_be_read_again(const char *path, pj_err *err)
{
    return !is_pipe(path) ||
           pj_fail(err, PJ_E_MISSING, path, 0,
                   "is no file: iterations are found in a pass of their own, and a pipe cannot be "
                   "read twice");
}

/// The best chains of the ranks that are asked; that of the first rank which has an inner loop.
static pj_chain *find_chains(const pj_call_lists *lists, pj_arena *arena, pj_iterations *out)
{
    uint32_t count = pj_call_lists_count(lists);
    pj_chain *chains = pj_new_n(arena, pj_chain, count + 1);
    for (uint32_t i = 0; i < count; i++) {
        pj_chain second;
        chains[i] = pj_anchors_find(pj_call_lists_at(lists, i), arena, &second);
        if (!out->inner && second.count) {
            out->inner = second.count - 1;
            out->inner_ns = second.period_ns;
        }
    }
    return chains;
}

static bool has(const pj_chain *chain, uint32_t number)
{
    return chain && chain->count > number;
}

/// The borders of a rank that has the iterations; others take those of one that has.
static void set_borders(pj_iterations *out, const pj_chain *const *chains, uint32_t ranks,
                        uint32_t number, pj_arena *arena)
{
    uint32_t model = 0;
    while (model + 1 < ranks && !has(chains[model], number))
        model++;
    if (!has(chains[model], number)) {
        out->lack = "its ranks do not agree on a number of iterations";
        return;
    }
    out->borders = (pj_borders){
        .at = pj_new_n(arena, uint64_t, (size_t)ranks * (number + 1)),
        .count = number,
        .ranks = ranks,
        .stride = number + 1,
    };
    for (uint32_t r = 0; r < ranks; r++) {
        const pj_chain *chain = has(chains[r], number) ? chains[r] : chains[model];
        memcpy(out->borders.at + (size_t)r * (number + 1), chain->times,
               (number + 1) * sizeof *chain->times);
    }
}

/// The least number that ranks which agree have, so that all of them have it.
static uint32_t common_number(const pj_chain *chains, uint32_t count, uint32_t number)
{
    uint32_t least = number < ITERATIONS_MOST ? number : ITERATIONS_MOST;
    uint32_t most = number * 3 / 100 > 1 ? number * 3 / 100 : 1;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t n = chains[i].count ? chains[i].count - 1 : 0;
        if (n + most >= number && n < least)
            least = n;
    }
    return least;
}

/// Every rank that was not asked: by the anchor of one that was.
static bool follow_all(const looking *l, const pj_chain *model, uint32_t number, pj_iterations *out,
                       pj_err *err)
{
    pj_anchor_marks *marks = pj_anchor_marks_new(&model->anchor);
    pj_sink sink = pj_anchor_marks_sink(marks);
    pj_auto_run run = listen(l, &sink, err);
    if (run) {
        uint32_t ranks = run->layout.ranks;
        pj_chain *chains = pj_new_n(l->arena, pj_chain, ranks + 1);
        const pj_chain **of = pj_new_n(l->arena, const pj_chain *, ranks + 1);
        for (uint32_t r = 0; r < ranks; r++) {
            size_t count;
            const pj_anchor_mark *at = pj_anchor_marks_of(marks, r, &count);
            chains[r] = pj_anchors_chain_like(model, at, count, l->arena);
            if (!chains[r].count)
                chains[r] = pj_anchors_chain(&model->anchor, model->by_calls, at, count,
                                             pj_call_lists_at(l->lists, 0), l->arena);
            of[r] = &chains[r];
        }
        number = common_number(chains, ranks, number);
        set_borders(out, of, ranks, number, l->arena);
        if (!out->lack)
            pj_iterations_judge(out, ranks, l->arena);
    }
    pj_anchor_marks_free(marks);
    return run != NULL;
}

/// Ranks that pass the anchor of the model as often as it does.
static uint32_t followers(const looking *l, const pj_chain *model)
{
    uint32_t followed = 0;
    for (uint32_t i = 0; i < pj_call_lists_count(l->lists); i++) {
        pj_auto_arena scratch = pj_arena_new(NULL);
        followed += pj_anchors_like(pj_call_lists_at(l->lists, i), model, scratch).count > 0;
    }
    return followed;
}

/// Of the chains with this number that which most ranks can follow.
static const pj_chain *most_followed(const looking *l, const pj_chain *chains, uint32_t number)
{
    const pj_chain *best = NULL;
    uint32_t most = 0;
    for (uint32_t i = 0; i < pj_call_lists_count(l->lists); i++) {
        uint32_t followed = chains[i].count == number + 1 ? followers(l, &chains[i]) : 0;
        if (followed > most) {
            most = followed;
            best = &chains[i];
        }
    }
    return best ? best : &chains[0];
}

/// The rank whose chain stands for all: the first that has this number.
static const pj_chain *model_of(const pj_chain *chains, uint32_t count, uint32_t number)
{
    for (uint32_t i = 0; i < count; i++)
        if (chains[i].count == number + 1)
            return &chains[i];
    return &chains[0];
}

/// A rank that found another anchor takes that of the others, where this gives their number.
static void use_model(const pj_call_list *calls, const pj_chain *model, uint32_t number,
                      pj_chain *chain, pj_arena *arena)
{
    pj_chain other = pj_anchors_apply(calls, &model->anchor, model->by_calls, arena);
    if (other.count == number + 1 || !chain->count)
        *chain = other;
}

/// Whether ranks lack iterations, or begin with different ones.
static bool disagree(const pj_chain *chains, uint32_t count, const pj_chain *model)
{
    for (uint32_t i = 0; i < count; i++) {
        if (chains[i].count != model->count)
            return true;
        double apart = (double)chains[i].times[0] - (double)model->times[0];
        if (fabs(apart) > model->period_ns / 2)
            return true;
    }
    return false;
}

/// Ranks that pass the anchor as often as the model does take the same iterations.
static void take_same(const looking *l, const pj_chain *model, pj_chain *chains, uint32_t count)
{
    pj_chain like = *model;
    for (uint32_t i = 0; i < count; i++) {
        pj_chain same = pj_anchors_like(pj_call_lists_at(l->lists, i), &like, l->arena);
        if (same.count)
            chains[i] = same;
    }
}

static bool settle(const looking *l, const pj_run *run, pj_iterations *out, pj_err *err)
{
    uint32_t ranks = run->layout.ranks;
    uint32_t count = pj_call_lists_count(l->lists);
    pj_chain *chains = find_chains(l->lists, l->arena, out);
    uint32_t number = pj_iterations_vote(chains, count, out, l->arena);
    if (!number)
        return true;
    const pj_chain *model = model_of(chains, count, number);
    bool apart = ranks > count || disagree(chains, count, model);
    if (apart)
        model = most_followed(l, chains, number);
    out->anchor = pj_anchor_text(&model->anchor, run, l->arena);
    out->by_calls = model->by_calls;
    if (ranks > count)
        return follow_all(l, model, number, out, err);
    const pj_chain **of = pj_new_n(l->arena, const pj_chain *, count + 1);
    if (apart)
        take_same(l, model, chains, count);
    for (uint32_t i = 0; i < count; i++) {
        if (chains[i].count != number + 1)
            use_model(pj_call_lists_at(l->lists, i), model, number, &chains[i], l->arena);
        of[i] = &chains[i];
    }
    set_borders(out, of, ranks, common_number(chains, count, number), l->arena);
    pj_iterations_judge(out, ranks, l->arena);
    return true;
}

// In the useful share

static void take_starts(const pj_useful_signal *signal, const pj_slices *slices, uint32_t ranks,
                        pj_iterations *out, pj_arena *arena)
{
    uint64_t *at = pj_new_n(arena, uint64_t, signal->count);
    for (uint32_t i = 0; i < signal->count; i++)
        at[i] = slices->items[signal->starts[i]].start_ns;
    uint64_t length = at[signal->count - 1] - at[0];
    out->score = (double)length / (double)out->end_ns;
    if (out->score < PJ_SCORE_LEAST)
        return;
    out->lack = NULL;
    out->anchor = "a rise of the useful share";
    out->correlation = signal->correlation;
    out->period_ns = (double)length / (signal->count - 1);
    out->voted = out->asked = ranks;
    out->agreement = 1;
    out->inner = 0;
    out->borders = (pj_borders){.at = at, .count = signal->count - 1, .ranks = 1};
    pj_iterations_judge(out, 1, arena);
}

/// A pass of its own, for runs where nothing is called again and again.
static bool find_in_useful_share(const looking *l, pj_iterations *out, pj_err *err)
{
    pj_slicing_opts bins = pj_slicing_equal(PJ_SLICES_MOST);
    pj_load_opts opts = plain(l);
    opts.slices = &bins;
    pj_auto_run run = pj_load(l->path, opts, l->job, err);
    const pj_slices *slices = run ? run->slices : NULL;
    if (!slices || !slices->count || out->end_ns / slices->count < BIN_LEAST)
        return run != NULL;
    double *share = pj_new_n(l->arena, double, slices->count);
    for (uint32_t i = 0; i < slices->count; i++)
        share[i] = slices->items[i].sums.useful_mean * slices->count / (double)out->end_ns;
    pj_useful_signal signal = pj_useful_signal_find(share, slices->count, l->arena);
    if (signal.count)
        take_starts(&signal, slices, run->layout.ranks, out, l->arena);
    return true;
}

/// Whether there are hardly any calls, all else was in vain, and iterations are asked for.
static bool wants_useful_share(const looking *l, const pj_iterations *out)
{
    bool asked = l->opts->iterations || l->opts->roi.kind == PJ_ROI_ITERATIONS;
    return asked && out->lack && pj_call_lists_count(l->lists) &&
           pj_call_lists_at(l->lists, 0)->few;
}

/// In what iterations are looked for; NULL = there is nothing of the kind.
static const char *look_at(const looking *l, pj_iterations *out)
{
    bool functions = false;
    for (uint32_t i = 0; i < pj_call_lists_count(l->lists); i++) {
        const pj_call_list *calls = pj_call_lists_at(l->lists, i);
        out->openmp |= calls->openmp;
        for (size_t k = 0; k < calls->function_count; k++)
            functions |= calls->functions[k].count > 0;
    }
    if (!out->mpi && !out->openmp)
        return functions ? "the functions of its ranks" : NULL;
    const char *calls = out->openmp ? "parallel regions" : "MPI calls";
    return pj_arena_format(l->arena, "the %s%s of its ranks", calls,
                           functions ? " and functions" : "");
}

/// Where all ranks that were asked work.
static void find_work(const pj_call_lists *lists, pj_iterations *out)
{
    out->work_to_ns = out->end_ns;
    for (uint32_t i = 0; i < pj_call_lists_count(lists); i++) {
        const pj_call_list *calls = pj_call_lists_at(lists, i);
        if (calls->from_ns > out->work_from_ns)
            out->work_from_ns = calls->from_ns;
        if (calls->to_ns < out->work_to_ns)
            out->work_to_ns = calls->to_ns;
    }
    if (out->work_from_ns < out->work_to_ns)
        return;
    out->work_from_ns = 0;
    out->work_to_ns = out->end_ns;
}

bool pj_load_find_iterations(const char *path, const pj_load_opts *opts, pj_job *job,
                             pj_arena *arena, pj_iterations *out, pj_err *err)
{
    *out = (pj_iterations){.lack = NULL};
    if (!can_be_read_again(path, err))
        return false;
    pj_call_lists *lists = pj_call_lists_new();
    pj_sink sink = pj_call_list_sink(lists);
    const looking l = {path, opts, job, arena, lists};
    pj_auto_run run = listen(&l, &sink, err);
    bool ok = run != NULL;
    if (run) {
        out->mpi = run->has_mpi;
        out->looked_at = look_at(&l, out);
    }
    if (run && !out->looked_at)
        out->lack = "it has no MPI calls, parallel regions or functions that come again and again";
    else if (run)
        ok = settle(&l, run, out, err);
    out->end_ns = run ? run->end_ns : 0;
    if (ok && wants_useful_share(&l, out))
        ok = find_in_useful_share(&l, out, err);
    find_work(lists, out);
    out->cut_short = pj_call_lists_full(lists);
    pj_call_lists_free(lists);
    return ok;
}

bool pj_load_choose_iterations(const char *path, const pj_roi_request *roi,
                               const pj_iterations *found, uint32_t *first, uint32_t *last,
                               pj_err *err)
{
    if (found->lack)
        return pj_fail(err, PJ_E_MISSING, path, 0, "no iterations found: %s", found->lack);
    pj_auto_arena arena = pj_arena_new(NULL);
    uint32_t count = found->borders.count;
    *first = 0;
    *last = count - 1;
    if (roi->kind != PJ_ROI_ITERATIONS)
        return true;
    if (!roi->steady && roi->first >= count)
        return pj_fail(err, PJ_E_MISSING, path, 0, "has %s, not %u",
                       count == 1 ? "one iteration, 0" : pj_iterations_text(0, count - 1, arena),
                       roi->first);
    *first = roi->steady ? found->steady_first : roi->first;
    *last = roi->steady ? found->steady_last : roi->last < count ? roi->last : count - 1;
    return true;
}

pj_roi_request pj_load_iterations_range(const pj_iterations *found, uint32_t first, uint32_t last)
{
    uint64_t from = UINT64_MAX, to = 0;
    for (uint32_t r = 0; r < found->borders.ranks; r++) {
        const uint64_t *at = pj_borders_of(&found->borders, r);
        from = at[first] < from ? at[first] : from;
        to = at[last + 1] > to ? at[last + 1] : to;
    }
    return (pj_roi_request){.kind = PJ_ROI_RANGE, .from = (double)from, .to = (double)to};
}

bool pj_load_iterations_within(const char *path, const pj_roi_request *range,
                               const pj_iterations *found, uint32_t *first, uint32_t *last,
                               pj_err *err)
{
    uint64_t from = pj_load_border(range->from, range->from_percent, found->end_ns);
    uint64_t to = pj_load_border(range->to, range->to_percent, found->end_ns);
    uint32_t count = found->borders.count, within = 0;
    for (uint32_t i = 0; i < count; i++) {
        pj_roi_request one = pj_load_iterations_range(found, i, i);
        if (one.to <= (double)from || one.from >= (double)to)
            continue;
        *first = within++ ? *first : i;
        *last = i;
    }
    if (within)
        return true;
    pj_roi_request all = pj_load_iterations_range(found, 0, count - 1);
    char begin[32], end[32];
    pj_format_duration(all.from, begin);
    pj_format_duration(all.to, end);
    return pj_fail(err, PJ_E_MISSING, path, 0,
                   "no iteration lies in the region of interest; they are from %s to %s", begin,
                   end);
}
