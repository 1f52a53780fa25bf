// What the wizard asks of the kernel.
// Everything here runs inside (live.h), but loading: that has a thread of its own.
#include "kernel/commands/wizard_host.h"

#include "kernel/command/child.h"
#include "kernel/command/datadir.h"
#include "kernel/command/inputs.h"
#include "kernel/command/setting.h"
#include "kernel/command/timeline_args.h"
#include "kernel/lua/live.h"
#include "metrics/analyse/load.h"
#include "metrics/analyse/paths.h"
#include "metrics/analyse/summarise.h"
#include "metrics/analyse/trace_files.h"
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/job.h"
#include "metrics/base/newfile.h"
#include "metrics/base/num.h"
#include "metrics/base/str.h"
#include "metrics/pop/metricset.h"
#include "metrics/read/reader.h"
#include "metrics/replay/network.h"
#include "metrics/run/run.h"
#include "metrics/run/timeline.h"
#include "metrics/trace/companion.h"
#include "metrics/trace/event.h"
#include "metrics/trace/layout.h"
#include "metrics/trace/roi.h"
#include "metrics/trace/sink.h"
#include "widgets/figure/figure.h"
#include "widgets/report/report_notebook.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { MOST_KEPT_FOLDERS = 40 };

typedef struct host {
    pj_live *live;
    pj_desk desk;
    char id[48];
    char folder[PATH_MAX];         // where the notebook is: choices are kept by it
    char kept[PATH_MAX];           // the file; "" = nowhere
    char kept_where[PATH_MAX + 8]; // as a sentence says it
} host;

// Reading

static bool take_size(const char *text, const char *what, uint64_t *out, pj_err *err)
{
    return !text || pj_parse_size(pj_str_of(text), out) ||
           pj_fail(err, PJ_E_USAGE, NULL, 0, "%s: \"%s\" is no size (32k, 64M)", what, text);
}

static bool take_network(const pj_wizard_load *how, pj_network *network, pj_err *err)
{
    if (how->latency && !pj_parse_duration(pj_str_of(how->latency), &network->latency_ns))
        return pj_fail(err, PJ_E_USAGE, NULL, 0, "latency: \"%s\" is no time (2us, 1ms)",
                       how->latency);
    if (how->bandwidth && !pj_parse_rate(pj_str_of(how->bandwidth), &network->bandwidth))
        return pj_fail(err, PJ_E_USAGE, NULL, 0, "bandwidth: \"%s\" is no rate (10G, inf)",
                       how->bandwidth);
    if (!take_size(how->eager, "eager", &network->eager_bytes, err))
        return false;
    network->all_rendezvous = how->eager && network->eager_bytes == 0;
    return true;
}

static bool take_how(const pj_wizard_load *how, pj_load_opts *opts, pj_job *job, pj_err *err)
{
    if (how->roi && !pj_roi_parse(pj_str_of(how->roi), &opts->roi, err))
        return false;
    opts->roi.drop = how->roi_cut && strcmp(how->roi_cut, "drop") == 0;
    opts->raw_clock = how->clock && strcmp(how->clock, "raw") == 0;
    opts->ignore_summary = how->reread;
    return take_network(how, &opts->network, err) &&
           take_size(how->memory, "memory", &job->memory_budget, err);
}

static bool take_view(const pj_wizard_load *how, pj_load_opts *opts, pj_timeline_opts *timeline,
                      pj_err *err)
{
    opts->no_replay = how->view != PJ_WIZARD_TOTALS;
    opts->aspects = how->view == PJ_WIZARD_REGIONS ? PJ_WANT(regions) : 0;
    if (how->view != PJ_WIZARD_TIMELINE)
        return true;
    opts->timeline = timeline;
    pj_timeline_args args = {.range = how->range, .ranks = how->ranks};
    return pj_timeline_args_take(&args, (pj_picture_size){0}, timeline, err);
}

static pj_run *load(void *self, const char *path, const pj_wizard_load *how, pj_job *job,
                    pj_err *err)
{
    (void)self;
    pj_load_opts opts = {0};
    pj_timeline_opts timeline;
    bool good = take_how(how, &opts, job, err) && take_view(how, &opts, &timeline, err);
    return good ? pj_load(path, opts, job, err) : NULL;
}

