// Runs in Lua: runs[1].stats, run:rank(0), run.import, run.remarks.
#include "kernel/command/command.h"
#include "kernel/command/run_view.h"
#include "kernel/command/value.h"
#include "kernel/lua/lang_bind.h"
#include "kernel/lua/lang_call.h"
#include "kernel/lua/lang_type.h"
#include "kernel/lua/lang_value.h"
#include "kernel/lua/objects/lang_events.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "metrics/run/breakdown.h"
#include "metrics/run/run.h"
#include "metrics/run/run_table.h"
#include "metrics/table/table.h"
#include "metrics/table/table_ops.h"
#include "metrics/trace/layout.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const pj_run *self(lua_State *L)
{
    return pj_lang_object_check(L, 1, &pj_lang_type_run)->value.run;
}

static int push_text(lua_State *L, const char *text)
{
    lua_pushstring(L, text);
    return 1;
}

static int push_count(lua_State *L, uint64_t count)
{
    lua_pushinteger(L, (lua_Integer)count);
    return 1;
}

static int name(lua_State *L)
{
    return push_text(L, self(L)->name);
}

static int path(lua_State *L)
{
    return push_text(L, self(L)->path);
}

static int format(lua_State *L)
{
    return push_text(L, self(L)->format);
}

static int network(lua_State *L)
{
    const char *label = self(L)->other.label;
    return label ? push_text(L, label) : 0;
}

static int tag(lua_State *L)
{
    return push_text(L, self(L)->tag);
}

static int ranks(lua_State *L)
{
    return push_count(L, self(L)->layout.ranks);
}

static int threads(lua_State *L)
{
    return push_count(L, self(L)->layout.locations);
}

static int runtime_ns(lua_State *L)
{
    return push_count(L, self(L)->runtime_ns);
}

static int records(lua_State *L)
{
    return push_count(L, self(L)->events);
}

static int file_bytes(lua_State *L)
{
    return push_count(L, self(L)->file_bytes);
}

static int ideal_runtime_ns(lua_State *L)
{
    const pj_run *run = self(L);
    if (run->ideal.available)
        lua_pushnumber(L, run->ideal.runtime_ns);
    else
        lua_pushnil(L);
    return 1;
}

static int layout(lua_State *L)
{
    const pj_layout *l = &self(L)->layout;
    uint32_t least = UINT32_MAX, most = 0;
    for (uint32_t r = 0; r < l->ranks; r++) {
        uint32_t n = pj_layout_threads(l, r);
        least = n < least ? n : least;
        most = n > most ? n : most;
    }
    if (least >= most)
        lua_pushfstring(L, "%dx%d", (int)l->ranks, (int)most);
    else
        lua_pushfstring(L, "%dx%d-%d", (int)l->ranks, (int)least, (int)most);
    return 1;
}

static int push_table(lua_State *L, pj_table *(*make)(const pj_run *))
{
    const pj_run *run = self(L);
    pj_lang_object *slot = pj_lang_object_push(L);
    slot->value = pj_value_table_take(make(run));
    pj_lang_object_finish(L);
    return 1;
}

/// The trace may be read again for it.
static int ask(lua_State *L, pj_str command)
{
    lua_settop(L, 1);
    return pj_lang_call(L, pj_command_find(command, PJ_IN_LUA));
}

static int regions(lua_State *L)
{
    return ask(L, PJ_S("regions"));
}

/// A summary beside a large trace has no exact values of single threads.
static int stats(lua_State *L)
{
    const pj_run *run = self(L);
    bool rounded = run->provenance && run->provenance->rounded;
    return rounded ? ask(L, PJ_S("stats")) : push_table(L, pj_run_table_stats);
}

/// Beside the archive, where the program left a profile of the same run, else that of the trace.
static int profile(lua_State *L)
{
    const char *trace = self(L)->path;
    const char *slash = strrchr(trace, '/');
    size_t folder = slash ? (size_t)(slash + 1 - trace) : 0;
    lua_settop(L, 1);
    lua_pushlstring(L, trace, folder);
    lua_pushliteral(L, "profile.cubex");
    lua_concat(L, 2);
    if (access(lua_tostring(L, -1), R_OK) == 0)
        lua_replace(L, 1);
    else
        lua_pop(L, 1);
    return pj_lang_call(L, pj_command_find(PJ_S("profile"), PJ_IN_LUA));
}

static int import(lua_State *L)
{
    return push_table(L, pj_run_table_import);
}

static int ideal(lua_State *L)
{
    return push_table(L, pj_run_table_ideal);
}

static int overview(lua_State *L)
{
    return push_table(L, pj_run_view_overview);
}

static int info(lua_State *L)
{
    return push_table(L, pj_run_view_facts);
}

