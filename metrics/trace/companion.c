// Files beside a trace.
// Companions are found by name alone. Only regular files are read: opening a pipe would wait.
#include "metrics/trace/companion.h"

#include "metrics/base/file.h"
#include "metrics/base/str.h"

#include <errno.h>
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

bool pj_companion_read(const char *trace, const char *suffix, pj_buf *out, pj_err *err)
{
    pj_auto_buf path = {.at = NULL};
    pj_companion_path(trace, suffix, &path);
    if (access(path.at, F_OK) != 0)
        return false;
    int fd = pj_file_open(path.at, err);
    ssize_t n = fd < 0 ? -1 : 1;
    while (n > 0 && out->len < BYTES_MAX) {
        enum { STEP = 64 * 1024 };
        char *room = pj_buf_room(out, STEP);
        do
            n = read(fd, room, STEP);
        while (n < 0 && errno == EINTR);
        out->len += n > 0 ? (size_t)n : 0;
    }
    if (fd < 0)
        return false;
    if (n < 0)
        pj_fail_io(err, path.at, "cannot be read");
    close(fd);
    if (n >= 0)
        out->at[out->len] = 0;
    return n >= 0;
}

static bool is_same_file(const char *a, const char *b)
{
    struct stat x, y;
    return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

static bool is_same_folder(pj_str a, pj_str b)
{
    pj_auto_buf x = {.at = NULL}, y = {.at = NULL};
    pj_buf_addf(&x, PJ_STR_FMT ".", PJ_STR_ARG(a));
    pj_buf_addf(&y, PJ_STR_FMT ".", PJ_STR_ARG(b));
    return is_same_file(x.at, y.at);
}

bool pj_companion_shared(const char *a, const char *b)
{
    if (is_same_file(a, b))
        return true;
    pj_auto_buf x = {.at = NULL}, y = {.at = NULL};
    pj_companion_path(a, "", &x);
    pj_companion_path(b, "", &y);
    pj_str one = pj_buf_str(&x), other = pj_buf_str(&y);
    size_t one_name = pj_str_find_last(one, '/'), other_name = pj_str_find_last(other, '/');
    one_name = one_name < one.len ? one_name + 1 : 0;
    other_name = other_name < other.len ? other_name + 1 : 0;
    return pj_str_equal(pj_str_from(one, one_name), pj_str_from(other, other_name)) &&
           is_same_folder(pj_str_head(one, one_name), pj_str_head(other, other_name));
}

/// The name without its end: of "a/run.pcf.gz" "a/run"; all of it when it is no companion's.
static pj_str stem_of(pj_str name)
{
    static const pj_str suffixes[] = {{".pcf", 4}, {".row", 4}};
    pj_str plain = pj_str_ends(name, PJ_S(".gz")) ? pj_str_head(name, name.len - 3) : name;
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
        if (pj_str_ends(plain, suffixes[i]))
            return pj_str_head(plain, plain.len - suffixes[i].len);
    return name;
}

bool pj_companion_named(const char *path)
{
    pj_str name = pj_str_of(path);
    return stem_of(name).len < name.len;
}

bool pj_companion_belongs(const char *path, const char *trace)
{
    pj_str stem = stem_of(pj_str_of(path)), other = pj_str_of(trace);
    return pj_companion_named(path) && pj_str_starts(other, stem) &&
           pj_str_starts(pj_str_from(other, stem.len), PJ_S(".prv"));
}
