// The file is mapped, array by array: whoever uses one sees plain memory, which the system may take
// back at any time. Room is reserved on the disk before it is written to, so that a full one is an
// error and no signal.
#include "metrics/ai/ai_spill.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/newfile.h"
#include "metrics/base/sort.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    LEAST = PJ_SIZE(1 << 16, 1 << 12), // bytes; shorter arrays stay in memory
    PIECE = PJ_SIZE(1 << 20, 1 << 12), // that are copied at once
    RUN = PJ_SIZE(1 << 22, 1 << 12),   // bytes that are sorted at once
    PAGE = 1 << 16                     // of any machine
};

typedef struct pj_ai_spill_area {
    char *at;
    size_t bytes;  // whole pages
    uint64_t from; // of the file
} pj_ai_spill_area;

static int open_in(const char *folder, pj_err *err)
{
    pj_auto_buf path = {.at = NULL};
    pj_buf_addf(&path, "%s/popinjay-spill", folder);
    return pj_newfile_scratch(path.at, err);
}

bool pj_ai_spill_begin(pj_ai_spill *spill, pj_err *err)
{
    static const char *const folders[] = {"/var/tmp", "/tmp"};
    const char *own = getenv("TMPDIR");
    pj_err problem = {.code = PJ_E_NONE};
    int file = -1;
    if (own && *own) {
        spill->folder = own;
        file = open_in(own, &problem);
    }
    for (size_t i = 0; !(own && *own) && file < 0 && i < sizeof folders / sizeof *folders; i++) {
        spill->folder = folders[i];
        problem = (pj_err){.code = PJ_E_NONE};
        file = open_in(folders[i], &problem);
    }
    if (file < 0)
        return pj_fail(err, PJ_E_IO, spill->folder, 0,
                       "what exceeds the memory budget cannot be put there: %s; set TMPDIR to "
                       "another folder, or raise --memory",
                       strerror(errno));
    spill->file = file;
    spill->active = true;
    return true;
}

static pj_ai_spill_area *area_of(const pj_ai_spill *spill, const void *at)
{
    for (size_t i = 0; spill && at && i < spill->count; i++) {
        pj_ai_spill_area *area = &spill->areas[i];
        if ((const char *)at >= area->at && (const char *)at < area->at + area->bytes)
            return area;
    }
    return NULL;
}

/// A new area; NULL where the disk has no room.
static void *reserve(pj_ai_spill *spill, size_t bytes)
{
    bytes = (bytes + PAGE - 1) / PAGE * PAGE;
    int failed;
    do
        failed = posix_fallocate(spill->file, (off_t)spill->end, (off_t)bytes);
    while (failed == EINTR);
    char *at = failed ? MAP_FAILED
                      : mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, spill->file,
                             (off_t)spill->end);
    if (at == MAP_FAILED) {
        (void)!pj_fail(&spill->problem, PJ_E_IO, spill->folder, 0,
                       "what exceeds the memory budget cannot be put there: %s; set TMPDIR to "
                       "another folder, or raise --memory",
                       strerror(failed ? failed : errno));
        return NULL;
    }
    pj_grow(spill->areas, &spill->cap, spill->count + 1);
    spill->areas[spill->count++] = (pj_ai_spill_area){at, bytes, spill->end};
    spill->end += bytes;
    return at;
}

static void give_back(pj_ai_spill *spill, pj_ai_spill_area *area)
{
    munmap(area->at, area->bytes);
    if (spill->active)
        (void)!fallocate(spill->file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)area->from,
                         (off_t)area->bytes);
    *area = spill->areas[--spill->count];
}

void pj_ai_spill_free(pj_ai_spill *spill)
{
    for (size_t i = 0; i < spill->count; i++)
        munmap(spill->areas[i].at, spill->areas[i].bytes);
    free(spill->areas);
    if (spill->active)
        close(spill->file);
    if (spill->used)
        *spill->used -= spill->counted;
    *spill = (pj_ai_spill){.active = false};
}

void pj_ai_spill_relax(pj_ai_spill *spill)
{
    for (size_t i = 0; i < spill->count; i++)
        madvise(spill->areas[i].at, spill->areas[i].bytes, MADV_DONTNEED);
}

static void copy(pj_ai_spill *spill, char *to, const char *from, size_t bytes)
{
    for (size_t at = 0; at < bytes; at += PIECE) {
        memcpy(to + at, from + at, bytes - at < PIECE ? bytes - at : PIECE);
        pj_ai_spill_relax(spill);
    }
}

void pj_ai_spill_drop(pj_ai_spill *spill, void *items)
{
    pj_ai_spill_area *area = area_of(spill, items);
    if (area)
        give_back(spill, area);
    else
        free(items);
}

