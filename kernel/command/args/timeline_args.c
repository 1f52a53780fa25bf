// As many columns and rows as a picture has room for.
#include "kernel/command/args/timeline_args.h"

#include "metrics/analyse/load_texts.h"
#include "metrics/base/err.h"
#include "widgets/figure/lanes.h"

const pj_param pj_timeline_rows[] = {
    {.name = "range",
     .type = PJ_PARAM_TEXT,
     .offset = offsetof(pj_timeline_args, range),
     .shown = "FROM..TO",
     .preset = "what is analysed",
     .help = "The time that a timeline shows (1.5s..1.6s, 10%..20%)."},
    {.name = "ranks",
     .type = PJ_PARAM_TEXT,
     .offset = offsetof(pj_timeline_args, ranks),
     .shown = "FIRST-LAST",
     .preset = "all",
     .help = "The ranks that a timeline shows (3, 0-15); they count from 0."},
    {.name = "streams",
     .type = PJ_PARAM_FLAG,
     .offset = offsetof(pj_timeline_args, streams),
     .help = "Opens every device (GPU) of a timeline to its streams."},
    {.name = "waits",
     .type = PJ_PARAM_FLAG,
     .offset = offsetof(pj_timeline_args, waits),
     .help = "Hatches the longest waits in MPI calls of a timeline, each with a line to the rank "
             "that it was for. Of AI runs the waits of devices are hatched without it, and have no "
             "lines."},
    {0},
};

bool pj_timeline_args_take(const pj_timeline_args *args, pj_picture_size size,
                           pj_timeline_opts *out, pj_err *err)
{
    double zoom = pj_picture_zoom(size);
    *out = (pj_timeline_opts){.columns = 0};
    size_t rows, columns;
    pj_lanes_size(size.width / zoom, size.height / zoom, SIZE_MAX, &rows, &columns);
    out->rows_most = (uint32_t)rows;
    out->columns = (uint32_t)columns;
    out->streams = args->streams;
    out->waits = args->waits;
    const pj_load_texts texts = {.range = args->range, .ranks = args->ranks};
    return pj_load_texts_timeline(&texts, out, err);
}
