// What was allocated so far, as two metrics that grow.
#include "metrics/record/rec_allocations.h"

#include "metrics/record/rec_clock.h"
#include "metrics/record/rec_event.h"
#include "metrics/record/rec_names.h"

#include <stdlib.h>
#include <string.h>

_Thread_local pj_rec_allocations pj_rec_allocated;

bool pj_rec_allocations_wanted(void)
{
    const char *text = getenv("POPINJAY_RECORD_MEMORY");
    return text && strcmp(text, "calls") == 0;
}

static void write_one(pj_rec_thread *thread, const char *name, const char *unit, uint64_t number)
{
    const uint32_t metric = pj_rec_counter(name, unit, PJ_REC_VALUE_UINT64);
    const pj_rec_value value = {.type = PJ_REC_VALUE_UINT64, .natural = number};
    if (metric)
        pj_rec_values(thread, pj_rec_now(), metric, &value, 1);
}

void pj_rec_allocations_write(pj_rec_thread *thread)
{
    write_one(thread, "Allocations", "#", pj_rec_allocated.count);
    write_one(thread, "Bytes allocated", "B", pj_rec_allocated.bytes);
}
