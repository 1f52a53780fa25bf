// What the files wizard_*.c share: the analysis and the pages over it.
// Ownership: everything belongs to the wizard.
#ifndef PJ_WIZARD_RECORD_H
#define PJ_WIZARD_RECORD_H

#include "metrics/analyse/trace_look.h"
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/pop/metrics.h"
#include "metrics/pop/metricset.h"
#include "metrics/profile/profile.h"
#include "metrics/run/run.h"
#include "metrics/run/study/study.h"
#include "metrics/table/table.h"
#include "widgets/figure/figure.h"
#include "widgets/figure/palette.h"
#include "widgets/wizard/wizard.h"
#include "widgets/wizard/wizard_gather.h"
#include "widgets/wizard/wizard_job.h"
#include "widgets/wizard/wizard_pieces.h"
#include "widgets/wizard/wizard_print.h"
#include "widgets/wizard/wizard_probe.h"
#include "widgets/wizard/wizard_recorder.h"

/// One page. Its state is what `build` puts into wizard->pages.
typedef struct pj_wizard_step {
    pj_piece (*build)(pj_wizard *wizard); // everything is there, nothing analysed
    bool (*useful)(const pj_wizard *wizard);
    void (*refresh)(pj_wizard *wizard); // the analysis is another one
    void (*code)(const pj_wizard *wizard, pj_buf *out);
    const struct pj_profile_kind *profile; // of pages of a profile; NULL = it is none
} pj_wizard_step;

enum {
#define STEP(key, title) PJ_STEP_##key,
#include "widgets/wizard/wizard_steps.def"
#undef STEP
    PJ_STEP_COUNT
};
#define STEP(key, title) extern const pj_wizard_step pj_wizard_step_##key;
#include "widgets/wizard/wizard_steps.def"
#undef STEP

extern const pj_wizard_step *const pj_wizard_steps[PJ_STEP_COUNT];

/// A run that the user chose.
typedef struct pj_chosen {
    pj_arena *arena; // of its texts
    const char *path, *tag;
    pj_trace_look facts;
    const char *problem; // why nothing is known of it, or why it was not read; NULL = none
    pj_run *run;         // NULL = not read, or with other options
    pj_wizard_progress progress;
} pj_chosen;

/// A part whose value is kept for the next wizard.
typedef struct pj_kept_piece {
    const char *key, *trait;
    pj_piece part;
    json_t *initial;
} pj_kept_piece;

enum { PJ_WIZARD_MOST_KEPT = 64 };

typedef struct pj_browser pj_browser;

struct pj_wizard {
    atomic_uint references; // its root's and those of calls that are due
    bool closed;
    atomic_bool due; // a call of pj_wizard_traces_news
    pj_arena *arena;
    pj_wizard_host host;
    pj_pieces parts;
    pj_piece root, tabs, code_switch, code_box, code_text, footer;
    pj_piece page[PJ_STEP_COUNT];
    void *pages[PJ_STEP_COUNT];
    pj_browser *browser; // of the first page
    bool shown[PJ_STEP_COUNT], stale[PJ_STEP_COUNT];
    pj_kept_piece kept[PJ_WIZARD_MOST_KEPT];
    size_t kept_count;
    json_t *kept_last;
    // The analysis
    pj_chosen *chosen;
    size_t chosen_count, chosen_cap;
    const char *reference; // path of a chosen run; NULL = the smallest
    pj_wizard_job *job;
    pj_wizard_job *look;          // reads one run again, for the page inside a run
    pj_run *looked;               // what came of it; NULL = nothing yet
    const char *looked_key;       // of what was asked
    size_t drawn;                 // figures so far
    pj_wizard_probe probe;        // the largest run, for its causes
    pj_wizard_gather *gather;     // reads the chosen profiles; NULL = nothing to read
    pj_wizard_progress gathered;  // of it, while it reads and afterwards
    pj_profile *profile;          // of the chosen profiles that were read; NULL = none
    const char *profile_key;      // of what was asked for
    pj_wizard_gather *beside;     // makes the profile of a trace
    pj_profile *traced;           // what came of it; NULL = nothing yet
    const char *traced_path;      // of its trace
    pj_wizard_print *print;       // makes a document of the report
    pj_wizard_recorder *recorder; // records a program
    const pj_metric_set *set;     // NULL = the fitting one
    pj_scaling scaling;
    pj_key by;
    pj_palette palette;
    pj_study *study; // NULL = nothing analysed
    pj_metrics *metrics;
};

