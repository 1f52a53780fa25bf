// find, match, gmatch and gsub of the string library (Lua 5.4 manual, 6.4.1). A pattern may take
// time without end: this matcher looks at the interrupt every so many steps, Lua's own does not.
#include "kernel/lua/lang_state.h"
#include "metrics/base/str.h"

#include <ctype.h>

enum { STEPS = 100000, DEEPEST = 200, CAPTURES = 32 };

typedef enum capture_state { OPEN, CLOSED, POSITION } capture_state;

typedef struct capture {
    const char *at;
    size_t len;
    capture_state state;
} capture;

typedef struct matcher {
    lua_State *L;
    const char *text, *end;
    const char *pattern_end;
    unsigned steps; // left until it looks
    int depth;      // left
    int count;      // of captures
    capture captures[CAPTURES];
} matcher;

static const char *match(matcher *m, const char *at, const char *p);

static void step(matcher *m)
{
    if (--m->steps)
        return;
    m->steps = STEPS;
    pj_lang_guard_look(m->L);
}

static int code_of(const char *at)
{
    return (unsigned char)*at;
}

// Single characters

/// Behind the item that begins at `p`: a character, a class, a set.
static const char *item_end(matcher *m, const char *p)
{
    char first = *p++;
    if (first == '%') {
        if (p == m->pattern_end)
            luaL_error(m->L, "malformed pattern (ends with '%%')");
        return p + 1;
    }
    if (first != '[')
        return p;
    p += p < m->pattern_end && *p == '^';
    for (bool begin = true; begin || *p != ']' || p == m->pattern_end; begin = false) {
        if (p == m->pattern_end)
            luaL_error(m->L, "malformed pattern (missing ']')");
        p += *p == '%' && p + 1 < m->pattern_end ? 2 : 1;
    }
    return p + 1;
}

static bool in_class(int c, int class)
{
    bool in;
    switch (tolower(class)) {
    case 'a':
        in = isalpha(c);
        break;
    case 'c':
        in = iscntrl(c);
        break;
    case 'd':
        in = isdigit(c);
        break;
    case 'g':
        in = isgraph(c);
        break;
    case 'l':
        in = islower(c);
        break;
    case 'p':
        in = ispunct(c);
        break;
    case 's':
        in = isspace(c);
        break;
    case 'u':
        in = isupper(c);
        break;
    case 'w':
        in = isalnum(c);
        break;
    case 'x':
        in = isxdigit(c);
        break;
    case 'z':
        in = c == 0;
        break;
    default:
        return class == c;
    }
    return in != (isupper(class) != 0);
}

/// `set` is at '[', `last` at the ']' that ends it.
static bool in_set(int c, const char *set, const char *last)
{
    const char *p = set + 1;
    bool negated = *p == '^';
    for (p += negated; p < last; p++) {
        if (*p == '%') {
            p++;
            if (in_class(c, code_of(p)))
                return !negated;
        } else if (p[1] == '-' && p + 2 < last) {
            if (code_of(p) <= c && c <= code_of(p + 2))
                return !negated;
            p += 2;
        } else if (code_of(p) == c) {
            return !negated;
        }
    }
    return negated;
}

/// Whether the character at `at` is one of the item [p, behind).
static bool fits(const matcher *m, const char *at, const char *p, const char *behind)
{
    if (at == m->end)
        return false;
    switch (*p) {
    case '.':
        return true;
    case '%':
        return in_class(code_of(at), code_of(p + 1));
    case '[':
        return in_set(code_of(at), p, behind - 1);
    default:
        return *p == *at;
    }
}

// Parts of patterns: each gives the end of the match of all that follows, or NULL

/// As many as there are, then fewer and fewer.
static const char *most(matcher *m, const char *at, const char *p, const char *behind)
{
    const char *to = at;
    for (; fits(m, to, p, behind); to++)
        step(m);
    for (; to >= at; to--) {
        const char *end = match(m, to, behind + 1);
        if (end)
            return end;
    }
    return NULL;
}

/// None, then more and more.
static const char *fewest(matcher *m, const char *at, const char *p, const char *behind)
{
    for (;; at++) {
        const char *end = match(m, at, behind + 1);
        if (end)
            return end;
        if (!fits(m, at, p, behind))
            return NULL;
    }
}

