// Finds a part of a run, or says which there are.
#include "metrics/run/run_parts.h"

#include "metrics/base/buf.h"
#include "metrics/base/str.h"
#include "metrics/base/suggest.h"

#include <string.h>

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

pj_run *pj_run_parts_named(pj_run *run, const char *name, pj_err *err)
{
    pj_auto_buf known = {.at = NULL};
    if (strcmp(name, whole_name(run)) == 0)
        return run;
    for (size_t i = 0; i < run->parts.count; i++)
        if (strcmp(run->parts.items[i]->part.name, name) == 0)
            return run->parts.items[i];
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
