// Compiling formulas.
// Formulas are compiled by precedence climbing into a tree whose types are known, so that
// evaluation cannot fail. Loosest first: or, and, not, comparisons, + -, * / %, - (sign), ^.
#include "metrics/table/formula.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/num.h"
#include "metrics/base/str.h"
#include "metrics/table/fold.h"
#include "metrics/table/formula_node.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/// Bounds of the tree's depth, and with it of the stack that evaluation needs.
enum { LONGEST_TEXT = 4000, DEEPEST_NESTING = 100, MOST_ARGUMENTS = 32 };

typedef struct token {
    enum { END, NUMBER, TEXT, NAME, SIGN, BROKEN } kind;
    size_t at; // offset in the text
    pj_str text;
} token;

typedef struct parser {
    pj_arena *arena;
    pj_str text;
    const pj_formula_names *names;
    pj_err *err;
    token next;
    unsigned depth;
    bool in_aggregate;
    pj_formula_aggregate_of *aggregates;
    size_t aggregate_count, aggregate_cap;
} parser;

typedef pj_formula_node node;

static bool continues_character(char byte)
{
    return ((unsigned char)byte & 0xC0) == 0x80; // UTF-8
}

/// At most `size` bytes of a text, cut between characters.
static pj_str brief(pj_str text, size_t size)
{
    while (size < text.len && size > 0 && continues_character(text.at[size]))
        size--;
    return pj_str_head(text, size);
}

__attribute__((format(printf, 3, 4))) static node *fail_at(parser *p, size_t at, const char *format,
                                                           ...)
{
    char what[768];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    pj_fail(p->err, PJ_E_SCRIPT, "formula", 0, "%s at character %zu of \"" PJ_STR_FMT "\"", what,
            at + 1, PJ_STR_ARG(brief(p->text, 120)));
    return NULL;
}

// --- tokens

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool begins_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static size_t number_length(pj_str s)
{
    size_t n = 0;
    while (n < s.len && (is_digit(s.at[n]) || s.at[n] == '.'))
        n++;
    size_t exponent = n + 1;
    if (n < s.len && (s.at[n] == 'e' || s.at[n] == 'E')) {
        if (exponent < s.len && (s.at[exponent] == '+' || s.at[exponent] == '-'))
            exponent++;
        while (exponent < s.len && is_digit(s.at[exponent]))
            n = ++exponent;
    }
    return n;
}

static size_t name_length(pj_str s)
{
    size_t n = 0;
    while (n < s.len && (begins_name(s.at[n]) || is_digit(s.at[n]) || s.at[n] == '.'))
        n++;
    return n;
}

/// 'text', "text", or a `name with any characters`.
static token quoted_token(pj_str s, size_t at)
{
    size_t end = pj_str_find(pj_str_from(s, 1), s.at[0]);
    if (end + 1 >= s.len)
        return (token){BROKEN, at, s};
    return (token){s.at[0] == '`' ? NAME : TEXT, at, {s.at + 1, end}};
}

static size_t sign_length(pj_str s)
{
    static const char *const doubles[] = {"==", "~=", "!=", "<>", "<=", ">=", "&&", "||"};
    for (size_t i = 0; i < sizeof doubles / sizeof *doubles; i++)
        if (pj_str_starts(s, pj_str_of(doubles[i])))
            return 2;
    size_t n = 1;
    while (n < s.len && continues_character(s.at[n]))
        n++;
    return n;
}

static token token_at(pj_str text, size_t at)
{
    while (at < text.len && pj_str_trim(pj_str_head(pj_str_from(text, at), 1)).len == 0)
        at++;
    pj_str s = pj_str_from(text, at);
    if (s.len == 0)
        return (token){END, at, s};
    bool number = is_digit(s.at[0]) || (s.at[0] == '.' && s.len > 1 && is_digit(s.at[1]));
    if (number)
        return (token){NUMBER, at, pj_str_head(s, number_length(s))};
    if (begins_name(s.at[0]))
        return (token){NAME, at, pj_str_head(s, name_length(s))};
    if (s.at[0] == '\'' || s.at[0] == '"' || s.at[0] == '`')
        return quoted_token(s, at);
    return (token){SIGN, at, pj_str_head(s, sign_length(s))};
}

