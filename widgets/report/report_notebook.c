// The notebook that a report of runs is made from.
// Cells say what the numbers are, so that a changed set or region changes the words with them;
// prompts to the author are comments, which no page shows.
#include "widgets/report/report_notebook.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/str.h"
#include "metrics/pop/metrics.h"
#include "metrics/pop/metricset.h"
#include "metrics/run/devices.h"
#include "metrics/run/regions.h"
#include "metrics/run/run.h"
#include "widgets/figure/escape.h"
#include "widgets/report/findings_md.h"
#include "widgets/report/report_profile.h"
#include "widgets/report/report_title.h"

typedef struct writer {
    const pj_metrics *metrics;
    const pj_report_plan *plan;
    size_t last; // the run with most threads
    pj_arena *arena;
    json_t *cells;
} writer;

/// A section about some rows of the set, those of a topic of findings_md.
typedef struct section {
    const char *title, *topic, *label;
    const char *caption;
    const char *code; // of its picture; NULL = a plot of the rows
    const char *prompt;
    const char *more; // Lua's function and arguments of a second picture or table; may be NULL
    const char *more_caption, *more_label;
    bool (*has_more)(const pj_run *last);
} section;

static bool has_messages(const pj_run *run)
{
    return run->has_mpi && !run->ai && run->layout.ranks > 1;
}

static bool has_regions(const pj_run *run)
{
    return run->has_openmp;
}

static bool has_devices(const pj_run *run)
{
    return !pj_devices_lack(run);
}

static const section sections[] = {
    {.title = "Load balance",
     .topic = "load_balance",
     .label = "fig:load-balance",
     .caption = "Useful time of each rank in the largest run",
     .code = "plot(\"bar\", m.runs[#m.runs].stats:by(\"rank\", {useful_ns = \"mean\"}), "
             "{x = \"rank\", y = \"useful_ns\"})",
     .prompt = "Which ranks have most to do, and why? Is it work (instructions) or speed (IPC)?"},
    {.title = "Communication",
     .topic = "communication",
     .label = "fig:communication",
     .caption = "Communication efficiency and its parts over the runs",
     .prompt = "Which calls and which partners? What would another network bring (replay)?",
     .more = "plot, \"matrix\", m.runs[#m.runs]",
     .more_caption = "Bytes from rank to rank in the largest run",
     .more_label = "fig:matrix",
     .has_more = has_messages},
    {.title = "Computation",
     .topic = "computation",
     .label = "fig:computation",
     .caption = "Computation scaling and its factors over the runs",
     .prompt = "Which functions execute more instructions, or slower ones?"},
    {.title = "OpenMP",
     .topic = "openmp",
     .label = "fig:openmp",
     .caption = "Efficiency of the threads over the runs",
     .prompt = "Which regions are long and uneven, which serial parts remain?",
     .more = "function() return regions(m.runs[#m.runs], \"function\"):select(\"function\", "
             "\"instances\", \"region_ns\", \"computation_ns\", \"inefficiency\", "
             "\"load_balance\") end",
     .more_caption = "Parallel regions of the largest run by function, the costliest first",
     .more_label = "tab:regions",
     .has_more = has_regions},
    {.title = "Devices",
     .topic = "devices",
     .label = "fig:devices",
     .caption = "What each device does in the largest run, and the host while it is idle",
     .code = "plot(\"devices\", m.runs[#m.runs])",
     .prompt = "Is the work spread evenly over the devices? What keeps them idle: host code, MPI, "
               "launches, synchronisation?",
     .more = "stats, m.runs[#m.runs], {devices = true}",
     .more_caption = "Devices of the largest run",
     .more_label = "tab:devices",
     .has_more = has_devices},
};

static void add_prose(writer *w, const pj_buf *text)
{
    json_array_append_new(w->cells, pj_report_prose(pj_buf_str(text), (pj_report_mark){0}));
}

static void add_code(writer *w, const char *code, const char *caption, const char *label)
{
    json_array_append_new(
        w->cells,
        pj_report_code(pj_str_of(code), (pj_report_mark){.caption = caption, .label = label}));
}

static void add_escaped(pj_buf *out, const char *before, const char *text, const char *after)
{
    pj_buf_puts(out, before);
    pj_escape_md(out, pj_str_of(text));
    pj_buf_puts(out, after);
}

/// A heading with a prompt, then what the numbers say of the topic.
static void add_topic(writer *w, const char *heading, const char *prompt, const char *topic)
{
    pj_auto_buf text = {0}, code = {0};
    pj_buf_addf(&text, "%s\n\n<!-- %s -->\n", heading, prompt);
    add_prose(w, &text);
    pj_buf_addf(&code, "m:findings \"%s\"", topic);
    add_code(w, code.at, NULL, NULL);
}

/// Whether the trace itself is at hand, to be asked again.
static bool has_events(const pj_run *run)
{
    return !run->untraced && (!run->provenance || !run->provenance->alone);
}

