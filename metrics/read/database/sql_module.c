// The module around SQLite. Files are opened read-only and as unchanging, so that nothing is
// written beside them; SQLite's own advice for files of strangers (sqlite.org/security.html).
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/job.h"
#include "metrics/base/str.h"
#include "metrics/read/database/sql_file.h"

#include <sqlite3.h>
#include <stdlib.h>

enum { MOST_TABLES = 4096, MOST_COLUMNS = 32, LONGEST_TEXT = 65 << 10 };

extern const pj_sql_lib pj_sql_module;

struct pj_sql_file {
    const pj_sql_lib *lib; // first, as sql_file.c knows it
    sqlite3 *db;
    const char *path;
    pj_job *job;
};

struct pj_sql_rows {
    const pj_sql_lib *lib; // likewise
    pj_sql_file *file;
    sqlite3_stmt *statement; // NULL = there is no such table
    int place[MOST_COLUMNS]; // in the result; -1 = the table lacks it
};

static bool damaged(const pj_sql_file *file, pj_err *err)
{
    if (pj_job_stopped(file->job))
        return pj_fail(err, PJ_E_STOPPED, file->path, 0, "interrupted");
    return pj_fail(err, PJ_E_FORMAT, file->path, 0, "is a damaged database: %s; export it again",
                   sqlite3_errmsg(file->db));
}

static int stop(void *context)
{
    const pj_job *job = context;
    return pj_job_stopped(job);
}

/// Reading alone, of tables alone.
static int allow(void *context, int action, const char *a, const char *b, const char *c,
                 const char *trigger)
{
    (void)context, (void)a, (void)b, (void)c;
    bool reads = action == SQLITE_SELECT || action == SQLITE_READ || action == SQLITE_PRAGMA;
    return reads && !trigger ? SQLITE_OK : SQLITE_DENY;
}

static void protect(pj_sql_file *file)
{
    static const int off[] = {SQLITE_DBCONFIG_ENABLE_TRIGGER, SQLITE_DBCONFIG_ENABLE_VIEW,
                              SQLITE_DBCONFIG_TRUSTED_SCHEMA,
                              SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION};
    for (size_t i = 0; i < sizeof off / sizeof *off; i++)
        sqlite3_db_config(file->db, off[i], 0, NULL);
    sqlite3_db_config(file->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_limit(file->db, SQLITE_LIMIT_LENGTH, 64 << 20);
    sqlite3_limit(file->db, SQLITE_LIMIT_ATTACHED, 0);
    sqlite3_exec(file->db, "PRAGMA cell_size_check = ON", NULL, NULL, NULL);
    sqlite3_exec(file->db, "PRAGMA mmap_size = 0", NULL, NULL, NULL);
    sqlite3_set_authorizer(file->db, allow, NULL);
    sqlite3_progress_handler(file->db, 100000, stop, file->job);
}

/// As a URI: only plain characters stand for themselves.
static void add_uri(pj_buf *out, const char *path)
{
    static const char digits[] = "0123456789abcdef";
    pj_buf_puts(out, *path == '/' ? "file://" : "file:");
    for (; *path; path++) {
        unsigned char c = (unsigned char)*path;
        bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                     strchr("/._-", c);
        char coded[] = {'%', digits[c >> 4], digits[c & 15]};
        pj_buf_add(out, plain ? (pj_str){path, 1} : (pj_str){coded, 3});
    }
    pj_buf_puts(out, "?mode=ro&immutable=1");
}

static void close_file(pj_sql_file *file)
{
    sqlite3_close(file->db);
    free(file);
}

static pj_sql_file *open_file(const char *path, pj_job *job, pj_err *err)
{
    pj_auto_buf uri = {.at = NULL};
    pj_sql_file *file = pj_take_zeros(sizeof *file);
    file->lib = &pj_sql_module;
    file->path = path;
    file->job = job;
    add_uri(&uri, path);
    int flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX;
    int code = sqlite3_open_v2(uri.at, &file->db, flags, NULL);
    if (code == SQLITE_OK)
        protect(file);
    if (code == SQLITE_OK && sqlite3_exec(file->db, "SELECT name FROM sqlite_master LIMIT 1", NULL,
                                          NULL, NULL) == SQLITE_OK)
        return file;
    pj_ignore(damaged(file, err));
    close_file(file);
    return NULL;
}

static bool tables(pj_sql_file *file, const char *start, pj_arena *arena, const char ***names,
                   size_t *count, pj_err *err)
{
    sqlite3_stmt *statement = NULL;
    int code =
        sqlite3_prepare_v2(file->db, "SELECT name, type FROM sqlite_master", -1, &statement, NULL);
    *names = pj_new_n(arena, const char *, MOST_TABLES);
    *count = 0;
    while (code == SQLITE_OK && (code = sqlite3_step(statement)) == SQLITE_ROW) {
        const char *name = (const char *)sqlite3_column_text(statement, 0);
        const char *type = (const char *)sqlite3_column_text(statement, 1);
        code = SQLITE_OK;
        if (name && type && strcmp(type, "table") == 0 && *count < MOST_TABLES &&
            pj_str_starts(pj_str_of(name), pj_str_of(start)))
            (*names)[(*count)++] = pj_arena_text(arena, pj_str_of(name));
    }
    sqlite3_finalize(statement);
    return code == SQLITE_DONE || damaged(file, err);
}

static void add_quoted(pj_buf *out, pj_str name)
{
    pj_buf_puts(out, "\"");
    for (size_t i = 0; i < name.len; i++) {
        pj_buf_add(out, (pj_str){name.at + i, 1});
        if (name.at[i] == '"')
            pj_buf_puts(out, "\"");
    }
    pj_buf_puts(out, "\"");
}

static bool has_table(pj_sql_file *file, const char *table)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    const char **names;
    size_t count;
    if (!tables(file, table, arena, &names, &count, NULL))
        return false;
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i], table) == 0)
            return true;
    return false;
}

