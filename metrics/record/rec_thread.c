// Chunks of threads: made, appended to the event file when full, left behind at the end. What a
// thread that was killed leaves is the same as what one that ended leaves.
#include "metrics/record/rec_thread.h"

#include "metrics/record/rec_calls.h"
#include "metrics/record/rec_counters.h"
#include "metrics/record/rec_defs.h"
#include "metrics/record/rec_event.h"
#include "metrics/record/rec_lock.h"
#include "metrics/record/rec_memory.h"
#include "metrics/record/rec_names.h"
#include "metrics/record/rec_part.h"
#include "metrics/record/rec_signal.h"
#include "metrics/record/rec_store.h"
#include "metrics/record/rec_tree.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TYPE_ON_OFF = 11, MARK_ON = 1, MARK_OFF = 2, FIRST_DEPTH = 512 };

_Thread_local pj_rec_thread *pj_rec_self;

static pj_rec_lock lock = PJ_REC_LOCK_FREE;
static pj_rec_thread *threads;
static uint32_t thread_count;
static pthread_key_t ends;
static pthread_once_t ends_made = PTHREAD_ONCE_INIT;

// Of the thread that forked: what it is inside, for itself in the child.
static _Thread_local struct {
    pj_rec_frame *frames;
    uint32_t depth, most;
} inherited __attribute__((tls_model("initial-exec")));
static bool forked_inside; // one thread of this process has inherited
static uint64_t forked_at;

static void path_of(const pj_rec_thread *t, const char *suffix, char path[PATH_MAX])
{
    int size = snprintf(path, PATH_MAX, "%s/%u.%s", pj_rec_part_folder(), t->number, suffix);
    if (size < 0 || size >= PATH_MAX)
        path[0] = '\0'; // opens nothing
}

static uint8_t *full_at(const pj_rec_thread *t)
{
    return t->chunk + PJ_REC_CHUNK_BYTES - PJ_REC_CHUNK_RESERVE - PJ_REC_RECORD_MOST;
}

/// Whether leaves are written, or counted.
static bool is_on(const pj_rec_thread *t)
{
    return t->tree ? !t->over : t->end != NULL;
}

static void set_end(pj_rec_thread *t, uint8_t *end)
{
    t->end = end;
    t->leave_end = pj_rec_calls_wanted() ? NULL : end;
}

static void put_mark(pj_rec_thread *t, uint64_t ticks, uint8_t mark)
{
    uint8_t *at = t->at;
    t->last = ticks = ticks < t->last ? t->last : ticks;
    at[11] = mark;
    at[12] = PJ_REC_CHUNK_END;
    pj_rec_chunk_commit(at, ticks, TYPE_ON_OFF, 1);
    t->at += 12;
    t->events++;
}

// Files

/// The chunk as a file mapped into memory, with all its blocks, so that no write to it can fail.
static bool map_chunk(pj_rec_thread *t)
{
    char path[PATH_MAX];
    path_of(t, "cur", path);
    int file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file < 0)
        return false;
    pj_rec_signal held;
    pj_rec_signal_hold(&held);
    int failed = posix_fallocate(file, 0, PJ_REC_CHUNK_BYTES);
    pj_rec_signal_release(&held);
    void *at = MAP_FAILED;
    if (!failed)
        at = mmap(NULL, PJ_REC_CHUNK_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (failed) {
        errno = failed;
        return false;
    }
    if (at == MAP_FAILED) {
        t->anonymous = true;
        at = mmap(NULL, PJ_REC_CHUNK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
                  0);
    }
    if (at == MAP_FAILED)
        return false;
    madvise(at, PJ_REC_CHUNK_BYTES, MADV_DONTFORK);
    t->chunk = at;
    return true;
}

static bool map_tree(pj_rec_thread *t)
{
    char path[PATH_MAX];
    path_of(t, "tree", path);
    t->tree = pj_rec_tree_new(path, pj_rec_part_depth());
    t->last = pj_rec_now();
    return t->tree != NULL;
}