/// Whether the summary begins with what mending the worst fault brings.
static bool tells_faults(const writer *w)
{
    const pj_run *last = w->metrics->study->cases[w->last].run;
    return !last->ai && has_events(last) && last->layout.locations > 1;
}

/// The cell that everything after it stands on comes before the first words about it.
static void add_summary(writer *w)
{
    pj_auto_buf code = {0};
    pj_buf_addf(&code, "runs = %s\nm = metrics(runs%s%s)", w->plan->load_code,
                *w->plan->metrics_code ? ", " : "", w->plan->metrics_code);
    add_code(w, code.at, NULL, NULL);
    pj_auto_buf words = {0};
    pj_buf_puts(&words, "## Summary\n\n<!-- The result in a few sentences: how well does the code "
                        "scale, what limits it, what is advised? -->\n");
    add_prose(w, &words);
    add_code(w,
             tells_faults(w) ? "there, found = pcall(findings, runs)\n"
                               "m:findings(\"summary\", there and found or nil)"
                             : "m:findings \"summary\"",
             NULL, NULL);
}

static void add_application(writer *w)
{
    pj_auto_buf text = {0};
    pj_buf_puts(&text,
                "## Application\n\n<!-- What does the code compute, in which language, with which "
                "parallel model? Version, input, machine, compiler; who asked, and why? -->\n");
    if (w->plan->info.application)
        add_escaped(&text, "\nThe application is **", w->plan->info.application, "**.\n");
    add_prose(w, &text);
    add_code(w, "m:findings \"application\"", NULL, NULL);
    add_code(w, "runs", "The runs of this report", "tab:runs");
}

/// What may find nothing to show after a change of runs or region.
static void add_guarded(writer *w, const char *call, const char *caption, const char *label)
{
    pj_auto_buf code = {0};
    pj_buf_addf(&code, "there, shown = pcall(%s)\nif there then display(shown) end", call);
    add_code(w, code.at, caption, label);
}

/// What is worth mending, in the order of what it brings: what a reader wants to know first.
static void add_faults(writer *w)
{
    static const char columns[] =
        "select(\"rank\", \"title\", \"where\", \"core_hours\", \"share\", \"method\")";
    const pj_run *last = w->metrics->study->cases[w->last].run;
    const char *shown =
        pj_arena_format(w->arena, "function() return findings(runs):%s end", columns);
    if (last->ai)
        add_guarded(w, shown,
                    "Where the time of the devices of the largest run goes besides compute",
                    "tab:findings");
    else if (tells_faults(w))
        add_code(w, pj_arena_format(w->arena, "if there then display(found:%s) end", columns),
                 "What mending each fault of the largest run would bring: each replay on top of "
                 "those that are more particular",
                 "tab:findings");
}

static void add_structure(writer *w)
{
    add_topic(w, "## Structure and region of interest",
              "Phases of the run: start, iterations, output. Which of them is analysed, and why?",
              "structure");
    const pj_run *last = w->metrics->study->cases[w->last].run;
    bool has_file = has_events(last) || (last->ai && !last->provenance);
    bool has_timeline = last->timeline || has_file; // summaries of old have none
    if (has_timeline && last->runtime_ns > 0)       // without states there is nothing to draw
        add_code(w, "plot(\"timeline\", m.runs[#m.runs])", "Timeline of the largest run",
                 "fig:timeline");
    if (last->ai)
        add_code(w, "plot(\"devices\", m.runs[#m.runs])",
                 "What each device of the largest run does", "fig:structure");
    else if (!last->untraced)
        add_code(w, "plot(\"ranks\", m.runs[#m.runs])",
                 last->layout.ranks > 1 ? "Where the time of each rank goes in the largest run"
                                        : "Where the time of each thread goes in the largest run",
                 "fig:structure");
    if (has_events(last) && !last->ai && last->layout.locations > 1 && !last->no_states) {
        add_guarded(w, "plot, \"slices\", m.runs[#m.runs]",
                    "Efficiencies of the largest run over time, and the useful part of the time of "
                    "its ranks",
                    "fig:slices");
        add_guarded(w, "plot, \"slices\", m.runs[#m.runs], {x = \"iteration\"}",
                    "The same over the iterations that were found in it", "fig:iterations");
    }
    if (has_events(last) && w->metrics->study->count > 1) // the table of one run has them below it
        add_code(w, "m.runs[#m.runs].overview", "Absolute figures of the largest run",
                 "tab:overview");
}

/// Nothing where no run has a speedup, as of the parts of one.
static void add_scaling(writer *w)
{
    int speedup = pj_metric_row(w->metrics->set, PJ_S("speedup"));
    bool known = false;
    for (size_t run = 0; speedup >= 0 && run < w->metrics->study->count; run++)
        known = known || !pj_metrics_at(w->metrics, run, (size_t)speedup).reason;
    if (!known)
        return;
    add_topic(w, "## Scaling", "Up to which size is the code used, and where does the curve bend?",
              "scaling");
    add_code(w, "plot(m, \"speedup\")", "Speedup over the runs", "fig:speedup");
}

