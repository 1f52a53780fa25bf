// Frames are found by their text, once each; a level by the one above it and its region.
#include "metrics/read/profile/callstack.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/fingerprint.h"
#include "metrics/base/job.h"
#include "metrics/base/num.h"
#include "metrics/base/str.h"
#include "metrics/base/utf8.h"

#include <stdlib.h>

pj_callstack *pj_callstack_new(pj_build *build, pj_job *job)
{
    pj_callstack *stack = pj_take_memory(sizeof *stack);
    memset(stack, 0, sizeof *stack);
    stack->build = build;
    stack->arena = pj_arena_new(&job->memory_used);
    return stack;
}

void pj_callstack_free(pj_callstack *stack)
{
    if (!stack)
        return;
    pj_buckets_free(&stack->buckets);
    pj_arena_free(stack->arena);
    free(stack->frames);
    free(stack);
}

uint32_t pj_callstack_frame(pj_callstack *stack, pj_str text, bool *found)
{
    uint32_t hash = text.len ? (uint32_t)pj_fingerprint_of(text) : 0;
    size_t place = hash;
    *found = true;
    for (uint32_t f; (f = pj_buckets_next(&stack->buckets, hash, &place)) != PJ_NO_ITEM;)
        if (pj_str_equal(stack->frames[f].text, text))
            return f;
    *found = false;
    uint32_t number = (uint32_t)stack->frame_count++;
    pj_grow(stack->frames, &stack->frame_cap, stack->frame_count);
    stack->frames[number] = (pj_frame){.text = pj_arena_str(stack->arena, text)};
    pj_buckets_put(&stack->buckets, hash, number);
    return number;
}

size_t pj_callstack_cut(pj_callstack *stack, size_t count, uint64_t line)
{
    if (count <= PJ_CALLSTACK_DEPTH)
        return 0;
    pj_build_odd(stack->build, PJ_ODDITY_roots_cut, line);
    return count - PJ_CALLSTACK_DEPTH;
}

pj_str pj_callstack_name(pj_str name)
{
    if (name.len <= PJ_CALLSTACK_NAME)
        return name;
    name.len = PJ_CALLSTACK_NAME;
    name.len = pj_utf8_whole(name);
    return name;
}

bool pj_frame_cut_place(pj_str text, pj_str *name, pj_str *file, uint32_t *line)
{
    uint64_t number;
    if (!pj_str_ends(text, PJ_S(")")))
        return false;
    pj_str inside = pj_str_head(text, text.len - 1);
    size_t colon = pj_str_find_last(inside, ':');
    pj_str before = pj_str_head(inside, colon);
    // A file name may hold brackets of its own: the last " (" before the line begins it.
    size_t at = before.len;
    while (at > 1 && !(before.at[at - 1] == '(' && before.at[at - 2] == ' '))
        at--;
    if (at < 2 || colon == inside.len || !pj_parse_u64(pj_str_from(inside, colon + 1), &number) ||
        number > UINT32_MAX)
        return false;
    *name = pj_str_head(before, at - 2);
    *file = pj_str_from(before, at);
    *line = (uint32_t)number;
    return name->len > 0;
}
