// bare_parse FILE: the least that any reader of a .prv must do: 1 MB blocks through read(2), every
// number of every record parsed by a plain loop, durations summed by state. Prints the sums.
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { block = 1 << 20, longest_line = 1 << 16, states = 64 };

typedef struct sums {
    uint64_t duration[states]; // ns
    uint64_t lines, bytes, sink;
} sums;

static char buffer[longest_line + block];

/// The number at `*at`; moves behind the character that ends it.
static inline uint64_t number(const char **at)
{
    const char *p = *at;
    uint64_t value = 0;
    unsigned digit = 0;
    while ((digit = (unsigned)*p - '0') <= 9) {
        value = value * 10 + digit;
        p++;
    }
    *at = p + 1;
    return value;
}

/// One record; returns where the next line begins. `sink` keeps the compiler from leaving out the
/// numbers that nobody wants.
static const char *parse_line(const char *at, sums *out)
{
    char kind = *at;
    uint64_t sink = 0;
    at += 2;
    out->lines++;
    if (kind == '1') {
        for (int i = 0; i < 4; i++)
            sink += number(&at);
        uint64_t begin = number(&at);
        uint64_t length = number(&at) - begin;
        out->duration[number(&at) % states] += length;
    } else if (kind == '2') {
        for (int i = 0; i < 5; i++)
            sink += number(&at);
        while (at[-1] == ':') {
            sink += number(&at);
            at += *at == '-';
            sink ^= number(&at);
        }
    } else if (kind == '3') {
        for (int i = 0; i < 12; i++)
            sink += number(&at);
        out->bytes += number(&at);
        sink += number(&at);
    }
    out->sink += sink;
    return at[-1] == '\n' ? at : (const char *)memchr(at, '\n', longest_line) + 1;
}

/// Parses the whole lines of `size` bytes; returns the bytes of the last, cut one.
static size_t parse_block(const char *text, size_t size, sums *out)
{
    const char *end = memrchr(text, '\n', size);
    if (!end)
        return size;
    for (const char *at = text; at <= end;)
        at = parse_line(at, out);
    return (size_t)(text + size - end - 1);
}

int main(int argc, char **argv)
{
    int file = argc == 2 ? open(argv[1], O_RDONLY) : -1;
    if (file < 0) {
        fprintf(stderr, "usage: bare_parse FILE.prv\n");
        return 1;
    }
    static sums total;
    size_t kept = 0;
    ssize_t got = 0;
    while ((got = read(file, buffer + longest_line, block)) > 0) {
        const char *text = buffer + longest_line - kept;
        size_t size = kept + (size_t)got;
        kept = parse_block(text, size, &total);
        if (kept > longest_line)
            return 1;
        memmove(buffer + longest_line - kept, text + size - kept, kept);
    }
    printf("%llu lines, %llu ns running, %llu bytes, %llu\n", (unsigned long long)total.lines,
           (unsigned long long)total.duration[1], (unsigned long long)total.bytes,
           (unsigned long long)total.sink);
    return 0;
}
