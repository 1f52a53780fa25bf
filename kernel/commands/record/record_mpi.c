// A program names the library it needs in its table of strings: there the name of an MPI ends with
// a zero and stands for itself.
#include "kernel/commands/record/record_mpi.h"

#include "metrics/base/module.h"
#include "metrics/base/str.h"

#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct {
    const char *library, *wrappers;
} flavours[] = {
    {"libmpi.so.40", "popinjay-record-openmpi.so"},
    {"libmpi.so.12", "popinjay-record-mpich.so"}, // MPICH, Intel, MVAPICH, Cray
    {"libmpich.so.12", "popinjay-record-mpich.so"},
};

static const char *wrappers_for(const char *bytes, size_t size)
{
    for (size_t i = 0; i < sizeof flavours / sizeof *flavours; i++)
        if (memmem(bytes, size, flavours[i].library, strlen(flavours[i].library) + 1))
            return flavours[i].wrappers;
    return NULL;
}

/// Of an open file that is a program.
static const char *search(int fd)
{
    enum { BLOCK = 1 << 16, OVERLAP = 16 }; // a name may lie across the end of a block
    static const char magic[] = ELFMAG;
    char block[BLOCK];
    const char *found = NULL;
    ssize_t got = read(fd, block, sizeof block);
    bool program = got >= SELFMAG && memcmp(block, magic, SELFMAG) == 0;
    for (size_t kept = 0; program && got > 0 && !found;) {
        size_t filled = kept + (size_t)got;
        found = wrappers_for(block, filled);
        kept = filled < OVERLAP ? filled : OVERLAP;
        memmove(block, block + filled - kept, kept);
        got = read(fd, block + kept, sizeof block - kept);
    }
    return found;
}

/// Of a file; NULL when it is no program with MPI.
static const char *look(const char *path)
{
    const char *found = NULL;
    struct stat info;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd >= 0 && fstat(fd, &info) == 0 && S_ISREG(info.st_mode))
        found = search(fd);
    if (fd >= 0)
        close(fd);
    return found;
}

/// Of a word, as a shell or launcher finds it: a path, else in the folders of PATH.
static const char *wrappers_of(const char *word, pj_arena *arena)
{
    if (strchr(word, '/'))
        return look(word);
    const char *found = NULL, *path = getenv("PATH");
    pj_str rest = pj_str_of(path ? path : "");
    while (!found && rest.len) {
        size_t colon = pj_str_find(rest, ':');
        const char *file =
            pj_arena_format(arena, PJ_STR_FMT "/%s", PJ_STR_ARG(pj_str_head(rest, colon)), word);
        bool there = access(file, X_OK) == 0;
        found = there ? look(file) : NULL;
        rest = there ? (pj_str){.at = NULL} : pj_str_from(rest, colon + (colon < rest.len));
    }
    return found;
}

static const char *find(const pj_texts *words, size_t *at, pj_arena *arena)
{
    const char *wrappers = NULL;
    for (*at = 0; *at < words->count; ++*at)
        if ((wrappers = wrappers_of(words->items[*at], arena)))
            break;
    return wrappers;
}

size_t pj_record_mpi_program(const pj_texts *words, pj_arena *arena)
{
    size_t at;
    find(words, &at, arena);
    return at;
}

/// "LD_PRELOAD=..." with what is preloaded already; NULL where blanks or colons, which part its
/// paths, are in the path of the wrappers.
static const char *preload(const char *wrappers, pj_arena *arena)
{
    char path[PATH_MAX];
    const char *before = getenv("LD_PRELOAD");
    if (!pj_module_path(wrappers, path, sizeof path) || strpbrk(path, " :"))
        return NULL;
    return pj_arena_format(arena, "LD_PRELOAD=%s%s%s", path, before && *before ? ":" : "",
                           before ? before : "");
}

pj_texts pj_record_mpi_words(const pj_texts *words, pj_arena *arena)
{
    size_t at;
    const char *wrappers = find(words, &at, arena);
    const char *setting = wrappers ? preload(wrappers, arena) : NULL;
    if (!setting)
        return *words;
    pj_texts out = {.count = words->count + 2};
    out.items = pj_new_n(arena, const char *, out.count + 1);
    memcpy(out.items, words->items, at * sizeof *words->items);
    out.items[at] = "env";
    out.items[at + 1] = setting;
    memcpy(out.items + at + 2, words->items + at, (words->count - at) * sizeof *words->items);
    return out;
}
