// How often a program runs: core-hours of one run say little of what it costs.
#include "kernel/commands/causes/yearly_args.h"

const pj_param pj_yearly_rows[] = {
    {.name = "runs-per-year",
     .type = PJ_PARAM_NUMBER,
     .shown = "N",
     .preset = "1",
     .help = "Core-hours are of so many runs."},
    {0},
};