static token take(parser *p)
{
    token taken = p->next;
    const char *end = taken.text.at + taken.text.len;
    size_t at = taken.kind == END ? taken.at : (size_t)(end - p->text.at);
    bool quoted = at < p->text.len && taken.at < (size_t)(taken.text.at - p->text.at);
    p->next = token_at(p->text, at + quoted);
    return taken;
}

static bool sees(const parser *p, const char *sign)
{
    return (p->next.kind == SIGN || p->next.kind == NAME) &&
           pj_str_equal(p->next.text, pj_str_of(sign));
}

static bool takes(parser *p, const char *sign)
{
    if (!sees(p, sign))
        return false;
    take(p);
    return true;
}

// --- names and nodes

const char *pj_formula_nearest(pj_str name, const pj_formula_names *names)
{
    const char *nearest = NULL;
    size_t least = name.len / 3 + 2;
    for (size_t i = 0; i < names->count; i++) {
        size_t distance = pj_str_distance(name, pj_str_of(names->items[i].name));
        if (distance < least) {
            least = distance;
            nearest = names->items[i].name;
        }
    }
    return nearest;
}

static node *new_node(parser *p, node content)
{
    node *n = pj_new(p->arena, node);
    *n = content;
    return n;
}

static node *unknown_name(parser *p, token t)
{
    const char *nearest = pj_formula_nearest(t.text, p->names);
    pj_auto_buf list = {0};
    for (size_t i = 0; i < p->names->count && list.len < 400; i++)
        pj_buf_addf(&list, "%s%s", i ? ", " : "", p->names->items[i].name);
    return fail_at(p, t.at, "unknown name \"" PJ_STR_FMT "\"%s%s (valid: %s%s)",
                   PJ_STR_ARG(brief(t.text, 60)), nearest ? ", did you mean " : "",
                   nearest ? nearest : "", list.len ? list.at : "none",
                   list.len < 400 ? "" : ", ...");
}

/// A name may stand for one value and for a column too: aggregates take the column.
static const pj_formula_name *find_name(const parser *p, pj_str text,
                                        bool (*same)(pj_str name, pj_str asked))
{
    const pj_formula_name *found = NULL;
    for (size_t i = 0; i < p->names->count; i++) {
        const pj_formula_name *name = &p->names->items[i];
        bool better = !found || (p->in_aggregate && found->domain == PJ_FORMULA_SCALAR);
        if (better && same(pj_str_of(name->name), text))
            found = name;
    }
    return found;
}

static bool equal(pj_str name, pj_str asked)
{
    return pj_str_equal(name, asked);
}

static node *name_node(parser *p, token t)
{
    const pj_formula_name *name = find_name(p, t.text, equal);
    if (!name)
        name = find_name(p, t.text, pj_str_same_word);
    if (!name)
        return unknown_name(p, t);
    bool one_value = name->domain == PJ_FORMULA_SCALAR || name->domain == p->names->row_domain;
    if (!one_value && !p->in_aggregate)
        return fail_at(p, t.at, "%s has many values: say sum(%s), mean, max, min or count",
                       name->name, name->name);
    return new_node(p, (node){.kind = PJ_NODE_NAME,
                              .text = name->text,
                              .domain = name->domain,
                              .index = (unsigned)(name - p->names->items)});
}

/// Joins the domain of a part into that of the whole; two different ones fail.
static bool join_domain(parser *p, unsigned *domain, const node *part, size_t at)
{
    if (*domain != PJ_FORMULA_SCALAR && part->domain != PJ_FORMULA_SCALAR &&
        *domain != part->domain) {
        fail_at(p, at, "an aggregate cannot mix columns of two runs");
        return false;
    }
    if (*domain == PJ_FORMULA_SCALAR)
        *domain = part->domain;
    return true;
}

// --- grammar

static node *parse_expression(parser *p, unsigned least);

