// Functions: where the time goes.
#include "metrics/base/err.h"
#include "metrics/profile/profile.h"
#include "metrics/profile/profile_table.h"
#include "metrics/table/table.h"
#include "widgets/wizard/profile/wizard_profile_page.h"
#include "widgets/wizard/wizard_record.h"

static const char *const *keys(const pj_profile *p)
{
    static const char *const all[] = {"exclusive", "inclusive", "calls", "function", NULL};
    (void)p;
    return all;
}

static pj_table *make_table(pj_profile *p, pj_profile_ask ask, pj_err *err)
{
    ask.by.item = PJ_BY_FUNCTION;
    return pj_profile_table(p, &ask, err);
}

static const pj_profile_kind functions = {.topic = "functions",
                                          .file = "functions",
                                          .about_functions = true,
                                          .folds = true,
                                          .keys = keys,
                                          .table = make_table};

PJ_PROFILE_PAGE(functions, functions);
