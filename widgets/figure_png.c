// Colours are taken into the palette by frequency unless one close by is in it already: fills stay
// exact, shades of letters' rims move by less than the eye sees. Part of the drawing module.
// Format: PNG specification, second edition.
#include "widgets/figure_png.h"

#include "metrics/base/arena.h"

#include <stdlib.h>
#include <zlib.h>

enum { MOST_COLOURS = 256, LEVEL = 7 };
static const int least_apart = 48; // squared distance of two colours that the eye takes for one

typedef struct shade {
    uint32_t colour;
    uint32_t count;
    uint8_t index; // in the palette
} shade;

/// A hash table of the picture's colours; `size` is a power of two.
typedef struct shades {
    shade *slots;
    size_t size, used;
} shades;

static shade *find(const shades *s, uint32_t colour)
{
    size_t at = (colour * 2654435761u >> 8) & (s->size - 1);
    while (s->slots[at].count && s->slots[at].colour != colour)
        at = (at + 1) & (s->size - 1);
    return &s->slots[at];
}

static shades shades_new(size_t size)
{
    shades s = {.slots = pj_take_memory(size * sizeof *s.slots), .size = size};
    memset(s.slots, 0, size * sizeof *s.slots);
    return s;
}

static void grow(shades *s)
{
    shades bigger = shades_new(s->size * 2);
    bigger.used = s->used;
    for (size_t i = 0; i < s->size; i++)
        if (s->slots[i].count)
            *find(&bigger, s->slots[i].colour) = s->slots[i];
    free(s->slots);
    *s = bigger;
}

static void count(shades *s, uint32_t colour, uint32_t times)
{
    shade *slot = find(s, colour);
    if (slot->count == 0) {
        slot->colour = colour;
        s->used++;
    }
    slot->count += times;
    if (s->used * 2 > s->size)
        grow(s);
}

/// Length of the run of equal pixels that begins at `at`.
static uint32_t run_length(const uint32_t *row, uint32_t at, uint32_t width)
{
    uint32_t end = at + 1;
    while (end < width && row[end] == row[at])
        end++;
    return end - at;
}

/// Most frequent first; the colour settles ties, so that equal pictures have equal files.
static int order(const void *a, const void *b)
{
    const shade *x = a, *y = b;
    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    return x->colour < y->colour ? -1 : x->colour > y->colour;
}

static int part(uint32_t colour, int shift)
{
    return (int)(colour >> shift & 0xff);
}

static int distance(uint32_t a, uint32_t b)
{
    int sum = 0;
    for (int shift = 0; shift <= 16; shift += 8) {
        int difference = part(a, shift) - part(b, shift);
        sum += difference * difference;
    }
    return sum;
}

static size_t nearest(const shade *palette, size_t n, uint32_t colour)
{
    size_t best = 0;
    for (size_t i = 1; i < n; i++)
        if (distance(palette[i].colour, colour) < distance(palette[best].colour, colour))
            best = i;
    return best;
}

/// Takes every colour farther than `apart` (squared) from those taken before; 0 when they are too
/// many.
static size_t take(const shade *all, size_t n, int apart, shade palette[MOST_COLOURS])
{
    size_t taken = 0;
    for (size_t i = 0; i < n; i++) {
        if (taken && distance(palette[nearest(palette, taken, all[i].colour)].colour,
                              all[i].colour) <= apart)
            continue;
        if (taken == MOST_COLOURS)
            return 0;
        palette[taken++] = all[i];
    }
    return taken;
}

/// Fills `palette` and gives every colour its index; returns the palette's size.
static size_t choose(shades *s, shade palette[MOST_COLOURS])
{
    shade *all = pj_take_memory((s->used + 1) * sizeof *all);
    size_t n = 0;
    for (size_t i = 0; i < s->size; i++)
        if (s->slots[i].count)
            all[n++] = s->slots[i];
    qsort(all, n, sizeof *all, order);
    size_t chosen = 0;
    for (int apart = n <= MOST_COLOURS ? 0 : least_apart; !chosen; apart *= 2)
        chosen = take(all, n, apart, palette);
    free(all);
    for (size_t i = 0; i < s->size; i++)
        if (s->slots[i].count)
            s->slots[i].index = (uint8_t)nearest(palette, chosen, s->slots[i].colour);
    return chosen;
}

static void add_number(pj_buf *out, uint32_t number)
{
    for (int shift = 24; shift >= 0; shift -= 8)
        pj_buf_add_char(out, (char)(number >> shift & 0xff));
}

static void add_chunk(pj_buf *out, const char *type, pj_str data)
{
    add_number(out, (uint32_t)data.len);
    size_t first = out->len;
    pj_buf_puts(out, type);
    pj_buf_add(out, data);
    add_number(out, (uint32_t)crc32(0, (const Bytef *)out->at + first, (uInt)(out->len - first)));
}

static void add_head(pj_buf *out, uint32_t width, uint32_t height, const shade *palette, size_t n)
{
    pj_buf_add(out, PJ_S("\x89PNG\r\n\x1a\n"));
    pj_auto_buf head = {0}, colours = {0};
    add_number(&head, width);
    add_number(&head, height);
    pj_buf_add(&head, (pj_str){"\x08\x03\0\0\0", 5}); // 8 bits, palette
    add_chunk(out, "IHDR", pj_buf_str(&head));
    for (size_t i = 0; i < n; i++)
        for (int shift = 16; shift >= 0; shift -= 8)
            pj_buf_add_char(&colours, (char)part(palette[i].colour, shift));
    add_chunk(out, "PLTE", pj_buf_str(&colours));
}

bool pj_figure_png(const uint32_t *pixels, uint32_t width, uint32_t height, size_t stride,
                   pj_buf *out)
{
    shades all = shades_new(4096);
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0, n; x < width; x += n) {
            n = run_length(pixels + y * stride, x, width);
            count(&all, pixels[y * stride + x] & 0xffffff, n);
        }
    shade palette[MOST_COLOURS];
    size_t colours = choose(&all, palette);
    pj_auto_buf raw = {0}, packed = {0};
    char *row = pj_buf_room(&raw, (size_t)height * (width + 1));
    for (uint32_t y = 0; y < height; y++) {
        *row++ = 0; // no filter
        for (uint32_t x = 0, n; x < width; x += n, row += n) {
            n = run_length(pixels + y * stride, x, width);
            memset(row, find(&all, pixels[y * stride + x] & 0xffffff)->index, n);
        }
    }
    raw.len = (size_t)height * (width + 1);
    free(all.slots);
    uLongf size = compressBound(raw.len);
    if (compress2((Bytef *)pj_buf_room(&packed, size), &size, (const Bytef *)raw.at, raw.len,
                  LEVEL) != Z_OK)
        return false;
    packed.len = size;
    add_head(out, width, height, palette, colours);
    add_chunk(out, "IDAT", pj_buf_str(&packed));
    add_chunk(out, "IEND", (pj_str){0});
    return true;
}
