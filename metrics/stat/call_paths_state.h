// The inside of pj_call_paths: what the sink gathers (paths_sink.c) and the profile is made of
// (paths_profile.c). Ownership: the paths'.
#ifndef PJ_CALL_PATHS_STATE_H
#define PJ_CALL_PATHS_STATE_H

#include "metrics/base/job.h"
#include "metrics/base/map.h"
#include "metrics/stat/call_name.h"
#include "metrics/trace/layout.h"
#include "metrics/trace/path_tree.h"

struct pj_call_paths {
    pj_path_tree *trees; // by location
    uint32_t locations;
    const pj_layout *layout;
    bool followed;       // the reader fills the trees: nodes are numbers of pj_run.regions
    pj_call_name *names; // else of these
    size_t name_count, name_cap;
    pj_map number_of; // a name
    pj_job *job;
    uint64_t charged; // bytes on its account
    uint64_t not_left, not_entered, wrong_nesting;
};

/// Number of a name; a new one is added.
uint32_t pj_call_paths_name(struct pj_call_paths *paths, pj_call_name name);

#endif
