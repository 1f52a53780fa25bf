// Finds a part of a run, or says which there are.
#include "metrics/run/run_parts.h"

#include "metrics/base/buf.h"
#include "metrics/base/str.h"
#include "metrics/base/suggest.h"

#include <string.h>

#define SAME_NAME "same_name"

static const char *whole_name(const pj_run *run)
{
    return run->origin && run->origin->whole ? run->origin->whole : "";
}

static void list(const pj_run *run, const char *name, pj_buf *out)
{
    enum { SHOWN = 40 };
    pj_suggest suggest = {.word = pj_str_of(name)};
    for (size_t i = 0; i < run->parts.count; i++)
        pj_suggest_try(&suggest, run->parts.items[i]->part.name);
    pj_suggest_add(&suggest, out);
    pj_buf_addf(out, " it has %s", whole_name(run));
    for (size_t i = 0; i < run->parts.count && i < SHOWN; i++)
        pj_buf_addf(out, "%s%s", i || *whole_name(run) ? ", " : "", run->parts.items[i]->part.name);
    if (run->parts.count > SHOWN)
        pj_buf_addf(out, " and %zu more", run->parts.count - SHOWN);
}

/// Functions of one name, of several files, are parts of their own: says that one is taken.
static void tell_others(const pj_run *run, pj_run *part)
{
    size_t same = 0;
    for (size_t i = 0; i < run->parts.count; i++)
        same += strcmp(run->parts.items[i]->part.name, part->part.name) == 0;
    for (size_t i = 0; i < part->remarks.count; i++)
        if (strcmp(part->remarks.items[i].key, SAME_NAME) == 0)
            return;
    if (same > 1)
        pj_run_remark(part, PJ_WARNING, SAME_NAME,
                      "%zu parts of the run have this name: the one with most time of its own is "
                      "shown, metrics --by region shows all",
                      same);
}

pj_run *pj_run_parts_named(pj_run *run, const char *name, pj_err *err)
{
    pj_auto_buf known = {.at = NULL};
    if (strcmp(name, whole_name(run)) == 0)
        return run;
    for (size_t i = 0; i < run->parts.count; i++)
        if (strcmp(run->parts.items[i]->part.name, name) == 0) {
            tell_others(run, run->parts.items[i]);
            return run->parts.items[i];
        }
    if (!run->parts.count && !(run->origin && run->origin->whole)) {
        pj_fail(err, PJ_E_MISSING, run->path, 0,
                "no regions are known of it: files of TALP have them, and traces that name "
                "functions and "
                "their summaries");
        return NULL;
    }
    list(run, name, &known);
    pj_fail(err, PJ_E_MISSING, run->path, 0, "has no region \"%s\"%s", name, known.at);
    return NULL;
}
