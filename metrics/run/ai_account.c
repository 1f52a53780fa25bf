// The account of an AI run as tables.
#include "metrics/run/ai_account.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/str.h"
#include "metrics/run/devices.h"

#include <stdlib.h>

static const struct {
    const char *key, *title, *sentence;
    pj_device_idle of;
} idle[] = {
#define IDLE(name, title, words, sentence, of) {#name "_ns", title, sentence, PJ_DEVICE_IDLE_##of},
#include "metrics/run/ai_idle.def"
#undef IDLE
};

static const struct {
    const char *key, *title, *words;
} kinds[] = {
#define KIND(name, title, words) {#name, title, words},
#include "metrics/run/ai_kinds.def"
#undef KIND
};

const char *pj_ai_idle_key(pj_ai_idle cause)
{
    return idle[cause].key;
}

const char *pj_ai_idle_title(pj_ai_idle cause)
{
    return idle[cause].title;
}

const char *pj_ai_idle_sentence(pj_ai_idle cause)
{
    return idle[cause].sentence;
}

unsigned pj_ai_idle_of(pj_ai_idle cause)
{
    return idle[cause].of;
}

const char *pj_ai_kind_key(pj_ai_kind kind)
{
    return kinds[kind].key;
}

const char *pj_ai_kind_words(pj_ai_kind kind)
{
    return kinds[kind].words;
}

pj_ai_kind pj_ai_main_reason(const uint64_t reasons[PJ_AI_KINDS])
{
    pj_ai_kind most = PJ_AI_KINDS;
    for (unsigned k = 0; k < PJ_AI_KINDS; k++)
        if (reasons[k] > (most == PJ_AI_KINDS ? 0 : reasons[most]))
            most = (pj_ai_kind)k;
    return most;
}

static void add_columns(pj_table *table, const pj_column *columns, size_t count)
{
    for (size_t i = 0; i < count; i++)
        pj_table_add_column(table, columns[i]);
}

static double all_time(const pj_run *run)
{
    return (double)run->runtime_ns * (double)run->ai->count;
}

static pj_cell share_of(const pj_run *run, uint64_t ns)
{
    return all_time(run) > 0 ? pj_cell_real((double)ns / all_time(run))
                             : pj_cell_empty("the run takes no time");
}

static void add_part(const pj_run *run, pj_table *table, const char *part, const char *title,
                     uint64_t ns)
{
    pj_cell *cells = pj_table_add_row(table);
    cells[0] = pj_cell_text(part);
    cells[1] = pj_cell_text(title);
    cells[2] = pj_cell_int((int64_t)ns);
    cells[3] = share_of(run, ns);
}

static pj_table *account_table(const pj_run *run, pj_table *table)
{
    static const pj_column columns[] = {
        {"part", "Part", NULL, PJ_UNIT_NONE, PJ_TEXT_OF_MACHINES},
        {"title", "Part", NULL, PJ_UNIT_NONE, PJ_TEXT_OF_PEOPLE},
        {"time_ns", "Time", "Summed over devices.", PJ_UNIT_NS, PJ_TEXT_NONE},
        {"share", "Share", "Of the time of all devices: the shares sum to 1.", PJ_UNIT_RATIO,
         PJ_TEXT_NONE},
    };
    pj_ai_share sum = {.useful = 0};
    add_columns(table, columns, sizeof columns / sizeof *columns);
    for (uint32_t d = 0; d < run->ai->count; d++) {
        const pj_ai_share *share = &run->ai->shares[d];
        sum.useful += share->useful;
        sum.transfer += share->transfer;
        sum.copies += share->copies;
        sum.unsplit += share->unsplit;
        sum.wait += share->wait;
        for (unsigned c = 0; c < PJ_AI_IDLE_CAUSES; c++)
            sum.idle[c] += share->idle[c];
    }
    add_part(run, table, "useful", "Useful", sum.useful);
    add_part(run, table, "transfer", "Transfer", sum.transfer);
    add_part(run, table, "copies", "Copies", sum.copies);
    add_part(run, table, "unsplit", "Unsplit exchanges", sum.unsplit);
    add_part(run, table, "wait", "Wait for other ranks", sum.wait);
    for (unsigned c = 0; c < PJ_AI_IDLE_CAUSES; c++) {
        pj_str key = pj_str_of(pj_ai_idle_key(c));
        add_part(run, table, pj_arena_text(table->arena, pj_str_head(key, key.len - 3)),
                 pj_arena_format(table->arena, "Idle: %s", pj_ai_idle_title(c)), sum.idle[c]);
    }
    return table;
}

