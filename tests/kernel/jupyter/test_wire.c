// Frames in and out: signatures, refusals, odd JSON, the replay guard.
#include "kernel/jupyter/wire.h"

#include "kernel/command/jsontext.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#define HEADER                                                                                     \
    "{\"msg_id\":\"m1\",\"msg_type\":\"execute_request\",\"session\":\"s\",\"extra\":[1]}"

static pj_wire *new_wire(const char *scheme, const char *key)
{
    pj_err err = {0};
    pj_wire *wire = pj_wire_new(pj_str_of(scheme), pj_str_of(key), &err);
    assert_non_null(wire);
    return wire;
}

/// A message of a peer: encodes a post and puts other parts in place of its own.
typedef struct peer {
    pj_wire *wire;
    pj_origin origin;
    pj_frames frames;
    pj_post *post;
} peer;

static void peer_open(peer *p, const char *key)
{
    *p = (peer){.wire = new_wire("hmac-sha256", key)};
    pj_origin_init(&p->origin);
    p->post = pj_post_new(&p->origin, NULL, "execute_request", json_pack("{s:s}", "code", "1"));
    pj_str ids[] = {PJ_S("\0peer")};
    pj_wire_encode(p->wire, &p->origin, p->post, ids, 1, &p->frames);
}

static void peer_close(peer *p)
{
    pj_post_free(p->post);
    pj_frames_free(&p->frames);
    pj_wire_free(p->wire);
}

static void assert_refused(pj_wire *wire, pj_replay *replay, const pj_str *frames, size_t count,
                           const char *why)
{
    pj_err err = {0};
    assert_null(pj_wire_decode(wire, replay, frames, count, &err));
    assert_int_equal(err.code, PJ_E_FORMAT);
    if (!strstr(err.text, why))
        fail_msg("'%s' does not say '%s'", err.text, why);
}

static void test_round_trip(void **state)
{
    (void)state;
    peer p;
    peer_open(&p, "secret");
    pj_err err = {0};
    pj_request *r = pj_wire_decode(p.wire, NULL, p.frames.at, p.frames.count, &err);
    assert_non_null(r);
    assert_int_equal(r->id_count, 1);
    assert_true(pj_str_equal(r->ids[0], PJ_S("\0peer")));
    assert_true(pj_request_is(r, PJ_S("execute_request")));
    assert_true(pj_str_equal(pj_jsontext_str(r->content, "code"), PJ_S("1")));
    assert_true(pj_str_equal(r->header, p.frames.at[3]));
    assert_int_equal(r->buffer_count, 0);
    pj_request_drop(r);
    peer_close(&p);
}

/// RFC 4231, test case 2, is over one text; ours is over four frames in a row.
static void test_known_signature(void **state)
{
    (void)state;
    pj_wire *wire = new_wire("hmac-sha256", "Jefe");
    pj_str good[] = {
        PJ_S("<IDS|MSG>"),
        PJ_S("5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"),
        PJ_S("what do ya want "),
        PJ_S("for "),
        PJ_S("noth"),
        PJ_S("ing?"),
    };
    assert_refused(wire, NULL, good, 6, "not JSON"); // the signature was right
    good[1] = PJ_S("5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3844");
    assert_refused(wire, NULL, good, 6, "wrong signature");
    pj_wire_free(wire);
}

static void test_every_flipped_bit_is_refused(void **state)
{
    (void)state;
    peer p;
    peer_open(&p, "secret");
    for (size_t f = 2; f < p.frames.count; f++)
        for (size_t i = 0; i < p.frames.at[f].len; i++) {
            pj_str before = p.frames.at[f];
            char *copy = malloc(before.len);
            memcpy(copy, before.at, before.len);
            copy[i] ^= 1;
            p.frames.at[f].at = copy;
            assert_refused(p.wire, NULL, p.frames.at, p.frames.count, "wrong signature");
            p.frames.at[f] = before;
            free(copy);
        }
    peer_close(&p);
}

