// Which meters make up the whole, and their table.
#include "metrics/run/energy.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"

#include <math.h>
#include <string.h>

static bool is_measured(const pj_energy_row *row)
{
    return row->reading.covered_ns > 0;
}

/// Joules or watts; a millionth is told by division, which keeps the digits of the value.
static double in_units(const pj_energy_row *row, double value)
{
    const double close = 1e-12;
    double parts = nearbyint(1 / row->meter.factor);
    bool whole = fabs(parts * row->meter.factor - 1) < close;
    double out = whole ? value / parts : value * row->meter.factor;
    return is_measured(row) && row->meter.factor > 0 && isfinite(out) ? out : NAN;
}

double pj_energy_joules(const pj_energy_row *row)
{
    return in_units(row, row->reading.sum);
}

static double mean_watts(const pj_energy_row *row)
{
    return pj_energy_joules(row) * 1e9 / (double)row->reading.covered_ns;
}

static bool same_scope(const pj_energy_row *a, const pj_energy_row *b)
{
    return strcmp(a->meter.scope, b->meter.scope) == 0;
}

static bool same_part(const pj_energy_row *a, const pj_energy_row *b)
{
    return same_scope(a, b) && a->meter.source == b->meter.source &&
           a->meter.domain == b->meter.domain && a->meter.number == b->meter.number;
}

static void set_apart(pj_energy_row *row, const char *why)
{
    if (!row->apart)
        row->apart = why;
}

/// Some drivers give a counter that stands still while its device uses power.
static void settle_stuck(pj_energy *energy)
{
    for (uint32_t i = 0; i < energy->count; i++)
        for (uint32_t k = 0; k < energy->count; k++) {
            pj_energy_row *row = &energy->rows[i];
            const pj_energy_row *other = &energy->rows[k];
            bool stands =
                row->reading.kind == PJ_METER_ENERGY && is_measured(row) && row->reading.sum == 0;
            if (stands && same_part(row, other) && other->reading.kind == PJ_METER_POWER &&
                pj_energy_joules(other) > 0)
                set_apart(row, "it stands still while there is power");
        }
}

/// A counter counts before power, and one of several that are the same.
static void settle_parts(pj_energy *energy)
{
    for (uint32_t i = 0; i < energy->count; i++)
        for (uint32_t k = 0; k < energy->count; k++) {
            pj_energy_row *row = &energy->rows[i];
            const pj_energy_row *other = &energy->rows[k];
            if (i == k || !same_part(row, other) || other->apart)
                continue;
            bool counter = other->reading.kind == PJ_METER_ENERGY;
            if (counter && row->reading.kind == PJ_METER_POWER) {
                row->same = k;
                set_apart(row, "its counter counts");
            } else if (k < i && other->reading.kind == row->reading.kind) {
                row->same = k;
                set_apart(row, "recorded more than once");
            }
        }
}

/// Two sources read one sensor where most of their values and the energies agree.
static bool are_one(const pj_energy *energy, const pj_energy_pair *pairs, uint32_t i, uint32_t k,
                    double *apart)
{
    const double most = 0.01;
    const pj_energy_pair *pair = &pairs[(size_t)i * energy->count + k];
    double a = pj_energy_joules(&energy->rows[i]), b = pj_energy_joules(&energy->rows[k]);
    *apart = fabs(a - b) / fmax(a, b);
    return pair->near > pair->total / 2 && *apart < most;
}

static void settle_sensors(pj_energy *energy, const pj_energy_pair *pairs, pj_arena *arena)
{
    for (uint32_t i = 0; i < energy->count; i++) {
        pj_energy_row *row = &energy->rows[i];
        double least = INFINITY, apart;
        for (uint32_t k = 0; k < energy->count; k++) {
            if (energy->rows[k].meter.source >= row->meter.source ||
                !same_scope(row, &energy->rows[k]) || !are_one(energy, pairs, i, k, &apart) ||
                apart >= least)
                continue;
            least = apart;
            row->same = k;
        }
        if (least < INFINITY)
            set_apart(row, pj_arena_format(arena, "the sensor of %s",
                                           energy->rows[row->same].meter.name));
    }
}

