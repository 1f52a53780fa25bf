// META_DATA_CAPTURE holds the environment of who recorded, secrets and all. Of its rows nothing but
// numbers of ranks is taken, and no text of them is kept.
#include "metrics/read/database/nsys_facts.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/fingerprint.h"
#include "metrics/base/map.h"
#include "metrics/base/num.h"
#include "metrics/base/str.h"
#include "metrics/read/database/sql_file.h"

#include <stdlib.h>

/// What launchers call the number of a process among all, the surest first; nothing else is read.
static const pj_str rank_names[] = {{"RANK", 4},          {"OMPI_COMM_WORLD_RANK", 20},
                                    {"PMIX_RANK", 9},     {"PMI_RANK", 8},
                                    {"SLURM_PROCID", 12}, {"LOCAL_RANK", 10}};
/// And how many these are.
static const pj_str world_names[] = {{"WORLD_SIZE", 10}};

enum {
    RANK_NAMES = sizeof rank_names / sizeof *rank_names,
    WORLD_NAMES = sizeof world_names / sizeof *world_names
};

/// A device as a process calls it.
typedef struct known_device {
    int64_t gpu; // of the machine
    int64_t process;
    uint64_t unit; // fingerprint of its uuid; 0 = not told
} known_device;

struct pj_nsys_facts {
    int64_t rank, world;      // -1 = not told
    size_t rank_by, world_by; // which of the names told it
    known_device *devices;
    size_t count, cap;
    pj_map by_process; // process and its number of the device: of `devices`
    pj_map units;      // of a GPU: low and high half of its uuid's fingerprint
};

