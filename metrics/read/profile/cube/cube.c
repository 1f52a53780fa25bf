// Opens a CUBE file: the parts of its archive, and what anchor.xml says of them.
#include "metrics/read/profile/cube/cube.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/map.h"
#include "metrics/base/memory.h"
#include "metrics/base/num.h"
#include "metrics/base/str.h"
#include "metrics/read/profile/cube/blob.h"
#include "metrics/read/source.h"

#include <inttypes.h>

static const uint64_t ANCHOR_MAX = (uint64_t)1 << 30;

/// Metrics learn where their index and rows lie: "12.index", "12.data".
static void find_rows(pj_cube *cube)
{
    pj_map metrics = {.count = 0};
    for (size_t i = 0; i < cube->metric_count; i++)
        pj_map_put(&metrics, cube->metrics[i].id, (uint32_t)i);
    for (size_t i = 0; i < cube->tar.count; i++) {
        const pj_tar_member *member = &cube->tar.members[i];
        pj_str name = member->name;
        size_t slash = pj_str_find_last(name, '/');
        name = slash < name.len ? pj_str_from(name, slash + 1) : name;
        size_t dot = pj_str_find(name, '.');
        uint64_t id;
        uint32_t metric;
        if (!pj_parse_u64(pj_str_head(name, dot), &id) || !pj_map_get(&metrics, id, &metric))
            continue;
        if (pj_str_equal(pj_str_from(name, dot), PJ_S(".index")))
            cube->metrics[metric].index = member;
        else if (pj_str_equal(pj_str_from(name, dot), PJ_S(".data")))
            cube->metrics[metric].data = member;
    }
    pj_map_free(&metrics);
}

/// anchor.xml, which may be packed by itself.
static bool parse_anchor(pj_cube *cube, pj_str bytes, pj_job *job, pj_err *err)
{
    pj_source *source = pj_source_memory(cube->blob->name, bytes, job, err);
    pj_str xml;
    bool ok = source && pj_source_whole(source, ANCHOR_MAX, &xml, err) &&
              pj_cube_parse_anchor(cube, cube->blob->name, xml, job, err);
    pj_source_close(source);
    return ok;
}

bool pj_cube_open(pj_cube *cube, const pj_blob *blob, pj_arena *arena, pj_job *job, pj_err *err)
{
    *cube = (pj_cube){.arena = arena, .blob = blob};
    if (!pj_tar_list(&cube->tar, blob, arena, err))
        return false;
    const pj_tar_member *anchor = pj_tar_find(&cube->tar, PJ_S("anchor.xml"));
    if (!anchor)
        return pj_fail(err, PJ_E_FORMAT, blob->name, 0,
                       "is a tar archive without anchor.xml, not a CUBE file");
    if (anchor->size > ANCHOR_MAX)
        return pj_fail(err, PJ_E_FORMAT, blob->name, 0,
                       "its anchor.xml has %" PRIu64 " bytes, more than 1 GiB", anchor->size);
    if (!pj_memory_want(2 * anchor->size, blob->name, "anchor.xml", err))
        return false;
    pj_auto_buf bytes = {.at = NULL};
    pj_buf_room(&bytes, anchor->size + 1);
    bytes.len = anchor->size;
    if (!pj_blob_read(blob, anchor->offset, anchor->size, bytes.at, err) ||
        !parse_anchor(cube, pj_buf_str(&bytes), job, err))
        return false;
    find_rows(cube);
    return true;
}

const pj_cube_metric *pj_cube_find(const pj_cube *cube, pj_str key)
{
    for (size_t i = 0; i < cube->metric_count; i++)
        if (pj_str_equal(cube->metrics[i].key, key))
            return &cube->metrics[i];
    return NULL;
}