/// Appends the chunk to the event file, or nothing at all.
static bool append_chunk(const pj_rec_thread *t)
{
    char path[PATH_MAX];
    path_of(t, "evt", path);
    int file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (file < 0)
        return false;
    const off_t whole = (off_t)t->chunks * PJ_REC_CHUNK_BYTES;
    pj_rec_signal held;
    pj_rec_signal_hold(&held);
    ssize_t size = 1, done = 0;
    for (; size > 0 && done < PJ_REC_CHUNK_BYTES; done += size)
        size = pwrite(file, t->chunk + done, PJ_REC_CHUNK_BYTES - (size_t)done, whole + done);
    int why = size < 0 ? errno : ENOSPC;
    pj_rec_signal_release(&held);
    bool ok = size > 0;
    if (!ok && ftruncate(file, whole) != 0)
        why = errno; // the merge finds the whole chunks
    close(file);
    errno = why;
    return ok;
}

static void restart_chunk(pj_rec_thread *t)
{
    pj_rec_chunk_begin(t->chunk, t->events + 1);
    t->at = t->chunk + PJ_REC_CHUNK_HEAD;
    set_end(t, full_at(t));
}

/// Makes room by writing the chunk out; where that fails the recording ends here.
static bool empty_chunk(pj_rec_thread *t)
{
    memset(t->at, PJ_REC_CHUNK_END, (size_t)(t->chunk + PJ_REC_CHUNK_BYTES - t->at));
    memcpy(t->chunk + PJ_REC_CHUNK_LAST, &t->events, sizeof t->events);
    const char *why = "its limit of size is reached";
    bool ok = pj_rec_part_spend(PJ_REC_CHUNK_BYTES);
    if (ok) {
        ok = append_chunk(t);
        why = strerror(errno);
    }
    if (!ok) {
        put_mark(t, pj_rec_now(), MARK_OFF);
        set_end(t, NULL);
        pj_rec_part_stop(why);
        return false;
    }
    t->chunks++;
    restart_chunk(t);
    pj_rec_part_tick(t->last);
    return true;
}

static bool grow_frames(pj_rec_thread *t)
{
    uint32_t most = t->depth_most ? 2 * t->depth_most : FIRST_DEPTH;
    pj_rec_frame *more =
        most > t->depth_most
            ? pj_rec_store_grow(t->frames, t->depth_most * sizeof *more, most * sizeof *more)
            : NULL;
    if (!more) {
        set_end(t, NULL);
        t->over = true;
        pj_rec_part_stop("out of memory");
        return false;
    }
    t->frames = more;
    t->depth_most = most;
    return true;
}

/// A handler that jumps away (siglongjmp) would leave it half done.
static bool without_signals(pj_rec_thread *t, bool (*change)(pj_rec_thread *))
{
    sigset_t before;
    pj_rec_signal_hold_all(&before);
    const bool ok = change(t);
    pj_rec_signal_let(&before);
    return ok;
}

bool pj_rec_thread_room(pj_rec_thread *t)
{
    if (t->tree) {
        t->at = pj_rec_tree_scratch(t->tree);
        return !t->over && !t->off && (t->depth < t->depth_most || without_signals(t, grow_frames));
    }
    int kept = errno;
    bool ok = t->end && (t->at < t->end || without_signals(t, empty_chunk)) &&
              (t->depth < t->depth_most || without_signals(t, grow_frames));
    errno = kept;
    return ok;
}

bool pj_rec_thread_enter(pj_rec_thread *t, uint32_t region, uint64_t ticks)
{
    if (!pj_rec_thread_room(t))
        return false;
    if (t->tree)
        pj_rec_tree_enter(t, region, ticks);
    else
        pj_rec_put_enter(t, region, ticks);
    return true;
}

// Threads

static void end_thread(void *thread)
{
    pj_rec_thread_end(thread);
}

static void make_key(void)
{
    pthread_key_create(&ends, end_thread);
}

static void enlist(pj_rec_thread *t)
{
    pj_rec_thread_lock();
    t->number = thread_count++;
    t->next = threads;
    t->link = &threads;
    if (threads)
        threads->link = &t->next;
    threads = t;
    pj_rec_thread_unlock();
}

