// Files that belong to a sample: all of its folder, or those that share its stem.
#include "tests/support/samples.h"

#include "metrics/base/err.h"
#include "metrics/base/file.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

typedef struct names {
    const char **items;
    size_t count, cap;
} names;

static bool is_folder(const char *path)
{
    struct stat facts;
    return stat(path, &facts) == 0 && S_ISDIR(facts.st_mode);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/// Paths below `top`, those of folders end with a slash and stand before what they hold.
static void list(pj_arena *arena, const char *top, names *out)
{
    for (size_t next = 0, at = 0; next <= out->count; next++) {
        const char *below = next ? out->items[next - 1] : "";
        if (next && !pj_str_ends(pj_str_of(below), PJ_S("/")))
            continue;
        DIR *dir = opendir(pj_arena_format(arena, "%s/%s", top, below));
        assert_non_null(dir);
        at = out->count;
        for (struct dirent *entry; (entry = readdir(dir));) {
            if (entry->d_name[0] == '.')
                continue;
            const char *name = pj_arena_format(arena, "%s%s", below, entry->d_name);
            bool folder = is_folder(pj_arena_format(arena, "%s/%s", top, name));
            pj_grow(out->items, &out->cap, out->count + 1);
            out->items[out->count++] = folder ? pj_arena_format(arena, "%s/", name) : name;
        }
        closedir(dir);
        if (out->count > at)
            qsort(out->items + at, out->count - at, sizeof *out->items, by_name);
    }
}

/// What files of the sample begin with: "run" of run.otf2, "" of the whole folder.
static pj_str stem_of(const char *name)
{
    pj_str text = pj_str_of(name);
    if (!text.len || pj_str_ends(text, PJ_S("/")))
        return text;
    return pj_str_head(text, pj_str_find_last(text, '.'));
}

static void add(pj_samples *samples, const char *folder, const char *name, const names *all)
{
    pj_sample sample = {.folder = folder, .name = name};
    sample.path = *name ? pj_arena_format(samples->arena, "%s/%s", folder, name) : folder;
    sample.files = pj_new_n(samples->arena, const char *, all->count + 1);
    for (size_t i = 0; i < all->count; i++)
        if (pj_str_starts(pj_str_of(all->items[i]), stem_of(name)))
            sample.files[sample.file_count++] = all->items[i];
    pj_grow(samples->items, &samples->cap, samples->count + 1);
    samples->items[samples->count++] = sample;
}

pj_samples pj_samples_of(const pj_reader *reader)
{
    pj_samples samples = {.arena = pj_arena_new(NULL)};
    const char *folder =
        pj_arena_format(samples.arena, "%s/tests/samples/%s", PJ_SOURCE_DIR, reader->name);
    names all = {.items = NULL};
    if (!is_folder(folder))
        return samples;
    list(samples.arena, folder, &all);
    if (pj_reader_of_path(folder) == reader)
        add(&samples, folder, "", &all);
    for (size_t i = 0; i < all.count; i++)
        if (pj_reader_of_path(pj_arena_format(samples.arena, "%s/%s", folder, all.items[i])) ==
            reader)
            add(&samples, folder, all.items[i], &all);
    free(all.items);
    return samples;
}

void pj_samples_free(pj_samples *samples)
{
    pj_arena_free(samples->arena);
    free(samples->items);
    *samples = (pj_samples){.arena = NULL};
}

static void copy_file(const char *from, const char *to)
{
    pj_auto_buf bytes = {.at = NULL};
    assert_true(pj_file_read(from, &bytes, NULL));
    FILE *out = fopen(to, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(bytes.at ? bytes.at : "", 1, bytes.len, out), bytes.len);
    fclose(out);
}

const char *pj_samples_copy(const pj_samples *samples, const pj_sample *sample, const char *folder)
{
    pj_arena *arena = samples->arena;
    for (size_t i = 0; i < sample->file_count; i++) {
        const char *name = sample->files[i];
        const char *to = pj_arena_format(arena, "%s/%s", folder, name);
        if (pj_str_ends(pj_str_of(name), PJ_S("/")))
            assert_int_equal(mkdir(to, 0777), 0);
        else
            copy_file(pj_arena_format(arena, "%s/%s", sample->folder, name), to);
    }
    return *sample->name ? pj_arena_format(arena, "%s/%s", folder, sample->name) : folder;
}

void pj_samples_remove(const pj_samples *samples, const pj_sample *sample, const char *folder)
{
    for (size_t i = sample->file_count; i > 0; i--)
        remove(pj_arena_format(samples->arena, "%s/%s", folder, sample->files[i - 1]));
}