/// wizard.c: the job has news; called by its thread.
void pj_wizard_call(void *context);
/// Shows the pages that are useful now and refreshes them.
void pj_wizard_refresh(pj_wizard *wizard);
/// The page has something else to show: now if it is in front, else when it comes there.
void pj_wizard_renew(pj_wizard *wizard, int step);
/// Turns to a page if it is there.
void pj_wizard_turn(pj_wizard *wizard, int step);
/// Everything as in a first wizard, but for the folder.
void pj_wizard_reset(pj_wizard *wizard);
/// The value outlives the kernel. `trait` NULL = "value".
void pj_wizard_keep(pj_wizard *wizard, const char *key, pj_piece part, const char *trait);

/// wizard_choice.c: the runs chosen. Adding one that is there already changes nothing.
void pj_wizard_choose(pj_wizard *wizard, const char *path, const char *tag);
void pj_wizard_unchoose(pj_wizard *wizard, size_t index);
void pj_wizard_forget_runs(pj_wizard *wizard); // options changed: all must be read again
void pj_wizard_retag(pj_wizard *wizard, size_t index, const char *tag);
const char *pj_wizard_file_name(const char *path);
const char *pj_wizard_name(const pj_chosen *one); // that lists show
/// From the folder of the notebook, where it is in there.
const char *pj_wizard_path(const pj_wizard *wizard, const char *path);
/// What parts choose whose labels are pj_wizard_scalings, or titles of keys after a first label.
extern const char *const pj_wizard_scalings[];
pj_scaling pj_wizard_scaling(const pj_wizard *wizard, pj_piece part);
pj_key pj_wizard_key(const pj_wizard *wizard, pj_piece part);
/// Evaluates the runs that were read and refreshes the pages.
PJ_CHECKED bool pj_wizard_evaluate(pj_wizard *wizard, pj_err *err);
/// Lua for the runs and their metrics: "runs = load{...}\nm = metrics(runs, ...)\n".
void pj_wizard_code_runs(const pj_wizard *wizard, pj_buf *out);
void pj_wizard_code_metrics(const pj_wizard *wizard, pj_buf *out);
/// The expressions alone; `whole`: paths from the root.
void pj_wizard_code_load(const pj_wizard *wizard, bool whole, pj_buf *out);
void pj_wizard_code_options(const pj_wizard *wizard, pj_buf *out);
/// How runs are read: `, roi = "10%..90%"`; `replays`: also what the replay takes.
void pj_wizard_code_how(const pj_wizard *wizard, bool replays, pj_buf *out);
/// "text" as Lua writes it.
void pj_wizard_code_text(pj_buf *out, const char *text);

/// wizard_traces.c
pj_wizard_load pj_wizard_how(const pj_wizard *wizard);
/// Reads all runs again with this region of interest.
void pj_wizard_analyse_region(pj_wizard *wizard, const char *roi);
void pj_wizard_traces_news(pj_wizard *wizard);

/// wizard_recording.c
void pj_wizard_recording_news(pj_wizard *wizard);

/// wizard_report.c
void pj_wizard_report_news(pj_wizard *wizard);

/// wizard_inside.c
void pj_wizard_inside_news(pj_wizard *wizard);

/// wizard_figure.c: a figure in an Output and, where `slot` is one, on the page beside the wizard.
/// NULL figure: says why there is none.
void pj_wizard_draw(pj_wizard *wizard, pj_piece output, const pj_figure *figure, const pj_err *err);
void pj_wizard_show_table(pj_wizard *wizard);
/// The same of a picture over time: what a mouse marks in it becomes the value of the text field of
/// the class `mark`, "1.5ms..2ms"; a double click empties it.
void pj_wizard_draw_marked(pj_wizard *wizard, pj_piece output, const pj_figure *figure,
                           const char *mark, const pj_err *err);
/// "Written: " and a link in an Output.
void pj_wizard_tell_file(const pj_wizard *wizard, pj_piece output, const char *path);
/// Plain text in an Output; "" empties it.
void pj_wizard_tell(const pj_wizard *wizard, pj_piece output, const char *text);
/// Name, format and button to save what a page shows.
typedef struct pj_wizard_saver {
    pj_piece name, format, said, box;
    const char *const *formats; // suffixes; ends with NULL
    /// The figure that is to be saved, new, and its data for .csv; `table` may stay NULL.
    pj_figure *(*make)(pj_wizard *wizard, pj_table **table, pj_err *err);
    /// What the page shows in place of the table, as a page of HTML; false where it shows that, or
    /// with an error. NULL = it always does.
    bool (*html)(pj_wizard *wizard, int step, pj_buf *out, pj_err *err);
    int step; // that `html` is told
    /// The metrics themselves in formats of texts, not `make`'s table.
    bool metrics;
} pj_wizard_saver;
extern const char *const pj_wizard_figure_formats[];
void pj_wizard_saver_build(pj_wizard *wizard, pj_wizard_saver *saver, const char *name,
                           void (*save)(void *wizard));
void pj_wizard_saver_save(pj_wizard *wizard, const pj_wizard_saver *saver);

#endif
