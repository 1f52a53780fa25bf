// A part of an OTF2 archive as an archive of its own, which has the statistics that the whole has
// in that region of interest. Its clocks are those that the whole was read with. Ownership:
// new/free.
#ifndef PJ_OTF2_CUT_H
#define PJ_OTF2_CUT_H

#include "metrics/base/err.h"
#include "metrics/base/job.h"
#include "metrics/base/pseudonym.h"
#include "metrics/read/cutter.h"
#include "metrics/read/otf2/cut/otf2_copy.h"
#include "metrics/run/run.h"
#include "metrics/trace/sink.h"

typedef struct pj_otf2_cut pj_otf2_cut;

pj_otf2_cut *pj_otf2_cut_new(void);
/// Names of the part are hidden from now on; copied.
void pj_otf2_cut_hide(pj_otf2_cut *cut, const pj_pseudonyms *names);
void pj_otf2_cut_free(pj_otf2_cut *cut);
/// Finds the messages that cross a border of the region while the archive is read in order.
pj_sink pj_otf2_cut_sink(pj_otf2_cut *cut);
/// Writes run->roi of the archive run->path, which was read with the sink, to the anchor `path`
/// (.otf2). Errors: PJ_E_IO, PJ_E_USAGE when there is one already, PJ_E_FORMAT, PJ_E_STOPPED.
PJ_CHECKED bool pj_otf2_cut_write(pj_otf2_cut *cut, const pj_run *run, const char *path,
                                  pj_job *job, pj_otf2_copied *copied, pj_err *err);

extern const pj_cutter pj_otf2_cutter;

#endif