static bool expect(parser *p, const char *sign)
{
    if (takes(p, sign))
        return true;
    fail_at(p, p->next.at, "\"%s\" is missing", sign);
    return false;
}

typedef struct function_row {
    const char *name;
    size_t least, most;
    enum { ARGUMENTS_NUMBER, ARGUMENTS_TEXT, ARGUMENTS_ANY, ARGUMENTS_CHOICE } arguments;
} function_row;

static const function_row functions[] = {
#define FUNCTION(name, least, most, arguments) {#name, least, most, ARGUMENTS_##arguments},
#include "metrics/table/formula_functions.def"
#undef FUNCTION
};

static bool check_type(parser *p, const node *n, bool text, size_t at)
{
    if (n->text != text)
        fail_at(p, at,
                text ? "a text is expected, not a number" : "a number is expected, not text");
    return n->text == text;
}

static bool check_argument(parser *p, const node *call, size_t i, size_t at)
{
    const node *argument = call->arguments[i];
    switch (functions[call->function].arguments) {
    case ARGUMENTS_NUMBER:
        return check_type(p, argument, false, at);
    case ARGUMENTS_TEXT:
        return check_type(p, argument, true, at);
    case ARGUMENTS_ANY:
        return true;
    case ARGUMENTS_CHOICE:
        return check_type(p, argument, i == 2 ? call->arguments[1]->text : i == 1 && argument->text,
                          at);
    }
    return false;
}

static node *parse_call(parser *p, token name, pj_formula_function function)
{
    const function_row *row = &functions[function];
    node *arguments[MOST_ARGUMENTS];
    node call = {.kind = PJ_NODE_CALL, .function = function, .arguments = arguments};
    while (!sees(p, ")")) {
        size_t at = p->next.at;
        if (call.argument_count > 0 && !expect(p, ","))
            return NULL;
        if (call.argument_count == row->most)
            return fail_at(p, at, "%s takes at most %zu arguments", row->name, row->most);
        node *argument = parse_expression(p, 0);
        if (!argument)
            return NULL;
        arguments[call.argument_count++] = argument;
        if (!join_domain(p, &call.domain, argument, at) ||
            !check_argument(p, &call, call.argument_count - 1, at))
            return NULL;
    }
    take(p);
    if (call.argument_count < row->least)
        return fail_at(p, name.at, "%s takes %zu arguments%s", row->name, row->least,
                       row->least < row->most ? " or more" : "");
    call.text = function == PJ_FUNCTION_if && arguments[1]->text;
    call.arguments = pj_new_n(p->arena, node *, call.argument_count);
    for (size_t i = 0; i < call.argument_count; i++)
        call.arguments[i] = arguments[i];
    return new_node(p, call);
}

static node *parse_aggregate(parser *p, token name, pj_fold fold)
{
    if (p->in_aggregate)
        return fail_at(p, name.at, "%s stands inside another aggregate", pj_fold_name(fold));
    p->in_aggregate = true;
    node *of = parse_expression(p, 0);
    p->in_aggregate = false;
    if (!of || !expect(p, ")"))
        return NULL;
    if (fold != PJ_FOLD_COUNT && !check_type(p, of, false, name.at))
        return NULL;
    unsigned domain = of->domain != PJ_FORMULA_SCALAR ? of->domain : p->names->row_domain;
    if (domain == PJ_FORMULA_SCALAR)
        return fail_at(p, name.at, "%s needs a column in it", pj_fold_name(fold));
    pj_grow(p->aggregates, &p->aggregate_cap, p->aggregate_count + 1);
    p->aggregates[p->aggregate_count] = (pj_formula_aggregate_of){fold, of, domain};
    return new_node(p, (node){.kind = PJ_NODE_AGGREGATE, .index = (unsigned)p->aggregate_count++});
}