static void reason_cells(pj_cell *cells, const uint64_t reasons[PJ_AI_KINDS], uint64_t wait)
{
    pj_ai_kind most = pj_ai_main_reason(reasons);
    if (most == PJ_AI_KINDS || !wait) {
        cells[0] = cells[1] = cells[2] = pj_cell_empty("nothing tells what it did meanwhile");
        return;
    }
    cells[0] = pj_cell_text(pj_ai_kind_key(most));
    cells[1] = pj_cell_text(kinds[most].title);
    cells[2] = pj_cell_real((double)reasons[most] / (double)wait);
}

static const pj_column wait_columns[] = {
    {"culprit", "Waits for rank", "Who came last.", PJ_UNIT_IDENTIFIER, PJ_TEXT_NONE},
    {"instances", "Instances", "That waited.", PJ_UNIT_NONE, PJ_TEXT_NONE},
    {"wait_ns", "Wait", "Before what is computed meanwhile is taken off.", PJ_UNIT_NS,
     PJ_TEXT_NONE},
    {"exposed_ns", "Exposed", "Of the wait: the device does nothing else.", PJ_UNIT_NS,
     PJ_TEXT_NONE},
    {"share", "Share", "What is exposed, of the time of all devices.", PJ_UNIT_RATIO, PJ_TEXT_NONE},
    {"longest_ns", "Longest", NULL, PJ_UNIT_NS, PJ_TEXT_NONE},
    {"reason", "Reason", "What the culprit did longest while it was waited for.", PJ_UNIT_NONE,
     PJ_TEXT_OF_MACHINES},
    {"reason_title", "Reason", "What the culprit did longest while it was waited for.",
     PJ_UNIT_NONE, PJ_TEXT_OF_PEOPLE},
    {"reason_share", "Of the wait", "What the reason accounts for.", PJ_UNIT_RATIO, PJ_TEXT_NONE},
};

enum { WAIT_COLUMNS = sizeof wait_columns / sizeof *wait_columns };

static void wait_cells(const pj_run *run, const pj_ai_pair *pair, pj_cell *cells)
{
    cells[0] = pj_cell_int(run->ai->numbers[pair->culprit]);
    cells[1] = pj_cell_int((int64_t)pair->instances);
    cells[2] = pj_cell_int((int64_t)pair->wait_ns);
    cells[3] = pj_cell_int((int64_t)pair->exposed_ns);
    cells[4] = share_of(run, pair->exposed_ns);
    cells[5] = pj_cell_int((int64_t)pair->longest_ns);
    reason_cells(cells + 6, pair->reasons, pair->wait_ns);
}

static pj_table *pair_table(const pj_run *run, pj_table *table)
{
    pj_table_add_column(
        table, (pj_column){"rank", "Rank", "Who waits.", PJ_UNIT_IDENTIFIER, PJ_TEXT_NONE});
    add_columns(table, wait_columns, WAIT_COLUMNS);
    for (uint32_t i = 0; i < run->ai->pair_count; i++) {
        pj_cell *cells = pj_table_add_row(table);
        cells[0] = pj_cell_int(run->ai->numbers[run->ai->pairs[i].rank]);
        wait_cells(run, &run->ai->pairs[i], cells + 1);
    }
    return table;
}

static void add_pair(pj_ai_pair *sum, const pj_ai_pair *pair)
{
    sum->instances += pair->instances;
    sum->wait_ns += pair->wait_ns;
    sum->exposed_ns += pair->exposed_ns;
    sum->longest_ns = pair->longest_ns > sum->longest_ns ? pair->longest_ns : sum->longest_ns;
    for (unsigned k = 0; k < PJ_AI_KINDS; k++)
        sum->reasons[k] += pair->reasons[k];
}

