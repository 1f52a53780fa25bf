// What is sent begins with a byte that says whether its sender is well; if not, its error follows.
#include "metrics/base/crew.h"

#include "metrics/base/arena.h"

#include <stdlib.h>

enum { WELL = 0, FAILED = 1 };

static void empty_out(pj_crew *crew, char state)
{
    for (unsigned i = 0; i < crew->size; i++) {
        crew->out[i].len = 0;
        pj_buf_add_char(&crew->out[i], state);
    }
}

void pj_crew_begin(pj_crew *crew)
{
    size_t size = crew->size * sizeof *crew->out;
    crew->out = memset(pj_take_memory(size), 0, size);
    crew->in = memset(pj_take_memory(size), 0, size);
    empty_out(crew, WELL);
}

void pj_crew_end(pj_crew *crew)
{
    for (unsigned i = 0; i < crew->size; i++) {
        pj_buf_free(&crew->out[i]);
        pj_buf_free(&crew->in[i]);
    }
    free(crew->out);
    free(crew->in);
    crew->out = crew->in = NULL;
}

/// The error of the first member that has one.
static bool all_well(pj_crew *crew, pj_err *err)
{
    for (unsigned i = 0; i < crew->size && !crew->over; i++) {
        const pj_buf *in = &crew->in[i];
        pj_err why = {.code = PJ_E_IO, .text = "a part of it could not be read"};
        if (in->len && in->at[0] == WELL)
            continue;
        if (in->len == 1 + sizeof why)
            memcpy(&why, in->at + 1, sizeof why);
        if (err && !err->code)
            *err = why;
        crew->over = true;
    }
    return !crew->over;
}

bool pj_crew_exchange(pj_crew *crew, pj_err *err)
{
    if (crew->over)
        return pj_fail(err, PJ_E_IO, NULL, 0, "another process could not go on");
    crew->over = !crew->carry(crew->self, crew->out, crew->in, err);
    empty_out(crew, WELL);
    return !crew->over && all_well(crew, err);
}

pj_str pj_crew_from(const pj_crew *crew, unsigned member)
{
    return pj_str_from(pj_buf_str(&crew->in[member]), 1);
}

void pj_crew_tell(pj_crew *crew, pj_str bytes)
{
    for (unsigned i = 0; i < crew->size; i++)
        pj_buf_add(&crew->out[i], bytes);
}

void pj_crew_give_up(pj_crew *crew, const pj_err *why)
{
    if (crew->over)
        return;
    empty_out(crew, FAILED);
    pj_crew_tell(crew, (pj_str){(const char *)why, sizeof *why});
    crew->carry(crew->self, crew->out, crew->in, &(pj_err){.code = PJ_E_NONE});
    empty_out(crew, WELL);
    crew->over = true;
}
