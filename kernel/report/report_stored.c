// Pictures of outputs that are taken as they are.
// A saved notebook has no PDF beside its pictures, as that can be made again; here it is made.
#include "kernel/report/report_stored.h"

#include "kernel/command/child.h"
#include "kernel/command/session.h"
#include "metrics/base/arena.h"
#include "metrics/base/base64.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/file.h"
#include "metrics/base/newfile.h"
#include "metrics/base/str.h"
#include "widgets/figure/figure_uri.h"

typedef struct storing {
    pj_report *report;
    unsigned count; // of pictures converted
    bool unable;    // no program converts
} storing;

/// A MIME type's text, which is a string or a list of lines.
static void add_data(const json_t *data, const char *mime, pj_buf *out)
{
    const json_t *value = json_object_get(data, mime);
    size_t i;
    json_t *line;
    pj_buf_puts(out, json_string_value(value));
    json_array_foreach(value, i, line) pj_buf_puts(out, json_string_value(line));
}

static const char *in_folder(const storing *s, const char *suffix)
{
    return pj_arena_format(s->report->arena, "%s/stored-%u.%s", s->report->folder, s->count,
                           suffix);
}

/// A PDF of the SVG into `pdf`, which stays empty when there is none to be had.
static bool convert(storing *s, pj_str svg, pj_buf *pdf, pj_err *err)
{
    pj_err problem = {0};
    s->count++;
    const char *from = in_folder(s, "svg"), *to = in_folder(s, "pdf");
    const char *words[] = {"rsvg-convert", "-f", "pdf", "-o", to, from, NULL};
    pj_child child = {.words = words, .folder = s->report->folder, .log = in_folder(s, "log")};
    if (!pj_newfile_put(from, svg, err))
        return false;
    if (pj_child_run(&child, s->report->session->stop, &problem))
        return pj_file_read(to, pdf, err);
    if (problem.code == PJ_E_STOPPED)
        return pj_fail(err, problem.code, NULL, 0, "%s", problem.text);
    s->unable = problem.code == PJ_E_MISSING;
    return true;
}

static bool add_document(storing *s, json_t *data, pj_err *err)
{
    pj_auto_buf html = {0}, svg = {0}, pdf = {0}, text = {0};
    add_data(data, "text/html", &html);
    if (!pj_figure_uri_read(pj_buf_str(&html), &svg))
        return true;
    if (s->report->format == PJ_REPORT_md) {
        json_object_set_new(data, "image/svg+xml", json_stringn(svg.at, svg.len));
        json_object_del(data, "image/png"); // would become a file beside it, as would
        json_object_del(data, "application/pdf");
        return true;
    }
    if (!convert(s, pj_buf_str(&svg), &pdf, err))
        return false;
    pj_base64_add(&text, pj_buf_str(&pdf));
    if (text.len)
        json_object_set_new(data, "application/pdf", json_stringn(text.at, text.len));
    return true;
}

/// Whether it has vectors that the format takes.
static bool has_own(const json_t *data, pj_report_format format)
{
    return (format == PJ_REPORT_pdf && json_object_get(data, "application/pdf")) ||
           json_object_get(data, "image/svg+xml") || json_object_get(data, "text/latex");
}

bool pj_report_stored(pj_report *report, json_t *notebook, pj_err *err)
{
    storing s = {.report = report};
    size_t i, k;
    json_t *cell, *output;
    if (report->format != PJ_REPORT_pdf && report->format != PJ_REPORT_md)
        return true;
    json_array_foreach(json_object_get(notebook, "cells"), i, cell)
    {
        json_array_foreach(json_object_get(cell, "outputs"), k, output)
        {
            json_t *data = json_object_get(output, "data");
            if (!s.unable && !has_own(data, report->format) && !add_document(&s, data, err))
                return false;
        }
    }
    if (s.unable)
        pj_session_say(report->session,
                       "report: pictures are those in pixels, tables are text: for vector "
                       "pictures of a notebook's outputs, apt install librsvg2-bin");
    return true;
}
