// popinjay report TRACE...|NOTEBOOK: the document that an assessment ends in.
#include "kernel/command/args/metrics_args.h"
#include "kernel/command/command.h"
#include "kernel/command/inputs.h"
#include "kernel/command/profile_inputs.h"
#include "kernel/command/session.h"
#include "kernel/command/value.h"
#include "kernel/report/profile_source.h"
#include "kernel/report/report.h"
#include "kernel/report/report_run.h"
#include "kernel/report/report_source.h"
#include "metrics/base/arena.h"
#include "metrics/base/err.h"
#include "metrics/base/newfile.h"
#include "metrics/base/str.h"
#include "metrics/profile/profile.h"
#include "widgets/report/report_notebook.h"
#include "widgets/report/report_profile.h"
#include "widgets/report/report_title.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct report_args {
    pj_load_args load;
    pj_metrics_args metrics;
    const char *output, *to;
    const char *before; // profile
    const char *id, *application, *author, *contributors, *date;
    bool code, as_is, overwrite;
} report_args;

static const char *format_choice(const pj_session *session, size_t index)
{
    (void)session;
    return pj_report_format_name(index);
}

/// The notebook among the inputs, or NULL when they are traces.
static const char *notebook_of(const pj_inputs *inputs)
{
    for (size_t i = 0; i < inputs->count; i++)
        if (inputs->items[i].kind == PJ_VALUE_TEXT &&
            pj_str_ends(pj_str_of(inputs->items[i].text), PJ_S(".ipynb")))
            return inputs->items[i].text;
    return NULL;
}

static pj_str after_last(pj_str text, char c)
{
    size_t at = pj_str_find_last(text, c);
    return at < text.len ? pj_str_from(text, at + 1) : (pj_str){0};
}

/// The format: --to, else the suffix of the output, else PDF.
static bool choose_format(const report_args *args, pj_report_format *format, pj_err *err)
{
    *format = PJ_REPORT_pdf;
    if (args->to)
        return pj_report_format_parse(pj_str_of(args->to), format);
    if (!args->output)
        return true;
    if (pj_report_format_parse(after_last(pj_str_of(args->output), '.'), format))
        return true;
    return pj_fail(err, PJ_E_USAGE, args->output, 0,
                   "the suffix of a report says its format: .pdf .html .md .ipynb");
}

/// Beside the working folder: the notebook's name or "report", with the format's suffix.
static const char *choose_output(const report_args *args, const char *notebook,
                                 pj_report_format format, pj_arena *arena)
{
    if (args->output)
        return args->output;
    pj_str stem = PJ_S("report");
    if (notebook) {
        pj_str slashed = after_last(pj_str_of(notebook), '/');
        stem = slashed.len ? slashed : pj_str_of(notebook);
        stem = pj_str_head(stem, stem.len - strlen(".ipynb"));
    }
    return pj_arena_format(arena, PJ_STR_FMT ".%s", PJ_STR_ARG(stem),
                           pj_report_format_name(format));
}

static pj_report_info info_of(const report_args *args)
{
    return (pj_report_info){.title = args->metrics.title,
                            .id = args->id,
                            .application = args->application,
                            .author = args->author,
                            .contributors = args->contributors,
                            .date = args->date,
                            .code = args->code};
}

static const char *folder_of(const char *path, pj_arena *arena)
{
    pj_str text = pj_str_of(path);
    size_t slash = pj_str_find_last(text, '/');
    const char *folder =
        slash < text.len ? pj_arena_text(arena, pj_str_head(text, slash + 1)) : ".";
    char *real = realpath(folder, NULL);
    const char *kept = pj_arena_text(arena, pj_str_of(real ? real : folder));
    free(real);
    return kept;
}

/// The title page of a standard report.
static pj_report_info title_page(const report_args *args, pj_arena *arena)
{
    const pj_report_info given = info_of(args);
    return pj_report_info_whole(&given, arena);
}

/// The standard report of profiles alone.
static json_t *write_profile(pj_session *session, const report_args *args,
                             const pj_report_source *from, pj_err *err)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_report_profile plan = {.info = title_page(args, arena),
                              .code = from->profile_code,
                              .before = from->before_code,
                              .file_count = from->profile->file_count};
    if (!pj_profile_source_files(session, from->profile, from->folder, arena, &plan.files, err))
        return NULL;
    return pj_report_profile_notebook(from->profile, &plan);
}

/// The standard report of the traces, not executed yet.
static json_t *write_traces(const report_args *args, pj_session *session,
                            const pj_report_source *given, pj_err *err)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_auto_value result = {0};
    pj_metrics_args metrics = args->metrics;
    metrics.title = NULL; // the report's, so that metrics given alone stay as they are
    if (!pj_metrics_args_run(session, given->load, &metrics, &result, err))
        return NULL;
    pj_report_info info = title_page(args, arena);
    pj_report_source from = *given;
    from.metrics = result.metrics;
    from.args = &metrics;
    return pj_report_source_notebook(session, &from, &info, err);
}