pj_ai_pair *pj_ai_culprits(const pj_run *run)
{
    pj_ai_pair *sums = pj_take_zeros((run->layout.ranks + 1) * sizeof *sums);
    for (uint32_t r = 0; r < run->layout.ranks; r++)
        sums[r].culprit = r;
    for (uint32_t i = 0; i < run->ai->pair_count; i++)
        add_pair(&sums[run->ai->pairs[i].culprit], &run->ai->pairs[i]);
    return sums;
}

static pj_table *culprit_table(const pj_run *run, pj_table *table)
{
    pj_ai_pair *sums = pj_ai_culprits(run);
    add_columns(table, wait_columns, WAIT_COLUMNS);
    for (uint32_t r = 0; r < run->layout.ranks; r++)
        if (sums[r].wait_ns)
            wait_cells(run, &sums[r], pj_table_add_row(table));
    free(sums);
    return table;
}

static pj_cell bandwidth_cell(const pj_ai_operation *row, double factor)
{
    if (!row->bytes)
        return pj_cell_empty("the trace does not tell how much is exchanged");
    if (!row->transfer_ns)
        return pj_cell_empty("no transfer takes time");
    return pj_cell_real(factor * (double)row->bytes / (double)row->transfer_ns * 1e9);
}

static pj_table *operation_table(const pj_run *run, pj_table *table)
{
    static const pj_column columns[] = {
        {"group", "Group", NULL, PJ_UNIT_NONE, PJ_TEXT},
        {"operation", "Operation", NULL, PJ_UNIT_NONE, PJ_TEXT},
        {"members", "Members", "Of the largest instance.", PJ_UNIT_NONE, PJ_TEXT_NONE},
        {"instances", "Instances", "That are told into transfer and wait.", PJ_UNIT_NONE,
         PJ_TEXT_NONE},
        {"unsplit", "Unsplit", "Records that cannot be told.", PJ_UNIT_NONE, PJ_TEXT_NONE},
        {"bytes", "Bytes", "Of one member, over all instances.", PJ_UNIT_BYTES, PJ_TEXT_NONE},
        {"transfer_ns", "Transfer", "Over all instances.", PJ_UNIT_NS, PJ_TEXT_NONE},
        {"wait_ns", "Wait", "Over all members.", PJ_UNIT_NS, PJ_TEXT_NONE},
        {"exposed_ns", "Exposed", "Of the wait: devices do nothing else.", PJ_UNIT_NS,
         PJ_TEXT_NONE},
        {"end_skew_ns", "End skew", "How far the ends of members lie apart: median of instances.",
         PJ_UNIT_NS, PJ_TEXT_NONE},
        {"end_skew_p99_ns", "99 %", "The same of the instance that 99 % are not above.", PJ_UNIT_NS,
         PJ_TEXT_NONE},
        {"bandwidth", "Bandwidth", "Bytes over transfer, per second.", PJ_UNIT_RATE, PJ_TEXT_NONE},
        {"bus_bandwidth", "Bus bandwidth", "What the busiest link carries, as NCCL tests count it.",
         PJ_UNIT_RATE, PJ_TEXT_NONE},
    };
    add_columns(table, columns, sizeof columns / sizeof *columns);
    for (uint32_t i = 0; i < run->ai->operation_count; i++) {
        const pj_ai_operation *row = &run->ai->operations[i];
        pj_cell *cells = pj_table_add_row(table);
        cells[0] = *row->group ? pj_cell_text(pj_arena_text(table->arena, pj_str_of(row->group)))
                               : pj_cell_empty("the trace does not tell groups");
        cells[1] = pj_cell_text(pj_arena_text(table->arena, pj_str_of(row->operation)));
        cells[2] = pj_cell_int((int64_t)row->members);
        cells[3] = pj_cell_int((int64_t)row->instances);
        cells[4] = pj_cell_int((int64_t)row->unsplit);
        cells[5] = row->bytes ? pj_cell_int((int64_t)row->bytes)
                              : pj_cell_empty("the trace does not tell how much is exchanged");
        cells[6] = pj_cell_int((int64_t)row->transfer_ns);
        cells[7] = pj_cell_int((int64_t)row->wait_ns);
        cells[8] = pj_cell_int((int64_t)row->exposed_ns);
        cells[9] = pj_cell_int((int64_t)row->skew_ns);
        cells[10] = pj_cell_int((int64_t)row->skew_most_ns);
        cells[11] = bandwidth_cell(row, 1);
        cells[12] = bandwidth_cell(row, row->bus_factor);
    }
    return table;
}

