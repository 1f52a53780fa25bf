// The fingerprint of a trace: a file, or an archive of many.
// An archive is shared by bytes, in ranges of its list: a file is read by one process.
#include "metrics/read/fingerprint_trace.h"

#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/job.h"
#include "metrics/base/str.h"
#include "metrics/read/rank_files.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_DEPTH = 8 };

typedef struct listing {
    pj_fingerprint_parts *parts;
    pj_arena *arena;
    unsigned depth;
} listing;

/// What the leader gets of a file.
typedef struct reading {
    uint64_t index, value, bytes;
} reading;

// The list

static void add_part(const listing *l, const char *path, const char *name, const struct stat *info)
{
    pj_fingerprint_parts *parts = l->parts;
    pj_grow(parts->items, &parts->cap, parts->count + 1);
    parts->items[parts->count++] = (pj_fingerprint_part){
        .path = pj_arena_text(l->arena, pj_str_of(path)),
        .name = pj_arena_text(l->arena, pj_str_of(name)),
    };
    if (S_ISREG(info->st_mode)) // a pipe changes while it is read
        memcpy(parts->items[parts->count - 1].stamp,
               (int64_t[]){info->st_size, info->st_mtim.tv_sec, info->st_mtim.tv_nsec},
               sizeof parts->items->stamp);
}

static bool add_member(listing *l, const char *path, const char *name, pj_err *err);

static bool add_folder(listing *l, const char *path, pj_err *err)
{
    struct dirent **entries;
    int count = scandir(path, &entries, NULL, alphasort);
    if (count < 0)
        return pj_fail_io(err, path, "cannot be opened");
    bool ok = true;
    for (int i = 0; i < count; i++) {
        const char *name = entries[i]->d_name;
        if (ok && name[0] != '.')
            ok = add_member(l, pj_arena_format(l->arena, "%s/%s", path, name), name, err);
        free(entries[i]);
    }
    free(entries);
    return ok;
}

static bool add_member(listing *l, const char *path, const char *name, pj_err *err)
{
    struct stat info;
    if (stat(path, &info) != 0)
        return pj_fail_io(err, path, "cannot be read");
    if (!S_ISDIR(info.st_mode)) {
        if (S_ISREG(info.st_mode) || l->depth == 0) // beside the parts of an archive may be a pipe
            add_part(l, path, name, &info);
        return true;
    }
    bool ok = ++l->depth > MOST_DEPTH || add_folder(l, path, err);
    l->depth--;
    return ok;
}

/// Beside x.otf2 lie x.def and the folder x.
static bool add_anchor(listing *l, const char *path, pj_err *err)
{
    pj_str stem = pj_str_head(pj_str_of(path), strlen(path) - strlen(".otf2"));
    static const char *const ends[] = {".otf2", ".def", ""};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        const char *part = pj_arena_format(l->arena, PJ_STR_FMT "%s", PJ_STR_ARG(stem), ends[i]);
        if (access(part, F_OK) == 0 && !add_member(l, part, ends[i], err))
            return false;
    }
    return true;
}

/// A run that is a file each rank.
static bool add_files(listing *l, const char *const *files, size_t count, pj_err *err)
{
    for (size_t i = 0; i < count; i++) {
        size_t slash = pj_str_find_last(pj_str_of(files[i]), '/');
        const char *name = files[i][slash] ? files[i] + slash + 1 : files[i];
        if (!add_member(l, files[i], name, err))
            return false;
    }
    return true;
}

bool pj_fingerprint_list(const char *path, pj_arena *arena, pj_fingerprint_parts *out, pj_err *err)
{
    struct stat info;
    listing l = {.parts = out, .arena = arena};
    *out = (pj_fingerprint_parts){.archive = true};
    const char **files = NULL;
    size_t ranks = pj_rank_files_of(path, arena, &files);
    if (ranks)
        return add_files(&l, files, ranks, err);
    if (stat(path, &info) != 0)
        return pj_fail_io(err, path, "cannot be read");
    if (S_ISDIR(info.st_mode))
        return add_folder(&l, path, err);
    if (pj_str_ends(pj_str_of(path), PJ_S(".otf2")))
        return add_anchor(&l, path, err);
    out->archive = false;
    add_part(&l, path, path, &info);
    return true;
}

