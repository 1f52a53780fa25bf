// JSON-RPC 2.0 as the Model Context Protocol has it (revisions 2024-11-05 to 2025-06-18, transport
// stdio): messages are lines, requests have an id and get one answer each.
#include "kernel/mcp/mcp.h"

#include "kernel/command/session.h"
#include "kernel/mcp/mcp_folders.h"
#include "kernel/mcp/mcp_resource.h"
#include "kernel/mcp/mcp_tool.h"
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <unistd.h>

/// Codes of JSON-RPC.
enum {
    PARSE_ERROR = -32700,
    INVALID_REQUEST = -32600,
    UNKNOWN_METHOD = -32601,
    INVALID_PARAMS = -32602
};

/// Bytes of a message; of an id, which its answer repeats.
enum { LINE_MOST = 1 << 20, ID_MOST = 1000 };

struct pj_mcp {
    pj_session *session;
    const pj_mcp_folders *folders;
    bool fenced;
};

/// The newest first; the first is what others get.
static const char *const revisions[] = {"2025-06-18", "2025-03-26", "2024-11-05"};

pj_mcp *pj_mcp_new(pj_session *session, const pj_mcp_folders *folders, bool fenced)
{
    pj_mcp *mcp = pj_take_memory(sizeof *mcp);
    *mcp = (pj_mcp){session, folders, fenced};
    return mcp;
}

void pj_mcp_free(pj_mcp *mcp)
{
    free(mcp);
}

static const char *revision_for(const char *asked)
{
    for (size_t i = 0; asked && i < sizeof revisions / sizeof *revisions; i++)
        if (strcmp(asked, revisions[i]) == 0)
            return revisions[i];
    return revisions[0];
}

static json_t *initialise(pj_mcp *mcp, const json_t *params, pj_err *err)
{
    (void)err;
    pj_auto_buf text = {0};
    pj_buf_puts(&text, "POP efficiencies of parallel programs from traces and profiles. Begin with "
                       "the tool metrics on the traces of a study, then waits, profile or events. "
                       "Nothing is written. A value that is null has its reason in the row; "
                       "remarks say what touches the numbers. Long answers are cut: call again "
                       "with the cursor of truncated. Files are read from:");
    pj_mcp_folders_list(mcp->folders, &text);
    if (!mcp->fenced)
        pj_buf_puts(&text, ". What files name is trusted (--trust-files).");
    const char *revision =
        revision_for(json_string_value(json_object_get(params, "protocolVersion")));
    return json_pack("{s:s, s:{s:{}, s:{}}, s:{s:s, s:s}, s:s}", "protocolVersion", revision,
                     "capabilities", "tools", "resources", "serverInfo", "name", "popinjay",
                     "version", PJ_VERSION, "instructions", text.at);
}

static json_t *ping(pj_mcp *mcp, const json_t *params, pj_err *err)
{
    (void)mcp, (void)params, (void)err;
    return json_object();
}

static json_t *list_tools(pj_mcp *mcp, const json_t *params, pj_err *err)
{
    return pj_mcp_tool_list(mcp->session, params, err);
}

static json_t *call_tool(pj_mcp *mcp, const json_t *params, pj_err *err)
{
    return pj_mcp_tool_call(mcp->session, mcp->folders, params, err);
}

static json_t *list_resources(pj_mcp *mcp, const json_t *params, pj_err *err)
{
    (void)mcp, (void)params, (void)err;
    return pj_mcp_resource_list();
}

static json_t *list_templates(pj_mcp *mcp, const json_t *params, pj_err *err)
{
    (void)mcp, (void)params, (void)err;
    return json_pack("{s:[]}", "resourceTemplates");
}

static json_t *read_resource(pj_mcp *mcp, const json_t *params, pj_err *err)
{
    return pj_mcp_resource_read(mcp->session, params, err);
}

/// The result is new; NULL with an error about the params.
static const struct {
    const char *name;
    json_t *(*answer)(pj_mcp *mcp, const json_t *params, pj_err *err);
} methods[] = {
    {"initialize", initialise},         {"ping", ping},
    {"tools/list", list_tools},         {"tools/call", call_tool},
    {"resources/list", list_resources}, {"resources/templates/list", list_templates},
    {"resources/read", read_resource},
};

static json_t *failure(int code, const char *message)
{
    return json_pack("{s:{s:i, s:s}}", "error", "code", code, "message", message);
}

