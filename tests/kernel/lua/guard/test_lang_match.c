// The pattern functions of cells against those of Lua: random patterns, texts, replacements.
#include "kernel/lua/lang_state.h"
#include "tests/support/cell.h"
#include "tests/support/rounds.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

/// Gives the results of every case as text; CASES comes before it.
static const char program[] =
    "math.randomseed(20)\n"
    "local out, pick = {}, function(list) return list[math.random(#list)] end\n"
    "local parts = {'a', 'b', '.', '%a', '%d', '%S', '%W', '%x', '[ab]', '[^a]', '[a-c%d]', "
    "'[]x]',\n"
    "  '[^]]', '(', ')', '()', '%1', '%2', '%b()', '%bab', '%f[%w]', '%f[^%w]', '^', '$', 'x', "
    "'%.',\n"
    "  '\\0', '%', '[', '[a-', '%z', '%g', '%p', '-', '[%]a]', '[a-]', '\\xe9'}\n"
    "local ends = {'', '', '', '*', '+', '-', '?'}\n"
    "local letters = {'a', 'b', 'c', '1', ' ', '(', ')', 'x', '.', '\\0', 'A', '\\xe9', 'ab', "
    "'a'}\n"
    "local templates = {'', 'y', '%0', '%1', '<%2>', '%%', '%', '%x', '%0%1', 7, 1.5}\n"
    "local function text(list, most)\n"
    "  local t = {}\n"
    "  for i = 1, math.random(0, most) do t[i] = pick(list) end\n"
    "  return table.concat(t)\n"
    "end\n"
    "local function pattern()\n"
    "  local t = {}\n"
    "  for i = 1, math.random(1, 5) do t[i] = pick(parts) .. pick(ends) end\n"
    "  return table.concat(t)\n"
    "end\n"
    "local function note(ok, ...)\n"
    "  local t = {tostring(ok)}\n"
    "  for i = 1, select('#', ...) do t[#t + 1] = tostring((select(i, ...))) end\n"
    "  out[#out + 1] = table.concat(t, '|'):gsub('^false|[^|]-:%d+: ', 'false|')\n"
    "end\n"
    "local function all(s, p, init)\n"
    "  local t, n = {}, 0\n"
    "  for x, y in s:gmatch(p, init) do\n"
    "    n = n + 1\n"
    "    t[n] = tostring(x) .. ',' .. tostring(y)\n"
    "  end\n"
    "  return table.concat(t, ';')\n"
    "end\n"
    "local by = {a = 'z', b = false, ['1'] = 2}\n"
    "for case = 1, CASES do\n"
    "  local s, p = text(letters, 12), pattern()\n"
    "  local init = math.random(3) == 1 and math.random(-14, 14) or nil\n"
    "  note(pcall(string.find, s, p, init))\n"
    "  note(pcall(string.find, s, text(letters, 2), init, true))\n"
    "  note(pcall(string.match, s, p, init))\n"
    "  note(pcall(all, s, p, init))\n"
    "  note(pcall(string.gsub, s, p, pick(templates), math.random(4) == 1 and 2 or nil))\n"
    "  note(pcall(string.gsub, s, p, by))\n"
    "  note(pcall(string.gsub, s, p, function(x) return x == 'a' and 'q' or nil end))\n"
    "end\n"
    "note(pcall(string.gsub, 'a', 'a', true))\n"
    "note(pcall(string.gsub, 'a', 'a', function() return {} end))\n"
    "note(pcall(string.find, ('a'):rep(500), ('a?'):rep(300)))\n"
    "note(pcall(string.match, 'a', ('()'):rep(33)))\n"
    "note(pcall(string.match, {}, 'a'))\n"
    "note(pcall(string.gmatch, 'a'))\n"
    "note(string.find('', ''), string.find('abc', '', 4), string.find('abc', '', 5))\n"
    "return table.concat(out, '\\n')\n";

/// What Lua itself gives.
static void of_lua(const char *code, pj_buf *out)
{
    lua_State *L = luaL_newstate();
    luaL_openlibs(L);
    if (luaL_dostring(L, code) != LUA_OK)
        fail_msg("%s", lua_tostring(L, -1));
    pj_str text;
    text.at = lua_tolstring(L, -1, &text.len);
    pj_buf_add(out, text);
    lua_close(L);
}

static void patterns_are_those_of_lua(void **state)
{
    (void)state;
    cell_bench *f = cell_bench_new(false);
    const char *cases = pj_extent_is("long") ? "200000" : "4000";
    char code[sizeof program + 64], cell[sizeof code + 64];
    snprintf(code, sizeof code, "local CASES = %s\n%s", cases, program);
    pj_auto_buf wanted = {0};
    of_lua(code, &wanted);
    snprintf(cell, sizeof cell, "print((function() %s end)())", code);
    cell_does(f, cell);
    pj_str given = pj_buf_str(&f->face.out), expected = pj_buf_str(&wanted);
    for (unsigned line = 1; expected.len; line++) {
        pj_str a = pj_str_cut(&given, '\n'), b = pj_str_cut(&expected, '\n');
        if (!pj_str_equal(a, b))
            fail_msg("result %u is " PJ_STR_FMT ", of Lua " PJ_STR_FMT, line, PJ_STR_ARG(a),
                     PJ_STR_ARG(b));
    }
    assert_true(cell_bench_free(f));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(patterns_are_those_of_lua),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
