// What a command returns as one JSON value for programs, whose form is kept (schema.h describes
// it). Ownership: new references.
#ifndef PJ_ANSWER_H
#define PJ_ANSWER_H

#include "kernel/command/session.h"
#include "kernel/command/value.h"

#include <jansson.h>

/// Raised when a member is taken away or means something else; more members may come any time.
enum { PJ_ANSWER_CONTRACT = 1 };

/// The JSON answer, in place of a text, and which part of its rows.
typedef struct pj_answer_args {
    bool json;
    uint64_t rows, from; // most rows, 0 = all; the first one, 0 and 1 = the first of all
} pj_answer_args;

/// Whose command is session->command. Rows (of texts: lines) beyond `rows` are named in
/// "truncated", never left out silently.
json_t *pj_answer_new(const pj_session *session, const pj_value *value, pj_answer_args args);
/// As text on the standard output of the face.
void pj_answer_write(const pj_session *session, const pj_value *value, pj_answer_args args);

#endif
