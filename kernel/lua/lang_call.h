// Commands called from Lua. Ownership: nothing is held across a raise.
#ifndef PJ_LANG_CALL_H
#define PJ_LANG_CALL_H

#include "kernel/command/command.h"
#include "kernel/command/value.h"
#include "kernel/lua/lang_state.h"
#include "metrics/base/str.h"

/// Calls a command with the arguments on the stack: values by place, then options in a table; one
/// table alone may hold both. Pushes its value.
int pj_lang_call(lua_State *L, const pj_command *command);
/// Runs a `%` line with the lines below it that it takes; pushes its value. Raises.
int pj_lang_command_line(lua_State *L, pj_str line, pj_str body);
/// The value at `index`, borrowed from the stack; false for what no command takes.
bool pj_lang_value_at(lua_State *L, int index, pj_value *out);

#endif
