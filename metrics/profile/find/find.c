// Names and texts as sentences can bear them.
#include "metrics/profile/find/find.h"

#include "metrics/base/arena.h"
#include "metrics/base/str.h"
#include "metrics/profile/function_name.h"

enum { LONGEST = 100, NAME_LONGEST = 48 };

/// Control characters are blanks.
static void add_line(pj_str text, pj_buf *out)
{
    for (size_t i = 0; i < text.len; i++)
        pj_buf_add_char(out, (unsigned char)text.at[i] < 32 ? ' ' : text.at[i]);
}

/// As much of the bytes as does not end within a character.
static size_t whole_before(pj_str text, size_t len)
{
    while (len > 0 && len < text.len && ((unsigned char)text.at[len] & 0xc0) == 0x80)
        len--;
    return len;
}

/// What is too long ends in dots.
static void add_short(pj_str text, pj_buf *out)
{
    add_line(pj_str_head(text, whole_before(text, LONGEST)), out);
    pj_buf_puts(out, text.len > LONGEST ? "..." : "");
}

/// As few of its scopes go as it takes: "<impl Ord for usize>::lt" of "core::cmp::<impl ...>::lt".
static pj_str without_scopes(pj_str name)
{
    enum { TELLING = 12 };
    pj_str best = name;
    int depth = 0;
    for (size_t i = 0; i + 1 < name.len && best.len > NAME_LONGEST; i++) {
        char c = name.at[i];
        depth += c == '<' || c == '(';
        depth -= depth > 0 && (c == '>' || c == ')');
        bool ends = depth == 0 && c == ':' && name.at[i + 1] == ':';
        if (ends && name.len - i - 2 >= TELLING)
            best = pj_str_from(name, i + 2);
    }
    return best;
}

/// Names that begin alike differ at their ends: those that are too long give up their scopes, then
/// their middle.
static void add_name(pj_str name, pj_buf *out)
{
    name = without_scopes(name);
    if (name.len <= NAME_LONGEST) {
        add_line(name, out);
        return;
    }
    add_line(pj_str_head(name, whole_before(name, NAME_LONGEST / 2)), out);
    pj_buf_puts(out, "...");
    add_line(pj_str_from(name, whole_before(name, name.len - NAME_LONGEST / 2)), out);
}

const char *pj_find_name(const pj_profile *p, uint32_t region, pj_arena *arena)
{
    pj_auto_buf text = {0};
    add_name(pj_str_of(pj_function_short(p, region, arena)), &text);
    return pj_arena_text(arena, pj_buf_str(&text));
}

void pj_find_add_text(pj_str text, pj_buf *out)
{
    text = pj_str_trim(text);
    if (!text.len)
        return;
    pj_buf_puts(out, ": ");
    add_short(text, out);
}
