// nil, booleans, numbers, texts and widgets: what Lua has itself, shown as text.
#include "kernel/command/display.h"
#include "kernel/command/kind.h"
#include "kernel/command/session.h"
#include "kernel/command/value.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/num.h"
#include "metrics/base/str.h"

#include <stdlib.h>

static void hold_text(pj_value *value)
{
    *value = pj_value_text(value->text);
}

static void release_text(pj_value *value)
{
    free((void *)value->text);
}

static void hold_widget(pj_value *value)
{
    hold_text(value);
    value->kind = PJ_VALUE_WIDGET;
}

static uint64_t text_bytes(const pj_value *value)
{
    return strlen(value->text);
}

static void boolean_text(const pj_session *session, const pj_value *value, pj_buf *out)
{
    (void)session;
    pj_buf_puts(out, value->flag ? "true" : "false");
}

static void number_text(const pj_session *session, const pj_value *value, pj_buf *out)
{
    (void)session;
    char text[32];
    pj_buf_add(out, (pj_str){text, pj_format_double(value->number, text)});
}

static void text_text(const pj_session *session, const pj_value *value, pj_buf *out)
{
    (void)session;
    pj_buf_puts(out, value->text);
}

/// Texts of the product's own may be filter files of Score-P.
static bool is_txt(pj_str suffix)
{
    return pj_str_equal(suffix, PJ_S("txt")) || pj_str_equal(suffix, PJ_S("filter"));
}

static bool write_txt(const pj_value *value, pj_str suffix, atomic_bool *stop, pj_buf *out,
                      pj_err *err)
{
    (void)suffix, (void)stop, (void)err;
    pj_session bare = {0};
    pj_display_text(&bare, value, out);
    return true;
}

const pj_kind pj_kind_nil = {.name = "nil"};

const pj_kind pj_kind_boolean = {.name = "boolean", .text = boolean_text};

const pj_kind pj_kind_number = {
    .name = "number",
    .text = number_text,
    .writes = is_txt,
    .write = write_txt,
};

const pj_kind pj_kind_text = {
    .name = "text",
    .hold = hold_text,
    .release = release_text,
    .bytes = text_bytes,
    .text = text_text,
    .writes = is_txt,
    .write = write_txt,
};

const pj_kind pj_kind_widget = {.name = "widget", .hold = hold_widget, .release = release_text};
