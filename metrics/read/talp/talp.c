// TALP files: {"dlbVersion", "timestamp", "resources", "metadata", "Application": {REGION: {...}}},
// read token by token. The region of the whole program is the run, the others are its parts.
// Source: DLB 3.5 and 3.6, src/talp/talp_output.c; talp-pages.
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/job.h"
#include "metrics/base/str.h"
#include "metrics/read/jsonpull.h"
#include "metrics/read/pass.h"
#include "metrics/read/reader.h"
#include "metrics/read/source.h"
#include "metrics/read/talp/talp_region.h"
#include "metrics/read/talp/talp_version.h"
#include "metrics/run/run.h"
#include "metrics/run/sums.h"
#include "metrics/trace/layout.h"

#include <stdlib.h>

enum { MOST_REGIONS = 10000 };

typedef struct talp_file {
    pj_run *run;
    pj_run_origin origin;
    pj_str version;
    pj_talp_region resources; // of the whole run, where regions do not say
    pj_talp_region *regions;
    size_t count, cap;
    bool has_regions; // the member is there
} talp_file;

static bool sniff(pj_str head)
{
    enum { NEAR = 4096 };
    pj_str start = pj_str_trim(pj_str_head(head, head.len < NEAR ? head.len : NEAR));
    return pj_str_starts(start, PJ_S("{")) && pj_str_contains(start, PJ_S("\"dlbVersion\""));
}

static bool take_kept(talp_file *file, pj_jsonpull *json, const char **out, pj_err *err)
{
    pj_str text = {0};
    if (!pj_jsonpull_take_text(json, &text, err))
        return false;
    if (text.len)
        *out = pj_arena_text(file->run->arena, text);
    return true;
}

/// Versions are text: of a number, 3.10 would be 3.1.
static bool read_version(talp_file *file, pj_jsonpull *json, pj_err *err)
{
    enum { SHOWN = 60 };
    pj_json_token got = pj_jsonpull_next(json, err);
    pj_str text = pj_jsonpull_text(json);
    if (got == PJ_JSON_NUMBER)
        return pj_fail(err, PJ_E_FORMAT, file->run->path, 0,
                       "is a TALP file whose \"dlbVersion\" is the number " PJ_STR_FMT
                       " and no text; those of DLB 3.5 and later 3.x are read",
                       PJ_STR_ARG(pj_str_head(text, text.len < SHOWN ? text.len : SHOWN)));
    if (got == PJ_JSON_STRING && text.len)
        file->origin.version = pj_arena_text(file->run->arena, text);
    return pj_jsonpull_skip_value(json, got, err) &&
           pj_talp_version_check(file->run->path, pj_str_of(file->origin.version), err);
}

static bool read_metadata(talp_file *file, pj_jsonpull *json, pj_err *err)
{
    pj_str key;
    if (!pj_jsonpull_expect(json, PJ_JSON_OBJECT, err))
        return false;
    while (pj_jsonpull_key(json, &key, err)) {
        const char **kept = pj_str_equal(key, PJ_S("gitCommit"))      ? &file->origin.commit
                            : pj_str_equal(key, PJ_S("gitBranch"))    ? &file->origin.branch
                            : pj_str_equal(key, PJ_S("gitTimestamp")) ? &file->origin.committed
                                                                      : NULL;
        if (!(kept ? take_kept(file, json, kept, err) : pj_jsonpull_skip(json, err)))
            return false;
    }
    return !err->code;
}

/// Regions of one name would be the same column twice.
static bool is_repeated(const talp_file *file, pj_str name)
{
    for (size_t i = 0; i < file->count; i++)
        if (pj_str_equal(pj_str_of(file->regions[i].name), name))
            return true;
    return false;
}

static bool read_regions(talp_file *file, pj_jsonpull *json, pj_err *err)
{
    pj_str key;
    if (file->has_regions)
        return pj_jsonpull_fail(json, err, "\"Application\" stands twice");
    if (!pj_jsonpull_expect(json, PJ_JSON_OBJECT, err))
        return false;
    file->has_regions = true;
    while (pj_jsonpull_key(json, &key, err)) {
        if (is_repeated(file, key))
            return pj_jsonpull_fail(json, err, "a region stands twice");
        if (file->count == MOST_REGIONS)
            return pj_jsonpull_fail(json, err, "more than 10000 regions");
        pj_grow(file->regions, &file->cap, file->count + 1);
        pj_talp_region *region = &file->regions[file->count++];
        *region = (pj_talp_region){.name = pj_arena_text(file->run->arena, key)};
        if (!pj_jsonpull_expect(json, PJ_JSON_OBJECT, err) ||
            !pj_talp_region_read(json, region, err))
            return false;
    }
    return !err->code;
}

