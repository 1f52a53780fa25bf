// Tables of functions, call paths, modules and ranks. Rows are summed, chosen and put in order as
// numbers; only those that are shown become cells.
#include "metrics/profile/profile_table.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/job.h"
#include "metrics/base/num.h"
#include "metrics/base/suggest.h"
#include "metrics/profile/derive/location_names.h"
#include "metrics/profile/function_family.h"
#include "metrics/profile/profile_findings.h"
#include "metrics/profile/profile_graph.h"
#include "metrics/profile/profile_names.h"
#include "metrics/profile/profile_parts.h"
#include "metrics/profile/profile_sums.h"
#include "metrics/profile/row_order.h"
#include "metrics/table/spread.h"
#include "metrics/table/table_ops.h"

#include <inttypes.h>
#include <math.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>

bool pj_profile_pick_measure(const pj_profile *p, pj_str key, uint32_t *measure, pj_err *err)
{
    *measure = PJ_NO_ITEM;
    for (uint32_t m = 0; m < p->measure_count && !key.len; m++) {
        bool is_time = p->measures[m].kind == PJ_MEASURE_TIME && !p->measures[m].reason;
        if (is_time || (*measure == PJ_NO_ITEM && !p->measures[m].reason))
            *measure = m;
        if (is_time)
            return true;
    }
    if (!key.len)
        return true;
    *measure = pj_profile_measure(p, key);
    if (*measure != PJ_NO_ITEM && !p->measures[*measure].reason)
        return true;
    if (*measure != PJ_NO_ITEM)
        return pj_fail(err, PJ_E_MISSING, p->title, 0, "metric " PJ_STR_FMT " has no values: %s",
                       PJ_STR_ARG(key), p->measures[*measure].reason);
    pj_suggest suggest = {.word = key};
    pj_auto_buf known = {0};
    for (uint32_t m = 0; m < p->measure_count; m++) {
        pj_suggest_try(&suggest, p->measures[m].key);
        pj_buf_addf(&known, "%s%s", m ? ", " : "", p->measures[m].key);
    }
    pj_auto_buf hint = {0};
    pj_suggest_add(&suggest, &hint);
    return pj_fail(err, PJ_E_USAGE, NULL, 0, "unknown metric \"" PJ_STR_FMT "\"%s valid: %s",
                   PJ_STR_ARG(key), hint.at ? hint.at : ";", known.len ? known.at : "none");
}

typedef struct making {
    const pj_profile *p; // with values by region, or the tree of PJ_BY_PATH
    const pj_profile_ask *ask;
    const pj_measure *measure; // NULL = only calls
    pj_profile_rows rows;
    size_t shown; // rows after all choosing
    pj_arena *arena;
    pj_table *table;
    pj_location_names names;
    bool has_names;    // of ranks or threads
    pj_str findings;   // about the whole profile
    double scale;      // of people's times: 1000 = ms; 0 = seconds, in the columns of machines
    unsigned decimals; // of times
} making;

// Choosing rows.

static bool matches(const making *m, const regex_t *pattern, const pj_profile_row *row,
                    pj_buf *text)
{
    text->len = 0;
    switch (m->ask->by.item) {
    case PJ_BY_FUNCTION:
        pj_profile_label(m->p, row->item, m->ask->strip, text);
        break;
    case PJ_BY_PATH:
        pj_profile_path(m->p, row->item, text);
        break;
    case PJ_BY_LINE:
        pj_profile_label(m->p, m->p->lines[row->item].region, m->ask->strip, text);
        break;
    case PJ_BY_MODULE:
    case PJ_BY_FILE:
    case PJ_BY_GROUP:
        pj_buf_add(text, m->p->texts[row->item & ~PJ_ROW_IS_FILE]);
        break;
    case PJ_BY_NOTHING:
        return true;
    }
    pj_buf_add_char(text, '\0');
    return regexec(pattern, text->at, 0, NULL, 0) == 0;
}

