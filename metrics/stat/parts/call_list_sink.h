// Lists the MPI calls of some ranks, for who looks for iterations in them. Ownership: new/free.
#ifndef PJ_CALL_LIST_SINK_H
#define PJ_CALL_LIST_SINK_H

#include "metrics/run/parts/anchors.h"
#include "metrics/trace/sink.h"

enum { PJ_CALL_LISTS = 16, PJ_CALL_LIST_ALL = 1 << 22 }; // ranks at most, and calls of all of them

typedef struct pj_call_lists pj_call_lists;

pj_call_lists *pj_call_lists_new(void);
void pj_call_lists_free(pj_call_lists *lists);
pj_sink pj_call_list_sink(pj_call_lists *lists);

/// After the pass.
uint32_t pj_call_lists_count(const pj_call_lists *lists);
const pj_call_list *pj_call_lists_at(const pj_call_lists *lists, uint32_t index);
/// The rank of a list, evenly spread over all ranks.
uint32_t pj_call_lists_rank(const pj_call_lists *lists, uint32_t index);
/// Whether calls beyond those that fit were left out.
bool pj_call_lists_full(const pj_call_lists *lists);

/// Occurrences of one anchor in all ranks.
typedef struct pj_anchor_marks pj_anchor_marks;
pj_anchor_marks *pj_anchor_marks_new(const pj_loop_anchor *anchor);
void pj_anchor_marks_free(pj_anchor_marks *marks);
pj_sink pj_anchor_marks_sink(pj_anchor_marks *marks);
const pj_anchor_mark *pj_anchor_marks_of(const pj_anchor_marks *marks, uint32_t rank,
                                         size_t *count);

#endif
