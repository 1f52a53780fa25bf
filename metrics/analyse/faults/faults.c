// Faults of a run. Those of the work are mended one after another in replays, the particular before
// the general: what a general one brings is then beside what the particular ones explain.
#include "metrics/analyse/faults/faults.h"

#include "metrics/analyse/faults/ai_faults.h"
#include "metrics/analyse/faults/fault_cluster.h"
#include "metrics/base/arena.h"
#include "metrics/base/err.h"
#include "metrics/base/job.h"
#include "metrics/base/str.h"
#include "metrics/pop/metrics.h"
#include "metrics/pop/metricset.h"
#include "metrics/replay/whatif/fault_steps.h"
#include "metrics/replay/whatif/play.h"
#include "metrics/replay/whatif/tape.h"
#include "metrics/run/ai_account.h"
#include "metrics/run/mpi_use.h"
#include "metrics/run/run.h"
#include "metrics/run/study/study.h"
#include "metrics/run/sums.h"
#include "metrics/run/waits/omp_waits.h"
#include "metrics/run/waits/run_waits.h"
#include "metrics/run/waits/wait_causes.h"
#include "metrics/run/waits/wait_places.h"
#include "metrics/trace/layout.h"
#include "metrics/trace/mpi_call.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double WORTH = 0.01;      // of the run: less is folded
static const double MENDS = 0.004;     // a fault that brings less is not taken as mended
static const double SMALL = 16 * 1024; // bytes of a message

static const char ACCOUNT[] = "account of waits";

