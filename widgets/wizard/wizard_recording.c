// Page of recording: a program, its sizes, and the runs that come of it, which go to the first
// page.
#include "metrics/analyse/paths.h"
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "widgets/wizard/wizard.h"
#include "widgets/wizard/wizard_pieces.h"
#include "widgets/wizard/wizard_record.h"
#include "widgets/wizard/wizard_recorder.h"

#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

enum { MOST_WORDS = 16 };

typedef struct recording_page {
    pj_piece command, ranks, threads, repeat, folder, crowd, resume;
    pj_piece start, cancel, all, said;
    const char *into; // the folder of the recording at work
} recording_page;

static recording_page *page_of(const pj_wizard *wizard)
{
    return wizard->pages[PJ_STEP_recording];
}

static const char *text_of(const pj_wizard *wizard, pj_piece part)
{
    return pj_piece_text(&wizard->parts, part);
}

/// Numbers as the user wrote them, "1, 2,4", without what does not belong there.
static const char *list_of(const pj_wizard *wizard, pj_piece part, pj_arena *arena)
{
    pj_auto_buf list = {0};
    for (const char *at = text_of(wizard, part); *at; at++)
        if ((*at >= '0' && *at <= '9') || *at == ',')
            pj_buf_add_char(&list, *at);
        else if (*at == ' ' && list.len && list.at[list.len - 1] != ',')
            pj_buf_add_char(&list, ',');
    while (list.len && list.at[list.len - 1] == ',')
        list.len--;
    return pj_arena_text(arena, pj_buf_str(&list));
}

/// Where it goes when the user does not say: "app" of "mpirun -n 2 python3 app.py", made a name.
static const char *folder_of(const pj_wizard *wizard, pj_arena *arena)
{
    const char *folder = text_of(wizard, page_of(wizard)->folder);
    return *folder ? pj_arena_text(arena, pj_str_of(folder)) : "recording";
}

static long long repeat_of(const pj_wizard *wizard)
{
    return pj_piece_value(&wizard->parts, page_of(wizard)->repeat);
}

/// What stands behind `popinjay record`, ends with the command as one word.
static size_t words_of(const pj_wizard *wizard, pj_arena *arena, const char **words)
{
    const recording_page *page = page_of(wizard);
    const char *ranks = list_of(wizard, page->ranks, arena);
    const char *threads = list_of(wizard, page->threads, arena);
    size_t count = 0;
    words[count++] = pj_arena_format(arena, "--out=%s", folder_of(wizard, arena));
    if (*ranks)
        words[count++] = pj_arena_format(arena, "--ranks=%s", ranks);
    if (*threads)
        words[count++] = pj_arena_format(arena, "--threads=%s", threads);
    words[count++] = pj_arena_format(arena, "--repeat=%lld", repeat_of(wizard));
    if (pj_piece_is_on(&wizard->parts, page->crowd))
        words[count++] = "--oversubscribe";
    if (pj_piece_is_on(&wizard->parts, page->resume))
        words[count++] = "--resume";
    words[count++] = "--";
    words[count++] = pj_arena_text(arena, pj_str_of(text_of(wizard, page->command)));
    return count;
}

static void show_state(pj_wizard *wizard)
{
    const recording_page *page = page_of(wizard);
    bool busy = wizard->recorder != NULL;
    pj_piece_enable(&wizard->parts, page->start, !busy && *text_of(wizard, page->command));
    pj_piece_enable(&wizard->parts, page->cancel, busy);
    pj_piece_show(&wizard->parts, page->all, busy);
}

static void on_start(void *context)
{
    pj_wizard *wizard = context;
    recording_page *page = page_of(wizard);
    pj_auto_arena arena = pj_arena_new(NULL);
    const char *words[MOST_WORDS];
    if (wizard->recorder || !*text_of(wizard, page->command))
        return;
    size_t count = words_of(wizard, arena, words);
    page->into = pj_arena_text(wizard->arena, pj_str_of(folder_of(wizard, arena)));
    pj_piece_tell(&wizard->parts, page->said, "starting");
    pj_piece_set(&wizard->parts, page->all, "value", json_real(0));
    wizard->recorder =
        pj_wizard_recorder_start(&wizard->host, words, count, pj_wizard_call, wizard);
    show_state(wizard);
}

static void on_cancel(void *context)
{
    const pj_wizard *wizard = context;
    if (!wizard->recorder)
        return;
    pj_wizard_recorder_stop(wizard->recorder);
    pj_piece_enable(&wizard->parts, page_of(wizard)->cancel, false);
}

static void on_field(void *context)
{
    show_state(context);
}

/// The recorded runs join the chosen ones; how many there are.
static size_t choose_runs(pj_wizard *wizard)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_paths paths = {0};
    const char *into = page_of(wizard)->into;
    char *whole = realpath(into, NULL);
    if (whole)
        pj_ignore(pj_paths_runs(whole, arena, &paths, NULL));
    for (size_t i = 0; i < paths.count; i++)
        pj_wizard_choose(wizard, paths.items[i], NULL);
    free(whole);
    free((void *)paths.items);
    return paths.count;
}

