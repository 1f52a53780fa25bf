// The labels of a Paraver trace.
// Reads a .pcf line by line. Real files do without the blank lines between blocks, so that only
// keywords begin a section; several EVENT_TYPE lines in a row share the VALUES that follow.
#include "metrics/read/paraver/pcf.h"

#include "metrics/base/buf.h"
#include "metrics/base/num.h"
#include "metrics/base/str.h"

#include <stdlib.h>

typedef enum pcf_section { OTHER, STATES, TYPES, VALUES } pcf_section;

typedef struct pcf_text {
    pj_pcf *pcf;
    pcf_section section;
    uint32_t list; // of values, for the types being read
} pcf_text;

/// Cuts a word off the front of `*rest`, which loses the blanks around it.
static pj_str cut_word(pj_str *rest)
{
    size_t n = 0;
    while (n < rest->len && rest->at[n] != ' ' && rest->at[n] != '\t')
        n++;
    pj_str word = pj_str_head(*rest, n);
    *rest = pj_str_trim(pj_str_from(*rest, n));
    return word;
}

static bool is_keyword(pj_str line)
{
    if (line.len == 0 || line.at[0] < 'A' || line.at[0] > 'Z')
        return false;
    for (size_t i = 0; i < line.len; i++)
        if (!((line.at[i] >= 'A' && line.at[i] <= 'Z') || line.at[i] == '_'))
            return false;
    return true;
}

static void begin_section(pcf_text *parser, pj_str keyword)
{
    if (pj_str_equal(keyword, PJ_S("VALUES")) &&
        (parser->section == TYPES || parser->section == VALUES)) {
        parser->section = VALUES;
        return;
    }
    parser->section = OTHER;
    if (pj_str_equal(keyword, PJ_S("STATES")))
        parser->section = STATES;
    if (pj_str_equal(keyword, PJ_S("EVENT_TYPE"))) {
        parser->section = TYPES;
        parser->list++;
    }
}

static bool add_value(pj_pcf *pcf, pj_str line, uint32_t list)
{
    int64_t value;
    if (!pj_parse_i64(cut_word(&line), &value))
        return false;
    pj_pcf_value row = {value, pj_arena_text(pcf->arena, line), list};
    pj_grow(pcf->values, &pcf->value_cap, pcf->value_count + 1);
    pcf->values[pcf->value_count++] = row;
    return true;
}

static bool add_state(pj_pcf *pcf, pj_str line)
{
    int64_t value;
    if (!pj_parse_i64(cut_word(&line), &value))
        return false;
    pj_grow(pcf->states, &pcf->state_cap, pcf->state_count + 1);
    pcf->states[pcf->state_count++] = (pj_pcf_value){value, pj_arena_text(pcf->arena, line), 0};
    return true;
}

/// "gradient type label"; a line without gradient does not occur.
static bool add_type(pj_pcf *pcf, pj_str line, uint32_t list)
{
    uint64_t gradient, type;
    if (!pj_parse_u64(cut_word(&line), &gradient) || !pj_parse_u64(cut_word(&line), &type))
        return false;
    pj_grow(pcf->types, &pcf->type_cap, pcf->type_count + 1);
    pcf->types[pcf->type_count++] = (pj_pcf_type){type, pj_arena_text(pcf->arena, line), list};
    return true;
}

static void parse_line(pcf_text *parser, pj_str line)
{
    if (line.len == 0 || line.at[0] == '#')
        return;
    if (is_keyword(line)) {
        begin_section(parser, line);
        return;
    }
    bool good = true;
    switch (parser->section) {
    case STATES:
        good = add_state(parser->pcf, line);
        break;
    case TYPES:
        good = add_type(parser->pcf, line, parser->list);
        break;
    case VALUES:
        good = add_value(parser->pcf, line, parser->list);
        break;
    case OTHER:
        break;
    }
    parser->pcf->malformed += !good;
}

pj_pcf *pj_pcf_parse(pj_str text)
{
    pj_pcf *pcf = pj_take_memory(sizeof *pcf);
    *pcf = (pj_pcf){.arena = pj_arena_new(NULL)};
    pcf_text parser = {.pcf = pcf};
    while (text.len)
        parse_line(&parser, pj_str_trim(pj_str_cut(&text, '\n')));
    return pcf;
}

void pj_pcf_free(pj_pcf *pcf)
{
    if (!pcf)
        return;
    free(pcf->types);
    free(pcf->values);
    free(pcf->states);
    pj_arena_free(pcf->arena);
    free(pcf);
}

static const pj_pcf_type *find_type(const pj_pcf *pcf, uint64_t type)
{
    for (size_t i = 0; i < pcf->type_count; i++)
        if (pcf->types[i].type == type)
            return &pcf->types[i];
    return NULL;
}

const char *pj_pcf_type_label(const pj_pcf *pcf, uint64_t type)
{
    const pj_pcf_type *row = find_type(pcf, type);
    return row ? row->label : NULL;
}

/// Index of the first value of a list, or of a later one; lists lie one behind the other.
static size_t first_value(const pj_pcf *pcf, uint32_t list)
{
    size_t low = 0, high = pcf->value_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (pcf->values[middle].list < list)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

size_t pj_pcf_values(const pj_pcf *pcf, uint64_t type, const pj_pcf_value **first)
{
    const pj_pcf_type *row = find_type(pcf, type);
    *first = NULL;
    if (!row || pcf->value_count == 0)
        return 0;
    size_t begin = first_value(pcf, row->values), end = begin;
    while (end < pcf->value_count && pcf->values[end].list == row->values)
        end++;
    *first = pcf->values + begin;
    return end - begin;
}

const char *pj_pcf_value_label(const pj_pcf *pcf, uint64_t type, int64_t value)
{
    const pj_pcf_value *values;
    size_t count = pj_pcf_values(pcf, type, &values);
    for (size_t i = 0; i < count; i++)
        if (values[i].value == value)
            return values[i].label;
    return NULL;
}

const char *pj_pcf_state_label(const pj_pcf *pcf, int64_t state)
{
    for (size_t i = 0; i < pcf->state_count; i++)
        if (pcf->states[i].value == state)
            return pcf->states[i].label;
    return NULL;
}
