// The command language on the example runs: objects, verbs, errors, interrupts, streams.
#include "kernel/lua/lang.h"

#include "kernel/command/session.h"
#include "tests/support/cell.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

static int set_up(void **state)
{
    cell_bench *b = cell_bench_new(false);
    cell_does(b, "dir = '" PJ_SOURCE_DIR "/notebooks/traces/'");
    *state = b;
    return 0;
}

static int tear_down(void **state)
{
    return cell_bench_free(*state) ? 0 : 1;
}

static pj_outcome run(cell_bench *b, const char *code)
{
    return cell_run(b, code, NULL);
}

/// A file may be called so: it is no text in Lua that would be compiled.
static void line_ends_in_names_of_traces(void **state)
{
    cell_bench *f = *state;
    cell_does(f, "name = os.tmpname() os.remove(name) name = name .. 'a\\nb\\rc.prv.gz'\n"
                 "from = io.open(dir .. 'stencil_1x1.prv.gz', 'rb')\n"
                 "to = io.open(name, 'wb') to:write(from:read 'a') to:close() from:close()");
    cell_gives(f, "#load(name)", "1");
    cell_does(f, "os.remove(name)");
}

static void runs_have_members(void **state)
{
    cell_bench *f = *state;
    cell_gives(f, "runs = load(dir .. 'stencil_*.prv.gz')\n#runs", "7");
    cell_gives(f, "runs[1].name", "stencil_1x1");
    cell_gives(f, "runs[2].ranks, runs[2].threads, runs[2].layout", "2\t2\t2x1");
    cell_gives(f, "runs[8]", "nil");
    cell_gives(f, "math.type(runs[1].runtime_ns)", "integer");
    cell_gives(f, "runs[1].ideal_runtime_ns <= runs[1].runtime_ns", "true");
    cell_gives(f, "#runs[3].stats, #runs[3]:rank(2)", "4\t1");
    cell_gives(f, "n = 0 for _, r in ipairs(runs) do n = n + r.ranks end n", "127");
    cell_gives(f, "n = 0 for _, r in pairs(runs) do n = n + 1 end n", "7");
    cell_fails(f, "runs[1]:rank(1)", "there is no rank 1; ranks count from 0 to 0");
    cell_fails(f, "runs[1].stast", "did you mean stats?");
    cell_fails(f, "runs[1].name = 'x'", "a run cannot be changed");
    cell_gives(f, "load{dir .. 'stencil_1x1.prv.gz', dir .. 'stencil_2x1.prv.gz'}[2].ranks", "2");
    cell_gives(f, "#load(dir) > 10", "true");
    cell_fails(f, "load(dir .. 'nothing_*.prv')", "no file matches");
    cell_gives(f, "#load(dir .. 'stencil_{1,2}x1.prv.gz')", "2");
    cell_gives(f, "load('return {1, 2} and 2*3')()", "6");
    cell_gives(f, "(load 'nothing')", "nil");
    cell_gives(f, "select(2, load 'nothing'):match 'nor a trace'", "nor a trace");
    cell_gives(f, "select(2, load '1 +'):match 'nor a trace'", "nil");
    cell_gives(f, "#help() > 500 and #help 'metrics' > 500", "true");
    cell_fails(f, "load 'some/where'", "some/where: cannot be opened");
    cell_fails(f, "load 'nothing.prv'", "nothing.prv: cannot be opened");
}

