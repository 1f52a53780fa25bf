// Long columns of numbers in summaries.
// A vector is written as base + step x number, the numbers as text, which gzip packs well. Items
// share a cell, and a number, where there are too many of them.
#include "metrics/read/summary/summary_vectors.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/num.h"
#include "metrics/base/str.h"

#include <inttypes.h>
#include <stdlib.h>
#include <zlib.h>

/// How fine values are written. A rank's first thread has cells of its own.
typedef struct grain {
    unsigned bits; // of a number; EXACT = as many as it takes
    uint32_t ranks_each, threads_each;
} grain;

enum { EXACT = 64 };

/// Which cell an item is in.
typedef struct cells {
    uint32_t *of; // by item
    size_t count;
} cells;

static uint32_t items_of(const pj_summary_vectors *v, uint32_t rank)
{
    return v->first[rank + 1] - v->first[rank];
}

/// Cells that the ranks from `first` on take: the most that one of them needs.
static size_t width(const pj_summary_vectors *v, uint32_t first, const grain *g)
{
    uint32_t most = 0;
    for (uint32_t r = first; r < v->ranks && r - first < g->ranks_each; r++)
        most = items_of(v, r) > most ? items_of(v, r) : most;
    return most ? 1 + ((size_t)most - 1 + g->threads_each - 1) / g->threads_each : 0;
}

static cells share_out(const pj_summary_vectors *v, const grain *g)
{
    cells all = {.of = pj_take_memory(((size_t)v->first[v->ranks] + 1) * sizeof *all.of)};
    size_t next = 0;
    for (uint32_t r = 0; r < v->ranks; r++) {
        if (r % g->ranks_each == 0) {
            all.count = next;
            next += width(v, r, g);
        }
        for (uint32_t t = 0; t < items_of(v, r); t++)
            all.of[v->first[r] + t] =
                (uint32_t)(all.count + (t ? 1 + (t - 1) / g->threads_each : 0));
    }
    all.count = next;
    return all;
}

static int64_t whole(double value)
{
    const double most = 9.2e18; // INT64_MAX is no double
    return (int64_t)(value > most ? most : value < -most ? -most : value);
}

/// What every cell holds: the value of its item, or the mean of its items.
static void fill_cells(const pj_summary_vectors *v, const cells *all, const int64_t *values,
                       int64_t *out)
{
    uint32_t items = v->first[v->ranks];
    if (all->count == items) {
        memcpy(out, values, items * sizeof *out);
        return;
    }
    double *sums = pj_take_memory((all->count + 1) * sizeof *sums);
    uint32_t *counts = pj_take_memory((all->count + 1) * sizeof *counts);
    memset(sums, 0, all->count * sizeof *sums);
    memset(counts, 0, all->count * sizeof *counts);
    for (uint32_t i = 0; i < items; i++) {
        sums[all->of[i]] += (double)values[i];
        counts[all->of[i]]++;
    }
    for (size_t c = 0; c < all->count; c++)
        out[c] = counts[c] ? whole(sums[c] / counts[c]) : 0;
    free(sums);
    free(counts);
}

static json_t *encode_numbers(const int64_t *numbers, size_t count, unsigned bits)
{
    int64_t least = count ? numbers[0] : 0, most = least;
    for (size_t i = 0; i < count; i++) {
        least = numbers[i] < least ? numbers[i] : least;
        most = numbers[i] > most ? numbers[i] : most;
    }
    uint64_t span = (uint64_t)most - (uint64_t)least, step = 1;
    if (bits < EXACT && span >> bits)
        step = span / ((UINT64_C(1) << bits) - 1) + 1;
    pj_auto_buf text = {0};
    for (size_t i = 0; span && i < count; i++)
        pj_buf_addf(&text, i ? " %" PRIu64 : "%" PRIu64,
                    ((uint64_t)numbers[i] - (uint64_t)least + step / 2) / step);
    return json_pack("{s:I, s:I, s:s}", "base", (json_int_t)least, "step", (json_int_t)step,
                     "numbers", text.len ? text.at : "");
}

/// An earlier vector with the same values; NULL = none.
static const char *twin_of(const pj_summary_vectors *v, size_t index)
{
    size_t bytes = v->first[v->ranks] * sizeof(int64_t);
    for (size_t i = 0; i < index; i++)
        if (memcmp(v->items[i].values, v->items[index].values, bytes) == 0)
            return v->items[i].name;
    return NULL;
}

static json_t *encode(const pj_summary_vectors *v, const grain *g)
{
    cells all = share_out(v, g);
    int64_t *numbers = pj_take_memory((all.count + 1) * sizeof *numbers);
    json_t *values = json_object();
    for (size_t i = 0; i < v->count; i++) {
        const pj_summary_vector *one = &v->items[i];
        const char *twin = twin_of(v, i);
        fill_cells(v, &all, one->values, numbers);
        json_object_set_new(values, one->name,
                            twin ? json_pack("{s:s}", "same_as", twin)
                                 : encode_numbers(numbers, all.count, g->bits));
    }
    free(numbers);
    free(all.of);
    return json_pack("{s:b, s:I, s:I, s:o}", "rounded", g->bits < EXACT, "ranks_each",
                     (json_int_t)g->ranks_each, "threads_each", (json_int_t)g->threads_each,
                     "values", values);
}

