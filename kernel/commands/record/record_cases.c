// From lists of numbers to command lines.
#include "kernel/commands/record/record_cases.h"

#include "kernel/command/call.h"
#include "metrics/base/buf.h"
#include "metrics/base/job.h"
#include "metrics/base/num.h"
#include "metrics/base/str.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>

enum { MOST_SIZE = 1 << 24, MOST_CASES = 10000 };

const pj_param pj_record_plan_rows[] = {
    {.name = "ranks",
     .type = PJ_PARAM_TEXTS,
     .offset = offsetof(pj_record_plan, ranks),
     .shown = "LIST",
     .help = "A scaling study: numbers of ranks, 1,2,4; a recording of each, in a folder of its "
             "own in DIR. {ranks}, {threads} and {case} stand for those of each in the command."},
    {.name = "threads",
     .type = PJ_PARAM_TEXTS,
     .offset = offsetof(pj_record_plan, threads),
     .shown = "LIST",
     .help = "The same for threads of each rank, as OMP_NUM_THREADS."},
    {.name = "repeat",
     .lua = "repetitions",
     .type = PJ_PARAM_COUNT,
     .offset = offsetof(pj_record_plan, repeat),
     .shown = "N",
     .preset = "1",
     .help = "Recordings of each size; in Lua, where repeat is a reserved word, repetitions."},
    {.name = "launcher",
     .type = PJ_PARAM_TEXT,
     .offset = offsetof(pj_record_plan, launcher),
     .shown = "WORDS",
     .preset = "mpirun -n {ranks}, where numbers of ranks are given and the command has none",
     .help = "What stands before the command in a study; empty for nothing."},
    {.name = "timeout",
     .type = PJ_PARAM_DURATION,
     .offset = offsetof(pj_record_plan, patience_ns),
     .shown = "T",
     .help = "A case of a study that takes longer (90s) is ended and has failed."},
    {.name = "oversubscribe",
     .type = PJ_PARAM_FLAG,
     .offset = offsetof(pj_record_plan, oversubscribe),
     .help = "Run cases with more threads than there are cores, which are refused otherwise."},
    {.name = "resume",
     .type = PJ_PARAM_FLAG,
     .offset = offsetof(pj_record_plan, resume),
     .help = "Leave finished cases of an earlier study in DIR alone, and record what is missing."},
    {0},
};

bool pj_record_plan_is_study(const pj_record_plan *plan)
{
    return plan->ranks.count || plan->threads.count || plan->repeat || plan->resume;
}

typedef struct numbers {
    uint64_t *items;
    size_t count, cap;
} numbers;

/// None given: one 0.
static bool parse(const char *what, const pj_texts *texts, pj_arena *arena, numbers *out,
                  pj_err *err)
{
    size_t most = 1;
    for (size_t i = 0; i < texts->count; i++)
        most += strlen(texts->items[i]) + 1;
    out->items = pj_new_n(arena, uint64_t, most);
    for (size_t i = 0; i < texts->count; i++) {
        pj_str rest = pj_str_of(texts->items[i]);
        do {
            pj_str one = pj_str_trim(pj_str_cut(&rest, ','));
            uint64_t *number = &out->items[out->count++];
            if (!pj_parse_u64(one, number) || !*number || *number > MOST_SIZE)
                return pj_fail(err, PJ_E_USAGE, NULL, 0,
                               "record: %s: \"%s\" is no list of numbers such as 1,2,4", what,
                               texts->items[i]);
        } while (rest.len);
    }
    out->count += !out->count;
    return true;
}

/// Numbers in place of their names in braces.
static const char *fill(const char *text, const pj_record_case *one, pj_arena *arena)
{
    pj_auto_buf out = {0};
    pj_str rest = pj_str_of(text);
    while (rest.len) {
        size_t brace = pj_str_find(rest, '{');
        pj_buf_add(&out, pj_str_head(rest, brace));
        rest = pj_str_from(rest, brace);
        static const pj_str names[] = {{"{ranks}", 7}, {"{threads}", 9}, {"{case}", 6}};
        const uint64_t values[] = {one->ranks ? one->ranks : 1, one->threads ? one->threads : 1};
        size_t i = 0;
        while (i < 3 && !pj_str_starts(rest, names[i]))
            i++;
        if (i < 2)
            pj_buf_addf(&out, "%" PRIu64, values[i]);
        else if (i == 2)
            pj_buf_puts(&out, one->name);
        else
            pj_buf_add(&out, pj_str_head(rest, 1));
        rest = pj_str_from(rest, i < 3 ? names[i].len : (rest.len ? 1 : 0));
    }
    return pj_arena_text(arena, pj_buf_str(&out));
}

static bool names_ranks(const pj_texts *words)
{
    for (size_t i = 0; i < words->count; i++)
        if (strstr(words->items[i], "{ranks}"))
            return true;
    return false;
}

/// The words of the launcher and of the command, of which the cases are made.
static bool join(const pj_record_plan *plan, const pj_texts *words, pj_arena *arena, pj_texts *out,
                 pj_err *err)
{
    pj_texts before = {0};
    bool usual = plan->ranks.count && !names_ranks(words);
    const char *launcher = plan->launcher ? plan->launcher : usual ? "mpirun -n {ranks}" : "";
    bool ok = pj_call_split(pj_str_of(launcher), arena, &before, err);
    out->count = before.count + words->count;
    out->items = pj_new_n(arena, const char *, out->count + 1);
    for (size_t i = 0; ok && i < out->count; i++)
        out->items[i] = i < before.count ? before.items[i] : words->items[i - before.count];
    free(before.items);
    return ok;
}

