// popinjay examples [DIR]: the runs that come with the program.
#include "kernel/command.h"
#include "kernel/datadir.h"
#include "metrics/base/file.h"
#include "metrics/base/newfile.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

typedef struct examples_args {
    const char *dir;
} examples_args;

static int by_name(const void *a, const void *b)
{
    return pj_str_order_natural(pj_str_of(*(const char *const *)a),
                                pj_str_of(*(const char *const *)b));
}

/// Names of the files in the folder; only traces unless `all`.
static bool list_files(const char *folder, bool all, pj_arena *arena, pj_texts *out, pj_err *err)
{
    DIR *dir = opendir(folder);
    if (!dir)
        return pj_fail(err, PJ_E_IO, folder, 0, "cannot be opened: %s", strerror(errno));
    for (struct dirent *entry; (entry = readdir(dir));) {
        pj_str name = pj_str_of(entry->d_name);
        bool trace = pj_str_contains(name, PJ_S(".prv"));
        bool part = pj_str_ends(name, PJ_S(".pcf")) || pj_str_ends(name, PJ_S(".row"));
        if (!trace && !(all && part))
            continue;
        pj_grow(out->items, &out->cap, out->count + 1);
        out->items[out->count++] = pj_arena_text(arena, name);
    }
    closedir(dir);
    if (out->count)
        qsort(out->items, out->count, sizeof *out->items, by_name);
    return true;
}

static pj_table *table_of(const char *folder, const pj_texts *names)
{
    pj_table *table = pj_table_new("Example runs");
    pj_table_add_column(table, (pj_column){.key = "trace", .title = "Trace", .text = true});
    pj_table_add_column(table, (pj_column){.key = "bytes", .title = "Size", .unit = PJ_UNIT_BYTES});
    for (size_t i = 0; i < names->count; i++) {
        struct stat info = {0};
        stat(pj_arena_format(table->arena, "%s/%s", folder, names->items[i]), &info);
        pj_cell *cells = pj_table_add_row(table);
        cells[0] = pj_cell_text(pj_arena_text(table->arena, pj_str_of(names->items[i])));
        cells[1] = pj_cell_int(info.st_size);
    }
    table->note = pj_arena_format(table->arena, "in %s", folder);
    return table;
}

static bool copy_files(const char *from, const char *to, const pj_texts *names, pj_err *err)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    if (mkdir(to, 0777) != 0 && errno != EEXIST)
        return pj_fail(err, PJ_E_IO, to, 0, "cannot be made: %s", strerror(errno));
    for (size_t i = 0; i < names->count; i++) {
        pj_auto_buf bytes = {0};
        const char *source = pj_arena_format(arena, "%s/%s", from, names->items[i]);
        const char *target = pj_arena_format(arena, "%s/%s", to, names->items[i]);
        if (!pj_file_read(source, &bytes, err) || !pj_newfile_put(target, pj_buf_str(&bytes), err))
            return false;
    }
    return true;
}

static bool run_examples(pj_session *session, const void *given, pj_value *out, pj_err *err)
{
    (void)session;
    const examples_args *args = given;
    pj_auto_arena arena = pj_arena_new(NULL);
    const char *folder = pj_datadir_find(arena, "share/popinjay/traces", "notebooks/traces");
    if (!folder)
        return pj_fail(err, PJ_E_MISSING, NULL, 0,
                       "the example runs are not installed (share/popinjay/traces)");
    pj_texts traces = {0}, files = {0};
    bool ok = list_files(folder, false, arena, &traces, err) &&
              list_files(folder, true, arena, &files, err) &&
              (!args->dir || copy_files(folder, args->dir, &files, err));
    if (ok)
        *out = pj_value_table_take(table_of(args->dir ? args->dir : folder, &traces));
    free(traces.items);
    free(files.items);
    return ok;
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
    .detail = "The runs are made from a model of a stencil code with known efficiencies, 1 to 64 "
              "ranks; they are what the first notebook analyses.",
    .example = "popinjay examples traces",
    .faces = PJ_IN_BOTH,
    .params = params,
    .args_size = sizeof(examples_args),
    .run = run_examples,
};
