// Frames are read with process_vm_readv of the own process, where an address that has gone is an
// error and no fault. From sample to sample regions are left and entered, so that time is told to
// call paths as it is by hooks; visits are those that samples have met. Names of functions that are
// seen for the first time are taken under the lock.
#include "metrics/record/python/py_sample.h"

#include "metrics/record/python/py_codes.h"
#include "metrics/record/python/py_recording.h"
#include "metrics/record/rec_clock.h"
#include "metrics/record/rec_defs.h"
#include "metrics/record/rec_duration.h"
#include "metrics/record/rec_own_thread.h"
#include "metrics/record/rec_part.h"
#include "metrics/record/rec_thread.h"
#include "metrics/record/rec_tree.h"

#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum {
    STACK_BYTES = 512 << 10,
    DEPTH_MOST = 1024,
    THREADS_MOST = 512,
    KNOWN = 1 << 14,
    PLACES = 4
};

/// Where things stand, by version of CPython 3.
typedef struct layout {
    int first, last;
    size_t next;     // thread state: the next one
    size_t top;      // thread state: its frame, or what has it
    size_t inner;    // of that: the frame; NONE = it is the frame
    size_t previous; // frame: its caller
    size_t code, globals;
    size_t owner; // a byte that tells frames of C, which have no function; NONE = there are none
} layout;

#define NONE SIZE_MAX
enum { OWNED_BY_C = 3 };

static const layout layouts[] = {
    {.first = 9,
     .last = 10,
     .next = 8,
     .top = 24,
     .inner = NONE,
     .previous = 24,
     .code = 32,
     .globals = 48,
     .owner = NONE},
    {.first = 11,
     .last = 11,
     .next = 8,
     .top = 56,
     .inner = 8,
     .previous = 48,
     .code = 32,
     .globals = 8,
     .owner = NONE},
    {.first = 12,
     .last = 12,
     .next = 8,
     .top = 56,
     .inner = 0,
     .previous = 8,
     .code = 0,
     .globals = 24,
     .owner = 70},
    {.first = 13,
     .last = 13,
     .next = 8,
     .top = 72,
     .inner = NONE,
     .previous = 8,
     .code = 0,
     .globals = 24,
     .owner = 70},
};

/// A Python thread and what the last sample has met.
typedef struct sampled {
    const void *state; // NULL = free
    pj_rec_thread *thread;
    uint32_t regions[DEPTH_MOST], depth;
    bool seen;
} sampled;

typedef struct stack {
    const void *codes[DEPTH_MOST]; // innermost first
    const void *globals[DEPTH_MOST];
    uint32_t depth;
} stack;

static const layout *shape;
static void *interpreter;
static void *(*first_thread)(void *interpreter);
static struct timespec between;
static sampled threads[THREADS_MOST];
static struct {
    const void *code;
    uint32_t region;
} known[KNOWN];
static uint64_t deaths_seen;

static bool fetch_bytes(const void *at, size_t offset, void *value, size_t size)
{
    struct iovec to = {value, size}, from = {(char *)(uintptr_t)at + offset, size};
    return at && process_vm_readv(getpid(), &to, 1, &from, 1, 0) == (ssize_t)size;
}

static bool fetch(const void *at, size_t offset, const void **value)
{
    return fetch_bytes(at, offset, value, sizeof *value);
}

/// The frame's function is the innermost of those not yet known; false when it changed meanwhile.
static bool read_frame(const void *frame, stack *out)
{
    unsigned char owner = 0;
    if (shape->owner != NONE && !fetch_bytes(frame, shape->owner, &owner, 1))
        return false;
    if (owner == OWNED_BY_C)
        return true;
    const bool read = fetch(frame, shape->code, &out->codes[out->depth]) &&
                      fetch(frame, shape->globals, &out->globals[out->depth]);
    out->depth += read;
    return read;
}

/// False when it changed meanwhile, or is too deep.
static bool read_stack(const void *state, stack *out)
{
    const void *frame = NULL;
    out->depth = 0;
    if (!fetch(state, shape->top, &frame) ||
        (shape->inner != NONE && !fetch(frame, shape->inner, &frame)))
        return false;
    while (frame && out->depth < DEPTH_MOST)
        if (!read_frame(frame, out) || !fetch(frame, shape->previous, &frame))
            return false;
    return !frame;
}

/// Its row, or one that may be taken.
static uint32_t *row_of(const void *code, bool take)
{
    const size_t first = pj_py_codes_place(code) % KNOWN;
    for (size_t i = 0; i < PLACES; i++) {
        const size_t at = (first + i) % KNOWN;
        if (known[at].code == code)
            return &known[at].region;
        if (take && (!known[at].code || i + 1 == PLACES)) {
            known[at].code = code;
            return &known[at].region;
        }
    }
    return NULL;
}

/// 0 = not yet known.
static uint32_t region_of(const void *code)
{
    const uint32_t *row = row_of(code, false);
    return row ? *row : 0;
}

static bool knows_all(const stack *s)
{
    for (uint32_t i = 0; i < s->depth; i++)
        if (!region_of(s->codes[i]))
            return false;
    return true;
}

