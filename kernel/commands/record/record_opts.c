// Options of recordings.
#include "kernel/commands/record/record_opts.h"

#include "kernel/command/datadir.h"
#include "metrics/base/buf.h"
#include "metrics/base/str.h"

#include <ctype.h>
#include <stddef.h>
#include <stdlib.h>

#define PREFIX "POPINJAY_RECORD"

static const char *const hooks[] = {"auto", "frame", "monitor", "profile", NULL};
static const char *const answers[] = {"yes", "no", NULL};

const pj_param pj_record_rows[] = {
    {.name = "profile",
     .type = PJ_PARAM_FLAG,
     .offset = offsetof(pj_record_opts, profile),
     .help = "Count calls by call path in place of a trace: DIR/profile.cubex, and "
             "DIR/prof/RANK.prof for Python's own tools. Its size does not grow with the time; "
             "popinjay score tells what a trace would cost."},
    {.name = "hook",
     .type = PJ_PARAM_CHOICE,
     .offset = offsetof(pj_record_opts, hook),
     .shown = "HOOK",
     .choices = hooks,
     .preset = "auto",
     .help = "How calls are seen: frame (Python 3.9 to 3.11), monitor (from 3.12 on), profile."},
    {.name = "all",
     .type = PJ_PARAM_FLAG,
     .offset = offsetof(pj_record_opts, all),
     .help = "Functions of importlib and of frozen modules, too."},
    {.name = "no-python",
     .type = PJ_PARAM_FLAG,
     .offset = offsetof(pj_record_opts, no_python),
     .help = "Only regions, and functions where the program itself switches them on."},
    {.name = "children",
     .type = PJ_PARAM_CHOICE,
     .offset = offsetof(pj_record_opts, children),
     .shown = "YES",
     .choices = answers,
     .preset = "yes",
     .help = "Whether Python processes that a recorded one starts are recorded."},
    {.name = "max-size",
     .type = PJ_PARAM_SIZE,
     .offset = offsetof(pj_record_opts, max_size),
     .shown = "SIZE",
     .help = "Of the events of one process; there its recording ends, and a note says so."},
    {.name = "keep-files",
     .type = PJ_PARAM_FLAG,
     .offset = offsetof(pj_record_opts, keep),
     .help = "Keep the parts that the archive was made of."},
    {0},
};

const char *pj_record_site(pj_arena *arena, pj_err *err)
{
    const char *path = pj_datadir_find(arena, "share/popinjay/python/site", "share/python/site");
    if (!path)
        pj_fail(err, PJ_E_MISSING, "share/popinjay/python", 0,
                "the recorder's Python files are not installed");
    return path;
}

static size_t count_of(const char *const *texts)
{
    size_t count = 0;
    while (texts && texts[count])
        count++;
    return count;
}

/// The value of a row; NULL where it is not given.
static const char *value_of(const pj_param *row, const void *field, pj_arena *arena)
{
    if (row->type == PJ_PARAM_FLAG)
        return *(const bool *)field ? "1" : NULL;
    if (row->type == PJ_PARAM_TEXT || row->type == PJ_PARAM_CHOICE || row->type == PJ_PARAM_PATH)
        return *(const char *const *)field;
    uint64_t number = 0;
    if (row->type == PJ_PARAM_SIZE || row->type == PJ_PARAM_COUNT)
        number = *(const uint64_t *)field;
    return number ? pj_arena_format(arena, "%llu", (unsigned long long)number) : NULL;
}

/// "POPINJAY_RECORD_MAX_SIZE=1000" of "max-size"
static const char *setting_of(const pj_param *row, const void *field, pj_arena *arena)
{
    const char *value = value_of(row, field, arena);
    char *setting = (char *)pj_arena_format(arena, PREFIX "_%s=%s", row->name, value ? value : "");
    for (char *at = setting + sizeof PREFIX; *at != '='; at++)
        *at = (char)(*at == '-' ? '_' : toupper((unsigned char)*at));
    return setting;
}

const char *const *pj_record_settings(const pj_record_opts *opts, const char *folder,
                                      const char *const *more, pj_arena *arena, pj_err *err)
{
    enum { OWN = 2 };
    const char *site = pj_record_site(arena, err);
    const char *path = getenv("PYTHONPATH");
    if (!site)
        return NULL;
    size_t added = count_of(more), used = 0;
    const char **all =
        pj_new_n(arena, const char *, OWN + added + sizeof pj_record_rows / sizeof *pj_record_rows);
    all[used++] = pj_arena_format(arena, PREFIX "=%s", folder);
    all[used++] = pj_arena_format(arena, "PYTHONPATH=%s%s%s", site, path && *path ? ":" : "",
                                  path ? path : "");
    // What was set for another recording must not reach this one: every variable is said.
    for (const pj_param *row = pj_record_rows; row->name; row++)
        all[used++] = setting_of(row, (const char *)opts + row->offset, arena);
    for (size_t i = 0; i < added; i++)
        all[used++] = more[i];
    return all;
}

static void add_word(pj_texts *words, const char *word)
{
    pj_grow(words->items, &words->cap, words->count + 1);
    words->items[words->count++] = word;
}

void pj_record_opts_words(const pj_record_opts *opts, pj_arena *arena, pj_texts *words)
{
    for (const pj_param *row = pj_record_rows; row->name; row++) {
        const char *value = value_of(row, (const char *)opts + row->offset, arena);
        if (value && row->type == PJ_PARAM_FLAG)
            add_word(words, pj_arena_format(arena, "--%s", row->name));
        else if (value)
            add_word(words, pj_arena_format(arena, "--%s=%s", row->name, value));
    }
}
