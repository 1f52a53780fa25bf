// The program is looked for in the folders above this library: PREFIX/lib/.../popinjay/,
// PREFIX/bin.
#include "metrics/record/mpi/rec_mpi_merge.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static bool find_program(char path[PATH_MAX])
{
    enum { LEVELS = 4 };
    Dl_info info;
    char place[PATH_MAX];
    if (!dladdr(__func__, &info) || !realpath(info.dli_fname, place))
        return false;
    for (int level = 0; level < LEVELS; level++) {
        char *slash = strrchr(place, '/');
        if (!slash)
            return false;
        *slash = '\0';
        int size = snprintf(path, PATH_MAX, "%s/bin/popinjay", place);
        if (size > 0 && size < PATH_MAX && access(path, X_OK) == 0)
            return true;
    }
    return false;
}

static bool is_of_job(const char *setting)
{
    static const char *const prefixes[] = {"OMPI_", "PMIX_", "PMI_", "LD_PRELOAD=", "POPINJAY_"};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (strncmp(setting, prefixes[i], strlen(prefixes[i])) == 0)
            return true;
    return false;
}

/// What is not of the job: the merge is no process of it.
static char **settings(void)
{
    size_t count = 0, kept = 0;
    while (environ[count])
        count++;
    char **out = calloc(count + 1, sizeof *out);
    for (size_t i = 0; out && i < count; i++)
        if (!is_of_job(environ[i]))
            out[kept++] = environ[i];
    return out;
}

static void run(char *path, char *folder)
{
    pid_t pid;
    posix_spawn_file_actions_t files;
    char **own = settings();
    char merge[] = "merge";
    char *words[] = {path, merge, folder, NULL};
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    if (own && posix_spawn(&pid, path, &files, NULL, words, own) == 0)
        while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
            ;
    posix_spawn_file_actions_destroy(&files);
    free(own);
}

void pj_rec_mpi_merge(void)
{
    char path[PATH_MAX];
    const char *when = getenv("POPINJAY_RECORD_MERGE");
    char *folder = getenv("POPINJAY_RECORD");
    if (folder && *folder && !(when && strcmp(when, "later") == 0) && find_program(path))
        run(path, folder);
}
