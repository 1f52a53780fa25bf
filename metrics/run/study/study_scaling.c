// Strong or weak scaling, as the cases of a study show it.
#include "metrics/run/study/study_scaling.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/run/run.h"
#include "metrics/run/sums.h"
#include "metrics/trace/import_stats.h"
#include "metrics/trace/layout.h"

/// One sign of weak scaling: the mean of a quantity over that of the reference run.
typedef struct indicator {
    const char *title;
    double mean;
    bool available;
} indicator;

static double useful_per_thread(const pj_case *one)
{
    return one->sums.useful_sum / one->layout->locations;
}

static double runtime(const pj_case *one)
{
    return one->sums.runtime;
}

static double instructions_per_thread(const pj_case *one)
{
    return one->sums.instructions / one->layout->locations;
}

/// The cases that are compared with the reference, in study order: of parts those of its name.
typedef struct lineup {
    const pj_case **cases;
    size_t count, reference;
} lineup;

static lineup line_up(const pj_study *study, bool whole, pj_arena *arena)
{
    lineup all = {.cases = pj_new_n(arena, const pj_case *, study->count)};
    for (size_t i = 0; i < study->count; i++) {
        bool cut = whole && pj_import_cut(&study->cases[i].run->import);
        if ((cut && i != study->reference) || study->cases[i].reference != study->reference)
            continue;
        if (i == study->reference)
            all.reference = all.count;
        all.cases[all.count++] = &study->cases[i];
    }
    return all;
}

static bool is_of_size(const lineup *all, size_t a, size_t b)
{
    return all->cases[a]->layout->locations == all->cases[b]->layout->locations;
}

/// The cases of one size stand together; the first of the next one.
static size_t end_of_size(const lineup *all, size_t first)
{
    size_t end = first + 1;
    while (end < all->count && is_of_size(all, end, first))
        end++;
    return end;
}

/// The mean of cases [from, to) over the reference; 0 when one of them lacks the quantity. Where
/// they are smaller than the reference it is taken the other way round, so that the choice of the
/// reference changes nothing.
static double vote_of_size(const lineup *all, size_t from, size_t to,
                           double (*quantity)(const pj_case *one))
{
    double first = quantity(all->cases[all->reference]), sum = 0;
    for (size_t i = from; i < to; i++) {
        double value = quantity(all->cases[i]);
        if (value <= 0)
            return 0;
        sum += from < all->reference ? first / value : value / first;
    }
    return sum / (double)(to - from);
}

/// One vote a size, however often it was run; cases of the reference's size tell nothing.
static indicator indicate(const lineup *all, const char *title,
                          double (*quantity)(const pj_case *one))
{
    bool available = quantity(all->cases[all->reference]) > 0;
    double sum = 0;
    size_t sizes = 0;
    for (size_t from = 0, to; available && from < all->count; from = to) {
        to = end_of_size(all, from);
        if (is_of_size(all, from, all->reference))
            continue;
        double vote = vote_of_size(all, from, to, quantity);
        available = vote > 0;
        sum += vote;
        sizes++;
    }
    available = available && sizes > 0;
    return (indicator){title, available ? sum / (double)sizes : 0, available};
}

static const char *const scaling_names[] = {"auto", "strong", "weak"};

/// Two of three indicators above 0.9 mean weak scaling (BSC Basic Analysis, 2026).
static void detect(pj_study *study, const lineup *all, pj_scaling wanted)
{
    const indicator indicators[] = {
        indicate(all, "instructions per thread", instructions_per_thread),
        indicate(all, "runtime", runtime),
        indicate(all, "useful time per thread", useful_per_thread),
    };
    unsigned votes = 0, voters = 0;
    pj_auto_buf seen = {0};
    for (size_t i = 0; i < sizeof indicators / sizeof *indicators; i++) {
        if (!indicators[i].available)
            continue;
        voters++;
        votes += indicators[i].mean > 0.9;
        pj_buf_addf(&seen, "%s%s %.2f", seen.len ? ", " : "", indicators[i].title,
                    indicators[i].mean);
    }
    pj_scaling detected = votes >= 2 ? PJ_SCALING_WEAK : PJ_SCALING_STRONG;
    study->scaling = wanted == PJ_SCALING_AUTO ? detected : wanted;
    const char *name = scaling_names[study->scaling];
    if (wanted != PJ_SCALING_AUTO)
        study->scaling_note = pj_arena_format(
            study->arena, "%s scaling (chosen%s)", name,
            voters && wanted != detected ? "; the runs look like the other kind" : "");
    else if (voters)
        study->scaling_note = pj_arena_format(
            study->arena, "%s scaling (detected: %s of the reference run)", name, seen.at);
    else
        study->scaling_note =
            study->one_size
                ? "one size: nothing to detect"
                : pj_arena_format(study->arena, "%s scaling (nothing to detect it by)", name);
}

/// Why computation cannot be compared, unless the user says what with.
static const char *why_alone(const pj_study *study, const lineup *all, pj_scaling wanted)
{
    if (!study->one_size || study->chosen || wanted != PJ_SCALING_AUTO)
        return NULL;
    return all->count == 1 ? "one run: computation cannot be compared"
                           : "runs of one size: computation cannot be compared";
}

void pj_study_scale(pj_study *study, pj_scaling wanted)
{
    pj_auto_arena kept = pj_arena_new(NULL);
    lineup all = line_up(study, false, kept);
    lineup whole = line_up(study, true, kept); // what is cut does not tell the work of its run
    study->one_size = end_of_size(&all, 0) == all.count;
    detect(study, &whole, wanted);
    study->alone = why_alone(study, &all, wanted);
}
