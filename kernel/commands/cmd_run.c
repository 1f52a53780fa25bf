// popinjay run SCRIPT.lua [ARG...], or a notebook: the command language without a front end.
#include "kernel/command/command.h"
#include "kernel/command/face.h"
#include "kernel/command/session.h"
#include "kernel/command/value.h"
#include "kernel/lua/lang.h"
#include "kernel/report/notebook_parameters.h"
#include "kernel/report/report.h"
#include "kernel/report/report_run.h"
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/file.h"
#include "metrics/base/newfile.h"
#include "metrics/base/str.h"

#include <stdlib.h>

typedef struct run_args {
    const char *script;
    pj_texts args;
    pj_texts parameters;
    const char *output;
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

/// What cells printed and showed, as text.
static void print_outputs(const pj_session *session, const json_t *notebook)
{
    size_t i, k;
    json_t *cell, *output;
    json_array_foreach(json_object_get(notebook, "cells"), i, cell)
        json_array_foreach(json_object_get(cell, "outputs"), k, output)
    {
        const json_t *text = json_object_get(output, "text");
        if (!text)
            text = json_object_get(json_object_get(output, "data"), "text/plain");
        pj_auto_buf line = {0};
        pj_buf_puts(&line, json_is_string(text) ? json_string_value(text) : "");
        if (line.len && line.at[line.len - 1] != '\n')
            pj_buf_add_char(&line, '\n');
        pj_face_print(session->face, PJ_STDOUT, pj_buf_str(&line));
    }
}

/// Also of a notebook that failed, with what its cells gave before.
static bool put_outputs(pj_session *session, const json_t *notebook, const char *path, pj_err *err)
{
    if (!path) {
        print_outputs(session, notebook);
        return true;
    }
    char *text = json_dumps(notebook, JSON_INDENT(1) | JSON_REAL_PRECISION(17));
    bool ok = pj_newfile_put(path, pj_str_of(text), err);
    free(text);
    if (ok)
        pj_session_wrote(session, path);
    return ok;
}

/// Options behind the notebook: -p NAME=VALUE, -o FILE, as before it.
static bool take_options(const run_args *args, pj_texts *parameters, const char **output,
                         pj_err *err)
{
    *output = args->output;
    for (size_t i = 0; i < args->parameters.count; i++)
        parameters->items[parameters->count++] = args->parameters.items[i];
    for (size_t i = 0; i < args->args.count; i += 2) {
        const char *word = args->args.items[i];
        bool parameter = strcmp(word, "-p") == 0 || strcmp(word, "--parameter") == 0;
        if (!parameter && strcmp(word, "-o") != 0 && strcmp(word, "--output") != 0)
            return pj_fail(err, PJ_E_USAGE, NULL, 0,
                           "run: \"%s\": behind a notebook stand -p NAME=VALUE and -o FILE", word);
        if (i + 1 == args->args.count)
            return pj_fail(err, PJ_E_USAGE, NULL, 0, "run: %s wants a value", word);
        if (parameter)
            parameters->items[parameters->count++] = args->args.items[i + 1];
        else
            *output = args->args.items[i + 1];
    }
    return true;
}

static bool run_notebook(pj_session *session, const run_args *args, pj_err *err)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_texts parameters = {
        .items = pj_new_n(arena, const char *, args->parameters.count + args->args.count + 1)};
    const char *output;
    pj_err later = {0};
    if (!take_options(args, &parameters, &output, err))
        return false;
    json_t *notebook = pj_report_read(args->script, err);
    pj_report report = {.session = session, .arena = arena, .format = PJ_REPORT_ipynb};
    bool ready = notebook && pj_report_is_own(args->script, notebook, err) &&
                 pj_notebook_parameters(notebook, &parameters, err);
    bool ok = ready && pj_report_run(&report, notebook, err);
    if (ready && !put_outputs(session, notebook, output, ok ? err : &later))
        ok = false;
    json_decref(notebook);
    return ok;
}

static bool run_script(pj_session *session, const void *given, pj_value *out, pj_err *err)
{
    (void)out;
    const run_args *args = given;
    if (pj_str_ends(pj_str_of(args->script), PJ_S(".ipynb")))
        return run_notebook(session, args, err);
    if (args->parameters.count || args->output)
        return pj_fail(err, PJ_E_USAGE, NULL, 0,
                       "run: -p and -o are for notebooks; a script has arguments behind it");
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
    {.name = "parameter",
     .letter = 'p',
     .type = PJ_PARAM_TEXTS,
     .offset = offsetof(run_args, parameters),
     .shown = "NAME=VALUE",
     .help =
         "Of a notebook: a value in place of the default that its cell tagged parameters sets."},
    {.name = "output",
     .letter = 'o',
     .type = PJ_PARAM_PATH,
     .output = true,
     .offset = offsetof(run_args, output),
     .shown = "FILE.ipynb",
     .help = "Of a notebook: writes it with its outputs, in place of printing them as text."},
    {.name = "script",
     .type = PJ_PARAM_PATH,
     .place = PJ_IN_SHELL,
     .required = true,
     .offset = offsetof(run_args, script),
     .shown = "SCRIPT.lua|NOTEBOOK.ipynb",
     .help = "The script, or a notebook of this kernel; its cells' grammar is that of a notebook, "
             "% lines included."},
    {.name = "args",
     .type = PJ_PARAM_REST,
     .place = PJ_IN_SHELL,
     .offset = offsetof(run_args, args),
     .shown = "ARG",
     .help =
         "Everything after a script is its own: arg[1], arg[2] and so on, or all of them as ..."},
    {0},
};

const pj_command pj_command_run = {
    .name = "run",
    .summary = "Run a script or a notebook in the command language",
    .detail =
        "The script sees all verbs of the notebook; what it shows is printed as text. "
        "os.exit ends it with a status. Numbers become text that reads back as the same number, "
        "except by x .. y, which is Lua's own and keeps 14 digits: write tostring(x) .. y.\n"
        "A notebook runs here too, without Jupyter, cell after cell: the values of -p stand in a "
        "cell of their own behind the one tagged parameters, as papermill has it.",
    .example = "popinjay run report.lua epoch_*.prv.gz",
    .faces = PJ_IN_SHELL,
    .groups = (const pj_param_group[]){{.rows = params}, {0}},
    .args_size = sizeof(run_args),
    .run = run_script,
};