/// Whether a row of its scope that may count has this domain, from a source that stands first.
static bool has(const pj_energy *energy, const pj_energy_row *row, pj_meter_domain domain,
                unsigned before)
{
    for (uint32_t i = 0; i < energy->count; i++) {
        const pj_energy_row *other = &energy->rows[i];
        if (!other->apart && other->meter.domain == domain && other->meter.source < before &&
            same_scope(row, other))
            return true;
    }
    return false;
}

static const char *why_apart(const pj_energy *energy, const pj_energy_row *row)
{
    enum { ANY = PJ_METER_SOURCES + 1 };
    pj_meter_domain domain = row->meter.domain;
    if (!is_measured(row))
        return "it has no two readings";
    if (isnan(pj_energy_joules(row)))
        return row->meter.factor > 0 ? "it is too large for a number"
                                     : "the trace does not tell its unit: --energy-unit does";
    if (has(energy, row, domain, row->meter.source))
        return "another source of its kind counts";
    if (domain != PJ_METER_NODE && has(energy, row, PJ_METER_NODE, ANY))
        return "the node holds it";
    bool in_platform = domain == PJ_METER_PACKAGE || domain == PJ_METER_DRAM;
    if (in_platform && has(energy, row, PJ_METER_PLATFORM, ANY))
        return "the platform holds it";
    if (domain == PJ_METER_CORES || domain == PJ_METER_UNCORE)
        return "it is a part of a package";
    return domain == PJ_METER_OTHER ? "it is not known what it is a part of" : NULL;
}

/// In the order of the domains, so that what holds others is settled before them.
static void settle_domains(pj_energy *energy)
{
    for (int domain = PJ_METER_NODE; domain < PJ_METER_DOMAINS; domain++)
        for (unsigned source = 0; source <= PJ_METER_SOURCES; source++)
            for (uint32_t i = 0; i < energy->count; i++) {
                pj_energy_row *row = &energy->rows[i];
                if ((int)row->meter.domain == domain && row->meter.source == source && !row->apart)
                    set_apart(row, why_apart(energy, row));
            }
}

static void add_up(pj_energy *energy)
{
    bool any = false, shared = true;
    for (uint32_t i = 0; i < energy->count; i++) {
        pj_energy_row *row = &energy->rows[i];
        row->counted = !row->apart;
        if (!row->counted)
            continue;
        any = true;
        shared &= row->share != PJ_ENERGY_OF_NOBODY;
        energy->joules += pj_energy_joules(row);
        energy->watts += mean_watts(row);
        for (unsigned s = 0; s < PJ_ENERGY_STATES; s++)
            energy->states[s] += in_units(row, row->reading.states[s]);
    }
    for (unsigned s = 0; s < PJ_ENERGY_STATES && !(any && shared); s++)
        energy->states[s] = NAN;
    if (!any || !isfinite(energy->joules))
        energy->joules = energy->watts = NAN;
}

const char *pj_energy_lack(const pj_run *run)
{
    const pj_energy *energy = run->energy;
    if (energy && !isnan(energy->joules))
        return NULL;
    for (uint32_t i = 0; energy && i < energy->count; i++)
        if (energy->rows[i].apart)
            return energy->rows[i].apart;
    return run->meters.left_out
               ? "threads record its metrics of energy or power, which are not read"
               : "no metrics of energy or power are known of this run";
}

const char *pj_energy_sampling(const pj_energy *energy, pj_arena *arena)
{
    const double ms = 1e6;
    uint64_t least = UINT64_MAX, most = 0;
    for (uint32_t i = 0; i < energy->count; i++) {
        uint64_t step = energy->rows[i].reading.step_ns;
        if (!energy->rows[i].counted)
            continue;
        least = step < least ? step : least;
        most = step > most ? step : most;
    }
    if (isnan(energy->joules))
        return NULL;
    const char *all = pj_arena_format(arena, "%.1f", (double)least / ms),
               *to = pj_arena_format(arena, "%.1f", (double)most / ms);
    bool one = strcmp(all, to) == 0;
    return pj_arena_format(arena,
                           "shared by time; sampled every %s%s%s ms: what is shorter than that is "
                           "told on average only",
                           all, one ? "" : " to ", one ? "" : to);
}

