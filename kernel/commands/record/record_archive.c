// From parts to an archive.
#include "kernel/commands/record/record_archive.h"

#include "kernel/command/recording.h"
#include "metrics/base/arena.h"
#include "metrics/base/num.h"
#include "metrics/base/str.h"

#include <dirent.h>
#include <signal.h>
#include <sys/stat.h>
#include <time.h>

enum {
    SENTENCE_MOST = 1600,
    REST_STEPS = 100, // together one second
    REST_STEP_NS = 10000000,
};
static const double BYTES_PER_MB = 1e6;

uint64_t pj_record_archive_bytes(const char *folder)
{
    uint64_t bytes = 0;
    pj_auto_arena arena = pj_arena_new(NULL);
    const char *path = pj_arena_format(arena, "%s/traces", folder);
    DIR *files = opendir(path);
    const struct dirent *entry;
    while (files && (entry = readdir(files))) {
        struct stat info;
        if (stat(pj_arena_format(arena, "%s/%s", path, entry->d_name), &info) == 0 &&
            S_ISREG(info.st_mode))
            bytes += (uint64_t)info.st_size;
    }
    if (files)
        closedir(files);
    return bytes;
}

static const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

const char *pj_record_archive_name(const pj_merged_parts *merged)
{
    return merged->profile ? "profile.cubex" : "traces.otf2";
}

static void tell_profile(const pj_merged_parts *merged, pj_buf *out)
{
    pj_buf_addf(out, "%llu call%s on %llu call path%s of %llu process%s and %llu thread%s",
                (unsigned long long)merged->visits, plural(merged->visits),
                (unsigned long long)merged->paths, plural(merged->paths),
                (unsigned long long)merged->processes, merged->processes == 1 ? "" : "es",
                (unsigned long long)merged->locations, plural(merged->locations));
}

static void tell_left_out(const pj_merged_parts *merged, pj_buf *out)
{
    if (merged->short_calls)
        pj_buf_addf(out, ", without %llu short call%s", (unsigned long long)merged->short_calls,
                    plural(merged->short_calls));
    if (merged->switched_off)
        pj_buf_addf(out, ", %llu function%s switched off", (unsigned long long)merged->switched_off,
                    plural(merged->switched_off));
}

void pj_record_archive_told(const pj_merged_parts *merged, const char *folder, pj_buf *out)
{
    if (merged->profile) {
        tell_profile(merged, out);
        tell_left_out(merged, out);
        return;
    }
    pj_buf_addf(out, "%llu event%s of %llu process%s and %llu thread%s, %.3g MB",
                (unsigned long long)merged->events, plural(merged->events),
                (unsigned long long)merged->processes, merged->processes == 1 ? "" : "es",
                (unsigned long long)merged->locations, plural(merged->locations),
                (double)pj_record_archive_bytes(folder) / BYTES_PER_MB);
    tell_left_out(merged, out);
}

/// Of what a merge tells: a part that is left out because its process still runs is told of, but
/// it is no failure.
typedef struct listener {
    pj_session *session;
    const pj_record_left *left;
} listener;

static void tell(void *self, const pj_err *what)
{
    char text[SENTENCE_MOST];
    const listener *l = self;
    bool note = what->code == PJ_E_NONE || what->code == PJ_E_MISSING;
    pj_buf_addf(l->left->notes, "%s\n", what->text);
    if (!note)
        pj_session_complain(l->session, what);
    else if (!l->left->opts->quiet && (what->code != PJ_E_NONE || l->left->failed))
        pj_session_say(l->session, "popinjay: %s", pj_err_message(what, text, sizeof text));
}

/// Of a part "host.pid.ns".
static pid_t process_of(pj_str part)
{
    uint64_t pid = 0;
    pj_str head = pj_str_head(part, pj_str_find_last(part, '.'));
    return pj_parse_u64(pj_str_from(head, pj_str_find_last(head, '.') + 1), &pid) ? (pid_t)pid : 0;
}

static bool any_runs(const char *parts)
{
    bool runs = false;
    DIR *folder = opendir(parts);
    const struct dirent *entry;
    while (folder && !runs && (entry = readdir(folder))) {
        pid_t pid = entry->d_name[0] == '.' ? 0 : process_of(pj_str_of(entry->d_name));
        runs = pid > 0 && kill(pid, 0) == 0;
    }
    if (folder)
        closedir(folder);
    return runs;
}

/// Children that the program did not wait for are often about to end.
static void wait_for_rest(const char *folder)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    const char *parts = pj_arena_format(arena, "%s/parts", folder);
    for (int i = 0; i < REST_STEPS && any_runs(parts); i++)
        nanosleep(&(struct timespec){.tv_nsec = REST_STEP_NS}, NULL);
}

bool pj_record_archive(pj_session *session, const pj_record_left *left, pj_merged_parts *merged,
                       pj_err *err)
{
    listener l = {.session = session, .left = left};
    const char *folder = left->folder;
    if (!pj_merge_parts_are(folder) && left->failed)
        return pj_fail(err, PJ_E_MISSING, folder, 0, "nothing was recorded: the program failed");
    if (!pj_merge_parts_are(folder))
        return pj_fail(err, PJ_E_MISSING, folder, 0,
                       "nothing was recorded: no Python that reads PYTHONPATH (-I, -E and -S leave "
                       "it out) and no program with MPI was started; one in C that a script "
                       "starts is recorded where popinjay record stands before it there");
    wait_for_rest(folder);
    const pj_merge_parts_opts how = {.keep = left->opts->keep, .tell = tell, .self = &l};
    return pj_merge_parts(folder, how, merged, err) &&
           (!left->opts->profile || merged->profile || pj_recording_profile(session, folder, err));
}
