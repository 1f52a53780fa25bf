// Names of calls, constructs and functions, from the labels of the trace.
#include "metrics/stat/call_name.h"

#include "metrics/base/num.h"
#include "metrics/base/str.h"
#include "metrics/run/regions.h"
#include "metrics/trace/event.h"
#include "metrics/trace/mpi_call.h"

typedef struct construct {
    const char *name; // NULL = that of the function
    bool has_value;
} construct;

static const construct constructs[] = {
    [PJ_OMP_PARALLEL] = {"OpenMP parallel", false},
    [PJ_OMP_BARRIER] = {"OpenMP barrier", false},
    [PJ_OMP_FUNCTION] = {NULL, true},
    [PJ_OMP_TASK] = {NULL, true},
    [PJ_OMP_TASK_MADE] = {"OpenMP task creation", false},
    [PJ_OMP_TASKWAIT] = {"OpenMP taskwait", false},
};
enum { CONSTRUCTS = sizeof constructs / sizeof *constructs };

bool pj_call_name_is_construct(uint16_t code)
{
    return code < CONSTRUCTS && (constructs[code].name || constructs[code].has_value);
}

bool pj_call_name_has_value(uint16_t code)
{
    return code < CONSTRUCTS && constructs[code].has_value;
}

/// "12 (solve.c, a.out)" in line and file.
static void place(const pj_run *run, const pj_call_name *name, pj_region *region, pj_arena *arena)
{
    const char *label = name->line ? pj_region_label(run, PJ_FUNCTION_LINE, name->line) : NULL;
    pj_str rest = pj_str_of(label ? label : "");
    pj_str number = pj_str_trim(pj_str_cut(&rest, '('));
    pj_str file = pj_str_cut(&rest, ',');
    file = file.len && file.at[file.len - 1] == ')' ? pj_str_head(file, file.len - 1) : file;
    uint64_t line;
    if (!pj_parse_u64(number, &line) || line > UINT32_MAX || !line || !file.len)
        return;
    region->line = (uint32_t)line;
    region->file = pj_arena_text(arena, file);
}

static const char *label_of(const pj_run *run, const pj_call_name *name, pj_arena *arena)
{
    const char *label = pj_region_label(run, name->code, name->value);
    return label ? label : pj_arena_format(arena, "function %llu", (unsigned long long)name->value);
}

pj_region pj_call_name_region(const pj_run *run, const pj_call_name *name, pj_arena *arena)
{
    if (name->kind == PJ_EV_MPI) {
        const pj_mpi_call_row *row = pj_mpi_call_at((pj_mpi_call)name->value);
        return (pj_region){.name = row ? row->name : "unknown MPI call", .kind = "mpi"};
    }
    if (name->kind == PJ_EV_OPENMP) {
        const char *fixed = constructs[name->code].name;
        return (pj_region){.name = fixed ? fixed : label_of(run, name, arena), .kind = "omp"};
    }
    pj_region region = {.name = label_of(run, name, arena), .kind = "function"};
    place(run, name, &region, arena);
    return region;
}
