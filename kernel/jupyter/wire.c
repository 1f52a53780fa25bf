// Signing, verifying, taking messages apart and putting them together.
#include "kernel/jupyter/wire.h"

#include "kernel/command/jsontext.h"
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/clock.h"
#include "metrics/base/str.h"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define DELIMITER PJ_S("<IDS|MSG>")

_Static_assert(PJ_WIRE_SIGNATURE == 2 * EVP_MAX_MD_SIZE, "two digits per byte");

enum { LONGEST_TEXT = 64 << 20, MOST_VALUES = 4 << 20 }; // of one JSON part
enum { SIGNED_FRAMES = 4, FINGERPRINT = 16, SLOTS = 2 * PJ_WIRE_REMEMBERED };

struct pj_wire {
    EVP_MAC *algorithm; // NULL = messages are not signed
    EVP_MAC_CTX *mac;
    time_t second; // that `date` tells
    char date[32];
};

typedef struct fingerprint {
    unsigned char bytes[FINGERPRINT];
} fingerprint;

/// Two generations: when the younger is full it becomes the older one, which is forgotten.
struct pj_replay {
    pthread_mutex_t lock;
    fingerprint *young, *old; // open addressing; all zero = free
    size_t young_count;
};

// Signing

static bool init_mac(pj_wire *wire, const char *digest, pj_str key)
{
    OSSL_PARAM params[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, (char *)digest, 0),
        OSSL_PARAM_construct_end(),
    };
    wire->algorithm = EVP_MAC_fetch(NULL, "HMAC", NULL);
    if (wire->algorithm)
        wire->mac = EVP_MAC_CTX_new(wire->algorithm);
    return wire->mac && EVP_MAC_init(wire->mac, (const unsigned char *)key.at, key.len, params);
}

pj_wire *pj_wire_new(pj_str scheme, pj_str key, pj_err *err)
{
    pj_wire *wire = pj_take_memory(sizeof *wire);
    *wire = (pj_wire){0};
    if (!key.len)
        return wire;
    char digest[64];
    pj_str name = pj_str_from(scheme, 5);
    snprintf(digest, sizeof digest, PJ_STR_FMT, PJ_STR_ARG(name));
    if (!pj_str_starts(scheme, PJ_S("hmac-")) || !init_mac(wire, digest, key)) {
        pj_fail(err, PJ_E_USAGE, "signature_scheme", 0,
                "'" PJ_STR_FMT "' is not known; use hmac-sha256 or hmac- with another digest of "
                "OpenSSL",
                PJ_STR_ARG(scheme));
        pj_wire_free(wire);
        return NULL;
    }
    return wire;
}

void pj_wire_free(pj_wire *wire)
{
    if (!wire)
        return;
    EVP_MAC_CTX_free(wire->mac);
    EVP_MAC_free(wire->algorithm);
    free(wire);
}

/// The HMAC of frames in `digest`; returns its length.
static size_t sign(pj_wire *wire, const pj_str *frames, size_t count,
                   unsigned char digest[EVP_MAX_MD_SIZE])
{
    size_t len = 0;
    bool ok = EVP_MAC_init(wire->mac, NULL, 0, NULL);
    for (size_t i = 0; i < count; i++)
        ok = ok && EVP_MAC_update(wire->mac, (const unsigned char *)frames[i].at, frames[i].len);
    ok = ok && EVP_MAC_final(wire->mac, digest, &len, EVP_MAX_MD_SIZE);
    return ok ? len : 0;
}

static void to_hex(const unsigned char *bytes, size_t len, char *out)
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < len; i++) {
        *out++ = digits[bytes[i] >> 4];
        *out++ = digits[bytes[i] & 15];
    }
}

/// Whether the signature is that of the frames, whose digest is left in `digest`.
static size_t check(pj_wire *wire, pj_str signature, const pj_str *frames, size_t count,
                    unsigned char digest[EVP_MAX_MD_SIZE])
{
    char hex[PJ_WIRE_SIGNATURE];
    size_t len = sign(wire, frames, count, digest);
    to_hex(digest, len, hex);
    bool same = signature.len == 2 * len && CRYPTO_memcmp(hex, signature.at, 2 * len) == 0;
    return same ? len : 0;
}

