// A pass that stops at its beginning: readers say the layout before the first event.
#include "metrics/analyse/trace_look.h"

#include "metrics/analyse/trace_files.h"
#include "metrics/base/arena.h"
#include "metrics/base/err.h"
#include "metrics/base/job.h"
#include "metrics/base/str.h"
#include "metrics/read/pass.h"
#include "metrics/read/rank_files.h"
#include "metrics/read/read.h"
#include "metrics/read/reader.h"
#include "metrics/run/run.h"
#include "metrics/trace/event.h"
#include "metrics/trace/layout.h"
#include "metrics/trace/sink.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct look {
    pj_arena *arena;
    const char *layout;
} look;

static bool begin(void *self, const pj_run *run, pj_err *err)
{
    look *l = self;
    l->layout = pj_layout_text(&run->layout, l->arena);
    return pj_fail(err, PJ_E_STOPPED, NULL, 0, "the layout is known");
}

static bool events(void *self, const pj_batch *batch, pj_err *err)
{
    (void)self, (void)batch, (void)err;
    return true;
}

static bool finish(void *self, pj_run *run, pj_err *err)
{
    (void)self, (void)run, (void)err;
    return true;
}

static void end(void *self)
{
    (void)self;
}

bool pj_trace_look_at(const char *path, pj_arena *arena, pj_trace_look *out, pj_err *err)
{
    struct stat info;
    const char **files = NULL;
    bool ranks = pj_rank_files_of(path, arena, &files) > 0;
    if (stat(ranks ? files[0] : path, &info) != 0)
        return pj_fail_io(err, path, "cannot be opened");
    if (!S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode)) // who looks would wait for a pipe
        return pj_fail(err, PJ_E_IO, path, 0, "is no regular file; load it in a cell");
    const pj_reader *found = pj_reader_of_path(path);
    if (found && found->gives == PJ_GIVES_PROFILE) {
        *out = (pj_trace_look){.format = found->title,
                               .layout = "",
                               .bytes = S_ISREG(info.st_mode) ? (uint64_t)info.st_size : 0,
                               .profile = true};
        return true;
    }
    pj_auto_run run = pj_run_new(path);
    look l = {.arena = arena, .layout = ""};
    pj_sink sink = {.name = "look",
                    .begin = begin,
                    .events = events,
                    .finish = finish,
                    .close = end,
                    .self = &l};
    pj_job job = {.workers = 1};
    pj_pass pass = {.run = run, .sinks = &sink, .sink_count = 1, .job = &job, .by_location = true};
    pj_err problem = {.code = PJ_E_NONE};
    pj_ignore(pj_read_file(path, &pass, &problem));
    free(pass.disorder);
    free(pass.learnt);
    if (run->provenance || run->ai)
        l.layout = pj_layout_text(&run->layout, arena);
    const pj_reader *reader = pj_reader_of_run(run);
    *out = (pj_trace_look){.name = reader && (reader->several || ranks)
                                       ? pj_arena_text(arena, pj_str_of(run->name))
                                       : NULL,
                           .format = reader ? reader->title : "",
                           .layout = l.layout,
                           .bytes = pj_trace_files_bytes(path),
                           .summary = access(pj_trace_files_summary(path, NULL, arena), R_OK) == 0};
    bool good = *l.layout;
    if (!good && err)
        *err = problem;
    return good;
}
