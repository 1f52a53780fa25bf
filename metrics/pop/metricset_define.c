// Sets defined at run time: their rows, compiled formulas and callbacks live in one arena.
#include "metrics/pop/metricset_define.h"

#include "metrics/base/arena.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "metrics/pop/measures.h"
#include "metrics/run/run_table.h"
#include "metrics/table/formula.h"
#include "metrics/table/table.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/// Where a row gets its value: a formula, else a callback.
typedef struct source {
    const pj_formula *formula;
    pj_metric_call call;
    void *context;
} source;

typedef struct pj_metric_definition {
    pj_arena *arena;
    _Atomic uint32_t references;
    pj_metric_set set;
    source *sources; // by row
    size_t *order;   // rows, each after those that its formula names
    void (*released)(void *context);
    void *context;
} pj_metric_definition;

// --- names: measures and columns of the run, those of the reference run ("ref."), earlier metrics

enum { DOMAIN_RUN = 1, DOMAIN_REFERENCE = 2 };

static size_t measure_count(void)
{
    size_t n = 0;
    while (pj_measures_row_at(n))
        n++;
    return n;
}

static size_t column_count(void)
{
    size_t n = 0;
    while (pj_run_table_stats_column(n))
        n++;
    return n;
}

/// Fills the names of one run; `prefix` is "" or "ref.".
static void add_run_names(pj_arena *arena, pj_formula_name *names, const char *prefix,
                          unsigned domain)
{
    size_t measures = measure_count();
    for (size_t i = 0; i < measures; i++)
        names[i] = (pj_formula_name){
            .name = pj_arena_format(arena, "%s%s", prefix, pj_measures_row_at(i)->name)};
    for (size_t i = 0; i < column_count(); i++)
        names[measures + i] = (pj_formula_name){
            .name = pj_arena_format(arena, "%s%s", prefix, pj_run_table_stats_column(i)->key),
            .domain = domain};
}

static size_t names_per_run(void)
{
    return measure_count() + column_count();
}

static size_t domain_rows(const void *self, unsigned domain)
{
    const pj_metric_scope *scope = self;
    const pj_measures *m = domain == DOMAIN_REFERENCE ? scope->reference : scope->run;
    return m->run->layout.locations;
}

static pj_cell cell_of_name(const void *self, size_t row, unsigned name)
{
    const pj_metric_scope *scope = self;
    size_t each = names_per_run(), measures = measure_count();
    if (name >= 2 * each) {
        pj_metric_value value = scope->earlier[name - 2 * each];
        return value.reason ? pj_cell_empty(value.reason) : pj_cell_real(value.value);
    }
    const pj_measures *m = name < each ? scope->run : scope->reference;
    size_t i = name % each;
    return i < measures ? pj_measures_value(pj_measures_row_at(i), m)
                        : pj_run_table_stats_cell(m->run, (uint32_t)row, i - measures);
}

// --- definition

typedef struct definer {
    const pj_metric_set_spec *spec;
    pj_metric_definition *made;
    pj_metric *rows;
    size_t count;                         // rows so far
    pj_formula_name *names;               // of a run, of the reference, of the rows so far
    size_t ordered;                       // rows in made->order
    enum { NEW, OPEN, ORDERED } * states; // by row
    pj_err *err;
} definer;

__attribute__((format(printf, 3, 4))) static bool fail_row(const definer *d, const char *key,
                                                           const char *format, ...)
{
    char what[900];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    return pj_fail(d->err, PJ_E_SCRIPT, NULL, 0, "metric \"%s\" of set \"%s\": %s", key,
                   d->spec->key, what);
}

static bool is_key(const char *key)
{
    pj_str s = pj_str_of(key);
    for (size_t i = 0; i < s.len; i++) {
        char c = s.at[i];
        bool letter = (c >= 'a' && c <= 'z') || c == '_', digit = c >= '0' && c <= '9';
        if (!letter && !(digit && i > 0))
            return false;
    }
    return s.len > 0;
}

static bool has_row(const definer *d, const char *key)
{
    for (size_t row = 0; row < d->count; row++)
        if (pj_str_equal(pj_str_of(key), pj_str_of(d->rows[row].key)))
            return true;
    return false;
}