const char *pj_energy_lack_states(const pj_run *run)
{
    const char *lack = pj_energy_lack(run);
    bool shared = lack || !isnan(run->energy->states[PJ_ENERGY_IDLE]);
    return shared ? lack : "of some meter that counts it is not known what runs there";
}

void pj_energy_settle(pj_energy *energy, const pj_energy_pair *pairs, pj_arena *arena)
{
    for (uint32_t i = 0; i < energy->count; i++)
        if (isnan(pj_energy_joules(&energy->rows[i])))
            set_apart(&energy->rows[i], why_apart(energy, &energy->rows[i]));
    settle_stuck(energy);
    settle_parts(energy);
    if (pairs)
        settle_sensors(energy, pairs, arena);
    settle_domains(energy);
    add_up(energy);
}

/// Sensors that two sources read are then told by their domain alone.
const pj_energy *pj_energy_in_unit(const pj_energy *energy, double factor, pj_arena *arena)
{
    bool asked = false;
    for (uint32_t i = 0; energy && i < energy->count; i++)
        asked |= energy->rows[i].meter.factor == 0;
    if (!asked || factor == 0)
        return energy;
    pj_energy *out = pj_new(arena, pj_energy);
    *out = (pj_energy){.rows = pj_new_n(arena, pj_energy_row, energy->count),
                       .count = energy->count,
                       .regions = energy->regions,
                       .region_count = energy->region_count,
                       .span_ns = energy->span_ns};
    for (uint32_t i = 0; i < out->count; i++) {
        const pj_energy_row *row = &energy->rows[i];
        out->rows[i] = (pj_energy_row){.meter = row->meter,
                                       .reading = row->reading,
                                       .share = row->share,
                                       .regions = row->regions,
                                       .same = i};
        if (row->meter.factor == 0)
            out->rows[i].meter.factor = factor;
    }
    pj_energy_settle(out, NULL, arena);
    return out;
}

// The table

enum {
    DOMAIN,
    SCOPE,
    SOURCE,
    KIND,
    UNIT,
    SAMPLES,
    STEP,
    COVERED,
    JOULES,
    STATE,
    MEAN = STATE + PJ_ENERGY_STATES,
    LEAST,
    MOST,
    DEVIATION,
    COUNTED,
    COLUMNS,
};

static pj_cell real_cell(double value, const char *why)
{
    return isfinite(value) ? pj_cell_real(value) : pj_cell_empty(why);
}

static pj_cell text_cell(const char *text, const char *why)
{
    return *text ? pj_cell_text(text) : pj_cell_empty(why);
}

/// "uJ", "W"; "6.1e-05 J" where the unit has no name.
static const char *unit_name(double factor, bool counter, pj_arena *arena)
{
    static const struct {
        double factor;
        const char *begin;
    } units[] = {{1e-9, "n"}, {1e-6, "u"}, {1e-3, "m"}, {1, ""}, {1e3, "k"}};
    const char *end = counter ? "J" : "W";
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (fabs(factor / units[i].factor - 1) < 1e-12)
            return pj_arena_format(arena, "%s%s", units[i].begin, end);
    return pj_arena_format(arena, "%g %s", factor, end);
}

