// Readings go out as they are: what they mean is found out with all of them at hand.
#include "metrics/read/otf2/events/otf2_recorder.h"

#include "metrics/base/map.h"
#include "metrics/read/otf2/events/otf2_give.h"
#include "metrics/read/otf2/otf2_clock.h"
#include "metrics/read/otf2/otf2_defs.h"
#include "metrics/trace/event.h"
#include "metrics/trace/meter.h"

static pj_meter_value value_of(uint8_t type)
{
    enum { TYPE_INT64 = 8, TYPE_DOUBLE = 10 }; // OTF2_GeneralDefinitions.h; metrics have no others
    return type == TYPE_DOUBLE  ? PJ_METER_REAL
           : type == TYPE_INT64 ? PJ_METER_SIGNED
                                : PJ_METER_UNSIGNED;
}

void pj_otf2_recorder_record(pj_otf2_location *location, uint64_t time, const pj_otf2_event *event)
{
    const pj_otf2_defs *defs = location->defs;
    uint32_t meter;
    uint64_t early = pj_otf2_clock_early_ns(&location->clock,
                                            pj_otf2_clock_ticks(&location->clock, event->time));
    early = early >> (64 - PJ_METER_BITS) ? UINT64_MAX >> PJ_METER_BITS : early;
    if (event->type != PJ_OTF2_METRIC ||
        !pj_map_get(&defs->meter_of,
                    pj_otf2_global_of(location, PJ_OTF2_OF_METRIC, event->field[0]), &meter))
        return;
    for (uint64_t instance = defs->meters[meter].instance;
         meter < defs->meter_count && defs->meters[meter].instance == instance; meter++) {
        unsigned at = defs->meters[meter].at;
        if (at >= event->count)
            continue;
        pj_event *reading = pj_otf2_give(location, time, PJ_EV_COUNTER);
        reading->a = event->values[at];
        reading->b = meter | early << PJ_METER_BITS;
        reading->code = (uint16_t)value_of(event->kinds[at]);
    }
}
