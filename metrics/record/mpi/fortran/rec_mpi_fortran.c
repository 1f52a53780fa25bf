// The functions of PMPI: what MPI's Fortran library calls is a call of the program, what everybody
// else calls is the library's own. Which it is, the place of the call tells.
#include "metrics/record/rec_export.h"

#include <dlfcn.h>
#include <link.h>
#include <mpi.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { STATUS_OF_LINKER = 127 };

static pthread_once_t found_once = PTHREAD_ONCE_INIT;
static uintptr_t first, behind; // of the code of the Fortran library

static int take_code(struct dl_phdr_info *info, size_t size, void *context)
{
    (void)size, (void)context;
    static const char *const libraries[] = {"libmpi_mpifh.", "libmpichfort."};
    const char *slash = strrchr(info->dlpi_name, '/'), *name = slash ? slash + 1 : info->dlpi_name;
    if (strncmp(name, libraries[0], strlen(libraries[0])) != 0 &&
        strncmp(name, libraries[1], strlen(libraries[1])) != 0)
        return 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        if (part->p_type == PT_LOAD && part->p_flags & PF_X) {
            first = info->dlpi_addr + part->p_vaddr;
            behind = first + part->p_memsz;
        }
    }
    return 1;
}

static void find_code(void)
{
    dl_iterate_phdr(take_code, NULL);
}

static bool is_fortran(const void *caller)
{
    pthread_once(&found_once, find_code);
    return (uintptr_t)caller >= first && (uintptr_t)caller < behind;
}

/// The library's own function, found once.
static void *own(void **kept, const char *name)
{
    void *function = __atomic_load_n(kept, __ATOMIC_RELAXED);
    if (!function && !(function = dlsym(RTLD_NEXT, name))) {
        dprintf(STDERR_FILENO, "symbol lookup error: undefined symbol: %s\n", name);
        _exit(STATUS_OF_LINKER);
    }
    __atomic_store_n(kept, function, __ATOMIC_RELAXED);
    return function;
}

#define CALL(name, role, parameters, arguments, before, after)                                     \
    PJ_REC_API int P##name parameters                                                              \
    {                                                                                              \
        static void *kept;                                                                         \
        if (is_fortran(__builtin_return_address(0)))                                               \
            return name arguments;                                                                 \
        return ((int(*) parameters)own(&kept, "P" #name))arguments;                                \
    }
#include "metrics/record/mpi/mpi_wrapped.def"

// NOLINTBEGIN(readability-function-size): as above, for those with wrappers of their own.
CALL(MPI_Init, , (int *argc, char ***argv), (argc, argv), , )
CALL(MPI_Init_thread, , (int *argc, char ***argv, int required, int *provided),
     (argc, argv, required, provided), , )
CALL(MPI_Finalize, , (void), (), , )
CALL(MPI_Abort, , (MPI_Comm comm, int errorcode), (comm, errorcode), , )
// NOLINTEND(readability-function-size)
