// Recordings of processes that end in every way, against a model of what they did.
#include "metrics/base/buf.h"
#include "metrics/base/file.h"
#include "metrics/read/otf2/events/otf2_evt.h"
#include "metrics/record/merge/merge_parts.h"
#include "metrics/record/rec_clock.h"
#include "metrics/record/rec_defs.h"
#include "metrics/record/rec_event.h"
#include "metrics/record/rec_names.h"
#include "metrics/record/rec_part.h"
#include "metrics/record/rec_thread.h"
#include "tests/support/folder.h"
#include "tests/support/rounds.h"

#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { REGIONS = 300, STEPS_MOST = 60000, DEPTH_MOST = 3000, CHUNK = 256 * 1024 };

static void shell(const char *format, const char *name)
{
    char command[8192];
    snprintf(command, sizeof command, format, name);
    assert_int_equal(system(command), 0); // NOLINT(cert-env33-c)
}

static const char *fresh(void)
{
    const char *folder = folder_file("recorded");
    shell("rm -rf '%s'", folder);
    return folder;
}

// A random program: enters and leaves; the same for the child that runs it and for the model

typedef struct program {
    uint64_t seed;
    uint32_t steps;
    uint32_t open[DEPTH_MOST];
    uint32_t depth;
} program;

typedef struct step {
    bool enter;
    uint32_t region; // from 1 on
} step;

static uint64_t draw(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    return *seed ^= *seed << 17;
}

static step next_step(program *p)
{
    bool enter = p->depth == 0 || (p->depth < DEPTH_MOST && draw(&p->seed) % 100 < 53);
    step s = {.enter = enter, .region = (uint32_t)(draw(&p->seed) % REGIONS) + 1};
    if (enter)
        p->open[p->depth++] = s.region;
    else
        s.region = p->open[--p->depth];
    return s;
}

static uint32_t define(uint32_t number)
{
    char name[32];
    snprintf(name, sizeof name, "app:f%u", number);
    return pj_rec_region(&(pj_rec_region_of){.name = name, .first_line = number});
}

/// Runs the program; the regions have ids in the order of their first use.
static void run_program(program *p)
{
    uint32_t ids[REGIONS + 1] = {0};
    for (uint32_t i = 0; i < p->steps; i++) {
        step s = next_step(p);
        if (!ids[s.region])
            ids[s.region] = define(s.region);
        if (s.enter)
            pj_rec_enter(pj_rec_here(), ids[s.region]);
        else
            pj_rec_leave(pj_rec_here(), ids[s.region]);
    }
}

typedef enum ending { EXITS, IS_KILLED, QUITS } ending;

static void record(const char *folder, program p, ending how)
{
    pid_t child = fork();
    if (child == 0) {
        pj_rec_start((pj_rec_options){.folder = folder});
        pj_rec_here();
        run_program(&p);
        if (how == IS_KILLED)
            kill(getpid(), SIGKILL);
        if (how == EXITS)
            pj_rec_finish();
        _exit(0);
    }
    assert_true(child > 0 && waitpid(child, NULL, 0) == child);
}

static pj_merged_parts merge(const char *folder, bool keep)
{
    pj_merged_parts merged;
    pj_err err = {0};
    if (!pj_merge_parts(folder, (pj_merge_parts_opts){.keep = keep}, &merged, &err))
        fail_msg("%s: %s", err.where, err.text);
    return merged;
}

/// libotf2's own reader has nothing to say.
static void check_valid(const char *folder)
{
    if (system("command -v otf2-print >/dev/null") == 0) // NOLINT(cert-env33-c)
        shell("otf2-print --silent -Werror '%s/traces.otf2' >/dev/null", folder);
}

static pj_otf2_evt *open_location(const char *folder, unsigned long long id)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/traces/%llu.evt", folder, id);
    pj_err err = {0};
    pj_otf2_evt *evt = pj_otf2_evt_open(path, (pj_otf2_evt_opts){.chunk_bytes = CHUNK}, &err);
    assert_non_null(evt);
    return evt;
}

/// The next enter or leave.
static bool next_call(pj_otf2_evt *evt, pj_otf2_event *event)
{
    while (pj_otf2_evt_next(evt, event))
        if (event->type == PJ_OTF2_ENTER || event->type == PJ_OTF2_LEAVE)
            return true;
    return false;
}

