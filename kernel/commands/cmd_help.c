// popinjay help [COMMAND]: what the rows say.
#include "kernel/command/command.h"
#include "kernel/command/help.h"
#include "kernel/command/schema.h"
#include "kernel/command/session.h"
#include "kernel/command/value.h"
#include "kernel/lua/lang.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"

#include <jansson.h>
#include <stdlib.h>

typedef struct help_args {
    const char *command;
    bool metrics, man, bash, schema;
} help_args;

/// What can be explained beside commands.
typedef struct topic {
    const char *name;
    void (*explain)(pj_buf *out);
} topic;

static const topic topics[] = {
    {"settings", pj_help_settings},
    {"formats", pj_help_formats},
    {"causes", pj_help_causes},
    {"lua", pj_lang_reference},
};

static const char *command_name(const pj_session *session, size_t index)
{
    (void)session;
    const pj_command *command;
    for (size_t i = 0; (command = pj_command_at(i)); i++)
        if ((command->faces & PJ_IN_SHELL) && index-- == 0)
            return command->name;
    return index < sizeof topics / sizeof topics[0] ? topics[index].name : NULL;
}

static const topic *topic_of(const char *name)
{
    for (size_t i = 0; i < sizeof topics / sizeof topics[0]; i++)
        if (strcmp(topics[i].name, name) == 0)
            return &topics[i];
    return NULL;
}

/// Of the answer of a command.
static void add_schema(const pj_session *session, const pj_command *command, pj_buf *out)
{
    json_t *schema = pj_schema_answer(command, session);
    char *text = json_dumps(schema, JSON_INDENT(1));
    pj_buf_puts(out, text);
    free(text);
    json_decref(schema);
}

static bool run_help(pj_session *session, const void *given, pj_value *out, pj_err *err)
{
    const help_args *args = given;
    pj_auto_buf text = {0};
    const pj_command *command =
        args->command ? pj_command_find(pj_str_of(args->command), PJ_IN_SHELL) : NULL;
    if (args->schema && !command)
        return pj_fail(
            err, PJ_E_USAGE, NULL, 0,
            "help: --schema wants the name of a command: popinjay help --schema metrics");
    if (args->schema)
        add_schema(session, command, &text);
    else if (args->metrics)
        pj_help_metrics(&text);
    else if (args->man)
        pj_help_man(&text);
    else if (args->bash)
        pj_help_bash(&text);
    else if (args->command && topic_of(args->command))
        topic_of(args->command)->explain(&text);
    else if (args->command)
        pj_help_command(command, session, &text);
    else
        pj_help_overview(&text);
    if (text.len && text.at[text.len - 1] == '\n')
        text.at[--text.len] = 0;
    *out = pj_value_text(text.at);
    return true;
}

static const pj_param params[] = {
    {.name = "command",
     .type = PJ_PARAM_CHOICE,
     .place = PJ_IN_BOTH,
     .offset = offsetof(help_args, command),
     .shown = "COMMAND",
     .choice = command_name,
     .help = "The command to explain, or a topic: settings (what the environment sets), formats "
             "(what is read and written), causes (what low values come from, and what to look "
             "at next), lua (the command language)."},
    {.name = "metrics",
     .type = PJ_PARAM_FLAG,
     .offset = offsetof(help_args, metrics),
     .help = "Prints what every metric is: formula and meaning, in Markdown."},
    {.name = "man",
     .type = PJ_PARAM_FLAG,
     .offset = offsetof(help_args, man),
     .help = "Prints the manual page in roff."},
    {.name = "bash",
     .type = PJ_PARAM_FLAG,
     .offset = offsetof(help_args, bash),
     .help = "Prints completion for bash."},
    {.name = "schema",
     .type = PJ_PARAM_FLAG,
     .offset = offsetof(help_args, schema),
     .help = "Prints the JSON Schema of what the command prints with --json."},
    {0},
};

const pj_command pj_command_help = {
    .name = "help",
    .summary = "Explain the program or one command",
    .detail = "Without a command: the list of commands. With one: its arguments, options, default "
              "and valid values. Options print what is installed as documents.",
    .example = "popinjay help metrics",
    .faces = PJ_IN_BOTH,
    .groups = (const pj_param_group[]){{.rows = params}, {0}},
    .args_size = sizeof(help_args),
    .run = run_help,
};
