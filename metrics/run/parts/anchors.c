// Anchors of iterations.
// Every sequence of one to four calls, and every begin of a burst of some length, may be what an
// iteration begins with, and so may a function: entered by one visit of its caller, as a loop does
// it, for what an inner loop enters has another caller each time. Each is followed through the list
// of calls: the distance that covers most time is its period, and the longest run of such distances
// its chain. Among chains that cover about as much of the run the one that says most with least is
// taken.
#include "metrics/run/parts/anchors.h"

#include "metrics/base/buf.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    BURST_FIRST = 10, // 2^10 ns
    BURST_LAST = 40,
    STEPS = 4, // of the histogram of distances in an octave
    BINS = 64 * STEPS,
    MANY = 8, // iterations that are hardly even by chance
};

/// Distances of one anchor, in time or calls.
typedef struct walk {
    const pj_anchor_mark *marks;
    size_t count;
    bool by_calls;
} walk;

static double gap(const walk *w, size_t i)
{
    return w->by_calls ? (double)(w->marks[i + 1].call - w->marks[i].call)
                       : (double)(w->marks[i + 1].time - w->marks[i].time);
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, size_t count)
{
    if (count == 0)
        return 0;
    qsort(values, count, sizeof *values, by_value);
    return values[count / 2]; // the later one of two: a value that is there
}

static size_t bin_of(double value)
{
    double bin = value >= 1 ? floor(log2(value) * STEPS) : 0;
    return bin < BINS - 1 ? (size_t)bin : BINS - 2;
}

/// The distance that covers most: the median of those in the best two neighbouring bins.
static double modal_gap(const walk *w, double *room)
{
    double weight[BINS] = {0};
    size_t best = 0, count = 0;
    for (size_t i = 0; i + 1 < w->count; i++)
        weight[bin_of(gap(w, i))] += gap(w, i);
    for (size_t b = 0; b + 1 < BINS; b++)
        if (weight[b] + weight[b + 1] > weight[best] + weight[best + 1])
            best = b;
    for (size_t i = 0; i + 1 < w->count; i++) {
        size_t bin = bin_of(gap(w, i));
        if (bin == best || bin == best + 1)
            room[count++] = gap(w, i);
    }
    return median(room, count);
}

static bool is_even(const walk *w, double value, double mode)
{
    if (!w->by_calls)
        return value >= mode / 1.5 && value <= mode * 1.5;
    return fabs(value - mode) <= fmax(1, mode / 4);
}

/// Marks first .. last.
typedef struct run_of {
    size_t first, last;
} run_of;

static bool is_long(run_of run)
{
    return run.last - run.first + 1 >= PJ_CHAIN_LEAST;
}

/// The longest run in time; one odd distance between two of some length is let pass: a step with
/// output.
static run_of longest(const walk *w, double mode)
{
    run_of best = {0, 0}, joined = {0, 0}, now = {0, 0};
    for (size_t i = 0; i < w->count; i++) {
        bool goes_on = i + 1 < w->count && is_even(w, gap(w, i), mode);
        now.last = i;
        if (goes_on)
            continue;
        bool odd = now.first > 0 && joined.last + 1 == now.first && is_long(joined) &&
                   is_long(now) && gap(w, joined.last) <= 3 * mode;
        run_of whole = odd ? (run_of){joined.first, now.last} : now;
        if (w->marks[whole.last].time - w->marks[whole.first].time >
            w->marks[best.last].time - w->marks[best.first].time)
            best = whole;
        joined = whole;
        now = (run_of){i + 1, i + 1};
    }
    return best;
}

static double median_gap(const walk *w, run_of run, double *room)
{
    size_t count = 0;
    for (size_t i = run.first; i < run.last; i++)
        room[count++] = gap(w, i);
    return median(room, count);
}

static run_of trim(const walk *w, run_of run, double *room)
{
    double middle = median_gap(w, run, room);
    while (run.last > run.first && fabs(gap(w, run.first) - middle) > middle / 4)
        run.first++;
    while (run.last > run.first && fabs(gap(w, run.last - 1) - middle) > middle / 4)
        run.last--;
    return run;
}

