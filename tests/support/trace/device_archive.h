// OTF2 archives with devices, as tables say: what a tool of some version calls its streams, where
// they stand in the system, and what they record. Ownership: borrow.
#ifndef PJ_DEVICE_ARCHIVE_H
#define PJ_DEVICE_ARCHIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { DEVICE_ARCHIVE_NONE = UINT32_MAX };

/// Of the system tree; its number is its place in the table.
typedef struct device_archive_node {
    const char *name, *class_;
    uint32_t parent;
} device_archive_node;

typedef struct device_archive_group {
    const char *name;
    bool accelerator;
    uint32_t node, creator;
} device_archive_group;

typedef struct device_archive_location {
    const char *name;
    uint32_t group;
    bool stream;
} device_archive_location;

typedef struct device_archive_region {
    const char *name;
    uint8_t role, paradigm; // OTF2's numbers
} device_archive_region;

typedef enum device_archive_kind {
    DEVICE_ARCHIVE_ENTER, // what = region
    DEVICE_ARCHIVE_LEAVE,
    DEVICE_ARCHIVE_GET, // what = location at the other end
    DEVICE_ARCHIVE_PUT,
    DEVICE_ARCHIVE_DONE, // of the operation `id`
} device_archive_kind;

typedef struct device_archive_record {
    uint64_t time; // ns
    uint32_t location;
    device_archive_kind kind;
    uint32_t what;
    uint64_t id, bytes;
} device_archive_record;

/// Tables end with a name that is NULL; records of a location are in order of time.
typedef struct device_archive {
    const device_archive_node *nodes;
    const device_archive_group *groups;
    const device_archive_location *locations;
    const device_archive_region *regions;
    uint8_t paradigm;   // of the window of copies, over all locations
    const char *window; // NULL = there is none
    const device_archive_record *records;
    size_t record_count;
} device_archive;

/// `anchor` ends with .otf2 and its folder exists. Fails the running test.
void device_archive_write(const char *anchor, const device_archive *archive);

#endif