const pj_fault_row pj_fault_rows[PJ_FAULT_KINDS] = {
#define FAULT(key, title, sentence, command, options)                                              \
    [PJ_FAULT_##key] = {#key, title, sentence, command, options},
#include "metrics/analyse/faults/faults.def"
#undef FAULT
};

pj_fault_view pj_fault_view_of(const pj_fault *fault)
{
    const pj_fault_row *row = &pj_fault_rows[fault->kind];
    return fault->in_regions ? (pj_fault_view){"popinjay regions", "--by function"}
                             : (pj_fault_view){row->command, row->options};
}

typedef struct search {
    const pj_run *run;
    pj_job *job;
    pj_arena *arena;
    pj_faults *out;
    pj_fault_steps steps;
    const char *mended; // as a change; NULL = nothing is yet
    unsigned without;   // patterns that hold nobody any more
    double of_all;      // factor of all computation
    double now_ns;      // runtime with all that is mended
    double threads;
} search;

static void add(search *s, pj_fault fault)
{
    if (!(fault.recoverable_ns > 0))
        return;
    s->out->items[s->out->count++] = fault;
}

static bool play(search *s, double *runtime, pj_err *err)
{
    pj_played played;
    pj_change change = {.of_step = s->steps.factors,
                        .steps = s->steps.steps,
                        .step_kind = s->steps.kind,
                        .of_all = s->of_all,
                        .without = s->without};
    if (!pj_play(s->run, &change, s->job, s->arena, &played, err))
        return false;
    *runtime = played.runtime_ns;
    return true;
}

/// What is mended from now on is so on top of this fault, too.
static void keep_mended(search *s, const pj_fault *fault, double runtime)
{
    s->mended =
        s->mended ? pj_arena_format(s->arena, "%s+%s", s->mended, fault->change) : fault->change;
    s->now_ns = runtime;
}

static double *copy_factors(const search *s)
{
    size_t count = (size_t)s->steps.steps * s->steps.ranks;
    double *copy = pj_new_n(s->arena, double, count + 1);
    memcpy(copy, s->steps.factors, count * sizeof *copy);
    return copy;
}

/// A fault whose mending is in the factors: kept when it is worth it, else undone.
static bool mend(search *s, pj_fault fault, double *before, pj_err *err)
{
    double runtime;
    if (!play(s, &runtime, err))
        return false;
    if (s->now_ns - runtime < MENDS * (double)s->run->runtime_ns) {
        s->steps.factors = before;
        return true;
    }
    fault.recoverable_ns = (s->now_ns - runtime) * s->threads;
    fault.on_top = s->mended;
    fault.method = "replay";
    fault.confidence = fault.confidence ? fault.confidence : "high";
    keep_mended(s, &fault, runtime);
    add(s, fault);
    return true;
}

// Where faults are seen

/// The longest wait for these ranks while the program works.
static pj_wait_place place_of_work(const search *s, const bool *culprits)
{
    const unsigned all = (1u << PJ_WAIT_PATTERNS) - 1;
    const unsigned ends = 1u << PJ_WAIT_init_wait | 1u << PJ_WAIT_finalize_wait;
    return pj_wait_place_longest(s->run, all & ~ends, culprits);
}

// The work of ranks

/// The particular ones before the general ones.
static bool mend_work(search *s, pj_err *err)
{
    static const struct {
        pj_fault_found (*find)(pj_fault_steps *steps);
        pj_fault_kind kind, other; // of a node, of what is initial
        const char *confidence;
    } kinds[] = {{pj_fault_serial, PJ_FAULT_serial_part, PJ_FAULT_serial_part, "high"},
                 {pj_fault_slow, PJ_FAULT_slow_rank, PJ_FAULT_slow_node, "high"},
                 {pj_fault_noise, PJ_FAULT_noise, PJ_FAULT_noisy_node, "high"},
                 // It may be work that has to be done.
                 {pj_fault_start_up, PJ_FAULT_start_up, PJ_FAULT_initialisation, "medium"},
                 {pj_fault_imbalance, PJ_FAULT_imbalance, PJ_FAULT_imbalance, "high"},
                 {pj_fault_imbalance_per_step, PJ_FAULT_imbalance_per_step,
                  PJ_FAULT_imbalance_per_step, "high"}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        double *before = copy_factors(s);
        pj_fault_found found = kinds[i].find(&s->steps);
        pj_fault fault = {.kind = found.node || found.initial ? kinds[i].other : kinds[i].kind,
                          .where = found.where,
                          .loss_ns = found.loss_ns / s->steps.ranks * s->threads,
                          .confidence = kinds[i].confidence};
        fault.place = found.lasts_ns > 0
                          ? pj_wait_place_around(s->run, s->run->roi.set ? s->run->roi.from_ns : 0,
                                                 (uint64_t)found.lasts_ns)
                          : place_of_work(s, found.ranks);
        fault.change = pj_arena_format(s->arena, "mend:%s", pj_fault_rows[fault.kind].key);
        if (found.where && !mend(s, fault, before, err))
            return false;
    }
    return true;
}

// Waits that balance does not explain

static const char *culprits_of(const search *s, pj_wait_pattern pattern, double *ns)
{
    const pj_waits *waits = s->run->waits;
    double *caused = pj_new_n(s->arena, double, s->run->layout.ranks);
    uint32_t most = 0;
    *ns = 0;
    for (uint32_t i = 0; waits && i < waits->sum_count; i++) {
        const pj_wait_sum *sum = &waits->sums[i];
        if (sum->pattern != pattern || sum->culprit >= s->run->layout.ranks)
            continue;
        *ns += (double)sum->wait_ns;
        caused[sum->culprit] += (double)sum->wait_ns;
        most = caused[sum->culprit] > caused[most] ? sum->culprit : most;
    }
    return pj_arena_format(s->arena, "most for rank %u", most);
}

/// All threads of a rank lose what the one that calls MPI waits.
static double threads_each(const search *s)
{
    uint32_t callers = 0;
    for (uint32_t i = 0; s->run->totals && i < s->run->layout.locations; i++)
        callers += s->run->totals[i].mpi_ns > 0;
    return s->threads / fmax(callers, s->run->layout.ranks);
}

static bool mend_waits(search *s, pj_err *err)
{
    static const struct {
        pj_wait_pattern pattern;
        pj_fault_kind kind;
    } kinds[] = {{PJ_WAIT_late_receiver, PJ_FAULT_late_receiver},
                 {PJ_WAIT_late_sender, PJ_FAULT_late_sender}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        double before = s->now_ns;
        size_t count = s->out->count;
        pj_fault fault = {.kind = kinds[i].kind};
        fault.change =
            pj_arena_format(s->arena, "without:%s", pj_wait_pattern_rows[kinds[i].pattern].key);
        fault.where = culprits_of(s, kinds[i].pattern, &fault.loss_ns);
        fault.loss_ns *= threads_each(s);
        fault.place = pj_wait_place_longest(s->run, 1u << kinds[i].pattern, NULL);
        s->without |= 1u << kinds[i].pattern;
        if (!mend(s, fault, s->steps.factors, err))
            return false;
        if (s->out->count == count) {
            s->without &= ~(1u << kinds[i].pattern);
            s->now_ns = before;
        }
    }
    return true;
}

static bool find_in_work(search *s, pj_err *err)
{
    pj_bursts bursts;
    pj_played as_it_was;
    pj_change nothing = {.steps = 0};
    s->out->lack = s->run->ideal.reason ? s->run->ideal.reason
                   : s->run->tape       ? pj_tape_lacks(s->run->tape)
                                        : "it has no events";
    if (s->out->lack)
        return true;
    if (!pj_play_bursts(s->run, s->job, s->arena, &bursts, err) ||
        !pj_play(s->run, &nothing, s->job, s->arena, &as_it_was, err))
        return false;
    s->steps = pj_fault_steps_of(s->run, &bursts, s->arena);
    s->now_ns = as_it_was.runtime_ns;
    return mend_work(s, err) && mend_waits(s, err);
}

// The network

static pj_fault_kind kind_of(const search *s, pj_mpi_call call)
{
    const pj_mpi_call_row *row = pj_mpi_call_at(call);
    const pj_mpi_use *use = s->run->mpi_use;
    if (row && row->class_ == PJ_MPI_COLLECTIVE)
        return PJ_FAULT_collectives;
    if (!row || row->class_ != PJ_MPI_P2P)
        return PJ_FAULT_mpi_other;
    bool large = use && use->messages && (double)use->bytes / (double)use->messages > SMALL;
    return large ? PJ_FAULT_large_messages : PJ_FAULT_small_messages;
}

/// What an ideal network saves, shared over the kinds of calls by what they lose beside waits.
static void find_in_network(search *s)
{
    const pj_run *run = s->run;
    double lost[PJ_FAULT_KINDS] = {0}, most[PJ_FAULT_KINDS] = {0}, all;
    const char *names[PJ_FAULT_KINDS] = {NULL};
    if (!run->ideal.available || !run->waits || !run->waits->has_ideal)
        return;
    double saved = ((double)run->runtime_ns - run->ideal.runtime_ns) * s->threads;
    all = fmax(pj_wait_outside_lost(run), 0);
    for (uint32_t i = 0; i < run->waits->call_count; i++) {
        const pj_wait_call *call = &run->waits->calls[i];
        pj_fault_kind kind = kind_of(s, call->call);
        double ns = (double)call->time_ns - (double)call->ideal_ns;
        const pj_mpi_call_row *row = pj_mpi_call_at(call->call);
        if (ns <= 0)
            continue;
        lost[kind] += ns;
        all += ns;
        if (ns > most[kind]) {
            most[kind] = ns;
            names[kind] = row ? row->name : "unknown MPI calls";
        }
    }
    for (unsigned kind = 0; kind < PJ_FAULT_KINDS && all > 0; kind++)
        if (lost[kind] > 0)
            add(s, (pj_fault){.kind = (pj_fault_kind)kind,
                              .where = names[kind],
                              .loss_ns = lost[kind] * threads_each(s),
                              .recoverable_ns = saved * lost[kind] / all,
                              .method = "replay, shared by calls",
                              .change = PJ_FAULT_IDEAL,
                              .confidence = "medium"});
}

// Threads

static pj_wait_place place_of_thread(const search *s, const pj_omp_wait *wait)
{
    return wait ? pj_wait_place_around(s->run, wait->longest_at_ns, wait->longest_ns)
                : (pj_wait_place){.to_ns = 0};
}

typedef struct thread_loss { // of a kind
    double ns;
    double *of_rank, *of_culprit; // by rank, by thread
    const pj_omp_wait *worst;
} thread_loss;

static void add_loss(const search *s, thread_loss *loss, const pj_omp_wait *wait)
{
    if (!loss->of_rank) {
        loss->of_rank = pj_new_n(s->arena, double, s->run->layout.ranks);
        loss->of_culprit = pj_new_n(s->arena, double, s->run->layout.locations);
    }
    loss->ns += (double)wait->ns;
    loss->of_rank[wait->rank] += (double)wait->ns;
    if (wait->culprit < s->run->layout.locations)
        loss->of_culprit[wait->culprit] += (double)wait->ns;
    if (wait->longest_ns > (loss->worst ? loss->worst->longest_ns : 0))
        loss->worst = wait;
}

static uint32_t most_of(const double *values, uint32_t count)
{
    uint32_t most = 0;
    for (uint32_t i = 1; i < count; i++)
        most = values[i] > values[most] ? i : most;
    return most;
}

/// Which rank, and for which thread, where one has more than a third of it.
static const char *place_of_loss(const search *s, const thread_loss *loss)
{
    const pj_layout *layout = &s->run->layout;
    if (!loss->of_rank)
        return "all ranks";
    uint32_t rank = most_of(loss->of_rank, layout->ranks);
    uint32_t thread = most_of(loss->of_culprit, layout->locations);
    const char *where =
        layout->ranks == 1                     ? "all threads"
        : loss->of_rank[rank] > 0.9 * loss->ns ? pj_arena_format(s->arena, "rank %u", rank)
        : loss->of_rank[rank] > loss->ns / 3   ? pj_arena_format(s->arena, "most on rank %u", rank)
                                               : "all ranks";
    return loss->of_culprit[thread] > loss->ns / 3
               ? pj_arena_format(s->arena, "%s, most for thread %u", where, thread)
               : where;
}

/// `imbalance`: what the busiest threads of regions compute more; NAN = not known.
static void find_in_threads(search *s, double imbalance)
{
    static const struct {
        pj_omp_pattern pattern;
        pj_fault_kind kind;
    } kinds[] = {{PJ_OMP_WAIT_omp_barrier_wait, PJ_FAULT_omp_imbalance},
                 {PJ_OMP_WAIT_omp_idle_threads, PJ_FAULT_omp_serial},
                 {PJ_OMP_WAIT_omp_limited_parallelism, PJ_FAULT_omp_serial},
                 {PJ_OMP_WAIT_omp_lock_contention, PJ_FAULT_omp_lock},
                 {PJ_OMP_WAIT_omp_management, PJ_FAULT_omp_management}};
    const pj_omp_waits *waits = s->run->omp_waits;
    thread_loss lost[PJ_FAULT_KINDS] = {{.ns = 0}};
    if (!waits)
        return;
    for (size_t i = 0; i < waits->count; i++)
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
            if (waits->items[i].pattern == kinds[k].pattern)
                add_loss(s, &lost[kinds[k].kind], &waits->items[i]);
    // Where a region ends without a barrier, the last thread is waited for in its join.
    double joined = fmax(imbalance - lost[PJ_FAULT_omp_imbalance].ns, 0);
    joined = fmin(joined, lost[PJ_FAULT_omp_management].ns);
    lost[PJ_FAULT_omp_imbalance].ns += joined;
    lost[PJ_FAULT_omp_management].ns -= joined;
    for (unsigned kind = 0; kind < PJ_FAULT_KINDS; kind++)
        if (lost[kind].ns > 0)
            add(s, (pj_fault){.kind = (pj_fault_kind)kind,
                              .where = place_of_loss(s, &lost[kind]),
                              .loss_ns = lost[kind].ns,
                              .recoverable_ns = lost[kind].ns,
                              .method = ACCOUNT,
                              .confidence = "medium",
                              .place = place_of_thread(s, lost[kind].worst),
                              .in_regions = kind == PJ_FAULT_omp_imbalance &&
                                            joined > lost[kind].ns - joined});
}

/// The account does not know what replays save: findings of both are never more than the run.
static void bound_accounts(search *s)
{
    double left = (double)s->run->runtime_ns * s->threads, accounted = 0;
    for (size_t i = 0; i < s->out->count; i++) {
        const pj_fault *fault = &s->out->items[i];
        *(fault->method == ACCOUNT ? &accounted : &left) +=
            fault->method == ACCOUNT ? fault->recoverable_ns : -fault->recoverable_ns;
    }
    left = fmax(left, 0);
    for (size_t i = 0; accounted > left && i < s->out->count; i++)
        if (s->out->items[i].method == ACCOUNT)
            s->out->items[i].recoverable_ns *= left / accounted;
}

// Other sizes

static const char *where_of(const search *s, const pj_study *study, pj_fault_cluster cluster)
{
    const char *against = study->cases[study->reference].name;
    if (!cluster.number)
        return pj_arena_format(s->arena, "all ranks, against %s", against);
    return pj_arena_format(s->arena, "cluster %u of bursts%s, against %s", cluster.number,
                           cluster.start_up ? " (start-up)" : "", against);
}

/// The start that is mended already, or NULL.
static pj_fault *mended_start(search *s)
{
    for (size_t i = 0; i < s->out->count; i++)
        if (s->out->items[i].kind == PJ_FAULT_start_up ||
            s->out->items[i].kind == PJ_FAULT_initialisation)
            return &s->out->items[i];
    return NULL;
}

/// On top of all that is mended: `scaling` is what computation has to become.
static bool mend_scaling(search *s, pj_fault fault, double scaling, pj_err *err)
{
    double runtime, useful = fault.loss_ns / (1 - scaling), before = s->of_all;
    s->of_all *= scaling;
    fault.recoverable_ns = useful * before * (1 - scaling);
    fault.method = "scaling";
    fault.confidence = "medium";
    if (!s->out->lack) {
        if (!play(s, &runtime, err))
            return false;
        fault.recoverable_ns = (s->now_ns - runtime) * s->threads;
        fault.method = "replay";
        fault.change = pj_arena_format(s->arena, "compute:%.6f", 1 / scaling);
        fault.on_top = s->mended;
        fault.confidence = "high";
        keep_mended(s, &fault, runtime);
    }
    add(s, fault);
    return true;
}

static bool find_scaling(search *s, const pj_study *study, const pj_metrics *metrics, pj_err *err)
{
    static const struct {
        const char *key;
        pj_fault_kind kind;
    } kinds[] = {{"instruction_scaling", PJ_FAULT_instruction_scaling},
                 {"ipc_scaling", PJ_FAULT_ipc_scaling},
                 {"frequency_scaling", PJ_FAULT_frequency_scaling}};
    const pj_case *last = &study->cases[study->count - 1];
    pj_fault *start = mended_start(s);
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        int row = pj_metric_row(metrics->set, pj_str_of(kinds[k].key));
        pj_metric_value value = {.value = 1};
        if (row >= 0)
            value = pj_metrics_at(metrics, study->count - 1, (size_t)row);
        if (value.reason || !(value.value > 0 && value.value < 1))
            continue;
        double scaling = value.value;
        pj_fault_cluster cluster = {.number = 0};
        if (kinds[k].kind == PJ_FAULT_ipc_scaling)
            cluster = pj_fault_cluster_of(s->run, &last->sums, scaling);
        const char *said = pj_fault_cluster_said(cluster, s->arena);
        if (start && cluster.number && cluster.start_up) { // it has mended that part
            start->said = said;
            said = NULL;
            scaling = cluster.without;
            cluster.number = 0;
        }
        pj_fault fault = {.kind = kinds[k].kind,
                          .where = where_of(s, study, cluster),
                          .against = study->cases[study->reference].run->path,
                          .said = said,
                          .loss_ns = last->sums.useful_sum * (1 - scaling)};
        if (scaling < 1 && !mend_scaling(s, fault, scaling, err))
            return false;
    }
    return true;
}

