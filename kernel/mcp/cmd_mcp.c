// popinjay mcp [FOLDER...]: what agents start.
#include "kernel/command/command.h"
#include "kernel/command/session.h"
#include "kernel/command/value.h"
#include "kernel/mcp/mcp.h"
#include "kernel/mcp/mcp_fence.h"
#include "kernel/mcp/mcp_folders.h"
#include "metrics/base/err.h"
#include "metrics/base/module.h"

#include <stdio.h>
#include <unistd.h>

typedef struct mcp_args {
    pj_texts folders;
    bool trust_files;
} mcp_args;

/// Behind the fence nothing is loaded any more.
static void load_readers(void)
{
    static const char *const modules[][2] = {{"popinjay-otf2.so", "pj_otf2_module"},
                                             {"popinjay-sqlite.so", "pj_sql_module"}};
    for (size_t i = 0; i < sizeof modules / sizeof *modules; i++) {
        pj_err err = {0};
        if (!pj_module_open(modules[i][0], modules[i][1], "", &err))
            continue; // what it reads is refused with a reason
    }
}

static bool run_mcp(pj_session *session, const void *given, pj_value *out, pj_err *err)
{
    (void)out;
    const mcp_args *args = given;
    pj_mcp_folders folders;
    if (!pj_mcp_folders_open(&args->folders, &folders, err))
        return false;
    load_readers();
    bool ok = args->trust_files || pj_mcp_fence(&folders, err);
    pj_mcp *mcp = pj_mcp_new(session, &folders, !args->trust_files);
    ok = ok && pj_mcp_serve(mcp, STDIN_FILENO, STDOUT_FILENO, err);
    pj_mcp_free(mcp);
    pj_mcp_folders_close(&folders);
    return ok;
}

static const pj_param params[] = {
    {.name = "folder",
     .type = PJ_PARAM_TEXTS,
     .place = PJ_IN_SHELL,
     .files = true,
     .offset = offsetof(mcp_args, folders),
     .shown = "FOLDER",
     .preset = "the working folder",
     .help = "Folders whose files may be read, and no others."},
    {.name = "trust-files",
     .type = PJ_PARAM_FLAG,
     .offset = offsetof(mcp_args, trust_files),
     .help = "Serves where the system cannot keep the server inside the folders (before Linux "
             "5.13): paths of requests are still checked, what files name inside is not."},
    {0},
};

const pj_command pj_command_mcp = {
    .name = "mcp",
    .summary = "Answer agents: a server of the Model Context Protocol on standard input and output",
    .detail = "The commands that only read are its tools, their JSON answers what these return, "
              "metric definitions its resources. An answer has at most 100 kB and a cursor for the "
              "rest.\n"
              "The process itself gives up to write, to start programs and to read outside the "
              "folders, whatever a file in them names.",
    .example = "popinjay mcp traces",
    .faces = PJ_IN_SHELL,
    .groups = (const pj_param_group[]){{.rows = params}, {0}},
    .args_size = sizeof(mcp_args),
    .run = run_mcp,
};