/// Every event of the program is there, then leaves of what was open; the root around all.
static void compare(const char *folder, program p)
{
    pj_otf2_evt *evt = open_location(folder, 0);
    pj_otf2_event event;
    uint32_t ids[REGIONS + 1] = {0}, known = 1; // the root is 1
    uint64_t last = 0;
    assert_true(next_call(evt, &event) && event.type == PJ_OTF2_ENTER && event.field[0] == 1);
    for (uint32_t i = 0; i < p.steps; i++) {
        step s = next_step(&p);
        if (!ids[s.region])
            ids[s.region] = ++known;
        if (!next_call(evt, &event))
            fail_msg("event %u of %u is lost", i, p.steps);
        assert_int_equal(event.type, s.enter ? PJ_OTF2_ENTER : PJ_OTF2_LEAVE);
        assert_int_equal(event.field[0], ids[s.region]);
        assert_true(event.time >= last);
        last = event.time;
    }
    while (p.depth > 0) {
        assert_true(next_call(evt, &event) && event.type == PJ_OTF2_LEAVE);
        assert_int_equal(event.field[0], ids[p.open[--p.depth]]);
    }
    assert_true(next_call(evt, &event) && event.type == PJ_OTF2_LEAVE && event.field[0] == 1);
    assert_false(next_call(evt, &event));
    pj_otf2_evt_close(evt);
}

static void programs_are_recorded_exactly(void **state)
{
    (void)state;
    const unsigned rounds = pj_rounds(200, 1000);
    uint64_t seed = 7;
    static const ending endings[] = {EXITS, IS_KILLED, QUITS};
    for (unsigned round = 0; round < rounds; round++) {
        const char *folder = fresh();
        uint32_t most = round % 10 ? 3000 : STEPS_MOST;
        program p = {.seed = draw(&seed), .steps = (uint32_t)(draw(&seed) % most)};
        record(folder, p, endings[round % 3]);
        pj_merged_parts merged = merge(folder, false);
        assert_int_equal(merged.locations, 1);
        compare(folder, p);
        if (round % 6 == 0)
            check_valid(folder);
        assert_false(pj_merge_parts_are(folder));
    }
    fresh();
}

static uint64_t check_balance(const char *folder)
{
    pj_otf2_evt *evt = open_location(folder, 0);
    pj_otf2_event event;
    uint64_t count = 0, open = 0;
    while (next_call(evt, &event)) {
        open += event.type == PJ_OTF2_ENTER ? 1 : UINT64_MAX;
        count++;
    }
    assert_int_equal(open, 0);
    pj_otf2_evt_close(evt);
    return count;
}

static void a_kill_at_any_moment_leaves_a_valid_archive(void **state)
{
    (void)state;
    uint64_t seed = 11, events = 0;
    for (unsigned round = 0; round < 20; round++) {
        const char *folder = fresh();
        int ready[2];
        assert_int_equal(pipe(ready), 0);
        pid_t child = fork();
        if (child == 0) {
            pj_rec_start((pj_rec_options){.folder = folder});
            pj_rec_here();
            (void)!write(ready[1], "", 1);
            for (program p = {.seed = round + 1, .steps = STEPS_MOST};; p.depth = 0)
                run_program(&p);
        }
        char byte;
        assert_int_equal(read(ready[0], &byte, 1), 1);
        usleep((useconds_t)(draw(&seed) % 20000));
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
        close(ready[0]);
        close(ready[1]);
        merge(folder, false);
        events += check_balance(folder);
        check_valid(folder);
    }
    assert_true(events > 1000);
    fresh();
}

static const char *only_part(const char *folder)
{
    static char path[4096];
    snprintf(path, sizeof path, "%s/parts", folder);
    DIR *all = opendir(path);
    assert_non_null(all);
    for (struct dirent *entry; (entry = readdir(all));)
        if (strchr(entry->d_name, '.') > entry->d_name)
            snprintf(path, sizeof path, "%s/parts/%s", folder, entry->d_name);
    closedir(all);
    return path;
}

static void definitions_may_end_anywhere(void **state)
{
    (void)state;
    const char *folder = fresh();
    record(folder, (program){.seed = 3, .steps = 60}, IS_KILLED);
    char path[8192];
    snprintf(path, sizeof path, "%s/defs", only_part(folder));
    pj_auto_buf defs = {0};
    assert_true(pj_file_read(path, &defs, NULL));
    const size_t less = defs.len / pj_rounds((unsigned)defs.len, (unsigned)defs.len);
    for (size_t size = defs.len; size >= less;) {
        size -= less;
        assert_int_equal(truncate(path, (off_t)size), 0);
        pj_merged_parts merged;
        pj_err err = {0};
        if (!pj_merge_parts(folder, (pj_merge_parts_opts){.keep = true}, &merged, &err))
            assert_true(err.text[0] != '\0'); // no clock or no thread is known
        else if (size % 64 == 0)
            check_valid(folder);
    }
    fresh();
}