static void metrics_are_numbers_with_reasons(void **state)
{
    cell_bench *f = *state;
    cell_gives(f, "runs = load(dir .. 'stencil_*.prv.gz')\nm = metrics(runs)\n#m, m.set", "7\tmpi");
    cell_gives(f, "m[1].speedup, m[1].trace, m[7].ranks", "1.0\tstencil_1x1\t64");
    cell_gives(f, "m[3].parallel_efficiency < 1 and m[3].parallel_efficiency > 0.1", "true");
    cell_gives(f, "m[3]:reason 'parallel_efficiency'", "nil");
    cell_gives(f, "m.parallel_efficiency[3] == m[3].parallel_efficiency", "true");
    cell_gives(f, "m[3].mpi_serialization_efficiency == m[3].mpi_serialisation_efficiency", "true");
    cell_fails(f, "m[3].parallel_eficiency", "did you mean parallel_efficiency?");
    cell_fails(f, "m[3]:reason 'x'", "the set mpi has no metric \"x\"");
    cell_gives(f, "metrics(runs, 'mpi-mult', {ref = 2, scaling = 'weak'}).reference", "2");
    cell_gives(f, "metrics(runs, {ref = 3}).reference", "3");
    cell_gives(f, "metrics{runs, set = 'bsc', ref = 3}.reference", "3");
    cell_gives(f, "metrics(m, 'bsc').set", "bsc");
    cell_gives(f, "metrics(m) ~= nil and metrics(m).set", "mpi");
    cell_fails(f, "metrics(runs, 'mpi-mul')", "did you mean mpi-mult?");
    cell_fails(f, "metrics(runs, {reff = 1})", "did you mean ref?");
    cell_fails(f, "metrics(runs, {ref = 99})", "99");
    cell_fails(f, "metrics()", "TRACE is missing");
    cell_fails(f, "metrics(print)", "a function is no argument of it");
    cell_gives(f, "m:sort('-ranks')[1].ranks", "64");
    cell_gives(f, "m:where('ranks > 8').ranks:list()", "{16, 32, 64}");
}

static void tables_have_operations(void **state)
{
    cell_bench *f = *state;
    cell_gives(f, "s = load(dir .. 'hybrid_2x8.prv.gz')[1].stats\n#s, s.columns[1]", "16\trank");
    cell_gives(f, "s.rank:max(), s.thread:max(), s.rank:sum(), s.rank:mean()", "1\t7\t8\t0.5");
    cell_gives(f, "s:where('thread == 0').rank:list()", "{0, 1}");
    cell_gives(f, "#s:where(function(row) return row.rank == 1 and row.thread < 3 end)", "3");
    cell_gives(f, "s:sort('-thread', 'rank')[1].thread", "7");
    cell_gives(f, "s:select{'thread', 'rank'}.columns", "{\"thread\", \"rank\"}");
    cell_gives(f, "s:add('two', 'rank * 2'):where('two == 2')[1].two", "2");
    cell_gives(f, "s:add('name', function(r) return 'r' .. r.rank end)[16].name", "r1");
    cell_gives(f, "t = s:by('rank'):rows()[2]\nt.thread, t.useful_ns > 0", "nil\ttrue");
    cell_gives(f, "s:by('rank', {thread = 'min'}).columns", "{\"rank\", \"thread\"}");
    cell_gives(f, "s.thread:by('rank')[1].thread", "28");
    cell_gives(f,
               "s:join(s:select('rank', 'thread'):add('k', 'thread * 10'), {'rank', "
               "'thread'})[2].k",
               "10");
    cell_gives(f, "#s:head(3), #s:head(100)", "3\t16");
    cell_gives(f, "s:rows()[1].rank, s[16].rank, s[17]", "0\t1\tnil");
    cell_fails(f, "s:where('rankk == 1')", "did you mean");
    cell_fails(f, "s:where(function(row) error 'mine' end)", "mine");
    cell_fails(f, "s:sort('nix')", "nix");
    cell_fails(f, "s:by('rank', 'median')", "valid: sum, mean, max, min, count");
    cell_fails(f, "s.nix", "it has: rank thread");
    cell_fails(f, "s:sort(1, {}, print)", "string expected");
}

