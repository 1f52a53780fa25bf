// Where the program's data lie.
// The prefix is where bin/ of the running program lies.
#include "kernel/command/datadir.h"

#include "metrics/base/str.h"

#include <limits.h>
#include <unistd.h>

const char *pj_datadir_program(pj_arena *arena)
{
    char path[PATH_MAX];
    ssize_t len = readlink("/proc/self/exe", path, sizeof path);
    return pj_arena_text(arena, (pj_str){path, len > 0 ? (size_t)len : 0});
}

const char *pj_datadir_find(pj_arena *arena, const char *installed, const char *source)
{
    pj_str program = pj_str_of(pj_datadir_program(arena));
    pj_str bin = pj_str_head(program, pj_str_find_last(program, '/'));
    pj_str prefix = pj_str_head(bin, pj_str_find_last(bin, '/'));
    const char *path = pj_arena_format(arena, PJ_STR_FMT "/%s", PJ_STR_ARG(prefix), installed);
    if (access(path, R_OK) == 0)
        return path;
    path = pj_arena_format(arena, "%s/%s", PJ_SOURCE_DIR, source);
    return access(path, R_OK) == 0 ? path : NULL;
}
