// Keys of rows as data: a number or a text each; call paths in the order of their tree.
#include "metrics/profile/row_order.h"

#include "metrics/base/buf.h"
#include "metrics/base/sort.h"
#include "metrics/base/suggest.h"
#include "metrics/profile/function_name.h"
#include "metrics/profile/profile.h"
#include "metrics/profile/profile_graph.h"
#include "metrics/profile/profile_names.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct ordering ordering;

typedef struct sort_key {
    const char *name;
    double (*number)(const ordering *o, const pj_profile_row *row);
    pj_str (*text)(const ordering *o, const pj_profile_row *row);
    bool upwards; // a number whose small values come first
} sort_key;

typedef struct chosen_key {
    const sort_key *key;
    bool turned;
} chosen_key;

enum { MOST_KEYS = 16 };

struct ordering {
    const atomic_bool *stop;
    const pj_profile *p;
    const pj_profile_rows *rows;
    pj_profile_grouping by;
    chosen_key keys[MOST_KEYS];
    size_t key_count;
};

static double exclusive(const ordering *o, const pj_profile_row *row)
{
    (void)o;
    return row->exclusive;
}

static double inclusive(const ordering *o, const pj_profile_row *row)
{
    (void)o;
    return row->inclusive;
}

static double calls(const ordering *o, const pj_profile_row *row)
{
    if (!o->rows->whole_calls)
        return o->rows->has_calls ? row->calls.real : NAN;
    return row->calls.whole == PJ_ABSENT_WHOLE ? NAN : (double)row->calls.whole;
}

static double primitive_calls(const ordering *o, const pj_profile_row *row)
{
    if (!o->rows->whole_primitive)
        return o->rows->has_primitive ? row->primitive_calls.real : NAN;
    return row->primitive_calls.whole == PJ_ABSENT_WHOLE ? NAN : (double)row->primitive_calls.whole;
}

static double mean(const ordering *o, const pj_profile_row *row)
{
    (void)o;
    return row->mean;
}

static double most(const ordering *o, const pj_profile_row *row)
{
    (void)o;
    return row->most;
}

static double least(const ordering *o, const pj_profile_row *row)
{
    (void)o;
    return row->least;
}

static double deviation(const ordering *o, const pj_profile_row *row)
{
    (void)o;
    return row->deviation;
}

static double balance(const ordering *o, const pj_profile_row *row)
{
    (void)o;
    return row->balance;
}

static double have(const ordering *o, const pj_profile_row *row)
{
    (void)o;
    return row->have;
}

static double where(const ordering *o, const pj_profile_row *row)
{
    (void)o;
    return (double)row->where;
}

static double rank(const ordering *o, const pj_profile_row *row)
{
    (void)o;
    return (double)row->rank;
}

static double thread(const ordering *o, const pj_profile_row *row)
{
    (void)o;
    return (double)row->thread;
}

static uint32_t region_of(const ordering *o, const pj_profile_row *row)
{
    if (o->by.item == PJ_BY_PATH)
        return o->p->nodes[row->item].region;
    return o->by.item == PJ_BY_FUNCTION ? row->item : PJ_NO_ITEM;
}

static double line(const ordering *o, const pj_profile_row *row)
{
    uint32_t region = region_of(o, row);
    return region == PJ_NO_ITEM ? (double)NAN : (double)o->p->regions[region].line;
}

static double depth(const ordering *o, const pj_profile_row *row)
{
    return o->by.item == PJ_BY_PATH ? (double)o->p->nodes[row->item].depth : (double)NAN;
}

static pj_str function(const ordering *o, const pj_profile_row *row)
{
    uint32_t region = region_of(o, row);
    return region == PJ_NO_ITEM ? (pj_str){0} : pj_profile_name(o->p, region);
}

/// The file of a function, or the text of a module, file or group.
static pj_str file(const ordering *o, const pj_profile_row *row)
{
    uint32_t region = region_of(o, row);
    if (region != PJ_NO_ITEM)
        return o->p->texts[o->p->regions[region].file];
    bool is_text = o->by.item >= PJ_BY_MODULE;
    return is_text ? o->p->texts[row->item & ~PJ_ROW_IS_FILE] : (pj_str){0};
}

static pj_str module(const ordering *o, const pj_profile_row *row)
{
    uint32_t region = region_of(o, row);
    if (region != PJ_NO_ITEM)
        return pj_function_module(o->p, region);
    pj_str text = file(o, row);
    bool is_file = o->by.item == PJ_BY_MODULE && row->item & PJ_ROW_IS_FILE;
    return is_file ? pj_profile_module_of_file(text) : text;
}

