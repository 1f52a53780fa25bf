// What the texts of reading options mean, and how a summary says with which it was made.
#include "metrics/analyse/load_how.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/num.h"
#include "metrics/base/str.h"
#include "metrics/trace/roi.h"

#include <string.h>

/// The choice of a row: 0 is what goes without saying.
static const char *choice(size_t key, size_t index)
{
    return pj_load_how_at(key)->choices[index];
}

static bool take_roi(const char *text, pj_load_opts *opts, pj_err *err)
{
    bool drop = opts->roi.drop;
    bool ok = pj_roi_parse(pj_str_of(text), &opts->roi, err);
    opts->roi.drop = drop;
    return ok;
}

static const char *range_end(double value, bool percent, pj_arena *arena)
{
    char text[32];
    pj_format_double(value, text);
    return pj_arena_format(arena, "%s%s", text, percent ? "%" : "ns");
}

static const char *say_roi(const pj_load_opts *opts, pj_arena *arena)
{
    const pj_roi_request *roi = &opts->roi;
    switch (roi->kind) {
    case PJ_ROI_AUTO:
        break;
    case PJ_ROI_ITERATIONS:
        return roi->steady ? "iterations"
                           : pj_arena_format(arena, "iterations:%u..%u", roi->first, roi->last);
    case PJ_ROI_OFF:
        return "off";
    case PJ_ROI_RANGE:
        return pj_arena_format(arena, "%s..%s", range_end(roi->from, roi->from_percent, arena),
                               range_end(roi->to, roi->to_percent, arena));
    }
    return "auto";
}

static bool take_roi_cut(const char *text, pj_load_opts *opts, pj_err *err)
{
    (void)err;
    opts->roi.drop = strcmp(text, choice(PJ_HOW_roi_cut, 1)) == 0;
    return true;
}

static const char *say_roi_cut(const pj_load_opts *opts, pj_arena *arena)
{
    (void)arena;
    return choice(PJ_HOW_roi_cut, opts->roi.drop);
}

static bool take_clock(const char *text, pj_load_opts *opts, pj_err *err)
{
    (void)err;
    opts->raw_clock = strcmp(text, choice(PJ_HOW_clock, 1)) == 0;
    return true;
}

static const char *say_clock(const pj_load_opts *opts, pj_arena *arena)
{
    (void)arena;
    return choice(PJ_HOW_clock, opts->raw_clock);
}

static const pj_load_how_row rows[] = {
#define EVERYWHERE(key, name, type, title, choices, shown, preset, hint, help)                     \
    {#key, name, title, hint, choices, offsetof(pj_load_how, key), take_##key, say_##key},
#define NUMBERS(...) EVERYWHERE(__VA_ARGS__)
#include "metrics/analyse/load_how.def"
#undef EVERYWHERE
#undef NUMBERS
};

const pj_load_how_row *pj_load_how_at(size_t index)
{
    return index < PJ_HOW_COUNT ? &rows[index] : NULL;
}

bool pj_load_how_take(const pj_load_how *how, pj_load_opts *opts, pj_err *err)
{
    pj_load_how texts = *how;
    for (size_t i = 0; i < PJ_HOW_COUNT; i++) {
        const char *text = *pj_load_how_text(&texts, i);
        if (text && !rows[i].take(text, opts, err))
            return false;
    }
    return true;
}

bool pj_load_how_given(const pj_load_how *how)
{
    pj_load_how texts = *how;
    for (size_t i = 0; i < PJ_HOW_COUNT; i++)
        if (*pj_load_how_text(&texts, i))
            return true;
    return false;
}

pj_load_how pj_load_how_copy(const pj_load_how *how, pj_arena *arena)
{
    pj_load_how made = *how;
    for (size_t i = 0; i < PJ_HOW_COUNT; i++) {
        const char **text = pj_load_how_text(&made, i);
        *text = *text ? pj_arena_text(arena, pj_str_of(*text)) : NULL;
    }
    return made;
}

const char *pj_load_options(const pj_load_opts *opts, pj_arena *arena)
{
    pj_auto_buf out = {0};
    for (size_t i = 0; i < PJ_HOW_COUNT; i++)
        pj_buf_addf(&out, "%s%s %s", i ? ", " : "", rows[i].name, rows[i].say(opts, arena));
    return pj_arena_text(arena, pj_buf_str(&out));
}