static bool find_in_study(search *s, pj_run *const *runs, size_t count, pj_err *err)
{
    const pj_metric_set *set = pj_metric_set_by_key(PJ_S("mpi"));
    pj_auto_study study = pj_study_new(runs, count, (pj_study_opts){.reference = 0}, err);
    if (!study)
        return false;
    find_in_threads(s, study->cases[study->count - 1].sums.omp_imbalance_sum);
    pj_auto_metrics metrics = pj_metrics_new(set, study, (pj_metrics_opts){.title = NULL}, err);
    return metrics && (count < 2 || find_scaling(s, study, metrics, err));
}

// All of them

static int by_recoverable(const void *a, const void *b)
{
    const pj_fault *x = a, *y = b;
    if (x->recoverable_ns != y->recoverable_ns)
        return x->recoverable_ns > y->recoverable_ns ? -1 : 1;
    if (x->loss_ns != y->loss_ns)
        return x->loss_ns > y->loss_ns ? -1 : 1;
    return x->kind < y->kind ? -1 : x->kind > y->kind;
}

/// Those that are hardly worth it become others.
static void fold(pj_faults *faults, double least)
{
    qsort(faults->items, faults->count, sizeof *faults->items, by_recoverable);
    while (faults->count && faults->items[faults->count - 1].recoverable_ns < least) {
        faults->others_ns += faults->items[--faults->count].recoverable_ns;
        faults->others++;
    }
}

