// Cutting a cell into statements and expressions.
// The cutter asks Lua's own compiler what a statement is; the scanner only proposes where to ask.
#include "kernel/lua/lang_cell.h"

#include "kernel/command/call.h"
#include "kernel/command/command.h"
#include "kernel/lua/lang_lex.h"
#include "metrics/base/arena.h"
#include "metrics/base/str.h"

#include <ctype.h>
#include <lauxlib.h>
#include <stdlib.h>

typedef enum fit { FITS, WANTS_MORE, WRONG } fit;

typedef struct pieces {
    pj_str text[2];
    unsigned next;
} pieces;

static const char *next_piece(lua_State *L, void *data, size_t *size)
{
    (void)L;
    pieces *p = data;
    while (p->next < 2) {
        pj_str text = p->text[p->next++];
        if (text.len) {
            *size = text.len;
            return text.at;
        }
    }
    return NULL;
}

static fit compile(lua_State *L, pj_str before, pj_str text)
{
    pieces p = {.text = {before, text}};
    int status = lua_load(L, next_piece, &p, "=cell", "t");
    fit result = status == LUA_OK ? FITS : WRONG;
    if (status != LUA_OK && lua_type(L, -1) == LUA_TSTRING) {
        pj_str message = pj_str_of(lua_tostring(L, -1));
        bool more =
            pj_str_ends(message, PJ_S("<eof>")) || pj_str_contains(message, PJ_S("visible label"));
        if (more && !pj_str_contains(message, PJ_S("unfinished string")))
            result = WANTS_MORE;
    }
    lua_pop(L, 1);
    return result;
}

/// Whether `text` is a statement or an expression; one that assigns is no expression.
static fit judge(lua_State *L, pj_str text, bool assigns, pj_statement_kind *kind)
{
    *kind = PJ_STATEMENT_EXPRESSION;
    fit expression = assigns ? WRONG : compile(L, PJ_S("return "), text);
    if (expression == FITS)
        return FITS;
    *kind = PJ_STATEMENT_CODE;
    fit code = compile(L, PJ_S(""), text);
    return code == WRONG && expression == WANTS_MORE ? WANTS_MORE : code;
}

static pj_str between(pj_str code, size_t from, size_t to)
{
    return (pj_str){code.at + from, to - from};
}

static bool is_among(pj_token token, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (pj_token_is(token, words[i]))
            return true;
    return false;
}

/// A token that only continues what stands before it.
static bool cannot_begin(pj_token token)
{
    static const char *const words[] = {
        ".",  "..",  ":",  "+",    "*",    "/",      "//",  "^",     "&",  "|", "<<",
        ">>", "==",  "~=", "<",    "<=",   ">",      ">=",  "=",     ",",  ")", "]",
        "}",  "and", "or", "then", "else", "elseif", "end", "until", "in",
    };
    return is_among(token, words, sizeof words / sizeof *words);
}

/// Whether a statement may end with the token: no operator waits behind it. Keeps the cut linear:
/// only such places are compiled.
static bool may_end(pj_token token)
{
    static const char *const words[] = {
        ")", "]", "}", ";", "...", "::", "end", "nil", "true", "false", "break", "return"};
    return token.kind == PJ_TOKEN_NAME || token.kind == PJ_TOKEN_NUMBER ||
           token.kind == PJ_TOKEN_STRING || is_among(token, words, sizeof words / sizeof *words);
}

/// A token that begins an expression and never continues one.
static bool only_begins(pj_token token)
{
    static const char *const words[] = {"nil", "true", "false", "function", "not", "#"};
    return token.kind == PJ_TOKEN_NAME || token.kind == PJ_TOKEN_NUMBER ||
           is_among(token, words, sizeof words / sizeof *words);
}

static pj_statement *add(pj_lang_cell *cell, pj_statement statement)
{
    pj_grow(cell->items, &cell->cap, cell->count + 1);
    cell->items[cell->count] = statement;
    return &cell->items[cell->count++];
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_name_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_';
}

static bool all_of(pj_str text, const char *others)
{
    for (size_t i = 0; i < text.len; i++)
        if (!is_name_char(text.at[i]) && !strchr(others, text.at[i]))
            return false;
    return text.len > 0;
}

/// "m", "local m", "t.x", "t[1]".
static bool is_target(pj_str text)
{
    return all_of(text, " .[]\"'") && is_name_char(text.at[0]) && !is_digit(text.at[0]);
}