static bool choose(making *m, pj_err *err)
{
    const pj_profile_ask *ask = m->ask;
    regex_t pattern;
    if (ask->match.len) {
        const char *text = pj_arena_text(m->arena, ask->match);
        int status = regcomp(&pattern, text, REG_EXTENDED | REG_NOSUB);
        char why[128];
        if (status != 0) {
            regerror(status, &pattern, why, sizeof why);
            return pj_fail(err, PJ_E_USAGE, NULL, 0, "match: \"%s\" is no regular expression: %s",
                           text, why);
        }
    }
    pj_auto_buf text = {0};
    size_t kept = 0;
    for (size_t i = 0; i < m->rows.count; i++) {
        const pj_profile_row *row = &m->rows.rows[i];
        double value = isnan(row->exclusive) ? 0 : row->exclusive;
        double whole = isnan(row->inclusive) ? value : fmax(row->inclusive, value);
        if ((ask->skip_zero && !(fabs(whole) > 0)) || whole < ask->least_part * m->rows.total)
            continue;
        if (ask->name.len && ask->by.item == PJ_BY_FUNCTION &&
            !pj_str_equal(ask->name, pj_profile_name(m->p, row->item)))
            continue;
        if (!ask->match.len || matches(m, &pattern, row, &text))
            m->rows.rows[kept++] = *row;
    }
    if (ask->match.len)
        regfree(&pattern);
    m->rows.count = m->shown = kept;
    return true;
}

static void cut(making *m)
{
    size_t first = m->ask->first ? (size_t)m->ask->first : m->shown;
    if (m->ask->first_part > 0)
        first = (size_t)((double)m->shown * m->ask->first_part + 0.5);
    m->shown = first < m->shown ? first : m->shown;
}

// Columns: exact numbers under stable keys. People see as many decimals as they can compare, and
// times in the unit that they ask for.

static void add_column(making *m, const char *key, const char *title, pj_unit unit, pj_text text,
                       const char *help)
{
    pj_table_add_column(
        m->table,
        (pj_column){.key = key, .title = title, .help = help, .unit = unit, .text = text});
}

/// "exclusive_s" of time, else "exclusive_<metric>".
static const char *value_key(const making *m, const char *stem)
{
    bool is_time = m->measure->kind == PJ_MEASURE_TIME && strcmp(m->measure->key, "time") == 0;
    return pj_arena_format(m->arena, "%s_%s", stem, is_time ? "s" : m->measure->key);
}

static pj_unit unit_of(const pj_measure *measure)
{
    if (measure->kind == PJ_MEASURE_TIME)
        return PJ_UNIT_S;
    bool bytes = measure->kind == PJ_MEASURE_BYTES && strcmp(measure->unit, "MiB") != 0;
    return bytes ? PJ_UNIT_BYTES : PJ_UNIT_NONE;
}

static void set_decimals(making *m, unsigned decimals)
{
    pj_table_set_decimals(m->table, m->table->column_count - 1, decimals);
}

static void add_value_column(making *m, const char *stem, const char *title, const char *help)
{
    bool scaled = m->scale > 0, time = m->measure->kind == PJ_MEASURE_TIME;
    add_column(m, value_key(m, stem), title, unit_of(m->measure),
               scaled ? PJ_TEXT_OF_MACHINES : PJ_TEXT_NONE, help);
    if (time)
        set_decimals(m, m->decimals);
    if (!scaled)
        return;
    add_column(m, pj_arena_format(m->arena, "%s_%s", stem, m->ask->unit),
               pj_arena_format(m->arena, "%s [%s]", title, m->ask->unit), PJ_UNIT_NONE,
               PJ_TEXT_OF_PEOPLE, help);
    set_decimals(m, m->decimals);
}

