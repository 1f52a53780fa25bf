// Completion and inspection at the end of a text, or at its '|'.
#include "kernel/lua/lang.h"

#include "tests/support/recording_face.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

typedef struct sample {
    const char *code;    // '|' marks the cursor
    const char *matches; // joined by blanks; "+x" = x is among them, "" = none
    int start;           // in code points; -1 = not looked at
} sample;

static const sample samples[] = {
    {"met|", "metrics", 0},
    {"x = met|", "metrics", 4},
    {"\xc3\xa9 = '' met|", "metrics", 7},
    {"whi|", "while", 0},
    {"local abcdef = 1\nabc|", "abcdef", 17},
    {"for index_k, v in pairs(x) do index_|", "index_k", -1},
    {"local function f(param_one) param_|", "param_one", -1},
    {"string.form|", "format", 7},
    {"string:form|", "format", 7},
    {"t.al|", "alpha", 2},
    {"t.deep.be|", "beta", 7},
    {"t.list[1].ga|", "gamma", -1},
    {"text:upp|", "upper", -1},
    {"runs[1].sta|", "stats", -1},
    {"runs[1]:ra|", "rank", -1},
    {"runs[1].stats.use|", "useful_ns", -1},
    {"runs[1].stats:so|", "sort", -1},
    {"m[1].parallel_|", "parallel_efficiency", -1},
    {"m[1]:rea|", "reason", -1},
    {"m.instr|", "instruction_scaling", -1},
    {"metrics(runs, 'mpi|", "mpi mpi-mult", 15},
    {"metrics(runs, \"hybrid-|", "hybrid-bsc hybrid-ineff hybrid-mult", 15},
    {"metrics(runs, {set = 'op|", "openmp", -1},
    {"metrics{runs, sc|", "scale =  scaling =  score", -1},
    {"metrics(runs, {scali|", "scaling = ", -1},
    {"metrics(runs, {scaling = 'w|", "weak", -1},
    {"plot(m, 'speed|", "speedup", -1},
    {"plot{m, y = 'parallel_e|", "parallel_efficiency", -1},
    {"plot(m, {x = 'thr|", "threads threads_per_rank", -1},
    {"runs[1].stats:where 'open|", "openmp_ns openmp_useful_ns", -1},
    {"runs[1].stats:sort('rank', 'thr|", "thread", -1},
    {"runs[1].stats:head(2):sort 'useful_|", "useful_ns", -1},
    {"runs[1].stats:head(2):so|", "sort", -1},
    {"('x'):|", "add by export head join plot rows select sort where", -1},
    {"m[1]:reason 'glob|", "global_efficiency", -1},
    {"%met|", "metrics", 1},
    {"x = %met|", "metrics", 5},
    {"%metrics a.prv --scali|", "--scaling", 15},
    {"%metrics a.prv --scaling |", "auto strong weak", -1},
    {"%metrics a.prv --scaling=w|", "weak", 25},
    {"%plot sca|", "scaling scatter", -1},
    {"%plot scaling a -x lay|", "layout", -1},
    {"load '" PJ_SOURCE_DIR "/notebooks/traces/stencil_64|",
     "+" PJ_SOURCE_DIR "/notebooks/traces/stencil_64x1.prv.gz", 6},
    {"%metrics " PJ_SOURCE_DIR "/note|", PJ_SOURCE_DIR "/notebooks/", 9},
    {"-- comment met|", "", -1},
    {"x = 1 -- met|", "", -1},
    {"nix.|", "", -1},
    {"error('x').|", "", -1},
    {"met|rics", "metrics", 0},
};

static void fill(pj_lang *lang)
{
    pj_outcome o =
        pj_lang_run(lang,
                    PJ_S("t = {alpha = 1, deep = {beta = 2}, list = {{gamma = 3}}}\n"
                         "text = 'x'\n"
                         "runs = load '" PJ_SOURCE_DIR "/notebooks/traces/stencil_2x1.prv.gz'\n"
                         "m = metrics(runs)"),
                    (pj_cell_opts){0});
    assert_true(o.ok);
    pj_outcome_clear(&o);
}

/// The text without its '|', and the cursor in code points.
static pj_str cut_cursor(const char *code, pj_buf *text, size_t *cursor)
{
    pj_str whole = pj_str_of(code);
    size_t at = pj_str_find_last(whole, '|');
    *cursor = 0;
    for (size_t i = 0; i < at; i++)
        *cursor += ((unsigned char)code[i] & 0xc0) != 0x80;
    text->len = 0;
    pj_buf_add(text, pj_str_head(whole, at));
    pj_buf_add(text, pj_str_from(whole, at + 1));
    return pj_buf_str(text);
}

