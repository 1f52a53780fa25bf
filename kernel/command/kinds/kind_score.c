// What a trace would cost: the text of scorep-score, a table, and a filter file.
#include "kernel/command/kind.h"
#include "kernel/command/session.h"
#include "kernel/command/value.h"
#include "kernel/lua/lang_type.h"
#include "metrics/analyse/score.h"
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "metrics/table/table.h"

static void hold(pj_value *value)
{
    pj_score_hold(value->score);
}

static void release(pj_value *value)
{
    pj_score_release(value->score);
}

static uint64_t bytes(const pj_value *value)
{
    return pj_arena_size(value->score->arena);
}

static void brief(const pj_value *value, pj_buf *out)
{
    pj_buf_addf(out, "size of a trace: %zu regions, %zu processes", value->score->region_count,
                value->score->process_count);
}

static pj_table *table(const pj_value *value)
{
    return pj_score_table(value->score);
}

static void text(const pj_session *session, const pj_value *value, pj_buf *out)
{
    (void)session;
    pj_score_text(value->score, out);
}

static bool is_own(pj_str suffix)
{
    return pj_str_equal(suffix, PJ_S("filter")) || pj_str_equal(suffix, PJ_S("txt"));
}

static bool write_own(const pj_value *value, pj_str suffix, atomic_bool *stop, pj_buf *out,
                      pj_err *err)
{
    (void)stop;
    pj_score_proposal proposal;
    if (pj_str_equal(suffix, PJ_S("txt"))) {
        pj_score_text(value->score, out);
        return true;
    }
    if (!pj_score_parse_proposal(PJ_S(""), &proposal, err))
        return false;
    pj_score_propose(value->score, proposal, out);
    return true;
}

static const char *const own_suffixes[] = {"filter", NULL};

const pj_kind pj_kind_score = {
    .name = "score",
    .hold = hold,
    .release = release,
    .bytes = bytes,
    .brief = brief,
    .table = table,
    .text = text,
    .writes = is_own,
    .write = write_own,
    .suffixes = own_suffixes,
    .lang = &pj_lang_type_score,
};
