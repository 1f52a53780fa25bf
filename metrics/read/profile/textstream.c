// Lines of blocks, each found once.
#include "metrics/read/profile/textstream.h"

#include "metrics/base/err.h"
#include "metrics/base/str.h"

void pj_textstream_free(pj_textstream *stream)
{
    pj_block_free(&stream->block);
}

static bool take_block(pj_textstream *stream, pj_err *err)
{
    pj_err local = {.code = PJ_E_NONE};
    if (!pj_source_next(stream->source, &stream->block, &local)) {
        stream->failed = local.code != PJ_E_NONE;
        if (stream->failed && err && err->code == PJ_E_NONE)
            *err = local;
        return false;
    }
    stream->rest = (pj_str){stream->block.text, stream->block.len};
    return true;
}

bool pj_textstream_next(pj_textstream *stream, pj_str *line, pj_err *err)
{
    stream->dropped = false;
    if (stream->rest.len == 0) {
        if (!take_block(stream, err))
            return false;
        stream->dropped = stream->block.dropped;
    }
    stream->line++;
    if (stream->dropped) {
        *line = (pj_str){NULL, 0};
        return true;
    }
    const char *end = memchr(stream->rest.at, '\n', stream->rest.len);
    size_t len = end ? (size_t)(end - stream->rest.at) : stream->rest.len;
    *line = pj_str_head(stream->rest, len);
    stream->rest = pj_str_from(stream->rest, len + 1);
    while (line->len && line->at[line->len - 1] == '\r')
        line->len--;
    return true;
}
