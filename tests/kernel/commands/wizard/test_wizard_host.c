// What the kernel gives the wizard: folders, first looks at traces, files, choices kept.
#include "kernel/commands/wizard/wizard_host.h"

#include "kernel/lua/lang.h"
#include "kernel/lua/live.h"
#include "tests/support/recording_face.h"
#include "tests/support/strict_front.h"

#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

typedef struct timeline {
    char folder[PATH_MAX];
    pj_recording face;
    pj_front front;
    pj_lang *lang;
    pj_session *session;
    pj_wizard_host host;
    pj_arena *arena;
} timeline;

static void post(void *self, const pj_errand *errand)
{
    (void)self, (void)errand;
}

static void close_desk(void *self)
{
    (void)self;
}

static pj_desk open_desk(void *self, const char *owner)
{
    (void)self, (void)owner;
    static int desk;
    return (pj_desk){&desk, post, close_desk};
}

static int open_timeline(void **state)
{
    static timeline s;
    snprintf(s.folder, sizeof s.folder, "/tmp/wizard-host-XXXXXX");
    assert_non_null(mkdtemp(s.folder));
    setenv("XDG_STATE_HOME", s.folder, 1);
    assert_int_equal(chdir(s.folder), 0);
    pj_recording_open(&s.face);
    s.front = pj_front_new();
    s.face.face.comms = pj_front_channel(&s.front);
    s.face.face.desk = open_desk;
    s.lang = pj_lang_new(&s.face.face, NULL);
    s.session = pj_lang_session(s.lang);
    s.arena = pj_arena_new(NULL);
    pj_live_enter(s.session);
    s.host = pj_wizard_host_new(s.session, "popinjay-wizard-1");
    *state = &s;
    return 0;
}

static int close_timeline(void **state)
{
    timeline *s = *state;
    s->host.release(s->host.self);
    pj_live_leave(s->session);
    pj_arena_free(s->arena);
    pj_lang_free(s->lang);
    pj_front_free(&s->front);
    pj_recording_close(&s->face);
    char command[PATH_MAX + 16];
    snprintf(command, sizeof command, "rm -r %s", s->folder);
    return system(command);
}

static void what_is_kept_is_private(void **state)
{
    timeline *s = *state;
    char path[PATH_MAX + 32];
    struct stat info;
    json_t *choices = json_pack("{s:[]}", "runs");
    umask(0);
    s->host.keep(s->host.self, choices);
    snprintf(path, sizeof path, "%s/popinjay/wizard.json", s->folder);
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0600);
    assert_int_equal(chmod(path, 0644), 0); // as earlier versions left it
    s->host.keep(s->host.self, choices);
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0600);
    json_t *back = s->host.recall(s->host.self);
    assert_true(json_equal(back, choices));
    json_decref(back);
    json_decref(choices);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_is_kept_is_private, open_timeline, close_timeline),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
