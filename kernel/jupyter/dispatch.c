// Every request: busy, its answer, idle. One row per message type says who answers.
#include "kernel/jupyter/dispatch.h"

#include "kernel/command/jsontext.h"
#include "kernel/command/setting.h"
#include "kernel/jupyter/execute.h"
#include "kernel/jupyter/history.h"
#include "kernel/jupyter/inbox.h"
#include "kernel/jupyter/request.h"
#include "kernel/jupyter/variables.h"
#include "kernel/lua/lang.h"
#include "metrics/base/arena.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "widgets/ipy/channel.h"

#include <stdlib.h>

enum { SHELL = 1 << PJ_SHELL, CONTROL = 1 << PJ_CONTROL, KEPT_BYTES = 8 << 20 };

/// Who answers: the thread that received the request, or a shell in its turn.
typedef enum turn { AT_ONCE, BY_CELLS, BY_ANSWERS, BY_COMMS } turn;

typedef struct handler {
    const char *type;
    const char *reply; // NULL = has none
    unsigned channels;
    turn turn;
    /// Content of the reply, new; `shell` is NULL for what is answered at once.
    json_t *(*answer)(pj_kernel *kernel, pj_subshell *shell, pj_request *request);
    void (*after)(pj_kernel *kernel); // once idle was said; may be NULL
} handler;

pj_kernel *pj_kernel_new(pj_outlet out, pj_origin *origin, atomic_bool *stop)
{
    pj_kernel *kernel = pj_take_memory(sizeof *kernel);
    const char *comms = pj_setting_text(PJ_SETTING_COMM);
    *kernel = (pj_kernel){
        .out = out,
        .origin = origin,
        .kept = pj_kept_new(KEPT_BYTES),
        .comms = pj_comms_new(),
        .queue_comms = comms && strcmp(comms, "queued") == 0,
    };
    kernel->shells = pj_subshells_new(kernel, stop);
    return kernel;
}

void pj_kernel_free(pj_kernel *kernel)
{
    if (!kernel)
        return;
    pj_subshells_free(kernel->shells);
    pj_comms_free(kernel->comms);
    pj_kept_free(kernel->kept);
    free(kernel);
}

// Answers

static json_t *kernel_info(pj_kernel *kernel, pj_subshell *shell, pj_request *request)
{
    (void)kernel, (void)shell, (void)request;
    return pj_reply_kernel_info();
}

static json_t *execute(pj_kernel *kernel, pj_subshell *shell, pj_request *request)
{
    (void)kernel;
    return pj_execute(shell, request);
}

static json_t *history(pj_kernel *kernel, pj_subshell *shell, pj_request *request)
{
    (void)shell;
    return pj_subshells_history(kernel->shells, request);
}

static json_t *comm_info(pj_kernel *kernel, pj_subshell *shell, pj_request *request)
{
    (void)shell;
    return pj_comms_info(kernel->comms, pj_jsontext_str(request->content, "target_name"));
}

/// The message for the widgets, which keep parts of its data longer than the request lives on other
/// threads: a copy, the caller's.
static pj_comm_message comm_of(const pj_request *request)
{
    json_t *content = request->content;
    return (pj_comm_message){
        .id = json_string_value(json_object_get(content, "comm_id")),
        .target = json_string_value(json_object_get(content, "target_name")),
        .data = json_deep_copy(json_object_get(content, "data")),
        .metadata = request->metadata,
        .buffers = request->buffers,
        .buffer_count = request->buffer_count,
    };
}

static json_t *comm_open(pj_kernel *kernel, pj_subshell *shell, pj_request *request)
{
    pj_comm_message message = comm_of(request);
    if (message.id && pj_lang_comm_open(shell->lang, &message))
        pj_comms_add(kernel->comms, pj_str_of(message.id), pj_str_of(message.target), request);
    else
        kernel->out.publish(kernel->out.self,
                            pj_publish_comm_close(kernel->origin, request,
                                                  pj_jsontext_str(request->content, "comm_id")));
    json_decref(message.data);
    return NULL;
}

/// Hands a message on for the execution that its widget belongs to.
static void hand_on(pj_subshell *shell, pj_request *request,
                    void (*take)(pj_lang *lang, const pj_comm_message *message))
{
    pj_comm_message message = comm_of(request);
    if (message.id) {
        shell->maker = pj_comms_maker(shell->kernel->comms, pj_str_of(message.id));
        take(shell->lang, &message);
        pj_request_drop(shell->maker);
        shell->maker = NULL;
    }
    json_decref(message.data);
}

