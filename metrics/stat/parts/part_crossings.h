// Which parts of a program messages leave: what is sent in one and received outside of it, or the
// reverse, and collectives that some of their guests take part in from outside. Ownership: a zeroed
// struct is empty; free releases it.
#ifndef PJ_PART_CROSSINGS_H
#define PJ_PART_CROSSINGS_H

#include "metrics/base/map.h"

#include <stdbool.h>
#include <stdint.h>

#define PJ_PART_NONE UINT32_MAX

/// Of a tree of call paths.
typedef struct pj_part_node {
    uint32_t parent;            // PJ_PART_NONE = it stands for what is no part
    uint64_t function;          // of the parts of one function that it is
    bool left;                  // messages leave it, with what it calls,
    bool left_alone;            // or without
    struct pj_part_cell *cells; // what threads did in it; NULL = nobody was there
} pj_part_node;

typedef struct pj_part_crossings {
    bool by_path;  // each node is a part; else all nodes of a function are one
    bool unplaced; // of some messages it is not known where they were sent or received
    pj_map met;    // pairs of nodes
} pj_part_crossings;

/// Where a message is sent or received: at a node, PJ_PART_NONE when that is not known; whether in
/// the region of interest.
uint64_t pj_part_mark(uint32_t node, bool inside);
/// A message goes between two places of a tree.
void pj_part_crossings_meet(pj_part_crossings *crossings, pj_part_node *nodes, uint64_t mark,
                            uint64_t other);
void pj_part_crossings_free(pj_part_crossings *crossings);

#endif
