// SipHash-2-4 of names, and the words of traces that are none.
#include "metrics/base/pseudonym.h"

#include "metrics/base/err.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

/// "n" and 16 digits.
enum { HASHED = 17 };

static uint64_t rotate(uint64_t x, unsigned by)
{
    return (x << by) | (x >> (64 - by));
}

static void mix(uint64_t v[4])
{
    v[0] += v[1];
    v[1] = rotate(v[1], 13) ^ v[0];
    v[0] = rotate(v[0], 32);
    v[2] += v[3];
    v[3] = rotate(v[3], 16) ^ v[2];
    v[0] += v[3];
    v[3] = rotate(v[3], 21) ^ v[0];
    v[2] += v[1];
    v[1] = rotate(v[1], 17) ^ v[2];
    v[2] = rotate(v[2], 32);
}

/// Up to eight bytes, the first one lowest.
static uint64_t word_at(const char *text, size_t len)
{
    uint64_t word = 0;
    for (size_t i = 0; i < len; i++)
        word |= (uint64_t)(unsigned char)text[i] << (8 * i);
    return word;
}

static void take(uint64_t v[4], uint64_t word)
{
    v[3] ^= word;
    mix(v);
    mix(v);
    v[0] ^= word;
}

uint64_t pj_pseudonym_hash(const pj_pseudonyms *names, const char *text, size_t len)
{
    const uint64_t *k = names->key;
    uint64_t v[4] = {k[0] ^ 0x736f6d6570736575, k[1] ^ 0x646f72616e646f6d,
                     k[0] ^ 0x6c7967656e657261, k[1] ^ 0x7465646279746573};
    size_t whole = len & ~(size_t)7;
    for (size_t i = 0; i < whole; i += 8)
        take(v, word_at(text + i, 8));
    take(v, word_at(text + whole, len - whole) | (uint64_t)len << 56);
    v[2] ^= 0xff;
    for (int i = 0; i < 4; i++)
        mix(v);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}

pj_pseudonyms pj_pseudonyms_of(const char *text)
{
    const pj_pseudonyms first = {{0x706f70696e6a6179, 0}}, second = {{0x706f70696e6a6179, 1}};
    size_t len = strlen(text);
    return (pj_pseudonyms){
        {pj_pseudonym_hash(&first, text, len), pj_pseudonym_hash(&second, text, len)}};
}

bool pj_pseudonyms_new(pj_pseudonyms *out, pj_err *err)
{
    return getrandom(out->key, sizeof out->key, 0) == (ssize_t)sizeof out->key ||
           pj_fail_io(err, "random numbers", "cannot be had");
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           (unsigned char)c >= 0x80;
}

/// Words of traces, and numbers with at most one letter before them ("D1").
static bool is_public(const char *word, size_t len)
{
    static const char *const words[] = {
        "THREAD", "CPU",     "GPU",     "NODE",   "TASK",    "APPL",   "CUDA",   "HIP",
        "OpenCL", "OpenACC", "Stream",  "stream", "Device",  "device", "MPI",    "Rank",
        "rank",   "Master",  "master",  "thread", "Thread",  "OMP",    "OpenMP", "Worker",
        "worker", "Process", "process", "node",   "machine", "socket", "P",      "T"};
    size_t digits = 0;
    while (digits < len && word[len - 1 - digits] >= '0' && word[len - 1 - digits] <= '9')
        digits++;
    if (digits && len - digits <= 1)
        return true;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i]) == len && memcmp(words[i], word, len) == 0)
            return true;
    return false;
}

static char *hash_into(const pj_pseudonyms *names, const char *text, size_t len, char *out)
{
    uint64_t hash = pj_pseudonym_hash(names, text, len);
    *out++ = 'n';
    for (int digit = 60; digit >= 0; digit -= 4)
        *out++ = "0123456789abcdef"[(hash >> digit) & 15];
    return out;
}

static char *hash_words(const pj_pseudonyms *names, const char *text, size_t len, char *out)
{
    for (size_t at = 0; at < len;) {
        size_t end = at;
        while (end < len && is_letter(text[end]))
            end++;
        if (end == at) {
            *out++ = text[at++];
            continue;
        }
        bool stays = is_public(text + at, end - at);
        if (stays)
            memcpy(out, text + at, end - at);
        out = stays ? out + (end - at) : hash_into(names, text + at, end - at, out);
        at = end;
    }
    return out;
}

/// The text up to where a place begins; all of it where none does.
static size_t before_place(const char *text, size_t len)
{
    for (size_t i = 0; i + 2 < len; i++)
        if (text[i] == ' ' && text[i + 1] == '@')
            return i + 2;
    return len;
}

char *pj_pseudonym_of(const pj_pseudonyms *names, const char *text, size_t len,
                      pj_pseudonym_part part)
{
    char *made = malloc((HASHED + 1) * (len + 1) + 1), *end = made;
    size_t kept = part == PJ_NAME_NONE ? len : part == PJ_NAME_PLACE ? before_place(text, len) : 0;
    if (!made)
        return NULL;
    memcpy(made, text, kept);
    end += kept;
    if (part == PJ_NAME_WORDS)
        end = hash_words(names, text, len, end);
    else if (kept < len)
        end = hash_into(names, text + kept, len - kept, end);
    *end = 0;
    return made;
}
