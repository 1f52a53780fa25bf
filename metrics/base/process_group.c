// Exchange between processes that read one input together.
// What is sent begins with a byte that says whether its sender is well; if not, its error follows.
#include "metrics/base/process_group.h"

#include "metrics/base/arena.h"
#include "metrics/base/str.h"

#include <stdlib.h>

enum { WELL = 0, FAILED = 1 };

static void empty_out(pj_process_group *group, char state)
{
    for (unsigned i = 0; i < group->size; i++) {
        group->out[i].len = 0;
        pj_buf_add_char(&group->out[i], state);
    }
}

void pj_process_group_begin(pj_process_group *group)
{
    size_t size = group->size * sizeof *group->out;
    group->out = memset(pj_take_memory(size), 0, size);
    group->in = memset(pj_take_memory(size), 0, size);
    empty_out(group, WELL);
}

void pj_process_group_end(pj_process_group *group)
{
    for (unsigned i = 0; i < group->size; i++) {
        pj_buf_free(&group->out[i]);
        pj_buf_free(&group->in[i]);
    }
    free(group->out);
    free(group->in);
    group->out = group->in = NULL;
}

/// The error of the first member that has one.
static bool all_well(pj_process_group *group, pj_err *err)
{
    for (unsigned i = 0; i < group->size && !group->over; i++) {
        const pj_buf *in = &group->in[i];
        pj_err why = {.code = PJ_E_IO, .text = "a part of it could not be read"};
        if (in->len && in->at[0] == WELL)
            continue;
        if (in->len == 1 + sizeof why)
            memcpy(&why, in->at + 1, sizeof why);
        if (err && !err->code)
            *err = why;
        group->over = true;
    }
    return !group->over;
}

bool pj_process_group_exchange(pj_process_group *group, pj_err *err)
{
    if (group->over)
        return pj_fail(err, PJ_E_IO, NULL, 0, "another process could not go on");
    group->over = !group->carry(group->self, group->out, group->in, err);
    empty_out(group, WELL);
    return !group->over && all_well(group, err);
}

pj_str pj_process_group_from(const pj_process_group *group, unsigned member)
{
    return pj_str_from(pj_buf_str(&group->in[member]), 1);
}

void pj_process_group_tell(pj_process_group *group, pj_str bytes)
{
    for (unsigned i = 0; i < group->size; i++)
        pj_buf_add(&group->out[i], bytes);
}

void pj_process_group_give_up(pj_process_group *group, const pj_err *why)
{
    if (group->over)
        return;
    empty_out(group, FAILED);
    pj_process_group_tell(group, (pj_str){(const char *)why, sizeof *why});
    group->carry(group->self, group->out, group->in, &(pj_err){.code = PJ_E_NONE});
    empty_out(group, WELL);
    group->over = true;
}
