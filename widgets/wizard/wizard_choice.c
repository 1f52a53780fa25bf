// The runs chosen, and the study and metrics made from those that were read.
#include "metrics/analyse/load_how.h"
#include "metrics/analyse/trace_look.h"
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "metrics/base/utf8.h"
#include "metrics/pop/metrics.h"
#include "metrics/pop/metricset.h"
#include "metrics/profile/profile.h"
#include "metrics/run/run.h"
#include "metrics/run/study/study.h"
#include "widgets/wizard/profile/wizard_profile.h"
#include "widgets/wizard/wizard.h"
#include "widgets/wizard/wizard_job.h"
#include "widgets/wizard/wizard_pieces.h"
#include "widgets/wizard/wizard_record.h"

const char *pj_wizard_file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

const char *pj_wizard_name(const pj_chosen *one)
{
    return one->facts.name ? one->facts.name : pj_wizard_file_name(one->path);
}

const char *pj_wizard_path(const pj_wizard *wizard, const char *path)
{
    const char *folder = wizard->host.folder;
    size_t length = folder ? strlen(folder) : 0;
    bool inside = length && strncmp(path, folder, length) == 0 && path[length] == '/';
    return inside && path[length + 1] ? path + length + 1 : path;
}

void pj_wizard_choose(pj_wizard *wizard, const char *path, const char *tag)
{
    for (size_t i = 0; i < wizard->chosen_count; i++)
        if (strcmp(wizard->chosen[i].path, path) == 0)
            return;
    pj_grow(wizard->chosen, &wizard->chosen_cap, wizard->chosen_count + 1);
    pj_chosen *one = &wizard->chosen[wizard->chosen_count++];
    *one = (pj_chosen){.arena = pj_arena_new(NULL)};
    one->path = pj_arena_text(one->arena, pj_str_of(path));
    one->tag = pj_arena_text(one->arena, pj_str_of(tag));
    one->facts = (pj_trace_look){.format = "", .layout = ""};
    pj_err err = {.code = PJ_E_NONE};
    if (!pj_trace_look_at(path, one->arena, &one->facts, &err))
        one->problem = pj_arena_text(one->arena, pj_str_of(err.text));
}

void pj_wizard_unchoose(pj_wizard *wizard, size_t index)
{
    pj_chosen *one = &wizard->chosen[index];
    if (one->facts.profile)
        pj_wizard_profile_forget(wizard);
    pj_run_release(one->run);
    pj_arena_free(one->arena);
    memmove(one, one + 1, (--wizard->chosen_count - index) * sizeof *one);
}

void pj_wizard_forget_runs(pj_wizard *wizard)
{
    pj_profile_release(wizard->traced);
    wizard->traced = NULL;
    for (size_t i = 0; i < wizard->chosen_count; i++) {
        pj_run_release(wizard->chosen[i].run);
        wizard->chosen[i].run = NULL;
        wizard->chosen[i].progress = (pj_wizard_progress){.state = PJ_READING_NOT};
    }
}

void pj_wizard_retag(pj_wizard *wizard, size_t index, const char *tag)
{
    pj_chosen *one = &wizard->chosen[index];
    one->tag = pj_arena_text(one->arena, pj_str_of(tag));
}

const char *const pj_wizard_scalings[] = {"auto", "strong", "weak", NULL};

pj_scaling pj_wizard_scaling(const pj_wizard *wizard, pj_piece part)
{
    return (pj_scaling)pj_piece_pick(&wizard->parts, part, PJ_SCALING_WEAK + 1);
}

pj_key pj_wizard_key(const pj_wizard *wizard, pj_piece part)
{
    return (pj_key)pj_piece_pick(&wizard->parts, part, PJ_BY_COUNT);
}

// The analysis

static void clear(pj_wizard *wizard)
{
    pj_metrics_release(wizard->metrics);
    pj_study_release(wizard->study);
    wizard->metrics = NULL;
    wizard->study = NULL;
}

/// The place of the reference run in the study, from 1; 0 = not chosen or not read.
static size_t reference_of(const pj_wizard *wizard, const pj_study *study)
{
    for (size_t i = 0; wizard->reference && i < study->count; i++)
        if (strcmp(study->cases[i].run->path, wizard->reference) == 0)
            return i + 1;
    return 0;
}

static pj_study *make_study(const pj_wizard *wizard, pj_err *err)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_run **runs = pj_new_n(arena, pj_run *, wizard->chosen_count + 1);
    size_t count = 0;
    for (size_t i = 0; i < wizard->chosen_count; i++) {
        const pj_chosen *one = &wizard->chosen[i];
        if (!one->run)
            continue;
        pj_run_set_tag(one->run, pj_str_of(one->tag));
        runs[count++] = one->run;
    }
    pj_study_opts how = {.scaling = wizard->scaling, .beside = true};
    pj_study *study = pj_study_new(runs, count, how, err);
    if (study && wizard->reference) {
        how.reference = reference_of(wizard, study);
        pj_study_release(study);
        study = pj_study_new(runs, count, how, err);
    }
    return study;
}

