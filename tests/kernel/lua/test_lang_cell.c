// The grammar of cells: a table of cells with the value each shows, or the error it ends with.
#include "kernel/lua/lang.h"

#include "tests/support/recording_face.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

typedef struct cell {
    const char *code;
    const char *value; // shown; NULL = nothing
    const char *error; // part of its message; NULL = none
    const char *out;   // printed; NULL = nothing
} cell;

static const cell cells[] = {
    // What is shown.
    {"", NULL, NULL, NULL},
    {"   \n\t\n", NULL, NULL, NULL},
    {"-- only a comment", NULL, NULL, NULL},
    {"--[[ a long\ncomment ]]", NULL, NULL, NULL},
    {"1", "1", NULL, NULL},
    {"6 * 7", "42", NULL, NULL},
    {"1 / 2", "0.5", NULL, NULL},
    {"'text'", "text", NULL, NULL},
    {"nil", NULL, NULL, NULL},
    {"true", "true", NULL, NULL},
    {"false", "false", NULL, NULL},
    {"1, 2", "1\t2", NULL, NULL},
    {"nil, nil", "nil\tnil", NULL, NULL},
    {"{1, 2, 3}", "{1, 2, 3}", NULL, NULL},
    {"{a = 1}", "{a = 1}", NULL, NULL},
    {"{}", "{}", NULL, NULL},
    {"{{1}, {2, {3}}}", "{{1}, {2, {3}}}", NULL, NULL},
    {"{['a b'] = 'c'}", "{[\"a b\"] = \"c\"}", NULL, NULL},
    {"#'abc'", "3", NULL, NULL},
    {"-3", "-3", NULL, NULL},
    {"not nil", "true", NULL, NULL},
    {"(1)", "1", NULL, NULL},
    {"'a' .. 'b'", "ab", NULL, NULL},
    {"1;", NULL, NULL, NULL},
    // What stands below a line that names no command is its own.
    {"%record --ranks x\nimport sys\n)(", NULL, "ranks: \"x\" is no list of numbers", NULL},
    {"%record --out x ./none\n'below'", NULL, "./none: there is no such program", NULL},
    {"%record --ranks x\n\n", NULL, "say what to run", NULL},
    {"1\n%record --ranks x\n2", NULL, "say what to run", NULL},
    {"%record ./none --help", NULL, "./none: there is no such program", NULL},
    // A line pasted from the shell; it is Lua where it can be.
    {"popinjay record ./none", NULL, "./none: there is no such program", NULL},
    {"x = 1\n  popinjay inof y", NULL, "did you mean info?", NULL},
    {"popinjay = 3\npopinjay", "3", NULL, NULL},
    {"popinjay 'x'", NULL, "attempt to call", NULL},
    {"x =\npopinjay or 4\nx", "4", NULL, NULL},
    {"1 ;", NULL, NULL, NULL},
    {"1; -- quiet", NULL, NULL, NULL},
    {"1 -- shown; all the same", "1", NULL, NULL},
    {"x = 1", NULL, NULL, NULL},
    {"local x = 1", NULL, NULL, NULL},
    {"return 5", "5", NULL, NULL},
    {"return 5;", "5", NULL, NULL},
    {"tostring(1)", "1", NULL, NULL},
    {"tostring(1);", NULL, NULL, NULL},
    {"print 'hi'", NULL, NULL, "hi\n"},
    {"print('a', 1, nil)", NULL, NULL, "a\t1\tnil\n"},
    {"io.write 'x'", NULL, NULL, "x"},
    {"io.write('x', 1, 2.5)", NULL, NULL, "x12.5"},
    {"io.stdout:write 'y'", NULL, NULL, "y"},
    {"math.type(1)", "integer", NULL, NULL},
    {"('x'):rep(3)", "xxx", NULL, NULL},
    // A newline ends a statement wherever what stands before it compiles.
    {"x = 1\nx", "1", NULL, NULL},
    {"x = print\n(x == print)", "true", NULL, NULL},
    {"x = tostring\n(1)", "1", NULL, NULL},
    {"x = tostring\n{1}", "{1}", NULL, NULL},
    {"x = tostring\n'y'", "y", NULL, NULL},
    {"tostring\n(2)", "2", NULL, NULL},
    {"1\n2\n3", "3", NULL, NULL},
    {"1;\n2", "2", NULL, NULL},
    {"f = function() return 7 end\nf()", "7", NULL, NULL},
    {"function f()\n  return 8\nend\nf()", "8", NULL, NULL},
    {"local a = 1\nlocal b = 2\na + b", "3", NULL, NULL},
    {"local a <const> = 4\na", "4", NULL, NULL},
    {"x =\n5\nx", "5", NULL, NULL},
    {"x = 1 +\n2\nx", "3", NULL, NULL},
    {"x = {\n  1,\n  2,\n}\n#x", "2", NULL, NULL},
    // A line that cannot begin a statement goes on with the one before.
    {"x = 5\n+ 3\nx", "8", NULL, NULL},
    {"'a'\n.. 'b'", "ab", NULL, NULL},
    {"x = {a = 4}\ny = x\n.a\ny", "4", NULL, NULL},
    {"x = 'z'\nx\n:rep(2)", "zz", NULL, NULL},
    {"x = {}\n.a", NULL, "near '.'", NULL},
    {"x = 5\n- 3", "-3", NULL, NULL},
    {"0.1 + 0.2", "0.30000000000000004", NULL, NULL},
    {"2^53, 1e300, -1e15, 1/0, {0.1 + 0.2}",
     "9007199254740992.0\t1e+300\t-1e+15\tinf\t{0.30000000000000004}", NULL, NULL},
    {"print(2^53, tostring(0.1 + 0.2))", NULL, NULL, "9007199254740992.0\t0.30000000000000004\n"},
    {"io.write(0.1 + 0.2, 1.0, 3, 'x')", NULL, NULL, "0.300000000000000041.03x"},
    {"io.stdout:write(2^53)", NULL, NULL, "9007199254740992.0"},
    {"io.write({})", NULL, "bad argument #1 to 'write'", NULL},
    {"x = (\n9\n)\nx", "9", NULL, NULL},
    {"tostring(\n  10\n)", "10", NULL, NULL},
    {"x = [[a\nb]]\nx", "a\nb", NULL, NULL},
    {"x = [==[\n]] ]==]\nx", "]] ", NULL, NULL},
    {"x = 'a\\\nb'\nx", "a\nb", NULL, NULL},
    {"x = 'a\\z\n   b'\nx", "ab", NULL, NULL},
    {"x = 1 --[[\n]] y = 2\nx + y", "3", NULL, NULL},
    {"x = 1 -- end of line\nx", "1", NULL, NULL},
    {"x = 1 -- ;\nx", "1", NULL, NULL},
    {"if true then\n  x = 11\nend\nx", "11", NULL, NULL},
    {"if false then x = 1\nelseif true then x = 2\nelse x = 3 end\nx", "2", NULL, NULL},
    {"for i = 1, 3 do\n  x = i\nend\nx", "3", NULL, NULL},
    {"for i = 1, 2\ndo x = i end\nx", "2", NULL, NULL},
    {"x = 0\nwhile x < 5 do\n  x = x + 1\nend\nx", "5", NULL, NULL},
    {"x = 0\nrepeat\n  x = x + 1\nuntil x == 4\nx", "4", NULL, NULL},
    {"do\n  local y = 1\n  x = y\nend\nx", "1", NULL, NULL},
    {"goto done\nx = 1\n::done::\n'after'", "after", NULL, NULL},
    {"x = 'a'\n  .. 'b'\nx", "ab", NULL, NULL},
    {"x = 5\n  + 3\nx", "8", NULL, NULL},
    {"x = 5\n-3", "-3", NULL, NULL},
    {"x = ('abc')\n  :upper()\nx", "ABC", NULL, NULL},
    {"x = true\n  and 6\nx", "6", NULL, NULL},
    {"function f() return 1, 2 end\nf()", "1\t2", NULL, NULL},
    {"x = function()\n  return 1\nend\n(x)()", "1", NULL, NULL},
    {"a, b = 1, 2\na, b", "1\t2", NULL, NULL},
    {"a,\nb = 3, 4\nb", "4", NULL, NULL},
    {"x = 1\r\nx\r\n", "1", NULL, NULL},
    {"x = 1; y = 2; x + y", "3", NULL, NULL},
    {"x = 1 y = 2", NULL, NULL, NULL},
    {"x = 1 x", "1", NULL, NULL},
    {"for i = 1, 3 do x = i end x", "3", NULL, NULL},
    {"print 'a' print 'b'", NULL, NULL, "a\nb\n"},
    {"x = 3 tostring(x)", "3", NULL, NULL},
    {";;; 5", "5", NULL, NULL},
    {"x = 1 ;;", NULL, NULL, NULL},
    {"x = 2 \n\n\n x", "2", NULL, NULL},
    {"\n\n5", "5", NULL, NULL},
    {"select('#', ...)", "0", NULL, NULL},
    {"local function f(n) return n < 2 and 1 or n * f(n - 1) end f(5)", "120", NULL, NULL},
    {"load('return 1 + 2')()", "3", NULL, NULL},
    {"load(function() return nil end)", "function", NULL, NULL},
    {"loadstring('x = 12')()\nx", "12", NULL, NULL},
    {"load('x x')", "nil\t[string \"x x\"]:1: syntax error near 'x'", NULL, NULL},
    {"local t = setmetatable({}, {__tostring = function() return 'me' end})\nt", "me", NULL, NULL},
    {"_G == _ENV", "true", NULL, NULL},
    {"x = 5\n_G.x", "5", NULL, NULL},
    {"1\nans", NULL, NULL, NULL},
    {"coroutine.wrap(function() coroutine.yield(4) end)()", "4", NULL, NULL},
    {"pcall(error, 'x')", "false\tx", NULL, NULL},
    // Errors, with the lines of the cell.
    {"error 'boom'", NULL, "cell:1: boom", NULL},
    {"\n\nerror 'boom'", NULL, "cell:3: boom", NULL},
    {"x = 1\nx = nil + 1", NULL, "cell:2: attempt to perform arithmetic on a nil value", NULL},
    {"x = [[\n\n]]\nerror 'four'", NULL, "cell:4: four", NULL},
    {"f(\n1)", NULL, "cell:1: attempt to call a nil value (global 'f')", NULL},
    {"prnt(1)", NULL, "did you mean print?", NULL},
    {"metrcs(1)", NULL, "did you mean metrics?", NULL},
    {"x = strin.format('')", NULL, "did you mean string?", NULL},
    {"if x != 3 then end", NULL, "Lua writes ~= for 'not equal'", NULL},
    {"x = 1\nx += 1", NULL, "cell:2: syntax error near '+' (Lua has no +=", NULL},
    {"x -= 1", NULL, "Lua has no -=", NULL},
    {"x++", NULL, "Lua has no ++", NULL},
    {"if a && b then end", NULL, "Lua writes 'and'", NULL},
    {"if a || b then end", NULL, "Lua writes 'or'", NULL},
    {"if !a then end", NULL, "Lua writes 'not'", NULL},
    {"x = = 5", NULL, "cell:1: unexpected symbol near '='", NULL},
    {"x = 5\ny = )\nz = 6", NULL, "cell:2: unexpected symbol near ')'", NULL},
    {"f(", NULL, "near <eof>", NULL},
    {"x = 'abc", NULL, "unfinished string", NULL},
    {"end", NULL, "near 'end'", NULL},
    {"break", NULL, "break outside loop", NULL},
    {"goto nowhere", NULL, "no visible label 'nowhere'", NULL},
    {"print 'never'\nx = = 1", NULL, "cell:2:", NULL},
    {"os.exit(1)", NULL, "os.exit ends programs", NULL},
    {"error {1}", NULL, "table", NULL},
    {"error(setmetatable({}, {__tostring = function() return 'own' end}))", NULL, "own", NULL},
    {"error()", NULL, "nil", NULL},
    {"string.rep('x', -1, 5, 6):nix()", NULL, "attempt to call a nil value (method 'nix')", NULL},
    {"local function f() return f() + 1 end f()", NULL, "stack overflow", NULL},
    {"require 'no_such_module'", NULL, "module 'no_such_module' not found", NULL},
    // Commands and help.
    {"%nix", NULL, "unknown command \"nix\"", NULL},
    {"%metrcs a.prv", NULL, "did you mean metrics?", NULL},
    {"x = %metrics", NULL, "metrics: TRACE is missing", NULL},
    {"%metrics --sett x", NULL, "did you mean set?", NULL},
    {"%metrics 'a", NULL, "a quote is not closed", NULL},
    {"?nothing_of_this_name", NULL, "no help on \"nothing_of_this_name\"", NULL},
    {"?metrics", NULL, NULL, NULL},
    {"metrics?", NULL, NULL, NULL},
    {"%help", "popinjay", NULL, NULL},
    {"%help;", NULL, NULL, NULL},
    {"%nix;", NULL, "unknown command \"nix\"", NULL},
    {"%help as h;\n#h > 0", "true", NULL, NULL},
    {"x = %help;\n#x > 0", "true", NULL, NULL},
    {"%help;\nselect('#', ...)", "0", NULL, NULL},
    {"%help;\nx = 1 -- to the end", NULL, NULL, NULL},
    {"%help;\nerror 'boom'", NULL, "cell:2: boom", NULL},
    {"%help;\nprint 'never' end", NULL, "cell:2: <eof> expected near 'end'", NULL},
    {"for i = 1, 2 do\n  %metrics a\nend", NULL, "% lines stand between statements", NULL},
    {"x = 17 %\n5\nx = = 1", NULL, "cell:3: unexpected symbol near '='", NULL},
    {"\xef\xbb\xbf%help as h\n#h > 0", "true", NULL, NULL},
    {"\xef\xbb\xbf"
     "1 + 1",
     "2", NULL, NULL},
    {"x = 17 %\n5\nx", "2", NULL, NULL},
    {"17 % 5", "2", NULL, NULL},
};

