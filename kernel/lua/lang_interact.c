// interact: controls for the arguments of a function, and its output below them. Written in the
// command language itself, since it only puts widgets together.
#include "kernel/lua/objects/lang_widget.h"

static const char code[] =
    "local widget = ...\n"
    "local function slider(kind, low, high, step, value, name)\n"
    "  local whole = math.type(low) == 'integer' and math.type(high) == 'integer'\n"
    "    and (step == nil or math.type(step) == 'integer')\n"
    "  return widget[(whole and 'Int' or 'Float') .. kind]{min = low, max = high, value = value,\n"
    "    step = step or (whole and 1 or (high - low) / 100), description = name}\n"
    "end\n"
    "local function control(name, spec)\n"
    "  if type(spec) == 'boolean' then return widget.Checkbox{value = spec, description = name} "
    "end\n"
    "  if type(spec) == 'string' then return widget.Text{value = spec, description = name} end\n"
    "  if type(spec) == 'number' then\n"
    "    local low, high = math.min(-spec, 3 * spec), math.max(-spec, 3 * spec)\n"
    "    if spec == 0 then low, high = spec, spec + 1 end\n"
    "    return slider('Slider', low, high, nil, spec, name)\n"
    "  end\n"
    "  if type(spec) == 'table' and type(spec[1]) == 'number' and (#spec == 2 or #spec == 3) then\n"
    "    local low, high, step = spec[1], spec[2], spec[3]\n"
    "    local middle = low + (high - low) / 2\n"
    "    if math.type(low) == 'integer' and math.type(high) == 'integer' then\n"
    "      middle = math.floor(middle)\n"
    "    end\n"
    "    return slider('Slider', low, high, step, middle, name)\n"
    "  end\n"
    "  if type(spec) == 'table' then return widget.Dropdown{options = spec, description = name} "
    "end\n"
    "  return spec\n"
    "end\n"
    "return function(f, specs)\n"
    "  local names, controls, children = {}, {}, {}\n"
    "  for name in pairs(specs) do names[#names + 1] = name end\n"
    "  table.sort(names)\n"
    "  for i, name in ipairs(names) do\n"
    "    controls[name] = control(name, specs[name])\n"
    "    children[i] = controls[name]\n"
    "  end\n"
    "  local out = widget.Output()\n"
    "  children[#children + 1] = out\n"
    "  local function run()\n"
    "    local values = {}\n"
    "    for name, c in pairs(controls) do values[name] = c.value end\n"
    "    local shown = table.pack(f(values))\n"
    "    local outputs = {}\n"
    "    for i = 1, shown.n do\n"
    "      if shown[i] ~= nil then outputs[#outputs + 1] = shown[i] end\n"
    "    end\n"
    "    out.outputs = outputs\n"
    "  end\n"
    "  for _, c in pairs(controls) do c:observe('value', run) end\n"
    "  run()\n"
    "  return widget.VBox{children = children}\n"
    "end\n";

int pj_lang_interact(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TFUNCTION);
    luaL_checktype(L, 2, LUA_TTABLE);
    lua_settop(L, 2);
    if (luaL_loadbufferx(L, code, sizeof code - 1, "=interact", "t") != LUA_OK)
        return lua_error(L);
    lua_getfield(L, LUA_REGISTRYINDEX, PJ_LANG_ENV);
    lua_getfield(L, -1, "widget");
    lua_remove(L, -2);
    lua_call(L, 1, 1);
    lua_insert(L, 1);
    lua_call(L, 2, 1);
    return 1;
}
