// Definitions of all processes as one: the same text of the same kind is the same id, from 1 on.
// Ownership: new/free; texts must outlive it.
#ifndef PJ_DEFINITION_TABLE_H
#define PJ_DEFINITION_TABLE_H

#include "metrics/base/str.h"

#include <stdint.h>

typedef struct pj_definition_table pj_definition_table;

pj_definition_table *pj_definition_table_new(void);
void pj_definition_table_free(pj_definition_table *table);
uint32_t pj_definition_table_id(pj_definition_table *table, pj_str text);
uint32_t pj_definition_table_count(const pj_definition_table *table);
/// The text of an id.
pj_str pj_definition_table_text(const pj_definition_table *table, uint32_t id);

#endif