static void check_cell(pj_lang *lang, pj_recording *face, const cell *c)
{
    pj_recording_reset(face);
    pj_outcome o = pj_lang_run(lang, pj_str_of(c->code), (pj_cell_opts){.name = "cell"});
    const char *value = json_string_value(json_object_get(o.data, "text/plain"));
    const char *error = json_string_value(json_object_get(o.error, "evalue"));
    const char *out = face->out.len ? face->out.at : NULL;
    bool same_value = c->value ? value && strncmp(value, c->value, strlen(c->value)) == 0 : !value;
    bool same_error = c->error ? error && strstr(error, c->error) : !error;
    bool same_out = c->out ? out && strcmp(out, c->out) == 0 : !out;
    if (!same_value || !same_error || !same_out || o.ok != !c->error)
        fail_msg("cell \"%s\" gave value \"%s\", error \"%s\", output \"%s\"", c->code,
                 value ? value : "(none)", error ? error : "(none)", out ? out : "(none)");
    pj_outcome_clear(&o);
}

/// The texts of what was shown in the middle.
static void list_displays(const pj_recording *face, pj_buf *out)
{
    size_t i;
    json_t *shown;
    json_array_foreach(face->displays, i, shown)
    {
        const json_t *data = json_object_get(shown, "data");
        pj_buf_addf(out, "%s%s", i ? "," : "",
                    json_string_value(json_object_get(data, "text/plain")));
    }
}

