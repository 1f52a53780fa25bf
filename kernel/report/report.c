// From a notebook to a document.
// Pages are made here, everything else by nbconvert. What it needs to find, the kernel and the
// template, is put into its search path, so that a report works from any installation and from the
// build tree.
#include "kernel/report/report.h"

#include "kernel/command/child.h"
#include "kernel/command/datadir.h"
#include "kernel/command/setting.h"
#include "kernel/report/report_pictures.h"
#include "kernel/report/report_run.h"
#include "kernel/report/report_stored.h"
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/file.h"
#include "metrics/base/newfile.h"
#include "metrics/base/str.h"
#include "widgets/report/report_page.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NEED_NOTHING = 0, NEED_PANDOC = 1, NEED_XELATEX = 2, NEED_NBCONVERT = 4, MOST_PASSES = 4 };

typedef struct format_row {
    const char *name, *suffix, *exporter;
    unsigned needs;
} format_row;

static const format_row formats[] = {
#define REPORT(name, suffix, exporter, needs) {#name, suffix, exporter, needs},
#include "kernel/report/report_formats.def"
#undef REPORT
};

typedef struct need_row {
    unsigned need;
    const char *program, *packages; // Debian's names
} need_row;

static const need_row needs[] = {
    {NEED_NBCONVERT, "jupyter-nbconvert", "jupyter-nbconvert python3-nbclient"},
    {NEED_PANDOC, "pandoc", "pandoc"},
    {NEED_XELATEX, "xelatex", "texlive-xetex texlive-fonts-recommended texlive-plain-generic"},
};

const char *pj_report_format_name(size_t index)
{
    return index < PJ_REPORT_COUNT ? formats[index].name : NULL;
}

bool pj_report_format_parse(pj_str name, pj_report_format *out)
{
    for (size_t i = 0; i < PJ_REPORT_COUNT; i++)
        if (pj_str_equal(name, pj_str_of(formats[i].suffix))) {
            *out = (pj_report_format)i;
            return true;
        }
    return false;
}

static bool check_needs(unsigned wanted, pj_err *err)
{
    pj_auto_buf programs = {0}, packages = {0};
    for (size_t i = 0; i < sizeof needs / sizeof *needs; i++) {
        if (!(wanted & needs[i].need) || pj_child_exists(needs[i].program))
            continue;
        pj_buf_addf(&programs, "%s%s", programs.len ? ", " : "", needs[i].program);
        pj_buf_addf(&packages, " %s", needs[i].packages);
    }
    return !programs.len || pj_fail(err, PJ_E_MISSING, NULL, 0,
                                    "report: %s not found in PATH; on Debian: apt install%s",
                                    programs.at, packages.at);
}

bool pj_report_has_jupyter(void)
{
    return check_needs(NEED_NBCONVERT, NULL);
}

bool pj_report_open(pj_report *report, pj_session *session, pj_report_format format, pj_err *err)
{
    *report = (pj_report){.session = session, .format = format};
    if (!check_needs(formats[format].needs, err))
        return false;
    report->arena = pj_arena_new(NULL);
    const char *place = getenv("TMPDIR");
    char *folder = (char *)pj_arena_format(report->arena, "%s/popinjay-report.XXXXXX",
                                           place && *place ? place : "/tmp");
    if (!mkdtemp(folder))
        return pj_fail_io(err, folder, "cannot be made");
    report->folder = folder;
    return true;
}

static void remove_tree(const char *path)
{
    DIR *dir = opendir(path);
    pj_auto_arena arena = pj_arena_new(NULL);
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        const char *inner = pj_arena_format(arena, "%s/%s", path, entry->d_name);
        if (unlink(inner) != 0)
            remove_tree(inner);
    }
    if (dir)
        closedir(dir);
    rmdir(path);
}

void pj_report_close(pj_report *report)
{
    if (report->folder)
        remove_tree(report->folder);
    pj_arena_free(report->arena);
    *report = (pj_report){0};
}

