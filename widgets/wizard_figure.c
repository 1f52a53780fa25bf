// Figures on pages, kept beside the wizard for people without a kernel, and saved as files.
#include "widgets/wizard_record.h"

#include "widgets/bundle.h"
#include "widgets/escape.h"
#include "widgets/figure_file.h"
#include "widgets/html_page.h"

/// What the page shows of a bundle: its first part that works there.
static json_t *for_page(const pj_bundle *bundle)
{
    static const char *const mimes[] = {"text/html", "image/png", "text/plain"};
    json_t *data = json_object();
    for (size_t i = 0; i < sizeof mimes / sizeof *mimes; i++) {
        json_t *part = json_object_get(bundle->data, mimes[i]);
        bool shown = i < 2 && json_object_size(data);
        if (part && !shown)
            json_object_set(data, mimes[i], part);
    }
    return data;
}

static bool make_bundle(const pj_figure *figure, pj_bundle *bundle, pj_err *err)
{
    const char *summary = figure->summary ? figure->summary : figure->title;
    return pj_bundle_figure(figure, pj_str_of(summary), (pj_str){0}, (pj_bundle_opts){0}, bundle,
                            err);
}

static void say_why(pj_wizard *wizard, pj_piece output, const pj_err *err)
{
    pj_auto_buf html = {0};
    pj_buf_puts(&html, "<p style=\"" PJ_HTML_FONT "\">Nothing to draw: ");
    if (err->where[0]) {
        pj_escape_html(&html, pj_str_of(pj_wizard_file_name(err->where)));
        pj_buf_puts(&html, ": ");
    }
    pj_escape_html(&html, pj_str_of(err->text));
    pj_buf_puts(&html, "</p>");
    json_t *data = json_pack("{s:s, s:s}", "text/html", html.at, "text/plain", err->text);
    pj_piece_display(&wizard->parts, output, data, NULL);
    json_decref(data);
}

void pj_wizard_draw(pj_wizard *wizard, pj_piece output, const pj_figure *figure, const pj_err *why)
{
    pj_err err = why ? *why : (pj_err){.code = PJ_E_NONE};
    pj_auto_bundle bundle = {0};
    if (!figure || !make_bundle(figure, &bundle, &err)) {
        say_why(wizard, output, &err);
        return;
    }
    json_t *data = for_page(&bundle);
    pj_piece_display(&wizard->parts, output, data, bundle.metadata);
    json_decref(data);
    if (wizard->host.show)
        wizard->host.show(wizard->host.self, PJ_WIZARD_PLOT, bundle.data, bundle.metadata);
}

void pj_wizard_show_table(pj_wizard *wizard)
{
    if (!wizard->host.show)
        return;
    pj_bundle_opts opts = {.render = {.palette = wizard->palette}};
    pj_auto_bundle bundle = pj_bundle_metrics(wizard->metrics, opts);
    wizard->host.show(wizard->host.self, PJ_WIZARD_TABLE, bundle.data, bundle.metadata);
}

// Saving

static const char *const formats[] = {"png", "svg", "pdf", "csv", NULL};

void pj_wizard_saver_build(pj_wizard *wizard, pj_wizard_saver *saver, const char *name,
                           void (*save)(void *wizard))
{
    pj_pieces *parts = &wizard->parts;
    saver->name = pj_piece_entry(parts, "Save as", "file name");
    pj_piece_say(parts, saver->name, name);
    pj_piece_layout(parts, saver->name, "width", "360px");
    saver->format =
        pj_piece_new(parts, "ToggleButtons",
                     json_pack("{s:[s,s,s,s], s:i, s:{s:s}}", "_options_labels", "PNG", "SVG",
                               "PDF", "CSV", "index", 0, "style", "button_width", "4em"));
    pj_piece button = pj_piece_button(parts, "Save", "save", "Writes the file beside the notebook");
    saver->said = pj_piece_html(parts, "");
    saver->box = PJ_PIECE_ROW(parts, saver->name, saver->format, button, saver->said);
    pj_piece_on(parts, button, NULL, save);
}

static bool fill(pj_wizard *wizard, const pj_wizard_saver *saver, const char *format, pj_buf *out,
                 pj_err *err)
{
    pj_auto_table table = NULL;
    pj_auto_figure figure = saver->make(wizard, &table, err);
    if (!figure && !table)
        return false;
    if (strcmp(format, "csv") != 0)
        return pj_figure_file(figure, pj_str_of(format), out, err);
    if (!table)
        return pj_fail(err, PJ_E_MISSING, NULL, 0, "there is no table behind this picture");
    pj_render_table(&pj_renderer_csv, table, (pj_render_opts){0}, out);
    return true;
}

void pj_wizard_saver_save(pj_wizard *wizard, const pj_wizard_saver *saver)
{
    const pj_pieces *parts = &wizard->parts;
    const char *format =
        formats[pj_piece_pick(parts, saver->format, sizeof formats / sizeof *formats - 1)];
    pj_auto_buf path = {0}, bytes = {0}, said = {0};
    pj_buf_puts(&path, pj_piece_text(parts, saver->name));
    pj_auto_arena arena = pj_arena_new(NULL);
    const char *suffix = pj_arena_format(arena, ".%s", format);
    if (!pj_str_ends(pj_buf_str(&path), pj_str_of(suffix)))
        pj_buf_puts(&path, suffix);
    pj_err err = {.code = PJ_E_NONE};
    bool good = fill(wizard, saver, format, &bytes, &err) &&
                wizard->host.write(wizard->host.self, path.at, pj_buf_str(&bytes), true, &err);
    pj_buf_puts(&said, good ? "Saved: " : "Not saved: ");
    pj_escape_html(&said, pj_str_of(good ? path.at : err.text));
    pj_piece_say(parts, saver->said, said.at);
}
