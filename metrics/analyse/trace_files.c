// The rows of readers answer; which files an archive has, its fingerprint knows; companions and
// summaries are named after their trace.
#include "metrics/analyse/trace_files.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/file.h"
#include "metrics/base/fingerprint.h"
#include "metrics/base/job.h"
#include "metrics/base/str.h"
#include "metrics/read/fingerprint_trace.h"
#include "metrics/read/rank_files.h"
#include "metrics/read/reader.h"
#include "metrics/read/summary/summary.h"
#include "metrics/run/run.h"
#include "metrics/trace/companion.h"

#include <sys/stat.h>
#include <unistd.h>

const pj_reader *pj_trace_files_named(const char *name)
{
    const pj_reader *reader;
    for (unsigned i = 0; (reader = pj_reader_at(i)); i++)
        if (pj_reader_gives_trace(reader) && pj_reader_fits_name(reader, name))
            return reader;
    return NULL;
}

void pj_trace_files_suffixes(pj_buf *out)
{
    const pj_reader *reader;
    const char *before = "";
    for (unsigned i = 0; (reader = pj_reader_at(i)); i++) {
        pj_str rest = pj_str_of(reader->suffixes);
        while (reader->gives == PJ_GIVES_EVENTS && rest.len) {
            pj_str suffix = pj_str_cut(&rest, ' ');
            pj_buf_addf(out, "%s" PJ_STR_FMT, before, PJ_STR_ARG(suffix));
            before = ", ";
        }
    }
}

bool pj_trace_files_part(const char *name)
{
    const pj_reader *reader;
    for (unsigned i = 0; (reader = pj_reader_at(i)); i++) {
        pj_str rest = pj_str_of(reader->parts);
        while (rest.len)
            if (pj_str_ends(pj_str_of(name), pj_str_cut(&rest, ' ')))
                return true;
    }
    return pj_companion_named(name);
}

bool pj_trace_files_belongs(const char *path, const char *trace)
{
    const pj_reader *reader = pj_trace_files_named(trace);
    pj_str name = pj_str_of(path), whole = pj_str_of(trace);
    if (!reader || !reader->parts)
        return pj_companion_belongs(path, trace);
    pj_str stem = pj_str_head(whole, pj_str_find_last(whole, '.'));
    if (pj_str_ends(name, PJ_S("/")))
        name.len--;
    if (!pj_str_starts(name, stem))
        return false;
    name = pj_str_from(name, stem.len);
    for (pj_str rest = pj_str_of(reader->parts); name.len && rest.len;)
        if (pj_str_equal(pj_str_cut(&rest, ' '), name))
            return true;
    return name.len == 0;
}

pj_str pj_trace_files_name(const char *path)
{
    pj_str text = pj_str_of(path);
    size_t slash = pj_str_find_last(text, '/');
    return slash < text.len ? pj_str_from(text, slash + 1) : text;
}

const char *pj_trace_files_summary(const char *path, const char *folder, pj_arena *arena)
{
    pj_auto_run run = pj_run_new(path);
    pj_str file = pj_trace_files_name(path), name = pj_str_of(run->name);
    const char **files = NULL;
    if (pj_rank_files_of(path, arena, &files)) { // a file each rank: called as the run
        pj_str own =
            pj_str_head(pj_str_of(files[0]), strlen(files[0]) - pj_trace_files_name(files[0]).len);
        return folder ? pj_arena_format(arena, "%s/%s" PJ_SUMMARY_SUFFIX, folder, run->name)
                      : pj_arena_format(arena, PJ_STR_FMT "%s" PJ_SUMMARY_SUFFIX, PJ_STR_ARG(own),
                                        run->name);
    }
    if (!folder)
        return pj_arena_format(arena, "%s" PJ_SUMMARY_SUFFIX, path);
    if (pj_str_starts(file, name))
        return pj_arena_format(arena, "%s/" PJ_STR_FMT PJ_SUMMARY_SUFFIX, folder, PJ_STR_ARG(file));
    return pj_arena_format(arena, "%s/%s.otf2" PJ_SUMMARY_SUFFIX, folder, run->name);
}

bool pj_trace_files_names(const char *path, pj_job *job, uint64_t *out, pj_err *err)
{
    static const char *const suffixes[] = {".pcf", ".row"};
    pj_fingerprint all;
    pj_fingerprint_begin(&all);
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        pj_auto_buf file = {0};
        uint64_t one;
        char text[PJ_FINGERPRINT_TEXT];
        pj_companion_path(path, suffixes[i], &file);
        if (!pj_file_is_regular(file.at) || access(file.at, R_OK) != 0)
            continue;
        if (!pj_fingerprint_file(file.at, job, &one, NULL, err))
            return false;
        pj_fingerprint_text(one, text);
        pj_fingerprint_add(&all, pj_str_of(suffixes[i]));
        pj_fingerprint_add(&all, pj_str_of(text));
    }
    *out = all.total ? pj_fingerprint_end(&all) : 0;
    return true;
}

const char *pj_trace_files_title(size_t index)
{
    const pj_reader *reader;
    for (unsigned i = 0; (reader = pj_reader_at(i)); i++)
        if (pj_reader_gives_trace(reader) && index-- == 0)
            return reader->title;
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
