// A server of the Model Context Protocol: commands that only read, for programs that ask by
// themselves. One message is one line of JSON. Ownership: new/free.
#ifndef PJ_MCP_H
#define PJ_MCP_H

#include "kernel/command/session.h"
#include "kernel/mcp/mcp_folders.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"

/// Bytes of an answer, its newline included; longer ones are cut and have a cursor.
#define PJ_MCP_MOST 100000

typedef struct pj_mcp pj_mcp;

/// Both outlive it. `fenced`: the system keeps the process inside the folders (mcp_fence.h).
pj_mcp *pj_mcp_new(pj_session *session, const pj_mcp_folders *folders, bool fenced);
void pj_mcp_free(pj_mcp *mcp);
/// Appends the answer to one message with its newline; nothing for notifications.
void pj_mcp_answer(pj_mcp *mcp, pj_str line, pj_buf *out);
/// Answers what comes from descriptor `in` to `out` until it ends. PJ_E_IO, PJ_E_STOPPED.
PJ_CHECKED bool pj_mcp_serve(pj_mcp *mcp, int in, int out, pj_err *err);

#endif