static void add_efficiency(writer *w)
{
    pj_auto_buf text = {0};
    pj_buf_puts(&text, "## Efficiency\n\nThe efficiencies are numbers up to 1; what is missing to "
                       "1 is lost. The rows under a row say to what. The line under the table "
                       "names the convention, which belongs to every number.\n");
    add_prose(w, &text);
    add_code(w, "m", "POP efficiencies", "tab:efficiencies");
    add_topic(w, "### Discussion", "Does this fit what is known about the code?", "efficiency");
}

/// Lines over the runs of as many rows as the set has, which may be none after a change.
static void add_lines(writer *w, const section *s)
{
    pj_auto_buf code = {0};
    pj_buf_addf(
        &code,
        "rows = m:about \"%s\"\n"
        "if #rows > 0 then\n"
        "    display(plot(\"line\", m.table, {x = \"threads\", y = rows, title = \"%s\"}))\n"
        "end",
        s->topic, s->title);
    add_code(w, code.at, s->caption, s->label);
}

static void add_section(writer *w, const section *s)
{
    const pj_run *last = w->metrics->study->cases[w->last].run;
    if (!pj_findings_md_rows(w->metrics, pj_str_of(s->topic), NULL, 1))
        return;
    pj_auto_buf heading = {0};
    pj_buf_addf(&heading, "## %s", s->title);
    add_topic(w, heading.at, s->prompt, s->topic);
    if (s->code && !last->untraced)
        add_code(w, s->code, s->caption, s->label);
    else if (w->metrics->study->count > 1)
        add_lines(w, s);
    if (s->more && has_events(last) && s->has_more(last))
        add_guarded(w, s->more, s->more_caption, s->more_label);
}

/// Call paths are in the trace alone: it is read again for them.
static void add_functions(writer *w)
{
    pj_auto_buf text = {0};
    const pj_run *last = w->metrics->study->cases[w->last].run;
    if (!has_events(last) || !pj_regions_name_functions(last))
        return;
    pj_buf_puts(&text,
                "## Time and share per function\n\nExclusive time is that of the function "
                "itself, inclusive time also that of what it calls; the balance is mean over "
                "maximum of the ranks.\n\n<!-- Which functions are worth the work? Which of "
                "them are uneven? -->\n");
    add_prose(w, &text);
    add_guarded(w, "profile, m.runs[#m.runs], {first = 20}",
                "Functions and calls of the largest run, the longest first", "tab:functions");
}

static void add_conclusions(writer *w)
{
    add_topic(w, "## Conclusions", "What should be done, by whom, and what will it bring?",
              "conclusions");
    add_code(w, "m.losses", "What mending each cause alone would bring at most", "tab:losses");
}

/// What a reader types to see each finding.
static void add_evidence(writer *w)
{
    if (!tells_faults(w))
        return;
    pj_auto_buf text = {0};
    pj_buf_puts(&text, "## Appendix: findings\n\nThe commands that show each finding; `popinjay "
                       "findings` also names the replays that prove them.\n");
    json_array_append_new(w->cells,
                          pj_report_prose(pj_buf_str(&text), (pj_report_mark){.part = "findings"}));
    add_code(w, "if there then display(found:select(\"rank\", \"title\", \"evidence\")) end",
             "What shows each finding of the largest run", "tab:evidence");
}

static void add_definitions(writer *w)
{
    pj_auto_buf text = {0};
    pj_buf_puts(&text, "## Appendix: definitions of the metrics\n");
    json_array_append_new(
        w->cells, pj_report_prose(pj_buf_str(&text), (pj_report_mark){.part = "definitions"}));
    add_code(w, "m:findings \"definitions\"", NULL, NULL);
}

json_t *pj_report_notebook(const pj_metrics *metrics, const pj_report_plan *plan)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    writer w = {metrics, plan, metrics->study->count - 1, arena, json_array()};
    json_array_append_new(w.cells, pj_report_title(&plan->info));
    add_summary(&w);
    add_faults(&w);
    add_application(&w);
    add_structure(&w);
    if (metrics->study->count > 1)
        add_scaling(&w);
    add_efficiency(&w);
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++)
        add_section(&w, &sections[i]);
    add_functions(&w);
    if (plan->profile)
        pj_report_profile_section(plan->profile, plan->profile_code, w.cells);
    add_conclusions(&w);
    add_evidence(&w);
    if (plan->traces)
        json_array_append_new(w.cells, pj_report_traces(plan->traces, metrics->study->count));
    if (plan->profile_files)
        json_array_append_new(w.cells,
                              pj_report_files(plan->profile_files, plan->profile_file_count));
    add_definitions(&w);
    json_t *notebook = pj_report_assemble_take(w.cells);
    pj_report_set_info(notebook, &plan->info);
    return notebook;
}
