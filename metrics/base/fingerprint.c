// Fingerprints by libxxhash's XXH64, compiled in: its header is the whole of it.
#define XXH_INLINE_ALL
#include "metrics/base/fingerprint.h"

#include "metrics/base/arena.h"
#include "metrics/base/err.h"
#include "metrics/base/file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { READ_SIZE = 1 << 20 };

void pj_fingerprint_begin(pj_fingerprint *print)
{
    print->total = 0;
    XXH64_reset(&print->state, 0);
}

void pj_fingerprint_add(pj_fingerprint *print, pj_str bytes)
{
    if (bytes.len == 0)
        return;
    print->total += bytes.len;
    XXH64_update(&print->state, bytes.at, bytes.len);
}

uint64_t pj_fingerprint_end(const pj_fingerprint *print)
{
    return XXH64_digest(&print->state);
}

uint64_t pj_fingerprint_of(pj_str bytes)
{
    return bytes.at && bytes.len ? XXH64(bytes.at, bytes.len, 0) : 0;
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
    int fd = pj_file_open(path, err);
    if (fd < 0)
        return false;
    pj_fingerprint_begin(&print);
    bool ok = add_file(&print, fd, path, job, err);
    close(fd);
    if (ok)
        *out = pj_fingerprint_end(&print);
    if (ok && bytes)
        *bytes = print.total;
    return ok;
}