static void add_key_columns(making *m)
{
    pj_profile_grouping by = m->ask->by;
    if (by.rank)
        add_column(m, "rank", "Rank", PJ_UNIT_IDENTIFIER, PJ_TEXT_NONE, NULL);
    if (by.thread)
        add_column(m, "thread", "Thread", PJ_UNIT_IDENTIFIER, PJ_TEXT_NONE, NULL);
    if (m->has_names)
        add_column(m, "location", "Name", PJ_UNIT_NONE, PJ_TEXT_OF_PEOPLE, NULL);
    if (by.item == PJ_BY_MODULE)
        add_column(m, "module", "Module", PJ_UNIT_NONE, PJ_TEXT, NULL);
    if (by.item == PJ_BY_FUNCTION) {
        add_column(m, "name", "Function", PJ_UNIT_NONE, PJ_TEXT_OF_PEOPLE, NULL);
        add_column(m, "function", "Function", PJ_UNIT_NONE, PJ_TEXT_OF_MACHINES, NULL);
    }
    if (by.item == PJ_BY_FUNCTION || by.item == PJ_BY_FILE)
        add_column(m, "file", "File", PJ_UNIT_NONE,
                   by.item == PJ_BY_FILE ? PJ_TEXT : PJ_TEXT_OF_MACHINES, NULL);
    if (by.item == PJ_BY_FUNCTION)
        add_column(m, "line", "Line", PJ_UNIT_IDENTIFIER, PJ_TEXT_OF_MACHINES, NULL);
    if (by.item == PJ_BY_PATH) {
        add_column(m, "name", "Call path", PJ_UNIT_NONE, PJ_TEXT_OF_PEOPLE, NULL);
        add_column(m, "path", "Call path", PJ_UNIT_NONE, PJ_TEXT_OF_MACHINES, NULL);
        add_column(m, "depth", "Depth", PJ_UNIT_IDENTIFIER, PJ_TEXT_OF_MACHINES, NULL);
    }
    if (by.item == PJ_BY_GROUP)
        add_column(m, "group", "Group", PJ_UNIT_NONE, PJ_TEXT, NULL);
}

static void add_value_columns(making *m)
{
    add_column(m, "calls", "Calls", PJ_UNIT_NONE, PJ_TEXT_NONE, NULL);
    add_column(m, "primitive_calls", "Primitive calls", PJ_UNIT_NONE, PJ_TEXT_OF_MACHINES,
               "Calls that are not recursive.");
    if (!m->measure)
        return;
    const char *title = pj_arena_format(m->arena, "%s without callees.", m->measure->title);
    const char *with = pj_arena_format(m->arena, "%s with callees.", m->measure->title);
    add_value_column(m, "exclusive", "Exclusive", title);
    add_column(m, "part", "%", PJ_UNIT_PERCENT, PJ_TEXT_OF_PEOPLE, "Of all exclusive values.");
    set_decimals(m, 1);
    add_value_column(m, "inclusive", "Inclusive", with);
}

static void add_statistics_columns(making *m)
{
    const char *units = m->rows.over_threads ? "threads" : "ranks";
    const char *where = m->rows.over_threads ? "max_thread" : "max_rank";
    pj_unit unit = unit_of(m->measure);
    add_column(m, units, m->rows.over_threads ? "Threads" : "Ranks", PJ_UNIT_NONE, PJ_TEXT_NONE,
               "How many have it.");
    add_column(m, "spread", "Spread", PJ_UNIT_SPREAD, PJ_TEXT_OF_PEOPLE,
               m->rows.over_threads ? "A block for each thread, as high as its part of the most."
                                    : "A block for each rank, as high as its part of the most.");
    bool own = m->rows.has_exclusive; // timers and lines know times with callees alone
    add_column(m, value_key(m, own ? "exclusive_min" : "inclusive_min"), "Min", unit,
               PJ_TEXT_OF_MACHINES, NULL);
    add_column(m, value_key(m, own ? "exclusive_mean" : "inclusive_mean"), "Mean", unit,
               PJ_TEXT_OF_MACHINES, NULL);
    add_value_column(m, own ? "exclusive_max" : "inclusive_max", "Max",
                     own ? "Exclusive." : "Inclusive.");
    add_column(m, value_key(m, own ? "exclusive_std" : "inclusive_std"), "Std. dev.", unit,
               PJ_TEXT_OF_MACHINES, NULL);
    add_column(m, where, "At", PJ_UNIT_IDENTIFIER, PJ_TEXT_NONE,
               m->rows.over_threads ? "The thread with the most." : "The rank with the most.");
    add_column(m, "load_balance", "Balance", PJ_UNIT_RATIO, PJ_TEXT_NONE,
               "Mean over maximum of all; those that lack the function count as 0.");
}

// Cells.

static pj_cell number(double value, const char *reason)
{
    return isnan(value) ? pj_cell_empty(reason) : pj_cell_real(value);
}

/// In the column of machines, and in that of people where they ask for a unit.
static pj_cell *put_value(const making *m, pj_cell *cell, double value, const char *reason)
{
    *cell++ = number(value, reason);
    if (m->scale > 0)
        *cell++ = number(value * m->scale, reason);
    return cell;
}

