// The wizard in a browser, for who starts it in the shell.
// On localhost, with the token that Jupyter makes; Ctrl-C goes to it.
#include "kernel/commands/wizard/wizard_serve.h"

#include "kernel/command/datadir.h"
#include "metrics/base/arena.h"
#include "metrics/base/err.h"
#include "metrics/base/newfile.h"
#include "metrics/base/str.h"

#include <errno.h>
#include <jansson.h>
#include <limits.h>
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

// What Jupyter finds

enum { MOST_FOLDERS = 16 };

/// Folders of Jupyter's data, in the arena.
typedef struct folders {
    const char *items[MOST_FOLDERS];
    size_t count;
} folders;

static void add_folder(folders *found, const char *path)
{
    if (path && found->count < MOST_FOLDERS)
        found->items[found->count++] = path;
}

/// The share/jupyter beside the bin/ of a program on the PATH; NULL when there is none.
static const char *data_beside(const char *program, pj_arena *arena)
{
    const char *list = getenv("PATH");
    pj_str rest = pj_str_of(list ? list : "");
    while (rest.len) {
        pj_str folder = pj_str_cut(&rest, ':');
        char real[PATH_MAX];
        const char *path = pj_arena_format(arena, PJ_STR_FMT "/%s", PJ_STR_ARG(folder), program);
        if (access(path, X_OK) != 0 || !realpath(path, real))
            continue;
        pj_str bin = pj_str_head(pj_str_of(real), pj_str_find_last(pj_str_of(real), '/'));
        pj_str prefix = pj_str_head(bin, pj_str_find_last(bin, '/'));
        return pj_arena_format(arena, PJ_STR_FMT "/share/jupyter", PJ_STR_ARG(prefix));
    }
    return NULL;
}

/// As `jupyter --paths` says for this program.
static folders data_of(const char *program, pj_arena *arena)
{
    folders found = {.count = 0};
    const char *path = getenv("JUPYTER_PATH"), *data = getenv("JUPYTER_DATA_DIR");
    const char *home = getenv("HOME");
    pj_str rest = pj_str_of(path ? path : "");
    while (rest.len)
        add_folder(&found, pj_arena_text(arena, pj_str_cut(&rest, ':')));
    if (data && *data)
        add_folder(&found, data);
    else if (home)
        add_folder(&found, pj_arena_format(arena, "%s/.local/share/jupyter", home));
    add_folder(&found, data_beside(program, arena));
    add_folder(&found, "/usr/local/share/jupyter");
    add_folder(&found, "/usr/share/jupyter");
    return found;
}

static const char *find(const char *program, const char *name, pj_arena *arena)
{
    folders data = data_of(program, arena);
    for (size_t i = 0; i < data.count; i++) {
        const char *path = pj_arena_format(arena, "%s/%s", data.items[i], name);
        if (access(path, R_OK) == 0)
            return path;
    }
    return NULL;
}

/// ipywidgets 8 brings version 5 of the manager.
static bool has_widgets(const char *program, pj_arena *arena)
{
    const char *path =
        find(program, "labextensions/@jupyter-widgets/jupyterlab-manager/package.json", arena);
    json_t *manifest = path ? json_load_file(path, 0, NULL) : NULL;
    const char *version = json_string_value(json_object_get(manifest, "version"));
    bool good = version && strtol(version, NULL, 10) >= 5;
    json_decref(manifest);
    return good;
}

/// Where it is not installed for all, this program's own kernelspec is shown to Jupyter.
static bool show_kernel(const char *program, pj_arena *arena, pj_err *err)
{
    static const char spec[] = "kernels/popinjay/kernel.json";
    if (find(program, spec, arena))
        return true;
    const char *own = pj_datadir_find(arena, "share/jupyter/kernels/popinjay/kernel.json",
                                      ".local/share/jupyter/kernels/popinjay/kernel.json");
    if (!own)
        return pj_fail(err, PJ_E_MISSING, NULL, 0,
                       "Jupyter does not know the kernel yet: run popinjay install");
    const char *path = getenv("JUPYTER_PATH");
    pj_str folder = pj_str_head(pj_str_of(own), strlen(own) - sizeof spec);
    return setenv("JUPYTER_PATH",
                  pj_arena_format(arena, PJ_STR_FMT "%s%s", PJ_STR_ARG(folder), path ? ":" : "",
                                  path ? path : ""),
                  1) == 0;
}

// Which server

/// Ours, that `notebooks/run` has built.
static const char *built(pj_arena *arena)
{
    return pj_datadir_find(arena, "share/popinjay/frontend/serve.py",
                           ".local/share/popinjay/frontend/serve.py");
}

/// One that shows the wizard, else ours (NULL), else one that shows tables and plots.
static bool choose(pj_session *session, pj_arena *arena, const char **program, pj_err *err)
{
    int lab = version_of("jupyter-lab --version 2>/dev/null");
    int notebook = version_of("jupyter-notebook --version 2>/dev/null");
    *program = NULL;
    if (lab >= 4 && has_widgets("jupyter-lab", arena))
        *program = "jupyter-lab";
    else if (notebook >= 7 && has_widgets("jupyter-notebook", arena))
        *program = "jupyter-notebook";
    if (*program || built(arena))
        return true;
    if (!lab && !notebook)
        return pj_fail(err, PJ_E_MISSING, NULL, 0,
                       "no Jupyter is installed: pip install jupyterlab ipywidgets, or run "
                       "notebooks/run of popinjay, which builds one");
    *program = lab ? "jupyter-lab" : "jupyter-notebook";
    pj_session_say(session,
                   "popinjay: %s %d serves, without ipywidgets 8: tables and plots are whole, the "
                   "wizard needs pip install jupyterlab ipywidgets",
                   *program, lab ? lab : notebook);
    return true;
}

/// The program and its arguments, ended by NULL.
static void put_words(const char *program, pj_arena *arena, const char **words)
{
    size_t count = 0;
    words[count++] = program ? program : "/usr/bin/python3"; // that the Debian packages are for
    if (!program) {
        words[count++] = built(arena);
        words[count++] = "--open";
    }
    words[count++] = NOTEBOOK;
    if (program) {
        words[count++] = "--ip=127.0.0.1";
        words[count++] = "-y";
        if (geteuid() == 0)
            words[count++] = "--allow-root";
        if (!has_display())
            words[count++] = "--no-browser";
    }
    words[count] = NULL;
}

bool pj_wizard_serve(pj_session *session, const char *folder, pj_err *err)
{
    enum { MOST_WORDS = 8 };
    const char *words[MOST_WORDS] = {NULL}, *program;
    pj_auto_arena arena = pj_arena_new(NULL);
    if (chdir(folder) != 0)
        return pj_fail_io(err, folder, "cannot be entered");
    if (!choose(session, arena, &program, err))
        return false;
    put_words(program, arena, words);
    if (!show_kernel(words[0], arena, err))
        return false;
    if (access(NOTEBOOK, F_OK) != 0 && !pj_newfile_put(NOTEBOOK, pj_str_of(cell), err))
        return false;
    pj_session_say(session, "popinjay: %s serves " NOTEBOOK "; Ctrl-C ends it", words[0]);
    execvp(words[0], (char *const *)words);
    return pj_fail(err, PJ_E_MISSING, words[0], 0, "cannot be started: %s", strerror(errno));
}
