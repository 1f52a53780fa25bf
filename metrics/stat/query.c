// Questions about the events of a trace.
// Everything that is asked for is a formula over the fields of a record; a plain field is the
// shortest of them. Texts of records are few and live long: they are told apart by number.
#include "metrics/stat/query.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/map.h"
#include "metrics/base/memory.h"
#include "metrics/base/num.h"
#include "metrics/base/str.h"
#include "metrics/base/suggest.h"
#include "metrics/run/run.h"
#include "metrics/stat/record.h"
#include "metrics/table/formula.h"
#include "metrics/table/table.h"
#include "metrics/table/table_ops.h"
#include "metrics/trace/event.h"
#include "metrics/trace/layout.h"
#include "metrics/trace/mpi_call.h"

#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>

enum { LIMIT = 10000, KEYS_MOST = 8, FOLDS_MOST = 16, TYPES_SHOWN = 40 };

static const pj_column fields[] = {
#define FIELD(name, title, unit, text, help) {#name, title, help, PJ_UNIT_##unit, text},
#include "metrics/stat/query_fields.def"
#undef FIELD
};
enum field {
#define FIELD(name, title, unit, text, help) FIELD_##name,
#include "metrics/stat/query_fields.def"
#undef FIELD
    FIELDS
};

static const pj_formula_name names[] = {
#define FIELD(name, title, unit, text, help) {#name, text, 1},
#include "metrics/stat/query_fields.def"
#include "metrics/table/fold.h"
#include "metrics/table/question.h"
#undef FIELD
};

/// One text, seen once.
typedef struct word {
    const char *text;
    bool type_fits, region_fits; // what the query asks for
    uint64_t met;                // records of this type
} word;

typedef struct group {
    pj_cell keys[KEYS_MOST];
    pj_folding folds[FOLDS_MOST];
    uint64_t events;
} group;

typedef struct term { // a formula of the query
    pj_str text;
    const pj_formula *formula;
    int field; // it is this field alone; -1 = it is not
} term;

struct pj_query {
    pj_arena *arena;
    const char *type, *region;
    pj_record_kind kind; // that the type names; PJ_RECORD_LAST = it names none
    bool has_rank;
    uint32_t rank;
    uint64_t from_ns, to_ns, limit;
    term where, binned, keys[KEYS_MOST], folds[FOLDS_MOST];
    pj_fold kinds[FOLDS_MOST];
    size_t key_count, fold_count;
    bool has_where, histogram, plain; // plain = the events themselves

    // One pass.
    const pj_run *run;
    pj_records *records;
    word *words;
    size_t word_count, word_cap;
    pj_map word_of; // by address
    group *groups;
    size_t group_count, group_cap;
    pj_map group_of; // by hash of the keys
    uint64_t matched, open;
    pj_table *table;
};

const char *pj_query_field(unsigned index)
{
    return index < FIELDS ? fields[index].key : NULL;
}

// Making

static int field_named(pj_str text)
{
    for (int i = 0; i < FIELDS; i++)
        if (pj_str_equal(text, pj_str_of(fields[i].key)))
            return i;
    return -1;
}

static bool compile(pj_query *query, pj_str text, term *out, pj_err *err)
{
    const pj_formula_names known = {names, FIELDS, 1};
    *out = (term){.text = pj_arena_str(query->arena, text), .field = field_named(text)};
    out->formula = pj_formula_new(query->arena, out->text, &known, err);
    if (!out->formula)
        return false;
    if (pj_formula_aggregates(out->formula) > 0)
        return pj_fail(err, PJ_E_SCRIPT, NULL, 0,
                       "\"" PJ_STR_FMT
                       "\": the events of a stream have no sums; ask for sum, mean, "
                       "min or max of the groups",
                       PJ_STR_ARG(text));
    if (out->field < 0 && pj_formula_is_text(out->formula))
        return pj_fail(err, PJ_E_SCRIPT, NULL, 0,
                       "\"" PJ_STR_FMT "\" is text; a field or a formula that gives a number is "
                       "wanted",
                       PJ_STR_ARG(text));
    return true;
}