static bool is_wanted(const char *wanted, const json_t *matches)
{
    pj_auto_buf joined = {0};
    size_t i;
    json_t *match;
    bool among = false;
    json_array_foreach(matches, i, match)
    {
        pj_buf_addf(&joined, "%s%s", i ? " " : "", json_string_value(match));
        among |= *wanted == '+' && strcmp(json_string_value(match), wanted + 1) == 0;
    }
    return among || strcmp(joined.at ? joined.at : "", wanted) == 0;
}

static void words_are_completed(void **state)
{
    (void)state;
    pj_recording face;
    pj_recording_open(&face);
    pj_lang *lang = pj_lang_new(&face.face, NULL);
    pj_auto_buf text = {0};
    fill(lang);
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        size_t cursor;
        pj_str code = cut_cursor(samples[i].code, &text, &cursor);
        json_t *reply = pj_lang_complete(lang, code, cursor);
        json_t *matches = json_object_get(reply, "matches");
        if (!is_wanted(samples[i].matches, matches)) {
            char *got = json_dumps(matches, 0);
            fail_msg("%s: %s, not %s", samples[i].code, got, samples[i].matches);
        }
        json_int_t start = json_integer_value(json_object_get(reply, "cursor_start"));
        if (samples[i].start >= 0 && samples[i].start != start)
            fail_msg("%s: starts at %d, not %d", samples[i].code, (int)start, samples[i].start);
        assert_int_equal(json_integer_value(json_object_get(reply, "cursor_end")), cursor);
        json_decref(reply);
    }
    pj_lang_free(lang);
    pj_recording_close(&face);
}

static void names_are_inspected(void **state)
{
    (void)state;
    static const struct {
        const char *code, *part; // part NULL = nothing found
    } rows[] = {
        {"metrics|", "--export FILE"},
        {"metr|ics(runs)", "--export FILE"},
        {"metrics(|", "--export FILE"},
        {"metrics(runs, {scal|ing = 1})", "strong, weak"},
        {"%metrics a --scal|ing", "strong, weak"},
        {"%metrics a |", "--export FILE"},
        {"plot(m, 'load_bal|ance')", "Load balance"},
        {"parallel_efficiency|", "Parallel efficiency"},
        {"m[1].parallel_effi|ciency", "Parallel efficiency"},
        {"mpi|", "MPI (additive)"},
        {"metrics(runs, 'hybrid|')", "MPI+OpenMP (additive)"},
        {"useful_max|", "measure"},
        {"runs[1].sta|ts", "Totals per rank and thread"},
        {"runs[1].stats:whe|re", ":where(TEST)"},
        {"save|", "save(VALUE, FILE)"},
        {"t|", "table"},
        {"text|", "string"},
        {"nothing_like_this|", NULL},
        {"|", NULL},
    };
    pj_recording face;
    pj_recording_open(&face);
    pj_lang *lang = pj_lang_new(&face.face, NULL);
    pj_auto_buf text = {0};
    fill(lang);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t cursor;
        pj_str code = cut_cursor(rows[i].code, &text, &cursor);
        json_t *reply = pj_lang_inspect(lang, code, cursor, 0);
        const char *got =
            json_string_value(json_object_get(json_object_get(reply, "data"), "text/plain"));
        assert_int_equal(json_is_true(json_object_get(reply, "found")), got != NULL);
        if (rows[i].part ? !got || !strstr(got, rows[i].part) : got != NULL)
            fail_msg("%s: %s", rows[i].code, got ? got : "nothing");
        json_decref(reply);
    }
    pj_lang_free(lang);
    pj_recording_close(&face);
}

