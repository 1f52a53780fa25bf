// Index and rows of a metric. An index holds positions, not numbers of call paths: in pre-order for
// exclusive metrics; for inclusive ones all children of a call path stand together, before those
// below them (cubelib's "wide" order).
#include "metrics/read/profile/cube/cube_rows.h"

#include "metrics/base/arena.h"
#include "metrics/base/err.h"
#include "metrics/base/memory.h"
#include "metrics/base/str.h"
#include "metrics/read/profile/cube/blob.h"
#include "metrics/read/profile/cube/tar.h"

#include <inttypes.h>
#include <stdlib.h>

static const char INDEX_MAGIC[] = "CUBEX.INDEX", DATA_MAGIC[] = "CUBEX.DATA",
                  PACKED_MAGIC[] = "ZCUBEX.DATA";
enum {
    INDEX_MAGIC_LEN = sizeof INDEX_MAGIC - 1,
    DATA_MAGIC_LEN = sizeof DATA_MAGIC - 1,
    PACKED_MAGIC_LEN = sizeof PACKED_MAGIC - 1,
    INDEX_HEADER = INDEX_MAGIC_LEN + 4 + 2 + 1, // order of bytes, version, kind
};

static uint32_t get_u32(const char *at, bool swapped)
{
    uint32_t value;
    memcpy(&value, at, sizeof value);
    return swapped ? __builtin_bswap32(value) : value;
}

static uint64_t get_u64(const char *at, bool swapped)
{
    uint64_t value;
    memcpy(&value, at, sizeof value);
    return swapped ? __builtin_bswap64(value) : value;
}

static bool fail(const pj_cube_rows *rows, const char *what, pj_err *err)
{
    return pj_fail(err, PJ_E_FORMAT, rows->cube->blob->name, 0,
                   "its metric \"" PJ_STR_FMT "\" (%" PRIu32
                   ") %s; copy it again or record it anew",
                   PJ_STR_ARG(pj_str_head(rows->metric->key, 80)), rows->metric->id, what);
}

/// The call path of every position.
static uint32_t *make_order(const pj_cube *cube, bool wide)
{
    const pj_cube_node *nodes = cube->nodes;
    uint32_t *order = pj_take_memory(cube->node_count * sizeof *order);
    size_t count = 0;
    for (uint32_t i = 0; i < cube->node_count; i++) {
        if (!wide || nodes[i].parent < 0)
            order[count++] = i;
        for (uint32_t child = i + 1; wide && child < nodes[i].after; child = nodes[child].after)
            order[count++] = child;
    }
    return order;
}

/// Turns positions into call paths; false when one is out of range or comes twice.
static bool resolve(pj_cube_rows *rows, const char *entries, const uint32_t *order)
{
    size_t nodes = rows->cube->node_count;
    char *seen = pj_take_memory(nodes);
    memset(seen, 0, nodes);
    bool ok = true;
    for (size_t i = 0; ok && i < rows->count; i++) {
        uint32_t position = get_u32(entries + 4 * i, rows->swapped);
        ok = position < nodes && !seen[position];
        if (ok) {
            seen[position] = 1;
            rows->nodes[i] = order[position];
        }
    }
    free(seen);
    return ok;
}

static bool read_entries(pj_cube_rows *rows, uint32_t *order, pj_err *err)
{
    const pj_tar_member *index = rows->metric->index;
    const pj_blob *blob = rows->cube->blob;
    char count[4];
    if (!pj_blob_read(blob, index->offset + INDEX_HEADER, sizeof count, count, err))
        return false;
    rows->count = get_u32(count, rows->swapped);
    if (rows->count > rows->cube->node_count ||
        index->size != INDEX_HEADER + sizeof count + rows->count * 4)
        return fail(rows, "has an index of another length than it says", err);
    pj_auto_buf entries = {.at = NULL};
    pj_buf_room(&entries, rows->count * 4 + 1);
    rows->nodes = pj_take_memory(rows->count * sizeof *rows->nodes);
    return pj_blob_read(blob, index->offset + INDEX_HEADER + sizeof count, rows->count * 4,
                        entries.at, err) &&
           (resolve(rows, entries.at, order) ||
            fail(rows, "has an index of call paths that are not there or come twice", err));
}

static bool read_index(pj_cube_rows *rows, pj_err *err)
{
    enum { SPARSE = 1 };
    const pj_tar_member *index = rows->metric->index;
    char header[INDEX_HEADER];
    if (index->size < INDEX_HEADER)
        return fail(rows, "has an index that is too short", err);
    if (!pj_blob_read(rows->cube->blob, index->offset, INDEX_HEADER, header, err))
        return false;
    uint32_t mark = get_u32(header + INDEX_MAGIC_LEN, false);
    rows->swapped = mark == UINT32_C(0x01000000);
    if (memcmp(header, INDEX_MAGIC, INDEX_MAGIC_LEN) != 0 || (mark != 1 && !rows->swapped))
        return fail(rows, "has an index that is none", err);
    uint32_t *order = make_order(rows->cube, rows->metric->inclusive);
    if (header[INDEX_HEADER - 1] != SPARSE) {
        rows->nodes = order;
        rows->count = rows->cube->node_count;
        return true;
    }
    bool ok = index->size >= INDEX_HEADER + 4 ? read_entries(rows, order, err)
                                              : fail(rows, "has an index that is too short", err);
    free(order);
    return ok;
}

