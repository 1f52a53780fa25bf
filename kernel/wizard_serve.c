// On localhost, with the token that Jupyter makes; Ctrl-C goes to it.
#include "kernel/wizard_serve.h"

#include "kernel/datadir.h"
#include "metrics/base/newfile.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define NOTEBOOK "wizard.ipynb"

static const char cell[] =
    "{\"cells\": [{\"cell_type\": \"code\", \"execution_count\": null, \"id\": \"wizard\", "
    "\"metadata\": {}, \"outputs\": [], \"source\": [\"wizard()\"]}], \"metadata\": "
    "{\"kernelspec\": {\"display_name\": \"popinjay\", \"language\": \"lua\", \"name\": "
    "\"popinjay\"}}, \"nbformat\": 4, \"nbformat_minor\": 5}\n";

/// The first number of what `command` prints; 0 when there is none.
static int version_of(const char *command)
{
    char line[64] = "";
    FILE *answer = popen(command, "r");
    if (!answer)
        return 0;
    char *got = fgets(line, sizeof line, answer);
    pclose(answer);
    return got ? (int)strtol(line, NULL, 10) : 0;
}

static bool has_display(void)
{
    const char *x = getenv("DISPLAY"), *wayland = getenv("WAYLAND_DISPLAY");
    return (x && *x) || (wayland && *wayland);
}

/// Ours, that `notebooks/run` has built.
static const char *built(pj_arena *arena)
{
    return pj_datadir_find(arena, "share/popinjay/frontend/serve.py",
                           ".local/share/popinjay/frontend/serve.py");
}

/// The program and its arguments, ended by NULL; how many. 0 when there is none.
static size_t choose(pj_session *session, pj_arena *arena, const char **words, pj_err *err)
{
    const char *server = built(arena), *jupyter = NULL;
    size_t count = 0;
    bool lab = version_of("jupyter-lab --version 2>/dev/null") >= 4;
    int notebook = version_of("jupyter-notebook --version 2>/dev/null");
    if (lab)
        jupyter = "jupyter-lab";
    else if (notebook >= 7 || (notebook > 0 && !server))
        jupyter = "jupyter-notebook";
    if (jupyter && !lab && notebook < 7)
        pj_session_say(session, "popinjay: the classic Notebook serves: tables and plots are "
                                "whole, the wizard needs JupyterLab 4 with ipywidgets 8");
    if (!jupyter && !server) {
        pj_fail(err, PJ_E_MISSING, NULL, 0,
                "no Jupyter is installed: pip install jupyterlab ipywidgets, or run "
                "notebooks/run of popinjay, which builds one");
        return 0;
    }
    words[count++] = jupyter ? jupyter : "/usr/bin/python3"; // that the Debian packages are for
    if (!jupyter) {
        words[count++] = server;
        words[count++] = "--open";
    }
    words[count++] = NOTEBOOK;
    if (jupyter) {
        words[count++] = "--ip=127.0.0.1";
        words[count++] = "-y";
        if (geteuid() == 0)
            words[count++] = "--allow-root";
        if (!has_display())
            words[count++] = "--no-browser";
    }
    words[count] = NULL;
    return count;
}

bool pj_wizard_serve(pj_session *session, const char *folder, pj_err *err)
{
    enum { MOST_WORDS = 8 };
    const char *words[MOST_WORDS] = {NULL};
    pj_auto_arena arena = pj_arena_new(NULL);
    if (chdir(folder) != 0)
        return pj_fail(err, PJ_E_IO, folder, 0, "cannot be entered: %s", strerror(errno));
    if (choose(session, arena, words, err) == 0)
        return false;
    if (access(NOTEBOOK, F_OK) != 0 && !pj_newfile_put(NOTEBOOK, pj_str_of(cell), err))
        return false;
    pj_session_say(session, "popinjay: %s serves " NOTEBOOK "; Ctrl-C ends it", words[0]);
    execvp(words[0], (char *const *)words);
    return pj_fail(err, PJ_E_MISSING, words[0], 0, "cannot be started: %s", strerror(errno));
}