bool pj_wizard_evaluate(pj_wizard *wizard, pj_err *err)
{
    clear(wizard);
    bool any = false;
    for (size_t i = 0; i < wizard->chosen_count; i++)
        any = any || wizard->chosen[i].run;
    if (any) {
        wizard->study = make_study(wizard, err);
        const pj_metric_set *set = wizard->set;
        if (wizard->study && !set)
            set = pj_metric_set_default(wizard->study);
        if (wizard->study)
            wizard->metrics =
                pj_metrics_new(set, wizard->study, (pj_metrics_opts){.by = wizard->by}, err);
    }
    if (!wizard->metrics)
        clear(wizard);
    pj_wizard_refresh(wizard);
    return !any || wizard->metrics;
}

// The same as commands

void pj_wizard_code_text(pj_buf *out, const char *text)
{
    pj_buf_add_char(out, '"');
    for (pj_str rest = pj_str_of(text); rest.len;) {
        pj_str before = rest;
        uint32_t code = pj_utf8_next(&rest);
        if (code == '"' || code == '\\')
            pj_buf_add_char(out, '\\');
        pj_utf8_show(out, pj_str_head(before, before.len - rest.len));
    }
    pj_buf_add_char(out, '"');
}

static void add_option(pj_buf *out, const char *key, const char *value)
{
    if (!value || !*value)
        return;
    pj_buf_addf(out, ", %s = ", key);
    pj_wizard_code_text(out, value);
}

static bool any_tag(const pj_wizard *wizard)
{
    for (size_t i = 0; i < wizard->chosen_count; i++)
        if (wizard->chosen[i].run && *wizard->chosen[i].tag)
            return true;
    return false;
}

void pj_wizard_code_how(const pj_wizard *wizard, bool replays, pj_buf *out)
{
    pj_wizard_load how = pj_wizard_how(wizard);
    for (size_t i = 0; i < PJ_HOW_COUNT; i++)
        add_option(out, pj_load_how_at(i)->key, *pj_load_how_text(&how.texts.how, i));
    if (replays) {
        add_option(out, "latency", how.texts.latency);
        add_option(out, "bandwidth", how.texts.bandwidth);
        add_option(out, "eager", how.texts.eager);
    }
    add_option(out, "memory", how.texts.memory);
    if (how.workers)
        pj_buf_addf(out, ", jobs = %llu", (unsigned long long)how.workers);
    if (how.reread)
        pj_buf_puts(out, ", force = true");
}

void pj_wizard_code_load(const pj_wizard *wizard, bool whole, pj_buf *out)
{
    pj_buf_puts(out, "load{");
    const char *separator = "\n    ";
    for (size_t i = 0; i < wizard->chosen_count; i++) {
        bool unread = wizard->study && !wizard->chosen[i].run;
        if (unread || wizard->chosen[i].facts.profile)
            continue;
        pj_buf_puts(out, separator);
        const char *path = wizard->chosen[i].path;
        pj_wizard_code_text(out, whole ? path : pj_wizard_path(wizard, path));
        separator = ",\n    ";
    }
    pj_wizard_code_how(wizard, true, out);
    pj_buf_puts(out, "}");
}

void pj_wizard_code_runs(const pj_wizard *wizard, pj_buf *out)
{
    pj_buf_puts(out, "runs = ");
    pj_wizard_code_load(wizard, false, out);
    pj_buf_add_char(out, '\n');
    size_t place = 0;
    for (size_t i = 0; any_tag(wizard) && i < wizard->chosen_count; i++) {
        if (!wizard->chosen[i].run)
            continue;
        pj_buf_addf(out, "runs[%zu].tag = ", ++place);
        pj_wizard_code_text(out, wizard->chosen[i].tag);
        pj_buf_add_char(out, '\n');
    }
}

void pj_wizard_code_options(const pj_wizard *wizard, pj_buf *out)
{
    static const char *const scalings[] = {NULL, "strong", "weak"};
    pj_auto_buf more = {0};
    if (wizard->study && reference_of(wizard, wizard->study))
        pj_buf_addf(&more, ", ref = %zu", reference_of(wizard, wizard->study));
    add_option(&more, "scaling", scalings[wizard->scaling]);
    if (wizard->by != PJ_BY_NONE)
        add_option(&more, "by", pj_key_name(wizard->by));
    if (wizard->palette.scheme == PJ_SCHEME_BLUE_ORANGE)
        add_option(&more, "colours", "blue-orange");
    if (wizard->palette.good > 0)
        pj_buf_addf(&more, ", good = %g", wizard->palette.good);
    if (wizard->palette.bad > 0)
        pj_buf_addf(&more, ", bad = %g", wizard->palette.bad);
    pj_buf_puts(out, "{set = ");
    pj_wizard_code_text(out, wizard->metrics ? wizard->metrics->set->key : "mpi");
    pj_buf_add(out, pj_buf_str(&more));
    pj_buf_add_char(out, '}');
}

void pj_wizard_code_metrics(const pj_wizard *wizard, pj_buf *out)
{
    pj_wizard_code_runs(wizard, out);
    pj_buf_puts(out, "m = metrics(runs, ");
    pj_wizard_code_options(wizard, out);
    pj_buf_puts(out, ")\n");
}
