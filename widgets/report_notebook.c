// Findings are text, for the author to go on from; prompts are comments, which no page shows.
#include "widgets/report_notebook.h"

#include "metrics/base/buf.h"
#include "metrics/base/num.h"
#include "metrics/pop/findings.h"
#include "widgets/escape.h"

typedef struct writer {
    const pj_metrics *metrics;
    const pj_report_plan *plan;
    size_t last; // the run with most threads
    pj_arena *arena;
    json_t *cells;
} writer;

/// A section about some rows of the set: those whose key holds one of the words.
typedef struct section {
    const char *title, *label;
    const char *words[5];
    const char *caption;
    const char *code; // of its picture; NULL = a plot of the rows
    const char *prompt;
} section;

static const section sections[] = {
    {.title = "Load balance",
     .label = "fig:load-balance",
     .words = {"load_balance", "load_imbalance"},
     .caption = "Useful time of each rank in the largest run",
     .code = "plot(\"bar\", m.runs[#m.runs].stats:by(\"rank\", {useful_ns = \"mean\"}), "
             "{x = \"rank\", y = \"useful_ns\"})",
     .prompt = "Which ranks have most to do, and why? Is it work (instructions) or speed (IPC)?"},
    {.title = "Communication",
     .label = "fig:communication",
     .words = {"communication", "transfer", "seriali"},
     .caption = "Communication efficiency and its parts over the runs",
     .prompt = "Which calls and which partners? What would another network bring (replay)?"},
    {.title = "Computation",
     .label = "fig:computation",
     .words = {"computation_scaling", "instruction_scaling", "ipc_scaling", "frequency_scaling"},
     .caption = "Computation scaling and its factors over the runs",
     .prompt = "Which functions execute more instructions, or slower ones?"},
    {.title = "OpenMP",
     .label = "fig:openmp",
     .words = {"thread_level", "openmp_region", "serial_region", "openmp_parallel"},
     .caption = "Efficiency of the threads over the runs",
     .prompt = "Which regions are long and uneven, which serial parts remain?"},
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

static const char *layout_of(const writer *w, size_t run)
{
    return pj_study_key_text(w->metrics->study, run, PJ_BY_LAYOUT);
}

static void add_fact(pj_buf *out, const char *name, const char *text)
{
    if (text && *text) {
        pj_buf_addf(out, "**%s:** ", name);
        add_escaped(out, "", text, "  \n");
    }
}

static void add_title(writer *w)
{
    const pj_report_info *info = &w->plan->info;
    pj_auto_buf text = {0};
    add_escaped(&text, "# ", info->title, "\n\n");
    add_fact(&text, "Application", info->application);
    add_fact(&text, "Report", info->id);
    add_fact(&text, "Author", info->author);
    add_fact(&text, "Contributors", info->contributors);
    add_fact(&text, "Date", info->date);
    json_array_append_new(w->cells,
                          pj_report_prose(pj_buf_str(&text), (pj_report_mark){.part = "title"}));
}

static void add_advice(pj_buf *out, const pj_finding *finding)
{
    if (finding->advice)
        pj_buf_addf(out, " The usual reason is that %s. %s", finding->advice->meaning,
                    finding->advice->look);
}

static void add_summary(writer *w)
{
    pj_auto_buf text = {0};
    pj_findings path = pj_findings_path(w->metrics, w->last, w->arena);
    pj_findings ranked = pj_findings_ranked(w->metrics, w->last, w->arena);
    pj_buf_puts(&text, "## Summary\n\n<!-- The result in a few sentences: how well does the code "
                       "scale, what limits it, what is advised? -->\n\n");
    for (size_t i = 0; i < path.count; i++)
        add_escaped(&text, "- ", path.items[i].sentence, "\n");
    if (path.count && !ranked.count)
        pj_buf_puts(&text, "- No single cause stands out: every part is at 0.95 or better.\n");
    for (size_t i = 0; i < ranked.count && i < 1; i++)
        if (ranked.items[i].advice)
            pj_buf_addf(&text, "- Where to begin: %s\n", ranked.items[i].advice->look);
    add_prose(w, &text);
}

static void add_application(writer *w)
{
    const pj_study *study = w->metrics->study;
    pj_auto_buf text = {0};
    pj_buf_puts(&text,
                "## Application\n\n<!-- What does the code compute, in which language, with which "
                "parallel model? Version, input, machine, compiler; who asked, and why? -->\n\n");
    if (w->plan->info.application)
        add_escaped(&text, "The application is **", w->plan->info.application, "**. ");
    if (study->count > 1) {
        pj_buf_addf(&text,
                    "%zu runs were analysed, from %s to %s (ranks x threads): ", study->count,
                    layout_of(w, 0), layout_of(w, w->last));
        add_escaped(&text, "", study->scaling_note, ".\n");
    } else {
        pj_buf_addf(&text, "One run was analysed, with %s ranks x threads.\n", layout_of(w, 0));
    }
    add_prose(w, &text);
    pj_auto_buf code = {0};
    pj_buf_addf(&code, "runs = %s\nm = metrics(runs%s%s)\nruns", w->plan->load_code,
                *w->plan->metrics_code ? ", " : "", w->plan->metrics_code);
    add_code(w, code.at, "The runs of this report", "tab:runs");
}

static void add_structure(writer *w)
{
    pj_auto_buf text = {0};
    size_t marked = 0;
    for (size_t i = 0; i < w->metrics->study->count; i++)
        marked += w->metrics->study->runs[i]->roi.set;
    pj_buf_puts(&text, "## Structure and region of interest\n\n<!-- Phases of the run: start, "
                       "iterations, output. Which of them is analysed, and why? -->\n\n");
    if (marked == 0)
        pj_buf_puts(&text, "The runs are analysed whole, from the first to the last record.\n");
    else
        pj_buf_addf(&text,
                    "In %zu of %zu runs a region of interest is analysed; the remarks under "
                    "the efficiency table say where it lies.\n",
                    marked, w->metrics->study->count);
    add_prose(w, &text);
    const pj_run *last = w->metrics->study->runs[w->last];
    bool has_scene = last->scene || strcmp(last->format, "summary") != 0; // older ones have none
    if (has_scene && last->runtime_ns > 0) // without states there is nothing to draw
        add_code(w, "plot(\"timeline\", m.runs[#m.runs])", "Timeline of the largest run",
                 "fig:timeline");
    if (last->layout.ranks > 1)
        add_code(w, "plot(\"ranks\", m.runs[#m.runs])",
                 "Where the time of each rank goes in the largest run", "fig:structure");
    else
        add_code(w, "plot(\"bar\", m.runs[#m.runs].stats, {x = \"thread\", y = \"useful_ns\"})",
                 "Useful time of each thread in the largest run", "fig:structure");
}

static void add_speedup(writer *w, pj_buf *text)
{
    const pj_metrics *metrics = w->metrics;
    int row = pj_metric_row(metrics->set, PJ_S("speedup"));
    if (row < 0)
        return;
    size_t reference = metrics->study->reference;
    pj_metric_value speedup = pj_metrics_at(metrics, w->last, (size_t)row);
    double more = (double)metrics->study->runs[w->last]->layout.locations /
                  (double)metrics->study->runs[reference]->layout.locations;
    if (speedup.reason || w->last == reference)
        return;
    pj_buf_addf(text,
                "At %s the speedup over the reference run (%s) is %.2f, where %.2f would be "
                "ideal: %.0f %%.\n",
                layout_of(w, w->last), layout_of(w, reference), speedup.value, more,
                100 * speedup.value / more);
}

static void add_scaling(writer *w)
{
    pj_auto_buf text = {0};
    pj_buf_puts(&text, "## Scaling\n\n<!-- Up to which size is the code used, and where does the "
                       "curve bend? -->\n\n");
    add_speedup(w, &text);
    add_prose(w, &text);
    add_code(w, "plot(m, \"speedup\")", "Speedup over the runs", "fig:speedup");
}

static void add_efficiency(writer *w)
{
    pj_auto_buf text = {0}, discussion = {0};
    pj_findings path = pj_findings_path(w->metrics, w->last, w->arena);
    pj_buf_puts(&text, "## Efficiency\n\nThe efficiencies are numbers up to 1; what is missing to "
                       "1 is lost. The rows under a row say to what. The line under the table "
                       "names the convention, which belongs to every number.\n");
    add_prose(w, &text);
    add_code(w, "m", "POP efficiencies", "tab:efficiencies");
    pj_buf_puts(&discussion, "### Discussion\n\n");
    for (size_t i = 0; i < path.count; i++) {
        add_escaped(&discussion, "- ", path.items[i].sentence, "");
        add_advice(&discussion, &path.items[i]);
        pj_buf_add_char(&discussion, '\n');
    }
    if (!path.count)
        pj_buf_puts(&discussion, "The efficiencies have no values; the remarks say why.\n");
    pj_buf_puts(&discussion, "\n<!-- Does this fit what is known about the code? -->\n");
    add_prose(w, &discussion);
}

static bool belongs(const section *s, const pj_metric *metric)
{
    for (size_t i = 0; s->words[i]; i++)
        if (strstr(metric->key, s->words[i]))
            return metric->kind != PJ_METRIC_PLAIN;
    return false;
}

static void add_row(writer *w, size_t row, pj_buf *text)
{
    pj_metric_value value = pj_metrics_at(w->metrics, w->last, row);
    bool inefficiency = w->metrics->set->rows[row].kind == PJ_METRIC_INEFFICIENCY;
    double quality = inefficiency ? 1 - value.value : value.value;
    const pj_advice *advice = pj_advice_of(pj_str_of(w->metrics->set->rows[row].key));
    add_escaped(text, "- ", pj_findings_course(w->metrics, row, w->arena), "");
    if (!value.reason && quality < 0.9 && advice)
        pj_buf_addf(text, " The usual reason is that %s. %s", advice->meaning, advice->look);
    pj_buf_add_char(text, '\n');
}

enum { MOST_LINES = 4 }; // of one picture

static void add_section(writer *w, const section *s)
{
    pj_auto_buf text = {0}, code = {0}, keys = {0};
    size_t rows = 0, shown = 0;
    bool single = w->metrics->study->count == 1; // scalings compare runs
    pj_buf_addf(&text, "## %s\n\n", s->title);
    for (size_t row = 0; row < w->metrics->set->count; row++) {
        const pj_metric *metric = &w->metrics->set->rows[row];
        if (!belongs(s, metric) || (single && metric->kind == PJ_METRIC_SCALING))
            continue;
        rows++;
        add_row(w, row, &text);
        if (shown < MOST_LINES && !pj_metrics_at(w->metrics, w->last, row).reason)
            pj_buf_addf(&keys, "%s\"%s\"", shown++ ? ", " : "", metric->key);
    }
    if (!rows)
        return;
    pj_buf_addf(&text, "\n<!-- %s -->\n", s->prompt);
    add_prose(w, &text);
    if (s->code)
        pj_buf_puts(&code, s->code);
    else if (shown && !single)
        pj_buf_addf(&code, "plot(\"line\", m.table, {x = \"threads\", y = {%s}, title = \"%s\"})",
                    keys.at, s->title);
    if (code.len)
        add_code(w, code.at, s->caption, s->label);
}

static void add_conclusions(writer *w)
{
    enum { MOST = 3 };
    pj_auto_buf text = {0};
    pj_findings ranked = pj_findings_ranked(w->metrics, w->last, w->arena);
    pj_buf_puts(&text, "## Conclusions\n\n");
    if (!ranked.count)
        pj_buf_addf(&text, "At %s nothing falls below 0.95.\n", layout_of(w, w->last));
    else
        pj_buf_addf(&text, "At %s (ranks x threads) these cost most, the largest loss first:\n\n",
                    layout_of(w, w->last));
    for (size_t i = 0; i < ranked.count && i < MOST; i++) {
        pj_buf_addf(&text, "%zu. ", i + 1);
        add_escaped(&text, "", ranked.items[i].sentence, "");
        add_advice(&text, &ranked.items[i]);
        pj_buf_add_char(&text, '\n');
    }
    pj_buf_puts(&text, "\n<!-- What should be done, by whom, and what will it bring? -->\n");
    add_prose(w, &text);
}

static void set_text(json_t *object, const char *key, const char *text)
{
    if (text)
        json_object_set_new(object, key, json_string(text));
}

static json_t *member(json_t *object, const char *key)
{
    json_t *found = json_object_get(object, key);
    if (json_is_object(found))
        return found;
    found = json_object();
    json_object_set_new(object, key, found);
    return found;
}

void pj_report_set_info(json_t *notebook, const pj_report_info *info)
{
    json_t *metadata = member(notebook, "metadata");
    json_t *report = member(member(metadata, "popinjay"), "report");
    set_text(report, "title", info->title);
    set_text(report, "id", info->id);
    set_text(report, "application", info->application);
    set_text(report, "author", info->author);
    set_text(report, "contributors", info->contributors);
    set_text(report, "date", info->date);
    if (info->code)
        json_object_set_new(report, "code", json_true());
    set_text(metadata, "title", info->title); // what other templates read
    if (info->author)
        json_object_set_new(metadata, "authors", json_pack("[{s:s}]", "name", info->author));
}

json_t *pj_report_notebook(const pj_metrics *metrics, const pj_report_plan *plan)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    writer w = {metrics, plan, metrics->study->count - 1, arena, json_array()};
    add_title(&w);
    add_summary(&w);
    add_application(&w);
    add_structure(&w);
    if (metrics->study->count > 1)
        add_scaling(&w);
    add_efficiency(&w);
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++)
        add_section(&w, &sections[i]);
    add_conclusions(&w);
    if (plan->traces)
        json_array_append_new(w.cells, pj_report_traces(plan->traces, metrics->study->count));
    json_array_append_new(w.cells, pj_report_definitions(&metrics->set, 1));
    json_t *notebook = pj_report_assemble_take(w.cells);
    pj_report_set_info(notebook, &plan->info);
    return notebook;
}