/// "... as m" at the end of a command: takes it off and gives the name.
static pj_str cut_target(pj_str *command)
{
    size_t at = command->len;
    while (at > 0 && is_name_char(command->at[at - 1]))
        at--;
    pj_str name = pj_str_from(*command, at);
    pj_str before = pj_str_trim(pj_str_head(*command, at));
    bool is_name = name.len && !is_digit(name.at[0]);
    if (!is_name || !pj_str_ends(before, PJ_S(" as")) || before.len + 1 > at)
        return (pj_str){0};
    *command = pj_str_trim(pj_str_head(before, before.len - 3));
    return name;
}

static pj_str without_semicolons(pj_str text)
{
    while (text.len && (text.at[text.len - 1] == ';' || text.at[text.len - 1] == ' '))
        text.len--;
    return text;
}

/// The command behind the '%', or behind the space where that stands.
static void take_command(pj_str text, pj_statement *statement)
{
    statement->kind = PJ_STATEMENT_COMMAND;
    statement->quiet = pj_str_ends(text, PJ_S(";"));
    statement->text = without_semicolons(pj_str_trim(pj_str_from(text, 1)));
}

/// Length of what makes the rest of a line a command: '%', or the program's name where a line of
/// the shell was pasted, which is no Lua.
static size_t command_mark(pj_str text)
{
    static const pj_str program = {"popinjay ", 9};
    if (text.len > 1 && text.at[0] == '%' && text.at[1] != '%')
        return 1;
    return text.len > program.len && pj_str_starts(text, program) &&
                   (isalpha((unsigned char)text.at[program.len]) || text.at[program.len] == '-')
               ? program.len
               : 0;
}

/// A line that is a command or asks for help; it begins at `statement->at`.
static bool special_line(pj_str line, pj_statement *statement)
{
    pj_str text = pj_str_trim(line);
    size_t mark = command_mark(text);
    if (mark) {
        take_command(pj_str_from(text, mark - 1), statement);
        statement->target = cut_target(&statement->text);
        statement->shown = !statement->quiet;
        return true;
    }
    size_t equals = pj_str_find(text, '=');
    pj_str value = pj_str_trim(pj_str_from(text, equals + 1));
    pj_str target = pj_str_trim(pj_str_head(text, equals));
    if (value.len > 1 && value.at[0] == '%' && is_target(target)) {
        take_command(value, statement);
        statement->target = target;
        return true;
    }
    if (pj_str_equal(text, PJ_S("?"))) {
        statement->kind = PJ_STATEMENT_COMMAND;
        statement->text = PJ_S("help");
        return true;
    }
    bool before = text.len > 1 && text.at[0] == '?';
    bool after = text.len > 1 && text.at[text.len - 1] == '?';
    if (!before && !after)
        return false;
    while (text.len && text.at[0] == '?')
        text = pj_str_trim(pj_str_from(text, 1));
    while (text.len && text.at[text.len - 1] == '?')
        text = pj_str_head(text, text.len - 1);
    statement->kind = PJ_STATEMENT_HELP;
    statement->text = text;
    return all_of(text, ".:-%");
}

/// A line at the cell's beginning may take all below it: what no line of words says, that text
/// does.
static bool takes_body(const pj_statement *statement, pj_str before, pj_str below)
{
    pj_param body;
    if (statement->kind != PJ_STATEMENT_COMMAND || pj_str_trim(before).len ||
        !pj_str_trim(below).len)
        return false;
    pj_str line = statement->text;
    size_t blank = pj_str_find(line, ' ');
    const pj_command *command = pj_command_find(pj_str_head(line, blank), PJ_IN_LUA);
    if (!command || !pj_command_body(command, &body))
        return false;
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_texts words = {0};
    bool leaves = pj_call_split(pj_str_from(line, blank), arena, &words, NULL) &&
                  pj_call_leaves_places(command, words.count, words.items);
    free(words.items);
    return leaves;
}

static bool take_special(pj_lang_cell *cell, pj_lexer *lexer, size_t at)
{
    pj_str code = lexer->code;
    size_t begin = at;
    while (begin > 0 && code.at[begin - 1] != '\n')
        begin--;
    if (pj_str_trim(between(code, begin, at)).len > 0)
        return false;
    size_t end = at + pj_str_find(pj_str_from(code, at), '\n');
    pj_statement statement = {.at = at, .end = end};
    if (!special_line(between(code, at, end), &statement))
        return false;
    statement.end = at + pj_str_trim(between(code, at, end)).len;
    if (takes_body(&statement, pj_str_head(code, at), pj_str_from(code, end))) {
        statement.body = pj_str_from(code, end + 1);
        statement.end = end = code.len;
    }
    add(cell, statement);
    cell->lined = true;
    lexer->at = end;
    lexer->depth = 0;
    return true;
}