/// Whether max or min at p->next "(" has more than one argument: then it is no aggregate.
static bool has_comma(const parser *p)
{
    unsigned depth = 0;
    for (token t = p->next; t.kind != END && t.kind != BROKEN;) {
        bool sign = t.kind == SIGN;
        if (sign && t.text.at[0] == ',' && depth == 0)
            return true;
        if (sign && t.text.at[0] == ')' && depth-- == 0)
            return false;
        depth += sign && t.text.at[0] == '(';
        parser ahead = {.text = p->text, .next = t};
        take(&ahead);
        t = ahead.next;
    }
    return false;
}

static node *parse_named(parser *p)
{
    token name = take(p);
    if (!takes(p, "("))
        return name_node(p, name);
    pj_fold fold;
    bool extreme = pj_str_equal(name.text, PJ_S("max")) || pj_str_equal(name.text, PJ_S("min"));
    if (pj_fold_parse(name.text, &fold) && !(extreme && has_comma(p)))
        return parse_aggregate(p, name, fold);
    for (unsigned f = 0; f < PJ_FUNCTION_COUNT; f++)
        if (pj_str_equal(name.text, pj_str_of(functions[f].name)))
            return parse_call(p, name, (pj_formula_function)f);
    pj_auto_buf list = {0};
    for (unsigned f = 0; f < PJ_FUNCTION_COUNT; f++)
        pj_buf_addf(&list, "%s, ", functions[f].name);
    return fail_at(p, name.at, "unknown function \"" PJ_STR_FMT "\" (valid: %ssum, mean, count)",
                   PJ_STR_ARG(brief(name.text, 60)), list.at);
}

static node *parse_number(parser *p)
{
    token t = take(p);
    int64_t whole;
    double real;
    pj_cell cell;
    if (pj_parse_i64(t.text, &whole))
        cell = pj_cell_int(whole);
    else if (pj_parse_double(t.text, &real) && isfinite(real))
        cell = pj_cell_real(real);
    else
        return fail_at(p, t.at, "\"" PJ_STR_FMT "\" is no number", PJ_STR_ARG(brief(t.text, 60)));
    return new_node(p, (node){.kind = PJ_NODE_CONSTANT, .constant = cell});
}

static node *parse_primary(parser *p)
{
    token t = p->next;
    if (t.kind == NUMBER)
        return parse_number(p);
    if (t.kind == NAME)
        return parse_named(p);
    if (t.kind == TEXT) {
        take(p);
        pj_cell cell = pj_cell_text(pj_arena_text(p->arena, t.text));
        return new_node(p, (node){.kind = PJ_NODE_CONSTANT, .text = true, .constant = cell});
    }
    if (takes(p, "(")) {
        node *inner = parse_expression(p, 0);
        return inner && expect(p, ")") ? inner : NULL;
    }
    if (t.kind == BROKEN)
        return fail_at(p, t.at, "a closing %c is missing", t.text.at[0]);
    if (t.kind == END)
        return fail_at(p, t.at, "the formula ends where a value is expected");
    return fail_at(p, t.at, "\"" PJ_STR_FMT "\" stands where a value is expected",
                   PJ_STR_ARG(t.text));
}

typedef struct operator_row {
    const char *sign;
    pj_formula_kind kind;
    unsigned binding; // larger binds tighter
} operator_row;

enum {
    BIND_OR = 1,
    BIND_AND,
    BIND_NOT,
    BIND_COMPARE,
    BIND_ADD,
    BIND_MULTIPLY,
    BIND_SIGN,
    BIND_POWER
};

static const operator_row operators[] = {
    {"or", PJ_NODE_OR, BIND_OR},
    {"||", PJ_NODE_OR, BIND_OR},
    {"and", PJ_NODE_AND, BIND_AND},
    {"&&", PJ_NODE_AND, BIND_AND},
    {"==", PJ_NODE_EQUAL, BIND_COMPARE},
    {"=", PJ_NODE_EQUAL, BIND_COMPARE},
    {"~=", PJ_NODE_UNEQUAL, BIND_COMPARE},
    {"!=", PJ_NODE_UNEQUAL, BIND_COMPARE},
    {"<>", PJ_NODE_UNEQUAL, BIND_COMPARE},
    {"<", PJ_NODE_LESS, BIND_COMPARE},
    {"<=", PJ_NODE_LESS_EQUAL, BIND_COMPARE},
    {">", PJ_NODE_GREATER, BIND_COMPARE},
    {">=", PJ_NODE_GREATER_EQUAL, BIND_COMPARE},
    {"+", PJ_NODE_ADD, BIND_ADD},
    {"-", PJ_NODE_SUBTRACT, BIND_ADD},
    {"*", PJ_NODE_MULTIPLY, BIND_MULTIPLY},
    {"/", PJ_NODE_DIVIDE, BIND_MULTIPLY},
    {"%", PJ_NODE_MODULO, BIND_MULTIPLY},
    {"^", PJ_NODE_POWER, BIND_POWER},
};

