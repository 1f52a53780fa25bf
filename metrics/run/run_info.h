// Facts of a run: each as a value for machines and in words for people. Ownership: new tables.
#ifndef PJ_RUN_INFO_H
#define PJ_RUN_INFO_H

#include "metrics/run/run.h"
#include "metrics/table/table.h"

/// An empty table of facts. Columns: key, value and unit for machines, title and words for people.
pj_table *pj_run_info_new(const char *title);
/// A fact; `words` NULL = the value as it is shown alone. Texts are copied.
void pj_run_info_add(pj_table *table, const char *key, const char *title, pj_cell value,
                     const char *words);
/// File, layout, sizes, region of interest, ideal runtime. `format` = the format's name for people.
pj_table *pj_run_info_table(const pj_run *run, const char *format);

#endif