static bool check_row(const definer *d, const pj_metric_spec *spec)
{
    static const char *const taken[] = {"trace",  "ranks", "threads_per_rank", "threads",
                                        "layout", "tag",   "speedup",          "runtime_s"};
    if (!spec->key || !is_key(spec->key))
        return fail_row(d, spec->key ? spec->key : "",
                        "a key is made of lower case letters, digits and underscores");
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
        if (pj_str_equal(pj_str_of(spec->key), pj_str_of(taken[i])))
            return fail_row(d, spec->key,
                            "every set has this column already; leave the row out "
                            "or give it another key");
    if (has_row(d, spec->key))
        return fail_row(d, spec->key, "an earlier row has the same key");
    if (spec->parent && !has_row(d, spec->parent))
        return fail_row(d, spec->key, "there is no row \"%s\" before it to be its parent",
                        spec->parent);
    if (!spec->formula == !spec->call)
        return fail_row(d, spec->key, "it needs either a formula or a function");
    return true;
}

/// "load_balance" -> "Load balance".
static const char *title_of_key(pj_arena *arena, const char *key)
{
    size_t len = strlen(key);
    char *title = pj_arena_alloc(arena, len + 1);
    for (size_t i = 0; i < len; i++)
        title[i] = key[i] == '_' ? ' ' : key[i];
    if (title[0] >= 'a' && title[0] <= 'z')
        title[0] = (char)(title[0] - 'a' + 'A');
    return title;
}

static const char *copy(pj_arena *arena, const char *text)
{
    return text ? pj_arena_text(arena, pj_str_of(text)) : NULL;
}

static bool define_row(definer *d, const pj_metric_spec *spec)
{
    pj_arena *arena = d->made->arena;
    if (!check_row(d, spec))
        return false;
    d->made->sources[d->count] = (source){.call = spec->call, .context = spec->context};
    const char *key = copy(arena, spec->key);
    d->names[2 * names_per_run() + d->count] = (pj_formula_name){.name = key};
    d->rows[d->count++] = (pj_metric){
        .key = key,
        .parent = copy(arena, spec->parent),
        .title = spec->title ? copy(arena, spec->title) : title_of_key(arena, key),
        .formula_text = spec->formula ? copy(arena, spec->formula) : "a function of the notebook",
        .explanation = copy(arena, spec->explanation ? spec->explanation : ""),
        .kind = spec->kind,
        .combine = spec->combine,
        .unit = spec->kind != PJ_METRIC_PLAIN ? PJ_UNIT_RATIO : spec->unit,
        .needs = spec->kind == PJ_METRIC_SCALING ? PJ_NEEDS_REFERENCE : PJ_NEEDS_NOTHING,
    };
    return true;
}

/// Once all rows are named.
static bool compile(definer *d, const pj_metric_spec *spec, source *out)
{
    pj_err err = {0};
    pj_formula_names names = {d->names, 2 * names_per_run() + d->count, PJ_FORMULA_SCALAR};
    out->formula = pj_formula_new(d->made->arena, pj_str_of(spec->formula), &names, &err);
    if (!out->formula)
        return fail_row(d, spec->key, "%s", err.text);
    if (pj_formula_is_text(out->formula))
        return fail_row(d, spec->key, "its formula gives text, not a number");
    return true;
}

/// Puts a row into the order of evaluation, after the rows that its formula names.
static bool order_row(definer *d, size_t row)
{
    const pj_formula *formula = d->made->sources[row].formula;
    if (d->states[row] == OPEN)
        return fail_row(d, d->rows[row].key, "its formula leads back to itself");
    if (d->states[row] == ORDERED)
        return true;
    d->states[row] = OPEN;
    size_t first = 2 * names_per_run();
    pj_auto_arena kept = pj_arena_new(NULL);
    bool *used = pj_new_n(kept, bool, first + d->count);
    if (formula)
        pj_formula_mark_names(formula, used);
    for (size_t name = names_per_run(); name < first; name++)
        if (used[name])
            d->rows[row].needs |= PJ_NEEDS_REFERENCE;
    for (size_t other = 0; other < d->count; other++)
        if (used[first + other] && !order_row(d, other))
            return false;
    d->states[row] = ORDERED;
    d->made->order[d->ordered++] = row;
    return true;
}

static bool define_rows(definer *d)
{
    const pj_metric_set_spec *spec = d->spec;
    for (size_t i = 0; i < spec->count; i++)
        if (!define_row(d, &spec->rows[i]))
            return false;
    for (size_t i = 0; i < spec->count; i++)
        if (spec->rows[i].formula && !compile(d, &spec->rows[i], &d->made->sources[i]))
            return false;
    for (size_t i = 0; i < spec->count; i++)
        if (!order_row(d, i))
            return false;
    return true;
}

/// Speedup and runtime are the last rows of every built-in set: the value comes from the first.
static bool call_total(void *context, const pj_metric_scope *scope, pj_metric_value *out,
                       pj_err *err)
{
    (void)context;
    (void)err;
    const pj_metric_set *any = pj_metric_set_at(0);
    size_t from_end = scope->set->count - scope->row;
    *out =
        (pj_metric_value){.value = any->value(any->count - from_end, scope->run, scope->reference)};
    return true;
}

