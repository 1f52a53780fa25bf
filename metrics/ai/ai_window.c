// The same files are read again: ranks are known by their paths.
#include "metrics/ai/ai_window.h"

#include "metrics/ai/ai_rank.h"
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/str.h"
#include "metrics/run/ai_account.h"

#include <stdlib.h>
#include <string.h>

pj_ai_window *pj_ai_window_new(const pj_run *run, uint64_t from, uint64_t to)
{
    const pj_ai_account *account = run->ai;
    pj_arena *arena = pj_arena_new(NULL);
    pj_ai_window *window = pj_new(arena, pj_ai_window);
    *window = (pj_ai_window){.arena = arena, .count = run->layout.ranks};
    window->begin = account->begin + (int64_t)from;
    window->end = account->begin + (int64_t)to;
    window->request =
        (pj_roi_request){.kind = PJ_ROI_RANGE, .from = (double)from, .to = (double)to};
    window->paths = pj_new_n(arena, const char *, window->count + 1);
    window->begins = pj_new_n(arena, int64_t, window->count + 1);
    window->ends = pj_new_n(arena, int64_t, window->count + 1);
    for (size_t r = 0; r < window->count; r++) {
        window->paths[r] = pj_arena_text(arena, pj_str_of(account->paths[r]));
        double rate = 1 + account->drifts[r];
        window->begins[r] = account->begins[r] + (int64_t)((double)from / rate);
        window->ends[r] = account->begins[r] + (int64_t)((double)to / rate);
    }
    return window;
}

void pj_ai_window_free(pj_ai_window *window)
{
    if (window)
        pj_arena_free(window->arena);
}

void pj_ai_window_tell(const pj_ai_window *window, pj_ai_rank *rank)
{
    rank->windowed = true;
    rank->from = window->begin;
    rank->until = window->end;
    for (size_t r = 0; r < window->count; r++)
        if (strcmp(window->paths[r], rank->path) == 0) {
            rank->from = window->begins[r];
            rank->until = window->ends[r];
        }
}
