// One folder a program: cmocka runs its tests one after another.
#include "tests/support/folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char folder[128];

int folder_make(void **state)
{
    (void)state;
    const char *where = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/pj_test_XXXXXX", where && *where ? where : "/tmp");
    return mkdtemp(folder) ? 0 : -1;
}

const char *folder_file(const char *name)
{
    static char paths[4][256];
    static unsigned next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

int folder_remove(void **state)
{
    (void)state;
    return rmdir(folder);
}
