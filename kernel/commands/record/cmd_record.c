// popinjay record -- COMMAND: runs a program so that the Python processes and the programs with MPI
// in it are recorded, and makes one archive of what they leave.
#include "kernel/command/command.h"
#include "kernel/command/face.h"
#include "kernel/command/inputs.h"
#include "kernel/command/profile_inputs.h"
#include "kernel/command/session.h"
#include "kernel/command/value.h"
#include "kernel/commands/record/record_archive.h"
#include "kernel/commands/record/record_cases.h"
#include "kernel/commands/record/record_mpi.h"
#include "kernel/commands/record/record_opts.h"
#include "kernel/commands/record/record_order.h"
#include "kernel/commands/record/record_run.h"
#include "kernel/commands/record/record_study.h"
#include "metrics/analyse/load.h"
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "metrics/profile/profile.h"

typedef struct record_args {
    const char *folder, *command, *script, *compiler;
    bool path;
    pj_texts args;
    pj_record_opts opts;
    pj_record_plan plan;
} record_args;

static bool print_site(const pj_session *session, pj_err *err)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    const char *site = pj_record_site(arena, err);
    if (site)
        pj_face_print(session->face, PJ_STDOUT, pj_str_of(pj_arena_format(arena, "%s\n", site)));
    return site;
}

static void say_what(pj_session *session, const record_args *args, const char *folder,
                     const pj_record_made *recorded)
{
    pj_auto_buf told = {0};
    if (args->opts.quiet || session->face->rich)
        return;
    pj_record_archive_told(&recorded->merged, folder, &told);
    pj_session_say(session, "popinjay: %s: %s/%s", told.at, folder,
                   pj_record_archive_name(&recorded->merged));
}

/// In the language a failed program is a complaint, and what was recorded is the value.
static bool load(pj_session *session, const char *folder, const pj_record_made *recorded,
                 pj_value *out, pj_err *err)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_value path = pj_value_borrow_text(
        pj_arena_format(arena, "%s/%s", folder, pj_record_archive_name(&recorded->merged)));
    const pj_inputs inputs = {.items = &path, .count = 1};
    pj_err failed = {0};
    if (recorded->status != 0) {
        pj_fail(&failed, PJ_E_IO, NULL, 0, "the program ended with status %d", recorded->status);
        pj_session_complain(session, &failed);
    }
    if (!recorded->merged.profile)
        return pj_inputs_load(session, &(pj_load_args){.inputs = inputs}, (pj_load_opts){0}, out,
                              err);
    pj_profile *profile = pj_profile_inputs(session, &(pj_profile_args){.inputs = inputs}, err);
    if (profile)
        *out = pj_value_profile_take(profile);
    return profile != NULL;
}

static bool record_one(pj_session *session, const record_args *args, const pj_record_order *order,
                       pj_value *out, pj_err *err)
{
    if (!pj_record_order_begin(order, false, err))
        return false;
    const pj_record_run run = {.words = order->words,
                               .folder = order->folder,
                               .opts = &order->opts,
                               .options = &order->options,
                               .foreground = !session->lang};
    pj_record_made recorded;
    bool ok = pj_record_run_it(session, &run, &recorded, err);
    if (ok)
        say_what(session, args, order->folder, &recorded);
    if (session->lang || !recorded.ran)
        return ok && load(session, order->folder, &recorded, out, err);
    if (!ok)
        pj_session_complain(session, err);
    // A failed merge is told by the status only where the program's own tells nothing.
    session->complaints = recorded.status == 0 && recorded.partial;
    session->status = recorded.status;
    return true;
}

static bool run_record(pj_session *session, const void *given, pj_value *out, pj_err *err)
{
    const record_args *args = given;
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_record_order order;
    if (args->path)
        return print_site(session, err);
    if (args->compiler)
        return pj_record_mpi_build(session, args->compiler, err);
    bool study = pj_record_plan_is_study(&args->plan);
    const pj_record_said said = {.command = args->command,
                                 .script = args->script,
                                 .folder = args->folder,
                                 .args = &args->args,
                                 .opts = &args->opts,
                                 .study = study};
    if (!pj_record_order_of(&said, arena, &order, err) ||
        !pj_record_opts_check(&args->opts, session->stop, err))
        return false;
    return study ? pj_record_study(session, &args->plan, &order, out, err)
                 : record_one(session, args, &order, out, err);
}