/// Of calls only what was made to be looked at.
static void values_in_the_middle_are_shown(void **state)
{
    (void)state;
    static const struct {
        const char *code, *shown;
    } rows[] = {
        {"1\n2\n3", "1,2"},
        {"x = 4\nx\nx + 1\n'end'", "4,5"},
        {"1, 2\n3", "1\t2"},
        {"1;\n2;\n3", ""},
        {"nil\nnothing_of_this_name\n3", ""},
        {"tostring(1)\n(tostring(2))\nprint 'a'\nx = 3", "2"},
        {"('x'):rep(3)\ntable.remove {1}\n5", ""},
        {"local a <const> = 7\na\na;\na", "7"},
        {"1\nerror 'line two'", "1"},
        {"goto done\n'jumped over'\n::done::\n'after'", ""},
        {"for i = 1, 2 do tostring(i) end\n5", ""},
        {"io.write 'a'\n6", ""},
    };
    pj_recording face;
    pj_recording_open(&face);
    pj_lang *lang = pj_lang_new(&face.face, NULL);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        pj_recording_reset(&face);
        pj_outcome o = pj_lang_run(lang, pj_str_of(rows[i].code), (pj_cell_opts){.name = "cell"});
        pj_auto_buf shown = {0};
        list_displays(&face, &shown);
        if (!pj_str_equal(pj_buf_str(&shown), pj_str_of(rows[i].shown)))
            fail_msg("cell \"%s\" shows \"" PJ_STR_FMT "\" in its middle", rows[i].code,
                     PJ_STR_ARG(pj_buf_str(&shown)));
        pj_outcome_clear(&o);
    }
    pj_recording_reset(&face);
    pj_outcome o = pj_lang_run(lang, PJ_S("1\n2"), (pj_cell_opts){.name = "cell", .silent = true});
    assert_int_equal(json_array_size(face.displays), 0);
    pj_outcome_clear(&o);
    pj_lang_free(lang);
    pj_recording_close(&face);
}