static void test_refusals(void **state)
{
    (void)state;
    pj_wire *wire = new_wire("hmac-sha256", "");
    pj_str m[] = {PJ_S("id"), PJ_S("<IDS|MSG>"), PJ_S(""),   PJ_S(HEADER),
                  PJ_S("{}"), PJ_S("{}"),        PJ_S("{}"), PJ_S("buffer")};
    pj_err err = {0};
    pj_request *r = pj_wire_decode(wire, NULL, m, 8, &err);
    assert_non_null(r);
    assert_int_equal(r->buffer_count, 1);
    assert_true(pj_str_equal(r->buffers[0], PJ_S("buffer")));
    pj_request_drop(r);
    for (size_t count = 0; count < 2; count++)
        assert_refused(wire, NULL, m, count, "delimiter");
    for (size_t count = 2; count < 7; count++)
        assert_refused(wire, NULL, m, count, "frames are missing");
    static const pj_str bad_headers[] = {{"[]", 2},
                                         {"{}", 2},
                                         {"{\"msg_id\":\"a\"}", 14},
                                         {"{\"msg_id\":1,\"msg_type\":\"x\"}", 27},
                                         {"", 0}};
    for (size_t i = 0; i < sizeof bad_headers / sizeof *bad_headers; i++) {
        m[3] = bad_headers[i];
        assert_refused(wire, NULL, m, 7, "");
    }
    m[3] = PJ_S(HEADER);
    for (size_t f = 4; f < 7; f++) {
        pj_str before = m[f];
        m[f] = PJ_S("[1]");
        assert_refused(wire, NULL, m, 7, "not a JSON object");
        m[f] = before;
    }
    pj_wire_free(wire);
}

static void test_too_many_frames(void **state)
{
    (void)state;
    pj_wire *wire = new_wire("hmac-sha256", "");
    static pj_str m[PJ_WIRE_FRAMES + 1];
    const pj_str start[] = {PJ_S("<IDS|MSG>"), PJ_S(""),   PJ_S(HEADER),
                            PJ_S("{}"),        PJ_S("{}"), PJ_S("{}")};
    memcpy(m, start, sizeof start);
    pj_err err = {0};
    pj_request *r = pj_wire_decode(wire, NULL, m, PJ_WIRE_FRAMES, &err);
    assert_non_null(r);
    pj_request_drop(r);
    assert_refused(wire, NULL, m, PJ_WIRE_FRAMES + 1, "too many frames");
    for (size_t i = 0; i <= PJ_WIRE_IDS; i++)
        m[i] = PJ_S("id");
    memcpy(m + PJ_WIRE_IDS + 1, start, sizeof start);
    assert_refused(wire, NULL, m, 100, "delimiter");
    pj_wire_free(wire);
}

static void test_lone_surrogates_pass(void **state)
{
    (void)state;
    pj_wire *wire = new_wire("hmac-sha256", "");
    pj_str m[] = {
        PJ_S("<IDS|MSG>"), PJ_S(""),   PJ_S("{\"msg_id\":\"\\ud800\",\"msg_type\":\"t\"}"),
        PJ_S("{}"),        PJ_S("{}"), PJ_S("{\"code\":\"a\\ud83d\",\"n\":99999999999999999999}")};
    pj_err err = {0};
    pj_request *r = pj_wire_decode(wire, NULL, m, 6, &err);
    assert_non_null(r);
    assert_true(pj_str_equal(pj_jsontext_str(r->content, "code"), PJ_S("a\xEF\xBF\xBD")));
    assert_true(pj_str_equal(r->header, PJ_S("{\"msg_id\":\"\\ufffd\",\"msg_type\":\"t\"}")));
    pj_request_drop(r);
    pj_wire_free(wire);
}

