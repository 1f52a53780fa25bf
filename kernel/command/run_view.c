// What people want to know of a run: facts, oddities, remarks.
#include "kernel/command/run_view.h"

#include "kernel/command/export.h"
#include "kernel/command/session.h"
#include "kernel/command/value.h"
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "metrics/read/reader.h"
#include "metrics/run/overview.h"
#include "metrics/run/run.h"
#include "metrics/run/run_info.h"
#include "metrics/run/run_table.h"
#include "metrics/table/table.h"
#include "metrics/trace/import_stats.h"
#include "metrics/trace/layout.h"

pj_table *pj_run_view_list(const pj_list *runs)
{
    static const pj_column columns[] = {
        {"run", "Run", "Its place in the list, from 1.", PJ_UNIT_IDENTIFIER, false},
        {"trace", "Trace", NULL, PJ_UNIT_NONE, true},
        {"ranks", "Ranks", NULL, PJ_UNIT_NONE, false},
        {"threads", "Threads", "Of all ranks together.", PJ_UNIT_NONE, false},
        {"layout", "Layout", "Ranks x threads per rank.", PJ_UNIT_NONE, true},
        {"runtime_ns", "Runtime", NULL, PJ_UNIT_NS, false},
        {"file_bytes", "Size", "Of the file.", PJ_UNIT_BYTES, false},
        {"remarks", "Remarks", "Remarks and kinds of oddities.", PJ_UNIT_NONE, false},
    };
    pj_table *table = pj_table_new("Runs");
    for (size_t c = 0; c < sizeof columns / sizeof *columns; c++)
        pj_table_add_column(table, columns[c]);
    for (size_t i = 0; i < runs->count; i++) {
        const pj_run *run = runs->items[i].run;
        size_t oddities = 0;
        for (unsigned key = 0; key < PJ_IMPORT_COUNT; key++)
            oddities += run->import.count[key] > 0;
        pj_cell *cells = pj_table_add_row(table);
        cells[0] = pj_cell_int((int64_t)i + 1);
        cells[1] = pj_cell_text(pj_arena_text(table->arena, pj_str_of(run->name)));
        cells[2] = pj_cell_int(run->layout.ranks);
        cells[3] = pj_cell_int(run->layout.locations);
        cells[4] = pj_cell_text(pj_layout_text(&run->layout, table->arena));
        cells[5] = run->no_states ? pj_cell_empty(pj_run_lacks_states(run))
                                  : pj_cell_int((int64_t)run->runtime_ns);
        cells[6] = pj_cell_int((int64_t)run->file_bytes);
        cells[7] = pj_cell_int((int64_t)(run->remarks.count + oddities));
    }
    return table;
}

/// Calls `add` with severity, key and sentence of every oddity and remark.
static void each_remark(const pj_run *run,
                        void (*add)(pj_table *, const char *severity, const char *key, pj_str),
                        pj_table *table)
{
    pj_auto_buf text = {0};
    for (unsigned key = 0; key < PJ_IMPORT_COUNT; key++) {
        if (!run->import.count[key])
            continue;
        text.len = 0;
        pj_import_say(&run->import, key, &text);
        add(table, pj_severity_name(pj_import_at(key)->severity), pj_import_at(key)->key,
            pj_buf_str(&text));
    }
    for (size_t i = 0; i < run->remarks.count; i++)
        add(table, pj_severity_name(run->remarks.items[i].severity), run->remarks.items[i].key,
            pj_str_of(run->remarks.items[i].text));
}

void pj_run_view_note(const pj_run *run, pj_table *table)
{
    each_remark(run, pj_table_add_remark, table);
}

bool pj_run_view_take(pj_session *session, const pj_run *run, pj_table *table, pj_value *out,
                      const pj_exports *exports, pj_err *err)
{
    if (!table)
        return false;
    if (run)
        pj_run_view_note(run, table);
    pj_table_keep_texts(table); // the run may go first
    *out = pj_value_table_take(table);
    return pj_export_all(session, out, exports, err);
}

pj_table *pj_run_view_overview(const pj_run *run)
{
    pj_table *table = pj_overview_table(run);
    each_remark(run, pj_table_add_remark, table);
    return table;
}

/// What a severity means for the numbers.
static void add_remark(pj_table *table, const char *severity, const char *key, pj_str text)
{
    (void)key;
    static const char *const titles[][2] = {{"note", "Note (harmless)"},
                                            {"warning", "Warning (numbers may be touched)"},
                                            {"loss", "Loss (something is missing)"},
                                            {"urgent", "Warning (before all else)"}};
    const char *title = severity;
    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++)
        if (strcmp(titles[i][0], severity) == 0)
            title = titles[i][1];
    pj_run_info_add(table, severity, title, pj_cell_text(pj_arena_text(table->arena, text)), NULL);
}

pj_table *pj_run_view_facts(const pj_run *run)
{
    const pj_reader *reader = pj_reader_of_run(run);
    pj_table *table = pj_run_info_table(run, reader ? reader->title : run->format);
    each_remark(run, add_remark, table);
    return table;
}

pj_table *pj_run_view_info(const pj_list *runs)
{
    pj_table *table = pj_table_new("Traces");
    pj_table_add_column(table, (pj_column){.key = "trace", .title = "Trace", .text = true});
    for (size_t i = 0; i < runs->count; i++) {
        pj_auto_table facts = pj_run_view_facts(runs->items[i].run);
        const char *name = pj_arena_text(table->arena, pj_str_of(runs->items[i].run->name));
        for (size_t c = 0; i == 0 && c < facts->column_count; c++)
            pj_table_add_column(table, facts->columns[c]);
        for (size_t row = 0; row < facts->row_count; row++) {
            pj_cell *cells = pj_table_add_row(table);
            cells[0] = pj_cell_text(name);
            for (size_t c = 0; c < facts->column_count; c++)
                cells[c + 1] = pj_table_copy_cell(table, *pj_table_cell(facts, row, c));
        }
    }
    return table;
}
