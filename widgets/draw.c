// Finds popinjay-draw.so beside the program and opens it once.
#include "widgets/draw.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const pj_draw *opened;

/// bin/popinjay -> bin/../lib/<triplet>/popinjay/popinjay-draw.so, in the build tree and installed.
static void *open_beside_program(char *problem, size_t size)
{
    static const char *const places[] = {"../" PJ_LIBDIR "/popinjay", "../lib/popinjay",
                                         "lib/popinjay"};
    char self[PATH_MAX];
    ssize_t len = readlink("/proc/self/exe", self, sizeof self - 1);
    self[len > 0 ? len : 0] = 0;
    char *slash = strrchr(self, '/');
    if (slash)
        *slash = 0;
    void *module = NULL;
    for (size_t i = 0; !module && i < sizeof places / sizeof *places; i++) {
        char path[PATH_MAX + 64];
        snprintf(path, sizeof path, "%s/%s/popinjay-draw.so", self, places[i]);
        if (access(path, R_OK) != 0)
            continue;
        module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        if (!module)
            snprintf(problem, size, "%s", dlerror());
    }
    return module;
}

const pj_draw *pj_draw_open(pj_err *err)
{
    char problem[512] = "popinjay-draw.so is not beside the program";
    pthread_mutex_lock(&lock);
    if (!opened) {
        void *module = open_beside_program(problem, sizeof problem);
        opened = module ? dlsym(module, "pj_draw_module") : NULL;
    }
    pthread_mutex_unlock(&lock);
    if (!opened)
        pj_fail(err, PJ_E_MISSING, NULL, 0,
                "pictures need cairo and pango (Debian: libcairo2 libpangocairo-1.0-0): %s",
                problem);
    return opened;
}
