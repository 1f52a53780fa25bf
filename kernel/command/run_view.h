// Runs as tables for people. Ownership: new tables.
#ifndef PJ_RUN_VIEW_H
#define PJ_RUN_VIEW_H

#include "kernel/command/export.h"
#include "kernel/command/session.h"
#include "kernel/command/value.h"
#include "metrics/base/err.h"
#include "metrics/run/run.h"
#include "metrics/table/table.h"

/// One row per run: trace, ranks, threads, runtime, size.
pj_table *pj_run_view_list(const pj_list *runs);
/// All that is known of a run: facts, oddities, remarks; columns of run_info.h.
pj_table *pj_run_view_facts(const pj_run *run);
/// The same of several runs; with the column trace.
pj_table *pj_run_view_info(const pj_list *runs);
/// The absolute figures of a run, with its remarks.
pj_table *pj_run_view_overview(const pj_run *run);
/// Remarks and oddities of a run as lines under a table of it.
void pj_run_view_note(const pj_run *run, pj_table *table);
/// The table as the result of a command, with the remarks of its run (NULL: of no single run), and
/// into the files asked for. False without a table; then `err` is set.
PJ_CHECKED bool pj_run_view_take(pj_session *session, const pj_run *run, pj_table *table,
                                 pj_value *out, const pj_exports *exports, pj_err *err);

#endif
