// A number and its unit.
#include "metrics/record/rec_duration.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static const double LEAST_NS = 1e5, SECOND_NS = 1e9, DAY_NS = 864e11;

double pj_rec_duration(const char *text)
{
    static const struct unit {
        const char *name;
        double ns;
    } units[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}, {"", 1}};
    char *end;
    double number = text ? strtod(text, &end) : 0;
    for (size_t i = 0; text && number > 0 && i < sizeof units / sizeof *units; i++)
        if (strcmp(end, units[i].name) == 0)
            return number * units[i].ns;
    return 0;
}

struct timespec pj_rec_duration_between(const char *text)
{
    const double said = pj_rec_duration(text), ns = said < DAY_NS ? said : DAY_NS;
    if (ns < LEAST_NS)
        return (struct timespec){0};
    const time_t seconds = (time_t)(ns / SECOND_NS);
    return (struct timespec){.tv_sec = seconds,
                             .tv_nsec = (long)(ns - (double)seconds * SECOND_NS)};
}
