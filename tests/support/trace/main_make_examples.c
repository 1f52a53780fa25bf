// make_examples DIR: writes the bundled example runs; with -p also prints what they add up to.
#include "tests/support/trace/model_app.h"
#include "tests/support/trace/model_gpu.h"

#include <stdio.h>

static void print_row(const char *name, const pj_model_expected *run,
                      const pj_model_expected *reference)
{
    static const char *const keys[] = {
        "global_efficiency",        "parallel_efficiency",
        "process_level_efficiency", "mpi_load_balance",
        "mpi_transfer_efficiency",  "mpi_serialisation_efficiency",
        "openmp_region_efficiency", "serial_region_efficiency",
        "computation_scaling",      "speedup",
    };
    printf("%-14s", name);
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        double value = 0;
        pj_model_metric("hybrid", keys[i], run, reference, false, &value);
        printf(" %7.4f", value);
    }
    printf("\n");
}

static bool save_take(pj_trace_writer *writer, const char *folder, const char *name)
{
    pj_auto_trace trace = writer;
    pj_auto_buf path = {0};
    pj_err err = {0};
    char message[2048];
    pj_buf_addf(&path, "%s/%s.prv.gz", folder, name);
    if (!pj_trace_writer_save(trace, path.at, &err))
        fprintf(stderr, "make_examples: %s\n", pj_err_message(&err, message, sizeof message));
    return !err.code;
}

int main(int argc, char **argv)
{
    bool print = argc == 3 && strcmp(argv[1], "-p") == 0;
    if (argc != 2 && !print) {
        fprintf(stderr, "usage: make_examples [-p] DIR\n");
        return 2;
    }
    const pj_model_app *app = NULL;
    const pj_model_app *first = NULL;
    const char *name = NULL;
    for (size_t i = 0; (app = pj_model_example(i, &name)); i++) {
        if (!save_take(pj_model_write(app), argv[argc - 1], name))
            return 1;
        if (!first || app->no_mpi != first->no_mpi || app->openmp != first->openmp)
            first = app;
        pj_auto_expected run = pj_model_expect(app), reference = pj_model_expect(first);
        if (print)
            print_row(name, &run, &reference);
    }
    const pj_model_gpu *gpu = NULL;
    for (size_t i = 0; (gpu = pj_model_gpu_example(i, &name)); i++)
        if (!save_take(pj_model_gpu_write(gpu), argv[argc - 1], name))
            return 1;
    return 0;
}
