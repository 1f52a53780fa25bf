// The call tree of a location: what is counted where, however deep or tangled it is.
#include "metrics/trace/path_tree.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static const pj_path_node *child_of(const pj_path_tree *tree, uint32_t parent, uint32_t what)
{
    for (size_t i = 1; i < tree->count; i++)
        if (tree->nodes[i].parent == parent && tree->nodes[i].what == what)
            return &tree->nodes[i];
    fail();
    return NULL;
}

static uint32_t number_of(const pj_path_tree *tree, const pj_path_node *node)
{
    return (uint32_t)(node - tree->nodes);
}

/// Time of all nodes without their callees.
static uint64_t sum_of(const pj_path_tree *tree)
{
    uint64_t sum = 0;
    for (size_t i = 1; i < tree->count; i++)
        if (tree->nodes[i].parent == PJ_PATH_ROOT)
            sum += tree->nodes[i].time_ns;
    return sum;
}

static void test_depth(void **state)
{
    (void)state;
    enum { LEVELS = 100000 };
    pj_path_tree tree;
    pj_path_tree_begin(&tree, 0, UINT64_MAX);
    for (uint32_t i = 0; i < LEVELS; i++)
        pj_path_tree_enter(&tree, 7, i);
    assert_int_equal(tree.count, PJ_PATH_DEPTH + 2);
    assert_int_equal(tree.folded, LEVELS - PJ_PATH_DEPTH);
    assert_int_equal(tree.nodes[PJ_PATH_DEPTH + 1].visits, LEVELS - PJ_PATH_DEPTH);
    for (uint32_t i = 0; i < LEVELS; i++)
        pj_path_tree_leave_region(&tree, 7, LEVELS + i);
    assert_int_equal(tree.depth, 0);
    assert_int_equal(sum_of(&tree), 2 * LEVELS - 1);
    pj_path_tree_enter(&tree, 7, 3 * LEVELS);
    pj_path_tree_end(&tree, 3 * LEVELS + 5);
    assert_int_equal(sum_of(&tree), 2 * LEVELS + 4);
    assert_int_equal(child_of(&tree, PJ_PATH_ROOT, 7)->visits, 2);
    pj_path_tree_free(&tree);
}

/// Time that stands both in paths and below the node of those left out.
static uint64_t left_out_twice(const pj_path_tree *tree)
{
    uint64_t sum = 0;
    for (size_t i = 1; i < tree->count; i++)
        if (tree->nodes[i].what == PJ_PATH_OTHERS && tree->nodes[i].parent != PJ_PATH_ROOT)
            sum += tree->nodes[i].time_ns;
    return sum;
}

typedef struct {
    uint64_t visits[9], own[9]; // by region
} sums;

/// Visits and own time of each region in all nodes.
static sums sums_of(const pj_path_tree *tree)
{
    sums all = {{0}, {0}};
    for (size_t i = 1; i < tree->count; i++) {
        const pj_path_node *node = &tree->nodes[i], *above = &tree->nodes[node->parent];
        if (!(node->what & PJ_PATH_OTHERS)) {
            all.visits[node->what] += node->visits;
            all.own[node->what] += node->time_ns;
        }
        if (node->parent != PJ_PATH_ROOT && !(above->what & PJ_PATH_OTHERS))
            all.own[above->what] -= node->time_ns;
    }
    return all;
}

