// Score-P's filter syntax: blocks of names or files, INCLUDE and EXCLUDE before patterns of
// fnmatch(3), comments from # on; a backslash keeps what stands behind it. The launcher has checked
// the file and told what is wrong in it.
#include "metrics/record/rec_filter.h"

#include "metrics/record/rec_defs.h"

#include <ctype.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILE_MOST = 64 << 20, PATTERN_MOST = 1100 };

typedef enum block { NO_BLOCK, NAMES, FILES } block;

typedef struct rule {
    const char *pattern; // lives as long as the process
    bool exclude, of_file;
} rule;

static rule *rules;
static size_t rule_count, rule_most;

static bool add_rule(const char *pattern, bool exclude, bool of_file)
{
    if (!rules || rule_count == rule_most) {
        size_t most = rule_most ? 2 * rule_most : 64;
        rule *more = realloc(rules, most * sizeof *more);
        if (!more)
            return false;
        rules = more;
        rule_most = most;
    }
    rules[rule_count++] = (rule){pattern, exclude, of_file};
    return true;
}

// Files

typedef struct parsing {
    block in;
    bool exclude, good;
} parsing;

/// A word that begins or ends a block.
static bool is_border(parsing *p, const char *word)
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
    for (size_t i = 0; i < sizeof borders / sizeof *borders; i++)
        if (strcmp(word, borders[i].word) == 0) {
            p->good &= p->in == borders[i].from;
            p->in = borders[i].to;
            return true;
        }
    return false;
}

static void take_word(parsing *p, const char *word)
{
    if (is_border(p, word))
        return;
    if (strcmp(word, "EXCLUDE") == 0 || strcmp(word, "INCLUDE") == 0)
        p->exclude = *word == 'E';
    else if (p->in == NO_BLOCK)
        p->good = false;
    else if (strcmp(word, "MANGLED") != 0) // Python's names are their own
        add_rule(word, p->exclude, p->in == FILES);
}

/// The end of the word at `at`; a backslash and what it keeps are part of it.
static char *end_of(char *at)
{
    while (*at && *at != '#' && !isspace((unsigned char)*at))
        at += *at == '\\' && at[1] ? 2 : 1;
    return at;
}

/// Cuts the text up into words, where it lies.
static bool take_text(char *at)
{
    parsing p = {.good = true};
    while (*at && p.good) {
        if (isspace((unsigned char)*at)) {
            at++;
            continue;
        }
        char *end = end_of(at), border = *end;
        *end = '\0';
        if (end > at)
            take_word(&p, at);
        at = end + (border != '\0');
        while (border == '#' && *at && *at != '\n')
            at++;
    }
    return p.good && p.in == NO_BLOCK;
}

static char *read_file(const char *path)
{
    struct stat info;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    char *text = NULL;
    if (file >= 0 && fstat(file, &info) == 0 && info.st_size < FILE_MOST)
        text = malloc((size_t)info.st_size + 1);
    if (text) {
        ssize_t size = read(file, text, (size_t)info.st_size);
        text[size > 0 ? size : 0] = '\0';
    }
    if (file >= 0)
        close(file);
    return text;
}

static void take_file(const char *path)
{
    char *text = read_file(path); // rules point into it
    if (!text || !take_text(text))
        pj_rec_note(2, "%s %s", path,
                    text ? "is no filter file of Score-P to its end: its rules up to there count"
                         : "cannot be read: nothing is filtered by it");
}

// Lists of patterns

static char *joined(const char *word, size_t len, const char *behind)
{
    char *text = malloc(PATTERN_MOST);
    if (text)
        snprintf(text, PATTERN_MOST, "%.*s%s", (int)len, word, behind);
    return text;
}

static void take_item(const char *word, size_t len, const char *behind, bool exclude)
{
    char *pattern = len ? joined(word, len, behind) : NULL;
    if (pattern && !add_rule(pattern, exclude, false))
        free(pattern);
}

static void take_list(const char *list, const char *behind, bool exclude)
{
    for (size_t len; list && *list; list += len + (list[len] == ',')) {
        len = strcspn(list, ",");
        take_item(list, len, behind, exclude);
    }
}

void pj_rec_filter_begin(void)
{
    const char *file = getenv("POPINJAY_RECORD_FILTER");
    const char *modules = getenv("POPINJAY_RECORD_MODULES");
    if (rules)
        return;
    if (file && *file)
        take_file(file);
    if (modules && *modules) {
        add_rule("*", true, false);
        take_list(modules, ":*", false);
        take_list(modules, ".*", false);
    }
    take_list(getenv("POPINJAY_RECORD_EXCLUDE"), "", true);
    take_list(getenv("POPINJAY_RECORD_INCLUDE"), "", false);
}

bool pj_rec_filter_excludes(const char *name, const char *file)
{
    bool by_file = false, by_name = false;
    for (size_t i = 0; i < rule_count; i++) {
        const rule *r = &rules[i];
        if (fnmatch(r->pattern, r->of_file ? file : name, 0) == 0)
            *(r->of_file ? &by_file : &by_name) = r->exclude;
    }
    return by_file || by_name;
}
