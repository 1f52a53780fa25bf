// What a line of labels or names may keep. Types by number, as Extrae has them (Extrae 4,
// src/common/events.h).
#include "metrics/read/paraver/prv_anonymous.h"

#include "metrics/base/buf.h"
#include "metrics/base/num.h"
#include "metrics/base/pseudonym.h"
#include "metrics/base/str.h"

#include <stdlib.h>

typedef struct range {
    uint64_t first, last;
} range;

/// Types whose values are words of the measurement: the system, MPI, constructs of OpenMP, calls of
/// CUDA, HIP, OpenCL and OpenACC.
static const range words[] = {{40000000, 59999999}, {60000001, 60000017}, {60000020, 60000022},
                              {60000024, 60000031}, {61000000, 61999999}, {63000000, 63000005},
                              {63500000, 63500005}, {64000000, 64000000}, {66000000, 66000002}};
/// Types that Extrae names itself; others are the user's.
static const range named[] = {{30000000, 39999999}, {40000000, 99999999}};

static bool is_in(const range *ranges, size_t count, uint64_t type)
{
    for (size_t i = 0; i < count; i++)
        if (type >= ranges[i].first && type <= ranges[i].last)
            return true;
    return false;
}

static void add_hashed(pj_str text, const pj_pseudonyms *names, pj_pseudonym_part part, pj_buf *out)
{
    char *hashed = text.len ? pj_pseudonym_of(names, text.at, text.len, part) : NULL;
    if (hashed)
        pj_buf_puts(out, hashed);
    free(hashed);
}

/// Splits the first word and the blanks behind it off.
static pj_str cut_word(pj_str *rest)
{
    size_t end = 0;
    while (end < rest->len && rest->at[end] != ' ' && rest->at[end] != '\t')
        end++;
    while (end < rest->len && (rest->at[end] == ' ' || rest->at[end] == '\t'))
        end++;
    pj_str word = pj_str_head(*rest, end);
    *rest = pj_str_from(*rest, end);
    return word;
}

typedef struct reading {
    enum { OTHER, TYPES, VALUES } section;
    bool kept; // values of the types in hand
    bool behind_values;
} reading;

/// "0    42000050    Instructions"
static void add_type(reading *r, pj_str line, const pj_pseudonyms *names, pj_buf *out)
{
    uint64_t type;
    pj_buf_add(out, cut_word(&line));
    pj_str number = cut_word(&line);
    pj_buf_add(out, number);
    if (!pj_parse_u64(pj_str_trim(number), &type))
        type = 0;
    r->kept = is_in(words, sizeof words / sizeof *words, type);
    bool own = !is_in(named, sizeof named / sizeof *named, type);
    add_hashed(line, names, own ? PJ_NAME_ALL : PJ_NAME_NONE, out);
}

/// "12    solver.c"; value 0 is the end of whatever it is.
static void add_value(const reading *r, pj_str line, const pj_pseudonyms *names, pj_buf *out)
{
    pj_str number = cut_word(&line);
    pj_buf_add(out, number);
    bool kept = r->kept || pj_str_equal(pj_str_trim(number), PJ_S("0"));
    add_hashed(line, names, kept ? PJ_NAME_NONE : PJ_NAME_ALL, out);
}

static void add_label_line(reading *r, pj_str line, const pj_pseudonyms *names, pj_buf *out)
{
    pj_str word = pj_str_trim(line);
    bool digit = word.len && ((word.at[0] >= '0' && word.at[0] <= '9') || word.at[0] == '-');
    if (pj_str_equal(word, PJ_S("EVENT_TYPE")))
        r->section = TYPES;
    else if (pj_str_equal(word, PJ_S("VALUES")))
        r->section = r->section == OTHER ? OTHER : VALUES;
    else if (word.len && !digit)
        r->section = OTHER;
    if (digit && r->section == TYPES)
        add_type(r, line, names, out);
    else if (digit && r->section == VALUES)
        add_value(r, line, names, out);
    else
        pj_buf_add(out, line);
}

void pj_prv_anonymous_labels(pj_str text, const pj_pseudonyms *names, pj_buf *out)
{
    reading r = {.section = OTHER};
    while (text.len) {
        add_label_line(&r, pj_str_cut(&text, '\n'), names, out);
        pj_buf_add_char(out, '\n');
    }
}

void pj_prv_anonymous_names(pj_str text, const pj_pseudonyms *names, pj_buf *out)
{
    while (text.len) {
        pj_str line = pj_str_cut(&text, '\n');
        bool level = pj_str_starts(line, PJ_S("LEVEL "));
        add_hashed(line, names, level ? PJ_NAME_NONE : PJ_NAME_WORDS, out);
        pj_buf_add_char(out, '\n');
    }
}
