// Guesses the format of an input and leads its events to the sinks.
#include "metrics/read/reader.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/job.h"
#include "metrics/base/memory.h"
#include "metrics/base/str.h"
#include "metrics/profile/build/profile_build.h"
#include "metrics/profile/profile.h"
#include "metrics/read/late_mark.h"
#include "metrics/run/run_gather.h"
#include "metrics/trace/event.h"
#include "metrics/trace/event_code.h"
#include "metrics/trace/layout.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
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
        if (pj_reader_fits_name(readers[i], name))
            return readers[i];
        first = first ? first : readers[i];
    }
    return first;
}

/// By the first bytes, else by what comes late.
static const pj_reader *guess_file(const char *path, pj_source *source)
{
    const pj_reader *reader = pj_reader_guess(path, pj_source_head(source));
    return reader ? reader : pj_late_mark(path, source, pj_source_job(source));
}

static const pj_reader *guess_folder(const char *folder)
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
        return guess_folder(path);
    pj_job job = {.stop = NULL};
    pj_source *source = pj_source_open(path, &job, NULL);
    const pj_reader *reader = source ? guess_file(path, source) : NULL;
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

/// What sinks and replay keep of every thread, measured; few threads are not worth the question.
static bool find_room(const pj_run *run, pj_err *err)
{
    enum { BYTES_EACH = 700, FEW = 10000 };
    uint32_t threads = run->layout.locations;
    char why[64];
    snprintf(why, sizeof why, "a run of %" PRIu32 " threads", threads);
    return threads < FEW || pj_memory_want((uint64_t)threads * BYTES_EACH, run->path, why, err);
}

/// Whether every member of a process group has such a sink, for its own threads.
static bool is_own(const pj_pass *pass, const pj_sink *sink)
{
    return sink->by_location || (sink->sharing && pass->ranks_apart);
}

/// The one that is told of the ranks of other members; NULL = none.
static const pj_sink *shared_sink(const pj_pass *pass)
{
    for (size_t i = 0; pass->ranks_apart && i < pass->sink_count; i++)
        if (pass->sinks[i].sharing)
            return &pass->sinks[i];
    return NULL;
}

bool pj_pass_begin(pj_pass *pass, pj_err *err)
{
    if (!find_room(pass->run, err))
        return false;
    const pj_sink *shared = shared_sink(pass);
    if (shared)
        shared->sharing->share(shared->self, pass->group);
    for (size_t i = 0; i < pass->sink_count; i++)
        if (!pass->sinks[i].begin(pass->sinks[i].self, pass->run, err))
            return false;
    return true;
}

bool pj_pass_has_devices(const pj_pass *pass)
{
    for (size_t i = 0; i < pass->sink_count; i++)
        if (pass->sinks[i].devices)
            return true;
    return false;
}

const pj_sink *pj_pass_calls(const pj_pass *pass)
{
    for (size_t i = 0; i < pass->sink_count; i++)
        if (pass->sinks[i].calls)
            return &pass->sinks[i];
    return NULL;
}

/// What a batch holds of threads, into room for all its events.
static pj_batch of_threads(const pj_layout *layout, const pj_batch *batch, pj_event *room)
{
    pj_batch out = {
        .events = room, .messages = batch->messages, .message_count = batch->message_count};
    for (size_t i = 0; i < batch->count; i++) {
        const pj_event *event = &batch->events[i];
        bool to_stream =
            event->kind == PJ_EV_MESSAGE && batch->messages[event->a].to >= layout->locations;
        if (event->location < layout->locations && !to_stream)
            room[out.count++] = *event;
    }
    return out;
}

typedef bool chooses(const pj_pass *pass, const pj_sink *sink);

/// Hands a batch to the sinks that are chosen, to each what it wants of it.
static bool hand(pj_pass *pass, chooses *chosen, const pj_batch *batch, pj_err *err)
{
    bool divided = pass->run->layout.stream_count && pj_pass_has_devices(pass);
    pj_event *room = divided ? pj_take_memory((batch->count + 1) * sizeof *room) : NULL;
    pj_batch threads = divided ? of_threads(&pass->run->layout, batch, room) : *batch;
    bool ok = true;
    for (size_t i = 0; ok && i < pass->sink_count; i++) {
        const pj_sink *sink = &pass->sinks[i];
        if (chosen(pass, sink))
            ok = sink->events(sink->self, sink->devices ? batch : &threads, err);
    }
    free(room);
    return ok;
}

