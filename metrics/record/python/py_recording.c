// Chooses the hook, puts it in place and takes it out.
#include "metrics/record/python/py_recording.h"

#include "metrics/record/python/py_allocations.h"
#include "metrics/record/python/py_builtins.h"
#include "metrics/record/python/py_codes.h"
#include "metrics/record/python/py_hook.h"
#include "metrics/record/python/py_lines.h"
#include "metrics/record/python/py_sample.h"
#include "metrics/record/python/py_thread.h"
#include "metrics/record/rec_defs.h"
#include "metrics/record/rec_part.h"

#include <string.h>

static const pj_py_hook *const hooks[] = {&pj_py_hook_frame, &pj_py_hook_monitor,
                                          &pj_py_hook_profile};
static const pj_py_hook *chosen;
static bool installed;

/// Whether a hook is the one of this version that sees what is wanted.
static bool is_default(const pj_py_hook *hook)
{
    if (pj_py_builtins_wanted && pj_py.minor < pj_py_hook_monitor.first)
        return hook == &pj_py_hook_profile;
    return pj_py.minor >= hook->first && pj_py.minor <= hook->last;
}

/// The hook of this version, or the one that is asked for; where it cannot be used
/// PyEval_SetProfile.
static const pj_py_hook *choose(const char *name)
{
    const pj_py_hook *wanted = NULL;
    for (size_t i = 0; i < sizeof hooks / sizeof *hooks; i++) {
        const pj_py_hook *hook = hooks[i];
        if (strcmp(name, "auto") == 0 ? is_default(hook) : strcmp(name, hook->name) == 0)
            wanted = hook;
    }
    if (!wanted) {
        PyErr_Format(PyExc_ValueError, "there is no hook \"%s\": auto, frame, monitor, profile",
                     name);
        return NULL;
    }
    const char *reason = wanted->unfit();
    if (reason && wanted != &pj_py_hook_profile) {
        pj_rec_note(2, "the hook \"%s\" was not used: %s", wanted->name, reason);
        wanted = &pj_py_hook_profile;
        reason = wanted->unfit();
    }
    if (reason)
        PyErr_SetString(PyExc_RuntimeError, reason);
    return reason ? NULL : wanted;
}

static void begin_thread(void)
{
    if (installed && chosen->install_here)
        chosen->install_here();
}

static void end_thread(void)
{
    if (chosen->end_thread)
        chosen->end_thread();
}

static void install(void)
{
    if (!installed)
        chosen->install();
    installed = true;
}

const char *pj_py_recording_start(pj_py_recording_options options)
{
    pj_rec_options core = {.folder = options.folder, .max_bytes = options.max_bytes};
    if (!pj_py.minor)
        pj_py_api_fill();
    if (chosen) {
        PyErr_SetString(PyExc_RuntimeError, "this process is recorded already");
        return NULL;
    }
    if (!pj_rec_start(core)) {
        PyErr_SetString(PyExc_OSError, "nothing can be recorded");
        return NULL;
    }
    if (!pj_py_codes_init(options.all)) {
        PyErr_NoMemory();
        return NULL;
    }
    pj_py_lines_begin();
    pj_py_allocations_begin();
    pj_py_builtins_begin();
    const pj_py_hook *hook = choose(options.hook);
    if (!hook || !pj_py_thread_wrap((pj_py_thread_events){begin_thread, end_thread}))
        return NULL;
    const bool off = options.off || pj_py_sample_wanted();
    pj_py_thread_begins_off = off;
    pj_py_thread_samples = pj_py_sample_wanted();
    pj_py_thread_find_floor();
    pj_py_self.off = off;
    chosen = hook;
    if (!hook->tells_lines)
        pj_py_lines_end();
    if (!hook->tells_builtins)
        pj_py_builtins_end(hook->name);
    const char *failure = pj_py_sample_wanted() ? pj_py_sample_begin() : NULL;
    if (failure) {
        PyErr_SetString(PyExc_RuntimeError, failure);
        return NULL;
    }
    if (!off)
        install();
    return hook->name;
}

void pj_py_recording_stop(void)
{
    if (installed)
        chosen->remove();
    installed = false;
    pj_rec_finish();
}

bool pj_py_recording_instrument(bool on)
{
    bool before = chosen && !pj_py_self.off;
    if (!chosen || before == on || !pj_rec_active() || pj_py_sample_wanted())
        return before;
    pj_py_self.off = !on;
    if (on)
        install();
    return before;
}

bool pj_py_recording_sees_calls(void)
{
    return installed && !pj_py_self.off;
}

uint32_t pj_py_recording_region(PyObject *code, PyObject *globals)
{
    if (!chosen || !pj_rec_active())
        return 0;
    const pj_py_code *row = pj_py_codes_find(code);
    uint32_t region = row ? row->region : pj_py_codes_add(code, globals).region;
    return region == PJ_PY_NOT_RECORDED ? 0 : region;
}
