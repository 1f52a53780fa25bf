// popinjay run SCRIPT.lua [ARG...]: the command language without a notebook.
#include "kernel/command/command.h"
#include "kernel/command/face.h"
#include "kernel/command/session.h"
#include "kernel/command/value.h"
#include "kernel/lua/lang.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/file.h"
#include "metrics/base/str.h"

typedef struct run_args {
    const char *script;
    pj_texts args;
} run_args;

static bool read_script(const pj_session *session, const char *path, pj_buf *out, pj_err *err)
{
    if (!pj_file_await(path, session->stop, out, err))
        return false;
    if (pj_str_starts(pj_buf_str(out), PJ_S("#!")))
        memcpy(out->at, "--", 2);
    return true;
}

static void write_traceback(pj_session *session, const json_t *error)
{
    size_t i;
    json_t *line;
    json_array_foreach(json_object_get(error, "traceback"), i, line)
        pj_session_say(session, "%s", json_string_value(line));
}

static void show(pj_session *session, const pj_outcome *outcome)
{
    pj_display display = {.data = outcome->data, .metadata = outcome->metadata};
    if (outcome->data)
        session->face->display(session->face->self, &display);
}

static bool run_script(pj_session *session, const void *given, pj_value *out, pj_err *err)
{
    (void)out;
    const run_args *args = given;
    pj_auto_buf code = {0};
    if (!read_script(session, args->script, &code, err))
        return false;
    pj_lang *lang = pj_lang_new(session->face, session->stop);
    pj_lang_set_script(lang, args->script, args->args.items, args->args.count);
    pj_outcome outcome = pj_lang_run(lang, pj_buf_str(&code), (pj_cell_opts){.name = args->script});
    if (outcome.exited)
        session->status = outcome.exit_status;
    else if (outcome.ok)
        show(session, &outcome);
    else if (!outcome.stopped)
        write_traceback(session, outcome.error);
    if (!outcome.ok && !outcome.exited)
        session->status = 1;
    bool stopped = outcome.stopped;
    session->complaints += pj_lang_session(lang)->complaints;
    pj_outcome_clear(&outcome);
    pj_lang_free(lang);
    return !stopped || pj_fail(err, PJ_E_STOPPED, NULL, 0, "interrupted");
}

static const pj_param params[] = {
    {.name = "script",
     .type = PJ_PARAM_PATH,
     .place = PJ_IN_SHELL,
     .required = true,
     .offset = offsetof(run_args, script),
     .shown = "SCRIPT.lua",
     .help = "The script; its cells' grammar is that of a notebook, % lines included."},
    {.name = "args",
     .type = PJ_PARAM_REST,
     .place = PJ_IN_SHELL,
     .offset = offsetof(run_args, args),
     .shown = "ARG",
     .help =
         "Everything after the script is its own: arg[1], arg[2] and so on, or all of them as ..."},
    {0},
};

const pj_command pj_command_run = {
    .name = "run",
    .summary = "Run a script in the command language",
    .detail =
        "The script sees all verbs of the notebook; what it shows is printed as text. "
        "os.exit ends it with a status. Numbers become text that reads back as the same number, "
        "except by x .. y, which is Lua's own and keeps 14 digits: write tostring(x) .. y.",
    .example = "popinjay run report.lua epoch_*.prv.gz",
    .faces = PJ_IN_SHELL,
    .groups = (const pj_param_group[]){{.rows = params}, {0}},
    .args_size = sizeof(run_args),
    .run = run_script,
};