static void *one_thread(void *number)
{
    pj_rec_thread *thread = pj_rec_thread_begin("worker");
    for (uint32_t i = 0; i < 1000 + *(uint32_t *)number; i++) {
        pj_rec_enter(thread, 2);
        pj_rec_leave(thread, 2);
    }
    return NULL;
}

/// Two threads and a forked child that is inside what its parent was in.
static void run_family(const char *folder)
{
    pj_rec_start((pj_rec_options){.folder = folder});
    pj_rec_here();
    uint32_t work = define(1), numbers[] = {0, 1};
    pj_rec_enter(pj_rec_here(), work);
    pthread_t threads[2];
    for (unsigned i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, one_thread, &numbers[i]);
    for (unsigned i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    pid_t child = fork();
    if (child == 0) {
        pj_rec_leave(pj_rec_here(), work);
        uint32_t own = define(2);
        pj_rec_enter(pj_rec_here(), own);
        _exit(0);
    }
    waitpid(child, NULL, 0);
    pj_rec_leave(pj_rec_here(), work);
    pj_rec_finish();
    _exit(0);
}

static void threads_and_forked_children_have_their_locations(void **state)
{
    (void)state;
    const char *folder = fresh();
    pid_t child = fork();
    if (child == 0)
        run_family(folder);
    waitpid(child, NULL, 0);
    pj_merged_parts merged = merge(folder, false);
    assert_int_equal(merged.processes, 2);
    assert_int_equal(merged.locations, 4);
    assert_int_equal(check_balance(folder), 4); // root and work
    pj_otf2_event event;
    pj_otf2_evt *evt = open_location(folder, 1);
    uint64_t calls = 0;
    while (next_call(evt, &event))
        calls++;
    assert_int_equal(calls, 6); // root, work, own
    pj_otf2_evt_close(evt);
    check_valid(folder);
    fresh();
}

static void a_merge_is_done_again(void **state)
{
    (void)state;
    const char *folder = fresh();
    program p = {.seed = 5, .steps = 40000};
    record(folder, p, IS_KILLED);
    merge(folder, true);
    merge(folder, true);
    compare(folder, p);
    record(folder, p, EXITS); // another process of the same recording
    assert_int_equal(merge(folder, false).processes, 2);
    compare(folder, p);
    check_valid(folder);
    record(folder, p, EXITS); // the archive's parts are gone
    pj_merged_parts merged;
    pj_err err = {0};
    assert_false(pj_merge_parts(folder, (pj_merge_parts_opts){0}, &merged, &err));
    assert_non_null(strstr(err.text, "has an archive already"));
    compare(folder, p);
    fresh();
}

static void keep_text(void *self, const pj_err *what)
{
    snprintf(self, 1024, "%s", what->text);
}

static void a_limit_ends_the_recording_and_not_the_program(void **state)
{
    (void)state;
    const char *folder = fresh();
    program p = {.seed = 13, .steps = STEPS_MOST};
    pid_t child = fork();
    if (child == 0) {
        pj_rec_start((pj_rec_options){.folder = folder, .max_bytes = CHUNK});
        pj_rec_here();
        run_program(&p);
        pj_rec_finish();
        _exit(7);
    }
    int status;
    assert_true(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 7);
    char said[1024] = "";
    pj_merged_parts merged;
    pj_err err = {0};
    assert_true(pj_merge_parts(folder, (pj_merge_parts_opts){.tell = keep_text, .self = said},
                               &merged, &err));
    assert_non_null(strstr(said, "its limit of size is reached"));
    uint64_t calls = check_balance(folder);
    assert_true(calls > CHUNK / 16 && calls < STEPS_MOST);
    pj_otf2_evt *evt = open_location(folder, 0);
    pj_otf2_event event, last = {0};
    while (pj_otf2_evt_next(evt, &event))
        last = event;
    assert_true(last.type == PJ_OTF2_MEASUREMENT_ON_OFF && last.field[0] == 2);
    pj_otf2_evt_close(evt);
    check_valid(folder);
    fresh();
}

/// A signal would end the program where a file may not grow.
static void a_full_disk_ends_the_recording_and_not_the_program(void **state)
{
    (void)state;
    static const rlim_t limits[] = {100, 70000, CHUNK, 2 * CHUNK + 1000};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        const char *folder = fresh();
        program p = {.seed = 13, .steps = STEPS_MOST};
        fflush(NULL);
        pid_t child = fork();
        if (child == 0) {
            signal(SIGXFSZ, SIG_DFL);
            setrlimit(RLIMIT_FSIZE, &(struct rlimit){limits[i], limits[i]});
            if (limits[i] < CHUNK)
                close(STDERR_FILENO);
            pj_rec_start((pj_rec_options){.folder = folder});
            if (pj_rec_here())
                run_program(&p);
            pj_rec_finish();
            _exit(7);
        }
        int status;
        assert_true(waitpid(child, &status, 0) == child);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 7);
        pj_merged_parts merged;
        pj_err err = {0};
        bool ok = pj_merge_parts(folder, (pj_merge_parts_opts){0}, &merged, &err);
        assert_int_equal(ok, limits[i] >= CHUNK);
        if (ok) {
            assert_true(check_balance(folder) > CHUNK / 32);
            check_valid(folder);
        }
    }
    fresh();
}

