// A wizard over made-up runs at a point of its life, for tests that send it whatever a front end
// can. Ownership: plain struct; pj_stage_free.
#ifndef PJ_WIZARD_STAGE_H
#define PJ_WIZARD_STAGE_H

#include "tests/support/fake_host.h"
#include "tests/support/widget_bench.h"

typedef enum pj_stage_point {
    PJ_STAGE_EMPTY,   // no run is chosen
    PJ_STAGE_CHOSEN,  // runs are, none is read
    PJ_STAGE_RESULTS, // all pages are there
    PJ_STAGE_REMOVED, // all pages were there, then all runs were taken off
    PJ_STAGE_POINTS,
} pj_stage_point;

typedef struct pj_stage {
    pj_bench bench;
    fake_host fake;
    pj_wizard *wizard;
} pj_stage;

void pj_stage_open(pj_stage *stage, pj_stage_point point);
/// Ends what is being read, and everything else.
void pj_stage_free(pj_stage *stage);
/// The nth widget in order of opening; NULL past the last.
pj_widget *pj_stage_widget(const pj_stage *stage, size_t place);
/// The first whose text `key` is this; NULL when there is none.
pj_widget *pj_stage_find(const pj_stage *stage, const char *model, const char *key,
                         const char *text);
/// A message of a front end; true when the wizard took it.
bool pj_stage_send(pj_stage *stage, const char *id, const char *data);
bool pj_stage_click(pj_stage *stage, const pj_widget *widget);

#endif
