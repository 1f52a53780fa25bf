// One list of files and folders; which files are traces their names tell, or what they begin with,
// as of profiles and JSON.
#include "metrics/analyse/folder_list.h"

#include "metrics/analyse/trace_files.h"
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "metrics/read/reader.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

static int by_name(const void *a, const void *b)
{
    const pj_folder_entry *left = a, *right = b;
    if (left->folder != right->folder)
        return left->folder ? -1 : 1;
    return pj_str_order_natural(pj_str_of(left->name), pj_str_of(right->name));
}

enum { SNIFFED_MOST = 2000 }; // files of a folder that are opened

/// Companions of traces of several files are no runs.
static const char *format_of(const char *path)
{
    const pj_reader *reader = pj_reader_of_path(path);
    if (!reader || reader->gives == PJ_GIVES_PROFILE)
        return reader ? PJ_FOLDER_PROFILE : NULL;
    return pj_reader_gives_trace(reader) && !reader->several ? reader->title : NULL;
}

static pj_folder_entry entry_of(const char *folder, const char *name, const struct stat *info,
                                size_t sniffed, pj_arena *arena)
{
    bool is_folder = S_ISDIR(info->st_mode);
    const pj_reader *reader = is_folder ? NULL : pj_trace_files_named(name);
    const char *path = pj_arena_format(arena, "%s/%s", folder, name);
    const char *format = reader ? reader->title : NULL;
    if (!reader && !is_folder && info->st_size > 0 && sniffed < SNIFFED_MOST)
        format = format_of(path);
    return (pj_folder_entry){.name = pj_arena_text(arena, pj_str_of(name)),
                             .format = format,
                             .bytes = reader ? pj_trace_files_bytes(path) : (uint64_t)info->st_size,
                             .folder = is_folder};
}

bool pj_folder_list(const char *path, pj_arena *arena, pj_folder *out, pj_err *err)
{
    const char *folder = *path ? path : ".";
    DIR *dir = opendir(folder);
    if (!dir)
        return pj_fail(err, PJ_E_IO, path, 0, "the folder cannot be opened: %s", strerror(errno));
    pj_folder_entry *items = NULL;
    size_t count = 0, cap = 0;
    for (struct dirent *entry; (entry = readdir(dir));) {
        struct stat info;
        if (entry->d_name[0] == '.' || fstatat(dirfd(dir), entry->d_name, &info, 0) != 0 ||
            (!S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode)))
            continue;
        pj_grow(items, &cap, count + 1);
        items[count] = entry_of(folder, entry->d_name, &info, count, arena);
        count++;
    }
    closedir(dir);
    if (count)
        qsort(items, count, sizeof *items, by_name);
    out->entries = pj_new_n(arena, pj_folder_entry, count + 1);
    if (count)
        memcpy(out->entries, items, count * sizeof *items);
    out->count = count;
    free(items);
    return true;
}
