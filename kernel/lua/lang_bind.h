// Commands and verbs as Lua functions. Ownership: nothing is held across a raise.
#ifndef PJ_LANG_BIND_H
#define PJ_LANG_BIND_H

#include "kernel/command/command.h"
#include "kernel/lua/lang.h"
#include "kernel/lua/lang_value.h"
#include "metrics/base/buf.h"
#include "metrics/base/str.h"
#include "metrics/pop/measures.h"

/// Puts every verb into the table on top of the stack.
void pj_lang_bind_open(lua_State *L);

/// lang_verbs.c: shows a value in the middle of a cell; raises.
void pj_lang_display(lua_State *L, int index);
/// Verbs that are no commands; ends with a row without a name.
extern const pj_lang_member pj_lang_verbs[];

/// lang_define.c: define_metrics{...}.
int pj_lang_define_metrics(lua_State *L);

/// lang_measures.c: pushes what functions of metric sets see of a run; the table at `seen` keeps in
/// [1] why the last thing that was missing is missing.
void pj_lang_measures_push(lua_State *L, const pj_measures *measures, int seen);
/// Of the table on top: `key` is nil for this reason.
void pj_lang_measures_lack(lua_State *L, const char *key, const char *reason);

/// lang_help.c: help on a command, verb, metric, set, member or measure; false when there is none.
bool pj_lang_help(pj_lang *lang, pj_str topic, pj_buf *out);

/// lang_complete.c: pushes the value of "a.b[1]"; false when the text does more than name one.
bool pj_lang_chain_push(lua_State *L, pj_str chain);

/// Help on a topic, or on the user's own variable of that name. lang_inspect.c; raises.
bool pj_lang_explain(lua_State *L, pj_str topic, pj_buf *out);

#endif