/// The run with most threads, the first of equal ones.
static pj_run *largest(pj_run *const *runs, size_t count)
{
    pj_run *most = runs[0];
    for (size_t i = 1; i < count; i++)
        if (runs[i]->layout.locations > most->layout.locations)
            most = runs[i];
    return most;
}

bool pj_faults_find(pj_run *const *runs, size_t count, pj_job *job, pj_arena *arena, pj_faults *out,
                    pj_err *err)
{
    pj_run *run = largest(runs, count);
    search s = {.run = run, .job = job, .arena = arena, .out = out, .of_all = 1};
    s.threads = run->layout.locations;
    // A kind is found twice at most: in a wait and in the work.
    *out = (pj_faults){.run = run,
                       .items = pj_new_n(arena, pj_fault, 2 * PJ_FAULT_KINDS),
                       .units = run->ai ? run->ai->count : s.threads};
    if (run->ai) {
        pj_ai_faults_find(run, arena, out);
        fold(out, WORTH * (double)run->runtime_ns * out->units);
        return true;
    }
    if (!find_in_work(&s, err) || !find_in_study(&s, runs, count, err))
        return false;
    find_in_network(&s);
    bound_accounts(&s);
    fold(out, WORTH * (double)run->runtime_ns * out->units);
    return true;
}

const char *pj_fault_sentence(const pj_faults *faults, const pj_fault *fault, pj_arena *arena)
{
    double all = (double)faults->run->runtime_ns * faults->units;
    double share = all > 0 ? 100 * fault->recoverable_ns / all : 0;
    pj_str where = pj_str_of(fault->where);
    size_t colon = pj_str_find(where, ':');
    if (fault->kind == PJ_FAULT_late_rank && colon < where.len)
        return pj_arena_format(arena, PJ_STR_FMT " makes others wait %.1f %%%s", (int)colon,
                               where.at, share, where.at + colon);
    return pj_arena_format(arena, "%s %.1f %%: %s", pj_fault_rows[fault->kind].title, share,
                           fault->where);
}