static const char *open_capture(matcher *m, const char *at, const char *p, capture_state state)
{
    if (m->count == CAPTURES)
        luaL_error(m->L, "too many captures");
    m->captures[m->count++] = (capture){.at = at, .state = state};
    const char *end = match(m, at, p);
    if (!end)
        m->count--;
    return end;
}

static const char *close_capture(matcher *m, const char *at, const char *p)
{
    int last = m->count - 1;
    while (last >= 0 && m->captures[last].state != OPEN)
        last--;
    if (last < 0)
        luaL_error(m->L, "invalid pattern capture");
    capture *c = &m->captures[last];
    c->len = (size_t)(at - c->at);
    c->state = CLOSED;
    const char *end = match(m, at, p);
    if (!end)
        c->state = OPEN;
    return end;
}

/// Behind the text of a capture that stands here again; `digit` names it.
static const char *repeat_capture(const matcher *m, const char *at, int digit)
{
    int i = digit - '1';
    if (i < 0 || i >= m->count || m->captures[i].state == OPEN)
        luaL_error(m->L, "invalid capture index %%%d", i + 1);
    const capture *c = &m->captures[i];
    // A position is longer than any text.
    bool same =
        c->state == CLOSED && (size_t)(m->end - at) >= c->len && memcmp(c->at, at, c->len) == 0;
    return same ? at + c->len : NULL;
}

/// %bxy: behind the balanced text that begins here.
static const char *balance(matcher *m, const char *at, const char *p)
{
    if (p + 1 >= m->pattern_end)
        luaL_error(m->L, "malformed pattern (missing arguments to '%%b')");
    if (at == m->end || *at != p[0])
        return NULL;
    size_t depth = 1;
    while (++at < m->end) {
        step(m);
        if (*at == p[1] && --depth == 0)
            return at + 1;
        depth += *at == p[0] && *at != p[1];
    }
    return NULL;
}

/// %f[set]: behind the set when the border between others and its characters is here.
static const char *frontier(matcher *m, const char *at, const char *p)
{
    if (*p != '[')
        luaL_error(m->L, "missing '[' after '%%f' in pattern");
    const char *behind = item_end(m, p);
    int before = at == m->text ? 0 : code_of(at - 1), here = at == m->end ? 0 : code_of(at);
    bool border = !in_set(before, p, behind - 1) && in_set(here, p, behind - 1);
    return border ? behind : NULL;
}

/// %b, %f and %1 to %9, which go on with the pattern: false when there is none of them at `*p`.
/// `*at` becomes NULL when it does not fit.
static bool special(matcher *m, const char **at, const char **p)
{
    int letter = code_of(*p + 1);
    if (**p != '%' || (letter != 'b' && letter != 'f' && !isdigit(letter)))
        return false;
    if (letter == 'f') {
        *p = frontier(m, *at, *p + 2);
        *at = *p ? *at : NULL;
    } else if (letter == 'b') {
        *at = balance(m, *at, *p + 2);
        *p += 4;
    } else {
        *at = repeat_capture(m, *at, letter);
        *p += 2;
    }
    return true;
}

static const char *match_rest(matcher *m, const char *at, const char *p)
{
    while (p != m->pattern_end) {
        step(m);
        if (*p == '(')
            return p[1] == ')' ? open_capture(m, at, p + 2, POSITION)
                               : open_capture(m, at, p + 1, OPEN);
        if (*p == ')')
            return close_capture(m, at, p + 1);
        if (*p == '$' && p + 1 == m->pattern_end)
            return at == m->end ? at : NULL;
        if (special(m, &at, &p)) {
            if (!at)
                return NULL;
            continue;
        }
        const char *behind = item_end(m, p), *end;
        switch (behind == m->pattern_end ? 0 : *behind) {
        case '*':
            return most(m, at, p, behind);
        case '+':
            return fits(m, at, p, behind) ? most(m, at + 1, p, behind) : NULL;
        case '-':
            return fewest(m, at, p, behind);
        case '?':
            if (fits(m, at, p, behind) && (end = match(m, at + 1, behind + 1)))
                return end;
            p = behind + 1;
            break;
        default:
            if (!fits(m, at, p, behind))
                return NULL;
            at++;
            p = behind;
        }
    }
    return at;
}

/// The end of the match of the pattern from `p` on that begins at `at`; NULL = none.
static const char *match(matcher *m, const char *at, const char *p)
{
    if (m->depth-- == 0)
        luaL_error(m->L, "pattern too complex");
    const char *end = match_rest(m, at, p);
    m->depth++;
    return end;
}

