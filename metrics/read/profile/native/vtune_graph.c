// Reads the call graph that VTune reports as gprof does (-report gprof-cc): self time and that of
// descendants. There are no calls, and what an edge has is VTune's estimate.
#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "metrics/profile/build/oddities.h"
#include "metrics/profile/build/profile_build.h"
#include "metrics/read/profile/native/call_blocks.h"
#include "metrics/read/profile/profile_text.h"
#include "metrics/read/reader.h"
#include "metrics/read/source.h"

/// "Index  % CPU Time:Total  CPU Time:Self  CPU Time:Children  Name  Index"
static bool is_header(pj_str line)
{
    pj_str rest = line;
    return pj_str_equal(pj_text_word(&rest), PJ_S("Index")) && pj_str_contains(rest, PJ_S("%")) &&
           pj_str_contains(rest, PJ_S("Self")) &&
           (pj_str_contains(rest, PJ_S("Children")) || pj_str_contains(rest, PJ_S("Descendants")));
}

/// The index of names, with which the report ends.
static bool is_end(pj_str line)
{
    pj_str rest = line;
    if (!pj_str_equal(pj_text_word(&rest), PJ_S("Index")))
        return false;
    rest = pj_str_trim(rest);
    return pj_str_equal(rest, PJ_S("Function")) || pj_str_equal(rest, PJ_S("by function name"));
}

static bool read_blocks(pj_source *source, pj_build *build, pj_call_blocks *blocks, pj_str text,
                        pj_err *err)
{
    pj_text_lines lines = {.rest = text};
    pj_str line;
    bool begun = false;
    while (pj_build_ok(build) &&
           pj_text_take(&lines, PJ_TEXT_LINE_LONG, pj_source_path(source), &line, err) &&
           !is_end(line)) {
        pj_str rest = line;
        bool blank = !pj_text_word(&rest).len;
        if (blank)
            pj_call_blocks_end(blocks);
        else if (begun && !pj_str_starts(line, PJ_S("---")) && !pj_call_blocks_line(blocks, line) &&
                 !pj_str_contains(line, PJ_S("<spontaneous>")))
            pj_build_odd(build, PJ_ODDITY_malformed_record, lines.line);
        begun |= is_header(line);
    }
    return !lines.failed;
}

static bool read_graph(pj_source *source, pj_build *build, pj_err *err)
{
    pj_str text;
    if (!pj_source_whole(source, PJ_TEXT_BYTES, &text, err))
        return false;
    pj_call_blocks *blocks = pj_call_blocks_new(false);
    bool ok = read_blocks(source, build, blocks, text, err);
    if (ok && pj_call_blocks_build(blocks, build))
        pj_build_odd(build, PJ_ODDITY_edges_estimated, 0);
    pj_call_blocks_free(blocks);
    return ok;
}

static bool sniff(pj_str head)
{
    pj_text_lines lines = {.rest = head};
    pj_str line;
    while (pj_text_next(&lines, &line))
        if (is_header(line))
            return true;
    return false;
}

const pj_reader pj_reader_vtune_graph = {
    .name = "vtune_graph",
    .title = "VTune call graph",
    .suffixes = ".axe .txt",
    .gives = PJ_GIVES_PROFILE,
    .sniff = sniff,
    .profile = read_graph,
};
