// TAU's profiles as text: profile.NODE.CONTEXT.THREAD, one file of a thread, alone or in a folder;
// with several metrics one folder MULTI__METRIC each. Layout: TAU's TauProfiler (src/Profile) and
// ParaProf's TauDataSource.
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/file.h"
#include "metrics/base/job.h"
#include "metrics/base/map.h"
#include "metrics/base/num.h"
#include "metrics/base/str.h"
#include "metrics/profile/build/profile_build.h"
#include "metrics/read/profile/tau/tau_files.h"
#include "metrics/read/profile/tau/tau_text.h"
#include "metrics/read/profile/tau/trial.h"
#include "metrics/read/reader.h"
#include "metrics/read/source.h"

#include <stdlib.h>

static const uint64_t WHOLE_MAX = (uint64_t)16 << 30;

static bool sniff(pj_str head)
{
    pj_str line = pj_str_head(head, pj_str_find(head, '\n'));
    size_t blank = pj_str_find(line, ' ');
    uint64_t count;
    return pj_parse_u64(pj_str_head(line, blank), &count) &&
           pj_str_starts(pj_str_from(line, blank), PJ_S(" templated_functions"));
}

static bool sniff_folder(const char *folder)
{
    return pj_tau_files_any(folder);
}

/// One file alone: a profile with one location.
static bool read_file(pj_source *source, pj_build *build, pj_err *err)
{
    pj_trial trial = {.build = build};
    pj_tau_place place;
    pj_str bytes;
    if (!pj_source_whole(source, WHOLE_MAX, &bytes, err))
        return false;
    pj_str metric = pj_tau_text_metric(bytes);
    pj_trial_metrics(&trial, &metric, 1);
    if (!pj_tau_place_of(pj_source_path(source), &place))
        place = (pj_tau_place){.node = -1, .thread = -1};
    pj_tau_text text = {.trial = &trial,
                        .location =
                            pj_trial_location(&trial, place.node, place.context, place.thread)};
    bool ok = pj_tau_text_read(&text, bytes);
    if (ok)
        pj_trial_build(&trial);
    pj_trial_free(&trial);
    return ok || pj_source_damaged(source, (pj_spot){.line = text.line}, err, "%s", text.what);
}

typedef struct folder {
    pj_source *source;
    pj_trial trial;
    pj_map locations; // by node, context and thread
    pj_buf bytes;
    size_t good, bad;
    pj_err first; // of files that could not be read
} folder;

static uint32_t location_of(folder *f, const pj_tau_place *place)
{
    uint64_t key = ((uint64_t)place->node * 1000003 + (uint64_t)place->context) * 1000003 +
                   (uint64_t)place->thread;
    uint32_t location;
    if (!pj_map_get(&f->locations, key, &location)) {
        location = pj_trial_location(&f->trial, place->node, place->context, place->thread);
        pj_map_put(&f->locations, key, location);
    }
    return location;
}

/// A file that is not whole leaves what it has; the others go on.
static void read_member(folder *f, const pj_tau_place *place, size_t metric)
{
    pj_err err = {.code = PJ_E_NONE};
    f->bytes.len = 0;
    pj_tau_text text = {.trial = &f->trial, .metric = metric, .what = NULL};
    bool ok = pj_file_read(place->path, &f->bytes, &err);
    if (ok) {
        text.location = location_of(f, place);
        ok = pj_tau_text_read(&text, pj_buf_str(&f->bytes)) ||
             pj_fail(&err, PJ_E_FORMAT, place->path, text.line, "%s", text.what);
    }
    f->good += ok;
    f->bad += !ok;
    if (ok)
        return;
    char message[1600];
    pj_err_message(&err, message, sizeof message);
    pj_build_odd(f->trial.build, PJ_ODDITY_file_not_whole, text.line);
    pj_build_pair(f->trial.build, PJ_NO_ITEM, PJ_S("not read whole"), pj_str_of(message));
    if (f->first.code == PJ_E_NONE)
        f->first = err;
}

/// The metric of a folder is what its first file says.
static bool name_metrics(folder *f, const pj_tau_files *files, pj_err *err)
{
    pj_str *names = pj_take_memory(files->metric_count * sizeof *names);
    pj_auto_arena arena = pj_arena_new(NULL);
    bool ok = true;
    for (size_t m = 0; ok && m < files->metric_count; m++) {
        f->bytes.len = 0;
        ok = pj_file_read(files->places[files->first[m]].path, &f->bytes, err);
        names[m] = pj_arena_str(arena, pj_tau_text_metric(pj_buf_str(&f->bytes)));
    }
    if (ok)
        pj_trial_metrics(&f->trial, names, files->metric_count);
    free(names);
    return ok;
}

static bool read_all(folder *f, const pj_tau_files *files, pj_err *err)
{
    pj_job *job = pj_source_job(f->source);
    for (size_t m = 0; m < files->metric_count; m++)
        for (size_t i = files->first[m]; i < files->first[m + 1]; i++) {
            if (!pj_job_check(job, pj_source_path(f->source), err) || !pj_build_ok(f->trial.build))
                return f->first.code == PJ_E_NONE;
            read_member(f, &files->places[i], m);
        }
    if (!f->good && f->bad)
        return *err = f->first, false;
    pj_trial_build(&f->trial);
    return true;
}

static bool read_folder(pj_source *source, pj_build *build, pj_err *err)
{
    folder f = {.source = source, .trial.build = build};
    pj_tau_files files;
    bool ok = pj_tau_files_list(&files, pj_source_path(source), err) &&
              name_metrics(&f, &files, err) && read_all(&f, &files, err);
    pj_tau_files_free(&files);
    pj_trial_free(&f.trial);
    pj_map_free(&f.locations);
    pj_buf_free(&f.bytes);
    return ok;
}

static bool read_tau(pj_source *source, pj_build *build, pj_err *err)
{
    return pj_source_facts_of(source).folder ? read_folder(source, build, err)
                                             : read_file(source, build, err);
}

const pj_reader pj_reader_tau = {
    .name = "tau",
    .title = "TAU profile",
    .suffixes = "",
    .gives = PJ_GIVES_PROFILE,
    .sniff = sniff,
    .sniff_folder = sniff_folder,
    .profile = read_tau,
};