static const char *match_at(matcher *m, const char *at, const char *pattern)
{
    m->depth = DEEPEST;
    m->count = 0;
    step(m);
    return match(m, at, pattern);
}

// Results

/// A capture, or the whole match in the place of the first when there are none.
static void push_capture(const matcher *m, int i, const char *at, const char *end)
{
    if (i >= m->count) {
        if (i > 0)
            luaL_error(m->L, "invalid capture index %%%d", i + 1);
        lua_pushlstring(m->L, at, (size_t)(end - at));
        return;
    }
    const capture *c = &m->captures[i];
    if (c->state == OPEN)
        luaL_error(m->L, "unfinished capture");
    if (c->state == POSITION)
        lua_pushinteger(m->L, c->at - m->text + 1);
    else
        lua_pushlstring(m->L, c->at, c->len);
}

/// `at` NULL = captures only.
static int push_captures(const matcher *m, const char *at, const char *end)
{
    int count = m->count == 0 && at ? 1 : m->count;
    luaL_checkstack(m->L, count, "too many captures");
    for (int i = 0; i < count; i++)
        push_capture(m, i, at, end);
    return count;
}

static matcher matcher_of(lua_State *L, pj_str text, pj_str pattern)
{
    return (matcher){.L = L,
                     .text = text.at,
                     .end = text.at + text.len,
                     .pattern_end = pattern.at + pattern.len,
                     .steps = STEPS};
}

static pj_str text_at(lua_State *L, int index)
{
    pj_str text;
    text.at = luaL_checklstring(L, index, &text.len);
    return text;
}

/// Where the search begins: places count from 1, or back from the end. Above the length there is
/// no such place.
static size_t start_at(lua_State *L, int index, size_t len)
{
    lua_Integer start = luaL_optinteger(L, index, 1);
    if (start > 0)
        return (size_t)start - 1;
    if (start == 0 || start < -(lua_Integer)len)
        return 0;
    return len + (size_t)start;
}

static bool is_plain(pj_str pattern)
{
    for (size_t i = 0; i < pattern.len; i++)
        if (pattern.at[i] && strchr("^$*+?.([%-", pattern.at[i]))
            return false;
    return true;
}

static int find_plain(lua_State *L, pj_str text, size_t start, pj_str wanted)
{
    const char *at = memmem(text.at + start, text.len - start, wanted.at, wanted.len);
    if (!at) {
        luaL_pushfail(L);
        return 1;
    }
    lua_pushinteger(L, at - text.at + 1);
    lua_pushinteger(L, at - text.at + (lua_Integer)wanted.len);
    return 2;
}

static int search(lua_State *L, bool places)
{
    pj_str text = text_at(L, 1), pattern = text_at(L, 2);
    size_t start = start_at(L, 3, text.len);
    if (start > text.len) {
        luaL_pushfail(L);
        return 1;
    }
    if (places && (lua_toboolean(L, 4) || is_plain(pattern)))
        return find_plain(L, text, start, pattern);
    matcher m = matcher_of(L, text, pattern);
    bool anchored = pj_str_starts(pattern, PJ_S("^"));
    const char *at = text.at + start, *end;
    do {
        end = match_at(&m, at, pattern.at + anchored);
    } while (!end && at++ < m.end && !anchored);
    if (!end) {
        luaL_pushfail(L);
        return 1;
    }
    if (!places)
        return push_captures(&m, at, end);
    lua_pushinteger(L, at - text.at + 1);
    lua_pushinteger(L, end - text.at);
    return push_captures(&m, NULL, NULL) + 2;
}

static int find(lua_State *L)
{
    return search(L, true);
}

static int match_once(lua_State *L)
{
    return search(L, false);
}

/// The iterator of gmatch; upvalues: text, pattern, where to go on, where the last match ended.
static int match_next(lua_State *L)
{
    enum { TEXT = 1, PATTERN, NEXT, LAST };
    pj_str text = text_at(L, lua_upvalueindex(TEXT)),
           pattern = text_at(L, lua_upvalueindex(PATTERN));
    lua_Integer last = lua_tointeger(L, lua_upvalueindex(LAST));
    matcher m = matcher_of(L, text, pattern);
    for (size_t next = (size_t)lua_tointeger(L, lua_upvalueindex(NEXT)); next <= text.len; next++) {
        const char *at = text.at + next, *end = match_at(&m, at, pattern.at);
        if (!end || end - text.at == last)
            continue;
        lua_pushinteger(L, end - text.at);
        lua_copy(L, -1, lua_upvalueindex(NEXT));
        lua_replace(L, lua_upvalueindex(LAST));
        return push_captures(&m, at, end);
    }
    return 0;
}