static bool read_member(talp_file *file, pj_jsonpull *json, pj_str key, pj_err *err)
{
    if (pj_str_equal(key, PJ_S("dlbVersion")))
        return read_version(file, json, err);
    if (pj_str_equal(key, PJ_S("timestamp")))
        return take_kept(file, json, &file->origin.measured, err);
    if (pj_str_equal(key, PJ_S("metadata")))
        return read_metadata(file, json, err);
    if (pj_str_equal(key, PJ_S("resources")))
        return pj_jsonpull_expect(json, PJ_JSON_OBJECT, err) &&
               pj_talp_region_read(json, &file->resources, err);
    if (pj_str_equal(key, PJ_S("Application")))
        return read_regions(file, json, err);
    return pj_jsonpull_skip(json, err);
}

static bool read_file(talp_file *file, pj_jsonpull *json, pj_err *err)
{
    pj_str key;
    pj_jsonpull_want_whole(json);
    if (!pj_jsonpull_expect(json, PJ_JSON_OBJECT, err))
        return false;
    while (pj_jsonpull_key(json, &key, err))
        if (!read_member(file, json, key, err))
            return false;
    return !err->code && (pj_jsonpull_next(json, err) == PJ_JSON_END ||
                          pj_jsonpull_fail(json, err, "something stands behind its end"));
}

/// The region of the whole program, as DLB calls it, else the first.
static size_t whole_of(const talp_file *file)
{
    static const char *const names[] = {"Global", "Application"};
    for (size_t n = 0; n < sizeof names / sizeof *names; n++)
        for (size_t i = 0; i < file->count; i++)
            if (strcmp(file->regions[i].name, names[n]) == 0)
                return i;
    return 0;
}

/// CPUs are shared out evenly: who has how many the file does not tell.
static void lay_out(pj_run *run, const pj_talp_region *region)
{
    pj_layout *layout = &run->layout;
    pj_arena *arena = run->arena;
    uint32_t ranks = pj_talp_region_ranks(region), cpus = pj_talp_region_cpus(region);
    *layout = (pj_layout){.applications = 1, .ranks = ranks, .locations = cpus};
    layout->first_location = pj_new_n(arena, uint32_t, ranks + 1);
    layout->rank_of = pj_new_n(arena, uint32_t, cpus);
    layout->node_of = pj_new_n(arena, uint32_t, cpus);
    layout->application_of = pj_new_n(arena, uint32_t, ranks);
    for (uint32_t r = 0; r < ranks; r++) {
        uint32_t threads = cpus / ranks + (r < cpus % ranks);
        layout->first_location[r + 1] = layout->first_location[r] + threads;
        for (uint32_t i = 0; i < threads; i++)
            layout->rank_of[layout->first_location[r] + i] = r;
    }
}

static void fill(pj_run *run, const pj_talp_region *region)
{
    pj_sums *sums = pj_new(run->arena, pj_sums);
    *sums = pj_talp_region_sums(region);
    run->sums = sums;
    run->runtime_ns = run->end_ns = sums->runtime > 0 ? (uint64_t)sums->runtime : 0;
    if (!run->runtime_ns)
        pj_run_remark(run, PJ_WARNING, "no_elapsed_time",
                      "the file says that the region took no time (elapsedTime 0): nothing that "
                      "relates to the runtime is known");
    run->has_mpi = region->value[PJ_TALP_numMpiRanks] > 0 || sums->mpi_sum > 0;
    run->has_openmp = pj_talp_region_has_openmp(region);
    run->counters[PJ_COUNTER_INSTRUCTIONS].present = sums->instructions > 0;
    run->counters[PJ_COUNTER_CYCLES].present = sums->cycles > 0;
    run->untraced = true;
    run->ideal.reason = "a TALP file has no events to replay";
}

