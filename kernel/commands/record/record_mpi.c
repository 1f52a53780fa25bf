// metrics/record/mpi/build compiles them, of the sources that are installed.
#include "kernel/commands/record/record_mpi.h"

#include "kernel/command/child.h"
#include "kernel/command/datadir.h"
#include "kernel/commands/record/record_folder.h"
#include "metrics/base/buf.h"
#include "metrics/base/file.h"
#include "metrics/base/module.h"
#include "metrics/base/str.h"

#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>

static const char recorder[] = "popinjay-record.so";

/// NULL for a user without a home.
static const char *own_folder(pj_arena *arena)
{
    const char *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
    if (data && *data == '/')
        return pj_arena_format(arena, "%s/popinjay/mpi", data);
    return home && *home ? pj_arena_format(arena, "%s/.local/share/popinjay/mpi", home) : NULL;
}

static bool is_newer(const struct stat *one, const struct stat *other)
{
    return one->st_ctim.tv_sec > other->st_ctim.tv_sec ||
           (one->st_ctim.tv_sec == other->st_ctim.tv_sec &&
            one->st_ctim.tv_nsec > other->st_ctim.tv_nsec);
}

const char *pj_record_mpi_wrappers(const char *library, pj_arena *arena, bool *old)
{
    char own[PATH_MAX];
    struct stat ours, made;
    const char *folder = own_folder(arena);
    const char *path =
        folder ? pj_arena_format(arena, "%s/popinjay-record-%s", folder, library) : NULL;
    const bool there = path && stat(path, &made) == 0;
    const bool fits = there && pj_module_path(recorder, own, sizeof own) && stat(own, &ours) == 0 &&
                      is_newer(&made, &ours);
    *old = there && !fits;
    return fits ? path : NULL;
}

bool pj_record_mpi_build(pj_session *session, const char *compiler, pj_err *err)
{
    char library[PATH_MAX];
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_auto_buf log = {0};
    static const char script[] = "metrics/record/mpi/build";
    const char *build =
        pj_datadir_find(arena, pj_arena_format(arena, "share/popinjay/%s", script), script);
    const char *folder = own_folder(arena);
    if (!build || !pj_module_path(recorder, library, sizeof library))
        return pj_fail(err, PJ_E_MISSING, "share/popinjay/metrics", 0,
                       "the sources of the wrappers are not installed");
    if (!folder)
        return pj_fail(err, PJ_E_USAGE, NULL, 0, "there is no home folder: set XDG_DATA_HOME");
    const char *const words[] = {build, compiler, library, folder, NULL};
    const pj_child child = {.words = words, .log = pj_arena_format(arena, "%s/build.log", folder)};
    if (!pj_record_folder_make(folder, err) || !pj_child_run(&child, session->stop, err) ||
        !pj_file_read(child.log, &log, err))
        return false;
    const pj_str said = pj_str_trim(pj_buf_str(&log));
    const size_t line = pj_str_find_last(said, '\n');
    const pj_str made = line < said.len ? pj_str_from(said, line + 1) : said;
    pj_session_say(session, "wrote " PJ_STR_FMT, PJ_STR_ARG(made));
    return true;
}