static void discard(pj_rec_thread *t)
{
    pj_rec_thread_lock();
    *t->link = t->next;
    if (t->next)
        t->next->link = t->link;
    pj_rec_thread_unlock();
    if (t->chunk)
        munmap(t->chunk, PJ_REC_CHUNK_BYTES);
    if (t->tree)
        pj_rec_tree_free(t->tree);
    pj_rec_thread_free_late(t);
    pj_rec_store_free(t->frames, t->depth_most * sizeof *t->frames);
    pj_rec_store_free(t, sizeof *t);
}

/// The thread that forked begins inside the regions that it was in, whoever else comes first.
static void enter_inherited(pj_rec_thread *t)
{
    for (uint32_t i = 0; i < inherited.depth; i++)
        pj_rec_thread_enter(t, inherited.frames[i].region, forked_at);
    pj_rec_store_free(inherited.frames, inherited.most * sizeof *inherited.frames);
    memset(&inherited, 0, sizeof inherited);
}

/// The first thread begins with the program: its root region, named by the executable.
static void enter_program(pj_rec_thread *t)
{
    char path[PATH_MAX];
    ssize_t size = readlink("/proc/self/exe", path, sizeof path - 1);
    path[size > 0 ? size : 0] = '\0';
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : "program";
    uint32_t region = pj_rec_region(&(pj_rec_region_of){
        .name = name, .role = PJ_REC_ROLE_ARTIFICIAL, .paradigm = PJ_REC_PARADIGM_SYSTEM});
    uint32_t text = pj_rec_string(name);
    pj_rec_event(t, PJ_REC_PROGRAM_BEGIN, pj_rec_now(), (uint64_t[]){text, 0});
    if (region)
        pj_rec_enter(t, region);
}

void pj_rec_thread_rename(pj_rec_thread *t, const char *name)
{
    char number[12], made[32];
    snprintf(number, sizeof number, "%u", t->number);
    snprintf(made, sizeof made, t->number ? "Thread %u" : "Master thread", t->number);
    pj_rec_defs_line(
        'T', (const char *[]){number, name ? name : made, t->readings ? "readings" : "thread"}, 3);
}

static pj_rec_thread *make_thread(const char *name, bool readings)
{
    int kept = errno;
    pthread_once(&ends_made, make_key);
    pj_rec_thread *t = pj_rec_store_grow(NULL, 0, sizeof *t);
    if (!t) {
        pj_rec_part_stop("out of memory");
        return NULL;
    }
    t->readings = readings;
    enlist(t);
    if (!(pj_rec_part_profiles() ? map_tree(t) : map_chunk(t))) {
        pj_rec_part_stop(strerror(errno));
        discard(t);
        errno = kept;
        return NULL;
    }
    if (t->anonymous && t->number == 0)
        pj_rec_note(1, "files cannot be mapped here: a killed process loses its last events");
    if (!t->tree)
        restart_chunk(t);
    pj_rec_thread_rename(t, name);
    pthread_setspecific(ends, t);
    pj_rec_self = t;
    if (t->number == 0)
        pj_rec_counters_begin();
    if (t->number == 0 && !forked_inside)
        enter_program(t);
    if (!readings) {
        enter_inherited(t);
        pj_rec_counters_read(t);
    }
    if (!pj_rec_active()) { // ended meanwhile
        set_end(t, NULL);
        t->over = true;
    }
    if (t->number == 0)
        pj_rec_memory_begin();
    errno = kept;
    return t;
}

/// Of a process whose part is there; where a handler of a signal has come first, its.
static pj_rec_thread *begin_thread(const char *name, bool readings)
{
    sigset_t before;
    pj_rec_signal_hold_all(&before);
    pj_rec_thread *thread = pj_rec_self ? pj_rec_self : make_thread(name, readings);
    pj_rec_signal_let(&before);
    return thread;
}

pj_rec_thread *pj_rec_thread_begin(const char *name)
{
    return pj_rec_self || !pj_rec_part_ready() ? pj_rec_self : begin_thread(name, false);
}

pj_rec_thread *pj_rec_thread_begin_other(const char *name)
{
    sigset_t before;
    pj_rec_signal_hold_all(&before);
    pj_rec_thread *own = pj_rec_self,
                  *other = pj_rec_part_ready() ? make_thread(name, false) : NULL;
    pj_rec_self = own;
    if (other)
        pthread_setspecific(ends, own);
    pj_rec_signal_let(&before);
    return other;
}

