// The events that readers push and sinks fold: the same for every trace format.
// Ownership: borrow - a batch is valid until the sink returns.
#ifndef PJ_EVENT_H
#define PJ_EVENT_H

#include <stddef.h>
#include <stdint.h>

/// States a location can be in; the numbers are Paraver's (Extrae's STATES section).
enum {
    PJ_STATE_IDLE = 0,
    PJ_STATE_RUNNING = 1, // the only useful one
    PJ_STATE_NOT_CREATED = 2,
    PJ_STATE_DISABLED = 14, // tracing switched off
    PJ_STATE_OTHERS = 15,
    PJ_STATE_COPY = 17,   // of streams of devices; of threads, that they ask for it
    PJ_STATE_LAUNCH = 32, // of threads: that they launch a kernel, or prepare it
};

/// OpenMP event families that matter for levels and the replay; `code` of PJ_EV_OPENMP.
enum {
    PJ_OMP_PARALLEL = 1,  // 60000001: the master opens and closes a parallel region
    PJ_OMP_BARRIER,       // 60000005
    PJ_OMP_FUNCTION,      // 60000018: a thread executes the body of a region
    PJ_OMP_TASK,          // 60000023: a thread executes a task
    PJ_OMP_TASK_MADE,     // 60000024: a task is put up for execution; not a level
    PJ_OMP_TASKWAIT,      // 60000022: waits for outstanding tasks; not a level
    PJ_OMP_TASKGROUP,     // 60000025: 1 = group opens, 2 = waits for its tasks; not a level
    PJ_OMP_FUNCTION_LINE, // 60000118: source line of the function; not a level
    PJ_OMP_TASK_LINE,     // 60000123: of the task; not a level
};

/// Functions of the program in Paraver traces; `code` of PJ_EV_OTHER.
enum {
    PJ_FUNCTION = 40, // 60000019: a function is entered; numbers go on from those of OpenMP
    PJ_FUNCTION_LINE, // 60000119: its source line, in the same record
};

/// Locks and critical sections of OpenMP; `code` of PJ_EV_OTHER as well.
enum {
    PJ_LOCK = PJ_FUNCTION_LINE + 1, // 60000006: a = PJ_LOCK_*; of archives b = which one, else 0
    PJ_LOCK_NAME,                   // 60000032: which one, in the record in which it is asked for
};
enum { PJ_LOCK_RELEASED = 0, PJ_LOCK_ASKED = 3, PJ_LOCK_LEAVING = 5, PJ_LOCK_ACQUIRED = 6 };

/// Input and output; `code` of PJ_EV_OTHER as well. Calls of MPI-I/O are PJ_EV_MPI.
enum {
    PJ_IO_CALL = PJ_LOCK_NAME + 1, // of other libraries: a = pj_io_way (PJ_IO_LEFT = left)
    PJ_IO_SIZE,     // what the call that was entered last, and no MPI-I/O, is to move: a = bytes
    PJ_IO_MPI_SIZE, // the same of MPI-I/O
    PJ_IO_MOVED,    // a = bytes, UINT64_MAX = not known; b = pj_io_way
};

/// Values of parameters; `code` of PJ_EV_OTHER as well, only where a pass asks for parameters: b =
/// index in pj_run.names.parameters. Those of archives hold as long as the region in which they are
/// given.
enum {
    PJ_PARAMETER_SIGNED = PJ_IO_MOVED + 1, // a = value
    PJ_PARAMETER_UNSIGNED,
    PJ_PARAMETER_TEXT,    // a = index in pj_run.names.texts
    PJ_PARAMETER_LASTING, // a = signed value, until another one of it; 0 = none
};

/// What is done with devices (GPUs); `code` of PJ_EV_DEVICE. Streams of Paraver traces have states
/// too (Running, and PJ_STATE_COPY), which then say more than these events.
enum {
    PJ_DEVICE_CALL = 1, // a thread is inside the runtime of devices: a = pj_device_call
    PJ_DEVICE_COPY,   // a stream copies, or sets memory: a = pj_device_copy, b = bytes, 0 = unknown
    PJ_DEVICE_KERNEL, // a stream computes; ends with b = 1: or a copy does, whichever is open
    PJ_DEVICE_EXCHANGE, // a stream runs a kernel that talks to other devices (NCCL)
    PJ_DEVICE_BYTES,    // of the copy that has just begun: a = bytes
};

/// What calls of the runtime of devices are for.
typedef enum pj_device_call {
    PJ_DEVICE_CALL_LEFT,
    PJ_DEVICE_CALL_OTHER,
    PJ_DEVICE_CALL_LAUNCH, // of a kernel
    PJ_DEVICE_CALL_COPY,   // also of memory that is set
    PJ_DEVICE_CALL_SYNC,   // waits for a device, a stream or an event
} pj_device_call;

