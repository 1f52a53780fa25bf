// JSON Schemas made from the rows of commands: what `--json` prints, and what a call may be given.
// Ownership: new references.
#ifndef PJ_SCHEMA_H
#define PJ_SCHEMA_H

#include "kernel/command/command.h"
#include "kernel/command/session.h"

#include <jansson.h>

/// Of the answer of a command; its arguments are "$defs.arguments".
json_t *pj_schema_answer(const pj_command *command, const pj_session *session);
/// Of an object with the arguments by name, dashes as underscores; `reading` leaves out what
/// says where the answer goes.
json_t *pj_schema_arguments(const pj_command *command, const pj_session *session, bool reading);
/// The name of a parameter in such an object, a malloc text.
char *pj_schema_name(const pj_param *param);

#endif
