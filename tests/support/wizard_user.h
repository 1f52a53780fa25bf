// A user of the wizard over made-up runs: does things by the messages that a front end sends for
// them, sees what its pages show. What is not there fails the test. Ownership: plain struct;
// pj_user_close.
#ifndef PJ_WIZARD_USER_H
#define PJ_WIZARD_USER_H

#include "tests/support/fake_host.h"
#include "tests/support/widget_bench.h"

typedef struct pj_user {
    pj_bench bench;
    fake_host fake;
    pj_wizard *wizard;
} pj_user;

/// The recorder, if there is one; as in pj_wizard_host.
typedef bool pj_user_record(void *self, const char *const *words, size_t count, pj_job *job,
                            pj_err *err);

/// These runs are chosen already.
void pj_user_open(pj_user *user, const char *const *paths, size_t count);
void pj_user_open_with(pj_user *user, const char *const *paths, size_t count,
                       pj_user_record *record);
/// Nothing that was sent has broken the protocol.
void pj_user_close(pj_user *user);

/// The first widget of a model with this text under `key`; NULL when there is none.
pj_widget *pj_user_find(pj_user *user, const char *model, const char *key, const char *text);
/// The same by its description; must be there.
pj_widget *pj_user_named(pj_user *user, const char *model, const char *description);
pj_widget *pj_user_tabs(pj_user *user);

void pj_user_click(pj_user *user, const char *button);
/// `state` as "{'value': 1}".
void pj_user_change(pj_user *user, pj_widget *widget, const char *state);
void pj_user_turn(pj_user *user, int page);
void pj_user_turn_to(pj_user *user, const char *title);
/// Until all that was asked for has been read.
void pj_user_analyse(pj_user *user);

/// Whether the value of any HTML on any page holds the text.
bool pj_user_says(pj_user *user, const char *text);
/// The same of any Output: what was written is told with a link.
bool pj_user_shows(pj_user *user, const char *text);
/// The widget's value has the text in it.
void pj_user_holds(pj_user *user, pj_widget *widget, const char *text);

#endif
