// The rows of readers answer; which files an archive has, its fingerprint knows.
#include "metrics/analyse/trace_files.h"

#include "metrics/base/arena.h"
#include "metrics/base/err.h"
#include "metrics/read/fingerprint_trace.h"

#include <sys/stat.h>

const pj_reader *pj_trace_files_named(const char *name)
{
    const pj_reader *reader;
    for (unsigned i = 0; (reader = pj_reader_at(i)); i++)
        if (pj_reader_gives_trace(reader) && pj_reader_fits_name(reader, name))
            return reader;
    return NULL;
}

uint64_t pj_trace_files_bytes(const char *path)
{
    const pj_reader *reader = pj_trace_files_named(path);
    struct stat facts;
    if (!reader || !reader->several)
        return stat(path, &facts) == 0 ? (uint64_t)facts.st_size : 0;
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_fingerprint_parts parts = {0};
    uint64_t bytes = 0;
    if (pj_fingerprint_list(path, arena, &parts, NULL))
        for (size_t i = 0; i < parts.count; i++)
            bytes += (uint64_t)parts.items[i].stamp[0];
    pj_fingerprint_free(&parts);
    return bytes;
}