/// Sums of operations that have something in common.
static void add_operation(pj_ai_operation *sum, const pj_ai_operation *row)
{
    sum->instances += row->instances;
    sum->unsplit += row->unsplit;
    sum->transfer_ns += row->transfer_ns;
    sum->wait_ns += row->wait_ns;
    sum->exposed_ns += row->exposed_ns;
    sum->waiting += row->waiting;
    sum->members = row->members > sum->members ? row->members : sum->members;
    sum->skew_ns = row->skew_ns > sum->skew_ns ? row->skew_ns : sum->skew_ns;
}

/// A message is in the rows of both its sides, and counts with its sender.
static void add_to_group(pj_ai_operation *sum, const pj_ai_operation *row)
{
    pj_ai_operation once = *row;
    if (strcmp(row->operation, "recv") == 0)
        once.instances = once.transfer_ns = 0;
    add_operation(sum, &once);
}

static pj_table *group_table(const pj_run *run, pj_table *table)
{
    static const pj_column columns[] = {
        {"group", "Group", NULL, PJ_UNIT_NONE, PJ_TEXT},
        {"members", "Members", "Of the largest instance.", PJ_UNIT_NONE, PJ_TEXT_NONE},
        {"instances", "Instances", "That are told into transfer and wait.", PJ_UNIT_NONE,
         PJ_TEXT_NONE},
        {"unsplit", "Unsplit", "Records that cannot be told.", PJ_UNIT_NONE, PJ_TEXT_NONE},
        {"transfer_ns", "Transfer", "Over all instances.", PJ_UNIT_NS, PJ_TEXT_NONE},
        {"wait_ns", "Wait", "Over all members.", PJ_UNIT_NS, PJ_TEXT_NONE},
        {"exposed_ns", "Exposed", "Of the wait: devices do nothing else.", PJ_UNIT_NS,
         PJ_TEXT_NONE},
        {"share", "Share", "What is exposed, of the time of all devices.", PJ_UNIT_RATIO,
         PJ_TEXT_NONE},
        {"end_skew_ns", "End skew",
         "How far the ends of members lie apart: median of instances, of the operation with most.",
         PJ_UNIT_NS, PJ_TEXT_NONE},
    };
    const pj_ai_account *account = run->ai;
    add_columns(table, columns, sizeof columns / sizeof *columns);
    for (uint32_t i = 0, end; i < account->operation_count; i = end) { // in the order of groups
        pj_ai_operation sum = {.group = account->operations[i].group};
        for (end = i; end < account->operation_count &&
                      strcmp(account->operations[end].group, sum.group) == 0;
             end++)
            add_to_group(&sum, &account->operations[end]);
        pj_cell *cells = pj_table_add_row(table);
        cells[0] = *sum.group ? pj_cell_text(pj_arena_text(table->arena, pj_str_of(sum.group)))
                              : pj_cell_empty("the trace does not tell groups");
        cells[1] = pj_cell_int((int64_t)sum.members);
        cells[2] = pj_cell_int((int64_t)sum.instances);
        cells[3] = pj_cell_int((int64_t)sum.unsplit);
        cells[4] = pj_cell_int((int64_t)sum.transfer_ns);
        cells[5] = pj_cell_int((int64_t)sum.wait_ns);
        cells[6] = pj_cell_int((int64_t)sum.exposed_ns);
        cells[7] = share_of(run, sum.exposed_ns);
        cells[8] = pj_cell_int((int64_t)sum.skew_ns);
    }
    return table;
}

typedef enum pattern {
#define PATTERN(key, title, sentence) PATTERN_##key,
#define OPERATION(operation, pattern)
#include "metrics/run/waits/ai_wait_patterns.def"
#undef PATTERN
#undef OPERATION
    PATTERNS
} pattern;