static bool check(void *self, const pj_wizard_load *how, pj_err *err)
{
    (void)self;
    pj_load_opts opts = {0};
    pj_job job = {0};
    pj_timeline_opts timeline;
    return take_how(how, &opts, &job, err) && take_view(how, &opts, &timeline, err);
}

// A first look: reading ends as soon as the layout is known

typedef struct look {
    pj_arena *arena;
    const char *layout;
} look;

static bool look_begin(void *self, const pj_run *run, pj_err *err)
{
    look *l = self;
    l->layout = pj_layout_text(&run->layout, l->arena);
    return pj_fail(err, PJ_E_STOPPED, NULL, 0, "the layout is known");
}

static bool look_events(void *self, const pj_batch *batch, pj_err *err)
{
    (void)self, (void)batch, (void)err;
    return true;
}

static bool look_finish(void *self, pj_run *run, pj_err *err)
{
    (void)self, (void)run, (void)err;
    return true;
}

static void look_close(void *self)
{
    (void)self;
}

static bool peek(void *self, const char *path, pj_arena *arena, pj_wizard_facts *out, pj_err *err)
{
    (void)self;
    struct stat info;
    if (stat(path, &info) != 0)
        return pj_fail_io(err, path, "cannot be opened");
    if (!S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode)) // the browser would wait for a pipe
        return pj_fail(err, PJ_E_IO, path, 0, "is no regular file; load it in a cell");
    pj_auto_run run = pj_run_new(path);
    look l = {.arena = arena, .layout = ""};
    pj_sink sink = {.name = "look",
                    .begin = look_begin,
                    .events = look_events,
                    .finish = look_finish,
                    .close = look_close,
                    .self = &l};
    pj_job job = {.workers = 1};
    pj_pass pass = {.run = run, .sinks = &sink, .sink_count = 1, .job = &job, .by_location = true};
    pj_err problem = {.code = PJ_E_NONE};
    pj_ignore(pj_read_file(path, &pass, &problem));
    free(pass.disorder);
    free(pass.learnt);
    if (run->provenance)
        l.layout = pj_layout_text(&run->layout, arena);
    const pj_reader *reader = pj_reader_of_run(run);
    *out = (pj_wizard_facts){
        .name = reader && reader->several ? pj_arena_text(arena, pj_str_of(run->name)) : NULL,
        .format = reader ? reader->title : "",
        .layout = l.layout,
        .bytes = pj_trace_files_bytes(path),
        .summary = access(pj_summarise_path(path, NULL, arena), R_OK) == 0};
    bool good = *l.layout;
    if (!good && err)
        *err = problem;
    return good;
}

// Folders and files

static int by_name(const void *a, const void *b)
{
    const pj_wizard_entry *left = a, *right = b;
    if (left->folder != right->folder)
        return left->folder ? -1 : 1;
    return pj_str_order_natural(pj_str_of(left->name), pj_str_of(right->name));
}

static bool list(void *self, const char *folder, pj_arena *arena, pj_wizard_entries *out,
                 pj_err *err)
{
    (void)self;
    DIR *dir = opendir(*folder ? folder : ".");
    if (!dir)
        return pj_fail(err, PJ_E_IO, folder, 0, "the folder cannot be opened: %s", strerror(errno));
    pj_wizard_entry *items = NULL;
    size_t count = 0, cap = 0;
    for (struct dirent *entry; (entry = readdir(dir));) {
        struct stat info;
        if (entry->d_name[0] == '.' || fstatat(dirfd(dir), entry->d_name, &info, 0) != 0 ||
            (!S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode)))
            continue;
        pj_grow(items, &cap, count + 1);
        bool is_folder = S_ISDIR(info.st_mode);
        const char *path = pj_arena_format(arena, "%s/%s", *folder ? folder : ".", entry->d_name);
        const pj_reader *reader = is_folder ? NULL : pj_trace_files_named(entry->d_name);
        items[count++] =
            (pj_wizard_entry){.name = pj_arena_text(arena, pj_str_of(entry->d_name)),
                              .format = reader ? reader->title : NULL,
                              .bytes = reader ? pj_trace_files_bytes(path) : (uint64_t)info.st_size,
                              .folder = is_folder};
    }
    closedir(dir);
    if (count)
        qsort(items, count, sizeof *items, by_name);
    out->items = pj_new_n(arena, pj_wizard_entry, count + 1);
    if (count)
        memcpy(out->items, items, count * sizeof *items);
    out->count = count;
    free(items);
    return true;
}

