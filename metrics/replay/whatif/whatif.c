// Changes of a run in words.
#include "metrics/replay/whatif/whatif.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/num.h"
#include "metrics/base/str.h"
#include "metrics/replay/network.h"
#include "metrics/replay/wait_regions.h"
#include "metrics/replay/whatif/fault_steps.h"
#include "metrics/replay/whatif/play.h"
#include "metrics/replay/whatif/tape.h"
#include "metrics/run/run.h"
#include "metrics/run/waits/run_waits.h"

#include <ctype.h>
#include <math.h>

typedef struct changing {
    const pj_whatif *whatif;
    pj_str text; // the whole change, for messages
    pj_change *out;
} changing;

bool pj_whatif_begin(const pj_run *run, pj_network network, pj_job *job, pj_arena *arena,
                     pj_whatif *out, pj_err *err)
{
    *out = (pj_whatif){.run = run, .job = job, .arena = arena, .network = network};
    pj_change as_it_was = {.network.latency_ns = 0}, base = {.network = network};
    if (!pj_play(run, &as_it_was, job, arena, &out->ideal, err) ||
        !pj_play(run, &base, job, arena, &out->base, err) ||
        !pj_play_bursts(run, job, arena, &out->bursts, err))
        return false;
    for (uint32_t k = 1; k < run->layout.ranks; k++)
        if (out->ideal.compute_ns[k] > out->ideal.compute_ns[out->slowest])
            out->slowest = k;
    return true;
}

// What can be changed

/// Cuts "NAME:2" at its last colon.
static pj_str cut_last(pj_str *rest)
{
    pj_str first = *rest;
    while (first.len && first.at[first.len - 1] != ':')
        first.len--;
    *rest = (pj_str){rest->at + first.len, rest->len - first.len};
    first.len -= first.len > 0;
    return first;
}

/// Cuts the first one of several changes; a plus in the name of a function parts none.
static pj_str cut_change(pj_str *text)
{
    pj_str whole = *text;
    double faster;
    if (!pj_str_starts(whole, PJ_S("function:")))
        return pj_str_cut(text, '+');
    for (size_t i = 0; i < whole.len; i++) {
        pj_str first = {whole.at, i}, factor = first;
        cut_last(&factor);
        if (whole.at[i] != '+' || !pj_parse_decimal(factor, &faster))
            continue;
        *text = (pj_str){whole.at + i + 1, whole.len - i - 1};
        return first;
    }
    *text = (pj_str){whole.at + whole.len, 0};
    return whole;
}

static bool take_factor(const changing *c, pj_str text, double *factor, pj_err *err)
{
    double faster;
    if (!pj_parse_decimal(text, &faster) || !(faster > 0))
        return pj_fail(err, PJ_E_USAGE, NULL, 0,
                       "whatif: " PJ_STR_FMT ": \"" PJ_STR_FMT
                       "\" is not how many times faster (2, 1.1)",
                       PJ_STR_ARG(c->text), PJ_STR_ARG(text));
    *factor = 1 / faster;
    return true;
}

static bool change_compute(const changing *c, pj_str rest, pj_err *err)
{
    double factor = 1;
    if (!take_factor(c, rest, &factor, err))
        return false;
    c->out->of_all = (c->out->of_all > 0 ? c->out->of_all : 1) * factor;
    return true;
}

/// Factors of `count` things, to be multiplied.
static double *factors(const changing *c, const double *given, size_t count)
{
    double *all = pj_new_n(c->whatif->arena, double, count);
    for (size_t i = 0; i < count; i++)
        all[i] = given ? given[i] : 1;
    return all;
}

static bool speed_up_rank(const changing *c, uint32_t rank, pj_str faster, pj_err *err)
{
    double factor = 1, *all = factors(c, c->out->of_rank, c->whatif->run->layout.ranks);
    if (!take_factor(c, faster, &factor, err))
        return false;
    all[rank] *= factor;
    c->out->of_rank = all;
    return true;
}

static bool change_rank(const changing *c, pj_str rest, pj_err *err)
{
    uint64_t rank;
    uint32_t ranks = c->whatif->run->layout.ranks;
    if (!pj_parse_u64(pj_str_cut(&rest, ':'), &rank) || rank >= ranks)
        return pj_fail(err, PJ_E_USAGE, NULL, 0,
                       "whatif: " PJ_STR_FMT ": ranks are 0 to %u (rank:0:2)", PJ_STR_ARG(c->text),
                       ranks - 1);
    return speed_up_rank(c, (uint32_t)rank, rest, err);
}

static bool change_slowest(const changing *c, pj_str rest, pj_err *err)
{
    return speed_up_rank(c, c->whatif->slowest, rest, err);
}

