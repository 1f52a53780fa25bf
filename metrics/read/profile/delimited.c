// Takes lines of CSV apart.
#include "metrics/read/profile/delimited.h"

#include "metrics/base/buf.h"
#include "metrics/base/str.h"

#include <stdlib.h>

/// What stands between quotes, `rest` behind the first one; quotes inside are doubled.
static pj_str take_quoted(pj_cells *cells, pj_str *rest)
{
    size_t end = 0, doubled = 0;
    for (; end < rest->len; end++) {
        if (rest->at[end] != '"')
            continue;
        if (end + 1 == rest->len || rest->at[end + 1] != '"')
            break;
        doubled++;
        end++;
    }
    pj_str inside = pj_str_head(*rest, end);
    *rest = pj_str_from(*rest, end + 1);
    if (!doubled)
        return inside;
    size_t first = cells->text.len;
    for (size_t i = 0; i < inside.len; i++) {
        pj_buf_add_char(&cells->text, inside.at[i]);
        i += inside.at[i] == '"';
    }
    return (pj_str){cells->text.at + first, cells->text.len - first};
}

static size_t find(pj_str text, pj_str part)
{
    const char *at = text.len ? memmem(text.at, text.len, part.at, part.len) : NULL;
    return at ? (size_t)(at - text.at) : text.len;
}

void pj_cells_take(pj_cells *cells, pj_str line, pj_str delimiter)
{
    cells->count = 0;
    cells->text.len = 0;
    pj_buf_room(&cells->text, line.len + 1); // so that cells in it do not move
    for (bool more = true; more;) {
        pj_str cell = PJ_S("");
        bool quoted = pj_str_starts(line, PJ_S("\""));
        if (quoted) {
            line = pj_str_from(line, 1);
            cell = take_quoted(cells, &line);
        }
        size_t end = find(line, delimiter);
        if (!quoted)
            cell = pj_str_head(line, end);
        more = end < line.len;
        line = pj_str_from(line, end + delimiter.len);
        if (cells->count == cells->cap)
            pj_grow(cells->items, &cells->cap, cells->count + 1);
        cells->items[cells->count++] = cell;
    }
}

void pj_cells_free(pj_cells *cells)
{
    free(cells->items);
    pj_buf_free(&cells->text);
    *cells = (pj_cells){.items = NULL};
}

pj_str pj_cells_at(const pj_cells *cells, size_t index)
{
    return index < cells->count ? cells->items[index] : PJ_S("");
}
