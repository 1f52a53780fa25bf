// Where the cursor stands: in which call, at which argument.
// One pass over the tokens before the cursor, with a stack of open brackets.
#include "kernel/lua/lang_place.h"

#include "metrics/base/str.h"

enum { DEEPEST = 64 };

typedef struct bracket {
    char open;
    pj_str callee; // name before it, or that of the call around it
    pj_str owner;  // what the name belongs to
    bool method;   // the name stands behind a link
} bracket;

typedef struct scan {
    pj_lang_place place;
    bracket brackets[DEEPEST];
    unsigned depth;
    size_t chain_at, chain_end; // of the names and links before the token
    bool linked;                // the chain ends with '.' or ':'
    int index_depth;            // inside [ ] of a chain
    pj_str name;                // the last name, when nothing has come since
    pj_str owner;               // what that name belongs to
    bool method;                // that name stands behind a link
    pj_str option;              // a name followed by '='
    pj_token last;
} scan;

static void drop_chain(scan *s, size_t at)
{
    s->chain_at = s->chain_end = at;
    s->linked = false;
}

static void open_bracket(scan *s, char c)
{
    bracket b = {.callee = s->name, .owner = s->owner, .method = s->method};
    if (c == '{' && !s->name.len && s->depth)
        b = s->brackets[s->depth - 1];
    b.open = c;
    if (s->depth < DEEPEST)
        s->brackets[s->depth++] = b;
}

static bool is_open(pj_token token)
{
    return pj_token_is(token, "(") || pj_token_is(token, "{") || pj_token_is(token, "[");
}

static bool is_close(pj_token token)
{
    return pj_token_is(token, ")") || pj_token_is(token, "}") || pj_token_is(token, "]");
}

static bool is_link(pj_token token)
{
    return pj_token_is(token, ".") || pj_token_is(token, ":");
}

static void take_name(scan *s, pj_token token)
{
    bool member = s->linked && s->chain_end == token.at;
    s->method = is_link(s->last);
    s->owner = (pj_str){0};
    if (member)
        s->owner = (pj_str){s->place.before.at + s->chain_at, s->chain_end - s->chain_at - 1};
    else
        s->chain_at = token.at;
    s->chain_end = token.at + token.text.len;
    s->linked = false;
    s->name = token.text;
}

static void take_symbol(scan *s, pj_token token)
{
    size_t end = token.at + token.text.len;
    bool follows = s->chain_end == token.at && s->chain_end > s->chain_at;
    if (is_link(token) && follows) {
        s->linked = true;
        s->chain_end = end;
        return;
    }
    if (pj_token_is(token, "[") && follows)
        s->index_depth++;
    if (s->index_depth && follows) {
        s->chain_end = end;
        s->index_depth -= pj_token_is(token, "]");
    } else {
        drop_chain(s, end);
    }
    if (is_open(token))
        open_bracket(s, token.text.at[0]);
    else if (is_close(token) && s->depth)
        s->depth--;
    s->option = pj_token_is(token, "=") ? s->name : (pj_str){0};
    s->name = (pj_str){0};
}

static void take_value(scan *s, pj_token token)
{
    bool follows = s->index_depth && s->chain_end == token.at;
    if (follows)
        s->chain_end = token.at + token.text.len;
    else
        drop_chain(s, token.at + token.text.len);
    s->name = s->option = (pj_str){0};
}

/// The text of an open string; long brackets are left alone.
static void end_in_string(scan *s, pj_token token)
{
    s->place.in_string = true;
    s->place.word = pj_str_from(token.text, 1);
    if (s->name.len && s->last.kind == PJ_TOKEN_NAME) {
        s->place.callee = s->name;
        s->place.owner = s->owner;
        s->place.method = s->method;
    }
}

