// Sorting more lines than memory holds.
// A run on disk is a sequence of (place, length, bytes); all runs lie in one unlinked file.
#include "metrics/replay/sorter.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/newfile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct place { // of a line in the order
    uint64_t time, order, number;
} place;

typedef struct head { // of a line in memory and on disk; its bytes follow
    struct place place;
    uint64_t size;
} head;

typedef struct run {  // a part of the file, and its next line
    uint64_t at, end; // what has not been read yet
    pj_buf bytes;     // read ahead
    size_t used;
} run;

struct pj_sorter {
    char *path;
    size_t memory;
    pj_buf lines;   // head, bytes, head, bytes ...
    size_t *starts; // of each in `lines`
    size_t count, cap;
    uint64_t number;
    int fd; // -1: nothing on disk
    uint64_t file_size;
    run *runs;
    size_t run_count, run_cap;
};

pj_sorter *pj_sorter_new(const char *path, size_t memory)
{
    pj_sorter *sorter = pj_take_memory(sizeof *sorter);
    *sorter = (pj_sorter){.path = strdup(path), .memory = memory, .fd = -1};
    return sorter;
}

void pj_sorter_free(pj_sorter *sorter)
{
    if (!sorter)
        return;
    for (size_t i = 0; i < sorter->run_count; i++)
        pj_buf_free(&sorter->runs[i].bytes);
    free(sorter->runs);
    if (sorter->fd >= 0)
        close(sorter->fd);
    pj_buf_free(&sorter->lines);
    free(sorter->starts);
    free(sorter->path);
    free(sorter);
}

static int order_of(const place *a, const place *b)
{
    if (a->time != b->time)
        return a->time < b->time ? -1 : 1;
    if (a->order != b->order)
        return a->order < b->order ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

static head head_at(const char *bytes)
{
    head h;
    memcpy(&h, bytes, sizeof h); // lines have any length: heads are not aligned
    return h;
}

static int by_place(const void *a, const void *b, void *lines)
{
    head x = head_at((const char *)lines + *(const size_t *)a);
    head y = head_at((const char *)lines + *(const size_t *)b);
    return order_of(&x.place, &y.place);
}

static void sort_lines(pj_sorter *sorter)
{
    if (sorter->count > 1)
        qsort_r(sorter->starts, sorter->count, sizeof *sorter->starts, by_place, sorter->lines.at);
}

/// Writes the lines in memory as one more run.
static bool spill(pj_sorter *sorter, pj_err *err)
{
    if (sorter->fd < 0)
        sorter->fd = pj_newfile_scratch(sorter->path, err);
    if (sorter->fd < 0)
        return false;
    sort_lines(sorter);
    pj_auto_buf part = {.at = NULL};
    bool good = true;
    for (size_t i = 0; good && i < sorter->count; i++) {
        const char *at = sorter->lines.at + sorter->starts[i];
        pj_buf_add(&part, (pj_str){at, sizeof(head) + head_at(at).size});
        if (part.len < 1 << 20 && i + 1 < sorter->count)
            continue;
        good = pj_newfile_write(sorter->fd, sorter->path, pj_buf_str(&part), err);
        part.len = 0;
    }
    pj_grow(sorter->runs, &sorter->run_cap, sorter->run_count + 1);
    uint64_t end = sorter->file_size + sorter->lines.len;
    sorter->runs[sorter->run_count++] = (run){.at = sorter->file_size, .end = end};
    sorter->file_size = end;
    sorter->lines.len = 0;
    sorter->count = 0;
    return good;
}

bool pj_sorter_add(pj_sorter *sorter, uint64_t time, uint64_t order, pj_str line, pj_err *err)
{
    size_t need = sizeof(head) + line.len + sizeof *sorter->starts;
    size_t used = sorter->lines.len + sorter->count * sizeof *sorter->starts;
    if (sorter->count > 0 && used + need > sorter->memory && !spill(sorter, err))
        return false;
    head h = {{time, order, sorter->number++}, line.len};
    pj_grow(sorter->starts, &sorter->cap, sorter->count + 1);
    sorter->starts[sorter->count++] = sorter->lines.len;
    pj_buf_add(&sorter->lines, (pj_str){(const char *)&h, sizeof h});
    pj_buf_add(&sorter->lines, line);
    return true;
}

static bool has_line(const run *r)
{
    size_t left = r->bytes.len - r->used;
    return left >= sizeof(head) && left >= sizeof(head) + head_at(r->bytes.at + r->used).size;
}

/// Reads `size` more bytes of the run, or what is left of it.
static bool read_more(pj_sorter *sorter, run *r, size_t size, pj_err *err)
{
    size_t left = r->bytes.len - r->used;
    if (left > 0 && r->used > 0)
        memmove(r->bytes.at, r->bytes.at + r->used, left);
    r->bytes.len = left;
    r->used = 0;
    if (size > r->end - r->at)
        size = (size_t)(r->end - r->at);
    while (size > 0) {
        ssize_t got = pread(sorter->fd, pj_buf_room(&r->bytes, size), size, (off_t)r->at);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return pj_fail(err, PJ_E_IO, sorter->path, 0,
                           "the temporary file beside it cannot be read: %s", strerror(errno));
        r->bytes.len += (size_t)got;
        r->at += (uint64_t)got;
        size -= (size_t)got;
    }
    return true;
}

/// The next line of the run comes into memory; without one the run has ended.
static bool read_line(pj_sorter *sorter, run *r, pj_err *err)
{
    enum { LEAST = 4096 };
    size_t share = sorter->memory / sorter->run_count;
    bool good = true;
    while (good && !has_line(r) && r->at < r->end)
        good = read_more(sorter, r, share > LEAST ? share : LEAST, err);
    return good;
}

static bool comes_first(const run *a, const run *b)
{
    head x = head_at(a->bytes.at + a->used), y = head_at(b->bytes.at + b->used);
    return order_of(&x.place, &y.place) < 0;
}

/// Lets the run at `at` of the heap sink to its place.
static void sink_down(run *heap, size_t count, size_t at)
{
    run moved = heap[at];
    for (size_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && comes_first(&heap[child + 1], &heap[child]))
            child++;
        if (!comes_first(&heap[child], &moved))
            break;
        heap[at] = heap[child];
    }
    heap[at] = moved;
}

