// Behind this module in the order of libraries; else in a library that was opened for an extension
// alone, whose name may have a part more ("libgomp-a34b3233.so.1.0.0").
#include "metrics/record/openmp/rec_omp_real.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { STATUS_OF_LINKER = 127 };

static int is_library(struct dl_phdr_info *info, size_t size, void *found)
{
    (void)size;
    const char *slash = strrchr(info->dlpi_name, '/');
    if (strncmp(slash ? slash + 1 : info->dlpi_name, "libgomp", strlen("libgomp")) != 0)
        return 0;
    *(void **)found = dlopen(info->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
    return *(void **)found != NULL;
}

void *pj_rec_omp_real(const char *name)
{
    void *library = NULL, *function = dlsym(RTLD_NEXT, name);
    if (!function && dl_iterate_phdr(is_library, &library))
        function = dlsym(library, name);
    if (!function) {
        dprintf(STDERR_FILENO, "symbol lookup error: undefined symbol: %s\n", name);
        _exit(STATUS_OF_LINKER);
    }
    return function;
}

static int ask(void **kept, const char *name)
{
    return ((int (*)(void))pj_rec_omp_keep(kept, name))();
}

int pj_rec_omp_thread(void)
{
    static void *kept;
    return ask(&kept, "omp_get_thread_num");
}

int pj_rec_omp_most_threads(void)
{
    static void *kept;
    return ask(&kept, "omp_get_max_threads");
}

int pj_rec_omp_cancels(void)
{
    static void *kept;
    return ask(&kept, "omp_get_cancellation");
}

void pj_rec_omp_barrier(void)
{
    static void *kept;
    ((void (*)(void))pj_rec_omp_keep(&kept, "GOMP_barrier"))();
}