static json_t *answer_request(pj_mcp *mcp, const char *method, const json_t *params)
{
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        if (strcmp(methods[i].name, method) != 0)
            continue;
        pj_err err = {0};
        char text[1600];
        json_t *result = methods[i].answer(mcp, params, &err);
        return result ? json_pack("{s:o}", "result", result)
                      : failure(INVALID_PARAMS, pj_err_message(&err, text, sizeof text));
    }
    return failure(UNKNOWN_METHOD, "there is no such method");
}

/// Answers to requests have their id; what has none is a notification, or no request at all.
static json_t *answer_message(pj_mcp *mcp, const json_t *message)
{
    json_t *id = json_object_get(message, "id");
    const char *method = json_string_value(json_object_get(message, "method"));
    const char *version = json_string_value(json_object_get(message, "jsonrpc"));
    bool known = json_is_integer(id) || (json_is_string(id) && json_string_length(id) <= ID_MOST);
    json_t *answer;
    if (!method || !version || strcmp(version, "2.0") != 0 || (id && !known))
        answer = failure(INVALID_REQUEST, "no request of JSON-RPC 2.0");
    else if (!id)
        return NULL;
    else
        answer = answer_request(mcp, method, json_object_get(message, "params"));
    json_object_set_new(answer, "jsonrpc", json_string("2.0"));
    json_object_set(answer, "id", known ? id : json_null());
    return answer;
}

static void put(pj_buf *out, json_t *answer)
{
    char *text = json_dumps(answer, JSON_COMPACT | JSON_REAL_PRECISION(17));
    if (text)
        pj_buf_puts(out, text);
    pj_buf_add_char(out, '\n');
    free(text);
    json_decref(answer);
}

void pj_mcp_answer(pj_mcp *mcp, pj_str line, pj_buf *out)
{
    json_error_t problem;
    line = pj_str_trim(line);
    if (!line.len)
        return;
    json_t *message = json_loadb(line.at, line.len, 0, &problem);
    json_t *answer = message ? answer_message(mcp, message) : failure(PARSE_ERROR, problem.text);
    if (!message) {
        json_object_set_new(answer, "jsonrpc", json_string("2.0"));
        json_object_set_new(answer, "id", json_null());
    }
    if (answer)
        put(out, answer);
    json_decref(message);
}

static bool write_all(int out, pj_str text, pj_err *err)
{
    while (text.len) {
        ssize_t n = write(out, text.at, text.len);
        if (n < 0 && errno != EINTR)
            return pj_fail_io(err, "standard output", "cannot be written");
        text = pj_str_from(text, n > 0 ? (size_t)n : 0);
    }
    return true;
}

/// Answers the whole lines of `got` and leaves the rest; what is longer than any message is left
/// out up to its end.
static bool answer_lines(pj_mcp *mcp, pj_buf *got, bool *skipping, int out, pj_err *err)
{
    pj_str rest = pj_buf_str(got);
    bool ok = true;
    for (size_t end; ok && (end = pj_str_find(rest, '\n')) < rest.len;) {
        pj_auto_buf answer = {0};
        if (!*skipping)
            pj_mcp_answer(mcp, pj_str_head(rest, end), &answer);
        *skipping = false;
        rest = pj_str_from(rest, end + 1);
        ok = write_all(out, pj_buf_str(&answer), err);
    }
    if (ok && rest.len > LINE_MOST && !*skipping) {
        pj_auto_buf answer = {0};
        pj_mcp_answer(mcp, PJ_S("a message of more than 1 MB"), &answer);
        ok = write_all(out, pj_buf_str(&answer), err);
        *skipping = true;
    }
    size_t left = *skipping ? 0 : rest.len;
    if (got->at)
        memmove(got->at, got->at + got->len - left, left);
    got->len = left;
    return ok;
}

bool pj_mcp_serve(pj_mcp *mcp, int in, int out, pj_err *err)
{
    enum { BLOCK = 1 << 16 };
    pj_auto_buf got = {0};
    bool skipping = false;
    for (;;) {
        ssize_t n = read(in, pj_buf_room(&got, BLOCK), BLOCK);
        if (mcp->session->stop && atomic_load(mcp->session->stop))
            return pj_fail(err, PJ_E_STOPPED, NULL, 0, "interrupted");
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return pj_fail_io(err, "standard input", "cannot be read");
        if (n == 0)
            return true;
        got.len += (size_t)n;
        if (!answer_lines(mcp, &got, &skipping, out, err))
            return false;
    }
}