void pj_fingerprint_free(pj_fingerprint_parts *parts)
{
    free(parts->items);
    *parts = (pj_fingerprint_parts){.count = 0};
}

// Reading

bool pj_fingerprint_read(pj_fingerprint_parts *parts, const pj_process_group *group, pj_job *job,
                         pj_err *err)
{
    uint64_t total = 1, before = 0;
    for (size_t i = 0; i < parts->count; i++)
        total += (uint64_t)parts->items[i].stamp[0];
    for (size_t i = 0; i < parts->count; i++) {
        pj_fingerprint_part *part = &parts->items[i];
        unsigned reader = group ? (unsigned)((double)before / (double)total * group->size) : 0;
        before += (uint64_t)part->stamp[0];
        if (group && reader != group->rank)
            continue;
        part->known = pj_fingerprint_file(part->path, job, &part->value, &part->bytes, err);
        if (!part->known)
            return false;
    }
    return true;
}

bool pj_fingerprint_gather(pj_fingerprint_parts *parts, pj_process_group *group, pj_err *err)
{
    for (size_t i = 0; i < parts->count; i++) {
        const pj_fingerprint_part *part = &parts->items[i];
        reading one = {i, part->value, part->bytes};
        if (part->known)
            pj_buf_add(&group->out[0], (pj_str){(const char *)&one, sizeof one});
    }
    if (!pj_process_group_exchange(group, err))
        return false;
    for (unsigned member = 0; pj_process_group_leads(group) && member < group->size; member++) {
        pj_str in = pj_process_group_from(group, member);
        for (reading one; in.len >= sizeof one; in = pj_str_from(in, sizeof one)) {
            memcpy(&one, in.at, sizeof one);
            if (one.index >= parts->count)
                continue;
            pj_fingerprint_part *part = &parts->items[one.index];
            part->value = one.value;
            part->bytes = one.bytes;
            part->known = true;
        }
    }
    for (size_t i = 0; pj_process_group_leads(group) && i < parts->count; i++)
        if (!parts->items[i].known)
            return pj_fail(err, PJ_E_IO, parts->items[i].path, 0,
                           "is not the same for all processes");
    return true;
}

// What comes of it

uint64_t pj_fingerprint_fold(const pj_fingerprint_parts *parts, uint64_t *bytes)
{
    pj_fingerprint all;
    uint64_t total = 0;
    pj_fingerprint_begin(&all);
    for (size_t i = 0; i < parts->count; i++) {
        const pj_fingerprint_part *part = &parts->items[i];
        char text[PJ_FINGERPRINT_TEXT];
        pj_fingerprint_text(part->value, text);
        pj_fingerprint_add(&all, pj_str_of(part->name));
        pj_fingerprint_add(&all, pj_str_of(text));
        total += part->bytes;
    }
    if (bytes)
        *bytes = total;
    return parts->archive ? pj_fingerprint_end(&all) : parts->items[0].value;
}

bool pj_fingerprint_trace(const char *path, pj_job *job, uint64_t *out, uint64_t *bytes,
                          pj_err *err)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_fingerprint_parts parts;
    bool ok = pj_fingerprint_list(path, arena, &parts, err) &&
              pj_fingerprint_read(&parts, NULL, job, err);
    if (ok)
        *out = pj_fingerprint_fold(&parts, bytes);
    pj_fingerprint_free(&parts);
    return ok;
}

bool pj_fingerprint_stamp(const char *path, uint64_t *out, pj_err *err)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_fingerprint_parts parts;
    pj_fingerprint all;
    pj_fingerprint_begin(&all);
    bool ok = pj_fingerprint_list(path, arena, &parts, err);
    for (size_t i = 0; ok && i < parts.count; i++) {
        const pj_fingerprint_part *part = &parts.items[i];
        pj_fingerprint_add(&all, pj_str_of(part->name));
        pj_fingerprint_add(&all, (pj_str){(const char *)part->stamp, sizeof part->stamp});
    }
    *out = pj_fingerprint_end(&all);
    pj_fingerprint_free(&parts);
    return ok;
}
