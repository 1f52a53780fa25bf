// Help texts; nothing here knows a command by name.
#include "kernel/command/help.h"

#include "kernel/command/session.h"
#include "kernel/command/setting.h"
#include "metrics/base/buf.h"
#include "metrics/base/str.h"
#include "metrics/pop/metricset.h"
#include "widgets/figure/textlines.h"
#include "widgets/table/definitions.h"

#include <stdlib.h>

static bool is_option(const pj_param *param)
{
    return !(param->place & PJ_IN_SHELL);
}

static const char *shown_value(const pj_param *param)
{
    return param->shown ? param->shown : "VALUE";
}

void pj_help_overview(pj_buf *out)
{
    pj_buf_puts(out, "popinjay " PJ_VERSION
                     ": POP efficiency metrics of parallel programs, in the shell and in Jupyter\n"
                     "\n"
                     "usage: popinjay COMMAND [ARGUMENT]...\n"
                     "       popinjay --version\n"
                     "\n");
    const pj_command *command;
    for (size_t i = 0; (command = pj_command_at(i)); i++)
        if (command->faces & PJ_IN_SHELL)
            pj_buf_addf(out, "  %-10s %s\n", command->name, command->summary);
    pj_buf_puts(out, "\n"
                     "popinjay help COMMAND says more, with every option;\n"
                     "popinjay help settings what the environment sets, help formats what is\n"
                     "read and written, help causes what low values come from, help lua what\n"
                     "the command language has.\n"
                     "\n"
                     "  popinjay metrics run_*.prv.gz              the efficiency table\n"
                     "  popinjay metrics run_*.prv --export t.pdf  the same as a PDF\n"
                     "  popinjay install --user                    the kernel for Jupyter\n");
}

static void add_place(const pj_param *param, pj_buf *out)
{
    const char *dots = pj_param_many(param) ? "..." : "";
    pj_buf_addf(out, param->required ? " %s%s" : " [%s%s]", shown_value(param), dots);
}

static void add_option(const pj_param *param, pj_buf *out)
{
    const char *again = pj_param_many(param) ? "..." : "";
    if (param->type == PJ_PARAM_FLAG)
        pj_buf_addf(out, " [--%s]", param->name);
    else if (param->letter)
        pj_buf_addf(out, " [-%c %s]%s", param->letter, shown_value(param), again);
    else
        pj_buf_addf(out, " [--%s %s]%s", param->name, shown_value(param), again);
}

void pj_help_usage(const pj_command *command, pj_buf *out)
{
    pj_param p;
    pj_buf_addf(out, "popinjay %s", command->name);
    for (size_t index = 0; pj_command_param_at(command, index, &p); index++)
        if (!is_option(&p))
            add_place(&p, out);
    for (size_t index = 0; pj_command_param_at(command, index, &p); index++)
        if (is_option(&p))
            add_option(&p, out);
}

/// "roi-cut" as a Lua name.
static void add_lua_name(const char *name, pj_buf *out)
{
    for (; *name; name++)
        pj_buf_add_char(out, *name == '-' ? '_' : *name);
}

void pj_help_signature(const pj_command *command, pj_buf *out)
{
    pj_param p;
    size_t count = 0;
    pj_buf_addf(out, "%s(", command->name);
    for (size_t index = 0; pj_command_param_at(command, index, &p); index++)
        if (p.place & PJ_IN_LUA)
            pj_buf_addf(out, p.required ? "%s%s" : "%s[%s]", count++ ? ", " : "", p.name);
    bool first = true;
    for (size_t index = 0; pj_command_param_at(command, index, &p); index++) {
        if (p.place & PJ_IN_LUA)
            continue;
        pj_buf_puts(out, !first ? ", " : count ? ", {" : "{");
        add_lua_name(p.lua ? p.lua : p.name, out);
        pj_buf_puts(out, " = ...");
        first = false;
    }
    pj_buf_puts(out, first ? ")" : "})");
}

static void add_choices(const pj_param *param, const pj_session *session, pj_buf *out)
{
    const char *valid;
    for (size_t i = 0; (valid = pj_param_choice(param, session, i)); i++)
        pj_buf_addf(out, "%s%s", i ? ", " : "", valid);
}

