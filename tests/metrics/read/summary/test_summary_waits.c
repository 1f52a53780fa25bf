// Who waited for whom in summaries of many ranks, where it stands in columns: sums are exact, the
// longest waits are those of the run wherever they are told, and damage is refused or harmless.
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/read/pass.h"
#include "metrics/read/read.h"
#include "metrics/read/summary/summary.h"
#include "metrics/run/waits/run_waits.h"
#include "metrics/run/waits/waits_table.h"
#include "metrics/table/table.h"
#include "tests/support/made_run.h"
#include "tests/support/packed.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { RANKS = 1000, NEIGHBOURS = 1, CALLS = 2 };

static const pj_provenance origin = {.source = "made.prv",
                                     .format = "prv",
                                     .options = "roi auto, roi-cut clip, clock repair",
                                     .program = "0.2.0"};

static uint64_t noise(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return *seed >> 33;
}

static void add_sum(pj_waits *waits, pj_wait_sum sum, uint64_t *seed)
{
    sum.instances = 1 + noise(seed) % 100;
    sum.longest_ns = 1 + noise(seed) % 100000;
    sum.wait_ns = sum.longest_ns + noise(seed) % 1000000;
    sum.longest_at_ns = noise(seed);
    sum.ideal_ns = noise(seed) % 100000;
    waits->ranks[sum.rank].wait_ns += sum.wait_ns;
    waits->ranks[sum.rank].mpi_ns += sum.wait_ns + noise(seed) % 1000;
    for (uint32_t i = 0; i < CALLS; i++)
        if (waits->calls[i].call == sum.call)
            waits->calls[i].wait_ns += sum.wait_ns;
    waits->sums[waits->sum_count++] = sum;
}

/// Each rank waits for the next ones, and all for one of them.
static pj_run *run_of_many(void)
{
    pj_run *run = made_run_even("made.prv", RANKS, 1);
    uint64_t seed = 7;
    pj_waits *waits = pj_new(run->arena, pj_waits);
    waits->sums = pj_new_n(run->arena, pj_wait_sum, (size_t)RANKS * (NEIGHBOURS + 1));
    waits->ranks = pj_new_n(run->arena, pj_wait_rank, RANKS);
    waits->calls = pj_new_n(run->arena, pj_wait_call, CALLS);
    waits->call_count = CALLS;
    waits->calls[0].call = pj_mpi_call_by_name(PJ_S("MPI_Allreduce"));
    waits->calls[1].call = pj_mpi_call_by_name(PJ_S("MPI_Recv"));
    for (uint32_t r = 0; r < RANKS; r++) {
        for (uint32_t n = 1; n <= NEIGHBOURS; n++)
            add_sum(waits,
                    (pj_wait_sum){.rank = r,
                                  .culprit = (r + n) % RANKS,
                                  .pattern = PJ_WAIT_late_sender,
                                  .call = waits->calls[1].call},
                    &seed);
        add_sum(waits,
                (pj_wait_sum){.rank = r,
                              .culprit = RANKS - 1,
                              .pattern = PJ_WAIT_wait_at_nxn,
                              .call = waits->calls[0].call},
                &seed);
        waits->ranks[r].outside_ns = noise(&seed) % 10000000;
    }
    qsort(waits->sums, waits->sum_count, sizeof *waits->sums, pj_wait_sum_order);
    waits->completion_ns[PJ_WAIT_wait_at_nxn] = 77;
    waits->contradictions = waits->contradictions_of[PJ_WAIT_late_sender] = 5;
    waits->late_complete_ns = 3;
    waits->cut = waits->locks_unknown = true;
    waits->ideal_lacks = "made by hand";
    made_run_close(run);
    run->waits = waits;
    return run;
}

static const char *scratch(void)
{
    static char path[64];
    snprintf(path, sizeof path, "/tmp/pj_waits_%d.popinjay.json.gz", (int)getpid());
    return path;
}

static pj_run *read_run(pj_str text, pj_err *err)
{
    pj_job job = {.workers = 1};
    pj_auto_run run = pj_run_new("text.popinjay.json.gz");
    pj_pass pass = {.run = run, .job = &job};
    return pj_read_memory("text.popinjay.json.gz", text, &pass, err) ? pj_run_hold(run) : NULL;
}

static void text_of(const pj_run *run, uint64_t *bytes, pj_buf *out)
{
    pj_err err = {0};
    assert_true(pj_summary_write(run, &origin, scratch(), bytes, &err));
    packed_read(out, scratch());
    unlink(scratch());
}

static pj_table *table_of(const pj_run *run, pj_waits_by by)
{
    pj_err err = {0};
    pj_table *table = pj_waits_table(run, by, &err);
    assert_non_null(table);
    return table;
}

