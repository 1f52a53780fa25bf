// Tools: arguments go the way of every other face, answers are those of --json, cut to a size.
#include "kernel/mcp/mcp_tool.h"

#include "kernel/command/answer.h"
#include "kernel/command/call.h"
#include "kernel/command/command.h"
#include "kernel/command/face.h"
#include "kernel/command/schema.h"
#include "kernel/command/session.h"
#include "kernel/command/value.h"
#include "kernel/mcp/mcp.h"
#include "kernel/mcp/mcp_folders.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/num.h"
#include "metrics/base/str.h"

#include <stdlib.h>

/// What is around the text of an answer: brackets, id, messages.
enum { AROUND = 6000, MESSAGES_MOST = 4000 };

/// "row:101": where the next part begins; 0 for the first one.
static bool take_cursor(const json_t *params, uint64_t *row, pj_err *err)
{
    const json_t *cursor = json_object_get(params, "cursor");
    pj_str text = pj_str_of(json_string_value(cursor));
    *row = 0;
    if (!cursor || json_is_null(cursor))
        return true;
    return (pj_str_starts(text, PJ_S("row:")) && pj_parse_u64(pj_str_from(text, 4), row)) ||
           pj_fail(err, PJ_E_USAGE, NULL, 0,
                   "cursor: take it from the answer before, as it is (\"row:101\")");
}

static json_t *tool_of(const pj_command *command, const pj_session *session)
{
    pj_auto_buf text = {0};
    json_t *schema = pj_schema_arguments(command, session, true);
    json_object_set_new(json_object_get(schema, "properties"), "cursor",
                        json_pack("{s:s, s:s}", "type", "string", "description",
                                  "Of truncated in an answer: gives its next part."));
    pj_buf_addf(&text, "%s. %s", command->summary, command->detail);
    return json_pack("{s:s, s:s, s:o, s:{s:s, s:b, s:b}}", "name", command->name, "description",
                     text.at, "inputSchema", schema, "annotations", "title", command->summary,
                     "readOnlyHint", 1, "openWorldHint", 0);
}

json_t *pj_mcp_tool_list(pj_session *session, const json_t *params, pj_err *err)
{
    const pj_command *command;
    uint64_t from;
    size_t size = AROUND;
    if (!take_cursor(params, &from, err))
        return NULL;
    json_t *tools = json_array(), *list = json_pack("{s:o}", "tools", tools);
    for (size_t i = from; (command = pj_command_at(i)); i++) {
        if (!command->reads)
            continue;
        json_t *tool = tool_of(command, session);
        size += json_dumpb(tool, NULL, 0, JSON_COMPACT) + 1;
        if (size > PJ_MCP_MOST && json_array_size(tools)) {
            json_decref(tool);
            json_object_set_new(list, "nextCursor", json_sprintf("row:%zu", i));
            break;
        }
        json_array_append_new(tools, tool);
    }
    return list;
}

/// What commands tell people goes along with the answer.
static void keep_messages(void *self, pj_stream stream, pj_str text)
{
    pj_buf *messages = self;
    if (stream == PJ_STDERR && messages->len < MESSAGES_MOST)
        pj_buf_add(messages, pj_str_head(text, MESSAGES_MOST - messages->len));
}

static void show_nothing(void *self, const pj_display *display)
{
    (void)self, (void)display;
}

static void clear_nothing(void *self, bool wait)
{
    (void)self, (void)wait;
}

static bool nobody_answers(void *self, const char *prompt, bool password, pj_buf *out, pj_err *err)
{
    (void)self, (void)prompt, (void)password, (void)out;
    return pj_fail(err, PJ_E_MISSING, NULL, 0, "nobody is there to answer");
}

static void no_payload(void *self, json_t *payload)
{
    (void)self, (void)payload;
}

static bool is_path(const pj_param *param)
{
    return param->type == PJ_PARAM_INPUTS || param->type == PJ_PARAM_PATH;
}

/// One value of an argument into a list.
static bool add_value(const pj_mcp_folders *folders, const pj_param *param, const json_t *item,
                      pj_value *list, pj_err *err)
{
    if (json_is_string(item) && is_path(param))
        return pj_mcp_folders_admit(folders, json_string_value(item), list, err);
    if (json_is_string(item))
        pj_value_list_add_take(list, pj_value_text(json_string_value(item)));
    else if (json_is_number(item))
        pj_value_list_add_take(list, pj_value_number(json_number_value(item)));
    else if (json_is_boolean(item))
        pj_value_list_add_take(list, pj_value_flag(json_is_true(item)));
    else
        return pj_fail(err, PJ_E_USAGE, NULL, 0,
                       "%s wants texts, numbers or true and false, and lists of them", param->name);
    return true;
}

/// NAME = INPUT of Lua has no place here: what is no argument is refused.
static bool unknown_argument(const pj_command *command, const char *name, pj_err *err)
{
    pj_param param;
    pj_auto_buf list = {0};
    for (size_t i = 0; pj_command_param_at(command, i, &param); i++) {
        char *known = pj_schema_name(&param);
        if (!param.output)
            pj_buf_addf(&list, "%s%s", list.len ? ", " : "", known);
        free(known);
    }
    return pj_fail(err, PJ_E_USAGE, NULL, 0, "%s: there is no argument \"%s\"; arguments: %s",
                   command->name, name, list.at ? list.at : "none");
}

