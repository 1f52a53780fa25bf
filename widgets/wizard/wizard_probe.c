// Reads the run with most threads for the pages of causes.
#include "widgets/wizard/wizard_probe.h"

#include "metrics/base/arena.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "metrics/run/run.h"
#include "metrics/run/study/study.h"
#include "widgets/wizard/wizard.h"
#include "widgets/wizard/wizard_job.h"
#include "widgets/wizard/wizard_pieces.h"
#include "widgets/wizard/wizard_record.h"

/// As findings choose it: the first of those with most threads.
static pj_run *largest(const pj_study *study)
{
    pj_run *most = study->cases[0].run;
    for (size_t i = 1; i < study->count; i++)
        if (study->cases[i].run->layout.locations > most->layout.locations)
            most = study->cases[i].run;
    return most;
}

void pj_wizard_probe_forget(pj_wizard *wizard)
{
    pj_wizard_probe *probe = &wizard->probe;
    pj_wizard_job_free(probe->job);
    pj_run_release(probe->run);
    pj_run_release(probe->of);
    pj_arena_free(probe->arena);
    *probe = (pj_wizard_probe){.number = probe->number + 1};
}

static void start(pj_wizard *wizard, pj_run *run)
{
    pj_wizard_probe *probe = &wizard->probe;
    pj_wizard_load how = pj_wizard_how(wizard);
    how.view = PJ_WIZARD_CAUSES;
    pj_wizard_probe_forget(wizard);
    probe->of = pj_run_hold(run);
    probe->arena = pj_arena_new(NULL);
    probe->job = pj_wizard_job_start(&run->path, 1, &how, pj_wizard_call, wizard);
}

static void show(const pj_wizard *wizard, pj_probe_pieces pieces)
{
    const pj_wizard_probe *probe = &wizard->probe;
    const pj_pieces *parts = &wizard->parts;
    pj_auto_arena arena = pj_arena_new(NULL);
    const char *text = probe->problem ? probe->problem : "";
    if (probe->job) {
        pj_wizard_progress p = pj_wizard_job_at(probe->job, 0);
        double part = p.total ? (double)p.done / (double)p.total : 0;
        text =
            pj_arena_format(arena, "reading %s for causes: %.0f %%", probe->of->name, part * 100);
    }
    pj_piece_tell(parts, pieces.said, text);
    pj_piece_set(parts, pieces.again, "description",
                 json_string(probe->job ? "Stop" : "Read again"));
    pj_piece_set(parts, pieces.again, "icon", json_string(probe->job ? "stop" : "refresh"));
    pj_piece_show(parts, pieces.box, !probe->run);
}

const pj_run *pj_wizard_probe_run(pj_wizard *wizard, pj_probe_pieces pieces)
{
    pj_run *run = largest(wizard->study);
    if (wizard->probe.of != run)
        start(wizard, run);
    show(wizard, pieces);
    return wizard->probe.run;
}

static void renew_pages(pj_wizard *wizard)
{
    pj_wizard_renew(wizard, PJ_STEP_findings);
    pj_wizard_renew(wizard, PJ_STEP_whatif);
}

void pj_wizard_probe_news(pj_wizard *wizard)
{
    pj_wizard_probe *probe = &wizard->probe;
    if (!probe->job)
        return;
    if (pj_wizard_job_ended(probe->job)) {
        pj_err err = {.code = PJ_E_NONE};
        probe->run = pj_wizard_job_take(probe->job, 0, &err);
        pj_wizard_job_free(probe->job);
        probe->job = NULL;
        if (!probe->run)
            probe->problem = err.code == PJ_E_STOPPED
                                 ? "stopped"
                                 : pj_arena_text(probe->arena, pj_str_of(err.text));
    }
    renew_pages(wizard);
}

/// While it reads it is stopped; else it begins once more.
static void on_again(void *context)
{
    pj_wizard *wizard = context;
    if (wizard->probe.job) {
        pj_wizard_job_stop(wizard->probe.job);
        return;
    }
    pj_wizard_probe_forget(wizard);
    renew_pages(wizard);
}

pj_probe_pieces pj_wizard_probe_build(pj_wizard *wizard)
{
    pj_pieces *parts = &wizard->parts;
    pj_probe_pieces made = {.said = pj_piece_html(parts, "")};
    made.again = pj_piece_button(parts, "Read again", "refresh",
                                 "Reads the largest run for what it waits for and for replays");
    pj_piece_on(parts, made.again, NULL, on_again);
    made.box = PJ_PIECE_ROW(parts, made.again, made.said);
    pj_piece_show(parts, made.box, false);
    return made;
}
