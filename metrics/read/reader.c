// The registry of formats: which of them an input is, by its first bytes.
#include "metrics/read/reader.h"

#include "metrics/base/err.h"
#include "metrics/base/job.h"
#include "metrics/base/str.h"
#include "metrics/read/late_mark.h"
#include "metrics/read/source.h"
#include "metrics/run/run.h"

#include <sys/stat.h>

#define READER(name) extern const pj_reader pj_reader_##name;
#include "metrics/read/readers.def"
#undef READER

static const pj_reader *const readers[] = {
#define READER(name) &pj_reader_##name,
#include "metrics/read/readers.def"
#undef READER
};

enum { READERS = sizeof readers / sizeof *readers };

const pj_reader *pj_reader_at(unsigned index)
{
    return index < READERS ? readers[index] : NULL;
}

bool pj_reader_fits_name(const pj_reader *reader, const char *name)
{
    pj_str file = pj_str_of(name), suffixes = pj_str_of(reader->suffixes);
    while (suffixes.len) {
        pj_str suffix = pj_str_cut(&suffixes, ' ');
        if (suffix.len && file.len > suffix.len && pj_str_ends(file, suffix))
            return true;
    }
    return false;
}

const pj_reader *pj_reader_guess(const char *name, pj_str head)
{
    const pj_reader *first = NULL;
    for (unsigned i = 0; i < READERS; i++) {
        if (!readers[i]->sniff || !readers[i]->sniff(head))
            continue;
        if (readers[i]->both || pj_reader_fits_name(readers[i], name))
            return readers[i];
        first = first ? first : readers[i];
    }
    return first;
}

const pj_reader *pj_reader_guess_profile(pj_str head)
{
    for (unsigned i = 0; i < READERS; i++)
        if (readers[i]->gives == PJ_GIVES_PROFILE && readers[i]->sniff && readers[i]->sniff(head))
            return readers[i];
    return NULL;
}

static const pj_reader *of_name(const char *name)
{
    for (unsigned i = 0; i < READERS; i++)
        if (readers[i]->sniff_name && readers[i]->sniff_name(name))
            return readers[i];
    return NULL;
}

const pj_reader *pj_reader_of_source(pj_source *source)
{
    const char *path = pj_source_path(source);
    const pj_reader *reader = pj_reader_guess(path, pj_source_head(source));
    reader = reader ? reader : pj_late_mark(path, source, pj_source_job(source));
    return reader ? reader : of_name(path);
}

const pj_reader *pj_reader_of_folder(const char *folder)
{
    for (unsigned i = 0; i < READERS; i++)
        if (readers[i]->sniff_folder && readers[i]->sniff_folder(folder))
            return readers[i];
    return NULL;
}

const pj_reader *pj_reader_of_path(const char *path)
{
    struct stat facts;
    if (stat(path, &facts) != 0 || !(S_ISREG(facts.st_mode) || S_ISDIR(facts.st_mode)))
        return NULL;
    if (S_ISDIR(facts.st_mode))
        return pj_reader_of_folder(path);
    pj_job job = {.stop = NULL};
    pj_source *source = pj_source_open(path, &job, NULL);
    const pj_reader *reader = source ? pj_reader_of_source(source) : NULL;
    pj_source_close(source);
    return reader;
}

const pj_reader *pj_reader_of_run(const pj_run *run)
{
    for (unsigned i = 0; run->format && i < READERS; i++)
        if (strcmp(readers[i]->name, run->format) == 0)
            return readers[i];
    return NULL;
}

bool pj_reader_knows(const pj_run *run)
{
    const pj_reader *reader = pj_reader_of_run(run);
    return reader && reader->knows && reader->knows(run);
}

const char *pj_reader_article(const pj_reader *reader)
{
    return strchr("AEIOUaeio", reader->title[0]) ? "an" : "a";
}

bool pj_reader_no_trace(const pj_reader *reader, const char *path, pj_err *err)
{
    return pj_fail(err, PJ_E_USAGE, path, 0, "is %s %s: popinjay profile",
                   pj_reader_article(reader), reader->title);
}
