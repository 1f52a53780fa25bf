// News between processes that replay ranks apart.
// Numbers have the form of trace/event_code; clocks are copied.
#include "metrics/replay/far.h"

#include "metrics/base/arena.h"
#include "metrics/base/str.h"
#include "metrics/trace/event_code.h"

#include <stdlib.h>

static pj_buf *new_buffers(unsigned count)
{
    size_t size = count * sizeof(pj_buf);
    return memset(pj_take_memory(size), 0, size);
}

pj_far *pj_far_new(const pj_process_group *group, const pj_layout *layout)
{
    pj_far *far = pj_take_memory(sizeof *far);
    *far = (pj_far){.self = group->rank, .size = group->size};
    far->owner = pj_take_memory(layout->ranks * sizeof *far->owner);
    for (uint32_t r = 0; r < layout->ranks; r++)
        far->owner[r] = pj_layout_owner(layout, group, layout->first_location[r]);
    far->out = new_buffers(far->size);
    far->gone = new_buffers(far->size);
    return far;
}

void pj_far_free(pj_far *far)
{
    if (!far)
        return;
    for (unsigned i = 0; i < far->size; i++) {
        pj_buf_free(&far->out[i]);
        pj_buf_free(&far->gone[i]);
    }
    free(far->out);
    free(far->gone);
    free(far->owner);
    free(far);
}

const pj_buf *pj_far_send(pj_far *far)
{
    pj_buf *told = far->out;
    far->out = far->gone;
    far->gone = told;
    for (unsigned i = 0; i < far->size; i++)
        far->out[i].len = 0;
    return told;
}

void pj_far_put(pj_buf *out, pj_far_kind kind, const uint64_t *numbers, size_t count)
{
    pj_code_number(out, kind);
    for (size_t i = 0; i < count; i++)
        pj_code_number(out, numbers[i]);
}

void pj_far_put_clock(pj_buf *out, double clock)
{
    pj_buf_add(out, (pj_str){(const char *)&clock, sizeof clock});
}

bool pj_far_take(pj_str *in, uint64_t *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!pj_decode_number(in, &numbers[i]))
            return false;
    return true;
}

bool pj_far_take_clock(pj_str *in, double *clock)
{
    return pj_decode_bytes(in, clock, sizeof *clock);
}
