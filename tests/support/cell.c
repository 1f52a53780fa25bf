// A cell's value is looked at as text.
#include "tests/support/cell.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

cell_bench *cell_bench_new(bool rich)
{
    cell_bench *bench = calloc(1, sizeof *bench);
    pj_recording_open(&bench->face);
    bench->front = pj_front_new();
    bench->face.face.rich = rich;
    if (rich)
        bench->face.face.comms = pj_front_channel(&bench->front);
    bench->lang = pj_lang_new(&bench->face.face, &bench->stop);
    return bench;
}

bool cell_bench_free(cell_bench *bench)
{
    char *mistakes = json_dumps(bench->front.mistakes, 0);
    pj_lang_free(bench->lang);
    pj_front_free(&bench->front);
    pj_recording_close(&bench->face);
    free(bench);
    bool clean = strcmp(mistakes, "[]") == 0;
    if (!clean)
        print_error("%s\n", mistakes);
    free(mistakes);
    return clean;
}

pj_outcome cell_run(cell_bench *bench, const char *code, const char *owner)
{
    pj_recording_reset(&bench->face);
    pj_cell_opts opts = {.name = "cell 1", .owner = owner};
    return pj_lang_run(bench->lang, pj_str_of(code), opts);
}

static const char *error_of(const pj_outcome *outcome)
{
    return json_string_value(json_object_get(outcome->error, "evalue"));
}

void cell_gives(cell_bench *bench, const char *code, const char *wanted)
{
    pj_outcome o = cell_run(bench, code, NULL);
    const char *value = json_string_value(json_object_get(o.data, "text/plain"));
    if (error_of(&o))
        fail_msg("%s: %s", code, error_of(&o));
    if (strcmp(value ? value : "nil", wanted) != 0)
        fail_msg("%s gave %s, not %s", code, value ? value : "nil", wanted);
    pj_outcome_clear(&o);
}

void cell_does(cell_bench *bench, const char *code)
{
    pj_outcome o = cell_run(bench, code, NULL);
    if (error_of(&o))
        fail_msg("%s: %s", code, error_of(&o));
    pj_outcome_clear(&o);
}

void cell_fails(cell_bench *bench, const char *code, const char *part)
{
    pj_outcome o = cell_run(bench, code, NULL);
    if (!error_of(&o) || !strstr(error_of(&o), part))
        fail_msg("%s: error \"%s\" does not say \"%s\"", code, error_of(&o) ? error_of(&o) : "none",
                 part);
    pj_outcome_clear(&o);
}
