// Files of all processes, and what each process had open of them. Ownership: arena.
#ifndef PJ_UNITE_FILES_H
#define PJ_UNITE_FILES_H

#include "metrics/base/arena.h"
#include "metrics/record/merge/definition_table.h"
#include "metrics/record/merge/recorded.h"
#include "metrics/record/merge/unite.h"

#include <stddef.h>

/// Fills in files, handles and ways of input and output, and the maps of the processes, which are
/// there. Their texts go into `strings`.
void pj_unite_files(const pj_united_part *parts, size_t count, pj_definition_table *strings,
                    pj_arena *arena, pj_recorded *out);

#endif
