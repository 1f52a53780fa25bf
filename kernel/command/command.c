// The registry of commands and how its rows are looked up.
#include "kernel/command/command.h"

#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "metrics/base/suggest.h"

#define COMMAND(name) extern const pj_command pj_command_##name;
#include "kernel/commands/commands.def"
#undef COMMAND

static const pj_command *const commands[] = {
#define COMMAND(name) &pj_command_##name,
#include "kernel/commands/commands.def"
#undef COMMAND
};

const pj_command *pj_command_at(size_t index)
{
    return index < sizeof commands / sizeof *commands ? commands[index] : NULL;
}

const pj_command *pj_command_find(pj_str name, unsigned faces)
{
    const pj_command *command;
    for (size_t i = 0; (command = pj_command_at(i)); i++)
        if ((command->faces & faces) && pj_str_equal(pj_str_of(command->name), name))
            return command;
    return NULL;
}

static const char *lead_of(const pj_command *command, pj_str word)
{
    for (const pj_lead *lead = command->leads; lead && lead->word; lead++)
        if (pj_str_equal(pj_str_of(lead->word), word))
            return lead->to;
    return NULL;
}

bool pj_command_unknown(pj_str name, unsigned faces, pj_err *err)
{
    static const char *const others[] = {"--version", "--help"};
    pj_suggest suggest = {.word = name};
    pj_auto_buf list = {0};
    const pj_command *command;
    const char *lead = NULL;
    for (size_t i = 0; (faces & PJ_IN_SHELL) && i < sizeof others / sizeof *others; i++)
        pj_suggest_try(&suggest, others[i]);
    for (size_t i = 0; (command = pj_command_at(i)); i++) {
        if (!(command->faces & faces))
            continue;
        pj_suggest_try(&suggest, command->name);
        lead = lead ? lead : lead_of(command, name);
        pj_buf_addf(&list, "%s%s", list.len ? ", " : "", command->name);
    }
    suggest.best = lead ? lead : suggest.best;
    return pj_fail(err, PJ_E_USAGE, NULL, 0,
                   "unknown command \"" PJ_STR_FMT "\"%s%s%s commands: %s", PJ_STR_ARG(name),
                   suggest.best ? "; did you mean " : "", suggest.best ? suggest.best : "",
                   suggest.best ? "?" : ";", list.at ? list.at : "none");
}

static char folded(char c)
{
    return c == '_' ? '-' : c;
}

static bool same_name(pj_str a, pj_str b)
{
    bool same = a.len == b.len;
    for (size_t i = 0; same && i < a.len; i++)
        same = folded(a.at[i]) == folded(b.at[i]);
    return same;
}

bool pj_command_param_at(const pj_command *command, size_t index, pj_param *out)
{
    size_t before = 0;
    for (const pj_param_group *group = command->groups; group->rows; group++)
        for (const pj_param *row = group->rows; row->name; row++, before++) {
            if (before != index)
                continue;
            bool first = row == group->rows;
            *out = *row;
            out->index = index;
            out->offset += group->base;
            out->help = first && group->help ? group->help : row->help;
            out->place |= first ? group->place : 0;
            return true;
        }
    return false;
}

bool pj_command_param(const pj_command *command, pj_str name, pj_param *out)
{
    for (size_t i = 0; pj_command_param_at(command, i, out); i++)
        if (same_name(pj_str_of(out->name), name) ||
            (out->lua && same_name(pj_str_of(out->lua), name)))
            return true;
    return false;
}

bool pj_command_letter(const pj_command *command, char letter, pj_param *out)
{
    for (size_t i = 0; letter && pj_command_param_at(command, i, out); i++)
        if (out->letter == letter)
            return true;
    return false;
}

bool pj_command_body(const pj_command *command, pj_param *out)
{
    for (size_t i = 0; pj_command_param_at(command, i, out); i++)
        if (out->body)
            return true;
    return false;
}

bool pj_param_many(const pj_param *param)
{
    return param->type == PJ_PARAM_TEXTS || param->type == PJ_PARAM_REST ||
           param->type == PJ_PARAM_INPUTS;
}

const char *pj_param_choice(const pj_param *param, const pj_session *session, size_t index)
{
    if (param->choice)
        return param->choice(session, index);
    for (size_t i = 0; param->choices && param->choices[i]; i++)
        if (i == index)
            return param->choices[i];
    return NULL;
}
