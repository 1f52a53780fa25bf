// popinjay install: makes the kernel known to Jupyter, and vectors to its PDFs. Needs no Python.
#include "kernel/command/command.h"
#include "kernel/command/datadir.h"
#include "kernel/command/export.h"
#include "kernel/command/session.h"
#include "kernel/command/value.h"
#include "kernel/commands/install/install_check.h"
#include "kernel/jupyter/message.h"
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/file.h"
#include "metrics/base/newfile.h"
#include "metrics/base/str.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct install_args {
    bool user, sys_prefix, check;
    const char *prefix;
    pj_exports exports;
} install_args;

static bool make_folders(char *path, pj_err *err)
{
    for (char *at = path + 1;; at++) {
        if (*at && *at != '/')
            continue;
        char kept = *at;
        *at = 0;
        bool ok = mkdir(path, 0777) == 0 || errno == EEXIST;
        if (!ok)
            return pj_fail(err, PJ_E_IO, path, 0,
                           "cannot be made: %s; --user installs for you alone", strerror(errno));
        *at = kept;
        if (!kept)
            return true;
    }
}

/// The environment that Python runs in: conda's or venv's, else that of the first python3.
static const char *environment_prefix(pj_arena *arena)
{
    static const char *const names[] = {"VIRTUAL_ENV", "CONDA_PREFIX"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *prefix = getenv(names[i]);
        if (prefix && *prefix)
            return prefix;
    }
    pj_str rest = pj_str_of(getenv("PATH"));
    while (rest.len) {
        pj_str bin = pj_str_cut(&rest, ':');
        const char *python = pj_arena_format(arena, PJ_STR_FMT "/python3", PJ_STR_ARG(bin));
        if (access(python, X_OK) == 0)
            return pj_arena_text(arena, pj_str_head(bin, pj_str_find_last(bin, '/')));
    }
    return NULL;
}

/// Folders of Jupyter: kernels and the like, and its settings.
typedef struct places {
    const char *data, *config;
} places;

static bool own_places(pj_arena *arena, places *out, pj_err *err)
{
    const char *data = getenv("JUPYTER_DATA_DIR"), *config = getenv("JUPYTER_CONFIG_DIR");
    const char *home = getenv("HOME");
    bool settled = data && *data && config && *config;
    if (!settled && !(home && *home))
        return pj_fail(err, PJ_E_MISSING, NULL, 0, "install: --user needs HOME to be set");
    out->data = data && *data ? data : pj_arena_format(arena, "%s/.local/share/jupyter", home);
    out->config = config && *config ? config : pj_arena_format(arena, "%s/.jupyter", home);
    return true;
}

static bool find_places(const install_args *args, pj_arena *arena, places *out, pj_err *err)
{
    if (args->user + args->sys_prefix + (args->prefix != NULL) > 1)
        return pj_fail(err, PJ_E_USAGE, NULL, 0,
                       "install: only one of --user, --prefix and --sys-prefix can be meant");
    if (args->user)
        return own_places(arena, out, err);
    const char *prefix = args->prefix       ? args->prefix
                         : args->sys_prefix ? environment_prefix(arena)
                                            : "/usr/local";
    if (!prefix)
        return pj_fail(err, PJ_E_MISSING, NULL, 0,
                       "install: --sys-prefix found no Python environment");
    out->data = pj_arena_format(arena, "%s/share/jupyter", prefix);
    out->config = pj_arena_format(arena, "%s/etc/jupyter", prefix);
    return true;
}

/// How the kernelspec names the program: from its own folder where both lie in one tree, which may
/// then be moved.
static const char *path_to_program(const char *folder, pj_arena *arena)
{
    static const char to_program[] = "../../../../bin/popinjay";
    const char *program = pj_datadir_program(arena);
    char *beside = realpath(pj_arena_format(arena, "%s/%s", folder, to_program), NULL);
    bool same = beside && strcmp(beside, program) == 0;
    free(beside);
    return same ? pj_arena_format(arena, "{resource_dir}/%s", to_program) : program;
}

static bool write_spec(const char *folder, pj_arena *arena, pj_err *err)
{
    json_t *spec = json_pack("{s:[s,s,s,s], s:s, s:s, s:s, s:s, s:{s:b, s:[s]}}", "argv",
                             path_to_program(folder, arena), "kernel", "-f", "{connection_file}",
                             "display_name", "popinjay", "language", "lua", "interrupt_mode",
                             "message", "kernel_protocol_version", PJ_PROTOCOL, "metadata",
                             "debugger", 1, "supported_encryption", "curve");
    char *text = json_dumps(spec, JSON_INDENT(1));
    json_decref(spec);
    const char *path = pj_arena_format(arena, "%s/kernel.json", folder);
    bool ok = pj_newfile_put(path, pj_str_of(text), err);
    free(text);
    return ok;
}

