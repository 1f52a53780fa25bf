// Last page: the report, as a notebook to go on from or as a document.
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/newfile.h"
#include "metrics/base/str.h"
#include "widgets/report/report_notebook.h"
#include "widgets/report/report_profile.h"
#include "widgets/report/report_title.h"
#include "widgets/wizard/profile/wizard_profile.h"
#include "widgets/wizard/wizard.h"
#include "widgets/wizard/wizard_pieces.h"
#include "widgets/wizard/wizard_print.h"
#include "widgets/wizard/wizard_record.h"

#include <stdlib.h>

static const char *const suffixes[] = {".ipynb", ".pdf", ".html"};
enum { NOTEBOOK, PDF, HTML, FORMATS };

typedef struct report_page {
    pj_piece title, application, author, contributors, id, file, code, replace, stop, said;
    size_t format; // of the last attempt
} report_page;

static report_page *page_of(const pj_wizard *wizard)
{
    return wizard->pages[PJ_STEP_report];
}

static const char *or_none(const char *text)
{
    return *text ? text : NULL;
}

static const char *file_of(const pj_wizard *wizard)
{
    const char *file = pj_piece_text(&wizard->parts, page_of(wizard)->file);
    return *file ? file : "report";
}

/// What the name says that is asked for.
static size_t format_of(const pj_wizard *wizard)
{
    for (size_t i = 0; i < FORMATS; i++)
        if (pj_str_ends(pj_str_of(file_of(wizard)), pj_str_of(suffixes[i])))
            return i;
    return NOTEBOOK;
}

/// The name with the suffix of a format in the place of another one's.
static const char *path_of(const pj_wizard *wizard, size_t format, pj_arena *arena)
{
    pj_str file = pj_str_of(file_of(wizard));
    pj_str suffix = pj_str_of(suffixes[format_of(wizard)]);
    if (pj_str_ends(file, suffix))
        file.len -= suffix.len;
    return pj_arena_format(arena, PJ_STR_FMT "%s", PJ_STR_ARG(file), suffixes[format]);
}

static bool write_notebook(pj_wizard *wizard, const char *path, bool replace, pj_err *err)
{
    const report_page *page = page_of(wizard);
    const pj_pieces *parts = &wizard->parts;
    pj_auto_buf load = {0}, options = {0}, files = {0};
    const pj_report_info info = {
        .title = or_none(pj_piece_text(parts, page->title)),
        .application = or_none(pj_piece_text(parts, page->application)),
        .author = or_none(pj_piece_text(parts, page->author)),
        .contributors = or_none(pj_piece_text(parts, page->contributors)),
        .id = or_none(pj_piece_text(parts, page->id)),
        .code = pj_piece_is_on(parts, page->code),
    };
    pj_auto_arena arena = pj_arena_new(NULL);
    bool whole = strchr(path, '/') != NULL;
    pj_wizard_code_load(wizard, whole, &load);
    pj_wizard_code_options(wizard, &options);
    pj_wizard_code_files(wizard, whole, &files);
    const pj_report_plan plan = {.info = pj_report_info_whole(&info, arena),
                                 .load_code = load.at,
                                 .metrics_code = options.at,
                                 .profile = wizard->profile,
                                 .profile_code = files.at};
    const pj_report_profile alone = {.info = plan.info, .code = files.at};
    json_t *notebook = wizard->metrics ? pj_report_notebook(wizard->metrics, &plan)
                                       : pj_report_profile_notebook(wizard->profile, &alone);
    char *text = json_dumps(notebook, JSON_INDENT(1));
    pj_str bytes = pj_str_of(text);
    bool good = replace ? pj_newfile_put(path, bytes, err) : pj_newfile_put_first(path, bytes, err);
    free(text);
    json_decref(notebook);
    return good;
}

static void tell_failure(const pj_wizard *wizard, const pj_err *err)
{
    pj_auto_buf said = {0};
    pj_buf_addf(&said, "Not written: %s", err->text);
    pj_wizard_tell(wizard, page_of(wizard)->said, said.at);
}

/// The notebook of a document is a file of its own beside it for as long as it takes.
static void start_print(pj_wizard *wizard, const char *path)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_err err = {.code = PJ_E_NONE};
    const char *name = pj_wizard_file_name(path);
    const char *notebook = pj_arena_format(arena, "%.*s.%s.ipynb", (int)(name - path), path, name);
    if (!write_notebook(wizard, notebook, true, &err)) {
        tell_failure(wizard, &err);
        return;
    }
    pj_wizard_tell(wizard, page_of(wizard)->said,
                   "The report is being made: the notebook runs, "
                   "then it is set.");
    pj_piece_show(&wizard->parts, page_of(wizard)->stop, true);
    wizard->print = pj_wizard_print_start(&wizard->host, notebook, path, pj_wizard_call, wizard);
}

static void generate(pj_wizard *wizard, size_t format, bool replace)
{
    report_page *page = page_of(wizard);
    pj_auto_arena arena = pj_arena_new(NULL);
    const char *path = path_of(wizard, format, arena);
    if (wizard->print)
        return;
    page->format = format;
    pj_piece_show(&wizard->parts, page->replace, false);
    if (format != NOTEBOOK) {
        start_print(wizard, path);
        return;
    }
    pj_err err = {.code = PJ_E_NONE};
    if (write_notebook(wizard, path, replace, &err)) {
        pj_wizard_tell_file(wizard, page->said, path);
        return;
    }
    pj_piece_show(&wizard->parts, page->replace, err.code == PJ_E_USAGE);
    if (err.code == PJ_E_USAGE)
        pj_wizard_tell(wizard, page->said,
                       pj_arena_format(arena,
                                       "%s is there already. Replace it, or choose another name?",
                                       path));
    else
        tell_failure(wizard, &err);
}

