// Commands that only read as tools, made from their rows. Ownership: new references.
#ifndef PJ_MCP_TOOL_H
#define PJ_MCP_TOOL_H

#include "kernel/command/session.h"
#include "kernel/mcp/mcp_folders.h"
#include "metrics/base/err.h"

#include <jansson.h>

/// {"tools": [...]}, with "nextCursor" where there are more. NULL with PJ_E_USAGE: a wrong cursor.
PJ_CHECKED json_t *pj_mcp_tool_list(pj_session *session, const json_t *params, pj_err *err);
/// {"content": [...], "isError": ...}: the JSON answer of the command, or what it says was wrong.
/// NULL with PJ_E_USAGE where the params name no tool.
PJ_CHECKED json_t *pj_mcp_tool_call(pj_session *session, const pj_mcp_folders *folders,
                                    const json_t *params, pj_err *err);

#endif