static bool copy_logo(const char *folder, const char *name, pj_arena *arena, pj_err *err)
{
    const char *inside = pj_arena_format(arena, "share/jupyter/kernels/popinjay/%s", name);
    const char *from = pj_datadir_find(arena, inside, inside);
    const char *to = pj_arena_format(arena, "%s/%s", folder, name);
    pj_auto_buf bytes = {0};
    if (!from)
        return true; // a kernel without a logo works
    if (!pj_file_read(from, &bytes, err))
        return false;
    return strcmp(from, to) == 0 || pj_newfile_put(to, pj_buf_str(&bytes), err);
}

/// Into what Jupyter heeds wherever it makes a PDF. Settings that are somebody's own are left, and
/// that is said.
static bool write_settings(pj_session *session, const char *folder, pj_arena *arena, pj_err *err)
{
    const char *from = pj_datadir_find(arena, "share/popinjay/jupyter/jupyter_config.py",
                                       "share/jupyter/etc/jupyter_config.py");
    const char *to = pj_arena_format(arena, "%s/jupyter_config.py", folder);
    pj_auto_buf wanted = {0}, there = {0};
    if (!from || !pj_file_read(from, &wanted, NULL))
        return true; // a PDF then has pixels
    pj_str title = pj_str_head(pj_buf_str(&wanted), pj_str_find(pj_buf_str(&wanted), '\n'));
    if (access(to, F_OK) == 0 &&
        !(pj_file_read(to, &there, NULL) && pj_str_starts(pj_buf_str(&there), title))) {
        pj_session_say(session,
                       "%s is your own and stays; for vectors in PDFs add to it what "
                       "stands in %s",
                       to, from);
        return true;
    }
    pj_auto_buf path = {0};
    pj_buf_puts(&path, folder);
    return make_folders(path.at, err) && pj_newfile_put(to, pj_buf_str(&wanted), err);
}

static bool check(pj_session *session, const install_args *args, pj_value *out, pj_err *err)
{
    bool broken;
    if (!pj_export_check(&args->exports, err))
        return false;
    *out = pj_value_table_take(pj_install_check(&broken));
    if (broken)
        session->status = 1;
    return pj_export_all(session, out, &args->exports, err);
}

static bool run_install(pj_session *session, const void *given, pj_value *out, pj_err *err)
{
    static const char *const logos[] = {"logo-32x32.png", "logo-64x64.png", "logo-svg.svg"};
    const install_args *args = given;
    if (args->check)
        return check(session, args, out, err);
    pj_auto_arena arena = pj_arena_new(NULL);
    places at = {0};
    if (!find_places(given, arena, &at, err))
        return false;
    pj_auto_buf folder = {0};
    pj_buf_addf(&folder, "%s/kernels/popinjay", at.data);
    if (!make_folders(folder.at, err) || !write_spec(folder.at, arena, err))
        return false;
    for (size_t i = 0; i < sizeof logos / sizeof *logos; i++)
        if (!copy_logo(folder.at, logos[i], arena, err))
            return false;
    if (!write_settings(session, at.config, arena, err))
        return false;
    *out = pj_value_text(pj_arena_format(arena, "the kernel is installed in %s", folder.at));
    return pj_export_all(session, out, &args->exports, err);
}

static const pj_param params[] = {
    {.name = "user",
     .type = PJ_PARAM_FLAG,
     .offset = offsetof(install_args, user),
     .help = "Installs for you alone, in ~/.local/share/jupyter and ~/.jupyter."},
    {.name = "prefix",
     .type = PJ_PARAM_PATH,
     .offset = offsetof(install_args, prefix),
     .shown = "DIR",
     .preset = "/usr/local",
     .help = "Installs in DIR/share/jupyter and DIR/etc/jupyter."},
    {.name = "sys-prefix",
     .type = PJ_PARAM_FLAG,
     .offset = offsetof(install_args, sys_prefix),
     .help = "Installs in the active Python environment (venv, conda)."},
    {.name = "check",
     .type = PJ_PARAM_FLAG,
     .offset = offsetof(install_args, check),
     .help = "Installs nothing: starts the kernel as Jupyter would, and says what is missing."},
    {0},
};

const pj_command pj_command_install = {
    .name = "install",
    .summary = "Make the kernel known to Jupyter",
    .detail =
        "Writes a kernelspec that starts this very program; Jupyter then offers popinjay "
        "among its kernels. A jupyter_config.py, where there is none, lets nbconvert and "
        "JupyterLab make PDFs with vectors of saved notebooks (rsvg-convert does it). Of --check "
        "the status is 1 where the kernel does not start.",
    .example = "popinjay install --user",
    .faces = PJ_IN_SHELL,
    .groups =
        (const pj_param_group[]){
            {.rows = params},
            {.rows = pj_export_rows, .base = offsetof(install_args, exports)},
            {0},
        },
    .args_size = sizeof(install_args),
    .run = run_install,
};
