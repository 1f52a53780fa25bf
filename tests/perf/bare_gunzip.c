// bare_gunzip FILE: decompression alone, with the fastest library at hand; prints the bytes.
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

enum { block = 1 << 20 };
static unsigned char in[block], out[block];

#ifdef PJ_HAVE_ISAL
#include <isa-l/igzip_lib.h>

static uint64_t inflate_all(int file)
{
    static struct inflate_state state;
    struct isal_gzip_header header;
    uint64_t total = 0;
    isal_inflate_init(&state);
    isal_gzip_header_init(&header);
    state.crc_flag = ISAL_GZIP;
    do {
        if (state.avail_in == 0) {
            ssize_t got = read(file, in, sizeof in);
            if (got <= 0)
                return 0;
            state.next_in = in;
            state.avail_in = (uint32_t)got;
        }
        state.next_out = out;
        state.avail_out = sizeof out;
        if (isal_inflate(&state) != ISAL_DECOMP_OK)
            return 0;
        total += sizeof out - state.avail_out;
    } while (state.block_state != ISAL_BLOCK_FINISH);
    return total;
}
#else
#include <zlib.h>

static uint64_t inflate_all(int file)
{
    z_stream stream = {0};
    uint64_t total = 0;
    int status = inflateInit2(&stream, 15 + 32);
    while (status == Z_OK || status == Z_BUF_ERROR) {
        if (stream.avail_in == 0) {
            ssize_t got = read(file, in, sizeof in);
            if (got <= 0)
                return 0;
            stream.next_in = in;
            stream.avail_in = (unsigned)got;
        }
        stream.next_out = out;
        stream.avail_out = sizeof out;
        status = inflate(&stream, Z_NO_FLUSH);
        total += sizeof out - stream.avail_out;
    }
    inflateEnd(&stream);
    return status == Z_STREAM_END ? total : 0;
}
#endif

int main(int argc, char **argv)
{
    int file = argc == 2 ? open(argv[1], O_RDONLY) : -1;
    uint64_t total = file >= 0 ? inflate_all(file) : 0;
    if (total == 0) {
        fprintf(stderr, "usage: bare_gunzip FILE.gz (a gzip file with one member)\n");
        return 1;
    }
    printf("%llu\n", (unsigned long long)total);
    return 0;
}