static bool compile_keys(pj_query *query, const pj_query_opts *opts, pj_err *err)
{
    if (opts->key_count + query->histogram > KEYS_MOST || opts->fold_count > FOLDS_MOST)
        return pj_fail(err, PJ_E_USAGE, NULL, 0, "at most %d keys and %d values of groups",
                       KEYS_MOST, FOLDS_MOST);
    for (size_t i = 0; i < opts->key_count; i++)
        if (!compile(query, opts->keys[i], &query->keys[query->key_count++], err))
            return false;
    if (!query->histogram)
        return true;
    pj_str x = opts->histogram;
    const char *bin = pj_arena_format(
        query->arena, "if((" PJ_STR_FMT ") >= 1, 2 ^ floor(log2(" PJ_STR_FMT ")), 0)",
        PJ_STR_ARG(x), PJ_STR_ARG(x));
    return compile(query, x, &query->binned, err) &&
           compile(query, pj_str_of(bin), &query->keys[query->key_count++], err);
}

static bool compile_all(pj_query *query, const pj_query_opts *opts, pj_err *err)
{
    query->has_where = opts->where.len > 0;
    if (query->has_where && !compile(query, opts->where, &query->where, err))
        return false;
    if (!compile_keys(query, opts, err))
        return false;
    for (size_t i = 0; i < opts->fold_count; i++) {
        term *fold = &query->folds[query->fold_count];
        query->kinds[query->fold_count++] = opts->folds[i].fold;
        if (opts->folds[i].fold == PJ_FOLD_COUNT)
            continue;
        if (!compile(query, opts->folds[i].of, fold, err))
            return false;
        if (fold->field >= 0 && fields[fold->field].text)
            return pj_fail(err, PJ_E_SCRIPT, NULL, 0, "%s is text and cannot be folded",
                           fields[fold->field].key);
    }
    query->plain = !query->key_count && !query->fold_count;
    return true;
}

static pj_record_kind kind_named(const char *type)
{
    pj_record_kind kind = 0;
    while (kind < PJ_RECORD_LAST && (!type || strcmp(pj_record_kind_name(kind), type) != 0))
        kind++;
    return kind;
}

pj_query *pj_query_new(pj_query_opts opts, pj_err *err)
{
    pj_arena *arena = pj_arena_new(NULL);
    pj_query *query = pj_new(arena, pj_query);
    *query = (pj_query){.arena = arena,
                        .kind = kind_named(opts.type),
                        .has_rank = opts.has_rank,
                        .rank = opts.rank,
                        .from_ns = opts.from_ns,
                        .to_ns = opts.to_ns ? opts.to_ns : UINT64_MAX,
                        .limit = opts.limit ? opts.limit : LIMIT,
                        .histogram = opts.histogram.len > 0};
    query->type = opts.type ? pj_arena_text(arena, pj_str_of(opts.type)) : NULL;
    query->region = opts.region ? pj_arena_text(arena, pj_str_of(opts.region)) : NULL;
    if (compile_all(query, &opts, err))
        return query;
    pj_query_free(query);
    return NULL;
}

/// Whether the type tells apart what regions have no part in.
static bool is_of_mpi(const pj_query *query)
{
    return query->kind == PJ_RECORD_CALL || query->kind == PJ_RECORD_MESSAGE ||
           (query->type && pj_mpi_call_at(pj_mpi_call_by_name(pj_str_of(query->type))));
}

bool pj_query_wants_regions(const pj_query *query)
{
    bool used[FIELDS] = {false};
    const term *single[] = {&query->where, &query->binned};
    for (size_t i = 0; i < sizeof single / sizeof *single; i++)
        if (single[i]->formula)
            pj_formula_mark_names(single[i]->formula, used);
    for (size_t i = 0; i < query->key_count; i++)
        pj_formula_mark_names(query->keys[i].formula, used);
    for (size_t i = 0; i < query->fold_count; i++)
        if (query->folds[i].formula)
            pj_formula_mark_names(query->folds[i].formula, used);
    return query->plain || query->region || used[FIELD_region] || !is_of_mpi(query);
}

static void clear(pj_query *query)
{
    pj_records_free(query->records);
    pj_map_free(&query->word_of);
    pj_map_free(&query->group_of);
    free(query->words);
    free(query->groups);
    pj_table_release(query->table);
    query->records = NULL;
    query->word_of = query->group_of = (pj_map){0};
    query->words = NULL;
    query->groups = NULL;
    query->table = NULL;
    query->word_count = query->word_cap = query->group_count = query->group_cap = 0;
    query->matched = 0;
}

