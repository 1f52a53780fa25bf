// A face that remembers: what a cell printed, showed, asked. Ownership: new/free.
#ifndef PJ_RECORDING_FACE_H
#define PJ_RECORDING_FACE_H

#include "kernel/command/face.h"

typedef struct pj_recording {
    pj_face face;
    pj_buf out, err;     // what was written
    json_t *displays;    // array of {"data", "id", "update"}
    json_t *payloads;    // array
    unsigned clears;     // calls of clear
    const char *answers; // lines that input gives, one after another; NULL = nobody answers
} pj_recording;

void pj_recording_open(pj_recording *recording);
/// Forgets what was recorded.
void pj_recording_reset(pj_recording *recording);
void pj_recording_close(pj_recording *recording);

#endif
