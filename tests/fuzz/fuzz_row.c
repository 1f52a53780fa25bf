// Names of threads from any bytes; the first byte is the number of threads.
#include "metrics/read/paraver/row.h"

#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { MOST = 256 };
    const char *names[MOST] = {NULL};
    if (size == 0)
        return 0;
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_layout layout = {.locations = data[0], .location_name = names};
    bool fits = pj_row_parse((pj_str){(const char *)data + 1, size - 1}, &layout, arena);
    for (uint32_t i = 0; fits && layout.location_name != names && i < layout.locations; i++)
        assert(layout.location_name[i]);
    return 0;
}
