// Pictures that a notebook refers to.
// Markdown's ![text](file "title") and HTML's <img src="file">, outside of code.
#include "kernel/report/report_pictures.h"

#include "kernel/command/child.h"
#include "kernel/command/session.h"
#include "metrics/base/arena.h"
#include "metrics/base/base64.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/file.h"
#include "metrics/base/newfile.h"
#include "metrics/base/num.h"
#include "metrics/base/str.h"

#include <ctype.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct kind {
    const char *suffix, *mime;
    bool printed; // by XeLaTeX
} kind;

static const kind kinds[] = {
    {".png", "image/png", true},      {".jpg", "image/jpeg", true},
    {".jpeg", "image/jpeg", true},    {".pdf", "application/pdf", true},
    {".svg", "image/svg+xml", false}, {".gif", "image/gif", false},
    {".webp", "image/webp", false},
};

typedef struct taking {
    pj_report *report;
    const char *from, *files;
    const json_t *attachments; // of the cell
    unsigned count;            // of pictures taken
    pj_buf out;                // text of the cell
} taking;

/// One picture in a text.
typedef struct reference {
    pj_str text, target;
    pj_str before, after; // of the target, up to the end of the reference
    pj_str width;         // of <img>, in px
    size_t len;
    bool html;
} reference;

// ---- finding

/// Index of `c` that is not escaped; s.len when there is none. Brackets `open` are counted.
static size_t find_end(pj_str s, char open, char c)
{
    unsigned depth = 0;
    for (size_t i = 0; i < s.len; i++) {
        if (s.at[i] == '\\')
            i++;
        else if (s.at[i] == open)
            depth++;
        else if (s.at[i] == c && depth-- == 0)
            return i;
    }
    return s.len;
}

static bool find_markdown(pj_str s, reference *r)
{
    pj_str rest = pj_str_from(s, 2);
    size_t end = find_end(rest, '[', ']');
    if (end + 1 >= rest.len || rest.at[end + 1] != '(')
        return false;
    *r = (reference){.text = pj_str_head(rest, end)};
    rest = pj_str_from(rest, end + 2);
    size_t close = find_end(rest, '(', ')');
    if (close == rest.len)
        return false;
    pj_str inner = pj_str_head(rest, close);
    size_t first = 0, last;
    while (first < inner.len && isspace((unsigned char)inner.at[first]))
        first++;
    if (first < inner.len && inner.at[first] == '<') {
        first++;
        last = first + pj_str_find(pj_str_from(inner, first), '>');
    } else {
        last = first;
        while (last < inner.len && !isspace((unsigned char)inner.at[last]))
            last++;
    }
    r->target = (pj_str){inner.at + first, last - first};
    r->before = (pj_str){s.at, (size_t)(rest.at - s.at)};
    bool angled = last < inner.len && inner.at[last] == '>';
    r->after = (pj_str){inner.at + last + angled, inner.len - last - angled + 1};
    r->len = (size_t)(rest.at - s.at) + close + 1;
    return r->target.len > 0;
}

/// The value of an attribute of a tag, without its quotes.
static pj_str attribute(pj_str tag, const char *name)
{
    size_t len = strlen(name);
    for (size_t i = 1; i + len + 2 < tag.len; i++) {
        char quote = tag.at[i + len + 1];
        if (!isspace((unsigned char)tag.at[i - 1]) || strncasecmp(tag.at + i, name, len) != 0 ||
            tag.at[i + len] != '=' || (quote != '"' && quote != '\''))
            continue;
        pj_str rest = pj_str_from(tag, i + len + 2);
        return pj_str_head(rest, pj_str_find(rest, quote));
    }
    return (pj_str){0};
}

static bool find_html(pj_str s, reference *r)
{
    pj_str tag = pj_str_head(s, pj_str_find(s, '>') + 1);
    *r = (reference){.text = attribute(tag, "alt"),
                     .target = attribute(tag, "src"),
                     .width = attribute(tag, "width"),
                     .len = tag.len,
                     .html = true};
    if (!r->target.len)
        return false;
    size_t at = (size_t)(r->target.at - tag.at);
    r->before = pj_str_head(tag, at);
    r->after = pj_str_from(tag, at + r->target.len);
    return true;
}

// ---- taking

static bool is_remote(pj_str target)
{
    return pj_str_contains(target, PJ_S("://")) || pj_str_starts(target, PJ_S("data:"));
}

static unsigned digit(char c)
{
    return isdigit((unsigned char)c) ? (unsigned)(c - '0')
                                     : (unsigned)(tolower((unsigned char)c) - 'a' + 10);
}

