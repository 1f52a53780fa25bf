// What pages of a profile share: findings, pictures, a table, saving, the same as commands. A page
// is a file with its pj_profile_kind and PJ_PROFILE_PAGE, and a line in wizard_steps.def.
// Ownership: everything belongs to the wizard.
#ifndef PJ_WIZARD_PROFILE_PAGE_H
#define PJ_WIZARD_PROFILE_PAGE_H

#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/profile/profile.h"
#include "metrics/profile/profile_table.h"
#include "metrics/table/table.h"
#include "widgets/figure/figure.h"
#include "widgets/wizard/wizard.h"
#include "widgets/wizard/wizard_pieces.h"
#include "widgets/wizard/wizard_record.h"

/// What a page has beside what all have.
typedef struct pj_profile_kind {
    const char *topic;    // of findings and plots (find/profile_topics.def)
    const char *file;     // that it is saved under
    bool one_function;    // its pictures show one function, not what is below it
    bool about_functions; // one can be chosen
    bool folds;           // the table may be a tree of calls
    bool untold;          // the table is too long to be read: it is saved alone
    /// Columns to sort by; ends with NULL. NULL = the table is as it is.
    const char *const *(*keys)(const pj_profile *profile);
    pj_table *(*table)(pj_profile *profile, pj_profile_ask ask, pj_err *err);
    const char *asks; // options of `profile` that ask for the table; NULL = none
    const char *code; // what else makes the table; NULL = `profile`
} pj_profile_kind;

bool pj_profile_page_useful(const pj_wizard *wizard, int step);
pj_piece pj_profile_page_build(pj_wizard *wizard, int step, void (*save)(void *wizard),
                               pj_figure *(*make)(pj_wizard *, pj_table **, pj_err *));
void pj_profile_page_refresh(pj_wizard *wizard, int step);
void pj_profile_page_code(const pj_wizard *wizard, int step, pj_buf *out);
PJ_CHECKED pj_figure *pj_profile_page_make(pj_wizard *wizard, int step, pj_table **table,
                                           pj_err *err);
void pj_profile_page_save(pj_wizard *wizard, int step);

/// The step of wizard_steps.def; its functions know which one they are of.
#define PJ_PROFILE_PAGE(key, kind)                                                                 \
    static pj_figure *make_##key(pj_wizard *wizard, pj_table **table, pj_err *err)                 \
    {                                                                                              \
        return pj_profile_page_make(wizard, PJ_STEP_##key, table, err);                            \
    }                                                                                              \
    static void save_##key(void *wizard)                                                           \
    {                                                                                              \
        pj_profile_page_save(wizard, PJ_STEP_##key);                                               \
    }                                                                                              \
    static pj_piece build_##key(pj_wizard *wizard)                                                 \
    {                                                                                              \
        return pj_profile_page_build(wizard, PJ_STEP_##key, save_##key, make_##key);               \
    }                                                                                              \
    static bool useful_##key(const pj_wizard *wizard)                                              \
    {                                                                                              \
        return pj_profile_page_useful(wizard, PJ_STEP_##key);                                      \
    }                                                                                              \
    static void refresh_##key(pj_wizard *wizard)                                                   \
    {                                                                                              \
        pj_profile_page_refresh(wizard, PJ_STEP_##key);                                            \
    }                                                                                              \
    static void code_##key(const pj_wizard *wizard, pj_buf *out)                                   \
    {                                                                                              \
        pj_profile_page_code(wizard, PJ_STEP_##key, out);                                          \
    }                                                                                              \
    const pj_wizard_step pj_wizard_step_##key = {build_##key, useful_##key, refresh_##key,         \
                                                 code_##key, &(kind)}

#endif
