// A table of typed columns and tagged cells: what statistics, metrics, import counts and regions
// are to users, renderers and plots. Ownership: new/free by counted reference; cells are arena.
#ifndef PJ_TABLE_H
#define PJ_TABLE_H

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"

typedef enum pj_unit {
#define UNIT(key, name, shown, quantity) PJ_UNIT_##key,
#include "metrics/table/units.def"
#undef UNIT
} pj_unit;

typedef struct pj_unit_text {
    const char *name;     // "ns"; "" = none
    const char *shown;    // "ns": behind a number; "" = nothing
    const char *quantity; // "Time"; NULL = none
} pj_unit_text;

pj_unit_text pj_unit_text_of(pj_unit unit);
/// " ns": what is shown behind a number.
void pj_unit_text_add(pj_buf *out, pj_unit unit);

typedef enum pj_cell_kind { PJ_CELL_EMPTY, PJ_CELL_TEXT, PJ_CELL_INT, PJ_CELL_REAL } pj_cell_kind;

/// What a part of a whole is spent on: the colour of its bar.
typedef enum pj_tone {
    PJ_TONE_NONE,
    PJ_TONE_WORK,
    PJ_TONE_BUILTIN,
    PJ_TONE_WAIT,
    PJ_TONES
} pj_tone;

typedef struct pj_cell {
    pj_cell_kind kind : 16;
    pj_tone tone : 16;
    pj_unit unit; // of a number in a column of several quantities; NONE = the column's
    union {
        const char *text; // the value of a text cell; the reason of an empty one (may be NULL)
        int64_t integer;
        double real;
    };
} pj_cell;

static inline pj_cell pj_cell_empty(const char *reason)
{
    return (pj_cell){.kind = PJ_CELL_EMPTY, .text = reason};
}
static inline pj_cell pj_cell_text(const char *text)
{
    return (pj_cell){.kind = PJ_CELL_TEXT, .text = text};
}
static inline pj_cell pj_cell_int(int64_t integer)
{
    return (pj_cell){.kind = PJ_CELL_INT, .integer = integer};
}
static inline pj_cell pj_cell_real(double real)
{
    return (pj_cell){.kind = PJ_CELL_REAL, .real = real};
}

/// A number that has another unit than its column.
static inline pj_cell pj_cell_of(pj_unit unit, double real)
{
    return (pj_cell){.kind = PJ_CELL_REAL, .unit = unit, .real = real};
}

/// Whether the cells of a column are text or empty, and whose: machines and people may want the
/// same thing in other words. Where it does not matter, true and false do.
typedef enum pj_text { PJ_TEXT_NONE, PJ_TEXT, PJ_TEXT_OF_MACHINES, PJ_TEXT_OF_PEOPLE } pj_text;

typedef struct pj_column {
    const char *key;   // CSV header, Lua field
    const char *title; // for people
    const char *help;  // one sentence; may be NULL
    pj_unit unit;
    pj_text text;
} pj_column;

/// A line of a note that has a key for programs.
typedef struct pj_table_remark {
    const char *key, *line;
} pj_table_remark;

typedef struct pj_table {
    pj_arena *arena;
    _Atomic uint32_t references;
    const char *title;
    const char *note;         // lines under the table (convention, reference run); may be NULL
    pj_table_remark *remarks; // of the note
    size_t remark_count, remark_cap;
    pj_column *columns;
    size_t column_count, column_cap;
    unsigned *decimals; // of columns: 1 + those that people see; 0 = as many as the values need
    size_t decimals_cap;
    pj_cell *cells; // row by row: cells[row * column_count + column]
    size_t row_count, cell_cap;
} pj_table;

pj_table *pj_table_new(const char *title);
pj_table *pj_table_hold(pj_table *table);
void pj_table_release(pj_table *table);
static inline void pj_table_drop(pj_table **table)
{
    pj_table_release(*table);
}
#define pj_auto_table __attribute__((cleanup(pj_table_drop))) pj_table *

/// Appends a line to the note: "warning: the trace may be cut".
void pj_table_add_remark(pj_table *table, const char *severity, const char *key, pj_str text);
/// Takes the note of another table.
void pj_table_copy_note(pj_table *table, const pj_table *from);

/// All columns are added before the first row. Texts are copied.
void pj_table_add_column(pj_table *table, pj_column column);
/// A column as another table has it.
void pj_table_copy_column(pj_table *table, const pj_table *from, size_t column);
/// How many decimals of a column people see.
static inline void pj_table_set_decimals(pj_table *table, size_t column, unsigned decimals)
{
    table->decimals[column] = decimals + 1;
}
/// A new row of empty cells; valid until the next row is added.
pj_cell *pj_table_add_row(pj_table *table);
/// Index of the column, or -1. Accepts both spellings (serialisation, serialization).
int pj_table_column(const pj_table *table, pj_str key);
static inline pj_cell *pj_table_cell(const pj_table *table, size_t row, size_t column)
{
    return &table->cells[row * table->column_count + column];
}
/// The cell with its text or reason copied into the table's arena.
pj_cell pj_table_copy_cell(pj_table *table, pj_cell cell);
/// Makes the texts and reasons of all cells the table's own.
void pj_table_keep_texts(pj_table *table);
/// A new table without the columns of `others` (PJ_TEXT_OF_*); NULL when it has none.
pj_table *pj_table_without(const pj_table *table, pj_text others);
/// Number of a cell as double; NaN when it is empty or text.
double pj_cell_number(pj_cell cell);

#endif