static bool change_bursts(const changing *c, pj_str rest, pj_err *err)
{
    double length;
    pj_str first = pj_str_cut(&rest, ':');
    if (!pj_parse_duration(first, &length) || length < 0)
        return pj_fail(err, PJ_E_USAGE, NULL, 0,
                       "whatif: " PJ_STR_FMT ": \"" PJ_STR_FMT "\" is no duration (bursts:100ms:2)",
                       PJ_STR_ARG(c->text), PJ_STR_ARG(first));
    c->out->long_ns = (uint64_t)length;
    return take_factor(c, rest, &c->out->of_long, err);
}

static bool change_function(const changing *c, pj_str rest, pj_err *err)
{
    const pj_tape *tape = c->whatif->run->tape;
    pj_str faster = rest, name = cut_last(&faster);
    double factor = 1, *all = NULL;
    if (faster.len == rest.len)
        return pj_fail(err, PJ_E_USAGE, NULL, 0, "whatif: " PJ_STR_FMT ": function:NAME:2 is meant",
                       PJ_STR_ARG(c->text));
    for (uint32_t i = PJ_WAIT_REGION_REST + 1; i < pj_tape_regions(tape); i++) {
        if (!(c->whatif->bursts.of_region[i] > 0) ||
            !pj_str_equal(name, pj_str_of(pj_tape_region_name(tape, i))))
            continue;
        if (!take_factor(c, faster, &factor, err))
            return false;
        if (!all) // of several of that name
            all = factors(c, c->out->of_region, pj_tape_regions(tape));
        all[i] *= factor;
        c->out->of_region = all;
    }
    return all || pj_fail(err, PJ_E_USAGE, NULL, 0,
                          "whatif: no rank computes in a function \"" PJ_STR_FMT
                          "\" in this trace; profile lists them, where the trace has functions",
                          PJ_STR_ARG(name));
}

static const double *balance_ranks(const changing *c)
{
    const pj_played *ideal = &c->whatif->ideal;
    double *all = factors(c, c->out->of_rank, c->whatif->run->layout.ranks);
    for (uint32_t k = 0; k < c->whatif->run->layout.ranks; k++)
        if (ideal->compute_ns[k] > 0)
            all[k] *= ideal->compute_mean / ideal->compute_ns[k];
    return all;
}

static const double *balance_steps(const changing *c, const pj_step_work *steps)
{
    uint32_t ranks = c->whatif->run->layout.ranks;
    double *all = factors(c, NULL, (size_t)steps->count * ranks);
    for (uint32_t s = 0; s < steps->count; s++) {
        const double *step = steps->of + (size_t)s * ranks;
        double sum = 0;
        for (uint32_t k = 0; k < ranks; k++)
            sum += step[k];
        for (uint32_t k = 0; k < ranks; k++)
            if (step[k] > 0)
                all[(size_t)s * ranks + k] = sum / ranks / step[k];
    }
    return all;
}

static bool change_balance(const changing *c, pj_str rest, pj_err *err)
{
    if (pj_str_equal(rest, PJ_S("ranks"))) {
        c->out->of_rank = balance_ranks(c);
        return true;
    }
    bool collectives = pj_str_equal(rest, PJ_S("collectives"));
    if (c->out->of_step)
        return pj_fail(err, PJ_E_USAGE, NULL, 0,
                       "whatif: " PJ_STR_FMT ": steps are balanced or mended already",
                       PJ_STR_ARG(c->text));
    if (collectives || pj_str_equal(rest, PJ_S("steps"))) {
        const pj_bursts *bursts = &c->whatif->bursts;
        bool by_iteration = !collectives && bursts->iterations.count;
        const pj_step_work *steps = by_iteration ? &bursts->iterations : &bursts->steps;
        c->out->of_step = balance_steps(c, steps);
        c->out->steps = steps->count;
        c->out->step_kind = by_iteration ? PJ_STEPS_ITERATIONS : PJ_STEPS_COLLECTIVES;
        return true;
    }
    return pj_fail(err, PJ_E_USAGE, NULL, 0,
                   "whatif: " PJ_STR_FMT ": balance:ranks, balance:steps or balance:collectives",
                   PJ_STR_ARG(c->text));
}

