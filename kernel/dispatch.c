// Every request: busy, its answer, idle. One row per message type says who answers.
#include "kernel/dispatch.h"

#include "kernel/execute.h"
#include "kernel/jsontext.h"
#include "metrics/base/arena.h"

#include <stdlib.h>

enum { SHELL = 1 << PJ_SHELL, CONTROL = 1 << PJ_CONTROL };

/// Who answers: the thread that received the request, or the language in its turn.
typedef enum turn { AT_ONCE, IN_TURN } turn;

typedef struct handler {
    const char *type;
    const char *reply; // NULL = has none
    unsigned channels;
    turn turn;
    json_t *(*answer)(pj_kernel *kernel, pj_request *request); // content of the reply, new
    void (*after)(pj_kernel *kernel);                          // once idle was said; may be NULL
} handler;

static const pj_comm_target no_targets[] = {{.name = NULL}};

pj_kernel *pj_kernel_new(pj_outlet out, pj_origin *origin, atomic_bool *stop)
{
    pj_kernel *kernel = pj_take_memory(sizeof *kernel);
    *kernel = (pj_kernel){
        .out = out,
        .origin = origin,
        .stop = stop,
        .inbox = pj_inbox_new(),
        .history = pj_history_new(),
        .comms = pj_comms_new(no_targets),
        .prompt = pj_prompt_new(),
    };
    return kernel;
}

void pj_kernel_free(pj_kernel *kernel)
{
    if (!kernel)
        return;
    pj_inbox_free(kernel->inbox);
    pj_history_free(kernel->history);
    pj_comms_free(kernel->comms);
    pj_prompt_free(kernel->prompt);
    free(kernel);
}

// Answers

static json_t *kernel_info(pj_kernel *kernel, pj_request *request)
{
    (void)kernel, (void)request;
    return pj_reply_kernel_info();
}

static json_t *history(pj_kernel *kernel, pj_request *request)
{
    return pj_history_answer(kernel->history, request->content);
}

static json_t *comm_info(pj_kernel *kernel, pj_request *request)
{
    return pj_comms_info(kernel->comms, pj_jsontext_str(request->content, "target_name"));
}

static json_t *comm_open(pj_kernel *kernel, pj_request *request)
{
    if (!pj_comms_open(kernel->comms, request))
        kernel->out.publish(kernel->out.self,
                            pj_publish_comm_close(kernel->origin, request,
                                                  pj_jsontext_str(request->content, "comm_id")));
    return NULL;
}

static json_t *comm_message(pj_kernel *kernel, pj_request *request)
{
    pj_comms_message(kernel->comms, request);
    return NULL;
}

static json_t *comm_close(pj_kernel *kernel, pj_request *request)
{
    pj_comms_close(kernel->comms, request);
    return NULL;
}

/// `content` with {"status": "ok"}; takes and returns it.
static json_t *with_ok(json_t *content)
{
    json_object_set_new(content, "status", json_string("ok"));
    return content;
}

static size_t cursor_of(const pj_request *request)
{
    json_int_t cursor = pj_jsontext_int(request->content, "cursor_pos", INT32_MAX);
    return cursor < 0 ? 0 : (size_t)cursor;
}

static json_t *complete(pj_kernel *kernel, pj_request *request)
{
    return with_ok(pj_lang_complete(kernel->lang, pj_jsontext_str(request->content, "code"),
                                    cursor_of(request)));
}

static json_t *inspect(pj_kernel *kernel, pj_request *request)
{
    json_int_t detail = pj_jsontext_int(request->content, "detail_level", 0);
    return with_ok(pj_lang_inspect(kernel->lang, pj_jsontext_str(request->content, "code"),
                                   cursor_of(request), detail > 0));
}

static json_t *is_complete(pj_kernel *kernel, pj_request *request)
{
    return pj_lang_is_complete(kernel->lang, pj_jsontext_str(request->content, "code"));
}

