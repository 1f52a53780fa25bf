// Reading a file whole.
// Read to its end rather than by its size: pipes and files of /proc have none.
#include "metrics/base/file.h"

#include "metrics/base/str.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
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

bool pj_file_has_name(int fd)
{
    char link[32], name[sizeof "pipe:"];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(link, name, sizeof name - 1);
    return n < 0 || !pj_str_equal((pj_str){name, (size_t)n}, PJ_S("pipe:"));
}

/// Until there is something to read, or the end; false when stopped.
static bool await_bytes(int fd, const atomic_bool *stop)
{
    enum { LOOK_MS = 10 };
    while (!(stop && atomic_load(stop)))
        if (poll(&(struct pollfd){.fd = fd, .events = POLLIN}, 1, LOOK_MS) > 0)
            return true;
    return false;
}

bool pj_file_await(const char *path, const atomic_bool *stop, pj_buf *out, pj_err *err)
{
    enum { STEP = 64 * 1024 };
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY), reason = 0;
    if (fd < 0)
        return pj_fail_io(err, path, "cannot be opened");
    bool going = !pj_file_has_name(fd) || await_bytes(fd, stop);
    for (ssize_t got = 1; got != 0 && going && !reason;) {
        got = read(fd, pj_buf_room(out, STEP), STEP);
        if (got > 0)
            out->len += (size_t)got;
        else if (got < 0 && errno != EAGAIN && errno != EINTR)
            reason = errno;
        going = got >= 0 ? !(stop && atomic_load(stop)) : await_bytes(fd, stop);
    }
    pj_buf_room(out, 1)[0] = 0;
    close(fd);
    if (!going)
        return pj_fail(err, PJ_E_STOPPED, path, 0, "interrupted");
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
