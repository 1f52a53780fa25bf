// Calls of commands: arguments are bound, checked and run.
// Binding: every value goes through `store`, wherever it comes from.
#include "kernel/command/call.h"

#include "kernel/command/session.h"
#include "kernel/command/value.h"
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/num.h"
#include "metrics/base/str.h"
#include "metrics/base/suggest.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

void pj_call_begin(pj_call *call, pj_session *session, const pj_command *command)
{
    size_t count = 0;
    pj_param last;
    while (pj_command_param_at(command, count, &last))
        count++;
    *call = (pj_call){.command = command, .session = session, .arena = pj_arena_new(NULL)};
    call->args = pj_arena_alloc(call->arena, command->args_size ? command->args_size : 1);
    call->given = pj_new_n(call->arena, bool, count + 1);
}

void pj_call_end(pj_call *call)
{
    pj_param p;
    if (!call->arena)
        return;
    for (size_t index = 0; pj_command_param_at(call->command, index, &p); index++) {
        char *field = (char *)call->args + p.offset;
        if (p.type == PJ_PARAM_TEXTS || p.type == PJ_PARAM_REST)
            free(((pj_texts *)(void *)field)->items);
        if (p.type == PJ_PARAM_INPUTS) {
            free(((pj_inputs *)(void *)field)->items);
            free(((pj_inputs *)(void *)field)->names);
        }
    }
    pj_arena_free(call->arena);
    *call = (pj_call){0};
}

static bool refuse(const pj_call *call, const pj_param *param, pj_str value, pj_err *err)
{
    pj_suggest suggest = {.word = value};
    pj_auto_buf list = {0};
    const char *valid;
    for (size_t i = 0; (valid = pj_param_choice(param, call->session, i)); i++) {
        pj_suggest_try(&suggest, valid);
        pj_buf_addf(&list, "%s%s", i ? ", " : "", valid);
    }
    return pj_fail(err, PJ_E_USAGE, NULL, 0, "%s: unknown %s \"" PJ_STR_FMT "\"%s%s%s valid: %s",
                   call->command->name, param->name, PJ_STR_ARG(value),
                   suggest.best ? "; did you mean " : "", suggest.best ? suggest.best : "",
                   suggest.best ? "?" : ";", list.at ? list.at : "none");
}

static bool is_choice(const pj_call *call, const pj_param *param, pj_str value)
{
    const char *valid;
    for (size_t i = 0; (valid = pj_param_choice(param, call->session, i)); i++)
        if (pj_str_equal(pj_str_of(valid), value))
            return true;
    return false;
}

/// The value as text; numbers are written so that they read back the same.
static pj_str as_text(const pj_call *call, const pj_value *value)
{
    char number[32];
    if (value->kind == PJ_VALUE_TEXT)
        return pj_str_of(value->text);
    if (value->kind != PJ_VALUE_NUMBER)
        return (pj_str){0};
    size_t len = pj_format_double(value->number, number);
    return pj_arena_str(call->arena, (pj_str){number, len});
}

static bool misfit(const pj_call *call, const pj_param *param, const pj_value *value,
                   const char *wanted, pj_err *err)
{
    pj_str text = as_text(call, value);
    if (text.at)
        return pj_fail(err, PJ_E_USAGE, NULL, 0, "%s: %s: \"" PJ_STR_FMT "\" is no %s",
                       call->command->name, param->name, PJ_STR_ARG(text), wanted);
    return pj_fail(err, PJ_E_USAGE, NULL, 0, "%s: %s wants a %s, not a %s", call->command->name,
                   param->name, wanted, pj_value_name(value->kind));
}

static bool store_text(pj_call *call, const pj_param *param, const pj_value *value,
                       const char **field, pj_err *err)
{
    pj_str text = as_text(call, value);
    if (!text.at)
        return misfit(call, param, value, "text", err);
    bool listed = pj_param_choice(param, call->session, 0) != NULL;
    if (param->type == PJ_PARAM_CHOICE && listed && !param->open && !is_choice(call, param, text))
        return refuse(call, param, text, err);
    *field = pj_arena_text(call->arena, text);
    return true;
}

