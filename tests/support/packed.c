// zlib's own gzip format, in one call; the others by hand.
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

static void add_number(pj_buf *out, uint64_t number, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        pj_buf_add_char(out, (char)(number >> 8 * i & 0xff));
}

void packed_zstd(pj_buf *out, pj_str text)
{
    enum { SIZE_OF_8_BYTES = 0xe0, BLOCK_MOST = 128 << 10, LAST = 1, SIZE_SHIFT = 3 };
    pj_buf_add(out, PJ_S("\x28\xb5\x2f\xfd"));
    add_number(out, SIZE_OF_8_BYTES, 1);
    add_number(out, text.len, 8);
    bool last = false;
    while (!last) {
        pj_str block = pj_str_head(text, BLOCK_MOST);
        text = pj_str_from(text, block.len);
        last = text.len == 0;
        add_number(out, block.len << SIZE_SHIFT | (last ? LAST : 0), 3);
        pj_buf_add(out, block);
    }
}

void packed_utf16(pj_buf *out, pj_str text)
{
    pj_buf_add(out, PJ_S("\xff\xfe"));
    for (size_t i = 0; i < text.len; i++) {
        pj_buf_add_char(out, text.at[i]);
        pj_buf_add_char(out, 0);
    }
}

void packed_read(pj_buf *out, const char *path)
{
    enum { MOST = 1 << 20 };
    gzFile file = gzopen(path, "rb");
    assert_non_null(file);
    int len = gzread(file, pj_buf_room(out, MOST), MOST);
    assert_true(len > 0 && len < MOST);
    out->len = (size_t)len;
    out->at[len] = 0;
    gzclose(file);
}
