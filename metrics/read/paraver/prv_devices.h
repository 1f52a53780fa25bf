// What values of device events stand for, as Extrae and nsys2prv write them (CUDA, HIP, OpenACC).
// Ownership: plain data.
#ifndef PJ_PRV_DEVICES_H
#define PJ_PRV_DEVICES_H

#include "metrics/read/paraver/pcf.h"
#include "metrics/trace/device.h"
#include "metrics/trace/event.h"

#include <stdbool.h>
#include <stdint.h>

enum { PJ_PRV_DEVICE_VALUES = 1024 }; // that are looked up; larger ones are calls and copies
enum { PJ_PRV_NAMED_COPIES = 8 };

typedef struct pj_prv_devices {
    bool nsys;                            // as nsys2prv writes them: there are no states
    uint8_t calls[PJ_PRV_DEVICE_VALUES];  // pj_device_call by value
    uint8_t copies[PJ_PRV_DEVICE_VALUES]; // pj_device_copy by value
    struct {
        uint64_t value;
        pj_device_copy copy;
    } among_kernels[PJ_PRV_NAMED_COPIES]; // of nsys2prv 0.3: kernels that copy
    size_t among_count;
} pj_prv_devices;

/// By the labels of the trace (NULL = none), else by Extrae's numbers. `nsys`: its header is that
/// of nsys2prv; its labels may tell it too.
void pj_prv_devices_name(pj_prv_devices *devices, const pj_pcf *pcf, bool nsys);

/// Gives the event of a type of prv_types.def its meaning; false when it has none here.
bool pj_prv_devices_event(const pj_prv_devices *devices, uint64_t type, pj_event *event);

#endif