/// Whether most distances hold so many calls, and one that synchronises.
static bool holds(const walk *w, run_of run, const pj_call_list *calls, uint32_t least)
{
    size_t good = 0;
    for (size_t i = run.first; i < run.last; i++) {
        uint32_t from = w->marks[i].call, to = w->marks[i + 1].call;
        bool synchronises = false;
        for (uint32_t c = from; c < to && c < calls->count && !synchronises; c++)
            synchronises = calls->items[c].synchronises;
        good += to - from >= least && synchronises;
    }
    return 4 * good >= 3 * (run.last - run.first);
}

static void measure(const walk *w, run_of run, pj_chain *chain, double *room)
{
    const walk time = {w->marks, w->count, false};
    double sum = 0, squares = 0, n = (double)(run.last - run.first);
    for (size_t i = run.first; i < run.last; i++)
        sum += gap(&time, i);
    for (size_t i = run.first; i < run.last; i++)
        squares += pow(gap(&time, i) - sum / n, 2);
    chain->period_ns = median_gap(&time, run, room);
    chain->deviation = sum > 0 ? sqrt(squares / n) / (sum / n) : 0;
}

static uint64_t mix(uint64_t hash, uint64_t key)
{
    hash = (hash ^ key) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

/// Whether most distances hold the same calls as the one before, or that before it.
static bool is_alike(const walk *w, run_of run, const pj_call_list *calls)
{
    uint64_t before[2] = {0, 0};
    size_t good = 0;
    for (size_t i = run.first; i < run.last; i++) {
        uint64_t now = 1;
        for (uint32_t c = w->marks[i].call; c < w->marks[i + 1].call && c < calls->count; c++)
            now = mix(now, calls->items[c].key);
        good += now == before[0] || now == before[1];
        before[1] = before[0];
        before[0] = now;
    }
    return 4 * good >= 3 * (run.last - run.first - 1);
}

/// Whether the anchor hardly comes elsewhere.
static bool is_most(const walk *w, run_of run)
{
    return 4 * (run.last - run.first + 1) >= 3 * w->count;
}

/// One parallel region may be all of an iteration, where nothing else is found.
static bool is_loose(const walk *w, run_of run, const pj_call_list *calls, const pj_chain *chain)
{
    return calls->openmp && !w->by_calls && chain->anchor.kind == PJ_ANCHOR_CALLS &&
           run.last - run.first >= MANY && is_most(w, run) && holds(w, run, calls, 1);
}

/// Eight sends to eight neighbours are no loop: it holds several calls. Where no other rank has to
/// agree on it, parallel regions are the same each time, and functions, which need no calls, are
/// even in most of their entries; few are so by chance.
static bool is_loop(const walk *w, run_of run, const pj_call_list *calls, pj_chain *chain)
{
    const double even = 0.15;
    if (chain->anchor.kind == PJ_ANCHOR_FUNCTION && calls->few)
        return is_most(w, run) && (run.last - run.first >= MANY || chain->deviation <= even);
    if (holds(w, run, calls, 2))
        return !calls->openmp || is_alike(w, run, calls);
    chain->loose = is_loose(w, run, calls, chain);
    return chain->loose;
}

/// A chain without its times.
static run_of follow(const walk *w, const pj_call_list *calls, double *room, pj_chain *chain)
{
    run_of none = {0, 0};
    if (w->count < PJ_CHAIN_LEAST)
        return none;
    double mode = modal_gap(w, room);
    run_of run = trim(w, longest(w, mode), room);
    uint64_t length = calls->to_ns > calls->from_ns ? calls->to_ns - calls->from_ns : 0;
    if (!is_long(run) || !length || (w->by_calls && mode < 1))
        return none;
    chain->score = (double)(w->marks[run.last].time - w->marks[run.first].time) / (double)length;
    measure(w, run, chain, room);
    if (!is_loop(w, run, calls, chain))
        return none;
    chain->by_calls = w->by_calls;
    chain->occurrences = (uint32_t)w->count;
    chain->first = (uint32_t)run.first;
    chain->count = (uint32_t)(run.last - run.first + 1);
    return run;
}

static void take_times(pj_chain *chain, const walk *w, run_of run, pj_arena *arena)
{
    uint64_t *times = pj_new_n(arena, uint64_t, chain->count + 1);
    for (uint32_t i = 0; i < chain->count; i++)
        times[i] = w->marks[run.first + i].time;
    chain->times = times;
}

pj_chain pj_anchors_chain(const pj_loop_anchor *anchor, bool by_calls, const pj_anchor_mark *marks,
                          size_t count, const pj_call_list *calls, pj_arena *arena)
{
    pj_chain chain = {.anchor = *anchor};
    walk w = {marks, count, by_calls};
    run_of run = follow(&w, calls, pj_new_n(arena, double, count + 1), &chain);
    if (chain.count)
        take_times(&chain, &w, run, arena);
    return chain;
}

// Candidates

typedef struct found { // what is left of a candidate
    pj_chain chain;
    uint64_t first_ns;
} found;

typedef struct search {
    const pj_call_list *calls;
    pj_arena *arena;
    pj_anchor_mark *marks; // of one candidate
    double *room;
    found *items;
    size_t count, cap;
} search;

static void try_marks(search *s, const pj_loop_anchor *anchor, size_t count)
{
    for (int by_calls = 0; by_calls <= (anchor->kind != PJ_ANCHOR_BURST); by_calls++) {
        walk w = {s->marks, count, by_calls};
        pj_chain chain = {.anchor = *anchor};
        run_of run = follow(&w, s->calls, s->room, &chain);
        if (!chain.count)
            continue;
        pj_grow(s->items, &s->cap, s->count + 1);
        s->items[s->count++] = (found){chain, s->marks[run.first].time};
    }
}

/// Where what lies before a call begins.
static uint64_t begin_of(const pj_call_list *calls, size_t call)
{
    return call ? calls->items[call - 1].leave : 0;
}

static bool is_after_burst(const pj_call_list *calls, size_t call, uint32_t octave)
{
    uint64_t begin = begin_of(calls, call), end = calls->items[call].enter;
    return end > begin && end - begin >= UINT64_C(1) << octave;
}

static void try_bursts(search *s)
{
    const pj_call_list *calls = s->calls;
    for (uint32_t j = BURST_FIRST; j <= BURST_LAST; j++) {
        size_t count = 0;
        for (size_t i = 0; i < calls->count; i++)
            if (is_after_burst(calls, i, j))
                s->marks[count++] = (pj_anchor_mark){begin_of(calls, i), (uint32_t)i};
        pj_loop_anchor burst = {.kind = PJ_ANCHOR_BURST, .openmp = calls->openmp, .length = j};
        try_marks(s, &burst, count);
    }
}

static int by_caller(const void *a, const void *b)
{
    const pj_entry *x = a, *y = b;
    if (x->caller != y->caller)
        return x->caller < y->caller ? -1 : 1;
    return (x->time > y->time) - (x->time < y->time);
}

size_t pj_anchors_by_one_visit(const pj_entries *entries, pj_anchor_mark *marks)
{
    size_t count = 0, n = entries->count;
    pj_entry *sorted = pj_take_memory((n + 1) * sizeof *sorted);
    uint64_t longest = 0;
    for (size_t i = 0; i < n; i++)
        sorted[i] = entries->items[i];
    qsort(sorted, n, sizeof *sorted, by_caller);
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i; end < n && sorted[end].caller == sorted[i].caller; end++)
            ;
        if (count && sorted[end - 1].time - sorted[i].time <= longest)
            continue;
        longest = sorted[end - 1].time - sorted[i].time;
        for (count = 0; count < end - i; count++)
            marks[count] = (pj_anchor_mark){sorted[i + count].time, sorted[i + count].call};
    }
    free(sorted);
    return count;
}