static int remarks(lua_State *L)
{
    const pj_run *run = self(L);
    lua_createtable(L, (int)run->remarks.count, 0);
    for (size_t i = 0; i < run->remarks.count; i++) {
        lua_pushstring(L, run->remarks.items[i].text);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    return 1;
}

static int breakdown(lua_State *L)
{
    return push_table(L, pj_breakdown_table);
}

static pj_table *rows_of_rank(const pj_table *all, uint32_t rank, pj_err *err)
{
    char test[32];
    int len = snprintf(test, sizeof test, "rank == %u", rank);
    return pj_table_where(all, (pj_row_value){.formula = {test, (size_t)len}}, err);
}

static int rank(lua_State *L)
{
    const pj_run *run = self(L);
    lua_Integer r = luaL_checkinteger(L, 2);
    if (r < 0 || r >= run->layout.ranks)
        return luaL_error(L, "there is no rank %d; ranks count from 0 to %d", (int)r,
                          (int)run->layout.ranks - 1);
    stats(L);
    const pj_table *all = pj_lang_object_check(L, lua_gettop(L), &pj_lang_type_table)->value.table;
    pj_lang_object *slot = pj_lang_object_push(L);
    pj_err *err = pj_lang_err(L);
    pj_table *table = rows_of_rank(all, (uint32_t)r, err);
    if (!table)
        return pj_lang_raise(L, err);
    slot->value = pj_value_table_take(table);
    pj_lang_object_finish(L);
    return 1;
}

static const pj_lang_member run_members[] = {
    {"name", name, true, NULL, "The file name without its suffixes."},
    {"path", path, true, NULL, "The file as it was opened."},
    {"format", format, true, NULL, "The format of the trace."},
    {"tag", tag, true, NULL,
     "The tag of the run, or an empty text; may be set: runs[1].tag = \"a\"."},
    {"ranks", ranks, true, NULL, "The number of ranks."},
    {"threads", threads, true, NULL, "The number of threads of all ranks."},
    {"network", network, true, NULL,
     "The network that the run was replayed on, where it is not the ideal one; else nil."},
    {"layout", layout, true, NULL, "Ranks x threads per rank, as text."},
    {"runtime_ns", runtime_ns, true, NULL, "The runtime in nanoseconds."},
    {"ideal_runtime_ns", ideal_runtime_ns, true, NULL,
     "The runtime on an ideal network, or on run.network, in nanoseconds; nil when it could not be "
     "replayed."},
    {"records", records, true, NULL, "The number of records read."},
    {"file_bytes", file_bytes, true, NULL, "The size of the file."},
    {"stats", stats, true, NULL, "Totals per rank and thread, a table."},
    {"breakdown", breakdown, true, NULL,
     "Where the time of every thread goes, a table: parts that add up to the runtime."},
    {"rank", rank, false, ":rank(R)", "The totals of the threads of one rank; ranks count from 0."},
    {"regions", regions, true, NULL,
     "The OpenMP parallel regions, a table; regions(run, \"function\") sums them."},
    {"profile", profile, true, NULL,
     "The functions of all ranks: of the profile that was recorded beside the trace "
     "(profile.cubex), "
     "else of the calls in the trace."},
    {"overview", overview, true, NULL,
     "Its absolute figures: times, IPC, clock, MPI by function, message rates; a table."},
    {"ideal", ideal, true, NULL, "The replay on an ideal network per rank, a table."},
    {"events", pj_lang_events, false,
     ":events{type = ..., rank = ..., region = ..., from = ..., to = ...}",
     "A question about the events of the trace: :where(TEST), :by(FIELD), then :count(), "
     ":sum(FIELD), :mean, :min, :max, :histogram(FIELD) or :rows() asks it."},
    {"import", import, true, NULL, "What was odd about the file, a table."},
    {"remarks", remarks, true, NULL, "Sentences that an analyst should know, a list."},
    {"info", info, true, NULL, "All of it, a table."},
    {0},
};

static bool assign(lua_State *L, const pj_lang_object *object, pj_str key)
{
    if (!pj_str_equal(key, PJ_S("tag")))
        return false;
    pj_run *run = object->value.run;
    pj_run_set_tag(run, pj_str_of(luaL_checkstring(L, 3)));
    return true;
}

const pj_lang_type pj_lang_type_run = {.name = "run", .members = run_members, .assign = assign};

static const pj_lang_member runs_members[] = {{0}};

static void runs_item(lua_State *L, const pj_lang_object *object, size_t index)
{
    pj_lang_object *slot = pj_lang_object_push(L);
    slot->value = pj_value_hold(object->value.list->items[index - 1]);
    pj_lang_object_finish(L);
}

static size_t runs_length(const pj_lang_object *object)
{
    return object->value.list->count;
}

const pj_lang_type pj_lang_type_list = {
    .name = "list of runs",
    .members = runs_members,
    .more = pj_lang_table_methods,
    .item = runs_item,
    .length = runs_length,
};