static void sets_are_defined_in_a_cell(void **state)
{
    cell_bench *f = *state;
    cell_gives(f,
               "define_metrics{name = 'mine', title = 'Mine', metrics = {\n"
               "  {key = 'pe', title = 'PE', formula = 'useful_mean / runtime'},\n"
               "  {key = 'twice', parent = 'pe', kind = 'plain',\n"
               "   formula = function(run, ref) return 2 * run.pe end},\n"
               "  {key = 'grown', kind = 'plain',\n"
               "   formula = function(run, ref) return run.ranks / ref.ranks end},\n"
               "  {key = 'none', formula = function() return nil, 'because' end}}}",
               "nil");
    cell_gives(f, "m = metrics(load(dir .. 'stencil_*.prv.gz'), 'mine')\n#m.keys", "6");
    cell_gives(f, "m[2].twice == 2 * m[2].pe", "true");
    cell_gives(f, "m[4].grown, m[4].none, m[4]:reason 'none'", "8.0\tnil\tbecause");
    cell_gives(f, "metrics(m, 'mpi')[2].parallel_efficiency == m[2].pe", "true");
    cell_fails(f, "define_metrics{name = 'x'}", "metrics = ");
    cell_fails(f, "define_metrics{name = 'mpi', metrics = {{key = 'a', formula = '1'}}}",
               "built-in set");
    cell_fails(f, "define_metrics{name = 'x', metrics = {{key = 'a', formul = '1'}}}",
               "unknown field \"formul\"");
    cell_fails(f, "define_metrics{name = 'x', metrics = {{key = 'a', formula = 'usefull'}}}",
               "usefull");
    cell_fails(f,
               "define_metrics{name = 'x', metrics = {{key = 'a', kind = 'odd', formula = '1'}}}",
               "valid: efficiency");
    cell_fails(f,
               "define_metrics{name = 'bad', metrics = {{key = 'a', formula = function() "
               "error 'inside' end}}}\nmetrics(m, 'bad')",
               "inside");
}

/// Long texts are looked at in pieces.
static void characters_are_counted(void **state)
{
    cell_bench *f = *state;
    cell_gives(f, "utf8.len(('\xC3\xA4x'):rep(1e6))", "2000000");
    cell_gives(f, "utf8.len('x' .. ('\xC3\xA4'):rep(1e6), -2e6, -3)", "999999");
    cell_gives(f, "select(2, utf8.len(('x'):rep(2e6) .. '\\x80'))", "2000001");
    cell_gives(f, "select(2, utf8.len(('x'):rep(1 << 20) .. '\\x80' .. ('x'):rep(9)))", "1048577");
    cell_fails(f, "utf8.len('abc', 6)", "initial position out of bounds");
}

static void floats_have_one_text(void **state)
{
    cell_bench *f = *state;
    cell_gives(f, "x = 0.1 + 0.2\nstring.format('%s %5.2f %%%s|%-4s', x, x, x, 2.0)",
               "0.30000000000000004  0.30 %0.30000000000000004|2.0 ");
    cell_gives(f, "('%d %s %s'):format(3, 1e100, 7)", "3 1e+100 7");
    cell_gives(f, "table.concat({x, 'a', 2, 1/3}, ';')",
               "0.30000000000000004;a;2;0.3333333333333333");
    cell_gives(f, "table.concat({1, 2, x, 4}, ',', 2, 3)", "2,0.30000000000000004");
    cell_gives(f, "table.concat({}) .. table.concat({'a', 'b'})", "ab");
    cell_fails(f, "table.concat{x, {}}", "invalid value");
    cell_fails(f, "string.format('%s %s', x)", "bad argument #3 to 'format'");
    cell_fails(f, "string.format('%d', x)", "number has no integer representation");
}

