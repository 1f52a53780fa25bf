// What metrics and commands mean, for programs to read. Ownership: new references.
#ifndef PJ_MCP_RESOURCE_H
#define PJ_MCP_RESOURCE_H

#include "kernel/command/session.h"
#include "metrics/base/err.h"

#include <jansson.h>

/// {"resources": [...]}: definitions of every metric set, help and schema of every tool.
json_t *pj_mcp_resource_list(void);
/// {"contents": [...]}; NULL with PJ_E_MISSING where there is none of this uri.
PJ_CHECKED json_t *pj_mcp_resource_read(pj_session *session, const json_t *params, pj_err *err);

#endif