/// What reads the profile of before again, once it has been read.
static bool take_before(pj_session *session, const report_args *args, const pj_load_args *traces,
                        pj_report_source *from, pj_arena *arena, pj_err *err)
{
    pj_value named = pj_value_borrow_text(args->before);
    pj_profile_args files = {.inputs = {.items = &named, .count = 1},
                             .jobs = args->load.jobs,
                             .memory = args->load.memory};
    if (!from->profile || traces->inputs.count)
        return pj_fail(err, PJ_E_USAGE, NULL, 0,
                       "before: a report of profiles alone has one to be compared with");
    pj_auto_profile before = pj_profile_inputs(session, &files, err);
    from->before_code = before ? pj_profile_source_code(&files.inputs, from->folder, arena) : NULL;
    return before;
}

/// Of traces, of profiles, or of traces with a section about the profiles.
static json_t *write_standard(const pj_report *report, const report_args *args, const char *folder,
                              pj_err *err)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_auto_profile profile = NULL;
    pj_load_args load = args->load;
    pj_profile_args files = {.how = load.how, .jobs = load.jobs, .memory = load.memory};
    pj_profile_source_split(&args->load.inputs, arena, &files.inputs, &load.inputs);
    pj_report_source from = {.load = &load, .folder = folder, .summaries = report->summaries};
    if (files.inputs.count) {
        profile = pj_profile_inputs(report->session, &files, err);
        if (!profile)
            return NULL;
        from.profile = profile;
        from.profile_code = pj_profile_source_code(&files.inputs, folder, arena);
    }
    if (args->before && !take_before(report->session, args, &load, &from, arena, err))
        return NULL;
    return load.inputs.count || !profile ? write_traces(args, report->session, &from, err)
                                         : write_profile(report->session, args, &from, err);
}

/// What was read for the findings is kept for the notebook's kernel. Runs in memory may have been
/// read with other options than those given now.
static void keep_summaries(pj_report *report, const pj_inputs *inputs)
{
    for (size_t i = 0; i < inputs->count; i++)
        if (inputs->items[i].kind != PJ_VALUE_TEXT)
            return;
    const char *folder = pj_arena_format(report->arena, "%s/summaries", report->folder);
    if (mkdir(folder, 0700) == 0)
        report->summaries = folder;
}

static json_t *standard(pj_report *report, const report_args *args, const char *output, pj_err *err)
{
    bool keep = report->format == PJ_REPORT_ipynb;
    const char *folder = keep ? folder_of(output, report->arena) : NULL;
    if (!keep)
        keep_summaries(report, &args->load.inputs);
    json_t *notebook = write_standard(report, args, folder, err);
    if (!notebook || keep)
        return notebook;
    report->own = true;
    if (pj_report_run(report, notebook, err))
        return notebook;
    json_decref(notebook);
    return NULL;
}

static json_t *given(pj_report *report, const report_args *args, const char *path, pj_err *err)
{
    json_t *notebook =
        args->as_is ? pj_report_read(path, err) : pj_report_execute(report, path, err);
    if (!notebook)
        return NULL;
    pj_report_info info = info_of(args);
    pj_report_set_info(notebook, &info);
    report->origin = folder_of(path, report->arena);
    pj_report_source_complete(notebook, report->origin);
    return notebook;
}

static bool check_inputs(const report_args *args, const char *notebook, pj_err *err)
{
    if (!notebook)
        return !args->as_is ||
               pj_fail(err, PJ_E_USAGE, NULL, 0, "report: --as-is takes the outputs of a notebook");
    if (args->load.inputs.count > 1)
        return pj_fail(
            err, PJ_E_USAGE, NULL, 0,
            "report: one notebook, or traces and profiles, not several notebooks and not "
            "both");
    return access(notebook, R_OK) == 0 || pj_fail_io(err, notebook, "cannot be opened");
}

static bool run_report(pj_session *session, const void *args_given, pj_value *out, pj_err *err)
{
    (void)out;
    const report_args *args = args_given;
    pj_auto_report report = {0};
    pj_report_format format;
    const char *path = notebook_of(&args->load.inputs);
    if (!check_inputs(args, path, err) || !choose_format(args, &format, err))
        return false;
    if (!pj_report_open(&report, session, format, err))
        return false;
    const char *output = choose_output(args, path, format, report.arena);
    if (format == PJ_REPORT_ipynb && !args->overwrite && access(output, F_OK) == 0)
        return pj_fail(err, PJ_E_USAGE, output, 0,
                       "is there already, and what was written in it would be lost; choose another "
                       "name, or --overwrite");
    if (!pj_newfile_check(output, err))
        return false;
    json_t *notebook =
        path ? given(&report, args, path, err) : standard(&report, args, output, err);
    bool ok = notebook && pj_report_write(&report, notebook, output, err);
    json_decref(notebook);
    if (ok) {
        session->exports++;
        pj_session_wrote(session, output);
    }
    return ok;
}

