// Pictures with few colours.
// Counts the colours of a picture, keeps those of surfaces and the most frequent others. Part of
// the drawing module.
#include "widgets/figure/figure_round.h"

#include "metrics/base/buf.h"

#include <stdbool.h>
#include <stdlib.h>

enum { KEPT = 256, FLAT_MOST = 192, SLOTS = 1 << 16, COLOURS_MOST = SLOTS / 2 };

typedef struct tone {
    uint32_t colour, count, becomes;
    bool flat; // of two by two pixels at least
} tone;

typedef struct tones {
    tone *slots; // a hash table; count 0 = free
    tone **kept; // all, the kept ones first
    size_t count;
} tones;

static tone *slot_of(tones *t, uint32_t colour)
{
    uint32_t at = (colour * 2654435761u >> 12) % SLOTS;
    while (t->slots[at].count && t->slots[at].colour != colour)
        at = (at + 1) % SLOTS;
    return &t->slots[at];
}

static bool is_flat(const uint32_t *at, size_t stride)
{
    return !((at[0] ^ at[1]) << 8) && !((at[0] ^ at[stride]) << 8) &&
           !((at[0] ^ at[stride + 1]) << 8);
}

/// False when there are too many colours.
static bool count_tones(tones *t, const uint32_t *pixels, uint32_t width, uint32_t height,
                        size_t stride)
{
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++) {
            const uint32_t *at = pixels + y * stride + x;
            tone *found = slot_of(t, *at & 0xffffff);
            if (!found->count) {
                if (t->count == COLOURS_MOST)
                    return false;
                found->colour = *at & 0xffffff;
                t->kept[t->count++] = found;
            }
            found->count++;
            if (x + 1 < width && y + 1 < height && is_flat(at, stride))
                found->flat = true;
        }
    return true;
}

static int by_worth(const void *a, const void *b)
{
    const tone *x = *(tone *const *)a, *y = *(tone *const *)b;
    if (x->flat != y->flat)
        return x->flat ? -1 : 1;
    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    return (x->colour > y->colour) - (x->colour < y->colour);
}

static unsigned distance(uint32_t a, uint32_t b)
{
    unsigned sum = 0;
    for (int shift = 0; shift <= 16; shift += 8) {
        int off = (int)(a >> shift & 0xff) - (int)(b >> shift & 0xff);
        sum += (unsigned)(off * off);
    }
    return sum;
}

static void choose(tones *t)
{
    for (size_t i = 0; i < t->count; i++) {
        tone *best = t->kept[i < KEPT ? i : 0];
        for (size_t k = 1; i >= KEPT && k < KEPT; k++)
            if (distance(t->kept[k]->colour, t->kept[i]->colour) <
                distance(best->colour, t->kept[i]->colour))
                best = t->kept[k];
        t->kept[i]->becomes = best->colour;
    }
}

void pj_figure_round(uint32_t *pixels, uint32_t width, uint32_t height, size_t stride)
{
    pj_auto_buf slots = {0}, kept = {0};
    tones t = {.slots = (void *)pj_buf_room(&slots, SLOTS * sizeof *t.slots),
               .kept = (void *)pj_buf_room(&kept, COLOURS_MOST * sizeof *t.kept)};
    memset(t.slots, 0, SLOTS * sizeof *t.slots);
    if (!count_tones(&t, pixels, width, height, stride))
        return;
    qsort(t.kept, t.count, sizeof *t.kept, by_worth);
    if (t.count <= KEPT || t.kept[FLAT_MOST]->flat)
        return;
    choose(&t);
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++) {
            uint32_t *at = pixels + y * stride + x;
            *at = (*at & 0xff000000u) | slot_of(&t, *at & 0xffffff)->becomes;
        }
}
