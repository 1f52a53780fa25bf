// popinjay kernel -f FILE: what Jupyter starts.
#include "kernel/command/command.h"
#include "kernel/command/session.h"
#include "kernel/command/value.h"
#include "kernel/jupyter/server.h"
#include "metrics/base/err.h"

typedef struct kernel_args {
    const char *connection_file;
} kernel_args;

static bool run_kernel(pj_session *session, const void *given, pj_value *out, pj_err *err)
{
    (void)out;
    const kernel_args *args = given;
    return pj_server_run(args->connection_file, session->stop, err);
}

static const pj_param params[] = {
    {.name = "connection-file",
     .letter = 'f',
     .type = PJ_PARAM_PATH,
     .required = true,
     .offset = offsetof(kernel_args, connection_file),
     .shown = "CONNECTION_FILE",
     .help = "The file in which Jupyter says where and how to connect."},
    {0},
};

const pj_command pj_command_kernel = {
    .name = "kernel",
    .summary = "Serve a Jupyter front end",
    .detail = "Jupyter starts this; popinjay install tells it how. popinjay help settings says "
              "what bounds its output and where it remembers inputs, in a file that only its owner "
              "can read.",
    .example = "popinjay kernel -f connection.json",
    .faces = PJ_IN_SHELL,
    .groups = (const pj_param_group[]){{.rows = params}, {0}},
    .args_size = sizeof(kernel_args),
    .run = run_kernel,
};