static bool is_name_character(char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

/// The number at the begin of a text; -1 = none.
static int64_t number_at(pj_str text)
{
    size_t digits = 0;
    uint64_t number;
    while (digits < text.len && text.at[digits] >= '0' && text.at[digits] <= '9')
        digits++;
    bool ends = digits == text.len || !is_name_character(text.at[digits]);
    bool ok = digits && ends && pj_parse_u64(pj_str_head(text, digits), &number);
    return ok && number < INT32_MAX ? (int64_t)number : -1;
}

/// What follows `name` and one of = or : and quotes and blanks; -1 = it is not there.
static int64_t value_of(pj_str text, pj_str name)
{
    for (size_t i = 0; i + name.len < text.len; i++) {
        pj_str rest = pj_str_from(text, i);
        if ((i && is_name_character(text.at[i - 1])) || !pj_str_starts(rest, name))
            continue;
        rest = pj_str_from(rest, name.len);
        size_t between = 0;
        while (between < rest.len && strchr("=: \"'\t", rest.at[between]))
            between++;
        int64_t number = between ? number_at(pj_str_from(rest, between)) : -1;
        if (number >= 0)
            return number;
    }
    return -1;
}

/// One of the names before `*by` in a row whose name it is, or whose value has it.
static void look_for(pj_str name, pj_str value, const pj_str *names, size_t *by, int64_t *out)
{
    for (size_t i = 0; i < *by; i++) {
        size_t behind = name.len > names[i].len ? name.len - names[i].len : 0;
        bool named =
            pj_str_ends(name, names[i]) && (!behind || !is_name_character(name.at[behind - 1]));
        int64_t number = named ? number_at(pj_str_trim(value)) : value_of(value, names[i]);
        if (number < 0)
            continue;
        *out = number;
        *by = i;
    }
}

static void take_capture(pj_nsys_facts *f, const pj_sql_rows *row)
{
    pj_str name = pj_sql_rows_text(row, 0), value = pj_sql_rows_text(row, 1);
    look_for(name, value, rank_names, &f->rank_by, &f->rank);
    look_for(name, value, world_names, &f->world_by, &f->world);
}

static uint64_t key_of(int64_t process, int64_t device)
{
    return ((uint64_t)process & 0xffffff) << 32 | (uint32_t)device;
}

static uint64_t unit_of(pj_str uuid)
{
    return uuid.len ? pj_fingerprint_of(uuid) | 1 : 0;
}

static uint64_t told_unit(const pj_nsys_facts *f, int64_t gpu)
{
    uint32_t low, high;
    bool told = pj_map_get(&f->units, 2 * (uint64_t)gpu, &low) &&
                pj_map_get(&f->units, 2 * (uint64_t)gpu + 1, &high);
    return told ? (uint64_t)high << 32 | low : 0;
}

static void take_gpu(pj_nsys_facts *f, const pj_sql_rows *row)
{
    int64_t gpu = pj_sql_rows_integer(row, 0, -1);
    uint64_t unit = unit_of(pj_sql_rows_text(row, 1));
    if (gpu < 0 || gpu >= INT32_MAX || !unit)
        return;
    pj_map_put(&f->units, 2 * (uint64_t)gpu, (uint32_t)unit);
    pj_map_put(&f->units, 2 * (uint64_t)gpu + 1, (uint32_t)(unit >> 32));
}

static void take_device(pj_nsys_facts *f, const pj_sql_rows *row)
{
    enum { MOST = 1 << 20 };
    int64_t number = pj_sql_rows_integer(row, 0, -1), process = pj_sql_rows_integer(row, 1, -1);
    known_device d = {.gpu = pj_sql_rows_integer(row, 2, -1),
                      .process = process,
                      .unit = unit_of(pj_sql_rows_text(row, 3))};
    if (number < 0 || process < 0 || d.gpu < 0 || d.gpu >= INT32_MAX || f->count == MOST)
        return;
    d.unit = d.unit ? d.unit : told_unit(f, d.gpu);
    pj_grow(f->devices, &f->cap, f->count + 1);
    pj_map_put(&f->by_process, key_of(process, number), (uint32_t)f->count);
    f->devices[f->count++] = d;
}

static bool each_row(pj_nsys_facts *f, pj_device_tables *t, const char *table, const char *columns,
                     void (*take)(pj_nsys_facts *f, const pj_sql_rows *row), pj_err *err)
{
    pj_sql_rows *rows = pj_sql_rows_new(t->file, table, columns, err);
    if (!rows)
        return false;
    while (pj_sql_rows_next(rows, err))
        take(f, rows);
    pj_sql_rows_free(rows);
    return !err->code;
}

pj_nsys_facts *pj_nsys_facts_new(pj_device_tables *tables, pj_job *job, pj_err *err)
{
    pj_nsys_facts *f = pj_take_zeros(sizeof *f);
    f->rank = f->world = -1;
    f->rank_by = RANK_NAMES;
    f->world_by = WORLD_NAMES;
    bool ok =
        each_row(f, tables, "META_DATA_CAPTURE", "name value", take_capture, err) &&
        each_row(f, tables, "TARGET_INFO_GPU", "id uuid", take_gpu, err) &&
        each_row(f, tables, "TARGET_INFO_CUDA_DEVICE", "cudaId pid gpuId uuid", take_device, err) &&
        pj_job_check(job, tables->path, err);
    if (ok)
        return f;
    pj_nsys_facts_free(f);
    return NULL;
}

int64_t pj_nsys_facts_device(const pj_nsys_facts *f, int64_t process, int64_t number)
{
    uint32_t found;
    bool told = f->count && pj_map_get(&f->by_process, key_of(process >> 24, number), &found);
    return told ? f->devices[found].gpu : number;
}

void pj_nsys_facts_tell(const pj_nsys_facts *f, pj_device_tables *t)
{
    if (t->count == 1 && t->ranks[0]->rank < 0 && f->rank >= 0) { // else it is their launcher's
        t->ranks[0]->rank = f->rank;
        t->ranks[0]->world = f->world > f->rank ? f->world : -1;
    }
    for (size_t r = 0; r < t->count; r++)
        for (size_t d = 0; d < t->ranks[r]->device_count; d++)
            for (size_t i = 0; i < f->count; i++)
                if ((t->processes[r] & 0xffffff) == f->devices[i].process &&
                    t->ranks[r]->devices[d].number == f->devices[i].gpu)
                    t->ranks[r]->devices[d].unit = f->devices[i].unit;
}

void pj_nsys_facts_free(pj_nsys_facts *f)
{
    if (!f)
        return;
    pj_map_free(&f->by_process);
    pj_map_free(&f->units);
    free(f->devices);
    free(f);
}
