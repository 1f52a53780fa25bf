// The room for memory: RAM, nested control groups of both versions, limits of the process.
#include "metrics/base/memory.h"

#include "metrics/base/job.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

typedef struct system_files {
    char root[32];
} system_files;

static int set_up(void **state)
{
    system_files *f = calloc(1, sizeof *f);
    strcpy(f->root, "/tmp/pj_memoryXXXXXX");
    assert_non_null(mkdtemp(f->root));
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    system_files *f = *state;
    char line[64];
    snprintf(line, sizeof line, "rm -r %s", f->root);
    assert_int_equal(system(line), 0); // NOLINT(cert-env33-c)
    free(f);
    return 0;
}

static void put(const system_files *f, const char *name, const char *text)
{
    char path[256];
    snprintf(path, sizeof path, "%s%s", f->root, name);
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        mkdir(path, 0700);
        *slash = '/';
    }
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void expect(const system_files *f, uint64_t limit, uint64_t left, const char *what)
{
    pj_memory_room room = pj_memory_look(f->root);
    assert_int_equal(room.limit, limit);
    assert_int_equal(room.left, left);
    assert_non_null(strstr(room.what, what));
}

static void put_ram(const system_files *f)
{
    put(f, "/proc/meminfo", "MemTotal:       1000 kB\nMemFree: 1 kB\nMemAvailable:    600 kB\n");
}

static void ram_is_what_is_available(void **state)
{
    put_ram(*state);
    expect(*state, 1000 * 1024, 600 * 1024, "RAM");
}

static void the_tightest_group_around_counts(void **state)
{
    const system_files *f = *state;
    put_ram(f);
    put(f, "/proc/self/cgroup", "0::/outer/inner\n");
    put(f, "/sys/fs/cgroup/outer/inner/memory.max", "max\n");
    put(f, "/sys/fs/cgroup/outer/inner/memory.current", "1000\n");
    expect(f, 1000 * 1024, 600 * 1024, "RAM");
    put(f, "/sys/fs/cgroup/outer/memory.max", "300000\n");
    put(f, "/sys/fs/cgroup/outer/memory.current", "100000\n");
    expect(f, 300000, 200000, "memory.max");
    put(f, "/sys/fs/cgroup/outer/memory.stat", "anon 5\ninactive_file 40000\nactive_file 7\n");
    expect(f, 300000, 240000, "memory.max");         // cached files give way
    put(f, "/sys/fs/cgroup/memory.max", "150000\n"); // a container sees its own group here
    put(f, "/sys/fs/cgroup/memory.current", "200000\n");
    expect(f, 150000, 0, "memory.max");
}

static void the_first_version_counts_too(void **state)
{
    const system_files *f = *state;
    put_ram(f);
    put(f, "/proc/self/cgroup", "9:cpu:/x\n4:hugetlb,memory:/jobs/7\n0::/\n");
    put(f, "/sys/fs/cgroup/memory/jobs/7/memory.limit_in_bytes", "500000\n");
    put(f, "/sys/fs/cgroup/memory/jobs/7/memory.usage_in_bytes", "450000\n");
    put(f, "/sys/fs/cgroup/memory/jobs/7/memory.stat", "cache 9\ntotal_inactive_file 30000\n");
    put(f, "/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
    put(f, "/sys/fs/cgroup/memory/memory.usage_in_bytes", "7\n");
    expect(f, 500000, 80000, "memory.limit_in_bytes");
}

static void nonsense_limits_nothing(void **state)
{
    const system_files *f = *state;
    put(f, "/proc/meminfo", "MemTotal: lots\n\xff\nMemAvailable:");
    put(f, "/proc/self/cgroup", "0::\n:::::\n\n7:memory:\n0::/no/such/group");
    put(f, "/sys/fs/cgroup/memory.max", "-1\n");
    put(f, "/sys/fs/cgroup/memory.current", "x\n");
    assert_int_equal(pj_memory_look(f->root).left, UINT64_MAX);
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { LIMITS_WORK = false }; // sanitizers reserve more than any limit
#else
enum { LIMITS_WORK = true };
#endif

/// In a child: `more` bytes beyond what it has of the resource.
static int with_limit(__rlimit_resource_t resource, unsigned field, uint64_t more)
{
    unsigned long pages[6];
    FILE *file = fopen("/proc/self/statm", "r");
    for (int i = 0; i < 6; i++)
        if (fscanf(file, "%lu", &pages[i]) != 1) // NOLINT(cert-err34-c)
            return 2;
    fclose(file);
    rlim_t limit = pages[field] * (rlim_t)sysconf(_SC_PAGESIZE) + more;
    if (setrlimit(resource, &(struct rlimit){limit, limit}) != 0)
        return 3;
    pj_err err = {0};
    char text[512];
    pj_memory_room room = pj_memory_look("");
    if (room.limit != limit || room.left > more || room.left + (1 << 20) < more)
        return 4;
    if (!pj_memory_want(more / 2, "a.prv", "reading it", &err) || pj_job_default_budget() > more)
        return 5;
    if (pj_memory_want(100 << 20, "a.prv", "reading it", &err) || err.code != PJ_E_MEMORY)
        return 6;
    pj_err_message(&err, text, sizeof text);
    return strstr(text, "a.prv: reading it needs about 105 MB") && strstr(text, "ulimit") ? 0 : 7;
}

static void limits_of_the_process_count(void **state)
{
    (void)state;
    static const struct {
        __rlimit_resource_t resource;
        unsigned field;
    } rows[] = {{RLIMIT_AS, 0}, {RLIMIT_DATA, 5}};
    if (!LIMITS_WORK) {
        print_message("skipped: a sanitizer needs more address space than a limit leaves\n");
        skip();
    }
    for (size_t i = 0; i < 2; i++) {
        int status;
        pid_t child = fork();
        if (child == 0)
            _exit(with_limit(rows[i].resource, rows[i].field, 20 << 20));
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(ram_is_what_is_available, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_tightest_group_around_counts, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_first_version_counts_too, set_up, tear_down),
        cmocka_unit_test_setup_teardown(nonsense_limits_nothing, set_up, tear_down),
        cmocka_unit_test(limits_of_the_process_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
