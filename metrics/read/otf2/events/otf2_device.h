// Devices (GPUs) in archives: what their streams do, and calls of their runtime. Ownership: borrow.
#ifndef PJ_OTF2_DEVICE_H
#define PJ_OTF2_DEVICE_H

#include "metrics/read/otf2/events/otf2_event.h"
#include "metrics/read/otf2/events/otf2_location.h"

/// A record of a stream: kernels are regions, copies are regions (rocprofv3) or operations of
/// remote memory access that the stream itself does (Score-P).
void pj_otf2_stream_record(pj_otf2_location *location, uint64_t time, const pj_otf2_event *event);

/// Reading jumps to where a stream has this standing: what is done there, and was not before, has
/// begun, and what was has ended.
void pj_otf2_stream_goes_on(pj_otf2_location *location, const pj_otf2_standing *at);

/// A thread enters a function of the runtime, or leaves one.
void pj_otf2_device_enter(pj_otf2_location *location, uint64_t time, uint32_t region);
void pj_otf2_device_leave(pj_otf2_location *location, uint64_t time);

#endif
