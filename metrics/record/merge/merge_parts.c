// Finds the parts of a folder, makes their event files whole, unites their definitions, and puts
// the archive together. Event files are linked, not moved, so that a merge that was ended can be
// done again.
#include "metrics/record/merge/merge_parts.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/file.h"
#include "metrics/base/module.h"
#include "metrics/base/newfile.h"
#include "metrics/base/num.h"
#include "metrics/base/str.h"
#include "metrics/record/merge/code_place.h"
#include "metrics/record/merge/merge_lines.h"
#include "metrics/record/merge/merge_memory.h"
#include "metrics/record/merge/merge_profile.h"
#include "metrics/record/merge/missing_ranks.h"
#include "metrics/record/merge/part_clock.h"
#include "metrics/record/merge/part_log.h"
#include "metrics/record/merge/part_owner.h"
#include "metrics/record/merge/part_tree.h"
#include "metrics/record/merge/recorded.h"
#include "metrics/record/merge/recover.h"
#include "metrics/record/merge/unite.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define LOCK ".lock"
enum { WARNING = 2 }; // severity of what a process has to say

#define STAGE "parts/.new" // where the archive is made
#define LIST "merged"      // names of the parts that are in the archive, or will be
#define GONE "removed"     // the same, once they need not be there any more

typedef struct merging {
    const char *folder;
    pj_arena *arena;
    pj_merge_parts_opts opts;
    pj_merged_parts *merged;
    const char **names; // of the parts that are there
    size_t name_count, name_cap;
    pj_united_part *parts;
    size_t count;
    uint32_t missing; // ranks
} merging;

static const char *path_of(const merging *m, const char *name)
{
    return pj_arena_format(m->arena, "%s/%s", m->folder, name);
}

static const char *part_path(const merging *m, const char *name)
{
    return pj_arena_format(m->arena, "%s/parts/%s", m->folder, name);
}

