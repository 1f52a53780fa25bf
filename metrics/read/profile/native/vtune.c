// Reads VTune's reports as tables: CSV with any delimiter and text; functions, modules, processes
// or threads by time and events, top-down trees, functions with their stacks. Times are in seconds.
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/map.h"
#include "metrics/base/num.h"
#include "metrics/base/str.h"
#include "metrics/profile/build/oddities.h"
#include "metrics/profile/build/profile_build.h"
#include "metrics/profile/profile.h"
#include "metrics/read/profile/delimited.h"
#include "metrics/read/profile/native/vtune_columns.h"
#include "metrics/read/profile/native/vtune_stacks.h"
#include "metrics/read/profile/profile_text.h"
#include "metrics/read/reader.h"
#include "metrics/read/source.h"

#include <math.h>
#include <stdlib.h>

/// A node that is open, with the blanks before its name.
typedef struct open_node {
    size_t blanks;
    uint32_t node;
} open_node;

/// What rows are to one another.
typedef enum layout {
    ROWS,       // nothing
    TREE,       // by the blanks before them: what functions call ("Function Stack")
    CALLSTACKS, // a function, then its stacks, of which the frames behind the first one have 0
    CALLERS,    // by the blanks before them: who calls a function ("Function / Call Stack")
    PARTS,      // by the blanks before them: what makes up a row ("Module / Function")
} layout;

typedef struct vtune {
    pj_build *build;
    pj_vtune_header header;
    uint32_t *targets; // columns of the profile; PJ_NO_ITEM = left out
    double *values;    // of a row; NAN = absent
    layout layout;
    pj_vtune_stacks stacks;
    pj_cells cells;
    pj_map locations; // by text of process and thread
    open_node *open;  // rows that the next one may stand below; in other layouts than TREE no nodes
    size_t open_count, open_cap;
    bool decimal_comma; // "20,119456", as where the report was stored again in another locale
    uint64_t line;
} vtune;

/// The cell of the first column of that name; empty when there is none.
static pj_str named(const vtune *file, pj_vtune_name name)
{
    int column = file->header.of[name];
    return column < 0 ? PJ_S("") : pj_cells_at(&file->cells, (size_t)column);
}

/// Takes a row apart: at delimiters, or where the columns of a text table stand.
static void take_row(vtune *file, pj_str line)
{
    pj_cells *cells = &file->cells;
    if (file->header.delimiter.len) {
        pj_cells_take(cells, line, file->header.delimiter);
        return;
    }
    pj_grow(cells->items, &cells->cap, file->header.count);
    cells->count = 0;
    for (size_t i = 0; i < file->header.count; i++) {
        const pj_vtune_column *column = &file->header.columns[i];
        pj_str cell = pj_str_head(pj_str_from(line, column->first), column->after - column->first);
        if (!column->levels)
            cell = pj_str_trim(cell);
        while (cell.len && cell.at[cell.len - 1] == ' ')
            cell.len--;
        cells->items[cells->count++] = cell;
    }
}

/// Whether a comma in a number is a decimal point: groups of thousands have three digits each, and
/// the first of them is not 0.
static bool has_decimal_comma(pj_str cell)
{
    enum { GROUP = 3 };
    pj_str rest = pj_str_trim(cell), first = pj_str_cut(&rest, ',');
    double number;
    if (!rest.len || pj_str_find(cell, '.') < cell.len || !pj_text_number(first, &number))
        return false;
    bool grouped = number != 0 && first.len <= GROUP + (number < 0);
    while (rest.len)
        grouped &= pj_str_cut(&rest, ',').len == GROUP;
    return !grouped;
}

