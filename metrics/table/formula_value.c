// Evaluation of compiled formulas. Empty operands give empty results with the same reason, except
// where the other operand of `and`, `or` decides alone.
#include "metrics/base/str.h"
#include "metrics/table/fold.h"
#include "metrics/table/formula.h"
#include "metrics/table/formula_node.h"
#include "metrics/table/table.h"

#include <math.h>

/// Where names and aggregates get their cells in one row.
typedef struct scope {
    const pj_formula_rows *rows;
    size_t row;
    const pj_cell *aggregates;
} scope;

static pj_cell real_or_empty(double value)
{
    return isfinite(value) ? pj_cell_real(value)
                           : pj_cell_empty("the result is not a finite number");
}

static pj_cell truth(bool value)
{
    return pj_cell_int(value);
}

static bool is_true(pj_cell cell)
{
    return cell.kind == PJ_CELL_INT ? cell.integer != 0 : pj_cell_number(cell) != 0;
}

static pj_cell modulo(pj_cell a, pj_cell b)
{
    if (a.kind == PJ_CELL_INT && b.kind == PJ_CELL_INT) {
        int64_t left = b.integer == -1 ? 0 : a.integer % b.integer;
        bool signs_differ = left != 0 && (left < 0) != (b.integer < 0);
        return pj_cell_int(signs_differ ? left + b.integer : left);
    }
    double x = pj_cell_number(a), y = pj_cell_number(b);
    return real_or_empty(x - floor(x / y) * y);
}

/// Whole numbers stay whole where the result is whole and fits.
static pj_cell arithmetic(pj_formula_kind kind, pj_cell a, pj_cell b)
{
    bool whole = a.kind == PJ_CELL_INT && b.kind == PJ_CELL_INT;
    double x = pj_cell_number(a), y = pj_cell_number(b);
    int64_t result;
    if ((kind == PJ_NODE_DIVIDE || kind == PJ_NODE_MODULO) && y == 0)
        return pj_cell_empty("division by zero");
    if (kind == PJ_NODE_ADD)
        return whole && !__builtin_add_overflow(a.integer, b.integer, &result)
                   ? pj_cell_int(result)
                   : real_or_empty(x + y);
    if (kind == PJ_NODE_SUBTRACT)
        return whole && !__builtin_sub_overflow(a.integer, b.integer, &result)
                   ? pj_cell_int(result)
                   : real_or_empty(x - y);
    if (kind == PJ_NODE_MULTIPLY)
        return whole && !__builtin_mul_overflow(a.integer, b.integer, &result)
                   ? pj_cell_int(result)
                   : real_or_empty(x * y);
    if (kind == PJ_NODE_MODULO)
        return modulo(a, b);
    return real_or_empty(kind == PJ_NODE_DIVIDE ? x / y : pow(x, y));
}

/// -1, 0, 1; texts in natural order, whole numbers exactly.
static int order(pj_cell a, pj_cell b)
{
    if (a.kind == PJ_CELL_TEXT)
        return pj_str_order_natural(pj_str_of(a.text), pj_str_of(b.text));
    if (a.kind == PJ_CELL_INT && b.kind == PJ_CELL_INT)
        return (a.integer > b.integer) - (a.integer < b.integer);
    double x = pj_cell_number(a), y = pj_cell_number(b);
    return (x > y) - (x < y);
}

static pj_cell compare(pj_formula_kind kind, pj_cell a, pj_cell b)
{
    int o = order(a, b);
    if (kind == PJ_NODE_EQUAL)
        return truth(o == 0);
    if (kind == PJ_NODE_UNEQUAL)
        return truth(o != 0);
    if (kind == PJ_NODE_LESS)
        return truth(o < 0);
    if (kind == PJ_NODE_LESS_EQUAL)
        return truth(o <= 0);
    return truth(kind == PJ_NODE_GREATER ? o > 0 : o >= 0);
}

static pj_cell value_of(const pj_formula_node *node, const scope *at);

/// The operand that decides alone (0 for `and`, not 0 for `or`) wins over an empty one.
static pj_cell connect(const pj_formula_node *node, const scope *at)
{
    bool decisive = node->kind == PJ_NODE_OR;
    pj_cell a = value_of(node->left, at);
    if (a.kind != PJ_CELL_EMPTY && is_true(a) == decisive)
        return truth(decisive);
    pj_cell b = value_of(node->right, at);
    if (b.kind != PJ_CELL_EMPTY && is_true(b) == decisive)
        return truth(decisive);
    if (a.kind == PJ_CELL_EMPTY || b.kind == PJ_CELL_EMPTY)
        return a.kind == PJ_CELL_EMPTY ? a : b;
    return truth(!decisive);
}

static pj_cell round_by(double (*rounding)(double), pj_cell x)
{
    return x.kind == PJ_CELL_INT ? x : real_or_empty(rounding(x.real));
}

static pj_cell absolute(pj_cell x)
{
    if (x.kind == PJ_CELL_INT && x.integer != INT64_MIN)
        return pj_cell_int(x.integer < 0 ? -x.integer : x.integer);
    return real_or_empty(fabs(pj_cell_number(x)));
}

static pj_cell extreme(const pj_formula_node *node, const scope *at)
{
    pj_folding folding = {.fold = node->function == PJ_FUNCTION_max ? PJ_FOLD_MAX : PJ_FOLD_MIN};
    for (size_t i = 0; i < node->argument_count; i++)
        pj_folding_add(&folding, value_of(node->arguments[i], at));
    return pj_folding_result(&folding);
}

