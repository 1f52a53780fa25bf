// Inputs of this session and of earlier ones.
// The inputs of this session are kept in memory, those of others are read from the user's file when
// somebody asks. The request forms are those of the message specification (tail, range, search).
#include "kernel/jupyter/history.h"

#include "kernel/command/jsontext.h"
#include "kernel/jupyter/history_file.h"
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/clock.h"
#include "metrics/base/utf8.h"

#include <pthread.h>
#include <stdlib.h>

enum { MOST_ENTRIES = 20000, MOST_BYTES = 32 << 20 }; // of one session in memory
enum { MOST_UNWRITTEN = 64 << 10, UNWRITTEN_MS = 50 };

typedef struct entry {
    json_int_t session, line;
    json_t *input, *output; // texts; output NULL = none
} entry;

typedef struct entries {
    entry *items;
    size_t count, cap;
    size_t bytes; // of the inputs and outputs
} entries;

struct pj_history {
    pthread_mutex_t lock;
    char *path;         // of the file; NULL = none
    json_int_t session; // 0 = not begun
    entries own;
    pj_buf unwritten; // lines for the file
    uint64_t written; // ms: when the file was written last
    bool hurry;
};

pj_history *pj_history_new(char *take)
{
    pj_history *history = pj_take_memory(sizeof *history);
    *history = (pj_history){.path = take};
    pthread_mutex_init(&history->lock, NULL);
    return history;
}

/// While another holds the file the lines stay for the next time, unless `patient`: no cell waits
/// for it. Called with the lock held.
static void write_out(pj_history *history, bool patient)
{
    bool written = !history->path || !history->unwritten.len ||
                   pj_history_file_add(history->path, pj_buf_str(&history->unwritten), patient);
    if (written || patient)
        history->unwritten.len = 0;
    history->written = pj_clock_ms();
}

static size_t size_of(const entry *e)
{
    return json_string_length(e->input) + json_string_length(e->output);
}

/// Forgets the first `count`.
static void forget(entries *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        list->bytes -= size_of(&list->items[i]);
        json_decref(list->items[i].input);
        json_decref(list->items[i].output);
    }
    list->count -= count;
    if (list->count)
        memmove(list->items, &list->items[count], list->count * sizeof *list->items);
}

static void add(entries *list, entry e)
{
    pj_grow(list->items, &list->cap, list->count + 1);
    list->items[list->count++] = e;
    list->bytes += size_of(&e);
}

static void free_entries(entries *list)
{
    forget(list, list->count);
    free(list->items);
}

void pj_history_free(pj_history *history)
{
    if (!history)
        return;
    write_out(history, true);
    pj_buf_free(&history->unwritten);
    pthread_mutex_destroy(&history->lock);
    free_entries(&history->own);
    free(history->path);
    free(history);
}

/// Without a file, or with one that cannot be written, sessions are number 1.
static void begin(pj_history *history)
{
    if (history->session)
        return;
    history->session = history->path ? pj_history_file_session(history->path) : 0;
    if (history->session)
        return;
    free(history->path);
    history->path = NULL;
    history->session = 1;
}

static int add_bytes(const char *bytes, size_t size, void *out)
{
    pj_buf_add(out, (pj_str){bytes, size});
    return 0;
}

/// Cells that come one upon another share a write, which takes longer than they do. Slower ones do
/// not: a cell may be the last that the kernel runs.
static void write_record(pj_history *history, const entry *e, json_t *input)
{
    pj_buf *lines = &history->unwritten;
    size_t before = lines->len;
    json_t *record = json_pack("[I, I, O]", e->session, e->line, input ? input : json_null());
    if (e->output)
        json_array_append(record, e->output);
    json_dump_callback(record, add_bytes, lines, JSON_COMPACT);
    json_decref(record);
    pj_buf_add_char(lines, '\n');
    if (lines->len - before > PJ_HISTORY_LINE_BYTES)
        lines->len = before;
    if (!history->hurry || lines->len > MOST_UNWRITTEN ||
        pj_clock_ms() - history->written > UNWRITTEN_MS)
        write_out(history, lines->len > MOST_UNWRITTEN);
}

