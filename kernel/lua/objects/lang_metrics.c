// Metrics in Lua: m[3].parallel_efficiency, m[3]:reason "parallel_efficiency",
// m.parallel_efficiency.
#include "kernel/command/value.h"
#include "kernel/lua/lang_state.h"
#include "kernel/lua/lang_type.h"
#include "kernel/lua/lang_value.h"
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "metrics/base/suggest.h"
#include "metrics/pop/losses.h"
#include "metrics/pop/metrics.h"
#include "metrics/pop/metricset.h"
#include "metrics/run/run.h"
#include "metrics/run/study/study.h"
#include "metrics/table/table.h"
#include "metrics/table/table_ops.h"
#include "metrics/trace/layout.h"
#include "widgets/report/findings_md.h"

static const pj_metrics *self(lua_State *L)
{
    return pj_lang_object_check(L, 1, &pj_lang_type_metrics)->value.metrics;
}

static int title(lua_State *L)
{
    lua_pushstring(L, self(L)->title);
    return 1;
}

static int set(lua_State *L)
{
    lua_pushstring(L, self(L)->set->key);
    return 1;
}

static int note(lua_State *L)
{
    lua_pushstring(L, self(L)->note);
    return 1;
}

static int scaling(lua_State *L)
{
    const pj_study *study = self(L)->study;
    lua_pushstring(L, study->alone ? NULL : study->scaling == PJ_SCALING_WEAK ? "weak" : "strong");
    return 1;
}

static int reference(lua_State *L)
{
    lua_pushinteger(L, (lua_Integer)self(L)->study->reference + 1);
    return 1;
}

