// Profiles in Lua: p.functions, p.paths, p:callers "main", p["main"].
#include "kernel/command/value.h"
#include "kernel/lua/lang_bind.h"
#include "kernel/lua/lang_state.h"
#include "kernel/lua/lang_type.h"
#include "kernel/lua/lang_value.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "metrics/profile/derive/profile_filter.h"
#include "metrics/profile/profile.h"
#include "metrics/profile/profile_parts.h"
#include "metrics/profile/profile_table.h"
#include "metrics/profile/profile_timers.h"
#include "metrics/profile/profile_waits.h"
#include "metrics/table/table.h"
#include "widgets/figure/alive/figure_alive.h"
#include "widgets/report/profile_findings_md.h"
#include "widgets/table/call_tree_html.h"

#include <string.h>

static pj_profile *self(lua_State *L)
{
    return pj_lang_object_check(L, 1, &pj_lang_type_profile)->value.profile;
}

/// The slot of a result is pushed before anything is made that must be owned.
static int give_table(lua_State *L, pj_lang_object *slot, pj_table *table, const pj_err *err)
{
    if (!table)
        return pj_lang_raise(L, err);
    slot->value = pj_value_table_take(table);
    pj_lang_object_finish(L);
    return 1;
}

static int give_profile(lua_State *L, pj_lang_object *slot, pj_profile *profile, const pj_err *err)
{
    if (!profile)
        return pj_lang_raise(L, err);
    slot->value = pj_value_profile_take(profile);
    pj_lang_object_finish(L);
    return 1;
}

static int push_asked(lua_State *L, pj_profile_ask ask)
{
    pj_profile *p = self(L);
    pj_err *err = pj_lang_err(L);
    pj_lang_object *slot = pj_lang_object_push(L);
    ask.stop = pj_lang_of(L)->stop;
    return give_table(L, slot, pj_profile_table(p, &ask, err), err);
}

static int functions(lua_State *L)
{
    return push_asked(L, (pj_profile_ask){.by.item = PJ_BY_FUNCTION});
}

static int paths(lua_State *L)
{
    return push_asked(L, (pj_profile_ask){.by.item = PJ_BY_PATH});
}

static int modules(lua_State *L)
{
    return push_asked(L, (pj_profile_ask){.by.item = PJ_BY_MODULE});
}

static int ranks(lua_State *L)
{
    return push_asked(L, (pj_profile_ask){.by.rank = true});
}

static int threads(lua_State *L)
{
    return push_asked(L, (pj_profile_ask){.by.rank = true, .by.thread = true});
}

static int match(lua_State *L)
{
    self(L);
    const char *text = luaL_checkstring(L, 2);
    return push_asked(L, (pj_profile_ask){.by.item = PJ_BY_FUNCTION, .match = pj_str_of(text)});
}

static int push_edges(lua_State *L, pj_profile_side side)
{
    pj_profile *p = self(L);
    pj_str functions = pj_str_of(side == PJ_ALL_EDGES ? "" : luaL_checkstring(L, 2));
    const char *metric = side == PJ_ALL_EDGES ? "" : luaL_optstring(L, 3, "");
    const pj_profile_ask ask = {.metric = pj_str_of(metric), .stop = pj_lang_of(L)->stop};
    pj_err *err = pj_lang_err(L);
    pj_lang_object *slot = pj_lang_object_push(L);
    return give_table(L, slot, pj_profile_edges(p, side, functions, &ask, err), err);
}

static int edges(lua_State *L)
{
    return push_edges(L, PJ_ALL_EDGES);
}

static int callers(lua_State *L)
{
    return push_edges(L, PJ_CALLERS);
}

static int callees(lua_State *L)
{
    return push_edges(L, PJ_CALLEES);
}

static int lines(lua_State *L)
{
    const pj_profile *p = self(L);
    pj_err *err = pj_lang_err(L);
    pj_lang_object *slot = pj_lang_object_push(L);
    return give_table(L, slot, pj_profile_lines(p, pj_lang_of(L)->stop, err), err);
}

static int push_made(lua_State *L, pj_table *(*make)(const pj_profile *profile))
{
    const pj_profile *p = self(L);
    pj_lang_object *slot = pj_lang_object_push(L);
    return give_table(L, slot, make(p), NULL);
}

static int events(lua_State *L)
{
    return push_made(L, pj_profile_events);
}

static int series(lua_State *L)
{
    return push_made(L, pj_profile_series_table);
}

static int waits(lua_State *L)
{
    const pj_profile *p = self(L);
    pj_err *err = pj_lang_err(L);
    pj_lang_object *slot = pj_lang_object_push(L);
    return give_table(L, slot, pj_profile_waits(p, err), err);
}

static int timers(lua_State *L)
{
    pj_profile *p = self(L);
    pj_err *err = pj_lang_err(L);
    pj_lang_object *slot = pj_lang_object_push(L);
    return give_table(L, slot, pj_profile_timers(p, err), err);
}

static int metrics(lua_State *L)
{
    return push_made(L, pj_profile_metrics);
}

static int info(lua_State *L)
{
    return push_made(L, pj_profile_info);
}

static int shape(lua_State *L)
{
    lua_pushstring(L, pj_shape_name(self(L)->shape));
    return 1;
}

static int format(lua_State *L)
{
    lua_pushstring(L, self(L)->format);
    return 1;
}

static int files(lua_State *L)
{
    const pj_profile *p = self(L);
    lua_createtable(L, (int)p->file_count, 0);
    for (uint32_t f = 0; f < p->file_count; f++) {
        lua_pushstring(L, p->files[f]);
        lua_rawseti(L, -2, (lua_Integer)f + 1);
    }
    return 1;
}

