// The module around libotf2 (popinjay-otf2.so) as function pointers: opened at the first archive,
// so that the program starts without it. It gives the definitions of an archive, and the events of
// files that our own decoder leaves to it. Ownership: new/free for an archive.
#ifndef PJ_OTF2_LIB_H
#define PJ_OTF2_LIB_H

#include "metrics/base/err.h"
#include "metrics/read/otf2/cut/otf2_copy.h"
#include "metrics/read/otf2/events/otf2_event.h"
#include "metrics/read/otf2/otf2_anchor.h"

#include <stddef.h>

typedef enum pj_otf2_def_kind {
    PJ_OTF2_DEF_CLOCK,           // number: ticks per second, global offset, length
    PJ_OTF2_DEF_STRING,          // text
    PJ_OTF2_DEF_NODE,            // of the system tree: number: parent, name, class
    PJ_OTF2_DEF_LOCATION_GROUP,  // number: name, type, node, group of the creator
    PJ_OTF2_DEF_LOCATION,        // number: name, type, events, location group
    PJ_OTF2_DEF_REGION,          // number: name, canonical name, role, paradigm, file, line, flags
    PJ_OTF2_DEF_CALLING_CONTEXT, // number: region
    PJ_OTF2_DEF_GROUP,           // number: type, paradigm, name; members
    PJ_OTF2_DEF_COMM,            // number: name, group, group of the other side or undefined
    PJ_OTF2_DEF_WINDOW,          // number: name, communicator
    PJ_OTF2_DEF_METRIC_MEMBER,   // number: name, mode, value type, base, exponent (signed), unit
    PJ_OTF2_DEF_METRIC_CLASS,    // number: occurrence; members
    PJ_OTF2_DEF_METRIC_INSTANCE, // number: class, recorder, kind of scope, its id
    PJ_OTF2_DEF_PARAMETER,       // number: name
    PJ_OTF2_DEF_FILE,            // number: name
    PJ_OTF2_DEF_HANDLE,          // of input and output: number: name, file
    PJ_OTF2_DEF_MAP,             // of a location: number: kind of id, global id; id = its own
    PJ_OTF2_DEF_OFFSET,          // of a location: number: time, offset (signed), both in ticks
} pj_otf2_def_kind;

/// A definition; members are borrowed, "undefined" is PJ_OTF2_UNDEFINED in every number.
typedef struct pj_otf2_def {
    pj_otf2_def_kind kind;
    uint64_t id;
    uint64_t number[7];
    const char *text;
    const uint64_t *members;
    size_t member_count;
} pj_otf2_def;

typedef void pj_otf2_define(void *self, const pj_otf2_def *def);

typedef struct pj_otf2_archive pj_otf2_archive;

typedef struct pj_otf2_lib {
    /// NULL with PJ_E_FORMAT when it is no archive that the library reads.
    pj_otf2_archive *(*open)(const char *anchor, pj_err *err);
    void (*close)(pj_otf2_archive *archive);
    /// Whether only the library can read the event files (compressed, not plain files).
    bool (*needed)(const pj_otf2_archive *archive);
    bool (*definitions)(pj_otf2_archive *archive, pj_otf2_define *define, void *self, pj_err *err);
    /// Prepares the local definitions and events of these locations; once, before the two below.
    void (*select)(pj_otf2_archive *archive, const uint64_t *locations, size_t count);
    /// Maps and clock offsets of a location, in their order; false when they cannot be read.
    bool (*local)(pj_otf2_archive *archive, uint64_t location, pj_otf2_define *define, void *self);
    /// The next event of a location, with global ids and corrected times once its local
    /// definitions have been read; false at the end, or with an error.
    bool (*next)(pj_otf2_archive *archive, uint64_t location, pj_otf2_event *event, pj_err *err);
    /// pj_otf2_copy
    bool (*copy)(const char *from, const char *to, const pj_otf2_part *part, pj_otf2_copied *copied,
                 pj_err *err);
} pj_otf2_lib;

/// NULL with PJ_E_MISSING when the module or libotf2 is not installed.
PJ_CHECKED const pj_otf2_lib *pj_otf2_lib_open(pj_err *err);
/// As lib->open; PJ_E_MISSING says what the library would have to be built with.
PJ_CHECKED pj_otf2_archive *pj_otf2_lib_archive(const pj_otf2_lib *lib,
                                                const pj_otf2_anchor *anchor, pj_err *err);

#endif
