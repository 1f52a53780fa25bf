// Understands the header of a VTune report: any text may be its delimiter, the names tell which.
#include "metrics/read/profile/native/vtune_columns.h"

#include "metrics/base/buf.h"
#include "metrics/base/str.h"
#include "metrics/profile/profile.h"
#include "metrics/read/profile/delimited.h"

#include <stdint.h>
#include <stdlib.h>

/// Titles of columns that name things; longer ones before those that they begin with.
static const struct {
    pj_str title;
    pj_vtune_name name;
} names[] = {
    {{"Source Function Stack", 21}, PJ_VTUNE_STACK},
    {{"Function Stack", 14}, PJ_VTUNE_STACK},
    {{"Function (Full)", 15}, PJ_VTUNE_OTHER},
    {{"Source Function", 15}, PJ_VTUNE_FUNCTION},
    {{"Function", 8}, PJ_VTUNE_FUNCTION},
    {{"Module Path", 11}, PJ_VTUNE_OTHER},
    {{"Module", 6}, PJ_VTUNE_MODULE},
    {{"Source File Path", 16}, PJ_VTUNE_OTHER},
    {{"Source File", 11}, PJ_VTUNE_SOURCE},
    {{"Source Line", 11}, PJ_VTUNE_OTHER},
    {{"Start Address", 13}, PJ_VTUNE_ADDRESS},
    {{"Process ID", 10}, PJ_VTUNE_PID},
    {{"PID", 3}, PJ_VTUNE_PID},
    {{"Process", 7}, PJ_VTUNE_PROCESS},
    {{"Thread ID", 9}, PJ_VTUNE_TID},
    {{"TID", 3}, PJ_VTUNE_TID},
    {{"Thread", 6}, PJ_VTUNE_THREAD},
    {{"Package", 7}, PJ_VTUNE_OTHER},
    {{"Physical Core", 13}, PJ_VTUNE_OTHER},
    {{"Logical Core", 12}, PJ_VTUNE_OTHER},
    {{"Core", 4}, PJ_VTUNE_OTHER},
    {{"H/W Context", 11}, PJ_VTUNE_OTHER},
    {{"Class", 5}, PJ_VTUNE_OTHER},
    {{"Sync Object", 11}, PJ_VTUNE_OTHER},
    {{"Call Stack", 10}, PJ_VTUNE_OTHER},
    {{"Frame Domain", 12}, PJ_VTUNE_OTHER},
    {{"Task Type", 9}, PJ_VTUNE_OTHER},
    {{"OpenMP Region", 13}, PJ_VTUNE_OTHER},
};

/// What titles of numbers that VTune is known for begin with.
static const pj_str numbers[] = {
    {"CPU Time", 8},      {"Wait Time", 9},       {"Hardware Event", 14},       {"Clockticks", 10},
    {"Elapsed Time", 12}, {"Effective Time", 14}, {"Instructions Retired", 20}, {"Spin Time", 9},
    {"Task Time", 9},
};

enum { NAMES = sizeof names / sizeof *names, NUMBERS = sizeof numbers / sizeof *numbers };

/// Between the things by which a grid is grouped: "Function / Call Stack".
static const pj_str by = {" / ", 3};

static size_t find(pj_str text, pj_str part)
{
    const char *at = text.len ? memmem(text.at, text.len, part.at, part.len) : NULL;
    return at ? (size_t)(at - text.at) : text.len;
}

static pj_vtune_name name_of(pj_str title)
{
    pj_str first = pj_str_head(title, find(title, by));
    for (size_t i = 0; i < NAMES; i++)
        if (pj_str_equal(first, names[i].title))
            return names[i].name;
    return PJ_VTUNE_NUMBER;
}

/// The length of the title of names that a line begins with; 0 = with none.
static size_t title_length(pj_str line)
{
    size_t len = 0;
    for (size_t i = 0; i < NAMES; i++) {
        if (!pj_str_starts(pj_str_from(line, len), names[i].title))
            continue;
        len += names[i].title.len;
        if (!pj_str_starts(pj_str_from(line, len), by))
            return len;
        len += by.len;
        i = SIZE_MAX; // from the first one again
    }
    return 0;
}

