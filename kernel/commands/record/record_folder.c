// Folders of recordings: named by program, date and time, never overwritten.
#include "kernel/commands/record/record_folder.h"

#include "kernel/commands/record/record_preload.h"
#include "metrics/base/str.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static pj_str base_name(pj_str path)
{
    ptrdiff_t slash = (ptrdiff_t)pj_str_find_last(path, '/');
    return slash < (ptrdiff_t)path.len ? pj_str_from(path, (size_t)slash + 1) : path;
}

const char *pj_record_folder_name(const pj_texts *words, pj_arena *arena)
{
    for (size_t i = 0; i < words->count; i++) {
        pj_str word = pj_str_of(words->items[i]);
        if (pj_str_ends(word, PJ_S(".py")))
            return pj_arena_text(arena, pj_str_head(base_name(word), base_name(word).len - 3));
        if (strcmp(words->items[i], "-m") == 0 && i + 1 < words->count)
            return words->items[i + 1];
    }
    size_t program = pj_record_preload_mpi(words, arena);
    const char *named = words->items[program < words->count ? program : 0];
    return named ? pj_arena_text(arena, base_name(pj_str_of(named))) : "recording";
}

static const char *stamp(time_t when, pj_arena *arena)
{
    char text[32];
    struct tm parts;
    localtime_r(&when, &parts);
    strftime(text, sizeof text, "%Y%m%d-%H%M%S", &parts);
    return pj_arena_text(arena, pj_str_of(text));
}

static bool is_empty(const char *path)
{
    DIR *folder = opendir(path);
    if (!folder)
        return false;
    size_t entries = 0;
    while (readdir(folder))
        entries++;
    closedir(folder);
    return entries <= 2; // itself and the one above
}

bool pj_record_folder_make(const char *path, pj_err *err)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    char *copy = (char *)pj_arena_text(arena, pj_str_of(path));
    for (char *at = copy + 1;; at++) {
        if (*at && *at != '/')
            continue;
        char kept = *at;
        *at = 0;
        if (mkdir(copy, 0777) != 0 && errno != EEXIST)
            return pj_fail_io(err, copy, "the folder cannot be made");
        *at = kept;
        if (!kept)
            return access(path, W_OK) == 0 || pj_fail_io(err, path, "cannot be written to");
    }
}

bool pj_record_folder_aside(const char *path, const char *aside, pj_err *err)
{
    struct stat info, other;
    pj_auto_arena arena = pj_arena_new(NULL);
    if (lstat(path, &info) != 0 || is_empty(path))
        return true;
    const char *free_name = pj_arena_format(arena, "%s-%s", aside, stamp(info.st_mtime, arena));
    while (lstat(free_name, &other) == 0)
        free_name = pj_arena_format(arena, "%s-1", free_name);
    pj_str above = pj_str_head(pj_str_of(aside), pj_str_find_last(pj_str_of(aside), '/'));
    if (!pj_record_folder_make(pj_arena_text(arena, above), err))
        return false;
    return rename(path, free_name) == 0 ||
           pj_fail_io(err, path, "is there already and cannot be renamed");
}

const char *pj_record_folder_path(const char *wanted, const char *name, bool study, pj_arena *arena,
                                  pj_err *err)
{
    char here[PATH_MAX];
    const char *tail = study ? "study" : stamp(time(NULL), arena);
    const char *path = wanted ? wanted : pj_arena_format(arena, "%s-%s", name, tail);
    if (path[0] == '/')
        return path;
    if (getcwd(here, sizeof here))
        return pj_arena_format(arena, "%s/%s", here, path);
    pj_fail_io(err, ".", "the current folder is gone");
    return NULL;
}
