// Tokens of Lua, enough to find where statements may end and what stands at the cursor. Never
// fails: what is unfinished is marked. Ownership: borrow - tokens are views of the code.
#ifndef PJ_LANG_LEX_H
#define PJ_LANG_LEX_H

#include "metrics/base/str.h"

typedef enum pj_token_kind {
    PJ_TOKEN_END,
    PJ_TOKEN_NAME,
    PJ_TOKEN_KEYWORD,
    PJ_TOKEN_NUMBER,
    PJ_TOKEN_STRING,
    PJ_TOKEN_SYMBOL,
    PJ_TOKEN_COMMENT,
} pj_token_kind;

typedef struct pj_token {
    pj_token_kind kind;
    bool unfinished; // string or comment without its end
    pj_str text;     // with quotes or brackets
    size_t at;       // offset in the code
    unsigned line;   // of its first character, from 1
    int depth;       // open brackets and blocks after it; negative when too many are closed
} pj_token;

typedef struct pj_lexer {
    pj_str code;
    size_t at;
    unsigned line;
    int depth;
} pj_lexer;

static inline pj_lexer pj_lexer_of(pj_str code)
{
    return (pj_lexer){.code = code, .line = 1};
}

/// The next token, comments included.
pj_token pj_lexer_next(pj_lexer *lexer);
/// The next token that is no comment.
pj_token pj_lexer_next_code(pj_lexer *lexer);
bool pj_token_is(pj_token token, const char *text);
/// Keywords of Lua in alphabetical order; NULL past the end.
const char *pj_lang_keyword(size_t index);

#endif
