// Every row of blas_wrapped.def as a function: the library's own with a region around it.
#include "metrics/record/rec_counters.h"
#include "metrics/record/rec_export.h"
#include "metrics/record/rec_names.h"
#include "metrics/record/rec_thread.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

enum { STATUS_OF_LINKER = 127 };

/// A function of the library.
typedef struct wrapped {
    const char *name;
    void *function; // NULL: not found yet
    uint32_t region;
} wrapped;

typedef struct call {
    pj_rec_thread *thread; // NULL: it is not recorded
    uint32_t region;
} call;

/// Behind this module in the order of libraries; else among those that the caller needs, where they
/// were opened for an extension alone.
static void *look(const char *name, const void *caller)
{
    Dl_info info;
    void *function = dlsym(RTLD_NEXT, name);
    void *opened = !function && dladdr(caller, &info) && info.dli_fname
                       ? dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD)
                       : NULL;
    if (opened) {
        function = dlsym(opened, name);
        dlclose(opened);
    }
    if (!function) { // as the linker would have said
        dprintf(STDERR_FILENO, "symbol lookup error: undefined symbol: %s\n", name);
        _exit(STATUS_OF_LINKER);
    }
    return function;
}

static void *function_of(wrapped *of, const void *caller)
{
    void *function = __atomic_load_n(&of->function, __ATOMIC_RELAXED);
    if (!function)
        __atomic_store_n(&of->function, function = look(of->name, caller), __ATOMIC_RELAXED);
    return function;
}

static call enter(wrapped *of)
{
    pj_rec_thread *thread = pj_rec_here();
    uint32_t region = __atomic_load_n(&of->region, __ATOMIC_RELAXED);
    if (!thread)
        return (call){0};
    if (region == 0) {
        region = pj_rec_region(&(pj_rec_region_of){.name = of->name, .file = "BLAS"});
        __atomic_store_n(&of->region, region, __ATOMIC_RELAXED);
    }
    pj_rec_counters_read(thread);
    return (call){region && pj_rec_enter(thread, region) ? thread : NULL, region};
}

static void leave(const call *c)
{
    if (!c->thread || pj_rec_self != c->thread)
        return;
    pj_rec_counters_read(c->thread);
    pj_rec_leave_to(c->thread, c->region);
}

#define BLAS(gives, called, parameters, arguments)                                                 \
    PJ_REC_API gives called parameters;                                                            \
    gives called parameters                                                                        \
    {                                                                                              \
        static wrapped of = {.name = #called};                                                     \
        void *const function = function_of(&of, __builtin_return_address(0));                      \
        __attribute__((cleanup(leave))) const call own = enter(&of);                               \
        (void)own;                                                                                 \
        return ((gives(*) parameters)function)arguments;                                           \
    }
#include "metrics/record/blas/blas_wrapped.def"