static void metric_functions_say_what_they_miss(void **state)
{
    cell_bench *f = *state;
    cell_gives(
        f,
        "define_metrics{name = 'odd', metrics = {\n"
        "  {key = 'text', formula = function() return 'abc' end},\n"
        "  {key = 'nothing', formula = function() end},\n"
        "  {key = 'needs', formula = function(run) return run.instructions / run.cycles end},\n"
        "  {key = 'later', formula = function(run) return 2 * run.text end},\n"
        "  {key = 'asks', formula = function(run) return run.instructions and 1 or 2 end}}}\n"
        "o = metrics(load(dir .. 'openmp_1x2.prv.gz'), 'odd')",
        "nil");
    cell_gives(f, "o[1]:reason 'text'", "the function gave a string (abc), not a number");
    cell_gives(f, "o[1]:reason 'nothing'",
               "the function gave nil; let it give a number, or nil and the reason");
    cell_gives(f, "o[1]:reason 'later'", "the function gave a string (abc), not a number");
    cell_gives(f, "o[1].needs ~= nil, o[1].asks", "true\t1.0");
    cell_fails(f,
               "define_metrics{name = 'slip', metrics = {\n"
               "  {key = 'a', formula = function(run) return run.usefull_max end}}}\n"
               "metrics(o, 'slip')",
               "a run has no measure \"usefull_max\"; did you mean useful_max?");
}

static void children_leave_a_residual(void **state)
{
    cell_bench *f = *state;
    static const char define[] =
        "define_metrics{name = '%s', metrics = {\n"
        "  {key = 'pe', formula = 'useful_mean / runtime'%s},\n"
        "  {key = 'lb', parent = 'pe', formula = 'useful_mean / useful_max'}}}\n"
        "print(metrics(load(dir .. 'stencil_4x1.prv.gz'), '%s'))";
    static const struct {
        const char *name, *option;
        bool residual;
    } sets[] = {{"one", "", true}, {"two", ", combine = 'none'", false}};
    for (size_t i = 0; i < 2; i++) {
        char code[600];
        snprintf(code, sizeof code, define, sets[i].name, sets[i].option, sets[i].name);
        cell_gives(f, code, "nil");
        assert_int_equal(strstr(f->face.out.at, "Residual") != NULL, sets[i].residual);
    }
}

static void runs_have_tags(void **state)
{
    cell_bench *f = *state;
    cell_gives(f, "r = load(dir .. 'stencil_[12]x1.prv.gz', {tag = 'old'})\nr[2].tag", "old");
    cell_gives(f, "r[1].tag = 'new'\nr[1].tag, r[2].tag", "new\told");
    cell_gives(f, "load(r, {force = true})[1].tag", "new");
    cell_gives(f, "metrics(metrics(r), {tag = 'mine'})[1].tag, r[2].tag", "mine\told");
    cell_fails(f, "r[1].ranks = 3", "cannot be changed");
    cell_fails(f, "r[1].tag = {}", "string expected");
}

static void commands_stand_in_lines(void **state)
{
    cell_bench *f = *state;
    cell_gives(f,
               "m = %metrics " PJ_SOURCE_DIR "/notebooks/traces/stencil_[12]x1.prv.gz "
               "--set mpi-mult",
               "nil");
    cell_gives(f, "m.set, #m", "mpi-mult\t2");
    pj_outcome o = run(f, "%stats " PJ_SOURCE_DIR "/notebooks/traces/stencil_2x1.prv.gz as s");
    assert_true(o.ok && o.data);
    pj_outcome_clear(&o);
    cell_gives(f, "#s, #ans", "2\t2");
    o = run(f, "%stats " PJ_SOURCE_DIR "/notebooks/traces/stencil_2x1.prv.gz\nx = 1");
    assert_true(o.ok && !o.data);
    assert_int_equal(json_array_size(f->face.displays), 1);
    pj_outcome_clear(&o);
    o = run(f, "%metrics --help");
    assert_non_null(strstr(json_string_value(json_object_get(o.data, "text/plain")), "--export"));
    pj_outcome_clear(&o);
    o = run(f, "?parallel_efficiency");
    assert_true(o.ok);
    assert_int_equal(json_array_size(f->face.payloads), 1);
    pj_outcome_clear(&o);
}

