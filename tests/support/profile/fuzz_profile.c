// Any bytes to readers of profiles: a profile whose parts fit each other, or an error.
#include "tests/support/profile/fuzz_profile.h"

#include "metrics/profile/build/profile_build.h"
#include "metrics/read/read.h"
#include "metrics/read/reader.h"

#include <assert.h>
#include <stdlib.h>

static void require(bool truth)
{
    if (!truth)
        abort();
}

static void check_items(const pj_profile *p)
{
    for (uint32_t i = 0; i < p->count[PJ_AT_REGION]; i++) {
        require(p->regions[i].name < p->text_count && p->regions[i].file < p->text_count);
        require(p->regions[i].kind < PJ_REGION_KIND_COUNT);
        for (uint32_t g = 0; g < p->regions[i].group_count; g++)
            require(p->groups[p->regions[i].first_group + g] < p->text_count);
    }
    for (uint32_t i = 0; i < p->count[PJ_AT_NODE]; i++) {
        require(p->nodes[i].region < p->count[PJ_AT_REGION]);
        require(p->nodes[i].parent < i || p->nodes[i].parent == PJ_NO_ITEM);
        require(p->nodes[i].depth < PJ_BUILD_DEPTH && p->nodes[i].parameters < p->text_count);
    }
    for (uint32_t i = 0; i < p->count[PJ_AT_EDGE]; i++)
        require(p->edges[i].caller < p->count[PJ_AT_REGION] &&
                p->edges[i].callee < p->count[PJ_AT_REGION]);
    for (uint32_t i = 0; i < p->event_count; i++)
        require(p->events[i].name < p->text_count && p->events[i].location < p->location_count);
    for (uint32_t i = 0; i < p->pair_count; i++)
        require(p->pairs[i].key < p->text_count && p->pairs[i].value < p->text_count);
}

static void check_values(const pj_profile *p)
{
    for (uint32_t c = 0; c < p->column_count; c++) {
        const pj_profile_column *column = &p->columns[c];
        require(column->measure == PJ_NO_ITEM || column->measure < p->measure_count);
        size_t cells = (size_t)p->count[column->site] * p->location_count;
        for (size_t i = 0; i < cells; i++)
            require(column->whole || !isinf(column->real[i]));
    }
}

static void check(const pj_profile *p)
{
    check_items(p);
    check_values(p);
}

static const pj_reader *reader_called(const char *name)
{
    for (unsigned i = 0; pj_reader_at(i); i++)
        if (strcmp(pj_reader_at(i)->name, name) == 0)
            return pj_reader_at(i);
    abort();
}

void fuzz_profile(const char *reader, const uint8_t *data, size_t size)
{
    const pj_reader *row = reader_called(reader);
    pj_str bytes = {(const char *)data, size};
    pj_err err = {0};
    pj_job job = {.workers = 1, .memory_budget = 64 << 20};
    if (!size || !row->sniff(bytes))
        return;
    pj_source *source = pj_source_memory("fuzz", bytes, &job, &err);
    if (!source)
        return;
    pj_auto_build build = pj_build_new("fuzz", &job);
    bool ok = row->profile(source, build, &err);
    pj_auto_profile profile = ok ? pj_build_finish(build, &err) : NULL;
    pj_source_close(source);
    if (profile)
        check(profile);
    else
        require(err.code != PJ_E_NONE && err.text[0]); // not refused without a word
}

bool try_profile(pj_str bytes)
{
    enum { BUDGET = 64 << 20 };
    pj_job job = {.workers = 1, .memory_budget = BUDGET};
    pj_err err = {.code = PJ_E_NONE};
    pj_auto_build build = pj_build_new("any", &job);
    pj_auto_profile profile = NULL;
    if (pj_read_profile_memory("any", bytes, &job, build, &err))
        profile = pj_build_finish(build, &err);
    if (profile)
        check(profile);
    else
        require(err.code != PJ_E_NONE && err.text[0]);
    return profile != NULL;
}