static bool is_folder(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

bool pj_merge_parts_are(const char *folder)
{
    pj_auto_buf path = {0};
    pj_buf_addf(&path, "%s/parts", folder);
    return is_folder(path.at);
}

static void tell(merging *m, const pj_err *what)
{
    if (m->opts.tell)
        m->opts.tell(m->opts.self, what);
}

// The lock: a file with host and process of who merges

static bool is_stale(pj_str text)
{
    char host[256] = "";
    gethostname(host, sizeof host - 1);
    uint64_t pid = 0;
    pj_str owner = pj_str_cut(&text, ' ');
    return pj_str_equal(owner, pj_str_of(host)) && pj_parse_u64(pj_str_trim(text), &pid) &&
           ((kill((pid_t)pid, 0) != 0 && errno == ESRCH) || pj_part_owner_ended(pid));
}

/// The file is there whole or not at all.
static bool make_lock(const merging *m, const char *path)
{
    char host[256] = "";
    gethostname(host, sizeof host - 1);
    const char *own = pj_arena_format(m->arena, "%s.%s.%ld", path, host, (long)getpid());
    int file = open(own, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file < 0)
        return false;
    bool ok = dprintf(file, "%s %ld\n", host, (long)getpid()) > 0;
    close(file);
    ok = ok && link(own, path) == 0;
    int why = errno;
    unlink(own);
    errno = why;
    return ok;
}

static bool take_lock(const merging *m, const char *path, pj_err *err)
{
    for (unsigned tries = 0; tries < 2; tries++) {
        if (make_lock(m, path))
            return true;
        if (errno != EEXIST)
            return pj_fail_io(err, path, "cannot be written");
        pj_auto_buf text = {0};
        if (!pj_file_read(path, &text, NULL) || !is_stale(pj_buf_str(&text)))
            break;
        unlink(path);
    }
    return pj_fail(err, PJ_E_IO, m->folder, 0,
                   "is being merged by another process; if that is gone, remove %s", path);
}

// Parts

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool list_parts(merging *m, pj_err *err)
{
    const char *path = path_of(m, "parts");
    DIR *all = opendir(path);
    if (!all)
        return pj_fail_io(err, path, "cannot be read");
    for (struct dirent *entry; (entry = readdir(all));)
        if (entry->d_name[0] != '.' && is_folder(part_path(m, entry->d_name))) {
            pj_grow(m->names, &m->name_cap, m->name_count + 1);
            m->names[m->name_count++] = pj_arena_text(m->arena, pj_str_of(entry->d_name));
        }
    closedir(all);
    if (m->name_count)
        qsort(m->names, m->name_count, sizeof *m->names, by_name);
    return true;
}

static bool is_listed(const merging *m, pj_str name)
{
    for (size_t i = 0; i < m->name_count; i++)
        if (pj_str_equal(pj_str_of(m->names[i]), name))
            return true;
    return false;
}

/// An archive may be written again only from all the parts that it was made of.
static bool may_replace(const merging *m, pj_err *err)
{
    struct stat info;
    if (stat(path_of(m, "traces.otf2"), &info) != 0)
        return true;
    pj_auto_buf text = {0};
    bool all = pj_file_read(part_path(m, LIST), &text, NULL);
    pj_str rest = pj_buf_str(&text);
    while (all && rest.len)
        all = is_listed(m, pj_str_cut(&rest, '\n'));
    return all || pj_fail(err, PJ_E_USAGE, m->folder, 0,
                          "has an archive already, whose parts are gone: move it away, or record "
                          "into another folder");
}

static bool is_closed(const pj_part_log *log, uint32_t thread)
{
    for (uint32_t i = 0; i < pj_part_log_count(log, 'N'); i++)
        if (pj_part_log_number(pj_part_log_line(log, 'N', i), 0) == thread)
            return true;
    return false;
}

/// Threads count from 0; a damaged log may not name the last ones.
static bool has_thread(const pj_united_part *part, uint32_t number, const char *suffix)
{
    struct stat info;
    pj_auto_buf path = {0};
    pj_buf_addf(&path, "%s/%u.%s", pj_part_log_folder(part->log), number, suffix);
    return stat(path.at, &info) == 0;
}

static bool recover_threads(pj_united_part *part, pj_err *err)
{
    const pj_part_log *log = part->log;
    pj_recover_known known = {.strings = pj_part_log_count(log, 'S'),
                              .parameters = pj_part_log_count(log, 'Q'),
                              .metrics = pj_part_log_count(log, 'M'),
                              .comms = pj_part_log_count(log, 'C'),
                              .handles = pj_part_log_count(log, 'I')};
    for (uint32_t number = 0; has_thread(part, number, "cur"); number++) {
        known.closed = is_closed(log, number);
        pj_united_thread thread = {.number = number};
        if (!pj_recover_thread(pj_part_log_folder(log), number, &known, &thread.recovered, err))
            return false;
        if (thread.recovered.events == 0)
            continue;
        pj_grow(part->threads, &part->thread_cap, part->thread_count + 1);
        part->threads[part->thread_count++] = thread;
    }
    return true;
}

static bool read_trees(pj_united_part *part, pj_err *err)
{
    const uint32_t regions = pj_part_log_count(part->log, 'R');
    for (uint32_t number = 0; has_thread(part, number, "tree"); number++) {
        pj_part_tree tree;
        if (!pj_part_tree_read(pj_part_log_folder(part->log), number, regions, &tree, err)) {
            pj_buf_free(&tree.bytes);
            return false;
        }
        pj_grow(part->trees, &part->tree_cap, part->tree_count + 1);
        part->trees[part->tree_count++] = tree;
    }
    return true;
}

static void free_part(pj_united_part *part)
{
    for (size_t i = 0; i < part->tree_count; i++)
        pj_buf_free(&part->trees[i].bytes);
    pj_part_log_free(part->log);
    free(part->threads);
    free(part->trees);
}

/// What the user should know of a part beside that it is there.
static void tell_notes(merging *m, const pj_part_log *log)
{
    pj_err what = {0};
    if (pj_part_log_count(log, 'E') == 0) {
        pj_fail(&what, PJ_E_NONE, pj_part_log_folder(log), 0,
                "ended without closing: all that it had recorded is there");
        tell(m, &what);
    }
    for (uint32_t i = 0; i < pj_part_log_count(log, 'X'); i++) {
        pj_str line = pj_part_log_line(log, 'X', i), text = pj_part_log_field(line, 1);
        what = (pj_err){0};
        pj_fail(&what, PJ_E_MISSING, pj_part_log_folder(log), 0, PJ_STR_FMT, PJ_STR_ARG(text));
        if (pj_part_log_number(line, 0) >= WARNING)
            tell(m, &what);
    }
}

static void count_left_out(pj_merged_parts *merged, const pj_part_log *log)
{
    for (uint32_t i = 0; i < pj_part_log_count(log, 'F'); i++) {
        pj_str line = pj_part_log_line(log, 'F', i);
        if (pj_str_equal(pj_part_log_field(line, 2), PJ_S("short")))
            merged->short_calls += pj_part_log_number(line, 3);
        else
            merged->switched_off++;
    }
}

/// Takes a part up, or says why not.
static bool take_part(merging *m, const char *name, pj_err *err)
{
    pj_err why = {0};
    pj_united_part part = {.log = pj_part_log_read(part_path(m, name), &why)};
    bool ok = part.log != NULL;
    if (ok && pj_part_owner_lives(part.log))
        ok = pj_fail(&why, PJ_E_MISSING, name, 0,
                     "is still being written and left out; merge again when its process has ended");
    if (!ok) {
        m->merged->left_out++;
        tell(m, &why);
        pj_part_log_free(part.log);
        return true;
    }
    if (pj_part_log_count(part.log, 'K') == 0) { // killed before its first event
        pj_part_log_free(part.log);
        return true;
    }
    tell_notes(m, part.log);
    count_left_out(m->merged, part.log);
    part.clock = pj_part_clock_of(part.log);
    pj_str world = pj_part_log_line(part.log, 'P', 0);
    part.in_world = pj_part_log_count(part.log, 'P') > 0;
    part.rank = (uint32_t)pj_part_log_number(world, 1);
    part.world_size = (uint32_t)pj_part_log_number(world, 2);
    bool recovered = recover_threads(&part, err) && read_trees(&part, err);
    if (part.thread_count || part.tree_count) {
        m->parts[m->count++] = part; // freed with all
    } else {
        free_part(&part);
    }
    return recovered;
}

static int by_process(const void *left, const void *right)
{
    const pj_united_part *a = left, *b = right;
    if (a->in_world != b->in_world)
        return a->in_world ? -1 : 1;
    if (a->in_world && a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    return (a->clock.first.real > b->clock.first.real) -
           (a->clock.first.real < b->clock.first.real);
}

// The archive

static bool copy_file(const char *from, const char *to, pj_err *err)
{
    int in = open(from, O_RDONLY | O_CLOEXEC),
        out = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    ssize_t size = in < 0 || out < 0 ? -1 : 1;
    enum { PIECE = 1 << 20 };
    char *bytes = pj_take_memory(PIECE);
    while (size > 0 && (size = read(in, bytes, PIECE)) > 0)
        if (!pj_newfile_write(out, to, (pj_str){bytes, (size_t)size}, err))
            size = -1;
    free(bytes);
    bool ok = size == 0 || pj_fail_io(err, to, "cannot be written");
    if (in >= 0)
        close(in);
    if (out >= 0)
        close(out);
    return ok;
}

static bool put_events(merging *m, const pj_united_part *part, pj_err *err)
{
    for (size_t i = 0; i < part->thread_count; i++) {
        const uint32_t number = part->threads[i].number;
        const char *from =
            pj_arena_format(m->arena, "%s/%u.evt", pj_part_log_folder(part->log), number);
        const char *to = pj_arena_format(m->arena, "%s/" STAGE "/traces/%llu.evt", m->folder,
                                         (unsigned long long)number << 32 | part->place);
        if (link(from, to) != 0 && !copy_file(from, to, err))
            return false;
        m->merged->events += part->threads[i].recovered.events;
    }
    m->merged->locations += part->thread_count;
    return true;
}

static void empty_folder(const char *path)
{
    DIR *all = opendir(path);
    for (struct dirent *entry; all && (entry = readdir(all));)
        if (entry->d_name[0] != '.')
            unlinkat(dirfd(all), entry->d_name, 0);
    if (all)
        closedir(all);
}

/// Removes an archive and its folder.
static void remove_archive(merging *m, const char *folder)
{
    const char *traces = pj_arena_format(m->arena, "%s/traces", folder);
    unlink(pj_arena_format(m->arena, "%s/traces.otf2", folder));
    unlink(pj_arena_format(m->arena, "%s/traces.def", folder));
    empty_folder(traces);
    rmdir(traces);
}

static bool move(merging *m, const char *name, pj_err *err)
{
    const char *to = path_of(m, name);
    const char *from = pj_arena_format(m->arena, "%s/" STAGE "/%s", m->folder, name);
    return rename(from, to) == 0 || pj_fail_io(err, to, "cannot be written");
}

static bool write_archive(merging *m, pj_err *err)
{
    const pj_recorded_writer *writer =
        pj_module_open("popinjay-otf2.so", "pj_recorded_module",
                       "archives need libotf2 (Debian: libopen-trace-format2-10)", err);
    pj_recorded recorded;
    if (!writer || !pj_unite(m->parts, m->count, m->arena, &recorded, err))
        return false;
    const char *stage = path_of(m, STAGE);
    remove_archive(m, stage); // of a merge that was ended
    if (mkdir(stage, 0777) != 0 && errno != EEXIST)
        return pj_fail_io(err, stage, "cannot be made");
    if (!writer->write(&recorded, stage, err))
        return false;
    for (size_t i = 0; i < m->count; i++)
        if (!put_events(m, &m->parts[i], err))
            return false;
    m->merged->processes = m->count - m->missing;
    remove_archive(m, m->folder);
    bool ok = move(m, "traces", err) && move(m, "traces.def", err) && move(m, "traces.otf2", err);
    rmdir(stage);
    return ok;
}

static bool has_events(const merging *m)
{
    size_t threads = 0;
    for (size_t i = 0; i < m->count; i++)
        threads += m->parts[i].thread_count;
    return threads > 0;
}

static bool has_trees(const merging *m)
{
    size_t trees = 0;
    for (size_t i = 0; i < m->count; i++)
        trees += m->parts[i].tree_count;
    return trees > 0;
}

static bool write_profile(merging *m, pj_err *err)
{
    pj_merged_profile made;
    pj_unite_places(m->parts, m->count);
    if (!pj_merge_profile(m->parts, m->count, m->folder, &made, err))
        return false;
    m->merged->profile = true;
    m->merged->visits = made.visits;
    m->merged->paths = made.paths;
    m->merged->processes = m->count;
    for (size_t i = 0; i < m->count; i++)
        m->merged->locations += m->parts[i].tree_count;
    return true;
}

static bool keep_list(merging *m, pj_err *err)
{
    pj_auto_buf text = {0};
    for (size_t i = 0; i < m->count; i++) {
        pj_str path = pj_str_of(pj_part_log_folder(m->parts[i].log));
        pj_str name = pj_str_from(path, pj_str_find_last(path, '/') + 1);
        if (!pj_str_starts(name, PJ_S("."))) // what stands in for another one
            pj_buf_addf(&text, PJ_STR_FMT "\n", PJ_STR_ARG(name));
    }
    return pj_newfile_put(part_path(m, LIST), pj_buf_str(&text), err);
}

/// A folder beside the parts, which is not listed as one.
static const char *stand_in(const merging *m, uint32_t rank)
{
    return pj_arena_format(m->arena, "%s/parts/.missing.%u", m->folder, rank);
}

/// What the others need to be told apart is there; that it is not all is said.
static bool stand_in_for_missing(merging *m, pj_err *err)
{
    pj_auto_buf names = {0};
    m->missing = pj_missing_ranks(m->parts, m->count, &names);
    if (m->missing == 0 || m->missing > PJ_MISSING_RANKS_MOST)
        return true;
    const uint32_t ranks = m->parts[0].world_size; // those of MPI come first
    const size_t there = m->count;
    pj_united_part *all = pj_new_n(m->arena, pj_united_part, there + m->missing);
    memcpy(all, m->parts, there * sizeof *all);
    m->parts = all;
    bool *known = pj_new_n(m->arena, bool, ranks);
    for (size_t i = 0; i < there; i++)
        if (all[i].in_world && all[i].rank < ranks)
            known[all[i].rank] = true;
    for (uint32_t rank = 0; rank < ranks; rank++)
        if (!known[rank] &&
            !pj_missing_rank_make(&all[0], rank, stand_in(m, rank), &all[m->count++], err))
            return false;
    qsort(m->parts, m->count, sizeof *m->parts, by_process);
    pj_err what = {0};
    pj_fail(
        &what, PJ_E_MISSING, m->folder, 0,
        "of %u ranks of MPI %u are missing (%s): the archive tells nothing of them. Bring their "
        "folders (on the disks of their nodes) into `parts`, then merge again",
        ranks, m->missing, names.at);
    tell(m, &what);
    return true;
}

static void remove_stand_ins(const merging *m)
{
    for (size_t i = 0; i < m->count && m->missing; i++) {
        const char *path = pj_part_log_folder(m->parts[i].log);
        if (!strstr(path, "/parts/.missing."))
            continue;
        empty_folder(path);
        rmdir(path);
    }
}

/// Ours, and what merges have left that were killed.
static void remove_locks(const merging *m)
{
    DIR *all = opendir(path_of(m, "parts"));
    for (struct dirent *entry; all && (entry = readdir(all));)
        if (strncmp(entry->d_name, LOCK, sizeof LOCK - 1) == 0)
            unlinkat(dirfd(all), entry->d_name, 0);
    if (all)
        closedir(all);
}

static void remove_parts(merging *m)
{
    for (size_t i = 0; i < m->name_count; i++) {
        const char *path = part_path(m, m->names[i]);
        empty_folder(path);
        rmdir(path);
    }
    unlink(part_path(m, GONE));
    unlink(part_path(m, LIST));
    rmdir(path_of(m, STAGE));
    remove_locks(m);
    rmdir(path_of(m, "parts"));
}

/// What a merge that was ended while it removed its parts has left. Whether nothing else is there.
static bool only_rest(merging *m)
{
    pj_auto_buf text = {0};
    if (m->name_count && !pj_file_read(part_path(m, GONE), &text, NULL))
        return false;
    pj_str rest = pj_buf_str(&text);
    size_t left = m->name_count;
    while (rest.len)
        left -= is_listed(m, pj_str_cut(&rest, '\n'));
    struct stat info;
    bool rests = left == 0 && stat(path_of(m, "traces.otf2"), &info) == 0;
    if (rests)
        remove_parts(m);
    return rests;
}

static bool merge_all(merging *m, pj_err *err)
{
    if (!list_parts(m, err))
        return false;
    if (only_rest(m))
        return true;
    if (!may_replace(m, err))
        return false;
    m->parts = pj_new_n(m->arena, pj_united_part, m->name_count);
    for (size_t i = 0; i < m->name_count; i++)
        if (!take_part(m, m->names[i], err))
            return false;
    if (m->count == 0)
        return pj_fail(err, PJ_E_MISSING, m->folder, 0,
                       "holds no part of a recording that could be merged");
    qsort(m->parts, m->count, sizeof *m->parts, by_process);
    pj_err unplaced = {0};
    if (!pj_code_place_regions(m->parts, m->count, m->arena, &unplaced))
        tell(m, &unplaced);
    if (has_events(m) && !stand_in_for_missing(m, err))
        return false;
    const bool keep = m->opts.keep || m->merged->left_out || m->missing;
    pj_err unlisted = {0};
    if (!keep_list(m, keep ? err : &unlisted) &&
        keep) // first: an archive may be made again of these
        return false;
    if ((has_events(m) && !write_archive(m, err)) || (has_trees(m) && !write_profile(m, err)) ||
        !pj_merge_memory(m->parts, m->count, m->folder, err) ||
        !pj_merge_lines(m->parts, m->count, m->folder, err))
        return false;
    remove_stand_ins(m);
    if (keep)
        return true;
    if (rename(part_path(m, LIST), part_path(m, GONE)) != 0)
        unlink(part_path(m, LIST));
    remove_parts(m);
    return true;
}

bool pj_merge_parts(const char *folder, pj_merge_parts_opts opts, pj_merged_parts *out, pj_err *err)
{
    *out = (pj_merged_parts){0};
    pj_auto_arena arena = pj_arena_new(NULL);
    merging m = {.folder = folder, .arena = arena, .opts = opts, .merged = out};
    const char *lock = part_path(&m, LOCK);
    if (!pj_merge_parts_are(folder))
        return pj_fail(err, PJ_E_MISSING, folder, 0, "holds no parts of a recording");
    if (!take_lock(&m, lock, err))
        return false;
    bool ok = merge_all(&m, err);
    for (size_t i = 0; i < m.count; i++)
        free_part(&m.parts[i]);
    free(m.names);
    unlink(lock);
    return ok;
}