/// Where the first title that is known stands behind the first cell; the length when there is none.
static size_t first_title(pj_str rest)
{
    size_t first = rest.len;
    for (size_t i = 0; i < NAMES + NUMBERS; i++) {
        pj_str title = i < NAMES ? names[i].title : numbers[i - NAMES];
        size_t at = find(rest, title);
        first = at < first ? at : first;
    }
    return first;
}

/// What stands between the first title and the second one.
static pj_str find_delimiter(pj_str line)
{
    enum { MOST = 16 };
    bool quoted = pj_str_starts(line, PJ_S("\""));
    line = pj_str_from(line, quoted);
    size_t length = title_length(line);
    pj_str rest = pj_str_from(line, length);
    size_t end = first_title(rest);
    if (length == 0 || end == rest.len || end == 0)
        return PJ_S("");
    pj_str delimiter = pj_str_head(rest, end);
    if (quoted && pj_str_starts(delimiter, PJ_S("\"")))
        delimiter = pj_str_from(delimiter, 1);
    if (quoted && pj_str_ends(delimiter, PJ_S("\"")))
        delimiter.len--;
    bool fits = delimiter.len <= MOST || !pj_str_trim(delimiter).len;
    return delimiter.len && fits ? delimiter : PJ_S("");
}

static bool is_dashes(pj_str line)
{
    size_t dashes = 0;
    for (size_t i = 0; i < line.len; i++) {
        if (line.at[i] != '-' && line.at[i] != ' ')
            return false;
        dashes += line.at[i] == '-';
    }
    return dashes > 1;
}

static pj_vtune_column *add_column(pj_vtune_header *out, pj_str title)
{
    static const pj_str self = {":Self", 5}, total = {":Total", 6};
    title = pj_str_trim(title);
    pj_vtune_column made = {.name = name_of(title), .title = title};
    made.levels = made.name == PJ_VTUNE_STACK || find(title, by) < title.len;
    made.self = pj_str_ends(title, self);
    made.total = pj_str_ends(title, total);
    made.title.len -= made.self ? self.len : made.total ? total.len : 0;
    pj_vtune_column *columns = pj_grow(out->columns, &out->cap, out->count + 1);
    columns[out->count] = made;
    if (out->of[made.name] < 0)
        out->of[made.name] = (int)out->count;
    return &columns[out->count++];
}

/// A row of dashes below the header says where columns are.
static void split_by_dashes(pj_str line, pj_str dashes, pj_vtune_header *out)
{
    for (size_t at = 0; at < dashes.len;) {
        size_t first = at;
        while (at < dashes.len && dashes.at[at] == '-')
            at++;
        size_t after = at;
        while (at < dashes.len && dashes.at[at] != '-')
            at++;
        if (at == dashes.len)
            after = SIZE_MAX; // the last one goes to the end
        if (after == first)
            continue;
        pj_vtune_column *column =
            add_column(out, pj_str_head(pj_str_from(line, first), after - first));
        column->first = first;
        column->after = after;
    }
}

/// How many of the cells from `at` on repeat the title of a column that came before: where colons
/// delimit columns, they stand in titles, too ("CPU Time:Spin Time"), behind the title above.
static size_t repeats(const pj_vtune_header *out, const pj_cells *cells, size_t at)
{
    size_t most = 0;
    for (size_t i = 0; i < out->count; i++) {
        pj_str title = out->columns[i].title;
        size_t count = 0;
        bool same = out->columns[i].name == PJ_VTUNE_NUMBER;
        while (same && title.len) {
            same = pj_str_equal(pj_str_cut(&title, ':'), pj_cells_at(cells, at + count));
            count++;
        }
        if (same && count > most && at + count < cells->count)
            most = count;
    }
    return most;
}

static bool is_part(pj_str cell)
{
    return pj_str_equal(cell, PJ_S("Self")) || pj_str_equal(cell, PJ_S("Total"));
}

