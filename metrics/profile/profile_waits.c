// What waits is told by metrics where the source has measured it (VTune's spin time), else by the
// names of functions, as in pictures and findings.
#include "metrics/profile/profile_waits.h"

#include "metrics/base/arena.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "metrics/profile/find/profile_facts.h"
#include "metrics/profile/function_name.h"
#include "metrics/profile/profile.h"
#include "metrics/profile/profile_sums.h"
#include "metrics/table/table.h"

#include <math.h>

typedef struct rank_times {
    double all, mpi, waiting, overhead;
} rank_times;

static bool is_mpi(const pj_profile *p, uint32_t region)
{
    static const char *const starts[] = {"MPI_", "PMPI_", "mpi_"};
    pj_str name = pj_str_trim(pj_profile_name(p, region));
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (pj_str_starts(name, pj_str_of(starts[i])))
            return true;
    return p->regions[region].kind == PJ_REGION_mpi || pj_str_contains(name, PJ_S("mpi4py"));
}

static void add_item(const pj_profile_facts *f, uint32_t item, uint32_t region, rank_times *ranks)
{
    const pj_profile *p = f->profile;
    bool waits = pj_profile_facts_waits(f, region), mpi = waits && is_mpi(p, region);
    for (uint32_t at = 0; at < p->location_count; at++) {
        double value = pj_profile_sums_size(pj_profile_value(p, f->own, item, at));
        rank_times *rank = &ranks[f->rank_of[at]];
        rank->all += value;
        rank->mpi += mpi ? value : 0;
        rank->waiting += waits && !mpi ? value : 0;
    }
}

/// Own values of a metric that is a part of the time; NULL = there is none.
static const pj_profile_column *part_column(const pj_profile_facts *f, const char *key)
{
    uint32_t measure = pj_profile_measure(f->profile, pj_str_of(key));
    return measure == PJ_NO_ITEM ? NULL
                                 : pj_profile_find(f->profile, f->own->site, PJ_EXCLUSIVE, measure);
}

static double value_or_0(const pj_profile *p, const pj_profile_column *column, uint32_t item,
                         uint32_t at)
{
    return column ? pj_profile_sums_size(pj_profile_value(p, column, item, at)) : 0;
}

/// CPU time that is spent spinning, of it in MPI, and in overhead of parallel runtimes; false = not
/// measured.
static bool add_measured(const pj_profile_facts *f, rank_times *ranks)
{
    const pj_profile *p = f->profile;
    const pj_profile_column *spin = part_column(f, "spin_time");
    const pj_profile_column *mpi = part_column(f, "mpi_busy_wait_time");
    const pj_profile_column *overhead = part_column(f, "overhead_time");
    for (uint32_t i = 0; spin && i < p->count[f->own->site]; i++)
        for (uint32_t at = 0; at < p->location_count; at++) {
            rank_times *rank = &ranks[f->rank_of[at]];
            double busy = value_or_0(p, mpi, i, at);
            rank->all += value_or_0(p, f->own, i, at);
            rank->mpi += busy;
            rank->waiting += fmax(value_or_0(p, spin, i, at) - busy, 0);
            rank->overhead += value_or_0(p, overhead, i, at);
        }
    return spin != NULL;
}

static pj_cell part(double value, double whole, pj_tone tone)
{
    pj_cell cell = whole > 0 ? pj_cell_real(100 * value / whole) : pj_cell_empty("it has no time");
    cell.tone = tone;
    return cell;
}

static void put_row(pj_table *table, pj_cell name, rank_times t)
{
    pj_cell *cell = pj_table_add_row(table);
    double work = t.all - t.mpi - t.waiting - t.overhead;
    *cell++ = name;
    *cell++ = pj_cell_real(t.all);
    *cell++ = pj_cell_real(work > 0 ? work : 0);
    *cell++ = pj_cell_real(t.mpi);
    *cell++ = pj_cell_real(t.waiting);
    *cell++ = part(work > 0 ? work : 0, t.all, PJ_TONE_WORK);
    *cell++ = part(t.mpi, t.all, PJ_TONE_WAIT);
    *cell++ = part(t.waiting, t.all, PJ_TONE_WAIT);
}

