// A plain file is never read whole: what has many parts is read where a part is asked for.
#include "metrics/read/profile/cube/blob.h"

#include "metrics/base/err.h"
#include "metrics/base/file.h"
#include "metrics/base/str.h"

#include <errno.h>
#include <inttypes.h>
#include <sys/stat.h>
#include <unistd.h>

static const uint64_t WHOLE_MAX = (uint64_t)16 << 30;

static bool open_file(pj_blob *blob, pj_err *err)
{
    struct stat facts;
    blob->fd = pj_file_open(blob->name, err);
    if (blob->fd >= 0 && fstat(blob->fd, &facts) != 0)
        return pj_fail_io(err, blob->name, "cannot be read");
    blob->size = blob->fd >= 0 ? (uint64_t)facts.st_size : 0;
    return blob->fd >= 0;
}

bool pj_blob_open(pj_blob *blob, pj_source *source, pj_err *err)
{
    *blob = (pj_blob){.name = pj_source_path(source), .fd = -1};
    if (pj_source_facts_of(source).skips)
        return open_file(blob, err);
    pj_str bytes;
    if (!pj_source_whole(source, WHOLE_MAX, &bytes, err))
        return false;
    blob->at = bytes.at;
    blob->size = bytes.len;
    return true;
}

void pj_blob_close(pj_blob *blob)
{
    if (blob->fd >= 0)
        close(blob->fd);
    blob->fd = -1;
}

bool pj_blob_read(const pj_blob *blob, uint64_t offset, size_t size, void *out, pj_err *err)
{
    if (offset > blob->size || size > blob->size - offset)
        return pj_fail(err, PJ_E_FORMAT, blob->name, 0,
                       "ends at byte %" PRIu64 ", but %zu bytes from byte %" PRIu64
                       " on belong to it; copy it again",
                       blob->size, size, offset);
    if (blob->fd < 0) {
        if (size)
            memcpy(out, blob->at + offset, size);
        return true;
    }
    for (size_t done = 0; done < size;) {
        ssize_t got = pread(blob->fd, (char *)out + done, size - done, (off_t)(offset + done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return got < 0 ? pj_fail_io(err, blob->name, "cannot be read")
                           : pj_fail(err, PJ_E_IO, blob->name, 0, "has become shorter");
        done += (size_t)got;
    }
    return true;
}
