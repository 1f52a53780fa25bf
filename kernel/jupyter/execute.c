// Cells: flags, counter, history, outputs, user expressions, and the abort of what waits behind a
// failure.
#include "kernel/jupyter/execute.h"

#include "kernel/command/face.h"
#include "kernel/command/jsontext.h"
#include "kernel/jupyter/comm.h"
#include "kernel/jupyter/history.h"
#include "kernel/jupyter/inbox.h"
#include "kernel/jupyter/kept.h"
#include "kernel/jupyter/message.h"
#include "kernel/jupyter/prompt.h"
#include "kernel/jupyter/request.h"
#include "kernel/jupyter/subshell.h"
#include "kernel/lua/lang.h"
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "widgets/ipy/channel.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { PIECE = 64 << 10, STOP_POLL_MS = 10 };

// The face

/// Under what output appears: the execution that made the widget whose handler runs, for there its
/// user looks; front ends keep what answers a message of a comm in a log.
static pj_request *place_of(const pj_subshell *shell)
{
    return shell->maker ? shell->maker : shell->current;
}

/// Keeps the order between what the cell and what libraries print.
static void settle(pj_subshell *shell, bool glance)
{
    pj_kernel *kernel = shell->kernel;
    if (shell->role == PJ_SUBSHELL_MAIN || shell->role == PJ_SUBSHELL_CHILD)
        kernel->out.settle(kernel->out.self, shell->current, glance);
}

/// Who makes output waits until there is room for it, unless it is interrupted.
static void wait_for_room(pj_subshell *shell, bool stream)
{
    pj_kernel *kernel = shell->kernel;
    int ms;
    while (!atomic_load(shell->stop) && (ms = kernel->out.delay(kernel->out.self, stream))) {
        bool aside = pj_lang_step_aside(shell->lang);
        nanosleep(&(struct timespec){.tv_nsec = 1000000 * (ms < STOP_POLL_MS ? ms : STOP_POLL_MS)},
                  NULL);
        pj_lang_step_back(shell->lang, aside);
    }
}

static void write_stream(void *self, pj_stream stream, pj_str text)
{
    pj_subshell *shell = self;
    pj_kernel *kernel = shell->kernel;
    settle(shell, true);
    for (pj_str piece; text.len; text = pj_str_from(text, piece.len)) {
        piece = pj_str_head(text, PIECE);
        wait_for_room(shell, true);
        kernel->out.write(kernel->out.self, place_of(shell), stream, piece);
    }
}

/// A display or a result.
static void publish_output(pj_subshell *shell, pj_post *take)
{
    pj_kernel *kernel = shell->kernel;
    settle(shell, false);
    wait_for_room(shell, false);
    kernel->out.publish(kernel->out.self, take);
}

static void show(void *self, const pj_display *display)
{
    pj_subshell *shell = self;
    pj_kernel *kernel = shell->kernel;
    publish_output(shell, pj_publish_display(kernel->origin, place_of(shell), display));
}

static void clear_output(void *self, bool wait)
{
    pj_subshell *shell = self;
    pj_kernel *kernel = shell->kernel;
    publish_output(shell, pj_publish_clear(kernel->origin, place_of(shell), wait));
}

static bool ask(void *self, const char *prompt, bool password, pj_buf *out, pj_err *err)
{
    pj_subshell *shell = self;
    pj_kernel *kernel = shell->kernel;
    if (!shell->current || !shell->allow_stdin)
        return pj_fail(err, PJ_E_MISSING, NULL, 0,
                       "the front end does not take questions here (allow_stdin is off)");
    settle(shell, false);
    pj_post *question = pj_ask_input(kernel->origin, shell->current, prompt, password);
    char id[64];
    pj_post_id(kernel->origin, question, id, sizeof id);
    pj_prompt_open(shell->prompt, id);
    kernel->out.send(kernel->out.self, question);
    return pj_prompt_wait(shell->prompt, shell->stop, out, err);
}

