// The header of a VTune report as a table: its delimiter, what its columns name and measure.
// Ownership: new/free; views of the text.
#ifndef PJ_VTUNE_COLUMNS_H
#define PJ_VTUNE_COLUMNS_H

#include "metrics/base/str.h"
#include "metrics/profile/profile.h"
#include "metrics/read/profile/delimited.h"

/// What the cells of a column name; NUMBER = they measure something.
typedef enum pj_vtune_name {
    PJ_VTUNE_NUMBER,
    PJ_VTUNE_FUNCTION,
    PJ_VTUNE_STACK, // a function of a tree or of a stack
    PJ_VTUNE_MODULE,
    PJ_VTUNE_SOURCE,
    PJ_VTUNE_ADDRESS,
    PJ_VTUNE_PROCESS,
    PJ_VTUNE_PID,
    PJ_VTUNE_THREAD,
    PJ_VTUNE_TID,
    PJ_VTUNE_OTHER, // names what is neither: a package, a class
    PJ_VTUNE_NAMES
} pj_vtune_name;

typedef struct pj_vtune_column {
    pj_vtune_name name;
    pj_str title;        // "CPU Time:Spin Time", without :Self and :Total
    bool self, total;    // ":Self", ":Total"
    bool levels;         // rows are parts of others: blanks before a name are its depth
    size_t first, after; // where its cells stand, in a text table
} pj_vtune_column;

typedef struct pj_vtune_header {
    pj_str delimiter; // empty = cells stand at the places of dashes
    pj_vtune_column *columns;
    size_t count, cap;
    pj_cells titles;
    int of[PJ_VTUNE_NAMES]; // the first column of each name; -1 = none
} pj_vtune_header;

/// Whether a line is a header; `next`: the line after it, of dashes in a text table.
bool pj_vtune_header_of(pj_str line, pj_str next, pj_vtune_header *out);
void pj_vtune_header_free(pj_vtune_header *header);

/// What a column of numbers measures, without key and title.
pj_measure pj_vtune_measure(const pj_vtune_column *column);
/// A title in letters of a key: "CPU Time" is "cpu_time".
void pj_vtune_key(pj_str title, char *key, size_t room);

#endif