void pj_wizard_report_news(pj_wizard *wizard)
{
    if (!wizard->print || !pj_wizard_print_ended(wizard->print))
        return;
    pj_err err;
    if (pj_wizard_print_good(wizard->print, &err))
        pj_wizard_tell_file(wizard, page_of(wizard)->said, pj_wizard_print_output(wizard->print));
    else if (err.code == PJ_E_STOPPED)
        pj_wizard_tell(wizard, page_of(wizard)->said, "Cancelled.");
    else
        tell_failure(wizard, &err);
    pj_piece_show(&wizard->parts, page_of(wizard)->stop, false);
    pj_wizard_print_free(wizard->print);
    wizard->print = NULL;
}

static void on_generate(void *context)
{
    generate(context, format_of(context), false);
}

static void on_pdf(void *context)
{
    generate(context, PDF, false);
}

static void on_html(void *context)
{
    generate(context, HTML, false);
}

static void on_replace(void *context)
{
    generate(context, page_of(context)->format, true);
}

static void on_stop(void *context)
{
    const pj_wizard *wizard = context;
    if (wizard->print)
        pj_wizard_print_stop(wizard->print);
}

static void on_file(void *context)
{
    const pj_wizard *wizard = context;
    pj_piece_show(&wizard->parts, page_of(wizard)->replace, false);
}

static pj_piece entry(pj_wizard *wizard, const char *label, const char *placeholder,
                      const char *key)
{
    pj_piece part = pj_piece_entry(&wizard->parts, label, placeholder);
    pj_wizard_keep(wizard, key, part, NULL);
    pj_piece_on(&wizard->parts, part, "value", on_file);
    return part;
}

static pj_piece build(pj_wizard *wizard)
{
    pj_pieces *parts = &wizard->parts;
    report_page *page = pj_new(wizard->arena, report_page);
    wizard->pages[PJ_STEP_report] = page;
    page->title = entry(wizard, "Title", "Performance assessment", "report_title");
    page->application = entry(wizard, "Application", "the program", "report_application");
    page->author = entry(wizard, "Author", "who writes", "report_author");
    page->contributors = entry(wizard, "Contributors", "who helped", "report_contributors");
    page->id = entry(wizard, "Report id", "POP_AR_000", "report_id");
    page->file = entry(wizard, "File", "report, report.pdf or report.html", "report_file");
    page->code = pj_piece_check(parts, "Print the code cells too", false);
    pj_wizard_keep(wizard, "report_code", page->code, NULL);
    pj_piece button = pj_piece_button(parts, "Generate", "file-text-o",
                                      "Writes the report: a notebook to go on from, unless the "
                                      "file's name ends with .pdf or .html");
    pj_piece pdf = pj_piece_button(parts, "PDF", "file-pdf-o", "Runs the notebook and sets it");
    pj_piece html =
        pj_piece_button(parts, "HTML", "file-code-o", "Runs the notebook and makes one page of it");
    pj_piece_set(parts, button, "button_style", json_string("primary"));
    page->replace =
        pj_piece_button(parts, "Replace", "exclamation-triangle", "Overwrites the file");
    pj_piece_set(parts, page->replace, "button_style", json_string("warning"));
    pj_piece_show(parts, page->replace, false);
    page->stop = pj_piece_button(parts, "Stop", "stop", "Ends the making of the document");
    pj_piece_show(parts, page->stop, false);
    pj_piece_show(parts, pdf, wizard->host.print);
    pj_piece_show(parts, html, wizard->host.print);
    page->said = pj_piece_said(parts);
    pj_piece_on(parts, button, NULL, on_generate);
    pj_piece_on(parts, pdf, NULL, on_pdf);
    pj_piece_on(parts, html, NULL, on_html);
    pj_piece_on(parts, page->replace, NULL, on_replace);
    pj_piece_on(parts, page->stop, NULL, on_stop);
    pj_piece buttons = PJ_PIECE_ROW(parts, button, pdf, html, page->replace, page->stop);
    const pj_piece all[] = {
        page->title, page->application, page->author, page->contributors, page->id,
        page->file,  page->code,        buttons,      page->said,         NULL};
    return pj_piece_box(parts, "VBox", all);
}

static bool useful(const pj_wizard *wizard)
{
    return wizard->metrics || wizard->profile;
}

static void refresh(pj_wizard *wizard)
{
    (void)wizard; // nothing on it comes from the analysis
}

static void code(const pj_wizard *wizard, pj_buf *out)
{
    const report_page *page = page_of(wizard);
    pj_auto_arena arena = pj_arena_new(NULL);
    if (wizard->metrics)
        pj_wizard_code_metrics(wizard, out);
    if (wizard->profile)
        pj_wizard_code_profile(wizard, out);
    const char *of = !wizard->profile ? "m" : wizard->metrics ? "{m, p}" : "p";
    pj_buf_addf(out, "report(%s, {output = ", of);
    pj_wizard_code_text(out, path_of(wizard, format_of(wizard), arena));
    const struct {
        const char *key;
        pj_piece part;
    } fields[] = {{"title", page->title},
                  {"application", page->application},
                  {"author", page->author},
                  {"contributors", page->contributors},
                  {"id", page->id}};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        const char *text = pj_piece_text(&wizard->parts, fields[i].part);
        if (!*text)
            continue;
        pj_buf_addf(out, ", %s = ", fields[i].key);
        pj_wizard_code_text(out, text);
    }
    pj_buf_puts(out, "})\n");
}

const pj_wizard_step pj_wizard_step_report = {build, useful, refresh, code, NULL};