static void test_replay(void **state)
{
    (void)state;
    peer p;
    peer_open(&p, "secret");
    pj_replay *replay = pj_replay_new();
    pj_err err = {0};
    pj_request_drop(pj_wire_decode(p.wire, replay, p.frames.at, p.frames.count, &err));
    assert_int_equal(err.code, PJ_E_NONE);
    assert_refused(p.wire, replay, p.frames.at, p.frames.count, "sent before");
    pj_frames again = {0};
    for (int i = 0; i < PJ_WIRE_REMEMBERED - 1; i++) { // each with a serial number of its own
        p.post->serial++;
        pj_wire_encode(p.wire, &p.origin, p.post, NULL, 0, &again);
        pj_request *r = pj_wire_decode(p.wire, replay, again.at, again.count, &err);
        assert_non_null(r);
        pj_request_drop(r);
    }
    assert_refused(p.wire, replay, p.frames.at, p.frames.count, "sent before");
    assert_refused(p.wire, replay, again.at, again.count, "sent before");
    pj_frames_free(&again);
    pj_replay_free(replay);
    peer_close(&p);
}

static void test_digests(void **state)
{
    (void)state;
    static const struct {
        const char *scheme;
        size_t len;
    } digests[] = {{"hmac-sha256", 64},
                   {"hmac-sha512", 128},
                   {"hmac-sha1", 40},
                   {"hmac-md5", 32},
                   {"hmac-sha3-256", 64}};
    pj_origin origin;
    pj_origin_init(&origin);
    pj_post *post = pj_publish_status(&origin, NULL, "busy");
    for (size_t i = 0; i < sizeof digests / sizeof *digests; i++) {
        pj_wire *wire = new_wire(digests[i].scheme, "key");
        pj_frames frames = {0};
        pj_wire_encode(wire, &origin, post, NULL, 0, &frames);
        assert_int_equal(frames.at[1].len, digests[i].len);
        pj_err err = {0};
        pj_request *r = pj_wire_decode(wire, NULL, frames.at, frames.count, &err);
        assert_non_null(r);
        pj_request_drop(r);
        pj_frames_free(&frames);
        pj_wire_free(wire);
    }
    pj_post_free(post);
    pj_err err = {0};
    assert_null(pj_wire_new(PJ_S("hmac-none"), PJ_S("key"), &err));
    assert_non_null(strstr(err.text, "hmac-none"));
    assert_null(pj_wire_new(PJ_S("sha256"), PJ_S("key"), NULL));
}

static void test_unsigned(void **state)
{
    (void)state;
    peer p;
    peer_open(&p, "");
    assert_int_equal(p.frames.at[2].len, 0);
    pj_replay *replay = pj_replay_new();
    pj_err err = {0};
    for (int i = 0; i < 2; i++) {
        pj_request *r = pj_wire_decode(p.wire, replay, p.frames.at, p.frames.count, &err);
        assert_non_null(r);
        pj_request_drop(r);
    }
    pj_replay_free(replay);
    peer_close(&p);
}

static void test_header_of_answers(void **state)
{
    (void)state;
    peer p;
    peer_open(&p, "k");
    pj_err err = {0};
    pj_request *r = pj_wire_decode(p.wire, NULL, p.frames.at, p.frames.count, &err);
    pj_post *post = pj_post_new(&p.origin, r, "execute_reply", pj_reply_ok());
    pj_frames out = {0};
    pj_wire_encode(p.wire, &p.origin, post, r->ids, r->id_count, &out);
    assert_int_equal(out.count, 7);
    assert_true(pj_str_equal(out.at[4], r->header)); // the parent, byte for byte
    json_t *header = json_loadb(out.at[3].at, out.at[3].len, 0, NULL);
    assert_non_null(header);
    assert_string_equal(json_string_value(json_object_get(header, "version")), PJ_PROTOCOL);
    assert_string_equal(json_string_value(json_object_get(header, "msg_type")), "execute_reply");
    const char *date = json_string_value(json_object_get(header, "date"));
    assert_int_equal(strlen(date), strlen("2024-01-01T00:00:00.000000Z"));
    assert_int_equal(date[26], 'Z');
    json_decref(header);
    pj_frames_free(&out);
    pj_post_free(post);
    pj_request_drop(r);
    peer_close(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_known_signature),
        cmocka_unit_test(test_every_flipped_bit_is_refused),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_too_many_frames),
        cmocka_unit_test(test_lone_surrogates_pass),
        cmocka_unit_test(test_replay),
        cmocka_unit_test(test_digests),
        cmocka_unit_test(test_unsigned),
        cmocka_unit_test(test_header_of_answers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