static void add_payload(void *self, json_t *payload)
{
    pj_subshell *shell = self;
    if (shell->payload)
        json_array_append(shell->payload, payload);
}

static void complain(void *self, pj_str text)
{
    pj_subshell *shell = self;
    pj_kernel *kernel = shell->kernel;
    kernel->out.write(kernel->out.self, place_of(shell), PJ_STDERR, text);
}

static void publish_comm(pj_subshell *shell, const char *type, const pj_comm_message *message)
{
    pj_kernel *kernel = shell->kernel;
    kernel->out.publish(kernel->out.self,
                        pj_publish_comm(kernel->origin, shell->current, type, message));
}

static void open_comm(void *self, const pj_comm_message *message)
{
    pj_subshell *shell = self;
    pj_comms_add(shell->kernel->comms, pj_str_of(message->id), pj_str_of(message->target),
                 place_of(shell));
    publish_comm(shell, "comm_open", message);
}

static void send_comm(void *self, const pj_comm_message *message)
{
    publish_comm(self, "comm_msg", message);
}

static void close_comm(void *self, const pj_comm_message *message)
{
    pj_subshell *shell = self;
    pj_comms_remove(shell->kernel->comms, pj_str_of(message->id));
    publish_comm(shell, "comm_close", message);
}

/// The cell that errands are run for.
typedef struct desk {
    pj_kernel *kernel;
    pj_request *request; // held; may be NULL
    char owner[80];
} desk;

static void post_errand(void *self, const pj_errand *errand)
{
    desk *d = self;
    pj_inbox_item item = {.errand = *errand,
                          .request = d->request ? pj_request_hold(d->request) : NULL};
    memcpy(item.owner, d->owner, sizeof item.owner);
    pj_subshells_give_errand_take(d->kernel->shells, item);
}

static void close_desk(void *self)
{
    desk *d = self;
    pj_request_drop(d->request);
    free(d);
}

static pj_desk open_desk(void *self, const char *owner)
{
    pj_subshell *shell = self;
    pj_request *request = shell->maker ? shell->maker : shell->current;
    desk *d = pj_take_memory(sizeof *d);
    *d = (desk){.kernel = shell->kernel, .request = request ? pj_request_hold(request) : NULL};
    snprintf(d->owner, sizeof d->owner, "%s", owner);
    return (pj_desk){d, post_errand, close_desk};
}

static json_t *earlier(void *self, uint64_t cell, size_t *gone)
{
    pj_subshell *shell = self;
    return pj_kept_outputs(shell->kernel->kept, cell, shell->current, gone);
}

pj_face pj_execute_face(pj_subshell *shell)
{
    return (pj_face){
        .self = shell,
        .write = write_stream,
        .display = show,
        .clear = clear_output,
        .input = ask,
        .payload = add_payload,
        .earlier = earlier,
        .complain = complain,
        .comms = {shell, open_comm, send_comm, close_comm},
        .desk = open_desk,
        .rich = true,
        .colour = true,
    };
}

// Cells

typedef struct cell {
    pj_str code;
    char owner[80]; // of its widgets
    bool silent, store, stop_on_error;
    int count; // what its messages show
} cell;

/// The cell as front ends name it, so that running it again replaces its widgets. Where they do not
/// its code stands for it: equal cells are rarer than cells that run again, which would pile up.
static void name_owner(cell *c, const pj_request *request)
{
    pj_str id = pj_jsontext_str(request->metadata, "cellId");
    uint64_t hash = 14695981039346656037u; // FNV-1a
    for (size_t i = 0; i < c->code.len; i++)
        hash = (hash ^ (unsigned char)c->code.at[i]) * 1099511628211u;
    if (id.len)
        snprintf(c->owner, sizeof c->owner, PJ_STR_FMT, PJ_STR_ARG(id));
    else
        snprintf(c->owner, sizeof c->owner, "code %016" PRIx64, hash);
}