static pj_cell calls_cell(pj_profile_calls calls, bool has, bool whole)
{
    if (!has || (whole && calls.whole == PJ_ABSENT_WHOLE))
        return pj_cell_empty("the source does not count calls");
    return whole ? pj_cell_int(calls.whole) : number(calls.real, "the source does not count calls");
}

static pj_cell text_cell(making *m, pj_str text)
{
    return pj_cell_text(pj_arena_text(m->table->arena, text));
}

static pj_cell *put_function(making *m, pj_cell *cell, uint32_t region)
{
    const pj_profile_region *r = &m->p->regions[region];
    pj_auto_buf label = {0};
    pj_profile_short_label(m->p, region, &label);
    *cell++ = text_cell(m, pj_buf_str(&label));
    *cell++ = text_cell(m, m->p->texts[r->name]);
    pj_str file = m->p->texts[r->file];
    *cell++ = text_cell(m, m->ask->strip ? pj_profile_base_name(file) : file);
    *cell++ = pj_cell_int(r->line);
    return cell;
}

static pj_cell *put_path(making *m, pj_cell *cell, uint32_t node)
{
    enum { INDENT = 2, DEEPEST = 60 };
    const pj_profile_node *n = &m->p->nodes[node];
    pj_auto_buf label = {0};
    int depth = (int)(n->depth < DEEPEST ? n->depth : DEEPEST);
    pj_buf_addf(&label, "%*s" PJ_STR_FMT, depth * INDENT, "",
                PJ_STR_ARG(pj_profile_name(m->p, n->region)));
    if (n->parameters)
        pj_buf_addf(&label, " (" PJ_STR_FMT ")", PJ_STR_ARG(m->p->texts[n->parameters]));
    *cell++ = text_cell(m, pj_buf_str(&label));
    label.len = 0;
    pj_profile_path(m->p, node, &label);
    *cell++ = text_cell(m, pj_buf_str(&label));
    *cell++ = pj_cell_int(n->depth);
    return cell;
}

static pj_cell *put_keys(making *m, pj_cell *cell, const pj_profile_row *row)
{
    pj_str text = {0};
    if (m->ask->by.rank)
        *cell++ = pj_cell_int(row->rank);
    if (m->ask->by.thread)
        *cell++ = pj_cell_int(row->thread);
    if (m->has_names)
        *cell++ = text_cell(m, m->p->texts[pj_location_name(&m->names, row->rank, row->thread)]);
    switch (m->ask->by.item) {
    case PJ_BY_FUNCTION:
        return put_function(m, cell, row->item);
    case PJ_BY_PATH:
        return put_path(m, cell, row->item);
    case PJ_BY_MODULE:
    case PJ_BY_FILE:
    case PJ_BY_GROUP:
        text = m->p->texts[row->item & ~PJ_ROW_IS_FILE];
        if (row->item & PJ_ROW_IS_FILE)
            text = pj_profile_module_of_file(text);
        *cell++ = text_cell(m, text);
        return cell;
    case PJ_BY_NOTHING:
    case PJ_BY_LINE:
        break;
    }
    return cell;
}

/// Functions and paths work or wait; what sums up several has no tone.
static pj_tone tone_of(const making *m, const pj_profile_row *row)
{
    static const pj_tone tones[PJ_FAMILY_COUNT] = {[PJ_FAMILY_WORK] = PJ_TONE_WORK,
                                                   [PJ_FAMILY_BUILTIN] = PJ_TONE_BUILTIN,
                                                   [PJ_FAMILY_WAIT] = PJ_TONE_WAIT};
    if (m->ask->by.item == PJ_BY_FUNCTION)
        return tones[pj_function_family_of(m->p, row->item)];
    if (m->ask->by.item == PJ_BY_PATH)
        return tones[pj_function_family_of(m->p, m->p->nodes[row->item].region)];
    return PJ_TONE_NONE;
}

