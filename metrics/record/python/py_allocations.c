// Our functions in front of CPython's allocators. Those of its raw domain are left alone: large
// objects are taken from it, and would count twice.
#include "metrics/record/python/py_allocations.h"

#include "metrics/record/python/py_api.h"
#include "metrics/record/rec_allocations.h"
#include "metrics/record/rec_defs.h"

/// As PyMemAllocatorEx, which the stable interface has not.
typedef struct allocator {
    void *context;
    void *(*malloc)(void *context, size_t bytes);
    void *(*calloc)(void *context, size_t count, size_t bytes);
    void *(*realloc)(void *context, void *block, size_t bytes);
    void (*free)(void *context, void *block);
} allocator;

enum { DOMAIN_MEM = 1, DOMAIN_OBJECTS, DOMAINS };

static allocator before[DOMAINS];

static void *count(void *block, size_t bytes)
{
    if (block) {
        pj_rec_allocated.count++;
        pj_rec_allocated.bytes += bytes;
    }
    return block;
}

static void *take(void *context, size_t bytes)
{
    const allocator *real = context;
    return count(real->malloc(real->context, bytes), bytes);
}

static void *take_zeroed(void *context, size_t number, size_t bytes)
{
    const allocator *real = context;
    return count(real->calloc(real->context, number, bytes), number * bytes);
}

/// A block that is made larger or smaller counts as a new one.
static void *take_again(void *context, void *block, size_t bytes)
{
    const allocator *real = context;
    return count(real->realloc(real->context, block, bytes), bytes);
}

static void give(void *context, void *block)
{
    const allocator *real = context;
    real->free(real->context, block);
}

void pj_py_allocations_begin(void)
{
    if (!pj_rec_allocations_wanted())
        return;
    if (!pj_py.get_allocator || !pj_py.set_allocator) {
        pj_rec_note(2, "allocations are not counted: this Python does not let its allocators be "
                       "replaced");
        return;
    }
    for (int domain = DOMAIN_MEM; domain < DOMAINS; domain++) {
        allocator *real = &before[domain];
        pj_py.get_allocator(domain, real);
        allocator ours = {real, take, take_zeroed, take_again, give};
        pj_py.set_allocator(domain, &ours);
    }
}