/// Of traces: profiles have no place on the pages.
static const char *format_at(void *self, size_t index)
{
    (void)self;
    const pj_reader *reader;
    for (unsigned i = 0; (reader = pj_reader_at(i)); i++)
        if (pj_reader_gives_trace(reader) && index-- == 0)
            return reader->title;
    return NULL;
}

/// Companions are read with the trace that they are named after.
static bool expand(void *self, const char *text, pj_arena *arena, pj_wizard_paths *out, pj_err *err)
{
    (void)self;
    pj_paths paths = {0};
    bool good = pj_paths_expand(text, PJ_WANT_TRACES, arena, &paths, err);
    out->items = pj_new_n(arena, const char *, paths.count + 1);
    for (size_t i = 0; good && i < paths.count; i++)
        if (!pj_companion_named(paths.items[i]))
            out->items[out->count++] = paths.items[i];
    free((void *)paths.items);
    return good && (out->count || pj_fail(err, PJ_E_USAGE, text, 0,
                                          "is no run: choose the .prv that it belongs to"));
}

static bool write_file(void *self, const char *path, pj_str bytes, bool replace, pj_err *err)
{
    (void)self;
    if (!replace && access(path, F_OK) == 0)
        return pj_fail(err, PJ_E_USAGE, path, 0, "a file of this name is there already");
    return pj_newfile_put(path, bytes, err);
}

static const pj_metric_set *set_at(void *self, size_t index)
{
    const host *h = self;
    const pj_session *session = pj_live_session(h->live);
    const char *key = pj_session_set_key(session, index);
    return key ? pj_session_set(session, pj_str_of(key)) : NULL;
}

static bool report(void *self, const pj_wizard_report *asked, pj_err *err)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    const char *title = asked->title;
    if (!title && asked->application)
        title = pj_arena_format(arena, "Performance of %s", asked->application);
    char date[64];
    time_t now = time(NULL);
    struct tm day;
    strftime(date, sizeof date, "%e %B %Y", localtime_r(&now, &day));
    pj_report_plan plan = {.info = {.title = title ? title : "Performance assessment",
                                    .id = asked->id,
                                    .application = asked->application,
                                    .author = asked->author,
                                    .contributors = asked->contributors,
                                    .date = date + strspn(date, " "),
                                    .code = asked->code},
                           .load_code = asked->load_code,
                           .metrics_code = asked->metrics_code};
    json_t *notebook = pj_report_notebook(asked->metrics, &plan);
    char *text = json_dumps(notebook, JSON_INDENT(1));
    bool good = write_file(self, asked->path, pj_str_of(text), asked->replace, err);
    free(text);
    json_decref(notebook);
    return good;
}

/// What `popinjay report` does, by that program: it takes its time and may be ended.
static bool print_report(void *self, const char *notebook, const char *output, pj_job *job,
                         pj_err *err)
{
    (void)self;
    pj_auto_arena arena = pj_arena_new(NULL);
    const char *log = pj_arena_format(arena, "%s.log", notebook);
    const char *words[] = {pj_datadir_program(arena), "report", notebook, "-o", output, NULL};
    bool good = pj_child_run(&(pj_child){.words = words, .log = log}, job->stop, err);
    unlink(log);
    unlink(notebook);
    return good;
}

// Choices, kept by folder

static void find_kept(host *h)
{
    pj_auto_buf path = {0};
    if (pj_state_file("wizard.json", &path))
        snprintf(h->kept, sizeof h->kept, "%s", path.at);
    snprintf(h->kept_where, sizeof h->kept_where, "in %s", h->kept);
}

static json_t *recall(void *self)
{
    const host *h = self;
    json_t *all = json_load_file(h->kept, 0, NULL);
    json_t *choices = json_incref(json_object_get(all, h->folder));
    json_decref(all);
    return choices;
}

static void make_folders(const char *path)
{
    char folder[PATH_MAX];
    snprintf(folder, sizeof folder, "%s", path);
    for (char *slash = strchr(folder + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        mkdir(folder, 0700);
        *slash = '/';
    }
}

/// Names of runs and of people are nobody else's: only the owner reads them, whatever the umask.
static void make_private(const char *path)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
    if (fd >= 0) {
        fchmod(fd, 0600);
        close(fd);
    }
}

