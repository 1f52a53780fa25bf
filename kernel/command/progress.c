// Progress reports; the job calls at most five times a second.
#include "kernel/command/progress.h"

#include "kernel/command/face.h"
#include "metrics/base/buf.h"
#include "metrics/base/clock.h"
#include "metrics/base/job.h"
#include "metrics/base/num.h"
#include "metrics/base/str.h"
#include "widgets/figure/escape.h"

#include <inttypes.h>
#include <stdio.h>

enum { QUIET_NS = 300000000, STEP_NS = 200000000 };

pj_progress pj_progress_of(pj_session *session, size_t inputs)
{
    pj_progress progress = {.session = session, .count = inputs, .began_ns = pj_clock_ns()};
    snprintf(progress.id, sizeof progress.id, "popinjay-progress-%" PRIu64, progress.began_ns);
    return progress;
}

/// Shows text and, in rich front ends, a bar; `part` below 0 = no bar.
static void show(pj_progress *progress, const char *text, double part)
{
    const pj_face *face = progress->session->face;
    pj_display display = {.data = json_pack("{s:s}", "text/plain", text),
                          .id = progress->id,
                          .update = progress->shown};
    if (part >= 0) {
        pj_auto_buf html = {0};
        pj_buf_addf(&html, "<progress value=\"%.3f\" max=\"1\"></progress> <small>", part);
        pj_escape_html(&html, pj_str_of(text));
        pj_buf_puts(&html, "</small>");
        json_object_set_new(display.data, "text/html", json_string(html.at));
    }
    face->display(face->self, &display);
    json_decref(display.data);
    progress->shown = true;
}

static void write_line(pj_progress *progress, const char *text)
{
    const pj_face *face = progress->session->face;
    pj_face_print(face, PJ_STDERR, PJ_S("\r\033[K"));
    face->write(face->self, PJ_STDERR, pj_str_of(text));
    progress->shown = true;
}

static void tell(pj_progress *progress, const char *text, double part)
{
    if (pj_clock_ns() < progress->began_ns + QUIET_NS)
        return;
    if (progress->session->face->rich)
        show(progress, text, part);
    else if (progress->session->face->terminal)
        write_line(progress, text);
}

static void report(void *context, const char *what, uint64_t done, uint64_t total)
{
    pj_progress *progress = context;
    double part = total ? (double)done / (double)total : 0;
    char text[160], size[32];
    part = part > 1 ? 1 : part;
    pj_format_bytes(total, size);
    const char *slash = strrchr(what, '/');
    snprintf(text, sizeof text, "reading %.80s (%zu of %zu): %.0f %% of %s",
             slash ? slash + 1 : what, progress->index, progress->count, part * 100, size);
    tell(progress, text, part);
}

void pj_progress_say(pj_progress *progress, const char *text, double part)
{
    uint64_t now = pj_clock_ns();
    if (now < progress->due_ns)
        return;
    progress->due_ns = now + STEP_NS;
    tell(progress, text, part);
}

void pj_progress_attach(pj_progress *progress, pj_job *job)
{
    progress->index++;
    job->progress = report;
    job->progress_context = progress;
}

void pj_progress_clear(pj_progress *progress)
{
    if (!progress->shown || progress->session->face->rich)
        return;
    write_line(progress, "");
    progress->shown = false;
}

void pj_progress_end_as(pj_progress *progress, const char *text)
{
    if (progress->shown && progress->session->face->rich)
        show(progress, text, -1);
    else
        pj_progress_clear(progress);
}

void pj_progress_end(pj_progress *progress)
{
    char text[160], size[32], time[32];
    pj_format_bytes(progress->bytes, size);
    pj_format_duration((double)(pj_clock_ns() - progress->began_ns), time);
    snprintf(text, sizeof text, "read %zu %s, %s in %s", progress->index,
             progress->index == 1 ? "trace" : "traces", size, time);
    pj_progress_end_as(progress, text);
}
