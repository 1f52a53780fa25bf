// A small scanner of Lua 5.4.
#include "kernel/lua/lang_lex.h"

static const char *const keywords[] = {
    "and",      "break",  "do",   "else", "elseif", "end",   "false", "for",
    "function", "goto",   "if",   "in",   "local",  "nil",   "not",   "or",
    "repeat",   "return", "then", "true", "until",  "while",
};

const char *pj_lang_keyword(size_t index)
{
    return index < sizeof keywords / sizeof *keywords ? keywords[index] : NULL;
}

bool pj_token_is(pj_token token, const char *text)
{
    return token.kind != PJ_TOKEN_STRING && token.kind != PJ_TOKEN_COMMENT &&
           pj_str_equal(token.text, pj_str_of(text));
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static char peek(const pj_lexer *lexer, size_t ahead)
{
    size_t at = lexer->at + ahead;
    return at < lexer->code.len ? lexer->code.at[at] : 0;
}

static void advance(pj_lexer *lexer, size_t count)
{
    for (; count > 0 && lexer->at < lexer->code.len; count--)
        if (lexer->code.at[lexer->at++] == '\n')
            lexer->line++;
}

static void skip_space(pj_lexer *lexer)
{
    while (lexer->at < lexer->code.len) {
        char c = peek(lexer, 0);
        if (c != ' ' && c != '\t' && c != '\n' && c != '\r' && c != '\v' && c != '\f')
            return;
        advance(lexer, 1);
    }
}

/// Number of '=' of a long bracket that opens `ahead` characters on; -1 when there is none.
static int long_bracket(const pj_lexer *lexer, size_t ahead)
{
    if (peek(lexer, ahead) != '[')
        return -1;
    int level = 0;
    while (peek(lexer, ahead + 1 + (size_t)level) == '=')
        level++;
    return peek(lexer, ahead + 1 + (size_t)level) == '[' ? level : -1;
}

/// Moves past the end of a long bracket; false when it has none.
static bool skip_long(pj_lexer *lexer, int level)
{
    while (lexer->at < lexer->code.len) {
        int equals = 0;
        if (peek(lexer, 0) == ']') {
            while (equals < level && peek(lexer, 1 + (size_t)equals) == '=')
                equals++;
            if (equals == level && peek(lexer, 1 + (size_t)equals) == ']') {
                advance(lexer, 2 + (size_t)level);
                return true;
            }
        }
        advance(lexer, 1);
    }
    return false;
}

static bool skip_quoted(pj_lexer *lexer, char quote)
{
    advance(lexer, 1);
    while (lexer->at < lexer->code.len) {
        char c = peek(lexer, 0);
        if (c == '\n')
            return false;
        if (c == '\\' && peek(lexer, 1) == 'z') {
            advance(lexer, 2);
            skip_space(lexer);
            continue;
        }
        advance(lexer, c == '\\' ? 2 : 1);
        if (c == quote)
            return true;
    }
    return false;
}

/// True when the comment has an end; a short one ends with the line or the code.
static bool skip_comment(pj_lexer *lexer)
{
    int level = long_bracket(lexer, 2);
    if (level >= 0)
        return skip_long(lexer, level);
    while (lexer->at < lexer->code.len && peek(lexer, 0) != '\n')
        advance(lexer, 1);
    return true;
}

static void skip_number(pj_lexer *lexer)
{
    bool hex = peek(lexer, 0) == '0' && (peek(lexer, 1) == 'x' || peek(lexer, 1) == 'X');
    for (;;) {
        char c = peek(lexer, 0);
        bool exponent = hex ? c == 'p' || c == 'P' : c == 'e' || c == 'E';
        if (exponent && (peek(lexer, 1) == '+' || peek(lexer, 1) == '-'))
            advance(lexer, 2);
        else if (is_digit(c) || is_letter(c) || (c == '.' && peek(lexer, 1) != '.'))
            advance(lexer, 1);
        else
            return;
    }
}

static void skip_symbol(pj_lexer *lexer)
{
    static const char *const symbols[] = {
        "...", "..", "==", "~=", "<=", ">=", "//", "::", "<<", ">>"};
    pj_str rest = pj_str_from(lexer->code, lexer->at);
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++)
        if (pj_str_starts(rest, pj_str_of(symbols[i]))) {
            advance(lexer, strlen(symbols[i]));
            return;
        }
    advance(lexer, 1);
}

static bool is_one_of(pj_str text, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (pj_str_equal(text, pj_str_of(words[i])))
            return true;
    return false;
}

static int depth_change(pj_token token)
{
    static const char *const openers[] = {"(", "[", "{", "function", "if", "do", "repeat"};
    static const char *const closers[] = {")", "]", "}", "end", "until"};
    if (token.kind != PJ_TOKEN_SYMBOL && token.kind != PJ_TOKEN_KEYWORD)
        return 0;
    if (is_one_of(token.text, openers, sizeof openers / sizeof *openers))
        return 1;
    return is_one_of(token.text, closers, sizeof closers / sizeof *closers) ? -1 : 0;
}

static void scan(pj_lexer *lexer, pj_token *token)
{
    char c = peek(lexer, 0);
    int level = long_bracket(lexer, 0);
    if (c == '-' && peek(lexer, 1) == '-') {
        token->kind = PJ_TOKEN_COMMENT;
        token->unfinished = !skip_comment(lexer);
    } else if (c == '"' || c == '\'') {
        token->kind = PJ_TOKEN_STRING;
        token->unfinished = !skip_quoted(lexer, c);
    } else if (level >= 0) {
        token->kind = PJ_TOKEN_STRING;
        token->unfinished = !skip_long(lexer, level);
    } else if (is_digit(c) || (c == '.' && is_digit(peek(lexer, 1)))) {
        token->kind = PJ_TOKEN_NUMBER;
        skip_number(lexer);
    } else if (is_letter(c)) {
        while (is_letter(peek(lexer, 0)) || is_digit(peek(lexer, 0)))
            advance(lexer, 1);
        token->kind = PJ_TOKEN_NAME;
    } else {
        token->kind = PJ_TOKEN_SYMBOL;
        skip_symbol(lexer);
    }
}

pj_token pj_lexer_next(pj_lexer *lexer)
{
    skip_space(lexer);
    pj_token token = {.at = lexer->at, .line = lexer->line, .depth = lexer->depth};
    if (lexer->at >= lexer->code.len)
        return token;
    scan(lexer, &token);
    token.text = pj_str_head(pj_str_from(lexer->code, token.at), lexer->at - token.at);
    if (token.kind == PJ_TOKEN_NAME &&
        is_one_of(token.text, keywords, sizeof keywords / sizeof *keywords))
        token.kind = PJ_TOKEN_KEYWORD;
    token.depth = lexer->depth += depth_change(token);
    return token;
}

pj_token pj_lexer_next_code(pj_lexer *lexer)
{
    pj_token token = pj_lexer_next(lexer);
    while (token.kind == PJ_TOKEN_COMMENT)
        token = pj_lexer_next(lexer);
    return token;
}
