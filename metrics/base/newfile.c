// Temporary names are the target's with a random ending, so that both lie on one file system.
#include "metrics/base/newfile.h"

#include "metrics/base/arena.h"

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

static bool refuse_folder(const char *path, pj_err *err)
{
    errno = EISDIR;
    return refuse(path, "cannot be written", err);
}

bool pj_newfile_open(pj_newfile *file, const char *path, pj_err *err)
{
    struct stat old;
    bool replaces = stat(path, &old) == 0;
    if (replaces && S_ISDIR(old.st_mode))
        return refuse_folder(path, err);
    char *real = replaces ? realpath(path, NULL) : NULL; // a link stays one
    char *temporary = temporary_name(real ? real : path);
    int fd = mkostemp(temporary, O_CLOEXEC);
    if (fd < 0) {
        free(temporary);
        free(real);
        return refuse(path, "cannot be written", err);
    }
    fchmod(fd, replaces ? old.st_mode & 07777 : new_mode());
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
    if (good && rename(file->temporary, file->path) != 0)
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
    char *temporary = temporary_name(path);
    int fd = mkostemp(temporary, O_CLOEXEC);
    if (fd < 0)
        refuse(path, "no temporary file can be created beside it", err);
    else
        unlink(temporary);
    free(temporary);
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

bool pj_newfile_check(const char *path, pj_err *err)
{
    struct stat old;
    bool replaces = stat(path, &old) == 0;
    if (replaces && S_ISDIR(old.st_mode))
        return refuse_folder(path, err);
    if (replaces && !S_ISREG(old.st_mode))
        return true;
    char *real = replaces ? realpath(path, NULL) : NULL;
    pj_str target = pj_str_of(real ? real : path);
    size_t slash = pj_str_find_last(target, '/');
    pj_auto_buf folder = {.at = NULL};
    pj_buf_add(&folder, pj_str_head(target, slash < target.len ? slash + 1 : 0));
    pj_buf_puts(&folder, ".");
    free(real);
    return access(folder.at, W_OK | X_OK) == 0 || refuse(path, "cannot be written", err);
}
