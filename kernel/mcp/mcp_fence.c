// Landlock: sources that a profile names, parts that an archive names, links made later, all are
// opened through the system, which says no.
#include "kernel/mcp/mcp_fence.h"

#include "kernel/command/datadir.h"
#include "metrics/base/arena.h"
#include "metrics/base/err.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/// All rights of the first version of Landlock; later ones are not needed for what is refused here.
static const uint64_t every_right =
    LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_READ_FILE |
    LANDLOCK_ACCESS_FS_READ_DIR | LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE |
    LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG |
    LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_BLOCK |
    LANDLOCK_ACCESS_FS_MAKE_SYM;

/// What the program reads of the system: how much memory and how many cores it may use.
static const char *const needed[] = {"/proc/meminfo",           "/proc/self", "/sys/fs/cgroup",
                                     "/sys/devices/system/cpu", "/proc/stat", "/dev/null"};

static void allow(int rules, const char *path)
{
    struct stat info;
    struct landlock_path_beneath_attr rule = {.allowed_access = LANDLOCK_ACCESS_FS_READ_FILE};
    rule.parent_fd = open(path, O_PATH | O_CLOEXEC);
    if (rule.parent_fd < 0)
        return; // not there: not needed
    if (fstat(rule.parent_fd, &info) == 0 && S_ISDIR(info.st_mode))
        rule.allowed_access |= LANDLOCK_ACCESS_FS_READ_DIR;
    syscall(__NR_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
    close(rule.parent_fd);
}

static int make_rules(const pj_mcp_folders *folders)
{
    const struct landlock_ruleset_attr attributes = {.handled_access_fs = every_right};
    pj_auto_arena arena = pj_arena_new(NULL);
    int rules = (int)syscall(__NR_landlock_create_ruleset, &attributes, sizeof attributes, 0);
    if (rules < 0)
        return rules;
    for (size_t i = 0; i < folders->count; i++)
        allow(rules, folders->roots[i]);
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        allow(rules, needed[i]);
    const char *examples = pj_datadir_find(arena, "share/popinjay/traces", "notebooks/traces");
    if (examples)
        allow(rules, examples);
    return rules;
}

bool pj_mcp_fence(const pj_mcp_folders *folders, pj_err *err)
{
    int rules = make_rules(folders);
    bool ok = rules >= 0 && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
              syscall(__NR_landlock_restrict_self, rules, 0) == 0;
    int reason = errno;
    if (rules >= 0)
        close(rules);
    return ok || pj_fail(err, PJ_E_MISSING, NULL, 0,
                         "mcp: this system cannot keep the server inside its folders (%s; Landlock "
                         "comes with Linux 5.13): --trust-files serves them where no file in them "
                         "is hostile",
                         strerror(reason));
}
