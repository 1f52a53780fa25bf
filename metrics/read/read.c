// The one way into any input: its reader is asked to push events into a pass, or to fill a builder.
#include "metrics/read/read.h"

#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/job.h"
#include "metrics/base/str.h"
#include "metrics/profile/build/profile_build.h"
#include "metrics/profile/profile.h"
#include "metrics/read/rank_files.h"
#include "metrics/read/source.h"
#include "metrics/run/run.h"

#include <sys/stat.h>

static bool unknown_trace(const pj_source *source, pj_err *err)
{
    pj_auto_buf known = {.at = NULL};
    for (unsigned i = 0; pj_reader_at(i); i++)
        if (pj_reader_gives_trace(pj_reader_at(i)))
            pj_buf_addf(&known, *pj_reader_at(i)->suffixes ? "%s%s (%s)" : "%s%s",
                        known.len ? ", " : "", pj_reader_at(i)->title, pj_reader_at(i)->suffixes);
    return pj_fail(err, PJ_E_FORMAT, pj_source_path(source), 0,
                   "is no trace that can be read here; known are: %s", known.at);
}

static bool unknown_profile(const pj_source *source, pj_err *err)
{
    pj_auto_buf known = {.at = NULL};
    for (unsigned i = 0; pj_reader_at(i); i++)
        if (pj_reader_at(i)->gives == PJ_GIVES_PROFILE)
            pj_buf_addf(&known, "%s%s", known.len ? ", " : "", pj_reader_at(i)->title);
    return pj_fail(err, PJ_E_FORMAT, pj_source_path(source), 0,
                   "is no profile that can be read here; known are: %s",
                   known.len ? known.at : "none");
}

static bool read_source(pj_source *source, pj_pass *pass, bool is_file, pj_err *err)
{
    const pj_reader *reader = is_file
                                  ? pj_reader_of_source(source)
                                  : pj_reader_guess(pj_source_path(source), pj_source_head(source));
    if (!reader)
        return unknown_trace(source, err);
    if (reader->gives == PJ_GIVES_ADVICE)
        return reader->profile(source, NULL, err); // which fails
    if (!pj_reader_gives_trace(reader))
        return pj_reader_no_trace(reader, pj_source_path(source), err);
    if (reader->several && !is_file)
        return pj_fail(err, PJ_E_FORMAT, pj_source_path(source), 0,
                       "%s %s is several files: it cannot come through memory or a pipe",
                       pj_reader_article(reader), reader->title);
    pass->run->format = reader->name;
    pj_source_facts facts = pj_source_facts_of(source);
    pass->apart = pass->group && !(reader->shares && (reader->several || facts.skips));
    if (pass->group)
        pass->group->first = reader->aside && pass->group->size > 2;
    if (!pass->apart && !reader->read(source, pass, err))
        return false;
    if (pass->apart)
        return true;
    facts = pj_source_facts_of(source);
    bool parts = pass->group && !reader->several; // each member has read some of the file
    pass->run->file_bytes += parts ? facts.size : facts.file_bytes; // a reader may have read more
    pass->run->text_bytes += parts ? facts.size : facts.text_bytes;
    pass->again = facts.again;
    return reader->gives == PJ_GIVES_RUN || pj_pass_finish(pass, err);
}

bool pj_read_file(const char *path, pj_pass *pass, pj_err *err)
{
    struct stat facts;
    bool folder = stat(path, &facts) == 0 && S_ISDIR(facts.st_mode);
    const pj_reader *reader = folder ? pj_reader_of_folder(path) : NULL;
    if (reader && !pj_reader_gives_trace(reader))
        return pj_reader_no_trace(reader, path, err);
    const char **files = NULL;
    pass->file_count = pj_rank_files_of(path, pass->run->arena, &files);
    pass->files = files;
    pj_source *source = pj_source_open(files ? files[0] : path, pass->job, err);
    bool ok = source && read_source(source, pass, pj_source_facts_of(source).again, err);
    pj_source_close(source);
    return ok;
}

bool pj_read_memory(const char *name, pj_str bytes, pj_pass *pass, pj_err *err)
{
    pj_source *source = pj_source_memory(name, bytes, pass->job, err);
    bool ok = source && read_source(source, pass, false, err);
    pj_source_close(source);
    return ok;
}

/// Closes the source.
static const pj_reader *read_profile_take(pj_source *source, const pj_reader *reader,
                                          struct pj_build *build, pj_err *err)
{
    bool ok = false;
    if (reader && reader->both)
        reader = pj_reader_guess_profile(pj_source_head(source));
    if (!reader) {
        unknown_profile(source, err);
    } else if (pj_reader_gives_trace(reader)) {
        pj_fail(err, PJ_E_USAGE, pj_source_path(source), 0, "is %s %s, not a profile",
                pj_reader_article(reader), reader->title);
    } else {
        pj_profile *profile = pj_build_profile(build);
        profile->format = reader->name;
        profile->title = reader->title;
        pj_source_call(source, reader->title);
        ok = reader->profile(source, build, err);
    }
    const char *damage = pj_source_facts_of(source).damage;
    if (ok && damage)
        ok = pj_source_damaged(source, (pj_spot){.line = 0}, err, "%s", damage);
    pj_source_close(source);
    return ok ? reader : NULL;
}

const pj_reader *pj_read_profile(const char *path, pj_job *job, struct pj_build *build, pj_err *err)
{
    struct stat facts;
    const pj_reader *reader = NULL;
    bool folder = stat(path, &facts) == 0 && S_ISDIR(facts.st_mode);
    if (folder)
        reader = pj_reader_of_folder(path);
    pj_source *source = reader ? pj_source_folder(path, job) : pj_source_open(path, job, err);
    if (!source)
        return NULL;
    if (!reader)
        reader = pj_reader_of_source(source);
    return read_profile_take(source, reader, build, err);
}

const pj_reader *pj_read_profile_memory(const char *name, pj_str bytes, pj_job *job,
                                        struct pj_build *build, pj_err *err)
{
    pj_source *source = pj_source_memory(name, bytes, job, err);
    if (!source)
        return NULL;
    return read_profile_take(source, pj_reader_guess(name, pj_source_head(source)), build, err);
}
