// Files of any kind from any value.
// Export: a renderer or the drawing module makes the bytes.
#include "kernel/command/export.h"

#include "kernel/command/answer.h"
#include "kernel/command/display.h"
#include "kernel/command/kind.h"
#include "kernel/command/session.h"
#include "kernel/command/value.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/newfile.h"
#include "metrics/base/str.h"
#include "metrics/base/suggest.h"
#include "metrics/table/table.h"
#include "widgets/figure/draw.h"
#include "widgets/figure/figure_file.h"
#include "widgets/table/render.h"
#include "widgets/table/table_picture.h"

const pj_param pj_export_rows[] = {
    {.name = "export",
     .output = true,
     .type = PJ_PARAM_TEXTS,
     .offset = offsetof(pj_exports, paths),
     .shown = "FILE",
     .files = true,
     .suffix = pj_export_suffix,
     .help = "Writes the result to a file, the format by suffix, in place of printing it; "
             "-.csv writes CSV to standard output. In CSV a text that a spreadsheet would compute "
             "(= + - @) stands behind an apostrophe; numbers and JSON are as they are."},
    {.name = "width",
     .output = true,
     .type = PJ_PARAM_NUMBER,
     .offset = offsetof(pj_exports, size.width),
     .shown = "PX",
     .help = "Width of a picture in px; 96 are an inch."},
    {.name = "height",
     .output = true,
     .type = PJ_PARAM_NUMBER,
     .offset = offsetof(pj_exports, size.height),
     .shown = "PX",
     .help = "Height of a picture, 96 px are an inch. What does not fit into width and height is "
             "drawn smaller as a whole."},
    {.name = "font-size",
     .output = true,
     .type = PJ_PARAM_NUMBER,
     .offset = offsetof(pj_exports, size.font_size),
     .shown = "PX",
     .preset = "12",
     .help = "Size of ordinary text in a picture, which grows with it unless its width is "
             "given."},
    {.name = "scale",
     .output = true,
     .type = PJ_PARAM_NUMBER,
     .offset = offsetof(pj_exports, size.pixels),
     .shown = "N",
     .preset = "2",
     .help = "Pixels of a PNG for each px."},
    {.name = "json",
     .output = true,
     .type = PJ_PARAM_FLAG,
     .offset = offsetof(pj_exports, answer.json),
     .help = "Prints the answer as JSON for programs; popinjay help --schema says what it holds."},
    {.name = "json-rows",
     .output = true,
     .type = PJ_PARAM_COUNT,
     .offset = offsetof(pj_exports, answer.rows),
     .shown = "N",
     .preset = "all",
     .help = "Most rows of the JSON answer, whose truncated says how to get the rest."},
    {.name = "json-from",
     .output = true,
     .type = PJ_PARAM_COUNT,
     .offset = offsetof(pj_exports, answer.from),
     .shown = "ROW",
     .preset = "1",
     .help = "The first row of the JSON answer."},
    {0},
};

static const char *common_suffix(size_t index)
{
    size_t texts = 0;
    while (pj_renderer_at(texts))
        texts++;
    if (index < texts)
        return pj_renderer_at(index)->name;
    const char *picture;
    for (size_t i = 0; (picture = pj_figure_format_at(i)); i++)
        if (!pj_renderer_by_name(pj_str_of(picture)) && index-- == texts)
            return picture;
    return NULL;
}

bool pj_export_is_common(pj_str suffix)
{
    const char *known;
    for (size_t i = 0; (known = common_suffix(i)); i++)
        if (pj_str_equal(pj_str_of(known), suffix))
            return true;
    return false;
}

const char *pj_export_suffix(size_t index)
{
    size_t common = 0;
    while (common_suffix(common))
        common++;
    if (index < common)
        return common_suffix(index);
    index -= common;
    const pj_kind *kind;
    for (size_t i = 0; (kind = pj_kind_at(i)); i++)
        for (const char *const *s = kind->suffixes; s && *s; s++)
            if (index-- == 0)
                return *s;
    return NULL;
}

/// What stands behind the last point, or behind the one before it where that is a suffix, too:
/// "run.speedscope.json".
static pj_str suffix_of(const char *path)
{
    pj_str text = pj_str_of(path);
    size_t slash = pj_str_find_last(text, '/');
    pj_str name = slash < text.len ? pj_str_from(text, slash + 1) : text;
    size_t point = pj_str_find_last(name, '.');
    pj_str suffix = point < name.len ? pj_str_from(name, point + 1) : (pj_str){0};
    const char *known;
    for (size_t i = 0; (known = pj_export_suffix(i)); i++) {
        pj_str longer = pj_str_of(known);
        bool ends = longer.len > suffix.len && pj_str_ends(name, longer);
        if (ends && name.len > longer.len && name.at[name.len - longer.len - 1] == '.')
            return longer;
    }
    return suffix;
}

static bool refuse_suffix(const char *path, pj_str suffix, pj_err *err)
{
    pj_suggest suggest = {.word = suffix};
    pj_auto_buf list = {0};
    const char *known;
    for (size_t i = 0; (known = pj_export_suffix(i)); i++) {
        pj_suggest_try(&suggest, known);
        pj_buf_addf(&list, "%s.%s", i ? " " : "", known);
    }
    if (!suffix.len)
        return pj_fail(err, PJ_E_USAGE, path, 0,
                       "the suffix of an exported file says its format: %s", list.at);
    return pj_fail(err, PJ_E_USAGE, path, 0, "unknown format \"" PJ_STR_FMT "\"%s%s%s valid: %s",
                   PJ_STR_ARG(suffix), suggest.best ? "; did you mean ." : "",
                   suggest.best ? suggest.best : "", suggest.best ? "?" : ";", list.at);
}

