// Rows of commands as JSON Schema (draft 2020-12).
#include "kernel/command/schema.h"

#include "kernel/command/answer.h"
#include "kernel/command/kind.h"
#include "kernel/command/session.h"
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/str.h"
#include "metrics/pop/metricset.h"
#include "metrics/trace/import_stats.h"

#include <stdlib.h>

static json_t *typed(const char *type, const char *description)
{
    json_t *schema = json_pack("{s:s}", "type", type);
    if (description)
        json_object_set_new(schema, "description", json_string(description));
    return schema;
}

static json_t *list_of(json_t *items, const char *description)
{
    json_t *schema = typed("array", description);
    json_object_set_new(schema, "items", items);
    return schema;
}

/// An object that may hold more than what is named; `required` is a list of its own.
static json_t *object_of(json_t *properties, json_t *required, const char *description)
{
    json_t *schema = typed("object", description);
    json_object_set_new(schema, "properties", properties);
    if (required)
        json_object_set_new(schema, "required", required);
    return schema;
}

char *pj_schema_name(const pj_param *param)
{
    char *name = pj_take_memory(strlen(param->name) + 1);
    for (size_t i = 0; i <= strlen(param->name); i++)
        name[i] = (char)(param->name[i] == '-' ? '_' : param->name[i]);
    return name;
}

static json_t *choices_of(const pj_param *param, const pj_session *session)
{
    json_t *list = json_array();
    const char *valid;
    for (size_t i = 0; (valid = pj_param_choice(param, session, i)); i++)
        json_array_append_new(list, json_string(valid));
    return list;
}

/// One value of a parameter.
static json_t *value_of(const pj_param *param, const pj_session *session)
{
    json_t *schema;
    switch (param->type) {
    case PJ_PARAM_FLAG:
        return typed("boolean", NULL);
    case PJ_PARAM_COUNT:
        return json_pack("{s:s, s:i}", "type", "integer", "minimum", 1);
    case PJ_PARAM_NUMBER:
        return json_pack("{s:s, s:i}", "type", "number", "exclusiveMinimum", 0);
    case PJ_PARAM_PART:
        return json_pack("{s:s, s:i, s:i}", "type", "number", "minimum", 0, "maximum", 1);
    case PJ_PARAM_SIZE:
    case PJ_PARAM_DURATION:
    case PJ_PARAM_RATE:
        return json_pack("{s:[s, s]}", "type", "string", "number");
    case PJ_PARAM_TEXT:
    case PJ_PARAM_CHOICE:
    case PJ_PARAM_PATH:
    case PJ_PARAM_TEXTS:
    case PJ_PARAM_REST:
    case PJ_PARAM_INPUTS:
        break;
    }
    schema = typed("string", NULL);
    if (pj_param_choice(param, session, 0) && !param->open)
        json_object_set_new(schema, "enum", choices_of(param, session));
    return schema;
}

static json_t *param_of(const pj_param *param, const pj_session *session)
{
    pj_auto_buf help = {0};
    json_t *schema = value_of(param, session);
    if (pj_param_many(param))
        schema = list_of(schema, NULL);
    pj_buf_puts(&help, param->help);
    if (param->shown && (param->type == PJ_PARAM_TEXT || param->type == PJ_PARAM_DURATION))
        pj_buf_addf(&help, " Form: %s.", param->shown);
    if (param->preset)
        pj_buf_addf(&help, " Default: %s.", param->preset);
    json_object_set_new(schema, "description", json_string(help.at));
    return schema;
}

json_t *pj_schema_arguments(const pj_command *command, const pj_session *session, bool reading)
{
    pj_param p;
    json_t *properties = json_object(), *required = json_array();
    for (size_t i = 0; pj_command_param_at(command, i, &p); i++) {
        if (reading && p.output)
            continue;
        char *name = pj_schema_name(&p);
        json_object_set_new(properties, name, param_of(&p, session));
        if (p.required)
            json_array_append_new(required, json_string(name));
        free(name);
    }
    json_t *schema = object_of(properties, required, NULL);
    json_object_set_new(schema, "additionalProperties", json_false());
    return schema;
}

static json_t *any_value(void)
{
    return json_pack("{s:[s, s, s, s]}", "type", "string", "number", "boolean", "null");
}

/// Every metric that a set may give, by its key.
static json_t *metrics_of(const pj_command *command)
{
    json_t *properties = json_object();
    const pj_metric_set *set;
    pj_param p;
    if (!pj_command_param(command, PJ_S("set"), &p) || p.choice != pj_session_set_key)
        return properties;
    for (size_t i = 0; (set = pj_metric_set_at(i)); i++)
        for (size_t row = 0; row < set->count; row++)
            if (!json_object_get(properties, set->rows[row].key))
                json_object_set_new(properties, set->rows[row].key,
                                    json_pack("{s:[s, s], s:s, s:s}", "type", "number", "null",
                                              "title", set->rows[row].title, "description",
                                              set->rows[row].explanation
                                                  ? set->rows[row].explanation
                                                  : set->rows[row].title));
    return properties;
}