static pj_table *new_table(const pj_profile_facts *f)
{
    bool time = f->profile->measures[f->measure].kind == PJ_MEASURE_TIME;
    pj_unit unit = time ? PJ_UNIT_S : PJ_UNIT_NONE;
    const pj_column columns[] = {
        {"rank", "Rank", NULL, PJ_UNIT_IDENTIFIER, PJ_TEXT_NONE},
        {time ? "time_s" : "all", f->profile->measures[f->measure].title, NULL, unit, PJ_TEXT_NONE},
        {time ? "work_s" : "work", "Work", NULL, unit, PJ_TEXT_NONE},
        {time ? "mpi_s" : "mpi", "MPI", NULL, unit, PJ_TEXT_NONE},
        {time ? "waiting_s" : "waiting", "Other waiting", NULL, unit, PJ_TEXT_NONE},
        {"work_percent", "Work %", NULL, PJ_UNIT_PERCENT, PJ_TEXT_NONE},
        {"mpi_percent", "MPI %", NULL, PJ_UNIT_PERCENT, PJ_TEXT_NONE},
        {"waiting_percent", "Waiting %", NULL, PJ_UNIT_PERCENT, PJ_TEXT_NONE},
    };
    pj_table *table = pj_table_new("Work and waiting of each rank");
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        pj_table_add_column(table, columns[i]);
    return table;
}

/// Times are told as precisely as the longest one, so that columns can be compared.
static void set_decimals(pj_table *table, double longest)
{
    enum { DIGITS = 4, MOST_DECIMALS = 9 };
    double before = longest > 0 ? floor(log10(longest)) + 1 : 1;
    unsigned decimals = (unsigned)fmax(0, fmin(MOST_DECIMALS, DIGITS - before));
    for (size_t i = 0; i < table->column_count; i++)
        if (table->columns[i].unit == PJ_UNIT_PERCENT)
            pj_table_set_decimals(table, i, 1);
        else if (table->columns[i].unit == PJ_UNIT_S)
            pj_table_set_decimals(table, i, decimals);
}

pj_table *pj_profile_waits(const pj_profile *p, pj_err *err)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    const pj_profile_facts *f = pj_profile_facts_new(p, arena);
    if (!f || !f->own) {
        pj_fail(err, PJ_E_MISSING, p->file_count ? p->files[0] : NULL, 0,
                "there is no own time of functions: it does not tell work from waiting");
        return NULL;
    }
    rank_times *ranks = pj_new_n(arena, rank_times, f->rank_count + (size_t)1), all = {0};
    bool measured = add_measured(f, ranks);
    for (uint32_t i = 0; !measured && i < p->count[f->own->site]; i++)
        add_item(f, i, f->own->site == PJ_AT_NODE ? p->nodes[i].region : i, ranks);
    pj_table *table = new_table(f);
    double longest = 0;
    for (uint32_t r = 0; r < f->rank_count; r++) {
        put_row(table, pj_cell_int(f->ranks[r]), ranks[r]);
        longest = fmax(longest, ranks[r].all);
        all.all += ranks[r].all;
        all.mpi += ranks[r].mpi;
        all.waiting += ranks[r].waiting;
        all.overhead += ranks[r].overhead;
    }
    set_decimals(table, longest);
    table->note = pj_arena_format(
        table->arena, "of all %u ranks MPI takes %s, other waiting %s%s%s; work is all else, %s",
        f->rank_count, pj_profile_facts_share(f, all.mpi, all.all),
        pj_profile_facts_share(f, all.waiting, all.all), measured ? ", overhead " : "",
        measured ? pj_profile_facts_share(f, all.overhead, all.all) : "",
        measured ? "as the spin time of the report tells" : "told by names");
    return table;
}