static bool is_any(const pj_pass *pass, const pj_sink *sink)
{
    (void)pass, (void)sink;
    return true;
}

bool pj_pass_events(pj_pass *pass, const pj_batch *batch, pj_err *err)
{
    return hand(pass, is_any, batch, err);
}

bool pj_pass_asks(const pj_pass *pass, pj_event_kind kind)
{
    unsigned kinds = 0;
    for (size_t i = 0; i < pass->sink_count; i++)
        kinds |= pass->sinks[i].kinds;
    return kinds >> kind & 1;
}

static bool is_others(const pj_pass *pass, const pj_sink *sink)
{
    return !is_own(pass, sink);
}

bool pj_pass_own(pj_pass *pass, const pj_batch *batch, pj_err *err)
{
    return !batch->count || hand(pass, is_own, batch, err);
}

bool pj_pass_all(pj_pass *pass, const pj_batch *batch, pj_err *err)
{
    return !batch->count || hand(pass, is_others, batch, err);
}

unsigned pj_pass_kinds(const pj_pass *pass)
{
    unsigned kinds = 0;
    for (size_t i = 0; i < pass->sink_count; i++)
        if (!is_own(pass, &pass->sinks[i]))
            kinds |= pass->sinks[i].kinds ? pass->sinks[i].kinds : UINT_MAX;
    return kinds;
}

/// Whether every member of a process group finishes a sink, and not only its leader.
static bool ends_everywhere(const pj_pass *pass, const pj_sink *sink)
{
    return is_own(pass, sink) && !sink->tell;
}

static bool finish_sinks(pj_pass *pass, bool everywhere, pj_err *err)
{
    for (size_t i = 0; i < pass->sink_count; i++) {
        const pj_sink *sink = &pass->sinks[i];
        if (ends_everywhere(pass, sink) == everywhere && !sink->finish(sink->self, pass->run, err))
            return false;
    }
    return true;
}

static void tell_found(pj_pass *pass)
{
    pj_buf *out = &pass->group->out[0];
    for (size_t i = 0; i < pass->sink_count; i++) {
        const pj_sink *sink = &pass->sinks[i];
        pj_auto_buf found = {.at = NULL};
        if (!sink->tell || !is_own(pass, sink))
            continue;
        sink->tell(sink->self, pass->run, &found);
        pj_code_number(out, found.len);
        pj_buf_add(out, pj_buf_str(&found));
    }
}

static bool hear_found(pj_pass *pass, pj_str in)
{
    for (size_t i = 0; i < pass->sink_count; i++) {
        const pj_sink *sink = &pass->sinks[i];
        uint64_t size;
        if (!sink->hear || !is_own(pass, sink))
            continue;
        if (!pj_decode_number(&in, &size) || size > in.len ||
            !sink->hear(sink->self, pj_str_head(in, size)))
            return false;
        in = pj_str_from(in, size);
    }
    return true;
}

static bool take_news(pj_pass *pass, const pj_sink *sink, bool *busy, pj_err *err)
{
    *busy = false;
    for (unsigned member = 0; member < pass->group->size; member++) {
        pj_str in = pj_process_group_from(pass->group, member);
        if (!in.len || !sink->sharing->take(sink->self, member, pj_str_from(in, 1)))
            return pj_fail(err, PJ_E_IO, pass->run->path, 0,
                           "what process %u has sent cannot be read", member);
        *busy |= in.at[0] != 0;
    }
    return true;
}

bool pj_pass_trade(pj_pass *pass, pj_err *err)
{
    const pj_sink *sink = shared_sink(pass);
    for (bool busy = sink != NULL; busy;) {
        const pj_buf *news = sink->sharing->news(sink->self);
        char any = 0; // the others hear of news that are not for them
        for (unsigned i = 0; i < pass->group->size; i++)
            any |= news[i].len > 0;
        pj_process_group_tell(pass->group, (pj_str){&any, 1});
        for (unsigned i = 0; i < pass->group->size; i++)
            pj_buf_add(&pass->group->out[i], pj_buf_str(&news[i]));
        if (!pj_process_group_exchange(pass->group, err) || !take_news(pass, sink, &busy, err))
            return false;
    }
    return true;
}

