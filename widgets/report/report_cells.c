// Cells carry what the template needs in metadata.popinjay.
#include "widgets/report/report_cells.h"

#include "metrics/base/buf.h"
#include "metrics/base/num.h"
#include "metrics/base/str.h"
#include "widgets/figure/escape.h"
#include "widgets/table/definitions.h"

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

json_t *pj_report_files(const pj_report_file *files, size_t count)
{
    enum { SHOWN = 256 };
    pj_auto_buf text = {0};
    pj_buf_puts(&text, "## Appendix: files of the profile\n\n| File | Size | Fingerprint |\n"
                       "|:------------------------------------|------------:|"
                       "------------------:|\n");
    for (size_t i = 0; i < count && i < SHOWN; i++) {
        char bytes[32];
        pj_format_bytes(files[i].bytes, bytes);
        add_escaped(&text, "| ", files[i].name, " | ");
        pj_buf_addf(&text, "%s | %s |\n", bytes,
                    *files[i].fingerprint ? files[i].fingerprint : "not there any more");
    }
    if (count > SHOWN)
        pj_buf_addf(&text, "\n%zu more files are not listed.\n", count - SHOWN);
    pj_buf_puts(&text, "\nThe fingerprint is the XXH64 of the file as it was read (`xxhsum -H64 "
                       "FILE`).\n");
    return pj_report_prose(pj_buf_str(&text), (pj_report_mark){.part = "files"});
}

json_t *pj_report_definitions(const pj_metric_set *const *sets, size_t count)
{
    pj_auto_buf text = {0};
    pj_buf_puts(&text, "## Appendix: definitions of the metrics\n\n");
    pj_definitions_md(sets, count, &text);
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