static void try_functions(search *s)
{
    for (size_t i = 0; i < s->calls->function_count; i++) {
        const pj_entries *entries = &s->calls->functions[i];
        pj_loop_anchor anchor = {.kind = PJ_ANCHOR_FUNCTION,
                                 .openmp = s->calls->openmp,
                                 .length = 1,
                                 .keys = {entries->key}};
        try_marks(s, &anchor, pj_anchors_by_one_visit(entries, s->marks));
    }
}

typedef struct gram { // a sequence of calls, by what they are
    uint64_t hash;
    uint32_t call;
} gram;

static int by_hash(const void *a, const void *b)
{
    const gram *x = a, *y = b;
    if (x->hash != y->hash)
        return x->hash < y->hash ? -1 : 1;
    return (x->call > y->call) - (x->call < y->call);
}

static pj_loop_anchor anchor_of(const pj_call_list *calls, uint32_t call, uint32_t length)
{
    pj_loop_anchor anchor = {.kind = PJ_ANCHOR_CALLS, .openmp = calls->openmp, .length = length};
    for (uint32_t k = 0; k < length; k++)
        anchor.keys[k] = calls->items[call + k].key;
    return anchor;
}

static void try_grams(search *s, uint32_t length, gram *grams)
{
    const pj_call_list *calls = s->calls;
    size_t count = calls->count >= length ? calls->count - length + 1 : 0;
    for (size_t i = 0; i < count; i++) {
        grams[i] = (gram){.call = (uint32_t)i};
        for (uint32_t k = 0; k < length; k++)
            grams[i].hash = mix(grams[i].hash, calls->items[i + k].key);
    }
    if (count)
        qsort(grams, count, sizeof *grams, by_hash);
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i; end < count && grams[end].hash == grams[i].hash; end++)
            s->marks[end - i] =
                (pj_anchor_mark){calls->items[grams[end].call].enter, grams[end].call};
        pj_loop_anchor anchor = anchor_of(calls, grams[i].call, length);
        try_marks(s, &anchor, end - i);
    }
}

