// make_cubex FILE PATHS REGIONS RANKS THREADS [packed]: a CUBE file of that size.
#include "metrics/base/newfile.h"
#include "metrics/base/num.h"
#include "tests/support/profile/cube_writer.h"

#include <stdio.h>

int main(int argc, char **argv)
{
    uint64_t n[4];
    for (int i = 0; i < 4; i++)
        if (argc < 6 || !pj_parse_u64(pj_str_of(argv[i + 2]), &n[i]))
            return fputs("make_cubex FILE PATHS REGIONS RANKS THREADS [packed]\n", stderr), 2;
    cube_spec spec = {.nodes = (uint32_t)n[0],
                      .regions = (uint32_t)n[1],
                      .ranks = (uint32_t)n[2],
                      .threads = (uint32_t)n[3],
                      .packed = argc > 6};
    pj_auto_buf bytes = {.at = NULL};
    cube_write(&spec, &bytes);
    return !pj_newfile_put(argv[1], pj_buf_str(&bytes), NULL);
}
