// Cells carry what the template needs in metadata.popinjay.
#include "widgets/report_cells.h"

#include "metrics/base/buf.h"
#include "metrics/base/num.h"
#include "widgets/escape.h"

#include <inttypes.h>

static json_t *mark_of(pj_report_mark mark)
{
    json_t *own = json_object();
    const char *const keys[] = {"part", "caption", "label"};
    const char *const texts[] = {mark.part, mark.caption, mark.label};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (texts[i])
            json_object_set_new(own, keys[i], json_string(texts[i]));
    json_t *metadata = json_object();
    if (json_object_size(own))
        json_object_set(metadata, "popinjay", own);
    json_decref(own);
    return metadata;
}

json_t *pj_report_prose(pj_str markdown, pj_report_mark mark)
{
    return json_pack("{s:s,s:o,s:o}", "cell_type", "markdown", "metadata", mark_of(mark), "source",
                     json_stringn(markdown.at, markdown.len));
}

json_t *pj_report_code(pj_str code, pj_report_mark mark)
{
    return json_pack("{s:s,s:n,s:o,s:[],s:o}", "cell_type", "code", "execution_count", "metadata",
                     mark_of(mark), "outputs", "source", json_stringn(code.at, code.len));
}

static void add_escaped(pj_buf *out, const char *before, const char *text, const char *after)
{
    pj_buf_puts(out, before);
    pj_escape_md(out, pj_str_of(text));
    pj_buf_puts(out, after);
}

json_t *pj_report_traces(const pj_report_trace *traces, size_t count)
{
    pj_auto_buf text = {0};
    pj_buf_puts(&text, "## Appendix: traces\n\n| Trace | Ranks x threads | Size | Fingerprint |\n"
                       "|:------------------------------|:------------------|------------:|"
                       "------------------:|\n");
    for (size_t i = 0; i < count; i++) {
        const pj_report_trace *trace = &traces[i];
        char bytes[32];
        pj_format_bytes(trace->bytes, bytes);
        add_escaped(&text, "| ", trace->name, " | ");
        add_escaped(&text, "", trace->layout, " | ");
        pj_buf_addf(&text, "%s | %s |\n", bytes,
                    *trace->fingerprint ? trace->fingerprint : "not there any more");
    }
    pj_buf_puts(&text, "\nThe fingerprint is the XXH64 of the file as it was read (`xxhsum -H64 "
                       "FILE`); of an archive, that of its files.\n");
    return pj_report_prose(pj_buf_str(&text), (pj_report_mark){.part = "traces"});
}

static void add_set(pj_buf *out, const pj_metric_set *set)
{
    add_escaped(out, "### ", set->title, "\n\n");
    if (set->convention)
        add_escaped(out, "", set->convention, "\n\n");
    for (size_t row = 0; row < set->count; row++) {
        const pj_metric *metric = &set->rows[row];
        add_escaped(out, "**", metric->title, "**");
        if (metric->formula_text)
            pj_buf_addf(out, " = `%s`", metric->formula_text);
        pj_buf_puts(out, ". ");
        pj_escape_md(out, pj_str_of(metric->explanation ? metric->explanation : ""));
        pj_buf_puts(out, "\n\n");
    }
}

/// What a symbol stands for: "useful time, summed over all threads [U]" says how a measure is
/// folded too, which formulas say themselves.
static pj_str meaning_of(pj_str sentence)
{
    static const char *const folds[] = {", mean", ", maximum", ", summed"};
    for (size_t i = 0; i < sizeof folds / sizeof *folds; i++)
        for (size_t at = 0; at < sentence.len; at++)
            if (pj_str_starts(pj_str_from(sentence, at), pj_str_of(folds[i])))
                return pj_str_head(sentence, at);
    return pj_str_trim(sentence);
}

/// Between the brackets that end the sentence of a measure; empty when there are none.
static pj_str symbol_of(pj_str sentence)
{
    size_t open = pj_str_find_last(sentence, '[');
    pj_str symbol = open < sentence.len ? pj_str_from(sentence, open + 1) : (pj_str){0};
    return pj_str_head(symbol, pj_str_find(symbol, ']'));
}

static bool is_new_symbol(size_t index, pj_str symbol)
{
    for (size_t i = 0; i < index; i++)
        if (pj_str_equal(symbol_of(pj_str_of(pj_measure_at(i)->sentence)), symbol))
            return false;
    return symbol.len > 0;
}

static void add_symbols(pj_buf *out)
{
    const pj_measure *measure;
    pj_buf_puts(out, "### Symbols\n\n| Symbol | Meaning |\n|:----------------|"
                     ":------------------------------------------------------------|\n");
    for (size_t i = 0; (measure = pj_measure_at(i)); i++) {
        pj_str sentence = pj_str_of(measure->sentence), symbol = symbol_of(sentence);
        if (!is_new_symbol(i, symbol))
            continue;
        pj_buf_addf(out, "| `" PJ_STR_FMT "` | ", PJ_STR_ARG(symbol));
        pj_escape_md(out, meaning_of(pj_str_head(sentence, pj_str_find_last(sentence, '['))));
        pj_buf_puts(out, " |\n");
    }
}

json_t *pj_report_definitions(const pj_metric_set *const *sets, size_t count)
{
    pj_auto_buf text = {0};
    pj_buf_puts(&text, "## Appendix: definitions of the metrics\n\n");
    for (size_t i = 0; i < count; i++)
        add_set(&text, sets[i]);
    add_symbols(&text);
    return pj_report_prose(pj_buf_str(&text), (pj_report_mark){.part = "definitions"});
}

json_t *pj_report_assemble_take(json_t *cells)
{
    size_t i;
    json_t *cell;
    json_array_foreach(cells, i, cell) json_object_set_new(cell, "id", json_sprintf("part-%zu", i));
    return json_pack("{s:o,s:{s:{s:s,s:s,s:s},s:{s:s,s:s,s:s}},s:i,s:i}", "cells", cells,
                     "metadata", "kernelspec", "display_name", "popinjay", "language", "lua",
                     "name", "popinjay", "language_info", "name", "lua", "file_extension", ".lua",
                     "mimetype", "text/x-lua", "nbformat", 4, "nbformat_minor", 5);
}
