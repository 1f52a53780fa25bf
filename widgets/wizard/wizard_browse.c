// Folders and files to choose from.
// One list holds folders and files; what is shown of a folder is what the filters let through.
#include "widgets/wizard/wizard_browse.h"

#include "metrics/analyse/folder_list.h"
#include "metrics/analyse/paths.h"
#include "metrics/analyse/rank_runs.h"
#include "metrics/analyse/trace_files.h"
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/newfile.h"
#include "metrics/base/num.h"
#include "metrics/base/str.h"
#include "metrics/base/utf8.h"
#include "widgets/ipy/widget.h"
#include "widgets/wizard/wizard.h"
#include "widgets/wizard/wizard_pieces.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_SHOWN = 2000, MOST_RECENT = 8, MOST_UPLOAD_MB = 64 };

struct pj_browser {
    pj_wizard *wizard;
    void (*changed)(pj_wizard *wizard);
    pj_piece folder, recent, format, name, list, typed, upload, said, box;
    const char *went, *went_shown; // a folder as it is and as its field shows it
    pj_arena *arena;               // of the entries
    const char *listed;            // the folder that they are of
    pj_folder found;
    size_t *shown; // places in the entries
    size_t shown_count;
};

static pj_browser *of(void *wizard)
{
    return ((const pj_wizard *)wizard)->browser;
}

static void say(const pj_browser *browser, const char *text)
{
    pj_piece_tell(&browser->wizard->parts, browser->said, text);
}

// The list

/// `*` and `?` in a pattern; without them it is looked for anywhere in the name.
static bool matches(pj_str pattern, pj_str name)
{
    size_t p = 0, n = 0, star = SIZE_MAX, mark = 0;
    while (n < name.len) {
        if (p < pattern.len && (pattern.at[p] == '?' || pattern.at[p] == name.at[n])) {
            p++;
            n++;
        } else if (p < pattern.len && pattern.at[p] == '*') {
            star = p++;
            mark = n;
        } else if (star < SIZE_MAX) {
            p = star + 1;
            n = ++mark;
        } else {
            return false;
        }
    }
    while (p < pattern.len && pattern.at[p] == '*')
        p++;
    return p == pattern.len;
}

/// Of traces, then profiles; NULL past the end.
static const char *format_at(size_t index)
{
    const char *title = pj_trace_files_title(index);
    bool last = !title && (index == 0 || pj_trace_files_title(index - 1));
    return last ? PJ_FOLDER_PROFILE : title;
}

static bool passes(const pj_browser *browser, const pj_folder_entry *entry)
{
    const pj_wizard *wizard = browser->wizard;
    if (entry->folder)
        return true;
    int format = pj_piece_index(&wizard->parts, browser->format);
    const char *wanted = format > 1 ? format_at((size_t)format - 2) : NULL;
    if (format != 1 && !entry->format)
        return false;
    if (wanted && strcmp(wanted, entry->format) != 0)
        return false;
    pj_str name = pj_str_of(entry->name);
    pj_str pattern = pj_str_of(pj_piece_text(&wizard->parts, browser->name));
    bool glob = pj_str_find(pattern, '*') < pattern.len || pj_str_find(pattern, '?') < pattern.len;
    return glob ? matches(pattern, name) : pj_str_contains(name, pattern);
}

static void filter(pj_browser *browser)
{
    json_t *labels = json_array();
    size_t left = 0;
    browser->shown = pj_new_n(browser->arena, size_t, browser->found.count + 1);
    browser->shown_count = 0;
    for (size_t i = 0; i < browser->found.count; i++) {
        const pj_folder_entry *entry = &browser->found.entries[i];
        if (!passes(browser, entry))
            continue;
        if (browser->shown_count == MOST_SHOWN) {
            left++;
            continue;
        }
        char size[32];
        pj_auto_buf label = {0};
        pj_format_bytes(entry->bytes, size);
        pj_buf_addf(&label, entry->folder ? "%s/" : "%s  (%s)", entry->name, size);
        json_array_append_new(labels, pj_piece_string(label.at));
        browser->shown[browser->shown_count++] = i;
    }
    pj_piece_options(&browser->wizard->parts, browser->list, labels, -1);
    if (left)
        say(browser, "There is more in this folder than the list can show: filter by name.");
}

/// The folder whose name the field shows, which cannot show every name as it is.
static const char *folder_of(const pj_browser *browser)
{
    const char *shown = pj_piece_text(&browser->wizard->parts, browser->folder);
    return strcmp(shown, browser->went_shown) == 0 ? browser->went : shown;
}