size_t pj_wire_sign(pj_wire *wire, const pj_str *frames, size_t count, char *out)
{
    if (!wire->mac)
        return 0;
    unsigned char digest[EVP_MAX_MD_SIZE];
    size_t len = sign(wire, frames, count, digest);
    to_hex(digest, len, out);
    return 2 * len;
}

bool pj_wire_verify(pj_wire *wire, pj_str signature, const pj_str *frames, size_t count)
{
    unsigned char digest[EVP_MAX_MD_SIZE];
    return !wire->mac || check(wire, signature, frames, count, digest);
}

// Replay guard

pj_replay *pj_replay_new(void)
{
    pj_replay *replay = pj_take_memory(sizeof *replay);
    *replay = (pj_replay){
        .young = calloc(SLOTS, sizeof(fingerprint)),
        .old = calloc(SLOTS, sizeof(fingerprint)),
    };
    pthread_mutex_init(&replay->lock, NULL);
    return replay;
}

void pj_replay_free(pj_replay *replay)
{
    if (!replay)
        return;
    pthread_mutex_destroy(&replay->lock);
    free(replay->young);
    free(replay->old);
    free(replay);
}

/// The slot of `print` in a generation: its own or the free one where it belongs.
static fingerprint *slot_of(fingerprint *generation, const fingerprint *print)
{
    static const fingerprint unused = {{0}};
    uint64_t at;
    memcpy(&at, print->bytes, sizeof at);
    for (at %= SLOTS;; at = (at + 1) % SLOTS) {
        fingerprint *slot = generation + at;
        if (!memcmp(slot, print, sizeof *slot) || !memcmp(slot, &unused, sizeof unused))
            return slot;
    }
}

static bool holds(fingerprint *generation, const fingerprint *print)
{
    return !memcmp(slot_of(generation, print), print, sizeof *print);
}

static void remember(pj_replay *replay, const fingerprint *print)
{
    if (replay->young_count == PJ_WIRE_REMEMBERED) {
        fingerprint *emptied = replay->old;
        replay->old = replay->young;
        replay->young = memset(emptied, 0, SLOTS * sizeof(fingerprint));
        replay->young_count = 0;
    }
    *slot_of(replay->young, print) = *print;
    replay->young_count++;
}

/// Whether the digest comes for the first time.
static bool first_time(pj_replay *replay, const unsigned char *digest, size_t len)
{
    fingerprint print = {{0}};
    memcpy(print.bytes, digest, len < FINGERPRINT ? len : FINGERPRINT);
    pthread_mutex_lock(&replay->lock);
    bool first = !holds(replay->young, &print) && !holds(replay->old, &print);
    if (first)
        remember(replay, &print);
    pthread_mutex_unlock(&replay->lock);
    return first;
}

// Taking apart

static bool refuse(pj_err *err, const char *why)
{
    return pj_fail(err, PJ_E_FORMAT, "message", 0, "%s", why);
}

/// Where the delimiter is; `count` when it is missing or too little follows.
static size_t find_delimiter(const pj_str *frames, size_t count, pj_err *err)
{
    size_t at = 0;
    while (at < count && at <= PJ_WIRE_IDS && !pj_str_equal(frames[at], DELIMITER))
        at++;
    if (count > PJ_WIRE_FRAMES)
        refuse(err, "too many frames");
    else if (at == count || at > PJ_WIRE_IDS)
        refuse(err, "no <IDS|MSG> delimiter");
    else if (count - at < 2 + SIGNED_FRAMES)
        refuse(err, "frames are missing");
    else
        return at;
    return count;
}

