// Binding: words of the shell, values by place and options fill the same struct.
#include "kernel/command/call.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

typedef struct made_args {
    const char *kind;
    pj_inputs inputs;
    const char *set, *file;
    bool loud;
    uint64_t count, size;
    double time, rate;
    pj_texts exports, rest;
} made_args;

static const char *const kinds[] = {"bar", "line", NULL};
static const char *const sets[] = {"mpi", "mpi-mult", NULL};

static bool run_made(pj_session *session, const void *args, pj_value *out, pj_err *err)
{
    (void)session, (void)err;
    *out = pj_value_number((double)((const made_args *)args)->inputs.count);
    return true;
}

#define FIELD(x) .offset = offsetof(made_args, x)
static const pj_param params[] = {
    {.name = "kind", .type = PJ_PARAM_CHOICE, .place = PJ_IN_LUA, FIELD(kind), .choices = kinds},
    {.name = "inputs",
     .type = PJ_PARAM_INPUTS,
     .place = PJ_IN_BOTH,
     .required = true,
     FIELD(inputs),
     .shown = "TRACE"},
    {.name = "set", .type = PJ_PARAM_CHOICE, .place = PJ_IN_LUA, FIELD(set), .choices = sets},
    {.name = "file-name", .letter = 'f', .type = PJ_PARAM_PATH, FIELD(file)},
    {.name = "loud", .letter = 'l', .type = PJ_PARAM_FLAG, FIELD(loud)},
    {.name = "count", .type = PJ_PARAM_COUNT, FIELD(count)},
    {.name = "size", .type = PJ_PARAM_SIZE, FIELD(size)},
    {.name = "time", .type = PJ_PARAM_DURATION, FIELD(time)},
    {.name = "rate", .type = PJ_PARAM_RATE, FIELD(rate)},
    {.name = "export", .type = PJ_PARAM_TEXTS, FIELD(exports)},
    {0},
};
static const pj_command made = {.name = "made",
                                .groups = (const pj_param_group[]){{.rows = params}, {0}},
                                .args_size = sizeof(made_args),
                                .run = run_made};

static const pj_param script_params[] = {
    {.name = "script",
     .type = PJ_PARAM_PATH,
     .place = PJ_IN_SHELL,
     .required = true,
     FIELD(file),
     .shown = "SCRIPT"},
    {.name = "loud", .type = PJ_PARAM_FLAG, FIELD(loud)},
    {.name = "args", .type = PJ_PARAM_REST, .place = PJ_IN_SHELL, FIELD(rest), .shown = "ARG"},
    {0},
};
static const pj_command script = {.name = "script",
                                  .groups = (const pj_param_group[]){{.rows = script_params}, {0}},
                                  .args_size = sizeof(made_args),
                                  .run = run_made};

typedef struct fixture {
    pj_session *session;
    pj_call call;
    pj_err err;
} fixture;

static void open_call(fixture *f, const pj_command *command)
{
    f->session = pj_session_new(&pj_face_silent, NULL);
    f->err = (pj_err){0};
    pj_call_begin(&f->call, f->session, command);
}

static void close_call(fixture *f)
{
    pj_call_end(&f->call);
    pj_session_free(f->session);
}

static bool words(fixture *f, const char *line)
{
    pj_texts list = {0};
    assert_true(pj_call_split(pj_str_of(line), f->call.arena, &list, &f->err));
    bool ok = pj_call_words(&f->call, list.count, list.items, &f->err);
    free(list.items);
    return ok;
}

static void every_type_is_filled(void **state)
{
    (void)state;
    fixture f;
    open_call(&f, &made);
    assert_true(words(&f, "a.prv --set mpi-mult b.prv -fout -l --count=3 --size 2k --time 1.5us "
                          "--rate inf --export x.csv --export y.pdf"));
    const made_args *args = f.call.args;
    assert_string_equal(args->set, "mpi-mult");
    assert_string_equal(args->file, "out");
    assert_true(args->loud);
    assert_int_equal(args->count, 3);
    assert_int_equal(args->size, 2048);
    assert_true(args->time == 1500);
    assert_true(isinf(args->rate));
    assert_int_equal(args->inputs.count, 2);
    assert_string_equal(args->inputs.items[1].text, "b.prv");
    assert_int_equal(args->exports.count, 2);
    assert_string_equal(args->exports.items[1], "y.pdf");
    pj_value value;
    assert_true(pj_call_run(&f.call, &value, &f.err));
    assert_true(value.number == 2);
    close_call(&f);
}

