// Lines of any bytes to the server for agents: each gets at most one answer, a whole line of JSON
// of a bounded size.
#include "kernel/mcp/mcp.h"

#include "kernel/command/face.h"
#include "kernel/command/session.h"

#include <assert.h>
#include <jansson.h>
#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(pj_str answer)
{
    assert(answer.len < PJ_MCP_MOST && answer.at[answer.len - 1] == '\n');
    assert(!memchr(answer.at, '\n', answer.len - 1));
    json_t *value = json_loadb(answer.at, answer.len, 0, NULL);
    assert(json_is_object(value) && json_object_get(value, "id"));
    assert(!json_object_get(value, "result") != !json_object_get(value, "error"));
    json_decref(value);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char nowhere[] = "/nonexistent/popinjay";
    char *roots[] = {nowhere};
    const pj_mcp_folders folders = {roots, 1};
    pj_session *session = pj_session_new(&pj_face_silent, NULL);
    pj_mcp *mcp = pj_mcp_new(session, &folders, true);
    pj_str rest = {(const char *)data, size};
    while (rest.len) {
        pj_auto_buf out = {0};
        pj_mcp_answer(mcp, pj_str_cut(&rest, '\n'), &out);
        if (out.len)
            check(pj_buf_str(&out));
    }
    pj_mcp_free(mcp);
    pj_session_free(session);
    return 0;
}