// Choice

static unsigned key_length(const pj_loop_anchor *anchor)
{
    return anchor->kind == PJ_ANCHOR_BURST ? 1 : anchor->length;
}

/// Whether `a` says more than `b`; `shortest`: the shortest period of all.
static bool is_better(const found *a, const found *b, double shortest)
{
    const double step = 0.02, period = 1.3;
    double x = floor(a->chain.score / step), y = floor(b->chain.score / step);
    if (x != y)
        return x > y;
    bool short_a = a->chain.period_ns <= period * shortest;
    bool short_b = b->chain.period_ns <= period * shortest;
    if (short_a != short_b)
        return short_a;
    if (a->chain.by_calls != b->chain.by_calls)
        return a->chain.by_calls;
    if (key_length(&a->chain.anchor) != key_length(&b->chain.anchor))
        return key_length(&a->chain.anchor) < key_length(&b->chain.anchor);
    uint32_t out_a = a->chain.occurrences - a->chain.count;
    uint32_t out_b = b->chain.occurrences - b->chain.count;
    if (out_a != out_b)
        return out_a < out_b;
    return a->first_ns < b->first_ns;
}

/// Of loose ones only where there is none that is not.
static bool has_firm(const search *s)
{
    for (size_t i = 0; i < s->count; i++)
        if (!s->items[i].chain.loose && s->items[i].chain.score >= PJ_SCORE_LEAST)
            return true;
    return false;
}

static const found *choose(const search *s, const found *other_than)
{
    bool firm = !other_than && has_firm(s);
    const double near = 0.95, apart = 1.25;
    double best_score = 0, shortest = INFINITY;
    const found *best = NULL;
    for (int round = 0; round < 3; round++)
        for (size_t i = 0; i < s->count; i++) {
            const found *f = &s->items[i];
            double ratio = other_than ? f->chain.period_ns / other_than->chain.period_ns : 2;
            if ((ratio < apart && ratio > 1 / apart) || (firm && f->chain.loose))
                continue;
            if (round == 0)
                best_score = fmax(best_score, f->chain.score);
            else if (f->chain.score < near * best_score)
                continue;
            else if (round == 1)
                shortest = fmin(shortest, f->chain.period_ns);
            else if (!best || is_better(f, best, shortest))
                best = f;
        }
    return best;
}

/// As many marks as an anchor may have.
static size_t room_for_marks(const pj_call_list *calls)
{
    size_t most = calls->count;
    for (size_t i = 0; i < calls->function_count; i++)
        if (calls->functions[i].count > most)
            most = calls->functions[i].count;
    return most + 1;
}

static size_t find_entries(const pj_call_list *calls, uint64_t key, pj_anchor_mark *marks)
{
    for (size_t i = 0; i < calls->function_count; i++)
        if (calls->functions[i].key == key)
            return pj_anchors_by_one_visit(&calls->functions[i], marks);
    return 0;
}

