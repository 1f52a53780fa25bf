// Reading profiles: all chosen ones together, and that of a trace. What they replace stays on the
// pages until it has come.
#include "widgets/wizard/profile/wizard_profile.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "metrics/profile/profile.h"
#include "widgets/wizard/wizard.h"
#include "widgets/wizard/wizard_gather.h"
#include "widgets/wizard/wizard_job.h"
#include "widgets/wizard/wizard_record.h"

static const char **paths_of(const pj_wizard *wizard, pj_arena *arena, size_t *count)
{
    const char **paths = pj_new_n(arena, const char *, wizard->chosen_count + 1);
    *count = 0;
    for (size_t i = 0; i < wizard->chosen_count; i++)
        if (wizard->chosen[i].facts.profile)
            paths[(*count)++] = wizard->chosen[i].path;
    return paths;
}

/// What is to be read, as one text.
static const char *key_of(const pj_wizard *wizard, const char *const *paths, size_t count,
                          pj_arena *arena)
{
    pj_auto_buf key = {0};
    const char *memory = pj_wizard_how(wizard).texts.memory;
    for (size_t i = 0; i < count; i++)
        pj_buf_addf(&key, "%s\n", paths[i]);
    pj_buf_puts(&key, memory ? memory : "");
    return pj_arena_text(arena, pj_buf_str(&key));
}

void pj_wizard_profile_start(pj_wizard *wizard)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    size_t count;
    const char *const *paths = paths_of(wizard, arena, &count);
    const char *key = key_of(wizard, paths, count, arena);
    bool known = wizard->profile && strcmp(wizard->profile_key, key) == 0;
    if (wizard->gather || known || !count)
        return;
    for (size_t i = 0; i < wizard->chosen_count; i++)
        if (wizard->chosen[i].facts.profile)
            wizard->chosen[i].problem = NULL;
    pj_wizard_load how = pj_wizard_how(wizard);
    wizard->profile_key = pj_arena_text(wizard->arena, pj_str_of(key));
    wizard->gather = pj_wizard_gather_start(paths, count, &how, pj_wizard_call, wizard);
}

void pj_wizard_profile_beside(pj_wizard *wizard, const char *path)
{
    pj_wizard_load how = pj_wizard_how(wizard);
    pj_wizard_gather_free(wizard->beside);
    wizard->beside = pj_wizard_gather_start(&path, 1, &how, pj_wizard_call, wizard);
}

bool pj_wizard_profile_busy(const pj_wizard *wizard)
{
    return wizard->gather != NULL;
}

void pj_wizard_profile_stop(const pj_wizard *wizard)
{
    if (wizard->gather)
        pj_wizard_gather_stop(wizard->gather);
}

void pj_wizard_profile_forget(pj_wizard *wizard)
{
    pj_profile_release(wizard->profile);
    wizard->profile = NULL;
}

/// The file that a message is about, else all of them, cannot be read.
static void tell_problem(pj_wizard *wizard, const pj_err *err)
{
    bool named = false;
    for (int all = 0; all < 2 && !named; all++)
        for (size_t i = 0; i < wizard->chosen_count; i++) {
            pj_chosen *one = &wizard->chosen[i];
            bool about = all || strcmp(one->path, err->where) == 0;
            if (!one->facts.profile || !about)
                continue;
            named = true;
            if (all && one->problem) // it is known what is wrong with it
                continue;
            one->problem = pj_arena_text(one->arena, pj_str_of(err->text));
        }
}

static void take_profile(pj_wizard *wizard)
{
    pj_err err = {.code = PJ_E_NONE};
    pj_profile *profile = pj_wizard_gather_take(wizard->gather, &err);
    wizard->gathered = pj_wizard_gather_at(wizard->gather);
    const pj_err *problem;
    for (size_t i = 0; (problem = pj_wizard_gather_problem(wizard->gather, i)); i++)
        tell_problem(wizard, problem);
    pj_wizard_gather_free(wizard->gather);
    wizard->gather = NULL;
    if (!profile) {
        wizard->profile_key = "";
        if (err.code != PJ_E_STOPPED)
            tell_problem(wizard, &err);
        return;
    }
    pj_profile_release(wizard->profile);
    wizard->profile = profile;
}

static void take_beside(pj_wizard *wizard)
{
    pj_err err = {.code = PJ_E_NONE};
    pj_profile *profile = pj_wizard_gather_take(wizard->beside, &err);
    const char *path = pj_wizard_gather_path(wizard->beside, 0);
    pj_profile_release(wizard->traced);
    wizard->traced = profile;
    wizard->traced_path = profile ? pj_arena_text(wizard->arena, pj_str_of(path)) : NULL;
    pj_wizard_gather_free(wizard->beside);
    wizard->beside = NULL;
    pj_wizard_profile_came(wizard, &err);
}

void pj_wizard_profile_news(pj_wizard *wizard)
{
    if (wizard->gather) {
        wizard->gathered = pj_wizard_gather_at(wizard->gather);
        if (pj_wizard_gather_ended(wizard->gather))
            take_profile(wizard);
    }
    if (wizard->beside && pj_wizard_gather_ended(wizard->beside))
        take_beside(wizard);
}

void pj_wizard_code_files(const pj_wizard *wizard, bool whole, pj_buf *out)
{
    const char *separator = "";
    pj_buf_puts(out, "profile{");
    for (size_t i = 0; i < wizard->chosen_count; i++) {
        const pj_chosen *one = &wizard->chosen[i];
        if (!one->facts.profile)
            continue;
        pj_buf_puts(out, separator);
        pj_wizard_code_text(out, whole ? one->path : pj_wizard_path(wizard, one->path));
        separator = ", ";
    }
    pj_buf_puts(out, "}");
}

void pj_wizard_code_profile(const pj_wizard *wizard, pj_buf *out)
{
    pj_buf_puts(out, "p = ");
    pj_wizard_code_files(wizard, false, out);
    pj_buf_add_char(out, '\n');
}
