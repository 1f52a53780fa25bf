// The wire parser on any bytes. The input is cut into frames: a length byte (255 = the rest), then
// the frame. Without a key everything gets past the signature.
#include "kernel/jupyter/wire.h"

#include <assert.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t cut(pj_str text, pj_str *frames)
{
    size_t count = 0;
    while (text.len && count < PJ_WIRE_FRAMES) {
        size_t len = (unsigned char)text.at[0];
        text = pj_str_from(text, 1);
        frames[count] = pj_str_head(text, len == 255 ? text.len : len);
        text = pj_str_from(text, frames[count++].len);
    }
    return count;
}

static void answer(pj_wire *wire, pj_request *request)
{
    pj_origin origin;
    pj_origin_init(&origin);
    pj_post *post = pj_post_new(&origin, request, "reply", pj_reply_ok());
    pj_frames out = {0};
    pj_wire_encode(wire, &origin, post, request->ids, request->id_count, &out);
    assert(out.count == request->id_count + 6);
    pj_frames_free(&out);
    pj_post_free(post);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static pj_str frames[PJ_WIRE_FRAMES];
    size_t count = cut((pj_str){(const char *)data, size}, frames);
    pj_err err = {0};
    pj_wire *open = pj_wire_new(PJ_S("hmac-sha256"), PJ_S(""), &err);
    pj_request *request = pj_wire_decode(open, NULL, frames, count, &err);
    assert(!request == (err.code == PJ_E_FORMAT));
    if (request)
        answer(open, request);
    pj_request_drop(request);
    pj_wire_free(open);
    pj_wire *closed = pj_wire_new(PJ_S("hmac-sha256"), PJ_S("key"), NULL);
    assert(!pj_wire_decode(closed, NULL, frames, count, NULL));
    pj_wire_free(closed);
    return 0;
}
