// What a recording was made of, kept beside it: command, host, version of the code, variables of
// the environment that matter, how it ended. A file of JSON, popinjay.run. Ownership: JSON is
// reference-counted, the caller's.
#ifndef PJ_RECORD_FACTS_H
#define PJ_RECORD_FACTS_H

#include "kernel/command/command.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"

#include <jansson.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/// Before the program runs; new. `words` are the command, `options` those of the recording,
/// `settings` what its environment has besides that of this process. `folder` is written to for a
/// moment.
json_t *pj_record_facts_new(const pj_texts *words, const pj_texts *options,
                            const char *const *settings, const char *folder,
                            const atomic_bool *stop);
/// When it has ended: the status that a shell tells; `failure` NULL = it was recorded, so many
/// `events`, or calls of a profile, and its processes say the lines of `notes`.
void pj_record_facts_end(json_t *facts, int status, const char *failure, uint64_t events,
                         pj_str notes);
PJ_CHECKED bool pj_record_facts_write(const json_t *facts, const char *folder, pj_err *err);
/// Whether the folder holds a recording that ended well; of these words with these options (both
/// NULL = of any).
bool pj_record_facts_good(const char *folder, const pj_texts *words, const pj_texts *options);
/// A number that the facts in a folder tell; false when they do not.
bool pj_record_facts_number(const char *folder, const char *key, double *out);

#endif
