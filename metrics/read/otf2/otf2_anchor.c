// The anchor file of an archive.
// An anchor file is: 03, a byte order ('B' = little), "OTF2", six bytes of versions, the sizes of
// the chunks of events and definitions (8 bytes each), substrate, compression, the numbers of
// locations and global definitions (8 each), three texts ended by 0 (machine, creator,
// description), the number of properties (4) and two texts for each. libotf2 3.0 loops for hours
// over a damaged one.
#include "metrics/read/otf2/otf2_anchor.h"

#include "metrics/base/str.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    VERSION_AT = 6,
    CHUNK_AT = 12,
    SUBSTRATE_AT = 28,
    COMPRESSION_AT = 29,
    TEXTS_AT = 46,
    SUBSTRATE_SION = 2,   // OTF2_SUBSTRATE_SION
    COMPRESSION_ZLIB = 2, // OTF2_COMPRESSION_ZLIB
    ANCHOR_BYTES_MAX = 1 << 20,
    CHUNK_LEAST = 1 << 10, // the library's own limits are 256 kB and 16 MB
};

#define CHUNK_MOST (UINT64_C(1) << 32)

static const pj_str suffix = {".otf2", 5};

bool pj_otf2_anchor_sniff(pj_str head)
{
    return head.len > VERSION_AT && head.at[0] == 3 && (head.at[1] == 'B' || head.at[1] == '#') &&
           memcmp(head.at + 2, "OTF2", 4) == 0;
}

/// An unsigned number of `size` bytes in the file's order.
static uint64_t number_at(pj_str bytes, size_t at, size_t size)
{
    uint64_t value = 0;
    bool little = bytes.at[1] == 'B';
    for (size_t i = 0; i < size; i++) {
        size_t from = little ? at + size - 1 - i : at + i;
        value = value << 8 | (uint8_t)bytes.at[from];
    }
    return value;
}

/// Goes behind `count` texts; false when they are not all there.
static bool skip_texts(pj_str bytes, size_t *at, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        const char *end = memchr(bytes.at + *at, 0, bytes.len - *at);
        if (!end)
            return false;
        *at = (size_t)(end - bytes.at) + 1;
    }
    return true;
}

static bool is_whole(pj_str bytes)
{
    enum { TEXTS = 3, NUMBER = 4 };
    size_t at = TEXTS_AT;
    if (bytes.len < TEXTS_AT || !skip_texts(bytes, &at, TEXTS) || bytes.len - at < NUMBER)
        return false;
    uint64_t properties = number_at(bytes, at, NUMBER);
    at += NUMBER;
    return properties <= bytes.len && skip_texts(bytes, &at, 2 * properties);
}

static const char *packing_of(pj_str bytes)
{
    if (bytes.at[SUBSTRATE_AT] == SUBSTRATE_SION)
        return "in SION files";
    return bytes.at[COMPRESSION_AT] == COMPRESSION_ZLIB ? "compressed with zlib" : NULL;
}

static bool read_bytes(const char *path, char *out, size_t *len, pj_err *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    ssize_t got = fd < 0 ? -1 : 1;
    *len = 0;
    while (got > 0 && *len < ANCHOR_BYTES_MAX) {
        got = read(fd, out + *len, ANCHOR_BYTES_MAX - *len);
        *len += got > 0 ? (size_t)got : 0;
        if (got < 0 && errno == EINTR)
            got = 1;
    }
    int problem = errno;
    if (fd >= 0)
        close(fd);
    return got >= 0 || pj_fail(err, PJ_E_IO, path, 0, "cannot be read: %s", strerror(problem));
}

static bool is_folder(const char *path)
{
    struct stat facts;
    return stat(path, &facts) == 0 && S_ISDIR(facts.st_mode);
}

/// The anchor by a name with a folder beside it: a link is followed when it has none itself.
static bool find_folder(const char *path, pj_arena *arena, pj_otf2_anchor *out)
{
    char real[PATH_MAX];
    for (unsigned tried = 0; tried < 2; tried++) {
        pj_str name = pj_str_of(path);
        out->path = pj_arena_text(arena, name);
        if (pj_str_ends(name, suffix)) {
            out->folder = pj_arena_text(arena, pj_str_head(name, name.len - suffix.len));
            if (is_folder(out->folder))
                return true;
        }
        if (!realpath(path, real))
            return false;
        path = real;
    }
    return false;
}

bool pj_otf2_anchor_read(const char *path, pj_arena *arena, pj_otf2_anchor *out, pj_err *err)
{
    char *bytes = pj_take_memory(ANCHOR_BYTES_MAX);
    size_t len;
    bool ok = read_bytes(path, bytes, &len, err);
    pj_str anchor = {bytes, len};
    if (ok && !(pj_otf2_anchor_sniff(anchor) && is_whole(anchor)))
        ok = pj_fail(err, PJ_E_FORMAT, path, 0, "the anchor file of the OTF2 archive is damaged");
    out->chunk_bytes = ok ? number_at(anchor, CHUNK_AT, 8) : 0;
    out->packing = ok ? packing_of(anchor) : NULL;
    if (ok && (out->chunk_bytes < CHUNK_LEAST || out->chunk_bytes > CHUNK_MOST))
        ok = pj_fail(err, PJ_E_FORMAT, path, 0,
                     "the anchor file of the OTF2 archive is damaged: chunks of %llu bytes",
                     (unsigned long long)out->chunk_bytes);
    free(bytes);
    if (ok && !find_folder(path, arena, out))
        ok = pj_fail(err, PJ_E_FORMAT, path, 0,
                     "the folder of the OTF2 archive is not beside its anchor file: "
                     "traces.otf2 has its events in traces/");
    return ok;
}
