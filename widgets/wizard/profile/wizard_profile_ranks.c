// How ranks differ: which functions they have, how long they work and wait.
#include "metrics/base/err.h"
#include "metrics/profile/part_order.h"
#include "metrics/profile/profile.h"
#include "metrics/profile/profile_table.h"
#include "metrics/profile/profile_waits.h"
#include "metrics/table/table.h"
#include "widgets/wizard/profile/wizard_profile_page.h"
#include "widgets/wizard/wizard_record.h"

static pj_table *make_table(pj_profile *p, pj_profile_ask ask, pj_err *err)
{
    pj_auto_table waits = pj_profile_waits(p, err);
    return waits ? pj_part_order(waits, &ask, NULL, err) : NULL;
}

static const pj_profile_kind ranks = {.topic = "ranks",
                                      .file = "profile-ranks",
                                      .one_function = true,
                                      .about_functions = true,
                                      .table = make_table,
                                      .asks = "waits = true"};

PJ_PROFILE_PAGE(profile_ranks, ranks);