/// Rows are the same but for longest waits that are not told; how many of these are.
static size_t compare(const pj_table *whole, const pj_table *kept)
{
    size_t told = 0, longest = (size_t)pj_table_column(whole, PJ_S("max_ns"));
    size_t at = (size_t)pj_table_column(whole, PJ_S("at_ns"));
    assert_int_equal(whole->row_count, kept->row_count);
    for (size_t row = 0; row < whole->row_count; row++) {
        for (size_t c = 0; c < longest; c++)
            if (pj_table_cell(whole, row, c)->kind == PJ_CELL_INT)
                assert_int_equal(pj_table_cell(whole, row, c)->integer,
                                 pj_table_cell(kept, row, c)->integer);
        if (pj_table_cell(kept, row, longest)->kind == PJ_CELL_EMPTY)
            continue;
        told++;
        assert_int_equal(pj_table_cell(whole, row, longest)->integer,
                         pj_table_cell(kept, row, longest)->integer);
        assert_int_equal(pj_table_cell(whole, row, at)->integer,
                         pj_table_cell(kept, row, at)->integer);
    }
    return told;
}

static void sums_are_exact_and_longest_waits_true(void **state)
{
    (void)state;
    static const pj_waits_by all[] = {PJ_WAITS_PATTERN, PJ_WAITS_CALL, PJ_WAITS_CULPRIT,
                                      PJ_WAITS_PAIR};
    static const size_t least[] = {2, 2, 300, 300}; // longest waits that are told
    pj_auto_run run = run_of_many();
    pj_auto_buf text = {0};
    pj_err err = {0};
    uint64_t bytes;
    text_of(run, &bytes, &text);
    assert_true(bytes < PJ_SUMMARY_BYTES);
    assert_non_null(strstr(text.at, "\"longest\""));
    pj_auto_run back = read_run(pj_buf_str(&text), &err);
    if (!back)
        fail_msg("%s", err.text);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        pj_auto_table whole = table_of(run, all[i]);
        pj_auto_table kept = table_of(back, all[i]);
        assert_true(compare(whole, kept) >= least[i]);
    }
    assert_int_equal(back->waits->completion_ns[PJ_WAIT_wait_at_nxn], 77);
    assert_int_equal(back->waits->contradictions_of[PJ_WAIT_late_sender], 5);
    assert_int_equal(back->waits->late_complete_ns, 3);
    assert_true(back->waits->cut && back->waits->locks_unknown);
    assert_memory_equal(run->waits->ranks, back->waits->ranks, RANKS * sizeof *run->waits->ranks);
}

/// Where the first `what` of the text stands, and after it `key`.
static size_t place_of(const pj_buf *text, const char *what, const char *key)
{
    const char *at = strstr(text->at, what);
    assert_non_null(at);
    at = strstr(at, key);
    assert_non_null(at);
    return (size_t)(at - text->at) + strlen(key);
}

static void damaged_columns_are_refused(void **state)
{
    (void)state;
    static const char *const keys[] = {"\"others_ns\": ", "\"count\": "};
    pj_auto_run run = run_of_many();
    pj_auto_buf text = {0};
    text_of(run, NULL, &text);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        pj_auto_buf bad = {0};
        pj_err err = {0};
        size_t at = place_of(&text, "\"longest\"", keys[i]);
        pj_buf_add(&bad, (pj_str){text.at, at});
        pj_buf_add(&bad, PJ_S("-"));
        pj_buf_add(&bad, (pj_str){text.at + at, text.len - at});
        assert_null(read_run(pj_buf_str(&bad), &err));
        assert_non_null(strstr(err.text, "waits"));
    }
}

/// Bytes within the columns are changed: refused with a reason, or still a run.
static void damage_is_refused_or_harmless(void **state)
{
    (void)state;
    enum { ROUNDS = 200 };
    pj_auto_run run = run_of_many();
    pj_auto_buf text = {0}, bad = {0};
    uint64_t seed = 11;
    text_of(run, NULL, &text);
    size_t from = place_of(&text, "\"waits\"", "{");
    for (unsigned round = 0; round < ROUNDS; round++) {
        bad.len = 0;
        pj_buf_add(&bad, pj_buf_str(&text));
        for (unsigned i = 0; i < 3; i++)
            bad.at[from + noise(&seed) % (bad.len - from)] = "0129-[]{}\",a+"[noise(&seed) % 13];
        pj_err err = {0};
        pj_auto_run read = read_run(pj_buf_str(&bad), &err);
        assert_true(read || (err.code && err.text[0]));
        for (unsigned by = PJ_WAITS_PATTERN; read && read->waits && by <= PJ_WAITS_RANK; by++) {
            pj_auto_table table = table_of(read, (pj_waits_by)by);
            assert_non_null(table);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_exact_and_longest_waits_true),
        cmocka_unit_test(damaged_columns_are_refused),
        cmocka_unit_test(damage_is_refused_or_harmless),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