static void one_bad_trace_leaves_the_others(void **state)
{
    cell_bench *f = *state;
    cell_gives(f, "#load{dir .. 'stencil_1x1.prv.gz', 'missing.prv', dir .. 'README.md'}", "1");
    assert_non_null(strstr(f->face.err.at, "missing.prv: cannot be opened"));
    assert_non_null(strstr(f->face.err.at, "README.md"));
    assert_int_equal(pj_lang_session(f->lang)->complaints, 2);
    cell_fails(f, "load{'missing.prv', 'other.prv'}", "none of the 2 traces could be read");
}

static void any_bytes_can_be_shown(void **state)
{
    cell_bench *f = *state;
    cell_gives(f, "'a\\xffb'",
               "a\xef\xbf\xbd"
               "b");
    cell_gives(f, "{'\\xc3'}", "{\"\xef\xbf\xbd\"}");
    cell_fails(f, "error('x\\xfe')", "x\xef\xbf\xbd");
    cell_gives(f, "#'\\0' .. '\\0'", "1");
}

static void a_name_alone_has_a_value(void **state)
{
    cell_bench *f = *state;
    cell_fails(f, "metrcs", "cell 1:1: \"metrcs\" has no value; did you mean metrics?");
    cell_fails(f, "x = 1\n\nsomething_else", "cell 1:3: \"something_else\" has no value");
    pj_outcome o = run(f, "rnus");
    assert_string_equal(json_string_value(json_object_get(o.error, "ename")), "NameError");
    pj_outcome_clear(&o);
    cell_gives(f, "x = nil\nx", "nil");
    cell_gives(f, "local y\ny", "nil");
    cell_gives(f, "something_else;", "nil");
    cell_gives(f, "nil", "nil");
    json_t *reply = pj_lang_expression(f->lang, PJ_S("'aside'"));
    json_decref(reply);
    cell_gives(f, "'x'", "x");
    json_decref(pj_lang_expression(f->lang, PJ_S("'aside'")));
    cell_gives(f, "ans", "x");
}

static void modules_see_the_stock_environment(void **state)
{
    cell_bench *f = *state;
    char path[] = "/tmp/popinjay_test_XXXXXX";
    assert_non_null(mkdtemp(path));
    pj_auto_buf file = {0}, code = {0};
    pj_buf_addf(&file, "%s/stock_user.lua", path);
    FILE *module = fopen(file.at, "w");
    fputs("leaked = 5\nlocal f = load('return 1 + 1')\n"
          "return {two = f(), metrics = metrics, own = own}\n",
          module);
    fclose(module);
    pj_buf_addf(&code,
                "package.path = '%s/?.lua'\nown = 7\nlocal u = require 'stock_user'\n"
                "u.two, u.metrics, u.own, leaked",
                path);
    cell_gives(f, code.at, "2\tnil\tnil\t5");
    unlink(file.at);
    rmdir(path);
}

static void streams_go_through_the_face(void **state)
{
    cell_bench *f = *state;
    cell_gives(f, "io.stderr:write('bad\\n')", "nil");
    assert_string_equal(f->face.err.at, "bad\n");
    f->face.answers = "first\n42\nrest";
    cell_gives(f, "io.read()", "first");
    cell_gives(f, "io.read('n') + 1, io.read('l'), io.read()", "43\t\trest");
    cell_gives(f, "io.read()", "nil");
    f->face.answers = NULL;
    cell_fails(f, "io.read()", "nobody is there to answer");
    run(f, "clear_output()");
    assert_int_equal(f->face.clears, 1);
    pj_outcome o = run(f, "display({['text/html'] = '<b>x</b>'})\ndisplay(1, 'b')");
    assert_int_equal(json_array_size(f->face.displays), 3);
    json_t *data = json_object_get(json_array_get(f->face.displays, 0), "data");
    assert_string_equal(json_string_value(json_object_get(data, "text/html")), "<b>x</b>");
    pj_outcome_clear(&o);
}

