// Receives that were replayed before their message was seen.
// A ring searched by time: posts are added in the order of their calls.
#include "metrics/replay/posts.h"

#include "metrics/base/buf.h"

#include <stdlib.h>

static pj_posted *item_at(const pj_posts *posts, uint32_t i)
{
    return &posts->items[(posts->head + i) & (posts->cap - 1)];
}

static void drop_first(pj_posts *posts)
{
    posts->head = (posts->head + 1) & (posts->cap - 1);
    posts->count--;
}

static void grow(pj_posts *posts)
{
    uint32_t cap = posts->cap ? posts->cap * 2 : 8;
    posts->items = pj_widen_ring(posts->items, posts->cap, posts->head, cap, sizeof *posts->items);
    posts->cap = cap;
    posts->head = 0;
}

/// Drops the found receives, of which any number may stand behind one that is still open.
static void close_up(pj_posts *posts)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < posts->count; i++)
        if (item_at(posts, i)->message != PJ_NOTHING)
            *item_at(posts, kept++) = *item_at(posts, i);
    posts->count = kept;
}

void pj_posts_add(pj_posts *posts, pj_engine *engine, pj_posted item, uint32_t most)
{
    if (posts->count == posts->cap) {
        close_up(posts);
        if (posts->count >= posts->cap / 2)
            grow(posts);
    }
    if (posts->count >= most) {
        const pj_posted *first = item_at(posts, 0);
        if (first->message != PJ_NOTHING) {
            pj_engine_message_release(engine, first->message);
            posts->forgot = true;
        }
        drop_first(posts);
    }
    posts->count++;
    *item_at(posts, posts->count - 1) = item;
}

pj_posted *pj_posts_find(pj_posts *posts, uint64_t time, bool *forgotten)
{
    uint32_t low = 0, high = posts->count; // the first that begins after `time`
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (item_at(posts, middle)->begin <= time)
            low = middle + 1;
        else
            high = middle;
    }
    *forgotten = low == 0 && posts->forgot;
    for (; low > 0 && item_at(posts, low - 1)->end >= time; low--)
        if (item_at(posts, low - 1)->message != PJ_NOTHING)
            return item_at(posts, low - 1);
    return NULL;
}

void pj_posts_trim(pj_posts *posts)
{
    while (posts->count > 0 && item_at(posts, 0)->message == PJ_NOTHING)
        drop_first(posts);
}

void pj_posts_free(pj_posts *posts)
{
    free(posts->items);
    *posts = (pj_posts){0};
}
