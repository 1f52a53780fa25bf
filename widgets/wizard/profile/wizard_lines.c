// Source lines, with time or memory.
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
    static const char *const of_time[] = {"time_s", "hits", "line", NULL};
    static const char *const of_memory[] = {"increment_mib", "memory_mib", "line", NULL};
    return pj_profile_measure(p, PJ_S("memory")) == PJ_NO_ITEM ? of_time : of_memory;
}

static pj_table *make_table(pj_profile *p, pj_profile_ask ask, pj_err *err)
{
    pj_auto_table lines = pj_profile_lines(p, ask.stop, err);
    return lines ? pj_part_order(lines, &ask, ask.stop, err) : NULL;
}

static const pj_profile_kind lines = {
    .topic = "lines", .file = "lines", .keys = keys, .table = make_table, .asks = "by = \"line\""};

PJ_PROFILE_PAGE(lines, lines);
