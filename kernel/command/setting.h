// What the environment sets: one row of settings.def per variable, shown by popinjay help settings.
// Ownership: borrow - texts are the environment's.
#ifndef PJ_SETTING_H
#define PJ_SETTING_H

#include "metrics/base/buf.h"
#include "metrics/base/err.h"

typedef enum pj_setting_id {
#define SETTING(id, variable, value, otherwise, least, most, help) PJ_SETTING_##id,
#include "kernel/command/settings.def"
#undef SETTING
    PJ_SETTINGS
} pj_setting_id;

typedef struct pj_setting {
    const char *variable, *value, *otherwise;
    uint64_t least, most; // 0, 0: text
    const char *help;
} pj_setting;

const pj_setting *pj_setting_of(pj_setting_id id);
/// NULL where the variable is not set; "" where it is set to nothing.
const char *pj_setting_text(pj_setting_id id);
/// A number within the row's bounds, its default where the variable is not set or empty. False with
/// PJ_E_USAGE that names the variable.
PJ_CHECKED bool pj_setting_number(pj_setting_id id, uint64_t *out, pj_err *err);
/// The path of one of the program's own files in the user's folder of states (XDG_STATE_HOME, else
/// ~/.local/state), appended to `out`. False, with nothing appended, where there is no such folder.
bool pj_state_file(const char *name, pj_buf *out);
/// Makes the folders above such a file, for this user alone. Whether that went well shows when the
/// file is opened.
void pj_state_make_folders(const char *path);

#endif