static void check_refused(const pj_command *command, const char *line, const char *message)
{
    fixture f;
    open_call(&f, command);
    bool ok = words(&f, line) && pj_call_check(&f.call, &f.err);
    if (ok)
        fail_msg("\"%s\" was accepted", line);
    assert_int_equal(f.err.code, PJ_E_USAGE);
    if (!strstr(f.err.text, message))
        fail_msg("\"%s\" does not say \"%s\"", f.err.text, message);
    close_call(&f);
}

static void mistakes_are_explained(void **state)
{
    (void)state;
    check_refused(&made, "", "made: TRACE is missing");
    check_refused(&made, "a --set mpi-mul", "did you mean mpi-mult? valid: mpi, mpi-mult");
    check_refused(&made, "a --sett mpi",
                  "unknown option \"sett\"; did you mean set? options: kind");
    check_refused(&made, "a -z", "unknown option \"z\"");
    check_refused(&made, "a --set", "--set wants a value");
    check_refused(&made, "a --set mpi --set mpi", "set is given twice");
    check_refused(&made, "a --count 0", "count: \"0\" is no number from 1 up");
    check_refused(&made, "a --count -1", "\"-1\" is no number");
    check_refused(&made, "a --size 3x", "\"3x\" is no size");
    check_refused(&made, "a --time 3x", "is no time");
    check_refused(&made, "a --time -3us", "is no time");
    check_refused(&made, "a --rate 0", "is no rate");
    check_refused(&made, "a --time 5", "did you mean 5ns or 5us?");
    check_refused(&made, "a --rate fast", "is no rate");
    check_refused(&made, "a --loud=yes", "--loud takes no value");
    check_refused(&script, "", "script: SCRIPT is missing");
}

static void double_dash_ends_options(void **state)
{
    (void)state;
    fixture f;
    open_call(&f, &made);
    assert_true(words(&f, "-- --set -l"));
    const made_args *args = f.call.args;
    assert_int_equal(args->inputs.count, 2);
    assert_null(args->set);
    close_call(&f);
}

static void a_script_gets_all_that_follows(void **state)
{
    (void)state;
    fixture f;
    open_call(&f, &script);
    assert_true(words(&f, "--loud s.lua --loud -x -- y"));
    const made_args *args = f.call.args;
    assert_string_equal(args->file, "s.lua");
    assert_int_equal(args->rest.count, 4);
    assert_string_equal(args->rest.items[0], "--loud");
    close_call(&f);
}

static bool place(fixture *f, const char *text)
{
    return pj_call_place(&f->call, PJ_IN_LUA, pj_value_borrow_text(text), &f->err);
}

static void in_lua_a_choice_may_be_left_out(void **state)
{
    (void)state;
    fixture f;
    open_call(&f, &made);
    assert_true(place(&f, "a") && place(&f, "b.prv") && place(&f, "mpi"));
    const made_args *args = f.call.args;
    assert_null(args->kind);
    assert_int_equal(args->inputs.count, 2);
    assert_string_equal(args->set, "mpi");
    assert_true(place(&f, "more"));
    assert_int_equal(args->inputs.count, 3);
    close_call(&f);
    open_call(&f, &made);
    assert_true(place(&f, "line") && place(&f, "x.prv"));
    args = f.call.args;
    assert_string_equal(args->kind, "line");
    assert_int_equal(args->inputs.count, 1);
    assert_false(place(&f, "mpi-mul"));
    assert_non_null(strstr(f.err.text, "did you mean mpi-mult?"));
    close_call(&f);
}