static bool find_room(const talp_file *file, const pj_talp_region *whole, const pj_job *job,
                      pj_err *err)
{
    uint64_t each = sizeof(pj_totals) + 4 * sizeof(uint64_t);
    uint64_t need = pj_talp_region_cpus(whole) * each * (file->count + 1);
    return job->memory_budget == 0 || need <= job->memory_budget ||
           pj_fail(err, PJ_E_MEMORY, file->run->path, 0,
                   "%zu regions of %u CPUs need more memory than may be used (--memory)",
                   file->count, pj_talp_region_cpus(whole));
}

static void add_part(talp_file *file, const pj_talp_region *region)
{
    pj_run *part = pj_run_add_part(file->run, pj_str_of(region->name));
    lay_out(part, region);
    pj_run_allocate(part);
    fill(part, region);
}

static void remark_on(talp_file *file, const pj_talp_region *whole, size_t left_out)
{
    pj_run *run = file->run;
    if (whole->value[PJ_TALP_cycles] < 0 || whole->value[PJ_TALP_instructions] < 0)
        pj_run_remark(run, PJ_WARNING, "talp_overflow",
                      "counters of region %s overflowed in DLB (negative): they count as missing",
                      whole->name);
    if (left_out)
        pj_run_remark(run, PJ_WARNING, "talp_regions",
                      "%zu regions of the file lack times and were left out", left_out);
    pj_run_remark(run, PJ_NOTE, "talp",
                  "measured by TALP (DLB %s): sums over all CPUs, region %s%s",
                  file->origin.version, whole->name,
                  pj_talp_region_cpus(whole) % pj_talp_region_ranks(whole)
                      ? "; which process has how many CPUs the file does not tell"
                      : "");
}

/// What regions leave unsaid the resources say.
static void complete(pj_talp_region *region, const pj_talp_region *resources)
{
    for (size_t i = 0; i <= PJ_TALP_numGpus; i++)
        if (!region->known[i] && resources->known[i]) {
            region->known[i] = true;
            region->value[i] = resources->value[i];
        }
}

static bool make_run(talp_file *file, const pj_job *job, pj_err *err)
{
    pj_run *run = file->run;
    char lack[64];
    if (!file->origin.version)
        return pj_fail(err, PJ_E_FORMAT, run->path, 0, "is a TALP file without a DLB version");
    if (file->count == 0)
        return pj_fail(err, PJ_E_FORMAT, run->path, 0,
                       "is a TALP file of DLB %s without a region: \"Application\" %s",
                       file->origin.version, file->has_regions ? "is empty" : "is not there");
    for (size_t i = 0; i < file->count; i++)
        complete(&file->regions[i], &file->resources);
    const pj_talp_region *whole = &file->regions[whole_of(file)];
    if (pj_talp_region_lacks(whole, lack))
        return pj_fail(
            err, PJ_E_FORMAT, run->path, 0,
            "region %.60s of this TALP file of DLB %.60s %s; it may be of a version that "
            "writes other members than 3.5 and 3.6",
            whole->name, file->origin.version, lack);
    if (!find_room(file, whole, job, err))
        return false;
    lay_out(run, whole);
    pj_run_allocate(run);
    fill(run, whole);
    size_t left_out = 0;
    for (size_t i = 0; i < file->count; i++) {
        bool bad = pj_talp_region_lacks(&file->regions[i], lack) != NULL ||
                   pj_talp_region_cpus(&file->regions[i]) > pj_talp_region_cpus(whole);
        left_out += bad;
        if (!bad && &file->regions[i] != whole)
            add_part(file, &file->regions[i]);
    }
    file->origin.whole = whole->name;
    remark_on(file, whole, left_out);
    pj_run_origin *origin = pj_new(run->arena, pj_run_origin);
    *origin = file->origin;
    run->origin = origin;
    return true;
}

static bool read_talp(pj_source *source, pj_pass *pass, pj_err *err)
{
    pj_source_call(source, "TALP file");
    pj_auto_jsonpull json = pj_jsonpull_new(source);
    pj_err problem = {.code = PJ_E_NONE};
    talp_file file = {.run = pass->run};
    bool ok = read_file(&file, json, &problem) && make_run(&file, pass->job, &problem);
    free(file.regions);
    if (!ok && err && !err->code)
        *err = problem;
    return ok;
}

const pj_reader pj_reader_talp = {
    .name = "talp",
    .title = "TALP file",
    .suffixes = "",
    .gives = PJ_GIVES_RUN,
    .sniff = sniff,
    .read = read_talp,
};
