// Orders.
#include "kernel/commands/record/record_order.h"

#include "kernel/command/call.h"
#include "kernel/command/child.h"
#include "kernel/commands/record/record_folder.h"
#include "metrics/base/fingerprint.h"
#include "metrics/base/newfile.h"
#include "metrics/base/str.h"

#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#define SCRIPT_NAME "cell"

/// A text that is no program is a line of words.
static bool command_words(const pj_record_said *said, pj_arena *arena, pj_texts *words, pj_err *err)
{
    pj_texts own = {0};
    const char *command = said->command;
    bool whole = said->args->count || !strchr(command, ' ') || access(command, X_OK) == 0;
    bool ok = whole || pj_call_split(pj_str_of(command), arena, &own, err);
    size_t first = whole ? 1 : own.count;
    words->count = first + said->args->count;
    words->items = pj_new_n(arena, const char *, words->count + 1);
    for (size_t i = 0; ok && i < words->count; i++)
        words->items[i] = i >= first ? said->args->items[i - first]
                          : whole    ? command
                                     : own.items[i];
    free(own.items);
    return ok &&
           (words->count > 0 || pj_fail(err, PJ_E_USAGE, NULL, 0, "record: the command is empty"));
}

static bool check_program(const pj_texts *words, pj_err *err)
{
    const char *program = words->items[0];
    return pj_child_exists(program) || access(program, X_OK) == 0 ||
           pj_fail(err, PJ_E_MISSING, NULL, 0, "%s: there is no such program", program);
}

static bool check_said(const pj_record_said *said, pj_err *err)
{
    if (!said->command && !said->script)
        return pj_fail(err, PJ_E_USAGE, NULL, 0,
                       "record: say what to run: popinjay record -- python3 app.py");
    return !said->command || !said->script ||
           pj_fail(err, PJ_E_USAGE, NULL, 0, "record: give a command or a script, not both");
}

/// The interpreter runs a file in the folder; what the script imports lies where we are.
static void script_words(pj_record_order *order, pj_arena *arena)
{
    char here[PATH_MAX];
    order->words.count = 2;
    order->words.items = pj_new_n(arena, const char *, order->words.count + 1);
    order->words.items[0] = "python3";
    order->words.items[1] = pj_arena_format(arena, "%s/" SCRIPT_NAME ".py", order->folder);
    if (getcwd(here, sizeof here))
        order->opts.home = pj_arena_text(arena, pj_str_of(here));
}

static void add_options(pj_record_order *order, pj_arena *arena)
{
    char digits[PJ_FINGERPRINT_TEXT];
    pj_texts words = {0};
    pj_record_opts_words(&order->opts, arena, &words);
    order->options.items = pj_new_n(arena, const char *, words.count + 1);
    for (size_t i = 0; i < words.count; i++)
        order->options.items[order->options.count++] = words.items[i];
    free(words.items);
    if (order->script) {
        pj_fingerprint_text(pj_fingerprint_of(pj_str_of(order->script)), digits);
        order->options.items[order->options.count++] = pj_arena_format(arena, "script %s", digits);
    }
}

bool pj_record_order_of(const pj_record_said *said, pj_arena *arena, pj_record_order *out,
                        pj_err *err)
{
    *out = (pj_record_order){.name = SCRIPT_NAME, .script = said->script, .opts = *said->opts};
    out->opts.profile |= out->opts.sample > 0;
    if (!check_said(said, err) || (said->command && !command_words(said, arena, &out->words, err)))
        return false;
    if (said->command)
        out->name = pj_record_folder_name(&out->words, arena);
    out->folder = pj_record_folder_path(said->folder, out->name, said->study, arena, err);
    if (!out->folder)
        return false;
    if (said->script)
        script_words(out, arena);
    add_options(out, arena);
    return check_program(&out->words, err);
}

bool pj_record_order_begin(const pj_record_order *order, bool keep, pj_err *err)
{
    if (!keep && !pj_record_folder_aside(order->folder, order->folder, err))
        return false;
    if (!pj_record_folder_make(order->folder, err))
        return false;
    return !order->script || pj_newfile_put(order->words.items[1], pj_str_of(order->script), err);
}