/// Joules while something was done; why there are none.
static pj_cell state_cell(const pj_energy_row *row, pj_energy_state state, const char *why)
{
    bool told = row->share == PJ_ENERGY_OF_TOLD;
    bool device = told || row->share == PJ_ENERGY_OF_DEVICE || row->share == PJ_ENERGY_UNUSED;
    if (row->share == PJ_ENERGY_OF_NOBODY)
        return pj_cell_empty("nothing in the trace is known to run there");
    if (device && (state == PJ_ENERGY_MPI || state == PJ_ENERGY_RUNTIME))
        return pj_cell_empty("threads do that, not devices");
    if (row->share == PJ_ENERGY_OF_DEVICE && state == PJ_ENERGY_WAIT)
        return pj_cell_empty("exchanges that wait are not told from those that move data");
    if (!device && (state == PJ_ENERGY_TRANSFER || state == PJ_ENERGY_WAIT))
        return pj_cell_empty("devices do that, not threads");
    return real_cell(in_units(row, row->reading.states[state]), why);
}

static pj_cell deviation_cell(const pj_energy *energy, uint32_t at)
{
    const pj_energy_row *row = &energy->rows[at];
    if (row->same == at)
        return pj_cell_empty("nothing else measures the same");
    double of = pj_energy_joules(&energy->rows[row->same]);
    return of > 0 ? real_cell(pj_energy_joules(row) / of - 1, row->apart)
                  : pj_cell_empty("the other one measured nothing");
}

static void add_row(pj_table *table, const pj_energy *energy, uint32_t at)
{
    const pj_energy_row *row = &energy->rows[at];
    const pj_energy_reading *reading = &row->reading;
    const char *why = row->apart ? row->apart : "";
    bool counter = reading->kind == PJ_METER_ENERGY;
    double joules = pj_energy_joules(row), rate = is_measured(row) ? 1 : NAN;
    pj_cell *cells = pj_table_add_row(table);
    cells[DOMAIN] = pj_cell_text(pj_arena_format(
        table->arena, "%s %u", pj_meter_domain_name(row->meter.domain), row->meter.number));
    cells[SCOPE] = text_cell(row->meter.scope, "the trace does not tell");
    cells[SOURCE] = pj_cell_text(row->meter.name);
    cells[KIND] = pj_cell_text(counter ? "counter" : "power");
    cells[UNIT] = row->meter.factor > 0
                      ? pj_cell_text(unit_name(row->meter.factor, counter, table->arena))
                      : pj_cell_empty("the trace does not tell it");
    cells[SAMPLES] = pj_cell_int((int64_t)reading->samples);
    cells[STEP] = reading->step_ns ? pj_cell_int((int64_t)reading->step_ns) : pj_cell_empty(why);
    cells[COVERED] = energy->span_ns
                         ? pj_cell_real((double)reading->covered_ns / (double)energy->span_ns)
                         : pj_cell_empty("the run has no length");
    cells[JOULES] = real_cell(joules, why);
    for (unsigned s = 0; s < PJ_ENERGY_STATES; s++)
        cells[STATE + s] = state_cell(row, s, why);
    cells[MEAN] = real_cell(mean_watts(row), why);
    cells[LEAST] = real_cell(in_units(row, reading->min) * rate, why);
    cells[MOST] = real_cell(in_units(row, reading->max) * rate, why);
    cells[DEVIATION] = deviation_cell(energy, at);
    cells[COUNTED] = pj_cell_text(row->counted ? "yes" : row->apart);
    for (size_t i = 0; i < COLUMNS; i++) // the table may outlive the run
        cells[i] = pj_table_copy_cell(table, cells[i]);
}

static void add_note(pj_buf *note, uint64_t count, const char *text)
{
    if (count)
        pj_buf_addf(note, "%s%llu %s", note->len ? "\n" : "", (unsigned long long)count, text);
}