static int match_all(lua_State *L)
{
    pj_str text = text_at(L, 1);
    text_at(L, 2);
    size_t start = start_at(L, 3, text.len);
    lua_settop(L, 2);
    lua_pushinteger(L, (lua_Integer)(start > text.len ? text.len + 1 : start));
    lua_pushinteger(L, -1);
    lua_pushcclosure(L, match_next, 4);
    return 1;
}

// Replacing

/// Adds the text of argument 3 with its %0 to %9.
static void add_template(const matcher *m, luaL_Buffer *out, const char *at, const char *end)
{
    pj_str rest;
    rest.at = lua_tolstring(m->L, 3, &rest.len);
    while (rest.len) {
        size_t plain = pj_str_find(rest, '%');
        luaL_addlstring(out, rest.at, plain);
        if (plain == rest.len)
            return;
        rest = pj_str_from(rest, plain + 1);
        int c = rest.len ? code_of(rest.at) : 0;
        if (c == '%') {
            luaL_addchar(out, '%');
        } else if (c == '0') {
            luaL_addlstring(out, at, (size_t)(end - at));
        } else if (isdigit(c)) {
            push_capture(m, c - '1', at, end);
            luaL_tolstring(m->L, -1, NULL);
            lua_remove(m->L, -2);
            luaL_addvalue(out);
        } else {
            luaL_error(m->L, "invalid use of '%%' in replacement string");
        }
        rest = pj_str_from(rest, 1);
    }
}

/// Adds what stands in the place of a match; false when it stays.
static bool add_replacement(const matcher *m, luaL_Buffer *out, const char *at, const char *end)
{
    lua_State *L = m->L;
    int type = lua_type(L, 3);
    if (type == LUA_TFUNCTION) {
        lua_pushvalue(L, 3);
        lua_call(L, push_captures(m, at, end), 1);
    } else if (type == LUA_TTABLE) {
        push_capture(m, 0, at, end);
        lua_gettable(L, 3);
    } else {
        add_template(m, out, at, end);
        return true;
    }
    if (!lua_toboolean(L, -1)) {
        lua_pop(L, 1);
        luaL_addlstring(out, at, (size_t)(end - at));
        return false;
    }
    if (!lua_isstring(L, -1))
        luaL_error(L, "invalid replacement value (a %s)", luaL_typename(L, -1));
    luaL_addvalue(out);
    return true;
}

static int replace(lua_State *L)
{
    pj_str text = text_at(L, 1), pattern = text_at(L, 2);
    int type = lua_type(L, 3);
    bool usable =
        type == LUA_TNUMBER || type == LUA_TSTRING || type == LUA_TFUNCTION || type == LUA_TTABLE;
    luaL_argexpected(L, usable, 3, "string/function/table");
    lua_Integer wanted = luaL_optinteger(L, 4, (lua_Integer)text.len + 1), count = 0;
    matcher m = matcher_of(L, text, pattern);
    bool anchored = pj_str_starts(pattern, PJ_S("^")), changed = false;
    const char *at = text.at, *last = NULL;
    luaL_Buffer out;
    luaL_buffinit(L, &out);
    while (count < wanted) {
        const char *end = match_at(&m, at, pattern.at + anchored);
        if (end && end != last) {
            count++;
            changed = add_replacement(&m, &out, at, end) || changed;
            at = last = end;
        } else if (at && at < m.end) {
            luaL_addchar(&out, *at++);
        } else {
            break;
        }
        if (anchored)
            break;
    }
    if (changed) {
        luaL_addlstring(&out, at, (size_t)(m.end - at));
        luaL_pushresult(&out);
    } else {
        lua_pushvalue(L, 1);
    }
    lua_pushinteger(L, count);
    return 2;
}

void pj_lang_match_open(lua_State *L)
{
    static const luaL_Reg functions[] = {
        {"find", find},    {"match", match_once}, {"gmatch", match_all},
        {"gsub", replace}, {NULL, NULL},
    };
    lua_getglobal(L, LUA_STRLIBNAME);
    luaL_setfuncs(L, functions, 0);
    lua_pop(L, 1);
}
