// wizard(): the guide from traces to causes, in a notebook.
#include "kernel/command/command.h"
#include "kernel/command/face.h"
#include "kernel/command/inputs.h"
#include "kernel/command/jsontext.h"
#include "kernel/command/session.h"
#include "kernel/command/value.h"
#include "kernel/commands/wizard/wizard_host.h"
#include "kernel/commands/wizard/wizard_serve.h"
#include "kernel/lua/live.h"
#include "metrics/analyse/paths.h"
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/clock.h"
#include "metrics/base/err.h"
#include "metrics/base/num.h"
#include "metrics/base/str.h"
#include "widgets/ipy/widget.h"
#include "widgets/ipy/widget_save.h"
#include "widgets/wizard/wizard.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct wizard_args {
    pj_inputs inputs;
    bool code;
} wizard_args;

/// A path from the root. Links stay what they are: two names of one file may be two runs.
static const char *absolute(const char *path, pj_arena *arena)
{
    char here[PATH_MAX];
    pj_str text = pj_str_of(path);
    while (pj_str_starts(text, PJ_S("./")))
        text = pj_str_from(text, 2);
    if (*path == '/' || !getcwd(here, sizeof here))
        return pj_arena_text(arena, text);
    return pj_arena_format(arena, "%s/" PJ_STR_FMT, here, PJ_STR_ARG(text));
}

static const char *real(const char *folder, pj_arena *arena)
{
    char *path = realpath(folder, NULL);
    const char *kept = pj_arena_text(arena, pj_str_of(path ? path : folder));
    free(path);
    return kept;
}

static void add(pj_texts *paths, const char *path)
{
    pj_grow(paths->items, &paths->cap, paths->count + 1);
    paths->items[paths->count++] = path;
}

/// A folder is where the browser begins, other texts name runs.
static bool take_text(const char *text, pj_arena *arena, pj_wizard_opts *opts, pj_texts *paths,
                      pj_err *err)
{
    struct stat info;
    if (stat(text, &info) == 0 && S_ISDIR(info.st_mode)) {
        opts->folder = real(text, arena);
        opts->folder_wanted = true;
        return true;
    }
    pj_paths found = {0};
    bool good = pj_paths_runs(text, arena, &found, err);
    for (size_t i = 0; good && i < found.count; i++)
        add(paths, absolute(found.items[i], arena));
    free((void *)found.items);
    return good;
}

static bool take_inputs(const pj_inputs *inputs, pj_arena *arena, pj_wizard_opts *opts,
                        pj_texts *paths, pj_err *err)
{
    bool good = true;
    for (size_t i = 0; good && i < inputs->count; i++) {
        const pj_value *input = &inputs->items[i];
        if (input->kind == PJ_VALUE_TEXT)
            good = take_text(input->text, arena, opts, paths, err);
        else if (input->kind == PJ_VALUE_RUN)
            add(paths, absolute(input->run->path, arena));
        else
            good = pj_fail(err, PJ_E_USAGE, NULL, 0, "wizard: give a folder, files or globs");
    }
    return good;
}

static void display_view(const pj_session *session, const pj_widget *root)
{
    static const char plain[] =
        "The wizard of popinjay: to use it, run the cell again in JupyterLab 4 or Notebook 7 "
        "with ipywidgets 8 (pip install jupyterlab ipywidgets). Without one: metrics \"*.prv.gz\". "
        "What it showed last follows.";
    const pj_face *face = session->face;
    json_t *data = pj_widget_view(root, plain);
    json_object_set_new(data, "text/html", json_sprintf("<p>%s</p>", plain));
    face->display(face->self, &(pj_display){.data = data});
    json_decref(data);
}

static bool open_wizard(pj_session *session, pj_wizard_opts opts, pj_err *err)
{
    char id[48];
    snprintf(id, sizeof id, "popinjay-wizard-%" PRIx64, pj_clock_of_day());
    opts.mark = id;
    pj_widgets *widgets = pj_live_enter(session);
    pj_wizard_host host = pj_wizard_host_new(session, id);
    const pj_wizard *wizard = pj_wizard_new(widgets, &host, &opts, err);
    if (wizard) {
        display_view(session, pj_wizard_root(wizard));
        for (int slot = 0; slot < PJ_WIZARD_SLOTS; slot++)
            pj_wizard_host_show(session->face, id, (pj_wizard_slot)slot, NULL, NULL);
    }
    pj_live_leave(session);
    return wizard;
}

