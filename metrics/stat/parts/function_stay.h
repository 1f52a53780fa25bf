// Where a thread is among functions of its program, and in which it stays longest between two
// times. Ownership: a zeroed struct is outside any function; free releases it.
#ifndef PJ_FUNCTION_STAY_H
#define PJ_FUNCTION_STAY_H

#include "metrics/base/arena.h"
#include "metrics/run/run.h"
#include "metrics/trace/event.h"

#include <stddef.h>
#include <stdint.h>

enum { PJ_FUNCTION_STAYS = 16 }; // functions that are told apart

typedef struct pj_function_stay {
    uint32_t *stack; // functions that are open, by number
    size_t cap, depth;
    uint64_t since; // what comes before has been counted
    struct {
        uint32_t function;
        uint64_t ns;
    } stays[PJ_FUNCTION_STAYS];
    size_t count;
} pj_function_stay;

void pj_function_stay_free(pj_function_stay *stay);
/// Counts from `time` on.
void pj_function_stay_begin(pj_function_stay *stay, uint64_t time);
/// Any event: those of functions count, up to `until` where that is before them.
void pj_function_stay_event(pj_function_stay *stay, const pj_run *run, const pj_event *event,
                            uint64_t until);
/// The number of the function that took most of the time up to `end`; 0 = outside any function.
uint32_t pj_function_stay_longest(pj_function_stay *stay, uint64_t end);
/// "solve"; NULL of 0.
const char *pj_function_stay_name(const pj_run *run, uint32_t number, pj_arena *arena);

#endif