void *pj_ai_spill_grow(pj_ai_spill *spill, void *items, size_t *cap, size_t need, size_t size)
{
    const pj_ai_spill_area *area = area_of(spill, items);
    if (!area && (!spill || !spill->active || need * size < LEAST))
        return pj_grow_array(items, cap, need, size);
    size_t old = *cap, now = need > 2 * old ? need : 2 * old;
    char *grown = reserve(spill, now * size);
    grown = grown ? grown : pj_take_memory(now * size);
    if (old)
        copy(spill, grown, items, old * size);
    pj_ai_spill_drop(spill, items);
    *cap = now;
    return grown;
}

void *pj_ai_spill_move(pj_ai_spill *spill, void *items, size_t bytes)
{
    bool moves = spill && spill->active && items && bytes >= LEAST && !area_of(spill, items);
    char *moved = moves ? reserve(spill, bytes) : NULL;
    if (!moved)
        return items;
    copy(spill, moved, items, bytes);
    free(items);
    return moved;
}

size_t pj_ai_spill_held(const pj_ai_spill *spill, const void *items, size_t bytes)
{
    return area_of(spill, items) ? 0 : bytes;
}

bool pj_ai_spill_check(const pj_ai_spill *spill, pj_err *err)
{
    const pj_err *problem = &spill->problem;
    return !problem->code || pj_fail(err, problem->code, problem->where, 0, "%s", problem->text);
}

// Sorting

/// What is left of sorted runs: the least item comes next, of equal ones that of the first run.
typedef struct merging {
    const atomic_bool *stop;
    size_t size;              // of an item
    const char **next, **end; // by run
    size_t *heap;             // runs, the one with the least item first
    size_t count;
    int (*order)(const void *a, const void *b);
} merging;

static bool comes_before(const merging *m, size_t a, size_t b)
{
    int order = m->order(m->next[a], m->next[b]);
    return order ? order < 0 : a < b;
}

static void sink(merging *m, size_t at)
{
    size_t run = m->heap[at];
    for (size_t child; (child = 2 * at + 1) < m->count; at = child) {
        if (child + 1 < m->count && comes_before(m, m->heap[child + 1], m->heap[child]))
            child++;
        if (!comes_before(m, m->heap[child], run))
            break;
        m->heap[at] = m->heap[child];
    }
    m->heap[at] = run;
}

static bool merge(pj_ai_spill *spill, merging *m, char *to)
{
    enum { OFTEN = PJ_SIZE(1 << 14, 1 << 6) };
    for (size_t i = m->count; i-- > 0;)
        sink(m, i);
    for (size_t i = 0; m->count; i++, to += m->size) {
        size_t run = m->heap[0];
        memcpy(to, m->next[run], m->size);
        m->next[run] += m->size;
        if (m->next[run] == m->end[run])
            m->heap[0] = m->heap[--m->count];
        sink(m, 0);
        if (i % OFTEN)
            continue;
        pj_ai_spill_relax(spill);
        if (m->stop && atomic_load_explicit(m->stop, memory_order_relaxed))
            return false;
    }
    return true;
}

static bool merge_runs(pj_ai_spill *spill, char *items, size_t bytes, size_t run, merging *m)
{
    size_t runs = (bytes + run - 1) / run;
    char *sorted = reserve(spill, bytes);
    sorted = sorted ? sorted : pj_take_memory(bytes);
    m->next = pj_take_memory(runs * sizeof *m->next);
    m->end = pj_take_memory(runs * sizeof *m->end);
    m->heap = pj_take_memory((runs + 1) * sizeof *m->heap);
    for (m->count = 0; m->count < runs; m->count++) {
        m->next[m->count] = items + m->count * run;
        m->end[m->count] = m->count + 1 < runs ? items + (m->count + 1) * run : items + bytes;
        m->heap[m->count] = m->count;
    }
    bool done = merge(spill, m, sorted);
    free(m->next);
    free(m->end);
    free(m->heap);
    if (done)
        copy(spill, items, sorted, bytes);
    pj_ai_spill_drop(spill, sorted);
    return done;
}

bool pj_ai_spill_sort(pj_ai_spill *spill, void *items, size_t count, size_t size,
                      int (*order)(const void *a, const void *b), const atomic_bool *stop)
{
    if (!area_of(spill, items))
        return pj_sort_records(items, count, size, order, stop);
    size_t most = RUN / size;
    char *at = items;
    for (size_t i = 0; i < count; i += most) {
        if (!pj_sort_records(at + i * size, count - i < most ? count - i : most, size, order, stop))
            return false;
        pj_ai_spill_relax(spill);
    }
    merging m = {.order = order, .size = size, .stop = stop};
    return count <= most || merge_runs(spill, at, count * size, most * size, &m);
}
