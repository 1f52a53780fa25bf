// Interns what TAU's files tell, whatever carries it.
#include "metrics/read/profile/tau/trial.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/str.h"
#include "metrics/profile/profile.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

void pj_trial_free(pj_trial *trial)
{
    free(trial->functions);
    free(trial->groups);
    free(trial->measures);
    free(trial->timed);
    free(trial->records);
    free(trial->values);
    pj_map_free(&trial->function_of);
    pj_map_free(&trial->record_of);
    *trial = (pj_trial){.build = NULL};
}

/// ParaProf's rule: whatever has "time" in its name, unless it was derived of several metrics.
static bool is_time(pj_str name)
{
    if (pj_str_contains(name, PJ_S("/")) || pj_str_contains(name, PJ_S("*")))
        return false;
    for (size_t i = 0; i + 4 <= name.len; i++)
        if (strncasecmp(name.at + i, "time", 4) == 0)
            return true;
    return false;
}

void pj_trial_metrics(pj_trial *trial, const pj_str *names, size_t count)
{
    bool has_time = false;
    trial->measures = pj_take_memory(count * sizeof *trial->measures);
    trial->timed = pj_take_memory(count * sizeof *trial->timed);
    for (size_t i = 0; i < count; i++) {
        char key[256], title[256];
        bool time = is_time(names[i]);
        snprintf(title, sizeof title, PJ_STR_FMT, PJ_STR_ARG(names[i]));
        snprintf(key, sizeof key, "%s", time && !has_time ? "time" : title);
        has_time |= time;
        trial->timed[i] = time;
        trial->measures[i] = pj_build_measure(
            trial->build, (pj_measure){.key = key,
                                       .title = title,
                                       .unit = time ? "s" : "",
                                       .kind = time ? PJ_MEASURE_TIME : PJ_MEASURE_COUNT,
                                       .stored = PJ_STORED_BOTH});
    }
    trial->measure_count = count;
}

uint32_t pj_trial_location(pj_trial *trial, int64_t node, int64_t context, int64_t thread)
{
    pj_profile_location location = {.rank = node, .thread = thread, .kind = PJ_LOCATION_CPU};
    if (context > 0) {
        char name[80];
        snprintf(name, sizeof name, "context %lld, thread %lld", (long long)context,
                 (long long)thread);
        location.name = pj_build_text(trial->build, pj_str_of(name));
    }
    return pj_build_location(trial->build, location);
}

/// One blank for every run of white space, none at the ends.
static pj_str squeeze(pj_str name, pj_buf *out)
{
    out->len = 0;
    name = pj_str_trim(name);
    for (size_t i = 0; i < name.len; i++) {
        bool blank = isspace((unsigned char)name.at[i]);
        if (!blank || (i > 0 && !isspace((unsigned char)name.at[i - 1])))
            pj_buf_add_char(out, blank ? ' ' : name.at[i]);
    }
    return pj_buf_str(out);
}

static bool is_squeezed(pj_str name)
{
    bool before = true;
    for (size_t i = 0; i < name.len; i++) {
        bool blank = name.at[i] == ' ';
        if ((blank && before) || (!blank && isspace((unsigned char)name.at[i])))
            return false;
        before = blank;
    }
    return !before;
}

uint32_t pj_trial_function_of(pj_trial *trial, pj_str name)
{
    pj_auto_buf room = {.at = NULL};
    uint32_t text = pj_build_text(trial->build, is_squeezed(name) ? name : squeeze(name, &room));
    uint32_t function;
    if (pj_map_get(&trial->function_of, text, &function))
        return function;
    pj_grow(trial->functions, &trial->function_cap, trial->function_count + 1);
    function = (uint32_t)trial->function_count++;
    trial->functions[function] = (pj_trial_function){.name = text};
    pj_map_put(&trial->function_of, text, function);
    return function;
}

void pj_trial_groups(pj_trial *trial, uint32_t function, const uint32_t *groups, uint32_t count)
{
    pj_trial_function *at = &trial->functions[function];
    if (at->group_count || !count)
        return;
    pj_grow(trial->groups, &trial->group_cap, trial->group_count + count);
    memcpy(trial->groups + trial->group_count, groups, count * sizeof *groups);
    at->first_group = (uint32_t)trial->group_count;
    at->group_count = count;
    trial->group_count += count;
}

size_t pj_trial_record_of(pj_trial *trial, uint32_t function, uint32_t location, bool *fresh)
{
    uint64_t key = (uint64_t)location << 32 | function;
    uint32_t record;
    *fresh = !pj_map_get(&trial->record_of, key, &record);
    if (!*fresh)
        return record;
    size_t numbers = 2 * trial->measure_count;
    pj_grow(trial->records, &trial->record_cap, trial->record_count + 1);
    pj_grow(trial->values, &trial->value_cap, (trial->record_count + 1) * numbers);
    for (size_t i = 0; i < numbers; i++)
        trial->values[trial->record_count * numbers + i] = NAN;
    trial->records[trial->record_count] =
        (pj_trial_record){.function = function, .location = location};
    pj_map_put(&trial->record_of, key, (uint32_t)trial->record_count);
    return trial->record_count++;
}

static void add_value(pj_trial *trial, double *to, double value, uint64_t line)
{
    if (!isfinite(value)) {
        pj_build_odd(trial->build, PJ_ODDITY_not_finite, line);
        return;
    }
    if (value < 0) {
        pj_build_odd(trial->build, PJ_ODDITY_negative_raised, line);
        value = 0;
    }
    *to = isnan(*to) ? value : *to + value;
}

void pj_trial_add(pj_trial *trial, size_t record, size_t measure, double exclusive,
                  double inclusive, uint64_t line)
{
    double *to = trial->values + 2 * (record * trial->measure_count + measure);
    add_value(trial, to, exclusive, line);
    add_value(trial, to + 1, inclusive, line);
}
