// Completion for bash, made from the rows: commands, options, valid values, else file names.
#include "kernel/command/command.h"
#include "kernel/command/help.h"
#include "metrics/base/buf.h"

static void add_choices(const pj_param *param, pj_buf *out)
{
    const char *valid;
    for (size_t i = 0; (valid = pj_param_choice(param, NULL, i)); i++)
        pj_buf_addf(out, "%s%s", i ? " " : "", valid);
}

static void add_option(const pj_param *param, pj_buf *out)
{
    if (param->letter)
        pj_buf_addf(out, "-%c ", param->letter);
    pj_buf_addf(out, "--%s ", param->name);
}

/// What may follow one option: its valid values.
static void add_values(const pj_param *param, pj_buf *out)
{
    if (!pj_param_choice(param, NULL, 0))
        return;
    pj_buf_addf(out, "            --%s", param->name);
    if (param->letter)
        pj_buf_addf(out, "|-%c", param->letter);
    pj_buf_puts(out, ") words=\"");
    add_choices(param, out);
    pj_buf_puts(out, "\" ;;\n");
}

static void add_command(const pj_command *command, pj_buf *out)
{
    pj_param p;
    pj_buf_addf(out, "    %s)\n        words=\"", command->name);
    for (size_t index = 0; pj_command_param_at(command, index, &p); index++)
        if ((p.place & PJ_IN_SHELL) && !pj_param_many(&p))
            add_choices(&p, out);
    pj_buf_puts(out, "\"\n        [[ $cur == -* ]] && words=\"");
    for (size_t index = 0; pj_command_param_at(command, index, &p); index++)
        if (!(p.place & PJ_IN_SHELL))
            add_option(&p, out);
    pj_buf_puts(out, "\"\n        case $prev in\n");
    for (size_t index = 0; pj_command_param_at(command, index, &p); index++)
        if (!(p.place & PJ_IN_SHELL))
            add_values(&p, out);
    pj_buf_puts(out, "        esac ;;\n");
}

void pj_help_bash(pj_buf *out)
{
    const pj_command *command;
    pj_buf_puts(out, "# Completion of popinjay for bash; popinjay help --bash prints it.\n"
                     "_popinjay() {\n"
                     "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n"
                     "    local words=\"\"\n"
                     "    [ \"$COMP_CWORD\" = 1 ] && words=\"");
    for (size_t i = 0; (command = pj_command_at(i)); i++)
        if (command->faces & PJ_IN_SHELL)
            pj_buf_addf(out, "%s ", command->name);
    pj_buf_puts(out, "--version\"\n"
                     "    case ${COMP_WORDS[1]} in\n");
    for (size_t i = 0; (command = pj_command_at(i)); i++)
        if (command->faces & PJ_IN_SHELL)
            add_command(command, out);
    pj_buf_puts(out, "    esac\n"
                     "    COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
                     "}\n"
                     "complete -o default -o bashdefault -F _popinjay popinjay\n");
}
