// The notebook of a report.
// Options become Lua text; outputs of metrics say in their metadata what they were made from.
#include "kernel/report/report_source.h"

#include "kernel/report/profile_source.h"

#include "kernel/command/display.h"
#include "kernel/command/inputs.h"
#include "kernel/command/session.h"
#include "metrics/analyse/load.h"
#include "metrics/analyse/load_how.h"
#include "metrics/analyse/summarise.h"
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/fingerprint.h"
#include "metrics/base/job.h"
#include "metrics/base/str.h"
#include "metrics/pop/metrics.h"
#include "metrics/pop/metricset.h"
#include "metrics/read/fingerprint_trace.h"
#include "metrics/run/run.h"
#include "metrics/run/study/study.h"
#include "widgets/report/report_cells.h"
#include "widgets/report/report_title.h"

#include <stdlib.h>

static void add_lua_text(pj_buf *out, const char *text)
{
    pj_buf_add_char(out, '"');
    for (const char *c = text; *c; c++) {
        unsigned char byte = (unsigned char)*c;
        if (byte == '"' || byte == '\\')
            pj_buf_addf(out, "\\%c", byte);
        else if (byte < 32) // a line end would end the text
            pj_buf_addf(out, "\\%03u", byte);
        else
            pj_buf_add_char(out, *c);
    }
    pj_buf_add_char(out, '"');
}

static void add_name(pj_buf *out, const char *name)
{
    pj_buf_addf(out, "%s%s = ", out->len ? ", " : "", name);
}

static void add_text(pj_buf *out, const char *name, const char *text)
{
    if (!text)
        return;
    add_name(out, name);
    add_lua_text(out, text);
}

static void add_part(pj_buf *out, const char *name, double value)
{
    if (value > 0) {
        add_name(out, name);
        pj_buf_addf(out, "%g", value);
    }
}

static const char *in_braces(pj_arena *arena, const pj_buf *fields)
{
    return fields->len ? pj_arena_format(arena, "{%s}", fields->at) : "";
}

static const char *metrics_code(const pj_report_source *source, pj_arena *arena)
{
    const pj_study *study = source->metrics->study;
    pj_auto_buf fields = {0};
    add_text(&fields, "set", source->metrics->set->key);
    if (study->chosen) {
        add_name(&fields, "ref");
        pj_buf_addf(&fields, "%zu", study->reference + 1);
    }
    if (pj_str_contains(pj_str_of(study->scaling_note), PJ_S("(chosen")))
        add_text(&fields, "scaling", study->scaling == PJ_SCALING_WEAK ? "weak" : "strong");
    if (source->metrics->by != PJ_BY_NONE)
        add_text(&fields, "by", pj_key_name(source->metrics->by));
    add_part(&fields, "good", source->args->good);
    add_part(&fields, "bad", source->args->bad);
    add_text(&fields, "colours", source->args->colours);
    return in_braces(arena, &fields);
}

/// Where a notebook finds the trace.
static const char *path_of(const pj_report_source *source, const pj_run *run, pj_arena *arena)
{
    char *real = realpath(run->path, NULL);
    pj_str path = pj_str_of(real ? real : run->path);
    pj_str folder = pj_str_of(source->folder);
    if (folder.len && pj_str_starts(path, folder) && path.len > folder.len + 1 &&
        path.at[folder.len] == '/')
        path = pj_str_from(path, folder.len + 1);
    const char *kept = pj_arena_text(arena, path);
    free(real);
    return kept;
}

/// Runs with tags are loaded one by one: an option holds for a whole call.
static void add_run(const pj_report_source *source, const pj_run *run, pj_arena *arena,
                    const char *options, pj_buf *out)
{
    pj_auto_buf fields = {0};
    if (*run->tag)
        add_text(&fields, "tag", run->tag);
    pj_buf_puts(&fields, *options && fields.len ? ", " : "");
    pj_buf_puts(&fields, options);
    pj_buf_puts(out, "    load(");
    add_lua_text(out, path_of(source, run, arena));
    pj_buf_addf(out, fields.len ? ", {%s})[1],\n" : "%s)[1],\n", fields.len ? fields.at : "");
}

static const char *load_code(const pj_report_source *source, pj_arena *arena)
{
    const pj_load_args *load = source->load;
    const pj_study *study = source->metrics->study;
    pj_auto_buf options = {0}, out = {0};
    bool tagged = false;
    for (size_t i = 0; i < study->count; i++)
        tagged |= *study->cases[i].run->tag != 0;
    pj_load_how how = load->how;
    for (size_t i = 0; i < PJ_HOW_COUNT; i++)
        add_text(&options, pj_load_how_at(i)->key, *pj_load_how_text(&how, i));
    pj_buf_puts(&out, tagged ? "{\n" : "load({\n");
    for (size_t i = 0; i < study->count; i++) {
        if (tagged) {
            add_run(source, study->cases[i].run, arena, options.at ? options.at : "", &out);
            continue;
        }
        pj_buf_puts(&out, "    ");
        add_lua_text(&out, path_of(source, study->cases[i].run, arena));
        pj_buf_puts(&out, ",\n");
    }
    pj_buf_puts(&out, "}");
    if (!tagged)
        pj_buf_addf(&out, options.len ? ", {%s})" : "%s)", options.len ? options.at : "");
    return pj_arena_text(arena, pj_buf_str(&out));
}

