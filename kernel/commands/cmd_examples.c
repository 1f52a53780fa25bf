// popinjay examples [DIR]: the runs that come with the program.
#include "kernel/command/command.h"
#include "kernel/command/datadir.h"
#include "kernel/command/export.h"
#include "kernel/command/session.h"
#include "kernel/command/value.h"
#include "metrics/analyse/trace_files.h"
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/file.h"
#include "metrics/base/newfile.h"
#include "metrics/base/str.h"
#include "metrics/table/table.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

typedef struct examples_args {
    const char *dir;
    pj_exports exports;
} examples_args;

static int by_name(const void *a, const void *b)
{
    return pj_str_order_natural(pj_str_of(*(const char *const *)a),
                                pj_str_of(*(const char *const *)b));
}

/// Adds the traces in `root`/`folder` and what belongs to them, as paths from `root`; events of an
/// archive lie in a folder of its own.
static bool list_files(const char *root, const char *folder, pj_arena *arena, pj_texts *out,
                       pj_err *err)
{
    const char *path = pj_arena_format(arena, "%s/%s", root, folder);
    DIR *dir = opendir(path);
    if (!dir)
        return pj_fail_io(err, path, "cannot be opened");
    bool ok = true;
    for (struct dirent *entry; ok && (entry = readdir(dir));) {
        const char *name = pj_arena_format(arena, "%s%s", folder, entry->d_name);
        struct stat info;
        if (entry->d_name[0] == '.' ||
            stat(pj_arena_format(arena, "%s/%s", root, name), &info) != 0)
            continue;
        if (S_ISDIR(info.st_mode) && !*folder) {
            ok = list_files(root, pj_arena_format(arena, "%s/", name), arena, out, err);
        } else if (pj_trace_files_named(name) || pj_trace_files_part(name)) {
            pj_grow(out->items, &out->cap, out->count + 1);
            out->items[out->count++] = name;
        }
    }
    closedir(dir);
    return ok;
}

static pj_table *table_of(const char *folder, const pj_texts *files)
{
    pj_table *table = pj_table_new("Example runs");
    pj_table_add_column(table, (pj_column){.key = "trace", .title = "Trace", .text = true});
    pj_table_add_column(table, (pj_column){.key = "bytes", .title = "Size", .unit = PJ_UNIT_BYTES});
    for (size_t i = 0; i < files->count; i++) {
        if (!pj_trace_files_named(files->items[i]))
            continue;
        pj_cell *cells = pj_table_add_row(table);
        cells[0] = pj_cell_text(pj_arena_text(table->arena, pj_str_of(files->items[i])));
        const char *path = pj_arena_format(table->arena, "%s/%s", folder, files->items[i]);
        cells[1] = pj_cell_int((int64_t)pj_trace_files_bytes(path));
    }
    table->note = pj_arena_format(table->arena, "in %s", folder);
    return table;
}

static bool make_folder(const char *path, pj_err *err)
{
    return mkdir(path, 0777) == 0 || errno == EEXIST || pj_fail_io(err, path, "cannot be made");
}

static bool copy_file(const char *from, const char *to, const char *name, pj_arena *arena,
                      pj_err *err)
{
    pj_auto_buf bytes = {0};
    const char *source = pj_arena_format(arena, "%s/%s", from, name);
    const char *target = pj_arena_format(arena, "%s/%s", to, name);
    size_t folder = pj_str_find(pj_str_of(name), '/');
    if (folder < strlen(name) &&
        !make_folder(pj_arena_format(arena, "%s/%.*s", to, (int)folder, name), err))
        return false;
    return pj_file_read(source, &bytes, err) && pj_newfile_put(target, pj_buf_str(&bytes), err);
}

static bool copy_files(const char *from, const char *to, const pj_texts *files, pj_err *err)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    bool ok = make_folder(to, err);
    for (size_t i = 0; ok && i < files->count; i++)
        ok = copy_file(from, to, files->items[i], arena, err);
    return ok;
}

static bool run_examples(pj_session *session, const void *given, pj_value *out, pj_err *err)
{
    const examples_args *args = given;
    if (!pj_export_check(&args->exports, err))
        return false;
    pj_auto_arena arena = pj_arena_new(NULL);
    const char *folder = pj_datadir_find(arena, "share/popinjay/traces", "notebooks/traces");
    if (!folder)
        return pj_fail(err, PJ_E_MISSING, NULL, 0,
                       "the example runs are not installed (share/popinjay/traces)");
    pj_texts files = {0};
    bool ok = list_files(folder, "", arena, &files, err);
    if (ok && files.count)
        qsort(files.items, files.count, sizeof *files.items, by_name);
    ok = ok && (!args->dir || copy_files(folder, args->dir, &files, err));
    if (ok && args->dir)
        pj_session_wrote(session, args->dir);
    if (ok)
        *out = pj_value_table_take(table_of(args->dir ? args->dir : folder, &files));
    free(files.items);
    return ok && pj_export_all(session, out, &args->exports, err);
}

static const pj_param params[] = {
    {.name = "dir",
     .type = PJ_PARAM_PATH,
     .place = PJ_IN_BOTH,
     .offset = offsetof(examples_args, dir),
     .shown = "DIR",
     .help = "Copies the runs into this folder, which is made when it is not there."},
    {0},
};

const pj_command pj_command_examples = {
    .name = "examples",
    .summary = "List the example runs that come with the program, or copy them",
    .detail =
        "Paraver traces are made from a model of a stencil code with known efficiencies, 1 to "
        "64 ranks; OTF2 archives were recorded from mini applications with MPI and OpenMP. "
        "The notebooks analyse both.",
    .example = "popinjay examples traces",
    .faces = PJ_IN_BOTH,
    .groups =
        (const pj_param_group[]){
            {.rows = params},
            {.rows = pj_export_rows, .base = offsetof(examples_args, exports)},
            {0},
        },
    .args_size = sizeof(examples_args),
    .run = run_examples,
};