static void a_merge_may_be_killed(void **state)
{
    (void)state;
    const char *folder = fresh();
    program p = {.seed = 21, .steps = 40000};
    record(folder, p, IS_KILLED);
    uint64_t seed = 77;
    for (int i = 0; i < 60; i++) {
        pid_t child = fork();
        if (child == 0) {
            pj_merged_parts merged;
            pj_err err = {0};
            _exit(!pj_merge_parts(folder, (pj_merge_parts_opts){.keep = true}, &merged, &err));
        }
        usleep((unsigned)(draw(&seed) % 6000));
        kill(child, SIGKILL);
        assert_true(waitpid(child, NULL, 0) == child);
    }
    for (int i = 0; i < 40; i++) { // and while it removes the parts
        pid_t child = fork();
        if (child == 0) {
            pj_merged_parts merged;
            pj_err err = {0};
            _exit(!pj_merge_parts(folder, (pj_merge_parts_opts){0}, &merged, &err));
        }
        usleep((unsigned)(draw(&seed) % 6000));
        kill(child, SIGKILL);
        assert_true(waitpid(child, NULL, 0) == child);
    }
    if (pj_merge_parts_are(folder))
        merge(folder, false);
    compare(folder, p);
    check_valid(folder);
    fresh();
}

/// A container may have nobody who asks for the status of one that was killed.
static void a_merge_that_nobody_waits_for_is_over(void **state)
{
    (void)state;
    const char *folder = fresh();
    program p = {.seed = 22, .steps = 1000};
    char path[PATH_MAX], host[256] = "";
    record(folder, p, IS_KILLED);
    gethostname(host, sizeof host - 1);
    snprintf(path, sizeof path, "%s/parts/.lock", folder);
    pid_t child = fork();
    if (child == 0)
        _exit(0);
    siginfo_t ended;
    assert_int_equal(waitid(P_PID, (id_t)child, &ended, WEXITED | WNOWAIT), 0);
    FILE *lock = fopen(path, "w");
    assert_non_null(lock);
    fprintf(lock, "%s %ld\n", host, (long)child);
    fclose(lock);
    merge(folder, false);
    compare(folder, p);
    assert_true(waitpid(child, NULL, 0) == child);
    fresh();
}

static void record_rank(const char *folder, program p, int rank, int ranks)
{
    pid_t child = fork();
    if (child == 0) {
        pj_rec_start((pj_rec_options){.folder = folder});
        pj_rec_here();
        pj_rec_defs_numbers('P', "0\t%d\t%d", rank, ranks);
        pj_rec_defs_id(
            'C', (const char *[]){"group", "0", "0", "0", "MPI_COMM_WORLD", rank ? "" : "0,1,2,3"},
            6);
        run_program(&p);
        pj_rec_finish();
        _exit(0);
    }
    assert_true(waitpid(child, NULL, 0) == child);
}

