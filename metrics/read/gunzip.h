// gzip data (RFC 1952) in steps, as unpack.h says: ISA-L where it is available (2.8 times as fast),
// else zlib. Ownership: new/free.
#ifndef PJ_GUNZIP_H
#define PJ_GUNZIP_H

#include "metrics/base/str.h"
#include "metrics/read/unpack.h"

typedef struct pj_gunzip pj_gunzip;

pj_gunzip *pj_gunzip_new(void);
void pj_gunzip_free(pj_gunzip *gunzip);
pj_unpack_end pj_gunzip_step(pj_gunzip *gunzip, pj_str *in, char *out, size_t room,
                             size_t *written);

#endif