void pj_history_add(pj_history *history, int line, pj_str input)
{
    pthread_mutex_lock(&history->lock);
    begin(history);
    entry e = {.session = history->session, .line = line, .input = pj_jsontext_string(input)};
    add(&history->own, e);
    while (history->own.count > MOST_ENTRIES ||
           (history->own.bytes > MOST_BYTES && history->own.count > 1))
        forget(&history->own, 1 + history->own.count / 4);
    if (history->path)
        write_record(history, &e, e.input);
    pthread_mutex_unlock(&history->lock);
}

void pj_history_set_output(pj_history *history, int line, pj_str output)
{
    pthread_mutex_lock(&history->lock);
    entries *own = &history->own;
    entry *last = own->count ? &own->items[own->count - 1] : NULL;
    if (last && last->line == line && !last->output) {
        last->output = pj_jsontext_string(output);
        own->bytes += json_string_length(last->output);
        if (history->path)
            write_record(history, last, NULL);
    }
    pthread_mutex_unlock(&history->lock);
}

void pj_history_hurry(pj_history *history, bool more)
{
    pthread_mutex_lock(&history->lock);
    history->hurry = more;
    if (!more && history->unwritten.len)
        write_out(history, false);
    pthread_mutex_unlock(&history->lock);
}

/// Whether the set at the start of `pattern` ("[...]") holds the byte; `*len` is its length, 0
/// when it is not closed.
static bool in_set(pj_str pattern, char c, size_t *len)
{
    size_t at = 1;
    bool negated = at < pattern.len && (pattern.at[at] == '!' || pattern.at[at] == '^');
    at += negated;
    bool found = false;
    for (size_t first = at; at < pattern.len; at++) {
        if (pattern.at[at] == ']' && at > first) {
            *len = at + 1;
            return found != negated;
        }
        char low = pattern.at[at], high = low;
        if (at + 2 < pattern.len && pattern.at[at + 1] == '-' && pattern.at[at + 2] != ']') {
            high = pattern.at[at + 2];
            at += 2;
        }
        found = found || (c >= low && c <= high);
    }
    *len = 0;
    return false;
}

/// Matches one element of the pattern other than *; false when it does not fit. Both lengths tell
/// what was used.
static bool fits_one(pj_str pattern, pj_str text, size_t *pattern_used, size_t *text_used)
{
    *pattern_used = 1;
    *text_used = 1;
    if (pattern.at[0] == '?') {
        pj_str rest = text;
        pj_utf8_next(&rest);
        *text_used = text.len - rest.len;
        return true;
    }
    if (pattern.at[0] == '[') {
        bool fits = in_set(pattern, text.at[0], pattern_used);
        if (*pattern_used)
            return fits;
        *pattern_used = 1;
    }
    return pattern.at[0] == text.at[0];
}

bool pj_history_fits(pj_str pattern, pj_str text)
{
    pj_str star = {0}, retry = {0}; // what follows the last *, and the text it was tried on
    bool starred = false;
    while (text.len || pattern.len) {
        if (pattern.len && pattern.at[0] == '*') {
            starred = true;
            star = pattern = pj_str_from(pattern, 1);
            retry = text;
            continue;
        }
        size_t p, t;
        if (pattern.len && text.len && fits_one(pattern, text, &p, &t)) {
            pattern = pj_str_from(pattern, p);
            text = pj_str_from(text, t);
            continue;
        }
        if (!starred || !retry.len)
            return false;
        retry = pj_str_from(retry, 1);
        pattern = star;
        text = retry;
    }
    return true;
}

static json_t *entry_json(const entry *e, bool output)
{
    json_t *input = json_incref(e->input);
    if (output)
        input = json_pack("[o, O]", input, e->output ? e->output : json_null());
    return json_pack("[I, I, o]", e->session, e->line, input);
}

/// How an entry is chosen: sessions and lines [start, stop) for ranges, a pattern for searches.
typedef struct choice {
    json_int_t session; // 0 = all
    json_int_t start, stop;
    pj_str pattern;
    bool unique;
    json_int_t most; // entries, from the end
} choice;

static json_int_t from_end(json_int_t line, json_int_t next)
{
    return line < 0 ? line + next : line;
}

