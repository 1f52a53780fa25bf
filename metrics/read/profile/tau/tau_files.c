// Lists the files of a TAU run.
#include "metrics/read/profile/tau/tau_files.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/num.h"

#include <dirent.h>
#include <stdlib.h>
#include <sys/stat.h>

enum { FILES_MAX = 1 << 20, METRICS_MAX = 4096 };

static const char MULTI[] = "MULTI__";

static bool take_number(pj_str *rest, int64_t *number)
{
    enum { MOST = INT32_MAX };
    uint64_t value;
    bool ok = pj_parse_u64(pj_str_cut(rest, '.'), &value) && value <= MOST;
    *number = ok ? (int64_t)value : 0;
    return ok;
}

bool pj_tau_place_of(const char *path, pj_tau_place *place)
{
    const char *slash = strrchr(path, '/');
    pj_str rest = pj_str_of(slash ? slash + 1 : path);
    *place = (pj_tau_place){.path = NULL};
    return pj_str_equal(pj_str_cut(&rest, '.'), PJ_S("profile")) &&
           take_number(&rest, &place->node) && take_number(&rest, &place->context) &&
           take_number(&rest, &place->thread) && !rest.len;
}

/// Whether it is a file or a folder, also through a link: pipes, sockets and devices are passed
/// over.
static bool is_readable(DIR *listing, const struct dirent *entry)
{
    struct stat facts;
    if (entry->d_type == DT_REG || entry->d_type == DT_DIR)
        return true;
    if (entry->d_type != DT_LNK && entry->d_type != DT_UNKNOWN)
        return false;
    return fstatat(dirfd(listing), entry->d_name, &facts, 0) == 0 &&
           (S_ISREG(facts.st_mode) || S_ISDIR(facts.st_mode));
}

/// Calls `each` for every entry until it is false; whether one was.
static bool any_entry(const char *folder, bool (*each)(void *self, const char *name), void *self)
{
    DIR *listing = opendir(folder);
    bool stopped = false;
    for (struct dirent *entry; listing && !stopped && (entry = readdir(listing));)
        stopped = is_readable(listing, entry) && !each(self, entry->d_name);
    if (listing)
        closedir(listing);
    return stopped;
}

static bool is_no_profile(void *self, const char *name)
{
    (void)self;
    pj_tau_place place;
    return !pj_tau_place_of(name, &place);
}

static char *join(const char *folder, const char *name)
{
    pj_buf path = {.at = NULL};
    pj_buf_addf(&path, "%s/%s", folder, name);
    return path.at;
}

static bool is_no_metric(void *self, const char *name)
{
    if (!pj_str_starts(pj_str_of(name), pj_str_of(MULTI)))
        return true;
    char *path = join(self, name);
    bool none = !any_entry(path, is_no_profile, NULL);
    free(path);
    return none;
}

bool pj_tau_files_any(const char *folder)
{
    return any_entry(folder, is_no_profile, NULL) ||
           any_entry(folder, is_no_metric, (void *)(uintptr_t)folder);
}

/// What is listed, and where.
typedef struct listing {
    pj_tau_files *files;
    const char *folder;
    size_t count, cap;
    char **metrics;
    size_t metric_count, metric_cap;
} listing;

static bool add_place(void *self, const char *name)
{
    listing *l = self;
    pj_tau_place place;
    if (!pj_tau_place_of(name, &place))
        return true;
    pj_grow(l->files->places, &l->cap, l->count + 1);
    place.path = join(l->folder, name);
    l->files->places[l->count++] = place;
    return l->count < FILES_MAX;
}

static bool add_metric(void *self, const char *name)
{
    listing *l = self;
    if (is_no_metric((void *)(uintptr_t)l->folder, name))
        return true;
    pj_grow(l->metrics, &l->metric_cap, l->metric_count + 1);
    l->metrics[l->metric_count++] = join(l->folder, name);
    return l->metric_count < METRICS_MAX;
}

static int by_place(const void *left, const void *right)
{
    const pj_tau_place *a = left, *b = right;
    if (a->node != b->node)
        return a->node < b->node ? -1 : 1;
    if (a->context != b->context)
        return a->context < b->context ? -1 : 1;
    return a->thread < b->thread ? -1 : a->thread > b->thread;
}

static int by_name(const void *left, const void *right)
{
    return strcmp(*(char *const *)left, *(char *const *)right);
}

/// The files of one metric; false when there are too many.
static bool list_metric(listing *l, const char *folder, size_t metric)
{
    size_t before = l->count;
    l->folder = folder;
    bool too_many = any_entry(folder, add_place, l);
    if (l->count > before)
        qsort(l->files->places + before, l->count - before, sizeof *l->files->places, by_place);
    l->files->first[metric + 1] = l->count;
    return !too_many;
}

bool pj_tau_files_list(pj_tau_files *files, const char *folder, pj_err *err)
{
    *files = (pj_tau_files){.places = NULL};
    listing l = {.files = files, .folder = folder};
    bool single = any_entry(folder, is_no_profile, NULL);
    bool too_many = !single && any_entry(folder, add_metric, &l);
    files->metric_count = single ? 1 : l.metric_count;
    size_t room = (files->metric_count + 1) * sizeof *files->first;
    files->first = pj_take_memory(room);
    memset(files->first, 0, room);
    if (l.metric_count)
        qsort(l.metrics, l.metric_count, sizeof *l.metrics, by_name);
    for (size_t m = 0; m < files->metric_count && !too_many; m++)
        too_many = !list_metric(&l, single ? folder : l.metrics[m], m);
    for (size_t m = 0; m < l.metric_count; m++)
        free(l.metrics[m]);
    free(l.metrics);
    if (!l.count)
        return pj_fail(err, PJ_E_IO, folder, 0, "has no profile.N.C.T files that can be listed");
    return !too_many || pj_fail(err, PJ_E_FORMAT, folder, 0,
                                "has more than %d profiles or %d metrics", FILES_MAX, METRICS_MAX);
}

void pj_tau_files_free(pj_tau_files *files)
{
    size_t count = files->first ? files->first[files->metric_count] : 0;
    for (size_t i = 0; i < count; i++)
        free(files->places[i].path);
    free(files->places);
    free(files->first);
    *files = (pj_tau_files){.places = NULL};
}