size_t pj_summary_size(const json_t *part)
{
    char *text = json_dumps(part, JSON_COMPACT | JSON_ENCODE_ANY);
    size_t len = text ? strlen(text) : 0;
    uLongf packed = compressBound((uLong)len);
    Bytef *room = pj_take_memory(packed);
    compress2(room, &packed, (const Bytef *)(text ? text : ""), (uLong)len, Z_BEST_COMPRESSION);
    free(room);
    free(text);
    return packed;
}

/// One grain coarser; false when there is none.
static bool coarsen(const pj_summary_vectors *v, grain *g)
{
    static const unsigned bits[] = {EXACT, 16, 12, 10, 8};
    for (size_t i = 0; i + 1 < sizeof bits / sizeof *bits; i++)
        if (g->bits == bits[i]) {
            g->bits = bits[i + 1];
            return true;
        }
    uint32_t most = 0;
    for (uint32_t r = 0; r < v->ranks; r++)
        most = items_of(v, r) > most ? items_of(v, r) : most;
    uint32_t ranks = v->ranks / g->ranks_each, threads = most / g->threads_each;
    if (ranks <= 1 && threads <= 1)
        return false;
    if (ranks >= threads)
        g->ranks_each *= 2;
    else
        g->threads_each *= 2;
    return true;
}

/// Whether it is of no use to try: numbers rarely pack to less than a quarter of their bits.
static bool is_hopeless(const pj_summary_vectors *v, const grain *g, size_t budget)
{
    enum { PACKED = 4, OFTEN = 30 };
    size_t bits = g->bits < EXACT ? g->bits : OFTEN;
    size_t each = (size_t)g->ranks_each * g->threads_each;
    return v->first[v->ranks] / each * v->count * bits / 8 / PACKED > budget;
}

json_t *pj_summary_vectors_encode(const pj_summary_vectors *vectors, size_t budget, bool exact_only)
{
    grain g = {EXACT, 1, 1};
    bool last;
    do {
        grain next = g;
        last = exact_only || !coarsen(vectors, &next);
        bool forced = last && !exact_only;
        if (forced || !is_hopeless(vectors, &g, budget)) {
            json_t *encoded = encode(vectors, &g);
            if (forced || pj_summary_size(encoded) <= budget)
                return encoded;
            json_decref(encoded);
        }
        g = next;
    } while (!last);
    return NULL;
}

// Reading

bool pj_summary_vectors_rounded(const json_t *from)
{
    return json_is_true(json_object_get(from, "rounded"));
}

/// base + step x number for every cell; false when a number is none or too large.
static bool decode_numbers(const json_t *from, int64_t *out, size_t count)
{
    int64_t base = json_integer_value(json_object_get(from, "base"));
    int64_t step = json_integer_value(json_object_get(from, "step"));
    pj_str text = pj_str_of(json_string_value(json_object_get(from, "numbers")));
    bool constant = text.len == 0;
    if (step < 1 || (constant && step > 1))
        return false;
    for (size_t i = 0; i < count; i++) {
        uint64_t number = 0, room = (uint64_t)INT64_MAX - (uint64_t)base;
        if (!constant &&
            (!pj_parse_u64(pj_str_cut(&text, ' '), &number) || number > room / (uint64_t)step))
            return false;
        out[i] = (int64_t)((uint64_t)base + number * (uint64_t)step);
    }
    return text.len == 0;
}

static bool take_grain(const json_t *from, grain *out)
{
    json_int_t ranks = json_integer_value(json_object_get(from, "ranks_each"));
    json_int_t threads = json_integer_value(json_object_get(from, "threads_each"));
    if (ranks < 1 || threads < 1 || ranks > UINT32_MAX || threads > UINT32_MAX)
        return false;
    *out = (grain){EXACT, (uint32_t)ranks, (uint32_t)threads};
    return true;
}

/// The values of an earlier vector that has this name; NULL = none.
static const int64_t *earlier(const pj_summary_vectors *v, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(v->items[i].name, name) == 0)
            return v->items[i].values;
    return NULL;
}

/// `numbers` has room for a number of every cell.
static bool decode_one(const json_t *from, const pj_summary_vectors *v, size_t index,
                       const cells *all, int64_t *numbers)
{
    uint32_t items = v->first[v->ranks];
    int64_t *values = v->items[index].values;
    const char *twin = json_string_value(json_object_get(from, "same_as"));
    const int64_t *same = twin ? earlier(v, index, twin) : NULL;
    if (same)
        memcpy(values, same, items * sizeof *values);
    else if (twin || !decode_numbers(from, numbers, all->count))
        return false;
    for (uint32_t i = 0; !same && i < items; i++)
        values[i] = numbers[all->of[i]];
    return true;
}

bool pj_summary_vectors_decode(const json_t *from, const pj_summary_vectors *vectors,
                               const char *path, pj_err *err)
{
    grain g;
    const json_t *values = json_object_get(from, "values");
    if (!json_is_object(values) || !take_grain(from, &g))
        return pj_fail(err, PJ_E_FORMAT, path, 0, "damaged summary: its vectors say no sizes");
    cells all = share_out(vectors, &g);
    int64_t *numbers = pj_take_memory((all.count + 1) * sizeof *numbers);
    bool ok = true;
    for (size_t i = 0; ok && i < vectors->count; i++) {
        const json_t *one = json_object_get(values, vectors->items[i].name);
        if (one && !decode_one(one, vectors, i, &all, numbers))
            ok = pj_fail(err, PJ_E_FORMAT, path, 0,
                         "damaged summary: the values \"%s\" do not fit the threads",
                         vectors->items[i].name);
    }
    free(numbers);
    free(all.of);
    return ok;
}
