// Takes apart rows of tables by source line.
#include "metrics/read/profile/python/line_row.h"

#include "metrics/base/num.h"
#include "metrics/read/profile/profile_text.h"

size_t pj_line_header(pj_str header)
{
    static const char title[] = "Line Contents";
    const size_t len = sizeof title - 1;
    pj_str trimmed = pj_str_trim(header);
    if (!pj_str_starts(trimmed, PJ_S("Line #")) || !pj_str_ends(trimmed, pj_str_of(title)))
        return 0;
    return (size_t)(trimmed.at - header.at) + trimmed.len - len;
}

bool pj_line_row_of(pj_str text, size_t column, unsigned cells, pj_line_row *row)
{
    pj_str rest = text;
    uint64_t line;
    if (!pj_parse_u64(pj_text_word(&rest), &line) || line > UINT32_MAX)
        return false;
    *row = (pj_line_row){.line = (uint32_t)line, .source = pj_str_from(text, column)};
    size_t used = (size_t)(rest.at - text.at);
    if (used >= column || !pj_str_trim((pj_str){rest.at, column - used}).len ||
        !pj_str_trim(rest).len)
        return true;
    for (unsigned i = 0; i < cells && i < PJ_LINE_CELLS; i++) {
        pj_str word = pj_text_word(&rest);
        if (word.len)
            row->cells[row->cell_count++] = word;
    }
    if ((size_t)(rest.at - text.at) > column) // wide numbers have pushed the source to the right
        row->source = pj_str_starts(rest, PJ_S("  ")) ? pj_str_from(rest, 2) : rest;
    return true;
}

static bool is_name_byte(char c)
{
    char lower = (char)(c | 0x20);
    return (lower >= 'a' && lower <= 'z') || (c >= '0' && c <= '9') || c == '_' ||
           (unsigned char)c >= 0x80;
}

pj_str pj_line_defines(pj_str source)
{
    pj_str rest = source, word = pj_text_word(&rest);
    if (pj_str_equal(word, PJ_S("async")))
        word = pj_text_word(&rest);
    if (!pj_str_equal(word, PJ_S("def")) && !pj_str_equal(word, PJ_S("class")))
        return PJ_S("");
    word = pj_text_word(&rest);
    size_t len = 0;
    while (len < word.len && is_name_byte(word.at[len]))
        len++;
    return pj_str_head(word, len);
}
