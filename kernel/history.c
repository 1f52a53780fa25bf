// History in memory. One session, number 1; the request forms are those of the message
// specification (tail, range, search).
#include "kernel/history.h"

#include "kernel/jsontext.h"
#include "metrics/base/arena.h"
#include "widgets/utf8.h"

#include <pthread.h>
#include <stdlib.h>

enum { SESSION = 1 };

typedef struct entry {
    int line;
    pj_str input, output; // in the arena
    bool has_output;
} entry;

struct pj_history {
    pthread_mutex_t lock;
    pj_arena *arena;
    entry *entries;
    size_t count, cap;
};

pj_history *pj_history_new(void)
{
    pj_history *history = pj_take_memory(sizeof *history);
    *history = (pj_history){.arena = pj_arena_new(NULL)};
    pthread_mutex_init(&history->lock, NULL);
    return history;
}

void pj_history_free(pj_history *history)
{
    if (!history)
        return;
    pthread_mutex_destroy(&history->lock);
    pj_arena_free(history->arena);
    free(history->entries);
    free(history);
}

void pj_history_add(pj_history *history, int line, pj_str input)
{
    pthread_mutex_lock(&history->lock);
    pj_grow(history->entries, &history->cap, history->count + 1);
    history->entries[history->count++] =
        (entry){.line = line, .input = pj_arena_str(history->arena, input)};
    pthread_mutex_unlock(&history->lock);
}

void pj_history_set_output(pj_history *history, int line, pj_str output)
{
    pthread_mutex_lock(&history->lock);
    if (history->count && history->entries[history->count - 1].line == line) {
        entry *last = &history->entries[history->count - 1];
        last->output = pj_arena_str(history->arena, output);
        last->has_output = true;
    }
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
    json_t *input = pj_jsontext_string(e->input);
    if (output) {
        json_t *result = e->has_output ? pj_jsontext_string(e->output) : json_null();
        input = json_pack("[o, o]", input, result);
    }
    return json_pack("[i, i, o]", (int)SESSION, e->line, input);
}

/// How an entry is chosen; lines [start, stop) for ranges, a pattern for searches.
typedef struct choice {
    json_int_t start, stop;
    pj_str pattern;
    bool unique;
    json_int_t most; // entries, from the end
} choice;

static json_int_t from_end(json_int_t line, json_int_t next)
{
    return line < 0 ? line + next : line;
}

static choice read_choice(const pj_history *history, const json_t *request)
{
    json_int_t next = history->count ? history->entries[history->count - 1].line + 1 : 1;
    choice c = {.stop = next, .pattern = PJ_S("*"), .most = (json_int_t)history->count};
    pj_str kind = pj_jsontext_str(request, "hist_access_type");
    if (pj_str_equal(kind, PJ_S("range"))) {
        json_int_t session = pj_jsontext_int(request, "session", 0);
        if (session != 0 && session != SESSION)
            c.most = 0;
        c.start = from_end(pj_jsontext_int(request, "start", 1), next);
        c.stop = from_end(pj_jsontext_int(request, "stop", next), next);
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

/// Whether an input equal to entry `at` was chosen already; `seen` holds the inputs.
static bool known(json_t *seen, const entry *e)
{
    json_t *key = pj_jsontext_string(e->input);
    bool before = json_object_getn(seen, json_string_value(key), json_string_length(key));
    if (!before)
        json_object_setn_new(seen, json_string_value(key), json_string_length(key), json_true());
    json_decref(key);
    return before;
}

static json_t *choose(const pj_history *history, choice c, bool output)
{
    json_t *found = json_array(), *seen = json_object();
    for (size_t i = history->count; i-- > 0 && (json_int_t)json_array_size(found) < c.most;) {
        const entry *e = &history->entries[i];
        if (e->line < c.start || e->line >= c.stop || !pj_history_fits(c.pattern, e->input) ||
            (c.unique && known(seen, e)))
            continue;
        json_array_insert_new(found, 0, entry_json(e, output));
    }
    json_decref(seen);
    return found;
}

json_t *pj_history_answer(pj_history *history, const json_t *request)
{
    pthread_mutex_lock(&history->lock);
    json_t *found =
        choose(history, read_choice(history, request), pj_jsontext_flag(request, "output", false));
    pthread_mutex_unlock(&history->lock);
    return json_pack("{s:s, s:o}", "status", "ok", "history", found);
}
