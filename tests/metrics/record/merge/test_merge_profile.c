// Call paths that processes have counted, against a model of what they did: visits of every path,
// however the process ends; and any bytes in place of a tree.
#include "metrics/base/buf.h"
#include "metrics/record/merge/merge_parts.h"
#include "metrics/record/merge/part_tree.h"
#include "metrics/record/rec_event.h"
#include "metrics/record/rec_names.h"
#include "metrics/record/rec_part.h"
#include "metrics/record/rec_rewind.h"
#include "metrics/record/rec_thread.h"
#include "tests/support/folder.h"
#include "tests/support/profile/read_profile.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>

enum { REGIONS = 40, DEPTH_MOST = 60, PATHS_MOST = 1 << 18, STEPS = 60000 };

static const char *fresh(void)
{
    char command[4096];
    const char *folder = folder_file("profiled");
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    assert_int_equal(system(command), 0); // NOLINT(cert-env33-c)
    return folder;
}

static uint64_t draw(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    return *seed ^= *seed << 17;
}

// The model: paths as (parent, region), found by looking at all of a parent

typedef struct counted {
    uint32_t parent, region, first, next;
    uint64_t visits;
} counted;

static counted *paths;
static uint32_t path_count;

static uint32_t path_below(uint32_t parent, uint32_t region)
{
    uint32_t i = paths[parent].first;
    while (i && paths[i].region != region)
        i = paths[i].next;
    if (i)
        return i;
    assert_true(path_count < PATHS_MOST);
    i = path_count++;
    paths[i] = (counted){.parent = parent, .region = region, .next = paths[parent].first};
    return paths[parent].first = i;
}

/// A random program: for the process that runs it, and for the model.
typedef struct program {
    uint64_t seed;
    uint32_t steps, depth;
    uint32_t open[DEPTH_MOST];
} program;

/// The region that is entered, from 1 on, or 0 for a leave.
static uint32_t next_step(program *p)
{
    if (p->depth > 0 && (p->depth == DEPTH_MOST || draw(&p->seed) % 100 >= 52))
        return p->depth--, 0;
    p->depth++;
    return (uint32_t)(draw(&p->seed) % REGIONS) + 1;
}

static void model(program p)
{
    static counted room[PATHS_MOST];
    uint32_t open[DEPTH_MOST + 1] = {0};
    paths = room;
    memset(room, 0, sizeof room);
    path_count = 1;
    for (uint32_t i = 0; i < p.steps; i++) {
        uint32_t region = next_step(&p);
        if (!region)
            continue;
        open[p.depth] = path_below(open[p.depth - 1], region);
        paths[open[p.depth]].visits++;
    }
}

static uint32_t define(uint32_t number)
{
    char name[32];
    snprintf(name, sizeof name, "app:f%u", number);
    return pj_rec_region(
        &(pj_rec_region_of){.name = name, .file = "/app.py", .first_line = number});
}

static void run_program(program *p)
{
    uint32_t ids[REGIONS + 1] = {0}, open[DEPTH_MOST];
    for (uint32_t i = 0; i < p->steps; i++) {
        uint32_t region = next_step(p);
        if (region && !ids[region])
            ids[region] = define(region);
        if (region)
            pj_rec_enter(pj_rec_here(), open[p->depth - 1] = ids[region]);
        else
            pj_rec_leave(pj_rec_here(), open[p->depth]);
    }
}

typedef enum ending { EXITS, IS_KILLED, QUITS } ending;

static void record(const char *folder, void (*run)(void *), void *what, ending how)
{
    pid_t child = fork();
    if (child == 0) {
        pj_rec_start((pj_rec_options){.folder = folder, .profile = true});
        pj_rec_here();
        run(what);
        if (how == IS_KILLED)
            kill(getpid(), SIGKILL);
        if (how == EXITS)
            pj_rec_finish();
        _exit(0);
    }
    assert_true(child > 0 && waitpid(child, NULL, 0) == child);
}

static pj_merged_parts merge(const char *folder)
{
    pj_merged_parts merged;
    pj_err err = {0};
    if (!pj_merge_parts(folder, (pj_merge_parts_opts){0}, &merged, &err))
        fail_msg("%s: %s", err.where, err.text);
    assert_true(merged.profile);
    return merged;
}

