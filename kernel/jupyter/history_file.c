// The user's file of earlier inputs.
// The first line has the number of the next session in a fixed place, so that beginning a session
// need not read the rest. A lock that is held too long is done without: a line then may only be
// lost to a compaction at that very moment.
#include "kernel/jupyter/history_file.h"

#include "kernel/command/setting.h"
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/num.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { LOCK_TRIES = 20, NUMBER_DIGITS = 9, HEAD_BYTES = 28, MOST_SESSION = 999999998 };

static const char head_format[] = "popinjay history %0*d\n\n";

char *pj_history_file_path(void)
{
    const char *own = pj_setting_text(PJ_SETTING_HISTORY);
    if (own)
        return *own && strcmp(own, "off") != 0 ? strdup(own) : NULL;
    pj_buf path = {0};
    pj_state_file("history", &path);
    return path.at;
}

static bool is_regular(int fd)
{
    struct stat facts;
    return fstat(fd, &facts) == 0 && S_ISREG(facts.st_mode);
}

static int open_regular(const char *path, int flags)
{
    int fd = open(path, flags | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0600);
    if (fd >= 0 && !is_regular(fd)) {
        close(fd);
        return -1;
    }
    return fd;
}

static bool is_still(int fd, const char *path)
{
    struct stat open_one, named;
    return fstat(fd, &open_one) == 0 && stat(path, &named) == 0 &&
           open_one.st_ino == named.st_ino && open_one.st_dev == named.st_dev;
}