static void lua_values_fit_their_types(void **state)
{
    (void)state;
    fixture f;
    open_call(&f, &made);
    assert_true(pj_call_option(&f.call, PJ_S("file_name"), pj_value_borrow_text("x"), &f.err));
    assert_true(pj_call_option(&f.call, PJ_S("count"), pj_value_number(7), &f.err));
    assert_true(pj_call_option(&f.call, PJ_S("loud"), pj_value_flag(true), &f.err));
    assert_true(pj_call_option(&f.call, PJ_S("time"), pj_value_number(0), &f.err));
    const made_args *args = f.call.args;
    assert_string_equal(args->file, "x");
    assert_int_equal(args->count, 7);
    assert_true(args->loud && args->time == 0);
    close_call(&f);
    open_call(&f, &made);
    assert_false(pj_call_option(&f.call, PJ_S("time"), pj_value_number(250), &f.err));
    assert_non_null(strstr(f.err.text, "did you mean 250ns or 250us?"));
    f.err = (pj_err){0};
    assert_false(pj_call_option(&f.call, PJ_S("size"), pj_value_flag(true), &f.err));
    assert_non_null(strstr(f.err.text, "size wants a size (64M, 2G, 2GB, 2GiB), not a boolean"));
    close_call(&f);
}

static void lines_are_split_like_in_a_shell(void **state)
{
    (void)state;
    static const struct {
        const char *line, *joined;
    } rows[] = {
        {"", ""},         {"  a  b\tc ", "a|b|c"}, {"'a b' c", "a b|c"}, {"\"a 'b\" c", "a 'b|c"},
        {"a\\ b", "a b"}, {"x='y z'w", "x=y zw"},  {"''", ""},           {"run_*.prv", "run_*.prv"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        pj_auto_arena arena = pj_arena_new(NULL);
        pj_texts list = {0};
        pj_auto_buf joined = {0};
        assert_true(pj_call_split(pj_str_of(rows[i].line), arena, &list, NULL));
        for (size_t k = 0; k < list.count; k++)
            pj_buf_addf(&joined, "%s%s", k ? "|" : "", list.items[k]);
        assert_string_equal(joined.at ? joined.at : "", rows[i].joined);
        free(list.items);
    }
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_texts list = {0};
    pj_err err = {0};
    assert_false(pj_call_split(PJ_S("a 'b"), arena, &list, &err));
    assert_int_equal(err.code, PJ_E_USAGE);
    free(list.items);
}

typedef struct shared_args {
    bool deep;
    uint64_t depth;
} shared_args;

typedef struct grouped_args {
    bool own;
    shared_args shared;
} grouped_args;

static void a_group_lies_where_the_command_has_it(void **state)
{
    (void)state;
    static const pj_param own[] = {
        {.name = "own", .type = PJ_PARAM_FLAG, .offset = offsetof(grouped_args, own)}, {0}};
    static const pj_param shared[] = {{.name = "depth",
                                       .letter = 'd',
                                       .type = PJ_PARAM_COUNT,
                                       .offset = offsetof(shared_args, depth),
                                       .help = "Of all."},
                                      {.name = "deep",
                                       .type = PJ_PARAM_FLAG,
                                       .offset = offsetof(shared_args, deep),
                                       .help = "Its own."},
                                      {0}};
    static const pj_param_group groups[] = {{.rows = own},
                                            {.rows = shared,
                                             .base = offsetof(grouped_args, shared),
                                             .help = "Of this command.",
                                             .place = PJ_IN_LUA},
                                            {0}};
    static const pj_command command = {
        .name = "grouped", .groups = groups, .args_size = sizeof(grouped_args), .run = run_made};
    fixture f;
    pj_param param;
    open_call(&f, &command);
    assert_true(words(&f, "--deep -d7"));
    const grouped_args *args = f.call.args;
    assert_true(!args->own && args->shared.deep && args->shared.depth == 7);
    close_call(&f);
    assert_true(pj_command_param(&command, PJ_S("depth"), &param));
    assert_string_equal(param.help, "Of this command.");
    assert_int_equal(param.place, PJ_IN_LUA);
    assert_int_equal(param.index, 1);
    assert_true(pj_command_param_at(&command, 2, &param));
    assert_string_equal(param.help, "Its own.");
    assert_int_equal(param.place, 0);
    assert_false(pj_command_param_at(&command, 3, &param));
    assert_false(pj_command_letter(&command, 'x', &param));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_type_is_filled),
        cmocka_unit_test(mistakes_are_explained),
        cmocka_unit_test(double_dash_ends_options),
        cmocka_unit_test(a_script_gets_all_that_follows),
        cmocka_unit_test(in_lua_a_choice_may_be_left_out),
        cmocka_unit_test(lua_values_fit_their_types),
        cmocka_unit_test(lines_are_split_like_in_a_shell),
        cmocka_unit_test(a_group_lies_where_the_command_has_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
