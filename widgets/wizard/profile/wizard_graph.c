// Who calls whom.
#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "metrics/profile/part_order.h"
#include "metrics/profile/profile.h"
#include "metrics/profile/profile_parts.h"
#include "metrics/profile/profile_table.h"
#include "metrics/table/table.h"
#include "widgets/wizard/profile/wizard_profile_page.h"
#include "widgets/wizard/wizard_record.h"

static const char *const *keys(const pj_profile *p)
{
    static const char *const all[] = {"inclusive_s", "exclusive_s", "calls", NULL};
    (void)p;
    return all;
}

static pj_table *make_table(pj_profile *p, pj_profile_ask ask, pj_err *err)
{
    pj_auto_table edges = pj_profile_edges(p, PJ_ALL_EDGES, PJ_S(""), &ask, err);
    return edges ? pj_part_order(edges, &ask, NULL, err) : NULL;
}

static const pj_profile_kind graph = {.topic = "graph",
                                      .file = "graph",
                                      .about_functions = true,
                                      .keys = keys,
                                      .table = make_table,
                                      .asks = "callers = \"\""};

PJ_PROFILE_PAGE(graph, graph);
