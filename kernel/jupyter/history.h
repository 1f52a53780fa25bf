// What was run: inputs with their results, asked for by tail, range and search. Those of earlier
// sessions and other kernels come from the user's file (history_file.h).
// Ownership: new/free; any thread may call, replies are new references.
#ifndef PJ_HISTORY_H
#define PJ_HISTORY_H

#include "metrics/base/str.h"

#include <jansson.h>

typedef struct pj_history pj_history;

/// `take` is the path of the file, of malloc; NULL = in memory only. Nothing is opened before the
/// first input or question.
pj_history *pj_history_new(char *take);
void pj_history_free(pj_history *history);
/// The input of execution `line`; lines come in rising order.
void pj_history_add(pj_history *history, int line, pj_str input);
/// The text of its result.
void pj_history_set_output(pj_history *history, int line, pj_str output);
/// More inputs follow at once: what is told within some 50 ms goes to the file together. Without
/// this, and once it is taken back, everything is written as it comes.
void pj_history_hurry(pj_history *history, bool more);
/// Content of the history_reply to the content of a history_request.
json_t *pj_history_answer(pj_history *history, const json_t *request);

/// Whether all of `text` fits the pattern: * any text, ? one code point, [a-z] and [!a-z] sets.
bool pj_history_fits(pj_str pattern, pj_str text);

#endif
