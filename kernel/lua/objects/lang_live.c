// Entering and leaving for commands written in C.
#include "kernel/lua/live.h"

#include "kernel/command/face.h"
#include "kernel/command/session.h"
#include "kernel/command/value.h"
#include "kernel/lua/lang.h"
#include "kernel/lua/lang_stage.h"
#include "kernel/lua/objects/lang_widget.h"
#include "widgets/ipy/widget.h"

pj_live *pj_live_of(const pj_session *session)
{
    return session->lang ? session->lang->stage : NULL;
}

pj_widgets *pj_live_enter(pj_session *session)
{
    pj_lang *lang = session->lang;
    if (!lang->visits++)
        lang->visit_stepped = !lang->on_stage;
    if (!lang->on_stage)
        pj_lang_enter(lang, PJ_LANG_URGENT);
    return pj_live_widgets(lang->stage);
}

void pj_live_leave(pj_session *session)
{
    pj_lang *lang = session->lang;
    if (!--lang->visits && lang->visit_stepped)
        pj_lang_leave(lang);
}

pj_widgets *pj_live_widgets(pj_live *live)
{
    pj_widgets *widgets = pj_lang_widgets(live);
    pj_widgets_own(widgets, live->now->owner[0] ? live->now->owner : NULL);
    return widgets;
}

pj_session *pj_live_session(pj_live *live)
{
    return live->now->session;
}

pj_desk pj_live_desk(pj_live *live)
{
    const pj_face *face = live->now->face;
    return face->desk ? face->desk(face->self, live->now->owner) : (pj_desk){0};
}

pj_value pj_live_value(const pj_widget *widget)
{
    pj_value value = pj_value_text(pj_widget_id(widget));
    value.kind = PJ_VALUE_WIDGET;
    return value;
}

void pj_lang_errand(pj_lang *lang, const char *owner, const pj_errand *errand)
{
    pj_lang_enter(lang, PJ_LANG_URGENT);
    lang->running = NULL;
    snprintf(lang->owner, sizeof lang->owner, "%s", owner);
    errand->call(errand->context);
    lang->owner[0] = 0;
    pj_lang_leave(lang);
}
