// Values of CUBE files: rows in blocks, each block by one worker, into cells of their call paths.
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/job.h"
#include "metrics/base/pool.h"
#include "metrics/read/profile/cube/cube.h"
#include "metrics/read/profile/cube/cube_rows.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

size_t pj_cube_width(pj_cube_type type)
{
    static const size_t widths[] = {
        [PJ_CUBE_DOUBLE] = 8, [PJ_CUBE_MIN] = 8,     [PJ_CUBE_MAX] = 8,    [PJ_CUBE_INT8] = 1,
        [PJ_CUBE_UINT8] = 1,  [PJ_CUBE_INT16] = 2,   [PJ_CUBE_UINT16] = 2, [PJ_CUBE_INT32] = 4,
        [PJ_CUBE_UINT32] = 4, [PJ_CUBE_INT64] = 8,   [PJ_CUBE_UINT64] = 8, [PJ_CUBE_COMPLEX] = 16,
        [PJ_CUBE_RATE] = 16,  [PJ_CUBE_ATOMIC] = 36, [PJ_CUBE_UNREAD] = 0,
    };
    return widths[type];
}

bool pj_cube_is_pair(pj_cube_type type)
{
    return type == PJ_CUBE_COMPLEX || type == PJ_CUBE_RATE || type == PJ_CUBE_ATOMIC;
}

bool pj_cube_is_whole(pj_cube_type type)
{
    return type >= PJ_CUBE_INT8 && type <= PJ_CUBE_UINT64;
}

// Bytes of rows

static void turn(char *bytes, size_t size)
{
    for (size_t low = 0, high = size - 1; low < high; low++, high--) {
        char byte = bytes[low];
        bytes[low] = bytes[high];
        bytes[high] = byte;
    }
}

/// Puts the bytes of `count` values in this machine's order: numbers of 8 bytes each, smaller
/// integers, or a count of 4 before them.
static void swap(char *bytes, size_t count, pj_cube_type type)
{
    const char *end = bytes + count * pj_cube_width(type);
    size_t width = pj_cube_width(type), size = width < 8 ? width : 8, lead = width % size;
    while (bytes < end) {
        if (lead)
            turn(bytes, lead);
        for (size_t at = lead; at < width; at += size)
            turn(bytes + at, size);
        bytes += width;
    }
}

#define WIDEN(type, from, to, count)                                                               \
    for (size_t i = 0; i < (count); i++) {                                                         \
        type value;                                                                                \
        memcpy(&value, (from) + i * sizeof value, sizeof value);                                   \
        (to)[i] = (int64_t)value;                                                                  \
    }

static void take_whole(const char *from, int64_t *to, size_t count, pj_cube_type type)
{
    switch (type) {
    case PJ_CUBE_INT8:
        WIDEN(int8_t, from, to, count)
        break;
    case PJ_CUBE_UINT8:
        WIDEN(uint8_t, from, to, count)
        break;
    case PJ_CUBE_INT16:
        WIDEN(int16_t, from, to, count)
        break;
    case PJ_CUBE_UINT16:
        WIDEN(uint16_t, from, to, count)
        break;
    case PJ_CUBE_INT32:
        WIDEN(int32_t, from, to, count)
        break;
    case PJ_CUBE_UINT32:
        WIDEN(uint32_t, from, to, count)
        break;
    case PJ_CUBE_INT64:
    case PJ_CUBE_UINT64:
        memcpy(to, from, count * sizeof *to);
        break;
    case PJ_CUBE_DOUBLE:
    case PJ_CUBE_MIN:
    case PJ_CUBE_MAX:
    case PJ_CUBE_COMPLEX:
    case PJ_CUBE_RATE:
    case PJ_CUBE_ATOMIC:
    case PJ_CUBE_UNREAD:
        break; // are doubles
    }
}

/// The two numbers of each value: real and imaginary part; dividend and divisor; sum and count.
static void take_pairs(const char *from, double *first, double *second, size_t count,
                       pj_cube_type type)
{
    enum { ATOMIC_SUM = 4 + 8 + 8 };
    size_t width = pj_cube_width(type);
    for (size_t i = 0; i < count; i++, from += width) {
        if (type == PJ_CUBE_ATOMIC) {
            uint32_t times;
            memcpy(&times, from, sizeof times);
            memcpy(&first[i], from + ATOMIC_SUM, sizeof *first);
            second[i] = times;
        } else {
            memcpy(&first[i], from, sizeof *first);
            memcpy(&second[i], from + sizeof *first, sizeof *second);
        }
    }
}

/// Infinite values and those that are no numbers have an exponent of ones, to which adding one
/// carries into the sign.
static uint64_t drop_not_finite(double *values, size_t count)
{
    static const uint64_t exponent = UINT64_C(0x7ff) << 52, one = UINT64_C(1) << 52;
    uint64_t carries = 0, dropped = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        carries |= (bits & exponent) + one;
    }
    for (size_t i = 0; carries >> 63 && i < count; i++)
        if (!isfinite(values[i])) {
            values[i] = NAN;
            dropped++;
        }
    return dropped;
}

/// Integers beyond 63 bits have become negative.
static uint64_t drop_large(int64_t *values, size_t count)
{
    uint64_t sign = 0, dropped = 0;
    for (size_t i = 0; i < count; i++)
        sign |= (uint64_t)values[i];
    for (size_t i = 0; sign >> 63 && i < count; i++)
        if (values[i] < 0) {
            values[i] = INT64_MIN;
            dropped++;
        }
    return dropped;
}

// Blocks of rows

typedef struct block {
    size_t first, count;
    pj_buf bytes;
    pj_cube_unpacker unpacker;
    pj_cube_counts odd;
} block;