static bool store_text_more(pj_call *call, const pj_param *param, const pj_value *value,
                            pj_texts *field, pj_err *err)
{
    bool ok = true;
    if (value->kind == PJ_VALUE_LIST) {
        for (size_t i = 0; ok && i < value->list->count; i++)
            ok = store_text_more(call, param, &value->list->items[i], field, err);
        return ok;
    }
    pj_str text = as_text(call, value);
    if (!text.at)
        return misfit(call, param, value, "text", err);
    pj_grow(field->items, &field->cap, field->count + 1);
    field->items[field->count++] = pj_arena_text(call->arena, text);
    return true;
}

static void store_input(pj_inputs *field, pj_value value, const char *name)
{
    if (value.kind == PJ_VALUE_LIST) {
        for (size_t i = 0; i < value.list->count; i++)
            store_input(field, value.list->items[i], name);
        return;
    }
    size_t room = field->cap;
    pj_grow(field->items, &field->cap, field->count + 1);
    pj_grow(field->names, &room, field->count + 1);
    // Named ones stand in the order of their names: a table of Lua has no other.
    size_t at = field->count++;
    for (; name && at > 0 && field->names[at - 1] && strcmp(field->names[at - 1], name) > 0; at--) {
        field->names[at] = field->names[at - 1];
        field->items[at] = field->items[at - 1];
    }
    field->names[at] = name;
    field->items[at] = value;
}

static bool store_count(pj_call *call, const pj_param *param, const pj_value *value,
                        uint64_t *field, pj_err *err)
{
    return (pj_parse_u64(as_text(call, value), field) && *field > 0) ||
           misfit(call, param, value, "number from 1 up", err);
}

static bool store_number(pj_call *call, const pj_param *param, const pj_value *value, double *field,
                         pj_err *err)
{
    return (pj_parse_double(as_text(call, value), field) && *field > 0 && isfinite(*field)) ||
           misfit(call, param, value, "number above 0", err);
}

static bool store_part(pj_call *call, const pj_param *param, const pj_value *value, double *field,
                       pj_err *err)
{
    return (pj_parse_double(as_text(call, value), field) && *field > 0 && *field < 1) ||
           misfit(call, param, value, "number between 0 and 1", err);
}

static bool store_size(pj_call *call, const pj_param *param, const pj_value *value, uint64_t *field,
                       pj_err *err)
{
    return pj_parse_size(as_text(call, value), field) ||
           misfit(call, param, value, "size (64M, 2G, 2GB, 2GiB)", err);
}

static bool misfit_time(const pj_call *call, const pj_param *param, const pj_value *value,
                        pj_err *err)
{
    pj_str text = as_text(call, value);
    double number;
    if (pj_parse_double(text, &number) && number > 0)
        return pj_fail(err, PJ_E_USAGE, NULL, 0,
                       "%s: %s: a time wants its unit (ns, us, ms, s): did you mean " PJ_STR_FMT
                       "ns or " PJ_STR_FMT "us?",
                       call->command->name, param->name, PJ_STR_ARG(text), PJ_STR_ARG(text));
    return misfit(call, param, value, "time (500ns, 2us, 1.5ms, 1s)", err);
}

static bool store_duration(pj_call *call, const pj_param *param, const pj_value *value,
                           double *field, pj_err *err)
{
    return (pj_parse_duration(as_text(call, value), field) && *field >= 0) ||
           misfit_time(call, param, value, err);
}

static bool store_rate(pj_call *call, const pj_param *param, const pj_value *value, double *field,
                       pj_err *err)
{
    return (pj_parse_rate(as_text(call, value), field) && *field > 0) ||
           misfit(call, param, value, "rate in bytes per second (100M, 12.5G, inf)", err);
}