/// "20.119s", "98.5%", "1,234,567", "12.5ms": text reports print units.
static bool take_number(pj_str cell, bool decimal_comma, double *out)
{
    static const struct {
        pj_str unit;
        double factor;
    } units[] = {{{"ms", 2}, 1e-3}, {{"us", 2}, 1e-6}, {{"s", 1}, 1}, {{"%", 1}, 1}};
    char digits[48];
    size_t len = 0;
    double factor = 1;
    cell = pj_str_trim(cell);
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (pj_str_ends(cell, units[i].unit)) {
            factor = units[i].factor;
            cell.len -= units[i].unit.len;
            break;
        }
    for (size_t i = 0; i < cell.len && len < sizeof digits; i++)
        if (cell.at[i] != ',' || decimal_comma)
            digits[len++] = cell.at[i] == ',' ? '.' : cell.at[i];
    if (!pj_text_number((pj_str){digits, len}, out))
        return false;
    *out *= factor;
    return true;
}

/// "desi (rank 3)": the number; -1 when it says none.
static int64_t rank_in(pj_str name)
{
    static const pj_str word = {"rank ", 5};
    const char *at = name.len ? memmem(name.at, name.len, word.at, word.len) : NULL;
    int64_t rank;
    if (!at)
        return -1;
    pj_str rest = pj_str_from(name, (size_t)(at - name.at) + word.len);
    size_t len = 0;
    while (len < rest.len && rest.at[len] >= '0' && rest.at[len] <= '9')
        len++;
    return pj_parse_i64(pj_str_head(rest, len), &rank) ? rank : -1;
}

/// Process and thread of the row, as far as the report tells them.
static uint32_t location_of(vtune *file)
{
    static const pj_vtune_name parts[] = {PJ_VTUNE_PROCESS, PJ_VTUNE_PID, PJ_VTUNE_THREAD,
                                          PJ_VTUNE_TID};
    pj_auto_buf key = {.at = NULL};
    bool threads = file->header.of[PJ_VTUNE_THREAD] >= 0 || file->header.of[PJ_VTUNE_TID] >= 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        pj_buf_add(&key, named(file, parts[i]));
        pj_buf_add_char(&key, '\n');
    }
    uint32_t text = pj_build_text(file->build, pj_buf_str(&key)), location;
    if (pj_map_get(&file->locations, text, &location))
        return location;
    pj_str process = pj_str_trim(named(file, PJ_VTUNE_PROCESS));
    pj_str thread = pj_str_trim(named(file, PJ_VTUNE_THREAD));
    uint32_t name = pj_build_text(file->build, thread.len ? thread : process);
    location = pj_build_location(
        file->build, (pj_profile_location){.rank = rank_in(process),
                                           .thread = -1,
                                           .kind = threads ? PJ_LOCATION_CPU : PJ_LOCATION_PROCESS,
                                           .name = name});
    if (named(file, PJ_VTUNE_PID).len)
        pj_build_pair(file->build, location, PJ_S("process_id"),
                      pj_str_trim(named(file, PJ_VTUNE_PID)));
    if (named(file, PJ_VTUNE_TID).len)
        pj_build_pair(file->build, location, PJ_S("thread_id"),
                      pj_str_trim(named(file, PJ_VTUNE_TID)));
    pj_map_put(&file->locations, text, location);
    return location;
}

/// What the row is about: a function, else the first thing that it names; a report by process or by
/// thread alone is about the whole of each.
static pj_str row_name(const vtune *file)
{
    static const pj_vtune_name order[] = {PJ_VTUNE_STACK, PJ_VTUNE_FUNCTION, PJ_VTUNE_OTHER,
                                          PJ_VTUNE_SOURCE, PJ_VTUNE_MODULE};
    pj_str name = {0};
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        if (file->header.of[order[i]] < 0)
            continue;
        name = pj_str_trim(named(file, order[i]));
        if (name.len || file->layout != CALLSTACKS)
            return name;
    }
    return name.at ? name : PJ_S("Total");
}