static int rank(lua_State *L)
{
    pj_profile *p = self(L);
    lua_Integer wanted = luaL_checkinteger(L, 2);
    pj_err *err = pj_lang_err(L);
    pj_lang_object *slot = pj_lang_object_push(L);
    return give_profile(L, slot, pj_profile_of_rank(p, wanted, err), err);
}

static int root(lua_State *L)
{
    pj_profile *p = self(L);
    pj_str wanted = pj_str_of(luaL_checkstring(L, 2));
    pj_err *err = pj_lang_err(L);
    pj_lang_object *slot = pj_lang_object_push(L);
    return give_profile(L, slot, pj_profile_below(p, wanted, err), err);
}

static int findings(lua_State *L)
{
    const pj_profile *p = self(L);
    pj_str topic;
    topic.at = luaL_optlstring(L, 2, "summary", &topic.len);
    pj_buf *text = &pj_lang_of(L)->message;
    pj_err err = {.code = PJ_E_NONE};
    text->len = 0;
    if (!pj_profile_findings_md(p, topic, text, &err))
        return luaL_error(L, "%s", err.text);
    lua_createtable(L, 0, 2);
    lua_pushlstring(L, text->at, text->len);
    lua_pushvalue(L, -1);
    lua_setfield(L, -3, "text/markdown");
    lua_setfield(L, -2, "text/plain");
    return 1;
}

/// p:tree "bottom-up": rows that fold, without a kernel too.
static int tree(lua_State *L)
{
    const pj_profile *p = self(L);
    const char *kind = luaL_optstring(L, 2, pj_call_fold_name(0));
    pj_str root = pj_str_of(luaL_optstring(L, 3, ""));
    size_t fold = 0;
    while (pj_call_fold_name(fold) && strcmp(pj_call_fold_name(fold), kind) != 0)
        fold++;
    if (!pj_call_fold_name(fold))
        return luaL_error(L, "tree: no kind \"%s\"; top-down, bottom-up or callers", kind);
    pj_buf *text = &pj_lang_of(L)->message;
    pj_err *err = pj_lang_err(L);
    text->len = 0;
    if (!pj_call_tree_html(p, (pj_call_fold)fold, root, text, err))
        return pj_lang_raise(L, err);
    pj_figure_link_html(text);
    lua_createtable(L, 0, 2);
    lua_pushlstring(L, text->at, text->len);
    lua_setfield(L, -2, "text/html");
    text->len = 0;
    if (!pj_call_tree_text(p, (pj_call_fold)fold, root, text, err))
        return pj_lang_raise(L, err);
    lua_pushlstring(L, text->at, text->len);
    lua_setfield(L, -2, "text/plain");
    return 1;
}

static const pj_lang_member members[] = {
    {"functions", functions, true, NULL, "All functions, a table: time, calls, load balance."},
    {"paths", paths, true, NULL, "All call paths as a tree, a table."},
    {"modules", modules, true, NULL, "Sums of modules, a table."},
    {"lines", lines, true, NULL, "Values by line, a table."},
    {"ranks", ranks, true, NULL, "Sums of ranks, a table."},
    {"threads", threads, true, NULL, "Sums of threads, a table."},
    {"edges", edges, true, NULL, "Who calls whom, a table."},
    {"events", events, true, NULL, "What the program reported n times, a table."},
    {"waits", waits, true, NULL, "Work, MPI and other waiting of each rank, a table."},
    {"timers", timers, true, NULL, "Total time, calls and average of regions, a table."},
    {"series", series, true, NULL, "Values over time, a table."},
    {"metrics", metrics, true, NULL, "The metrics that were recorded, a table."},
    {"callers", callers, false, ":callers(REGEX)", "Who calls the functions that match, a table."},
    {"callees", callees, false, ":callees(REGEX)", "Whom the functions that match call, a table."},
    {"match", match, false, ":match(REGEX)", "The functions that match, a table."},
    {"findings", findings, false, ":findings([TOPIC])",
     "What the numbers say, as Markdown: summary, functions, graph, ranks, lines, memory."},
    {"tree", tree, false, ":tree([KIND, [FUNCTION]])",
     "Its calls as rows that fold: top-down, bottom-up or callers."},
    {"rank", rank, false, ":rank(R)", "The profile of one rank."},
    {"root", root, false, ":root(REGEX)", "The profile of what is below the functions that match."},
    {"shape", shape, true, NULL, "What it holds: tree, graph or flat."},
    {"format", format, true, NULL, "The format of its files."},
    {"files", files, true, NULL, "The files as they were opened, a list."},
    {"info", info, true, NULL, "What is known of it, a table."},
    {0},
};

static bool has_function(const pj_profile *p, pj_str name)
{
    for (uint32_t r = 0; r < p->count[PJ_AT_REGION]; r++)
        if (pj_str_equal(pj_profile_name(p, r), name))
            return true;
    return false;
}

/// p["main"]: the functions of that name.
static bool field(lua_State *L, const pj_lang_object *object, pj_str key)
{
    pj_profile *p = object->value.profile;
    if (!has_function(p, key))
        return false;
    pj_err *err = pj_lang_err(L);
    const pj_profile_ask ask = {.by.item = PJ_BY_FUNCTION, .name = key};
    pj_lang_object *slot = pj_lang_object_push(L);
    give_table(L, slot, pj_profile_table(p, &ask, err), err);
    return true;
}

const pj_lang_type pj_lang_type_profile = {
    .name = "profile",
    .members = members,
    .more = pj_lang_table_methods,
    .field = field,
};
