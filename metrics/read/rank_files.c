// What the names have in common stands before and behind the braces; the characters that would be
// others' braces have a backslash before them.
#include "metrics/read/rank_files.h"

#include "metrics/base/buf.h"
#include "metrics/base/str.h"

#include <unistd.h>

static size_t folder_of(pj_str path)
{
    size_t slash = pj_str_find_last(path, '/');
    return slash < path.len ? slash + 1 : 0;
}

/// Bytes that all paths begin with, those of the folder at least.
static size_t common_head(const char *const *paths, size_t count)
{
    size_t len = strlen(paths[0]);
    for (size_t i = 1; i < count; i++) {
        size_t k = 0;
        while (k < len && paths[i][k] == paths[0][k])
            k++;
        len = k;
    }
    return len;
}

static size_t common_tail(const char *const *paths, size_t count, size_t head)
{
    pj_str first = pj_str_of(paths[0]);
    size_t len = first.len - head;
    for (size_t i = 1; i < count; i++) {
        pj_str other = pj_str_of(paths[i]);
        size_t k = 0;
        while (k < len && k < other.len - head &&
               other.at[other.len - 1 - k] == first.at[first.len - 1 - k])
            k++;
        len = k;
    }
    return len;
}

static void add_plain(pj_buf *out, pj_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (text.at[i] && strchr("{},\\", text.at[i]))
            pj_buf_puts(out, "\\");
        pj_buf_add(out, (pj_str){text.at + i, 1});
    }
}

const char *pj_rank_files_join(const char *const *paths, size_t count, pj_arena *arena)
{
    if (count == 1)
        return pj_arena_text(arena, pj_str_of(paths[0]));
    pj_auto_buf out = {.at = NULL};
    size_t head = common_head(paths, count), tail = common_tail(paths, count, head);
    head = head < folder_of(pj_str_of(paths[0])) ? 0 : head;
    add_plain(&out, pj_str_head(pj_str_of(paths[0]), head));
    for (size_t i = 0; i < count; i++) {
        pj_str path = pj_str_of(paths[i]);
        pj_buf_puts(&out, i ? "," : "{");
        add_plain(&out, (pj_str){path.at + head, path.len - head - tail});
    }
    pj_buf_puts(&out, "}");
    pj_str first = pj_str_of(paths[0]);
    add_plain(&out, pj_str_from(first, first.len - tail));
    return pj_arena_text(arena, pj_buf_str(&out));
}

/// The first character of these that has no backslash before it; the length where there is none.
static size_t find_bare(pj_str text, const char *characters)
{
    for (size_t i = 0; i < text.len; i++) {
        if (text.at[i] == '\\')
            i++;
        else if (strchr(characters, text.at[i]))
            return i;
    }
    return text.len;
}

static void add_unescaped(pj_buf *out, pj_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        i += text.at[i] == '\\' && i + 1 < text.len;
        pj_buf_add(out, (pj_str){text.at + i, 1});
    }
}

size_t pj_rank_files_of(const char *path, pj_arena *arena, const char ***files)
{
    pj_str text = pj_str_of(path);
    size_t open = find_bare(text, "{"), count = 1;
    pj_str rest = pj_str_from(text, open + 1);
    size_t close = find_bare(rest, "}");
    if (open == text.len || close == rest.len || access(path, F_OK) == 0)
        return 0;
    pj_str head = pj_str_head(text, open), tail = pj_str_from(rest, close + 1);
    rest = pj_str_head(rest, close);
    for (pj_str list = rest; find_bare(list, ",") < list.len; count++)
        list = pj_str_from(list, find_bare(list, ",") + 1);
    *files = pj_new_n(arena, const char *, count);
    for (size_t i = 0; i < count; i++) {
        pj_auto_buf one = {.at = NULL};
        size_t comma = find_bare(rest, ",");
        add_unescaped(&one, head);
        add_unescaped(&one, pj_str_head(rest, comma));
        add_unescaped(&one, tail);
        (*files)[i] = pj_arena_text(arena, pj_buf_str(&one));
        rest = pj_str_from(rest, comma + 1);
    }
    return count;
}
