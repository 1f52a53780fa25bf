// zlib's own gzip format, in one call.
#include "tests/support/packed.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <zlib.h>

#include <cmocka.h>

void packed_gzip(pj_buf *out, pj_str text)
{
    enum { GZIP = 15 + 16, LEVEL = 6, MEMORY = 8 };
    z_stream stream = {.next_in = (Bytef *)(uintptr_t)text.at, .avail_in = (uInt)text.len};
    assert_int_equal(deflateInit2(&stream, LEVEL, Z_DEFLATED, GZIP, MEMORY, 0), Z_OK);
    size_t bound = deflateBound(&stream, (uLong)text.len);
    stream.next_out = (Bytef *)pj_buf_room(out, bound);
    stream.avail_out = (uInt)bound;
    assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
    out->len += bound - stream.avail_out;
    deflateEnd(&stream);
}