/// Lines of a range; a session of 0 or less counts back from this one.
static void read_range(const pj_history *history, const json_t *request, choice *c)
{
    const entries *own = &history->own;
    json_int_t next = own->count ? own->items[own->count - 1].line + 1 : 1;
    json_int_t session = pj_jsontext_int(request, "session", 0);
    c->session = session > 0 ? session : history->session + session;
    if (c->session < 1)
        c->most = 0;
    if (c->session == history->session)
        c->stop = next;
    c->start = from_end(pj_jsontext_int(request, "start", 1), next);
    c->stop = from_end(pj_jsontext_int(request, "stop", c->stop), next);
}

static choice read_choice(const pj_history *history, const json_t *request)
{
    choice c = {.stop = INT64_MAX, .pattern = PJ_S("*"), .most = INT64_MAX};
    pj_str kind = pj_jsontext_str(request, "hist_access_type");
    if (pj_str_equal(kind, PJ_S("range"))) {
        read_range(history, request, &c);
        return c;
    }
    c.most = pj_jsontext_int(request, "n", c.most);
    if (pj_str_equal(kind, PJ_S("search"))) {
        if (pj_jsontext_str(request, "pattern").len)
            c.pattern = pj_jsontext_str(request, "pattern");
        c.unique = pj_jsontext_flag(request, "unique", false);
    }
    return c;
}

/// Whether an input equal to that of the entry was chosen already; `seen` holds the inputs.
static bool known(json_t *seen, const entry *e)
{
    const char *key = json_string_value(e->input);
    size_t len = json_string_length(e->input);
    bool before = json_object_getn(seen, key, len);
    if (!before)
        json_object_setn_new(seen, key, len, json_true());
    return before;
}

static bool fits(const entry *e, const choice *c)
{
    pj_str input = {json_string_value(e->input), json_string_length(e->input)};
    return (!c->session || e->session == c->session) && e->line >= c->start && e->line < c->stop &&
           pj_history_fits(c->pattern, input);
}

/// Adds to `found`, the newest first.
static void choose(const entries *list, const choice *c, bool output, json_t *seen, json_t *found)
{
    for (size_t i = list->count; i-- > 0 && (json_int_t)json_array_size(found) < c->most;) {
        const entry *e = &list->items[i];
        if (fits(e, c) && !(c->unique && known(seen, e)))
            json_array_append_new(found, entry_json(e, output));
    }
}

/// An output goes to its input, which is not far above it.
static void merge_record(entries *list, json_t *record)
{
    json_int_t session = json_integer_value(json_array_get(record, 0));
    json_int_t line = json_integer_value(json_array_get(record, 1));
    json_t *input = json_array_get(record, 2), *output = json_array_get(record, 3);
    if (json_is_string(input)) {
        add(list, (entry){.session = session, .line = line, .input = json_incref(input)});
        return;
    }
    enum { FAR = 1000 };
    for (size_t i = list->count; i-- > 0 && list->count - i < FAR;) {
        entry *e = &list->items[i];
        if (e->session == session && e->line == line && !e->output) {
            e->output = json_incref(output);
            return;
        }
    }
}

/// What the file has of other sessions.
static entries read_others(const pj_history *history)
{
    entries others = {0};
    json_t *record, *records = pj_history_file_read(history->path);
    size_t i;
    json_array_foreach(records, i, record)
    {
        if (json_integer_value(json_array_get(record, 0)) != history->session)
            merge_record(&others, record);
    }
    json_decref(records);
    return others;
}

static json_t *reversed_take(json_t *list)
{
    json_t *result = json_array();
    for (size_t i = json_array_size(list); i-- > 0;)
        json_array_append(result, json_array_get(list, i));
    json_decref(list);
    return result;
}

json_t *pj_history_answer(pj_history *history, const json_t *request)
{
    json_t *found = json_array(), *seen = json_object();
    bool output = pj_jsontext_flag(request, "output", false);
    pthread_mutex_lock(&history->lock);
    begin(history);
    choice c = read_choice(history, request);
    choose(&history->own, &c, output, seen, found);
    bool enough = c.session == history->session || (json_int_t)json_array_size(found) >= c.most;
    if (history->path && !enough) {
        entries others = read_others(history);
        choose(&others, &c, output, seen, found);
        free_entries(&others);
    }
    pthread_mutex_unlock(&history->lock);
    json_decref(seen);
    return json_pack("{s:s, s:o}", "status", "ok", "history", reversed_take(found));
}
