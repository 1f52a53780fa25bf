// Names as Python, C++, Fortran and their profilers write them.
#include "metrics/profile/function_name.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "metrics/base/suggest.h"
#include "metrics/profile/profile.h"
#include "metrics/profile/profile_names.h"

#include <ctype.h>
#include <fnmatch.h>

// ---- short names

/// The part of `text` between `open` and `close`, when it begins with the one.
static bool between(pj_str text, pj_str open, char close, pj_str *out)
{
    if (!pj_str_starts(text, open))
        return false;
    *out = pj_str_from(text, open.len);
    out->len = pj_str_find(*out, close);
    return out->len > 0;
}

static pj_str last_word(pj_str dotted)
{
    size_t dot = pj_str_find_last(dotted, '.');
    return dot + 1 < dotted.len ? pj_str_from(dotted, dot + 1) : dotted;
}

bool pj_function_is_builtin(pj_str name, pj_str *out)
{
    pj_str inside = pj_str_from(name, 1);
    if (name.len < 2 || (name.at[0] != '<' && name.at[0] != '{'))
        return false;
    if (between(inside, PJ_S("method '"), '\'', out) ||
        between(inside, PJ_S("function "), ' ', out))
        return true;
    if (!between(inside, PJ_S("built-in method "), name.at[0] == '<' ? '>' : '}', out))
        return false;
    *out = last_word(*out);
    return true;
}

/// Number of bytes of the bracket that opens at `text`, 0 when it does not close.
static size_t bracket(pj_str text, char open, char close)
{
    size_t depth = 0;
    for (size_t i = 0; i < text.len; i++) {
        depth += text.at[i] == open;
        depth -= text.at[i] == close;
        if (depth == 0)
            return i + 1;
    }
    return 0;
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

/// Without template arguments; "operator<" and "<lambda>" keep their signs.
static void drop_templates(pj_str name, pj_buf *out)
{
    while (name.len) {
        bool follows = out->len && is_word(out->at[out->len - 1]);
        bool is_operator = pj_str_ends(pj_buf_str(out), PJ_S("operator"));
        size_t skip = name.at[0] == '<' && follows && !is_operator ? bracket(name, '<', '>') : 0;
        if (!skip)
            pj_buf_add_char(out, name.at[0]);
        name = pj_str_from(name, skip ? skip : 1);
    }
}

/// A name of C++ without its type, template arguments and parameters.
static pj_str plain_cxx(pj_str name, pj_buf *room)
{
    drop_templates(name, room);
    pj_str text = pj_buf_str(room);
    size_t open = pj_str_find(text, '(');
    if (open == text.len || open == 0)
        return text;
    text = pj_str_trim(pj_str_head(text, open));
    size_t blank = pj_str_find_last(text, ' ');
    bool is_operator = pj_str_contains(text, PJ_S("operator"));
    return blank + 1 < text.len && !is_operator ? pj_str_from(text, blank + 1) : text;
}

static bool is_hash(pj_str text)
{
    enum { DIGITS = 16 };
    bool hex = text.len == 1 + DIGITS && text.at[0] == 'h';
    for (size_t i = 1; hex && i < text.len; i++)
        hex = isxdigit((unsigned char)text.at[i]);
    return hex;
}

/// One sign of a name that Rust has written with letters; returns how many bytes stand for it.
static size_t rust_sign(pj_str text, char *sign)
{
    static const struct {
        const char *code;
        char sign;
    } codes[] = {{"$LT$", '<'},   {"$GT$", '>'},  {"$RF$", '&'},  {"$BP$", '*'},  {"$LP$", '('},
                 {"$RP$", ')'},   {"$C$", ','},   {"$u20$", ' '}, {"$u7b$", '{'}, {"$u7d$", '}'},
                 {"$u27$", '\''}, {"$u5b$", '['}, {"$u5d$", ']'}};
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        if (pj_str_starts(text, pj_str_of(codes[i].code))) {
            *sign = codes[i].sign;
            return strlen(codes[i].code);
        }
    return 0;
}

/// "core::f" of "core::f::h0123456789abcdef", and signs as signs: Rust's names of symbols before
/// its RFC 2603.
static pj_str plain_rust(pj_str name, pj_buf *room)
{
    name = pj_str_head(name, name.len - strlen("::h0123456789abcdef"));
    while (name.len) {
        char sign = 0;
        size_t skip = rust_sign(name, &sign);
        if (skip == 0 && pj_str_starts(name, PJ_S(".."))) {
            pj_buf_puts(room, "::");
            skip = 2;
        } else if (skip == 0 && name.at[0] == '_' && name.len > 1 && name.at[1] == '$') {
            skip = 1; // only makes it a legal name
        } else {
            pj_buf_add_char(room, skip ? sign : name.at[0]);
        }
        name = pj_str_from(name, skip ? skip : 1);
    }
    return pj_buf_str(room);
}

const char *pj_function_short(const pj_profile *profile, uint32_t region, pj_arena *arena)
{
    pj_str name = pj_str_trim(pj_profile_name(profile, region)), inside;
    pj_str module = pj_function_module(profile, region);
    if (name.len == 0)
        return "(no name)";
    if (pj_str_equal(name, PJ_S("<module>")) && module.len)
        return pj_arena_format(arena, PJ_STR_FMT " (module)", PJ_STR_ARG(module));
    if (pj_function_is_builtin(name, &inside))
        return pj_arena_text(arena, inside);
    pj_auto_buf room = {0};
    pj_str text = pj_str_trim(pj_profile_without_place(name));
    size_t colon = pj_str_find_last(text, ':');
    if (colon > 1 && colon < text.len && is_hash(pj_str_from(text, colon + 1)))
        text = plain_rust(text, &room);
    else if (pj_str_contains(text, PJ_S("::")) || pj_str_ends(text, PJ_S(")")) ||
             pj_str_contains(text, PJ_S(") ")))
        text = plain_cxx(text, &room);
    return pj_arena_text(arena, text.len ? text : name);
}

// ---- places

static bool is_no_file(pj_str file)
{
    return file.len == 0 || pj_str_equal(file, PJ_S("~")) || file.at[0] == '<' ||
           pj_profile_is_unknown(file);
}

const char *pj_function_place(const pj_profile *profile, uint32_t region, pj_arena *arena)
{
    const pj_profile_region *r = &profile->regions[region];
    pj_str file = pj_profile_text(profile, r->file);
    if (is_no_file(file))
        return "";
    if (r->line == 0)
        return pj_arena_text(arena, pj_profile_file_name(file));
    return pj_arena_format(arena, PJ_STR_FMT ":%u", PJ_STR_ARG(pj_profile_file_name(file)),
                           r->line);
}

const char **pj_function_names(const pj_profile *profile, const uint32_t *regions, size_t count,
                               pj_arena *arena)
{
    const char **names = pj_new_n(arena, const char *, count + 1);
    bool *shared = pj_new_n(arena, bool, count + 1);
    for (size_t i = 0; i < count; i++) {
        names[i] = pj_function_short(profile, regions[i], arena);
        for (size_t k = 0; k < i; k++)
            if (regions[k] != regions[i] && strcmp(names[k], names[i]) == 0)
                shared[k] = shared[i] = true;
    }
    for (size_t i = 0; i < count; i++) {
        const char *place = shared[i] ? pj_function_place(profile, regions[i], arena) : "";
        if (*place)
            names[i] = pj_arena_format(arena, "%s (%s)", names[i], place);
    }
    return names;
}

pj_str pj_function_module(const pj_profile *profile, uint32_t region)
{
    const pj_profile_region *r = &profile->regions[region];
    pj_str module = pj_profile_text(profile, r->module);
    pj_str file = pj_profile_text(profile, r->file);
    if (module.len || is_no_file(file))
        return module;
    return pj_profile_module_of_file(file);
}

const char *pj_function_label(const pj_profile *profile, uint32_t region, pj_arena *arena)
{
    const pj_profile_region *r = &profile->regions[region];
    pj_str file = pj_profile_text(profile, r->file), name = pj_profile_name(profile, region);
    pj_str module = pj_profile_module_of_file(file);
    if (file.len == 0 || pj_profile_is_unknown(file))
        return pj_arena_text(arena, name);
    return pj_arena_format(arena, PJ_STR_FMT ":%u:" PJ_STR_FMT, PJ_STR_ARG(module), r->line,
                           PJ_STR_ARG(name));
}

// ---- regions by name

static bool is_called(const pj_profile *profile, uint32_t region, const char *pattern,
                      pj_arena *arena)
{
    const char *names[] = {pj_arena_text(arena, pj_profile_name(profile, region)),
                           pj_function_short(profile, region, arena),
                           pj_function_label(profile, region, arena)};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], pattern) == 0 || fnmatch(pattern, names[i], 0) == 0)
            return true;
    return false;
}

