// What the recorder knows of a Python thread, and the wrapper through which threads are started, so
// that their names and whether they are recorded are known. Ownership: a thread's own.
#ifndef PJ_PY_THREAD_H
#define PJ_PY_THREAD_H

#include "metrics/record/python/py_api.h"
#include "metrics/record/rec_thread.h"

typedef struct pj_py_thread {
    const char *floor; // below this address the stack is nearly used up; NULL = not yet known
    bool off;          // functions of this thread are not recorded
    uint32_t *skipped; // calls begun meanwhile: how many regions were open, the last call last
    uint32_t skips, skips_most;
} pj_py_thread;

/// Whether functions of threads that nobody knows to begin are not recorded.
extern bool pj_py_thread_begins_off;
/// Whether threads are looked at from outside: they write nothing themselves when they begin.
extern bool pj_py_thread_samples;
extern _Thread_local pj_py_thread pj_py_self __attribute__((tls_model("initial-exec")));

/// Raises the soft limit of the stack as far as it serves the running main thread.
void pj_py_thread_raise_stack(void);
/// Takes the floor of the calling thread's stack; begins what is known of the thread.
void pj_py_thread_find_floor(void);

static inline bool pj_py_thread_is_deep(void)
{
    if (__builtin_expect(!pj_py_self.floor, 0))
        pj_py_thread_find_floor();
    return (const char *)__builtin_frame_address(0) < pj_py_self.floor;
}

/// For hooks that see enters and leaves apart, `region` being one that is recorded. A leave belongs
/// to an enter that was not written, leaves what it left open, or belongs to none.
void pj_py_thread_enter(pj_rec_thread *thread, uint32_t region);
void pj_py_thread_leave(pj_rec_thread *thread, uint32_t region);
/// A call of a function that was switched off: while others of it are open its leave is known by
/// this. Whether there are such; `thread` may be NULL.
bool pj_py_thread_skip(const pj_rec_thread *thread, uint32_t region);

/// Leaves the region that was entered at this depth. It is gone after a rewind, and not innermost
/// where a region was begun inside it and not ended.
static inline void pj_py_thread_leave_at(uint32_t region, uint32_t depth)
{
    pj_rec_thread *thread = pj_rec_here(); // a forked child's begins here
    if (!thread || depth >= thread->depth || thread->frames[depth].region != region)
        return;
    if (__builtin_expect(thread->depth == depth + 1, 1))
        pj_rec_leave(thread, region);
    else
        pj_rec_leave_any(thread, region);
}

/// Called in each new Python thread that is recorded, and at its end; may be NULL.
typedef struct pj_py_thread_events {
    void (*begin)(void);
    void (*end)(void);
} pj_py_thread_events;

/// Puts the wrapper in place of _thread.start_new_thread and its like. An error is left on failure.
bool pj_py_thread_wrap(pj_py_thread_events events);

#endif
