// The names beside a Paraver trace.
// Reads "LEVEL THREAD SIZE n" and the n lines behind it; the same for APPL and NODE.
#include "metrics/read/paraver/row.h"

#include "metrics/base/arena.h"
#include "metrics/base/num.h"
#include "metrics/base/str.h"

#include <string.h>
#include <strings.h>

/// Word and size of a line "LEVEL word SIZE n"; false for any other line.
static bool take_level(pj_str line, pj_str *word, uint64_t *size)
{
    const pj_str level = PJ_S("LEVEL"), sized = PJ_S("SIZE");
    line = pj_str_trim(line);
    if (!pj_str_starts(line, level))
        return false;
    line = pj_str_trim(pj_str_from(line, level.len));
    *word = pj_str_cut(&line, ' ');
    line = pj_str_trim(line);
    return pj_str_starts(line, sized) &&
           pj_parse_u64(pj_str_trim(pj_str_from(line, sized.len)), size);
}

/// The next `size` lines; NULL when there are fewer.
static const char **take_names(pj_str *text, uint64_t size, pj_arena *arena)
{
    if (size > text->len)
        return NULL;
    const char **names = pj_new_n(arena, const char *, size);
    for (uint64_t i = 0; i < size; i++) {
        if (!text->len)
            return NULL;
        names[i] = pj_arena_text(arena, pj_str_trim(pj_str_cut(text, '\n')));
    }
    return names;
}

/// "APPL 1", "Application 1", "": names that say no more than their number.
static bool says_nothing(const char *name)
{
    const char appl[] = "appl", ication[] = "ication";
    if (strncasecmp(name, appl, strlen(appl)) == 0)
        name += strlen(appl);
    if (strncasecmp(name, ication, strlen(ication)) == 0)
        name += strlen(ication);
    return name[strspn(name, " .0123456789")] == '\0';
}

static void keep_applications(const char **names, pj_layout *layout)
{
    for (uint32_t i = 0; names && i < layout->applications; i++)
        if (says_nothing(names[i]))
            names[i] = NULL;
    layout->application_name = names;
}

bool pj_row_parse(pj_str text, pj_layout *layout, pj_arena *arena)
{
    pj_str word;
    uint64_t size;
    while (text.len) {
        if (!take_level(pj_str_cut(&text, '\n'), &word, &size))
            continue;
        if (pj_str_equal(word, PJ_S("THREAD"))) {
            const char **names = size == layout->locations ? take_names(&text, size, arena) : NULL;
            if (!names)
                return false;
            layout->location_name = names;
        } else if (pj_str_equal(word, PJ_S("APPL")) && size == layout->applications) {
            keep_applications(take_names(&text, size, arena), layout);
        } else if (pj_str_equal(word, PJ_S("NODE")) && size <= UINT32_MAX) {
            layout->node_name = take_names(&text, size, arena);
            layout->node_names = layout->node_name ? (uint32_t)size : 0;
        }
    }
    return true;
}
