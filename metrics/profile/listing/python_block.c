// Finds the end of a block of Python by indentation: strings, brackets and backslashes carry a line
// on, comments that are indented as the body belong to it.
#include "metrics/profile/listing/python_block.h"

#include "metrics/base/str.h"

/// What the end of a line carries on into the next one.
typedef struct carry {
    char quote;  // of an open string; 0 = none
    bool triple; // three of them
    size_t brackets;
    bool backslash;
} carry;

static bool is_open(const carry *state)
{
    return state->quote || state->brackets || state->backslash;
}

/// Takes a string off the line, or what there is of it.
static size_t skip_string(pj_str line, size_t at, carry *state)
{
    size_t quotes = state->triple ? 3 : 1;
    for (; at < line.len; at++) {
        if (line.at[at] == '\\') {
            at++;
            continue;
        }
        size_t same = 0;
        while (same < quotes && at + same < line.len && line.at[at + same] == state->quote)
            same++;
        if (same == quotes) {
            state->quote = 0;
            return at + quotes;
        }
    }
    bool goes_on = state->triple || (line.len && line.at[line.len - 1] == '\\');
    if (!goes_on)
        state->quote = 0; // a mistake in the source
    return line.len;
}

/// Goes over a line from `at`.
static void scan_line(pj_str line, size_t at, carry *state)
{
    state->backslash = false;
    while (at < line.len) {
        char c = line.at[at];
        if (state->quote) {
            at = skip_string(line, at, state);
            continue;
        }
        if (c == '#')
            return;
        if (c == '\'' || c == '"') {
            char three[] = {c, c, c};
            state->quote = c;
            state->triple = pj_str_starts(pj_str_from(line, at), (pj_str){three, 3});
            at += state->triple ? 3 : 1;
            continue;
        }
        if (c == '(' || c == '[' || c == '{')
            state->brackets++;
        else if ((c == ')' || c == ']' || c == '}') && state->brackets)
            state->brackets--;
        state->backslash = c == '\\' && at + 1 == line.len;
        at++;
    }
}

/// Column of the first byte that is not blank; tabs go to the next multiple of 8.
static size_t indent_of(pj_str line, size_t *first)
{
    size_t column = 0, at = 0;
    for (; at < line.len; at++)
        if (line.at[at] == '\t')
            column = (column / 8 + 1) * 8;
        else if (line.at[at] == ' ')
            column++;
        else
            break;
    *first = at;
    return column;
}

typedef struct block {
    bool started;  // the line of def or class has come
    bool has_body; // lines further right have come
    size_t column, body;
    size_t lines; // that belong to it for sure
} block;

static bool begins(pj_str text, const char *word)
{
    size_t len = strlen(word);
    return pj_str_starts(text, pj_str_of(word)) &&
           (text.len == len || text.at[len] == ' ' || text.at[len] == '\t' || text.at[len] == ':');
}

/// Begins a logical line; false when the block has ended before it.
static bool begin_line(block *at, pj_str text, size_t column)
{
    if (!at->started) {
        at->started = begins(text, "def") || begins(text, "class") || begins(text, "async") ||
                      !pj_str_starts(text, PJ_S("@"));
        at->column = column;
        return true;
    }
    if (column <= at->column)
        return false;
    if (!at->has_body)
        at->body = column;
    at->has_body = true;
    return true;
}

size_t pj_python_block(pj_str source)
{
    block at = {.started = false};
    carry state = {.quote = 0};
    size_t line_number = 0;
    while (source.len) {
        size_t first = 0, end = pj_str_find(source, '\n');
        pj_str line = pj_str_head(source, end);
        source = pj_str_from(source, end + 1);
        line_number++;
        if (pj_str_ends(line, PJ_S("\r")))
            line.len--;
        bool carried = is_open(&state);
        size_t column = indent_of(line, &first);
        bool comment = first < line.len && line.at[first] == '#';
        if (!carried && (first == line.len || comment)) {
            if (comment && at.has_body && column >= at.body)
                at.lines = line_number;
            continue;
        }
        if (!carried && !begin_line(&at, pj_str_from(line, first), column))
            break;
        scan_line(line, carried ? 0 : first, &state);
        if (!is_open(&state))
            at.lines = line_number;
    }
    return at.lines ? at.lines : line_number > 0;
}
