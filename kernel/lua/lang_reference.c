// All that the command language has beside commands, as one text.
#include "kernel/command/command.h"
#include "kernel/command/help.h"
#include "kernel/lua/lang.h"
#include "kernel/lua/lang_bind.h"
#include "kernel/lua/lang_type.h"
#include "kernel/lua/lang_value.h"
#include "kernel/lua/objects/lang_widget.h"
#include "metrics/base/buf.h"
#include "metrics/base/str.h"
#include "metrics/pop/measures.h"
#include "widgets/ipy/traits.h"

static void add_members(const pj_lang_member *members, pj_buf *out)
{
    for (const pj_lang_member *m = members; m && m->name; m++) {
        pj_auto_buf heading = {0};
        pj_buf_addf(&heading, "%s%s", m->property ? "." : "", m->property ? m->name : m->usage);
        pj_help_entry(heading.at, m->help, out);
    }
}

static void add_types(pj_buf *out)
{
    const pj_lang_type *type;
    for (size_t i = 0; (type = pj_lang_type_at(i)); i++) {
        const pj_lang_member *more = type->more == pj_lang_table_methods ? NULL : type->more;
        if (!(type->members && type->members->name) && !more)
            continue;
        pj_buf_addf(out, "\n%s:\n", type->name);
        if (type->members != pj_lang_table_methods)
            add_members(type->members, out);
        add_members(more, out);
    }
}

/// Those that the shell has not.
static void add_commands(pj_buf *out)
{
    const pj_command *command;
    for (size_t i = 0; (command = pj_command_at(i)); i++) {
        if ((command->faces & PJ_IN_SHELL) || !(command->faces & PJ_IN_LUA))
            continue;
        pj_auto_buf usage = {0};
        pj_help_signature(command, &usage);
        pj_help_entry(usage.at, command->detail ? command->detail : command->summary, out);
    }
}

void pj_lang_reference(pj_buf *out)
{
    pj_buf_puts(out,
                "The command language is Lua 5.4. Commands are functions (popinjay help COMMAND\n"
                "has their Lua form); a name with a dot is a field, one with a colon is called.\n");
    pj_buf_puts(out, "\nfunctions that the shell has not:\n");
    add_commands(out);
    add_members(pj_lang_verbs, out);
    add_types(out);
    pj_buf_puts(out, "\ntables, and all that is shown as one:\n");
    add_members(pj_lang_table_methods, out);
    pj_buf_puts(out, "\nmeasures, in formulas of metrics:\n");
    const pj_measures_row *row;
    for (size_t i = 0; (row = pj_measures_row_at(i)); i++)
        pj_help_entry(row->name, row->sentence, out);
    pj_buf_puts(out, "\nwidgets:\n");
    const pj_model *model;
    for (size_t i = 0; (model = pj_model_at(i)); i++) {
        pj_str title = pj_model_title(model);
        pj_buf_addf(out, "  widget." PJ_STR_FMT "{FIELD = VALUE, ...}\n", PJ_STR_ARG(title));
    }
    pj_buf_puts(out, "      help \"widget.Button\" lists the fields of one.\n"
                     "\nwidgets are called with:\n");
    add_members(pj_lang_widget_methods, out);
}
