// Merges the parts that recorded processes have left.
#include "kernel/command/recording.h"

#include "metrics/analyse/load.h"
#include "metrics/analyse/profile_run.h"
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/job.h"
#include "metrics/base/newfile.h"
#include "metrics/base/str.h"
#include "metrics/profile/profile.h"
#include "metrics/profile/write/profile_write.h"
#include "metrics/record/merge/merge_parts.h"
#include "metrics/table/table.h"

#include <limits.h>
#include <stdio.h>
#include <unistd.h>

static const char *folder_of(const pj_inputs *inputs, size_t i)
{
    return inputs->items[i].kind == PJ_VALUE_TEXT ? inputs->items[i].text : NULL;
}

bool pj_recording_inputs_are(const pj_inputs *inputs)
{
    size_t count = 0;
    while (count < inputs->count && folder_of(inputs, count) &&
           pj_merge_parts_are(folder_of(inputs, count)))
        count++;
    return count > 0 && count == inputs->count;
}

const char *pj_recording_merged(const pj_inputs *inputs)
{
    char facts[PATH_MAX];
    for (size_t i = 0; i < inputs->count; i++) {
        const char *folder = folder_of(inputs, i);
        const int size =
            folder ? snprintf(facts, sizeof facts, "%s/popinjay.run", folder) : (int)sizeof facts;
        if ((size_t)size < sizeof facts && access(facts, R_OK) == 0 && !pj_merge_parts_are(folder))
            return folder;
    }
    return NULL;
}

static void tell(void *self, const pj_err *what)
{
    char text[2048];
    if (what->code != PJ_E_NONE)
        pj_session_complain(self, what);
    else
        pj_session_say(self, "%s\n", pj_err_message(what, text, sizeof text));
}

static pj_table *new_table(void)
{
    pj_table *table = pj_table_new("");
    table->title = "Merged recordings";
    pj_table_add_column(table, (pj_column){.key = "archive", .title = "archive"});
    pj_table_add_column(table, (pj_column){.key = "processes", .title = "processes"});
    pj_table_add_column(table, (pj_column){.key = "locations", .title = "locations"});
    pj_table_add_column(table, (pj_column){.key = "events", .title = "events"});
    return table;
}

bool pj_recording_profile(pj_session *session, const char *folder, pj_err *err)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_auto_buf bytes = {0};
    pj_job job = {.stop = session->stop};
    const char *trace = pj_arena_format(arena, "%s/traces.otf2", folder);
    pj_auto_profile profile = pj_profile_run(trace, (pj_load_opts){0}, &job, NULL, err);
    return profile && pj_profile_writer_of(PJ_S("cubex"))->write(profile, &job, &bytes, err) &&
           pj_newfile_put(pj_arena_format(arena, "%s/profile.cubex", folder), pj_buf_str(&bytes),
                          err);
}

bool pj_recording_merge(pj_session *session, const pj_inputs *inputs, pj_recording_opts how,
                        pj_value *out, pj_err *err)
{
    pj_table *table = new_table();
    *out = pj_value_table_take(table);
    for (size_t i = 0; i < inputs->count; i++) {
        const char *folder = folder_of(inputs, i);
        const pj_merge_parts_opts opts = {.keep = how.keep, .tell = tell, .self = session};
        pj_merged_parts merged;
        if (!pj_merge_parts(folder, opts, &merged, err) ||
            (how.profile && !merged.profile && !pj_recording_profile(session, folder, err)))
            return false;
        const char *archive = pj_arena_format(table->arena, "%s/%s", folder,
                                              merged.profile ? "profile.cubex" : "traces.otf2");
        pj_session_wrote(session, archive);
        pj_cell *cells = pj_table_add_row(table);
        cells[0] = pj_cell_text(archive);
        cells[1] = pj_cell_int((int64_t)merged.processes);
        cells[2] = pj_cell_int((int64_t)merged.locations);
        cells[3] = pj_cell_int((int64_t)(merged.profile ? merged.visits : merged.events));
    }
    return true;
}