static void end_recording(pj_wizard *wizard)
{
    const recording_page *page = page_of(wizard);
    pj_auto_buf said = {0};
    pj_err err = {.code = PJ_E_NONE};
    bool good = pj_wizard_recorder_good(wizard->recorder, &err);
    pj_wizard_recorder_free(wizard->recorder);
    wizard->recorder = NULL;
    size_t runs = choose_runs(wizard);
    pj_buf_addf(&said, "%s%s%zu run%s of %s %s on the page Files",
                good                       ? ""
                : err.code == PJ_E_STOPPED ? "Cancelled"
                                           : err.text,
                good ? "" : "; ", runs, runs == 1 ? "" : "s", page->into, runs == 1 ? "is" : "are");
    pj_piece_tell(&wizard->parts, page->said, said.at);
    show_state(wizard);
    pj_wizard_refresh(wizard);
    if (good && runs)
        pj_wizard_turn(wizard, PJ_STEP_traces);
}

void pj_wizard_recording_news(pj_wizard *wizard)
{
    const recording_page *page = page_of(wizard);
    pj_auto_arena arena = pj_arena_new(NULL);
    uint64_t done, total;
    if (!wizard->recorder)
        return;
    bool ended = pj_wizard_recorder_ended(wizard->recorder);
    const char *said = pj_wizard_recorder_said(wizard->recorder, arena, &done, &total);
    pj_piece_tell(&wizard->parts, page->said, said);
    pj_piece_set(&wizard->parts, page->all, "value",
                 json_real(total ? (double)done / (double)total : 0));
    if (ended)
        end_recording(wizard);
}

static pj_piece entry(pj_wizard *wizard, const char *label, const char *placeholder,
                      const char *key)
{
    pj_piece part = pj_piece_live_entry(&wizard->parts, label, placeholder);
    pj_wizard_keep(wizard, key, part, NULL);
    pj_piece_on(&wizard->parts, part, "value", on_field);
    return part;
}

static pj_piece build_buttons(pj_wizard *wizard, recording_page *page)
{
    pj_pieces *parts = &wizard->parts;
    page->start = pj_piece_button(parts, "Record", "circle", "Runs the program, recorded");
    pj_piece_set(parts, page->start, "button_style", json_string("primary"));
    page->cancel =
        pj_piece_button(parts, "Interrupt", "stop", "Ends the program; finished runs stay");
    page->all = pj_piece_new(parts, "FloatProgress",
                             json_pack("{s:f, s:{s:s, s:s}}", "max", 1.0, "layout", "width",
                                       "320px", "display", "none"));
    pj_piece_on(parts, page->start, NULL, on_start);
    pj_piece_on(parts, page->cancel, NULL, on_cancel);
    return PJ_PIECE_ROW(parts, page->start, page->cancel, page->all);
}

static pj_piece build(pj_wizard *wizard)
{
    static const char intro[] = "<b>A program, recorded</b>: Python with all its functions, MPI of "
                                "Python and of C. Several "
                                "numbers of ranks make a scaling study.";
    pj_pieces *parts = &wizard->parts;
    recording_page *page = pj_new(wizard->arena, recording_page);
    wizard->pages[PJ_STEP_recording] = page;
    page->command = entry(wizard, "Command", "python3 app.py", "record_command");
    page->ranks = entry(wizard, "Ranks", "as the command says, or 1,2,4", "record_ranks");
    page->threads = entry(wizard, "Threads", "of each rank: 1,2", "record_threads");
    page->repeat = pj_piece_number(parts, "BoundedIntText", "Repetitions",
                                   json_pack("{s:i, s:i, s:i}", "min", 1, "max", 1000, "value", 1));
    pj_wizard_keep(wizard, "record_repeat", page->repeat, NULL);
    page->folder = entry(wizard, "Into", "recording", "record_folder");
    page->crowd = pj_piece_check(parts, "More threads than cores are fine", false);
    pj_wizard_keep(wizard, "record_crowd", page->crowd, NULL);
    page->resume = pj_piece_check(parts, "Go on with the study in the folder", false);
    pj_wizard_keep(wizard, "record_resume", page->resume, NULL);
    pj_piece buttons = build_buttons(wizard, page);
    page->said = pj_piece_html(parts, "");
    const pj_piece all[] = {pj_piece_html(parts, intro),
                            page->command,
                            page->ranks,
                            page->threads,
                            page->repeat,
                            page->folder,
                            page->crowd,
                            page->resume,
                            buttons,
                            page->said,
                            NULL};
    show_state(wizard);
    return pj_piece_box(parts, "VBox", all);
}

static bool useful(const pj_wizard *wizard)
{
    return wizard->host.record;
}

static void refresh(pj_wizard *wizard)
{
    show_state(wizard);
}

static void code_list(const pj_wizard *wizard, const char *key, pj_piece part, pj_buf *out)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    const char *list = list_of(wizard, part, arena);
    if (*list)
        pj_buf_addf(out, ", %s = {%s}", key, list);
}

static void code(const pj_wizard *wizard, pj_buf *out)
{
    const recording_page *page = page_of(wizard);
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_buf_puts(out, "runs = record{");
    pj_wizard_code_text(out, text_of(wizard, page->command));
    code_list(wizard, "ranks", page->ranks, out);
    code_list(wizard, "threads", page->threads, out);
    if (repeat_of(wizard) > 1)
        pj_buf_addf(out, ", repetitions = %lld", repeat_of(wizard));
    pj_buf_puts(out, ", out = ");
    pj_wizard_code_text(out, folder_of(wizard, arena));
    if (pj_piece_is_on(&wizard->parts, page->crowd))
        pj_buf_puts(out, ", oversubscribe = true");
    if (pj_piece_is_on(&wizard->parts, page->resume))
        pj_buf_puts(out, ", resume = true");
    pj_buf_puts(out, "}\nmetrics(runs)\n");
}

const pj_wizard_step pj_wizard_step_recording = {
    .build = build, .useful = useful, .refresh = refresh, .code = code};
