// replicate FROM TO MEGABYTES: a long .prv from a short one (plain or gzip): its records again and
// again, each time later by the length of the run.
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

typedef struct text {
    char *at;
    size_t len;
} text;

static text read_all(const char *path)
{
    text all = {NULL, 0};
    gzFile file = gzopen(path, "rb");
    int got = file ? 1 : 0;
    while (got > 0) {
        all.at = realloc(all.at, all.len + (1 << 20) + 1);
        got = all.at ? gzread(file, all.at + all.len, 1 << 20) : -1;
        all.len += got > 0 ? (size_t)got : 0;
    }
    if (!file || got < 0 || all.len == 0) {
        fprintf(stderr, "replicate: %s cannot be read\n", path);
        exit(1);
    }
    gzclose(file);
    all.at[all.len] = '\0';
    return all;
}

/// Whether field `index` (from 0, after the kind) of a record of this kind is a time.
static int is_time(char kind, int index)
{
    if (kind == '3')
        return index == 4 || index == 5 || index == 10 || index == 11;
    return index == 4 || (kind == '1' && index == 5);
}

static char *add_number(char *out, uint64_t value)
{
    char digits[20];
    int count = 0;
    do
        digits[count++] = (char)('0' + value % 10);
    while ((value /= 10) > 0);
    while (count > 0)
        *out++ = digits[--count];
    return out;
}

/// One line at `at` to `out`, `shift` ns later; returns the end of what was written.
static char *shift_line(const char *at, const char *end, uint64_t shift, char *out)
{
    char kind = *at;
    int last = kind == '3' ? 11 : kind == '1' ? 5 : 4;
    *out++ = *at++;
    for (int index = 0; index <= last && at < end; index++) {
        *out++ = *at++; // the colon
        if (is_time(kind, index)) {
            char *after = NULL;
            out = add_number(out, strtoull(at, &after, 10) + shift);
            at = after;
        }
        while (at < end && *at != ':')
            *out++ = *at++;
    }
    memcpy(out, at, (size_t)(end - at));
    return out + (end - at);
}

static int write_copy(FILE *to, const char *at, const char *end, uint64_t shift)
{
    static char line[1 << 16];
    while (at < end) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        stop = stop ? stop + 1 : end;
        if (*at != '#' && (size_t)(stop - at) < sizeof line / 2) {
            char *out = shift_line(at, stop, shift, line);
            if (fwrite(line, 1, (size_t)(out - line), to) != (size_t)(out - line))
                return 0;
        }
        at = stop;
    }
    return 1;
}

int main(int argc, char **argv)
{
    if (argc != 4) {
        fprintf(stderr, "usage: replicate FROM TO MEGABYTES\n");
        return 2;
    }
    text from = read_all(argv[1]);
    char *length = strstr(from.at, "):");
    char *unit = length ? strstr(length, "_ns:") : NULL;
    char *body = unit ? strchr(unit, '\n') + 1 : NULL;
    while (body && (*body == 'c' || *body == 'i'))
        body = strchr(body, '\n') + 1;
    FILE *to = fopen(argv[2], "wb");
    if (!body || !to) {
        fprintf(stderr, "replicate: not a trace in ns, or %s cannot be written\n", argv[2]);
        return 1;
    }
    const char *end = from.at + from.len;
    uint64_t span = strtoull(length + 2, NULL, 10) + 1;
    uint64_t copies = strtoull(argv[3], NULL, 10) * 1000000 / (uint64_t)(end - body) + 1;
    int fine = fprintf(to, "%.*s%" PRIu64 "%.*s", (int)(length + 2 - from.at), from.at,
                       span * copies, (int)(body - unit), unit) > 0;
    for (uint64_t copy = 0; fine && copy < copies; copy++)
        fine = write_copy(to, body, end, copy * span);
    free(from.at);
    return fclose(to) == 0 && fine ? 0 : 1;
}
