// The largest run, read again for what its totals do not hold: its waits, and its clocks for
// replays. Pages of causes share it. Ownership: everything belongs to the wizard.
#ifndef PJ_WIZARD_PROBE_H
#define PJ_WIZARD_PROBE_H

#include "metrics/analyse/faults/faults.h"
#include "metrics/base/arena.h"
#include "metrics/run/run.h"
#include "widgets/wizard/wizard_job.h"
#include "widgets/wizard/wizard_pieces.h"

struct pj_wizard;

typedef struct pj_wizard_probe {
    pj_wizard_job *job;  // reads it; NULL = nothing is read
    pj_run *of;          // the run of the study that it is of; held
    pj_run *run;         // what was read; NULL = not yet, or not to be had
    pj_arena *arena;     // of what was found in it
    const char *problem; // why there is no run; NULL = none
    uint64_t number;     // of this reading; what pages made of another one is gone
} pj_wizard_probe;

/// What a page shows of the reading: how far it is, and a button that stops it or begins again.
typedef struct pj_probe_pieces {
    pj_piece said, again, box;
} pj_probe_pieces;

pj_probe_pieces pj_wizard_probe_build(struct pj_wizard *wizard);
/// The run when it has been read; else NULL, the pieces say why, and it is being read unless that
/// failed.
const pj_run *pj_wizard_probe_run(struct pj_wizard *wizard, pj_probe_pieces pieces);
void pj_wizard_probe_news(struct pj_wizard *wizard);
/// Stops it and forgets what was read.
void pj_wizard_probe_forget(struct pj_wizard *wizard);

#endif
