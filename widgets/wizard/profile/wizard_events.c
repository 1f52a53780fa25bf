// What the program itself reported.
#include "metrics/base/err.h"
#include "metrics/profile/part_order.h"
#include "metrics/profile/profile.h"
#include "metrics/profile/profile_parts.h"
#include "metrics/profile/profile_table.h"
#include "metrics/table/table.h"
#include "widgets/wizard/profile/wizard_profile_page.h"
#include "widgets/wizard/wizard_record.h"

static pj_table *make_table(pj_profile *p, pj_profile_ask ask, pj_err *err)
{
    pj_auto_table events = pj_profile_events(p);
    return pj_part_order(events, &ask, NULL, err);
}

static const pj_profile_kind events = {
    .topic = "events", .file = "events", .table = make_table, .code = "p.events:head(40)"};

PJ_PROFILE_PAGE(events, events);
