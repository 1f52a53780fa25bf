// Help on a name: commands, verbs, metric sets, metrics, measures, members of objects.
#include "kernel/lua/lang_bind.h"
#include "kernel/lua/objects/lang_widget.h"

#include "kernel/command/command.h"
#include "kernel/command/help.h"
#include "kernel/command/session.h"
#include "kernel/lua/lang.h"
#include "kernel/lua/lang_type.h"
#include "kernel/lua/lang_value.h"
#include "metrics/base/buf.h"
#include "metrics/base/str.h"
#include "metrics/pop/measures.h"
#include "metrics/pop/metricset.h"
#include "widgets/figure/textlines.h"

static void add_wrapped(pj_buf *out, const char *text)
{
    if (text)
        pj_textlines_wrap(out, "", pj_str_of(text), PJ_HELP_COLUMNS);
}

static bool same(const char *name, pj_str topic)
{
    return pj_str_equal(pj_str_of(name), topic);
}

static bool help_on_verb(pj_str topic, pj_buf *out)
{
    for (const pj_lang_member *v = pj_lang_verbs; v->name; v++) {
        if (!same(v->name, topic))
            continue;
        add_wrapped(out, v->usage);
        pj_buf_puts(out, "\n");
        add_wrapped(out, v->help);
        return true;
    }
    return false;
}

static bool help_on_set(const pj_session *session, pj_str topic, pj_buf *out)
{
    const pj_metric_set *set = pj_session_set(session, topic);
    if (!set)
        return false;
    pj_buf_addf(out, "metric set %s: %s\n\n", set->key, set->title);
    add_wrapped(out, set->convention);
    pj_buf_puts(out, "\n");
    for (size_t i = 0; i < set->count; i++)
        pj_buf_addf(out, "  %*s%s  (%s)\n", (int)(2 * pj_metric_depth(set, i)), "",
                    set->rows[i].title, set->rows[i].key);
    return true;
}

/// Each meaning of a key once: sets share most of theirs.
static bool help_on_metric(const pj_session *session, pj_str topic, pj_buf *out)
{
    const char *key, *last = NULL;
    bool found = false;
    for (size_t i = 0; (key = pj_session_set_key(session, i)); i++) {
        const pj_metric_set *set = pj_session_set(session, pj_str_of(key));
        int row = pj_metric_row(set, topic);
        if (row < 0)
            continue;
        const pj_metric *m = &set->rows[row];
        if (!found)
            pj_buf_addf(out, "%s  (%s)\n", m->title, m->key);
        if (m->formula_text)
            pj_buf_addf(out, "\n  %s: %s\n", set->key, m->formula_text);
        if (m->explanation && m->explanation != last) {
            pj_buf_puts(out, "\n");
            add_wrapped(out, m->explanation);
        }
        last = m->explanation;
        found = true;
    }
    return found;
}

static bool help_on_measure(pj_str topic, pj_buf *out)
{
    const pj_measures_row *m;
    for (size_t i = 0; (m = pj_measures_row_at(i)); i++)
        if (same(m->name, topic)) {
            pj_buf_addf(out, "%s: a measure for formulas of metrics\n\n", m->name);
            add_wrapped(out, m->sentence);
            return true;
        }
    return false;
}

static bool help_on_member(pj_str topic, pj_buf *out)
{
    const pj_lang_type *type;
    bool found = false;
    for (size_t t = 0; (type = pj_lang_type_at(t)); t++) {
        const pj_lang_member *m;
        for (size_t i = 0; (m = pj_lang_member_at(type, i)); i++) {
            if (!same(m->name, topic))
                continue;
            pj_buf_addf(out, "%s%s %s%s: ", found ? "\n" : "", type->name, m->property ? "." : "",
                        m->property ? m->name : m->usage);
            add_wrapped(out, m->help);
            found = true;
        }
    }
    return found;
}

bool pj_lang_help(pj_lang *lang, pj_str topic, pj_buf *out)
{
    while (topic.len && topic.at[0] == '%')
        topic = pj_str_from(topic, 1);
    size_t link = topic.len;
    while (link > 0 && topic.at[link - 1] != '.' && topic.at[link - 1] != ':')
        link--;
    pj_str member = pj_str_from(topic, link);
    const pj_command *command = pj_command_find(topic, PJ_IN_BOTH);
    if (command) {
        pj_help_command(command, lang->session, out);
        return true;
    }
    const pj_command *owner =
        link ? pj_command_find(pj_str_head(topic, link - 1), PJ_IN_BOTH) : NULL;
    pj_param param;
    if (owner && pj_command_param(owner, member, &param)) {
        pj_help_param(&param, lang->session, out);
        return true;
    }
    return help_on_verb(topic, out) || help_on_set(lang->session, topic, out) ||
           help_on_metric(lang->session, member, out) || help_on_measure(topic, out) ||
           pj_lang_widget_help(topic, out) || help_on_member(member, out);
}
