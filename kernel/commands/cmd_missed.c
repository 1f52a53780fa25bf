// missed() in the notebook: what a front end missed that was away while a cell ran.
#include "kernel/command/command.h"

#include "kernel/command/face.h"
#include "kernel/command/jsontext.h"
#include "kernel/command/session.h"
#include "kernel/command/value.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"

typedef struct missed_args {
    uint64_t cell;
} missed_args;

static void show_traceback(const pj_face *face, const json_t *lines)
{
    size_t i;
    json_t *line;
    json_array_foreach((json_t *)lines, i, line)
    {
        pj_auto_buf text = {0};
        pj_buf_add(&text, (pj_str){json_string_value(line), json_string_length(line)});
        pj_buf_add_char(&text, '\n');
        face->write(face->self, PJ_STDERR, pj_buf_str(&text));
    }
}

/// Displays lose their ids: they are copies.
static void show(const pj_face *face, const json_t *item)
{
    const json_t *content = json_object_get(item, "content");
    pj_str type = pj_jsontext_str(item, "type"), text = pj_jsontext_str(item, "text");
    if (pj_str_equal(type, PJ_S("stdout")) || pj_str_equal(type, PJ_S("stderr"))) {
        bool err = pj_str_equal(type, PJ_S("stderr"));
        face->write(face->self, err ? PJ_STDERR : PJ_STDOUT, text);
    } else if (pj_str_equal(type, PJ_S("error"))) {
        show_traceback(face, json_object_get(content, "traceback"));
    } else {
        pj_display display = {.data = json_object_get(content, "data"),
                              .metadata = json_object_get(content, "metadata")};
        face->display(face->self, &display);
    }
}

static bool run_missed(pj_session *session, const void *given, pj_value *out, pj_err *err)
{
    (void)out;
    const missed_args *args = given;
    const pj_face *face = session->face;
    size_t gone = 0, i;
    json_t *outputs = face->earlier ? face->earlier(face->self, args->cell, &gone) : NULL, *item;
    if (!outputs && !face->earlier)
        return pj_fail(err, PJ_E_MISSING, NULL, 0, "missed: outputs are kept in notebooks only");
    if (!outputs && args->cell)
        return pj_fail(err, PJ_E_MISSING, NULL, 0, "missed: no output of cell %llu is kept",
                       (unsigned long long)args->cell);
    if (!outputs)
        return pj_fail(err, PJ_E_MISSING, NULL, 0, "missed: no cell had any output so far");
    if (gone)
        pj_session_say(session, "the first %zu outputs are not kept any more", gone);
    json_array_foreach(outputs, i, item) show(face, item);
    json_decref(outputs);
    return true;
}

static const pj_param params[] = {
    {.name = "cell",
     .type = PJ_PARAM_COUNT,
     .place = PJ_IN_BOTH,
     .offset = offsetof(missed_args, cell),
     .shown = "N",
     .help = "The number of the cell, as in [7]; the latest one with outputs by default."},
    {0},
};

const pj_command pj_command_missed = {
    .name = "missed",
    .summary = "Show once more what a cell put out",
    .detail = "For output that went lost because the page was closed or the connection broke while "
              "a cell ran. The latest 8 MB of all cells are kept.",
    .example = "missed(7)",
    .faces = PJ_IN_LUA,
    .groups = (const pj_param_group[]){{.rows = params}, {0}},
    .args_size = sizeof(missed_args),
    .run = run_missed,
};