typedef struct reading {
    const pj_cube_rows *rows;
    pj_cube_cells out;
    pj_job *job;
    pj_cube_counts *counts;
    size_t next, rows_each;
} reading;

static bool take_block(void *self, void *slot, pj_err *err)
{
    reading *r = self;
    block *b = slot;
    if (!pj_job_check(r->job, r->rows->cube->blob->name, err) || r->next == r->rows->count)
        return false;
    size_t left = r->rows->count - r->next;
    b->first = r->next;
    b->count = left < r->rows_each ? left : r->rows_each;
    b->odd = (pj_cube_counts){.large = 0};
    r->next += b->count;
    return true;
}

/// The least of nothing is CUBE's largest number.
static void drop_nothing(double *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (values[i] == DBL_MAX)
            values[i] = NAN;
}

/// Counts what cannot be told in cells.
static void look_at(const reading *r, block *b, size_t cell, size_t count)
{
    if (r->out.real)
        b->odd.not_finite += drop_not_finite(r->out.real + cell, count);
    if (r->out.real && r->rows->metric->type == PJ_CUBE_MIN)
        drop_nothing(r->out.real + cell, count);
    if (r->out.second)
        b->odd.not_finite += drop_not_finite(r->out.second + cell, count);
    if (r->out.whole && r->rows->metric->type == PJ_CUBE_UINT64)
        b->odd.large += drop_large(r->out.whole + cell, count);
}

static void take_row(const reading *r, const char *bytes, size_t cell)
{
    pj_cube_type type = r->rows->metric->type;
    size_t count = r->rows->cube->location_count;
    if (r->out.second)
        take_pairs(bytes, r->out.real + cell, r->out.second + cell, count, type);
    else if (r->out.whole)
        take_whole(bytes, r->out.whole + cell, count, type);
    else
        memcpy(r->out.real + cell, bytes, count * sizeof(double));
}

/// Whether rows are read just as cells are kept.
static bool is_direct(const reading *r)
{
    pj_cube_type type = r->rows->metric->type;
    return !r->rows->swapped && !r->out.second && pj_cube_width(type) == sizeof(double) &&
           r->out.stride == r->rows->cube->location_count;
}

/// Rows of call paths that follow each other, into their cells.
static bool read_direct(const reading *r, block *b, pj_err *err)
{
    const pj_cube_rows *rows = r->rows;
    char *cells = r->out.whole ? (char *)r->out.whole : (char *)r->out.real;
    size_t end = b->first + b->count;
    for (size_t i = b->first, next; i < end; i = next) {
        for (next = i + 1; next < end && rows->nodes[next] == rows->nodes[next - 1] + 1;)
            next++;
        if (!pj_cube_rows_read(rows, i, next - i, cells + rows->nodes[i] * rows->row_size,
                               &b->unpacker, err))
            return false;
        look_at(r, b, rows->nodes[i] * r->out.stride, (next - i) * r->out.stride);
    }
    return true;
}

static bool work_block(void *self, void *slot, pj_err *err)
{
    const reading *r = self;
    block *b = slot;
    const pj_cube_rows *rows = r->rows;
    if (is_direct(r))
        return read_direct(r, b, err);
    b->bytes.len = 0;
    char *bytes = pj_buf_room(&b->bytes, b->count * rows->row_size);
    if (!pj_cube_rows_read(rows, b->first, b->count, bytes, &b->unpacker, err))
        return false;
    if (rows->swapped)
        swap(bytes, b->count * rows->cube->location_count, rows->metric->type);
    for (size_t i = 0; i < b->count; i++) {
        size_t cell = rows->nodes[b->first + i] * r->out.stride;
        take_row(r, bytes + i * rows->row_size, cell);
        look_at(r, b, cell, rows->cube->location_count);
    }
    return true;
}

static bool put_block(void *self, void *slot, pj_err *err)
{
    (void)err;
    const reading *r = self;
    const block *b = slot;
    r->counts->not_finite += b->odd.not_finite;
    r->counts->large += b->odd.large;
    return true;
}

static bool read_blocks(reading *r, pj_err *err)
{
    enum { BLOCK_BYTES = 128 * 1024, SLOTS_MAX = 64 };
    unsigned workers = pj_job_workers(r->job);
    workers = workers > SLOTS_MAX / 2 ? SLOTS_MAX / 2 : workers;
    size_t slot_count = pj_pool_slots(workers);
    block blocks[SLOTS_MAX] = {{.first = 0}};
    void *slots[SLOTS_MAX];
    for (size_t i = 0; i < slot_count; i++)
        slots[i] = &blocks[i];
    r->rows_each = BLOCK_BYTES / r->rows->row_size + 1;
    bool ok =
        pj_pool_run(&(pj_line){.self = r, .take = take_block, .work = work_block, .put = put_block},
                    workers, slots, slot_count, err);
    for (size_t i = 0; i < slot_count; i++) {
        pj_buf_free(&blocks[i].bytes);
        pj_cube_unpacker_free(&blocks[i].unpacker);
    }
    return ok;
}

bool pj_cube_read(const pj_cube *cube, const pj_cube_metric *metric, pj_cube_cells out, pj_job *job,
                  pj_cube_counts *counts, pj_err *err)
{
    pj_cube_rows rows;
    bool ok = pj_cube_rows_open(&rows, cube, metric, err);
    if (ok) {
        reading r = {.rows = &rows, .out = out, .job = job, .counts = counts};
        ok = !rows.count || read_blocks(&r, err);
    }
    pj_cube_rows_close(&rows);
    return ok;
}
