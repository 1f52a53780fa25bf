// Bytes are elements times the size of their type; the whole amount is what comes out of a gather
// and what goes into the others. Factors of the bus bandwidth: NCCL tests, doc/PERFORMANCE.md.
#include "metrics/ai/ai_operations.h"

#include "metrics/ai/ai_match.h"
#include "metrics/ai/ai_rank.h"
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/map.h"
#include "metrics/base/str.h"
#include "metrics/run/ai_account.h"

#include <stdlib.h>

static const struct {
    const char *type;
    unsigned bytes;
} sizes[] = {
    {"Float", 4},  {"Int", 4},         {"Half", 2},         {"BFloat16", 2},
    {"Short", 2},  {"Long", 8},        {"Double", 8},       {"Byte", 1},
    {"Bool", 1},   {"Char", 1},        {"UInt16", 2},       {"UInt32", 4},
    {"UInt64", 8}, {"ComplexHalf", 4}, {"ComplexFloat", 8}, {"ComplexDouble", 16},
};

static unsigned size_of_type(const char *type)
{
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (strcmp(sizes[i].type, type) == 0)
            return sizes[i].bytes;
    return pj_str_starts(pj_str_of(type), PJ_S("Float8")) ? 1 : 0;
}

static uint64_t bytes_of(const pj_ai_rank *rank, const pj_ai_exchange *exchange, pj_str operation)
{
    const int64_t most = INT64_C(1) << 56;
    int64_t out = exchange->out_elements, in = exchange->in_elements;
    int64_t elements = pj_str_equal(operation, PJ_S("allgather")) ? out : in > 0 ? in : out;
    return elements > 0 && elements < most
               ? (uint64_t)elements * size_of_type(rank->names[exchange->type])
               : 0;
}

static double bus_factor(pj_str operation, uint64_t members)
{
    static const struct {
        pj_str operation;
        double factor; // times (n - 1) / n
    } factors[] = {{{"allreduce", 9}, 2},
                   {{"allgather", 9}, 1},
                   {{"reducescatter", 13}, 1},
                   {{"all_to_all", 10}, 1},
                   {{"all_to_allv", 11}, 1}};
    for (size_t i = 0; i < sizeof factors / sizeof *factors && members; i++)
        if (pj_str_equal(operation, factors[i].operation))
            return factors[i].factor * (double)(members - 1) / (double)members;
    return 1;
}

/// The name of a group without the list of its ranks.
static pj_str name_of_group(const char *group)
{
    pj_str text = pj_str_of(group);
    return pj_str_trim(pj_str_head(text, pj_str_find_last(text, '[')));
}

/// With its first ranks, for groups that share their name: "tp [0, 1, 2, ...]".
static const char *name_with_ranks(pj_arena *arena, const char *group)
{
    enum { RANKS_MOST = 4 };
    pj_str text = pj_str_of(group), rest = text;
    rest = pj_str_from(rest, pj_str_find_last(rest, '['));
    for (unsigned i = 0; i < RANKS_MOST && rest.len; i++)
        pj_str_cut(&rest, ',');
    if (!rest.len)
        return pj_arena_text(arena, text);
    return pj_arena_format(arena, "%.*s ...]", (int)(text.len - rest.len), text.at);
}

static pj_str operation_of(const pj_ai_rank *rank, const pj_ai_exchange *exchange)
{
    pj_str text = pj_ai_operation_class(pj_str_of(rank->names[exchange->operation]));
    if (text.len)
        return text;
    text = pj_str_of(rank->names[exchange->kernel]);
    size_t round = pj_str_find(text, '('), angle = pj_str_find(text, '<');
    return pj_str_head(text, round < angle ? round : angle);
}

/// How far the ends of an instance are apart, and the row that it counts in.
typedef struct skew {
    size_t row;
    int64_t ns;
} skew;

typedef struct summing {
    skew *skews;
    size_t skew_count, skew_cap;
    pj_ai_rank *texts;
    pj_map by_name;
    pj_ai_operation *items;
    size_t count, cap;
} summing;

static pj_ai_operation *row_of(summing *s, const pj_ai_rank *rank, const pj_ai_exchange *exchange)
{
    uint32_t found;
    uint32_t group = pj_ai_rank_name(s->texts, pj_str_of(rank->names[exchange->group]));
    uint32_t operation = pj_ai_rank_name(s->texts, operation_of(rank, exchange));
    uint64_t key = (uint64_t)group << 32 | operation;
    if (pj_map_get(&s->by_name, key, &found))
        return &s->items[found];
    pj_map_put(&s->by_name, key, (uint32_t)s->count);
    pj_grow(s->items, &s->cap, s->count + 1);
    s->items[s->count] =
        (pj_ai_operation){.group = s->texts->names[group], .operation = s->texts->names[operation]};
    return &s->items[s->count++];
}

static int by_name(const void *a, const void *b)
{
    const pj_ai_operation *x = a, *y = b;
    int order = strcmp(x->group, y->group);
    return order ? order : strcmp(x->operation, y->operation);
}

static int by_row(const void *a, const void *b)
{
    const skew *x = a, *y = b;
    if (x->row != y->row)
        return x->row < y->row ? -1 : 1;
    return (x->ns > y->ns) - (x->ns < y->ns);
}