/// Some front ends tell which cells were deleted since.
static void forget_deleted(pj_subshell *shell, const pj_request *request)
{
    json_t *deleted = json_object_get(request->metadata, "deletedCells");
    for (size_t i = 0; i < json_array_size(deleted); i++)
        if (json_is_string(json_array_get(deleted, i)))
            pj_lang_widgets_forget(shell->lang, json_string_value(json_array_get(deleted, i)));
}

/// The specification's defaults for what is absent.
static cell read_cell(pj_subshell *shell, const pj_request *request)
{
    const json_t *content = request->content;
    cell c = {.code = pj_jsontext_str(content, "code")};
    c.silent = pj_jsontext_flag(content, "silent", false);
    c.store = !c.silent && pj_jsontext_flag(content, "store_history", true);
    c.stop_on_error = pj_jsontext_flag(content, "stop_on_error", true);
    shell->allow_stdin = pj_jsontext_flag(content, "allow_stdin", true);
    shell->count += c.store;
    c.count = shell->count;
    name_owner(&c, request);
    return c;
}

static json_t *evaluate(pj_subshell *shell, const json_t *expressions)
{
    json_t *values = json_object(), *expression;
    const char *name;
    json_object_foreach((json_t *)expressions, name, expression)
    {
        pj_str code = {json_string_value(expression), json_string_length(expression)};
        json_object_set_new(values, name, pj_lang_expression(shell->lang, code));
    }
    return values;
}

static void publish_result(pj_subshell *shell, pj_request *request, const cell *c,
                           const pj_outcome *outcome)
{
    pj_kernel *kernel = shell->kernel;
    if (!outcome->data || c->silent)
        return;
    publish_output(shell, pj_publish_result(kernel->origin, request, c->count, outcome->data,
                                            outcome->metadata));
    if (c->store)
        pj_history_set_output(shell->history, c->count,
                              pj_jsontext_str(outcome->data, "text/plain"));
}

static json_t *succeed(pj_subshell *shell, pj_request *request, const cell *c,
                       const pj_outcome *outcome)
{
    publish_result(shell, request, c, outcome);
    json_t *values = evaluate(shell, json_object_get(request->content, "user_expressions"));
    return json_pack("{s:s, s:i, s:o, s:O}", "status", "ok", "execution_count", c->count,
                     "user_expressions", values, "payload", shell->payload);
}

/// Cells that wait are marked before anybody hears of the failure: what is sent from then on is
/// sent knowingly and must run.
static json_t *fail(pj_subshell *shell, pj_request *request, const cell *c,
                    const pj_outcome *outcome)
{
    pj_kernel *kernel = shell->kernel;
    if (c->stop_on_error)
        pj_inbox_abort_cells(shell->inbox);
    kernel->out.publish(kernel->out.self,
                        pj_publish_error(kernel->origin, request, outcome->error));
    json_t *reply = json_pack("{s:s, s:i, s:{}, s:O}", "status", "error", "execution_count",
                              c->count, "user_expressions", "payload", shell->payload);
    json_object_update_missing(reply, outcome->error);
    return reply;
}

json_t *pj_execute(pj_subshell *shell, pj_request *request)
{
    pj_kernel *kernel = shell->kernel;
    cell c = read_cell(shell, request);
    if (!c.silent)
        kernel->out.publish(kernel->out.self,
                            pj_publish_input(kernel->origin, request, c.code, c.count));
    if (c.store)
        pj_history_add(shell->history, c.count, c.code);
    forget_deleted(shell, request);
    shell->payload = json_array();
    char name[32];
    snprintf(name, sizeof name, "cell %d", c.count);
    pj_cell_opts opts = {
        .name = name, .silent = c.silent, .execution_count = c.count, .owner = c.owner};
    settle(shell, false);
    pj_outcome outcome = pj_lang_run(shell->lang, c.code, opts);
    settle(shell, false);
    json_t *reply =
        outcome.ok ? succeed(shell, request, &c, &outcome) : fail(shell, request, &c, &outcome);
    settle(shell, false);
    pj_outcome_clear(&outcome);
    json_decref(shell->payload);
    shell->payload = NULL;
    return reply;
}
