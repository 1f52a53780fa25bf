// Companions are found by name alone. Only regular files are read: opening a pipe would wait.
#include "metrics/model/companion.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BYTES_MAX = 64 * 1024 * 1024 };

void pj_companion_path(const char *trace, const char *suffix, pj_buf *out)
{
    pj_str base = pj_str_of(trace);
    base.len -= pj_str_ends(base, PJ_S(".gz")) ? 3 : 0;
    base.len -= pj_str_ends(base, PJ_S(".prv")) ? 4 : 0;
    pj_buf_addf(out, PJ_STR_FMT "%s", PJ_STR_ARG(base), suffix);
}

bool pj_companion_read(const char *trace, const char *suffix, pj_buf *out)
{
    pj_auto_buf path = {.at = NULL};
    pj_companion_path(trace, suffix, &path);
    int fd = open(path.at, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return false;
    struct stat facts;
    ssize_t n = fstat(fd, &facts) == 0 && S_ISREG(facts.st_mode) ? 1 : -1;
    while (n > 0 && out->len < BYTES_MAX) {
        enum { STEP = 64 * 1024 };
        char *room = pj_buf_room(out, STEP);
        do
            n = read(fd, room, STEP);
        while (n < 0 && errno == EINTR);
        out->len += n > 0 ? (size_t)n : 0;
    }
    close(fd);
    if (n >= 0)
        out->at[out->len] = 0;
    return n >= 0;
}
