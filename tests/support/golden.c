// Compares line by line, so that a difference is read at once.
#include "tests/support/golden.h"

#include "metrics/base/file.h"
#include "metrics/base/newfile.h"

#include <stdio.h>
#include <stdlib.h>

bool pj_golden_same(const char *path, pj_str text)
{
    if (getenv("PJ_UPDATE_GOLDEN"))
        return pj_newfile_put(path, text, NULL);
    pj_auto_buf wanted = {0};
    pj_ignore(pj_file_read(path, &wanted, NULL)); // none: the first line differs
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
