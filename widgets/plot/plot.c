// Looks plots up; each is in its own plot_*.c.
#include "widgets/plot/plot.h"

#include "metrics/base/str.h"

static const pj_plot *const plots[] = {
#define PLOT(name) &pj_plot_##name,
#include "widgets/plot/plots.def"
#undef PLOT
};

const pj_plot *pj_plot_at(size_t index)
{
    return index < sizeof plots / sizeof *plots ? plots[index] : NULL;
}

const pj_plot *pj_plot_by_name(pj_str name)
{
    for (size_t i = 0; pj_plot_at(i); i++)
        if (pj_str_equal(name, pj_str_of(pj_plot_at(i)->name)))
            return pj_plot_at(i);
    return NULL;
}

const pj_plot *pj_plot_usual(pj_plot_source source)
{
    const pj_plot *plot;
    for (size_t i = 0; (plot = pj_plot_at(i)); i++)
        if (plot->usual && plot->source == source)
            return plot;
    return NULL;
}

const pj_plot *pj_plot_of_profile(pj_str name)
{
    for (size_t i = 0; pj_plot_at(i); i++)
        if (pj_plot_at(i)->source == PJ_PLOT_PROFILE &&
            pj_str_equal(name, pj_str_of(pj_plot_at(i)->name)))
            return pj_plot_at(i);
    return NULL;
}