static const char *inside(pj_report *report, const char *name)
{
    return pj_arena_format(report->arena, "%s/%s", report->folder, name);
}

/// A kernelspec of this very program, found before any that is installed.
static bool write_spec(pj_report *report, pj_err *err)
{
    mkdir(inside(report, "jupyter"), 0700);
    mkdir(inside(report, "jupyter/kernels"), 0700);
    mkdir(inside(report, "jupyter/kernels/popinjay"), 0700);
    json_t *spec = json_pack("{s:[s,s,s,s],s:s,s:s,s:s}", "argv", pj_datadir_program(report->arena),
                             "kernel", "-f", "{connection_file}", "display_name", "popinjay",
                             "language", "lua", "interrupt_mode", "message");
    char *text = json_dumps(spec, 0);
    json_decref(spec);
    bool ok = pj_newfile_put(inside(report, "jupyter/kernels/popinjay/kernel.json"),
                             pj_str_of(text), err);
    free(text);
    return ok;
}

static const char *search_path(pj_report *report)
{
    const char *before = getenv("JUPYTER_PATH");
    const char *data = pj_datadir_find(report->arena, "share/jupyter/nbconvert/templates/popinjay",
                                       "share/jupyter/nbconvert/templates/popinjay");
    pj_str shared = pj_str_of(data ? data : "");
    for (int up = 0; up < 3; up++) // the folder that holds nbconvert/templates/popinjay
        shared = pj_str_head(shared, pj_str_find_last(shared, '/'));
    return pj_arena_format(report->arena, "JUPYTER_PATH=%s:" PJ_STR_FMT "%s%s",
                           inside(report, "jupyter"), PJ_STR_ARG(shared), before ? ":" : "",
                           before ? before : "");
}

static void tell(pj_report *report, const char *what)
{
    if (report->session->face->terminal)
        pj_session_say(report->session, "%s ...", what);
}

static bool run(pj_report *report, const char *const *words, const char *folder, pj_err *err)
{
    const char *own = pj_arena_format(report->arena, "TMPDIR=%s", report->folder);
    const char *summaries =
        report->summaries
            ? pj_arena_format(report->arena, "%s=%s", pj_setting_of(PJ_SETTING_SUMMARIES)->variable,
                              report->summaries)
            : NULL;
    const char *settings[] = {search_path(report),
                              own, // what an ended program left goes too
                              "PYTHONWARNINGS=ignore",
                              "max_print_line=1000",
                              "openin_any=p", // TeX reads no file outside of its folder
                              report->format == PJ_REPORT_ipynb ? own : "POPINJAY_PAPER=yes",
                              summaries,
                              NULL};
    pj_child child = {
        .words = words,
        .settings = settings,
        .folder = folder,
        .log = pj_arena_format(report->arena, "%s/log-%u", report->folder, report->logs++)};
    return pj_child_run(&child, report->session->stop, err);
}

json_t *pj_report_read(const char *path, pj_err *err)
{
    json_error_t problem;
    int fd = pj_file_open(path, err);
    if (fd < 0)
        return NULL;
    json_t *notebook = json_loadfd(fd, 0, &problem);
    close(fd);
    if (!notebook)
        pj_fail(err, PJ_E_FORMAT, path, problem.line > 0 ? (uint64_t)problem.line : 0,
                "is no notebook: %s", problem.text);
    else if (!json_is_array(json_object_get(notebook, "cells"))) {
        json_decref(notebook);
        notebook = NULL;
        pj_fail(err, PJ_E_FORMAT, path, 0, "is no notebook: it has no cells (nbformat 4)");
    }
    return notebook;
}

static json_t *execute_by_jupyter(pj_report *report, const char *path, pj_err *err)
{
    const char *words[] = {"jupyter-nbconvert",
                           "--to",
                           "notebook",
                           "--execute",
                           "--ExecutePreprocessor.timeout=-1",
                           "--ExecutePreprocessor.startup_timeout=120",
                           "--output-dir",
                           report->folder,
                           "--output",
                           "executed",
                           path,
                           NULL};
    bool ok = write_spec(report, err) && run(report, words, NULL, err);
    return ok ? pj_report_read(inside(report, "executed.ipynb"), err) : NULL;
}

