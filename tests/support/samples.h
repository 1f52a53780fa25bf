// The samples of input formats that lie in tests/samples, one folder a row of readers.def.
// Ownership: a walk is emptied by its caller; texts are borrowed from it.
#ifndef PJ_SAMPLES_H
#define PJ_SAMPLES_H

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/read/reader.h"

/// One input, and all files that it is made of, paths below `folder`.
typedef struct pj_sample {
    const char *folder; // of its row
    const char *name;   // of the file, or of the folder that is one input; "" = `folder` itself
    const char *path;
    const char **files;
    size_t file_count;
} pj_sample;

typedef struct pj_samples {
    pj_arena *arena;
    pj_sample *items;
    size_t count, cap;
} pj_samples;

/// What of the row's folder the row recognises.
pj_samples pj_samples_of(const pj_reader *reader);
void pj_samples_free(pj_samples *samples);
#define pj_auto_samples __attribute__((cleanup(pj_samples_free))) pj_samples

/// Copies the sample below `folder`; the path of the copy, arena of the walk.
const char *pj_samples_copy(const pj_samples *samples, const pj_sample *sample, const char *folder);
/// Removes such a copy; the folder stays, empty.
void pj_samples_remove(const pj_samples *samples, const pj_sample *sample, const char *folder);

#endif
