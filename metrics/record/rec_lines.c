// In a forked child the files of the parent are not mapped: it makes its own.
#include "metrics/record/rec_lines.h"

#include "metrics/record/rec_part.h"
#include "metrics/record/rec_signal.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { LENGTH_NOT_KNOWN = 4096, FIRST_FUNCTIONS = 16 };

typedef struct function {
    uint32_t region, first, count;
    pj_rec_lines_head *head; // NULL = not mapped here
    bool failed;
} function;

static function *functions;
static uint32_t count, most;

static void forget_maps(void)
{
    for (uint32_t i = 0; i < count; i++) {
        functions[i].head = NULL;
        functions[i].failed = false;
    }
}

static bool grow(void)
{
    const uint32_t more = most ? 2 * most : FIRST_FUNCTIONS;
    function *larger = realloc(functions, more * sizeof *larger);
    if (!larger)
        return false;
    if (!most)
        pthread_atfork(NULL, NULL, forget_maps);
    functions = larger;
    most = more;
    return true;
}

static size_t bytes_of(const function *f)
{
    return sizeof *f->head + f->count * sizeof(pj_rec_line);
}

static void *map_file(const char *path, size_t bytes)
{
    int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (file < 0)
        return NULL;
    pj_rec_signal held;
    pj_rec_signal_hold(&held);
    const int failed = posix_fallocate(file, 0, (off_t)bytes);
    pj_rec_signal_release(&held);
    void *at = failed ? MAP_FAILED : mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    return at == MAP_FAILED ? NULL : at;
}

static bool map_function(function *f)
{
    char path[PATH_MAX];
    const int kept = errno;
    int size = -1;
    if (pj_rec_part_ready())
        size = snprintf(path, sizeof path, "%s/lines.%u", pj_rec_part_folder(), f->region);
    f->head = size > 0 && size < PATH_MAX ? map_file(path, bytes_of(f)) : NULL;
    f->failed = !f->head;
    if (f->head) {
        madvise(f->head, bytes_of(f), MADV_DONTFORK);
        *f->head = (pj_rec_lines_head){.first = f->first, .count = f->count};
    }
    errno = kept;
    return f->head != NULL;
}

uint32_t pj_rec_lines_of(uint32_t region, uint32_t first, uint32_t last)
{
    for (uint32_t i = 0; i < count; i++)
        if (functions[i].region == region)
            return i + 1;
    if (count == most && !grow())
        return 0;
    const uint32_t lines = last >= first && last > 0 ? last - first + 1 : LENGTH_NOT_KNOWN;
    functions[count] = (function){.region = region,
                                  .first = first,
                                  .count = lines < PJ_REC_LINES_MOST ? lines : PJ_REC_LINES_MOST};
    return ++count;
}

void pj_rec_lines_add(uint32_t number, uint32_t line, pj_rec_line more)
{
    function *f = number > 0 && number <= count ? &functions[number - 1] : NULL;
    if (!f || line < f->first || line - f->first >= f->count || f->failed ||
        (!f->head && !map_function(f)))
        return;
    pj_rec_line *row = (pj_rec_line *)(f->head + 1) + (line - f->first);
    row->hits += more.hits;
    row->ticks += more.ticks;
}