/// Whether the thread has not ended, under the lock.
static bool is_alive(const void *state)
{
    const void *at = first_thread(interpreter);
    for (size_t i = 0; at && i < THREADS_MOST; i++)
        if (at == state || !fetch(at, shape->next, &at))
            break;
    return at == state;
}

/// Under the lock nothing moves: what is read of a thread that has not ended is there.
static bool learn(const void *state, stack *s)
{
    PyGILState_STATE held = PyGILState_Ensure();
    const bool read = is_alive(state) && read_stack(state, s);
    for (uint32_t i = 0; read && i < s->depth; i++)
        if (!region_of(s->codes[i])) {
            uint32_t region = pj_py_recording_region((PyObject *)(uintptr_t)s->codes[i],
                                                     (PyObject *)(uintptr_t)s->globals[i]);
            *row_of(s->codes[i], true) = region ? region : PJ_PY_NOT_RECORDED;
        }
    PyGILState_Release(held);
    return read;
}

/// From what the last sample has met to what this one meets.
static void move_to(sampled *t, const uint32_t *regions, uint32_t depth)
{
    uint32_t same = 0;
    while (same < depth && same < t->depth && regions[same] == t->regions[same])
        same++;
    while (t->depth > same)
        pj_rec_leave(t->thread, t->regions[--t->depth]);
    while (t->depth < depth && pj_rec_enter(t->thread, regions[t->depth])) {
        t->regions[t->depth] = regions[t->depth];
        t->depth++;
    }
    if (t->thread->tree)
        pj_rec_tree_charge(t->thread, pj_rec_now());
}

static void take(sampled *t)
{
    static stack s; // of the one thread that samples
    static uint32_t regions[DEPTH_MOST];
    uint32_t depth = 0;
    if (!read_stack(t->state, &s) || (!knows_all(&s) && !learn(t->state, &s)))
        return;
    for (uint32_t i = s.depth; i-- > 0;) {
        const uint32_t region = region_of(s.codes[i]);
        if (region && region != PJ_PY_NOT_RECORDED)
            regions[depth++] = region;
    }
    if (!t->thread && depth)
        t->thread = pj_rec_thread_begin_other(NULL);
    if (t->thread)
        move_to(t, regions, depth);
}

static sampled *find(const void *state)
{
    sampled *free_one = NULL;
    for (size_t i = 0; i < THREADS_MOST; i++) {
        if (threads[i].state == state)
            return &threads[i];
        if (!threads[i].state && !free_one)
            free_one = &threads[i];
    }
    if (free_one)
        free_one->state = state;
    return free_one;
}

static void take_all(void)
{
    const uint64_t deaths = pj_py_codes_deaths();
    if (deaths != deaths_seen)
        memset(known, 0, sizeof known);
    deaths_seen = deaths;
    const void *state = first_thread(interpreter);
    for (size_t i = 0; state && i < THREADS_MOST; i++) {
        sampled *t = find(state);
        if (t) {
            t->seen = true;
            take(t);
        }
        if (!fetch(state, shape->next, &state))
            break;
    }
    for (size_t i = 0; i < THREADS_MOST; i++) {
        sampled *t = &threads[i];
        if (t->state && !t->seen) { // it has ended
            if (t->thread)
                pj_rec_thread_end(t->thread);
            *t = (sampled){.state = NULL};
        }
        t->seen = false;
    }
}

static void *run(void *unused)
{
    (void)unused;
    while (pj_rec_started() && Py_IsInitialized()) {
        take_all();
        nanosleep(&between, NULL);
    }
    return NULL;
}

/// Whether the frame that runs is found where it should be.
static bool is_shaped(void)
{
    static stack s;
    PyObject *sys = PyImport_ImportModule("sys");
    PyObject *frame = sys ? PyObject_CallMethod(sys, "_getframe", NULL) : NULL;
    PyObject *code = frame ? PyObject_GetAttrString(frame, "f_code") : NULL;
    const bool found = code && read_stack(PyThreadState_Get(), &s) && s.depth > 0 &&
                       s.codes[0] == (const void *)code;
    Py_XDECREF(code);
    Py_XDECREF(frame);
    Py_XDECREF(sys);
    PyErr_Clear();
    return found;
}

static struct timespec time_between(void)
{
    return pj_rec_duration_between(getenv("POPINJAY_RECORD_SAMPLE"));
}

bool pj_py_sample_wanted(void)
{
    const struct timespec wanted = time_between();
    return wanted.tv_sec || wanted.tv_nsec;
}

static bool prepare(void)
{
    between = time_between();
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++)
        if (pj_py.minor >= layouts[i].first && pj_py.minor <= layouts[i].last)
            shape = &layouts[i];
    interpreter = pj_py.interpreter ? pj_py.interpreter() : NULL;
    first_thread = pj_py.first_thread;
    return shape && interpreter && first_thread && is_shaped();
}

const char *pj_py_sample_begin(void)
{
    memset(threads, 0, sizeof threads); // of a parent
    memset(known, 0, sizeof known);
    if (!prepare())
        return "nothing can be sampled: the frames of this Python are not known (3.9 to 3.13 are)";
    if (!pj_rec_own_thread(run, STACK_BYTES))
        return "nothing can be sampled: no thread could be made for it";
    return NULL;
}
