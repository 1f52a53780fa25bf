// Which way a call of input and output moves bytes. Ownership: plain data.
#ifndef PJ_IO_WAY_H
#define PJ_IO_WAY_H

#include "metrics/base/str.h"

typedef enum pj_io_way {
    PJ_IO_LEFT, // no call
    PJ_IO_READ,
    PJ_IO_WRITE,
    PJ_IO_OTHER, // it moves none, or the trace does not tell
} pj_io_way;

/// Of "fread", "MPI_File_write_at_all".
pj_io_way pj_io_way_named(pj_str call);

#endif