static bool lies_in(pj_str line, pj_str cell)
{
    uintptr_t at = (uintptr_t)cell.at, from = (uintptr_t)line.at;
    return at >= from && at + cell.len <= from + line.len;
}

/// The cells from `first` to `last` as one title; the first alone where they are not one piece of
/// the line (cells in quotes may be kept elsewhere).
static pj_str joined(const pj_cells *cells, pj_str line, size_t first, size_t last)
{
    pj_str a = cells->items[first], b = cells->items[last];
    if (!lies_in(line, a) || !lies_in(line, b) || b.at < a.at)
        return a;
    return (pj_str){a.at, (size_t)(b.at + b.len - a.at)};
}

/// Columns of a header whose delimiter is a colon.
static void split_by_colons(const pj_cells *cells, pj_str line, pj_vtune_header *out)
{
    for (size_t at = 0; at < cells->count;) {
        size_t last = at + repeats(out, cells, at);
        while (last + 1 < cells->count && is_part(cells->items[last + 1]))
            last++;
        add_column(out, joined(cells, line, at, last));
        at = last + 1;
    }
}

static void split_by_delimiter(pj_str line, pj_vtune_header *out)
{
    pj_cells_take(&out->titles, line, out->delimiter);
    if (pj_str_equal(out->delimiter, PJ_S(":"))) {
        split_by_colons(&out->titles, line, out);
        return;
    }
    for (size_t i = 0; i < out->titles.count; i++)
        add_column(out, out->titles.items[i]);
}

static bool measures_time(const pj_vtune_header *header)
{
    for (size_t i = 0; i < header->count; i++)
        for (size_t k = 0; k < NUMBERS; k++)
            if (header->columns[i].name == PJ_VTUNE_NUMBER &&
                pj_str_starts(header->columns[i].title, numbers[k]))
                return true;
    return false;
}

bool pj_vtune_header_of(pj_str line, pj_str next, pj_vtune_header *out)
{
    *out = (pj_vtune_header){.delimiter = find_delimiter(line)};
    for (unsigned i = 0; i < PJ_VTUNE_NAMES; i++)
        out->of[i] = -1;
    if (!out->delimiter.len)
        return false;
    bool table = !pj_str_trim(out->delimiter).len && out->delimiter.at[0] == ' ';
    if (table) {
        out->delimiter = PJ_S("");
        if (is_dashes(next))
            split_by_dashes(line, next, out);
    } else {
        split_by_delimiter(line, out);
    }
    bool known = out->count > 1 && measures_time(out);
    if (!known)
        pj_vtune_header_free(out);
    return known;
}

void pj_vtune_header_free(pj_vtune_header *header)
{
    pj_cells_free(&header->titles);
    free(header->columns);
    header->columns = NULL;
    header->count = header->cap = 0;
}

void pj_vtune_key(pj_str title, char *key, size_t room)
{
    size_t len = 0;
    for (size_t i = 0; i < title.len && len + 1 < room; i++) {
        char c = title.at[i], lower = (char)(c | 0x20);
        bool word = (lower >= 'a' && lower <= 'z') || (c >= '0' && c <= '9');
        if (word)
            key[len++] = c >= 'A' && c <= 'Z' ? lower : c;
        else if (len && key[len - 1] != '_')
            key[len++] = '_';
    }
    while (len && key[len - 1] == '_')
        len--;
    key[len] = 0;
}

pj_measure pj_vtune_measure(const pj_vtune_column *column)
{
    pj_str title = column->title;
    bool percent = pj_str_ends(title, PJ_S("(%)"));
    pj_measure measure = {.unit = "",
                          .stored = column->total ? PJ_STORED_INCLUSIVE : PJ_STORED_EXCLUSIVE};
    if (percent || pj_str_contains(title, PJ_S("Rate")) || pj_str_contains(title, PJ_S("Ratio")))
        measure.kind = PJ_MEASURE_RATIO;
    else if (pj_str_contains(title, PJ_S("Time")))
        measure.unit = "s";
    else
        measure.kind = PJ_MEASURE_COUNT;
    if (percent)
        measure.unit = "%";
    return measure;
}
