// Figures on pages, kept beside the wizard for people without a kernel, and saved as files.
#include "widgets/wizard/wizard_record.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/newfile.h"
#include "metrics/base/str.h"
#include "metrics/table/table.h"
#include "widgets/bundle.h"
#include "widgets/figure/escape.h"
#include "widgets/figure/figure.h"
#include "widgets/figure/figure_file.h"
#include "widgets/figure/html_page.h"
#include "widgets/table/render.h"
#include "widgets/wizard/wizard.h"
#include "widgets/wizard/wizard_pieces.h"

#include <ctype.h>
#include <math.h>

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

static bool make_bundle(const pj_figure *figure, const char *id, pj_bundle *bundle, pj_err *err)
{
    const char *summary = figure->summary ? figure->summary : figure->title;
    return pj_bundle_figure(figure, pj_str_of(summary), (pj_str){0}, (pj_bundle_opts){.id = id},
                            bundle, err);
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

/// A script on the page cannot talk to the kernel, but it can type.
static const char brush[] =
    "<script>(function(){var b=document.getElementById('%s'),f=[%g,%g,%.0f,%.0f,%g];"
    "if(!b||b.brush)return;b.brush=1;var a=null,m=document.createElement('div');"
    "m.style.cssText='position:absolute;top:0;bottom:0;display:none;pointer-events:none;"
    "background:rgba(31,110,180,.25);border:solid #1f6eb4;border-width:0 1px';b.appendChild(m);"
    "b.style.cursor='crosshair';b.style.touchAction='pan-y';"
    "function at(e){var r=b.getBoundingClientRect();"
    "return Math.min(f[1],Math.max(f[0],(e.clientX-r.left)*f[4]/r.width))}"
    "function ms(x){return((f[2]+(x-f[0])/(f[1]-f[0])*(f[3]-f[2]))/1e6).toFixed(6)+'ms'}"
    "function type(t){var i=document.querySelector('.%s input');if(!i)return;i.value=t;"
    "['input','change'].forEach(function(n){i.dispatchEvent(new Event(n,{bubbles:true}))})}"
    "function show(x){var p=100/f[4];m.style.left=Math.min(a,x)*p+'%%';"
    "m.style.width=Math.abs(x-a)*p+'%%';m.style.display=''}"
    "b.addEventListener('pointerdown',function(e){if(e.button||b.style.cursor=='grab')return;"
    "a=at(e);b.setPointerCapture(e.pointerId);e.preventDefault()});"
    "b.addEventListener('mousedown',function(e){if(a!==null)e.preventDefault()});"
    "b.addEventListener('pointermove',function(e){if(a!==null)show(at(e))});"
    "b.addEventListener('pointercancel',function(){a=null;m.style.display='none'});"
    "b.addEventListener('pointerup',function(e){if(a===null)return;var x=at(e),o=a;a=null;"
    "m.style.display='none';if(Math.abs(x-o)>4)type(ms(Math.min(o,x))+'..'+ms(Math.max(o,x)))});"
    "b.addEventListener('dblclick',function(){type('')})})()</script>\n";

static void add_brush(json_t *data, const pj_figure *figure, const char *id, const char *mark)
{
    const json_t *html = json_object_get(data, "text/html");
    if (!html || !figure->to_ns)
        return;
    pj_auto_buf more = {0};
    pj_buf_add(&more, (pj_str){json_string_value(html), json_string_length(html)});
    pj_buf_addf(&more, brush, id, figure->time_left, figure->time_right, (double)figure->from_ns,
                (double)figure->to_ns, ceil(figure->width), mark);
    json_object_set_new(data, "text/html", json_stringn(more.at, more.len));
}

void pj_wizard_draw_marked(pj_wizard *wizard, pj_piece output, const pj_figure *figure,
                           const char *mark, const pj_err *why)
{
    pj_err err = why ? *why : (pj_err){.code = PJ_E_NONE};
    pj_auto_bundle bundle = {0};
    pj_auto_arena arena = pj_arena_new(NULL);
    const char *id = pj_arena_format(arena, "pj-%s-%zu", wizard->root, ++wizard->drawn);
    if (!figure || !make_bundle(figure, id, &bundle, &err)) {
        say_why(wizard, output, &err);
        return;
    }
    json_t *data = for_page(&bundle);
    if (mark)
        add_brush(data, figure, id, mark);
    pj_piece_display(&wizard->parts, output, data, bundle.metadata);
    json_decref(data);
    if (wizard->host.show)
        wizard->host.show(wizard->host.self, PJ_WIZARD_PLOT, bundle.data, bundle.metadata);
}

void pj_wizard_draw(pj_wizard *wizard, pj_piece output, const pj_figure *figure, const pj_err *why)
{
    pj_wizard_draw_marked(wizard, output, figure, NULL, why);
}

void pj_wizard_show_table(pj_wizard *wizard)
{
    if (!wizard->host.show)
        return;
    pj_bundle_opts opts = {.render = {.palette = wizard->palette}};
    pj_auto_bundle bundle = pj_bundle_metrics(wizard->metrics, opts);
    wizard->host.show(wizard->host.self, PJ_WIZARD_TABLE, bundle.data, bundle.metadata);
}

// What was written

static void show_html(const pj_wizard *wizard, pj_piece output, pj_str html, const char *plain)
{
    json_t *data = json_pack("{s:s%, s:o}", "text/html", html.at, html.len, "text/plain",
                             pj_piece_string(plain));
    pj_piece_display(&wizard->parts, output, *plain ? data : NULL, NULL);
    json_decref(data);
}

void pj_wizard_tell(const pj_wizard *wizard, pj_piece output, const char *text)
{
    pj_auto_buf html = {0};
    pj_buf_puts(&html, "<span>");
    pj_escape_html(&html, pj_str_of(text));
    pj_buf_puts(&html, "</span>");
    show_html(wizard, output, pj_buf_str(&html), text);
}

static void add_address(pj_buf *out, const char *path)
{
    for (; *path; path++) {
        bool plain = isalnum((unsigned char)*path) || strchr("/-._~", *path);
        pj_buf_addf(out, plain ? "%c" : "%%%02X", (unsigned char)*path);
    }
}

/// Front ends find what is in the folder of the notebook, and in those below it.
void pj_wizard_tell_file(const pj_wizard *wizard, pj_piece output, const char *path)
{
    pj_auto_buf html = {0};
    const char *near = pj_wizard_path(wizard, path);
    bool found = *near != '/' && *near != '~' && !strstr(near, "..");
    pj_buf_puts(&html, "<span>Written: ");
    if (found) {
        pj_buf_puts(&html, "<a target=\"_blank\" href=\"");
        add_address(&html, near);
        pj_buf_puts(&html, "\">");
    }
    pj_escape_html(&html, pj_str_of(near));
    pj_buf_puts(&html, found ? "</a></span>" : "</span>");
    show_html(wizard, output, pj_buf_str(&html), near);
}

// Saving

const char *const pj_wizard_figure_formats[] = {"png", "svg", "pdf", "csv", NULL};

/// "PNG" of "png".
static json_t *label_of(const char *format)
{
    char label[8] = "";
    for (size_t c = 0; format[c] && c + 1 < sizeof label; c++)
        label[c] = (char)toupper((unsigned char)format[c]);
    return json_string(label);
}

static pj_piece build_formats(pj_pieces *parts, const char *const *formats)
{
    enum { MOST_BUTTONS = 4 };
    json_t *labels = json_array();
    for (size_t i = 0; formats[i]; i++)
        json_array_append_new(labels, label_of(formats[i]));
    if (json_array_size(labels) <= MOST_BUTTONS)
        return pj_piece_new(parts, "ToggleButtons",
                            json_pack("{s:o, s:i, s:{s:s}}", "_options_labels", labels, "index", 0,
                                      "style", "button_width", "4em"));
    return pj_piece_new(parts, "Dropdown",
                        json_pack("{s:o, s:i, s:s, s:{s:s}}", "_options_labels", labels, "index", 0,
                                  "tooltip", "Format of the file", "layout", "width", "90px"));
}

void pj_wizard_saver_build(pj_wizard *wizard, pj_wizard_saver *saver, const char *name,
                           void (*save)(void *wizard))
{
    pj_pieces *parts = &wizard->parts;
    saver->formats = saver->formats ? saver->formats : pj_wizard_figure_formats;
    saver->name = pj_piece_entry(parts, "Save as", "file name");
    pj_piece_say(parts, saver->name, name);
    pj_piece_layout(parts, saver->name, "width", "360px");
    saver->format = build_formats(parts, saver->formats);
    pj_piece button = pj_piece_button(parts, "Save", "save", "Writes the file beside the notebook");
    saver->said = pj_piece_said(parts);
    saver->box = PJ_PIECE_ROW(parts, saver->name, saver->format, button, saver->said);
    pj_piece_on(parts, button, NULL, save);
}

static bool fill(pj_wizard *wizard, const pj_wizard_saver *saver, const char *format, pj_buf *out,
                 pj_err *err)
{
    pj_auto_table table = NULL;
    const pj_renderer *renderer = pj_renderer_by_name(pj_str_of(format));
    pj_render_opts opts = {.page = true, .palette = wizard->palette};
    if (renderer && saver->metrics) {
        pj_render_metrics(renderer, wizard->metrics, opts, out);
        return true;
    }
    if (saver->html && renderer == &pj_renderer_html && saver->html(wizard, saver->step, out, err))
        return true;
    if (err->code != PJ_E_NONE)
        return false;
    pj_auto_figure figure = saver->make(wizard, &table, err);
    if (!figure && !table)
        return false;
    if (!renderer && !figure)
        return pj_fail(err, PJ_E_MISSING, NULL, 0, "there is no picture of this, only a table");
    if (!renderer)
        return pj_figure_file(figure, pj_str_of(format), NULL, out, err);
    if (!table)
        return pj_fail(err, PJ_E_MISSING, NULL, 0, "there is no table behind this picture");
    pj_render_table(renderer, table, opts, out);
    return true;
}

/// A suffix that is typed chooses the format, and leaves the name to the next one.
static size_t choose_format(const pj_pieces *parts, const pj_wizard_saver *saver, pj_buf *name)
{
    size_t count = 0, chosen;
    while (saver->formats[count])
        count++;
    chosen = pj_piece_pick(parts, saver->format, count);
    pj_str typed = pj_str_of(pj_piece_text(parts, saver->name));
    size_t point = pj_str_find_last(typed, '.');
    for (size_t i = 0; point < typed.len && saver->formats[i]; i++)
        if (pj_str_equal(pj_str_from(typed, point + 1), pj_str_of(saver->formats[i]))) {
            typed = pj_str_head(typed, point);
            chosen = i;
        }
    pj_buf_add(name, typed);
    if (name->len != strlen(pj_piece_text(parts, saver->name))) {
        pj_piece_say(parts, saver->name, name->at ? name->at : "");
        pj_piece_set(parts, saver->format, "index", json_integer((json_int_t)chosen));
    }
    return chosen;
}

void pj_wizard_saver_save(pj_wizard *wizard, const pj_wizard_saver *saver)
{
    pj_auto_buf path = {0}, bytes = {0}, said = {0};
    const char *format = saver->formats[choose_format(&wizard->parts, saver, &path)];
    pj_buf_addf(&path, ".%s", format);
    pj_err err = {.code = PJ_E_NONE};
    if (fill(wizard, saver, format, &bytes, &err) &&
        pj_newfile_put(path.at, pj_buf_str(&bytes), &err)) {
        pj_wizard_tell_file(wizard, saver->said, path.at);
        return;
    }
    pj_buf_addf(&said, "Not saved: %s", err.text);
    pj_wizard_tell(wizard, saver->said, said.at);
}
