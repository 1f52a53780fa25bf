// The events of one thread: its chunk, and the regions that it is inside. A chunk is a file mapped
// into memory, so that it is there whatever becomes of the process; full ones are appended to the
// event file. Ownership: borrow - a thread's own, gone when the thread ends or the process forks:
// after calling foreign code take pj_rec_here() again.
#ifndef PJ_REC_THREAD_H
#define PJ_REC_THREAD_H

#include "metrics/record/rec_chunk.h"
#include "metrics/record/rec_clock.h"
#include "metrics/record/rec_export.h"

/// A region that is open.
typedef struct pj_rec_frame {
    uint64_t ticks; // of its enter
    uint8_t *at;    // of its enter, if that is still in the chunk
    uint32_t region;
    union {
        uint32_t chunk; // of its enter, as counted by `chunks`
        uint32_t node;  // its call path, where those are counted
    };
} pj_rec_frame;

typedef struct pj_rec_tree pj_rec_tree;
typedef struct pj_rec_calls pj_rec_calls;
typedef struct pj_rec_late pj_rec_late;

typedef struct pj_rec_thread {
    uint8_t *at;        // where the next record goes
    uint8_t *end;       // from there on the chunk is full; NULL while nothing is to be written
    uint8_t *leave_end; // the same for leaves of calls; NULL too where these are looked at
    uint64_t last;      // ticks of the last record
    uint64_t events;    // so far
    pj_rec_frame *frames;
    uint32_t depth, depth_most; // of `frames`: used, and room for
    uint8_t *chunk;
    uint32_t chunks; // that were written to the event file
    uint32_t number;
    pj_rec_tree *tree;             // call paths are counted in place of events; else NULL
    pj_rec_calls *calls;           // that are looked at when they end; else NULL
    void *held;                    // an event is being written, by whom: see pj_rec_hold
    uint8_t *leaving;              // where the leave that is being written begins; else NULL
    bool over;                     // of `tree`: the recording has ended
    bool off;                      // by pj_rec_off: leaves are still written
    bool anonymous;                // the chunk is memory only
    bool readings;                 // it is no thread of the program
    uint32_t late_count;           // what handlers of signals did while it was held: see
    uint32_t late_most, late_open; // rec_late
    pj_rec_late *late;
    struct pj_rec_thread *next, **link; // list of all
} pj_rec_thread;

/// The calling thread's, NULL before its first event and after the recording.
extern PJ_REC_API _Thread_local pj_rec_thread *pj_rec_self
    __attribute__((tls_model("initial-exec")));

/// Begins the calling thread's events under a name (NULL: its number; the
/// first thread is "Master thread"). NULL when nothing is recorded.
PJ_REC_API pj_rec_thread *pj_rec_thread_begin(const char *name);
/// The same of another thread, whose events the calling one writes.
PJ_REC_API pj_rec_thread *pj_rec_thread_begin_other(const char *name);
/// The same of a thread of the recorder, which writes readings alone: its location is one of
/// metrics. NULL where no events are written.
pj_rec_thread *pj_rec_thread_begin_readings(const char *name);
PJ_REC_API void pj_rec_thread_rename(pj_rec_thread *thread, const char *name);
/// Leaves what is open and closes its files.
PJ_REC_API void pj_rec_thread_end(pj_rec_thread *thread);

/// The calling thread's, or NULL when nothing is recorded.
static inline pj_rec_thread *pj_rec_here(void)
{
    pj_rec_thread *thread = pj_rec_self;
    return __builtin_expect(thread != NULL, 1) ? thread : pj_rec_thread_begin(NULL);
}

/// What handlers of signals did while the thread was held.
PJ_REC_API void pj_rec_thread_write_late(pj_rec_thread *thread);

