// Efficiencies fade from dark red over pale to the good threshold, jump there, and fade to green:
// the thresholds are seen, not only a gradient. Numbers are printed, so black and white works.
#include "widgets/palette.h"

#include <math.h>
#include <stdlib.h>

typedef struct ramp {
    pj_colour worst, bad, nearly; // 0, the bad threshold, just below the good one
    pj_colour good, best;         // the good threshold, 1
} ramp;

static const ramp ramps[] = {
    [PJ_SCHEME_RED_GREEN] = {0x8c1d1dff, 0xd2473eff, 0xfce4dbff, 0xe4f4deff, 0x6cc07cff},
    [PJ_SCHEME_BLUE_ORANGE] = {0x8a3f04ff, 0xdb7413ff, 0xfdecd6ff, 0xe3effaff, 0x6aabdeff},
};

pj_palette pj_palette_resolve(pj_palette palette)
{
    palette.good = palette.good > 0 && palette.good < 1 ? palette.good : 0.8;
    palette.bad = palette.bad > 0 && palette.bad < palette.good ? palette.bad
                  : palette.good > 0.5                          ? 0.5
                                                                : palette.good / 2;
    return palette;
}

static unsigned channel(pj_colour colour, unsigned index)
{
    return colour >> (24 - 8 * index) & 0xff;
}

pj_colour pj_palette_mix(pj_colour a, pj_colour b, double part_of_b)
{
    pj_colour mixed = 0;
    for (unsigned i = 0; i < 4; i++) {
        double value = channel(a, i) + part_of_b * ((double)channel(b, i) - channel(a, i));
        mixed = mixed << 8 | (pj_colour)lround(value);
    }
    return mixed;
}

pj_colour pj_palette_fill(pj_palette palette, double value, bool mirrored)
{
    palette = pj_palette_resolve(palette);
    const ramp *r = &ramps[palette.scheme];
    double v = fmin(fmax(mirrored ? 1 - value : value, 0), 1);
    if (v < palette.bad)
        return pj_palette_mix(r->worst, r->bad, v / palette.bad);
    if (v < palette.good)
        return pj_palette_mix(r->bad, r->nearly, (v - palette.bad) / (palette.good - palette.bad));
    return pj_palette_mix(r->good, r->best, (v - palette.good) / (1 - palette.good));
}

static double luminance(pj_colour colour)
{
    static const double weights[] = {0.2126, 0.7152, 0.0722};
    double sum = 0;
    for (unsigned i = 0; i < 3; i++) {
        double c = channel(colour, i) / 255.0;
        sum += weights[i] * (c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4));
    }
    return sum;
}

double pj_palette_contrast(pj_colour a, pj_colour b)
{
    double la = luminance(a), lb = luminance(b);
    return (fmax(la, lb) + 0.05) / (fmin(la, lb) + 0.05);
}

pj_colour pj_palette_ink(pj_colour fill)
{
    static const pj_colour inks[] = {PJ_INK, 0xffffffff};
    for (unsigned i = 0; i < 2; i++)
        if (pj_palette_contrast(fill, inks[i]) >= 4.5)
            return inks[i];
    return 0x000000ff; // where white fails, black reaches 4.58
}

pj_colour pj_palette_series(size_t index)
{
    static const pj_colour series[PJ_PALETTE_SERIES_COUNT] = {0x1f6fb4ff, 0xe07b00ff, 0x178a6bff,
                                                              0xc0392bff, 0x7b56b3ff, 0x8a6d3bff,
                                                              0xd0579cff, 0x5b6470ff};
    return series[index % PJ_PALETTE_SERIES_COUNT];
}

unsigned pj_palette_terminal(pj_colour colour)
{
    static const unsigned levels[] = {0, 95, 135, 175, 215, 255};
    unsigned index[3];
    for (unsigned i = 0; i < 3; i++) {
        index[i] = 0;
        for (unsigned level = 1; level < 6; level++)
            if (abs((int)levels[level] - (int)channel(colour, i)) <
                abs((int)levels[index[i]] - (int)channel(colour, i)))
                index[i] = level;
    }
    return 16 + 36 * index[0] + 6 * index[1] + index[2];
}