static bool verify(pj_wire *wire, pj_replay *replay, pj_str signature, const pj_str *parts,
                   pj_err *err)
{
    if (!wire->mac)
        return true;
    unsigned char digest[EVP_MAX_MD_SIZE];
    size_t len = check(wire, signature, parts, SIGNED_FRAMES, digest);
    if (!len)
        return refuse(err, "wrong signature");
    return !replay || first_time(replay, digest, len) ||
           refuse(err, "sent before: its signature is known");
}

/// A value of a byte or two takes some fifty in memory: a text must not be mostly of such.
static bool is_bloated(pj_str text)
{
    size_t values = 0;
    for (size_t i = 0; i < text.len && text.len > MOST_VALUES; i++)
        values += text.at[i] == ',' || text.at[i] == '[' || text.at[i] == '{';
    return text.len > LONGEST_TEXT || values > MOST_VALUES;
}

static json_t *read_object(pj_str text, const char *what, pj_buf *mended, pj_err *err)
{
    if (pj_str_equal(text, PJ_S("{}")))
        return json_object();
    if (is_bloated(text)) {
        pj_fail(err, PJ_E_FORMAT, what, 0, "more text than a message may have");
        return NULL;
    }
    json_t *value = pj_jsontext_read(text, what, mended, err);
    if (!value || json_is_object(value))
        return value;
    json_decref(value);
    pj_fail(err, PJ_E_FORMAT, what, 0, "not a JSON object");
    return NULL;
}

/// The JSON parts of a message while it is taken apart.
typedef struct body {
    pj_str header_text;
    pj_buf mended; // the header when it had to be mended
    json_t *header, *parent, *metadata, *content;
} body;

static bool read_body(const pj_str *frames, body *out, pj_err *err)
{
    out->header_text = frames[0];
    out->header = read_object(frames[0], "header", &out->mended, err);
    if (!out->header)
        return false;
    if (out->mended.len)
        out->header_text = pj_buf_str(&out->mended);
    if (!pj_jsontext_str(out->header, "msg_id").len ||
        !pj_jsontext_str(out->header, "msg_type").len)
        return pj_fail(err, PJ_E_FORMAT, "header", 0, "msg_id or msg_type is missing");
    return (out->parent = read_object(frames[1], "parent_header", NULL, err)) &&
           (out->metadata = read_object(frames[2], "metadata", NULL, err)) &&
           (out->content = read_object(frames[3], "content", NULL, err));
}

static void free_body(body *b)
{
    pj_buf_free(&b->mended);
    json_decref(b->header);
    json_decref(b->parent);
    json_decref(b->metadata);
    json_decref(b->content);
}

/// Copies `text` to `*at`, which moves on.
static pj_str place(char **at, pj_str text)
{
    char *copy = *at;
    if (text.len)
        memcpy(copy, text.at, text.len);
    *at += text.len;
    return (pj_str){copy, text.len};
}

static size_t total_len(const pj_str *frames, size_t count)
{
    size_t len = 0;
    for (size_t i = 0; i < count; i++)
        len += frames[i].len;
    return len;
}

/// One block: the request, its arrays of views, and the bytes they see.
static pj_request *assemble(const pj_str *frames, size_t id_count, size_t count, const body *b)
{
    const pj_str *buffers = frames + id_count + 2 + SIGNED_FRAMES;
    size_t buffer_count = count - id_count - 2 - SIGNED_FRAMES;
    pj_str msg_id = pj_jsontext_str(b->header, "msg_id");
    pj_str type = pj_jsontext_str(b->header, "msg_type");
    pj_str parent_id = pj_jsontext_str(b->parent, "msg_id");
    pj_str subshell_id = pj_jsontext_str(b->header, "subshell_id");
    size_t views = (id_count + buffer_count) * sizeof(pj_str);
    size_t bytes = total_len(frames, id_count) + total_len(buffers, buffer_count) +
                   b->header_text.len + msg_id.len + type.len + parent_id.len + subshell_id.len;
    pj_request *request = pj_take_memory(sizeof *request + views + bytes);
    pj_str *view = (pj_str *)(request + 1);
    char *at = (char *)view + views;
    *request = (pj_request){
        .ids = view,
        .id_count = id_count,
        .header = place(&at, b->header_text),
        .msg_id = place(&at, msg_id),
        .type = place(&at, type),
        .parent_id = place(&at, parent_id),
        .subshell_id = place(&at, subshell_id),
        .metadata = json_incref(b->metadata),
        .content = json_incref(b->content),
        .buffers = view + id_count,
        .buffer_count = buffer_count,
        .size = total_len(frames, count),
    };
    atomic_init(&request->owners, 1);
    for (size_t i = 0; i < id_count; i++)
        request->ids[i] = place(&at, frames[i]);
    for (size_t i = 0; i < buffer_count; i++)
        request->buffers[i] = place(&at, buffers[i]);
    return request;
}