static bool change_mend(const changing *c, pj_str rest, pj_err *err)
{
    const pj_whatif *w = c->whatif;
    pj_auto_buf valid = {0};
    pj_fault_steps steps = pj_fault_steps_of(w->run, &w->bursts, w->arena);
    const pj_work_fault *fault = pj_work_fault_of(rest);
    for (size_t i = 0; !fault && pj_work_fault_at(i); i++)
        pj_buf_addf(&valid, "%s%s", i ? ", " : "", pj_work_fault_at(i)->key);
    if (!fault)
        return pj_fail(err, PJ_E_USAGE, NULL, 0, "whatif: " PJ_STR_FMT ": findings to mend are %s",
                       PJ_STR_ARG(c->text), valid.at);
    if (c->out->of_step && (c->out->step_kind != steps.kind || c->out->steps != steps.steps))
        return pj_fail(err, PJ_E_USAGE, NULL, 0,
                       "whatif: " PJ_STR_FMT ": other steps are balanced already",
                       PJ_STR_ARG(c->text));
    for (size_t i = 0; c->out->of_step && i < (size_t)steps.steps * steps.ranks; i++)
        steps.factors[i] = c->out->of_step[i];
    if (!fault->mend(&steps).where)
        return pj_fail(err, PJ_E_USAGE, NULL, 0, "whatif: " PJ_STR_FMT ": this run has none of it",
                       PJ_STR_ARG(c->text));
    c->out->of_step = steps.factors;
    c->out->steps = steps.steps;
    c->out->step_kind = steps.kind;
    return true;
}

static bool change_without(const changing *c, pj_str rest, pj_err *err)
{
    pj_auto_buf valid = {0};
    for (unsigned k = 0; k < PJ_WAIT_PATTERNS; k++) {
        if (pj_str_equal(rest, pj_str_of(pj_wait_pattern_rows[k].key))) {
            c->out->without |= 1u << k;
            return true;
        }
        if (c->whatif->bursts.patterns >> k & 1)
            pj_buf_addf(&valid, "%s%s", valid.len ? ", " : "", pj_wait_pattern_rows[k].key);
    }
    return pj_fail(err, PJ_E_USAGE, NULL, 0, "whatif: " PJ_STR_FMT ": waits of this run are %s",
                   PJ_STR_ARG(c->text), valid.len ? valid.at : "none");
}

static bool change_latency(const changing *c, pj_str rest, pj_err *err)
{
    double latency;
    if (!pj_parse_duration(rest, &latency) || latency < 0)
        return pj_fail(err, PJ_E_USAGE, NULL, 0,
                       "whatif: " PJ_STR_FMT ": no duration (latency:2us)", PJ_STR_ARG(c->text));
    c->out->network.latency_ns = latency;
    return true;
}

static bool change_bandwidth(const changing *c, pj_str rest, pj_err *err)
{
    double bandwidth;
    if (!pj_parse_rate(rest, &bandwidth) || !(bandwidth > 0))
        return pj_fail(err, PJ_E_USAGE, NULL, 0,
                       "whatif: " PJ_STR_FMT ": no bytes per second (bandwidth:10G, bandwidth:inf)",
                       PJ_STR_ARG(c->text));
    c->out->network.bandwidth = bandwidth;
    return true;
}

