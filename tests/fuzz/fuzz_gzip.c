// The source on any bytes: its blocks hold whole lines, one behind the other.
#include "metrics/read/source.h"

#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    pj_job job = {.workers = 1};
    pj_err err = {.code = PJ_E_NONE};
    pj_source *source = pj_source_memory("fuzz", (pj_str){(const char *)data, size}, &job, &err);
    assert(!source == (err.code != PJ_E_NONE));
    if (!source)
        return 0;
    pj_block block = {.memory = NULL};
    uint64_t offset = 0;
    while (pj_source_next(source, &block, &err)) {
        assert(block.dropped || (block.len > 0 && block.text[block.len - 1] == '\n'));
        assert(block.offset >= offset);
        offset = block.offset + block.len - block.unended;
    }
    assert(err.code == PJ_E_NONE);
    assert(offset <= pj_source_facts_of(source).text_bytes);
    (void)offset;
    pj_block_free(&block);
    pj_source_close(source);
    return 0;
}