static const operator_row *next_operator(const parser *p)
{
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
        if (sees(p, operators[i].sign))
            return &operators[i];
    return NULL;
}

static node *join(parser *p, const operator_row *op, node *left, node *right, size_t at)
{
    bool comparison = op->binding == BIND_COMPARE;
    node whole = {.kind = op->kind, .domain = left->domain, .left = left, .right = right};
    if (!check_type(p, left, comparison && right->text, at) ||
        !check_type(p, right, comparison && left->text, at) ||
        !join_domain(p, &whole.domain, right, at))
        return NULL;
    return new_node(p, whole);
}

static node *parse_prefix(parser *p)
{
    size_t at = p->next.at;
    bool minus = sees(p, "-"), plus = sees(p, "+"), no = sees(p, "not") || sees(p, "!");
    if (!minus && !plus && !no)
        return parse_primary(p);
    take(p);
    node *of = parse_expression(p, no ? BIND_NOT : BIND_SIGN);
    if (!of || !check_type(p, of, false, at) || plus)
        return of && !of->text ? of : NULL;
    return new_node(
        p, (node){.kind = minus ? PJ_NODE_MINUS : PJ_NODE_NOT, .domain = of->domain, .left = of});
}

/// Operators that bind at least as tight as `least`.
static node *parse_operators(parser *p, unsigned least)
{
    node *left = parse_prefix(p);
    for (const operator_row *op; left && (op = next_operator(p)) && op->binding >= least;) {
        size_t at = take(p).at;
        bool to_the_right = op->binding == BIND_POWER;
        node *right = parse_expression(p, op->binding + !to_the_right);
        left = right ? join(p, op, left, right, at) : NULL;
        const operator_row *again = left ? next_operator(p) : NULL;
        if (op->binding == BIND_COMPARE && again && again->binding == BIND_COMPARE)
            return fail_at(p, p->next.at, "comparisons cannot be chained, say a < b and b < c");
    }
    return left;
}

static node *parse_expression(parser *p, unsigned least)
{
    if (p->depth == DEEPEST_NESTING)
        return fail_at(p, p->next.at, "the formula is nested too deeply");
    p->depth++;
    node *n = parse_operators(p, least);
    p->depth--;
    return n;
}

static const node *parse_whole(parser *p)
{
    if (p->text.len > LONGEST_TEXT)
        return fail_at(p, LONGEST_TEXT, "the formula is longer than %d characters", LONGEST_TEXT);
    p->next = token_at(p->text, 0);
    node *root = parse_expression(p, 0);
    if (root && p->next.kind != END)
        return fail_at(p, p->next.at, "an operator is expected");
    return root;
}

const pj_formula *pj_formula_new(pj_arena *arena, pj_str text, const pj_formula_names *names,
                                 pj_err *err)
{
    parser p = {.arena = arena, .text = text, .names = names, .err = err};
    const node *root = parse_whole(&p);
    pj_formula *formula = NULL;
    if (root) {
        formula = pj_new(arena, pj_formula);
        pj_formula_aggregate_of *aggregates =
            pj_new_n(arena, pj_formula_aggregate_of, p.aggregate_count);
        if (p.aggregate_count)
            memcpy(aggregates, p.aggregates, p.aggregate_count * sizeof *aggregates);
        *formula = (pj_formula){root, aggregates, p.aggregate_count};
    }
    free(p.aggregates);
    return formula;
}
