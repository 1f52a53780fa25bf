// Reads "LEVEL THREAD SIZE n" and the n lines behind it.
#include "metrics/read/row.h"

#include "metrics/base/num.h"

/// The size that a line "LEVEL THREAD SIZE n" gives; false for any other line.
static bool is_thread_level(pj_str line, uint64_t *size)
{
    static const pj_str words[] = {{"LEVEL", 5}, {"THREAD", 6}, {"SIZE", 4}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (!pj_str_starts(line, words[i]))
            return false;
        line = pj_str_trim(pj_str_from(line, words[i].len));
    }
    return pj_parse_u64(line, size);
}

bool pj_row_parse(pj_str text, pj_layout *layout, pj_arena *arena)
{
    uint64_t size = 0;
    bool found = false;
    while (text.len && !found)
        found = is_thread_level(pj_str_trim(pj_str_cut(&text, '\n')), &size);
    if (!found)
        return true;
    if (size != layout->locations)
        return false;
    const char **names = pj_new_n(arena, const char *, size);
    for (uint64_t i = 0; i < size; i++) {
        if (!text.len)
            return false;
        names[i] = pj_arena_text(arena, pj_str_trim(pj_str_cut(&text, '\n')));
    }
    layout->location_name = names;
    return true;
}