static uint32_t region_of(vtune *file)
{
    pj_build *b = file->build;
    pj_auto_buf apart = {.at = NULL};
    pj_str module = pj_str_trim(named(file, PJ_VTUNE_MODULE));
    pj_str address = pj_str_trim(named(file, PJ_VTUNE_ADDRESS));
    pj_buf_add(&apart, module);
    if (address.len)
        pj_buf_addf(&apart, " " PJ_STR_FMT, PJ_STR_ARG(address));
    uint32_t region =
        pj_build_region_apart(b, pj_build_text(b, row_name(file)),
                              pj_build_text(b, pj_str_trim(named(file, PJ_VTUNE_SOURCE))), 0,
                              pj_build_text(b, pj_buf_str(&apart)));
    pj_build_region_at(b, region)->module = pj_build_text(b, module);
    return region;
}

static size_t blanks_before(pj_str cell)
{
    size_t blanks = 0;
    while (blanks < cell.len && cell.at[blanks] == ' ')
        blanks++;
    return blanks;
}

/// The cell whose blanks tell the depth of a row.
static pj_str level_cell(const vtune *file)
{
    for (size_t i = 0; i < file->header.count; i++)
        if (file->header.columns[i].levels)
            return pj_cells_at(&file->cells, i);
    return PJ_S("");
}

/// Below which rows a row stands: those that are open then.
static void open_row(vtune *file, uint32_t region)
{
    size_t blanks = blanks_before(level_cell(file));
    while (file->open_count && file->open[file->open_count - 1].blanks >= blanks)
        file->open_count--;
    uint32_t parent = file->open_count ? file->open[file->open_count - 1].node : PJ_NO_ITEM;
    uint32_t node = file->layout == TREE ? pj_build_node(file->build, parent, region) : PJ_NO_ITEM;
    if (file->open_count == file->open_cap)
        pj_grow(file->open, &file->open_cap, file->open_count + 1);
    file->open[file->open_count++] = (open_node){blanks, node};
}

/// The numbers of a row; false = all are 0 or absent.
static bool take_values(vtune *file)
{
    bool any = false;
    for (size_t i = 0; i < file->header.count; i++) {
        pj_str cell = pj_str_trim(pj_cells_at(&file->cells, i));
        file->values[i] = NAN;
        if (file->targets[i] == PJ_NO_ITEM || !cell.len)
            continue;
        if (!take_number(cell, file->decimal_comma, &file->values[i])) {
            file->values[i] = NAN;
            pj_build_odd(file->build, PJ_ODDITY_malformed_record, file->line);
        }
        any |= file->values[i] != 0 && !isnan(file->values[i]);
    }
    return any;
}

static void add_values(vtune *file, uint32_t item, uint32_t location)
{
    for (size_t i = 0; i < file->header.count; i++)
        if (!isnan(file->values[i]))
            pj_build_add(file->build, file->targets[i], item, location, file->values[i]);
}

/// Frames behind the first one of a stack have no time of their own in the report.
static void put_stack(vtune *file, uint32_t region, uint32_t location, bool any)
{
    bool is_function = !pj_str_trim(named(file, PJ_VTUNE_STACK)).len;
    bool goes_on = !any && file->stacks.count > 1;
    size_t depth = is_function ? 0 : goes_on ? file->stacks.count : 1;
    pj_vtune_stacks_put(&file->stacks, depth, region, location, goes_on ? NULL : file->values);
}

static void read_row(vtune *file)
{
    bool any = take_values(file);
    uint32_t location = location_of(file), region;
    if (file->layout == PARTS && blanks_before(level_cell(file)) > 0)
        return; // the row above has it all
    region = region_of(file);
    switch (file->layout) {
    case ROWS:
    case PARTS:
        add_values(file, region, location);
        return;
    case TREE:
        open_row(file, region);
        add_values(file, file->open[file->open_count - 1].node, location);
        return;
    case CALLSTACKS:
        put_stack(file, region, location, any);
        return;
    case CALLERS:
        open_row(file, region);
        pj_vtune_stacks_put(&file->stacks, file->open_count - 1, region, location, file->values);
        return;
    }
}

/// Whether there is a column of the same title with the values of functions themselves.
static bool has_self(const pj_vtune_header *header, pj_str title)
{
    for (size_t i = 0; i < header->count; i++)
        if (header->columns[i].self && pj_str_equal(header->columns[i].title, title))
            return true;
    return false;
}

