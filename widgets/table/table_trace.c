// Chrome's trace event format, JSON object form. What a thread does nests: its calls, constructs
// and regions are one track, its states another; messages are arrows between ranks.
#include "widgets/table/table_trace.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "metrics/base/utf8.h"
#include "metrics/table/table.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>

enum { KIND, TYPE, RANK, THREAD, START, END, NEEDED };

static const char *const needed[NEEDED] = {"kind", "type", "rank", "thread", "start_ns", "end_ns"};

typedef struct writer {
    const pj_table *table;
    int columns[NEEDED];
    pj_buf *out;
    size_t events;
} writer;

static void add_text(pj_buf *out, const char *text)
{
    pj_auto_buf clean = {0};
    pj_utf8_clean(&clean, pj_str_of(text));
    json_t *value = json_stringn(clean.len ? clean.at : "", clean.len);
    char *quoted = json_dumps(value, JSON_ENCODE_ANY);
    pj_buf_puts(out, quoted);
    free(quoted);
    json_decref(value);
}

static const pj_cell *cell_at(const writer *w, size_t row, int which)
{
    return pj_table_cell(w->table, row, (size_t)w->columns[which]);
}

static int64_t number_at(const writer *w, size_t row, int which)
{
    double number = pj_cell_number(*cell_at(w, row, which));
    return number >= 0 ? (int64_t)number : 0;
}

static const char *text_at(const writer *w, size_t row, int which)
{
    const pj_cell *cell = cell_at(w, row, which);
    return cell->kind == PJ_CELL_TEXT ? cell->text : "";
}

/// The comma and what every event has; the object stays open.
static void begin(writer *w, const char *phase, int64_t rank, int64_t track, int64_t ns)
{
    pj_buf_addf(w->out,
                "%s{\"ph\": \"%s\", \"pid\": %" PRId64 ", \"tid\": %" PRId64 ", \"ts\": %" PRId64
                ".%03d",
                w->events++ ? ",\n" : "\n", phase, rank, track, ns / 1000, (int)(ns % 1000));
}

/// Two tracks a thread: what it does, and its states.
static int64_t track_of(int64_t thread, bool states)
{
    return 2 * thread + (states ? 1 : 0);
}

static void add_arguments(writer *w, size_t row)
{
    size_t count = 0;
    pj_buf_puts(w->out, ", \"args\": {");
    for (size_t i = 0; i < w->table->column_count; i++) {
        const pj_cell *cell = pj_table_cell(w->table, row, i);
        bool known = false;
        for (int k = 0; k < NEEDED; k++)
            known |= w->columns[k] == (int)i;
        if (known || cell->kind == PJ_CELL_EMPTY)
            continue;
        pj_buf_puts(w->out, count++ ? ", " : "");
        add_text(w->out, w->table->columns[i].key);
        pj_buf_puts(w->out, ": ");
        if (cell->kind == PJ_CELL_TEXT)
            add_text(w->out, cell->text);
        else
            pj_buf_addf(w->out, "%.17g", pj_cell_number(*cell));
    }
    pj_buf_puts(w->out, "}}");
}

static void add_slice(writer *w, size_t row)
{
    bool states = strcmp(text_at(w, row, KIND), "state") == 0;
    int64_t start = number_at(w, row, START), end = number_at(w, row, END);
    int64_t length = end > start ? end - start : 0;
    begin(w, "X", number_at(w, row, RANK), track_of(number_at(w, row, THREAD), states), start);
    pj_buf_addf(w->out, ", \"dur\": %" PRId64 ".%03d, \"cat\": ", length / 1000,
                (int)(length % 1000));
    add_text(w->out, text_at(w, row, KIND));
    pj_buf_puts(w->out, ", \"name\": ");
    add_text(w->out, text_at(w, row, TYPE));
    add_arguments(w, row);
}