void pj_query_free(pj_query *query)
{
    if (!query)
        return;
    clear(query);
    pj_arena_free(query->arena);
}

pj_table *pj_query_table(const pj_query *query)
{
    return query->table ? pj_table_hold(query->table) : NULL;
}

// Records as rows of formulas

typedef struct row {
    const pj_query *query;
    const pj_record *record;
} row;

static pj_cell number(uint64_t value)
{
    return value <= INT64_MAX ? pj_cell_int((int64_t)value) : pj_cell_real((double)value);
}

static pj_cell field_of(const void *self, size_t index, unsigned name)
{
    const row *r = self;
    const pj_record *e = r->record;
    const pj_layout *layout = &r->query->run->layout;
    uint32_t rank = layout->rank_of[e->location];
    (void)index;
    switch ((enum field)name) {
    case FIELD_kind:
        return pj_cell_text(pj_record_kind_name(e->kind));
    case FIELD_type:
        return pj_cell_text(e->type);
    case FIELD_rank:
        return pj_cell_int(rank);
    case FIELD_thread:
        return pj_cell_int(e->location - layout->first_location[rank]);
    case FIELD_start_ns:
        return number(e->start_ns);
    case FIELD_end_ns:
        return number(e->end_ns);
    case FIELD_duration_ns:
        return number(e->end_ns - e->start_ns);
    case FIELD_partner:
        return e->partner != PJ_RECORD_NOBODY ? pj_cell_int(e->partner)
                                              : pj_cell_empty("it has no partner, or several");
    case FIELD_bytes:
        return e->has_bytes ? number(e->bytes) : pj_cell_empty("it moves no bytes");
    case FIELD_tag:
        return e->has_tag ? pj_cell_int(e->tag) : pj_cell_empty("it has no tag");
    case FIELD_communicator:
        return e->communicator ? pj_cell_int(e->communicator)
                               : pj_cell_empty("it names no communicator");
    case FIELD_region:
        return e->region ? pj_cell_text(e->region)
                         : pj_cell_empty("the trace names no region here");
    case FIELDS:
        break;
    }
    return pj_cell_empty(NULL);
}

static size_t one_row(const void *self, unsigned domain)
{
    (void)self, (void)domain;
    return 1;
}

static pj_cell value_of(const term *t, const row *r)
{
    const pj_formula_rows rows = {r, one_row, field_of};
    return t->field >= 0 ? field_of(r, 0, (unsigned)t->field)
                         : pj_formula_value(t->formula, &rows, 0, NULL);
}

// Choosing

static bool fits_pattern(const char *pattern, const char *text)
{
    return !pattern || fnmatch(pattern, text, 0) == 0;
}

static word *word_of(pj_query *query, const char *text)
{
    uint32_t index;
    uint64_t key = (uint64_t)(uintptr_t)text;
    if (pj_map_get(&query->word_of, key, &index))
        return &query->words[index];
    index = (uint32_t)query->word_count++;
    pj_map_put(&query->word_of, key, index);
    pj_grow(query->words, &query->word_cap, query->word_count);
    query->words[index] = (word){.text = text,
                                 .type_fits = fits_pattern(query->type, text),
                                 .region_fits = fits_pattern(query->region, text)};
    return &query->words[index];
}

/// A name of a kind stands for that alone, whatever regions are called.
static bool is_of_type(pj_query *query, const pj_record *record)
{
    word *type = word_of(query, record->type);
    bool fits = type->type_fits; // before the next word may move it
    type->met++;
    if (query->kind != PJ_RECORD_LAST)
        return record->kind == query->kind;
    return fits || word_of(query, pj_record_kind_name(record->kind))->type_fits;
}

static bool is_wanted(pj_query *query, const row *r)
{
    const pj_record *record = r->record;
    if (!is_of_type(query, record))
        return false;
    if (query->has_rank && query->run->layout.rank_of[record->location] != query->rank)
        return false;
    if (record->start_ns < query->from_ns || record->start_ns >= query->to_ns)
        return false;
    if (query->region && (!record->region || !word_of(query, record->region)->region_fits))
        return false;
    if (!query->has_where)
        return true;
    double truth = pj_cell_number(value_of(&query->where, r));
    return truth != 0 && !isnan(truth);
}

// Groups

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0x9E3779B97F4A7C15);
    return hash ^ hash >> 29;
}

