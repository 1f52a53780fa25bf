// Lists a tar archive. Only headers are read, for a profile's parts are taken where they lie.
#include "metrics/read/profile/cube/tar.h"

#include "metrics/base/err.h"
#include "metrics/base/str.h"

#include <inttypes.h>

enum { RECORD = 512, NAME = 100, SIZE_AT = 124, SIZE_LEN = 12, TYPE_AT = 156, MAGIC_AT = 257 };

bool pj_tar_sniff(pj_str head)
{
    return head.len >= RECORD && pj_str_starts(pj_str_from(head, MAGIC_AT), PJ_S("ustar"));
}

static pj_str field(const char *header, size_t at, size_t len)
{
    size_t used = 0;
    while (used < len && header[at + used])
        used++;
    return (pj_str){header + at, used};
}

/// Octal digits between blanks, or the binary form of GNU tar for files from 8 GiB on.
static bool parse_size(const char *header, uint64_t *size)
{
    const unsigned char *at = (const unsigned char *)header + SIZE_AT;
    *size = 0;
    if (*at == 0x80) {
        for (unsigned i = 4; i < SIZE_LEN; i++)
            *size = *size << 8 | at[i];
        return !at[1] && !at[2] && !at[3];
    }
    pj_str digits = pj_str_trim(field(header, SIZE_AT, SIZE_LEN));
    for (size_t i = 0; i < digits.len; i++) {
        if (digits.at[i] < '0' || digits.at[i] > '7')
            return false;
        *size = *size << 3 | (uint64_t)(digits.at[i] - '0');
    }
    return digits.len > 0;
}

static bool is_end(const char *header)
{
    for (unsigned i = 0; i < RECORD; i++)
        if (header[i])
            return false;
    return true;
}

static void add_member(pj_tar *tar, size_t *cap, pj_arena *arena, const char *header,
                       pj_tar_member member)
{
    char type = header[TYPE_AT];
    if (type && type != '0' && type != '7') // folders, links, names of other members
        return;
    if (tar->count == *cap) {
        *cap = *cap ? 2 * *cap : 16;
        pj_tar_member *wider = pj_new_n(arena, pj_tar_member, *cap);
        if (tar->count)
            memcpy(wider, tar->members, tar->count * sizeof *wider);
        tar->members = wider;
    }
    member.name = pj_arena_str(arena, field(header, 0, NAME));
    tar->members[tar->count++] = member;
}

bool pj_tar_list(pj_tar *tar, const pj_blob *blob, pj_arena *arena, pj_err *err)
{
    *tar = (pj_tar){.blob = blob};
    size_t cap = 0;
    char header[RECORD];
    for (uint64_t at = 0; blob->size - at >= RECORD;) {
        pj_tar_member member = {.offset = at + RECORD};
        if (!pj_blob_read(blob, at, RECORD, header, err))
            return false;
        if (is_end(header))
            break;
        if (!at && memcmp(header + MAGIC_AT, "ustar", 5) != 0)
            return pj_fail(err, PJ_E_FORMAT, blob->name, 0, "is no tar archive");
        if (memcmp(header + MAGIC_AT, "ustar", 5) != 0 || !parse_size(header, &member.size))
            return pj_fail(err, PJ_E_FORMAT, blob->name, 0,
                           "has no member of a tar archive at byte %" PRIu64 "; copy it again", at);
        if (member.size > blob->size - member.offset)
            return pj_fail(err, PJ_E_FORMAT, blob->name, 0,
                           "ends at byte %" PRIu64 ", but the member at byte %" PRIu64
                           " has %" PRIu64 " bytes; copy it again",
                           blob->size, at, member.size);
        add_member(tar, &cap, arena, header, member);
        uint64_t next = member.offset + (member.size + RECORD - 1) / RECORD * RECORD;
        at = next < blob->size ? next : blob->size;
    }
    return true;
}

const pj_tar_member *pj_tar_find(const pj_tar *tar, pj_str name)
{
    for (size_t i = 0; i < tar->count; i++) {
        pj_str own = tar->members[i].name;
        size_t slash = pj_str_find_last(own, '/');
        if (pj_str_equal(slash < own.len ? pj_str_from(own, slash + 1) : own, name))
            return &tar->members[i];
    }
    return NULL;
}
