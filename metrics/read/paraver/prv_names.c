// What the companions of a trace call its MPI calls, OpenMP regions and threads.
#include "metrics/read/paraver/prv_names.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "metrics/read/paraver/pcf.h"
#include "metrics/read/paraver/prv_devices.h"
#include "metrics/read/paraver/row.h"
#include "metrics/run/run.h"
#include "metrics/trace/companion.h"
#include "metrics/trace/import_stats.h"
#include "metrics/trace/meter.h"
#include "metrics/trace/mpi_call.h"

#include <stdlib.h>

enum { MPI_TYPE = 50000000 };

static int by_code_and_value(const void *a, const void *b)
{
    const pj_label *x = a, *y = b;
    if (x->code != y->code)
        return x->code < y->code ? -1 : 1;
    return x->value < y->value ? -1 : x->value > y->value;
}

/// Functions and source lines, of the program and of OpenMP regions.
static void name_regions(pj_run *run, const pj_pcf *pcf)
{
    static const struct {
        uint64_t type;
        uint16_t code;
    } families[] = {{60000018, PJ_OMP_FUNCTION},  {60000019, PJ_FUNCTION},
                    {60000023, PJ_OMP_TASK},      {60000118, PJ_OMP_FUNCTION_LINE},
                    {60000119, PJ_FUNCTION_LINE}, {60000123, PJ_OMP_TASK_LINE}};
    enum { FAMILIES = sizeof families / sizeof *families };
    run->names.labels = pj_new_n(run->arena, pj_label, FAMILIES * pcf->value_count + 1);
    for (size_t f = 0; f < FAMILIES; f++) {
        const pj_pcf_value *values;
        size_t count = pj_pcf_values(pcf, families[f].type, &values);
        for (size_t i = 0; i < count; i++)
            run->names.labels[run->names.label_count++] =
                (pj_label){.value = (uint64_t)values[i].value,
                           .text = pj_arena_text(run->arena, pj_str_of(values[i].label)),
                           .code = families[f].code};
    }
    qsort(run->names.labels, run->names.label_count, sizeof *run->names.labels, by_code_and_value);
}

/// Types that the program itself gives events (Extrae_event): those below the tracers' own.
static void find_parameters(pj_run *run, const pj_pcf *pcf, pj_prv_trace *trace)
{
    enum { TRACERS_FROM = 10000000, MOST = 64 };
    uint64_t *types = pj_new_n(run->arena, uint64_t, MOST);
    run->names.parameters = pj_new_n(run->arena, const char *, MOST);
    for (size_t t = 0; t < pcf->type_count && trace->parameter_count < MOST; t++) {
        if (pcf->types[t].type >= TRACERS_FROM)
            continue;
        run->names.parameters[trace->parameter_count] =
            pj_arena_text(run->arena, pj_str_of(pcf->types[t].label));
        types[trace->parameter_count++] = pcf->types[t].type;
    }
    run->names.parameter_count = trace->parameter_count;
    trace->parameters = types;
}

/// And what it calls their values.
static void name_parameters(pj_run *run, const pj_pcf *pcf, const pj_prv_trace *trace)
{
    size_t count = run->names.label_count;
    const pj_pcf_value *values;
    for (uint32_t i = 0; i < trace->parameter_count; i++)
        count += pj_pcf_values(pcf, trace->parameters[i], &values);
    pj_label *labels = pj_new_n(run->arena, pj_label, count + 1);
    if (run->names.label_count)
        memcpy(labels, run->names.labels, run->names.label_count * sizeof *labels);
    run->names.labels = labels;
    for (uint32_t i = 0; i < trace->parameter_count; i++) {
        size_t known = pj_pcf_values(pcf, trace->parameters[i], &values);
        for (size_t k = 0; k < known; k++)
            labels[run->names.label_count++] =
                (pj_label){.value = (uint64_t)values[k].value,
                           .text = pj_arena_text(run->arena, pj_str_of(values[k].label)),
                           .code = (uint16_t)(PJ_LABEL_PARAMETERS + i)};
    }
    qsort(labels, count, sizeof *labels, by_code_and_value);
}

