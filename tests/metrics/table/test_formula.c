// Formulas: values, types, empty cells, aggregates, errors.
#include "metrics/table/formula.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/// Columns of three rows; `name` is text, `gap` is empty in row 1, `alone` has one value.
enum { A, B, NAME, GAP, OTHER, ALONE, COLUMN, ONE_AND_MANY, SPELT, NAMES };
static const pj_formula_name name_rows[NAMES] = {
    [A] = {"a", false, 1},
    [B] = {"b.x", false, 1},
    [NAME] = {"name", true, 1},
    [GAP] = {"gap", false, 1},
    [OTHER] = {"other", false, 2},
    [ALONE] = {"alone", false, PJ_FORMULA_SCALAR},
    [COLUMN] = {"two words", false, 1},
    [ONE_AND_MANY] = {"alone", false, 2},
    [SPELT] = {"serialisation", false, 1},
};
static const pj_formula_names names = {name_rows, NAMES, 1};

static size_t count_rows(const void *self, unsigned domain)
{
    (void)self;
    return domain == 1 ? 3 : 2;
}

static pj_cell cell_at(const void *self, size_t row, unsigned name)
{
    (void)self;
    static const char *const texts[] = {"MPI_Send", "MPI_Recv", "main"};
    static const double reals[] = {0.5, 1.5, -2.5};
    switch (name) {
    case A:
        return pj_cell_int((int64_t)row + 1);
    case B:
        return pj_cell_real(reals[row]);
    case NAME:
        return pj_cell_text(texts[row]);
    case GAP:
        return row == 1 ? pj_cell_empty("not measured") : pj_cell_int(10);
    case OTHER:
        return pj_cell_int(100 + (int64_t)row);
    case ALONE:
        return pj_cell_int(7);
    case COLUMN:
        return pj_cell_real(NAN);
    default: // "alone" as a column, serialisation
        return pj_cell_int(3);
    }
}

static const pj_formula_rows rows = {NULL, count_rows, cell_at};

/// Value in a row; a text is copied into `kept`.
static pj_cell evaluate(pj_arena *kept, const char *text, size_t row)
{
    pj_err err = {0};
    const pj_formula *formula = pj_formula_new(kept, pj_str_of(text), &names, &err);
    if (!formula)
        fail_msg("%s: %s", text, err.text);
    pj_cell *aggregates = pj_new_n(kept, pj_cell, pj_formula_aggregates(formula));
    pj_formula_aggregate(formula, &rows, aggregates);
    return pj_formula_value(formula, &rows, row, aggregates);
}

/// Values in row 1.
static const struct {
    const char *text;
    double value;
} number_cases[] = {
    {"1 + 2 * 3", 7},
    {"(1 + 2) * 3", 9},
    {"7 / 2", 3.5},
    {"7 % 3", 1},
    {"-7 % 3", 2},
    {"7 % -3", -2},
    {"7.5 % 2", 1.5},
    {"-2 ^ 2", -4},
    {"2 ^ -1", 0.5},
    {"2 ^ 3 ^ 2", 512},
    {"10 - 4 - 3", 3},
    {"24 / 4 / 3", 2},
    {"--3", 3},
    {"+3", 3},
    {"1e3 + .5", 1000.5},
    {"1.5e-3", 0.0015},
    {"1 < 2", 1},
    {"2 <= 1", 0},
    {"1 + 1 == 2", 1},
    {"1 = 1", 1},
    {"1 != 1", 0},
    {"1 ~= 2", 1},
    {"1 <> 2", 1},
    {"1 > 0 and 2 >= 3", 0},
    {"1 > 0 or 2 >= 3", 1},
    {"1 && 0 || 1", 1},
    {"not 1 > 2", 1},
    {"not 1 and 0", 0},
    {"!0", 1},
    {"min(3, 1, 2)", 1},
    {"max(3, 1 + 4)", 5},
    {"abs(-3)", 3},
    {"sqrt(9)", 3},
    {"log(exp(2))", 2},
    {"log2(8)", 3},
    {"log10(1000)", 3},
    {"floor(-1.5)", -2},
    {"ceil(1.2)", 2},
    {"round(2.5)", 3},
    {"if(1 > 2, 10, 20)", 20},
    {"a", 2},
    {"b.x * 2", 3},
    {"alone - a", 5},
    {"name == 'MPI_Recv'", 1},
    {"name < \"main\"", 1},
    {"starts(name, 'MPI_')", 1},
    {"ends(name, 'nd')", 0},
    {"contains(name, 'Re')", 1},
    {"empty(gap)", 1},
    {"if(empty(gap), 0, gap)", 0},
    {"if(name == 'main', 'x', 'y') == 'y'", 1},
    {"sum(a)", 6},
    {"a / sum(a)", 2.0 / 6},
    {"mean(b.x)", -0.5 / 3},
    {"max(a)", 3},
    {"min(b.x)", -2.5},
    {"max(a * b.x)", 3},
    {"max(a, alone)", 7},
    {"max(max(a), 2)", 3},
    {"count(gap)", 2},
    {"sum(1)", 3},
    {"sum(other)", 201},
    {"sum(a > 1)", 2},
    {"sum(alone) + alone", 13},
    {"serialization", 3},
};

static void test_numbers(void **state)
{
    (void)state;
    pj_auto_arena kept = pj_arena_new(NULL);
    for (size_t i = 0; i < sizeof number_cases / sizeof *number_cases; i++) {
        pj_cell cell = evaluate(kept, number_cases[i].text, 1);
        double got = pj_cell_number(cell);
        if (!(fabs(got - number_cases[i].value) < 1e-12))
            fail_msg("%s: %g, expected %g", number_cases[i].text, got, number_cases[i].value);
    }
}

