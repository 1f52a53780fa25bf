// Before which word what is preloaded stands.
#include "kernel/commands/record/record_preload.h"
#include "metrics/base/module.h"
#include "tests/support/folder.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/// A file that seems to be a program.
static void make_program(const char *path)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite("\177ELF", 1, 4, file), 4);
    fclose(file);
    assert_int_equal(chmod(path, 0700), 0);
}

/// The number of the word before which something is put.
static size_t place(const char *const *words, size_t count)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    const pj_texts given = {.items = (const char **)words, .count = count};
    const pj_texts made = pj_record_preload_words(&given, &(pj_record_opts){.io = true}, arena);
    size_t at = 0;
    while (strcmp(made.items[at], words[at]) == 0)
        at++;
    assert_string_equal(made.items[at], "env");
    return at;
}

/// Launchers load nothing, whatever the MPI's are called.
static void behind_launchers(void **state)
{
    (void)state;
    static const char *const launchers[] = {"mpirun", "mpirun.openmpi", "mpiexec.hydra", "srun"};
    char module[PATH_MAX];
    if (!pj_module_path("popinjay-record-posix.so", module, sizeof module) ||
        strpbrk(module, " :")) {
        print_message("popinjay-record-posix.so cannot be preloaded from here\n");
        skip();
    }
    make_program(folder_file("mpi_heat.sh"));
    for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++) {
        const char *launcher = folder_file(launchers[i]), *heat = folder_file("mpi_heat.sh");
        make_program(launcher);
        assert_int_equal(place((const char *[]){launcher, "-n", "3", heat, launcher}, 5), 3);
        remove(launcher);
    }
    const char *heat = folder_file("mpi_heat.sh");
    assert_int_equal(place((const char *[]){heat, heat}, 2), 0);
    remove(heat);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(behind_launchers)};
    return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