/// The labels of the trace come first, then Extrae's numbers.
static void name_calls(pj_prv_trace *trace, const pj_pcf *pcf)
{
    uint16_t known[PJ_PRV_MPI_VALUES];
    for (unsigned value = 0; value < PJ_PRV_MPI_VALUES; value++)
        known[value] = PJ_MPI_UNKNOWN;
    const pj_mpi_call_row *row;
    for (pj_mpi_call call = 1; (row = pj_mpi_call_at(call)); call++)
        if (row->extrae < PJ_PRV_MPI_VALUES && known[row->extrae] == PJ_MPI_UNKNOWN)
            known[row->extrae] = (uint16_t)call;
    for (unsigned class_ = 1; class_ <= PJ_PRV_MPI_TYPES; class_++) {
        uint16_t *calls = trace->calls[class_ - 1];
        memcpy(calls + 1, known + 1, sizeof known - sizeof *known);
        const pj_pcf_value *values;
        size_t count = pcf ? pj_pcf_values(pcf, MPI_TYPE + class_, &values) : 0;
        for (size_t i = count; i-- > 0;) // of equal values the first counts
            if (values[i].value > 0 && values[i].value < PJ_PRV_MPI_VALUES)
                calls[values[i].value] = (uint16_t)pj_mpi_call_by_name(pj_str_of(values[i].label));
    }
}

/// Counters of energy are read by each thread, what it was since its last reading: of which socket
/// they are, and in which unit, the trace does not tell.
static void count_meters(pj_run *run, const pj_pcf *pcf)
{
    enum { COUNTERS = 42000000, ABSOLUTE_END = 44000000 }; // Extrae's
    run->meters.left_out = 0;
    for (size_t t = 0; t < pcf->type_count; t++) {
        const pj_pcf_type *type = &pcf->types[t];
        bool counter = type->type >= COUNTERS && type->type < ABSOLUTE_END;
        run->meters.left_out += counter && pj_meter_of(type->label, "", 1).kind != PJ_METER_NONE;
    }
}

/// What is odd about the file of labels is said: calls may be called by other names than its own.
static void check_labels(pj_import_stats *import, const pj_pcf *pcf)
{
    if (!pcf->type_count)
        pj_import_add(import, PJ_IMPORT_no_labels, 0);
    for (uint64_t i = 0; i < pcf->malformed; i++)
        pj_import_add(import, PJ_IMPORT_malformed_label, 0);
}

/// One that cannot be read is not one that is missing. `without` says what is done where there is
/// none; NULL = nothing that is worth a remark.
static bool read_companion(pj_run *run, const char *suffix, const char *what, const char *without,
                           pj_buf *out)
{
    pj_err problem = {.code = PJ_E_NONE};
    if (pj_companion_read(run->path, suffix, out, &problem))
        return true;
    char text[sizeof problem.where + sizeof problem.text];
    const char *between = without ? ": " : "", *then = without ? without : "";
    if (problem.code)
        pj_run_remark(run, PJ_WARNING, "names_left_out", "the %s (%s) are left out%s%s; %s", what,
                      suffix, between, then, pj_err_message(&problem, text, sizeof text));
    else if (without)
        pj_run_remark(run, PJ_NOTE, "names_missing", "no %s (%s) beside the trace: %s", what,
                      suffix, without);
    return false;
}

void pj_prv_read_names(pj_run *run, pj_prv_trace *trace, bool parameters)
{
    pj_auto_buf pcf_text = {.at = NULL}, row_text = {.at = NULL};
    pj_pcf *pcf = NULL;
    if (read_companion(run, ".pcf", "labels", "MPI calls are named by Extrae's numbers", &pcf_text))
        pcf = pj_pcf_parse(pj_buf_str(&pcf_text));
    name_calls(trace, pcf);
    pj_prv_devices_name(&trace->devices, pcf, trace->header.by_nsys);
    if (pcf) {
        name_regions(run, pcf);
        count_meters(run, pcf);
        if (parameters && !trace->header.by_nsys) {
            find_parameters(run, pcf, trace);
            name_parameters(run, pcf, trace);
        }
        check_labels(&run->import, pcf);
    }
    pj_pcf_free(pcf);
    if (read_companion(run, ".row", "names", NULL, &row_text) &&
        !pj_row_parse(pj_buf_str(&row_text), &run->layout, run->arena))
        pj_import_add(&run->import, PJ_IMPORT_thread_names, 0);
}
