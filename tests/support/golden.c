// Compares line by line, so that a difference is read at once.
#include "tests/support/golden.h"

#include "metrics/base/buf.h"

#include <stdio.h>
#include <stdlib.h>

static bool write_file(const char *path, pj_str text)
{
    FILE *file = fopen(path, "wb");
    if (!file)
        return false;
    bool good = fwrite(text.at, 1, text.len, file) == text.len;
    return fclose(file) == 0 && good;
}

static void read_file(const char *path, pj_buf *out)
{
    FILE *file = fopen(path, "rb");
    size_t got = 1;
    while (file && got > 0) {
        got = fread(pj_buf_room(out, 4096), 1, 4096, file);
        out->len += got;
    }
    if (file)
        fclose(file);
}

bool pj_golden_same(const char *path, pj_str text)
{
    if (getenv("PJ_UPDATE_GOLDEN"))
        return write_file(path, text);
    pj_auto_buf wanted = {0};
    read_file(path, &wanted);
    pj_str a = pj_buf_str(&wanted), b = text;
    for (unsigned line = 1; a.len || b.len; line++) {
        pj_str want = pj_str_cut(&a, '\n'), got = pj_str_cut(&b, '\n');
        if (pj_str_equal(want, got))
            continue;
        fprintf(stderr, "%s:%u\n  wanted " PJ_STR_FMT "\n  got    " PJ_STR_FMT "\n", path, line,
                PJ_STR_ARG(want), PJ_STR_ARG(got));
        return false;
    }
    return wanted.len == text.len;
}