/// Sentence, valid values, suffixes, default.
static void add_meaning(const pj_param *param, const pj_session *session, pj_buf *out)
{
    pj_buf_puts(out, param->help);
    if (pj_param_choice(param, session, 0)) {
        pj_buf_puts(out, " Valid: ");
        add_choices(param, session, out);
        pj_buf_puts(out, ".");
    }
    const char *suffix;
    for (size_t i = 0; param->suffix && (suffix = param->suffix(i)); i++)
        pj_buf_addf(out, "%s.%s", i ? ", " : " Suffixes: ", suffix);
    if (param->suffix)
        pj_buf_puts(out, ".");
    if (param->preset)
        pj_buf_addf(out, " Default: %s.", param->preset);
}

/// "-y, --metric METRIC", "TRACE...".
static void add_heading(const pj_param *param, pj_buf *out)
{
    const char *dots = pj_param_many(param) ? "..." : "";
    if (!is_option(param)) {
        pj_buf_addf(out, "%s%s", shown_value(param), dots);
        return;
    }
    if (param->letter)
        pj_buf_addf(out, "-%c, ", param->letter);
    pj_buf_addf(out, "--%s", param->name);
    if (param->type != PJ_PARAM_FLAG)
        pj_buf_addf(out, " %s", shown_value(param));
    if (pj_param_many(param))
        pj_buf_puts(out, " (again for more)");
}

void pj_help_param(const pj_param *param, const pj_session *session, pj_buf *out)
{
    pj_auto_buf text = {0};
    pj_buf_puts(out, "  ");
    add_heading(param, out);
    pj_buf_puts(out, "\n");
    add_meaning(param, session, &text);
    pj_textlines_wrap(out, "      ", pj_buf_str(&text), PJ_HELP_COLUMNS);
}

static void add_params(const pj_command *command, const pj_session *session, bool options,
                       pj_buf *out)
{
    pj_param p;
    bool any = false;
    for (size_t index = 0; pj_command_param_at(command, index, &p); index++) {
        if (is_option(&p) != options)
            continue;
        if (!any)
            pj_buf_puts(out, options ? "\noptions:\n" : "\narguments:\n");
        any = true;
        pj_help_param(&p, session, out);
    }
}

static void add_paragraphs(const char *detail, pj_buf *out)
{
    pj_str rest = pj_str_of(detail);
    while (rest.len) {
        pj_str paragraph = pj_str_cut(&rest, '\n');
        pj_buf_puts(out, "\n");
        pj_textlines_wrap(out, "", paragraph, PJ_HELP_COLUMNS);
    }
}

void pj_help_command(const pj_command *command, const pj_session *session, pj_buf *out)
{
    pj_auto_buf usage = {0};
    pj_buf_addf(out, "%s\n\n", command->summary);
    if (command->faces & PJ_IN_SHELL) {
        pj_help_usage(command, &usage);
        pj_textlines_wrap(out, "usage: ", pj_buf_str(&usage), PJ_HELP_COLUMNS);
    }
    if (command->faces & PJ_IN_LUA) {
        usage.len = 0;
        pj_help_signature(command, &usage);
        pj_textlines_wrap(out, "Lua:   ", pj_buf_str(&usage), PJ_HELP_COLUMNS);
    }
    add_paragraphs(command->detail, out);
    add_params(command, session, false, out);
    add_params(command, session, true, out);
    if (command->example)
        pj_buf_addf(out, "\nexample:\n  %s\n", command->example);
}

/// Markdown that is read in a terminal too: metrics are items of a list, text is broken into lines;
/// headings and tables stay.
static void add_wrapped(pj_str text, pj_buf *out)
{
    bool blank = false;
    while (text.len) {
        pj_str line = pj_str_cut(&text, '\n');
        bool metric = pj_str_starts(line, PJ_S("**"));
        if (!line.len) {
            blank = true;
            continue;
        }
        pj_buf_puts(out, blank ? "\n" : "");
        blank = false;
        if (line.at[0] == '#' || line.at[0] == '|')
            pj_buf_addf(out, PJ_STR_FMT "\n", PJ_STR_ARG(line));
        else
            pj_textlines_wrap(out, metric ? "- " : "", line, PJ_HELP_COLUMNS);
    }
}

