// Recordings.
#include "kernel/commands/record/record_run.h"

#include "kernel/command/child.h"
#include "kernel/commands/record/record_archive.h"
#include "kernel/commands/record/record_facts.h"
#include "kernel/commands/record/record_preload.h"
#include "kernel/commands/record/record_program.h"
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/str.h"

enum { ASKED_MS = 5000 }; // to end, before it is told

static bool run_program(pj_session *session, const pj_record_run *run, const char *const *settings,
                        pj_arena *arena, int *status, pj_err *err)
{
    const char *lacking = pj_record_preload_lacking(&run->words, arena);
    pj_texts words = pj_record_preload_words(&run->words, run->opts, arena);
    if (lacking)
        pj_session_say(session, "popinjay: %s", lacking);
    if (run->foreground)
        return pj_record_program(&words, settings, status, err);
    const pj_child child = {.words = words.items,
                            .settings = settings,
                            .log = run->out,
                            .errors = run->errors,
                            .asked_ms = ASKED_MS,
                            .patience_ns = run->patience_ns,
                            .waits = run->waits,
                            .context = run->context};
    int ended = 0;
    bool ok = pj_child_end(&child, session->stop, &ended, err);
    *status = pj_record_shell_status(ended);
    return ok;
}

/// The first failure counts; what was recorded up to it is an archive all the same.
static bool archive(pj_session *session, const pj_record_run *run, pj_buf *notes,
                    pj_record_made *out, pj_err *err)
{
    pj_err why = {0};
    const unsigned before = session->complaints;
    const pj_record_left left = {.opts = run->opts,
                                 .folder = run->folder,
                                 .failed = !out->ran || out->status != 0,
                                 .notes = notes};
    bool merged = pj_record_archive(session, &left, &out->merged, &why);
    out->partial = session->complaints > before || (!merged && why.code != PJ_E_MISSING);
    if (out->ran && !merged)
        *err = why;
    return out->ran && merged;
}

static void add_size(json_t *facts, const pj_record_run *run)
{
    const struct {
        const char *key;
        uint64_t number;
    } sizes[] = {{"ranks", run->ranks}, {"threads", run->threads}, {"repetition", run->number}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (sizes[i].number)
            json_object_set_new(facts, sizes[i].key, json_integer((json_int_t)sizes[i].number));
}

bool pj_record_run_it(pj_session *session, const pj_record_run *run, pj_record_made *out,
                      pj_err *err)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_auto_buf notes = {0};
    *out = (pj_record_made){0};
    const char *const *settings =
        pj_record_settings(run->opts, run->folder, run->settings, arena, err);
    if (!settings)
        return false;
    json_t *facts =
        pj_record_facts_new(&run->words, run->options, settings, run->folder, session->stop);
    add_size(facts, run);
    out->ran = run_program(session, run, settings, arena, &out->status, err);
    bool ok = (out->ran || (err->code != PJ_E_MISSING)) && archive(session, run, &notes, out, err);
    pj_record_facts_end(facts, out->status, ok ? NULL : err->text,
                        out->merged.profile ? out->merged.visits : out->merged.events,
                        pj_buf_str(&notes));
    pj_err unwritten = {0};
    if (!pj_record_facts_write(facts, run->folder, &unwritten) && ok)
        pj_session_complain(session, &unwritten);
    json_decref(facts);
    return ok;
}
