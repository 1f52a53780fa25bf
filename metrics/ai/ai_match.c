// Exchanges that have arguments are matched by their group and its counter, else by their place in
// the step; those without by the times at which they end. An instance is only believed when its
// members fit: order alone matches wrongly.
#include "metrics/ai/ai_match.h"

#include "metrics/ai/ai_spill.h"
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/job.h"
#include "metrics/base/num.h"
#include "metrics/base/sort.h"
#include "metrics/base/str.h"

#include <stdlib.h>

/// An exchange with what tells its instance.
typedef struct candidate {
    uint32_t rank, exchange; // indices
    uint32_t group, kind;    // numbers of texts
    int64_t step;
    int64_t place; // in the group, or in the step
    int64_t begin, end;
    bool message;
} candidate;

typedef struct matching {
    pj_ai_rank *const *ranks;
    size_t count;
    pj_job *job;
    pj_ai_match *out;
    pj_ai_rank *texts; // of all ranks: their names each once; candidates go where its arrays do
    candidate *told, *untold;
    size_t told_count, told_cap, untold_count, untold_cap;
    bool *local; // by group: messages name places in it, not ranks
} matching;

static const char *const refusals[] = {
#define REFUSAL(name, sentence) sentence,
#include "metrics/ai/ai_refusals.def"
#undef REFUSAL
};

const char *pj_ai_refusal_sentence(pj_ai_refusal refusal)
{
    return refusals[refusal];
}

pj_str pj_ai_operation_class(pj_str name)
{
    static const pj_str tails[] = {{"_coalesced", 10}, {"_base", 5},   {"_into_tensor", 12},
                                   {"_tensor", 7},     {"_sparse", 7}, {"_oop", 4}};
    static const pj_str spellings[][2] = {{{"all_reduce", 10}, {"allreduce", 9}},
                                          {{"all_gather", 10}, {"allgather", 9}},
                                          {{"reduce_scatter", 14}, {"reducescatter", 13}},
                                          {{"alltoall", 8}, {"all_to_all", 10}},
                                          {{"alltoallv", 9}, {"all_to_allv", 11}}};
    while (name.len && name.at[0] == '_')
        name = pj_str_from(name, 1);
    for (size_t i = 0; i < sizeof tails / sizeof *tails; i++)
        if (pj_str_ends(name, tails[i]))
            name.len -= tails[i].len;
    for (size_t i = 0; i < sizeof spellings / sizeof *spellings; i++)
        if (pj_str_equal(name, spellings[i][0]))
            return spellings[i][1];
    return name;
}

bool pj_ai_operation_is_message(pj_str name)
{
    return pj_str_equal(name, PJ_S("send")) || pj_str_equal(name, PJ_S("recv"));
}