static uint64_t bits_of(pj_cell cell)
{
    uint64_t bits = 0;
    if (cell.kind == PJ_CELL_TEXT)
        bits = (uint64_t)(uintptr_t)cell.text;
    else if (cell.kind != PJ_CELL_EMPTY)
        memcpy(&bits, &cell.integer, sizeof bits);
    return bits;
}

static bool same_keys(const pj_query *query, const pj_cell *a, const pj_cell *b)
{
    for (size_t i = 0; i < query->key_count; i++)
        if (a[i].kind != b[i].kind || bits_of(a[i]) != bits_of(b[i]))
            return false;
    return true;
}

static bool too_many(const pj_query *query, const char *what, pj_err *err)
{
    char limit[32];
    pj_format_grouped((int64_t)query->limit, limit);
    return pj_fail(
        err, PJ_E_USAGE, query->run->path, 0,
        "there are more than %s %s: narrow the question with type, rank, region, from, to "
        "or where, group it with by, or raise limit",
        limit, what);
}

/// A limit that somebody raised may be more than there is memory for. Looked at now and then, with
/// room for what grows by doubling.
static bool has_room(const pj_query *query, size_t rows, size_t row_bytes, pj_err *err)
{
    enum { ROWS_BETWEEN_LOOKS = 4096, RESERVE = 32 << 20 };
    return rows % ROWS_BETWEEN_LOOKS != 0 || rows == 0 ||
           pj_memory_want(2 * rows * row_bytes + RESERVE, query->run->path,
                          "the answer to the question", err);
}

static group *add_new_group(pj_query *query)
{
    pj_grow(query->groups, &query->group_cap, query->group_count + 1);
    group *g = &query->groups[query->group_count++];
    *g = (group){.events = 0};
    for (size_t i = 0; i < query->fold_count; i++)
        g->folds[i].fold = query->kinds[i];
    return g;
}

static group *group_of(pj_query *query, const row *r, pj_err *err)
{
    pj_cell keys[KEYS_MOST];
    uint64_t hash = 0;
    for (size_t i = 0; i < query->key_count; i++) {
        keys[i] = value_of(&query->keys[i], r);
        hash = mix(hash + keys[i].kind, bits_of(keys[i]));
    }
    uint32_t index;
    for (; pj_map_get(&query->group_of, hash, &index); hash++)
        if (same_keys(query, query->groups[index].keys, keys))
            return &query->groups[index];
    if (query->group_count >= query->limit) {
        too_many(query, "groups", err);
        return NULL;
    }
    if (!has_room(query, query->group_count, sizeof *query->groups, err))
        return NULL;
    pj_map_put(&query->group_of, hash, (uint32_t)query->group_count);
    group *g = add_new_group(query);
    memcpy(g->keys, keys, sizeof keys);
    return g;
}

static bool add_row(pj_query *query, const row *r, pj_err *err)
{
    if (query->table->row_count >= query->limit)
        return too_many(query, "events", err);
    if (!has_room(query, query->table->row_count, FIELDS * sizeof(pj_cell), err))
        return false;
    pj_cell *cells = pj_table_add_row(query->table);
    for (unsigned i = 0; i < FIELDS; i++)
        cells[i] = field_of(r, 0, i);
    return true;
}

/// The part of a record that lies in the region of interest; false when there is none. A message
/// has no parts: it belongs to where it is sent.
static bool clip(const pj_roi *roi, pj_record *record)
{
    uint64_t start = record->start_ns, end = record->end_ns;
    if (!roi->set)
        return true;
    bool begins = start >= roi->from_ns && start < roi->to_ns;
    if (record->kind == PJ_RECORD_MESSAGE || start == end)
        return begins;
    if (end <= roi->from_ns || start >= roi->to_ns)
        return false;
    record->start_ns = begins ? start : roi->from_ns;
    record->end_ns = end < roi->to_ns ? end : roi->to_ns;
    return !roi->drop || (begins && end <= roi->to_ns);
}