static bool is_escape(pj_str s)
{
    return s.len > 2 && *s.at == '%' && isxdigit((unsigned char)s.at[1]) &&
           isxdigit((unsigned char)s.at[2]);
}

static const char *decoded(pj_str url, pj_arena *arena)
{
    pj_auto_buf text = {0};
    while (url.len) {
        bool escape = is_escape(url);
        char c = escape ? (char)(digit(url.at[1]) << 4 | digit(url.at[2])) : *url.at;
        pj_buf_add_char(&text, c);
        url = pj_str_from(url, escape ? 3 : 1);
    }
    return pj_arena_text(arena, pj_buf_str(&text));
}

static const kind *kind_of(pj_str name, const char *mime)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (mime ? strcmp(mime, kinds[i].mime) == 0 : pj_str_ends(name, pj_str_of(kinds[i].suffix)))
            return &kinds[i];
    return NULL;
}

static bool read_attachment(const taking *t, const char *name, pj_buf *out, const kind **what)
{
    const char *mime;
    json_t *value;
    json_object_foreach(json_object_get(t->attachments, name), mime, value)
    {
        *what = kind_of((pj_str){0}, mime);
        return pj_base64_decode(out, pj_str_of(json_string_value(value)));
    }
    return false;
}

static bool read_picture(const taking *t, pj_str target, pj_buf *out, const kind **what)
{
    static const char attached[] = "attachment:";
    pj_arena *arena = t->report->arena;
    const char *name = decoded(target, arena);
    *what = kind_of(pj_str_of(name), NULL);
    if (strncmp(name, attached, strlen(attached)) == 0)
        return read_attachment(t, name + strlen(attached), out, what);
    const char *path = *name == '/' ? name : pj_arena_format(arena, "%s/%s", t->from, name);
    struct stat status; // a pipe or a device may have no end
    return *what && stat(path, &status) == 0 && S_ISREG(status.st_mode) &&
           pj_file_read(path, out, NULL);
}

/// A file of the private folder, as the text names it.
static const char *name_file(const taking *t, const char *suffix)
{
    return pj_arena_format(t->report->arena, "%s%spicture-%u%s", t->files ? t->files : "",
                           t->files ? "/" : "", t->count, suffix);
}

static const char *in_folder(const taking *t, const char *name)
{
    return pj_arena_format(t->report->arena, "%s/%s", t->report->folder, name);
}

/// A vector picture as one that XeLaTeX prints; NULL when that cannot be had.
static const char *print_svg(taking *t, const char *name)
{
    const char *made = name_file(t, ".pdf");
    const char *words[] = {"rsvg-convert", "-f", "pdf", "-o", made, name, NULL};
    const char *log = in_folder(t, "log-picture");
    pj_child child = {.words = words, .folder = t->report->folder, .log = log};
    return pj_child_run(&child, t->report->session->stop, NULL) ? made : NULL;
}

static const char *data_of(const taking *t, const pj_buf *bytes, const char *mime)
{
    pj_auto_buf text = {0};
    pj_buf_addf(&text, "data:%s;base64,", mime);
    pj_base64_add(&text, pj_buf_str(bytes));
    return pj_arena_text(t->report->arena, pj_buf_str(&text));
}

/// What stands in the place of the target; NULL when there is no such picture, or when it cannot be
/// printed. False: the report cannot be written.
static bool take(taking *t, pj_str target, const char **out, pj_err *err)
{
    pj_auto_buf bytes = {0};
    pj_session *session = t->report->session;
    const kind *what = NULL;
    *out = NULL;
    if (!read_picture(t, target, &bytes, &what) || !what) {
        pj_session_say(session, "report: the picture " PJ_STR_FMT " %s", PJ_STR_ARG(target),
                       what ? "cannot be read" : "is of no kind that reports know");
        return true;
    }
    t->count++;
    if (t->report->format == PJ_REPORT_html) {
        *out = data_of(t, &bytes, what->mime);
        return true;
    }
    if (t->files)
        mkdir(in_folder(t, t->files), 0777);
    *out = name_file(t, what->suffix);
    if (!pj_newfile_put(in_folder(t, *out), pj_buf_str(&bytes), err))
        return false;
    if (t->report->format != PJ_REPORT_pdf || what->printed)
        return true;
    *out = strcmp(what->suffix, ".svg") == 0 ? print_svg(t, *out) : NULL;
    if (!*out)
        pj_session_say(session,
                       "report: the picture " PJ_STR_FMT " is left out: PDF takes .png, .jpg and "
                       ".pdf, and .svg with rsvg-convert (apt install librsvg2-bin)",
                       PJ_STR_ARG(target));
    return true;
}