static bool is_own(const json_t *notebook)
{
    const json_t *metadata = json_object_get(notebook, "metadata");
    const char *name =
        json_string_value(json_object_get(json_object_get(metadata, "kernelspec"), "name"));
    return name && strcmp(name, "popinjay") == 0;
}

bool pj_report_is_own(const char *path, const json_t *notebook, pj_err *err)
{
    return is_own(notebook) || pj_fail(err, PJ_E_USAGE, path, 0,
                                       "is a notebook of another kernel: its kernelspec is not "
                                       "popinjay");
}

/// In the folder of the notebook; from a cell there is no going elsewhere, as others run beside it.
static bool run_there(pj_report *report, json_t *notebook, const char *path, pj_err *err)
{
    pj_str text = pj_str_of(path);
    size_t slash = pj_str_find_last(text, '/');
    const char *folder =
        slash < text.len ? pj_arena_text(report->arena, pj_str_head(text, slash + 1)) : ".";
    int here = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool ok = (here >= 0 && chdir(folder) == 0) || pj_fail_io(err, folder, "cannot be entered");
    ok = ok && pj_report_run(report, notebook, err);
    if (here >= 0 && fchdir(here) != 0)
        ok = pj_fail_io(err, ".", "cannot be entered");
    if (here >= 0)
        close(here);
    return ok;
}

json_t *pj_report_execute(pj_report *report, const char *path, pj_err *err)
{
    int fd = pj_file_open(path, err); // nobody waits for a pipe
    if (fd < 0)
        return NULL;
    close(fd);
    tell(report, "executing the notebook");
    if (pj_report_has_jupyter())
        return execute_by_jupyter(report, path, err);
    json_t *notebook = pj_report_read(path, err);
    bool able = notebook && is_own(notebook) && !report->session->lang;
    bool ok = notebook && (able || check_needs(NEED_NBCONVERT, err)) &&
              run_there(report, notebook, path, err);
    if (!ok)
        json_decref(notebook);
    return ok ? notebook : NULL;
}

static bool copy_file(const char *from, const char *to, pj_err *err)
{
    pj_auto_buf bytes = {0};
    return pj_file_read(from, &bytes, err) && pj_newfile_put(to, pj_buf_str(&bytes), err);
}

static bool wants_another_pass(pj_report *report)
{
    pj_auto_buf log = {0};
    return pj_file_read(inside(report, "report.log"), &log, NULL) &&
           (pj_str_contains(pj_buf_str(&log), PJ_S("Rerun to get")) ||
            pj_str_contains(pj_buf_str(&log), PJ_S("Rerun LaTeX")));
}

/// The table of contents needs a second pass, sometimes a third.
static bool typeset(pj_report *report, pj_err *err)
{
    const char *words[] = {"xelatex",        "-interaction=nonstopmode",
                           "-halt-on-error", "-no-shell-escape",
                           "report.tex",     NULL};
    tell(report, "typesetting");
    for (int pass = 0; pass < MOST_PASSES && (pass < 2 || wants_another_pass(report)); pass++)
        if (!run(report, words, report->folder, err))
            return false;
    return true;
}

static pj_str stem_of(const char *path)
{
    pj_str name = pj_str_of(path);
    size_t slash = pj_str_find_last(name, '/');
    name = slash < name.len ? pj_str_from(name, slash + 1) : name;
    return pj_str_head(name, pj_str_find_last(name, '.'));
}