static bool take(void *self, const pj_record *given, pj_err *err)
{
    pj_query *query = self;
    pj_record record = *given;
    const row r = {query, &record};
    if (!clip(&query->run->roi, &record) || !is_wanted(query, &r))
        return true;
    query->matched++;
    if (query->plain)
        return add_row(query, &r, err);
    group *g = group_of(query, &r, err);
    if (!g)
        return false;
    g->events++;
    for (size_t i = 0; i < query->fold_count; i++) {
        pj_cell value =
            query->kinds[i] != PJ_FOLD_COUNT ? value_of(&query->folds[i], &r) : pj_cell_int(1);
        if (value.kind != PJ_CELL_EMPTY)
            pj_folding_add(&g->folds[i], value);
    }
    return true;
}

// The result

static void add_key_column(pj_query *query, size_t i)
{
    const term *key = &query->keys[i];
    pj_column column = {.key = key->text.at, .title = key->text.at, .unit = PJ_UNIT_IDENTIFIER};
    pj_table_add_column(query->table, key->field >= 0 ? fields[key->field] : column);
}

/// From the least value of a bin to that of the next.
static void add_bin_columns(pj_query *query)
{
    const term *of = &query->binned;
    const char *title = of->field >= 0 ? fields[of->field].title : of->text.at;
    pj_arena *arena = query->table->arena;
    pj_table_add_column(query->table, (pj_column){.key = "from",
                                                  .title = pj_arena_format(arena, "%s from", title),
                                                  .help = "Least value of the bin."});
    pj_table_add_column(query->table,
                        (pj_column){.key = "to",
                                    .title = pj_arena_format(arena, "%s below", title),
                                    .help = "Least value of the next bin."});
}

/// A whole number where it is one.
static pj_cell bound(double value)
{
    const double most = 9e15;
    return value < most ? pj_cell_int((int64_t)value) : pj_cell_real(value);
}

static pj_unit unit_of(const term *t)
{
    return t->field >= 0 ? fields[t->field].unit : PJ_UNIT_NONE;
}

/// "bytes_sum", or "count".
static void add_fold_column(pj_query *query, size_t i)
{
    const term *t = &query->folds[i];
    const char *fold = pj_fold_name(query->kinds[i]);
    pj_column column = {.key = fold, .title = "Count", .help = "Events of the group."};
    if (query->kinds[i] != PJ_FOLD_COUNT)
        column = (pj_column){
            .key = pj_arena_format(query->arena, PJ_STR_FMT "_%s", PJ_STR_ARG(t->text), fold),
            .title = pj_arena_format(query->arena, "%s, %s",
                                     t->field >= 0 ? fields[t->field].title : t->text.at, fold),
            .unit = unit_of(t) == PJ_UNIT_IDENTIFIER ? PJ_UNIT_NONE : unit_of(t)};
    pj_table_add_column(query->table, column);
}

static pj_cell result_of(const pj_folding *folding)
{
    return folding->cells || folding->fold == PJ_FOLD_COUNT
               ? pj_folding_result(folding)
               : pj_cell_empty("no event of the group has this");
}

static void add_group(pj_query *query, const group *g)
{
    pj_cell *cells = pj_table_add_row(query->table);
    for (size_t i = 0; i < query->key_count; i++) {
        *cells++ = pj_table_copy_cell(query->table, g->keys[i]);
        if (query->histogram && i + 1 == query->key_count) {
            double from = pj_cell_number(g->keys[i]);
            *cells = cells[-1]; // its reason, where it is empty
            if (!isnan(from)) {
                cells[-1] = bound(from);
                *cells = bound(from < 1 ? 1 : 2 * from);
            }
            cells++;
        }
    }
    if (!query->fold_count)
        *cells = number(g->events);
    for (size_t i = 0; i < query->fold_count; i++)
        *cells++ = result_of(&g->folds[i]);
}

static pj_table *sorted(const pj_query *query)
{
    pj_str keys[KEYS_MOST];
    for (size_t i = 0; i < query->key_count; i++)
        keys[i] = pj_str_of(query->table->columns[i].key);
    return pj_table_sort(query->table, keys, query->key_count, NULL, NULL);
}

static void make_table(pj_query *query)
{
    for (size_t i = 0; i + query->histogram < query->key_count; i++)
        add_key_column(query, i);
    if (query->histogram)
        add_bin_columns(query);
    for (size_t i = 0; i < query->fold_count; i++)
        add_fold_column(query, i);
    if (!query->fold_count)
        pj_table_add_column(
            query->table,
            (pj_column){.key = "count", .title = "Count", .help = "Events of the group."});
    if (!query->key_count && !query->group_count)
        add_new_group(query); // of nothing there are 0
    for (size_t i = 0; i < query->group_count; i++)
        add_group(query, &query->groups[i]);
    pj_table *table = query->key_count ? sorted(query) : NULL;
    if (!table)
        return;
    pj_table_release(query->table);
    query->table = table;
}