static void rich_faces_get_bundles(void **state)
{
    cell_bench *f = *state;
    f->face.face.rich = true;
    pj_outcome o = run(f, "metrics(load(dir .. 'stencil_*.prv.gz'))");
    assert_true(o.ok);
    assert_non_null(json_object_get(o.data, "text/html"));
    assert_null(json_object_get(o.data, "text/latex")); // documents alone have it
    assert_non_null(strstr(json_string_value(json_object_get(o.data, "text/plain")), "Speedup"));
    pj_outcome_clear(&o);
    o = run(f, "runs = load(dir .. 'stencil_2x1.prv.gz')\nruns[1].stats.useful_ns");
    assert_non_null(json_object_get(o.data, "text/html"));
    pj_outcome_clear(&o);
    json_t *reply = pj_lang_expression(f->lang, PJ_S("#runs"));
    assert_string_equal(json_string_value(json_object_get(reply, "status")), "ok");
    json_decref(reply);
    reply = pj_lang_expression(f->lang, PJ_S("error 'x'"));
    assert_string_equal(json_string_value(json_object_get(reply, "status")), "error");
    json_decref(reply);
}

static void tracebacks_name_cells_and_lines(void **state)
{
    cell_bench *f = *state;
    static const char *const wanted[] = {
        "Error: attempt to index a nil value (field 'b')",
        "  cell 1, line 2 in f:  return a.b.c",
        "  cell 2, line 3:  f({})",
    };
    pj_outcome o = run(f, "function f(a)\n  return a.b.c\nend");
    pj_outcome_clear(&o);
    o = pj_lang_run(f->lang, PJ_S("x = 1\n\nf({})"), (pj_cell_opts){.name = "cell 2"});
    json_t *lines = json_object_get(o.error, "traceback");
    assert_int_equal(json_array_size(lines), 3);
    for (size_t i = 0; i < 3; i++)
        assert_string_equal(json_string_value(json_array_get(lines, i)), wanted[i]);
    pj_outcome_clear(&o);
    o = run(f, "local function deep(n) if n == 0 then error 'end' end deep(n - 1) return n end\n"
               "deep(100000)");
    assert_in_range(json_array_size(json_object_get(o.error, "traceback")), 5, 25);
    pj_outcome_clear(&o);
}

/// What `?` shows.
static void explains(cell_bench *f, const char *code, const char *wanted)
{
    pj_outcome o = run(f, code);
    json_t *last = json_array_get(f->face.payloads, json_array_size(f->face.payloads) - 1);
    const char *text =
        json_string_value(json_object_get(json_object_get(last, "data"), "text/plain"));
    if (!text || !strstr(text, wanted))
        fail_msg("%s shows \"%s\", not \"%s\"", code, text ? text : "nothing", wanted);
    pj_outcome_clear(&o);
}

static void variables_are_explained(void **state)
{
    cell_bench *f = *state;
    cell_gives(f, "m = {1, 2} runs = 'mine'", "nil");
    explains(f, "m?", "m: table\n{1, 2}");
    explains(f, "?m", "m: table\n{1, 2}");
    explains(f, "?runs", "runs: string\nmine");
    explains(f, "?string.format", "string.format: function");
    explains(f, "?metrics", "usage");
    explains(f, "?hybrid-mult", "metric set hybrid-mult");
}

static void nil_arguments_are_named(void **state)
{
    cell_bench *f = *state;
    cell_fails(f, "metrics(metrcs)", "metrics: argument 1 is nil");
    cell_fails(f, "metrics()", "TRACE is missing");
}

