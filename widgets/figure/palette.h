// Colours of efficiencies, series and text. Ownership: plain values; no state.
#ifndef PJ_PALETTE_H
#define PJ_PALETTE_H

#include "widgets/figure/figure.h"

typedef enum pj_scheme {
    PJ_SCHEME_RED_GREEN,   // POP's own colours
    PJ_SCHEME_BLUE_ORANGE, // for the colour-blind
} pj_scheme;

/// How an efficiency becomes a colour. A zeroed palette means POP's thresholds, red to green.
typedef struct pj_palette {
    pj_scheme scheme;
    double good, bad; // 0 = 0.8, 0.5
} pj_palette;

/// The palette with its defaults filled in and good > bad.
pj_palette pj_palette_resolve(pj_palette palette);
/// Fill of a value; `mirrored` for inefficiencies (0 is perfect). Clamped to 0..1.
pj_colour pj_palette_fill(pj_palette palette, double value, bool mirrored);
/// Text colour on a fill: contrast at least 4.5 on every opaque colour (WCAG 2.1, 1.4.3), and on
/// those of pj_palette_fill in dark as well.
pj_colour pj_palette_ink(pj_colour fill);
/// The fill, or the nearest one (darker or paler) on which an ink has that contrast in dark too:
/// fills of middling lightness have none.
pj_colour pj_palette_legible(pj_colour fill);
/// Secondary text on a fill: `part` of it, where that contrast is kept, else the ink.
pj_colour pj_palette_faded(pj_colour ink, pj_colour fill, double part);
/// Contrast ratio of two opaque colours, 1..21 (WCAG 2.1).
double pj_palette_contrast(pj_colour a, pj_colour b);

/// What dark themes do to pictures, in CSS: lightness is turned round, hues stay. share/report says
/// the same.
#define PJ_DARK_FILTER "invert(.91) hue-rotate(180deg)"
/// Rules that do it to what `at` selects, by the theme of JupyterLab, of a page that has its own,
/// of VS Code, else by the browser's.
#define PJ_DARK_RULES(at)                                                                          \
    "@media(prefers-color-scheme:dark){" at "{filter:" PJ_DARK_FILTER "}}"                         \
    "[data-jp-theme-light=true] " at ",[data-theme=light] " at ",.vscode-light " at                \
    "{filter:none}"                                                                                \
    "[data-jp-theme-light=false] " at ",[data-theme=dark] " at ",.vscode-dark " at                 \
    "{filter:" PJ_DARK_FILTER "}"
/// A colour as that filter shows it (matrix of hueRotate in Filter Effects Module Level 1).
pj_colour pj_palette_dark(pj_colour colour);
/// The lower contrast of those in light and in dark.
double pj_palette_least_contrast(pj_colour a, pj_colour b);

/// Colours of series, told apart by the colour-blind; repeats after pj_palette_series_count.
pj_colour pj_palette_series(size_t index);
enum { PJ_PALETTE_SERIES_COUNT = 8 };
pj_colour pj_palette_mix(pj_colour a, pj_colour b, double part_of_b);

/// A fill and its text colour as indices into the 256 colours of a terminal.
typedef struct pj_terminal_pair {
    unsigned fill, ink;
} pj_terminal_pair;

/// The same scale in steps: the cube of a terminal has too few colours to fade.
pj_terminal_pair pj_palette_terminal(pj_palette palette, double value, bool mirrored);

// Neutral colours of all figures.
#define PJ_INK 0x1b1f24ffu   // text
#define PJ_MUTED 0x5b6470ffu // secondary text; contrast 6 on white
#define PJ_RULE 0xc9ced6ffu  // axes, header rules
#define PJ_GRID 0xe8ebefffu  // grid lines
#define PJ_EMPTY 0xeceef1ffu // n/a
#define PJ_PAPER 0xffffffffu // background
#define PJ_NONE 0x00000000u

// What threads do: the same in timelines and in bars of where time goes.
#define PJ_COLOUR_RUNNING 0x4f8fd0ffu
#define PJ_COLOUR_MESSAGE 0xc8372dffu
#define PJ_COLOUR_COLLECTIVE 0xf2a93bffu
#define PJ_COLOUR_MPI 0x8f4b1fffu
#define PJ_COLOUR_SYNC 0x8e6bbfffu
#define PJ_COLOUR_FORK 0xc9a9e0ffu
#define PJ_COLOUR_IO 0x2f9e86ffu
#define PJ_COLOUR_TRANSFER 0x6fbf3fffu
#define PJ_COLOUR_LAUNCH 0xe58fb1ffu
#define PJ_COLOUR_LOADING 0x8f4b1fffu
#define PJ_COLOUR_WAITING 0xf3b8b0ffu
#define PJ_COLOUR_OTHER 0x8b94a0ffu
#define PJ_COLOUR_DISABLED 0x5b6470ffu
#define PJ_COLOUR_IDLE 0xd8dde4ffu
#define PJ_COLOUR_ABSENT 0xeceff3ffu

#endif
