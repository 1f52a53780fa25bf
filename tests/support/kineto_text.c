// Texts are read from memory, as one rank.
#include "tests/support/kineto_text.h"

#include "metrics/base/job.h"
#include "metrics/read/pass.h"
#include "metrics/read/read.h"

#include <string.h>

pj_run *kineto_run_of(pj_str bytes, pj_err *err)
{
    pj_job job = {.workers = 1};
    pj_auto_run run = pj_run_new("made.json");
    pj_pass pass = {.run = run, .job = &job};
    return pj_read_memory("made", bytes, &pass, err) ? pj_run_hold(run) : NULL;
}

bool kineto_run_says(const pj_run *run, const char *text)
{
    for (size_t i = 0; i < run->remarks.count; i++)
        if (strstr(run->remarks.items[i].text, text))
            return true;
    return false;
}