static void show_folder(pj_browser *browser, const char *folder)
{
    pj_arena *arena = browser->wizard->arena;
    json_t *shown = pj_piece_string(folder);
    browser->went = pj_arena_text(arena, pj_str_of(folder));
    browser->went_shown = pj_arena_text(arena, pj_str_of(json_string_value(shown)));
    pj_piece_set(&browser->wizard->parts, browser->folder, "value", shown);
}

/// Lists the folder that is typed; what was listed before stays when there is none.
static bool list(pj_browser *browser, pj_err *err)
{
    pj_arena *arena = pj_arena_new(NULL);
    pj_folder found = {0};
    const char *folder = folder_of(browser);
    if (!pj_folder_list(folder, arena, &found, err)) {
        pj_arena_free(arena);
        return false;
    }
    pj_arena_free(browser->arena);
    browser->arena = arena;
    browser->found = found;
    browser->listed = pj_arena_text(arena, pj_str_of(folder));
    say(browser, "");
    filter(browser);
    return true;
}

void pj_browser_show(pj_browser *browser)
{
    pj_err err = {.code = PJ_E_NONE};
    if (!list(browser, &err))
        say(browser, err.text);
}

static void go(pj_browser *browser, const char *folder)
{
    show_folder(browser, folder);
    pj_browser_show(browser);
}

/// The path of an entry of the folder, in the arena.
static const char *path_of(const pj_browser *browser, const char *name)
{
    const char *folder = browser->listed;
    const char *slash = pj_str_ends(pj_str_of(folder), PJ_S("/")) ? "" : "/";
    return pj_arena_format(browser->arena, "%s%s%s", folder, slash, name);
}

static void on_filter(void *wizard)
{
    filter(of(wizard));
}

static void on_folder(void *wizard)
{
    pj_browser_show(of(wizard));
}

/// While a path is being typed, most of its beginnings are no folders.
static void on_folder_typed(void *wizard)
{
    list(of(wizard), NULL);
}

static void on_parent(void *wizard)
{
    pj_browser *browser = of(wizard);
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_str folder = pj_str_of(folder_of(browser));
    while (folder.len > 1 && folder.at[folder.len - 1] == '/')
        folder.len--;
    size_t slash = pj_str_find_last(folder, '/');
    pj_str parent = slash < folder.len ? pj_str_head(folder, slash ? slash : 1) : PJ_S("..");
    go(browser, pj_arena_text(arena, parent));
}

static void on_home(void *wizard)
{
    const char *home = getenv("HOME");
    go(of(wizard), home ? home : "/");
}

static void on_recent(void *wizard)
{
    pj_browser *browser = of(wizard);
    const pj_widget *recent = pj_widgets_find(browser->wizard->parts.widgets, browser->recent);
    int index = pj_piece_index(&browser->wizard->parts, browser->recent);
    const char *folder = recent && index > 0
                             ? json_string_value(json_array_get(
                                   pj_widget_get(recent, "_options_labels", NULL), (size_t)index))
                             : NULL;
    if (!folder)
        return;
    pj_auto_arena arena = pj_arena_new(NULL);
    go(browser, pj_arena_text(arena, pj_str_of(folder)));
    pj_piece_set(&browser->wizard->parts, browser->recent, "index", json_integer(0));
}

static void remember(pj_browser *browser)
{
    const pj_pieces *parts = &browser->wizard->parts;
    const pj_widget *recent = pj_widgets_find(parts->widgets, browser->recent);
    const char *folder = browser->listed;
    if (!recent || !pj_utf8_valid(pj_str_of(folder)))
        return;
    const json_t *old = pj_widget_get(recent, "_options_labels", NULL);
    json_t *labels = json_array();
    json_array_append(labels, json_array_get(old, 0));
    json_array_append_new(labels, json_string(folder));
    for (size_t i = 1; i < json_array_size(old) && i <= MOST_RECENT; i++)
        if (strcmp(json_string_value(json_array_get(old, i)), folder) != 0)
            json_array_append(labels, json_array_get(old, i));
    pj_piece_options(parts, browser->recent, labels, 0);
}

// Adding

/// Pages look at their files again and again, and nobody need ever write into a pipe.
static bool is_waited_for(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
}

/// Leaves out such files, from the first one on, and says which.
static void leave_out_waiting(pj_paths *paths, size_t first, pj_err *err)
{
    size_t kept = first;
    for (size_t i = first; i < paths->count; i++)
        if (is_waited_for(paths->items[i]))
            pj_fail(err, PJ_E_USAGE, paths->items[i], 0,
                    "is a pipe or a device, which the wizard does not read; load does");
        else
            paths->items[kept++] = paths->items[i];
    paths->count = kept;
}

