// The compiled form of a formula, shared by formula.c and formula_value.c. Ownership: arena.
#ifndef PJ_FORMULA_NODE_H
#define PJ_FORMULA_NODE_H

#include "metrics/table/fold.h"
#include "metrics/table/formula.h"
#include "metrics/table/table.h"

typedef enum pj_formula_function {
#define FUNCTION(name, least, most, arguments) PJ_FUNCTION_##name,
#include "metrics/table/formula_functions.def"
#undef FUNCTION
    PJ_FUNCTION_COUNT
} pj_formula_function;

typedef enum pj_formula_kind {
    PJ_NODE_CONSTANT,
    PJ_NODE_NAME,
    PJ_NODE_AGGREGATE, // left is what is folded over the rows of a domain
    PJ_NODE_CALL,
    PJ_NODE_MINUS,
    PJ_NODE_NOT,
    PJ_NODE_OR,
    PJ_NODE_AND,
    PJ_NODE_EQUAL,
    PJ_NODE_UNEQUAL,
    PJ_NODE_LESS,
    PJ_NODE_LESS_EQUAL,
    PJ_NODE_GREATER,
    PJ_NODE_GREATER_EQUAL,
    PJ_NODE_ADD,
    PJ_NODE_SUBTRACT,
    PJ_NODE_MULTIPLY,
    PJ_NODE_DIVIDE,
    PJ_NODE_MODULO,
    PJ_NODE_POWER,
} pj_formula_kind;

typedef struct pj_formula_node {
    pj_formula_kind kind;
    bool text;       // its value is text
    unsigned domain; // of the names in it outside aggregates; PJ_FORMULA_SCALAR = none
    pj_cell constant;
    unsigned index; // of the name or the aggregate
    pj_formula_function function;
    struct pj_formula_node *left, *right; // operands
    struct pj_formula_node **arguments;   // of a call
    size_t argument_count;
} pj_formula_node;

typedef struct pj_formula_aggregate_of {
    pj_fold fold;
    const pj_formula_node *of;
    unsigned domain;
} pj_formula_aggregate_of;

struct pj_formula {
    const pj_formula_node *root;
    const pj_formula_aggregate_of *aggregates;
    size_t aggregate_count;
};

#endif