static void put_row(making *m, const pj_profile_row *row)
{
    static const char no_sum[] = "times with callees of several functions cannot be added";
    pj_cell *cell = put_keys(m, pj_table_add_row(m->table), row);
    *cell++ = calls_cell(row->calls, m->rows.has_calls, m->rows.whole_calls);
    *cell++ = calls_cell(row->primitive_calls, m->rows.has_primitive, m->rows.whole_primitive);
    if (!m->measure)
        return;
    bool one = m->ask->by.item == PJ_BY_FUNCTION || m->ask->by.item == PJ_BY_PATH;
    const char *reason = m->rows.has_inclusive || one ? "not recorded" : no_sum;
    cell = put_value(m, cell, row->exclusive, "not recorded");
    *cell = number(m->rows.total > 0 ? row->exclusive / m->rows.total * 100 : NAN, NULL);
    cell++->tone = tone_of(m, row);
    cell = put_value(m, cell, row->inclusive, reason);
    if (!m->rows.has_statistics)
        return;
    pj_auto_buf spread = {0};
    pj_spread_text(row->spread, &spread);
    *cell++ = pj_cell_int(row->have);
    *cell++ = text_cell(m, pj_buf_str(&spread));
    *cell++ = number(row->least, NULL);
    *cell++ = number(row->mean, NULL);
    cell = put_value(m, cell, row->most, NULL);
    *cell++ = number(row->deviation, NULL);
    *cell++ = pj_cell_int(row->where);
    *cell++ = number(row->balance, "nothing is spent in it");
}

static const struct {
    const char *name;
    double scale;
} units[] = {{"ms", 1e3}, {"us", 1e6}, {"ns", 1e9}};

/// Five digits of the largest value.
static void find_scale(making *m)
{
    enum { DIGITS = 5, MOST_DECIMALS = 9 };
    double largest = 0;
    if (!m->measure || m->measure->kind != PJ_MEASURE_TIME)
        return;
    for (size_t i = 0; i < m->shown; i++) {
        largest = fmax(largest, fabs(m->rows.rows[i].exclusive));
        largest = fmax(largest, fabs(m->rows.rows[i].inclusive));
    }
    for (size_t i = 0; m->ask->unit && i < sizeof units / sizeof *units; i++)
        if (strcmp(m->ask->unit, units[i].name) == 0)
            m->scale = units[i].scale;
    largest *= m->scale > 0 ? m->scale : 1;
    double before = largest > 0 ? floor(log10(largest)) + 1 : 1;
    m->decimals = (unsigned)fmax(0, fmin(MOST_DECIMALS, DIGITS - before));
}

/// " of 32 ranks", " of 3 processes"; nothing for one location.
static void add_locations(const pj_profile *p, pj_buf *out)
{
    int64_t ranks = pj_profile_rank_count(p);
    bool processes = true;
    for (uint32_t i = 0; i < p->location_count; i++)
        processes = processes && p->locations[i].kind == PJ_LOCATION_PROCESS;
    if (ranks > 1)
        pj_buf_addf(out, " of %" PRId64 " ranks", ranks);
    else if (p->location_count > 1 && strcmp(p->format, pj_profile_of_several) != 0)
        pj_buf_addf(out, " of %u %s", p->location_count, processes ? "processes" : "threads");
}

/// ", 67.6 s", ", 1,234 samples"; nothing where only times with callees are known.
static void add_total(const making *m, pj_buf *out)
{
    char text[32];
    double total = m->rows.total;
    if (!m->rows.has_exclusive || !m->measure || !(total > 0))
        return;
    if (m->measure->kind == PJ_MEASURE_TIME)
        pj_format_duration(total * 1e9, text);
    else if (m->measure->kind == PJ_MEASURE_COUNT && total < 1e15)
        pj_format_grouped((int64_t)total, text);
    else
        return;
    bool counts = m->measure->kind == PJ_MEASURE_COUNT;
    pj_buf_addf(out, ", %s%s%s", text, counts ? " " : "", counts ? m->measure->key : "");
}

/// "cProfile profile of 32 ranks, 67.6 s: 20 of 32 ranks work".
static const char *title_of(const making *m, const pj_profile *p)
{
    pj_auto_buf text = {0};
    pj_buf_puts(&text, p->title);
    add_locations(p, &text);
    add_total(m, &text);
    pj_str first = m->findings;
    if (first.len) {
        first = pj_str_cut(&first, ';');
        pj_buf_addf(&text, ": " PJ_STR_FMT, PJ_STR_ARG(first));
    }
    return pj_arena_text(m->arena, pj_buf_str(&text));
}

