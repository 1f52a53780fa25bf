// One row per command that is answered; the others are refused with the reason.
#include "kernel/jupyter/variables.h"

#include "kernel/command/jsontext.h"
#include "metrics/base/str.h"

typedef struct debugger {
    pj_lang *lang;
    atomic_bool *started;
    const json_t *arguments;
} debugger;

static json_t *attach(const debugger *d)
{
    atomic_store(d->started, true);
    return json_object();
}

static json_t *detach(const debugger *d)
{
    atomic_store(d->started, false);
    return json_object();
}

static json_t *nothing(const debugger *d)
{
    (void)d;
    return json_object();
}

static json_t *no_breakpoints(const debugger *d)
{
    (void)d;
    return json_pack("{s:[]}", "breakpoints");
}

static json_t *no_file(const debugger *d)
{
    (void)d;
    return json_pack("{s:s}", "sourcePath", "");
}

static json_t *info(const debugger *d)
{
    return json_pack("{s:b, s:s, s:i, s:s, s:s, s:[], s:[], s:b, s:[], s:b}", "isStarted",
                     atomic_load(d->started), "hashMethod", "Murmur2", "hashSeed", 0,
                     "tmpFilePrefix", "", "tmpFileSuffix", "", "breakpoints", "stoppedThreads",
                     "richRendering", 1, "exceptionPaths", "copyToGlobals", 0);
}

static json_t *inspect(const debugger *d)
{
    return json_pack("{s:o}", "variables", pj_lang_variables(d->lang));
}

static json_t *inspect_one(const debugger *d)
{
    json_t *bundle = pj_lang_variable(d->lang, pj_jsontext_str(d->arguments, "variableName"));
    return bundle ? bundle : json_pack("{s:{}, s:{}}", "data", "metadata");
}

static const struct {
    const char *command;
    json_t *(*body)(const debugger *d);
} rows[] = {
    {"initialize", nothing},
    {"attach", attach},
    {"configurationDone", nothing},
    {"disconnect", detach},
    {"terminate", detach},
    {"debugInfo", info},
    {"setBreakpoints", no_breakpoints},
    {"setExceptionBreakpoints", no_breakpoints},
    {"dumpCell", no_file},
    {"inspectVariables", inspect},
    {"richInspectVariables", inspect_one},
};

json_t *pj_variables_answer(pj_lang *lang, atomic_bool *started, const json_t *request)
{
    debugger d = {lang, started, json_object_get(request, "arguments")};
    pj_str command = pj_jsontext_str(request, "command");
    json_t *body = NULL;
    for (size_t i = 0; !body && i < sizeof rows / sizeof *rows; i++)
        if (pj_str_equal(command, pj_str_of(rows[i].command)))
            body = rows[i].body(&d);
    json_int_t seq = pj_jsontext_int(request, "seq", 0);
    json_t *reply = json_pack("{s:s, s:I, s:I, s:b, s:o, s:o}", "type", "response", "seq", seq,
                              "request_seq", seq, "success", body != NULL, "command",
                              pj_jsontext_string(command), "body", body ? body : json_object());
    if (!body)
        json_object_set_new(reply, "message",
                            json_string("this kernel shows variables, it does not stop in cells"));
    return reply;
}