/// Power lags: where it changes in all of the time, its sum is off by more than where it is steady.
static void add_deviation(pj_buf *note, const pj_energy *energy, uint32_t at)
{
    const double steady = 0.01, unsteady = 0.05;
    const pj_energy_row *row = &energy->rows[at], *counter = &energy->rows[row->same];
    double joules = pj_energy_joules(row), of = pj_energy_joules(counter);
    bool both = row->same != at && row->reading.kind == PJ_METER_POWER &&
                counter->reading.kind == PJ_METER_ENERGY && of > 0;
    double apart = both ? fabs(joules / of - 1) : 0;
    if (!(apart > steady))
        return;
    double first = row->reading.first, last = row->reading.last;
    bool changes = fabs(first - last) > fmax(first, last) / 2;
    pj_buf_addf(note, "%s%s %u: power and counter differ by %.1f %%", note->len ? " " : "",
                pj_meter_domain_name(row->meter.domain), row->meter.number, 100 * apart);
    if (changes)
        pj_buf_addf(note,
                    ", its power at begin and end by more than half (%.0f and %.0f W): up to "
                    "%.0f %% are to be expected.",
                    in_units(row, first), in_units(row, last), 100 * unsteady);
    if (!changes || apart > unsteady)
        pj_buf_puts(note, changes ? " It is more." : ", more than steady power explains.");
}

/// The values decide, whatever a name says.
static void add_decision(pj_buf *note, const pj_energy_row *row)
{
    if (row->reading.kind != row->meter.kind)
        pj_buf_addf(note, "%s%s is %s by its values.", note->len ? " " : "", row->meter.name,
                    row->reading.kind == PJ_METER_ENERGY ? "a counter of energy" : "power");
}

static const char *note_of(pj_table *table, const pj_run *run, const pj_energy *energy)
{
    if (!run->meters.count && !run->meters.left_out)
        return "The trace has no metrics of energy or power.";
    pj_auto_buf note = {.at = NULL};
    uint64_t dropped = 0, resets = 0, gaps = 0;
    for (uint32_t i = 0; energy && i < energy->count; i++) {
        dropped += energy->rows[i].reading.dropped;
        resets += energy->rows[i].reading.resets;
        gaps += energy->rows[i].reading.gaps;
    }
    const char *sampling = energy ? pj_energy_sampling(energy, table->arena) : NULL;
    if (sampling)
        pj_buf_addf(&note, "%.6f J in all, of the meters that count; %s.", energy->joules,
                    sampling);
    for (uint32_t i = 0; energy && i < energy->count; i++)
        add_deviation(&note, energy, i);
    for (uint32_t i = 0; energy && i < energy->count; i++)
        add_decision(&note, &energy->rows[i]);
    add_note(&note, dropped, "readings that are negative or no numbers were left out.");
    add_note(&note, resets, "times a counter began anew; these pieces are left out.");
    add_note(&note, gaps, "gaps of more than ten times the usual step have no data.");
    add_note(&note, run->meters.left_out,
             "metrics of energy are not read: threads record them each for itself, or they are too "
             "many.");
    return note.len ? pj_arena_text(table->arena, pj_buf_str(&note)) : NULL;
}

