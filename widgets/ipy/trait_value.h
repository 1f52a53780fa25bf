// Values of traits: does a value fit the row, and in which form is it kept.
// Ownership: new references are the caller's.
#ifndef PJ_TRAIT_VALUE_H
#define PJ_TRAIT_VALUE_H

#include "metrics/base/err.h"
#include "widgets/ipy/traits.h"

#include <jansson.h>

/// The value in the form of its type: 5 becomes 5.0 for a float, 5.0 becomes 5 for an int, dates
/// and uploads keep just their members; compound values are copied. NULL with PJ_E_USAGE when the
/// value does not fit. Whether references name open widgets is not looked at.
PJ_CHECKED json_t *pj_trait_value(const pj_model *model, const pj_trait *trait, json_t *value,
                                  pj_err *err);

/// The default of the row as a new value; references give JSON null.
json_t *pj_trait_value_initial(const pj_trait *trait, pj_dialect dialect);

/// Order of two numbers, or of two dates or times; null and mixed kinds compare as equal.
int pj_trait_value_order(const json_t *a, const json_t *b);

/// Calls `each` for every comm id that the value refers to; stops and returns false when it does.
bool pj_trait_value_references(const pj_trait *trait, const json_t *value,
                               bool (*each)(void *context, const char *id), void *context);

/// The comm id in "IPY_MODEL_<id>"; NULL when the value is no reference.
const char *pj_trait_value_reference(const json_t *value);

#endif
