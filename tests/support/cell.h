// Cells of the command language, run and looked at by cmocka's means. Ownership: new/free.
#ifndef PJ_CELL_H
#define PJ_CELL_H

#include "kernel/lua/lang.h"
#include "tests/support/recording_face.h"
#include "tests/support/strict_front.h"

typedef struct cell_bench {
    pj_recording face;
    pj_front front; // what widgets sent
    atomic_bool stop;
    pj_lang *lang;
} cell_bench;

/// `rich`: with a front end that shows widgets; else nobody takes their messages.
cell_bench *cell_bench_new(bool rich);
/// False when the front end has complaints; they are printed.
bool cell_bench_free(cell_bench *bench);

/// Runs `code`, which "cell 1" and `owner` (or NULL) stand for, after forgetting what was recorded.
pj_outcome cell_run(cell_bench *bench, const char *code, const char *owner);
/// Fails unless the cell shows this text; "nil" = nothing.
void cell_gives(cell_bench *bench, const char *code, const char *wanted);
/// Fails unless the cell ends without an error, or with one that has `part` in its message.
void cell_does(cell_bench *bench, const char *code);
void cell_fails(cell_bench *bench, const char *code, const char *part);

#endif
