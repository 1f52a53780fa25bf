// The notebook that a report of a profile is made from.
// Pictures come from the rows of plots: a plot about a topic stands in its section. What cannot be
// drawn of a profile leaves its place empty.
#include "widgets/report/report_profile.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/str.h"
#include "metrics/profile/function_name.h"
#include "metrics/profile/profile.h"
#include "metrics/profile/profile_findings.h"
#include "widgets/plot/plot.h"

typedef struct writer {
    const pj_profile *profile;
    pj_arena *arena;
    json_t *cells;
    const char *level; // of the headings of topics: "##"
} writer;

static void add_prose(writer *w, const char *text)
{
    json_array_append_new(w->cells, pj_report_prose(pj_str_of(text), (pj_report_mark){0}));
}

static void add_code(writer *w, const char *code, const char *caption, const char *label)
{
    json_array_append_new(
        w->cells,
        pj_report_code(pj_str_of(code), (pj_report_mark){.caption = caption, .label = label}));
}

/// What there may be nothing to show of.
static void add_guarded(writer *w, const char *call, const char *caption, const char *label)
{
    add_code(w,
             pj_arena_format(w->arena, "there, shown = pcall(%s)\nif there then display(shown) end",
                             call),
             caption, label);
}

/// A heading with a prompt to the author, then what the numbers say.
static void add_heading(writer *w, const char *heading, const char *prompt, const char *topic)
{
    add_prose(w, pj_arena_format(w->arena, "%s\n\n<!-- %s -->\n", heading, prompt));
    if (topic)
        add_code(w, pj_arena_format(w->arena, "p:findings \"%s\"", topic), NULL, NULL);
}

/// "text" as Lua writes it.
static const char *quoted(writer *w, const char *text)
{
    pj_auto_buf out = {0};
    for (const char *c = text; *c; c++) {
        unsigned char byte = (unsigned char)*c;
        if (byte < 32)
            pj_buf_addf(&out, "\\%03u", byte);
        else
            pj_buf_addf(&out, byte == '"' || byte == '\\' ? "\\%c" : "%c", byte);
    }
    return pj_arena_format(w->arena, "\"%s\"", out.len ? out.at : "");
}

// Topics

static void add_functions(writer *w)
{
    add_guarded(w, "profile, p, {first = 20}", "Functions, those with most time of their own first",
                "tab:profile-functions");
}

static void add_graph(writer *w)
{
    add_guarded(w,
                "function() return p.edges:sort(\"-inclusive_s\"):select(\"from\", \"to\", "
                "\"calls\", \"exclusive_s\", \"inclusive_s\"):head(15) end",
                "Calls between functions, those with most time first", "tab:profile-calls");
}

/// One function over ranks, as its sum hides who has it.
static void add_ranks(writer *w)
{
    enum { MOST = 64 };
    uint32_t region = pj_profile_telling_function(w->profile);
    if (region != PJ_NO_ITEM) {
        const char *label = pj_function_label(w->profile, region, w->arena);
        const char *name = pj_function_short(w->profile, region, w->arena);
        const char *call =
            pj_arena_format(w->arena, "plot, \"ranks\", p, {f = %s}", quoted(w, label));
        add_guarded(w, call, pj_arena_format(w->arena, "%s on each rank", name),
                    "fig:profile-function");
    }
    if (w->profile->location_count <= MOST)
        add_guarded(w, "function() return p.waits end", "Work and waiting of each rank",
                    "tab:profile-ranks");
}

static void add_lines(writer *w)
{
    bool memory = pj_profile_measure(w->profile, PJ_S("memory")) != PJ_NO_ITEM;
    const char *call = memory ? "profile, p, {by = \"line\", sort = \"increment_mib\", first = 20}"
                              : "profile, p, {by = \"line\", sort = \"time_s\", first = 20}";
    add_guarded(w, call,
                memory ? "Lines, those with the largest increments first"
                       : "Lines, those with most time first",
                "tab:profile-lines");
}

static void add_events(writer *w)
{
    add_guarded(w, "function() return p.events:head(40) end", "What the program reported",
                "tab:profile-events");
}

/// What a topic has beside its pictures.
static const struct topic {
    const char *key, *prompt;
    void (*tables)(writer *w);
} topics[] = {
    {"functions", "Which functions are worth the work? Are they the program's or a library's?",
     add_functions},
    {"graph", "Who calls the costly functions, and is every call needed?", add_graph},
    {"ranks", "Which ranks have most to do, and why?", add_ranks},
    {"lines", "What does the costliest line compute?", add_lines},
    {"memory", "What holds the memory at the peak, and could it be freed before?", NULL},
    {"events", "Are sizes and counts what the input lets one expect?", add_events},
};