/// Where it happens; see room_for_marks.
static size_t find_marks(const pj_call_list *calls, const pj_loop_anchor *anchor,
                         pj_anchor_mark *marks)
{
    size_t count = 0;
    if (anchor->kind == PJ_ANCHOR_FUNCTION)
        return find_entries(calls, anchor->keys[0], marks);
    if (anchor->openmp != calls->openmp)
        return 0;
    for (size_t i = 0; i < calls->count; i++) {
        bool calls_of = anchor->kind == PJ_ANCHOR_CALLS;
        bool here = calls_of ? i + anchor->length <= calls->count
                             : is_after_burst(calls, i, anchor->length);
        for (uint32_t k = 0; here && calls_of && k < anchor->length; k++)
            here = calls->items[i + k].key == anchor->keys[k];
        if (here)
            marks[count++] = (pj_anchor_mark){calls_of ? calls->items[i].enter : begin_of(calls, i),
                                              (uint32_t)i};
    }
    return count;
}

pj_chain pj_anchors_apply(const pj_call_list *calls, const pj_loop_anchor *anchor, bool by_calls,
                          pj_arena *arena)
{
    pj_anchor_mark *marks = pj_take_memory(room_for_marks(calls) * sizeof *marks);
    size_t count = find_marks(calls, anchor, marks);
    pj_chain chain = pj_anchors_chain(anchor, by_calls, marks, count, calls, arena);
    free(marks);
    return chain;
}

/// The first of those that follow call by call.
static size_t first_ones(const pj_anchor_mark *marks, size_t count, pj_anchor_mark *firsts)
{
    size_t n = 0;
    for (size_t i = 0; i < count; i++)
        if (i == 0 || marks[i].call != marks[i - 1].call + 1)
            firsts[n++] = marks[i];
    return n;
}

pj_chain pj_anchors_chain_like(const pj_chain *model, const pj_anchor_mark *marks, size_t count,
                               pj_arena *arena)
{
    pj_chain chain = *model;
    pj_anchor_mark *firsts = NULL;
    if (count > model->occurrences) {
        firsts = pj_take_memory(count * sizeof *firsts);
        count = first_ones(marks, count, firsts);
    }
    walk w = {firsts ? firsts : marks, count, model->by_calls};
    if (count == model->occurrences && model->count)
        take_times(&chain, &w, (run_of){model->first, model->first + model->count - 1}, arena);
    else
        chain = (pj_chain){.count = 0};
    free(firsts);
    return chain;
}

pj_chain pj_anchors_like(const pj_call_list *calls, const pj_chain *model, pj_arena *arena)
{
    pj_anchor_mark *marks = pj_take_memory(room_for_marks(calls) * sizeof *marks);
    size_t count = find_marks(calls, &model->anchor, marks);
    pj_chain chain = pj_anchors_chain_like(model, marks, count, arena);
    free(marks);
    return chain;
}

/// Occurrences once more, for their times.
static pj_chain with_times(const search *s, const found *f)
{
    return pj_anchors_apply(s->calls, &f->chain.anchor, f->chain.by_calls, s->arena);
}

pj_chain pj_anchors_find(const pj_call_list *calls, pj_arena *arena, pj_chain *second)
{
    search s = {.calls = calls, .arena = arena};
    pj_chain best = {.count = 0};
    *second = best;
    size_t room = room_for_marks(calls);
    if (room <= PJ_CHAIN_LEAST)
        return best;
    s.marks = pj_take_memory(room * sizeof *s.marks);
    s.room = pj_take_memory(room * sizeof *s.room);
    gram *grams = pj_take_memory(room * sizeof *grams);
    for (uint32_t length = 1; length <= PJ_ANCHOR_CALLS_MOST; length++)
        try_grams(&s, length, grams);
    try_bursts(&s);
    try_functions(&s);
    const found *f = choose(&s, NULL), *g = f ? choose(&s, f) : NULL;
    const double least = 0.05;
    if (f)
        best = with_times(&s, f);
    if (g && g->chain.score >= least)
        *second = with_times(&s, g);
    free(s.items);
    free(s.marks);
    free(s.room);
    free(grams);
    return best;
}
