// Plots: functions from data and options to a figure, one line of plots.def and one file each.
// They measure text through the drawing module and never see cairo. Ownership: new figures.
#ifndef PJ_PLOT_H
#define PJ_PLOT_H

#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "metrics/pop/metrics.h"
#include "metrics/pop/part_series.h"
#include "metrics/profile/profile.h"
#include "metrics/run/aspect.h"
#include "metrics/run/run.h"
#include "metrics/run/study/study.h"
#include "metrics/table/table.h"
#include "widgets/figure/draw.h"
#include "widgets/figure/figure.h"
#include "widgets/figure/palette.h"

struct pj_query_opts; // metrics/table/question.h

/// What a plot is made from; see pj_plot.source.
typedef enum pj_plot_source {
    PJ_PLOT_METRICS,
    PJ_PLOT_RUN,
    PJ_PLOT_TABLE,
    PJ_PLOT_PROFILE
} pj_plot_source;

typedef struct pj_plot_data {
    const pj_metrics *metrics;
    const pj_run *run;
    const pj_part_study *parts; // what metrics of parts are made of, where the plot draws such
    const pj_study *study;      // of several runs, where the plot draws such
    const pj_table *table;
    const pj_profile *profile;
} pj_plot_data;

/// What is shown of a profile. Names of functions may be short or have wildcards.
typedef struct pj_profile_opts {
    const char *measure;      // key; NULL = time, else the first that can be added
    const char *function;     // of the plots of one function
    const char *root, *leaf;  // function that is above (below) all that is shown
    const char *path;         // what the files of the functions begin with
    const char *colours;      // key of a scheme of colours; NULL = the plot's own
    const char *label;        // what boxes of a call graph tell
    const pj_profile *before; // that it is compared with; NULL = none
    bool normalise;           // both as if they took as long
    const char *source;       // folder with the sources of lines; NULL = where the profile says
    bool wrap, strip; // names of a call graph: in several lines; without parameters and templates
    bool slope;       // the trend of memory over time
    double skew;      // of the colours of a call graph; 0 = even
    bool skip_zero;   // lines without values are left out
    bool own, with_callees; // which of a function's values, where it is not the plot's usual one
    bool by_value;          // ranks: the largest first
    bool reverse;           // callers above their callees
    bool by_self;           // colours of a call graph: by own time
    bool by_difference;     // of a compared one in a .dot: by how much it has changed
    double tolerance;       // of one: percent of all time that is no change; 0 = 0.001
    int marked;             // of one: 0 = all changes, 1 = what is slower, 2 = what is faster
    bool one_rank;
    int64_t rank;
    const uint32_t *zoom;          // of call paths: regions from the root to what is looked at
    uint32_t zoom_count;           // 0 = all
    const char *asks;              // id of the field that clicks are told to; NULL = none
    const char *wanted;            // what is searched in pages that are alive; NULL = nothing
    unsigned depth;                // 0 = the plot's default
    double cutoff;                 // least part of the caller; 0 = the plot's default, < 0 = none
    double least_node, least_edge; // of a call graph, parts of the whole; the same
} pj_profile_opts;

enum { PJ_PLOT_MOST_Y = 20 };

typedef struct pj_plot_opts {
    const char *title; // NULL = made from the data
    const char *x;     // key of a run (scaling) or of a column; NULL = the plot's default
    const char *y[PJ_PLOT_MOST_Y]; // key of a metric, or of columns; the first NULL ends the list
    const char *by;                // key or column that splits the data into series; NULL = none
    const pj_colour *colours;      // of the y; NULL = the palette's
    const char *const *keys;       // of the y in the legend; NULL = their titles
    bool log_x, log_y;
    bool linear;          // where a logarithmic axis would be chosen
    bool stacked;         // bar: several y on top of each other
    double width, height; // px at 1x; 0 = the plot's default
    pj_palette palette;
    pj_profile_opts profile;
} pj_plot_opts;

typedef struct pj_plot {
    const char *name;  // "scaling"
    const char *title; // "Scaling of a metric"
    const char *help;  // one sentence
    pj_plot_source source;
    size_t most_y;      // values of y; 0 = PJ_PLOT_MOST_Y - 1
    unsigned aspects;   // PJ_WANT(...): what the run must have been read with
    bool parts;         // of metrics, or of parts of the program (pj_plot_data.parts)
    bool several;       // of one run, or of several (pj_plot_data.study)
    bool sliced;        // the run is cut along time (pj_run.slices)
    bool iterations;    // it is cut into its iterations
    bool stacks;        // several y may stand on top of each other
    const char *topic;  // of profiles: which part of them it shows (find/profile_topics.def)
    const char *beside; // of recordings: the folder beside trace and profile that it shows
    bool again;         // what another plot of the topic shows too: reports leave it out
    bool pair;          // of two profiles, what was and what is
    bool usual;         // of its source: the one that is drawn where none is named
    /// What a trace is asked for the table of it; NULL = its statistics.
    const struct pj_query_opts *question;
    /// The numbers that are drawn of a run, new; NULL = its statistics.
    pj_table *(*numbers)(const pj_run *run);
    /// The same of several runs; errors as of `make`.
    pj_table *(*numbers_of_study)(const pj_study *study, pj_err *err);
    /// The same of metrics, with the keys drawn; NULL = those of the set.
    pj_table *(*numbers_of_metrics)(const pj_metrics *metrics, const pj_plot_opts *opts);
    /// NULL with PJ_E_USAGE (no such column, metric or key; the message lists the valid ones) or
    /// PJ_E_MISSING (nothing to draw).
    pj_figure *(*make)(pj_plot_data data, pj_plot_opts opts, const pj_draw *draw, pj_err *err);
} pj_plot;

/// In the order of plots.def; NULL past the end.
const pj_plot *pj_plot_at(size_t index);
/// The first one of that name.
const pj_plot *pj_plot_by_name(pj_str name);
/// The one that is drawn of such data where none is named.
const pj_plot *pj_plot_usual(pj_plot_source source);
/// The one of that name that is made from profiles.
const pj_plot *pj_plot_of_profile(pj_str name);

#define PLOT(name) extern const pj_plot pj_plot_##name;
#include "widgets/plot/plots.def"
#undef PLOT

#endif