static bool store(pj_call *call, const pj_param *param, pj_value value, pj_err *err)
{
    void *field = (char *)call->args + param->offset;
    bool *given = &call->given[param->index];
    if (*given && !pj_param_many(param))
        return pj_fail(err, PJ_E_USAGE, NULL, 0, "%s: %s is given twice", call->command->name,
                       param->name);
    *given = true;
    switch (param->type) {
    case PJ_PARAM_FLAG:
        if (value.kind != PJ_VALUE_BOOL)
            return misfit(call, param, &value, "true or false", err);
        *(bool *)field = value.flag;
        return true;
    case PJ_PARAM_TEXT:
    case PJ_PARAM_CHOICE:
    case PJ_PARAM_PATH:
        return store_text(call, param, &value, field, err);
    case PJ_PARAM_TEXTS:
    case PJ_PARAM_REST:
        return store_text_more(call, param, &value, field, err);
    case PJ_PARAM_INPUTS:
        store_input(field, value, NULL);
        return true;
    case PJ_PARAM_COUNT:
        return store_count(call, param, &value, field, err);
    case PJ_PARAM_NUMBER:
        return store_number(call, param, &value, field, err);
    case PJ_PARAM_PART:
        return store_part(call, param, &value, field, err);
    case PJ_PARAM_SIZE:
        return store_size(call, param, &value, field, err);
    case PJ_PARAM_DURATION:
        return store_duration(call, param, &value, field, err);
    case PJ_PARAM_RATE:
        return store_rate(call, param, &value, field, err);
    }
    return true;
}

static bool unknown_option(const pj_call *call, pj_str name, pj_err *err)
{
    pj_param p;
    pj_suggest suggest = {.word = name};
    pj_auto_buf list = {0};
    for (size_t index = 0; pj_command_param_at(call->command, index, &p); index++) {
        if (p.place & PJ_IN_SHELL)
            continue;
        pj_suggest_try(&suggest, p.name);
        pj_buf_addf(&list, "%s%s", list.len ? ", " : "", p.name);
    }
    return pj_fail(
        err, PJ_E_USAGE, NULL, 0, "%s: unknown option \"" PJ_STR_FMT "\"%s%s%s options: %s",
        call->command->name, PJ_STR_ARG(name), suggest.best ? "; did you mean " : "",
        suggest.best ? suggest.best : "", suggest.best ? "?" : ";", list.at ? list.at : "none");
}

static bool looks_like_path(pj_str text)
{
    for (size_t i = 0; i < text.len; i++)
        if (strchr("/.*?[", text.at[i]))
            return true;
    return false;
}

/// NAME = INPUT: what is no option, nor a slip for one, names a profile.
static bool named_inputs(const pj_call *call, pj_str name, const pj_value *value, pj_param *inputs)
{
    pj_suggest suggest = {.word = name};
    pj_param p;
    bool found = false;
    for (size_t index = 0; pj_command_param_at(call->command, index, &p); index++) {
        pj_suggest_try(&suggest, p.name);
        if (p.named) {
            *inputs = p;
            found = true;
        }
    }
    if (value->kind != PJ_VALUE_TEXT)
        return found && (value->kind == PJ_VALUE_PROFILE || value->kind == PJ_VALUE_RUN);
    return found && (access(value->text, F_OK) == 0 ||
                     (!suggest.best && looks_like_path(pj_str_of(value->text))));
}

bool pj_call_option(pj_call *call, pj_str name, pj_value value, pj_err *err)
{
    pj_param param;
    if (pj_command_param(call->command, name, &param) ||
        (name.len == 1 && pj_command_letter(call->command, name.at[0], &param)))
        return store(call, &param, value, err);
    if (!named_inputs(call, name, &value, &param))
        return unknown_option(call, name, err);
    call->given[param.index] = true;
    store_input((void *)((char *)call->args + param.offset), value,
                pj_arena_text(call->arena, name));
    return true;
}