static const sort_key sort_keys[] = {
    {"exclusive", exclusive, NULL, false},
    {"inclusive", inclusive, NULL, false},
    {"calls", calls, NULL, false},
    {"primitive_calls", primitive_calls, NULL, false},
    {"function", NULL, function, false},
    {"file", NULL, file, false},
    {"line", line, NULL, true},
    {"module", NULL, module, false},
    {"group", NULL, file, false},
    {"rank", rank, NULL, true},
    {"thread", thread, NULL, true},
    {"depth", depth, NULL, true},
    {"ranks", have, NULL, false},
    {"threads", have, NULL, false},
    {"exclusive_min", least, NULL, false},
    {"exclusive_mean", mean, NULL, false},
    {"exclusive_max", most, NULL, false},
    {"exclusive_std", deviation, NULL, false},
    {"max_rank", where, NULL, true},
    {"max_thread", where, NULL, true},
    {"load_balance", balance, NULL, true},
};

/// "exclusive_s" and "exclusive_<metric>" are "exclusive".
static bool is_called(const sort_key *key, pj_str asked, const pj_measure *measure)
{
    pj_str name = pj_str_of(key->name);
    if (pj_str_equal(asked, name))
        return true;
    bool of_metric = measure && (key->number == exclusive || key->number == inclusive ||
                                 pj_str_starts(name, PJ_S("exclusive_")));
    if (!of_metric || !pj_str_starts(asked, name) || asked.len == name.len ||
        asked.at[name.len] != '_')
        return false;
    pj_str end = pj_str_from(asked, name.len + 1);
    return pj_str_equal(end, PJ_S("s")) || pj_str_equal(end, pj_str_of(measure->key));
}

static bool choose_key(ordering *o, pj_str asked, const pj_measure *measure, pj_err *err)
{
    bool turned = pj_str_starts(asked, PJ_S("-"));
    asked = turned ? pj_str_from(asked, 1) : asked;
    size_t count = sizeof sort_keys / sizeof *sort_keys;
    for (size_t i = 0; i < count && o->key_count < MOST_KEYS; i++)
        if (is_called(&sort_keys[i], asked, measure)) {
            o->keys[o->key_count++] = (chosen_key){&sort_keys[i], turned};
            return true;
        }
    pj_suggest suggest = {.word = asked};
    pj_auto_buf known = {0}, hint = {0};
    for (size_t i = 0; i < count; i++) {
        pj_suggest_try(&suggest, sort_keys[i].name);
        pj_buf_addf(&known, "%s%s", i ? ", " : "", sort_keys[i].name);
    }
    pj_suggest_add(&suggest, &hint);
    return pj_fail(err, PJ_E_USAGE, NULL, 0, "sort: unknown key \"" PJ_STR_FMT "\"%s valid: %s",
                   PJ_STR_ARG(asked), hint.at, known.at);
}

static int order_numbers(double a, double b, bool upwards)
{
    if (isnan(a) || isnan(b))
        return isnan(a) - isnan(b); // absent last
    return upwards ? (a > b) - (a < b) : (a < b) - (a > b);
}

static int order_rows(const ordering *o, const pj_profile_row *x, const pj_profile_row *y)
{
    for (size_t k = 0; k < o->key_count; k++) {
        const sort_key *key = o->keys[k].key;
        bool turned = o->keys[k].turned;
        int order = key->number ? order_numbers(key->number(o, x), key->number(o, y),
                                                key->upwards != turned)
                                : pj_str_order_natural(key->text(o, x), key->text(o, y));
        if (order)
            return !key->number && turned ? -order : order;
    }
    return (x->place > y->place) - (x->place < y->place);
}

static int by_keys(const void *a, const void *b, void *context)
{
    const ordering *o = context;
    return order_rows(o, &o->rows->rows[*(const size_t *)a], &o->rows->rows[*(const size_t *)b]);
}

/// Parents before children, among children the largest inclusive value first.
typedef struct sibling {
    double value;
    uint32_t parent, node; // parent: 0 = none, else 1 + its number
} sibling;

static int by_value(const void *a, const void *b)
{
    const sibling *x = a, *y = b;
    if (x->parent != y->parent)
        return x->parent < y->parent ? -1 : 1;
    int order = order_numbers(x->value, y->value, false);
    return order ? order : (x->node > y->node) - (x->node < y->node);
}