/// What cannot be kept is no loss worth a message.
static void keep(void *self, json_t *choices)
{
    const host *h = self;
    json_t *all = json_load_file(h->kept, 0, NULL);
    if (!json_is_object(all)) {
        json_decref(all);
        all = json_object();
    }
    const char *first = json_object_iter_key(json_object_iter(all));
    if (json_object_size(all) >= MOST_KEPT_FOLDERS && first)
        json_object_del(all, first);
    json_object_set(all, h->folder, choices);
    char *text = json_dumps(all, JSON_INDENT(1));
    make_folders(h->kept);
    make_private(h->kept);
    pj_ignore(pj_newfile_put(h->kept, pj_str_of(text), NULL));
    free(text);
    json_decref(all);
}

// Beside the wizard

/// The part of a bundle that pages show, of a large one its picture.
static void add_shown(const json_t *data, pj_buf *out)
{
    const json_t *html = json_object_get(data, "text/html");
    const json_t *png = json_object_get(data, "image/png");
    if (html)
        pj_buf_add(out, (pj_str){json_string_value(html), json_string_length(html)});
    else if (png)
        pj_buf_addf(out, "<img alt=\"\" src=\"data:image/png;base64,%s\"/>",
                    json_string_value(png));
}

// Styles are all it takes to hide results as long as the wizard is on the page, and what is left of
// it afterwards: an output before the table that only says that its model is not found.
static const char dead[] =
    "<style>.jp-OutputArea:not(:has(.%s))>.jp-OutputArea-child:has(+.jp-OutputArea-child .%s)"
    "{display:none}</style><p>What the wizard showed last; to go on, run the cell again.</p>";

void pj_wizard_host_show(const pj_face *face, const char *id, pj_wizard_slot slot, json_t *data,
                         json_t *metadata)
{
    static const char *const names[PJ_WIZARD_SLOTS] = {"table", "plot"};
    char display[96];
    snprintf(display, sizeof display, "%s-%s", id, names[slot]);
    pj_auto_buf html = {0};
    pj_buf_addf(&html,
                "<style>body:has(.%s) :is(.%s,.jp-OutputArea-child:has(.%s))"
                "{display:none!important}</style><div class=\"%s\">",
                id, display, display, display);
    if (data && slot == PJ_WIZARD_TABLE)
        pj_buf_addf(&html, dead, id, display);
    add_shown(data, &html);
    pj_buf_puts(&html, "</div>");
    json_t *shown = data ? json_copy(data) : json_pack("{s:s}", "text/plain", "");
    json_object_set_new(shown, "text/html", json_stringn(html.at, html.len));
    face->display(
        face->self,
        &(pj_display){.data = shown, .metadata = metadata, .id = display, .update = data != NULL});
    json_decref(shown);
}

static void show(void *self, pj_wizard_slot slot, json_t *data, json_t *metadata)
{
    const host *h = self;
    pj_wizard_host_show(pj_live_session(h->live)->face, h->id, slot, data, metadata);
}

static void later(void *self, void (*call)(void *context), void (*drop)(void *context),
                  void *context)
{
    const host *h = self;
    h->desk.post(h->desk.self, &(pj_errand){call, drop, context});
}

static void release(void *self)
{
    host *h = self;
    h->desk.close(h->desk.self);
    free(h);
}

pj_wizard_host pj_wizard_host_new(pj_session *session, const char *id)
{
    host *h = pj_take_memory(sizeof *h);
    pj_live *live = pj_live_of(session);
    *h = (host){.live = live, .desk = pj_live_desk(live)};
    snprintf(h->id, sizeof h->id, "%s", id);
    if (!getcwd(h->folder, sizeof h->folder))
        snprintf(h->folder, sizeof h->folder, "/");
    find_kept(h);
    return (pj_wizard_host){
        .self = h,
        .load = load,
        .check = check,
        .peek = peek,
        .list = list,
        .format_at = format_at,
        .expand = expand,
        .write = write_file,
        .set_at = set_at,
        .report = report,
        .print = print_report,
        .recall = *h->kept ? recall : NULL,
        .keep = *h->kept ? keep : NULL,
        .folder = h->folder,
        .kept_where = *h->kept ? h->kept_where : NULL,
        .show = show,
        .later = later,
        .release = release,
    };
}