/// One statement from `first` on; the lexer ends up behind it.
static bool take_statement(lua_State *L, pj_lang_cell *cell, pj_lexer *lexer, pj_token first)
{
    pj_str code = lexer->code;
    fit so_far = WANTS_MORE;
    pj_token last = first;
    bool assigns = false;
    for (;;) {
        size_t end = last.at + last.text.len;
        pj_lexer here = *lexer;
        pj_token next = pj_lexer_next_code(lexer);
        bool done = next.kind == PJ_TOKEN_END;
        assigns = assigns || (last.depth == 0 && pj_token_is(last, "="));
        bool semicolon = pj_token_is(last, ";") && !pj_token_is(next, ";");
        if (done || (last.depth <= 0 && may_end(last) &&
                     (semicolon || (next.line > here.line && !cannot_begin(next))))) {
            pj_statement s = {.at = first.at, .end = end, .quiet = semicolon};
            s.text = between(code, first.at, end);
            so_far = judge(L, s.text, assigns, &s.kind);
            if (so_far == FITS) {
                *lexer = here;
                lexer->depth = 0;
                add(cell, s);
                return true;
            }
        }
        if (done || so_far == WRONG) {
            pj_str rest = pj_str_from(code, first.at);
            add(cell,
                (pj_statement){
                    .kind = PJ_STATEMENT_BROKEN, .text = rest, .at = first.at, .end = code.len});
            cell->incomplete = so_far == WANTS_MORE;
            return false;
        }
        last = next;
    }
}

/// "x = 1 m": the last statement may begin in the middle of a line.
static void split_last(lua_State *L, pj_lang_cell *cell, pj_str code)
{
    if (!cell->count)
        return;
    pj_statement whole = cell->items[cell->count - 1];
    if (whole.kind != PJ_STATEMENT_CODE && whole.kind != PJ_STATEMENT_BROKEN)
        return;
    pj_lexer lexer = pj_lexer_of(code);
    lexer.at = whole.at;
    pj_token last = pj_lexer_next_code(&lexer);
    for (;;) {
        pj_token next = pj_lexer_next_code(&lexer);
        if (next.kind == PJ_TOKEN_END || next.at >= whole.end)
            return;
        pj_str head = between(code, whole.at, last.at + last.text.len);
        pj_str tail = between(code, next.at, whole.end);
        bool possible =
            last.depth == 0 && may_end(last) && only_begins(next) && !pj_token_is(last, "return");
        // The tail first: the compiler leaves it at its first error, the head it reads whole.
        if (possible && compile(L, PJ_S("return "), tail) == FITS &&
            compile(L, PJ_S(""), head) == FITS) {
            cell->items[cell->count - 1] =
                (pj_statement){.text = head, .at = whole.at, .end = last.at + last.text.len};
            add(cell, (pj_statement){.kind = PJ_STATEMENT_EXPRESSION,
                                     .text = tail,
                                     .at = next.at,
                                     .end = whole.end,
                                     .quiet = pj_str_ends(tail, PJ_S(";"))});
            cell->incomplete = false;
            return;
        }
        last = next;
    }
}

/// Values in the middle of the cell would be lost.
static void note_values(lua_State *L, pj_lang_cell *cell)
{
    for (size_t i = 0; i + 1 < cell->count; i++) {
        pj_statement *s = &cell->items[i];
        if (s->kind != PJ_STATEMENT_EXPRESSION || s->quiet)
            continue;
        s->call = compile(L, PJ_S(""), s->text) == FITS;
        cell->lined = true;
    }
}

/// Lines that hold a bracket or block still open at the end: levels of indentation. A comment
/// without its end wants more.
static int open_lines(pj_str code, bool *wants_more)
{
    enum { DEEPEST = 64 };
    unsigned opened[DEEPEST] = {0};
    pj_lexer lexer = pj_lexer_of(code);
    int depth = 0, lines = 0;
    for (pj_token t = pj_lexer_next(&lexer); t.kind != PJ_TOKEN_END; t = pj_lexer_next(&lexer)) {
        if (t.depth > depth && depth < DEEPEST && depth >= 0)
            opened[depth] = t.line;
        depth = t.depth;
        *wants_more |= t.kind == PJ_TOKEN_COMMENT && t.unfinished;
    }
    for (int i = 0; i < depth && i < DEEPEST; i++)
        lines += i == 0 || opened[i] != opened[i - 1];
    return lines;
}