static const char *const *settings_of(const pj_record_plan *plan, const pj_record_case *one,
                                      pj_arena *arena)
{
    // Open MPI 4 and 5: more ranks than cores, which then must not spin or be bound to one.
    static const char *const crowded[] = {"OMPI_MCA_rmaps_base_oversubscribe=1",
                                          "PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe",
                                          "OMPI_MCA_mpi_yield_when_idle=1",
                                          "OMPI_MCA_hwloc_base_binding_policy=none"};
    enum { CROWDED = sizeof crowded / sizeof *crowded };
    const char **all = pj_new_n(arena, const char *, CROWDED + 2);
    size_t count = 0;
    if (one->threads)
        all[count++] = pj_arena_format(arena, "OMP_NUM_THREADS=%" PRIu64, one->threads);
    for (size_t i = 0; plan->oversubscribe && i < CROWDED; i++)
        all[count++] = crowded[i];
    return all;
}

static const char *name_of(const char *name, const pj_record_case *one, pj_arena *arena)
{
    if (!one->threads)
        return pj_arena_format(arena, "%s.%" PRIu64, name, one->number);
    if (!one->ranks)
        return pj_arena_format(arena, "%s_x%" PRIu64 ".%" PRIu64, name, one->threads, one->number);
    return pj_arena_format(arena, "%s_%" PRIu64 "x%" PRIu64 ".%" PRIu64, name, one->ranks,
                           one->threads, one->number);
}

static uint64_t number_of(const char *variable)
{
    uint64_t number;
    const char *value = getenv(variable);
    return value && pj_parse_u64(pj_str_of(value), &number) && number <= MOST_SIZE ? number : 0;
}

/// Of this machine, or of all that Slurm has allotted to the job.
static uint64_t cores_there_are(void)
{
    const uint64_t own = pj_job_workers(&(pj_job){.stop = NULL}),
                   each = number_of("SLURM_CPUS_PER_TASK");
    const uint64_t allotted = number_of("SLURM_NTASKS") * (each ? each : 1);
    return allotted > own ? allotted : own;
}

static bool fits(const pj_record_plan *plan, const pj_record_case *one, pj_err *err)
{
    uint64_t ranks = one->ranks ? one->ranks : 1, threads = one->threads ? one->threads : 1;
    const uint64_t cores = cores_there_are();
    return plan->oversubscribe || ranks * threads <= cores ||
           pj_fail(err, PJ_E_USAGE, NULL, 0,
                   "record: %" PRIu64 " x %" PRIu64 " threads are more than the %" PRIu64
                   " core%s that "
                   "this process may use; --oversubscribe runs them all the same",
                   ranks, threads, cores, cores == 1 ? "" : "s");
}

static void complete(const pj_record_plan *plan, const pj_texts *words, const char *name,
                     const char *folder, pj_arena *arena, pj_record_case *one)
{
    one->name = name_of(name, one, arena);
    one->folder = pj_arena_format(arena, "%s/%s", folder, one->name);
    one->settings = settings_of(plan, one, arena);
    one->words =
        (pj_texts){.items = pj_new_n(arena, const char *, words->count + 1), .count = words->count};
    for (size_t i = 0; i < words->count; i++)
        one->words.items[i] = fill(words->items[i], one, arena);
}

/// All sizes in turn, then again.
static bool fill_cases(const pj_record_plan *plan, const numbers *ranks, const numbers *threads,
                       const pj_record_cases *cases, pj_err *err)
{
    bool sized = plan->ranks.count || plan->threads.count;
    size_t sizes = ranks->count * threads->count;
    for (size_t i = 0; i < cases->count; i++) {
        pj_record_case *one = &cases->items[i];
        one->number = i / sizes + 1;
        one->ranks = ranks->items[i % sizes / threads->count];
        one->threads = threads->items[i % threads->count];
        one->threads += sized && !one->threads;
        if (!fits(plan, one, err))
            return false;
    }
    return true;
}

bool pj_record_plan_cases(const pj_record_plan *plan, pj_record_work work, pj_arena *arena,
                          pj_record_cases *out, pj_err *err)
{
    numbers ranks = {0}, threads = {0};
    pj_texts all;
    uint64_t repeat = plan->repeat ? plan->repeat : 1;
    if (!parse("ranks", &plan->ranks, arena, &ranks, err) ||
        !parse("threads", &plan->threads, arena, &threads, err) ||
        !join(plan, work.words, arena, &all, err))
        return false;
    if (repeat > MOST_CASES || ranks.count * threads.count > MOST_CASES / repeat)
        return pj_fail(err, PJ_E_USAGE, NULL, 0, "record: a study of more than %d cases",
                       MOST_CASES);
    *out = (pj_record_cases){.count = (size_t)repeat * ranks.count * threads.count};
    out->items = pj_new_n(arena, pj_record_case, out->count);
    if (!fill_cases(plan, &ranks, &threads, out, err))
        return false;
    for (size_t i = 0; i < out->count; i++)
        complete(plan, &all, work.name, work.folder, arena, &out->items[i]);
    return true;
}
