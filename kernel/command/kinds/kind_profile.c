// A profile, shown as its functions.
#include "kernel/command/kind.h"
#include "kernel/command/value.h"
#include "kernel/lua/lang_type.h"
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/job.h"
#include "metrics/base/str.h"
#include "metrics/profile/profile.h"
#include "metrics/profile/profile_table.h"
#include "metrics/profile/write/ppk_write.h"
#include "metrics/profile/write/profile_write.h"
#include "metrics/table/table.h"
#include "widgets/plot/profile/graph_dot.h"
#include "widgets/table/render.h"

static void hold(pj_value *value)
{
    pj_profile_hold(value->profile);
}

static void release(pj_value *value)
{
    pj_profile_release(value->profile);
}

static uint64_t bytes(const pj_value *value)
{
    return pj_arena_size(value->profile->arena) + value->profile->bytes;
}

static void brief(const pj_value *value, pj_buf *out)
{
    const pj_profile *p = value->profile;
    pj_buf_addf(out, "%s: %u functions, %lld ranks, %u threads", p->title, p->count[PJ_AT_REGION],
                (long long)pj_profile_rank_count(p), p->location_count);
}

static pj_table *functions(const pj_value *value, uint64_t first, atomic_bool *stop)
{
    pj_err err = {0};
    const pj_profile_ask ask = {.by.item = PJ_BY_FUNCTION, .first = first, .stop = stop};
    return pj_profile_table(value->profile, &ask, &err);
}

static pj_table *table(const pj_value *value)
{
    enum { SHOWN = 40 };
    return functions(value, SHOWN, NULL);
}

static pj_table *whole(const pj_value *value, atomic_bool *stop)
{
    return functions(value, 0, stop);
}

/// Files for machines hold all functions.
static bool writes(pj_str suffix)
{
    const pj_renderer *renderer = pj_renderer_by_name(suffix);
    return pj_profile_writer_of(suffix) || pj_str_equal(suffix, PJ_S("dot")) ||
           (renderer && renderer->machines);
}

static bool write(const pj_value *value, pj_str suffix, atomic_bool *stop, pj_buf *out, pj_err *err)
{
    const pj_profile_writer *writer = pj_profile_writer_of(suffix);
    pj_job job = {.stop = stop};
    if (writer)
        return writer->write(value->profile, &job, out, err);
    if (pj_str_equal(suffix, PJ_S("dot"))) // which pictures of call graphs are written as, too
        return pj_graph_dot_profile(value->profile, out, err);
    pj_auto_table all = functions(value, 0, stop);
    if (!all)
        return pj_job_check(&job, NULL, err) &&
               pj_fail(err, PJ_E_MISSING, NULL, 0, "the profile has no functions");
    pj_render_table(pj_renderer_by_name(suffix), all, (pj_render_opts){.page = true, .stop = stop},
                    out);
    return pj_job_check(&job, NULL, err);
}

/// As TAU leaves its profiles.
static bool write_folder(const pj_value *value, const char *folder, pj_err *err)
{
    return pj_tau_write(value->profile, folder, err);
}

const pj_kind pj_kind_profile = {
    .name = "profile",
    .hold = hold,
    .release = release,
    .bytes = bytes,
    .brief = brief,
    .table = table,
    .whole = whole,
    .writes = writes,
    .write = write,
    .write_folder = write_folder,
    .suffixes = pj_profile_suffixes,
    .lang = &pj_lang_type_profile,
};