pj_rec_thread *pj_rec_thread_begin_readings(const char *name)
{
    return pj_rec_self || !pj_rec_part_ready() || pj_rec_part_profiles() ? NULL
                                                                         : begin_thread(name, true);
}

/// What is left of the chunk is all that the merge needs.
static bool close_chunk(pj_rec_thread *t, const char *path)
{
    const size_t used = (size_t)(t->at + 1 - t->chunk);
    bool ok = true;
    if (t->anonymous) {
        int file = open(path, O_WRONLY | O_CLOEXEC);
        ok = file >= 0 && pwrite(file, t->chunk, used, 0) == (ssize_t)used;
        if (file >= 0)
            close(file);
    }
    munmap(t->chunk, PJ_REC_CHUNK_BYTES);
    t->chunk = NULL;
    return ok && truncate(path, (off_t)used) == 0;
}

static bool close_tree(pj_rec_thread *t, const char *path)
{
    pj_rec_tree *tree = t->tree;
    t->tree = NULL;
    return pj_rec_tree_close(tree, path);
}

static void close_files(pj_rec_thread *t)
{
    char path[PATH_MAX];
    path_of(t, t->tree ? "tree" : "cur", path);
    if (t->tree ? close_tree(t, path) : close_chunk(t, path))
        pj_rec_defs_numbers('N', "%u\t%llu", t->number, (unsigned long long)t->events);
}

void pj_rec_thread_end(pj_rec_thread *t)
{
    sigset_t before;
    pj_rec_signal_hold_all(&before);
    pj_rec_release(t); // where a handler has not returned
    if (pj_rec_self == t && is_on(t) && !t->readings)
        pj_rec_counters_read(t);
    pj_rec_counters_end(t);
    while (is_on(t) && t->depth > 0)
        pj_rec_thread_leave(t, t->frames[t->depth - 1].region, pj_rec_now());
    if (t->number == 0 && t->end)
        pj_rec_event(t, PJ_REC_PROGRAM_END, pj_rec_now(), (uint64_t[]){(uint64_t)INT64_MIN});
    if (pj_rec_self == t) {
        pj_rec_self = NULL;
        pthread_setspecific(ends, NULL);
    }
    pj_rec_calls_close(t);
    close_files(t);
    discard(t);
    pj_rec_signal_let(&before);
}

void pj_rec_thread_lock(void)
{
    pj_rec_lock_take(&lock);
}

void pj_rec_thread_unlock(void)
{
    pj_rec_lock_give(&lock);
}

void pj_rec_thread_stop_all(void)
{
    pj_rec_thread_lock();
    for (pj_rec_thread *t = threads; t; t = t->next) {
        __atomic_store_n(&t->end, NULL, __ATOMIC_RELAXED); // it looks at its next event
        __atomic_store_n(&t->leave_end, NULL, __ATOMIC_RELAXED);
        __atomic_store_n(&t->off, false, __ATOMIC_RELAXED);
        __atomic_store_n(&t->over, true, __ATOMIC_RELAXED);
    }
    pj_rec_thread_unlock();
}

void pj_rec_thread_forked(void)
{
    pj_rec_thread *t = pj_rec_self;
    if (t) {
        pthread_setspecific(ends, NULL);
        inherited.frames = t->frames;
        inherited.most = t->depth_most;
        inherited.depth = is_on(t) || t->off ? t->depth : 0;
    }
    forked_inside = inherited.frames != NULL;
    pj_rec_self = NULL;
    threads = NULL; // the chunks are not mapped here
    thread_count = 0;
    forked_at = pj_rec_now();
}

// Leaves, and on and off

void pj_rec_thread_leave(pj_rec_thread *t, uint32_t region, uint64_t ticks)
{
    if (t->depth == 0)
        return;
    if (t->tree) {
        pj_rec_tree_leave(t, ticks);
        return;
    }
    const bool off = t->off;
    if (off)
        set_end(t, full_at(t));
    if (t->end && (t->at < t->end || without_signals(t, empty_chunk))) {
        t->leaving = t->at;
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
        pj_rec_put(t, ticks, PJ_REC_TYPE_LEAVE, region);
        if (off)
            set_end(t, NULL);
    }
    t->depth--;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    t->leaving = NULL;
}

