// A chunk of a recording from any bytes: what is recovered of it can be decoded to its end, event
// by event as counted, in the order of time, and everything that is entered is left.
#include "metrics/base/buf.h"
#include "metrics/read/otf2/events/otf2_evt.h"
#include "metrics/record/merge/recover.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { CHUNK = 256 * 1024 };

static void require(bool truth)
{
    if (!truth)
        abort();
}

static const uint8_t *no_chunk(void *self, uint64_t index)
{
    (void)self, (void)index;
    return NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const pj_recover_known known = {.strings = 3, .parameters = 3, .metrics = 3, .comms = 3};
    const pj_recover_chunks none = {.chunk = no_chunk};
    pj_recovered out;
    pj_recovered_tail tail = {0};
    pj_recover_bytes(&none, (pj_str){(const char *)data, size}, &known, &out, &tail);
    require(tail.kept == 0);
    pj_otf2_evt *evt = pj_otf2_evt_memory(tail.bytes.at, tail.bytes.len, CHUNK);
    pj_otf2_event event;
    uint64_t events = 0, open = 0, last = 0;
    while (pj_otf2_evt_next(evt, &event)) {
        require(event.time >= last);
        last = event.time;
        open += event.type == PJ_OTF2_ENTER;
        open -= event.type == PJ_OTF2_LEAVE;
        events++;
    }
    require(events == out.events && open == 0);
    pj_otf2_evt_close(evt);
    pj_buf_free(&tail.bytes);
    return 0;
}
