// Sources with their folders first, then without: profiles come from other machines.
#include "metrics/profile/listing/line_source.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/file.h"
#include "metrics/base/str.h"
#include "metrics/profile/profile.h"

static bool read_source(pj_line_source *s, uint32_t file)
{
    enum { SOURCE_BYTES = 64 << 20 };
    pj_str path = pj_profile_text(s->profile, file);
    pj_str base = pj_str_from(
        path, pj_str_find_last(path, '/') < path.len ? pj_str_find_last(path, '/') + 1 : 0);
    pj_str folder = pj_str_of(s->profile->file_count ? s->profile->files[0] : "");
    size_t slash = pj_str_find_last(folder, '/');
    const char *asked = s->folder ? s->folder : "";
    const char *tries[] = {
        pj_arena_format(s->arena, "%s/" PJ_STR_FMT, asked, PJ_STR_ARG(path)),
        pj_arena_format(s->arena, "%s/" PJ_STR_FMT, asked, PJ_STR_ARG(base)),
        pj_arena_text(s->arena, path),
        pj_arena_format(s->arena, PJ_STR_FMT PJ_STR_FMT,
                        PJ_STR_ARG(pj_str_head(folder, slash < folder.len ? slash + 1 : 0)),
                        PJ_STR_ARG(base)),
    };
    s->file = file;
    s->text.len = 0;
    s->rest_line = 0;
    for (size_t i = s->folder ? 0 : 2; i < sizeof tries / sizeof *tries; i++)
        if (path.len && pj_file_is_regular(tries[i]) && pj_file_read(tries[i], &s->text, NULL))
            return s->text.len <= SOURCE_BYTES;
    return false;
}

pj_str pj_line_source_from(pj_line_source *source, uint32_t file, uint32_t line)
{
    if (file != source->file)
        read_source(source, file);
    if (!source->rest_line || line < source->rest_line) {
        source->rest = pj_buf_str(&source->text);
        source->rest_line = 1;
    }
    for (; source->rest_line < line && source->rest.len; source->rest_line++)
        source->rest = pj_str_from(source->rest, pj_str_find(source->rest, '\n') + 1);
    return source->rest;
}

pj_str pj_line_source_cut(pj_str *text)
{
    pj_str line = pj_str_cut(text, '\n');
    while (line.len && line.at[line.len - 1] == '\r')
        line.len--;
    return line;
}

void pj_line_source_free(pj_line_source *source)
{
    pj_buf_free(&source->text);
}
