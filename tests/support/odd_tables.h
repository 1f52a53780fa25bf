// Tables that break careless renderers and plots. Ownership: new tables.
#ifndef PJ_ODD_TABLES_H
#define PJ_ODD_TABLES_H

#include "metrics/table/table.h"

/// No columns; columns without rows; one cell; odd texts (quotes, line ends, markup, broken UTF-8,
/// wide letters); extreme numbers; 2,000 rows. NULL past the end.
pj_table *pj_odd_table(size_t index);
/// Texts that the table of odd texts holds, valid UTF-8 only. NULL past the end.
const char *pj_odd_text(size_t index);

#endif
