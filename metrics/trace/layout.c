// Layouts as text and in figures.
#include "metrics/trace/layout.h"

uint32_t pj_layout_threads_per_rank(const pj_layout *layout)
{
    uint32_t threads = layout->ranks ? pj_layout_threads(layout, 0) : 0;
    for (uint32_t r = 1; r < layout->ranks; r++)
        if (pj_layout_threads(layout, r) != threads)
            return 0;
    return threads;
}

const char *pj_layout_threads_text(const pj_layout *layout, pj_arena *arena)
{
    uint32_t least = UINT32_MAX, most = 0;
    for (uint32_t r = 0; r < layout->ranks; r++) {
        uint32_t threads = pj_layout_threads(layout, r);
        least = threads < least ? threads : least;
        most = threads > most ? threads : most;
    }
    if (least >= most)
        return pj_arena_format(arena, "%ux%u", layout->ranks, most);
    return pj_arena_format(arena, "%ux%u-%u", layout->ranks, least, most);
}

const char *pj_layout_text(const pj_layout *layout, pj_arena *arena)
{
    const char *threads = pj_layout_threads_text(layout, arena);
    uint32_t devices = 0;
    if (layout->stream_count)
        pj_device_keys(layout->streams, layout->stream_count, arena, &devices, NULL);
    return devices ? pj_arena_format(arena, "%s+%uD", threads, devices) : threads;
}
