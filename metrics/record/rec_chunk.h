// A chunk of an OTF2 event file (OTF2 3.0, OTF2_Buffer.c; every record is checked against
// libotf2's writer): 03, 'B', the numbers of its first and last event, records, 00. A record: 05,
// eight bytes of time, its type, the length of its members, members. Numbers: a size byte and so
// many low bytes; ff = undefined. Written so that the chunk can be decoded at any instant: the
// bytes behind the first, the 00 behind the record, then the 05.
#ifndef PJ_REC_CHUNK_H
#define PJ_REC_CHUNK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum {
    PJ_REC_CHUNK_BYTES = 256 * 1024, // the least that OTF2 allows, and it stays in the cache
    PJ_REC_CHUNK_HEAD = 18,
    PJ_REC_CHUNK_FIRST = 2, // where the number of the first event stands
    PJ_REC_CHUNK_LAST = 10,
    PJ_REC_CHUNK_BEGIN = 3,
    PJ_REC_CHUNK_TIME = 5,
    PJ_REC_CHUNK_END = 0,
    PJ_REC_FILE_END_1 = 2, // the end of an event file
    PJ_REC_FILE_END_2 = 1,
    PJ_REC_CHUNK_RESERVE = 64, // for the marks behind the last record
    PJ_REC_RECORD_BEFORE = 11, // bytes before its members; the last one is their length
    PJ_REC_RECORD_MOST = 255 + PJ_REC_RECORD_BEFORE,
};

/// "Undefined" in any member.
#define PJ_REC_UNDEFINED UINT64_MAX

static inline void pj_rec_chunk_begin(uint8_t *chunk, uint64_t first)
{
    chunk[0] = PJ_REC_CHUNK_BEGIN;
    chunk[1] = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? 'B' : '#';
    chunk[PJ_REC_CHUNK_HEAD] = PJ_REC_CHUNK_END; // before the number: no record is in two places
    __asm__ volatile("" ::: "memory");
    memcpy(chunk + PJ_REC_CHUNK_FIRST, &first, sizeof first);
    memset(chunk + PJ_REC_CHUNK_LAST, 0, sizeof first);
}

/// Behind the number at `at`.
static inline uint8_t *pj_rec_chunk_number(uint8_t *at, uint64_t value)
{
    if (value == PJ_REC_UNDEFINED) {
        *at = UINT8_MAX;
        return at + 1;
    }
    unsigned size = value ? (unsigned)(71 - __builtin_clzll(value)) / 8 : 0;
    *at++ = (uint8_t)size;
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    value <<= size ? 64 - 8 * size : 0;
#endif
    memcpy(at, &value, sizeof value); // there is room for eight bytes behind every number
    return at + size;
}

/// The same of a signed number, whose -1 is a number.
static inline uint8_t *pj_rec_chunk_integer(uint8_t *at, uint64_t value)
{
    if (value != PJ_REC_UNDEFINED)
        return pj_rec_chunk_number(at, value);
    *at = sizeof value;
    return (uint8_t *)memset(at + 1, UINT8_MAX, sizeof value) + sizeof value;
}

/// A record whose members lie behind `at` + 11 becomes one of the chunk.
static inline void pj_rec_chunk_commit(uint8_t *at, uint64_t time, uint8_t type, uint8_t length)
{
    memcpy(at + 1, &time, sizeof time);
    at[9] = type;
    at[10] = length;
    __asm__ volatile("" ::: "memory");
    at[0] = PJ_REC_CHUNK_TIME;
    __asm__ volatile("" ::: "memory");
}

#endif
