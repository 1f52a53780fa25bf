// The same path is the same file; a handle belongs to its process.
#include "metrics/record/merge/unite_files.h"

#include "metrics/base/str.h"
#include "metrics/record/merge/part_log.h"
#include "metrics/record/rec_names.h"

// Fields of a line.
enum { PATH, KIND, INSTANCE, BEFORE };

static uint32_t word(pj_definition_table *strings, const char *text)
{
    return pj_definition_table_id(strings, pj_str_of(text));
}

/// Identifications as Score-P writes them.
static void add_paradigms(pj_definition_table *strings, pj_arena *arena, pj_recorded *out)
{
    pj_recorded_io_paradigm *made = pj_new_n(arena, pj_recorded_io_paradigm, PJ_REC_IO_KINDS);
    made[PJ_REC_IO_POSIX] =
        (pj_recorded_io_paradigm){word(strings, "POSIX"), word(strings, "POSIX I/O")};
    made[PJ_REC_IO_ISOC] =
        (pj_recorded_io_paradigm){word(strings, "ISOC"), word(strings, "ISO C I/O")};
    out->io_paradigms = made;
    out->io_paradigm_count = PJ_REC_IO_KINDS;
}

static void add_handle(pj_recorded_handle *to, pj_str line, pj_definition_table *paths,
                       pj_definition_table *strings)
{
    const pj_str path = pj_part_log_field(line, PATH);
    const uint64_t kind = pj_part_log_number(line, KIND);
    *to = (pj_recorded_handle){.name = pj_definition_table_id(strings, path),
                               .file = pj_definition_table_id(paths, path) - 1,
                               .paradigm = kind < PJ_REC_IO_KINDS ? (uint8_t)kind : 0,
                               .before = pj_part_log_number(line, BEFORE) != 0};
}

void pj_unite_files(const pj_united_part *parts, size_t count, pj_definition_table *strings,
                    pj_arena *arena, pj_recorded *out)
{
    uint32_t handles = 0;
    for (size_t i = 0; i < count; i++)
        handles += pj_part_log_count(parts[i].log, 'I');
    if (handles == 0)
        return;
    pj_definition_table *paths = pj_definition_table_new();
    pj_recorded_handle *all = pj_new_n(arena, pj_recorded_handle, handles);
    for (size_t i = 0; i < count; i++) {
        const uint32_t own = pj_part_log_count(parts[i].log, 'I');
        uint32_t *ids = pj_new_n(arena, uint32_t, own + (size_t)1);
        for (uint32_t k = 0; k < own; k++) {
            ids[k + 1] = out->handle_count++;
            add_handle(&all[ids[k + 1]], pj_part_log_line(parts[i].log, 'I', k), paths, strings);
        }
        ((pj_recorded_process *)&out->processes[i])->handles =
            (pj_recorded_map){.ids = own ? ids : NULL, .count = own};
    }
    add_paradigms(strings, arena, out);
    out->handles = all;
    out->file_count = pj_definition_table_count(paths);
    uint32_t *files = pj_new_n(arena, uint32_t, out->file_count);
    for (uint32_t i = 0; i < out->file_count; i++)
        files[i] = pj_definition_table_id(strings, pj_definition_table_text(paths, i + 1));
    out->files = files;
    pj_definition_table_free(paths);
}
