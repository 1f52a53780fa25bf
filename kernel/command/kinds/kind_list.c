// Lists, mostly of runs.
#include "kernel/command/display.h"
#include "kernel/command/kind.h"
#include "kernel/command/run_view.h"
#include "kernel/command/session.h"
#include "kernel/command/value.h"
#include "kernel/lua/lang_type.h"
#include "metrics/base/buf.h"
#include "metrics/table/table.h"
#include "widgets/table/render.h"

#include <stdlib.h>

static void hold(pj_value *value)
{
    value->list->references++;
}

static void release(pj_value *value)
{
    pj_list *list = value->list;
    if (--list->references > 0)
        return;
    for (size_t i = 0; i < list->count; i++)
        pj_value_clear(&list->items[i]);
    free(list->items);
    free(list);
}

static uint64_t bytes(const pj_value *value)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < value->list->count; i++)
        sum += pj_value_bytes(&value->list->items[i]);
    return sum;
}

static void brief(const pj_value *value, pj_buf *out)
{
    const pj_list *list = value->list;
    pj_buf_addf(out, "%zu item%s", list->count, list->count == 1 ? "" : "s");
    for (size_t i = 0; i < list->count && list->items[i].kind == PJ_VALUE_RUN; i++)
        pj_buf_addf(out, "%s%s", i ? ", " : ": ", list->items[i].run->name);
}

static pj_table *table(const pj_value *value)
{
    return pj_value_is_runs(value) ? pj_run_view_list(value->list) : NULL;
}

static void text(const pj_session *session, const pj_value *value, pj_buf *out)
{
    pj_auto_table runs = table(value);
    if (runs)
        pj_render_table(&pj_renderer_txt, runs, session->render, out);
    for (size_t i = 0; !runs && i < value->list->count; i++)
        pj_display_text(session, &value->list->items[i], out);
}

const pj_kind pj_kind_list = {
    .name = "list",
    .hold = hold,
    .release = release,
    .bytes = bytes,
    .brief = brief,
    .table = table,
    .text = text,
    .lang = &pj_lang_type_list,
};