static bool take_argument(pj_call *call, const pj_mcp_folders *folders, const char *name,
                          const json_t *given, pj_value *kept, pj_err *err)
{
    pj_param param;
    bool known = pj_command_param(call->command, pj_str_of(name), &param);
    if (!known || param.output)
        return unknown_argument(call->command, name, err);
    if (json_is_null(given))
        return true;
    pj_value list = pj_value_list_new();
    pj_value_list_add_take(kept, list);
    bool ok = true;
    for (size_t i = 0; ok && json_is_array(given) && i < json_array_size(given); i++)
        ok = add_value(folders, &param, json_array_get(given, i), &list, err);
    if (!json_is_array(given))
        ok = add_value(folders, &param, given, &list, err);
    if (!ok || !list.list->count)
        return ok;
    bool one = !pj_param_many(&param) && list.list->count == 1;
    return pj_call_option(call, pj_str_of(name), one ? list.list->items[0] : list, err);
}

static bool take_arguments(pj_call *call, const pj_mcp_folders *folders, json_t *arguments,
                           pj_value *kept, pj_err *err)
{
    const char *name;
    json_t *given;
    if (arguments && !json_is_object(arguments))
        return pj_fail(err, PJ_E_USAGE, NULL, 0, "arguments is no object");
    json_object_foreach(arguments, name, given) if (strcmp(name, "cursor") != 0 &&
                                                    !take_argument(call, folders, name, given, kept,
                                                                   err)) return false;
    return true;
}

/// In the place of the option that the shell has.
static void name_cursor(json_t *answer)
{
    json_t *part = json_object_get(answer, "truncated");
    if (!json_object_get(part, "rest"))
        return;
    json_int_t next = json_integer_value(json_object_get(part, "from")) +
                      json_integer_value(json_object_get(part, "shown"));
    json_object_set_new(part, "cursor", json_sprintf("row:%lld", (long long)next));
    json_object_del(part, "rest");
}

/// As many rows as an answer may hold, as text; NULL where one alone is too long.
static char *fitting_answer(const pj_session *session, const pj_value *value, uint64_t from)
{
    enum { FIRST_TRY = 1000 };
    for (uint64_t rows = FIRST_TRY; rows;) {
        json_t *answer =
            pj_answer_new(session, value, (pj_answer_args){.rows = rows, .from = from});
        name_cursor(answer);
        if (session->status)
            json_object_set_new(answer, "status", json_integer(session->status));
        char *text = json_dumps(answer, JSON_COMPACT | JSON_REAL_PRECISION(17));
        json_t *quoted = json_string(text);
        size_t size = json_dumpb(quoted, NULL, 0, JSON_ENCODE_ANY | JSON_COMPACT) + AROUND;
        const json_t *part = json_object_get(answer, "truncated");
        uint64_t shown = json_is_null(part)
                             ? json_array_size(json_object_get(answer, "rows"))
                             : (uint64_t)json_integer_value(json_object_get(part, "shown"));
        shown = shown ? shown : rows; // a text
        json_decref(quoted);
        json_decref(answer);
        if (size <= PJ_MCP_MOST)
            return text;
        free(text);
        rows = shown > 1 ? shown * 9 / 10 * PJ_MCP_MOST / size : 0;
        rows = rows || shown <= 1 ? rows : 1;
    }
    return NULL;
}

static json_t *content_of(const char *text, const pj_buf *messages, bool is_error)
{
    json_t *content = json_array();
    json_array_append_new(content, json_pack("{s:s, s:s}", "type", "text", "text", text));
    json_t *said = json_stringn(messages->at ? messages->at : "", messages->len);
    if (said && messages->len)
        json_array_append_new(content, json_pack("{s:s, s:O}", "type", "text", "text", said));
    json_decref(said);
    return json_pack("{s:o, s:b}", "content", content, "isError", is_error);
}

static json_t *complain(const pj_err *err, const pj_buf *messages)
{
    char text[1600];
    return content_of(pj_err_message(err, text, sizeof text), messages, true);
}

static json_t *run_call(pj_call *call, uint64_t from, const pj_buf *messages)
{
    pj_err err = {0};
    pj_auto_value value = {0};
    pj_session *session = call->session;
    bool ok = pj_call_run(call, &value, &err);
    if (!ok)
        return complain(&err, messages);
    session->command = call->command->name;
    char *text = fitting_answer(session, &value, from);
    session->command = NULL;
    if (!text) {
        pj_fail(&err, PJ_E_USAGE, NULL, 0,
                "one row alone is more than an answer may hold: ask for less of it");
        return complain(&err, messages);
    }
    json_t *content = content_of(text, messages, false);
    free(text);
    return content;
}

json_t *pj_mcp_tool_call(pj_session *session, const pj_mcp_folders *folders, const json_t *params,
                         pj_err *err)
{
    const char *name = json_string_value(json_object_get(params, "name"));
    json_t *arguments = json_object_get(params, "arguments");
    const pj_command *command = name ? pj_command_find(pj_str_of(name), PJ_IN_SHELL) : NULL;
    uint64_t from;
    if (!command || !command->reads) {
        pj_fail(err, PJ_E_USAGE, NULL, 0, "there is no tool \"%s\"", name ? name : "");
        return NULL;
    }
    if (!take_cursor(arguments, &from, err))
        return NULL;
    pj_auto_buf messages = {0};
    pj_face face = {.self = &messages,
                    .write = keep_messages,
                    .display = show_nothing,
                    .clear = clear_nothing,
                    .input = nobody_answers,
                    .payload = no_payload};
    pj_session *own = pj_session_beside(session, &face, session->stop);
    pj_auto_value kept = pj_value_list_new();
    pj_err problem = {0};
    pj_call call;
    pj_call_begin(&call, own, command);
    json_t *result = take_arguments(&call, folders, arguments, &kept, &problem)
                         ? run_call(&call, from, &messages)
                         : complain(&problem, &messages);
    pj_call_end(&call);
    pj_session_free(own);
    return result;
}