/// The measure above one in the hierarchy of titles, 1 more than its number; 0 = none.
static uint32_t measure_above(const vtune *file, pj_str title)
{
    const pj_profile *p = pj_build_profile(file->build);
    size_t colon = pj_str_find_last(title, ':');
    for (uint32_t i = 0; colon < title.len && i < p->measure_count; i++)
        if (pj_str_equal(pj_str_of(p->measures[i].title), pj_str_head(title, colon)))
            return i + 1;
    return 0;
}

/// The column whose measure is "time": CPU Time, else the first of times.
static size_t main_time(const pj_vtune_header *header)
{
    size_t first = SIZE_MAX;
    for (size_t i = 0; i < header->count; i++) {
        const pj_vtune_column *column = &header->columns[i];
        if (column->name != PJ_VTUNE_NUMBER || pj_vtune_measure(column).kind != PJ_MEASURE_TIME)
            continue;
        if (pj_str_equal(column->title, PJ_S("CPU Time")))
            return i;
        first = i < first ? i : first;
    }
    return first;
}

/// The key of a measure is the last part of its title ("CPU Time:Spin Time" is "spin_time"), all of
/// it where another has that.
static uint32_t add_measure(vtune *file, const pj_vtune_column *column, bool is_main)
{
    char key[256], title[256];
    const pj_profile *p = pj_build_profile(file->build);
    pj_measure measure = pj_vtune_measure(column);
    pj_str text = pj_str_head(column->title, sizeof title - 1);
    size_t colon = pj_str_find_last(text, ':');
    memcpy(title, text.at, text.len);
    title[text.len] = 0;
    pj_vtune_key(colon < text.len ? pj_str_from(text, colon + 1) : text, key, sizeof key);
    uint32_t known = pj_profile_measure(p, pj_str_of(key));
    if (known != PJ_NO_ITEM && strcmp(p->measures[known].title, title) != 0)
        pj_vtune_key(text, key, sizeof key);
    measure.key = is_main ? "time" : key;
    measure.title = title;
    measure.above = measure_above(file, column->title);
    return pj_build_measure(file->build, measure);
}

static void add_columns(vtune *file, pj_site site)
{
    const pj_vtune_header *header = &file->header;
    size_t time = main_time(header);
    bool shares = file->layout == CALLSTACKS || file->layout == CALLERS;
    file->targets = pj_take_memory(header->count * sizeof *file->targets);
    file->values = pj_take_memory(header->count * sizeof *file->values);
    for (size_t i = 0; i < header->count; i++) {
        const pj_vtune_column *column = &header->columns[i];
        file->targets[i] = PJ_NO_ITEM;
        if (column->name != PJ_VTUNE_NUMBER || (column->total && has_self(header, column->title)))
            continue; // totals follow from the functions' own
        if (shares && pj_vtune_measure(column).kind == PJ_MEASURE_RATIO)
            continue; // is no sum of parts
        bool same = time != SIZE_MAX && pj_str_equal(column->title, header->columns[time].title);
        file->targets[i] =
            pj_build_column(file->build, site, column->total ? PJ_INCLUSIVE : PJ_EXCLUSIVE,
                            add_measure(file, column, same), false);
    }
}

/// Whether some number of the rows that follow cannot be read without a comma as decimal point.
static bool rows_have_decimal_comma(vtune *file, pj_str rest)
{
    pj_text_lines lines = {.rest = rest};
    pj_str line;
    if (pj_str_equal(file->header.delimiter, PJ_S(",")))
        return false;
    while (pj_text_next(&lines, &line)) {
        take_row(file, line);
        for (size_t i = 0; i < file->header.count && i < file->cells.count; i++)
            if (file->targets[i] != PJ_NO_ITEM && has_decimal_comma(file->cells.items[i]))
                return true;
    }
    return false;
}

/// Whether a row that follows has blanks before its name.
static bool rows_have_levels(vtune *file, pj_str rest)
{
    pj_text_lines lines = {.rest = rest};
    pj_str line;
    while (pj_text_next(&lines, &line)) {
        take_row(file, line);
        if (blanks_before(level_cell(file)) > 0)
            return true;
    }
    return false;
}