static int remarks(lua_State *L)
{
    const pj_metrics *m = self(L);
    lua_createtable(L, (int)m->remark_count, 0);
    for (size_t i = 0; i < m->remark_count; i++) {
        lua_pushstring(L, m->remarks[i].text);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    return 1;
}

static int keys(lua_State *L)
{
    const pj_metric_set *s = self(L)->set;
    lua_createtable(L, (int)s->count, 0);
    for (size_t i = 0; i < s->count; i++) {
        lua_pushstring(L, s->rows[i].key);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    return 1;
}

static int table(lua_State *L)
{
    const pj_metrics *m = self(L);
    pj_lang_object *slot = pj_lang_object_push(L);
    slot->value = pj_value_table_take(pj_metrics_table(m));
    pj_lang_object_finish(L);
    return 1;
}

static int runs(lua_State *L)
{
    const pj_study *study = self(L)->study;
    pj_lang_object *slot = pj_lang_object_push(L);
    slot->value = pj_value_list_new();
    for (size_t i = 0; i < study->count; i++)
        pj_value_list_add_take(&slot->value, pj_value_run_take(pj_run_hold(study->cases[i].run)));
    pj_lang_object_finish(L);
    return 1;
}

/// The row of the metric named by argument 2; raises with the nearest name and all of them.
static size_t metric_at(lua_State *L, const pj_metric_set *s)
{
    pj_str key;
    key.at = luaL_checklstring(L, 2, &key.len);
    int row = pj_metric_row(s, key);
    if (row >= 0)
        return (size_t)row;
    pj_buf *text = &pj_lang_of(L)->message;
    pj_suggest suggest = {.word = key};
    for (size_t i = 0; i < s->count; i++)
        pj_suggest_try(&suggest, s->rows[i].key);
    text->len = 0;
    pj_buf_addf(text, "the set %s has no metric \"" PJ_STR_FMT "\"", s->key, PJ_STR_ARG(key));
    if (suggest.best)
        pj_buf_addf(text, "; did you mean %s?", suggest.best);
    pj_buf_puts(text, suggest.best ? " it has:" : "; it has:");
    for (size_t i = 0; i < s->count; i++)
        pj_buf_addf(text, " %s", s->rows[i].key);
    return (size_t)luaL_error(L, "%s", text->at);
}

static int explain(lua_State *L)
{
    const pj_metric_set *s = self(L)->set;
    const pj_metric *metric = &s->rows[metric_at(L, s)];
    lua_pushfstring(L, "%s = %s\n%s", metric->title,
                    metric->formula_text ? metric->formula_text : "(a function)",
                    metric->explanation ? metric->explanation : "");
    return 1;
}

static int losses(lua_State *L)
{
    const pj_metrics *m = self(L);
    pj_lang_object *slot = pj_lang_object_push(L);
    slot->value = pj_value_table_take(pj_losses_table(m, m->study->count - 1));
    pj_lang_object_finish(L);
    return 1;
}

/// Markdown as a bundle, which a cell shows as text with headings and lists.
static int findings(lua_State *L)
{
    const pj_metrics *m = self(L);
    pj_str topic;
    topic.at = luaL_optlstring(L, 2, "summary", &topic.len);
    pj_buf *text = &pj_lang_of(L)->message;
    pj_err err = {.code = PJ_E_NONE};
    text->len = 0;
    const pj_table *found =
        lua_isnoneornil(L, 3) ? NULL : pj_lang_object_check(L, 3, &pj_lang_type_table)->value.table;
    if (!pj_findings_md(m, topic, found, text, &err))
        return luaL_error(L, "%s", err.text);
    lua_createtable(L, 0, 2);
    lua_pushlstring(L, text->at, text->len);
    lua_pushvalue(L, -1);
    lua_setfield(L, -3, "text/markdown");
    lua_setfield(L, -2, "text/plain");
    return 1;
}

static int about(lua_State *L)
{
    enum { MOST = 4 }; // lines of one picture
    const pj_metrics *m = self(L);
    pj_str topic;
    topic.at = luaL_checklstring(L, 2, &topic.len);
    size_t rows[MOST];
    size_t count = pj_findings_md_rows(m, topic, rows, MOST);
    lua_createtable(L, (int)count, 0);
    for (size_t i = 0; i < count; i++) {
        lua_pushstring(L, m->set->rows[rows[i]].key);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    return 1;
}

static const pj_lang_member metrics_members[] = {
    {"title", title, true, NULL, "The heading."},
    {"set", set, true, NULL, "The key of the metric set."},
    {"keys", keys, true, NULL, "The keys of its metrics, a list."},
    {"runs", runs, true, NULL, "The runs in the order of the table."},
    {"reference", reference, true, NULL, "The place of the reference run, from 1."},
    {"scaling", scaling, true, NULL, "strong or weak."},
    {"note", note, true, NULL, "Convention, scaling and reference run."},
    {"remarks", remarks, true, NULL, "Sentences that an analyst should know, a list."},
    {"table", table, true, NULL, "The values as a table: one row per run, one column per metric."},
    {"losses", losses, true, NULL,
     "What mending each cause alone would bring at most in the largest run, a table."},
    {"explain", explain, false, ":explain(METRIC)", "Formula and meaning of a metric."},
    {"findings", findings, false, ":findings([TOPIC[, FOUND]])",
     "What the numbers say, as Markdown; the summary begins with what findings of the runs, a "
     "table, found: summary, application, structure, scaling, efficiency, "
     "load_balance, communication, computation, openmp, conclusions, definitions."},
    {"about", about, false, ":about(TOPIC)",
     "The keys of its first four metrics about a topic of findings, a list."},
    {0},
};

static void metrics_item(lua_State *L, const pj_lang_object *object, size_t index)
{
    pj_lang_part_push(L, object->value, &pj_lang_type_row, index - 1);
}

static size_t metrics_length(const pj_lang_object *object)
{
    return object->value.metrics->study->count;
}

/// m.parallel_efficiency: the column of the table.
static bool metrics_field(lua_State *L, const pj_lang_object *object, pj_str key)
{
    const pj_metrics *m = object->value.metrics;
    int row = pj_metric_row(m->set, key);
    if (row < 0)
        return false;
    pj_lang_object *slot = pj_lang_object_push(L);
    slot->value = pj_value_table_take(pj_metrics_table(m));
    slot->type = &pj_lang_type_column;
    slot->part = (size_t)pj_table_column(slot->value.table, pj_str_of(m->set->rows[row].key));
    return true;
}

static const char *metrics_field_at(const pj_lang_object *object, size_t index)
{
    const pj_metric_set *s = object->value.metrics->set;
    return index < s->count ? s->rows[index].key : NULL;
}

const pj_lang_type pj_lang_type_metrics = {
    .name = "metrics",
    .members = metrics_members,
    .more = pj_lang_table_methods,
    .item = metrics_item,
    .length = metrics_length,
    .field = metrics_field,
    .field_at = metrics_field_at,
};

static const pj_lang_object *self_row(lua_State *L)
{
    return pj_lang_object_check(L, 1, &pj_lang_type_row);
}

static int reason(lua_State *L)
{
    const pj_lang_object *row = self_row(L);
    const pj_metrics *m = row->value.metrics;
    lua_pushstring(L, pj_metrics_at(m, row->part, metric_at(L, m->set)).reason);
    return 1;
}

static int row_run(lua_State *L)
{
    const pj_lang_object *row = self_row(L);
    pj_run *run = row->value.metrics->study->cases[row->part].run;
    pj_lang_object *slot = pj_lang_object_push(L);
    slot->value = pj_value_run_take(pj_run_hold(run));
    pj_lang_object_finish(L);
    return 1;
}

/// The row alone as a table: what it is shown as. One number does not tell how many digits its
/// column wants: without a unit it is a ratio.
static int row_table(lua_State *L)
{
    const pj_lang_object *row = self_row(L);
    pj_lang_object *slot = pj_lang_object_push(L);
    pj_auto_table all = pj_metrics_table(row->value.metrics);
    pj_table *one = pj_table_new(all->title);
    for (size_t c = 0; c < all->column_count; c++)
        pj_table_add_column(one, all->columns[c]);
    pj_cell *cells = pj_table_add_row(one);
    for (size_t c = 0; c < all->column_count; c++) {
        cells[c] = *pj_table_cell(all, row->part, c);
        if (cells[c].kind == PJ_CELL_REAL && one->columns[c].unit == PJ_UNIT_NONE)
            one->columns[c].unit = PJ_UNIT_RATIO;
        bool text = cells[c].kind == PJ_CELL_TEXT || cells[c].kind == PJ_CELL_EMPTY;
        if (text && cells[c].text)
            cells[c].text = pj_arena_text(one->arena, pj_str_of(cells[c].text));
    }
    slot->value = pj_value_table_take(one);
    slot->type = &pj_lang_type_table;
    return 1;
}

static const pj_lang_member row_members[] = {
    {"reason", reason, false, ":reason(METRIC)", "Why a metric has no value; nil when it has one."},
    {"run", row_run, true, NULL, "The run."},
    {"table", row_table, true, NULL, "The row as a table."},
    {0},
};

static bool push_study_field(lua_State *L, const pj_metrics *m, size_t run, pj_str key)
{
    const pj_layout *layout = m->study->cases[run].layout;
    pj_key by;
    if (pj_str_equal(key, PJ_S("trace"))) {
        lua_pushstring(L, m->study->cases[run].name);
        return true;
    }
    if (!pj_key_parse(key, &by))
        return false;
    if (by == PJ_BY_LAYOUT || by == PJ_BY_TAG)
        lua_pushstring(L, pj_study_key_text(m->study, run, by));
    else if (by == PJ_BY_THREADS_PER_RANK && !pj_layout_threads_per_rank(layout))
        lua_pushnil(L);
    else
        lua_pushinteger(L, (lua_Integer)pj_study_key_number(m->study, run, by));
    return true;
}

static bool row_field(lua_State *L, const pj_lang_object *object, pj_str key)
{
    const pj_metrics *m = object->value.metrics;
    int row = pj_metric_row(m->set, key);
    if (row < 0)
        return push_study_field(L, m, object->part, key);
    pj_metric_value value = pj_metrics_at(m, object->part, (size_t)row);
    if (value.reason)
        lua_pushnil(L);
    else
        lua_pushnumber(L, value.value);
    return true;
}

static const char *row_field_at(const pj_lang_object *object, size_t index)
{
    static const char *const first[] = {"trace",   "ranks",  "threads_per_rank",
                                        "threads", "layout", "tag"};
    enum { FIRST = sizeof first / sizeof *first };
    return index < FIRST ? first[index] : metrics_field_at(object, index - FIRST);
}

const pj_lang_type pj_lang_type_row = {
    .name = "run of metrics",
    .part = true,
    .members = row_members,
    .field = row_field,
    .field_at = row_field_at,
};
