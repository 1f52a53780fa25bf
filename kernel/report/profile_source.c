// Where the profiles of a report come from.
// A glob stays one, so that the notebook reads as it was asked for; its folder becomes absolute.
#include "kernel/report/profile_source.h"

#include "kernel/command/session.h"
#include "kernel/command/value.h"
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/fingerprint.h"
#include "metrics/base/job.h"
#include "metrics/base/str.h"

#include <stdlib.h>

void pj_profile_source_split(const pj_inputs *inputs, pj_arena *arena, pj_inputs *profiles,
                             pj_inputs *others)
{
    *profiles = (pj_inputs){.items = pj_new_n(arena, pj_value, inputs->count + 1)};
    *others = (pj_inputs){.items = pj_new_n(arena, pj_value, inputs->count + 1)};
    for (size_t i = 0; i < inputs->count; i++) {
        const pj_inputs one = {.items = &inputs->items[i], .count = 1};
        pj_inputs *list = pj_profile_inputs_are(&one) ? profiles : others;
        list->items[list->count++] = inputs->items[i];
    }
}

static pj_str folder_part(pj_str text)
{
    size_t slash = pj_str_find_last(text, '/');
    return slash < text.len ? pj_str_head(text, slash + 1) : (pj_str){0};
}

/// As a notebook in `folder` finds it.
static const char *path_of(const char *text, const char *folder, pj_arena *arena)
{
    pj_str given = pj_str_of(text), above = folder_part(given);
    char *whole = realpath(text, NULL);
    char *real = whole ? NULL : realpath(above.len ? pj_arena_text(arena, above) : ".", NULL);
    pj_str rest = pj_str_from(given, above.len), path = given;
    if (whole)
        path = pj_str_of(pj_arena_text(arena, pj_str_of(whole)));
    else if (real)
        path = pj_str_of(pj_arena_format(arena, "%s%s" PJ_STR_FMT, real,
                                         strcmp(real, "/") == 0 ? "" : "/", PJ_STR_ARG(rest)));
    free(whole);
    free(real);
    pj_str base = pj_str_of(folder ? folder : "");
    if (base.len && pj_str_starts(path, base) && path.len > base.len + 1 &&
        path.at[base.len] == '/')
        path = pj_str_from(path, base.len + 1);
    return pj_arena_text(arena, path);
}

static void add_text(pj_buf *out, const char *text)
{
    pj_buf_addf(out, "%s\"", out->len ? ", " : "");
    for (const char *c = text; *c; c++) {
        unsigned char byte = (unsigned char)*c;
        if (byte < 32)
            pj_buf_addf(out, "\\%03u", byte);
        else
            pj_buf_addf(out, byte == '"' || byte == '\\' ? "\\%c" : "%c", byte);
    }
    pj_buf_add_char(out, '"');
}

const char *pj_profile_source_code(const pj_inputs *profiles, const char *folder, pj_arena *arena)
{
    pj_auto_buf list = {0};
    for (size_t i = 0; i < profiles->count; i++) {
        const pj_value *value = &profiles->items[i];
        if (value->kind == PJ_VALUE_TEXT)
            add_text(&list, path_of(value->text, folder, arena));
        for (uint32_t f = 0; value->kind == PJ_VALUE_PROFILE && f < value->profile->file_count; f++)
            add_text(&list, path_of(value->profile->files[f], folder, arena));
    }
    return pj_arena_format(arena, "profile{%s}", list.len ? list.at : "");
}

bool pj_profile_source_files(pj_session *session, const pj_profile *profile, const char *folder,
                             pj_arena *arena, const pj_report_file **files, pj_err *err)
{
    pj_report_file *list = pj_new_n(arena, pj_report_file, profile->file_count + (size_t)1);
    pj_job job = {.stop = session->stop};
    for (uint32_t f = 0; f < profile->file_count; f++) {
        uint64_t value;
        pj_err problem = {.code = PJ_E_NONE};
        const char *path = path_of(profile->files[f], folder, arena);
        pj_str name = pj_str_of(path);
        list[f].name =
            folder ? path : pj_arena_text(arena, pj_str_from(name, folder_part(name).len));
        if (pj_fingerprint_file(profile->files[f], &job, &value, &list[f].bytes, &problem))
            pj_fingerprint_text(value, list[f].fingerprint);
        if (problem.code == PJ_E_STOPPED) {
            *err = problem;
            return false;
        }
    }
    *files = list;
    return true;
}