void pj_lang_cell_cut(lua_State *L, pj_str code, pj_lang_cell *out)
{
    *out = (pj_lang_cell){0};
    pj_lexer lexer = pj_lexer_of(code);
    for (;;) {
        pj_token first = pj_lexer_next_code(&lexer);
        if (first.kind == PJ_TOKEN_END)
            break;
        if (!take_special(out, &lexer, first.at) && !take_statement(L, out, &lexer, first))
            break;
    }
    split_last(L, out, code);
    note_values(L, out);
    out->depth = open_lines(code, &out->incomplete);
}

static void add_quoted(pj_buf *out, pj_str text)
{
    pj_buf_add_char(out, '"');
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.at[i];
        if (c == '"' || c == '\\' || c < 32)
            pj_buf_addf(out, "\\%03u", c);
        else
            pj_buf_add_char(out, (char)c);
    }
    pj_buf_add_char(out, '"');
}

static void add_command(pj_buf *out, const pj_statement *s, bool last)
{
    bool assigned = s->target.len > 0;
    if (assigned) {
        pj_buf_add(out, s->target);
        pj_buf_puts(out, " = ");
    }
    // A line in the middle shows its value itself; an assignment shows nothing.
    bool shows = !last && s->shown;
    pj_buf_puts(out, shows ? "__lines['%display'](" : "__lines['%'](");
    add_quoted(out, s->text);
    if (s->body.len) {
        pj_buf_puts(out, ", ");
        add_quoted(out, s->body);
    }
    pj_buf_puts(out, ")");
    if (assigned && last && s->shown) {
        pj_buf_puts(out, "; do return ");
        pj_buf_add(out, s->target);
        pj_buf_puts(out, " end");
    }
}

/// A `return` inside the scope of a variable to be closed is no tail call, so that the cell's own
/// line stays in tracebacks.
#define RETURN_BEGIN "do local __cell <close> = nil return "
#define RETURN_END " end"

/// With `last` the value is the cell's, with `shown` it is shown.
static void add_expression(pj_buf *out, const pj_statement *s, bool last, bool shown)
{
    if (shown)
        pj_buf_puts(out, s->call ? "__lines['%made'](" : "__lines['%value'](");
    else
        pj_buf_puts(out, last ? RETURN_BEGIN : "do local __cell = ");
    pj_buf_add(out, without_semicolons(s->text));
    pj_buf_puts(out, shown ? ");" : RETURN_END ";");
}

/// `final` is the last statement; of a `valued` cell its value is wanted.
static void add_statement(pj_buf *out, const pj_statement *s, bool final, bool valued)
{
    bool last = final && valued;
    switch (s->kind) {
    case PJ_STATEMENT_CODE:
        pj_buf_add(out, s->text);
        pj_buf_puts(out, final || s->quiet ? "" : ";");
        return;
    case PJ_STATEMENT_EXPRESSION:
        add_expression(out, s, last && !s->quiet, valued && !final && !s->quiet);
        return;
    case PJ_STATEMENT_COMMAND:
        last = last && !s->quiet;
        if (last && !s->target.len)
            pj_buf_puts(out, RETURN_BEGIN);
        add_command(out, s, last);
        if (last && !s->target.len)
            pj_buf_puts(out, RETURN_END);
        pj_buf_puts(out, ";");
        return;
    case PJ_STATEMENT_HELP:
        pj_buf_puts(out, "__lines['?'](");
        add_quoted(out, s->text);
        pj_buf_puts(out, ");");
        return;
    case PJ_STATEMENT_BROKEN:
        pj_buf_add(out, s->text);
        return;
    }
}

void pj_lang_cell_program(const pj_lang_cell *cell, pj_str code, bool valued, pj_buf *out)
{
    size_t at = 0;
    // An argument around the cell, no global: a cell may put any metatable on its globals. What is
    // broken is compiled as it is, for its error.
    bool broken = cell->count && cell->items[cell->count - 1].kind == PJ_STATEMENT_BROKEN;
    bool wrapped = cell->lined && !broken;
    pj_buf_puts(out, wrapped ? "local __lines = ...; return function(...) " : "");
    for (size_t i = 0; i < cell->count; i++) {
        const pj_statement *s = &cell->items[i];
        pj_buf_add(out, between(code, at, s->at));
        bool final = i + 1 == cell->count;
        add_statement(out, s, final, valued);
        at = s->end;
    }
    pj_buf_puts(out, wrapped ? " end" : "");
    pj_buf_add(out, pj_str_from(code, at));
}

void pj_lang_cell_free(pj_lang_cell *cell)
{
    free(cell->items);
    *cell = (pj_lang_cell){0};
}
