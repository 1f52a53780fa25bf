// A run filled in from the model's expectations, for tests of what comes after reading.
#include "tests/support/made_run.h"
#include "tests/support/trace/model_app.h"

pj_run *pj_model_run(const pj_model_app *app, const char *path)
{
    pj_auto_expected expected = pj_model_expect(app);
    pj_run *run = made_run_even(path, app->ranks, app->threads);
    run->format = "model";
    run->has_mpi = !app->no_mpi;
    run->has_openmp = app->openmp;
    run->end_ns = run->runtime_ns = expected.runtime;
    run->ideal = (pj_ideal){.available = true, .runtime_ns = (double)expected.ideal};
    for (uint32_t i = 0; i < run->layout.locations; i++) {
        const pj_model_totals *from = &expected.totals[i];
        run->totals[i] = (pj_totals){
            .useful_ns = from->useful,
            .serial_useful_ns = from->serial_useful,
            .openmp_useful_ns = from->openmp_useful,
            .openmp_ns = from->openmp,
            .outside_mpi_ns = from->outside_mpi,
            .runtime_ns = from->runtime,
            .mpi_ns = i % app->threads ? 0 : from->runtime - from->outside_mpi,
        };
        made_run_count(run, i, from->instructions, from->cycles);
    }
    return run;
}