static const struct kind {
    const char *word, *usage;
    const char *title; // $1: what stands before the last colon, $2: behind it; $t: either, a time
    bool (*change)(const changing *c, pj_str rest, pj_err *err);
    const char *refused; // why no replay can tell; NULL = it can
} kinds[] = {
    {"balance", "balance:ranks|steps|collectives", "Work balanced by $2", change_balance, NULL},
    {"compute", "compute:K", "All computation $2 times as fast", change_compute, NULL},
    {"function", "function:NAME:K", "$1 $2 times as fast", change_function, NULL},
    {"bursts", "bursts:LENGTH:K", "Bursts of $t and longer $2 times as fast", change_bursts, NULL},
    {"rank", "rank:N:K", "Rank $1 $2 times as fast", change_rank, NULL},
    {"slowest", "slowest:K", "The slowest rank $2 times as fast", change_slowest, NULL},
    {"without", "without:WAIT", "Nobody held: $2", change_without, NULL},
    {"mend", "mend:FINDING", "Mended: $2", change_mend, NULL},
    {"latency", "latency:T", "Latency $t", change_latency, NULL},
    {"bandwidth", "bandwidth:B", "Bandwidth $2", change_bandwidth, NULL},
    {"ranks", NULL, NULL, NULL,
     "another number of ranks has other messages and other work in each: popinjay model foretells "
     "it from runs of several sizes"},
    {"threads", NULL, NULL, NULL,
     "another number of threads divides the work in other ways: popinjay model foretells it from "
     "runs of several sizes"},
    {"decomposition", NULL, NULL, NULL,
     "the messages of another decomposition are in no trace: measure it and compare the runs"},
    {"contention", NULL, NULL, NULL,
     "the replay has no contention: give the bandwidth that is left (bandwidth:5G)"},
    {"cache", NULL, NULL, NULL,
     "how long computation takes on another machine is in no trace: measure a burst there and give "
     "the factor (compute:1.3)"},
    {"machine", NULL, NULL, NULL,
     "how long computation takes on another machine is in no trace: measure a burst there and give "
     "the factor (compute:1.3)"},
    {"gpu", NULL, NULL, NULL,
     "what devices do is not replayed; popinjay metrics --set gpu says what the host waits for"},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

const char *pj_whatif_usage(size_t index)
{
    return index < KINDS ? kinds[index].usage : NULL;
}

static const struct kind *kind_of(pj_str word)
{
    for (size_t i = 0; i < KINDS; i++)
        if (pj_str_equal(word, pj_str_of(kinds[i].word)))
            return &kinds[i];
    return NULL;
}

static bool unknown(pj_str part, pj_err *err)
{
    pj_auto_buf valid = {0};
    for (size_t i = 0; pj_whatif_usage(i); i++)
        pj_buf_addf(&valid, "%s%s", i ? ", " : "", pj_whatif_usage(i));
    return pj_fail(err, PJ_E_USAGE, NULL, 0,
                   "whatif: \"" PJ_STR_FMT "\" is no change; there are %s", PJ_STR_ARG(part),
                   valid.at);
}

bool pj_whatif_change(const pj_whatif *whatif, pj_str text, pj_change *out, pj_err *err)
{
    changing c = {.whatif = whatif, .text = text, .out = out};
    *out = (pj_change){.network = whatif->network};
    do {
        pj_str part = cut_change(&text), rest = part;
        const struct kind *kind = kind_of(pj_str_cut(&rest, ':'));
        if (!kind)
            return unknown(part, err);
        if (kind->refused)
            return pj_fail(err, PJ_E_USAGE, NULL, 0, "whatif: " PJ_STR_FMT ": %s", PJ_STR_ARG(part),
                           kind->refused);
        if (!kind->change(&c, rest, err))
            return false;
    } while (text.len);
    return true;
}

// In words for people

/// Of a wait; other words as they are.
static pj_str pattern_title(pj_str key)
{
    for (unsigned k = 0; k < PJ_WAIT_PATTERNS; k++)
        if (pj_str_equal(key, pj_str_of(pj_wait_pattern_rows[k].key)))
            return pj_str_of(pj_wait_pattern_rows[k].title);
    return key;
}

static void add_time(pj_buf *out, pj_str time)
{
    double ns;
    char text[32];
    if (pj_parse_duration(time, &ns) && ns > 0)
        time = (pj_str){text, pj_format_duration(ns, text)};
    pj_buf_add(out, time);
}

static void add_title(pj_buf *out, pj_str part)
{
    pj_str rest = part;
    const struct kind *kind = kind_of(pj_str_cut(&rest, ':'));
    if (!kind || !kind->title) {
        pj_buf_add(out, part);
        return;
    }
    pj_str first = cut_last(&rest);
    for (const char *at = kind->title; *at; at++)
        if (*at != '$') // small behind another one
            pj_buf_add_char(out, at == kind->title && out->len ? (char)tolower((unsigned char)*at)
                                                               : *at);
        else if (*++at == 't')
            add_time(out, first.len ? first : rest);
        else if (*at == '2' && pj_work_fault_of(rest))
            for (size_t i = 0; i < rest.len; i++)
                pj_buf_add_char(out, rest.at[i] == '_' ? ' ' : rest.at[i]);
        else
            pj_buf_add(out, *at == '1' ? first : pattern_title(rest));
}

const char *pj_whatif_title(pj_str text, pj_arena *arena)
{
    pj_auto_buf out = {0};
    do {
        if (out.len)
            pj_buf_puts(&out, ", ");
        add_title(&out, cut_change(&text));
    } while (text.len);
    return pj_arena_text(arena, pj_buf_str(&out));
}

// What comes of it

pj_whatif_result pj_whatif_result_of(const pj_played *played, double ideal_ns)
{
    double runtime = played->runtime_ns, most = played->compute_max;
    return (pj_whatif_result){
        .played = *played,
        .parallel = runtime > 0 ? played->compute_mean / runtime : NAN,
        .load_balance = most > 0 ? played->compute_mean / most : NAN,
        .serialisation = ideal_ns > 0 ? most / ideal_ns : NAN,
        .transfer = runtime > 0 ? ideal_ns / runtime : NAN,
    };
}

bool pj_whatif_play(const pj_whatif *whatif, const pj_change *change, pj_whatif_result *out,
                    pj_err *err)
{
    pj_change ideal = *change;
    pj_played played, on_ideal;
    ideal.network = (pj_network){.latency_ns = 0};
    if (!pj_play(whatif->run, change, whatif->job, whatif->arena, &played, err))
        return false;
    on_ideal = played;
    if (!pj_network_is_ideal(&change->network) &&
        !pj_play(whatif->run, &ideal, whatif->job, whatif->arena, &on_ideal, err))
        return false;
    *out = pj_whatif_result_of(&played, on_ideal.runtime_ns);
    out->gain_ns = whatif->base.runtime_ns - played.runtime_ns;
    return true;
}
