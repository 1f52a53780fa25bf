// The file is opened another time and read through once, piece by piece; pieces overlap by the
// longest mark.
#include "metrics/read/late_mark.h"

#include "metrics/base/arena.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "metrics/read/source.h"

#include <stdlib.h>

enum { PIECE = 1 << 20, LONGEST_MARK = 64, LEAST_HEAD = 32 << 10 };
static const uint64_t MOST = UINT64_C(1) << 30;

/// The first mark in a text, as its reader.
static const pj_reader *find(pj_str text)
{
    const pj_reader *found = NULL;
    for (unsigned i = 0; pj_reader_at(i); i++) {
        const char *mark = pj_reader_at(i)->late_mark;
        const char *at = mark ? memmem(text.at, text.len, mark, strlen(mark)) : NULL;
        if (!at)
            continue;
        found = pj_reader_at(i);
        text.len = (size_t)(at - text.at);
    }
    return found;
}

static const pj_reader *search(pj_source *source, pj_job *job)
{
    pj_err ignored = {0};
    const pj_reader *found = NULL;
    char *piece = pj_take_memory(PIECE);
    size_t kept = 0, got = 1;
    for (uint64_t seen = 0; !found && got && seen < MOST && pj_job_check(job, "", NULL);) {
        if (!pj_source_read(source, piece + kept, PIECE - kept, &got, &ignored))
            break;
        seen += got;
        size_t len = kept + got;
        found = find((pj_str){piece, len});
        kept = len < LONGEST_MARK ? len : LONGEST_MARK;
        memmove(piece, piece + len - kept, kept);
    }
    free(piece);
    return found;
}

const pj_reader *pj_late_mark(const char *path, const pj_source *source, pj_job *job)
{
    pj_str head = pj_source_head(source);
    if (!pj_source_facts_of(source).again || head.len < LEAST_HEAD ||
        memchr(head.at, '\0', head.len))
        return NULL;
    pj_err ignored = {0};
    pj_source *again = pj_source_open(path, job, &ignored);
    const pj_reader *found = again ? search(again, job) : NULL;
    pj_source_close(again);
    return found;
}