/// The file, locked when the lock could be had, and not one that a compaction has replaced.
static int open_locked(const char *path, bool patient)
{
    for (int tries = 0; tries < LOCK_TRIES; tries++) {
        int fd = open_regular(path, O_RDWR | O_CREAT);
        if (fd < 0 && tries == 0 && errno == ENOENT) {
            pj_state_make_folders(path);
            continue;
        }
        if (fd < 0)
            return -1;
        bool locked = flock(fd, LOCK_EX | LOCK_NB) == 0;
        if ((locked || tries + 1 == LOCK_TRIES) && is_still(fd, path))
            return fd;
        close(fd);
        if (!locked && !patient)
            return -1;
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    return -1;
}

static bool write_head(int fd, int next)
{
    char head[HEAD_BYTES + 1];
    int len = snprintf(head, sizeof head, head_format, NUMBER_DIGITS, next);
    return pwrite(fd, head, (size_t)len, 0) == len;
}

/// Everything from `at` to the end of the file.
static void read_from(int fd, off_t at, pj_buf *out)
{
    enum { STEP = 1 << 16 };
    for (ssize_t n; (n = pread(fd, pj_buf_room(out, STEP), STEP, at)) > 0; at += n)
        out->len += (size_t)n;
}

/// [session, line, ...] of a line; NULL for everything else.
static json_t *record_of(pj_str line)
{
    json_t *record = json_loadb(line.at ? line.at : "", line.len, 0, NULL);
    bool good =
        json_is_array(record) && json_integer_value(json_array_get(record, 0)) > 0 &&
        json_is_integer(json_array_get(record, 1)) &&
        (json_is_string(json_array_get(record, 2)) || json_is_string(json_array_get(record, 3)));
    if (good)
        return record;
    json_decref(record);
    return NULL;
}

/// The records of the last PJ_HISTORY_FILE_BYTES.
static json_t *read_records(int fd)
{
    struct stat facts;
    json_t *records = json_array();
    pj_auto_buf text = {0};
    off_t from = 0;
    if (fstat(fd, &facts) == 0 && facts.st_size > PJ_HISTORY_FILE_BYTES)
        from = facts.st_size - PJ_HISTORY_FILE_BYTES;
    read_from(fd, from, &text);
    pj_str rest = pj_buf_str(&text);
    while (rest.len) {
        json_t *record = record_of(pj_str_cut(&rest, '\n'));
        if (record)
            json_array_append_new(records, record);
    }
    return records;
}

static bool read_head(int fd, int *next)
{
    static const pj_str word = {"popinjay history ", 17};
    char head[HEAD_BYTES];
    uint64_t number;
    ssize_t n = pread(fd, head, sizeof head, 0);
    pj_str text = {head, n > 0 ? (size_t)n : 0};
    if (!pj_str_starts(text, word) ||
        !pj_parse_u64(pj_str_head(pj_str_from(text, word.len), NUMBER_DIGITS), &number) ||
        number < 1 || number > MOST_SESSION)
        return false;
    *next = (int)number;
    return true;
}

/// The number after all in the records; 0 when there are none.
static int session_after_records(int fd)
{
    json_int_t most = 0;
    size_t i;
    json_t *record, *records = read_records(fd);
    json_array_foreach(records, i, record)
    {
        json_int_t session = json_integer_value(json_array_get(record, 0));
        most = session > most && session < MOST_SESSION ? session : most;
    }
    json_decref(records);
    return most ? (int)most + 1 : 0;
}

/// A file that begins otherwise is damaged or none of ours: its first bytes stay as they are.
static int take_session(int fd)
{
    struct stat facts;
    int next = 1;
    if (fstat(fd, &facts) != 0)
        return 0;
    if (facts.st_size > 0 && !read_head(fd, &next))
        return session_after_records(fd);
    return write_head(fd, next + 1) ? next : 0;
}

int pj_history_file_session(const char *path)
{
    int fd = open_locked(path, true);
    if (fd < 0)
        return 0;
    int session = take_session(fd);
    close(fd);
    return session;
}

/// The newer half of the lines into a new file in the place of the old one.
static void compact(int fd, const char *path, off_t size)
{
    pj_auto_buf text = {0}, temporary = {0};
    read_from(fd, size - PJ_HISTORY_FILE_BYTES / 2, &text);
    pj_buf_addf(&temporary, "%s.XXXXXX", path);
    int fresh = mkostemp(temporary.at, O_CLOEXEC);
    if (fresh < 0)
        return;
    pj_str rest = pj_buf_str(&text);
    pj_str_cut(&rest, '\n');
    int next = 0;
    bool ok = (read_head(fd, &next) || (next = session_after_records(fd)) > 0) &&
              write_head(fresh, next) && lseek(fresh, 0, SEEK_END) > 0 &&
              write(fresh, rest.at, rest.len) == (ssize_t)rest.len && fchmod(fresh, 0600) == 0;
    close(fresh);
    if (!ok || rename(temporary.at, path) != 0)
        unlink(temporary.at);
}

/// A line of its own, whatever a writer that was killed left behind.
static bool append(int fd, pj_str lines, off_t size)
{
    char last = '\n';
    if (size > 0 && pread(fd, &last, 1, size - 1) == 1 && last != '\n') {
        pj_auto_buf whole = {0};
        pj_buf_add_char(&whole, '\n');
        pj_buf_add(&whole, lines);
        return write(fd, whole.at, whole.len) == (ssize_t)whole.len;
    }
    return write(fd, lines.at, lines.len) == (ssize_t)lines.len;
}

bool pj_history_file_add(const char *path, pj_str lines, bool patient)
{
    struct stat facts;
    int fd = open_locked(path, patient);
    if (fd < 0)
        return false;
    bool ok = fcntl(fd, F_SETFL, O_APPEND) == 0 && fstat(fd, &facts) == 0;
    ok = ok && append(fd, lines, facts.st_size);
    if (ok && facts.st_size > PJ_HISTORY_FILE_BYTES)
        compact(fd, path, facts.st_size);
    close(fd);
    return ok;
}

json_t *pj_history_file_read(const char *path)
{
    int fd = open_regular(path, O_RDONLY);
    if (fd < 0)
        return json_array();
    json_t *records = read_records(fd);
    close(fd);
    return records;
}
