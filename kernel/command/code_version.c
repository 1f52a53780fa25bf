// The environment says commit and branch; the time of a commit is in the repository.
#include "kernel/command/code_version.h"

#include "kernel/command/child.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/file.h"
#include "metrics/base/str.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct {
    const char *commit, *branch, *time;
} systems[] = {
#define CI(commit, branch, time) {commit, branch, time},
#include "kernel/command/code_version.def"
#undef CI
};

static const char *setting(const char *name)
{
    const char *text = name ? getenv(name) : NULL;
    return text && *text ? text : NULL;
}

/// Names of commits reach a command line: nothing but hexadecimal digits does.
static bool is_commit(const char *text)
{
    enum { LEAST = 7, MOST = 64 };
    size_t length = strlen(text);
    return length >= LEAST && length <= MOST && strspn(text, "0123456789abcdefABCDEF") == length;
}

static pj_run_origin told(pj_arena *arena)
{
    pj_run_origin out = {.version = NULL};
    for (size_t i = 0; i < sizeof systems / sizeof *systems; i++) {
        const char *commit = setting(systems[i].commit), *branch = setting(systems[i].branch);
        const char *time = setting(systems[i].time);
        if (!commit || !is_commit(commit))
            continue;
        out.commit = pj_arena_text(arena, pj_str_of(commit));
        out.branch = branch ? pj_arena_text(arena, pj_str_of(branch)) : NULL;
        out.committed = time ? pj_arena_text(arena, pj_str_of(time)) : NULL;
        return out;
    }
    return out;
}

/// What git prints of the commit, or of the one that is checked out: its name, its time in UTC and
/// where it stands. Nothing of the repository's settings is run for it.
static bool ask_git(const char *commit, const char *file, const atomic_bool *stop, pj_buf *out)
{
    const char *const words[] = {"git",
                                 "--no-optional-locks",
                                 "-c",
                                 "core.fsmonitor=false",
                                 "-c",
                                 "log.showSignature=false",
                                 "show",
                                 "-s",
                                 "--no-color",
                                 "--date=format-local:%Y-%m-%dT%H:%M:%SZ",
                                 "--format=%H%n%cd%n%D",
                                 commit ? commit : "HEAD",
                                 "--",
                                 NULL};
    const char *const settings[] = {"TZ=UTC", "GIT_TERMINAL_PROMPT=0", NULL};
    const pj_child child = {.words = words,
                            .settings = settings,
                            .log = file,
                            .errors = "/dev/null",
                            .patience_ns = UINT64_C(5000000000)};
    pj_err err = {.code = PJ_E_NONE};
    return pj_child_run(&child, stop, &err) && pj_file_read(file, out, &err);
}

static const char *branch_of(pj_str decoration, pj_arena *arena)
{
    static const char here[] = "HEAD -> ";
    if (!pj_str_starts(decoration, (pj_str){here, sizeof here - 1}))
        return NULL;
    pj_str rest = pj_str_from(decoration, sizeof here - 1);
    return pj_arena_text(arena, pj_str_trim(pj_str_cut(&rest, ',')));
}

static void complete(pj_run_origin *out, const atomic_bool *stop, pj_arena *arena)
{
    const char *folder = setting("TMPDIR");
    pj_auto_buf path = {.at = NULL};
    pj_buf_addf(&path, "%s/popinjay-XXXXXX", folder ? folder : "/tmp");
    char *file = path.at;
    int descriptor = mkstemp(file);
    if (descriptor < 0)
        return;
    close(descriptor);
    pj_auto_buf text = {.at = NULL};
    if (ask_git(out->commit, file, stop, &text)) {
        pj_str rest = pj_buf_str(&text), commit = pj_str_cut(&rest, '\n');
        pj_str time = pj_str_cut(&rest, '\n');
        if (!out->commit)
            out->commit = pj_arena_text(arena, commit);
        if (time.len) // all in one zone, so that they can be put in order
            out->committed = pj_arena_text(arena, time);
        if (!out->branch)
            out->branch = branch_of(pj_str_cut(&rest, '\n'), arena);
    }
    unlink(file);
}

pj_run_origin pj_code_version(pj_arena *arena, const atomic_bool *stop)
{
    pj_run_origin out = told(arena);
    complete(&out, stop, arena);
    return out;
}