/// A view may be anything, and run for ever.
static bool is_view(const pj_sql_file *file, const char *name)
{
    sqlite3_stmt *statement = NULL;
    static const char query[] = "SELECT 1 FROM sqlite_master WHERE type = 'view' AND name = ?";
    bool found = sqlite3_prepare_v2(file->db, query, -1, &statement, NULL) == SQLITE_OK &&
                 sqlite3_bind_text(statement, 1, name, -1, SQLITE_STATIC) == SQLITE_OK &&
                 sqlite3_step(statement) == SQLITE_ROW;
    sqlite3_finalize(statement);
    return found;
}

/// A column as it was asked for; what ends in ! must be there.
static pj_str name_of(pj_str asked, bool *needed)
{
    bool needs = pj_str_ends(asked, PJ_S("!"));
    if (needed)
        *needed = needs;
    return pj_str_head(asked, asked.len - needs);
}

static bool has_needed(const pj_sql_rows *rows, const char *table, const char *columns, pj_err *err)
{
    pj_str rest = pj_str_of(columns);
    for (unsigned i = 0; rest.len && i < MOST_COLUMNS; i++) {
        bool needed;
        pj_str name = name_of(pj_str_cut(&rest, ' '), &needed);
        if (needed && rows->place[i] < 0)
            return pj_fail(err, PJ_E_FORMAT, rows->file->path, 0,
                           "has a table %s without the column " PJ_STR_FMT
                           ": nothing can be told from it; export it again",
                           table, PJ_STR_ARG(name));
    }
    return true;
}

/// Which of the wanted columns the table has.
static bool find_columns(pj_sql_rows *rows, const char *table, const char *columns, pj_buf *list,
                         pj_err *err)
{
    pj_auto_buf ask = {.at = NULL};
    pj_buf_puts(&ask, "PRAGMA table_info(");
    add_quoted(&ask, pj_str_of(table));
    pj_buf_puts(&ask, ")");
    sqlite3_stmt *statement = NULL;
    int found = 0, code = sqlite3_prepare_v2(rows->file->db, ask.at, -1, &statement, NULL);
    while (code == SQLITE_OK && (code = sqlite3_step(statement)) == SQLITE_ROW) {
        const char *name = (const char *)sqlite3_column_text(statement, 1);
        pj_str rest = pj_str_of(columns);
        code = SQLITE_OK;
        for (unsigned i = 0; name && rest.len && i < MOST_COLUMNS; i++) {
            pj_str wanted = name_of(pj_str_cut(&rest, ' '), NULL);
            if (rows->place[i] >= 0 || !pj_str_equal(wanted, pj_str_of(name)))
                continue;
            pj_buf_puts(list, found ? ", " : "");
            add_quoted(list, wanted);
            rows->place[i] = found++;
        }
    }
    sqlite3_finalize(statement);
    return (code == SQLITE_DONE || damaged(rows->file, err)) &&
           has_needed(rows, table, columns, err);
}