/// Whole numbers stay whole while they fit, and become real instead of wrapping.
static void test_whole_numbers(void **state)
{
    (void)state;
    pj_auto_arena kept = pj_arena_new(NULL);
    pj_cell cell = evaluate(kept, "9007199254740993 + 0", 0);
    assert_int_equal(cell.kind, PJ_CELL_INT);
    assert_int_equal(cell.integer, 9007199254740993);
    assert_int_equal(evaluate(kept, "sum(a)", 0).kind, PJ_CELL_INT);
    assert_int_equal(evaluate(kept, "4 / 2", 0).kind, PJ_CELL_REAL);
    cell = evaluate(kept, "9223372036854775807 + 1", 0);
    assert_int_equal(cell.kind, PJ_CELL_REAL);
    assert_true(cell.real == 9223372036854775808.0);
    cell = evaluate(kept, "(-9223372036854775807 - 1) % -1", 0);
    assert_int_equal(cell.integer, 0);
    assert_int_equal(evaluate(kept, "-(-9223372036854775807 - 1)", 0).kind, PJ_CELL_REAL);
    assert_int_equal(evaluate(kept, "abs(-9223372036854775807 - 1)", 0).kind, PJ_CELL_REAL);
}

static void test_empty_cells(void **state)
{
    (void)state;
    static const struct {
        const char *text, *reason;
    } cases[] = {
        {"gap", "not measured"},
        {"a + gap * 2", "not measured"},
        {"-gap", "not measured"},
        {"gap < 3", "not measured"},
        {"not (gap > 3)", "not measured"},
        {"gap > 3 and a > 0", "not measured"},
        {"gap > 3 or a > 5", "not measured"},
        {"if(gap > 3, 1, 2)", "not measured"},
        {"max(a, gap)", "not measured"},
        {"sum(gap)", "not measured"},
        {"1 / 0", "division by zero"},
        {"1 % 0", "division by zero"},
        {"1.5 / (a - 2)", "division by zero"},
        {"sqrt(-1)", "the result is not a finite number"},
        {"log(0)", "the result is not a finite number"},
        {"10 ^ 400", "the result is not a finite number"},
        {"`two words`", "the result is not a finite number"},
    };
    pj_auto_arena kept = pj_arena_new(NULL);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        pj_cell cell = evaluate(kept, cases[i].text, 1);
        if (cell.kind != PJ_CELL_EMPTY || strcmp(cell.text, cases[i].reason) != 0)
            fail_msg("%s is not empty because \"%s\"", cases[i].text, cases[i].reason);
    }
    // The operand that decides alone is not spoilt by an empty one.
    assert_int_equal(evaluate(kept, "gap > 3 and a > 5", 1).integer, 0);
    assert_int_equal(evaluate(kept, "gap > 3 or a > 0", 1).integer, 1);
}

static void test_errors(void **state)
{
    (void)state;
    static const struct {
        const char *text, *complaint;
    } cases[] = {
        {"", "ends where a value is expected at character 1"},
        {"1 +", "ends where a value is expected at character 4"},
        {"nam == 'x'", "unknown name \"nam\", did you mean name (valid: a, b.x, name"},
        {"1 + unknown", "unknown name \"unknown\" (valid:"},
        {"(1 + 2", "\")\" is missing at character 7"},
        {"1 2", "an operator is expected at character 3"},
        {"* 2", "\"*\" stands where a value is expected"},
        {"a < 2 < 3", "comparisons cannot be chained"},
        {"'open", "a closing ' is missing"},
        {"1.2.3", "\"1.2.3\" is no number"},
        {"1e999", "is no number"},
        {"name + 1", "a number is expected, not text"},
        {"name == 1", "is expected"},
        {"not name", "a number is expected"},
        {"abs(name)", "a number is expected"},
        {"starts(a, 'x')", "a text is expected"},
        {"if(1, 2, 'x')", "a number is expected"},
        {"if(1, 2)", "if takes 3 arguments"},
        {"sqrt(1, 2)", "sqrt takes at most 1 arguments"},
        {"sin(1)", "unknown function \"sin\" (valid: abs,"},
        {"other + 1", "say sum(other)"},
        {"sum(a + other)", "cannot mix"},
        {"sum(max(a))", "stands inside another aggregate"},
        {"sum(name)", "a number is expected"},
        {"a @ 2", "an operator is expected"},
        {"((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((("
         "(((((((((((((((((((((((((1",
         "nested too deeply"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        pj_auto_arena kept = pj_arena_new(NULL);
        pj_err err = {0};
        if (pj_formula_new(kept, pj_str_of(cases[i].text), &names, &err))
            fail_msg("%s: is accepted", cases[i].text);
        assert_int_equal(err.code, PJ_E_SCRIPT);
        if (!strstr(err.text, cases[i].complaint))
            fail_msg("%s: \"%s\" does not say \"%s\"", cases[i].text, err.text, cases[i].complaint);
    }
}

/// Long chains are bounded by the text's length, not by the stack.
static void test_long_formulas(void **state)
{
    (void)state;
    pj_auto_arena kept = pj_arena_new(NULL);
    char text[5001] = "1";
    for (size_t i = 1; i + 2 < 3999; i += 2)
        memcpy(text + i, "+1", 3);
    assert_true(pj_cell_number(evaluate(kept, text, 0)) == 1999);
    memset(text, '1', sizeof text - 1);
    pj_err err = {0};
    assert_null(pj_formula_new(kept, pj_str_of(text), &names, &err));
    assert_non_null(strstr(err.text, "longer than 4000 characters"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers),       cmocka_unit_test(test_whole_numbers),
        cmocka_unit_test(test_empty_cells),   cmocka_unit_test(test_errors),
        cmocka_unit_test(test_long_formulas),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
