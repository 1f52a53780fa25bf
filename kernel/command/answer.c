// Values as JSON: what every answer says of itself, then its table, number or text.
#include "kernel/command/answer.h"

#include "kernel/command/display.h"
#include "kernel/command/jsontext.h"
#include "kernel/command/kind.h"
#include "kernel/command/session.h"
#include "kernel/command/value.h"
#include "metrics/base/buf.h"
#include "metrics/base/str.h"
#include "metrics/pop/metrics.h"
#include "metrics/run/study/study.h"
#include "metrics/table/table.h"
#include "metrics/trace/import_stats.h"
#include "widgets/table/table_json.h"

#include <stdlib.h>

static void set_text(json_t *object, const char *key, const char *text)
{
    json_object_set_new(object, key, pj_jsontext_string(pj_str_of(text ? text : "")));
}

static void add_remark(json_t *remarks, const char *key, pj_severity severity, pj_str text)
{
    json_array_append_new(remarks,
                          json_pack("{s:s, s:s, s:o}", "key", key, "severity",
                                    pj_severity_name(severity), "text", pj_jsontext_string(text)));
}

/// What a line of a note is about.
static const char *key_of(const pj_table *table, pj_str line)
{
    for (size_t i = 0; i < table->remark_count; i++)
        if (pj_str_equal(line, pj_str_of(table->remarks[i].line)))
            return table->remarks[i].key;
    return "run";
}

/// A line under a table: "warning: the trace may be cut", or what the table is.
static void add_line(json_t *remarks, const pj_table *table, pj_str line)
{
    for (pj_severity severity = PJ_NOTE; severity <= PJ_URGENT; severity++) {
        pj_str name = pj_str_of(pj_severity_name(severity));
        pj_str text = pj_str_trim(pj_str_from(line, name.len < line.len ? name.len + 1 : line.len));
        if (!pj_str_starts(line, name) || line.len <= name.len || line.at[name.len] != ':')
            continue;
        add_remark(remarks, key_of(table, line), severity, text);
        return;
    }
    if (line.len)
        add_remark(remarks, "about", PJ_NOTE, line);
}

static json_t *remarks_of(const pj_value *value, const pj_table *table)
{
    json_t *remarks = json_array();
    if (value->kind == PJ_VALUE_METRICS) {
        const pj_metrics *metrics = value->metrics;
        for (size_t i = 0; i < metrics->remark_count; i++)
            add_remark(remarks, metrics->remarks[i].key, metrics->remarks[i].severity,
                       pj_str_of(metrics->remarks[i].text));
        return remarks;
    }
    for (pj_str rest = pj_str_of(table && table->note ? table->note : ""); rest.len;)
        add_line(remarks, table, pj_str_trim(pj_str_cut(&rest, '\n')));
    return remarks;
}

/// The run that scalings compare with, or why there is none.
static void add_reference(json_t *answer, const pj_study *study)
{
    if (study->alone) {
        json_object_set_new(answer, "reference", json_null());
        set_text(answer, "reference_reason", study->alone);
        return;
    }
    const pj_case *reference = &study->cases[study->reference];
    json_t *run = json_pack("{s:I, s:o, s:o}", "row", (json_int_t)study->reference + 1, "trace",
                            pj_jsontext_string(pj_str_of(reference->name)), "layout",
                            pj_jsontext_string(pj_str_of(reference->keys[PJ_BY_LAYOUT])));
    json_object_set_new(answer, "reference", run);
    json_object_set_new(answer, "scaling",
                        json_string(study->scaling == PJ_SCALING_WEAK ? "weak" : "strong"));
}

static void add_set(json_t *answer, const pj_metrics *metrics)
{
    json_t *set = json_object();
    set_text(set, "key", metrics->set->key);
    set_text(set, "title", metrics->set->title);
    set_text(set, "convention", metrics->set->convention);
    json_object_set_new(answer, "set", set);
    add_reference(answer, metrics->study);
}

/// Which rows are shown, and the option that gives the next ones; null where these are all.
static json_t *truncation(size_t rows, size_t from, size_t shown)
{
    if (shown == rows)
        return json_null();
    json_t *part = json_pack("{s:I, s:I, s:I}", "rows", (json_int_t)rows, "from",
                             (json_int_t)from + 1, "shown", (json_int_t)shown);
    if (from + shown < rows)
        json_object_set_new(part, "rest", json_sprintf("--json-from %zu", from + shown + 1));
    return part;
}

static void add_table(json_t *answer, const pj_session *session, const pj_table *table,
                      pj_answer_args args)
{
    size_t from = args.from > 1 ? args.from - 1 : 0;
    from = from < table->row_count ? from : table->row_count;
    size_t count = args.rows ? args.rows : table->row_count;
    json_t *part = pj_table_json(table, from, count, session->stop);
    json_object_del(part, "note"); // said by the remarks
    size_t shown = json_array_size(json_object_get(part, "rows"));
    json_object_update(answer, part);
    json_object_set_new(answer, "truncated", truncation(table->row_count, from, shown));
    json_decref(part);
}

/// The lines of a text are its rows.
static void add_lines(json_t *answer, pj_str text, pj_answer_args args)
{
    size_t from = args.from > 1 ? args.from - 1 : 0, lines = 0, shown = 0;
    pj_auto_buf part = {0};
    while (text.len) {
        pj_str line = pj_str_cut(&text, '\n');
        bool wanted = lines++ >= from && (!args.rows || shown < args.rows);
        if (wanted && ++shown)
            pj_buf_addf(&part, PJ_STR_FMT "\n", PJ_STR_ARG(line));
    }
    json_object_set_new(answer, "text", pj_jsontext_string(pj_buf_str(&part)));
    json_object_set_new(answer, "truncated", truncation(lines, from < lines ? from : lines, shown));
}

static void add_plain(json_t *answer, const pj_session *session, const pj_value *value,
                      pj_answer_args args)
{
    pj_auto_buf text = {0};
    json_object_set_new(answer, "truncated", json_null());
    if (value->kind == PJ_VALUE_NUMBER)
        json_object_set_new(answer, "value", json_real(value->number));
    else if (value->kind == PJ_VALUE_BOOL)
        json_object_set_new(answer, "value", json_boolean(value->flag));
    else if (value->kind != PJ_VALUE_NIL) {
        pj_display_text(session, value, &text);
        add_lines(answer, pj_buf_str(&text), args);
    }
}

json_t *pj_answer_new(const pj_session *session, const pj_value *value, pj_answer_args args)
{
    pj_auto_table table = pj_display_whole(value, session->stop);
    json_t *answer = json_object();
    json_object_set_new(answer, "contract", json_integer(PJ_ANSWER_CONTRACT));
    json_object_set_new(answer, "popinjay", json_string(PJ_VERSION));
    set_text(answer, "command", session->command);
    set_text(answer, "kind", pj_kind_of(value)->name);
    if (value->kind == PJ_VALUE_METRICS)
        add_set(answer, value->metrics);
    json_object_set_new(answer, "remarks", remarks_of(value, table));
    if (table)
        add_table(answer, session, table, args);
    else
        add_plain(answer, session, value, args);
    return answer;
}

void pj_answer_write(const pj_session *session, const pj_value *value, pj_answer_args args)
{
    json_t *answer = pj_answer_new(session, value, args);
    char *text = json_dumps(answer, JSON_INDENT(1) | JSON_REAL_PRECISION(17));
    pj_auto_buf line = {0};
    pj_buf_addf(&line, "%s\n", text);
    session->face->write(session->face->self, PJ_STDOUT, pj_buf_str(&line));
    free(text);
    json_decref(answer);
}
