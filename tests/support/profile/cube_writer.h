// CUBE files (.cubex) of any size, with values that follow from call path, location and seed: what
// Score-P writes of MPI and OpenMP, byte for byte where it matters. Ownership: new/free.
#ifndef PJ_CUBE_WRITER_H
#define PJ_CUBE_WRITER_H

#include "metrics/base/buf.h"

#include <stdint.h>

typedef struct cube_spec {
    uint32_t nodes, regions, ranks, threads;
    bool packed;      // rows as zlib streams (ZCUBEX)
    bool dense;       // no index where every call path has a row
    bool swapped;     // the other order of bytes
    bool packed_text; // anchor.xml is packed with gzip
    bool wrong_sums;  // checksums of the archive's headers are wrong
} cube_spec;

/// Parent of a call path in pre-order, -1 of the first; its region.
int32_t cube_parent(const cube_spec *spec, uint32_t node);
uint32_t cube_region(const cube_spec *spec, uint32_t node);
uint64_t cube_visits(const cube_spec *spec, uint32_t node, uint32_t location);
/// Seconds without callees.
double cube_time(const cube_spec *spec, uint32_t node, uint32_t location);
/// Bytes sent; zero but for one call path in eight.
uint64_t cube_bytes(const cube_spec *spec, uint32_t node, uint32_t location);

void cube_write(const cube_spec *spec, pj_buf *out);

#endif
