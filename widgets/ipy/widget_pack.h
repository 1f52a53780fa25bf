// Traits as they go over the wire: names of the dialect, bytes taken out into buffers.
// Ownership: new/free; buffers are borrows from the values that were packed.
#ifndef PJ_WIDGET_PACK_H
#define PJ_WIDGET_PACK_H

#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "widgets/ipy/channel.h"
#include "widgets/ipy/traits.h"

typedef struct pj_widget_pack {
    pj_dialect dialect;
    const char *id; // paths begin with this id and "state", as in update_states; NULL = not
    json_t *state;  // what pack_add fills
    json_t *paths;
    pj_str *buffers;
    size_t buffer_count, buffer_cap;
} pj_widget_pack;

pj_widget_pack pj_widget_pack_new(pj_dialect dialect);
void pj_widget_pack_free(pj_widget_pack *pack);
#define pj_auto_pack __attribute__((cleanup(pj_widget_pack_free))) pj_widget_pack

/// Values of any type; those that do not fit the row are passed on as they are.
void pj_widget_pack_add(pj_widget_pack *pack, const pj_trait *trait, json_t *value);

/// The way back: traits by name out of a message's state, buffer_paths and buffers. Names that the
/// model lacks are left out; values are not checked. NULL with PJ_E_FORMAT.
PJ_CHECKED json_t *pj_widget_unpack(const pj_model *model, pj_dialect dialect,
                                    const pj_comm_message *message, pj_err *err);

#endif