enum { TOTALS = 2 };

static void define_totals(definer *d)
{
    const pj_metric_set *any = pj_metric_set_at(0);
    for (size_t from_end = TOTALS; from_end > 0; from_end--) {
        d->made->sources[d->count] = (source){.call = call_total};
        d->made->order[d->ordered++] = d->count;
        d->rows[d->count++] = any->rows[any->count - from_end];
    }
}

static void destroy(pj_metric_definition *made)
{
    pj_arena_free(made->arena);
    free(made);
}

const pj_metric_set *pj_metric_set_define(const pj_metric_set_spec *spec, pj_err *err)
{
    if (pj_metric_set_by_key(pj_str_of(spec->key))) {
        pj_fail(err, PJ_E_SCRIPT, NULL, 0,
                "\"%s\" is the name of a built-in set; give yours another name", spec->key);
        return NULL;
    }
    pj_metric_definition *made = pj_take_memory(sizeof *made);
    *made = (pj_metric_definition){.arena = pj_arena_new(NULL), .references = 1};
    pj_arena *arena = made->arena;
    size_t rows = spec->count + TOTALS, each = names_per_run();
    made->sources = pj_new_n(arena, source, rows);
    made->order = pj_new_n(arena, size_t, rows);
    definer d = {.spec = spec, .made = made, .err = err};
    d.states = pj_arena_alloc_n(arena, sizeof *d.states, rows);
    d.rows = pj_new_n(arena, pj_metric, rows);
    d.names = pj_new_n(arena, pj_formula_name, 2 * each + rows);
    add_run_names(arena, d.names, "", DOMAIN_RUN);
    add_run_names(arena, d.names + each, "ref.", DOMAIN_REFERENCE);
    if (!define_rows(&d)) {
        destroy(made);
        return NULL;
    }
    define_totals(&d);
    made->released = spec->released;
    made->context = spec->context;
    made->set = (pj_metric_set){.key = copy(arena, spec->key),
                                .title = copy(arena, spec->title ? spec->title : spec->key),
                                .convention = copy(arena, spec->convention),
                                .rows = d.rows,
                                .count = d.count,
                                .definition = made};
    return &made->set;
}

// --- evaluation

static pj_metric_value value_of_formula(const pj_formula *formula, const pj_metric_scope *scope)
{
    const pj_formula_rows rows = {scope, domain_rows, cell_of_name};
    pj_auto_arena kept = pj_arena_new(NULL);
    pj_cell *aggregates = pj_new_n(kept, pj_cell, pj_formula_aggregates(formula));
    pj_formula_aggregate(formula, &rows, aggregates);
    pj_cell cell = pj_formula_value(formula, &rows, 0, aggregates);
    if (cell.kind == PJ_CELL_EMPTY)
        return (pj_metric_value){.reason = cell.text ? cell.text : "there is no value"};
    return (pj_metric_value){.value = pj_cell_number(cell)};
}

static bool evaluate_row(const pj_metric_scope *scope, pj_arena *arena, pj_metric_value *out,
                         pj_err *err)
{
    const source *from = &scope->set->definition->sources[scope->row];
    if (scope->alone && scope->set->rows[scope->row].needs & PJ_NEEDS_REFERENCE)
        out->reason = scope->alone;
    else if (from->formula)
        *out = value_of_formula(from->formula, scope);
    else if (!from->call(from->context, scope, out, err))
        return false;
    if (out->reason)
        out->reason = pj_arena_text(arena, pj_str_of(out->reason));
    else if (!isfinite(out->value))
        out->reason = "the result is not a finite number";
    return true;
}

bool pj_metric_set_evaluate(const pj_metric_scope *scope, pj_arena *arena, pj_metric_value *values,
                            pj_err *err)
{
    pj_metric_scope at = *scope;
    for (size_t row = 0; row < at.set->count; row++)
        values[row].reason = "its row is not evaluated yet";
    for (size_t i = 0; i < at.set->count; i++) {
        pj_metric_value value = {0};
        at.row = at.set->definition->order[i];
        if (!evaluate_row(&at, arena, &value, err))
            return false;
        values[at.row] = value;
    }
    return true;
}

const pj_metric_set *pj_metric_set_hold(const pj_metric_set *set)
{
    if (set->definition)
        set->definition->references++;
    return set;
}

void pj_metric_set_release(const pj_metric_set *set)
{
    pj_metric_definition *made = set ? set->definition : NULL;
    if (!made || --made->references > 0)
        return;
    void (*released)(void *context) = made->released;
    void *context = made->context;
    destroy(made);
    if (released)
        released(context);
}