void pj_rec_thread_leave_call(pj_rec_thread *t, uint32_t region, uint64_t ticks)
{
    if (!pj_rec_calls_wanted() || !is_on(t) || !pj_rec_calls_end(t, ticks))
        pj_rec_thread_leave(t, region, ticks);
}

static uint32_t find_open(const pj_rec_thread *t, uint32_t region)
{
    uint32_t i = t->depth;
    while (i > 0 && t->frames[i - 1].region != region)
        i--;
    return i;
}

/// Frames are those whose enters are written and whose leaves are not.
static void mend_frames(pj_rec_thread *t)
{
    if (t->leaving && t->at > t->leaving && t->depth > 0)
        t->depth--;
    t->leaving = NULL;
    while (t->depth > 0 && !t->tree && t->frames[t->depth - 1].chunk == t->chunks &&
           t->frames[t->depth - 1].at >= t->at)
        t->depth--;
}

bool pj_rec_is_held(pj_rec_thread *t)
{
    enum { BETWEEN_LEAST = 256 }; // registers, below what a handler has interrupted
    const char *here = __builtin_frame_address(0);
    if (!t->held || here + BETWEEN_LEAST < (const char *)t->held || pj_rec_signal_stack())
        return t->held != NULL;
    mend_frames(t);
    pj_rec_release(t);
    return false;
}

bool pj_rec_is_open(const pj_rec_thread *t, uint32_t region)
{
    return find_open(t, region) > 0;
}

bool pj_rec_thread_leave_to(pj_rec_thread *t, uint32_t region, uint64_t ticks)
{
    const uint32_t depth = find_open(t, region);
    while (depth > 0 && t->depth >= depth)
        pj_rec_thread_leave(t, t->frames[t->depth - 1].region, ticks);
    return depth > 0;
}

bool pj_rec_leave_to(pj_rec_thread *t, uint32_t region)
{
    uint64_t ticks = pj_rec_now();
    pj_rec_hold(t);
    const bool open = pj_rec_thread_leave_to(t, region, ticks);
    pj_rec_release(t);
    return open;
}

void pj_rec_leave_above(pj_rec_thread *t, uint32_t depth)
{
    const uint64_t ticks = pj_rec_now();
    pj_rec_hold(t);
    while (t->depth > depth)
        pj_rec_thread_leave(t, t->frames[t->depth - 1].region, ticks);
    pj_rec_release(t);
}

bool pj_rec_leave_any(pj_rec_thread *t, uint32_t region)
{
    uint64_t ticks = pj_rec_now();
    pj_rec_hold(t);
    const uint32_t depth = find_open(t, region);
    if (depth > 0) {
        pj_rec_frame frame = t->frames[depth - 1];
        memmove(t->frames + depth - 1, t->frames + depth, (t->depth - depth) * sizeof *t->frames);
        t->frames[t->depth - 1] = frame;
        pj_rec_thread_leave(t, region, ticks);
    }
    pj_rec_release(t);
    return depth > 0;
}

void pj_rec_off(pj_rec_thread *t)
{
    uint64_t ticks = pj_rec_now();
    pj_rec_hold(t);
    if (pj_rec_has_room(t)) {
        if (t->tree)
            pj_rec_tree_charge(t, ticks);
        else
            put_mark(t, ticks, MARK_OFF);
        t->off = true;
        set_end(t, NULL);
    }
    pj_rec_release(t);
}

void pj_rec_on(pj_rec_thread *t)
{
    if (!t->off)
        return;
    uint64_t ticks = pj_rec_now();
    pj_rec_hold(t);
    if (t->tree)
        pj_rec_tree_charge(t, ticks);
    else
        set_end(t, full_at(t));
    t->off = false;
    if (!t->tree && pj_rec_has_room(t))
        put_mark(t, ticks, MARK_ON);
    pj_rec_release(t);
}
