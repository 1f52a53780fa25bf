// Settings from the environment, and the user's folder for what programs remember (XDG Base
// Directory Specification 0.8, XDG_STATE_HOME).
#include "kernel/command/setting.h"

#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/num.h"
#include "metrics/base/str.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const pj_setting settings[] = {
#define SETTING(id, variable, value, otherwise, least, most, help)                                 \
    [PJ_SETTING_##id] = {variable, value, otherwise, least, most, help},
#include "kernel/command/settings.def"
#undef SETTING
};

const pj_setting *pj_setting_of(pj_setting_id id)
{
    return &settings[id];
}

const char *pj_setting_text(pj_setting_id id)
{
    return getenv(settings[id].variable);
}

bool pj_setting_number(pj_setting_id id, uint64_t *out, pj_err *err)
{
    const pj_setting *s = &settings[id];
    assert(s->most > 0);
    const char *text = getenv(s->variable);
    if (!text || !*text)
        text = s->otherwise;
    if (pj_parse_size(pj_str_of(text), out) && *out >= s->least && *out <= s->most)
        return true;
    return pj_fail(err, PJ_E_USAGE, s->variable, 0,
                   "'%s' is not understood, or too small or large; give one such as %s", text,
                   s->otherwise);
}

bool pj_state_file(const char *name, pj_buf *out)
{
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    if (state && *state == '/')
        pj_buf_addf(out, "%s/popinjay/%s", state, name);
    else if (home && *home == '/')
        pj_buf_addf(out, "%s/.local/state/popinjay/%s", home, name);
    else
        return false;
    return true;
}

void pj_state_make_folders(const char *path)
{
    pj_auto_buf part = {0};
    for (const char *slash = strchr(path + (*path == '/'), '/'); slash;
         slash = strchr(slash + 1, '/')) {
        part.len = 0;
        pj_buf_add(&part, (pj_str){path, (size_t)(slash - path)});
        mkdir(part.at, 0700);
    }
}
