// What is put before the words of a command line.
#include "kernel/commands/record/record_preload.h"

#include "kernel/commands/record/record_mpi.h"
#include "kernel/commands/record/record_needs.h"
#include "metrics/base/buf.h"
#include "metrics/base/module.h"
#include "metrics/base/str.h"

#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct {
    const char *library, *wrappers;
} known[] = {
    {"libmpi.so.40", "popinjay-record-openmpi.so"},
    {"libmpi_mpifh.so.40", "popinjay-record-openmpi.so"},
    {"libmpi_mpifh.so.40", "popinjay-record-openmpi-fortran.so"},
    {"libmpi_usempif08.so.40", "popinjay-record-openmpi.so"},
    {"libmpi_usempif08.so.40", "popinjay-record-openmpi-fortran.so"},
    {"libmpi.so.12", "popinjay-record-mpich.so"}, // MPICH, Intel, MVAPICH, Cray
    {"libmpich.so.12", "popinjay-record-mpich.so"},
    {"libmpichfort.so.12", "popinjay-record-mpich.so"},
    {"libmpichfort.so.12", "popinjay-record-mpich-fortran.so"},
    {"libgomp.so.1", "popinjay-record-openmp.so"},
};

enum { KNOWN = sizeof known / sizeof *known };

/// Libraries that a program needs.
typedef struct needs {
    unsigned known;      // a bit for each of those that are
    const char *made;    // wrappers of its MPI that were made here; NULL = none
    const char *unknown; // an MPI that there are none for; NULL = none
    const char *old;     // an MPI whose wrappers that were made here fit no more; NULL = none
    pj_arena *arena;
} needs;

static void see_library(const char *name, void *context)
{
    needs *n = context;
    static const char mpi[] = "libmpi";
    const unsigned before = n->known;
    for (unsigned i = 0; i < KNOWN; i++)
        if (strcmp(name, known[i].library) == 0)
            n->known |= 1U << i;
    if (strncmp(name, mpi, sizeof mpi - 1) != 0)
        return;
    bool old;
    const char *made = pj_record_mpi_wrappers(name, n->arena, &old);
    if (old)
        n->old = pj_arena_text(n->arena, pj_str_of(name));
    if (made)
        n->made = made;
    else if (n->known == before && !n->unknown)
        n->unknown = pj_arena_text(n->arena, pj_str_of(name));
}

static bool is_mpi(unsigned row)
{
    return strncmp(known[row].library, "libmpi", 6) == 0;
}

/// Of a file; none when it is no program.
static needs look(const char *path, pj_arena *arena)
{
    needs n = {.arena = arena};
    pj_record_needs_each(path, see_library, &n);
    bool recorded = n.made;
    for (unsigned i = 0; i < KNOWN; i++)
        recorded = recorded || (is_mpi(i) && n.known & 1U << i);
    if (recorded)
        n.unknown = NULL; // a library beside the one that is known
    return n;
}

/// The file of a word, as a shell or launcher finds it: a path, else in the folders of PATH; NULL
/// when there is none.
static const char *file_of(const char *word, pj_arena *arena)
{
    if (strchr(word, '/'))
        return word;
    const char *path = getenv("PATH");
    for (pj_str rest = pj_str_of(path ? path : ""); rest.len;) {
        const pj_str folder = pj_str_cut(&rest, ':');
        const char *file = pj_arena_format(arena, PJ_STR_FMT "/%s", PJ_STR_ARG(folder), word);
        if (access(file, X_OK) == 0)
            return file;
    }
    return NULL;
}

typedef struct started {
    const char *path; // NULL: the word starts nothing
    bool python;      // begins its recording itself; what follows are its own arguments
    bool script;      // what follows may be the program
} started;

/// Those of an MPI are also called mpirun.openmpi, mpiexec.hydra and the like.
static bool is_starter(const char *name)
{
    static const char mpi[] = "mpi";
    static const char *const starters[] = {
        "mpirun", "mpiexec", "orterun", "prterun", "srun",   "env",   "nice",   "time",   "timeout",
        "nohup",  "taskset", "numactl", "setsid",  "stdbuf", "chrt",  "sudo",   "ionice", "sh",
        "bash",   "dash",    "hydra",   "setarch", "perf",   "xargs", "strace", "prun",   "aprun",
        "ibrun",  "jsrun",   "flux",    "unshare", "zsh",    "ksh"};
    const bool of_mpi = strncmp(name, mpi, sizeof mpi - 1) == 0;
    const pj_str called = {name, of_mpi ? strcspn(name, ".") : strlen(name)};
    for (size_t i = 0; i < sizeof starters / sizeof *starters; i++)
        if (pj_str_equal(called, pj_str_of(starters[i])))
            return true;
    return false;
}

