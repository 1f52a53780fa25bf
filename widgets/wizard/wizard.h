// The wizard: from traces to causes without typing code. Pages of widgets over one analysis, one
// row of wizard_steps.def each; what is the kernel's comes through a struct of functions.
// Ownership: a wizard belongs to its widgets: it ends when its root is closed. All calls come from
// the holder of the widgets' lock, except where a function says otherwise.
#ifndef PJ_WIZARD_H
#define PJ_WIZARD_H

#include "metrics/analyse/load_texts.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/job.h"
#include "metrics/pop/metricset.h"
#include "widgets/figure/palette.h"
#include "widgets/ipy/widget.h"

typedef struct pj_wizard pj_wizard;

/// What of a run is wanted beside its totals.
typedef enum pj_wizard_view {
    PJ_WIZARD_TOTALS,
    PJ_WIZARD_REGIONS,  // run->openmp_regions
    PJ_WIZARD_TIMELINE, // run->timeline
    PJ_WIZARD_SLICES,   // run->slices, of equal length
    PJ_WIZARD_STEPS,    // run->slices, iterations
    PJ_WIZARD_CAUSES,   // what findings and replays need
} pj_wizard_view;

/// How traces are read.
typedef struct pj_wizard_load {
    pj_load_texts texts;
    uint64_t workers;
    bool reread;  // summaries are ignored
    bool streams; // devices of a timeline open to them
    bool waits;   // a timeline shows the longest ones
    pj_wizard_view view;
} pj_wizard_load;

/// A place on the page beside the wizard that shows its last result where there is no kernel.
typedef enum pj_wizard_slot { PJ_WIZARD_TABLE, PJ_WIZARD_PLOT, PJ_WIZARD_SLOTS } pj_wizard_slot;

/// What is the kernel's.
typedef struct pj_wizard_host {
    void *self;
    /// The metric sets, the user's too; NULL past the end.
    const pj_metric_set *(*set_at)(void *self, size_t index);
    /// Runs the notebook, makes a document of it, its format by suffix, and removes the notebook.
    /// Called on a thread of the wizard's own; the job says when to stop. NULL = none can be made.
    bool (*print)(void *self, const char *notebook, const char *output, pj_job *job, pj_err *err);
    /// Does what `popinjay record` does with these words behind it; the job hears what it says and
    /// how many of its runs are done. Called on a thread of the wizard's own. NULL = cannot record.
    bool (*record)(void *self, const char *const *words, size_t count, pj_job *job, pj_err *err);
    /// Choices of an earlier wizard (new reference or NULL) and those to keep; may be NULL.
    json_t *(*recall)(void *self);
    void (*keep)(void *self, json_t *choices);
    const char *folder;     // of the notebook: what is in it is named from there; NULL = none
    const char *kept_where; // "in ~/.local/state/popinjay/wizard.json"; NULL = nowhere
    /// Shows a MIME bundle beside the wizard; both may be NULL (nothing to show).
    void (*show)(void *self, pj_wizard_slot slot, json_t *data, json_t *metadata);
    /// Calls `call` soon with the widgets' lock held, then `drop`, which comes once in any case.
    /// Any thread may ask; never waits.
    void (*later)(void *self, void (*call)(void *context), void (*drop)(void *context),
                  void *context);
    void (*release)(void *self); // once, when the wizard ends; may be NULL
} pj_wizard_host;

typedef struct pj_wizard_opts {
    const char *folder;       // absolute: where the browser begins
    bool folder_wanted;       // also when an earlier wizard was elsewhere
    const char *mark;         // class of the root on the page; NULL = none
    const char *const *paths; // runs chosen from the beginning
    size_t path_count;
} pj_wizard_opts;

/// The host is copied, and released at once on failure.
PJ_CHECKED pj_wizard *pj_wizard_new(pj_widgets *widgets, const pj_wizard_host *host,
                                    const pj_wizard_opts *opts, pj_err *err);
pj_widget *pj_wizard_root(const pj_wizard *wizard);
/// The one opened last of those that are open; NULL when there is none.
pj_wizard *pj_wizard_last(const pj_widgets *widgets);
/// Commands that reproduce the page on screen; appended.
void pj_wizard_code(pj_wizard *wizard, pj_buf *out);

#endif