/// What the trace has, for whoever asked for something else.
static void add_types(const pj_query *query, pj_buf *note)
{
    unsigned shown = 0;
    pj_buf_puts(note, "its types:");
    for (size_t i = 0; i < query->word_count && shown < TYPES_SHOWN; i++)
        if (query->words[i].met)
            pj_buf_addf(note, "%s %s", shown++ ? "," : "", query->words[i].text);
    pj_buf_puts(note, shown ? "" : " none");
}

static void note_result(pj_query *query)
{
    pj_auto_buf note = {.at = NULL};
    char count[32];
    pj_format_grouped((int64_t)query->matched, count);
    if (query->matched) {
        pj_buf_addf(&note, "%s events", count);
    } else {
        pj_buf_puts(&note, "no event of the trace fits; ");
        add_types(query, &note);
    }
    if (query->open)
        pj_buf_addf(&note,
                    "\n%llu calls, constructs or regions were open at the end and are left "
                    "out",
                    (unsigned long long)query->open);
    query->table->note = pj_arena_text(query->table->arena, pj_buf_str(&note));
}

/// An event that a trace merely lacks is an answer; a name that no event can have is a mistake.
static bool check_type(const pj_query *query, pj_err *err)
{
    if (!query->type || query->matched || pj_record_can_be(query->run, query->type))
        return true;
    pj_auto_buf valid = {.at = NULL};
    pj_suggest suggest = {.word = pj_str_of(query->type)};
    for (size_t i = 0; i < query->word_count; i++)
        if (query->words[i].met)
            pj_suggest_try(&suggest, query->words[i].text);
    const char *name;
    for (pj_record_kind kind = 0; (name = pj_record_kind_name(kind)); kind++)
        pj_suggest_try(&suggest, name);
    pj_suggest_add(&suggest, &valid);
    for (pj_record_kind kind = 0; (name = pj_record_kind_name(kind)); kind++)
        pj_buf_addf(&valid, "%s %s", kind ? "," : " kinds:", name);
    pj_buf_puts(&valid, "; ");
    add_types(query, &valid);
    return pj_fail(err, PJ_E_USAGE, query->run->path, 0,
                   "no event can be of type \"%s\"" PJ_STR_FMT, query->type,
                   PJ_STR_ARG(pj_buf_str(&valid)));
}

// Sink

static bool begin(void *self, const pj_run *run, pj_err *err)
{
    pj_query *query = self;
    clear(query);
    query->run = run;
    query->records = pj_records_new(run, take, query);
    query->table = pj_table_new("");
    query->table->title = pj_arena_format(query->table->arena, "Events of %s", run->name);
    for (unsigned i = 0; query->plain && i < FIELDS; i++)
        pj_table_add_column(query->table, fields[i]);
    return !query->has_rank || query->rank < run->layout.ranks ||
           pj_fail(err, PJ_E_USAGE, run->path, 0, "there is no rank %u; ranks count from 0 to %u",
                   query->rank, run->layout.ranks - 1);
}

static bool events(void *self, const pj_batch *batch, pj_err *err)
{
    pj_query *query = self;
    return pj_records_events(query->records, batch, err);
}

static bool finish(void *self, pj_run *run, pj_err *err)
{
    pj_query *query = self;
    (void)run;
    if (!pj_records_end(query->records, err) || !check_type(query, err))
        return false;
    query->open = pj_records_open(query->records);
    if (!query->plain)
        make_table(query);
    for (size_t i = 0; query->plain && i < query->table->row_count * FIELDS; i++)
        query->table->cells[i] = pj_table_copy_cell(query->table, query->table->cells[i]);
    note_result(query);
    pj_records_free(query->records); // the run may be gone hereafter
    query->records = NULL;
    query->run = NULL;
    return true;
}

static void close_sink(void *self)
{
    (void)self;
}

pj_sink pj_query_sink(pj_query *query)
{
    return (pj_sink){.name = "query",
                     .begin = begin,
                     .events = events,
                     .finish = finish,
                     .close = close_sink,
                     .self = query};
}