bool pj_function_is(const pj_profile *profile, uint32_t region, const char *pattern)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    return is_called(profile, region, pattern, arena);
}

uint32_t pj_function_find(const pj_profile *profile, pj_str name, const double *values, pj_err *err)
{
    enum { POLL = 1024 };
    pj_auto_arena own = pj_arena_new(NULL);
    const char *pattern = pj_arena_text(own, name);
    uint32_t found = PJ_NO_ITEM;
    pj_suggest near = {.word = name};
    for (uint32_t first = 0; first < profile->count[PJ_AT_REGION]; first += POLL) {
        pj_auto_arena arena = pj_arena_new(NULL);
        for (uint32_t r = first; r < first + POLL && r < profile->count[PJ_AT_REGION]; r++) {
            bool larger = found == PJ_NO_ITEM || values[r] > values[found];
            if (larger && is_called(profile, r, pattern, arena))
                found = r;
            else if (found == PJ_NO_ITEM)
                pj_suggest_try(&near, pj_arena_text(own, pj_profile_name(profile, r)));
        }
    }
    pj_auto_buf hint = {0};
    if (near.best)
        pj_suggest_add(&near, &hint);
    if (found == PJ_NO_ITEM)
        pj_fail(err, PJ_E_USAGE, NULL, 0, "no function is called \"" PJ_STR_FMT "\"%s",
                PJ_STR_ARG(name), hint.len ? hint.at : "");
    return found;
}