static json_t *comm_message(pj_kernel *kernel, pj_subshell *shell, pj_request *request)
{
    (void)kernel;
    hand_on(shell, request, pj_lang_comm_message);
    return NULL;
}

static json_t *comm_close(pj_kernel *kernel, pj_subshell *shell, pj_request *request)
{
    hand_on(shell, request, pj_lang_comm_close);
    pj_comms_remove(kernel->comms, pj_jsontext_str(request->content, "comm_id"));
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

static json_t *complete(pj_kernel *kernel, pj_subshell *shell, pj_request *request)
{
    (void)kernel;
    return with_ok(pj_lang_complete(shell->lang, pj_jsontext_str(request->content, "code"),
                                    cursor_of(request)));
}

static json_t *inspect(pj_kernel *kernel, pj_subshell *shell, pj_request *request)
{
    (void)kernel;
    json_int_t detail = pj_jsontext_int(request->content, "detail_level", 0);
    return with_ok(pj_lang_inspect(shell->lang, pj_jsontext_str(request->content, "code"),
                                   cursor_of(request), detail > 0));
}

static json_t *is_complete(pj_kernel *kernel, pj_subshell *shell, pj_request *request)
{
    (void)kernel;
    return pj_lang_is_complete(shell->lang, pj_jsontext_str(request->content, "code"));
}

static json_t *debug(pj_kernel *kernel, pj_subshell *shell, pj_request *request)
{
    return pj_variables_answer(shell->lang, &kernel->debugging, request->content);
}

static json_t *no_subshell(void)
{
    return pj_reply_error("SubshellError", "no subshell has this id: it was deleted or never made");
}

/// The subshell that a control request speaks of.
static pj_str subshell_of(const pj_request *request)
{
    pj_str id = pj_jsontext_str(request->content, "subshell_id");
    return id.len ? id : request->subshell_id;
}

static json_t *interrupt(pj_kernel *kernel, pj_subshell *shell, pj_request *request)
{
    (void)shell;
    bool known = pj_subshells_interrupt(kernel->shells, subshell_of(request));
    return known ? pj_reply_ok() : no_subshell();
}

static json_t *create_subshell(pj_kernel *kernel, pj_subshell *shell, pj_request *request)
{
    (void)shell, (void)request;
    char id[64];
    pj_err err = {0};
    if (!pj_subshells_create(kernel->shells, id, sizeof id, &err))
        return pj_reply_error("SubshellError", err.text);
    return json_pack("{s:s, s:s}", "status", "ok", "subshell_id", id);
}

static json_t *delete_subshell(pj_kernel *kernel, pj_subshell *shell, pj_request *request)
{
    (void)shell;
    bool deleted = pj_subshells_delete(kernel->shells, subshell_of(request));
    return deleted ? pj_reply_ok() : no_subshell();
}

static json_t *list_subshells(pj_kernel *kernel, pj_subshell *shell, pj_request *request)
{
    (void)shell, (void)request;
    return json_pack("{s:s, s:o}", "status", "ok", "subshell_id",
                     pj_subshells_list(kernel->shells));
}

/// Answered to the sender and, as the specification wants it, to everybody else.
static json_t *shutdown_kernel(pj_kernel *kernel, pj_subshell *shell, pj_request *request)
{
    (void)shell;
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
    {"execute_request", "execute_reply", SHELL, BY_CELLS, execute, NULL},
    {"complete_request", "complete_reply", SHELL, BY_ANSWERS, complete, NULL},
    {"inspect_request", "inspect_reply", SHELL, BY_ANSWERS, inspect, NULL},
    {"is_complete_request", "is_complete_reply", SHELL, BY_ANSWERS, is_complete, NULL},
    {"debug_request", "debug_reply", SHELL | CONTROL, BY_ANSWERS, debug, NULL},
    {"comm_open", NULL, SHELL, BY_COMMS, comm_open, NULL},
    {"comm_msg", NULL, SHELL, BY_COMMS, comm_message, NULL},
    {"comm_close", NULL, SHELL, BY_COMMS, comm_close, NULL},
    {"kernel_info_request", "kernel_info_reply", SHELL | CONTROL, AT_ONCE, kernel_info, NULL},
    {"history_request", "history_reply", SHELL, AT_ONCE, history, NULL},
    {"comm_info_request", "comm_info_reply", SHELL, AT_ONCE, comm_info, NULL},
    {"interrupt_request", "interrupt_reply", SHELL | CONTROL, AT_ONCE, interrupt, NULL},
    {"create_subshell_request", "create_subshell_reply", CONTROL, AT_ONCE, create_subshell, NULL},
    {"delete_subshell_request", "delete_subshell_reply", CONTROL, AT_ONCE, delete_subshell, NULL},
    {"list_subshell_request", "list_subshell_reply", CONTROL, AT_ONCE, list_subshells, NULL},
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

static void reply(pj_kernel *kernel, const handler *row, pj_request *request, json_t *content)
{
    if (content && row->reply)
        kernel->out.send(kernel->out.self,
                         pj_post_new(kernel->origin, request, row->reply, content));
    else
        json_decref(content);
}

/// A type nobody knows (`row` NULL) is ignored between busy and idle.
static void serve_at_once(pj_kernel *kernel, const handler *row, pj_request *request)
{
    say(kernel, request, "busy");
    if (row)
        reply(kernel, row, request, row->answer(kernel, NULL, request));
    say(kernel, request, "idle");
    if (row && row->after)
        row->after(kernel);
}

/// An interrupt of what ran is over with it; one that comes from now on finds the shell idle.
static void end_turn(pj_subshell *shell)
{
    pj_lang_ready(shell->lang);
    atomic_store(&shell->busy, false);
}

static void serve_in_turn(pj_subshell *shell, pj_request *request, bool aborted)
{
    pj_kernel *kernel = shell->kernel;
    const handler *row = find_row(request);
    atomic_store(&shell->busy, true);
    shell->current = request;
    say(kernel, request, "busy");
    reply(kernel, row, request,
          aborted ? pj_reply_aborted(shell->count) : row->answer(kernel, shell, request));
    shell->current = NULL;
    end_turn(shell); // before anybody can hear that it is
    say(kernel, request, "idle");
}

static void refuse(pj_kernel *kernel, const handler *row, pj_request *request)
{
    say(kernel, request, "busy");
    json_t *content = no_subshell();
    if (row->turn == BY_CELLS)
        json_object_set_new(content, "execution_count", json_integer(0));
    reply(kernel, row, request, content);
    say(kernel, request, "idle");
}

static pj_subshell_role role_of(const pj_kernel *kernel, const handler *row)
{
    if (row->turn == BY_ANSWERS)
        return PJ_SUBSHELL_ANSWERS;
    return row->turn == BY_COMMS && !kernel->queue_comms ? PJ_SUBSHELL_COMMS : PJ_SUBSHELL_MAIN;
}

void pj_dispatch(pj_kernel *kernel, pj_request *take)
{
    if (take->channel == PJ_STDIN) {
        if (pj_request_is(take, PJ_S("input_reply")))
            pj_subshells_answer(kernel->shells, take);
        pj_request_drop(take);
        return;
    }
    const handler *row = find_row(take);
    bool known = take->channel != PJ_SHELL || pj_subshells_know(kernel->shells, take->subshell_id);
    if (row && !known)
        refuse(kernel, row, take);
    else if (!row || row->turn == AT_ONCE)
        serve_at_once(kernel, row, take);
    else if (pj_subshells_give(kernel->shells, role_of(kernel, row), take))
        return;
    pj_request_drop(take);
}

static void run_errand(pj_subshell *shell, const pj_inbox_item *item)
{
    atomic_store(&shell->busy, true);
    shell->current = shell->maker = item->request;
    pj_lang_errand(shell->lang, item->owner, &item->errand);
    shell->current = shell->maker = NULL;
    end_turn(shell);
}

void pj_dispatch_inbox(pj_subshell *shell)
{
    pj_inbox_item item;
    pj_inbox_news news;
    atomic_bool *signalled = shell->role == PJ_SUBSHELL_MAIN ? shell->stop : NULL;
    while ((news = pj_inbox_take(shell->inbox, signalled, &item)) != PJ_INBOX_CLOSED) {
        if (signalled && atomic_exchange(signalled, false)) // nothing to interrupt in this one
            pj_subshells_interrupt(shell->kernel->shells, (pj_str){0});
        if (news == PJ_INBOX_SIGNAL)
            continue;
        pj_lang_ready(shell->lang);
        pj_history_hurry(shell->history, pj_inbox_bytes(shell->inbox) > 0);
        if (item.errand.call)
            run_errand(shell, &item);
        else
            serve_in_turn(shell, item.request, item.aborted);
        pj_inbox_item_drop(&item);
    }
    while (pj_inbox_left(shell->inbox, &item)) {
        if (!item.errand.call)
            serve_in_turn(shell, item.request, true);
        pj_inbox_item_drop(&item);
    }
}