/// A plot and a table that nothing takes are shown where they stand.
static void nothing_made_is_thrown_away(void **state)
{
    cell_bench *f = *state;
    pj_outcome o = run(f, "runs = load(dir .. 'stencil_?x1.prv.gz')\n"
                          "m = metrics(runs)\n"
                          "plot(m, 'speedup')\n"
                          "runs[1].stats:head(1)\n"
                          "runs[1].stats:head(1);\n"
                          "metrics(runs)");
    assert_true(o.ok && o.data);
    assert_int_equal(json_array_size(f->face.displays), 2);
    pj_outcome_clear(&o);
}

static void a_row_is_shown_as_its_table(void **state)
{
    cell_bench *f = *state;
    pj_outcome o = run(f, "metrics(load(dir .. 'stencil_2x1.prv.gz'))[1]");
    const char *text = json_string_value(json_object_get(o.data, "text/plain"));
    assert_non_null(strstr(text, "one run: computation cannot be compared"));
    pj_outcome_clear(&o);
    cell_gives(f, "#load(dir .. 'stencil_2x1*')", "1");
    assert_int_equal(f->face.err.len, 0);
}

static void a_strict_global_table_leaves_lines_alone(void **state)
{
    cell_bench *f = *state;
    cell_gives(f, "setmetatable(_G, {__newindex = error, __index = error});", "nil");
    cell_gives(f, "%load --help\n1", "1");
    cell_gives(f, "load = nil\n%info " PJ_SOURCE_DIR "/notebooks/traces/stencil_1x1.prv.gz\n2",
               "2");
    cell_gives(f, "?metrics", "nil");
    cell_gives(f, "ans", "2");
    pj_outcome o = run(f, "_G");
    size_t shown = strlen(json_string_value(json_object_get(o.data, "text/plain")));
    assert_true(shown > 100 && shown < 10000);
    pj_outcome_clear(&o);
}

static void wrecked_globals_leave_lines_alone(void **state)
{
    cell_bench *f = *state;
    cell_gives(f,
               "setmetatable(_G, {__index = function() error 'i' end, __newindex = error})\n"
               "local debug, print, rawset, pairs = debug, print, rawset, pairs\n"
               "debug.setmetatable('', {__index = function() error 's' end})\n"
               "debug.setmetatable(0, {__index = error, __call = error})\n"
               "debug.setmetatable(nil, {__index = error, __call = error})\n"
               "debug.setmetatable(true, {__index = error, __tostring = error})\n"
               "debug.setmetatable(print, {__index = error, __call = error, __tostring = error})\n"
               "for k in pairs(string) do string[k] = nil end\n"
               "for k in pairs(_G) do if k ~= '_G' then rawset(_G, k, nil) end end",
               "nil");
    pj_outcome o = run(f, "%info " PJ_SOURCE_DIR "/notebooks/traces/stencil_1x1.prv.gz");
    assert_true(o.ok);
    assert_non_null(
        strstr(json_string_value(json_object_get(o.data, "text/plain")), "stencil_1x1"));
    pj_outcome_clear(&o);
    cell_gives(f, "?metrics", "nil");
    cell_gives(f, "1 + 1", "2");
    cell_gives(f, "'text'", "text");
    cell_fails(f, "%inof", "did you mean info?");
    json_decref(pj_lang_complete(f->lang, PJ_S("metr"), 4));
    json_decref(pj_lang_inspect(f->lang, PJ_S("metrics"), 7, 0));
}

static void code_goes_into_the_next_cell(void **state)
{
    cell_bench *f = *state;
    cell_gives(f, "set_next_input 'metrics(runs)'\nset_next_input('x', true)", "nil");
    json_t *wanted = json_pack("[{s:s, s:s, s:b}, {s:s, s:s, s:b}]", "source", "set_next_input",
                               "text", "metrics(runs)", "replace", 0, "source", "set_next_input",
                               "text", "x", "replace", 1);
    assert_true(json_equal(f->face.payloads, wanted));
    json_decref(wanted);
    cell_fails(f, "set_next_input()", "string expected");
}

