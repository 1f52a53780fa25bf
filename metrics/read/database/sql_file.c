// Opens the module around SQLite; files and rows begin with what gave them.
#include "metrics/read/database/sql_file.h"

#include "metrics/base/module.h"

static const pj_sql_lib *lib_of(const void *file_or_rows)
{
    return *(const pj_sql_lib *const *)file_or_rows;
}

pj_sql_file *pj_sql_file_open(const char *path, pj_job *job, pj_err *err)
{
    const pj_sql_lib *lib = pj_module_open("popinjay-sqlite.so", "pj_sql_module",
                                           "databases need SQLite (Debian: libsqlite3-0)", err);
    return lib ? lib->open(path, job, err) : NULL;
}

void pj_sql_file_close(pj_sql_file *file)
{
    if (file)
        lib_of(file)->close(file);
}

bool pj_sql_file_tables(pj_sql_file *file, const char *start, pj_arena *arena, const char ***names,
                        size_t *count, pj_err *err)
{
    return lib_of(file)->tables(file, start, arena, names, count, err);
}

bool pj_sql_file_has(pj_sql_file *file, const char *table)
{
    return lib_of(file)->has_table(file, table);
}

pj_sql_rows *pj_sql_rows_new(pj_sql_file *file, const char *table, const char *columns, pj_err *err)
{
    return lib_of(file)->rows(file, table, columns, err);
}

bool pj_sql_rows_next(pj_sql_rows *rows, pj_err *err)
{
    return lib_of(rows)->next(rows, err);
}

bool pj_sql_rows_has(const pj_sql_rows *rows, unsigned column)
{
    return lib_of(rows)->has(rows, column);
}

int64_t pj_sql_rows_integer(const pj_sql_rows *rows, unsigned column, int64_t otherwise)
{
    return lib_of(rows)->integer(rows, column, otherwise);
}

pj_str pj_sql_rows_text(const pj_sql_rows *rows, unsigned column)
{
    return lib_of(rows)->text(rows, column);
}

void pj_sql_rows_free(pj_sql_rows *rows)
{
    if (rows)
        lib_of(rows)->free_rows(rows);
}