pj_request *pj_wire_decode(pj_wire *wire, pj_replay *replay, const pj_str *frames, size_t count,
                           pj_err *err)
{
    size_t at = find_delimiter(frames, count, err);
    if (at == count || !verify(wire, replay, frames[at + 1], frames + at + 2, err))
        return NULL;
    body b = {0};
    pj_request *request = NULL;
    if (read_body(frames + at + 2, &b, err))
        request = assemble(frames, at, count, &b);
    free_body(&b);
    return request;
}

// Putting together

/// Up to the second, which most messages share with the one before.
static void set_date(pj_wire *wire, time_t second)
{
    struct tm utc;
    if (second == wire->second)
        return;
    gmtime_r(&second, &utc);
    strftime(wire->date, sizeof wire->date, "%Y-%m-%dT%H:%M:%S", &utc);
    wire->second = second;
}

/// JSON text of what a header says.
static void add_header(pj_buf *out, pj_wire *wire, const pj_origin *origin, const pj_post *post)
{
    uint64_t now_us = pj_clock_of_day() / 1000;
    set_date(wire, (time_t)(now_us / 1000000));
    char id[64], fraction[32];
    pj_post_id(origin, post, id, sizeof id);
    snprintf(fraction, sizeof fraction, ".%06uZ", (unsigned)(now_us % 1000000));
    const char *const parts[] = {"{\"msg_id\":\"",
                                 id,
                                 "\",\"session\":\"",
                                 origin->session,
                                 "\",\"username\":",
                                 origin->username,
                                 ",\"date\":\"",
                                 wire->date,
                                 fraction,
                                 "\",\"msg_type\":\"",
                                 post->type,
                                 "\",\"version\":\"",
                                 PJ_PROTOCOL,
                                 "\"}"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        pj_buf_puts(out, parts[i]);
}

void pj_wire_encode(pj_wire *wire, const pj_origin *origin, const pj_post *post, const pj_str *ids,
                    size_t id_count, pj_frames *out)
{
    out->store.len = 0;
    add_header(&out->store, wire, origin, post);
    size_t header_len = out->store.len;
    char *hex = pj_buf_room(&out->store, PJ_WIRE_SIGNATURE);
    pj_str parts[SIGNED_FRAMES] = {
        {out->store.at, header_len},
        post->parent ? post->parent->header : PJ_S("{}"),
        post->metadata ? (pj_str){post->metadata, post->metadata_len} : PJ_S("{}"),
        {post->content, post->content_len},
    };
    pj_str signature = {hex, pj_wire_sign(wire, parts, SIGNED_FRAMES, hex)};
    pj_grow(out->at, &out->cap, id_count + 2 + SIGNED_FRAMES + post->buffer_count);
    out->count = 0;
    for (size_t i = 0; i < id_count; i++)
        out->at[out->count++] = ids[i];
    out->at[out->count++] = DELIMITER;
    out->at[out->count++] = signature;
    for (size_t i = 0; i < SIGNED_FRAMES; i++)
        out->at[out->count++] = parts[i];
    for (size_t i = 0; i < post->buffer_count; i++)
        out->at[out->count++] = post->buffers[i];
}

void pj_frames_free(pj_frames *frames)
{
    free(frames->at);
    pj_buf_free(&frames->store);
    *frames = (pj_frames){0};
}