static layout layout_of(vtune *file, pj_str rest)
{
    const pj_vtune_header *header = &file->header;
    int function = header->of[PJ_VTUNE_FUNCTION];
    if (header->of[PJ_VTUNE_STACK] >= 0)
        return function >= 0 ? CALLSTACKS : TREE;
    if (!rows_have_levels(file, rest))
        return ROWS;
    bool callers =
        function >= 0 &&
        (pj_str_equal(header->columns[function].title, PJ_S("Function / Call Stack")) ||
         pj_str_equal(header->columns[function].title, PJ_S("Source Function / Call Stack")));
    return callers ? CALLERS : PARTS;
}

/// Takes the header of a table; a report may have lines before it.
static bool begin_table(vtune *file, pj_str line, pj_str rest)
{
    pj_text_lines after = {.rest = rest};
    pj_str next = PJ_S("");
    pj_text_next(&after, &next);
    if (!pj_vtune_header_of(line, next, &file->header))
        return false;
    file->layout = layout_of(file, rest);
    bool tree = file->layout != ROWS && file->layout != PARTS;
    pj_build_profile(file->build)->shape = tree ? PJ_SHAPE_TREE : PJ_SHAPE_FLAT;
    add_columns(file, tree ? PJ_AT_NODE : PJ_AT_REGION);
    file->stacks = (pj_vtune_stacks){
        .build = file->build, .columns = file->targets, .width = file->header.count};
    file->decimal_comma = rows_have_decimal_comma(file, rest);
    return true;
}

/// Rules, and what the command prints of its own progress.
static bool is_no_row(pj_str line)
{
    return pj_str_starts(line, PJ_S("--")) || !pj_str_trim(line).len ||
           pj_str_starts(line, PJ_S("vtune: ")) || pj_str_starts(line, PJ_S("amplxe: "));
}

static bool read_rows(vtune *file, pj_source *source, pj_str text, pj_err *err)
{
    pj_text_lines lines = {.rest = text};
    pj_str line;
    bool begun = false;
    while (pj_build_ok(file->build) &&
           pj_text_take(&lines, PJ_TEXT_LINE_LONG, pj_source_path(source), &line, err)) {
        file->line = lines.line;
        if (!begun) {
            begun = begin_table(file, line, lines.rest);
        } else if (!is_no_row(line)) {
            take_row(file, line);
            read_row(file);
        }
    }
    return !lines.failed;
}

static bool read_vtune(pj_source *source, pj_build *build, pj_err *err)
{
    pj_str text;
    if (!pj_source_whole(source, PJ_TEXT_BYTES, &text, err))
        return false;
    vtune file = {.build = build};
    bool ok = read_rows(&file, source, text, err);
    pj_vtune_stacks_end(&file.stacks);
    if (file.layout == CALLSTACKS || file.layout == CALLERS)
        pj_build_zero_above(build);
    pj_vtune_stacks_free(&file.stacks);
    pj_vtune_header_free(&file.header);
    pj_cells_free(&file.cells);
    pj_map_free(&file.locations);
    free(file.targets);
    free(file.values);
    free(file.open);
    return ok;
}

static bool sniff(pj_str head)
{
    enum { LINES = 64 };
    pj_text_lines lines = {.rest = head};
    pj_str line;
    while (lines.line < LINES && pj_text_next(&lines, &line)) {
        pj_text_lines after = lines;
        pj_str next = PJ_S("");
        pj_vtune_header header;
        pj_text_next(&after, &next);
        if (pj_vtune_header_of(line, next, &header)) {
            pj_vtune_header_free(&header);
            return true;
        }
    }
    return false;
}

const pj_reader pj_reader_vtune = {
    .name = "vtune",
    .title = "VTune report",
    .suffixes = ".csv .txt",
    .gives = PJ_GIVES_PROFILE,
    .sniff = sniff,
    .profile = read_vtune,
};