static void add_pictures(writer *w, const pj_profile_topic *topic)
{
    const pj_plot *plot;
    for (size_t i = 0; (plot = pj_plot_at(i)); i++) {
        if (plot->source != PJ_PLOT_PROFILE || plot->again || !plot->topic ||
            strcmp(plot->topic, topic->key) != 0)
            continue;
        add_guarded(w, pj_arena_format(w->arena, "plot, \"%s\", p", plot->name), plot->title,
                    pj_arena_format(w->arena, "fig:profile-%s", plot->name));
    }
}

static void add_topic(writer *w, const pj_profile_topic *topic)
{
    const struct topic *mine = NULL;
    for (size_t i = 0; i < sizeof topics / sizeof *topics; i++)
        if (strcmp(topics[i].key, topic->key) == 0)
            mine = &topics[i];
    if (!mine || !topic->has(w->profile))
        return;
    add_heading(w, pj_arena_format(w->arena, "%s %s", w->level, topic->title), mine->prompt,
                topic->key);
    add_pictures(w, topic);
    if (mine->tables)
        mine->tables(w);
}

static void add_topics(writer *w)
{
    const pj_profile_topic *topic;
    for (size_t i = 0; (topic = pj_profile_topic_at(i)); i++)
        add_topic(w, topic);
}

/// What became of everything since the profile of before.
static void add_change(writer *w, const char *before)
{
    add_prose(w, "## What has changed\n\n<!-- Is the change what was meant, and is all of it "
                 "explained? -->\n");
    add_code(w, pj_arena_format(w->arena, "q = %s", before), NULL, NULL);
    add_guarded(w, "plot, \"difference\", {q, p}",
                "What changed by call path: red takes more, blue less", "fig:profile-difference");
    add_guarded(w, "function() return compare(q, p):head(20) end",
                "Functions, those that changed most first", "tab:profile-difference");
}

static void add_terms(writer *w)
{
    static const char text[] =
        "## Appendix: terms\n\n"
        "- **Exclusive** time (own time, tottime) is that of the function itself, **inclusive** "
        "time (with callees, cumtime) also that of what it calls.\n"
        "- **Waiting and communication** are calls of MPI, its wrappers in Python, barriers, locks "
        "and sleeping, told by their names; all else is **work**, or useful.\n"
        "- **Load balance** is the mean of the useful time of all ranks (threads) over its "
        "maximum; **communication efficiency** is that maximum over the time of the longest rank; "
        "their product is **parallel efficiency**: the definitions of the POP centre, with "
        "useful time as the profile tells it.\n"
        "- **Balance** in tables is mean over maximum of the exclusive time of one function; "
        "ranks that lack it count as 0.\n";
    json_array_append_new(
        w->cells, pj_report_prose(pj_str_of(text), (pj_report_mark){.part = "definitions"}));
}

static void add_loading(writer *w, const char *code)
{
    add_code(w, pj_arena_format(w->arena, "p = %s", code), NULL, NULL);
}

void pj_report_profile_section(const pj_profile *profile, const char *code, json_t *cells)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    writer w = {profile, arena, cells, "###"};
    add_loading(&w, code);
    add_heading(&w, "## Profile of the run",
                "Does the profile say the same as the trace? What does it add?", "summary");
    add_code(&w, "p.info", "The profile", "tab:profile");
    add_topics(&w);
}

json_t *pj_report_profile_notebook(const pj_profile *profile, const pj_report_profile *plan)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    writer w = {profile, arena, json_array(), "##"};
    json_array_append_new(w.cells, pj_report_title(&plan->info));
    add_loading(&w, plan->code);
    add_heading(&w, "## Summary",
                "The result in a few sentences: where does the time go, and what is advised?",
                "summary");
    if (plan->before)
        add_change(&w, plan->before);
    add_heading(&w, "## Application",
                "What does the code compute, in which language? Version, input, machine; who "
                "asked, and why?",
                NULL);
    add_code(&w, "p.info", "The profile of this report", "tab:profile");
    add_topics(&w);
    add_heading(&w, "## Conclusions", "What should be done, by whom, and what will it bring?",
                NULL);
    if (plan->files)
        json_array_append_new(w.cells, pj_report_files(plan->files, plan->file_count));
    add_terms(&w);
    json_t *notebook = pj_report_assemble_take(w.cells);
    pj_report_set_info(notebook, &plan->info);
    return notebook;
}
