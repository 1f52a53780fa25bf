// Metrics over time as one HTML file that refers to nothing else, and as a badge. Ownership: output
// is appended to the caller's buffer.
#ifndef PJ_TREND_PAGE_H
#define PJ_TREND_PAGE_H

#include "metrics/base/buf.h"
#include "metrics/table/table.h"

/// `trend`: a table of pj_trend_table. A picture for each region and metric, with a line for each
/// layout: values, means of levels, and where these change. Below 500 kB where hundreds of runs
/// and the first region allow it: the shortest regions are left out, which the page says.
void pj_trend_page(const pj_table *trend, pj_buf *out);
/// An SVG of the latest parallel efficiency: red below 0.6, orange below 0.8, else green.
void pj_trend_badge(const pj_table *trend, pj_buf *out);

#endif