/// Whether a value may stand at the place of `param`. In the shell a choice may be left out before
/// a path. In Lua it takes what it lists, and behind the inputs also what is meant to be one (and
/// is refused with a list).
static bool fits_place(const pj_call *call, const pj_param *param, unsigned face, bool after_many,
                       const pj_value *value)
{
    bool text = value->kind == PJ_VALUE_TEXT;
    if (param->type == PJ_PARAM_INPUTS)
        return true;
    if (!text)
        return value->kind == PJ_VALUE_NUMBER;
    pj_str word = pj_str_of(value->text);
    if (face == PJ_IN_SHELL)
        return param->required || param->type != PJ_PARAM_CHOICE || !looks_like_path(word);
    if (param->type == PJ_PARAM_CHOICE && is_choice(call, param, word))
        return true;
    return after_many ? !looks_like_path(word) : param->type != PJ_PARAM_CHOICE;
}

bool pj_call_place(pj_call *call, unsigned face, pj_value value, pj_err *err)
{
    pj_param p;
    pj_param many = {.name = NULL};
    for (size_t index = 0; pj_command_param_at(call->command, index, &p); index++) {
        if (!(p.place & face))
            continue;
        bool given = call->given[p.index];
        if (given && pj_param_many(&p))
            many = p;
        else if (!given && fits_place(call, &p, face, many.name != NULL, &value))
            return store(call, &p, value, err);
    }
    if (many.name)
        return store(call, &many, value, err);
    pj_str text = as_text(call, &value);
    if (text.at)
        return pj_fail(err, PJ_E_USAGE, NULL, 0, "%s: \"" PJ_STR_FMT "\" is one argument too many",
                       call->command->name, PJ_STR_ARG(text));
    return pj_fail(err, PJ_E_USAGE, NULL, 0, "%s: a %s cannot stand here", call->command->name,
                   pj_value_name(value.kind));
}

/// "bufferpercent=1": a value that an option may also do without.
static bool is_assignment(const char *word)
{
    size_t key = strspn(word, "abcdefghijklmnopqrstuvwxyz");
    return key > 0 && word[key] == '=';
}

/// One word "--name[=value]" or "-x[value]"; `*index` moves past a value in the next word.
static bool take_option(pj_call *call, size_t count, const char *const *words, size_t *index,
                        pj_err *err)
{
    pj_str word = pj_str_of(words[*index]);
    bool lengthy = pj_str_starts(word, PJ_S("--"));
    pj_str name = pj_str_from(word, lengthy ? 2 : 1), value = {0};
    pj_param param;
    bool known;
    if (lengthy) {
        size_t equals = pj_str_find(name, '=');
        if (equals < name.len)
            value = (pj_str){name.at + equals + 1, name.len - equals - 1};
        name = pj_str_head(name, equals);
        known = pj_command_param(call->command, name, &param);
    } else {
        known = pj_command_letter(call->command, name.at[0], &param);
        if (known && name.len > 1)
            value = pj_str_from(name, 1);
        name = pj_str_head(name, known ? 1 : name.len);
    }
    if (!known || (param.place & PJ_IN_SHELL))
        return unknown_option(call, name, err);
    if (param.type == PJ_PARAM_FLAG) {
        if (value.at)
            return pj_fail(err, PJ_E_USAGE, NULL, 0, "%s: --%s takes no value", call->command->name,
                           param.name);
        return store(call, &param, pj_value_flag(true), err);
    }
    if (param.bare && !value.at && !(*index + 1 < count && is_assignment(words[*index + 1])))
        return store(call, &param, pj_value_borrow_text(param.bare), err);
    if (!value.at && *index + 1 == count)
        return pj_fail(err, PJ_E_USAGE, NULL, 0, "%s: --%s wants a value%s%s", call->command->name,
                       param.name, param.shown ? ": " : "", param.shown ? param.shown : "");
    const char *text = value.at ? pj_arena_text(call->arena, value) : words[++*index];
    return store(call, &param, pj_value_borrow_text(text), err);
}

/// Whether the turn of a parameter that takes every further word has come.
static bool open_rest(const pj_call *call, pj_param *rest)
{
    for (size_t index = 0; pj_command_param_at(call->command, index, rest); index++) {
        if (rest->type == PJ_PARAM_REST)
            return true;
        if ((rest->place & PJ_IN_SHELL) && !call->given[index])
            return false;
    }
    return false;
}