/// What a file, folder or glob names; false where that is nothing. A sentence on the page says why.
static bool collect(pj_browser *browser, const char *text, pj_arena *arena, pj_paths *paths)
{
    pj_err err = {.code = PJ_E_NONE};
    size_t first = paths->count;
    bool good = pj_paths_runs(text, arena, paths, &err);
    if (good)
        leave_out_waiting(paths, first, &err);
    if (err.code) {
        char said[1600];
        say(browser, pj_err_message(&err, said, sizeof said));
    }
    return good && paths->count > first;
}

/// Files of the ranks of one run are one. Frees the list.
static void choose_all(pj_browser *browser, pj_paths *paths, pj_arena *arena)
{
    const char **items = pj_new_n(arena, const char *, paths->count + 1);
    for (size_t i = 0; i < paths->count; i++)
        items[i] = paths->items[i];
    pj_rank_runs_join(items, paths->count, arena);
    for (size_t i = 0; i < paths->count; i++)
        if (items[i])
            pj_wizard_choose(browser->wizard, items[i], NULL);
    free((void *)paths->items);
    *paths = (pj_paths){0};
}

static bool add(pj_browser *browser, const char *text)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_paths paths = {0};
    bool good = collect(browser, text, arena, &paths);
    if (!good)
        paths.count = 0;
    choose_all(browser, &paths, arena);
    return good;
}

static void added(pj_browser *browser)
{
    remember(browser);
    browser->changed(browser->wizard);
}

static void on_add(void *wizard)
{
    pj_browser *browser = of(wizard);
    const pj_pieces *parts = &browser->wizard->parts;
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_paths paths = {0};
    say(browser, "");
    size_t marked = 0;
    for (size_t i = 0; i < browser->shown_count; i++)
        if (pj_piece_has(parts, browser->list, i)) {
            collect(browser, path_of(browser, browser->found.entries[browser->shown[i]].name),
                    arena, &paths);
            marked++;
        }
    choose_all(browser, &paths, arena);
    if (!marked)
        say(browser, "Mark files in the list first, several with Shift or Ctrl.");
    added(browser);
}

static void on_open(void *wizard)
{
    pj_browser *browser = of(wizard);
    const pj_pieces *parts = &browser->wizard->parts;
    for (size_t i = 0; i < browser->shown_count; i++) {
        const pj_folder_entry *entry = &browser->found.entries[browser->shown[i]];
        if (pj_piece_has(parts, browser->list, i) && entry->folder) {
            go(browser, path_of(browser, entry->name));
            return;
        }
    }
    say(browser, "Mark a folder in the list first.");
}

static void on_typed(void *wizard)
{
    pj_browser *browser = of(wizard);
    const pj_pieces *parts = &browser->wizard->parts;
    const char *text = pj_piece_text(parts, browser->typed);
    say(browser, "");
    pj_auto_arena arena = pj_arena_new(NULL);
    bool whole = *text == '/' || *text == '~';
    const char *path = whole ? pj_arena_text(arena, pj_str_of(text)) : path_of(browser, text);
    if (!*text || !add(browser, path))
        return;
    pj_piece_say(parts, browser->typed, "");
    added(browser);
}

/// A name that a browser sent must not lead out of the folder.
static bool is_plain(const char *name)
{
    return *name && *name != '.' && !strchr(name, '/');
}

static void take_upload(pj_browser *browser, const json_t *file)
{
    const char *name = json_string_value(json_object_get(file, "name"));
    const json_t *content = json_object_get(file, "content");
    pj_str bytes = {json_string_value(content), json_string_length(content)};
    pj_err err = {.code = PJ_E_NONE};
    if (!name || !is_plain(name))
        say(browser, "A file of that name cannot be stored here.");
    else if (bytes.len > (size_t)MOST_UPLOAD_MB << 20)
        say(browser, "That is large for an upload: copy the file to this machine instead.");
    else if (!pj_newfile_put_first(path_of(browser, name), bytes, &err))
        say(browser, err.text);
    else if (add(browser, path_of(browser, name)))
        added(browser);
}

static void on_upload(void *wizard)
{
    pj_browser *browser = of(wizard);
    const pj_widget *upload = pj_widgets_find(browser->wizard->parts.widgets, browser->upload);
    json_t *files = upload ? json_incref(pj_widget_get(upload, "value", NULL)) : NULL;
    size_t i;
    json_t *file;
    json_array_foreach(files, i, file)
    {
        take_upload(browser, file);
    }
    if (json_array_size(files)) // its bytes need not stay in the page
        pj_piece_set(&browser->wizard->parts, browser->upload, "value", json_array());
    json_decref(files);
    pj_browser_show(browser);
}

// Widgets

