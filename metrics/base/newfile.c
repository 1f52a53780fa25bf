// Files that appear whole or not at all.
// Until it is whole a file has no name, so that nothing is left of it whatever ends the process.
// Where a file system or the lack of /proc does not allow that, it has the target's name with a
// random ending, so that both lie on one file system.
#include "metrics/base/newfile.h"

#include "metrics/base/arena.h"
#include "metrics/base/str.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { WAITING_MOST = 1 << 16 };

static bool refuse(const char *path, const char *what, pj_err *err)
{
    return pj_fail_io(err, path, what);
}

static char *temporary_name(const char *path)
{
    size_t size = strlen(path) + sizeof ".XXXXXX";
    char *name = pj_take_memory(size);
    snprintf(name, size, "%s.XXXXXX", path);
    return name;
}

/// What open(2) would give a new file.
static mode_t new_mode(void)
{
    mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

/// The folder of `path`.
static void add_folder(const char *path, pj_buf *out)
{
    pj_str target = pj_str_of(path);
    size_t slash = pj_str_find_last(target, '/');
    pj_buf_add(out, pj_str_head(target, slash < target.len ? slash + 1 : 0));
    pj_buf_puts(out, ".");
}

/// A file without a name where `path` is to be, with the mode of a new file; -1 where there is no
/// such thing.
static int open_unnamed(const char *path)
{
    pj_auto_buf folder = {.at = NULL};
    add_folder(path, &folder);
    if (access("/proc/self/fd", X_OK) != 0)
        return -1;
    return open(folder.at, O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
}

static bool link_to(int fd, const char *path)
{
    char from[32];
    snprintf(from, sizeof from, "/proc/self/fd/%d", fd);
    return linkat(AT_FDCWD, from, AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0;
}

/// A file that takes the place of another one needs a name before.
static bool give_name(pj_newfile *file)
{
    if (link_to(file->fd, file->path))
        return true;
    size_t size = strlen(file->path) + sizeof ".4294967295";
    file->temporary = pj_take_memory(size);
    for (uint32_t i = (uint32_t)getpid(); errno == EEXIST; i = i * 1664525u + 1013904223u) {
        snprintf(file->temporary, size, "%s.%u", file->path, (unsigned)i);
        if (link_to(file->fd, file->temporary))
            return true;
    }
    free(file->temporary);
    file->temporary = NULL;
    return false;
}

static bool refuse_folder(const char *path, pj_err *err)
{
    errno = EISDIR;
    return refuse(path, "cannot be written", err);
}

/// Without a name, or with a temporary one; -1 with the system's reason.
static int open_beside(const char *path, char **temporary)
{
    int fd = open_unnamed(path);
    *temporary = fd < 0 ? temporary_name(path) : NULL;
    if (fd >= 0)
        return fd;
    fd = mkostemp(*temporary, O_CLOEXEC);
    if (fd >= 0)
        fchmod(fd, new_mode());
    else
        free(*temporary);
    return fd;
}

bool pj_newfile_open(pj_newfile *file, const char *path, pj_err *err)
{
    struct stat old;
    bool replaces = stat(path, &old) == 0;
    if (replaces && S_ISDIR(old.st_mode))
        return refuse_folder(path, err);
    char *real = replaces ? realpath(path, NULL) : NULL; // a link stays one
    char *temporary;
    int fd = open_beside(real ? real : path, &temporary);
    if (fd < 0) {
        free(real);
        return refuse(path, "cannot be written", err);
    }
    if (replaces)
        fchmod(fd, old.st_mode & 07777);
    *file = (pj_newfile){.path = real ? real : strdup(path), .temporary = temporary, .fd = fd};
    return true;
}

bool pj_newfile_write(int fd, const char *path, pj_str bytes, pj_err *err)
{
    while (bytes.len > 0) {
        ssize_t done = write(fd, bytes.at, bytes.len);
        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0)
            return refuse(path, "cannot be written", err);
        bytes = pj_str_from(bytes, (size_t)done);
    }
    return true;
}

static bool flush(pj_newfile *file, pj_err *err)
{
    bool good = pj_newfile_write(file->fd, file->path, pj_buf_str(&file->waiting), err);
    file->waiting.len = 0;
    return good;
}

bool pj_newfile_add(pj_newfile *file, pj_str bytes, pj_err *err)
{
    pj_buf_add(&file->waiting, bytes);
    return file->waiting.len < WAITING_MOST || flush(file, err);
}

bool pj_newfile_commit(pj_newfile *file, pj_err *err)
{
    bool good = flush(file, err);
    if (good && fsync(file->fd) != 0 && errno != EINVAL)
        good = refuse(file->path, "cannot be written to disk", err);
    if (good && !file->temporary && !give_name(file))
        good = refuse(file->path, "cannot be put in its place", err);
    if (good && file->temporary && rename(file->temporary, file->path) != 0)
        good = refuse(file->path, "cannot be put in its place", err);
    if (good) {
        free(file->temporary);
        file->temporary = NULL;
    }
    pj_newfile_drop(file);
    return good;
}

void pj_newfile_drop(pj_newfile *file)
{
    if (!file->path)
        return;
    close(file->fd);
    if (file->temporary)
        unlink(file->temporary);
    free(file->temporary);
    free(file->path);
    pj_buf_free(&file->waiting);
    *file = (pj_newfile){.fd = -1};
}

int pj_newfile_scratch(const char *path, pj_err *err)
{
    char *temporary;
    int fd = open_beside(path, &temporary);
    if (fd < 0) {
        refuse(path, "no temporary file can be created beside it", err);
    } else if (temporary) {
        unlink(temporary);
        free(temporary);
    }
    return fd;
}

static bool write_into(const char *path, pj_str bytes, pj_err *err)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return refuse(path, "cannot be written", err);
    bool good = pj_newfile_write(fd, path, bytes, err);
    return (close(fd) == 0 || !good) ? good : refuse(path, "cannot be written", err);
}

bool pj_newfile_put(const char *path, pj_str bytes, pj_err *err)
{
    struct stat old;
    if (stat(path, &old) == 0 && !S_ISREG(old.st_mode) && !S_ISDIR(old.st_mode))
        return write_into(path, bytes, err);
    pj_auto_newfile file = {.fd = -1};
    return pj_newfile_open(&file, path, err) && pj_newfile_add(&file, bytes, err) &&
           pj_newfile_commit(&file, err);
}

bool pj_newfile_put_first(const char *path, pj_str bytes, pj_err *err)
{
    if (access(path, F_OK) == 0)
        return pj_fail(err, PJ_E_USAGE, path, 0, "a file of this name is there already");
    return pj_newfile_put(path, bytes, err);
}

bool pj_newfile_check(const char *path, pj_err *err)
{
    struct stat old;
    bool replaces = stat(path, &old) == 0;
    if (replaces && S_ISDIR(old.st_mode))
        return refuse_folder(path, err);
    if (replaces && !S_ISREG(old.st_mode))
        return true;
    char *real = replaces ? realpath(path, NULL) : NULL;
    pj_auto_buf folder = {.at = NULL};
    add_folder(real ? real : path, &folder);
    free(real);
    return access(folder.at, W_OK | X_OK) == 0 || refuse(path, "cannot be written", err);
}