/// Whatever is too deep or has no room: visits and own times of every region are exact, and so is
/// the whole; nodes are bounded.
static void test_folding(void **state)
{
    (void)state;
    enum { STEPS = 200000, REGIONS = 8, DEEPEST = 9000 };
    static uint32_t open[DEEPEST];
    static const uint32_t most[] = {1, 2, 50, 3000, UINT32_MAX};
    for (size_t m = 0; m < sizeof most / sizeof *most; m++) {
        pj_path_tree tree;
        sums expected = {{0}, {0}};
        uint32_t depth = 0, random = 7;
        uint64_t time = 0, outside = 0;
        pj_path_tree_begin(&tree, 0, UINT64_MAX);
        tree.most = most[m];
        for (uint32_t i = 0; i < STEPS; i++) {
            random = random * 1664525 + 1013904223;
            uint64_t step = random >> 28;
            *(depth ? &expected.own[open[depth - 1]] : &outside) += step;
            time += step;
            bool down = i < STEPS / 2 ? random % 1000 < 560 : random % 1000 < 440;
            if (depth == 0 || (down && depth < DEEPEST)) {
                open[depth++] = 1 + (random >> 10) % REGIONS;
                expected.visits[open[depth - 1]]++;
                pj_path_tree_enter(&tree, open[depth - 1], time);
            } else {
                depth--;
                pj_path_tree_leave(&tree, time);
            }
            assert_int_equal(tree.depth, depth);
        }
        pj_path_tree_end(&tree, time);
        sums got = sums_of(&tree);
        for (uint32_t r = 1; r <= REGIONS; r++) {
            assert_int_equal(got.visits[r], expected.visits[r]);
            assert_int_equal(got.own[r], expected.own[r]);
        }
        assert_int_equal(sum_of(&tree) + outside, time + left_out_twice(&tree));
        assert_true(tree.count <= 2 * (uint64_t)most[m] + REGIONS + 2);
        assert_true(tree.folded > 0 && tree.kept == PJ_PATH_DEPTH);
        pj_path_tree_free(&tree);
    }
}

/// A is left below B, which goes on in its place.
static void test_left_below(void **state)
{
    (void)state;
    enum { A = 1, B = 2 };
    pj_path_tree tree;
    pj_path_tree_begin(&tree, 0, UINT64_MAX);
    pj_path_tree_enter(&tree, A, 10);
    pj_path_tree_enter(&tree, B, 20);
    pj_path_tree_leave_region(&tree, A, 50);
    pj_path_tree_leave_region(&tree, 99, 90); // is not open: ends the innermost
    assert_int_equal(tree.depth, 0);
    const pj_path_node *a = child_of(&tree, PJ_PATH_ROOT, A), *b = child_of(&tree, PJ_PATH_ROOT, B);
    const pj_path_node *inside = child_of(&tree, number_of(&tree, a), B);
    assert_int_equal(a->time_ns, 40);
    assert_int_equal(inside->time_ns, 30);
    assert_int_equal(inside->visits, 1);
    assert_int_equal(b->time_ns, 40);
    assert_int_equal(b->visits, 0);
    pj_path_tree_free(&tree);
}

/// However often what is far below is left, each step costs little.
static void test_patience(void **state)
{
    (void)state;
    enum { LEVELS = 4000, STEPS = 100000 };
    pj_path_tree tree;
    pj_path_tree_begin(&tree, 0, UINT64_MAX);
    for (uint32_t i = 0; i < LEVELS; i++)
        pj_path_tree_enter(&tree, i, 0);
    for (uint32_t i = 0; i < STEPS; i++) {
        pj_path_tree_leave_region(&tree, LEVELS + 1, i);
        pj_path_tree_enter(&tree, LEVELS - 1, i);
    }
    pj_path_tree_end(&tree, STEPS);
    assert_int_equal(sum_of(&tree), STEPS);
    assert_true(tree.tangled < (uint64_t)LEVELS * STEPS / 10);
    pj_path_tree_free(&tree);
}

static void test_window(void **state)
{
    (void)state;
    pj_path_tree tree;
    pj_path_tree_begin(&tree, 100, 200);
    pj_path_tree_enter(&tree, 1, 50);
    pj_path_tree_enter(&tree, 2, 100);
    pj_path_tree_leave(&tree, 130);
    pj_path_tree_enter(&tree, 2, 200);
    pj_path_tree_leave(&tree, 230);
    pj_path_tree_leave(&tree, 300);
    const pj_path_node *one = child_of(&tree, PJ_PATH_ROOT, 1);
    const pj_path_node *two = child_of(&tree, number_of(&tree, one), 2);
    assert_int_equal(one->visits, 0);
    assert_int_equal(one->time_ns, 100);
    assert_int_equal(two->visits, 1);
    assert_int_equal(two->time_ns, 30);
    pj_path_tree_free(&tree);
}

