// A database of SQLite that somebody else wrote, read table by table in the order of its rows: no
// joins and no sorting, as such files have no indexes. Nothing in its schema is trusted: no views,
// triggers, functions or extensions. Ownership: new/free; texts are borrowed until the next row.
#ifndef PJ_SQL_FILE_H
#define PJ_SQL_FILE_H

#include "metrics/base/arena.h"
#include "metrics/base/err.h"
#include "metrics/base/job.h"
#include "metrics/base/str.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct pj_sql_file pj_sql_file;
typedef struct pj_sql_rows pj_sql_rows;

/// Errors: PJ_E_FORMAT (no database, an interrupted export), PJ_E_MISSING (no SQLite here).
PJ_CHECKED pj_sql_file *pj_sql_file_open(const char *path, pj_job *job, pj_err *err);
/// NULL is allowed.
void pj_sql_file_close(pj_sql_file *file);
/// Names of tables that begin so, those of views left out; at most 4096.
PJ_CHECKED bool pj_sql_file_tables(pj_sql_file *file, const char *start, pj_arena *arena,
                                   const char ***names, size_t *count, pj_err *err);
bool pj_sql_file_has(pj_sql_file *file, const char *table);

/// The rows of a table; columns that it lacks are null, as are all where there is no such table.
/// `columns` is a list of names with blanks between; a table is refused (PJ_E_FORMAT) that lacks
/// one whose name ends in !. NULL with an error.
PJ_CHECKED pj_sql_rows *pj_sql_rows_new(pj_sql_file *file, const char *table, const char *columns,
                                        pj_err *err);
/// False at the end or with an error: PJ_E_FORMAT (damaged pages), PJ_E_STOPPED.
PJ_CHECKED bool pj_sql_rows_next(pj_sql_rows *rows, pj_err *err);
/// Whether the column is there and is not null in this row.
bool pj_sql_rows_has(const pj_sql_rows *rows, unsigned column);
/// `otherwise` where it is null, or a text that is no number.
int64_t pj_sql_rows_integer(const pj_sql_rows *rows, unsigned column, int64_t otherwise);
/// At most 65 KiB of it: more than names may have, so that these are known to be cut.
pj_str pj_sql_rows_text(const pj_sql_rows *rows, unsigned column);
/// NULL is allowed.
void pj_sql_rows_free(pj_sql_rows *rows);

/// What the module around SQLite (popinjay-sqlite.so) gives; it is opened at the first database, so
/// that the program starts without it.
typedef struct pj_sql_lib {
    pj_sql_file *(*open)(const char *path, pj_job *job, pj_err *err);
    void (*close)(pj_sql_file *file);
    bool (*tables)(pj_sql_file *file, const char *start, pj_arena *arena, const char ***names,
                   size_t *count, pj_err *err);
    bool (*has_table)(pj_sql_file *file, const char *table);
    pj_sql_rows *(*rows)(pj_sql_file *file, const char *table, const char *columns, pj_err *err);
    bool (*next)(pj_sql_rows *rows, pj_err *err);
    bool (*has)(const pj_sql_rows *rows, unsigned column);
    int64_t (*integer)(const pj_sql_rows *rows, unsigned column, int64_t otherwise);
    pj_str (*text)(const pj_sql_rows *rows, unsigned column);
    void (*free_rows)(pj_sql_rows *rows);
} pj_sql_lib;

#endif