static void cells_show_what_they_should(void **state)
{
    (void)state;
    pj_recording face;
    pj_recording_open(&face);
    assert_true(sizeof cells / sizeof *cells >= 100);
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) {
        pj_lang *lang = pj_lang_new(&face.face, NULL);
        check_cell(lang, &face, &cells[i]);
        pj_lang_free(lang);
    }
    pj_recording_close(&face);
}

static void nothing_runs_twice_or_too_early(void **state)
{
    (void)state;
    static const cell in_turn[] = {
        {"n = 0\nfunction count() n = n + 1 return n end", NULL, NULL, NULL},
        {"count()", "1", NULL, NULL},
        {"count()\ncount()", "3", NULL, NULL},
        {"x = count() count()", "5", NULL, NULL},
        {"count()\nx = = 1", NULL, "cell:2", NULL},
        {"n", "5", NULL, NULL},
        {"ans", "5", NULL, NULL},
        {"n = 'kept'\nerror 'x'", NULL, "x", NULL},
        {"n", "kept", NULL, NULL},
    };
    pj_recording face;
    pj_recording_open(&face);
    pj_lang *lang = pj_lang_new(&face.face, NULL);
    for (size_t i = 0; i < sizeof in_turn / sizeof *in_turn; i++)
        check_cell(lang, &face, &in_turn[i]);
    pj_lang_free(lang);
    pj_recording_close(&face);
}

