// Streaming decompression of gzip.
// The two decompressors behind one function.
#include "metrics/read/gunzip.h"

#include "metrics/base/arena.h"
#include "metrics/base/str.h"

#include <stdlib.h>

enum { LARGEST_STEP = 1 << 30 }; // both libraries count in 32 bits

static size_t step_size(size_t size)
{
    return size < LARGEST_STEP ? size : LARGEST_STEP;
}

#ifdef PJ_HAVE_ISAL
#include <isa-l/igzip_lib.h>

struct pj_gunzip {
    struct inflate_state state;
};

static void begin_member(pj_gunzip *gunzip)
{
    isal_inflate_reset(&gunzip->state);
    gunzip->state.crc_flag = ISAL_GZIP;
}

pj_gunzip *pj_gunzip_new(void)
{
    pj_gunzip *gunzip = pj_take_memory(sizeof *gunzip);
    memset(gunzip, 0, sizeof *gunzip); // corrupt data may refer to what was never written
    isal_inflate_init(&gunzip->state);
    begin_member(gunzip);
    return gunzip;
}

void pj_gunzip_free(pj_gunzip *gunzip)
{
    free(gunzip);
}

pj_unpack_end pj_gunzip_step(pj_gunzip *gunzip, pj_str *in, char *out, size_t room, size_t *written)
{
    struct inflate_state *state = &gunzip->state;
    uint32_t given = (uint32_t)step_size(in->len), wanted = (uint32_t)step_size(room);
    state->next_in = (uint8_t *)(uintptr_t)in->at; // the library only reads it
    state->avail_in = given;
    state->next_out = (uint8_t *)out;
    state->avail_out = wanted;
    int status = isal_inflate(state);
    *in = pj_str_from(*in, given - state->avail_in);
    *written = wanted - state->avail_out;
    if (status < 0)
        return PJ_UNPACK_CORRUPT;
    if (state->block_state == ISAL_BLOCK_FINISH) {
        begin_member(gunzip);
        return PJ_UNPACK_MEMBER;
    }
    return state->avail_out == 0 ? PJ_UNPACK_FULL : PJ_UNPACK_HUNGRY;
}

#else
#include <zlib.h>

struct pj_gunzip {
    z_stream stream;
};

pj_gunzip *pj_gunzip_new(void)
{
    enum { WINDOW_BITS = 15, ONLY_GZIP = 16 };
    pj_gunzip *gunzip = pj_take_memory(sizeof *gunzip);
    gunzip->stream = (z_stream){.next_in = NULL};
    inflateInit2(&gunzip->stream, WINDOW_BITS + ONLY_GZIP);
    return gunzip;
}

void pj_gunzip_free(pj_gunzip *gunzip)
{
    if (gunzip)
        inflateEnd(&gunzip->stream);
    free(gunzip);
}

pj_unpack_end pj_gunzip_step(pj_gunzip *gunzip, pj_str *in, char *out, size_t room, size_t *written)
{
    z_stream *stream = &gunzip->stream;
    uInt given = (uInt)step_size(in->len), wanted = (uInt)step_size(room);
    stream->next_in = (Bytef *)(uintptr_t)in->at; // the library only reads it
    stream->avail_in = given;
    stream->next_out = (Bytef *)out;
    stream->avail_out = wanted;
    int status = inflate(stream, Z_NO_FLUSH);
    *in = pj_str_from(*in, given - stream->avail_in);
    *written = wanted - stream->avail_out;
    if (status == Z_STREAM_END) {
        inflateReset(stream);
        return PJ_UNPACK_MEMBER;
    }
    if (status != Z_OK && status != Z_BUF_ERROR)
        return PJ_UNPACK_CORRUPT;
    return stream->avail_out == 0 ? PJ_UNPACK_FULL : PJ_UNPACK_HUNGRY;
}

#endif