static bool merge_runs(pj_sorter *sorter, bool (*line)(void *, pj_str, pj_err *), void *self,
                       pj_err *err)
{
    run *heap = sorter->runs;
    size_t count = sorter->run_count;
    for (size_t i = 0; i < count; i++)
        if (!read_line(sorter, &heap[i], err))
            return false;
    for (size_t i = count / 2; i-- > 0;)
        sink_down(heap, count, i);
    while (count > 0) {
        const char *at = heap[0].bytes.at + heap[0].used;
        pj_str text = {at + sizeof(head), head_at(at).size};
        if (!line(self, text, err))
            return false;
        heap[0].used += sizeof(head) + text.len;
        if (!read_line(sorter, &heap[0], err))
            return false;
        if (!has_line(&heap[0])) { // the run has ended
            run ended = heap[0];
            heap[0] = heap[--count];
            heap[count] = ended;
        }
        if (count > 0)
            sink_down(heap, count, 0);
    }
    return true;
}

bool pj_sorter_each(pj_sorter *sorter, bool (*line)(void *self, pj_str line, pj_err *err),
                    void *self, pj_err *err)
{
    if (sorter->run_count > 0) {
        if (sorter->count > 0 && !spill(sorter, err))
            return false;
        pj_buf_free(&sorter->lines);
        return merge_runs(sorter, line, self, err);
    }
    sort_lines(sorter);
    for (size_t i = 0; i < sorter->count; i++) {
        const char *at = sorter->lines.at + sorter->starts[i];
        if (!line(self, (pj_str){at + sizeof(head), head_at(at).size}, err))
            return false;
    }
    return true;
}