static void long_cells_are_cut_in_linear_time(void **state)
{
    (void)state;
    enum { LINES = 20000 };
    pj_recording face;
    pj_recording_open(&face);
    pj_lang *lang = pj_lang_new(&face.face, NULL);
    pj_auto_buf code = {0};
    pj_buf_puts(&code, "function f()\n");
    for (int i = 0; i < LINES; i++)
        pj_buf_puts(&code, "  x = x or {1, 2, 3}\n");
    pj_buf_puts(&code, "end\n");
    for (int i = 0; i < LINES; i++)
        pj_buf_puts(&code, "x = 1\n");
    pj_buf_puts(&code, "x");
    pj_outcome o = pj_lang_run(lang, pj_buf_str(&code), (pj_cell_opts){.name = "cell"});
    assert_true(o.ok);
    assert_string_equal(json_string_value(json_object_get(o.data, "text/plain")), "1");
    pj_outcome_clear(&o);
    code.len = 0; // one line, and a sum over many
    for (int i = 0; i < LINES; i++)
        pj_buf_puts(&code, "x = 1 ");
    for (int i = 0; i < LINES; i++)
        pj_buf_puts(&code, "x = x +\n1 ");
    pj_buf_puts(&code, "y = x\ny");
    o = pj_lang_run(lang, pj_buf_str(&code), (pj_cell_opts){.name = "cell"});
    assert_true(o.ok);
    assert_string_equal(json_string_value(json_object_get(o.data, "text/plain")), "20001");
    pj_outcome_clear(&o);
    pj_lang_free(lang);
    pj_recording_close(&face);
}

static void completeness_is_judged(void **state)
{
    (void)state;
    static const struct {
        const char *code, *status, *indent;
    } rows[] = {
        {"", "complete", NULL},
        {"x = 1", "complete", NULL},
        {"x", "complete", NULL},
        {"function f()", "incomplete", "    "},
        {"function foo(", "incomplete", "    "},
        {"for i = 1, 3 do\n  if x then", "incomplete", "        "},
        {"x = {", "incomplete", "    "},
        {"x =", "incomplete", ""},
        {"x = [[abc", "incomplete", ""},
        {"--[[ abc", "incomplete", ""},
        {"x = = 1", "invalid", NULL},
        {"x = 'abc", "invalid", NULL},
        {"end", "invalid", NULL},
        {"%metrics a.prv", "complete", NULL},
        {"?metrics", "complete", NULL},
        {"\xef\xbb\xbfx = 1", "complete", NULL},
        {"x = %metrics a.prv --set", "complete", NULL},
    };
    pj_lang *lang = pj_lang_new(&pj_face_silent, NULL);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        json_t *reply = pj_lang_is_complete(lang, pj_str_of(rows[i].code));
        const char *indent = json_string_value(json_object_get(reply, "indent"));
        assert_string_equal(json_string_value(json_object_get(reply, "status")), rows[i].status);
        assert_string_equal(indent ? indent : "none", rows[i].indent ? rows[i].indent : "none");
        json_decref(reply);
    }
    pj_lang_free(lang);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_show_what_they_should),
        cmocka_unit_test(values_in_the_middle_are_shown),
        cmocka_unit_test(nothing_runs_twice_or_too_early),
        cmocka_unit_test(long_cells_are_cut_in_linear_time),
        cmocka_unit_test(completeness_is_judged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
