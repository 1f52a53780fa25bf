// What the wizard asks of the kernel.
// Everything here runs inside (live.h), but the making of documents: that has a thread of its own.
#include "kernel/commands/wizard/wizard_host.h"

#include "kernel/command/child.h"
#include "kernel/command/datadir.h"
#include "kernel/command/setting.h"
#include "kernel/lua/live.h"
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/clock.h"
#include "metrics/base/err.h"
#include "metrics/base/file.h"
#include "metrics/base/job.h"
#include "metrics/base/newfile.h"
#include "metrics/base/num.h"
#include "metrics/base/str.h"
#include "metrics/pop/metricset.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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

static const pj_metric_set *set_at(void *self, size_t index)
{
    const host *h = self;
    const pj_session *session = pj_live_session(h->live);
    const char *key = pj_session_set_key(session, index);
    return key ? pj_session_set(session, pj_str_of(key)) : NULL;
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

// Recording

/// What a child that records has written so far, and who hears of it.
typedef struct listening {
    const char *log;
    pj_job *job;
    uint64_t due_ns;
} listening;

/// "popinjay: 2 of 6: app_2x1.1: ...": how many are done.
static void count_runs(pj_str line, uint64_t *done, uint64_t *total)
{
    pj_str rest = pj_str_from(line, pj_str_find(line, ':') + 1);
    pj_str counts = pj_str_head(rest, pj_str_find(rest, ':'));
    size_t of = 0;
    while (of + 4 <= counts.len && memcmp(counts.at + of, " of ", 4) != 0)
        of++;
    uint64_t part, all;
    if (of + 4 <= counts.len && pj_parse_u64(pj_str_trim(pj_str_head(counts, of)), &part) &&
        pj_parse_u64(pj_str_trim(pj_str_from(counts, of + 4)), &all)) {
        *done = part;
        *total = all;
    }
}

/// Tells the last line, a few times a second.
static void listen(void *context)
{
    enum { STEP_NS = 300000000 };
    listening *l = context;
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_auto_buf log = {0};
    uint64_t done = 0, total = 0;
    if (pj_clock_ns() < l->due_ns)
        return;
    l->due_ns = pj_clock_ns() + STEP_NS;
    pj_ignore(pj_file_read(l->log, &log, NULL));
    pj_str rest = pj_buf_str(&log), last = {0};
    while (rest.len) {
        pj_str line = pj_str_trim(pj_str_cut(&rest, '\n'));
        count_runs(line, &done, &total);
        last = line.len ? line : last;
    }
    l->job->progress(l->job->progress_context, pj_arena_text(arena, last), done, total);
}

/// By the program itself: it takes its time, and is ended as by Ctrl-C.
static bool record(void *self, const char *const *words, size_t count, pj_job *job, pj_err *err)
{
    enum { ASKED_MS = 15000 }; // it ends its own programs first
    (void)self;
    pj_auto_arena arena = pj_arena_new(NULL);
    const char **all = pj_new_n(arena, const char *, count + 3);
    char log[] = "/tmp/popinjay-record-XXXXXX";
    int fd = mkostemp(log, O_CLOEXEC);
    if (fd < 0)
        return pj_fail_io(err, log, "cannot be made");
    close(fd);
    all[0] = pj_datadir_program(arena);
    all[1] = "record";
    memcpy(all + 2, words, count * sizeof *words);
    listening l = {.log = log, .job = job};
    const pj_child child = {
        .words = all, .log = log, .asked_ms = ASKED_MS, .waits = listen, .context = &l};
    bool good = pj_child_run(&child, job->stop, err);
    unlink(log);
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
    pj_state_make_folders(h->kept);
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
        .set_at = set_at,
        .print = print_report,
        .record = record,
        .recall = *h->kept ? recall : NULL,
        .keep = *h->kept ? keep : NULL,
        .folder = h->folder,
        .kept_where = *h->kept ? h->kept_where : NULL,
        .show = show,
        .later = later,
        .release = release,
    };
}
