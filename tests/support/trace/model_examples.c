// The bundled example runs: one stencil code with MPI, with MPI and OpenMP, and with OpenMP alone.
#include "tests/support/trace/model_app.h"

/// Strong scaling of the same problem. MPI alone: imbalance grows as the slabs get thin, the
/// network's share grows as the work per rank shrinks.
#define STENCIL(...)                                                                               \
    {                                                                                              \
        .iterations = 24, .work_ns = 64e6, .imbalance = 0.15, .shifting = 0.04, .halo_ns = 26000,  \
        .collective_ns = 19000, .fork_ns = 6000, .join_ns = 4000, .halo_bytes = 40960,             \
        .ipc = 1.62, .ghz = 2.9, .extra_instructions = 0.012, .ipc_loss = 0.018,                   \
        .ghz_loss = 0.014, __VA_ARGS__                                                             \
    }
/// Thread 0 packs and unpacks halos alone: the serial part that limits the threads.
#define THREADS .openmp = true, .serial_fraction = 0.035, .thread_imbalance = 0.06

static const struct {
    const char *name;
    pj_model_app app;
} examples[] = {
    {"stencil_1x1", STENCIL(.ranks = 1, .threads = 1)},
    {"stencil_2x1", STENCIL(.ranks = 2, .threads = 1)},
    {"stencil_4x1", STENCIL(.ranks = 4, .threads = 1)},
    {"stencil_8x1", STENCIL(.ranks = 8, .threads = 1)},
    {"stencil_16x1", STENCIL(.ranks = 16, .threads = 1)},
    {"stencil_32x1", STENCIL(.ranks = 32, .threads = 1)},
    {"stencil_64x1", STENCIL(.ranks = 64, .threads = 1)},
    {"hybrid_1x8", STENCIL(.ranks = 1, .threads = 8, THREADS)},
    {"hybrid_2x8", STENCIL(.ranks = 2, .threads = 8, THREADS)},
    {"hybrid_4x8", STENCIL(.ranks = 4, .threads = 8, THREADS)},
    {"hybrid_8x8", STENCIL(.ranks = 8, .threads = 8, THREADS)},
    {"openmp_1x1", STENCIL(.ranks = 1, .threads = 1, .no_mpi = true, THREADS)},
    {"openmp_1x2", STENCIL(.ranks = 1, .threads = 2, .no_mpi = true, THREADS)},
    {"openmp_1x4", STENCIL(.ranks = 1, .threads = 4, .no_mpi = true, THREADS)},
    {"openmp_1x8", STENCIL(.ranks = 1, .threads = 8, .no_mpi = true, THREADS)},
};

const pj_model_app *pj_model_example(size_t index, const char **name)
{
    if (index >= sizeof examples / sizeof examples[0])
        return NULL;
    *name = examples[index].name;
    return &examples[index].app;
}