pj_table *pj_energy_table(const pj_run *run, double factor)
{
    static const pj_column columns[COLUMNS] = {
        {"domain", "Domain", NULL, PJ_UNIT_NONE, PJ_TEXT},
        {"scope", "Of", NULL, PJ_UNIT_NONE, PJ_TEXT},
        {"source", "Metric", NULL, PJ_UNIT_NONE, PJ_TEXT},
        {"kind", "Kind", "By its values: a counter of energy, or power.", PJ_UNIT_NONE, PJ_TEXT},
        {"unit", "Unit", "Of its values.", PJ_UNIT_NONE, PJ_TEXT},
        {"samples", "Samples", NULL, PJ_UNIT_NONE, PJ_TEXT_NONE},
        {"step_ns", "Step", "Median time between two samples.", PJ_UNIT_NS, PJ_TEXT_NONE},
        {"covered", "Covered", "Share of the time for which there are data.", PJ_UNIT_RATIO,
         PJ_TEXT_NONE},
        {"energy_j", "Energy, J", NULL, PJ_UNIT_NONE, PJ_TEXT_NONE},
        {"useful_j", "Useful, J", "While kernels run, or threads compute.", PJ_UNIT_NONE,
         PJ_TEXT_NONE},
        {"transfer_j", "Transfer, J", "While data are moved or exchanged and no kernel runs.",
         PJ_UNIT_NONE, PJ_TEXT_NONE},
        {"wait_j", "Waiting, J", "While devices wait for others in exchanges.", PJ_UNIT_NONE,
         PJ_TEXT_NONE},
        {"mpi_j", "MPI, J", "While threads are in MPI.", PJ_UNIT_NONE, PJ_TEXT_NONE},
        {"runtime_j", "Runtime, J", "While threads are in the runtime of devices.", PJ_UNIT_NONE,
         PJ_TEXT_NONE},
        {"idle_j", "Idle, J", "The rest.", PJ_UNIT_NONE, PJ_TEXT_NONE},
        {"mean_w", "Mean, W", NULL, PJ_UNIT_NONE, PJ_TEXT_NONE},
        {"min_w", "Least, W", NULL, PJ_UNIT_NONE, PJ_TEXT_NONE},
        {"max_w", "Most, W", NULL, PJ_UNIT_NONE, PJ_TEXT_NONE},
        {"deviation", "Deviation", "From what measures the same.", PJ_UNIT_CHANGE, PJ_TEXT_NONE},
        {"counted", "Counts", "In the whole, or why not.", PJ_UNIT_NONE, PJ_TEXT},
    };
    pj_table *table = pj_table_new("");
    table->title = pj_arena_format(table->arena, "Energy of %s", run->name);
    for (size_t i = 0; i < COLUMNS; i++)
        pj_table_add_column(table, columns[i]);
    const pj_energy *energy = pj_energy_in_unit(run->energy, factor, table->arena);
    for (uint32_t i = 0; energy && i < energy->count; i++)
        add_row(table, energy, i);
    table->note = note_of(table, run, energy);
    return table;
}

// By region

/// Joules of the meters that count.
static double region_joules(const pj_energy *energy, size_t region)
{
    double sum = 0;
    for (uint32_t i = 0; i < energy->count; i++)
        if (energy->rows[i].counted)
            sum += in_units(&energy->rows[i], energy->rows[i].regions[region]);
    return sum;
}

static const char *note_of_regions(const pj_table *table, const pj_run *run,
                                   const pj_energy *energy)
{
    const char *lack = pj_energy_lack(run);
    if (!energy || isnan(energy->joules))
        return pj_arena_format(table->arena, "No joules: %s.", lack ? lack : "no meter counts");
    if (!energy->region_count)
        return "The trace names no regions of the program, or too many.";
    return pj_arena_format(
        table->arena,
        "%.6f J in all, %s. A region has what is used while the first threads of "
        "ranks of that node are in it and in none within it.",
        energy->joules, pj_energy_sampling(energy, table->arena));
}

pj_table *pj_energy_regions_table(const pj_run *run, double factor)
{
    static const pj_column columns[] = {
        {"region", "Region", NULL, PJ_UNIT_NONE, PJ_TEXT},
        {"energy_j", "Energy, J", NULL, PJ_UNIT_NONE, PJ_TEXT_NONE},
        {"share", "Share", "Of the energy of the run.", PJ_UNIT_RATIO, PJ_TEXT_NONE},
    };
    pj_table *table = pj_table_new("");
    table->title = pj_arena_format(table->arena, "Energy of regions of %s", run->name);
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        pj_table_add_column(table, columns[i]);
    const pj_energy *energy = pj_energy_in_unit(run->energy, factor, table->arena);
    table->note = note_of_regions(table, run, energy);
    for (size_t r = 0; energy && !isnan(energy->joules) && r < energy->region_count; r++) {
        const char *name = energy->regions[r];
        double joules = region_joules(energy, r);
        if (joules == 0)
            continue;
        pj_cell *cells = pj_table_add_row(table);
        cells[0] = name ? pj_table_copy_cell(table, pj_cell_text(name))
                        : pj_cell_empty("outside of all regions");
        cells[1] = pj_cell_real(joules);
        cells[2] = real_cell(joules / energy->joules, "no energy was used");
    }
    return table;
}
