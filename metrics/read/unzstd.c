// Decompression of zstd.
// libzstd where it is there. A frame that wants a window above its default (128 MiB) is refused.
#include "metrics/read/unzstd.h"

#include "metrics/base/str.h"

#ifdef PJ_HAVE_ZSTD
#include <zstd.h>

pj_unzstd *pj_unzstd_new(void)
{
    return (pj_unzstd *)ZSTD_createDStream();
}

void pj_unzstd_free(pj_unzstd *unzstd)
{
    ZSTD_freeDStream((ZSTD_DStream *)unzstd);
}

pj_unpack_end pj_unzstd_step(pj_unzstd *unzstd, pj_str *in, char *out, size_t room, size_t *written)
{
    ZSTD_inBuffer given = {in->at, in->len, 0};
    ZSTD_outBuffer wanted = {out, room, 0};
    size_t status = ZSTD_decompressStream((ZSTD_DStream *)unzstd, &wanted, &given);
    *in = pj_str_from(*in, given.pos);
    *written = wanted.pos;
    if (ZSTD_isError(status))
        return PJ_UNPACK_CORRUPT;
    if (status == 0)
        return PJ_UNPACK_MEMBER;
    return wanted.pos == room ? PJ_UNPACK_FULL : PJ_UNPACK_HUNGRY;
}

#else

pj_unzstd *pj_unzstd_new(void)
{
    return NULL;
}

void pj_unzstd_free(pj_unzstd *unzstd)
{
    (void)unzstd;
}

pj_unpack_end pj_unzstd_step(pj_unzstd *unzstd, pj_str *in, char *out, size_t room, size_t *written)
{
    (void)unzstd, (void)in, (void)out, (void)room, (void)written;
    return PJ_UNPACK_CORRUPT;
}

#endif