static pj_piece build_place(pj_browser *browser)
{
    static const char *const recent[] = {"Recent folders", NULL};
    pj_pieces *parts = &browser->wizard->parts;
    browser->folder = pj_piece_live_entry(parts, "Folder", "a folder");
    browser->recent = pj_piece_choice(parts, "", recent);
    pj_piece_layout(parts, browser->recent, "width", "180px");
    pj_piece up = pj_piece_button(parts, "Parent", "level-up", "The folder above");
    pj_piece home = pj_piece_button(parts, "Home", "home", "The home folder");
    pj_piece_on(parts, browser->folder, "value", on_folder_typed);
    pj_piece_on(parts, browser->folder, NULL, on_folder);
    pj_piece_on(parts, browser->recent, "index", on_recent);
    pj_piece_on(parts, up, NULL, on_parent);
    pj_piece_on(parts, home, NULL, on_home);
    pj_wizard_keep(browser->wizard, "folder", browser->folder, NULL);
    pj_wizard_keep(browser->wizard, "recent", browser->recent, "_options_labels");
    return PJ_PIECE_ROW(parts, browser->folder, up, home, browser->recent);
}

static pj_piece build_filter(pj_browser *browser)
{
    static const char *const none[] = {NULL};
    pj_wizard *wizard = browser->wizard;
    pj_pieces *parts = &wizard->parts;
    json_t *formats = json_pack("[s, s]", "All formats", "Every file");
    const char *title;
    for (size_t i = 0; (title = format_at(i)); i++)
        json_array_append_new(formats, json_string(title));
    browser->format = pj_piece_choice(parts, "Show", none);
    pj_piece_options(parts, browser->format, formats, 0);
    browser->name = pj_piece_live_entry(parts, "Name", "part of a name, or a pattern: epoch_*");
    pj_piece_layout(parts, browser->name, "width", "400px");
    pj_piece_on(parts, browser->format, "index", on_filter);
    pj_piece_on(parts, browser->name, "value", on_filter);
    return PJ_PIECE_ROW(parts, browser->format, browser->name);
}

static pj_piece build_adding(pj_browser *browser)
{
    pj_pieces *parts = &browser->wizard->parts;
    pj_piece choose =
        pj_piece_button(parts, "Add", "plus", "Adds what is marked to the chosen runs");
    pj_piece enter =
        pj_piece_button(parts, "Open folder", "folder-open", "Goes into the marked folder");
    browser->upload = pj_piece_new(parts, "FileUpload",
                                   json_pack("{s:b, s:s, s:{s:s}}", "multiple", 1, "tooltip",
                                             "Stores small files in this folder and adds them",
                                             "layout", "width", "auto"));
    browser->typed = pj_piece_live_entry(parts, "Path or glob", "run_*.prv.gz");
    pj_piece_layout(parts, browser->typed, "width", "400px");
    pj_piece typed = pj_piece_button(parts, "Add path", "plus", "Adds what the path or glob names");
    pj_piece_on(parts, choose, NULL, on_add);
    pj_piece_on(parts, enter, NULL, on_open);
    pj_piece_on(parts, browser->upload, "value", on_upload);
    pj_piece_on(parts, browser->typed, NULL, on_typed);
    pj_piece_on(parts, typed, NULL, on_typed);
    return PJ_PIECE_ROW(parts, choose, enter, browser->upload, browser->typed, typed);
}

pj_browser *pj_browser_new(pj_wizard *wizard, void (*changed)(pj_wizard *wizard))
{
    pj_pieces *parts = &wizard->parts;
    pj_browser *browser = pj_new(wizard->arena, pj_browser);
    *browser = (pj_browser){.wizard = wizard,
                            .changed = changed,
                            .arena = pj_arena_new(NULL),
                            .listed = "",
                            .went = "",
                            .went_shown = ""};
    wizard->browser = browser;
    pj_piece place = build_place(browser), filters = build_filter(browser);
    browser->list = pj_piece_new(parts, "SelectMultiple",
                                 json_pack("{s:i, s:s, s:{s:s, s:s}}", "rows", 10, "tooltip",
                                           "Folders and files", "layout", "width", "auto",
                                           "max_width", "900px"));
    browser->said = pj_piece_html(parts, "");
    browser->box =
        PJ_PIECE_COLUMN(parts, place, filters, browser->list, build_adding(browser), browser->said);
    return browser;
}

void pj_browser_start(pj_browser *browser, const char *folder)
{
    show_folder(browser, folder);
}

bool pj_browser_keeps(const pj_browser *browser, pj_piece part)
{
    return part == browser->folder || part == browser->recent;
}

void pj_browser_free(pj_browser *browser)
{
    if (browser)
        pj_arena_free(browser->arena);
}

pj_piece pj_browser_box(const pj_browser *browser)
{
    return browser->box;
}