static pj_profile *read_merged(const char *folder)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/profile.cubex", folder);
    pj_profile *profile = read_profile_file(path);
    for (size_t i = 0; i < PJ_ODDITY_COUNT; i++)
        assert_int_equal(profile->oddities.count[i], 0);
    return profile;
}

static void check_paths(const pj_profile *profile)
{
    uint32_t *of = calloc(profile->count[PJ_AT_NODE] + (size_t)1, sizeof *of);
    uint32_t found = 1;
    double own = 0;
    for (uint32_t n = 1; n < profile->count[PJ_AT_NODE]; n++) { // 0 is the program itself
        pj_str name = pj_profile_name(profile, profile->nodes[n].region);
        uint32_t number = (uint32_t)strtoul(name.at + sizeof "app:f" - 1, NULL, 10);
        of[n] = path_below(of[profile->nodes[n].parent], number);
        assert_true((double)paths[of[n]].visits ==
                    profile_value(profile, PJ_AT_NODE, PJ_CALLS, NULL, n, 0));
        double most = profile_value(profile, PJ_AT_NODE, PJ_EXCLUSIVE, "max_time", n, 0),
               least = profile_value(profile, PJ_AT_NODE, PJ_EXCLUSIVE, "min_time", n, 0);
        assert_true(isnan(most) || (least >= 0 && least <= most));
        own += profile_value(profile, PJ_AT_NODE, PJ_EXCLUSIVE, "time", n, 0);
        found++;
    }
    assert_true(own > 0 && own < 100);
    assert_int_equal(found, path_count);
    free(of);
}

static void run_random(void *what)
{
    run_program(what);
}

static void every_path_is_counted(void **state)
{
    (void)state;
    for (ending how = EXITS; how <= QUITS; how++) {
        const char *folder = fresh();
        program p = {.seed = 4711 + how, .steps = STEPS};
        record(folder, run_random, &p, how);
        pj_merged_parts merged = merge(folder);
        model(p);
        uint64_t visits = 1;
        for (uint32_t i = 1; i < path_count; i++)
            visits += paths[i].visits;
        assert_int_equal(merged.visits, visits);
        assert_int_equal(merged.paths, path_count);
        pj_auto_profile profile = read_merged(folder);
        check_paths(profile);
    }
}

static void run_deep(void *what)
{
    (void)what;
    const uint32_t down = define(1), leaf = define(2);
    pj_rec_thread *t = pj_rec_here();
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 100; i++)
            pj_rec_enter(t, down);
        for (int i = 0; i < 7; i++) {
            pj_rec_enter(t, leaf);
            pj_rec_leave(t, leaf);
        }
        for (int i = 0; i < 100; i++)
            pj_rec_leave(t, down);
    }
}

/// What is deeper than is wanted counts for its function.
static void deep_paths_are_folded(void **state)
{
    (void)state;
    const char *folder = fresh();
    setenv("POPINJAY_RECORD_DEPTH", "10", 1);
    record(folder, run_deep, NULL, EXITS);
    unsetenv("POPINJAY_RECORD_DEPTH");
    assert_int_equal(merge(folder).visits, 1 + 200 + 14);
    pj_auto_profile profile = read_merged(folder);
    assert_int_equal(profile->count[PJ_AT_NODE], 10 + 1 + 2); // and the folded two of one more
    double visits[3] = {0};
    for (uint32_t n = 0; n < profile->count[PJ_AT_NODE]; n++) {
        pj_str name = pj_profile_name(profile, profile->nodes[n].region);
        int which = pj_str_ends(name, PJ_S("f1")) ? 1 : pj_str_ends(name, PJ_S("f2")) ? 2 : 0;
        visits[which] += profile_value(profile, PJ_AT_NODE, PJ_CALLS, NULL, n, 0);
    }
    assert_true(visits[1] == 200 && visits[2] == 14);
}

static void run_messages(void *what)
{
    (void)what;
    const uint32_t f = define(1), g = define(2);
    pj_rec_thread *t = pj_rec_here();
    pj_rec_enter(t, f);
    pj_rec_event(t, PJ_REC_MPI_SEND, pj_rec_now(), (uint64_t[]){1, 1, 0, 1000});
    pj_rec_event(t, PJ_REC_MPI_RECV, pj_rec_now(), (uint64_t[]){1, 1, 0, 24});
    pj_rec_event(t, PJ_REC_MPI_COLLECTIVE_END, pj_rec_now(), (uint64_t[]){1, 1, 0, 5, 7});
    pj_rec_mark mark = pj_rec_rewind_mark(t);
    pj_rec_enter(t, g); // left out of order
    assert_true(pj_rec_leave_any(t, f));
    pj_rec_off(t);
    assert_false(pj_rec_enter(t, g));
    pj_rec_on(t);
    pj_rec_leave(t, g);
    assert_true(pj_rec_rewind_to(t, &mark)); // calls stay counted
}

