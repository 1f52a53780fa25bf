// Reading a file whole.
// Read to its end rather than by its size: pipes and files of /proc have none.
#include "metrics/base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

bool pj_file_read(const char *path, pj_buf *out, pj_err *err)
{
    enum { STEP = 64 * 1024 };
    FILE *file = fopen(path, "rbe");
    if (!file)
        return pj_fail_io(err, path, "cannot be opened");
    for (size_t got = 1; got > 0; out->len += got)
        got = fread(pj_buf_room(out, STEP), 1, STEP, file);
    out->at[out->len] = 0;
    int reason = ferror(file) ? errno : 0;
    fclose(file);
    return !reason || pj_fail(err, PJ_E_IO, path, 0, "cannot be read: %s", strerror(reason));
}

int pj_file_open(const char *path, pj_err *err)
{
    struct stat facts;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd >= 0 && fstat(fd, &facts) == 0 && S_ISREG(facts.st_mode))
        return fd;
    if (fd < 0)
        pj_fail_io(err, path, "cannot be opened");
    else
        pj_fail(err, PJ_E_IO, path, 0, "is no regular file");
    if (fd >= 0)
        close(fd);
    return -1;
}

bool pj_file_is_regular(const char *path)
{
    struct stat facts;
    return stat(path, &facts) == 0 && S_ISREG(facts.st_mode);
}
