// Figures as PNG.
// Exact colours: a palette where 256 do, else all parts of each pixel. Part of
// the drawing module too. Format: PNG specification, second edition.
#include "widgets/figure/figure_png.h"

#include "metrics/base/str.h"

#define ZLIB_CONST
#include <zlib.h>

/// Levels above this one take up to three times as long and save 1 to 6 %.
enum { LEVEL = 6 };
enum { MOST_COLOURS = 256, SLOTS = 1024 };

/// A hash table of the picture's colours.
typedef struct palette {
    uint32_t colours[MOST_COLOURS]; // in the order in which they are met
    uint32_t count;
    uint16_t slots[SLOTS]; // 1 + index of a colour; 0 = free
} palette;

typedef struct picture {
    pj_pixels pixels;
    palette palette;
    bool indexed;
    unsigned depth; // bytes of a pixel
} picture;

static uint32_t colour_at(const picture *p, uint32_t x, uint32_t y)
{
    uint32_t colour = p->pixels.at[y * p->pixels.stride + x];
    return p->pixels.alpha ? colour : colour | 0xff000000u;
}

/// Index of a colour, which is taken in when it is new; MOST_COLOURS when there is no room.
static uint32_t index_of(palette *p, uint32_t colour)
{
    uint32_t at = (colour * 2654435761u >> 16) % SLOTS;
    while (p->slots[at] && p->colours[p->slots[at] - 1] != colour)
        at = (at + 1) % SLOTS;
    if (p->slots[at])
        return p->slots[at] - 1u;
    if (p->count == MOST_COLOURS)
        return MOST_COLOURS;
    p->colours[p->count++] = colour;
    p->slots[at] = (uint16_t)p->count;
    return p->count - 1;
}

static bool fits_palette(picture *p)
{
    for (uint32_t y = 0; y < p->pixels.height; y++)
        for (uint32_t x = 0; x < p->pixels.width; x++)
            if (index_of(&p->palette, colour_at(p, x, y)) == MOST_COLOURS)
                return false;
    return true;
}

// ---- rows

static void fill_row(picture *p, uint32_t y, unsigned char *row)
{
    for (uint32_t x = 0; x < p->pixels.width; x++) {
        uint32_t colour = colour_at(p, x, y);
        if (p->indexed) {
            row[x] = (unsigned char)index_of(&p->palette, colour);
            continue;
        }
        unsigned char *at = row + (size_t)x * p->depth;
        at[0] = (unsigned char)(colour >> 16);
        at[1] = (unsigned char)(colour >> 8);
        at[2] = (unsigned char)colour;
        if (p->pixels.alpha)
            at[3] = (unsigned char)(colour >> 24);
    }
}

/// Packs a part of the rows, or their end; `out` has room for all of them.
static bool pack(z_stream *z, pj_str raw, int flush, pj_buf *out)
{
    z->next_in = (const Bytef *)raw.at;
    z->avail_in = (uInt)raw.len;
    z->next_out = (Bytef *)out->at + out->len;
    z->avail_out = (uInt)(out->cap - out->len);
    int done = deflate(z, flush);
    out->len = out->cap - z->avail_out;
    return done == (flush == Z_FINISH ? Z_STREAM_END : Z_OK);
}

/// Without filters, which make flat colours and letters larger. False when it is stopped.
static bool pack_rows(picture *p, z_stream *z, const atomic_bool *stop, pj_buf *out)
{
    size_t size = (size_t)p->pixels.width * p->depth + 1;
    pj_buf_room(out, deflateBound(z, size * p->pixels.height));
    pj_auto_buf row = {0};
    char *at = pj_buf_room(&row, size);
    *at = 0;
    for (uint32_t y = 0; y < p->pixels.height; y++) {
        fill_row(p, y, (unsigned char *)at + 1);
        if ((stop && atomic_load_explicit(stop, memory_order_relaxed)) ||
            !pack(z, (pj_str){at, size}, Z_NO_FLUSH, out))
            return false;
    }
    return pack(z, (pj_str){0}, Z_FINISH, out);
}

// ---- chunks

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

static void add_palette(const picture *p, pj_buf *out)
{
    pj_auto_buf colours = {0}, alphas = {0};
    for (uint32_t i = 0; i < p->palette.count; i++) {
        for (int shift = 16; shift >= 0; shift -= 8)
            pj_buf_add_char(&colours, (char)(p->palette.colours[i] >> shift & 0xff));
        pj_buf_add_char(&alphas, (char)(p->palette.colours[i] >> 24));
    }
    add_chunk(out, "PLTE", pj_buf_str(&colours));
    if (p->pixels.alpha)
        add_chunk(out, "tRNS", pj_buf_str(&alphas));
}

static void add_head(const picture *p, pj_buf *out)
{
    enum { RGB = 2, INDEXED = 3, RGBA = 6 };
    pj_auto_buf head = {0};
    pj_buf_add(out, PJ_S("\x89PNG\r\n\x1a\n"));
    add_number(&head, p->pixels.width);
    add_number(&head, p->pixels.height);
    pj_buf_add_char(&head, 8); // bits
    pj_buf_add_char(&head, p->indexed ? INDEXED : p->pixels.alpha ? RGBA : RGB);
    pj_buf_add(&head, (pj_str){"\0\0\0", 3});
    add_chunk(out, "IHDR", pj_buf_str(&head));
    if (p->indexed)
        add_palette(p, out);
}

bool pj_figure_png(const pj_pixels *pixels, const atomic_bool *stop, pj_buf *out)
{
    picture p = {.pixels = *pixels};
    p.indexed = fits_palette(&p);
    p.depth = p.indexed ? 1 : pixels->alpha ? 4 : 3;
    pj_auto_buf packed = {0};
    z_stream z = {0};
    if (deflateInit(&z, LEVEL) != Z_OK)
        return false;
    bool whole = pack_rows(&p, &z, stop, &packed);
    deflateEnd(&z);
    if (!whole)
        return false;
    add_head(&p, out);
    add_chunk(out, "IDAT", pj_buf_str(&packed));
    add_chunk(out, "IEND", (pj_str){0});
    return true;
}
