// Sends find their receives by sender, receiver, communicator and tag, in the order of each.
#include "metrics/replay/matching.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/// Two ranks of two threads, and one of one.
enum { RANKS = 3, LOCATIONS = 5 };
static uint32_t first_location[] = {0, 2, 4, 5};
static uint32_t rank_of[] = {0, 0, 1, 1, 2};

typedef struct post { // rank 0, 1 and 2 are at the locations 0, 2 and 4
    pj_engine *engine;
    pj_matching *matching;
} post;

static const pj_layout layout = {
    .ranks = RANKS, .locations = LOCATIONS, .first_location = first_location, .rank_of = rank_of};

static post new_post(void)
{
    post p = {.engine = pj_engine_new(LOCATIONS, (pj_network){.latency_ns = 0},
                                      (pj_engine_watch){.self = NULL}, NULL, NULL)};
    p.matching = pj_matching_new(p.engine, &layout, NULL);
    return p;
}

static void free_post(post *p)
{
    pj_matching_free(p->matching);
    pj_engine_free(p->engine);
}
#define auto_post __attribute__((cleanup(free_post))) post

/// Messages are known by their sizes. Its number is the caller's to release.
static uint32_t send(const post *p, pj_matching_end end, uint64_t size)
{
    return pj_matching_send(p->matching, end, size);
}

static void send_off(const post *p, pj_matching_end end, uint64_t size)
{
    pj_engine_message_release(p->engine, send(p, end, size));
}

static uint32_t receive(const post *p, pj_matching_end end)
{
    uint32_t message = pj_engine_post(p->engine, end.location);
    pj_matching_receive(p->matching, end, message);
    return message;
}

static uint64_t size_of(const post *p, uint32_t message, uint32_t *from)
{
    uint32_t to;
    uint64_t size;
    pj_engine_ends(p->engine, message, from, &to, &size);
    return size;
}

/// 0 when its send has not been told.
static uint64_t received(const post *p, pj_matching_end end)
{
    uint32_t from, message = receive(p, end);
    uint64_t size = size_of(p, message, &from);
    pj_engine_message_release(p->engine, message);
    return size;
}

static void one_tag_keeps_its_order(void **state)
{
    (void)state;
    auto_post p = new_post();
    pj_matching_open(p.matching, 0, 1, 9);
    pj_matching_open(p.matching, 2, 0, 9);
    for (uint64_t size = 1; size <= 3; size++)
        send_off(&p, (pj_matching_end){0, 0, 5}, size);
    for (uint64_t size = 1; size <= 3; size++)
        assert_int_equal(received(&p, (pj_matching_end){2, 0, 5}), size);
    assert_int_equal(received(&p, (pj_matching_end){2, 0, 5}), 0);
}

static void receives_may_come_first(void **state)
{
    (void)state;
    auto_post p = new_post();
    pj_matching_open(p.matching, 2, 0, 9);
    uint32_t from, first = receive(&p, (pj_matching_end){2, 0, 5});
    uint32_t second = receive(&p, (pj_matching_end){2, 0, 5});
    assert_int_equal(size_of(&p, first, &from), 0);
    assert_int_equal(from, 0); // is known before
    pj_matching_open(p.matching, 1, 1, 9);
    send_off(&p, (pj_matching_end){1, 0, 5}, 10); // by the other thread
    send_off(&p, (pj_matching_end){1, 0, 5}, 20);
    assert_int_equal(size_of(&p, first, &from), 10);
    assert_int_equal(from, 1);
    assert_int_equal(size_of(&p, second, &from), 20);
    pj_engine_message_release(p.engine, first);
    pj_engine_message_release(p.engine, second);
}

