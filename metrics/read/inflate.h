// Streams of zlib (RFC 1950) of known size, many small ones one after another: ISA-L where it is
// available, else zlib. Ownership: new/free.
#ifndef PJ_INFLATE_H
#define PJ_INFLATE_H

#include "metrics/base/str.h"

typedef struct pj_inflate pj_inflate;

pj_inflate *pj_inflate_new(void);
/// NULL is allowed.
void pj_inflate_free(pj_inflate *inflate);
/// Whether `packed` is one stream, whole and with the right checksum, that unpacks to just `size`
/// bytes, which are stored at `out`.
bool pj_inflate_whole(pj_inflate *inflate, pj_str packed, char *out, size_t size);

#endif
