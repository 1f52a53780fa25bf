// Sentences as items of a list; a topic of which nothing is to be said says so.
#include "widgets/report/profile_findings_md.h"

#include "metrics/profile/profile_findings.h"
#include "widgets/figure/escape.h"

bool pj_profile_findings_md(const pj_profile *profile, pj_str topic, pj_buf *out, pj_err *err)
{
    pj_auto_buf lines = {0};
    if (!pj_profile_findings_about(profile, topic, &lines, err))
        return false;
    pj_str rest = pj_buf_str(&lines);
    while (rest.len) {
        pj_buf_puts(out, "- ");
        pj_escape_md(out, pj_str_cut(&rest, '\n'));
        pj_buf_puts(out, ".\n");
    }
    if (!out->len)
        pj_buf_add_char(out, '\n');
    return true;
}