static void bytes_of_messages_are_counted(void **state)
{
    (void)state;
    const char *folder = fresh();
    record(folder, run_messages, NULL, EXITS);
    merge(folder);
    pj_auto_profile profile = read_merged(folder);
    uint32_t n = 1;
    assert_true(profile_value(profile, PJ_AT_NODE, PJ_EXCLUSIVE, "bytes_sent", n, 0) == 1005);
    assert_true(profile_value(profile, PJ_AT_NODE, PJ_EXCLUSIVE, "bytes_received", n, 0) == 31);
    // Two of 12 bytes, and the three others as libotf2 writes them.
    assert_true(profile_value(profile, PJ_AT_NODE, PJ_EXCLUSIVE, "trace_bytes", n, 0) ==
                24 + 19 + 18 + 19);
    assert_true(profile_value(profile, PJ_AT_NODE, PJ_CALLS, NULL, 2, 0) == 1);
}

static void *run_thread(void *what)
{
    pj_rec_thread_begin("worker");
    run_deep(what);
    return NULL;
}

static void run_threads(void *what)
{
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, run_thread, what);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    if (fork() == 0) {
        run_deep(what);
        _exit(0);
    }
    wait(NULL);
}

static void threads_and_children_are_locations(void **state)
{
    (void)state;
    const char *folder = fresh();
    record(folder, run_threads, NULL, EXITS);
    pj_merged_parts merged = merge(folder);
    assert_int_equal(merged.processes, 2);
    assert_int_equal(merged.locations, 5);
    pj_auto_profile profile = read_merged(folder);
    assert_int_equal(profile->location_count, 5);
    assert_int_equal(pj_profile_rank_count(profile), 2);
    assert_true(pj_str_equal(pj_profile_text(profile, profile->locations[1].name), PJ_S("worker")));
    for (int i = 0; i < 2; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/prof/%d.prof", folder, i);
        pj_auto_profile alone = read_profile_file(path);
        uint32_t f = region_called(alone, PJ_S("f1"), NULL);
        assert_true(profile_value(alone, PJ_AT_REGION, PJ_CALLS, NULL, f, 0) == (i ? 200 : 600));
        assert_true(profile_value(alone, PJ_AT_REGION, PJ_PRIMITIVE_CALLS, NULL, f, 0) ==
                    (i ? 2 : 6));
    }
}

static void any_bytes_are_no_tree(void **state)
{
    (void)state;
    uint64_t seed = 99;
    for (int round = 0; round < 300; round++) {
        pj_part_tree tree = {0};
        pj_rec_tree_head head = {.magic = PJ_REC_TREE_MAGIC, .count = draw(&seed) % 9};
        pj_buf_add(&tree.bytes, (pj_str){(const char *)&head, sizeof head});
        for (int i = 0; i < 6; i++) {
            pj_rec_node node = {.parent = (uint32_t)(draw(&seed) % (unsigned)(i + 2)),
                                .region = (uint32_t)(draw(&seed) % 4),
                                .own = draw(&seed) % 8 ? 5 : UINT64_MAX};
            pj_buf_add(&tree.bytes, (pj_str){(const char *)&node, sizeof node});
        }
        tree.bytes.len -= draw(&seed) % 200;
        pj_part_tree_check(&tree, 3);
        assert_true(tree.count * sizeof(pj_rec_node) <= tree.bytes.len);
        for (uint32_t i = PJ_REC_TREE_FOLDED; i < tree.count; i++) {
            assert_true(pj_part_tree_node(&tree, i)->parent < i);
            assert_true(pj_part_tree_node(&tree, i)->region <= 3);
        }
        assert_true(tree.damaged || tree.count == head.count);
        pj_buf_free(&tree.bytes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_path_is_counted),
        cmocka_unit_test(deep_paths_are_folded),
        cmocka_unit_test(bytes_of_messages_are_counted),
        cmocka_unit_test(threads_and_children_are_locations),
        cmocka_unit_test(any_bytes_are_no_tree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