static pattern pattern_of(const char *operation)
{
    static const struct {
        const char *operation;
        pattern pattern;
    } rows[] = {
#define PATTERN(key, title, sentence)
#define OPERATION(operation, pattern) {operation, PATTERN_##pattern},
#include "metrics/run/waits/ai_wait_patterns.def"
#undef PATTERN
#undef OPERATION
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].operation, operation) == 0)
            return rows[i].pattern;
    return PATTERN_wait_at_exchange;
}

static pj_table *pattern_table(const pj_run *run, pj_table *table)
{
    static const char *const patterns[][3] = {
#define PATTERN(key, title, sentence) {#key, title, sentence},
#define OPERATION(operation, pattern)
#include "metrics/run/waits/ai_wait_patterns.def"
#undef PATTERN
#undef OPERATION
    };
    static const pj_column columns[] = {
        {"pattern", "Pattern", "Why devices wait.", PJ_UNIT_NONE, PJ_TEXT_OF_MACHINES},
        {"title", "Pattern", "Why devices wait.", PJ_UNIT_NONE, PJ_TEXT_OF_PEOPLE},
        {"instances", "Instances", "That waited.", PJ_UNIT_NONE, PJ_TEXT_NONE},
        {"wait_ns", "Wait", "Over all members.", PJ_UNIT_NS, PJ_TEXT_NONE},
        {"exposed_ns", "Exposed", "Of the wait: devices do nothing else.", PJ_UNIT_NS,
         PJ_TEXT_NONE},
        {"share", "Share", "What is exposed, of the time of all devices.", PJ_UNIT_RATIO,
         PJ_TEXT_NONE},
        {"end_skew_ns", "End skew",
         "How far the ends of members lie apart: median of instances, of the operation with most.",
         PJ_UNIT_NS, PJ_TEXT_NONE},
        {"meaning", "Meaning", NULL, PJ_UNIT_NONE, PJ_TEXT_OF_MACHINES},
    };
    pj_ai_operation sums[PATTERNS] = {0};
    add_columns(table, columns, sizeof columns / sizeof *columns);
    for (uint32_t i = 0; i < run->ai->operation_count; i++)
        add_operation(&sums[pattern_of(run->ai->operations[i].operation)], &run->ai->operations[i]);
    for (unsigned p = 0; p < PATTERNS; p++) {
        if (!sums[p].waiting)
            continue;
        pj_cell *cells = pj_table_add_row(table);
        cells[0] = pj_cell_text(patterns[p][0]);
        cells[1] = pj_cell_text(patterns[p][1]);
        cells[2] = pj_cell_int((int64_t)sums[p].waiting);
        cells[3] = pj_cell_int((int64_t)sums[p].wait_ns);
        cells[4] = pj_cell_int((int64_t)sums[p].exposed_ns);
        cells[5] = share_of(run, sums[p].exposed_ns);
        cells[6] = pj_cell_int((int64_t)sums[p].skew_ns);
        cells[7] = pj_cell_text(patterns[p][2]);
    }
    return table;
}

pj_table *pj_ai_account_table(const pj_run *run, pj_ai_by by)
{
    static const struct {
        const char *title;
        pj_table *(*fill)(const pj_run *run, pj_table *table);
    } tables[] = {
        [PJ_AI_BY_ACCOUNT] = {"Where all time of devices goes: %s", account_table},
        [PJ_AI_BY_CULPRIT] = {"Who is waited for in %s", culprit_table},
        [PJ_AI_BY_PAIR] = {"Who waits for whom in %s", pair_table},
        [PJ_AI_BY_OPERATION] = {"Exchanges of %s", operation_table},
        [PJ_AI_BY_GROUP] = {"Groups that exchange data in %s", group_table},
        [PJ_AI_BY_PATTERN] = {"Why devices wait for other ranks in %s", pattern_table},
    };
    pj_table *table = pj_table_new("");
    pj_auto_buf title = {.at = NULL};
    pj_str text = pj_str_of(tables[by].title);
    pj_buf_add(&title, pj_str_head(text, text.len - 2));
    pj_buf_puts(&title, run->name);
    table->title = pj_arena_text(table->arena, pj_buf_str(&title));
    return tables[by].fill(run, table);
}
