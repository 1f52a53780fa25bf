// view(p): a profile to look around in, in a notebook: linked panes, or a picture of its call
// paths.
#include "kernel/command/args/profile_view_args.h"
#include "kernel/command/command.h"
#include "kernel/command/face.h"
#include "kernel/command/profile_inputs.h"
#include "kernel/command/session.h"
#include "kernel/command/value.h"
#include "kernel/lua/live.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "metrics/profile/profile.h"
#include "widgets/ipy/widget.h"
#include "widgets/plot/plot.h"
#include "widgets/view/call_browser.h"
#include "widgets/view/pane_browser.h"

typedef struct view_args {
    const char *kind;
    pj_profile_args profile;
    pj_profile_view_args how;
} view_args;

static const char *const kinds[] = {"panes", "flame", "icicle", "sunburst", NULL};

static pj_widget *make(pj_widgets *widgets, pj_profile *profile, const char *kind,
                       pj_plot_opts opts, pj_err *err)
{
    const pj_plot *plot = kind ? pj_plot_of_profile(pj_str_of(kind)) : NULL;
    return plot ? pj_call_browser_new(widgets, profile, plot, opts, err)
                : pj_pane_browser_new(widgets, profile, err);
}

static bool run_view(pj_session *session, const void *given, pj_value *out, pj_err *err)
{
    const view_args *args = given;
    pj_plot_opts opts = {0};
    if (!session->face->desk || !pj_live_of(session))
        return pj_fail(err, PJ_E_MISSING, NULL, 0,
                       "view needs a notebook with widgets; plot draws the same as a page of its "
                       "own (--export x.html)");
    if (!pj_profile_view_args_take(&args->how, &opts.profile, err))
        return false;
    pj_auto_profile profile = pj_profile_inputs(session, &args->profile, err);
    if (!profile)
        return false;
    const pj_widget *root = make(pj_live_enter(session), profile, args->kind, opts, err);
    if (root)
        *out = pj_live_value(root);
    pj_live_leave(session);
    return root;
}

static const pj_param kind[] = {
    {.name = "kind",
     .type = PJ_PARAM_CHOICE,
     .place = PJ_IN_LUA,
     .offset = offsetof(view_args, kind),
     .shown = "KIND",
     .choices = kinds,
     .preset = "panes",
     .help = "Linked panes, or the kind of picture."},
    {0},
};

static const pj_param_group groups[] = {
    {.rows = pj_profile_input_rows,
     .base = offsetof(view_args, profile),
     .help = "Profiles, or traces with functions."},
    {.rows = kind},
    {.rows = pj_profile_view_rows, .base = offsetof(view_args, how)},
    {.rows = pj_profile_reading_rows, .base = offsetof(view_args, profile)},
    {0},
};

const pj_command pj_command_view = {
    .name = "view",
    .summary = "A profile to look around in: linked panes, or a picture to click in",
    .detail = "Panes are metrics, call paths and ranks side by side, as Cube has them: what is "
              "chosen in one is what those to its right show; a shut row shows its value with all "
              "below it, an open one its own. flame, icicle and sunburst draw call paths. "
              "A click in the picture makes that call the whole of it, drawn anew by the kernel, "
              "so that nothing is too small to be reached; the calls above it are buttons. "
              "Pictures of plot zoom too, without a kernel, as far as their page goes.",
    .example = "view(profile \"cpu_*.prof\")",
    .faces = PJ_IN_LUA,
    .groups = groups,
    .args_size = sizeof(view_args),
    .run = run_view,
};