/// Pictures of Markdown, which it refers to by the name of the folder.
static bool copy_pictures(pj_report *report, const char *path, pj_err *err)
{
    pj_str stem = stem_of(path);
    pj_str before = pj_str_head(pj_str_of(path), strlen(path) - strlen(".md") - stem.len);
    const char *from =
        pj_arena_format(report->arena, "%s/" PJ_STR_FMT "_files", report->folder, PJ_STR_ARG(stem));
    const char *to = pj_arena_format(report->arena, PJ_STR_FMT PJ_STR_FMT "_files",
                                     PJ_STR_ARG(before), PJ_STR_ARG(stem));
    DIR *dir = opendir(from);
    bool made = dir && mkdir(to, 0777) == 0;
    bool ok = !dir || made || errno == EEXIST || pj_fail_io(err, to, "cannot be made");
    for (struct dirent *entry; ok && dir && (entry = readdir(dir));)
        if (entry->d_name[0] != '.')
            ok = copy_file(pj_arena_format(report->arena, "%s/%s", from, entry->d_name),
                           pj_arena_format(report->arena, "%s/%s", to, entry->d_name), err);
    if (dir)
        closedir(dir);
    if (made && !ok)
        remove_tree(to);
    return ok;
}

static bool convert(pj_report *report, const char *stem, pj_err *err)
{
    const char *words[] = {"jupyter-nbconvert",
                           "--to",
                           formats[report->format].exporter,
                           "--template",
                           "popinjay",
                           "--output-dir",
                           report->folder,
                           "--output",
                           stem,
                           inside(report, "source.ipynb"),
                           NULL};
    tell(report, "converting");
    return run(report, words, NULL, err);
}

/// Takes in a file of the installation.
static bool take_part(pj_report *report, const char *installed, const char *source, pj_buf *out,
                      pj_err *err)
{
    const char *path = pj_datadir_find(report->arena, installed, source);
    if (!path)
        return pj_fail(err, PJ_E_MISSING, installed, 0,
                       "is not there: the installation is not whole");
    return pj_file_read(path, out, err);
}

static bool write_page(pj_report *report, const json_t *notebook, const char *path, pj_err *err)
{
    pj_auto_buf style = {0}, script = {0}, logo = {0}, page = {0};
#define SHARED "share/popinjay/report/"
    if (!take_part(report, SHARED "page.css", "share/report/page.css", &style, err) ||
        !take_part(report, SHARED "page.js", "share/report/page.js", &script, err) ||
        !take_part(report, SHARED "logo-svg.svg", "share/jupyter/kernels/popinjay/logo-svg.svg",
                   &logo, err))
        return false;
#undef SHARED
    pj_report_page_parts parts = {pj_buf_str(&style), pj_buf_str(&script), pj_buf_str(&logo)};
    pj_report_page(notebook, &parts, &page);
    return pj_newfile_put(path, pj_buf_str(&page), err);
}

bool pj_report_write(pj_report *report, json_t *notebook, const char *path, pj_err *err)
{
    const format_row *format = &formats[report->format];
    bool whole = !format->exporter, markdown = report->format == PJ_REPORT_md;
    const char *stem = markdown ? pj_arena_text(report->arena, stem_of(path)) : "report";
    const char *files = markdown ? pj_arena_format(report->arena, "%s_files", stem) : NULL;
    if (!whole && report->origin &&
        !pj_report_pictures(report, notebook, report->origin, files, err))
        return false;
    if (report->format == PJ_REPORT_html && (report->own || !pj_report_has_jupyter()))
        return write_page(report, notebook, path, err);
    if (!pj_report_stored(report, notebook, err))
        return false;
    char *text = json_dumps(notebook, JSON_INDENT(1));
    bool ok = pj_newfile_put(whole ? path : inside(report, "source.ipynb"), pj_str_of(text), err);
    free(text);
    if (!ok || whole)
        return ok;
    if (!convert(report, stem, err) || (report->format == PJ_REPORT_pdf && !typeset(report, err)) ||
        (markdown && !copy_pictures(report, path, err)))
        return false;
    const char *made =
        pj_arena_format(report->arena, "%s/%s.%s", report->folder, stem, format->suffix);
    return copy_file(made, path, err);
}
