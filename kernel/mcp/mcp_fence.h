// The process keeps itself inside some folders, whatever a file makes it open. Ownership: none.
#ifndef PJ_MCP_FENCE_H
#define PJ_MCP_FENCE_H

#include "kernel/mcp/mcp_folders.h"
#include "metrics/base/err.h"

/// From now on this thread and those that it starts read below the folders, and what the program
/// itself needs of the system; they write nowhere and start nothing. PJ_E_MISSING where the system
/// has no Landlock (Linux 5.13).
PJ_CHECKED bool pj_mcp_fence(const pj_mcp_folders *folders, pj_err *err);

#endif
