// The folders that requests may name files of. Ownership: new/free.
#ifndef PJ_MCP_FOLDERS_H
#define PJ_MCP_FOLDERS_H

#include "kernel/command/command.h"
#include "kernel/command/value.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"

typedef struct pj_mcp_folders {
    char **roots; // absolute, without links
    size_t count;
} pj_mcp_folders;

/// PJ_E_MISSING where one is not there. None = the working folder.
PJ_CHECKED bool pj_mcp_folders_open(const pj_texts *given, pj_mcp_folders *out, pj_err *err);
void pj_mcp_folders_close(pj_mcp_folders *folders);
/// " a, b"
void pj_mcp_folders_list(const pj_mcp_folders *folders, pj_buf *out);
/// Adds the files that a path or glob names to a list, absolute. PJ_E_USAGE for what lies outside
/// the folders or is a link out of them; relative paths count from the first folder.
PJ_CHECKED bool pj_mcp_folders_admit(const pj_mcp_folders *folders, const char *path,
                                     pj_value *list, pj_err *err);

#endif
