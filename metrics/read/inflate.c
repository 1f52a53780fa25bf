// The two decompressors behind one function.
#include "metrics/read/inflate.h"

#include "metrics/base/arena.h"

#include <limits.h>
#include <stdlib.h>

#ifdef PJ_HAVE_ISAL
#include <isa-l/igzip_lib.h>

struct pj_inflate {
    struct inflate_state state;
};

pj_inflate *pj_inflate_new(void)
{
    pj_inflate *inflate = pj_take_memory(sizeof *inflate);
    memset(inflate, 0, sizeof *inflate); // corrupt data may refer to what was never written
    isal_inflate_init(&inflate->state);
    return inflate;
}

void pj_inflate_free(pj_inflate *inflate)
{
    free(inflate);
}

bool pj_inflate_whole(pj_inflate *inflate, pj_str packed, char *out, size_t size)
{
    struct inflate_state *state = &inflate->state;
    if (packed.len > UINT32_MAX || size > UINT32_MAX)
        return false;
    isal_inflate_reset(state);
    state->crc_flag = ISAL_ZLIB;
    state->next_in = (uint8_t *)(uintptr_t)packed.at; // the library only reads it
    state->avail_in = (uint32_t)packed.len;
    state->next_out = (uint8_t *)out;
    state->avail_out = (uint32_t)size;
    return isal_inflate(state) == ISAL_DECOMP_OK && state->block_state == ISAL_BLOCK_FINISH &&
           state->avail_out == 0;
}

#else
#include <zlib.h>

struct pj_inflate {
    z_stream stream;
};

pj_inflate *pj_inflate_new(void)
{
    pj_inflate *inflate = pj_take_memory(sizeof *inflate);
    inflate->stream = (z_stream){.next_in = NULL};
    inflateInit(&inflate->stream);
    return inflate;
}

void pj_inflate_free(pj_inflate *inflate)
{
    if (inflate)
        inflateEnd(&inflate->stream);
    free(inflate);
}

bool pj_inflate_whole(pj_inflate *unpacker, pj_str packed, char *out, size_t size)
{
    z_stream *stream = &unpacker->stream;
    if (packed.len > UINT_MAX || size > UINT_MAX)
        return false;
    inflateReset(stream);
    stream->next_in = (Bytef *)(uintptr_t)packed.at; // the library only reads it
    stream->avail_in = (uInt)packed.len;
    stream->next_out = (Bytef *)out;
    stream->avail_out = (uInt)size;
    return inflate(stream, Z_FINISH) == Z_STREAM_END && stream->avail_out == 0;
}

#endif
