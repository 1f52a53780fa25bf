// Last page: the report as a notebook to go on from.
#include "widgets/wizard_record.h"

#include "widgets/escape.h"

typedef struct report_page {
    pj_piece title, application, author, contributors, id, file, code, replace, said;
} report_page;

static report_page *page_of(const pj_wizard *wizard)
{
    return wizard->pages[PJ_STEP_report];
}

static void say(pj_wizard *wizard, const char *before, const char *path, const char *after)
{
    pj_auto_buf html = {0};
    pj_buf_puts(&html, before);
    pj_escape_html(&html, pj_str_of(path));
    pj_buf_puts(&html, after);
    pj_piece_say(&wizard->parts, page_of(wizard)->said, html.at);
}

static const char *or_none(const char *text)
{
    return *text ? text : NULL;
}

static const char *path_of(const pj_wizard *wizard, pj_arena *arena)
{
    const char *file = pj_piece_text(&wizard->parts, page_of(wizard)->file);
    if (!*file)
        file = "report.ipynb";
    bool whole = pj_str_ends(pj_str_of(file), PJ_S(".ipynb"));
    return pj_arena_format(arena, "%s%s", file, whole ? "" : ".ipynb");
}

static void generate(pj_wizard *wizard, bool replace)
{
    const report_page *page = page_of(wizard);
    const pj_pieces *parts = &wizard->parts;
    if (!wizard->metrics)
        return;
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_auto_buf load = {0}, options = {0};
    pj_wizard_code_load(wizard, &load);
    pj_wizard_code_options(wizard, &options);
    pj_wizard_report report = {
        .path = path_of(wizard, arena),
        .title = or_none(pj_piece_text(parts, page->title)),
        .application = or_none(pj_piece_text(parts, page->application)),
        .author = or_none(pj_piece_text(parts, page->author)),
        .contributors = or_none(pj_piece_text(parts, page->contributors)),
        .id = or_none(pj_piece_text(parts, page->id)),
        .load_code = load.at,
        .metrics_code = options.at,
        .metrics = wizard->metrics,
        .code = pj_piece_is_on(parts, page->code),
        .replace = replace,
    };
    pj_err err = {.code = PJ_E_NONE};
    bool good = wizard->host.report(wizard->host.self, &report, &err);
    bool there = !good && err.code == PJ_E_USAGE;
    pj_piece_show(parts, page->replace, there);
    if (good)
        say(wizard, "Written: <b>", report.path,
            "</b>. Open it, run its cells and discuss; <code>popinjay report</code> makes a PDF of "
            "it.");
    else if (there)
        say(wizard, "", report.path, " is there already. Replace it, or choose another name?");
    else
        say(wizard, "Not written: ", err.text, "");
}

static void on_generate(void *context)
{
    generate(context, false);
}

static void on_replace(void *context)
{
    generate(context, true);
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
    page->file = entry(wizard, "File", "report.ipynb", "report_file");
    page->code = pj_piece_check(parts, "Print the code cells too", false);
    pj_wizard_keep(wizard, "report_code", page->code, NULL);
    pj_piece button =
        pj_piece_button(parts, "Generate", "file-text-o", "Writes the report notebook");
    pj_piece_set(parts, button, "button_style", json_string("primary"));
    page->replace =
        pj_piece_button(parts, "Replace", "exclamation-triangle", "Overwrites the file");
    pj_piece_set(parts, page->replace, "button_style", json_string("warning"));
    pj_piece_show(parts, page->replace, false);
    page->said = pj_piece_html(parts, "");
    pj_piece_on(parts, button, NULL, on_generate);
    pj_piece_on(parts, page->replace, NULL, on_replace);
    const pj_piece all[] = {page->title,  page->application,
                            page->author, page->contributors,
                            page->id,     page->file,
                            page->code,   PJ_PIECE_ROW(parts, button, page->replace),
                            page->said,   NULL};
    return pj_piece_box(parts, "VBox", all);
}

static bool useful(const pj_wizard *wizard)
{
    return wizard->metrics && wizard->host.report;
}

static void refresh(pj_wizard *wizard)
{
    (void)wizard; // nothing on it comes from the analysis
}

static void code(const pj_wizard *wizard, pj_buf *out)
{
    const report_page *page = page_of(wizard);
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_wizard_code_metrics(wizard, out);
    pj_buf_puts(out, "report(m, {output = ");
    pj_wizard_code_text(out, path_of(wizard, arena));
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

const pj_wizard_step pj_wizard_step_report = {build, useful, refresh, code};