static void free_rows(pj_sql_rows *rows)
{
    sqlite3_finalize(rows->statement);
    free(rows);
}

static pj_sql_rows *new_rows(pj_sql_file *file, const char *table, const char *columns, pj_err *err)
{
    pj_auto_buf query = {.at = NULL}, list = {.at = NULL};
    pj_sql_rows *rows = pj_take_zeros(sizeof *rows);
    rows->lib = &pj_sql_module;
    rows->file = file;
    for (unsigned i = 0; i < MOST_COLUMNS; i++)
        rows->place[i] = -1;
    bool ok =
        !is_view(file, table) ||
        pj_fail(err, PJ_E_FORMAT, file->path, 0,
                "has a view in place of its table %s, which is not read: export it again", table);
    ok = ok && (!has_table(file, table) || find_columns(rows, table, columns, &list, err));
    if (ok && list.len) {
        pj_buf_puts(&query, "SELECT ");
        pj_buf_add(&query, pj_buf_str(&list));
        pj_buf_puts(&query, " FROM ");
        add_quoted(&query, pj_str_of(table));
        ok = sqlite3_prepare_v2(file->db, query.at, -1, &rows->statement, NULL) == SQLITE_OK ||
             damaged(file, err);
    }
    if (ok)
        return rows;
    free_rows(rows);
    return NULL;
}

static bool next(pj_sql_rows *rows, pj_err *err)
{
    if (!rows->statement)
        return false;
    if (pj_job_stopped(rows->file->job))
        return damaged(rows->file, err);
    int code = sqlite3_step(rows->statement);
    if (code != SQLITE_ROW && code != SQLITE_DONE)
        return damaged(rows->file, err);
    return code == SQLITE_ROW;
}

static bool has(const pj_sql_rows *rows, unsigned column)
{
    int place = rows->place[column];
    return place >= 0 && sqlite3_column_type(rows->statement, place) != SQLITE_NULL;
}

/// Whether a column is null is asked only where it may be: null is 0, and most are not.
static bool holds_number(const pj_sql_rows *rows, int place)
{
    int type = place < 0 ? SQLITE_NULL : sqlite3_column_type(rows->statement, place);
    const unsigned char *text =
        type == SQLITE_TEXT ? sqlite3_column_text(rows->statement, place) : NULL;
    return type == SQLITE_INTEGER || type == SQLITE_FLOAT || (text && *text >= '0' && *text <= '9');
}

/// SQLite itself makes 0 of any text.
static int64_t integer(const pj_sql_rows *rows, unsigned column, int64_t otherwise)
{
    int place = rows->place[column];
    int64_t value = place < 0 ? 0 : sqlite3_column_int64(rows->statement, place);
    return value || holds_number(rows, place) ? value : otherwise;
}

static pj_str text_of(const pj_sql_rows *rows, unsigned column)
{
    if (!has(rows, column))
        return (pj_str){"", 0};
    const char *text = (const char *)sqlite3_column_text(rows->statement, rows->place[column]);
    int bytes = sqlite3_column_bytes(rows->statement, rows->place[column]);
    size_t len = text && bytes > 0 ? strnlen(text, (size_t)bytes) : 0;
    return pj_str_head((pj_str){text ? text : "", len}, LONGEST_TEXT);
}

const pj_sql_lib pj_sql_module = {
    .open = open_file,
    .close = close_file,
    .tables = tables,
    .has_table = has_table,
    .rows = new_rows,
    .next = next,
    .has = has,
    .integer = integer,
    .text = text_of,
    .free_rows = free_rows,
};