/// An arrow from the call that sends to the one that receives.
static void add_message(writer *w, size_t row)
{
    int partner = pj_table_column(w->table, PJ_S("partner"));
    double to = partner < 0 ? -1 : pj_cell_number(*pj_table_cell(w->table, row, (size_t)partner));
    if (!(to >= 0))
        return;
    for (int end = 0; end < 2; end++) {
        int64_t rank = end ? (int64_t)to : number_at(w, row, RANK);
        int64_t thread = end ? 0 : number_at(w, row, THREAD);
        begin(w, end ? "f" : "s", rank, track_of(thread, false),
              number_at(w, row, end ? END : START));
        pj_buf_addf(w->out, ", \"cat\": \"message\", \"name\": \"message\", \"id\": %zu%s", row,
                    end ? ", \"bp\": \"e\"" : "");
        add_arguments(w, row);
    }
}

/// What viewers call a process or a thread.
static void add_name(writer *w, int64_t rank, int64_t track, const char *what, pj_str name)
{
    begin(w, "M", rank, track, 0);
    pj_buf_addf(w->out, ", \"name\": \"%s\", \"args\": {\"name\": \"" PJ_STR_FMT "\"}}", what,
                PJ_STR_ARG(name));
}

/// Which tracks have a name already.
typedef struct names {
    bool *named; // [rank * tracks + track]
    int64_t ranks, tracks;
} names;

static names names_of(const writer *w)
{
    enum { MOST = 1 << 26 };
    names n = {.ranks = 1, .tracks = 2};
    for (size_t row = 0; row < w->table->row_count; row++) {
        int64_t rank = number_at(w, row, RANK), track = track_of(number_at(w, row, THREAD), true);
        n.ranks = rank >= n.ranks ? rank + 1 : n.ranks;
        n.tracks = track >= n.tracks ? track + 1 : n.tracks;
    }
    if (n.ranks > MOST / n.tracks) // viewers show numbers then
        return (names){0};
    n.named = pj_take_memory((size_t)(n.ranks * n.tracks) * sizeof *n.named);
    memset(n.named, 0, (size_t)(n.ranks * n.tracks) * sizeof *n.named);
    return n;
}

static void add_names(writer *w, names *n, size_t row)
{
    bool states = strcmp(text_at(w, row, KIND), "state") == 0;
    int64_t rank = number_at(w, row, RANK), thread = number_at(w, row, THREAD);
    int64_t track = track_of(thread, states);
    if (!n->named || n->named[rank * n->tracks + track])
        return;
    n->named[rank * n->tracks + track] = true;
    pj_auto_buf process = {0}, name = {0};
    pj_buf_addf(&process, "rank %" PRId64, rank);
    pj_buf_addf(&name, "thread %" PRId64 "%s", thread, states ? ": states" : "");
    add_name(w, rank, track, "process_name", pj_buf_str(&process));
    add_name(w, rank, track, "thread_name", pj_buf_str(&name));
}

bool pj_table_trace(const pj_table *table, const atomic_bool *stop, pj_buf *out, pj_err *err)
{
    writer w = {.table = table, .out = out};
    for (int i = 0; i < NEEDED; i++) {
        w.columns[i] = pj_table_column(table, pj_str_of(needed[i]));
        if (w.columns[i] < 0)
            return pj_fail(err, PJ_E_USAGE, NULL, 0,
                           "only a table of single events (popinjay events without groups) can be "
                           "written as ." PJ_TABLE_TRACE_SUFFIX ": this one has no column %s",
                           needed[i]);
    }
    names n = names_of(&w);
    pj_buf_puts(out, "{\"displayTimeUnit\": \"ns\", \"traceEvents\": [");
    for (size_t row = 0; row < table->row_count; row++) {
        if (stop && atomic_load_explicit(stop, memory_order_relaxed))
            break;
        add_names(&w, &n, row);
        if (strcmp(text_at(&w, row, KIND), "message") == 0)
            add_message(&w, row);
        else
            add_slice(&w, row);
    }
    pj_buf_puts(out, "\n]}\n");
    free(n.named);
    return !(stop && atomic_load(stop)) || pj_fail(err, PJ_E_STOPPED, NULL, 0, "interrupted");
}