bool pj_call_words(pj_call *call, size_t count, const char *const *words, pj_err *err)
{
    bool options = true;
    for (size_t i = 0; i < count; i++) {
        const char *word = words[i];
        pj_param rest;
        bool ok;
        if (open_rest(call, &rest))
            ok = store(call, &rest, pj_value_borrow_text(word), err);
        else if (options && strcmp(word, "--") == 0)
            ok = !(options = false);
        else if (options && word[0] == '-' && word[1])
            ok = take_option(call, count, words, &i, err);
        else
            ok = pj_call_place(call, PJ_IN_SHELL, pj_value_borrow_text(word), err);
        if (!ok)
            return false;
    }
    return true;
}

static bool takes_rest(const pj_command *command)
{
    pj_param p;
    for (size_t index = 0; pj_command_param_at(command, index, &p); index++)
        if (p.type == PJ_PARAM_REST)
            return true;
    return false;
}

bool pj_call_asks_help(const pj_command *command, size_t count, const char *const *words)
{
    bool rest = takes_rest(command);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(words[i], "--") == 0 || (rest && words[i][0] != '-'))
            return false;
        if (strcmp(words[i], "--help") == 0 || strcmp(words[i], "-h") == 0)
            return true;
    }
    return false;
}

/// Whether a word is an option whose value is the next word.
static bool wants_next(const pj_command *command, const char *word)
{
    pj_param p;
    bool known = word[1] == '-'
                     ? !strchr(word, '=') && pj_command_param(command, pj_str_of(word + 2), &p)
                     : !word[2] && pj_command_letter(command, word[1], &p);
    return known && p.type != PJ_PARAM_FLAG && !p.bare;
}

bool pj_call_leaves_places(const pj_command *command, size_t count, const char *const *words)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(words[i], "--") == 0)
            return i + 1 == count;
        if (words[i][0] != '-' || !words[i][1])
            return false;
        i += wants_next(command, words[i]);
    }
    return true;
}

bool pj_call_check(const pj_call *call, pj_err *err)
{
    pj_param p;
    for (size_t index = 0; pj_command_param_at(call->command, index, &p); index++)
        if (p.required && !call->given[p.index])
            return pj_fail(err, PJ_E_USAGE, NULL, 0, "%s: %s is missing; see popinjay help %s",
                           call->command->name, p.place & PJ_IN_SHELL && p.shown ? p.shown : p.name,
                           call->command->name);
    return true;
}

bool pj_call_run(pj_call *call, pj_value *out, pj_err *err)
{
    const char *outer = call->session->command; // of a script
    *out = (pj_value){0};
    call->session->command = call->command->name;
    bool ok = pj_call_check(call, err) && call->command->run(call->session, call->args, out, err);
    call->session->command = outer;
    return ok;
}

/// One word from `*at` on; false when a quote is not closed.
static bool take_word(pj_str line, size_t *at, pj_buf *word)
{
    char quote = 0;
    for (; *at < line.len; ++*at) {
        char c = line.at[*at];
        if (c == '\\' && quote != '\'' && *at + 1 < line.len)
            pj_buf_add_char(word, line.at[++*at]);
        else if (quote ? c == quote : (c == '"' || c == '\''))
            quote = quote ? 0 : c;
        else if (!quote && (c == ' ' || c == '\t'))
            break;
        else
            pj_buf_add_char(word, c);
    }
    return !quote;
}

bool pj_call_split(pj_str line, pj_arena *arena, pj_texts *out, pj_err *err)
{
    size_t at = 0;
    for (;;) {
        while (at < line.len && (line.at[at] == ' ' || line.at[at] == '\t'))
            at++;
        if (at >= line.len)
            return true;
        pj_auto_buf word = {0};
        if (!take_word(line, &at, &word))
            return pj_fail(err, PJ_E_USAGE, NULL, 0, "a quote is not closed in: " PJ_STR_FMT,
                           PJ_STR_ARG(line));
        pj_grow(out->items, &out->cap, out->count + 1);
        out->items[out->count++] = pj_arena_text(arena, pj_buf_str(&word));
    }
}
