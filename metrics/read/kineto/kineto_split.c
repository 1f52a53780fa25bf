// The first rank that a process is called by counts.
#include "metrics/read/kineto/kineto_split.h"

#include "metrics/base/buf.h"
#include "metrics/base/fingerprint.h"
#include "metrics/base/num.h"

#include <stdlib.h>

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool begins_rank(pj_str text)
{
    static const char word[] = "rank";
    for (size_t i = 0; i + 1 < sizeof word; i++)
        if (i >= text.len || lower(text.at[i]) != word[i])
            return false;
    return true;
}

/// The number behind "rank", at most one other character between; -1 = none.
static int64_t rank_in(pj_str name)
{
    for (; name.len; name = pj_str_from(name, 1)) {
        if (!begins_rank(name))
            continue;
        pj_str rest = pj_str_from(name, 4);
        size_t digits = 0;
        uint64_t number;
        if (rest.len && (rest.at[0] < '0' || rest.at[0] > '9'))
            rest = pj_str_from(rest, 1);
        while (digits < rest.len && rest.at[digits] >= '0' && rest.at[digits] <= '9')
            digits++;
        if (digits && pj_parse_u64(pj_str_head(rest, digits), &number) && number < INT32_MAX)
            return (int64_t)number;
    }
    return -1;
}

void pj_kineto_split_note(pj_kineto_split *split, pj_str process, pj_str name)
{
    int64_t number = rank_in(name);
    size_t index = 0;
    uint32_t found;
    if (number < 0 || pj_map_get(&split->index_of, pj_fingerprint_of(process), &found))
        return;
    while (index < split->count && split->numbers[index] != number)
        index++;
    if (index == PJ_KINETO_RANKS_MOST)
        return;
    if (index == split->count) {
        pj_grow(split->numbers, &split->cap, split->count + 1);
        split->numbers[split->count++] = number;
    }
    pj_map_put(&split->index_of, pj_fingerprint_of(process), (uint32_t)index);
}

size_t pj_kineto_split_of(const pj_kineto_split *split, pj_str process)
{
    uint32_t found;
    return pj_map_get(&split->index_of, pj_fingerprint_of(process), &found) ? found : split->count;
}

void pj_kineto_split_free(pj_kineto_split *split)
{
    pj_map_free(&split->index_of);
    free(split->numbers);
    *split = (pj_kineto_split){.numbers = NULL};
}
