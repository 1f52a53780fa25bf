// A run, shown as what is known of it.
#include "kernel/command/kind.h"
#include "kernel/command/run_view.h"
#include "kernel/command/value.h"
#include "kernel/lua/lang_type.h"
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/run/run.h"
#include "metrics/table/table.h"

static void hold(pj_value *value)
{
    pj_run_hold(value->run);
}

static void release(pj_value *value)
{
    pj_run_release(value->run);
}

static uint64_t bytes(const pj_value *value)
{
    return pj_arena_size(value->run->arena);
}

static void brief(const pj_value *value, pj_buf *out)
{
    const pj_run *run = value->run;
    pj_buf_addf(out, "%s: %u ranks, %u threads", run->name, run->layout.ranks,
                run->layout.locations);
}

static pj_table *table(const pj_value *value)
{
    return pj_run_view_facts(value->run);
}

const pj_kind pj_kind_run = {
    .name = "run",
    .hold = hold,
    .release = release,
    .bytes = bytes,
    .brief = brief,
    .table = table,
    .lang = &pj_lang_type_run,
};