/// Only what has just been entered gets a parameter, and several of them.
static void test_parameters(void **state)
{
    (void)state;
    pj_path_tree tree;
    pj_path_tree_begin(&tree, 0, UINT64_MAX);
    pj_path_tree_enter(&tree, 1, 0);
    pj_path_tree_parameter(&tree, "a", "1");
    pj_path_tree_parameter(&tree, "b", "x");
    pj_path_tree_enter(&tree, 2, 5);
    pj_path_tree_leave(&tree, 6);
    pj_path_tree_parameter(&tree, "c", "2");
    pj_path_tree_leave_region(&tree, 1, 10);
    assert_int_equal(tree.depth, 0);
    assert_int_equal(tree.variant_count, 2);
    assert_string_equal(tree.variants[1].text, "a=1, b=x");
    const pj_path_node *node = child_of(&tree, PJ_PATH_ROOT, PJ_PATH_VARIANT | 1);
    assert_int_equal(node->visits, 1);
    assert_int_equal(node->time_ns, 10);
    assert_int_equal(child_of(&tree, PJ_PATH_ROOT, 1)->visits, 0);
    pj_path_tree_free(&tree);
}

/// The place of a team is that of the latest fork of its region; before the first one, that of it.
static void test_teams(void **state)
{
    (void)state;
    enum { F = 1, G = 2, TEAM = 3 };
    pj_path_tree master, member;
    pj_path_tree_begin(&master, 0, UINT64_MAX);
    pj_path_tree_begin(&member, 0, UINT64_MAX);
    member.master = &master;
    pj_path_tree_join(&member, TEAM, 0); // the master has not ended
    assert_int_equal(member.apart, 1);
    for (uint64_t i = 0; i < 4; i++) {
        pj_path_tree_enter(&master, i < 2 ? F : G, 100 * i);
        pj_path_tree_fork(&master, TEAM, 100 * i + 10);
        pj_path_tree_leave(&master, 100 * i + 90);
    }
    pj_path_tree_end(&master, 500);
    assert_int_equal(master.fork_count, 2);
    uint32_t f = number_of(&master, child_of(&master, PJ_PATH_ROOT, F));
    uint32_t g = number_of(&master, child_of(&master, PJ_PATH_ROOT, G));
    static const uint64_t times[] = {5, 120, 209, 215, 400};
    for (unsigned i = 0; i < 5; i++) {
        pj_path_tree_join(&member, TEAM, times[i]);
        pj_path_tree_enter(&member, TEAM, times[i]);
        pj_path_tree_leave(&member, times[i] + 1);
        assert_int_equal(member.now, PJ_PATH_ROOT);
    }
    const pj_path_node *in_f = child_of(&member, PJ_PATH_ROOT, PJ_PATH_JOINED | f);
    const pj_path_node *in_g = child_of(&member, PJ_PATH_ROOT, PJ_PATH_JOINED | g);
    assert_int_equal(child_of(&member, number_of(&member, in_f), TEAM)->visits, 3);
    assert_int_equal(child_of(&member, number_of(&member, in_g), TEAM)->visits, 2);
    assert_int_equal(member.apart, 1);
    pj_path_tree_free(&master);
    pj_path_tree_free(&member);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_depth),      cmocka_unit_test(test_folding),
        cmocka_unit_test(test_left_below), cmocka_unit_test(test_patience),
        cmocka_unit_test(test_window),     cmocka_unit_test(test_parameters),
        cmocka_unit_test(test_teams),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
