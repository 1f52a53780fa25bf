// Files are read by the workers, each into a profile of its own, and merged in the order of ranks,
// so that the digits are the same for any number of workers.
#include "metrics/analyse/load_profile.h"

#include "metrics/base/arena.h"
#include "metrics/base/pool.h"
#include "metrics/base/str.h"
#include "metrics/profile/build/profile_build.h"
#include "metrics/profile/derive/profile_merge.h"
#include "metrics/read/read.h"
#include "metrics/read/reader.h"

#include <stdlib.h>

typedef struct part {
    const char *path;
    const char *name;
    int64_t rank;
    size_t place; // in the call
    pj_profile *profile;
    pj_err err;
} part;

typedef struct loading {
    part *parts;
    size_t count, next;
    pj_job *job;
} loading;

static bool take_part(void *self, void *slot, pj_err *err)
{
    loading *l = self;
    (void)err;
    if (l->next == l->count)
        return false;
    *(part **)slot = &l->parts[l->next++];
    return true;
}

/// By the name that the user gave the file.
static void name_locations(const part *file, pj_build *build)
{
    pj_profile *p = pj_build_profile(build);
    uint32_t name = file->name ? pj_build_text(build, pj_str_of(file->name)) : 0;
    for (uint32_t i = 0; name && i < p->location_count; i++)
        p->locations[i].name = name;
}

static bool read_part(void *self, void *slot, pj_err *err)
{
    loading *l = self;
    part *file = *(part **)slot;
    pj_auto_build build = pj_build_new(file->path, l->job);
    const pj_reader *reader = pj_read_profile(file->path, l->job, build, &file->err);
    if (reader) {
        pj_build_profile(build)->format = reader->name;
        pj_build_profile(build)->title = reader->title;
        pj_build_file(build, file->path);
        name_locations(file, build);
        file->profile = pj_build_finish(build, &file->err);
    }
    bool hopeless = file->err.code == PJ_E_STOPPED || file->err.code == PJ_E_MEMORY;
    if (hopeless)
        *err = file->err;
    return !hopeless;
}

static bool put_part(void *self, void *slot, pj_err *err)
{
    (void)slot;
    loading *l = self;
    return pj_job_check(l->job, "", err);
}

static void report(void *self)
{
    loading *l = self;
    pj_job_report(l->job, l->parts[l->next ? l->next - 1 : 0].path, false);
}

/// The number of digits at `from`, and the number that they are (too long ones: the last 18).
static size_t digits_at(pj_str text, size_t from, int64_t *number)
{
    enum { MOST = 18 };
    size_t end = from;
    while (end < text.len && text.at[end] >= '0' && text.at[end] <= '9')
        end++;
    *number = 0;
    for (size_t i = end - from > MOST ? end - MOST : from; i < end; i++)
        *number = *number * 10 + (text.at[i] - '0');
    return end - from;
}

/// The number `index` of a text, counted from its end; -1 = there are not so many.
static int64_t number_of(pj_str text, size_t index)
{
    size_t count = 0;
    int64_t number;
    for (size_t pass = 0; pass < 2; pass++) {
        size_t seen = 0;
        for (size_t i = 0; i < text.len;) {
            size_t digits = digits_at(text, i, &number);
            if (digits && pass && ++seen == count - index)
                return number;
            count += digits && !pass;
            i += digits ? digits : 1;
        }
        if (index >= count)
            return -1;
    }
    return -1;
}

static int by_number(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static bool all_differ(const int64_t *numbers, size_t count)
{
    int64_t *sorted = pj_take_memory(count * sizeof *sorted);
    memcpy(sorted, numbers, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, by_number);
    bool differ = true;
    for (size_t i = 1; i < count; i++)
        differ = differ && sorted[i] != sorted[i - 1];
    free(sorted);
    return differ;
}

static pj_str file_name(const char *path)
{
    pj_str text = pj_str_of(path);
    size_t slash = pj_str_find_last(text, '/');
    return slash == text.len ? text : pj_str_from(text, slash + 1);
}

static bool ranks_by(const char *const *paths, size_t count, bool whole_path, int64_t *ranks)
{
    enum { MOST_NUMBERS = 64 };
    for (size_t index = 0; index < MOST_NUMBERS; index++) {
        bool all = true;
        for (size_t i = 0; i < count; i++) {
            ranks[i] = number_of(whole_path ? pj_str_of(paths[i]) : file_name(paths[i]), index);
            all = all && ranks[i] >= 0;
        }
        if (!all)
            return false;
        if (all_differ(ranks, count))
            return true;
    }
    return false;
}

void pj_load_profile_ranks(const char *const *paths, size_t count, int64_t *ranks)
{
    if (count > 1 && (ranks_by(paths, count, false, ranks) || ranks_by(paths, count, true, ranks)))
        return;
    for (size_t i = 0; i < count; i++)
        ranks[i] = (int64_t)i;
}

/// Whether the file is of one thread, as callgrind writes them (callgrind.out.4711-02).
static bool is_of_thread(const pj_profile *p)
{
    return p && p->location_count == 1 && p->locations[0].rank < 0 && p->locations[0].thread >= 0;
}

/// The path without the number of the thread.
static const char *process_path(const char *path, pj_arena *arena)
{
    pj_str text = pj_str_of(path);
    size_t dash = pj_str_find_last(text, '-');
    int64_t number;
    bool ends = dash + 1 < text.len && digits_at(text, dash + 1, &number) == text.len - dash - 1;
    return ends ? pj_arena_text(arena, pj_str_head(text, dash)) : path;
}

/// Files of threads of one process have one rank.
static void rank_processes(loading *l)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    const char **paths = pj_new_n(arena, const char *, l->count + 1);
    size_t *process = pj_new_n(arena, size_t, l->count + 1), count = 0;
    for (size_t i = 0; i < l->count; i++) {
        if (!is_of_thread(l->parts[i].profile))
            return;
        const char *path = process_path(l->parts[i].path, arena);
        bool known = count && strcmp(paths[count - 1], path) == 0; // they stand together
        process[i] = known ? count - 1 : count;
        paths[count] = path;
        count += !known;
    }
    int64_t *ranks = pj_new_n(arena, int64_t, count + 1);
    pj_load_profile_ranks(paths, count, ranks);
    for (size_t i = 0; i < l->count; i++)
        l->parts[i].rank = ranks[process[i]];
}