static json_t *row_of(const pj_command *command)
{
    json_t *properties = metrics_of(command);
    json_t *reasons = typed("object", "Why a value is null, by column.");
    json_object_set_new(reasons, "additionalProperties", typed("string", NULL));
    json_t *units = typed("object", "Units of numbers that have another one than their column.");
    json_object_set_new(units, "additionalProperties", typed("string", NULL));
    json_object_set_new(properties, "reasons", reasons);
    json_object_set_new(properties, "units", units);
    json_t *row = object_of(properties, NULL, "A value for every column, by its key.");
    json_object_set_new(row, "additionalProperties", any_value());
    return row;
}

static json_t *columns(void)
{
    json_t *properties = json_object();
    json_object_set_new(properties, "key", typed("string", "Its name in rows, CSV and Lua."));
    json_object_set_new(properties, "title", typed("string", "Its name for people."));
    json_object_set_new(properties, "unit",
                        typed("string", "Of its numbers: ns, s, B, B/s, GHz, ratio, core-hours."));
    return list_of(object_of(properties, json_pack("[s, s]", "key", "title"), NULL),
                   "The columns in their order.");
}

static json_t *remarks(void)
{
    json_t *severities = json_array(), *properties = json_object();
    for (pj_severity i = PJ_NOTE; i <= PJ_URGENT; i++)
        json_array_append_new(severities, json_string(pj_severity_name(i)));
    json_object_set_new(properties, "key", typed("string", "What it is about; kept."));
    json_object_set_new(properties, "severity", json_pack("{s:o}", "enum", severities));
    json_object_set_new(properties, "text", typed("string", NULL));
    return list_of(
        object_of(properties, json_pack("[s, s, s]", "key", "severity", "text"), NULL),
        "What has to be known of the numbers: a note is harmless, with a warning they may be "
        "touched, with a loss something is missing from them, urgent says that they answer "
        "another question.");
}

static json_t *count_of(const char *description)
{
    json_t *schema = typed("integer", description);
    json_object_set_new(schema, "minimum", json_integer(0));
    return schema;
}

static json_t *truncated(void)
{
    json_t *properties = json_object();
    json_object_set_new(properties, "rows", count_of("How many there are."));
    json_object_set_new(properties, "from", count_of("The first one shown, from 1."));
    json_object_set_new(properties, "shown", count_of("How many are shown."));
    json_object_set_new(properties, "rest", typed("string", "What to ask for the next ones with."));
    json_t *schema = object_of(properties, json_pack("[s, s, s]", "rows", "from", "shown"),
                               "Null where all rows are shown.");
    json_object_set_new(schema, "type", json_pack("[s, s]", "object", "null"));
    return schema;
}

static void add_about_metrics(json_t *properties)
{
    json_t *set = json_object(), *reference = json_object();
    json_object_set_new(set, "key", typed("string", NULL));
    json_object_set_new(set, "title", typed("string", NULL));
    json_object_set_new(set, "convention", typed("string", NULL));
    json_object_set_new(properties, "set",
                        object_of(set, json_pack("[s, s]", "key", "title"), "The metric set."));
    json_object_set_new(reference, "row", count_of("Among the rows, from 1."));
    json_object_set_new(reference, "trace", typed("string", NULL));
    json_object_set_new(reference, "layout", typed("string", NULL));
    json_t *run = object_of(reference, NULL, "The run that scalings compare with.");
    json_object_set_new(run, "type", json_pack("[s, s]", "object", "null"));
    json_object_set_new(properties, "reference", run);
    json_object_set_new(properties, "reference_reason",
                        typed("string", "Why there is no reference run."));
    json_object_set_new(properties, "scaling", json_pack("{s:[s, s]}", "enum", "strong", "weak"));
}

static json_t *kinds(void)
{
    json_t *names = json_array();
    const pj_kind *kind;
    for (size_t i = 0; (kind = pj_kind_at(i)); i++)
        json_array_append_new(names, json_string(kind->name));
    return json_pack("{s:o, s:s}", "enum", names, "description", "What the answer is.");
}

json_t *pj_schema_answer(const pj_command *command, const pj_session *session)
{
    json_t *properties = json_object();
    json_object_set_new(properties, "contract", json_pack("{s:i}", "const", PJ_ANSWER_CONTRACT));
    json_object_set_new(properties, "popinjay", typed("string", "Version of the program."));
    json_object_set_new(properties, "command", json_pack("{s:s}", "const", command->name));
    json_object_set_new(properties, "kind", kinds());
    json_object_set_new(properties, "title", typed("string", NULL));
    add_about_metrics(properties);
    json_object_set_new(properties, "columns", columns());
    json_object_set_new(properties, "rows", list_of(row_of(command), "Runs, ranks, functions ..."));
    json_object_set_new(properties, "value", any_value());
    json_object_set_new(properties, "text", typed("string", "Where the answer is a text."));
    json_object_set_new(properties, "remarks", remarks());
    json_object_set_new(properties, "truncated", truncated());
    json_t *required = json_pack("[s, s, s, s, s, s]", "contract", "popinjay", "command", "kind",
                                 "remarks", "truncated");
    json_t *schema = object_of(properties, required, command->summary);
    pj_auto_buf title = {0};
    pj_buf_addf(&title, "popinjay %s --json", command->name);
    json_object_set_new(schema, "$schema",
                        json_string("https://json-schema.org/draft/2020-12/schema"));
    json_object_set_new(schema, "title", json_string(title.at));
    json_object_set_new(
        schema, "$defs",
        json_pack("{s:o}", "arguments", pj_schema_arguments(command, session, false)));
    return schema;
}