typedef enum pj_device_copy {
    PJ_DEVICE_COPY_DONE,
    PJ_DEVICE_COPY_SOME, // the trace does not say which way
    PJ_DEVICE_COPY_TO_DEVICE,
    PJ_DEVICE_COPY_TO_HOST,
    PJ_DEVICE_COPY_INSIDE, // from device to device
    PJ_DEVICE_COPY_SET,    // sets memory
    PJ_DEVICE_COPY_KINDS,
} pj_device_copy;

/// The team that an OpenMP event is about, where the trace says it: 0 = it does not; PJ_TEAM_NESTED
/// = one that is known to be nested in another; else the number of the only one that its thread is
/// in, which may still be nested in that of its master.
enum { PJ_TEAM_UNKNOWN = 0, PJ_TEAM_NESTED = 1, PJ_TEAM_FIRST = 2 };

typedef enum pj_event_kind {
    PJ_EV_STATE,      // a = end (ns; UINT64_MAX = open), code = state
                      // where meters are: what is done by then, before a reading: a = ns, code =
                      // pj_energy_state, b = index in pj_run.meters
    PJ_EV_COUNTER,    // a = value since the last reading (int64), code = index in pj_run.counters;
                      // of a meter: a = bits of what it reads, code = pj_meter_value, b = index in
                      // pj_run.meters | ns by which it lies before the run << PJ_METER_BITS
    PJ_EV_COUNTERS,   // a = instructions, b = cycles, read together: the usual case
    PJ_EV_MPI,        // a = pj_mpi_call entered, 0 = left; code = pj_mpi_class
    PJ_EV_COLLECTIVE, // follows the enter of its call: a = communicator, b = bytes, code = root?
    PJ_EV_REQUEST,    // the call requests a collective; only where completions tell what it was
    PJ_EV_COMPLETE,   // the call completes one: a = its number among the location's requests << 32
                      // | communicator, b = bytes, code = root?
    PJ_EV_OPENMP,     // a = value (0 = left), code = PJ_OMP_*, b = team: see PJ_TEAM_NESTED
    PJ_EV_MESSAGE,    // a = index in the batch's messages; location = the sender's, time = lsend
    PJ_EV_PART,       // of one end of a message, in its call: code = pj_part_kind; see there
    PJ_EV_TRACING,    // a = 1 switched on, 0 switched off
    PJ_EV_ENTER,      // a = region, an index in pj_run.regions; only where a pass asks for regions
    PJ_EV_LEAVE,      // the same
    PJ_EV_DEVICE,     // a = value (0 = left), code = PJ_DEVICE_*
    PJ_EV_OTHER,      // an event record whose time alone counts, but for call paths: code =
                      // PJ_FUNCTION..., a = value (0 = left); 0 = without meaning here
    PJ_EV_END,        // the location has no more events; only with PJ_EV_PART
    PJ_EV_LAST,       // number of kinds
} pj_event_kind;

/// Where pj_run.told.messages_apart, both ends of a message are told by their own locations, at the
/// place of their call in the order of the location. The n-th send of a rank to another one, on the
/// same communicator and with the same tag, is the n-th receive of that one.
typedef enum pj_part_kind {
    PJ_PART_CHANNEL, // the next one of the location, from 0 on: a = other rank << 32 | communicator
    PJ_PART_SEND,    // a = channel << 32 | tag, b = bytes
    PJ_PART_POST,    // of a receive that a later record completes; b = ns of its posting
    PJ_PART_RECEIVE, // a = channel << 32 | tag; posted by the call that completes it
    PJ_PART_COMPLETE, // the same; b = ns of its posting
    PJ_PART_SENT,     // the call completes a send: a = its number among the location's, from 0 on;
                      // only where a sink wants it
    PJ_PART_LOCK,     // no end: a = window << 32 | target, b = PJ_RMA_*; where a sink wants locks
} pj_part_kind;

/// Of the lock of a window: it is asked for, there, given free; the first two with PJ_RMA_EXCLUSIVE
/// where nobody else may have it.
enum { PJ_RMA_ASKED = 1, PJ_RMA_ACQUIRED = 2, PJ_RMA_RELEASED = 3, PJ_RMA_EXCLUSIVE = 4 };

typedef struct pj_event {
    uint64_t time; // ns from the trace's begin
    uint64_t a;
    uint64_t b;
    uint32_t location;
    uint16_t kind; // pj_event_kind
    uint16_t code;
} pj_event;

typedef struct pj_message {
    uint64_t logical_send, physical_send, logical_recv, physical_recv; // ns
    uint64_t size;                                                     // bytes
    int64_t tag;
    uint32_t from, to; // locations
} pj_message;

/// Events in the order of the trace. Times of one location never go back, unless the reader counted
/// `unsorted`; messages are free of that order: tracers write them up to the end of their call.
typedef struct pj_batch {
    const pj_event *events;
    size_t count;
    const pj_message *messages;
    size_t message_count;
} pj_batch;

#endif