/// Findings, what is not shown, and what was odd.
static void add_note(making *m, const pj_profile *p, size_t all)
{
    pj_auto_buf text = {0};
    pj_buf_add(&text, m->findings);
    pj_profile_peaks(p, &text);
    if (m->shown < all)
        pj_buf_addf(&text, "%zu of %zu rows; --first N shows more\n", m->shown, all);
    if (m->measure && m->rows.has_statistics)
        pj_buf_addf(&text, "balance is mean over maximum of all %s: who lacks a row counts as 0\n",
                    m->rows.over_threads ? "threads" : "ranks");
    pj_profile_remarks(p, &text);
    if (text.len)
        m->table->note = pj_arena_text(m->table->arena, pj_str_trim(pj_buf_str(&text)));
}

static bool is_stopped(const making *m)
{
    return m->ask->stop && atomic_load_explicit(m->ask->stop, memory_order_relaxed);
}

/// Values by region tell of ranks what those by call path do.
static const pj_profile *findings_from(const making *m, const pj_profile *whole)
{
    uint32_t usual = pj_profile_sums_usual_measure(whole);
    bool has_it = m->measure && m->ask->by.item != PJ_BY_PATH && usual != PJ_NO_ITEM &&
                  m->measure == &m->p->measures[usual];
    return has_it ? m->p : whole;
}

static pj_table *make_table(making *m, const pj_profile *whole)
{
    pj_auto_buf found = {0};
    pj_profile_findings(findings_from(m, whole), &found);
    m->findings = pj_arena_str(m->arena, pj_buf_str(&found));
    m->table = pj_table_new(title_of(m, whole));
    find_scale(m);
    add_key_columns(m);
    add_value_columns(m);
    if (m->measure && m->rows.has_statistics)
        add_statistics_columns(m);
    for (size_t i = 0; i < m->shown && !is_stopped(m); i++)
        put_row(m, &m->rows.rows[i]);
    return m->table;
}

static bool check(const pj_profile *p, const pj_profile_ask *ask, pj_err *err)
{
    if (ask->by.item == PJ_BY_PATH && p->shape != PJ_SHAPE_TREE)
        return pj_fail(err, PJ_E_MISSING, p->file_count ? p->files[0] : NULL, 0,
                       "a %s holds no call paths; Score-P, TAU with call paths, collapsed stacks "
                       "and traces do",
                       p->title);
    if (ask->by.item == PJ_BY_GROUP && !p->groups)
        return pj_fail(err, PJ_E_MISSING, p->file_count ? p->files[0] : NULL, 0,
                       "a %s has no groups of functions", p->title);
    return true;
}

pj_table *pj_profile_table(pj_profile *profile, const pj_profile_ask *ask, pj_err *err)
{
    uint32_t measure;
    if (!check(profile, ask, err) || !pj_profile_pick_measure(profile, ask->metric, &measure, err))
        return NULL;
    pj_job job = {.stop = ask->stop};
    pj_auto_profile by_region = ask->by.item == PJ_BY_PATH
                                    ? pj_profile_hold(profile)
                                    : pj_profile_by_region(profile, measure, &job, err);
    if (!by_region)
        return NULL;
    pj_auto_arena arena = pj_arena_new(NULL);
    making m = {.p = by_region, .ask = ask, .arena = arena};
    m.measure = measure == PJ_NO_ITEM ? NULL : &by_region->measures[measure];
    pj_auto_profile_rows rows = pj_profile_rows_of(by_region, ask->by, measure, arena);
    m.rows = rows;
    if (!choose(&m, err))
        return NULL;
    size_t chosen = m.shown;
    if (!ask->where.len)
        cut(&m);
    pj_row_ordering how = {.by = ask->by,
                           .keys = ask->sort,
                           .measure = m.measure,
                           .first = m.shown,
                           .stop = ask->stop};
    if (!pj_row_order(by_region, &m.rows, how, arena, err))
        return NULL;
    m.has_names = ask->by.rank && pj_location_names_of(by_region, ask->by.thread, arena, &m.names);
    pj_auto_table all = make_table(&m, profile);
    pj_location_names_free(&m.names);
    add_note(&m, profile, chosen);
    if (is_stopped(&m)) {
        pj_fail(err, PJ_E_STOPPED, NULL, 0, "interrupted");
        return NULL;
    }
    if (!ask->where.len)
        return pj_table_hold(all);
    pj_auto_table some = pj_table_where(all, (pj_row_value){.formula = ask->where}, err);
    if (!some)
        return NULL;
    m.shown = some->row_count;
    cut(&m);
    return pj_table_head(some, m.shown);
}
