// Score-P's filter syntax: blocks of names or files, INCLUDE and EXCLUDE before patterns, MANGLED
// before those of mangled names, comments from # on; a backslash keeps what stands behind it.
#include "metrics/analyse/score_filter.h"

#include "metrics/base/buf.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdlib.h>

typedef enum block { NO_BLOCK, NAMES, FILES } block;

typedef struct parsing {
    pj_score_filter *filter;
    const char *where;
    uint64_t line;
    block block;
    bool chosen, exclude, mangled;
    pj_err *err;
} parsing;

/// The next word; a backslash and what it keeps are part of it.
static pj_str take_word(pj_str *line)
{
    size_t begin = 0;
    while (begin < line->len && isspace((unsigned char)line->at[begin]))
        begin++;
    size_t end = begin;
    while (end < line->len && !isspace((unsigned char)line->at[end]) && line->at[end] != '#')
        end += line->at[end] == '\\' && end + 1 < line->len ? 2 : 1;
    pj_str word = {line->at + begin, end - begin};
    *line = end < line->len && line->at[end] == '#' ? (pj_str){NULL, 0} : pj_str_from(*line, end);
    return word;
}

static bool fail(const parsing *p, const char *what, pj_str word)
{
    return pj_fail(p->err, PJ_E_FORMAT, p->where, p->line, "%s \"" PJ_STR_FMT "\"", what,
                   PJ_STR_ARG(pj_str_head(word, 200)));
}

static bool take_border(parsing *p, pj_str word, bool *was)
{
    static const struct border {
        const char *word;
        block from, to;
    } borders[] = {
        {"SCOREP_REGION_NAMES_BEGIN", NO_BLOCK, NAMES},
        {"SCOREP_REGION_NAMES_END", NAMES, NO_BLOCK},
        {"SCOREP_FILE_NAMES_BEGIN", NO_BLOCK, FILES},
        {"SCOREP_FILE_NAMES_END", FILES, NO_BLOCK},
    };
    *was = false;
    for (size_t i = 0; i < sizeof borders / sizeof *borders; i++) {
        if (!pj_str_equal(word, pj_str_of(borders[i].word)))
            continue;
        *was = true;
        if (p->block != borders[i].from)
            return fail(p, "is no filter file of Score-P: misplaced", word);
        p->block = borders[i].to;
        p->chosen = false;
    }
    return true;
}

static void add_rule(const parsing *p, pj_str word)
{
    pj_score_filter *filter = p->filter;
    pj_score_rule rule = {.pattern = pj_arena_text(filter->arena, word),
                          .exclude = p->exclude,
                          .mangled = p->mangled};
    if (p->block == NAMES) {
        pj_grow(filter->names, &filter->name_cap, filter->name_count + 1);
        filter->names[filter->name_count++] = rule;
    } else {
        pj_grow(filter->files, &filter->file_cap, filter->file_count + 1);
        filter->files[filter->file_count++] = rule;
    }
}

static bool take(parsing *p, pj_str word)
{
    bool border, exclude = pj_str_equal(word, PJ_S("EXCLUDE"));
    if (!take_border(p, word, &border) || border)
        return border && p->err->code == PJ_E_NONE;
    if (p->block == NO_BLOCK)
        return fail(p, "is no filter file of Score-P: outside of a block stands", word);
    if (exclude || pj_str_equal(word, PJ_S("INCLUDE"))) {
        p->chosen = true;
        p->exclude = exclude;
        p->mangled = false;
    } else if (!p->chosen) {
        return fail(p, "neither INCLUDE nor EXCLUDE stands before", word);
    } else if (pj_str_equal(word, PJ_S("MANGLED")) && p->block == NAMES) {
        p->mangled = true;
    } else {
        add_rule(p, word);
    }
    return true;
}

bool pj_score_filter_parse(pj_score_filter *filter, const char *where, pj_str text, pj_err *err)
{
    pj_err own = {.code = PJ_E_NONE};
    *filter = (pj_score_filter){.arena = pj_arena_new(NULL)};
    parsing p = {.filter = filter, .where = where, .err = &own};
    bool ok = true;
    while (ok && text.len) {
        pj_str line = pj_str_cut(&text, '\n');
        p.line++;
        for (pj_str word; ok && (word = take_word(&line)).len;)
            ok = take(&p, word);
    }
    if (ok && p.block != NO_BLOCK)
        ok = pj_fail(&own, PJ_E_FORMAT, where, p.line, "its last block has no end");
    if (!ok && err && err->code == PJ_E_NONE)
        *err = own;
    return ok;
}

void pj_score_filter_free(pj_score_filter *filter)
{
    pj_arena_free(filter->arena);
    free(filter->names);
    free(filter->files);
    *filter = (pj_score_filter){.arena = NULL};
}

bool pj_score_filter_excludes(const pj_score_filter *filter, const char *name, const char *mangled,
                              const char *file)
{
    bool by_file = false, by_name = false;
    for (size_t i = 0; i < filter->file_count; i++)
        if (fnmatch(filter->files[i].pattern, file, 0) == 0)
            by_file = filter->files[i].exclude;
    for (size_t i = 0; i < filter->name_count; i++)
        if (fnmatch(filter->names[i].pattern, filter->names[i].mangled ? mangled : name, 0) == 0)
            by_name = filter->names[i].exclude;
    return by_file || by_name;
}
