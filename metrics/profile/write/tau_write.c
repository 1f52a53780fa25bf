// TAU's text files, one a thread and metric.
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/newfile.h"
#include "metrics/base/num.h"
#include "metrics/base/str.h"
#include "metrics/profile/profile.h"
#include "metrics/profile/write/ppk_write.h"
#include "metrics/profile/write/tau_entries.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

static void add_number(pj_buf *out, double value)
{
    char text[32];
    pj_buf_add(out, (pj_str){text, pj_format_double(isnan(value) ? 0 : value, text)});
    pj_buf_add_char(out, ' ');
}

/// On one line.
static void add_line(pj_buf *out, pj_str text)
{
    for (size_t i = 0; i < text.len; i++)
        pj_buf_add_char(out, text.at[i] == '\n' || text.at[i] == '\r' ? ' ' : text.at[i]);
}

static void add_escaped(pj_buf *out, pj_str text)
{
    for (size_t i = 0; i < text.len; i++)
        switch (text.at[i]) {
        case '<':
            pj_buf_puts(out, "&lt;");
            break;
        case '>':
            pj_buf_puts(out, "&gt;");
            break;
        case '&':
            pj_buf_puts(out, "&amp;");
            break;
        case '\n':
        case '\r':
            pj_buf_add_char(out, ' ');
            break;
        default:
            pj_buf_add_char(out, text.at[i]);
        }
}

static void add_attribute(pj_buf *out, pj_str name, pj_str value)
{
    pj_buf_puts(out, "<attribute><name>");
    add_escaped(out, name);
    pj_buf_puts(out, "</name><value>");
    add_escaped(out, value);
    pj_buf_puts(out, "</value></attribute>");
}

static void add_metadata(const pj_tau_entries *e, pj_str metric, pj_buf *out)
{
    const pj_profile *p = e->profile;
    pj_buf_puts(out, "# Name Calls Subrs Excl Incl ProfileCalls # <metadata>");
    add_attribute(out, PJ_S("Metric Name"), metric);
    for (uint32_t i = 0; i < p->pair_count; i++) {
        pj_str key = p->texts[p->pairs[i].key];
        bool ours = p->pairs[i].location == e->location || p->pairs[i].location == PJ_NO_ITEM;
        if (ours && !pj_str_equal(key, PJ_S("Metric Name")))
            add_attribute(out, key, p->texts[p->pairs[i].value]);
    }
    pj_buf_puts(out, "</metadata>\n");
}

static void add_entry(const pj_tau_entries *e, size_t i, size_t measure, pj_buf *out)
{
    enum { GROUPS_MAX = 64 };
    pj_str groups[GROUPS_MAX];
    size_t count = pj_tau_entries_groups(e->profile, &e->entries[i], groups, GROUPS_MAX);
    pj_buf_add_char(out, '"');
    add_line(out, e->entries[i].name);
    pj_buf_puts(out, "\" ");
    add_number(out, e->calls[i]);
    add_number(out, e->child_calls[i]);
    add_number(out, e->exclusive[i * e->measure_count + measure]);
    add_number(out, e->inclusive[i * e->measure_count + measure]);
    pj_buf_puts(out, "0 GROUP=\"");
    for (size_t g = 0; g < count; g++) {
        pj_buf_puts(out, g ? " | " : "");
        add_line(out, groups[g]);
    }
    pj_buf_puts(out, "\"\n");
}

static void add_events(const pj_profile *p, uint32_t location, pj_buf *out)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < p->event_count; i++)
        count += p->events[i].location == location;
    pj_buf_addf(out, "0 aggregates\n%u userevents\n", count);
    pj_buf_puts(out, count ? "# eventname numevents max min mean sumsqr\n" : "");
    for (uint32_t i = 0; i < p->event_count; i++) {
        const pj_profile_event *event = &p->events[i];
        if (event->location != location)
            continue;
        pj_buf_add_char(out, '"');
        add_line(out, p->texts[event->name]);
        pj_buf_puts(out, "\" ");
        double numbers[] = {event->count, event->max, event->min, event->mean,
                            event->sum_of_squares};
        for (size_t n = 0; n < sizeof numbers / sizeof *numbers; n++)
            add_number(out, numbers[n]);
        pj_buf_add_char(out, '\n');
    }
}

static void add_file(const pj_tau_entries *e, size_t measure, pj_buf *out)
{
    pj_str metric = pj_tau_entries_metric(e, measure);
    pj_auto_buf entries = {.at = NULL};
    uint32_t count = 0;
    for (size_t i = 0; i < e->count; i++) {
        size_t cell = i * e->measure_count + measure;
        if (isnan(e->calls[i]) && isnan(e->exclusive[cell]) && isnan(e->inclusive[cell]))
            continue;
        add_entry(e, i, measure, &entries);
        count++;
    }
    pj_buf_addf(out, "%u templated_functions_MULTI_", count);
    add_line(out, metric);
    pj_buf_add_char(out, '\n');
    add_metadata(e, metric, out);
    pj_buf_add(out, pj_buf_str(&entries));
    add_events(e->profile, e->location, out);
}

static bool make_folder(const char *path, pj_err *err)
{
    enum { MODE = 0777 };
    return mkdir(path, MODE) == 0 || errno == EEXIST || pj_fail_io(err, path, "cannot be made");
}

/// "MULTI__PAPI_TOT_INS": what a name of a folder cannot hold is an underscore.
static void add_folder_name(pj_str metric, pj_buf *out)
{
    pj_buf_puts(out, "/MULTI__");
    for (size_t i = 0; i < metric.len; i++)
        pj_buf_add_char(out, strchr("/ \\\t\n", metric.at[i]) ? '_' : metric.at[i]);
}

static bool write_measure(pj_tau_entries *e, const char *folder, size_t measure, pj_err *err)
{
    pj_auto_buf path = {.at = NULL}, text = {.at = NULL};
    int32_t place[3];
    pj_buf_puts(&path, folder);
    while (path.len > 1 && path.at[path.len - 1] == '/')
        path.at[--path.len] = 0;
    if (e->measure_count > 1)
        add_folder_name(pj_tau_entries_metric(e, measure), &path);
    if (!make_folder(path.at, err))
        return false;
    pj_tau_entries_place(e->profile, e->location, place);
    pj_buf_addf(&path, "/profile.%d.%d.%d", place[0], place[1], place[2]);
    add_file(e, measure, &text);
    return pj_newfile_put(path.at, pj_buf_str(&text), err);
}

bool pj_tau_write(const pj_profile *profile, const char *folder, pj_err *err)
{
    pj_tau_entries *e = pj_tau_entries_new(profile);
    bool ok = e->count > 0 && e->measure_count > 0;
    if (!ok)
        pj_fail(err, PJ_E_MISSING, NULL, 0,
                "a TAU profile wants functions with values, which this profile lacks");
    ok = ok && make_folder(folder, err);
    for (uint32_t at = 0; ok && at < profile->location_count; at++) {
        pj_tau_entries_at(e, at);
        for (size_t m = 0; ok && m < e->measure_count; m++)
            ok = write_measure(e, folder, m, err);
    }
    pj_tau_entries_free(e);
    return ok;
}