/// What the page in front shows, as a cell below the one that runs.
static bool put_code(pj_session *session, pj_err *err)
{
    pj_auto_buf code = {0};
    pj_wizard *wizard = pj_wizard_last(pj_live_enter(session));
    if (wizard)
        pj_wizard_code(wizard, &code);
    pj_live_leave(session);
    if (!wizard)
        return pj_fail(err, PJ_E_MISSING, NULL, 0,
                       "no wizard is open: run wizard() in a cell of its own");
    json_t *payload = json_pack("{s:s, s:o, s:b}", "source", "set_next_input", "text",
                                pj_jsontext_string(pj_buf_str(&code)), "replace", 0);
    session->face->payload(session->face->self, payload);
    json_decref(payload);
    return true;
}

/// From the shell: in a browser, in the folder that was named.
static bool serve(pj_session *session, const wizard_args *args, pj_err *err)
{
    const pj_value *first = args->inputs.count ? &args->inputs.items[0] : NULL;
    struct stat info;
    if (args->code)
        return pj_fail(err, PJ_E_USAGE, NULL, 0,
                       "wizard: --code makes a cell of a notebook, beside a wizard that is open");
    const char *folder = first && first->kind == PJ_VALUE_TEXT ? first->text : ".";
    if (args->inputs.count > 1 || stat(folder, &info) != 0 || !S_ISDIR(info.st_mode))
        return pj_fail(err, PJ_E_USAGE, NULL, 0,
                       "wizard: give one folder; traces are chosen in the browser");
    return pj_wizard_serve(session, folder, err);
}

static bool run_wizard(pj_session *session, const void *given, pj_value *out, pj_err *err)
{
    (void)out;
    const wizard_args *args = given;
    if (!pj_live_of(session))
        return serve(session, args, err);
    if (!session->face->desk)
        return pj_fail(err, PJ_E_MISSING, NULL, 0,
                       "the wizard lives in a notebook: open one in JupyterLab with the kernel "
                       "\"popinjay\" and run wizard()");
    if (args->code)
        return put_code(session, err);
    char here[PATH_MAX];
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_texts paths = {0};
    pj_wizard_opts opts = {.folder = getcwd(here, sizeof here) ? here : "/"};
    bool good = take_inputs(&args->inputs, arena, &opts, &paths, err);
    opts.paths = paths.items;
    opts.path_count = paths.count;
    good = good && open_wizard(session, opts, err);
    free((void *)paths.items);
    return good;
}

static const pj_param params[] = {
    {.name = "traces",
     .type = PJ_PARAM_INPUTS,
     .place = PJ_IN_BOTH,
     .offset = offsetof(wizard_args, inputs),
     .shown = "DIR|TRACE",
     .help = "Where the file browser begins, or runs that are chosen from the beginning."},
    {.name = "code",
     .type = PJ_PARAM_FLAG,
     .offset = offsetof(wizard_args, code),
     .help = "In a notebook: puts the code of the page in front into a new cell below."},
    {0},
};

const pj_command pj_command_wizard = {
    .name = "wizard",
    .summary = "From traces to causes by mouse: table, scaling, ranks, report",
    .detail =
        "Choose traces, press Analyse, click a metric to have it explained. Every page shows the "
        "code that makes what is on it; wizard{code = true} in another cell makes a cell of it. "
        "Reading goes on in the background and can be cancelled; choices are kept for the next "
        "time.\n"
        "In the shell it starts the Jupyter that is installed, in that folder, with a notebook "
        "of one cell.",
    .example = "popinjay wizard traces",
    .faces = PJ_IN_BOTH,
    .groups = (const pj_param_group[]){{.rows = params}, {0}},
    .args_size = sizeof(wizard_args),
    .run = run_wizard,
};