/// Members may move different amounts; the root may leave early.
static bool is_uneven(pj_str operation)
{
    static const pj_str names[] = {
        {"broadcast", 9}, {"reduce", 6}, {"gather", 6}, {"scatter", 7}, {"all_to_allv", 11}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (pj_str_equal(operation, names[i]))
            return true;
    return false;
}

static const char *text_of(const pj_ai_rank *rank, uint32_t name)
{
    return rank->names[name];
}

/// The name of a kernel without its parameters.
static pj_str bare_kernel(const char *name)
{
    pj_str text = pj_str_of(name);
    size_t round = pj_str_find(text, '('), angle = pj_str_find(text, '<');
    return pj_str_head(text, round < angle ? round : angle);
}

/// The place of a rank among those of its group, which is listed as "[0, 2, 4]" at the end of the
/// group's text; -1 where it is not.
static int64_t place_in_group(int64_t rank, const char *group)
{
    pj_str text = pj_str_of(group);
    size_t open = pj_str_find_last(text, '[');
    pj_str list = pj_str_from(text, open + 1);
    list = pj_str_head(list, pj_str_find(list, ']'));
    for (int64_t place = 0; open < text.len && list.len; place++) {
        int64_t one;
        if (!pj_parse_i64(pj_str_trim(pj_str_cut(&list, ',')), &one))
            break;
        if (one == rank)
            return place;
    }
    return -1;
}

static bool is_send(const pj_ai_rank *rank, const pj_ai_exchange *exchange)
{
    return pj_str_equal(pj_str_of(text_of(rank, exchange->operation)), PJ_S("send"));
}

/// PyTorch names the other side by its rank, as older writers did by its place in the group: these
/// are places if one of them is no rank of the group, or is the rank that says so. Long lists
/// leave ranks out: "[0, 1, ..., 63]".
static void look_at_message(matching *m, const candidate *c)
{
    const pj_ai_rank *rank = m->ranks[c->rank];
    const pj_ai_exchange *exchange = &rank->exchanges[c->exchange];
    const char *group = text_of(rank, exchange->group);
    int64_t other = is_send(rank, exchange) ? exchange->target : exchange->source;
    bool whole = !pj_str_contains(pj_str_of(group), PJ_S("..."));
    if (other >= 0 && place_in_group(rank->rank, group) >= 0 &&
        (other == rank->rank || (whole && place_in_group(other, group) < 0)))
        m->local[c->group] = true;
}

static uint32_t message_kind(matching *m, const candidate *c)
{
    const pj_ai_rank *rank = m->ranks[c->rank];
    const pj_ai_exchange *exchange = &rank->exchanges[c->exchange];
    int64_t place = place_in_group(rank->rank, text_of(rank, exchange->group));
    int64_t mine = m->local[c->group] && place >= 0 ? place : rank->rank;
    bool sends = is_send(rank, exchange);
    int64_t from = sends ? mine : exchange->source, to = sends ? exchange->target : mine;
    pj_auto_buf out = {.at = NULL};
    pj_buf_addf(&out, "%lld>%lld", (long long)from, (long long)to);
    return pj_ai_rank_name(m->texts, pj_buf_str(&out));
}

static void pass(const matching *m, size_t i)
{
    pj_ai_spill_pass(&m->texts->spill, i);
    pj_ai_ranks_pass(m->ranks, m->count, i);
}

/// What messages go from where to where, once all of a group are known.
static void tell_messages(matching *m)
{
    m->local = pj_take_zeros(m->texts->name_count + 1);
    for (size_t i = 0; i < m->told_count; i++) {
        pass(m, i);
        if (m->told[i].message)
            look_at_message(m, &m->told[i]);
    }
    for (size_t i = 0; i < m->told_count; i++) {
        pass(m, i);
        if (m->told[i].message)
            m->told[i].kind = message_kind(m, &m->told[i]);
    }
}

static void add_candidate(matching *m, uint32_t r, uint32_t index)
{
    const pj_ai_rank *rank = m->ranks[r];
    const pj_ai_exchange *exchange = &rank->exchanges[index];
    candidate c = {.rank = r,
                   .exchange = index,
                   .step = exchange->step,
                   .place = -1,
                   .begin = exchange->begin,
                   .end = exchange->end};
    pj_str operation = pj_ai_operation_class(pj_str_of(text_of(rank, exchange->operation)));
    if (!operation.len || (exchange->marked && !pj_ai_operation_is_message(operation))) {
        c.kind = pj_ai_rank_name(
            m->texts, operation.len ? operation : bare_kernel(text_of(rank, exchange->kernel)));
        pj_ai_grow(&m->texts->spill, m->untold, &m->untold_cap, m->untold_count + 1);
        m->untold[m->untold_count++] = c;
        return;
    }
    c.message = pj_ai_operation_is_message(operation);
    c.group = pj_ai_rank_name(m->texts, pj_str_of(text_of(rank, exchange->group)));
    if (c.message)
        c.step = INT64_MIN;
    else
        c.kind = pj_ai_rank_name(m->texts, operation);
    pj_ai_grow(&m->texts->spill, m->told, &m->told_cap, m->told_count + 1);
    m->told[m->told_count++] = c;
}

static int by_group(const void *a, const void *b)
{
    const candidate *x = a, *y = b;
    if (x->message != y->message)
        return x->message ? 1 : -1;
    return (x->group > y->group) - (x->group < y->group);
}

#define ORDER(member)                                                                              \
    if (x->member != y->member)                                                                    \
    return x->member < y->member ? -1 : 1

static int by_rank_and_begin(const void *a, const void *b)
{
    const candidate *x = a, *y = b;
    int order = by_group(a, b);
    if (order)
        return order;
    ORDER(kind);
    ORDER(rank);
    ORDER(step);
    ORDER(begin);
    return (x->exchange > y->exchange) - (x->exchange < y->exchange);
}

static int by_instance(const void *a, const void *b)
{
    const candidate *x = a, *y = b;
    int order = by_group(a, b);
    if (order)
        return order;
    ORDER(kind);
    ORDER(step);
    ORDER(place);
    ORDER(rank);
    return (x->exchange > y->exchange) - (x->exchange < y->exchange);
}

static int by_end(const void *a, const void *b)
{
    const candidate *x = a, *y = b;
    ORDER(kind);
    ORDER(end);
    ORDER(rank);
    return (x->exchange > y->exchange) - (x->exchange < y->exchange);
}

/// The counter of the group where all its collectives have one.
static void count_by_group(matching *m, size_t from, size_t to)
{
    bool counted = !m->told[from].message;
    for (size_t i = from; i < to && counted; i++) {
        pass(m, i);
        counted = m->ranks[m->told[i].rank]->exchanges[m->told[i].exchange].seq >= 0;
    }
    for (size_t i = from; i < to && counted; i++) {
        pass(m, i);
        m->told[i].place = m->ranks[m->told[i].rank]->exchanges[m->told[i].exchange].seq;
        m->told[i].step = INT64_MIN;
    }
}

/// Else the place in the step.
static void count_by_step(matching *m, size_t from, size_t to)
{
    if (m->told[from].place >= 0)
        return;
    m->told[from].place = 0;
    for (size_t i = from + 1; i < to; i++) {
        pass(m, i);
        const candidate *last = &m->told[i - 1];
        bool same = last->kind == m->told[i].kind && last->rank == m->told[i].rank &&
                    last->step == m->told[i].step;
        m->told[i].place = same ? last->place + 1 : 0;
    }
}

static void each_group(matching *m, void (*visit)(matching *m, size_t from, size_t to))
{
    for (size_t i = 0, end; i < m->told_count; i = end) {
        for (end = i + 1; end < m->told_count && by_group(&m->told[i], &m->told[end]) == 0; end++)
            pass(m, end);
        visit(m, i, end);
    }
}

static void add_instance(matching *m, const candidate *const *members, size_t count)
{
    pj_ai_match *out = m->out;
    pj_ai_instance *instance = &out->instances[out->instance_count++];
    *instance = (pj_ai_instance){.first = out->member_count, .count = (uint32_t)count};
    for (size_t i = 0; i < count; i++)
        out->members[out->member_count++] = (pj_ai_member){members[i]->rank, members[i]->exchange};
}

static bool same_instance(const candidate *x, const candidate *y)
{
    return by_group(x, y) == 0 && x->kind == y->kind && x->step == y->step && x->place == y->place;
}

static void match_told(matching *m)
{
    const candidate **members = pj_take_memory((m->told_count + 1) * sizeof(candidate *));
    for (size_t i = 0, end; i < m->told_count; i = end) {
        pass(m, m->out->instance_count);
        for (end = i; end < m->told_count && same_instance(&m->told[i], &m->told[end]); end++)
            members[end - i] = &m->told[end];
        add_instance(m, members, end - i);
    }
    free(members);
}

static int64_t length_of(const candidate *c)
{
    return c->end - c->begin;
}

/// Whether two exchanges of one kernel end together: TraceLens and HTA keep their order, which is
/// wrong in 4 of 10 cases.
static bool end_together(const candidate *a, const candidate *b)
{
    const int64_t near = 50000;
    int64_t shorter = length_of(a) < length_of(b) ? length_of(a) : length_of(b);
    return a->begin < b->end && b->begin < a->end && b->end - a->end <= near + shorter / 10;
}

/// The earliest end first, with at most one of each rank.
static void match_from(matching *m, size_t from, bool *taken, const candidate **members,
                       uint64_t *seen, uint64_t mark)
{
    const int64_t near = 50000;
    size_t count = 0;
    const candidate *first = &m->untold[from];
    for (size_t i = from; i < m->untold_count && count < m->count; i++) {
        const candidate *c = &m->untold[i];
        if (c->kind != first->kind || c->end - first->end > near + length_of(first) / 10)
            break;
        if (taken[i] || seen[c->rank] == mark || (count && !end_together(first, c)))
            continue;
        seen[c->rank] = mark;
        taken[i] = true;
        members[count++] = c;
    }
    add_instance(m, members, count);
    m->out->by_ends += count > 1;
}

static void match_untold(matching *m)
{
    bool *taken = pj_take_zeros(m->untold_count + 1);
    uint64_t *seen = pj_take_zeros((m->count + 1) * sizeof *seen);
    const candidate **members = pj_take_memory((m->count + 1) * sizeof(candidate *));
    for (size_t i = 0; i < m->untold_count; i++) {
        pass(m, i);
        if (!taken[i])
            match_from(m, i, taken, members, seen, i + 1);
    }
    free(members);
    free(seen);
    free(taken);
}

static pj_ai_exchange *exchange_of(const matching *m, size_t member)
{
    const pj_ai_member *at = &m->out->members[member];
    return &m->ranks[at->rank]->exchanges[at->exchange];
}

static const pj_ai_rank *rank_of(const matching *m, size_t member)
{
    return m->ranks[m->out->members[member].rank];
}

static bool has_repeated(const matching *m, const pj_ai_instance *instance)
{
    for (size_t i = 1; i < instance->count; i++) { // by rank, or each rank at most once
        const pj_ai_member *at = &m->out->members[instance->first + i];
        if (at[-1].rank == at->rank)
            return true;
    }
    return false;
}

static bool are_alike(const matching *m, const pj_ai_instance *instance)
{
    const pj_ai_exchange *first = exchange_of(m, instance->first);
    const char *type = text_of(rank_of(m, instance->first), first->type);
    for (size_t i = 1; i < instance->count; i++) {
        const pj_ai_exchange *other = exchange_of(m, instance->first + i);
        if (first->in_elements != other->in_elements ||
            first->out_elements != other->out_elements ||
            strcmp(type, text_of(rank_of(m, instance->first + i), other->type)) != 0)
            return false;
    }
    return true;
}

static bool do_overlap(const matching *m, const pj_ai_instance *instance)
{
    int64_t begin = INT64_MIN, end = INT64_MAX;
    for (size_t i = 0; i < instance->count; i++) {
        const pj_ai_exchange *one = exchange_of(m, instance->first + i);
        const pj_ai_rank *rank = rank_of(m, instance->first + i);
        int64_t from = pj_ai_rank_common(rank, one->begin), to = pj_ai_rank_common(rank, one->end);
        begin = from > begin ? from : begin;
        end = to < end ? to : end;
    }
    return begin < end;
}

static bool refuse(matching *m, const pj_ai_instance *instance, pj_ai_refusal why)
{
    m->out->refused[why] += instance->count;
    return false;
}

/// What can be said without clocks.
static bool fits(matching *m, pj_ai_instance *instance)
{
    const pj_ai_exchange *first = exchange_of(m, instance->first);
    const pj_ai_rank *rank = rank_of(m, instance->first);
    pj_str operation = pj_ai_operation_class(pj_str_of(text_of(rank, first->operation)));
    bool message = pj_ai_operation_is_message(operation);
    uint32_t whole = message ? 2 : first->size;
    instance->uneven = is_uneven(operation);
    instance->symmetric = instance->count > 1 && !message && !instance->uneven;
    if (instance->count < 2 && whole != 1)
        return refuse(m, instance, PJ_AI_REFUSED_alone);
    if (has_repeated(m, instance))
        return refuse(m, instance, PJ_AI_REFUSED_repeated);
    if (!instance->uneven && !message && operation.len && !are_alike(m, instance))
        return refuse(m, instance, PJ_AI_REFUSED_unlike);
    instance->partial = instance->count < whole; // 0 = nobody knows
    return true;
}

static int64_t begin_of(const matching *m, const pj_ai_instance *instance)
{
    int64_t begin = INT64_MAX;
    for (size_t i = 0; i < instance->count; i++) {
        int64_t one = pj_ai_rank_common(rank_of(m, instance->first + i),
                                        exchange_of(m, instance->first + i)->begin);
        begin = one < begin ? one : begin;
    }
    return begin;
}

static int by_time(const void *a, const void *b, void *context)
{
    const int64_t *begins = context;
    size_t i = *(const size_t *)a, j = *(const size_t *)b;
    return begins[i] != begins[j] ? (begins[i] > begins[j]) - (begins[i] < begins[j])
                                  : (i > j) - (i < j);
}

static bool order_instances(matching *m, pj_err *err)
{
    pj_ai_match *out = m->out;
    size_t *order = pj_take_memory((out->instance_count + 1) * sizeof *order);
    pj_ai_instance *sorted = pj_take_memory((out->instance_count + 1) * sizeof *sorted);
    int64_t *begins = pj_take_memory((out->instance_count + 1) * sizeof *begins);
    for (size_t i = 0; i < out->instance_count; i++) {
        pass(m, i);
        order[i] = i;
        begins[i] = begin_of(m, &out->instances[i]);
    }
    bool ok = pj_sort(order, out->instance_count, by_time, begins, m->job->stop) ||
              pj_job_check(m->job, "", err);
    for (size_t i = 0; i < out->instance_count; i++)
        sorted[i] = out->instances[order[i]];
    free(begins);
    free(order);
    free(out->instances);
    out->instances = sorted;
    return ok;
}

static void judge(matching *m)
{
    for (size_t i = 0; i < m->out->instance_count; i++) {
        pj_ai_instance *instance = &m->out->instances[i];
        pass(m, i);
        if (!instance->valid)
            continue;
        if (instance->count > 1 && !do_overlap(m, instance))
            instance->valid = refuse(m, instance, PJ_AI_REFUSED_apart);
        m->out->partial += instance->valid && instance->partial;
        m->out->uneven += instance->valid && instance->uneven;
    }
}

static bool sort(matching *m, candidate *items, size_t count,
                 int (*order)(const void *, const void *), pj_err *err)
{
    return (pj_ai_spill_sort(&m->texts->spill, items, count, sizeof *items, order, m->job->stop) ||
            pj_job_check(m->job, "", err)) &&
           pj_ai_spill_check(&m->texts->spill, err);
}

static bool match_all(matching *m, pj_err *err)
{
    for (uint32_t r = 0; r < m->count; r++)
        for (uint32_t i = 0; i < m->ranks[r]->exchange_count; i++) {
            pass(m, i);
            add_candidate(m, r, i);
        }
    tell_messages(m);
    size_t all = m->told_count + m->untold_count;
    m->out->members = pj_take_memory((all + 1) * sizeof *m->out->members);
    m->out->instances = pj_take_memory((all + 1) * sizeof *m->out->instances);
    if (!sort(m, m->told, m->told_count, by_rank_and_begin, err))
        return false;
    each_group(m, count_by_group);
    each_group(m, count_by_step);
    if (!sort(m, m->told, m->told_count, by_instance, err) ||
        !sort(m, m->untold, m->untold_count, by_end, err))
        return false;
    match_told(m);
    match_untold(m);
    for (size_t i = 0; i < m->out->instance_count; i++) {
        pass(m, i);
        m->out->instances[i].valid = fits(m, &m->out->instances[i]);
    }
    return true;
}

/// Where the exchanges of a rank were too many for memory, candidates are.
static bool begin_spill(matching *m, pj_err *err)
{
    for (size_t r = 0; r < m->count; r++)
        if (m->ranks[r]->spill.active)
            return pj_ai_spill_begin(&m->texts->spill, err);
    return true;
}

bool pj_ai_match_ranks(pj_ai_rank *const *ranks, size_t count, bool raw_clock, pj_job *job,
                       pj_ai_match *out, pj_err *err)
{
    matching m = {.ranks = ranks, .count = count, .job = job, .out = out};
    *out = (pj_ai_match){.members = NULL};
    m.texts = pj_ai_rank_new("");
    bool ok = begin_spill(&m, err) && match_all(&m, err) &&
              pj_ai_clock_fit(ranks, count, raw_clock, out, job, err);
    if (ok) {
        judge(&m);
        ok = order_instances(&m, err);
    }
    pj_ai_spill_drop(&m.texts->spill, m.told);
    pj_ai_spill_drop(&m.texts->spill, m.untold);
    pj_ai_rank_free(m.texts);
    free(m.local);
    return ok;
}

void pj_ai_match_free(pj_ai_match *match)
{
    free(match->members);
    free(match->instances);
    *match = (pj_ai_match){.members = NULL};
}
