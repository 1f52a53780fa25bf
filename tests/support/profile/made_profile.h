// Profiles made for tests of views: call graphs and trees of any size, odd names, many ranks.
// Ownership: new references.
#ifndef PJ_MADE_PROFILE_H
#define PJ_MADE_PROFILE_H

#include "metrics/profile/profile.h"

typedef enum made_shape { MADE_GRAPH, MADE_TREE, MADE_FLAT } made_shape;

typedef struct made_profile_opts {
    made_shape shape;
    uint32_t functions; // each calls some of those after it; 0 = no function
    uint32_t ranks;     // 0 = 1
    bool odd_names;     // long, of other scripts, with signs of HTML, empty
    bool cyclic;        // the last functions call the first ones
    bool inclusive;     // a tree stores what functions take with their callees
} made_profile_opts;

pj_profile *made_profile(made_profile_opts opts);

#endif
