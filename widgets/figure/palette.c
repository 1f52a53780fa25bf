// Colours of efficiencies, states and series.
// Efficiencies fade in three bands, from dark red to red, from pale red to paler, from pale green
// to green, and jump between them: the thresholds are seen, not only a gradient. Lightness jumps
// over the middle, where no text can be read both in light and in dark. Numbers are printed, so
// black and white works.
#include "widgets/figure/palette.h"

#include <math.h>

typedef struct ramp {
    pj_colour worst, bad;   // 0, just below the bad threshold
    pj_colour poor, nearly; // the bad threshold, just below the good one
    pj_colour good, best;   // the good threshold, 1
} ramp;

static const ramp ramps[] = {
    [PJ_SCHEME_RED_GREEN] = {0x8c1d1dff, 0xcd433bff, 0xeda99fff, 0xfce4dbff, 0xe4f4deff,
                             0x84cb90ff},
    [PJ_SCHEME_BLUE_ORANGE] = {0x8a3f04ff, 0xb75d0cff, 0xedae70ff, 0xfdecd6ff, 0xe3effaff,
                               0x87bde6ff},
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
        return pj_palette_mix(r->poor, r->nearly, (v - palette.bad) / (palette.good - palette.bad));
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

pj_colour pj_palette_dark(pj_colour colour)
{
    // By 180 degrees: from one side of the grey of the same weight to the other.
    static const double weights[] = {0.213, 0.715, 0.072}, inverted = 0.91;
    double turned[3], grey = 0;
    for (unsigned i = 0; i < 3; i++) {
        turned[i] = 255 * inverted + (1 - 2 * inverted) * channel(colour, i);
        grey += weights[i] * turned[i];
    }
    pj_colour shown = 0;
    for (unsigned i = 0; i < 3; i++)
        shown = shown << 8 | (pj_colour)lround(fmin(fmax(2 * grey - turned[i], 0), 255));
    return shown << 8 | channel(colour, 3);
}

double pj_palette_least_contrast(pj_colour a, pj_colour b)
{
    return fmin(pj_palette_contrast(a, b),
                pj_palette_contrast(pj_palette_dark(a), pj_palette_dark(b)));
}

static const double least_read = 4.5;

static bool is_legible(pj_colour fill, pj_colour ink)
{
    return pj_palette_least_contrast(fill, ink) >= least_read;
}

pj_colour pj_palette_ink(pj_colour fill)
{
    static const pj_colour inks[] = {PJ_INK, 0xffffffff, 0x000000ff};
    for (unsigned i = 0; i < 3; i++)
        if (is_legible(fill, inks[i]))
            return inks[i];
    // Of middling lightness: in light, where white fails, black reaches 4.58.
    return pj_palette_contrast(fill, inks[1]) >= least_read ? inks[1] : inks[2];
}

pj_colour pj_palette_legible(pj_colour fill)
{
    enum { STEPS = 40 };
    static const pj_colour ends[] = {0x000000ff, 0xffffffff};
    for (unsigned i = 0; i < STEPS; i++)
        for (unsigned end = 0; end < 2; end++) {
            pj_colour moved = pj_palette_mix(fill, ends[end], (double)i / STEPS);
            if (is_legible(moved, pj_palette_ink(moved)))
                return moved;
        }
    return PJ_PAPER;
}

pj_colour pj_palette_faded(pj_colour ink, pj_colour fill, double part)
{
    pj_colour faded = pj_palette_mix(ink, fill, part);
    return is_legible(fill, faded) ? faded : ink;
}

pj_colour pj_palette_series(size_t index)
{
    static const pj_colour series[PJ_PALETTE_SERIES_COUNT] = {0x1f6fb4ff, 0xe07b00ff, 0x178a6bff,
                                                              0xc0392bff, 0x7b56b3ff, 0x8a6d3bff,
                                                              0xd0579cff, 0x5b6470ff};
    static const pj_colour others[] = {PJ_NONE, 0x000000ff, 0xffffffff}; // darker, then paler
    pj_colour colour = series[index % PJ_PALETTE_SERIES_COUNT];
    size_t round = index / PJ_PALETTE_SERIES_COUNT % (sizeof others / sizeof *others);
    return round ? pj_palette_mix(colour, others[round], 0.5) : colour;
}

enum { BLACK = 16, WHITE = 231, BAD_STEPS = 3, NEAR_STEPS = 4, GOOD_STEPS = 4 };

/// From 0 to the bad threshold, to the good one, to 1.
typedef struct steps {
    pj_terminal_pair bad[BAD_STEPS], near[NEAR_STEPS], good[GOOD_STEPS];
} steps;

static const steps terminal_steps[] = {
    [PJ_SCHEME_RED_GREEN] = {{{88, WHITE}, {124, WHITE}, {160, WHITE}},
                             {{203, BLACK}, {210, BLACK}, {217, BLACK}, {224, BLACK}},
                             {{194, BLACK}, {151, BLACK}, {114, BLACK}, {71, BLACK}}},
    [PJ_SCHEME_BLUE_ORANGE] = {{{94, WHITE}, {130, WHITE}, {166, BLACK}},
                               {{208, BLACK}, {215, BLACK}, {223, BLACK}, {230, BLACK}},
                               {{195, BLACK}, {153, BLACK}, {117, BLACK}, {74, BLACK}}},
};

static size_t step_of(double part, size_t count)
{
    size_t step = (size_t)(part * (double)count);
    return step < count ? step : count - 1;
}

pj_terminal_pair pj_palette_terminal(pj_palette palette, double value, bool mirrored)
{
    palette = pj_palette_resolve(palette);
    const steps *s = &terminal_steps[palette.scheme];
    double v = fmin(fmax(mirrored ? 1 - value : value, 0), 1);
    if (v < palette.bad)
        return s->bad[step_of(v / palette.bad, BAD_STEPS)];
    if (v < palette.good)
        return s->near[step_of((v - palette.bad) / (palette.good - palette.bad), NEAR_STEPS)];
    return s->good[step_of((v - palette.good) / (1 - palette.good), GOOD_STEPS)];
}