/// Around all that changes a thread: the events of handlers of signals that come meanwhile are
/// written behind it. Holds are not counted: what is called within one may release it once the
/// thread is whole again, and a handler that never returns leaves it held up to the next event.
/// `held` is the stack of who holds it, which tells whether that one is still there.
static inline void pj_rec_hold(pj_rec_thread *thread)
{
#ifdef __x86_64__
    __asm__ volatile("movq %%rsp, %0" : "=m"(thread->held));
#elif defined __aarch64__
    void *stack;
    __asm__ volatile("mov %0, sp" : "=r"(stack));
    thread->held = stack;
#else
    thread->held = __builtin_frame_address(0);
#endif
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

static inline void pj_rec_release(pj_rec_thread *thread)
{
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    thread->held = NULL;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (__builtin_expect(thread->late_count > 0, 0))
        pj_rec_thread_write_late(thread);
}

/// Whether the caller runs in a handler of a signal that came while the thread was held. Where that
/// one has jumped out of its handler (siglongjmp) the thread is made whole, and not held any more.
PJ_REC_API bool pj_rec_is_held(pj_rec_thread *thread);

/// Room for a record of `bytes` (PJ_REC_RECORD_MOST at most) and one more frame; false when
/// nothing is to be written. `end` is behind the chunk's end less this much already.
PJ_REC_API bool pj_rec_thread_room(pj_rec_thread *thread);

static inline bool pj_rec_has_room(pj_rec_thread *thread)
{
    return __builtin_expect(thread->at < thread->end && thread->depth < thread->depth_most, 1) ||
           pj_rec_thread_room(thread);
}

/// For records with one number as member; the caller has seen to the room.
static inline void pj_rec_put(pj_rec_thread *thread, uint64_t ticks, uint8_t type, uint32_t value)
{
    uint8_t *at = thread->at;
    thread->last = ticks = ticks < thread->last ? thread->last : ticks;
    uint8_t *behind = pj_rec_chunk_number(at + 10, value);
    *behind = PJ_REC_CHUNK_END;
    pj_rec_chunk_commit(at, ticks, type, at[10]);
    thread->at = behind;
    thread->events++;
}

enum { PJ_REC_TYPE_ENTER = 12, PJ_REC_TYPE_LEAVE = 13 };

/// The enter where the chunk is full, or call paths are counted.
PJ_REC_API bool pj_rec_thread_enter(pj_rec_thread *thread, uint32_t region, uint64_t ticks);

/// There is room for both.
static inline void pj_rec_put_enter(pj_rec_thread *thread, uint32_t region, uint64_t ticks)
{
    thread->frames[thread->depth] =
        (pj_rec_frame){.ticks = ticks, .at = thread->at, .region = region, .chunk = thread->chunks};
    __atomic_signal_fence(__ATOMIC_SEQ_CST); // a handler may jump away between any two of them
    thread->depth++;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    pj_rec_put(thread, ticks, PJ_REC_TYPE_ENTER, region);
}

/// false: it was not written, and there will be no leave. `region` is an id of pj_rec_region.
static inline bool pj_rec_enter(pj_rec_thread *thread, uint32_t region)
{
    uint64_t ticks = pj_rec_now();
    bool entered = true;
    pj_rec_hold(thread);
    if (__builtin_expect(thread->at >= thread->end || thread->depth == thread->depth_most, 0))
        entered = pj_rec_thread_enter(thread, region, ticks);
    else
        pj_rec_put_enter(thread, region, ticks);
    pj_rec_release(thread);
    return entered;
}

/// The leave of the innermost region while nothing else is written, or call paths are counted.
PJ_REC_API void pj_rec_thread_leave(pj_rec_thread *thread, uint32_t region, uint64_t ticks);

/// The same of a call of a function, which may have been too short to stay.
PJ_REC_API void pj_rec_thread_leave_call(pj_rec_thread *thread, uint32_t region, uint64_t ticks);

/// `region` was entered (pj_rec_enter gave true) and is the innermost one. Written even where the
/// thread has been switched off since, so that every enter has its leave.
static inline void pj_rec_leave(pj_rec_thread *thread, uint32_t region)
{
    uint64_t ticks = pj_rec_now();
    pj_rec_hold(thread);
    if (__builtin_expect(thread->at < thread->leave_end && thread->depth > 0, 1)) {
        thread->depth--;
        pj_rec_put(thread, ticks, PJ_REC_TYPE_LEAVE, region);
    } else
        pj_rec_thread_leave_call(thread, region, ticks);
    pj_rec_release(thread);
}

/// Leaves `region` and what is open inside it; false, with nothing written, when it is not open.
PJ_REC_API bool pj_rec_leave_to(pj_rec_thread *thread, uint32_t region);
/// Leaves what is open but the outermost `depth`.
PJ_REC_API void pj_rec_leave_above(pj_rec_thread *thread, uint32_t depth);
/// Leaves `region` wherever it stands, out of order if need be; false when it is not open.
PJ_REC_API bool pj_rec_leave_any(pj_rec_thread *thread, uint32_t region);
PJ_REC_API bool pj_rec_is_open(const pj_rec_thread *thread, uint32_t region);

/// Off: nothing but this mark and leaves of what is open is written until it is on again.
PJ_REC_API void pj_rec_off(pj_rec_thread *thread);
PJ_REC_API void pj_rec_on(pj_rec_thread *thread);

/// For rec_late.
bool pj_rec_thread_leave_to(pj_rec_thread *thread, uint32_t region, uint64_t ticks);
void pj_rec_thread_free_late(pj_rec_thread *thread);

/// For rec_part.
void pj_rec_thread_lock(void);
void pj_rec_thread_unlock(void);
void pj_rec_thread_stop_all(void);
/// In the forked child: the calling thread's open regions will begin its events there.
void pj_rec_thread_forked(void);

#endif