static void tags_communicators_and_ranks_are_kept_apart(void **state)
{
    (void)state;
    auto_post p = new_post();
    pj_matching_open(p.matching, 0, 1, 9); // 0
    pj_matching_open(p.matching, 0, 1, 8); // 1
    pj_matching_open(p.matching, 4, 1, 9);
    pj_matching_open(p.matching, 2, 0, 8); // 0: each location numbers its own
    pj_matching_open(p.matching, 2, 2, 9); // 1
    pj_matching_open(p.matching, 2, 0, 9); // 2
    send_off(&p, (pj_matching_end){0, 0, 1}, 10);
    send_off(&p, (pj_matching_end){0, 0, 2}, 20);
    send_off(&p, (pj_matching_end){0, 1, 1}, 30);
    send_off(&p, (pj_matching_end){4, 0, 1}, 40);
    assert_int_equal(received(&p, (pj_matching_end){2, 1, 1}), 40);
    assert_int_equal(received(&p, (pj_matching_end){2, 0, 1}), 30);
    assert_int_equal(received(&p, (pj_matching_end){2, 2, 2}), 20);
    assert_int_equal(received(&p, (pj_matching_end){2, 2, 1}), 10);
}

static void both_directions_are_kept_apart(void **state)
{
    (void)state;
    auto_post p = new_post();
    pj_matching_open(p.matching, 0, 1, 9);
    pj_matching_open(p.matching, 2, 0, 9);
    send_off(&p, (pj_matching_end){0, 0, 5}, 10);
    send_off(&p, (pj_matching_end){2, 0, 5}, 20);
    assert_int_equal(received(&p, (pj_matching_end){0, 0, 5}), 20);
    assert_int_equal(received(&p, (pj_matching_end){2, 0, 5}), 10);
}

static void a_rank_may_send_to_itself(void **state)
{
    (void)state;
    auto_post p = new_post();
    pj_matching_open(p.matching, 0, 0, 9);
    send_off(&p, (pj_matching_end){0, 0, 5}, 10);
    assert_int_equal(received(&p, (pj_matching_end){0, 0, 5}), 10);
    assert_int_equal(received(&p, (pj_matching_end){0, 0, 5}), 0);
}

/// Many tags are open, and taken from the end, from the begin, and from within.
static void any_tag_may_be_taken(void **state)
{
    (void)state;
    enum { TAGS = 101, STEP = 37 };
    auto_post p = new_post();
    pj_matching_open(p.matching, 0, 1, 9);
    pj_matching_open(p.matching, 2, 0, 9);
    for (uint32_t round = 0; round < 3; round++) {
        for (uint32_t tag = 0; tag < TAGS; tag++)
            send_off(&p, (pj_matching_end){0, 0, tag}, 1000 * (round + 1) + tag);
        for (uint32_t i = 0; i < TAGS; i++) {
            uint32_t tag = round == 0 ? TAGS - 1 - i : i * (round == 1 ? 1 : STEP) % TAGS;
            assert_int_equal(received(&p, (pj_matching_end){2, 0, tag}), 1000 * (round + 1) + tag);
        }
    }
}

/// Memory goes with what is open, not with what has passed by.
static void queues_do_not_grow_with_the_run(void **state)
{
    (void)state;
    enum { OPEN = 40, PASSED = 100000 };
    auto_post p = new_post();
    pj_matching_open(p.matching, 0, 1, 9);
    pj_matching_open(p.matching, 2, 0, 9);
    send_off(&p, (pj_matching_end){0, 0, 6}, 7); // stays until the end
    for (uint64_t size = 1; size <= PASSED; size++) {
        send_off(&p, (pj_matching_end){0, 0, 5}, size);
        if (size > OPEN)
            assert_int_equal(received(&p, (pj_matching_end){2, 0, 5}), size - OPEN);
    }
    assert_true(pj_matching_bytes(p.matching) < 16 << 10);
    assert_true(pj_engine_bytes(p.engine) < 64 << 10);
    assert_int_equal(received(&p, (pj_matching_end){2, 0, 6}), 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_tag_keeps_its_order),
        cmocka_unit_test(receives_may_come_first),
        cmocka_unit_test(tags_communicators_and_ranks_are_kept_apart),
        cmocka_unit_test(both_directions_are_kept_apart),
        cmocka_unit_test(a_rank_may_send_to_itself),
        cmocka_unit_test(any_tag_may_be_taken),
        cmocka_unit_test(queues_do_not_grow_with_the_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