static void add_skew(summing *s, const pj_ai_ranks *ranks, const pj_ai_instance *instance,
                     const pj_ai_operation *row)
{
    int64_t least = INT64_MAX, most = INT64_MIN;
    for (uint32_t i = 0; i < instance->count; i++) {
        const pj_ai_member *member = &ranks->match->members[instance->first + i];
        const pj_ai_rank *rank = ranks->items[member->rank];
        int64_t end = pj_ai_rank_common(rank, rank->exchanges[member->exchange].end);
        least = end < least ? end : least;
        most = end > most ? end : most;
    }
    pj_grow(s->skews, &s->skew_cap, s->skew_count + 1);
    s->skews[s->skew_count++] = (skew){(size_t)(row - s->items), most - least};
}

/// The lower median of each row, and what is above 99 %.
static void settle_skews(summing *s)
{
    if (s->skew_count)
        qsort(s->skews, s->skew_count, sizeof *s->skews, by_row);
    for (size_t i = 0, end; i < s->skew_count; i = end) {
        for (end = i; end < s->skew_count && s->skews[end].row == s->skews[i].row;)
            end++;
        pj_ai_operation *row = &s->items[s->skews[i].row];
        row->skew_ns = (uint64_t)s->skews[i + (end - i - 1) / 2].ns;
        row->skew_most_ns = (uint64_t)s->skews[i + (end - i - 1) * 99 / 100].ns;
    }
    free(s->skews);
}

/// Whether anything of it is looked at.
static bool counts(const pj_ai_ranks *ranks, const pj_ai_instance *instance)
{
    bool any = false;
    for (uint32_t i = 0; i < instance->count && !any; i++) {
        const pj_ai_member *member = &ranks->match->members[instance->first + i];
        const pj_ai_rank *rank = ranks->items[member->rank];
        const pj_ai_exchange *exchange = &rank->exchanges[member->exchange];
        any = !rank->windowed || pj_ai_rank_inside(rank, exchange->begin, exchange->end) > 0;
    }
    return any;
}

static void add_instance(summing *s, const pj_ai_ranks *ranks, const pj_ai_instance *instance)
{
    const pj_ai_member *members = ranks->match->members + instance->first;
    for (uint32_t i = 0; i < instance->count; i++) {
        const pj_ai_rank *rank = ranks->items[members[i].rank];
        const pj_ai_exchange *exchange = &rank->exchanges[members[i].exchange];
        int64_t wait = pj_ai_rank_inside(rank, exchange->begin, exchange->begin + exchange->wait);
        pj_ai_operation *row = row_of(s, rank, exchange);
        row->records++;
        row->unsplit += !exchange->split;
        row->wait_ns += (uint64_t)wait;
        row->waiting += wait > 0;
        row->exposed_ns += exchange->exposed;
        row->members = instance->count > row->members ? instance->count : row->members;
        bool own = !i || pj_ai_operation_is_message(operation_of(rank, exchange)); // its own row
        if (!own || !instance->valid)
            continue;
        row->instances++;
        row->bytes += bytes_of(rank, exchange, operation_of(rank, exchange));
        row->transfer_ns += (uint64_t)(exchange->end - exchange->begin - exchange->wait);
        if (instance->count > 1)
            add_skew(s, ranks, instance, row);
    }
}

/// What groups are called: by their names, and by their ranks where names are not theirs alone.
static void name_groups(summing *s, pj_arena *arena)
{
    pj_map first = {.count = 0};
    bool *shared = pj_take_zeros(s->texts->name_count + s->count + 1);
    for (size_t i = 0; i < s->count; i++) {
        uint32_t group = pj_ai_rank_name(s->texts, pj_str_of(s->items[i].group)), found;
        uint32_t name = pj_ai_rank_name(s->texts, name_of_group(s->items[i].group));
        if (!pj_map_get(&first, name, &found))
            pj_map_put(&first, name, group);
        else if (found != group)
            shared[name] = true;
    }
    for (size_t i = 0; i < s->count; i++) {
        pj_str name = name_of_group(s->items[i].group);
        s->items[i].group = shared[pj_ai_rank_name(s->texts, name)]
                                ? name_with_ranks(arena, s->items[i].group)
                                : pj_arena_text(arena, name);
    }
    pj_map_free(&first);
    free(shared);
}

void pj_ai_operations(const pj_ai_ranks *ranks, pj_arena *arena, pj_ai_account *account)
{
    summing s = {.texts = pj_ai_rank_new("")};
    for (size_t i = 0; i < ranks->match->instance_count; i++) {
        pj_ai_ranks_pass(ranks->items, ranks->count, i);
        if (counts(ranks, &ranks->match->instances[i]))
            add_instance(&s, ranks, &ranks->match->instances[i]);
    }
    settle_skews(&s);
    if (s.count)
        qsort(s.items, s.count, sizeof *s.items, by_name);
    name_groups(&s, arena);
    account->operations = pj_new_n(arena, pj_ai_operation, s.count + 1);
    account->operation_count = (uint32_t)s.count;
    for (size_t i = 0; i < s.count; i++) {
        pj_ai_operation *row = &account->operations[i];
        *row = s.items[i];
        row->operation = pj_arena_text(arena, pj_str_of(row->operation));
        row->bus_factor = bus_factor(pj_str_of(row->operation), row->members);
    }
    pj_map_free(&s.by_name);
    free(s.items);
    pj_ai_rank_free(s.texts);
}
