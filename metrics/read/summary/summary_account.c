// The account of an AI run: what every device did, who waited for whom, operations and steps, each
// row a list of numbers. Of very many pairs and steps the first ones are kept.
#include "metrics/base/arena.h"
#include "metrics/base/str.h"
#include "metrics/read/summary/summary_parts.h"
#include "metrics/run/ai_account.h"
#include "metrics/run/devices.h"
#include "metrics/run/run.h"
#include "metrics/trace/layout.h"

#include <stddef.h>

enum { PAIRS_MOST = 1024, STEPS_MOST = 2048, OPERATIONS_MOST = 256 };

/// A number of a row.
typedef struct field {
    size_t offset;
    bool narrow; // 32 bits
} field;

#define WIDE(type, member)                                                                         \
    {                                                                                              \
        offsetof(type, member), false                                                              \
    }
#define NARROW(type, member)                                                                       \
    {                                                                                              \
        offsetof(type, member), true                                                               \
    }

static const field pair_fields[] = {
    NARROW(pj_ai_pair, rank),  NARROW(pj_ai_pair, culprit),  WIDE(pj_ai_pair, instances),
    WIDE(pj_ai_pair, wait_ns), WIDE(pj_ai_pair, exposed_ns), WIDE(pj_ai_pair, longest_ns),
};

static const field operation_fields[] = {
    WIDE(pj_ai_operation, instances),   WIDE(pj_ai_operation, records),
    WIDE(pj_ai_operation, unsplit),     WIDE(pj_ai_operation, bytes),
    WIDE(pj_ai_operation, transfer_ns), WIDE(pj_ai_operation, wait_ns),
    WIDE(pj_ai_operation, members),
};

static const field step_fields[] = {
    WIDE(pj_ai_step_row, number),   NARROW(pj_ai_step_row, rank),    NARROW(pj_ai_step_row, device),
    WIDE(pj_ai_step_row, begin_ns), WIDE(pj_ai_step_row, length_ns), WIDE(pj_ai_step_row, useful),
    WIDE(pj_ai_step_row, transfer), WIDE(pj_ai_step_row, copies),    WIDE(pj_ai_step_row, unsplit),
    WIDE(pj_ai_step_row, wait),     WIDE(pj_ai_step_row, idle),      WIDE(pj_ai_step_row, driving),
};

static const field share_fields[] = {
    WIDE(pj_ai_share, useful),  WIDE(pj_ai_share, transfer), WIDE(pj_ai_share, copies),
    WIDE(pj_ai_share, unsplit), WIDE(pj_ai_share, wait),
};

#define COUNT(fields) (sizeof(fields) / sizeof *(fields))

static json_t *write_fields(const void *row, const field *fields, size_t count)
{
    json_t *out = json_array();
    for (size_t i = 0; i < count; i++) {
        const char *at = (const char *)row + fields[i].offset;
        json_int_t value = fields[i].narrow ? (json_int_t)(*(const uint32_t *)(const void *)at)
                                            : (json_int_t)(*(const int64_t *)(const void *)at);
        json_array_append_new(out, json_integer(value));
    }
    return out;
}

static void write_numbers(json_t *into, const uint64_t *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        json_array_append_new(into, json_integer((json_int_t)numbers[i]));
}

static json_t *write_operations(const pj_ai_account *account)
{
    json_t *out = json_array();
    for (uint32_t i = 0; i < account->operation_count && i < OPERATIONS_MOST; i++) {
        const pj_ai_operation *row = &account->operations[i];
        json_t *one = write_fields(row, operation_fields, COUNT(operation_fields));
        json_array_append_new(one, json_real(row->bus_factor));
        json_array_append_new(one, pj_summary_text(row->group));
        json_array_append_new(one, pj_summary_text(row->operation));
        write_numbers(
            one, (const uint64_t[]){row->exposed_ns, row->skew_ns, row->skew_most_ns, row->waiting},
            4);
        json_array_append_new(out, one);
    }
    return out;
}

json_t *pj_summary_account_write(const pj_run *run)
{
    const pj_ai_account *account = run->ai;
    json_t *shares = json_array(), *pairs = json_array(), *steps = json_array();
    json_t *ranks = json_array();
    for (uint32_t d = 0; d < account->count; d++) {
        json_t *one = write_fields(&account->shares[d], share_fields, COUNT(share_fields));
        write_numbers(one, account->shares[d].idle, PJ_AI_IDLE_CAUSES);
        json_array_append_new(one, json_integer(account->rank_of[d]));
        json_array_append_new(shares, one);
    }
    for (uint32_t i = 0; i < account->pair_count && i < PAIRS_MOST; i++) {
        json_t *one = write_fields(&account->pairs[i], pair_fields, COUNT(pair_fields));
        write_numbers(one, account->pairs[i].reasons, PJ_AI_KINDS);
        json_array_append_new(pairs, one);
    }
    for (uint32_t i = 0; i < account->step_count && i < STEPS_MOST; i++)
        json_array_append_new(steps,
                              write_fields(&account->steps[i], step_fields, COUNT(step_fields)));
    for (uint32_t r = 0; r < run->layout.ranks; r++)
        json_array_append_new(ranks, json_integer(account->numbers[r]));
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:I, s:I}", "ranks", ranks, "shares", shares,
                     "pairs", pairs, "operations", write_operations(account), "steps", steps,
                     "skew_median", (json_int_t)account->skew_median, "skew_most",
                     (json_int_t)account->skew_most);
}