/// Positions of the nodes in the tree as it is printed; NULL when stopped.
static uint32_t *tree_positions(const ordering *o, pj_arena *arena)
{
    const pj_profile *p = o->p;
    const pj_profile_rows *rows = o->rows;
    uint32_t nodes = p->count[PJ_AT_NODE], last = 0;
    sibling *siblings = pj_new_n(arena, sibling, nodes + (size_t)1);
    uint32_t *first = pj_new_n(arena, uint32_t, nodes + (size_t)2);
    uint32_t *position = pj_new_n(arena, uint32_t, nodes);
    uint32_t *stack = pj_new_n(arena, uint32_t, nodes + (size_t)1);
    for (uint32_t n = 0; n < nodes; n++)
        siblings[n] = (sibling){NAN, p->nodes[n].parent + 1, n};
    for (size_t i = 0; i < rows->count; i++) {
        double value = rows->rows[i].inclusive, *has = &siblings[rows->rows[i].item].value;
        *has = *has >= value ? *has : value;
    }
    if (!pj_sort_records(siblings, nodes, sizeof *siblings, by_value, o->stop))
        return NULL;
    for (uint32_t i = 0; i < nodes; i++)
        first[siblings[i].parent + 1]++;
    for (uint32_t i = 0; i <= nodes; i++)
        first[i + 1] += first[i];
    uint32_t depth_count = 0;
    for (uint32_t i = first[1]; i-- > first[0];)
        stack[depth_count++] = siblings[i].node;
    while (depth_count > 0) {
        uint32_t n = stack[--depth_count];
        position[n] = last++;
        for (uint32_t i = first[n + 2]; i-- > first[n + 1];)
            stack[depth_count++] = siblings[i].node;
    }
    return position;
}

static bool stopped(pj_err *err)
{
    return pj_fail(err, PJ_E_STOPPED, NULL, 0, "interrupted");
}

/// What is done where no key is named.
static bool choose_usual(ordering *o, const pj_measure *measure, pj_arena *arena, pj_err *err)
{
    pj_profile_row *rows = o->rows->rows;
    if (o->by.item == PJ_BY_NOTHING)
        return choose_key(o, PJ_S("rank"), measure, err) &&
               choose_key(o, PJ_S("thread"), measure, err);
    if (o->by.item != PJ_BY_PATH)
        return choose_key(o,
                          !measure                 ? PJ_S("calls")
                          : o->rows->has_exclusive ? PJ_S("exclusive")
                                                   : PJ_S("inclusive"),
                          measure, err);
    const uint32_t *position = tree_positions(o, arena);
    if (!position)
        return stopped(err);
    for (size_t i = 0; i < o->rows->count; i++)
        rows[i].place |= (uint64_t)position[rows[i].item] << 32;
    return true;
}

static bool sort_all(ordering *o, pj_profile_rows *rows)
{
    size_t *order = pj_take_memory((rows->count + 1) * sizeof *order);
    for (size_t i = 0; i < rows->count; i++)
        order[i] = i;
    bool sorted = pj_sort(order, rows->count, by_keys, o, o->stop);
    pj_profile_row *made = pj_take_memory((rows->count + 1) * sizeof *made);
    for (size_t i = 0; sorted && i < rows->count; i++)
        made[i] = rows->rows[order[i]];
    if (sorted && rows->count)
        memcpy(rows->rows, made, rows->count * sizeof *made);
    free(made);
    free(order);
    return sorted;
}

/// Few rows of many are picked in one pass: each is held against the last of the best so far.
static bool sort_rows(ordering *o, pj_profile_rows *rows, size_t first)
{
    enum { FEW = 256 };
    pj_profile_row *all = rows->rows;
    if (first > FEW || first >= rows->count)
        return sort_all(o, rows);
    for (size_t i = 0; first > 0 && i < rows->count; i++) {
        size_t to = i < first ? i : first;
        pj_profile_row row = all[i];
        if (i >= first && order_rows(o, &row, &all[first - 1]) > 0)
            continue;
        if (i >= first)
            all[i] = all[--to];
        for (; to > 0 && order_rows(o, &row, &all[to - 1]) < 0; to--)
            all[to] = all[to - 1];
        all[to] = row;
    }
    return true;
}

bool pj_row_order(const pj_profile *p, pj_profile_rows *rows, pj_row_ordering how, pj_arena *arena,
                  pj_err *err)
{
    ordering o = {.p = p, .rows = rows, .by = how.by, .stop = how.stop};
    pj_str keys = how.keys;
    for (size_t i = 0; i < rows->count; i++)
        rows->rows[i].place = i;
    while (keys.len) {
        pj_str key = pj_str_trim(pj_str_cut(&keys, ','));
        if (key.len && !choose_key(&o, key, how.measure, err))
            return false;
    }
    if (!o.key_count && !choose_usual(&o, how.measure, arena, err))
        return false;
    return sort_rows(&o, rows, how.first) || stopped(err);
}
