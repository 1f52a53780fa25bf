// Widgets with a recorded front end, for tests. JSON is written and read with single quotes.
// Ownership: new/free; texts and widgets are the bench's.
#ifndef PJ_WIDGET_BENCH_H
#define PJ_WIDGET_BENCH_H

#include "metrics/base/arena.h"
#include "tests/support/strict_front.h"
#include "widgets/ipy/widget_comm.h"

typedef struct pj_bench {
    pj_arena *arena;
    pj_front *front;
    pj_widgets *widgets;
    pj_err err; // of the last call
} pj_bench;

pj_bench pj_bench_new(pj_dialect dialect, bool echo);
void pj_bench_free(pj_bench *bench);
#define pj_auto_bench __attribute__((cleanup(pj_bench_free))) pj_bench

/// "{'a': [1]}" as JSON; new reference.
json_t *pj_bench_json(const char *text);
/// Compact, keys sorted, single quotes; "(none)" for NULL. Bytes show as <n bytes>.
const char *pj_bench_text(pj_bench *bench, const json_t *value);

/// `traits` as text, NULL = none.
pj_widget *pj_bench_make(pj_bench *bench, const char *model, const char *traits);
bool pj_bench_set(pj_bench *bench, pj_widget *widget, const char *traits);
const char *pj_bench_get(pj_bench *bench, const pj_widget *widget, const char *key);
/// {'key': ['IPY_MODEL_<id>', ...]} as text, of up to three widgets.
const char *pj_bench_children(pj_bench *bench, const char *key, pj_widget *a, pj_widget *b,
                              pj_widget *c);

/// A comm_msg of the front end.
bool pj_bench_msg(pj_bench *bench, const pj_widget *widget, const char *data);
bool pj_bench_msg_with(pj_bench *bench, const char *id, const char *data, const pj_str *buffers,
                       size_t count);

/// What was sent since the last call, one line each: "open IntSliderModel", "update {...}",
/// "close". Layouts and styles are left out.
const char *pj_bench_sent(pj_bench *bench);
/// The front end's complaints; "[]" when all was well.
const char *pj_bench_mistakes(pj_bench *bench);

#endif