// Reading

/// Numbers below 0 are none but those of steps.
static bool read_fields(const json_t *from, void *row, const field *fields, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const json_t *value = json_array_get(from, i);
        char *at = (char *)row + fields[i].offset;
        if (!json_is_integer(value))
            return false;
        json_int_t number = json_integer_value(value);
        if (fields[i].narrow)
            *(uint32_t *)(void *)at = (uint32_t)number;
        else
            *(int64_t *)(void *)at = number;
    }
    return true;
}

static void read_numbers(const json_t *from, size_t first, uint64_t *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        numbers[i] = (uint64_t)json_integer_value(json_array_get(from, first + i));
}

static bool read_shares(const json_t *from, const pj_run *run, pj_ai_account *account)
{
    uint32_t *rank_of = pj_new_n(run->arena, uint32_t, account->count + 1);
    account->shares = pj_new_n(run->arena, pj_ai_share, account->count + 1);
    for (uint32_t d = 0; d < account->count; d++) {
        const json_t *one = json_array_get(from, d);
        if (!read_fields(one, &account->shares[d], share_fields, COUNT(share_fields)))
            return false;
        read_numbers(one, COUNT(share_fields), account->shares[d].idle, PJ_AI_IDLE_CAUSES);
        json_int_t rank = json_integer_value(
            json_array_get(one, COUNT(share_fields) + (size_t)PJ_AI_IDLE_CAUSES));
        if (rank < 0 || rank >= run->layout.ranks)
            return false;
        rank_of[d] = (uint32_t)rank;
    }
    account->rank_of = rank_of;
    return true;
}

static bool read_pairs(const json_t *from, const pj_run *run, pj_ai_account *account)
{
    account->pair_count = (uint32_t)json_array_size(from);
    account->pairs = pj_new_n(run->arena, pj_ai_pair, account->pair_count + 1);
    for (uint32_t i = 0; i < account->pair_count; i++) {
        pj_ai_pair *pair = &account->pairs[i];
        const json_t *one = json_array_get(from, i);
        if (!read_fields(one, pair, pair_fields, COUNT(pair_fields)) ||
            pair->rank >= run->layout.ranks || pair->culprit >= run->layout.ranks)
            return false;
        read_numbers(one, COUNT(pair_fields), pair->reasons, PJ_AI_KINDS);
    }
    return true;
}

static const char *text_at(const json_t *from, size_t index, pj_arena *arena)
{
    const char *text = json_string_value(json_array_get(from, index));
    return pj_arena_text(arena, pj_str_of(text ? text : ""));
}

static bool read_operations(const json_t *from, const pj_run *run, pj_ai_account *account)
{
    account->operation_count = (uint32_t)json_array_size(from);
    account->operations = pj_new_n(run->arena, pj_ai_operation, account->operation_count + 1);
    for (uint32_t i = 0; i < account->operation_count; i++) {
        pj_ai_operation *row = &account->operations[i];
        const json_t *one = json_array_get(from, i);
        if (!read_fields(one, row, operation_fields, COUNT(operation_fields)))
            return false;
        row->bus_factor = json_number_value(json_array_get(one, COUNT(operation_fields)));
        row->group = text_at(one, COUNT(operation_fields) + 1, run->arena);
        row->operation = text_at(one, COUNT(operation_fields) + 2, run->arena);
        uint64_t later[4];
        read_numbers(one, COUNT(operation_fields) + 3, later, 4);
        row->exposed_ns = later[0];
        row->skew_ns = later[1];
        row->skew_most_ns = later[2];
        row->waiting = later[3];
    }
    return true;
}

static bool read_steps(const json_t *from, const pj_run *run, pj_ai_account *account)
{
    account->step_count = (uint32_t)json_array_size(from);
    account->steps = pj_new_n(run->arena, pj_ai_step_row, account->step_count + 1);
    for (uint32_t i = 0; i < account->step_count; i++) {
        pj_ai_step_row *row = &account->steps[i];
        if (!read_fields(json_array_get(from, i), row, step_fields, COUNT(step_fields)) ||
            row->rank >= run->layout.ranks || row->device >= account->count)
            return false;
    }
    return true;
}

bool pj_summary_account_read(const json_t *from, pj_run *run)
{
    pj_ai_account *account = pj_new(run->arena, pj_ai_account);
    int64_t *numbers = pj_new_n(run->arena, int64_t, run->layout.ranks + 1);
    const json_t *ranks = json_object_get(from, "ranks");
    account->count = run->devices->count;
    for (uint32_t r = 0; r < run->layout.ranks; r++)
        numbers[r] = json_integer_value(json_array_get(ranks, r));
    account->numbers = numbers;
    account->skew_median = (uint64_t)json_integer_value(json_object_get(from, "skew_median"));
    account->skew_most = (uint64_t)json_integer_value(json_object_get(from, "skew_most"));
    if (!read_shares(json_object_get(from, "shares"), run, account) ||
        !read_pairs(json_object_get(from, "pairs"), run, account) ||
        !read_operations(json_object_get(from, "operations"), run, account) ||
        !read_steps(json_object_get(from, "steps"), run, account))
        return false;
    run->ai = account;
    run->untraced = true;
    return true;
}
