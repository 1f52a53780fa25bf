// What meters of energy and power read, and what is done meanwhile.
#ifndef PJ_ENERGY_SINK_H
#define PJ_ENERGY_SINK_H

#include "metrics/trace/sink.h"

/// A sink that fills run->energy where the trace has meters. Freed by its `close`.
pj_sink pj_energy_sink(void);

#endif
