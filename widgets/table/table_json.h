// A table as a JSON value: {"title", "note", "columns", "rows"} (table_json.c). Ownership: new
// reference.
#ifndef PJ_TABLE_JSON_H
#define PJ_TABLE_JSON_H

#include "metrics/table/table.h"

#include <jansson.h>
#include <stdatomic.h>

/// At most `count` rows from row `from` (at most the number of rows) on, fewer where `stop` (may be
/// NULL) is raised.
json_t *pj_table_json(const pj_table *table, size_t from, size_t count, const atomic_bool *stop);

#endif
