// Finding and opening the program's own modules.
// bin/popinjay -> bin/../lib/<triplet>/popinjay/NAME, in the build tree and installed. Opening a
// module again gives the same one: the loader counts.
#include "metrics/base/module.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool pj_module_path(const char *name, char *path, size_t size)
{
    static const char *const places[] = {"../" PJ_LIBDIR "/popinjay", "../lib/popinjay",
                                         "lib/popinjay"};
    char self[PATH_MAX];
    ssize_t len = readlink("/proc/self/exe", self, sizeof self - 1);
    self[len > 0 ? len : 0] = 0;
    char *slash = strrchr(self, '/');
    if (slash)
        *slash = 0;
    bool found = false;
    for (size_t i = 0; !found && i < sizeof places / sizeof *places; i++) {
        int used = snprintf(path, size, "%s/%s/%s", self, places[i], name);
        found = used > 0 && (size_t)used < size && access(path, R_OK) == 0;
    }
    return found;
}

static void *open_beside_program(const char *name, char *problem, size_t size)
{
    char path[PATH_MAX + 64];
    if (!pj_module_path(name, path, sizeof path))
        return NULL;
    void *module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!module)
        snprintf(problem, size, "%s", dlerror());
    return module;
}

const void *pj_module_open(const char *name, const char *symbol, const char *purpose, pj_err *err)
{
    char problem[512];
    snprintf(problem, sizeof problem, "%s is not beside the program", name);
    void *module = open_beside_program(name, problem, sizeof problem);
    const void *found = module ? dlsym(module, symbol) : NULL;
    if (!found)
        pj_fail(err, PJ_E_MISSING, NULL, 0, "%s: %s", purpose, problem);
    return found;
}