/// What a run was made from; read anew unless it is a summary, which knows. What cannot be read any
/// more has no fingerprint. Fails when the user interrupts.
static bool find_origin(pj_session *session, const pj_report_source *source, const pj_run *run,
                        pj_arena *arena, pj_provenance *out, pj_err *err)
{
    pj_job job = {.stop = session->stop};
    pj_load_opts opts = {.group = NULL};
    pj_err problem = {.code = PJ_E_NONE};
    if (run->provenance) {
        *out = *run->provenance;
        return true;
    }
    bool ok = pj_load_how_take(&source->load->how, &opts, &problem) &&
              pj_summarise_origin(run->path, &opts, &job, arena, out, &problem);
    if (ok && source->summaries) // what does not fit there is read again
        pj_ignore(pj_summarise_keep(pj_run_whole(run), out, source->summaries, NULL));
    if (problem.code != PJ_E_STOPPED)
        return true;
    *err = problem;
    return false;
}

static bool describe_run(pj_session *session, const pj_report_source *source, const pj_run *run,
                         pj_report_trace *trace, pj_err *err)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_provenance from = {.bytes = 0};
    if (!find_origin(session, source, run, arena, &from, err))
        return false;
    trace->path = run->path;
    trace->bytes = from.bytes;
    if (from.fingerprint)
        pj_fingerprint_text(from.fingerprint, trace->fingerprint);
    return true;
}

json_t *pj_report_source_notebook(pj_session *session, const pj_report_source *source,
                                  const pj_report_info *info, pj_err *err)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    const pj_metrics *metrics = source->metrics;
    const pj_study *study = metrics->study;
    if (pj_metric_set_by_key(pj_str_of(metrics->set->key)) != metrics->set) {
        pj_fail(err, PJ_E_USAGE, NULL, 0,
                "report: the set %s is defined in this notebook; save it and give its name instead",
                metrics->set->key);
        return NULL;
    }
    pj_report_trace *traces = pj_new_n(arena, pj_report_trace, study->count);
    for (size_t i = 0; i < study->count; i++) {
        traces[i].name = study->cases[i].name;
        traces[i].layout = pj_study_key_text(study, i, PJ_BY_LAYOUT);
        if (!describe_run(session, source, study->cases[i].run, &traces[i], err))
            return NULL;
    }
    pj_report_plan plan = {.info = *info,
                           .load_code = load_code(source, arena),
                           .metrics_code = metrics_code(source, arena),
                           .traces = traces,
                           .profile = source->profile,
                           .profile_code = source->profile_code};
    if (source->profile) {
        plan.profile_file_count = source->profile->file_count;
        if (!pj_profile_source_files(session, source->profile, source->folder, arena,
                                     &plan.profile_files, err))
            return NULL;
    }
    return pj_report_notebook(metrics, &plan);
}

/// What the outputs of a notebook were made from.
typedef struct origin {
    const pj_metric_set **sets;
    size_t set_count, set_cap;
    pj_report_trace *traces;
    size_t trace_count, trace_cap;
    pj_arena *arena;
    const char *folder;
} origin;

static void add_set(origin *o, const char *key)
{
    const pj_metric_set *set = key ? pj_metric_set_by_key(pj_str_of(key)) : NULL;
    for (size_t i = 0; set && i < o->set_count; i++)
        if (o->sets[i] == set)
            set = NULL;
    if (!set)
        return;
    pj_grow(o->sets, &o->set_cap, o->set_count + 1);
    o->sets[o->set_count++] = set;
}

static void add_trace(origin *o, const json_t *entry)
{
    const char *name = json_string_value(json_object_get(entry, "name"));
    const char *path = json_string_value(json_object_get(entry, "path"));
    const char *layout = json_string_value(json_object_get(entry, "layout"));
    if (!name || !path || !layout)
        return;
    for (size_t i = 0; i < o->trace_count; i++)
        if (strcmp(o->traces[i].path, path) == 0)
            return;
    pj_grow(o->traces, &o->trace_cap, o->trace_count + 1);
    pj_report_trace *trace = &o->traces[o->trace_count++];
    *trace = (pj_report_trace){.name = name, .layout = layout};
    bool absolute = path[0] == '/';
    const char *at = absolute ? path : pj_arena_format(o->arena, "%s/%s", o->folder, path);
    uint64_t value;
    pj_job job = {.workers = 0};
    if (pj_fingerprint_trace(at, &job, &value, &trace->bytes, NULL))
        pj_fingerprint_text(value, trace->fingerprint);
    trace->path = path;
}

static void look_at_output(origin *o, const json_t *output)
{
    const json_t *own = json_object_get(json_object_get(output, "metadata"), PJ_DISPLAY_ORIGIN);
    add_set(o, json_string_value(json_object_get(own, "set")));
    size_t i;
    json_t *entry;
    json_array_foreach(json_object_get(own, "traces"), i, entry) add_trace(o, entry);
}

static bool has_part(const json_t *cells, const char *part)
{
    size_t i;
    json_t *cell;
    json_array_foreach(cells, i, cell)
    {
        const json_t *own = json_object_get(json_object_get(cell, "metadata"), "popinjay");
        const char *name = json_string_value(json_object_get(own, "part"));
        if (name && strcmp(name, part) == 0)
            return true;
    }
    return false;
}

void pj_report_source_complete(json_t *notebook, const char *folder)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    origin o = {.arena = arena, .folder = folder};
    json_t *cells = json_object_get(notebook, "cells");
    size_t i, k;
    json_t *cell, *output;
    json_array_foreach(cells, i, cell)
        json_array_foreach(json_object_get(cell, "outputs"), k, output) look_at_output(&o, output);
    if (o.trace_count && !has_part(cells, "traces"))
        json_array_append_new(cells, pj_report_traces(o.traces, o.trace_count));
    if (o.set_count && !has_part(cells, "definitions"))
        json_array_append_new(cells, pj_report_definitions(o.sets, o.set_count));
    json_array_foreach(cells, i, cell) if (!json_object_get(cell, "id"))
        json_object_set_new(cell, "id", json_sprintf("appendix-%zu", i));
    free(o.sets);
    free(o.traces);
}
