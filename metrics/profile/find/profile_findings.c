// Findings by topic, and oddities as remarks.
#include "metrics/profile/profile_findings.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "metrics/profile/build/oddities.h"
#include "metrics/profile/find/find.h"
#include "metrics/profile/find/profile_facts.h"
#include "metrics/table/table.h"
#include "metrics/trace/import_stats.h"

#include <string.h>

typedef struct finding {
    void (*find)(const pj_profile *profile, const pj_profile_facts *facts, pj_buf *out);
    const char *topic;
    bool headline;
} finding;

static const finding findings[] = {
#define FINDING(name, topic, headline) {pj_find_##name, #topic, headline},
#include "metrics/profile/find/profile_findings.def"
#undef FINDING
};

/// Whether anything of functions can be told or drawn.
static bool has_values(const pj_profile *p)
{
    for (uint32_t c = 0; c < p->column_count; c++)
        if (p->columns[c].site != PJ_AT_LINE)
            return p->count[PJ_AT_REGION] > 0;
    return false;
}

#define TOPIC(key, title, condition)                                                               \
    static bool has_##key(const pj_profile *p)                                                     \
    {                                                                                              \
        return condition;                                                                          \
    }
#include "metrics/profile/find/profile_topics.def"
#undef TOPIC

static const pj_profile_topic topics[] = {
#define TOPIC(key, title, condition) {#key, title, has_##key},
#include "metrics/profile/find/profile_topics.def"
#include "metrics/profile/profile.h"
#undef TOPIC
};
enum { TOPICS = sizeof topics / sizeof *topics };

const pj_profile_topic *pj_profile_topic_at(size_t index)
{
    return index < TOPICS ? &topics[index] : NULL;
}

static bool refuse(pj_str name, pj_err *err)
{
    pj_auto_buf list = {0};
    for (size_t i = 0; i < TOPICS; i++)
        pj_buf_addf(&list, " %s", topics[i].key);
    return pj_fail(err, PJ_E_USAGE, NULL, 0,
                   "findings: no topic \"" PJ_STR_FMT "\"; topics: summary%s", PJ_STR_ARG(name),
                   list.at);
}

static bool is_topic(pj_str name)
{
    for (size_t i = 0; i < TOPICS; i++)
        if (pj_str_equal(name, pj_str_of(topics[i].key)))
            return true;
    return pj_str_equal(name, PJ_S("summary"));
}

/// The summary has the first sentence of every headline, the topics have all others.
bool pj_profile_findings_about(const pj_profile *p, pj_str topic, pj_buf *out, pj_err *err)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    bool summary = pj_str_equal(topic, PJ_S("summary"));
    if (!is_topic(topic))
        return refuse(topic, err);
    const pj_profile_facts *facts = pj_profile_facts_new(p, arena);
    for (size_t i = 0; i < sizeof findings / sizeof *findings; i++) {
        const finding *row = &findings[i];
        pj_auto_buf text = {0};
        if (summary ? !row->headline : !pj_str_equal(topic, pj_str_of(row->topic)))
            continue;
        row->find(p, facts, &text);
        pj_str rest = pj_buf_str(&text);
        pj_str first = row->headline ? pj_str_cut(&rest, '\n') : (pj_str){0};
        if (summary && first.len)
            pj_buf_addf(out, PJ_STR_FMT "\n", PJ_STR_ARG(first));
        else if (!summary)
            pj_buf_add(out, rest);
    }
    return true;
}

static const char *title_of(const char *topic)
{
    for (size_t i = 0; i < TOPICS; i++)
        if (strcmp(topics[i].key, topic) == 0)
            return topics[i].title;
    return "";
}

static void add_finding(pj_table *table, const char *topic, pj_str sentence)
{
    pj_cell *cells = pj_table_add_row(table);
    cells[0] = pj_cell_text(topic);
    cells[1] = pj_cell_text(pj_arena_text(table->arena, sentence));
}

pj_table *pj_profile_findings_table(const pj_profile *p)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    const pj_profile_facts *facts = pj_profile_facts_new(p, arena);
    pj_table *table = pj_table_new("What the profile shows");
    pj_table_add_column(table, (pj_column){.key = "about", .title = "About", .text = PJ_TEXT});
    pj_table_add_column(table, (pj_column){.key = "finding", .title = "Finding", .text = PJ_TEXT});
    for (size_t i = 0; i < sizeof findings / sizeof *findings; i++) {
        pj_auto_buf text = {0};
        if (findings[i].headline)
            findings[i].find(p, facts, &text);
        pj_str rest = pj_buf_str(&text), first = pj_str_cut(&rest, '\n');
        if (first.len)
            add_finding(table, title_of(findings[i].topic), first);
    }
    if (table->row_count == 0)
        add_finding(table, "", PJ_S("Nothing stands out"));
    return table;
}

uint32_t pj_profile_telling_function(const pj_profile *p)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    const pj_profile_facts *f = pj_profile_facts_new(p, arena);
    if (!f)
        return PJ_NO_ITEM;
    for (uint32_t i = 0; i < p->count[PJ_AT_REGION]; i++)
        if (!pj_profile_facts_waits(f, f->costly[i]))
            return f->of_region[f->costly[i]] > 0 ? f->costly[i] : PJ_NO_ITEM;
    return PJ_NO_ITEM;
}

void pj_profile_findings(const pj_profile *p, pj_buf *out)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    if (p->location_count < 2)
        return;
    pj_find_kinds_of_ranks(p, pj_profile_facts_new(p, arena), out);
}

void pj_profile_remarks(const pj_profile *p, pj_buf *out)
{
    for (unsigned key = 0; key < PJ_ODDITY_COUNT; key++) {
        if (!p->oddities.count[key])
            continue;
        pj_buf_addf(out, "%s: ", pj_severity_name(pj_oddity_at(key)->severity));
        pj_oddity_say(&p->oddities, key, out);
        pj_buf_add_char(out, '\n');
    }
}
