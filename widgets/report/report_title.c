// The facts of the title page.
#include "widgets/report/report_title.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/str.h"
#include "widgets/figure/escape.h"
#include "widgets/report/report_cells.h"

#include <time.h>

static void add_escaped(pj_buf *out, const char *before, const char *text, const char *after)
{
    pj_buf_puts(out, before);
    pj_escape_md(out, pj_str_of(text));
    pj_buf_puts(out, after);
}

static void add_fact(pj_buf *out, const char *name, const char *text)
{
    if (text && *text) {
        pj_buf_addf(out, "**%s:** ", name);
        add_escaped(out, "", text, "  \n");
    }
}

json_t *pj_report_title(const pj_report_info *info)
{
    pj_auto_buf text = {0};
    add_escaped(&text, "# ", info->title, "\n\n");
    add_fact(&text, "Application", info->application);
    add_fact(&text, "Report", info->id);
    add_fact(&text, "Author", info->author);
    add_fact(&text, "Contributors", info->contributors);
    add_fact(&text, "Date", info->date);
    return pj_report_prose(pj_buf_str(&text), (pj_report_mark){.part = "title"});
}

static void set_text(json_t *object, const char *key, const char *text)
{
    if (text)
        json_object_set_new(object, key, json_string(text));
}

static json_t *member(json_t *object, const char *key)
{
    json_t *found = json_object_get(object, key);
    if (json_is_object(found))
        return found;
    found = json_object();
    json_object_set_new(object, key, found);
    return found;
}

static const char *today(pj_arena *arena)
{
    char text[64];
    time_t now = time(NULL);
    struct tm day;
    localtime_r(&now, &day);
    strftime(text, sizeof text, "%e %B %Y", &day);
    return pj_arena_text(arena, pj_str_trim(pj_str_of(text)));
}

pj_report_info pj_report_info_whole(const pj_report_info *info, pj_arena *arena)
{
    pj_report_info whole = *info;
    if (!whole.title && whole.application)
        whole.title = pj_arena_format(arena, "Performance of %s", whole.application);
    if (!whole.title)
        whole.title = "Performance assessment";
    if (!whole.date)
        whole.date = today(arena);
    return whole;
}

void pj_report_set_info(json_t *notebook, const pj_report_info *info)
{
    json_t *metadata = member(notebook, "metadata");
    json_t *report = member(member(metadata, "popinjay"), "report");
    set_text(report, "title", info->title);
    set_text(report, "id", info->id);
    set_text(report, "application", info->application);
    set_text(report, "author", info->author);
    set_text(report, "contributors", info->contributors);
    set_text(report, "date", info->date);
    if (info->code)
        json_object_set_new(report, "code", json_true());
    set_text(metadata, "title", info->title); // what other templates read
    if (info->author)
        json_object_set_new(metadata, "authors", json_pack("[{s:s}]", "name", info->author));
}