static void ranks_may_be_missing(void **state)
{
    (void)state;
    const char *folder = fresh();
    program p = {.seed = 31, .steps = 500};
    record_rank(folder, p, 0, 4);
    record_rank(folder, p, 2, 4);
    char said[1024] = "";
    pj_merged_parts merged;
    pj_err err = {0};
    const pj_merge_parts_opts opts = {.tell = keep_text, .self = said};
    assert_true(pj_merge_parts(folder, opts, &merged, &err));
    assert_non_null(strstr(said, "of 4 ranks of MPI 2 are missing (1, 3)"));
    assert_true(merged.processes == 2 && merged.locations == 4);
    check_valid(folder);
    record_rank(folder, p, 1, 4); // they come later
    record_rank(folder, p, 3, 4);
    said[0] = '\0';
    assert_true(pj_merge_parts(folder, opts, &merged, &err));
    assert_true(said[0] == '\0' && merged.processes == 4);
    check_valid(folder);
    fresh();
}

static void a_running_process_is_left_for_later(void **state)
{
    (void)state;
    const char *folder = fresh();
    program p = {.seed = 9, .steps = 100};
    record(folder, p, EXITS);
    int ready[2];
    assert_int_equal(pipe(ready), 0);
    pid_t child = fork();
    if (child == 0) {
        pj_rec_start((pj_rec_options){.folder = folder});
        run_program(&p);
        (void)!write(ready[1], "", 1);
        pause();
    }
    char byte;
    assert_int_equal(read(ready[0], &byte, 1), 1);
    pj_merged_parts merged = merge(folder, false);
    assert_true(merged.left_out == 1 && merged.processes == 1);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    merged = merge(folder, false);
    assert_true(merged.left_out == 0 && merged.processes == 2);
    close(ready[0]);
    close(ready[1]);
    check_valid(folder);
    fresh();
}

// Teams of threads

enum { TEAM = 1, OPENMP = PJ_REC_PARADIGM_OPENMP };

static void fork_and_join(void)
{
    pj_rec_thread *thread = pj_rec_here();
    const struct {
        pj_rec_event_type type;
        uint64_t members[2];
    } events[] = {{PJ_REC_THREAD_FORK, {OPENMP, 2}},
                  {PJ_REC_THREAD_TEAM_BEGIN, {TEAM}},
                  {PJ_REC_THREAD_TEAM_END, {TEAM}},
                  {PJ_REC_THREAD_JOIN, {OPENMP}}};
    for (size_t i = 0; i < sizeof events / sizeof *events; i++)
        pj_rec_event(thread, events[i].type, pj_rec_now(), events[i].members);
}

/// Their members are the threads that say so and have events; what makes no sense is no member.
static void teams_have_their_members(void **state)
{
    (void)state;
    const char *folder = fresh();
    pid_t child = fork();
    if (child == 0) {
        pj_rec_start((pj_rec_options){.folder = folder});
        pj_rec_here();
        pj_rec_defs_id('C', (const char *[]){"team", "0", "0", "0", "OpenMP team", ""}, 6);
        pj_rec_defs_id('C', (const char *[]){"group", "0", "0", "0", "of no world", ""}, 6);
        const char *const members[][2] = {{"1", "0"}, {"2", "0"}, {"7", "0"}, {"1", "9"}};
        for (size_t i = 0; i < sizeof members / sizeof *members; i++)
            pj_rec_defs_id('J', members[i], 2);
        fork_and_join();
        kill(getpid(), SIGKILL);
    }
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_int_equal(merge(folder, false).locations, 1);
    check_valid(folder);
    if (system("command -v otf2-print >/dev/null") == 0) // NOLINT(cert-env33-c)
        shell("otf2-print -G '%s/traces.otf2' | grep -q 'COMM_GROUP, Paradigm: \"OpenMP\".* 1 "
              "Member: 0 ('",
              folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(programs_are_recorded_exactly),
        cmocka_unit_test(a_kill_at_any_moment_leaves_a_valid_archive),
        cmocka_unit_test(definitions_may_end_anywhere),
        cmocka_unit_test(threads_and_forked_children_have_their_locations),
        cmocka_unit_test(a_merge_is_done_again),
        cmocka_unit_test(a_limit_ends_the_recording_and_not_the_program),
        cmocka_unit_test(a_full_disk_ends_the_recording_and_not_the_program),
        cmocka_unit_test(a_merge_may_be_killed),
        cmocka_unit_test(a_merge_that_nobody_waits_for_is_over),
        cmocka_unit_test(ranks_may_be_missing),
        cmocka_unit_test(teams_have_their_members),
        cmocka_unit_test(a_running_process_is_left_for_later),
    };
    return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
