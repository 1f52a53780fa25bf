// Names and texts as sentences can bear them.
#include "metrics/profile/find/find.h"

#include "metrics/base/arena.h"
#include "metrics/base/str.h"
#include "metrics/profile/function_name.h"

enum { LONGEST = 100 };

/// Control characters are blanks; what is too long ends in dots, between characters.
static void add_short(pj_str text, pj_buf *out)
{
    size_t len = text.len;
    if (len > LONGEST) {
        len = LONGEST;
        while (len > 0 && ((unsigned char)text.at[len] & 0xc0) == 0x80)
            len--;
    }
    for (size_t i = 0; i < len; i++)
        pj_buf_add_char(out, (unsigned char)text.at[i] < 32 ? ' ' : text.at[i]);
    if (len < text.len)
        pj_buf_puts(out, "...");
}

const char *pj_find_name(const pj_profile *p, uint32_t region, pj_arena *arena)
{
    pj_auto_buf text = {0};
    add_short(pj_str_of(pj_function_short(p, region, arena)), &text);
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
