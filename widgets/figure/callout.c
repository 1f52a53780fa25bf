// Labels beside points that cover nothing.
// Places around the point are tried in order, near ones before far ones.
#include "widgets/figure/callout.h"

#include "metrics/base/buf.h"
#include "widgets/figure/figure.h"
#include "widgets/figure/textbox.h"

#include <math.h>
#include <stdlib.h>

static const double near_gap = 7, far_gap = 15, ascent = 9, descent = 3, clearance = 2;

void pj_callouts_free(pj_callouts *callouts)
{
    free(callouts->lines);
    free(callouts->boxes);
}

void pj_callouts_avoid_line(pj_callouts *callouts, const pj_point *points, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        pj_grow(callouts->lines, &callouts->line_cap, callouts->line_count + 2);
        callouts->lines[callouts->line_count++] = points[i - 1];
        callouts->lines[callouts->line_count++] = points[i];
    }
}

static void avoid(pj_callouts *callouts, pj_callout_box box)
{
    pj_grow(callouts->boxes, &callouts->box_cap, callouts->box_count + 1);
    callouts->boxes[callouts->box_count++] = box;
}

void pj_callouts_avoid_disc(pj_callouts *callouts, pj_point at, double radius)
{
    avoid(callouts, (pj_callout_box){at.x - radius, at.y - radius, at.x + radius, at.y + radius});
}

/// Cuts the part of a line from `*from` to `*to` (0 and 1 at its ends) off where a coordinate,
/// which is `start` and grows by `way`, leaves `lo`..`hi`; false when nothing is left.
static bool clip(double start, double way, double lo, double hi, double *from, double *to)
{
    if (way == 0)
        return start >= lo && start <= hi;
    double a = (lo - start) / way, b = (hi - start) / way;
    *from = fmax(*from, fmin(a, b));
    *to = fmin(*to, fmax(a, b));
    return *from <= *to;
}

static bool crosses(const pj_callout_box *box, pj_point a, pj_point b)
{
    double from = 0, to = 1;
    return clip(a.x, b.x - a.x, box->left, box->right, &from, &to) &&
           clip(a.y, b.y - a.y, box->top, box->bottom, &from, &to);
}

static bool is_free(const pj_callouts *callouts, const pj_callout_box *box)
{
    const pj_chart *chart = callouts->chart;
    if (box->left < chart->left || box->right > chart->right + 10 || box->top < chart->top - 8 ||
        box->bottom > chart->bottom)
        return false;
    for (size_t i = 0; i < callouts->box_count; i++) {
        const pj_callout_box *other = &callouts->boxes[i];
        if (box->left < other->right && box->right > other->left && box->top < other->bottom &&
            box->bottom > other->top)
            return false;
    }
    for (size_t i = 0; i < callouts->line_count; i += 2)
        if (crosses(box, callouts->lines[i], callouts->lines[i + 1]))
            return false;
    return true;
}

/// Where a text of a width stands: -1, 0, 1 = left of, over, right of the point and above, at,
/// below.
static pj_callout_box box_at(pj_point at, int x, int y, double width, double gap)
{
    double left = x < 0   ? at.x - width - (y ? gap / 2 : gap)
                  : x > 0 ? at.x + (y ? gap / 2 : gap)
                          : at.x - width / 2;
    double top = y < 0   ? at.y - gap - ascent - descent
                 : y > 0 ? at.y + gap
                         : at.y - (ascent + descent) / 2;
    return (pj_callout_box){left - clearance, top - clearance, left + width + clearance,
                            top + ascent + descent + clearance};
}

bool pj_callouts_put(pj_callouts *callouts, pj_point at, const char *text, pj_style style,
                     bool above)
{
    enum { PLACES = 8 };
    static const int places[PLACES][2] = {{0, 1},  {0, -1}, {1, 1}, {-1, -1},
                                          {-1, 1}, {1, -1}, {1, 0}, {-1, 0}};
    double width = pj_textbox_width(callouts->chart->draw, text, style);
    for (size_t i = 0; i < 2 * PLACES; i++) {
        const int *place = places[i % PLACES];
        double gap = i < PLACES ? near_gap : far_gap;
        pj_callout_box box = box_at(at, place[0], above ? -place[1] : place[1], width, gap);
        if (!is_free(callouts, &box))
            continue;
        style.anchor = PJ_ANCHOR_START;
        pj_textbox_put(callouts->chart->figure, box.left + clearance,
                       box.bottom - clearance - descent, text, style);
        avoid(callouts, box);
        return true;
    }
    return false;
}