static void errors_without_a_text_are_reported(void **state)
{
    cell_bench *f = *state;
    cell_fails(f, "error(setmetatable({}, {__tostring = function() error 'inner' end}))",
               "__tostring fails");
    cell_fails(f, "error(setmetatable({}, {__tostring = function() return 'mine' end}))", "mine");
}

static void metrics_keep_their_colours(void **state)
{
    cell_bench *f = *state;
    f->face.face.rich = true;
    pj_lang_session(f->lang)->render.paper = true;
    cell_gives(f, "m = metrics(load(dir .. 'stencil_2x1.prv.gz'), {colours = 'blue-orange'})",
               "nil");
    pj_outcome o = run(f, "m");
    assert_non_null(strstr(json_string_value(json_object_get(o.data, "text/latex")), "87BDE6"));
    pj_outcome_clear(&o);
    o = run(f, "metrics(m, {colours = 'red-green'})");
    assert_null(strstr(json_string_value(json_object_get(o.data, "text/latex")), "87BDE6"));
    pj_outcome_clear(&o);
    cell_fails(f, "metrics(m, {good = 2})", "good: \"2\" is no number between 0 and 1");
    cell_fails(f, "metrics(m, {bad = 0.9})", "bad (0.9) must be less than good (0.8)");
}

static void finalisers_may_call_verbs_to_the_last(void **state)
{
    cell_bench *f = *state;
    cell_does(f, "kept = setmetatable({}, {__gc = function() pcall(metrics, 'x.prv') end})");
}

static void a_script_exits_with_a_status(void **state)
{
    cell_bench *f = *state;
    const char *args[] = {"a", "b c"};
    pj_lang_set_script(f->lang, "s.lua", args, 2);
    cell_gives(f, "arg[0], arg[1], arg[2], #arg", "s.lua\ta\tb c\t2");
    pj_outcome o = run(f, "pcall(os.exit, 3) print 'never'");
    assert_true(o.exited && !o.ok && !o.stopped);
    assert_int_equal(o.exit_status, 3);
    assert_int_equal(f->face.out.len, 0);
    pj_outcome_clear(&o);
    o = run(f, "os.exit(true)");
    assert_int_equal(o.exit_status, 0);
    pj_outcome_clear(&o);
}

#define LANG_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        LANG_TEST(runs_have_members),
        LANG_TEST(line_ends_in_names_of_traces),
        LANG_TEST(metrics_are_numbers_with_reasons),
        LANG_TEST(tables_have_operations),
        LANG_TEST(runs_have_tags),
        LANG_TEST(sets_are_defined_in_a_cell),
        LANG_TEST(metric_functions_say_what_they_miss),
        LANG_TEST(children_leave_a_residual),
        LANG_TEST(characters_are_counted),
        LANG_TEST(floats_have_one_text),
        LANG_TEST(commands_stand_in_lines),
        LANG_TEST(one_bad_trace_leaves_the_others),
        LANG_TEST(any_bytes_can_be_shown),
        LANG_TEST(a_name_alone_has_a_value),
        LANG_TEST(modules_see_the_stock_environment),
        LANG_TEST(streams_go_through_the_face),
        LANG_TEST(rich_faces_get_bundles),
        LANG_TEST(tracebacks_name_cells_and_lines),
        LANG_TEST(variables_are_explained),
        LANG_TEST(nil_arguments_are_named),
        LANG_TEST(nothing_made_is_thrown_away),
        LANG_TEST(a_row_is_shown_as_its_table),
        LANG_TEST(a_strict_global_table_leaves_lines_alone),
        LANG_TEST(wrecked_globals_leave_lines_alone),
        LANG_TEST(code_goes_into_the_next_cell),
        LANG_TEST(errors_without_a_text_are_reported),
        LANG_TEST(metrics_keep_their_colours),
        LANG_TEST(finalisers_may_call_verbs_to_the_last),
        LANG_TEST(a_script_exits_with_a_status),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
