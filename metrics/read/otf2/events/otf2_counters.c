// Readings of instructions and cycles: accumulated, absolute or relative as their metric says, and
// of the interval before them or of the next one.
#include "metrics/read/otf2/events/otf2_counters.h"

#include "metrics/base/map.h"
#include "metrics/read/otf2/events/otf2_give.h"
#include "metrics/read/otf2/events/otf2_known.h"
#include "metrics/read/otf2/otf2_border.h"
#include "metrics/read/otf2/otf2_defs.h"

static const pj_otf2_metric *metric_of(pj_otf2_location *location, uint64_t id)
{
    if (id == location->metric.id)
        return location->metric.class_;
    if (pj_otf2_known_idle(&location->known, id))
        return NULL;
    uint32_t index;
    if (!pj_map_get(&location->defs->metric_of, pj_otf2_global_of(location, PJ_OTF2_OF_METRIC, id),
                    &index) ||
        !location->defs->metrics[index].used) {
        pj_otf2_known_add_idle(&location->known, id);
        return NULL;
    }
    location->metric.id = id;
    location->metric.class_ = &location->defs->metrics[index];
    return location->metric.class_;
}

static int64_t value_of(const pj_otf2_event *event, unsigned at)
{
    enum { KIND_DOUBLE = 10 };
    double real;
    if (event->kinds[at] != KIND_DOUBLE)
        return (int64_t)event->values[at];
    memcpy(&real, &event->values[at], sizeof real);
    const double most = 9e18;
    return real > -most && real < most ? (int64_t)real : 0;
}

/// What was counted since the reading before.
static int64_t counted_since(pj_otf2_location *location, const pj_otf2_metric *metric, unsigned c,
                             int64_t value)
{
    int64_t since = value;
    bool first = !location->now.counting[c];
    location->now.counting[c] = true;
    if (metric->mode[c] != PJ_OTF2_RELATIVE) {
        since = (int64_t)((uint64_t)value - (uint64_t)location->now.counted[c]);
        location->now.counted[c] = value;
        if (first && metric->mode[c] == PJ_OTF2_ABSOLUTE)
            since = 0;
    }
    if (!metric->next[c])
        return since;
    int64_t held = location->now.held[c];
    location->now.held[c] = since;
    return held;
}

void pj_otf2_counters_read(pj_otf2_location *location, uint64_t time, const pj_otf2_event *event)
{
    const pj_otf2_metric *metric = metric_of(location, event->field[0]);
    if (!metric)
        return;
    pj_otf2_border_read(location, time);
    pj_otf2_reading *r = &location->now.reading;
    for (unsigned c = 0; c < 2; c++) {
        if (!metric->has[c] || metric->at[c] >= event->count)
            continue;
        int64_t since = counted_since(location, metric, c, value_of(event, metric->at[c]));
        since = time > location->now.began ? since : 0; // nothing was open before
        r->value[c] = (int64_t)((uint64_t)r->value[c] + (uint64_t)since);
        r->has[c] = r->due = true;
    }
    r->time = time;
}
