// A part of an OTF2 archive copied with libotf2's writer, every kind of record kept: what is open
// at the begin is opened there, what is open at the end is closed, and counters have a reading at
// both. Part of the module around libotf2. Ownership: borrow.
#ifndef PJ_OTF2_COPY_H
#define PJ_OTF2_COPY_H

#include "metrics/base/err.h"
#include "metrics/base/pseudonym.h"

#include <stddef.h>
#include <stdint.h>

typedef struct pj_otf2_window { // of a location
    uint64_t from, to;          // in its own ticks: the first and the last
    uint64_t from_ns, to_ns;    // of the run
} pj_otf2_window;

typedef struct pj_otf2_knot { // of the offsets to the global clock
    uint64_t time;            // ticks of the location
    int64_t offset;
} pj_otf2_knot;

typedef struct pj_otf2_side { // of a message
    uint64_t time;            // ticks of the location
    uint64_t bytes;
    uint32_t tag;
    bool send;
} pj_otf2_side;

typedef enum pj_otf2_counting {
    PJ_OTF2_NO_COUNTER,
    PJ_OTF2_COUNTS_ON,   // a value holds for all the time before it
    PJ_OTF2_COUNTS_ANEW, // since the reading before
} pj_otf2_counting;

/// What a border divides of a counter's reading, in ns of useful time: all of it, and what lies
/// behind the begin of the part, or between its begin and its end. `whole` 0 = nothing useful does.
typedef struct pj_otf2_divided {
    uint64_t inside, whole;
} pj_otf2_divided;

/// What to copy. Ids are those of the location.
typedef struct pj_otf2_part {
    pj_otf2_window (*window)(void *self, uint64_t location);
    /// When the run has come to a tick: where no useful time lies between two readings, time is
    /// shared, in ns as it is read.
    uint64_t (*ns)(void *self, uint64_t location, uint64_t ticks);
    /// Of the reading that lies across border 0 or 1.
    pj_otf2_divided (*divided)(void *self, uint64_t location, uint64_t metric, unsigned border);
    const pj_otf2_knot *(*knots)(void *self, uint64_t location, size_t *count);
    pj_otf2_counting (*counting)(void *self, uint64_t location, uint64_t metric);
    /// A collective ended before the part, or in it.
    void (*met)(void *self, uint64_t location, uint64_t comm, bool before);
    /// Whether one that ends in the part lies there for all its members.
    bool (*meets)(void *self, uint64_t location, uint64_t comm);
    /// Whether the next one of a location has ended for another in the part.
    bool (*over)(void *self, uint64_t location, uint64_t comm);
    /// Whether the other side of a message lies in the part too.
    bool (*matched)(void *self, uint64_t location, const pj_otf2_side *side);
    bool (*stopped)(void *self);
    const pj_pseudonyms *names;    // hides those that somebody has given; NULL = they stay
    uint64_t clock_from, clock_to; // of the part, in ticks of the global clock
    void *self;
} pj_otf2_part;

typedef struct pj_otf2_copied {
    uint64_t records;  // kept
    uint64_t messages; // sides of messages left out
    uint64_t readings; // of counters that a border divides
    uint64_t opened;   // regions and teams that a border cuts
} pj_otf2_copied;

/// `to` is an anchor (.otf2) that does not exist; what there is of it after a failure is the
/// caller's to remove. Errors: PJ_E_FORMAT, PJ_E_IO, PJ_E_STOPPED.
PJ_CHECKED bool pj_otf2_copy(const char *from, const char *to, const pj_otf2_part *part,
                             pj_otf2_copied *copied, pj_err *err);

#endif
