// Cells: flags, counter, history, outputs, user expressions, and the abort of what waits behind a
// failure.
#include "kernel/execute.h"

#include "kernel/jsontext.h"

#include <stdio.h>

// The face

static void write_stream(void *self, pj_stream stream, pj_str text)
{
    pj_kernel *kernel = self;
    kernel->out.write(kernel->out.self, kernel->current, stream, text);
}

static void show(void *self, const pj_display *display)
{
    pj_kernel *kernel = self;
    kernel->out.publish(kernel->out.self,
                        pj_publish_display(kernel->origin, kernel->current, display));
}

static void clear_output(void *self, bool wait)
{
    pj_kernel *kernel = self;
    kernel->out.publish(kernel->out.self, pj_publish_clear(kernel->origin, kernel->current, wait));
}

static bool ask(void *self, const char *prompt, bool password, pj_buf *out, pj_err *err)
{
    pj_kernel *kernel = self;
    if (!kernel->current || !kernel->allow_stdin)
        return pj_fail(err, PJ_E_MISSING, NULL, 0,
                       "the front end does not take questions here (allow_stdin is off)");
    pj_post *question = pj_ask_input(kernel->origin, kernel->current, prompt, password);
    char id[64];
    pj_post_id(kernel->origin, question, id, sizeof id);
    pj_prompt_open(kernel->prompt, id);
    kernel->out.send(kernel->out.self, question);
    return pj_prompt_wait(kernel->prompt, kernel->stop, out, err);
}

static void add_payload(void *self, json_t *payload)
{
    pj_kernel *kernel = self;
    if (kernel->payload)
        json_array_append(kernel->payload, payload);
}

pj_face pj_execute_face(pj_kernel *kernel)
{
    return (pj_face){
        .self = kernel,
        .write = write_stream,
        .display = show,
        .clear = clear_output,
        .input = ask,
        .payload = add_payload,
        .rich = true,
        .colour = true,
    };
}

// Cells

typedef struct cell {
    pj_str code;
    bool silent, store, stop_on_error;
    int count; // what its messages show
} cell;

/// The specification's defaults for what is absent.
static cell read_cell(pj_kernel *kernel, const pj_request *request)
{
    const json_t *content = request->content;
    cell c = {.code = pj_jsontext_str(content, "code")};
    c.silent = pj_jsontext_flag(content, "silent", false);
    c.store = !c.silent && pj_jsontext_flag(content, "store_history", true);
    c.stop_on_error = pj_jsontext_flag(content, "stop_on_error", true);
    kernel->allow_stdin = pj_jsontext_flag(content, "allow_stdin", true);
    kernel->count += c.store;
    c.count = kernel->count;
    return c;
}

static json_t *evaluate(pj_kernel *kernel, const json_t *expressions)
{
    json_t *values = json_object(), *expression;
    const char *name;
    json_object_foreach((json_t *)expressions, name, expression)
    {
        pj_str code = {json_string_value(expression), json_string_length(expression)};
        json_object_set_new(values, name, pj_lang_expression(kernel->lang, code));
    }
    return values;
}

static void publish_result(pj_kernel *kernel, pj_request *request, const cell *c,
                           const pj_outcome *outcome)
{
    if (!outcome->data || c->silent)
        return;
    kernel->out.publish(kernel->out.self, pj_publish_result(kernel->origin, request, c->count,
                                                            outcome->data, outcome->metadata));
    if (c->store)
        pj_history_set_output(kernel->history, c->count,
                              pj_jsontext_str(outcome->data, "text/plain"));
}

static json_t *succeed(pj_kernel *kernel, pj_request *request, const cell *c,
                       const pj_outcome *outcome)
{
    publish_result(kernel, request, c, outcome);
    json_t *values = evaluate(kernel, json_object_get(request->content, "user_expressions"));
    return json_pack("{s:s, s:i, s:o, s:O}", "status", "ok", "execution_count", c->count,
                     "user_expressions", values, "payload", kernel->payload);
}

/// Cells that wait are marked before anybody hears of the failure: what is sent from then on is
/// sent knowingly and must run.
static json_t *fail(pj_kernel *kernel, pj_request *request, const cell *c,
                    const pj_outcome *outcome)
{
    if (c->stop_on_error)
        pj_inbox_abort_cells(kernel->inbox);
    kernel->out.publish(kernel->out.self,
                        pj_publish_error(kernel->origin, request, outcome->error));
    json_t *reply = json_pack("{s:s, s:i, s:{}, s:O}", "status", "error", "execution_count",
                              c->count, "user_expressions", "payload", kernel->payload);
    json_object_update_missing(reply, outcome->error);
    return reply;
}

json_t *pj_execute(pj_kernel *kernel, pj_request *request)
{
    cell c = read_cell(kernel, request);
    if (!c.silent)
        kernel->out.publish(kernel->out.self,
                            pj_publish_input(kernel->origin, request, c.code, c.count));
    if (c.store)
        pj_history_add(kernel->history, c.count, c.code);
    kernel->payload = json_array();
    char name[32];
    snprintf(name, sizeof name, "cell %d", c.count);
    pj_cell_opts opts = {.name = name, .silent = c.silent, .execution_count = c.count};
    pj_outcome outcome = pj_lang_run(kernel->lang, c.code, opts);
    json_t *reply =
        outcome.ok ? succeed(kernel, request, &c, &outcome) : fail(kernel, request, &c, &outcome);
    pj_outcome_clear(&outcome);
    json_decref(kernel->payload);
    kernel->payload = NULL;
    return reply;
}
