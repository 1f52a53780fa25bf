// Where the rows of a metric of a CUBE file lie: which call path each belongs to, and its bytes,
// plain or packed. Ownership: new/free - pj_cube_rows_close.
#ifndef PJ_CUBE_ROWS_H
#define PJ_CUBE_ROWS_H

#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/read/inflate.h"
#include "metrics/read/profile/cube/cube.h"

/// A row that is packed.
typedef struct pj_cube_pack {
    uint64_t offset; // in the file
    uint64_t size;   // 0 = the row is not there
} pj_cube_pack;

typedef struct pj_cube_rows {
    const pj_cube *cube;
    const pj_cube_metric *metric;
    uint32_t *nodes; // call path of each row
    size_t count;
    size_t row_size;     // bytes
    uint64_t offset;     // of the first row, where they are plain
    pj_cube_pack *packs; // NULL = they are plain
    bool swapped;        // the file's order of bytes is not that of this machine
} pj_cube_rows;

/// A metric without parts has no rows. Errors: PJ_E_FORMAT.
PJ_CHECKED bool pj_cube_rows_open(pj_cube_rows *rows, const pj_cube *cube,
                                  const pj_cube_metric *metric, pj_err *err);
void pj_cube_rows_close(pj_cube_rows *rows);
/// What packed rows want; zeroed at first.
typedef struct pj_cube_unpacker {
    pj_inflate *inflate;
    pj_buf packed;
} pj_cube_unpacker;

void pj_cube_unpacker_free(pj_cube_unpacker *unpacker);
/// Bytes of the rows [first, first + count) into `out`.
PJ_CHECKED bool pj_cube_rows_read(const pj_cube_rows *rows, size_t first, size_t count, char *out,
                                  pj_cube_unpacker *unpacker, pj_err *err);

#endif
