// Which times stand where in a plain trace.
// One part per block until there are too many. A state counts with its whole length, a message
// with both its ends: what reaches into a time is found wherever it stands.
#include "metrics/read/paraver/prv_part.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/profile/profile.h"
#include "metrics/read/pass.h"
#include "metrics/read/source.h"
#include "metrics/run/run.h"

#include <stdlib.h>

enum { PARTS_MOST = 8192 };

static void see(pj_part *part, uint64_t first, uint64_t last)
{
    part->first_ns = first < part->first_ns ? first : part->first_ns;
    part->last_ns = last > part->last_ns ? last : part->last_ns;
}

static void join_pairs(pj_prv_parts *parts)
{
    for (size_t i = 0; i < parts->count / 2; i++) {
        pj_part one = parts->items[2 * i], two = parts->items[2 * i + 1];
        see(&one, two.first_ns, two.last_ns);
        one.bytes = two.offset + two.bytes - one.offset;
        parts->items[i] = one;
    }
    parts->count /= 2;
}

void pj_prv_parts_add(pj_prv_parts *parts, const pj_block *block, size_t begin,
                      const pj_prv_batch *batch)
{
    if (parts->count == PARTS_MOST)
        join_pairs(parts);
    pj_grow(parts->items, &parts->cap, parts->count + 1);
    parts->items[parts->count++] =
        (pj_part){.offset = block->offset + begin,
                  .bytes = block->len - begin,
                  .first_ns = batch->out.first_ns,
                  .last_ns = batch->open_end ? UINT64_MAX : batch->out.last_ns};
}

void pj_prv_parts_keep(const pj_prv_parts *parts, pj_run *run)
{
    run->ranged.parts = pj_new_n(run->arena, pj_part, parts->count + 1);
    run->ranged.count = parts->count;
    if (parts->count)
        memcpy(run->ranged.parts, parts->items, parts->count * sizeof *run->ranged.parts);
}

bool pj_prv_parts_seek(pj_prv_parts *parts, pj_source *source, const pj_pass *pass, pj_err *err)
{
    const pj_run *known = pass->known;
    if (!known)
        return true;
    uint64_t at = pj_source_position(source);
    for (; parts->next < known->ranged.count; parts->next++) {
        const pj_part *part = &known->ranged.parts[parts->next];
        bool needed = part->last_ns >= pass->from_ns && part->first_ns <= pass->to_ns;
        if (!needed || part->offset + part->bytes <= at)
            continue;
        return part->offset <= at || pj_source_skip(source, part->offset, err);
    }
    return false;
}

void pj_prv_parts_free(pj_prv_parts *parts)
{
    free(parts->items);
    *parts = (pj_prv_parts){.items = NULL};
}