static const char *format_of(const part *file)
{
    return file->profile ? file->profile->format : NULL;
}

/// Files of another kind, as a memory curve beside times, are no ranks of the others: each kind is
/// numbered for itself, but where the user has named a file.
static void rank_kinds(loading *l)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    const char **paths = pj_new_n(arena, const char *, l->count + 1);
    int64_t *ranks = pj_new_n(arena, int64_t, l->count + 1);
    bool *done = pj_new_n(arena, bool, l->count + 1);
    for (size_t i = 0; i < l->count; i++)
        if (l->parts[i].name)
            return;
    for (size_t i = 0; i < l->count; i++) {
        const char *format = format_of(&l->parts[i]);
        size_t count = 0;
        for (size_t k = i; k < l->count && format && !done[i]; k++)
            if (format_of(&l->parts[k]) == format)
                paths[count++] = l->parts[k].path;
        if (count == l->count)
            return; // all are of one kind
        if (count == 0)
            continue;
        pj_load_profile_ranks(paths, count, ranks);
        for (size_t k = i, n = 0; k < l->count; k++)
            if (format_of(&l->parts[k]) == format) {
                l->parts[k].rank = ranks[n++];
                done[k] = true;
            }
    }
}

/// What the file does not tell of its locations is what its name or place tells.
static void number_locations(const part *file)
{
    pj_profile *p = file->profile;
    for (uint32_t i = 0; i < p->location_count; i++)
        if (p->locations[i].rank < 0)
            p->locations[i].rank = file->rank;
}

static int64_t first_rank(const part *file)
{
    return file->profile->location_count ? file->profile->locations[0].rank : file->rank;
}

static int by_rank(const void *a, const void *b)
{
    const part *x = a, *y = b;
    int64_t first = first_rank(x), other = first_rank(y);
    return first != other ? (first > other) - (first < other)
                          : (x->place > y->place) - (x->place < y->place);
}

static pj_profile *put_together(loading *l, size_t count, bool align, pj_err *err)
{
    qsort(l->parts, count, sizeof *l->parts, by_rank);
    if (count == 1)
        return pj_profile_hold(l->parts[0].profile);
    pj_profile **profiles = pj_take_memory(count * sizeof(pj_profile *));
    for (size_t i = 0; i < count; i++)
        profiles[i] = l->parts[i].profile;
    pj_auto_build build = pj_build_new(l->parts[0].path, l->job);
    bool ok = pj_profile_merge(build, profiles, count, (pj_profile_merging){.align = align}, err);
    free(profiles);
    return ok ? pj_build_finish(build, err) : NULL;
}

/// Leaves those that could be read.
static size_t sift(loading *l, pj_load_profile_opts opts, pj_err *err)
{
    size_t kept = 0;
    rank_kinds(l);
    rank_processes(l);
    for (size_t i = 0; i < l->count; i++) {
        if (l->parts[i].profile) {
            number_locations(&l->parts[i]);
            part file = l->parts[i];
            l->parts[i].profile = NULL;
            l->parts[kept++] = file;
        } else if (opts.complain && l->count > 1) {
            opts.complain(opts.context, &l->parts[i].err);
        } else {
            if (err->code == PJ_E_NONE)
                *err = l->parts[i].err;
            return 0;
        }
    }
    if (kept == 0)
        pj_fail(err, PJ_E_IO, NULL, 0, "none of the %zu profiles could be read", l->count);
    return kept;
}

static bool read_all(loading *l, pj_err *err)
{
    unsigned workers = pj_job_workers(l->job);
    size_t slot_count = pj_pool_slots(workers);
    part **parts = pj_take_memory(slot_count * sizeof(part *));
    void **slots = pj_take_memory(slot_count * sizeof(void *));
    for (size_t i = 0; i < slot_count; i++)
        slots[i] = &parts[i];
    pj_line line = {
        .self = l, .take = take_part, .work = read_part, .put = put_part, .report = report};
    bool ok = pj_pool_run(&line, workers, slots, slot_count, err);
    free(slots);
    free(parts);
    return ok;
}

pj_profile *pj_load_profile(const char *const *paths, size_t count, pj_load_profile_opts opts,
                            pj_job *job, pj_err *err)
{
    loading l = {.parts = pj_take_memory(count * sizeof *l.parts), .count = count, .job = job};
    int64_t *ranks = pj_take_memory(count * sizeof *ranks);
    pj_load_profile_ranks(paths, count, ranks);
    for (size_t i = 0; i < count; i++)
        l.parts[i] = (part){.path = paths[i],
                            .name = opts.names ? opts.names[i] : NULL,
                            .rank = ranks[i],
                            .place = i};
    free(ranks);
    if (!job->memory_budget)
        job->memory_budget = pj_job_default_budget();
    bool read = count > 0 && read_all(&l, err);
    size_t kept = read ? sift(&l, opts, err) : 0;
    pj_profile *profile = kept ? put_together(&l, kept, opts.align, err) : NULL;
    for (size_t i = 0; i < count; i++)
        pj_profile_release(l.parts[i].profile);
    free(l.parts);
    return profile;
}
