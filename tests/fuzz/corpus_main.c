// Feeds a fuzz target every file of the folders and files given: the corpus as a test.
#include "metrics/base/arena.h"

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool feed_file(const char *path, size_t size)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        return false;
    }
    uint8_t *bytes = pj_take_memory(size);
    bool whole = fread(bytes, 1, size, file) == size;
    fclose(file);
    if (whole)
        LLVMFuzzerTestOneInput(bytes, size);
    else
        fprintf(stderr, "%s: cannot be read\n", path);
    free(bytes);
    return whole;
}

static unsigned feed(const char *path);

static unsigned feed_folder(const char *path)
{
    unsigned fed = 0;
    DIR *folder = opendir(path);
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        if (entry->d_name[0] == '.')
            continue;
        char inside[4096];
        snprintf(inside, sizeof inside, "%s/%s", path, entry->d_name);
        fed += feed(inside);
    }
    if (folder)
        closedir(folder);
    return fed;
}

/// How many files were fed.
static unsigned feed(const char *path)
{
    struct stat info;
    if (stat(path, &info) != 0) {
        perror(path);
        return 0;
    }
    if (S_ISDIR(info.st_mode))
        return feed_folder(path);
    return feed_file(path, (size_t)info.st_size);
}

int main(int argc, char **argv)
{
    unsigned fed = 0;
    for (int i = 1; i < argc; i++)
        fed += feed(argv[i]);
    printf("%u inputs\n", fed);
    return fed ? 0 : 1;
}