static void matches_have_kinds_and_signatures(void **state)
{
    (void)state;
    static const struct {
        const char *code, *match, *kind, *signature; // signature NULL = none
    } rows[] = {
        {"\xc3\xa9 = met|", "metrics", "function", "(traces, [set], {"},
        {"x = mine|", "mine", "function", "(a, b, ...)"},
        {"text|", "text", "instance", NULL},
        {"whi|", "while", "keyword", NULL},
        {"save|", "save", "function", "(VALUE, FILE)"},
        {"runs[1].stats:whe|", "where", "method", "(TEST)"},
        {"runs[1].stat|", "stats", "property", NULL},
        {"%metr|", "metrics", "magic", "(traces, [set], {"},
        {"metrics(runs, {scali|", "scaling = ", "param", NULL},
        {"metrics(runs, {scaling = 'w|", "weak", "value", NULL},
        {"%metrics " PJ_SOURCE_DIR "/note|", PJ_SOURCE_DIR "/notebooks/", "path", NULL},
    };
    pj_lang *lang = pj_lang_new(&pj_face_silent, NULL);
    pj_auto_buf text = {0};
    fill(lang);
    pj_outcome o =
        pj_lang_run(lang, PJ_S("function mine(a, b, ...) return a end"), (pj_cell_opts){0});
    pj_outcome_clear(&o);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t cursor;
        pj_str code = cut_cursor(rows[i].code, &text, &cursor);
        json_t *reply = pj_lang_complete(lang, code, cursor);
        json_t *offer = json_array_get(
            json_object_get(json_object_get(reply, "metadata"), "_jupyter_types_experimental"), 0);
        assert_string_equal(json_string_value(json_object_get(offer, "text")), rows[i].match);
        assert_string_equal(json_string_value(json_object_get(offer, "type")), rows[i].kind);
        const char *signature = json_string_value(json_object_get(offer, "signature"));
        if (rows[i].signature ? !signature || strncmp(signature, rows[i].signature,
                                                      strlen(rows[i].signature)) != 0
                              : signature != NULL)
            fail_msg("%s: %s", rows[i].code, signature ? signature : "no signature");
        assert_true(
            json_equal(json_object_get(offer, "start"), json_object_get(reply, "cursor_start")));
        assert_int_equal(json_integer_value(json_object_get(offer, "end")), cursor);
        json_decref(reply);
    }
    pj_lang_free(lang);
}

static const char *form_of(const json_t *reply, const char *type)
{
    return json_string_value(json_object_get(json_object_get(reply, "data"), type));
}

static void the_level_says_how_much(void **state)
{
    (void)state;
    pj_lang *lang = pj_lang_new(&pj_face_silent, NULL);
    pj_outcome o = pj_lang_run(lang,
                               PJ_S("long = ('<x> '):rep(1000)\n"
                                    "function twice(a)\n  return 2 * a\nend"),
                               (pj_cell_opts){.name = "cell 3"});
    assert_true(o.ok);
    pj_outcome_clear(&o);
    size_t sizes[2];
    for (int level = 0; level < 2; level++) {
        json_t *reply = pj_lang_inspect(lang, PJ_S("long"), 4, level);
        sizes[level] = strlen(form_of(reply, "text/plain"));
        assert_non_null(strstr(form_of(reply, "text/html"), "&lt;x&gt;"));
        assert_non_null(strstr(form_of(reply, "text/markdown"), "**`long: string`**"));
        json_decref(reply);
        reply = pj_lang_inspect(lang, PJ_S("twice"), 5, level);
        assert_non_null(strstr(form_of(reply, "text/plain"), "cell 3, line 2"));
        assert_non_null(strstr(form_of(reply, "text/plain"), "function twice(a)"));
        assert_int_equal(strstr(form_of(reply, "text/plain"), "return 2 * a") != NULL, level);
        json_decref(reply);
    }
    assert_in_range(sizes[0], 500, 1000);
    assert_true(sizes[1] > 4000);
    pj_lang_free(lang);
}

static size_t times(const char *text, const char *part)
{
    size_t count = 0;
    for (; (text = strstr(text, part)); text++)
        count++;
    return count;
}

/// What an object is, and what it looks like, once.
static void objects_are_shown_once(void **state)
{
    (void)state;
    pj_recording face;
    pj_recording_open(&face);
    pj_lang *lang = pj_lang_new(&face.face, NULL);
    fill(lang);
    json_t *reply = pj_lang_inspect(lang, PJ_S("runs"), 4, 0);
    const char *got = form_of(reply, "text/plain");
    assert_non_null(got);
    assert_true(pj_str_starts(pj_str_of(got), PJ_S("runs: list of runs\n")));
    assert_int_equal(times(got, "Runtime"), 1);
    json_decref(reply);
    pj_lang_free(lang);
    pj_recording_close(&face);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_are_completed),
        cmocka_unit_test(names_are_inspected),
        cmocka_unit_test(objects_are_shown_once),
        cmocka_unit_test(matches_have_kinds_and_signatures),
        cmocka_unit_test(the_level_says_how_much),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
