// How much memory this process may use, by the limits of the system and its control groups.
// A group may use no more than those around it, so that every group up to the root is looked at.
// Cached pages of files give way and count as free.
#include "metrics/base/memory.h"

#include "metrics/base/buf.h"
#include "metrics/base/num.h"
#include "metrics/base/str.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

typedef struct looker {
    const char *root;
    pj_memory_room room;
} looker;

static void add_room(looker *l, uint64_t limit, uint64_t used, const char *what)
{
    uint64_t left = used < limit ? limit - used : 0;
    if (left < l->room.left)
        l->room = (pj_memory_room){limit, left, what};
}

/// The start of a small file; empty when there is none.
static pj_str read_small(const looker *l, const char *folder, const char *name, pj_buf *out)
{
    enum { MOST = 8192 };
    pj_auto_buf path = {0};
    pj_buf_addf(&path, "%s%s%s", l->root, folder, name);
    out->len = 0;
    int fd = open(path.at, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return (pj_str){0};
    ssize_t n = read(fd, pj_buf_room(out, MOST), MOST);
    close(fd);
    out->len = n > 0 ? (size_t)n : 0;
    return pj_buf_str(out);
}

/// A number alone in a file; false for "max" and when there is none.
static bool read_number(const looker *l, const char *folder, const char *name, uint64_t *out)
{
    pj_auto_buf text = {0};
    return pj_parse_u64(pj_str_trim(read_small(l, folder, name, &text)), out);
}

/// The number behind `key` at the start of a line; 0 when there is none.
static uint64_t number_of(pj_str text, pj_str key)
{
    while (text.len) {
        pj_str line = pj_str_cut(&text, '\n');
        if (!pj_str_starts(line, key))
            continue;
        pj_str rest = pj_str_trim(pj_str_from(line, key.len));
        uint64_t number;
        return pj_parse_u64(pj_str_head(rest, pj_str_find(rest, ' ')), &number) ? number : 0;
    }
    return 0;
}

static void look_at_ram(looker *l)
{
    pj_auto_buf text = {0};
    pj_str facts = read_small(l, "/proc/", "meminfo", &text);
    uint64_t total = number_of(facts, PJ_S("MemTotal:")) * 1024;
    uint64_t available = number_of(facts, PJ_S("MemAvailable:")) * 1024;
    if (total && available)
        add_room(l, total, total - (available < total ? available : total), "the machine's RAM");
}

/// The files of one version of control groups.
typedef struct group_files {
    const char *mount, *limit, *usage, *what;
    pj_str cache; // of memory.stat: what gives way
} group_files;

static void look_at_group(looker *l, const group_files *files, const char *folder)
{
    uint64_t limit, usage;
    pj_auto_buf text = {0};
    if (!read_number(l, folder, files->limit, &limit) ||
        !read_number(l, folder, files->usage, &usage))
        return;
    uint64_t cache = number_of(read_small(l, folder, "/memory.stat", &text), files->cache);
    add_room(l, limit, usage - (cache < usage ? cache : usage), files->what);
}

/// The group that this process sees itself in, and all around it up to the mount.
static void look_at_groups(looker *l, const group_files *files, pj_str path)
{
    for (;;) {
        path =
            pj_str_head(path, path.len && path.at[path.len - 1] == '/' ? path.len - 1 : path.len);
        pj_auto_buf folder = {0};
        pj_buf_addf(&folder, "%s" PJ_STR_FMT, files->mount, PJ_STR_ARG(path));
        look_at_group(l, files, folder.at);
        if (!path.len)
            return;
        size_t slash = pj_str_find_last(path, '/');
        path = pj_str_head(path, slash < path.len ? slash : 0);
    }
}

/// Lines "0::/path" (v2) and "4:memory:/path" (v1).
static void look_at_control(looker *l)
{
    static const group_files v2 = {"/sys/fs/cgroup",
                                   "/memory.max",
                                   "/memory.current",
                                   "the control group (memory.max)",
                                   {"inactive_file ", 14}};
    static const group_files v1 = {"/sys/fs/cgroup/memory",
                                   "/memory.limit_in_bytes",
                                   "/memory.usage_in_bytes",
                                   "the control group (memory.limit_in_bytes)",
                                   {"total_inactive_file ", 20}};
    pj_auto_buf text = {0};
    pj_str lines = read_small(l, "/proc/self/", "cgroup", &text);
    look_at_groups(l, &v2, (pj_str){0});
    look_at_groups(l, &v1, (pj_str){0});
    while (lines.len) {
        pj_str path = pj_str_cut(&lines, '\n');
        pj_str_cut(&path, ':');
        pj_str controllers = pj_str_cut(&path, ':');
        if (!controllers.len)
            look_at_groups(l, &v2, path);
        else if (pj_str_contains(controllers, PJ_S("memory")))
            look_at_groups(l, &v1, path);
    }
}

enum { STATM_SIZE, STATM_RESIDENT, STATM_DATA = 5, STATM_FIELDS };

/// /proc/self/statm, in bytes; 0 where it does not tell.
static void read_statm(const looker *l, uint64_t fields[STATM_FIELDS])
{
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    pj_auto_buf text = {0};
    pj_str rest = read_small(l, "/proc/self/", "statm", &text);
    for (unsigned i = 0; i < STATM_FIELDS; i++) {
        bool told = pj_parse_u64(pj_str_trim(pj_str_cut(&rest, ' ')), &fields[i]);
        fields[i] = told ? fields[i] * page : 0;
    }
}

static void look_at_process(looker *l)
{
    static const struct {
        unsigned limit;
        unsigned field;
        const char *what;
    } rows[] = {{RLIMIT_AS, STATM_SIZE, "the limit of the address space (ulimit -v)"},
                {RLIMIT_DATA, STATM_DATA, "the limit of data (ulimit -d)"}};
    uint64_t fields[STATM_FIELDS];
    read_statm(l, fields);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct rlimit limit;
        if (getrlimit(rows[i].limit, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
            add_room(l, (uint64_t)limit.rlim_cur, fields[rows[i].field], rows[i].what);
    }
}

pj_memory_room pj_memory_look(const char *root)
{
    looker l = {.root = root, .room = {UINT64_MAX, UINT64_MAX, "nothing"}};
    look_at_ram(&l);
    look_at_control(&l);
    look_at_process(&l);
    return l.room;
}

uint64_t pj_memory_resident(void)
{
    uint64_t fields[STATM_FIELDS];
    read_statm(&(looker){.root = ""}, fields);
    return fields[STATM_RESIDENT];
}

bool pj_memory_want(uint64_t bytes, const char *where, const char *why, pj_err *err)
{
    pj_memory_room room = pj_memory_look("");
    if (bytes <= room.left)
        return true;
    char want[32], left[32], limit[32];
    want[pj_format_bytes(bytes, want)] = 0;
    left[pj_format_bytes(room.left, left)] = 0;
    limit[pj_format_bytes(room.limit, limit)] = 0;
    return pj_fail(err, PJ_E_MEMORY, where, 0,
                   "%s needs about %s of memory, and %s are left of the %s that %s allows; free "
                   "memory, raise that limit, or use --jobs 1",
                   why, want, left, limit, room.what);
}
