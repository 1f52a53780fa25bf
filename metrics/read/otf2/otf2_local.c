// The local definitions of a location.
// Read twice: only a file that is plain to its end is told.
#include "metrics/read/otf2/otf2_local.h"

#include "metrics/base/buf.h"
#include "metrics/base/file.h"
#include "metrics/read/otf2/events/otf2_evt.h"

#include <string.h>
#include <sys/stat.h>

enum {
    RECORD_MAP = 5,
    RECORD_OFFSET = 6,
    MAP_DENSE = 0, // OTF2_IdMapMode
    MAP_SPARSE = 1,
    NUMBER_BYTES_MOST = 8,
    PLAIN_BYTES_MOST = 1 << 20, // of a file
};

typedef struct reading {
    const uint8_t *at, *end;
    pj_otf2_define *define; // NULL = is only looked at
    void *self;
} reading;

static bool take_bytes(reading *r, void *to, size_t size)
{
    if ((size_t)(r->end - r->at) < size)
        return false;
    memcpy(to, r->at, size);
    r->at += size;
    return true;
}

/// A compressed number: how many bytes, and the bytes; ff bytes = undefined.
static bool take_number(reading *r, uint64_t *value)
{
    uint8_t size, bytes[NUMBER_BYTES_MOST] = {0};
    if (!take_bytes(r, &size, 1))
        return false;
    *value = PJ_OTF2_UNDEFINED;
    if (size == UINT8_MAX)
        return true;
    if (size > sizeof bytes || !take_bytes(r, bytes, size))
        return false;
    memcpy(value, bytes, sizeof bytes);
    return true;
}

static void define(const reading *r, pj_otf2_def def)
{
    if (r->define)
        r->define(r->self, &def);
}

/// The library puts the pairs of a sparse map in order; they are plain when they are.
static bool take_map(reading *r)
{
    uint8_t kind, mode;
    uint64_t count, from = 0, to;
    if (!take_bytes(r, &kind, 1) || !take_number(r, &count) || !take_bytes(r, &mode, 1) ||
        (mode != MAP_DENSE && mode != MAP_SPARSE))
        return false;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t last = from;
        from = i;
        if (mode == MAP_SPARSE && (!take_number(r, &from) || (i > 0 && from <= last)))
            return false;
        if (!take_number(r, &to))
            return false;
        define(r, (pj_otf2_def){.kind = PJ_OTF2_DEF_MAP, .id = from, .number = {kind, to}});
    }
    return true;
}

static bool take_offset(reading *r)
{
    uint64_t time, offset, deviation;
    if (!take_bytes(r, &time, sizeof time) || !take_number(r, &offset) ||
        !take_bytes(r, &deviation, sizeof deviation))
        return false;
    define(r, (pj_otf2_def){.kind = PJ_OTF2_DEF_OFFSET, .number = {time, offset}});
    return true;
}

/// The record behind its type, which ends where its length says.
static bool take_record(reading *r, uint8_t type)
{
    uint8_t byte;
    uint64_t length;
    if ((type != RECORD_MAP && type != RECORD_OFFSET) || !take_bytes(r, &byte, 1))
        return false;
    length = byte;
    if (byte == UINT8_MAX && !take_bytes(r, &length, sizeof length))
        return false;
    if (length > (uint64_t)(r->end - r->at))
        return false;
    reading record = *r;
    record.end = r->at = r->at + length;
    bool fits = type == RECORD_MAP ? take_map(&record) : take_offset(&record);
    return fits && record.at == record.end;
}

static bool take_all(reading r)
{
    uint8_t head[PJ_OTF2_CHUNK_HEAD], type;
    if (!take_bytes(&r, head, sizeof head) || head[0] != PJ_OTF2_MARK_CHUNK ||
        head[1] != PJ_OTF2_LITTLE_ENDIAN)
        return false;
    while (take_bytes(&r, &type, 1)) {
        if (type == PJ_OTF2_MARK_FILE_END)
            return true;
        if (!take_record(&r, type))
            return false;
    }
    return false;
}

bool pj_otf2_local_take(const void *bytes, size_t size, pj_otf2_define *to, void *self)
{
    if (size == 0)
        return false;
    reading r = {.at = bytes, .end = (const uint8_t *)bytes + size};
    if (!take_all(r))
        return false;
    r.define = to;
    r.self = self;
    return take_all(r);
}

bool pj_otf2_local_read(const char *path, pj_otf2_define *to, void *self)
{
    struct stat status;
    pj_auto_buf bytes = {.at = NULL};
    return stat(path, &status) == 0 && S_ISREG(status.st_mode) &&
           status.st_size <= PLAIN_BYTES_MOST && pj_file_read(path, &bytes, NULL) &&
           pj_otf2_local_take(bytes.at, bytes.len, to, self);
}