static void finish(scan *s)
{
    pj_lang_place *p = &s->place;
    if (s->depth) {
        const bracket *inner = &s->brackets[s->depth - 1];
        p->in_table = inner->open == '{';
        if (!p->callee.len) {
            p->callee = inner->callee;
            p->owner = inner->owner;
            p->method = inner->method;
        }
    }
    p->option = s->option;
}

/// The line of the cursor when it is a command.
static pj_str command_line(pj_str before)
{
    size_t newline = pj_str_find_last(before, '\n');
    pj_str line = pj_str_from(before, newline < before.len ? newline + 1 : 0);
    size_t percent = pj_str_find(line, '%');
    pj_str left = pj_str_trim(pj_str_head(line, percent));
    bool assigned = left.len && left.at[left.len - 1] == '=';
    if (percent == line.len || (left.len && !assigned))
        return (pj_str){0};
    return (pj_str){line.at + percent + 1, line.len - percent - 1};
}

static void end_in_command(pj_lang_place *p)
{
    size_t at = p->line.len;
    while (at > 0 && p->line.at[at - 1] != ' ' && p->line.at[at - 1] != '\t' &&
           p->line.at[at - 1] != '=')
        at--;
    p->word = pj_str_from(p->line, at);
}

/// Whether the token ends at the cursor and may go on there.
static bool is_word(const scan *s, pj_token token)
{
    bool name = token.kind == PJ_TOKEN_NAME || token.kind == PJ_TOKEN_KEYWORD;
    return name && token.at + token.text.len == s->place.before.len;
}

static bool step(scan *s, pj_token token)
{
    if (token.kind == PJ_TOKEN_END)
        return false;
    if (token.kind == PJ_TOKEN_COMMENT) {
        bool at_cursor = token.at + token.text.len == s->place.before.len;
        bool line = !pj_str_starts(token.text, PJ_S("--["));
        s->place.in_comment = token.unfinished || (at_cursor && line);
    } else if (token.kind == PJ_TOKEN_STRING && token.unfinished) {
        end_in_string(s, token);
    } else if (is_word(s, token)) {
        s->place.word = token.text;
        if (!s->linked || s->chain_end != token.at)
            drop_chain(s, token.at);
        return true; // the token before it stays the last
    } else if (token.kind == PJ_TOKEN_NAME) {
        take_name(s, token);
    } else if (token.kind == PJ_TOKEN_SYMBOL) {
        take_symbol(s, token);
    } else {
        take_value(s, token);
    }
    s->last = token;
    return true;
}

static bool is_name_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

pj_lang_place pj_lang_place_at(pj_str code, size_t cursor, bool whole)
{
    while (whole && cursor < code.len && is_name_char(code.at[cursor]))
        cursor++;
    scan s = {.place = {.before = pj_str_head(code, cursor)}};
    s.place.word = pj_str_from(s.place.before, s.place.before.len);
    s.place.line = command_line(s.place.before);
    if (s.place.line.at) {
        end_in_command(&s.place);
        return s.place;
    }
    pj_lexer lexer = pj_lexer_of(s.place.before);
    while (step(&s, pj_lexer_next(&lexer)))
        ;
    bool member = s.linked && s.chain_end + s.place.word.len == s.place.before.len;
    if (member && !s.place.in_string)
        s.place.chain = pj_str_head(pj_str_from(code, s.chain_at), s.chain_end - s.chain_at - 1);
    if (is_link(s.last) && !s.place.in_string)
        s.place.link = pj_token_is(s.last, ":") ? ':' : '.';
    finish(&s);
    return s.place;
}

static bool begins_point(char c)
{
    return ((unsigned char)c & 0xc0) != 0x80;
}

size_t pj_lang_place_byte(pj_str code, size_t point)
{
    size_t byte = 0;
    for (; byte < code.len; byte++)
        if (begins_point(code.at[byte]) && point-- == 0)
            break;
    return byte;
}

size_t pj_lang_place_points(pj_str text)
{
    size_t points = 0;
    for (size_t i = 0; i < text.len; i++)
        points += begins_point(text.at[i]);
    return points;
}
