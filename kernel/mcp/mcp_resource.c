// Resources: "popinjay://metrics/SET", "popinjay://help/COMMAND", "popinjay://schema/COMMAND".
#include "kernel/mcp/mcp_resource.h"

#include "kernel/command/command.h"
#include "kernel/command/help.h"
#include "kernel/command/schema.h"
#include "kernel/command/session.h"
#include "kernel/mcp/mcp.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "metrics/pop/metricset.h"
#include "widgets/table/definitions.h"

#include <stdlib.h>

static bool add_metrics(const pj_session *session, pj_str key, pj_buf *out)
{
    (void)session;
    const pj_metric_set *set = pj_metric_set_by_key(key);
    if (set)
        pj_definitions_md(&set, 1, out);
    return set != NULL;
}

static bool add_help(const pj_session *session, pj_str key, pj_buf *out)
{
    const pj_command *command = pj_command_find(key, PJ_IN_SHELL);
    if (command)
        pj_help_command(command, session, out);
    return command != NULL;
}

static bool add_schema(const pj_session *session, pj_str key, pj_buf *out)
{
    const pj_command *command = pj_command_find(key, PJ_IN_SHELL);
    if (!command)
        return false;
    json_t *schema = pj_schema_answer(command, session);
    char *text = json_dumps(schema, JSON_COMPACT);
    pj_buf_puts(out, text);
    free(text);
    json_decref(schema);
    return true;
}

static const struct kind {
    const char *prefix, *what, *mime;
    bool (*add)(const pj_session *session, pj_str key, pj_buf *out);
} kinds[] = {
    {"popinjay://metrics/", "Metrics of the set", "text/markdown", add_metrics},
    {"popinjay://help/", "Help on", "text/plain", add_help},
    {"popinjay://schema/", "JSON Schema of the answer of", "application/json", add_schema},
};

static json_t *resource(const struct kind *kind, const char *key)
{
    json_t *item = json_pack("{s:s, s:s}", "name", key, "mimeType", kind->mime);
    json_object_set_new(item, "uri", json_sprintf("%s%s", kind->prefix, key));
    json_object_set_new(item, "description", json_sprintf("%s %s", kind->what, key));
    return item;
}

json_t *pj_mcp_resource_list(void)
{
    json_t *list = json_array();
    const pj_metric_set *set;
    const pj_command *command;
    for (size_t i = 0; (set = pj_metric_set_at(i)); i++)
        json_array_append_new(list, resource(&kinds[0], set->key));
    for (size_t k = 1; k < sizeof kinds / sizeof *kinds; k++)
        for (size_t i = 0; (command = pj_command_at(i)); i++)
            if (command->reads)
                json_array_append_new(list, resource(&kinds[k], command->name));
    return json_pack("{s:o}", "resources", list);
}

/// Whole lines up to the size of an answer, JSON's quoting allowed for.
static void cut(pj_buf *text)
{
    enum { MOST = PJ_MCP_MOST / 2 };
    static const char rest[] = "(cut here: popinjay help in a shell shows all of it)\n";
    if (text->len <= MOST)
        return;
    text->len = pj_str_find_last(pj_str_head(pj_buf_str(text), MOST), '\n') + 1;
    pj_buf_puts(text, rest);
}

json_t *pj_mcp_resource_read(pj_session *session, const json_t *params, pj_err *err)
{
    const char *uri = json_string_value(json_object_get(params, "uri"));
    for (size_t k = 0; uri && k < sizeof kinds / sizeof *kinds; k++) {
        pj_auto_buf text = {0};
        pj_str prefix = pj_str_of(kinds[k].prefix);
        if (!pj_str_starts(pj_str_of(uri), prefix) ||
            !kinds[k].add(session, pj_str_from(pj_str_of(uri), prefix.len), &text))
            continue;
        cut(&text);
        return json_pack("{s:[{s:s, s:s, s:s}]}", "contents", "uri", uri, "mimeType", kinds[k].mime,
                         "text", text.at);
    }
    pj_fail(err, PJ_E_MISSING, NULL, 0, "there is no resource \"%s\"", uri ? uri : "");
    return NULL;
}
