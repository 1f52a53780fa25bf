// The convention of papermill: tags `parameters` and `injected-parameters`.
#include "kernel/report/notebook_parameters.h"

#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/num.h"
#include "metrics/base/str.h"

static const char tag_of_defaults[] = "parameters", tag_of_values[] = "injected-parameters";

void pj_notebook_source(const json_t *cell, pj_buf *out)
{
    const json_t *source = json_object_get(cell, "source");
    if (json_is_string(source))
        pj_buf_add(out, (pj_str){json_string_value(source), json_string_length(source)});
    for (size_t i = 0; json_is_array(source) && i < json_array_size(source); i++) {
        const json_t *line = json_array_get(source, i);
        if (json_is_string(line))
            pj_buf_add(out, (pj_str){json_string_value(line), json_string_length(line)});
    }
}

static bool has_tag(const json_t *cell, const char *tag)
{
    const json_t *tags = json_object_get(json_object_get(cell, "metadata"), "tags");
    for (size_t i = 0; i < json_array_size(tags); i++) {
        const char *text = json_string_value(json_array_get(tags, i));
        if (text && strcmp(text, tag) == 0)
            return true;
    }
    return false;
}

/// The first cell with the tag; the number of cells when there is none.
static size_t find(const json_t *cells, const char *tag)
{
    size_t i = 0;
    while (i < json_array_size(cells) && !has_tag(json_array_get(cells, i), tag))
        i++;
    return i;
}

/// The name at the start of a text; empty when it begins with something else.
static pj_str name_at(pj_str text)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
    size_t end = 0;
    while (end < text.len &&
           (strchr(letters, text.at[end]) || (end && strchr("0123456789", text.at[end]))))
        end++;
    return pj_str_head(text, end);
}

/// The name that a line of the defaults sets: "runs = ..."; empty when it sets none.
static pj_str set_by(pj_str line)
{
    line = pj_str_trim(line);
    pj_str name = name_at(line), rest = pj_str_trim(pj_str_from(line, name.len));
    bool sets = rest.len && rest.at[0] == '=' && !(rest.len > 1 && rest.at[1] == '=');
    return sets ? name : (pj_str){0};
}

static bool is_set(pj_str defaults, pj_str name, pj_buf *names)
{
    while (defaults.len) {
        pj_str set = set_by(pj_str_cut(&defaults, '\n'));
        if (set.len && pj_str_equal(set, name))
            return true;
        if (set.len)
            pj_buf_addf(names, "%s" PJ_STR_FMT, names->len ? ", " : "", PJ_STR_ARG(set));
    }
    return false;
}

/// As Lua has it.
static void add_value(pj_str value, pj_buf *out)
{
    double number;
    if (pj_parse_double(value, &number) || pj_str_equal(value, PJ_S("true")) ||
        pj_str_equal(value, PJ_S("false"))) {
        pj_buf_add(out, value);
        return;
    }
    pj_buf_add_char(out, '"');
    for (size_t i = 0; i < value.len; i++) {
        unsigned char c = (unsigned char)value.at[i];
        if (c == '"' || c == '\\')
            pj_buf_addf(out, "\\%c", c);
        else if (c < ' ')
            pj_buf_addf(out, "\\%03u", (unsigned)c);
        else
            pj_buf_add_char(out, (char)c);
    }
    pj_buf_add_char(out, '"');
}

static bool add_assignment(const char *text, bool has_defaults, pj_str defaults, pj_buf *out,
                           pj_err *err)
{
    pj_auto_buf names = {0};
    pj_str name = name_at(pj_str_of(text)), rest = pj_str_from(pj_str_of(text), name.len);
    if (!name.len || !rest.len || rest.at[0] != '=')
        return pj_fail(err, PJ_E_USAGE, NULL, 0, "run: -p: \"%s\" is not NAME=VALUE", text);
    if (has_defaults && !is_set(defaults, name, &names))
        return pj_fail(err, PJ_E_USAGE, NULL, 0,
                       "run: -p: the cell tagged parameters does not set " PJ_STR_FMT
                       "; it sets: %s",
                       PJ_STR_ARG(name), names.len ? names.at : "nothing");
    pj_buf_addf(out, PJ_STR_FMT " = ", PJ_STR_ARG(name));
    add_value(pj_str_from(rest, 1), out);
    pj_buf_add_char(out, '\n');
    return true;
}

bool pj_notebook_parameters(json_t *notebook, const pj_texts *given, pj_err *err)
{
    json_t *cells = json_object_get(notebook, "cells");
    pj_auto_buf defaults = {0}, code = {0};
    size_t earlier = find(cells, tag_of_values), at = find(cells, tag_of_defaults);
    if (!given->count)
        return true;
    bool has_defaults = at < json_array_size(cells);
    pj_notebook_source(json_array_get(cells, at), &defaults);
    for (size_t i = 0; i < given->count; i++)
        if (!add_assignment(given->items[i], has_defaults, pj_buf_str(&defaults), &code, err))
            return false;
    json_t *cell =
        json_pack("{s:s, s:{s:[s]}, s:n, s:[], s:s}", "cell_type", "code", "metadata", "tags",
                  tag_of_values, "execution_count", "outputs", "source", code.at);
    if (!cell)
        return pj_fail(err, PJ_E_USAGE, NULL, 0, "run: -p: a value is no UTF-8");
    if (earlier < json_array_size(cells)) // of an earlier run
        return json_array_set_new(cells, earlier, cell) == 0;
    return json_array_insert_new(cells, has_defaults ? at + 1 : 0, cell) == 0;
}
