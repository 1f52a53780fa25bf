// popinjay merge PROFILE... -o OUT: several profiles as one. popinjay merge FOLDER: the parts of a
// recording as an archive.
#include "kernel/command/command.h"
#include "kernel/command/export.h"
#include "kernel/command/profile_inputs.h"
#include "kernel/command/recording.h"
#include "kernel/command/session.h"
#include "kernel/command/value.h"
#include "metrics/base/err.h"
#include "metrics/profile/profile.h"

typedef struct merge_args {
    pj_profile_args files;
    const char *output;
    bool keep, profile;
} merge_args;

static bool run_merge(pj_session *session, const void *given, pj_value *out, pj_err *err)
{
    const merge_args *args = given;
    const char *paths[] = {args->output};
    const pj_exports exports = {.paths = {.items = paths, .count = args->output ? 1 : 0}};
    if (!args->output && pj_recording_inputs_are(&args->files.inputs))
        return pj_recording_merge(session, &args->files.inputs,
                                  (pj_recording_opts){args->keep, args->profile}, out, err);
    const char *merged = pj_recording_merged(&args->files.inputs);
    if (!args->output && merged)
        return pj_fail(err, PJ_E_USAGE, merged, 0,
                       "no parts are left to be merged: its archive or profile is made");
    if (!args->output && !session->lang)
        return pj_fail(err, PJ_E_USAGE, NULL, 0,
                       "say where to write the profile: -o all.prof (or .callgrind, .csv, ...)");
    if (!pj_export_check(&exports, err))
        return false;
    pj_profile_args files = args->files;
    files.align = true;
    pj_profile *profile = pj_profile_inputs(session, &files, err);
    if (!profile)
        return false;
    *out = pj_value_profile_take(profile);
    return pj_export_all(session, out, &exports, err);
}

static const pj_param params[] = {
    {.name = "output",
     .letter = 'o',
     .type = PJ_PARAM_TEXT,
     .offset = offsetof(merge_args, output),
     .shown = "FILE",
     .suffix = pj_export_suffix,
     .help = "The file to write, its format by suffix; in Lua the profile is given anyway."},
    {.name = "profile",
     .type = PJ_PARAM_FLAG,
     .offset = offsetof(merge_args, profile),
     .help = "Writes the call paths of a recorded trace as profile.cubex beside it."},
    {.name = "keep-files",
     .type = PJ_PARAM_FLAG,
     .offset = offsetof(merge_args, keep),
     .help = "Keeps the parts of a recording beside the archive that is made of them."},
    {0},
};

static const pj_param_group groups[] = {
    {.rows = pj_profile_input_rows,
     .base = offsetof(merge_args, files),
     .help = "Files, globs or folders; in Lua profiles too."},
    {.rows = params},
    {.rows = pj_profile_reading_rows, .base = offsetof(merge_args, files)},
    {0},
};

const pj_command pj_command_merge = {
    .name = "merge",
    .summary = "Several profiles as one; parts of a recording as an archive",
    .detail =
        "Functions that are the same in several files become one: by name, file and line, else "
        "by module and line, else by module where it has only one of that name. Formats that know "
        "no ranks (.prof, .callgrind) get the sums. A folder in which recorded processes have left "
        "their parts gets its archive, traces.otf2, also after one of them was killed.",
    .example = "popinjay merge cpu_*.prof -o all.prof",
    .faces = PJ_IN_BOTH,
    .groups = groups,
    .args_size = sizeof(merge_args),
    .run = run_merge,
};
