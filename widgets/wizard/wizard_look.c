// Reads one run again, on a thread of its own, for what its totals do not hold.
#include "widgets/wizard/wizard_inside.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "metrics/run/run.h"
#include "widgets/figure/escape.h"
#include "widgets/figure/html_page.h"
#include "widgets/wizard/wizard.h"
#include "widgets/wizard/wizard_job.h"
#include "widgets/wizard/wizard_pieces.h"
#include "widgets/wizard/wizard_record.h"

/// What is looked at, as one text: the run that was read for it is kept.
static const char *look_key(const pj_wizard *wizard, pj_arena *arena)
{
    const pj_inside_page *page = pj_wizard_inside_page(wizard);
    bool timeline = pj_wizard_inside_view(wizard) == PJ_WIZARD_TIMELINE;
    const char *range = timeline ? pj_piece_text(&wizard->parts, page->range) : "";
    const char *ranks = timeline ? pj_piece_text(&wizard->parts, page->ranks) : "";
    bool streams = timeline && pj_piece_is_on(&wizard->parts, page->streams);
    bool waits = timeline && pj_piece_is_on(&wizard->parts, page->waits);
    return pj_arena_format(arena, "%d %d %d %s %s %s", (int)pj_wizard_inside_view(wizard), streams,
                           waits, range, ranks, pj_wizard_inside_run(wizard)->path);
}

bool pj_wizard_look_done(const pj_wizard *wizard)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    return wizard->looked && strcmp(wizard->looked_key, look_key(wizard, arena)) == 0;
}

static void say(const pj_wizard *wizard, const char *text)
{
    pj_auto_buf html = {0};
    pj_buf_puts(&html, "<div style=\"" PJ_HTML_FONT "\">");
    pj_escape_html(&html, pj_str_of(text));
    pj_buf_puts(&html, "</div>");
    pj_piece_say(&wizard->parts, pj_wizard_inside_page(wizard)->summary, html.at);
}

void pj_wizard_look_end(pj_wizard *wizard)
{
    pj_wizard_job_free(wizard->look);
    wizard->look = NULL;
    pj_piece_show(&wizard->parts, pj_wizard_inside_page(wizard)->cancel, false);
}

void pj_wizard_look_start(pj_wizard *wizard)
{
    const pj_inside_page *page = pj_wizard_inside_page(wizard);
    const pj_pieces *parts = &wizard->parts;
    pj_wizard_load how = pj_wizard_how(wizard);
    how.view = pj_wizard_inside_view(wizard);
    const char *range = pj_piece_text(parts, page->range),
               *ranks = pj_piece_text(parts, page->ranks);
    how.texts.range = *range ? range : NULL;
    how.texts.ranks = *ranks ? ranks : NULL;
    how.streams = pj_piece_is_on(parts, page->streams);
    how.waits = pj_piece_is_on(parts, page->waits);
    pj_err err = {.code = PJ_E_NONE};
    pj_wizard_look_end(wizard);
    if (!pj_wizard_job_check(&how, &err)) {
        say(wizard, err.text);
        return;
    }
    pj_auto_arena arena = pj_arena_new(NULL);
    wizard->looked_key = pj_arena_text(wizard->arena, pj_str_of(look_key(wizard, arena)));
    pj_run_release(wizard->looked);
    wizard->looked = NULL;
    const char *path = pj_wizard_inside_run(wizard)->path;
    say(wizard, "reading");
    pj_piece_show(parts, page->cancel, true);
    wizard->look = pj_wizard_job_start(&path, 1, &how, pj_wizard_call, wizard);
}

void pj_wizard_inside_news(pj_wizard *wizard)
{
    if (!wizard->look)
        return;
    pj_wizard_progress p = pj_wizard_job_at(wizard->look, 0);
    if (!pj_wizard_job_ended(wizard->look)) {
        pj_auto_arena arena = pj_arena_new(NULL);
        double part = p.total ? (double)p.done / (double)p.total : 0;
        say(wizard, pj_arena_format(arena, "reading: %.0f %%", part * 100));
        return;
    }
    pj_err err = {.code = PJ_E_NONE};
    wizard->looked = pj_wizard_job_take(wizard->look, 0, &err);
    pj_wizard_look_end(wizard);
    if (wizard->looked && wizard->study && pj_wizard_look_done(wizard))
        pj_wizard_inside_draw(wizard);
    else if (!wizard->looked)
        say(wizard, err.code == PJ_E_STOPPED ? "cancelled" : err.text);
}

void pj_wizard_look_cancel(void *context)
{
    const pj_wizard *wizard = context;
    if (wizard->look)
        pj_wizard_job_stop(wizard->look);
}
