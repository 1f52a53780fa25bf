// Four lanes of 64 bits each take 8 bytes of every block of 32; the rest is mixed in at the end.
#include "metrics/base/fingerprint.h"

#include "metrics/base/arena.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const uint64_t P1 = 0x9E3779B185EBCA87u, P2 = 0xC2B2AE3D27D4EB4Fu, P3 = 0x165667B19E3779F9u,
                      P4 = 0x85EBCA77C2B2AE63u, P5 = 0x27D4EB2F165667C5u;

enum { READ_SIZE = 1 << 20 };

static uint64_t turn(uint64_t x, unsigned bits)
{
    return x << bits | x >> (64 - bits);
}

static uint64_t word32(const unsigned char *p)
{
    return (uint64_t)p[0] | (uint64_t)p[1] << 8 | (uint64_t)p[2] << 16 | (uint64_t)p[3] << 24;
}

/// Written out: compilers make one load of it.
static uint64_t word64(const unsigned char *p)
{
    return (uint64_t)p[0] | (uint64_t)p[1] << 8 | (uint64_t)p[2] << 16 | (uint64_t)p[3] << 24 |
           (uint64_t)p[4] << 32 | (uint64_t)p[5] << 40 | (uint64_t)p[6] << 48 |
           (uint64_t)p[7] << 56;
}

static uint64_t step(uint64_t lane, uint64_t input)
{
    return turn(lane + input * P2, 31) * P1;
}

/// The lanes stay in registers from block to block.
static void take_blocks(pj_fingerprint *print, const unsigned char *p, size_t count)
{
    uint64_t a = print->lanes[0], b = print->lanes[1], c = print->lanes[2], d = print->lanes[3];
    for (; count > 0; count--, p += PJ_FINGERPRINT_BLOCK) {
        a = step(a, word64(p));
        b = step(b, word64(p + 8));
        c = step(c, word64(p + 16));
        d = step(d, word64(p + 24));
    }
    print->lanes[0] = a;
    print->lanes[1] = b;
    print->lanes[2] = c;
    print->lanes[3] = d;
}

void pj_fingerprint_begin(pj_fingerprint *print)
{
    *print = (pj_fingerprint){.lanes = {P1 + P2, P2, 0, 0 - P1}};
}

void pj_fingerprint_add(pj_fingerprint *print, pj_str bytes)
{
    const unsigned char *p = (const unsigned char *)bytes.at;
    size_t left = bytes.len;
    print->total += left;
    while (left > 0) {
        if (print->waiting_len == 0 && left >= PJ_FINGERPRINT_BLOCK) {
            size_t blocks = left / PJ_FINGERPRINT_BLOCK;
            take_blocks(print, p, blocks);
            p += blocks * PJ_FINGERPRINT_BLOCK;
            left -= blocks * PJ_FINGERPRINT_BLOCK;
            continue;
        }
        size_t room = PJ_FINGERPRINT_BLOCK - print->waiting_len;
        size_t n = left < room ? left : room;
        memcpy(print->waiting + print->waiting_len, p, n);
        print->waiting_len += (unsigned)n;
        p += n;
        left -= n;
        if (print->waiting_len == PJ_FINGERPRINT_BLOCK) {
            take_blocks(print, print->waiting, 1);
            print->waiting_len = 0;
        }
    }
}

static uint64_t take_rest(uint64_t hash, const unsigned char *p, size_t left)
{
    for (; left >= 8; p += 8, left -= 8)
        hash = turn(hash ^ step(0, word64(p)), 27) * P1 + P4;
    if (left >= 4) {
        hash = turn(hash ^ word32(p) * P1, 23) * P2 + P3;
        p += 4;
        left -= 4;
    }
    for (; left > 0; p++, left--)
        hash = turn(hash ^ *p * P5, 11) * P1;
    return hash;
}

uint64_t pj_fingerprint_end(const pj_fingerprint *print)
{
    const uint64_t *v = print->lanes;
    uint64_t hash = P5;
    if (print->total >= PJ_FINGERPRINT_BLOCK) {
        hash = turn(v[0], 1) + turn(v[1], 7) + turn(v[2], 12) + turn(v[3], 18);
        for (unsigned i = 0; i < 4; i++)
            hash = (hash ^ step(0, v[i])) * P1 + P4;
    }
    hash = take_rest(hash + print->total, print->waiting, print->waiting_len);
    hash = (hash ^ hash >> 33) * P2;
    hash = (hash ^ hash >> 29) * P3;
    return hash ^ hash >> 32;
}

void pj_fingerprint_text(uint64_t value, char *out)
{
    snprintf(out, PJ_FINGERPRINT_TEXT, "%016llx", (unsigned long long)value);
}

static bool add_file(pj_fingerprint *print, int fd, const char *path, pj_job *job, pj_err *err)
{
    char *block = pj_take_memory(READ_SIZE);
    ssize_t n = 0;
    bool ok = true;
    while (ok && (n = read(fd, block, READ_SIZE)) != 0) {
        if (n < 0 && errno != EINTR)
            ok = pj_fail_io(err, path, "cannot be read");
        else if (n > 0)
            pj_fingerprint_add(print, (pj_str){block, (size_t)n});
        if (ok && job)
            ok = pj_job_check(job, path, err);
    }
    free(block);
    return ok;
}

bool pj_fingerprint_file(const char *path, pj_job *job, uint64_t *out, uint64_t *bytes, pj_err *err)
{
    pj_fingerprint print;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return pj_fail_io(err, path, "cannot be opened");
    pj_fingerprint_begin(&print);
    bool ok = add_file(&print, fd, path, job, err);
    close(fd);
    if (ok)
        *out = pj_fingerprint_end(&print);
    if (ok && bytes)
        *bytes = print.total;
    return ok;
}
