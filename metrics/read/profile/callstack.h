// Call stacks of samples into the tree of a profile: what a stack shares with the one before it is
// not looked up again. Ownership: new/free.
#ifndef PJ_CALLSTACK_H
#define PJ_CALLSTACK_H

#include "metrics/base/arena.h"
#include "metrics/base/job.h"
#include "metrics/base/str.h"
#include "metrics/profile/build/buckets.h"
#include "metrics/profile/build/profile_build.h"

enum {
    PJ_CALLSTACK_DEPTH = PJ_BUILD_DEPTH, // deeper stacks lose their outermost frames
    PJ_CALLSTACK_NAME = 64 * 1024,       // bytes kept of a name
};

/// What the text of a frame stands for.
typedef struct pj_frame {
    pj_str text;
    uint32_t region;
    uint32_t line; // where it was in its file; 0 = not told
} pj_frame;

typedef struct pj_callstack {
    pj_build *build;
    pj_arena *arena;
    uint32_t depth; // frames of the stack at hand
    uint32_t known; // of them and the one before: levels that hold
    uint32_t regions[PJ_CALLSTACK_DEPTH];
    uint32_t nodes[PJ_CALLSTACK_DEPTH];
    pj_buckets buckets;
    pj_frame *frames;
    size_t frame_count, frame_cap;
} pj_callstack;

pj_callstack *pj_callstack_new(pj_build *build, pj_job *job);
void pj_callstack_free(pj_callstack *stack);
static inline void pj_callstack_drop(pj_callstack **stack)
{
    pj_callstack_free(*stack);
}
#define pj_auto_callstack __attribute__((cleanup(pj_callstack_drop))) pj_callstack *

/// The number of the frame with this text, by which `frames` knows it; `*found` says whether it was
/// known. Of a new one the caller sets region and line.
uint32_t pj_callstack_frame(pj_callstack *stack, pj_str text, bool *found);

/// Begins a stack whose first `keep` levels are those of the one before.
static inline void pj_callstack_begin(pj_callstack *stack, uint32_t keep)
{
    stack->depth = keep < stack->known ? keep : stack->known;
}

/// One level down from the root; levels beyond PJ_CALLSTACK_DEPTH are not for this function.
static inline void pj_callstack_push(pj_callstack *stack, uint32_t region)
{
    uint32_t at = stack->depth++;
    if (at < stack->known && stack->regions[at] == region)
        return;
    stack->regions[at] = region;
    stack->nodes[at] = pj_build_node(stack->build, at ? stack->nodes[at - 1] : PJ_NO_ITEM, region);
    stack->known = at + 1;
}

/// The node of the innermost frame; PJ_NO_ITEM of an empty stack.
static inline uint32_t pj_callstack_leaf(const pj_callstack *stack)
{
    return stack->depth ? stack->nodes[stack->depth - 1] : PJ_NO_ITEM;
}

/// How many of `count` levels are left out at the root; counted as an oddity.
size_t pj_callstack_cut(pj_callstack *stack, size_t count, uint64_t line);

/// At most PJ_CALLSTACK_NAME bytes of a name, not cut inside a character.
pj_str pj_callstack_name(pj_str name);
/// Cuts "name (file:12)" into its parts; false when the text is none.
bool pj_frame_cut_place(pj_str text, pj_str *name, pj_str *file, uint32_t *line);

#endif