static bool is_suffix(pj_str suffix)
{
    const char *known;
    for (size_t i = 0; (known = pj_export_suffix(i)); i++)
        if (pj_str_equal(pj_str_of(known), suffix))
            return true;
    return false;
}

/// "tau/"
static bool is_folder(const char *path)
{
    return pj_str_ends(pj_str_of(path), PJ_S("/"));
}

static bool write_folder(pj_session *session, const pj_value *value, const char *path, pj_err *err)
{
    const pj_kind *kind = pj_kind_of(value);
    if (!kind->write_folder)
        return pj_fail(err, PJ_E_USAGE, path, 0, "a %s cannot be written as files of a folder",
                       kind->name);
    if (!kind->write_folder(value, path, err))
        return false;
    session->exports++;
    pj_session_wrote(session, path);
    return true;
}

/// "-.csv"
static bool is_output(const char *path)
{
    return pj_str_starts(pj_str_of(path), PJ_S("-."));
}

/// Pictures of any use; larger ones would take memory without end.
static bool check_size(pj_picture_size size, pj_err *err)
{
    const struct {
        const char *name;
        double value, least, most;
    } rows[] = {{"width", size.width, 50, 20000},
                {"height", size.height, 50, 20000},
                {"font-size", size.font_size, 1, 200},
                {"scale", size.pixels, 0.1, 20}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].value > 0 && (rows[i].value < rows[i].least || rows[i].value > rows[i].most))
            return pj_fail(err, PJ_E_USAGE, NULL, 0, "%s: choose a number from %g to %g",
                           rows[i].name, rows[i].least, rows[i].most);
    return true;
}

bool pj_export_check(const pj_exports *exports, pj_err *err)
{
    const pj_texts *paths = &exports->paths;
    if (!check_size(exports->size, err))
        return false;
    for (size_t i = 0; i < paths->count; i++) {
        pj_str suffix = suffix_of(paths->items[i]);
        if (is_folder(paths->items[i]))
            continue;
        if (!is_suffix(suffix))
            return refuse_suffix(paths->items[i], suffix, err);
        if (!is_output(paths->items[i]) && !pj_newfile_check(paths->items[i], err))
            return false;
    }
    return true;
}

static bool draw(const pj_session *session, const pj_value *value, const pj_table *table,
                 pj_str suffix, pj_buf *out, pj_err *err)
{
    const pj_draw *module = pj_draw_open(err);
    if (!module)
        return false;
    pj_auto_figure figure = pj_table_picture(table, module, session->stop);
    pj_figure_fit(figure, value->size);
    return pj_figure_file(figure, suffix, session->stop, out, err);
}

static bool make_bytes(const pj_session *session, const pj_value *value, const char *path,
                       pj_buf *out, pj_err *err)
{
    pj_str suffix = suffix_of(path);
    const pj_kind *kind = pj_kind_of(value);
    if (!is_suffix(suffix))
        return refuse_suffix(path, suffix, err);
    if (kind->writes && kind->writes(suffix))
        return kind->write(value, suffix, session->stop, out, err);
    const pj_renderer *renderer = pj_renderer_by_name(suffix);
    pj_auto_table table = pj_export_is_common(suffix) ? pj_display_table(value) : NULL;
    if (!table)
        return pj_fail(err, PJ_E_USAGE, path, 0, "a %s has no form as ." PJ_STR_FMT, kind->name,
                       PJ_STR_ARG(suffix));
    if (!renderer)
        return draw(session, value, table, suffix, out, err);
    pj_render_opts opts = {.page = true, .palette = value->palette, .stop = session->stop};
    pj_render_table(renderer, table, opts, out);
    return !pj_render_stopped(opts) || pj_fail(err, PJ_E_STOPPED, path, 0, "interrupted");
}

bool pj_export(pj_session *session, const pj_value *value, const char *path, pj_err *err)
{
    pj_auto_buf bytes = {0};
    if (is_folder(path))
        return write_folder(session, value, path, err);
    if (!make_bytes(session, value, path, &bytes, err))
        return false;
    session->exports++;
    if (is_output(path)) {
        session->face->write(session->face->self, PJ_STDOUT, pj_buf_str(&bytes));
        return true;
    }
    if (!pj_newfile_put(path, pj_buf_str(&bytes), err))
        return false;
    pj_session_wrote(session, path);
    return true;
}

/// Files of numbers do not hold what touches them; in the shell nothing else shows it.
static void say_warnings(pj_session *session, const pj_value *value)
{
    pj_auto_table table = session->lang ? NULL : pj_display_table(value);
    pj_str rest = pj_str_of(table && table->note ? table->note : "");
    while (rest.len) {
        pj_str line = pj_str_cut(&rest, '\n');
        if (pj_str_starts(line, PJ_S("warning: ")) || pj_str_starts(line, PJ_S("loss: ")))
            pj_session_say(session, PJ_STR_FMT, PJ_STR_ARG(line));
    }
}

bool pj_export_all(pj_session *session, pj_value *value, const pj_exports *exports, pj_err *err)
{
    const pj_texts *paths = &exports->paths;
    value->size = exports->size;
    for (size_t i = 0; i < paths->count; i++)
        if (!pj_export(session, value, paths->items[i], err))
            return false;
    if (exports->answer.json) {
        pj_answer_write(session, value, exports->answer);
        session->exports++;
    } else if (paths->count)
        say_warnings(session, value);
    return true;
}
