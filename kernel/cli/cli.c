// Words to a call, its value to standard output, its failure to standard error.
#include "kernel/cli/cli.h"

#include "kernel/cli/shell.h"
#include "kernel/command/call.h"
#include "kernel/command/command.h"
#include "kernel/command/display.h"
#include "kernel/command/face.h"
#include "kernel/command/inputs.h"
#include "kernel/command/session.h"
#include "kernel/command/value.h"
#include "metrics/analyse/paths.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "widgets/table/render.h"

#include <errno.h>
#include <stdio.h>

static int report(const pj_err *err)
{
    char text[1600];
    pj_face face = pj_shell_face();
    pj_auto_buf line = {0};
    bool stopped = err->code == PJ_E_STOPPED;
    pj_buf_addf(&line, "popinjay: %s\n",
                stopped ? "interrupted" : pj_err_message(err, text, sizeof text));
    face.write(face.self, PJ_STDERR, pj_buf_str(&line));
    if (stopped)
        return PJ_STATUS_STOPPED;
    return err->code == PJ_E_USAGE ? PJ_STATUS_USAGE : PJ_STATUS_FAILED;
}

/// A full disk behind standard output shows when it is flushed.
static int flush_output(int status)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    pj_err err = {0};
    pj_fail_io(&err, "standard output", "cannot be written");
    return report(&err);
}

static int run_command(pj_session *session, const pj_command *command, size_t count,
                       const char *const *words)
{
    pj_err err = {0};
    pj_auto_value value = {0};
    pj_call call;
    pj_call_begin(&call, session, command);
    bool ok = pj_call_words(&call, count, words, &err) && pj_call_run(&call, &value, &err);
    pj_call_end(&call);
    if (ok && !session->exports && value.kind != PJ_VALUE_NIL) {
        pj_auto_buf text = {0};
        pj_display_text(session, &value, &text);
        session->face->write(session->face->self, PJ_STDOUT, pj_buf_str(&text));
    }
    if (!ok)
        return report(&err);
    return session->complaints ? PJ_STATUS_FAILED : session->status;
}

/// The command that a file asks for where none is named; NULL when it is no file.
static const char *command_for(const char *word)
{
    static const struct {
        pj_str suffix;
        const char *command;
    } rows[] = {{{".ipynb", 6}, "report"}, {{".lua", 4}, "run"}};
    pj_str path = pj_str_of(word);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (pj_str_ends(path, rows[i].suffix))
            return rows[i].command;
    if (!path.len || path.at[0] == '-' || !pj_paths_is_path(word))
        return NULL;
    return pj_paths_are_profiles(word) ? "profile" : "metrics";
}

int pj_cli_run(int argc, const char *const *argv, atomic_bool *stop)
{
    const char *name = argc > 1 ? argv[1] : "help";
    if (strcmp(name, "--version") == 0) {
        puts("popinjay " PJ_VERSION);
        return flush_output(PJ_STATUS_DONE);
    }
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
        name = "help";
    size_t count = argc > 2 ? (size_t)argc - 2 : 0;
    const char *const *words = argv + 2;
    const pj_command *command = pj_command_find(pj_str_of(name), PJ_IN_SHELL);
    const char *meant = command ? NULL : command_for(name);
    if (meant) {
        fprintf(stderr, "popinjay: taken as: popinjay %s %s%s\n", meant, name,
                argc > 2 ? " ..." : "");
        command = pj_command_find(pj_str_of(meant), PJ_IN_SHELL);
        words--;
        count++;
    }
    pj_err err = {0};
    if (!command) {
        pj_command_unknown(pj_str_of(name), PJ_IN_SHELL, &err);
        return report(&err);
    }
    if (pj_call_asks_help(command, count, words)) {
        words = &command->name;
        count = 1;
        command = pj_command_find(PJ_S("help"), PJ_IN_SHELL);
    }
    pj_face face = pj_shell_face();
    pj_session *session = pj_session_new(&face, stop);
    session->render = (pj_render_opts){.colour = face.colour, .width = pj_shell_columns()};
    int status = run_command(session, command, count, words);
    pj_session_free(session);
    return flush_output(status);
}