void pj_help_metrics(pj_buf *out)
{
    pj_auto_buf text = {0};
    const pj_metric_set *set, **sets = NULL;
    size_t count = 0, cap = 0;
    for (; (set = pj_metric_set_at(count)); sets[count++] = set)
        pj_grow(sets, &cap, count + 1);
    pj_buf_puts(&text,
                "# Metrics of popinjay " PJ_VERSION "\n\n"
                "Keys stand in brackets: columns of CSV, keys of JSON, fields in the command "
                "language and values of `popinjay plot scaling -y`. "
                "A set is chosen with `popinjay metrics --set KEY`.\n\n## Definitions\n\n");
    pj_definitions_md(sets, count, &text);
    add_wrapped(pj_buf_str(&text), out);
    free(sets);
}

/// Text for roff: backslashes and dashes escaped, no line that begins with a control character.
static void add_roff(const char *text, pj_buf *out)
{
    if (*text == '.' || *text == '\'')
        pj_buf_puts(out, "\\&");
    for (; *text; text++) {
        if (*text == '\\')
            pj_buf_puts(out, "\\e");
        else if (*text == '-')
            pj_buf_puts(out, "\\-");
        else
            pj_buf_add_char(out, *text);
    }
}

static void add_roff_line(pj_buf *text, pj_buf *out)
{
    add_roff(text->at ? text->at : "", out);
    pj_buf_puts(out, "\n");
    text->len = 0;
}

static void add_man_command(const pj_command *command, pj_buf *out)
{
    pj_param p;
    pj_auto_buf text = {0};
    pj_buf_addf(out, ".SS %s\n", command->name);
    pj_buf_puts(&text, command->summary);
    pj_buf_puts(&text, ".");
    add_roff_line(&text, out);
    pj_buf_puts(out, ".PP\n.nh\n.B ");
    pj_help_usage(command, &text);
    add_roff_line(&text, out);
    pj_buf_puts(out, ".hy\n");
    pj_str rest = pj_str_of(command->detail);
    while (rest.len) {
        pj_buf_puts(out, ".PP\n");
        pj_buf_add(&text, pj_str_cut(&rest, '\n'));
        add_roff_line(&text, out);
    }
    for (size_t index = 0; pj_command_param_at(command, index, &p); index++) {
        pj_buf_puts(out, ".TP\n.B ");
        add_heading(&p, &text);
        add_roff_line(&text, out);
        add_meaning(&p, NULL, &text);
        add_roff_line(&text, out);
    }
}

void pj_help_man(pj_buf *out)
{
    pj_buf_puts(out, ".TH POPINJAY 1 \"\" \"popinjay " PJ_VERSION "\" \"User Commands\"\n"
                     ".SH NAME\n"
                     "popinjay \\- POP efficiency metrics of parallel programs\n"
                     ".SH SYNOPSIS\n.B popinjay\n.I COMMAND\n[\\fIARGUMENT\\fR]...\n"
                     ".SH DESCRIPTION\n"
                     "Loads traces of parallel programs, computes the POP efficiency metrics and "
                     "draws tables and plots, in the shell and as a kernel of Jupyter.\n"
                     ".SH COMMANDS\n");
    const pj_command *command;
    for (size_t i = 0; (command = pj_command_at(i)); i++)
        if (command->faces & PJ_IN_SHELL)
            add_man_command(command, out);
    pj_buf_puts(out, ".SH EXIT STATUS\n"
                     "0 done; 1 failed, or one of several traces could not be read; 2 wrong usage; "
                     "128+n ended by signal n.\n"
                     ".SH ENVIRONMENT\n.TP\n.B NO_COLOR\nNo colours on the terminal when set.\n");
    for (int id = 0; id < PJ_SETTINGS; id++) {
        const pj_setting *s = pj_setting_of((pj_setting_id)id);
        pj_buf_addf(out, ".TP\n.B %s\n%s Default: %s.\n", s->variable, s->help, s->otherwise);
    }
}

void pj_help_settings(pj_buf *out)
{
    pj_buf_puts(out, "Variables of the environment that popinjay heeds:\n");
    for (int id = 0; id < PJ_SETTINGS; id++) {
        const pj_setting *s = pj_setting_of((pj_setting_id)id);
        pj_buf_addf(out, "\n  %s=%s (default: %s)\n", s->variable, s->value, s->otherwise);
        pj_textlines_wrap(out, "      ", pj_str_of(s->help), PJ_HELP_COLUMNS);
    }
}