/// Where each packed row lies: offset of the row unpacked, offset and size packed.
static bool read_packs(pj_cube_rows *rows, pj_err *err)
{
    enum { ENTRY = 24 };
    const pj_tar_member *data = rows->metric->data;
    char count[8];
    if (data->size < PACKED_MAGIC_LEN + sizeof count)
        return fail(rows, "has rows that end too soon", err);
    if (!pj_blob_read(rows->cube->blob, data->offset + PACKED_MAGIC_LEN, sizeof count, count, err))
        return false;
    uint64_t base = PACKED_MAGIC_LEN + sizeof count + (uint64_t)rows->count * ENTRY;
    if (get_u64(count, rows->swapped) != rows->count || base > data->size)
        return fail(rows, "has another number of packed rows than its index", err);
    pj_auto_buf table = {.at = NULL};
    pj_buf_room(&table, rows->count * ENTRY + 1);
    if (!pj_blob_read(rows->cube->blob, data->offset + PACKED_MAGIC_LEN + sizeof count,
                      rows->count * ENTRY, table.at, err))
        return false;
    rows->packs = pj_take_memory((rows->count + 1) * sizeof *rows->packs);
    for (size_t i = 0; i < rows->count; i++) {
        uint64_t at = get_u64(table.at + ENTRY * i + 8, rows->swapped);
        uint64_t size = get_u64(table.at + ENTRY * i + 16, rows->swapped);
        if (at > data->size - base || size > data->size - base - at)
            return fail(rows, "has a packed row behind its end", err);
        rows->packs[i] = (pj_cube_pack){data->offset + base + at, size};
    }
    return true;
}

static bool find_data(pj_cube_rows *rows, pj_err *err)
{
    const pj_tar_member *data = rows->metric->data;
    char magic[PACKED_MAGIC_LEN];
    if (data->size < DATA_MAGIC_LEN)
        return fail(rows, "has rows without a beginning", err);
    size_t length = data->size < sizeof magic ? DATA_MAGIC_LEN : sizeof magic;
    if (!pj_blob_read(rows->cube->blob, data->offset, length, magic, err))
        return false;
    if (length == sizeof magic && memcmp(magic, PACKED_MAGIC, sizeof magic) == 0)
        return read_packs(rows, err);
    if (memcmp(magic, DATA_MAGIC, DATA_MAGIC_LEN) != 0)
        return fail(rows, "has rows without a beginning", err);
    rows->offset = data->offset + DATA_MAGIC_LEN;
    if ((data->size - DATA_MAGIC_LEN) / rows->row_size != rows->count ||
        (data->size - DATA_MAGIC_LEN) % rows->row_size)
        return fail(rows, "has rows of another length than its index and locations make", err);
    return true;
}

bool pj_cube_rows_open(pj_cube_rows *rows, const pj_cube *cube, const pj_cube_metric *metric,
                       pj_err *err)
{
    *rows = (pj_cube_rows){.cube = cube,
                           .metric = metric,
                           .row_size = cube->location_count * pj_cube_width(metric->type)};
    bool zero = !metric->index && !metric->data; // as metrics are stored that nothing was added to
    if (zero || !cube->node_count || !rows->row_size)
        return true;
    if (!metric->index || !metric->data)
        return fail(rows, metric->index ? "has an index without rows" : "has rows without an index",
                    err);
    return pj_memory_want(cube->node_count * (sizeof *rows->nodes + sizeof *rows->packs),
                          cube->blob->name, "an index", err) &&
           read_index(rows, err) && find_data(rows, err);
}

void pj_cube_rows_close(pj_cube_rows *rows)
{
    free(rows->nodes);
    free(rows->packs);
    *rows = (pj_cube_rows){.count = 0};
}

void pj_cube_unpacker_free(pj_cube_unpacker *unpacker)
{
    pj_inflate_free(unpacker->inflate);
    pj_buf_free(&unpacker->packed);
}

/// A zlib stream each, which must have just the length of a row.
static bool unpack(const pj_cube_rows *rows, size_t row, char *out, pj_cube_unpacker *unpacker,
                   pj_err *err)
{
    const pj_cube_pack *pack = &rows->packs[row];
    if (!pack->size) {
        memset(out, 0, rows->row_size);
        return true;
    }
    unpacker->packed.len = 0;
    char *packed = pj_buf_room(&unpacker->packed, pack->size);
    if (!pj_blob_read(rows->cube->blob, pack->offset, pack->size, packed, err))
        return false;
    if (!unpacker->inflate)
        unpacker->inflate = pj_inflate_new();
    return pj_inflate_whole(unpacker->inflate, (pj_str){packed, pack->size}, out, rows->row_size) ||
           fail(rows, "has a packed row that is damaged", err);
}

bool pj_cube_rows_read(const pj_cube_rows *rows, size_t first, size_t count, char *out,
                       pj_cube_unpacker *unpacker, pj_err *err)
{
    if (!rows->packs)
        return pj_blob_read(rows->cube->blob, rows->offset + first * rows->row_size,
                            count * rows->row_size, out, err);
    for (size_t i = 0; i < count; i++)
        if (!unpack(rows, first + i, out + i * rows->row_size, unpacker, err))
            return false;
    return true;
}