static const pj_param params[] = {
    {.name = "out",
     .letter = 'o',
     .type = PJ_PARAM_PATH,
     .offset = offsetof(record_args, folder),
     .shown = "DIR",
     .preset = "name, date and time of the program",
     .help = "The folder of the recording; one that is there is renamed by its date."},
    {.name = "quiet",
     .letter = 'q',
     .type = PJ_PARAM_FLAG,
     .offset = offsetof(record_args, opts.quiet),
     .help = "Print nothing when all goes well."},
    {.name = "pythonpath",
     .type = PJ_PARAM_FLAG,
     .offset = offsetof(record_args, path),
     .help = "Print the folder for PYTHONPATH with which `python3 -m popinjay app.py` works."},
    {.name = "build_mpi",
     .type = PJ_PARAM_TEXT,
     .offset = offsetof(record_args, compiler),
     .shown = "MPICC",
     .help = "Make the wrappers of another MPI than Open MPI and those of MPICH's kind, with "
             "its compiler (--build-mpi mpicc); they lie in ~/.local/share/popinjay/mpi and are "
             "taken for all programs that need its library."},
    {.name = "script",
     .type = PJ_PARAM_TEXT,
     .body = true,
     .offset = offsetof(record_args, script),
     .shown = "TEXT",
     .help = "The text of a Python program in place of a command, kept as cell.py in DIR; in a "
             "notebook what stands below a %record line without a command."},
    {.name = "command",
     .type = PJ_PARAM_PATH,
     .place = PJ_IN_BOTH,
     .offset = offsetof(record_args, command),
     .shown = "COMMAND",
     .help = "What to run: python3 app.py, mpirun -n 4 python3 app.py, mpirun -n 4 ./heat."},
    {.name = "args",
     .type = PJ_PARAM_REST,
     .place = PJ_IN_BOTH,
     .offset = offsetof(record_args, args),
     .shown = "ARG",
     .help = "Everything behind the command is its own."},
    {0},
};

static const pj_param_group groups[] = {
    {.rows = params},
    {.rows = pj_record_rows, .base = offsetof(record_args, opts)},
    {.rows = pj_record_plan_rows, .base = offsetof(record_args, plan)},
    {0},
};

const pj_command pj_command_record = {
    .name = "record",
    .summary = "Run a program and record its Python functions and MPI calls as an OTF2 archive",
    .detail =
        "Every Python (CPython 3.8 to 3.13) that the command starts writes each call of a "
        "function, with all its threads and child processes; MPI calls, messages and collectives "
        "of mpi4py and of programs in C are there too (Open MPI and MPICH). DIR/traces.otf2 is the "
        "archive. "
        "Output and exit status are the command's (1 where it succeeds and something of its "
        "recording cannot be merged), signals go on to it, and a process that is killed loses "
        "nothing.\n"
        "A program can name regions itself: import popinjay, with popinjay.region(\"name\"): ...; "
        "scripts for Score-P's Python bindings (import scorep.user) and PyOP2's timers run "
        "unchanged. Processes that go on behind the command's end are added by popinjay merge "
        "DIR.\n"
        "DIR/popinjay.run says what the recording was made of: command, host, version of the code "
        "(git describe), variables of the environment that matter, status. In a notebook the value "
        "is the run: metrics(record \"mpirun -n 4 python3 app.py\").\n"
        "With numbers of ranks or threads, or --repeat, it is a scaling study: every size is "
        "recorded once, then again, each in a folder of its own in DIR (NAME-study), which "
        "popinjay metrics takes as a whole. A case that fails is told of and moved to DIR/aside, "
        "the others go on; after an interrupt --resume goes on. record{\"python3 app.py\", ranks "
        "= {1, 2, 4}, repetitions = 3} gives the runs.",
    .example = "popinjay record -- python3 app.py",
    .faces = PJ_IN_BOTH,
    .groups = groups,
    .args_size = sizeof(record_args),
    .run = run_record,
};
