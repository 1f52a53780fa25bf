// A row for each descriptor. Handles are taken again once they are closed, so that a program that
// opens a file a million times has one. Nothing else is locked under the lock, nor do signals come:
// their handlers, and children of fork, may open and close files, too.
#include "metrics/record/posix/rec_posix_files.h"

#include "metrics/record/rec_lock.h"
#include "metrics/record/rec_store.h"

#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DESCRIPTORS = 1 << 16, FIRST_FILES = 64 };
#define LEFT_OUT UINT32_MAX
#define NONE SIZE_MAX

typedef struct open_file {
    char *path;
    uint64_t hash;
    size_t next; // row in its bucket; NONE = last
    uint32_t instance, id;
    pj_rec_io_kind kind;
    bool used;
} open_file;

static _Atomic uint32_t handles[DESCRIPTORS]; // 0 = not known
static pj_rec_lock lock = PJ_REC_LOCK_FREE;
static open_file *files; // that are or were open
static size_t file_count, file_most;
static size_t *buckets; // by hash, as many as there is room for files: the newest row
static size_t *row_of;  // by id, which are as many as files
static pj_rec_texts paths;
static _Atomic pid_t own_pid;

static void hold(void)
{
    pj_rec_lock_take(&lock);
}

static void release(void)
{
    pj_rec_lock_give(&lock);
}

static void release_in_child(void)
{
    atomic_store(&own_pid, getpid());
    release();
}

__attribute__((constructor)) static void begin(void)
{
    atomic_store(&own_pid, getpid());
    pthread_atfork(hold, release, release_in_child);
}

bool pj_rec_posix_borrowed(void)
{
    return getpid() != atomic_load_explicit(&own_pid, memory_order_relaxed);
}

static bool is_file(const struct stat *info)
{
    return S_ISREG(info->st_mode) || S_ISBLK(info->st_mode);
}

static bool path_of(int descriptor, char path[PATH_MAX])
{
    char link[40];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t size = readlink(link, path, PATH_MAX - 1);
    path[size > 0 ? size : 0] = '\0';
    return size > 0;
}

static uint64_t hash_of(const char *path)
{
    uint64_t hash = 0xCBF29CE484222325;
    for (; *path; path++)
        hash = (hash ^ (uint8_t)*path) * 0x100000001B3;
    return hash;
}

static void link_row(size_t row)
{
    size_t *bucket = &buckets[files[row].hash & (file_most - 1)];
    files[row].next = *bucket;
    *bucket = row;
}

static void discard(open_file *rows, size_t *by_id, size_t *by_hash, size_t most)
{
    pj_rec_store_free(rows, most * sizeof *rows);
    pj_rec_store_free(by_id, (most + 1) * sizeof *by_id);
    pj_rec_store_free(by_hash, most * sizeof *by_hash);
}

static bool grow(void)
{
    const size_t most = file_most ? 2 * file_most : FIRST_FILES;
    open_file *more = pj_rec_store_grow(NULL, 0, most * sizeof *more);
    size_t *rows = pj_rec_store_grow(NULL, 0, (most + 1) * sizeof *rows);
    size_t *larger = pj_rec_store_grow(NULL, 0, most * sizeof *larger);
    if (!more || !rows || !larger) {
        discard(more, rows, larger, most);
        return false;
    }
    if (file_most) {
        memcpy(more, files, file_count * sizeof *more);
        memcpy(rows, row_of, (file_most + 1) * sizeof *rows);
    }
    discard(files, row_of, buckets, file_most);
    files = more;
    row_of = rows;
    buckets = larger;
    file_most = most;
    for (size_t i = 0; i < most; i++)
        buckets[i] = NONE;
    for (size_t i = 0; i < file_count; i++)
        link_row(i);
    return true;
}

/// The row of the first handle of the file that is free, or of a new one; NONE = no memory. It is
/// used from now on. Under the lock.
static size_t take(const char *path, pj_rec_io_kind kind)
{
    const uint64_t hash = hash_of(path);
    uint32_t instance = 0;
    size_t row = NONE;
    for (size_t i = file_most ? buckets[hash & (file_most - 1)] : NONE; i != NONE;
         i = files[i].next) {
        const open_file *f = &files[i];
        if (f->hash != hash || f->kind != kind || strcmp(f->path, path) != 0)
            continue;
        row = f->used ? row : i; // older ones come later
        instance++;
    }
    if (row != NONE) {
        files[row].used = true;
        return row;
    }
    char *copy =
        file_count < file_most || grow() ? pj_rec_store_text(&paths, path, strlen(path) + 1) : NULL;
    if (!copy)
        return NONE;
    files[file_count] =
        (open_file){.path = copy, .hash = hash, .instance = instance, .kind = kind, .used = true};
    link_row(file_count);
    return file_count++;
}

static uint32_t handle_of(const char *path, pj_rec_io_kind kind, bool before)
{
    hold();
    const size_t row = take(path, kind);
    const open_file taken = row == NONE ? (open_file){.id = LEFT_OUT} : files[row];
    release();
    if (taken.id)
        return taken.id;
    const uint32_t id = pj_rec_io_handle(path, kind, taken.instance, before);
    hold();
    files[row].id = id;
    files[row].used = id != 0;
    if (id <= file_most)
        row_of[id] = row;
    release();
    return id ? id : LEFT_OUT;
}

static uint32_t look(int descriptor, pj_rec_io_kind kind, bool before)
{
    char path[PATH_MAX];
    struct stat info;
    if (descriptor < 0 || descriptor >= DESCRIPTORS || fstat(descriptor, &info) != 0)
        return LEFT_OUT; // of what is not open nothing is kept
    uint32_t id =
        is_file(&info) && path_of(descriptor, path) ? handle_of(path, kind, before) : LEFT_OUT;
    atomic_store_explicit(&handles[descriptor], id, memory_order_relaxed);
    return id;
}

static uint32_t shown(uint32_t id)
{
    return id == LEFT_OUT ? 0 : id;
}

uint32_t pj_rec_posix_handle(int descriptor)
{
    if (descriptor < 0 || descriptor >= DESCRIPTORS)
        return 0;
    uint32_t id = atomic_load_explicit(&handles[descriptor], memory_order_relaxed);
    if (id == 0 && !pj_rec_posix_borrowed())
        id = look(descriptor, PJ_REC_IO_POSIX, true);
    return shown(id);
}

uint32_t pj_rec_posix_opened(int descriptor, pj_rec_io_kind kind)
{
    pj_rec_posix_closed(descriptor);
    return shown(look(descriptor, kind, false));
}

uint32_t pj_rec_posix_duplicated(int from, int to)
{
    if (pj_rec_posix_handle(from) == 0)
        return 0;
    return pj_rec_posix_opened(to, PJ_REC_IO_POSIX);
}

uint32_t pj_rec_posix_closed(int descriptor)
{
    if (descriptor < 0 || descriptor >= DESCRIPTORS)
        return 0;
    uint32_t id = atomic_exchange_explicit(&handles[descriptor], 0, memory_order_relaxed);
    if (shown(id) == 0)
        return 0;
    hold();
    if (id <= file_most)
        files[row_of[id]].used = false;
    release();
    return id;
}

void pj_rec_posix_closed_range(unsigned first, unsigned last)
{
    for (unsigned i = first; i <= last && i < DESCRIPTORS; i++)
        pj_rec_posix_closed((int)i);
}