// ---- writing

/// Of a picture that LaTeX prints, pandoc's Markdown; HTML's tags are not for it.
static void print_reference(taking *t, const reference *r, const char *name)
{
    pj_buf *out = &t->out;
    if (!name && is_remote(r->target) && !pj_str_starts(r->target, PJ_S("data:")))
        pj_buf_addf(out, "[" PJ_STR_FMT "](<" PJ_STR_FMT ">)",
                    PJ_STR_ARG(r->text.len ? r->text : r->target), PJ_STR_ARG(r->target));
    else if (!name)
        pj_buf_add(out, r->text);
    else if (!r->html)
        pj_buf_addf(out, "![" PJ_STR_FMT "](%s" PJ_STR_FMT, PJ_STR_ARG(r->text), name,
                    PJ_STR_ARG(r->after));
    else
        pj_buf_addf(out, "![" PJ_STR_FMT "](%s)", PJ_STR_ARG(r->text), name);
    uint64_t width;
    if (name && r->html && pj_parse_u64(r->width, &width))
        pj_buf_addf(out, "{width=" PJ_STR_FMT "px}", PJ_STR_ARG(r->width));
}

static bool write_reference(taking *t, const reference *r, pj_err *err)
{
    const char *name = NULL;
    if (!is_remote(r->target) && !take(t, r->target, &name, err))
        return false;
    if (t->report->format == PJ_REPORT_pdf) {
        print_reference(t, r, name);
        return true;
    }
    bool angled = name && !r->html && strpbrk(name, " ()");
    pj_buf_add(&t->out, r->before);
    if (angled)
        pj_buf_addf(&t->out, "<%s>", name);
    else if (name)
        pj_buf_puts(&t->out, name);
    else
        pj_buf_add(&t->out, r->target);
    pj_buf_add(&t->out, r->after);
    return true;
}

/// Length of what is not looked into at the beginning of `s`: an escaped character, code, which
/// between single backticks ends with the paragraph.
static size_t skipped(pj_str s)
{
    if (*s.at == '\\')
        return s.len > 1 ? 2 : 1;
    size_t run = 0;
    while (run < s.len && s.at[run] == '`')
        run++;
    for (size_t i = run, same = 0; run && i < s.len; i++) {
        if (run < 3 && pj_str_starts(pj_str_from(s, i), PJ_S("\n\n")))
            break;
        same = s.at[i] == '`' ? same + 1 : 0;
        if (same == run && (i + 1 == s.len || s.at[i + 1] != '`'))
            return i + 1;
    }
    return run ? run : 1;
}

static bool find_reference(pj_str s, reference *r)
{
    if (pj_str_starts(s, PJ_S("![")))
        return find_markdown(s, r);
    return s.len > 5 && strncasecmp(s.at, "<img", 4) == 0 && isspace((unsigned char)s.at[4]) &&
           find_html(s, r);
}

static bool rewrite(taking *t, pj_str text, pj_err *err)
{
    reference r;
    while (text.len) {
        size_t len = skipped(text);
        if (find_reference(text, &r)) {
            len = r.len;
            if (!write_reference(t, &r, err))
                return false;
        } else {
            pj_buf_add(&t->out, pj_str_head(text, len));
        }
        text = pj_str_from(text, len);
    }
    return true;
}

/// A source is a text, or a list of its lines.
static void add_source(const json_t *source, pj_buf *out)
{
    size_t i;
    json_t *line;
    pj_buf_puts(out, json_string_value(source));
    json_array_foreach(source, i, line) pj_buf_puts(out, json_string_value(line));
}

static bool rewrite_cell(taking *t, json_t *cell, pj_err *err)
{
    pj_auto_buf source = {0};
    add_source(json_object_get(cell, "source"), &source);
    t->attachments = json_object_get(cell, "attachments");
    t->out.len = 0;
    if (!rewrite(t, pj_buf_str(&source), err))
        return false;
    json_object_set_new(cell, "source", json_stringn(t->out.at, t->out.len));
    json_object_del(cell, "attachments");
    return true;
}

bool pj_report_pictures(pj_report *report, json_t *notebook, const char *from, const char *files,
                        pj_err *err)
{
    taking t = {.report = report, .from = from, .files = files};
    bool ok = true;
    size_t i;
    json_t *cell;
    json_array_foreach(json_object_get(notebook, "cells"), i, cell)
    {
        const char *type = json_string_value(json_object_get(cell, "cell_type"));
        ok = ok && (!type || strcmp(type, "markdown") != 0 || rewrite_cell(&t, cell, err));
    }
    pj_buf_free(&t.out);
    return ok;
}