static const pj_param params[] = {
    {.name = "output",
     .letter = 'o',
     .type = PJ_PARAM_PATH,
     .offset = offsetof(report_args, output),
     .shown = "FILE",
     .preset = "the notebook's name, or report.pdf",
     .suffix = pj_report_format_name,
     .help = "The report, its format by suffix."},
    {.name = "to",
     .type = PJ_PARAM_CHOICE,
     .offset = offsetof(report_args, to),
     .shown = "FORMAT",
     .choice = format_choice,
     .preset = "what the suffix says",
     .help = "PDF set by XeLaTeX; HTML in one file that needs nothing else and keeps hover texts; "
             "Markdown with pictures beside it; or the notebook itself."},
    {.name = "id",
     .type = PJ_PARAM_TEXT,
     .offset = offsetof(report_args, id),
     .shown = "ID",
     .help = "The report's number, for the title page."},
    {.name = "application",
     .type = PJ_PARAM_TEXT,
     .offset = offsetof(report_args, application),
     .shown = "NAME",
     .help = "The program that was analysed."},
    {.name = "author",
     .type = PJ_PARAM_TEXT,
     .offset = offsetof(report_args, author),
     .shown = "NAME",
     .help = "Who wrote the report."},
    {.name = "contributors",
     .type = PJ_PARAM_TEXT,
     .offset = offsetof(report_args, contributors),
     .shown = "NAMES",
     .help = "Who helped."},
    {.name = "date",
     .type = PJ_PARAM_TEXT,
     .offset = offsetof(report_args, date),
     .shown = "DATE",
     .preset = "today",
     .help = "The date on the title page."},
    {.name = "code",
     .type = PJ_PARAM_FLAG,
     .offset = offsetof(report_args, code),
     .help = "Prints the code cells too."},
    {.name = "as-is",
     .type = PJ_PARAM_FLAG,
     .offset = offsetof(report_args, as_is),
     .help = "Takes the outputs that are in the notebook instead of executing it; their pictures "
             "stay vectors in a PDF where rsvg-convert is installed (librsvg2-bin)."},
    {.name = "before",
     .type = PJ_PARAM_PATH,
     .offset = offsetof(report_args, before),
     .shown = "PROFILE",
     .help = "Of profiles: what has changed since this one (file, glob or folder)."},
    {.name = "overwrite",
     .type = PJ_PARAM_FLAG,
     .offset = offsetof(report_args, overwrite),
     .help = "Replaces a notebook that is there already; other reports are always replaced."},
    {0},
};

static const pj_param_group groups[] = {
    {.rows = pj_input_rows,
     .base = offsetof(report_args, load),
     .help = "Traces, profiles or both, for the standard report, or a notebook (.ipynb)."},
    {.rows = params},
    {.rows = pj_title_rows, .base = offsetof(report_args, metrics)},
    {.rows = pj_set_rows, .base = offsetof(report_args, metrics)},
    {.rows = pj_scaling_rows, .base = offsetof(report_args, metrics)},
    {.rows = pj_palette_rows, .base = offsetof(report_args, metrics)},
    {.rows = pj_reading_rows, .base = offsetof(report_args, load)},
    {.rows = pj_region_rows, .base = offsetof(report_args, load)},
    {.rows = pj_roi_cut_rows, .base = offsetof(report_args, load)},
    {0},
};

const pj_command pj_command_report = {
    .name = "report",
    .summary = "A report as PDF, HTML or Markdown, of traces, profiles or a notebook",
    .detail =
        "A notebook is executed in its own folder and stays as it is; traces give the "
        "standard report, whose findings are read off the numbers; profiles give one of their "
        "functions, ranks, lines and memory, beside traces a section. Its notebook, to go on "
        "from, is what .ipynb gives. Pictures in a notebook's text are taken along; PDF "
        "takes .png, .jpg and .pdf, and .svg where rsvg-convert is installed. Traces are "
        "read once, the largest again for its timeline; of large ones, give the summaries "
        "(popinjay preprocess) instead.\n"
        "HTML needs nothing else; a notebook of other kernels, and one with formulas, wants "
        "jupyter-nbconvert. PDF needs these packages of Debian: jupyter-nbconvert pandoc "
        "texlive-xetex texlive-fonts-recommended texlive-plain-generic.",
    .example = "popinjay report epoch_*.prv.gz --application EPOCH --author \"A. Analyst\" "
               "-o epoch.pdf",
    .faces = PJ_IN_BOTH,
    .groups = groups,
    .args_size = sizeof(report_args),
    .run = run_report,
};
