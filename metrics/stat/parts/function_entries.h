// Where the first thread of a rank enters functions of the program, and by which visit of their
// caller: for who looks for iterations. Bounded: a function that is entered too often for that is
// forgotten. Ownership: plain data, zeroed before use; lists are freed by pj_function_entries_free.
#ifndef PJ_FUNCTION_ENTRIES_H
#define PJ_FUNCTION_ENTRIES_H

#include "metrics/base/map.h"
#include "metrics/run/parts/anchors.h"
#include "metrics/run/run.h"
#include "metrics/trace/event.h"

/// PJ_EV_* that it looks at, as bits.
#define PJ_FUNCTION_ENTRY_KINDS (1u << PJ_EV_OTHER | 1u << PJ_EV_ENTER | 1u << PJ_EV_LEAVE)

typedef struct pj_function_entries {
    pj_entries *functions;
    size_t count, cap;
    pj_map numbers; // of functions, by their keys
    uint32_t *open; // visits, the outermost first
    size_t depth, open_cap;
    uint32_t visits;
    size_t kept, most; // entries of all functions
    uint64_t only;     // the one function that is looked at; 0 = all
} pj_function_entries;

/// `call`: the number of the next call.
void pj_function_entries_event(pj_function_entries *self, const pj_run *run, const pj_event *event,
                               uint32_t call);
void pj_function_entries_free(pj_function_entries *self);

#endif
