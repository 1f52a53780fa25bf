// zstd data (RFC 8878) in steps, as unpack.h says. Ownership: new/free.
#ifndef PJ_UNZSTD_H
#define PJ_UNZSTD_H

#include "metrics/base/str.h"
#include "metrics/read/unpack.h"

typedef struct pj_unzstd pj_unzstd;

/// NULL where libzstd was missing when this was built.
pj_unzstd *pj_unzstd_new(void);
void pj_unzstd_free(pj_unzstd *unzstd);
pj_unpack_end pj_unzstd_step(pj_unzstd *unzstd, pj_str *in, char *out, size_t room,
                             size_t *written);

#endif