static pj_cell text_test(pj_formula_function function, pj_cell text, pj_cell part)
{
    if (text.kind == PJ_CELL_EMPTY || part.kind == PJ_CELL_EMPTY)
        return text.kind == PJ_CELL_EMPTY ? text : part;
    pj_str s = pj_str_of(text.text), p = pj_str_of(part.text);
    if (function == PJ_FUNCTION_starts)
        return truth(pj_str_starts(s, p));
    return truth(function == PJ_FUNCTION_ends ? pj_str_ends(s, p) : pj_str_contains(s, p));
}

static pj_cell call(const pj_formula_node *node, const scope *at)
{
    if (node->function == PJ_FUNCTION_min || node->function == PJ_FUNCTION_max)
        return extreme(node, at);
    pj_cell x = value_of(node->arguments[0], at);
    if (node->function == PJ_FUNCTION_empty)
        return truth(x.kind == PJ_CELL_EMPTY);
    if (x.kind == PJ_CELL_EMPTY)
        return x;
    switch (node->function) {
    case PJ_FUNCTION_abs:
        return absolute(x);
    case PJ_FUNCTION_sqrt:
        return real_or_empty(sqrt(pj_cell_number(x)));
    case PJ_FUNCTION_exp:
        return real_or_empty(exp(pj_cell_number(x)));
    case PJ_FUNCTION_log:
        return real_or_empty(log(pj_cell_number(x)));
    case PJ_FUNCTION_log2:
        return real_or_empty(log2(pj_cell_number(x)));
    case PJ_FUNCTION_log10:
        return real_or_empty(log10(pj_cell_number(x)));
    case PJ_FUNCTION_floor:
        return round_by(floor, x);
    case PJ_FUNCTION_ceil:
        return round_by(ceil, x);
    case PJ_FUNCTION_round:
        return round_by(round, x);
    case PJ_FUNCTION_if:
        return value_of(node->arguments[is_true(x) ? 1 : 2], at);
    case PJ_FUNCTION_starts:
    case PJ_FUNCTION_ends:
    case PJ_FUNCTION_contains:
        return text_test(node->function, x, value_of(node->arguments[1], at));
    case PJ_FUNCTION_min:
    case PJ_FUNCTION_max:
    case PJ_FUNCTION_empty:
    case PJ_FUNCTION_COUNT:
        break;
    }
    return pj_cell_empty(NULL);
}

static pj_cell negate(pj_cell x)
{
    int64_t result;
    if (x.kind == PJ_CELL_INT && !__builtin_sub_overflow((int64_t)0, x.integer, &result))
        return pj_cell_int(result);
    return pj_cell_real(-pj_cell_number(x));
}

static pj_cell named(const pj_formula_node *node, const scope *at)
{
    pj_cell cell = at->rows->cell(at->rows->self, at->row, node->index);
    if (cell.kind != PJ_CELL_EMPTY && (cell.kind == PJ_CELL_TEXT) != node->text)
        return pj_cell_empty(node->text ? "the cell holds no text" : "the cell holds no number");
    return cell.kind == PJ_CELL_REAL ? real_or_empty(cell.real) : cell;
}

static pj_cell value_of(const pj_formula_node *node, const scope *at)
{
    if (node->kind == PJ_NODE_CONSTANT)
        return node->constant;
    if (node->kind == PJ_NODE_NAME)
        return named(node, at);
    if (node->kind == PJ_NODE_AGGREGATE)
        return at->aggregates[node->index];
    if (node->kind == PJ_NODE_CALL)
        return call(node, at);
    if (node->kind == PJ_NODE_AND || node->kind == PJ_NODE_OR)
        return connect(node, at);
    pj_cell a = value_of(node->left, at);
    if (a.kind == PJ_CELL_EMPTY)
        return a;
    if (node->kind == PJ_NODE_MINUS)
        return negate(a);
    if (node->kind == PJ_NODE_NOT)
        return truth(!is_true(a));
    pj_cell b = value_of(node->right, at);
    if (b.kind == PJ_CELL_EMPTY)
        return b;
    return node->kind <= PJ_NODE_GREATER_EQUAL ? compare(node->kind, a, b)
                                               : arithmetic(node->kind, a, b);
}

void pj_formula_aggregate(const pj_formula *formula, const pj_formula_rows *rows, pj_cell *out)
{
    for (size_t i = 0; i < formula->aggregate_count; i++) {
        const pj_formula_aggregate_of *aggregate = &formula->aggregates[i];
        pj_folding folding = {.fold = aggregate->fold};
        size_t count = rows->count(rows->self, aggregate->domain);
        scope at = {.rows = rows};
        for (; at.row < count; at.row++)
            pj_folding_add(&folding, value_of(aggregate->of, &at));
        out[i] = pj_folding_result(&folding);
    }
}

pj_cell pj_formula_value(const pj_formula *formula, const pj_formula_rows *rows, size_t row,
                         const pj_cell *aggregates)
{
    const scope at = {rows, row, aggregates};
    return value_of(formula->root, &at);
}

static void mark_names(const pj_formula_node *node, bool *used)
{
    if (node->kind == PJ_NODE_NAME)
        used[node->index] = true;
    if (node->left)
        mark_names(node->left, used);
    if (node->right)
        mark_names(node->right, used);
    for (size_t i = 0; i < node->argument_count; i++)
        mark_names(node->arguments[i], used);
}

void pj_formula_mark_names(const pj_formula *formula, bool *used)
{
    mark_names(formula->root, used);
    for (size_t i = 0; i < formula->aggregate_count; i++)
        mark_names(formula->aggregates[i].of, used);
}

bool pj_formula_is_text(const pj_formula *formula)
{
    return formula->root->text;
}

size_t pj_formula_aggregates(const pj_formula *formula)
{
    return formula->aggregate_count;
}
