// A sink that keeps all it is given, for tests of readers. Ownership: begun zero-initialised,
// emptied by recorder_free.
#ifndef PJ_RECORDER_H
#define PJ_RECORDER_H

#include "metrics/run/run.h"
#include "metrics/trace/sink.h"

typedef struct recorder {
    pj_event *events; // message events carry the index in `messages`
    size_t count, cap;
    pj_message *messages;
    size_t message_count, message_cap;
    unsigned begun, finished;
} recorder;

pj_sink recorder_sink(recorder *out);
void recorder_free(recorder *out);

/// Reads `text` as a file named `name` with `workers` threads into `out` (its earlier contents are
/// dropped). NULL with an error when it cannot be read. The records are put in order by a second
/// pass when they need it.
pj_run *recorder_read(recorder *out, const char *name, pj_str text, unsigned workers, pj_err *err);

#endif