/// In a process group: what is left to do for sinks that are told of others.
static bool conclude(pj_pass *pass, pj_err *err)
{
    const pj_sink *sink = shared_sink(pass);
    for (unsigned step = 0; sink && sink->sharing->conclude(sink->self, pass->run, step); step++)
        if (!pj_pass_trade(pass, err))
            return false;
    return true;
}

/// In a process group: the leader's sinks learn what those of the others have found.
static bool gather(pj_pass *pass, pj_err *err)
{
    pj_process_group *group = pass->group;
    if (!pj_run_gather(pass->run, group, err))
        return false;
    if (!pj_process_group_leads(group))
        tell_found(pass);
    if (!pj_process_group_exchange(group, err))
        return false;
    for (unsigned member = 1; pj_process_group_leads(group) && member < group->size; member++)
        if (!hear_found(pass, pj_process_group_from(group, member)))
            return pj_fail(err, PJ_E_IO, pass->run->path, 0,
                           "what process %u has found cannot be read", member);
    return true;
}

/// The sinks that take all threads together need what the others have left in the run.
static bool finish(pj_pass *pass, pj_err *err)
{
    return finish_sinks(pass, true, err) && conclude(pass, err) &&
           (!pass->group || gather(pass, err)) &&
           (!pj_process_group_leads(pass->group) || finish_sinks(pass, false, err));
}

static bool unknown_trace(const pj_source *source, pj_err *err)
{
    pj_auto_buf known = {.at = NULL};
    for (unsigned i = 0; pj_reader_at(i); i++)
        if (pj_reader_gives_trace(pj_reader_at(i)))
            pj_buf_addf(&known, "%s%s (%s)", known.len ? ", " : "", pj_reader_at(i)->title,
                        pj_reader_at(i)->suffixes);
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

static const char *article(const pj_reader *reader)
{
    return strchr("AEIOUaeio", reader->title[0]) ? "an" : "a";
}

bool pj_reader_no_trace(const pj_reader *reader, const char *path, pj_err *err)
{
    return pj_fail(err, PJ_E_USAGE, path, 0, "is %s %s: popinjay profile", article(reader),
                   reader->title);
}

static bool read_source(pj_source *source, pj_pass *pass, bool is_file, pj_err *err)
{
    const pj_reader *reader = is_file
                                  ? guess_file(pj_source_path(source), source)
                                  : pj_reader_guess(pj_source_path(source), pj_source_head(source));
    if (!reader)
        return unknown_trace(source, err);
    if (!pj_reader_gives_trace(reader))
        return pj_reader_no_trace(reader, pj_source_path(source), err);
    if (reader->several && !is_file)
        return pj_fail(err, PJ_E_FORMAT, pj_source_path(source), 0,
                       "%s %s is several files: it cannot come through memory or a pipe",
                       article(reader), reader->title);
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
    return reader->gives == PJ_GIVES_RUN || finish(pass, err);
}

bool pj_read_file(const char *path, pj_pass *pass, pj_err *err)
{
    struct stat facts;
    bool folder = stat(path, &facts) == 0 && S_ISDIR(facts.st_mode);
    const pj_reader *reader = folder ? guess_folder(path) : NULL;
    if (reader && !pj_reader_gives_trace(reader))
        return pj_reader_no_trace(reader, path, err);
    pj_source *source = pj_source_open(path, pass->job, err);
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
    if (!reader) {
        unknown_profile(source, err);
    } else if (pj_reader_gives_trace(reader)) {
        pj_fail(err, PJ_E_USAGE, pj_source_path(source), 0, "is %s %s, not a profile",
                article(reader), reader->title);
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
        reader = guess_folder(path);
    pj_source *source = reader ? pj_source_folder(path, job) : pj_source_open(path, job, err);
    if (!source)
        return NULL;
    if (!reader)
        reader = guess_file(path, source);
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