/// What a word starts that is a program or a script, but none of those that only start others.
static started started_by(const char *word, pj_arena *arena)
{
    static const char script[] = "#!";
    char path[PATH_MAX], magic[SELFMAG] = "";
    const char *file = file_of(word, arena);
    if (!file || !realpath(file, path))
        return (started){0};
    const char *slash = strrchr(word, '/'), *real = strrchr(path, '/') + 1;
    const char *name = slash ? slash + 1 : word;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    const bool read_all = fd >= 0 && read(fd, magic, sizeof magic) == (ssize_t)sizeof magic;
    if (fd >= 0)
        close(fd);
    const bool is_script = memcmp(magic, script, sizeof script - 1) == 0;
    if (is_starter(name) || is_starter(real) || !read_all || access(path, X_OK) != 0 ||
        (!is_script && memcmp(magic, ELFMAG, SELFMAG) != 0))
        return (started){0};
    const pj_str python = PJ_S("python");
    return (started){.path = pj_arena_text(arena, pj_str_of(path)),
                     .python = pj_str_starts(pj_str_of(name), python) ||
                               pj_str_starts(pj_str_of(real), python),
                     .script = is_script};
}

static needs find_needs(const pj_texts *words, size_t *at, pj_arena *arena)
{
    needs found = {0};
    bool python = false;
    for (*at = 0; *at < words->count && !python; ++*at) {
        const char *file = file_of(words->items[*at], arena);
        if (file)
            found = look(file, arena);
        if (found.known || found.made || found.unknown)
            return found;
        python = started_by(words->items[*at], arena).python;
    }
    *at = words->count;
    return (needs){0};
}

const char *pj_record_preload_lacking(const pj_texts *words, pj_arena *arena)
{
    size_t at;
    const needs found = find_needs(words, &at, arena);
    if (found.old)
        return pj_arena_format(arena,
                               "the wrappers made for %s are older than the recorder and left out: "
                               "popinjay record --build-mpi mpicc makes them anew",
                               found.old);
    return found.unknown
               ? pj_arena_format(arena,
                                 "there are no wrappers for %s: its MPI is not recorded; popinjay "
                                 "record --build-mpi mpicc makes them",
                                 found.unknown)
               : NULL;
}

size_t pj_record_preload_mpi(const pj_texts *words, pj_arena *arena)
{
    size_t at;
    find_needs(words, &at, arena);
    return at;
}

/// The first word that is started; words->count when there is none. `program` is the one to be told
/// that it is recorded, which a script may get as an argument; "" = none.
static size_t find_started(const pj_texts *words, const char **program, pj_arena *arena)
{
    size_t found = words->count;
    bool done = false;
    *program = "";
    for (size_t at = 0; at < words->count && !done; at++) {
        const started what = started_by(words->items[at], arena);
        if (!what.path)
            continue;
        found = at < found ? at : found;
        done = what.python || !what.script;
        if (done && !what.python)
            *program = what.path;
    }
    return found;
}

/// What is preloaded for an option.
static const struct {
    size_t wanted; // a bool of the options
    const char *wrappers;
} options[] = {
    {offsetof(pj_record_opts, io), "popinjay-record-posix.so"},
    {offsetof(pj_record_opts, openmp), "popinjay-record-openmp.so"},
    {offsetof(pj_record_opts, blas), "popinjay-record-blas.so"},
};

/// Appends a module to those that are preloaded, once; none where blanks or colons, which part
/// them, are in its path.
static void add_file(pj_buf *list, const char *path)
{
    if (!strpbrk(path, " :") && !(list->len && strstr(list->at, path)))
        pj_buf_addf(list, "%s%s", list->len ? ":" : "", path);
}

static void add_module(pj_buf *list, const char *module)
{
    char path[PATH_MAX];
    if (pj_module_path(module, path, sizeof path))
        add_file(list, path);
}

/// Wrappers of its MPI that were made here take the place of those that came with the program.
static void add_needed(pj_buf *list, const needs *found)
{
    if (found->made)
        add_file(list, found->made);
    for (unsigned i = 0; i < KNOWN; i++)
        if (found->known & 1U << i && !(found->made && is_mpi(i)))
            add_module(list, known[i].wrappers);
}

pj_texts pj_record_preload_words(const pj_texts *words, const pj_record_opts *opts, pj_arena *arena)
{
    size_t at;
    pj_auto_buf list = {0};
    const char *before = getenv("LD_PRELOAD"), *program;
    const needs found = find_needs(words, &at, arena);
    add_needed(&list, &found);
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (*(const bool *)((const char *)opts + options[i].wanted))
            add_module(&list, options[i].wrappers);
    if (!list.len)
        return *words;
    const size_t first = find_started(words, &program, arena);
    at = first < words->count ? first : found.known || found.made ? at : 0;
    if (before && *before)
        pj_buf_addf(&list, ":%s", before);
    const char *const added[] = {"env", pj_arena_format(arena, "LD_PRELOAD=%s", list.at),
                                 pj_arena_format(arena, "POPINJAY_RECORD_PROGRAM=%s", program)};
    enum { ADDED = sizeof added / sizeof *added };
    pj_texts out = {.count = words->count + ADDED};
    out.items = pj_new_n(arena, const char *, out.count + 1);
    memcpy(out.items, words->items, at * sizeof *words->items);
    memcpy(out.items + at, added, sizeof added);
    memcpy(out.items + at + ADDED, words->items + at, (words->count - at) * sizeof *words->items);
    return out;
}