static json_t *interrupt(pj_kernel *kernel, pj_request *request)
{
    (void)request;
    atomic_store(kernel->stop, true);
    return pj_reply_ok();
}

/// Answered to the sender and, as the specification wants it, to everybody else.
static json_t *shutdown_kernel(pj_kernel *kernel, pj_request *request)
{
    json_t *content = pj_reply_ok();
    bool restart = pj_jsontext_flag(request->content, "restart", false);
    json_object_set_new(content, "restart", json_boolean(restart));
    kernel->out.publish(kernel->out.self, pj_post_new(kernel->origin, request, "shutdown_reply",
                                                      json_deep_copy(content)));
    return content;
}

static void end_kernel(pj_kernel *kernel)
{
    kernel->out.shut_down(kernel->out.self);
}

static const handler rows[] = {
    {"execute_request", "execute_reply", SHELL, IN_TURN, pj_execute, NULL},
    {"complete_request", "complete_reply", SHELL, IN_TURN, complete, NULL},
    {"inspect_request", "inspect_reply", SHELL, IN_TURN, inspect, NULL},
    {"is_complete_request", "is_complete_reply", SHELL, IN_TURN, is_complete, NULL},
    {"comm_open", NULL, SHELL, IN_TURN, comm_open, NULL},
    {"comm_msg", NULL, SHELL, IN_TURN, comm_message, NULL},
    {"comm_close", NULL, SHELL, IN_TURN, comm_close, NULL},
    {"kernel_info_request", "kernel_info_reply", SHELL | CONTROL, AT_ONCE, kernel_info, NULL},
    {"history_request", "history_reply", SHELL, AT_ONCE, history, NULL},
    {"comm_info_request", "comm_info_reply", SHELL, AT_ONCE, comm_info, NULL},
    {"interrupt_request", "interrupt_reply", SHELL | CONTROL, AT_ONCE, interrupt, NULL},
    {"shutdown_request", "shutdown_reply", SHELL | CONTROL, AT_ONCE, shutdown_kernel, end_kernel},
};

// The frame around every answer

static const handler *find_row(const pj_request *request)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (pj_request_is(request, pj_str_of(rows[i].type)) &&
            rows[i].channels & 1u << request->channel)
            return &rows[i];
    return NULL;
}

static void say(pj_kernel *kernel, pj_request *request, const char *state)
{
    kernel->out.publish(kernel->out.self, pj_publish_status(kernel->origin, request, state));
}

/// A type nobody knows (`row` NULL) is ignored between busy and idle.
static void serve(pj_kernel *kernel, const handler *row, pj_request *request, bool aborted)
{
    say(kernel, request, "busy");
    json_t *content = aborted ? pj_reply_aborted(kernel->count)
                      : row   ? row->answer(kernel, request)
                              : NULL;
    if (content && row->reply)
        kernel->out.send(kernel->out.self,
                         pj_post_new(kernel->origin, request, row->reply, content));
    say(kernel, request, "idle");
    if (row && row->after)
        row->after(kernel);
}

void pj_dispatch(pj_kernel *kernel, pj_request *take)
{
    if (take->channel == PJ_STDIN) {
        if (pj_request_is(take, PJ_S("input_reply")))
            pj_prompt_answer(kernel->prompt, take);
        pj_request_drop(take);
        return;
    }
    const handler *row = find_row(take);
    if (row && row->turn == IN_TURN) {
        pj_inbox_add(kernel->inbox, take);
        return;
    }
    serve(kernel, row, take, false);
    pj_request_drop(take);
}

void pj_dispatch_inbox(pj_kernel *kernel)
{
    bool aborted;
    for (pj_request *request; (request = pj_inbox_take(kernel->inbox, &aborted));) {
        atomic_store(kernel->stop, false); // an interrupt concerns what ran, not what comes next
        kernel->current = request;
        serve(kernel, find_row(request), request, aborted);
        kernel->current = NULL;
        pj_request_drop(request);
    }
}
