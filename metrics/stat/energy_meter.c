// Energies of intervals are kept by the length of these: which of them are gaps is known when all
// lengths are. Differences of integers below 2^53 add up without rounding.
#include "metrics/stat/energy_meter.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COUNTER, POWER, WAYS };
enum {
    EIGHTHS = 8,
    GAP = 10,      // times the usual interval
    CHANGES = 100, // after so many, power that never fell is a counter
};

static double value_of(pj_meter_value type, uint64_t bits)
{
    double real;
    memcpy(&real, &bits, sizeof real);
    return type == PJ_METER_REAL     ? real
           : type == PJ_METER_SIGNED ? (double)(int64_t)bits
                                     : (double)bits;
}

double pj_energy_meter_value(const pj_energy_meter *m)
{
    return m->begun ? value_of(m->type, m->bits) : NAN;
}

static double *zeros(size_t count)
{
    return memset(pj_take_memory(count * sizeof(double)), 0, count * sizeof(double));
}

static unsigned length_of(uint64_t ns)
{
    unsigned power = 63u - (unsigned)__builtin_clzll(ns | 1);
    uint64_t below = power >= 3 ? ns >> (power - 3) : ns << (3 - power);
    return power * EIGHTHS + (unsigned)(below & (EIGHTHS - 1));
}

static pj_energy_bin *bin_of(pj_energy_meter *m, uint64_t ns)
{
    unsigned length = length_of(ns);
    size_t at = 0;
    while (at < m->count && m->bins[at].length < length)
        at++;
    if (at < m->count && m->bins[at].length == length)
        return &m->bins[at];
    if (m->count == m->cap)
        pj_grow(m->bins, &m->cap, m->count + 1);
    memmove(m->bins + at + 1, m->bins + at, (m->count++ - at) * sizeof *m->bins);
    m->bins[at] = (pj_energy_bin){
        .length = length, .min = {INFINITY, INFINITY}, .max = {-INFINITY, -INFINITY}};
    for (int way = 0; way < WAYS && m->regions; way++)
        m->bins[at].regions[way] = zeros(m->regions);
    return &m->bins[at];
}

/// How much a counter went on; NaN where it began anew. A counter of a known width has come around
/// when it falls by more than half of that.
static double counted(pj_energy_meter *m, pj_meter_value type, uint64_t bits)
{
    double before = value_of(m->type, m->bits), now = value_of(type, bits);
    m->rises += now > before;
    if (now >= before)
        return type == PJ_METER_UNSIGNED && m->type == type ? (double)(bits - m->bits)
                                                            : now - before;
    const double ranges[] = {m->meter->lesser_range, m->meter->range};
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        if (before - now > ranges[i] / 2 && ranges[i] > before)
            return now - before + ranges[i];
    bool anew = before - now > before / 2;
    m->falls += !anew;
    m->resets += anew;
    return NAN;
}

static double power_between(const pj_energy_meter *m, pj_meter_value type, uint64_t bits)
{
    double before = value_of(m->type, m->bits), now = value_of(type, bits);
    switch (m->meter->timing) {
    case PJ_METER_UP_TO_HERE:
        return now;
    case PJ_METER_POINT:
        return before / 2 + now / 2;
    case PJ_METER_FROM_HERE:
        break;
    }
    return before;
}

/// The energy of an interval is shared by the time of what is done in it; the rest is idle.
static void add(pj_energy_bin *bin, int way, double energy, double watts, const double *parts)
{
    bin->sum[way] += energy;
    for (unsigned s = 0; s < PJ_ENERGY_IDLE && parts; s++)
        bin->states[way][s] += energy * parts[s];
    bin->min[way] = watts < bin->min[way] ? watts : bin->min[way];
    bin->max[way] = watts > bin->max[way] ? watts : bin->max[way];
}

/// Parts of one; false where nothing is known.
static bool parts_of(const pj_energy_meter *m, const double *states, double *parts)
{
    double all = 0;
    if (!states)
        return false;
    for (unsigned s = 0; s < PJ_ENERGY_STATES; s++)
        all += parts[s] = states[s] - m->states[s];
    for (unsigned s = 0; s < PJ_ENERGY_STATES; s++)
        parts[s] /= all > 0 ? all : 1;
    return all > 0;
}

/// What part of the interval was spent in each region, the last one is what is outside.
static void find_region_parts(pj_energy_meter *m)
{
    double all = 0;
    for (size_t r = 0; m->were_in && r < m->regions; r++)
        all += m->region_parts[r] = m->in_regions[r] - m->were_in[r];
    for (size_t r = 0; m->were_in && r < m->regions; r++)
        m->region_parts[r] = all > 0 ? m->region_parts[r] / all : 0;
}

static void share_regions(const pj_energy_meter *m, double *into, double joules)
{
    for (size_t r = 0; m->region_parts && r < m->regions; r++)
        into[r] += joules * m->region_parts[r];
}

static void add_interval(pj_energy_meter *m, int64_t time, pj_meter_value type, uint64_t bits,
                         const double *states)
{
    const double second = 1e9;
    int64_t from = m->time > m->from ? m->time : m->from, to = time < m->to ? time : m->to;
    uint64_t ns = (uint64_t)(time - m->time), covered = to > from ? (uint64_t)(to - from) : 0;
    double inside = (double)covered / (double)ns, parts[PJ_ENERGY_STATES];
    pj_energy_bin *bin = bin_of(m, ns);
    const double *known = parts_of(m, states, parts) ? parts : NULL;
    double counter = counted(m, type, bits), power = power_between(m, type, bits);
    bin->count++;
    bin->ns += ns;
    if (!covered)
        return;
    bin->covered_ns += covered;
    find_region_parts(m);
    double joules = power * (double)covered / second;
    add(bin, POWER, joules, power, known);
    share_regions(m, bin->regions[POWER], joules);
    if (isnan(counter))
        return;
    bin->counter_ns += covered;
    joules = covered == ns ? counter : counter * inside;
    add(bin, COUNTER, joules, counter * second / (double)ns, known);
    share_regions(m, bin->regions[COUNTER], joules);
}

/// The next sample is about the time from here on.
static void keep_regions(pj_energy_meter *m)
{
    if (!m->regions || !m->in_regions)
        return;
    if (!m->were_in) {
        m->were_in = zeros(m->regions);
        m->region_parts = zeros(m->regions);
    }
    memcpy(m->were_in, m->in_regions, m->regions * sizeof *m->were_in);
}

void pj_energy_meter_take(pj_energy_meter *m, int64_t time, pj_meter_value type, uint64_t bits,
                          const double *states)
{
    double value = value_of(type, bits);
    if (!(value >= 0 && value <= DBL_MAX)) {
        m->dropped++;
        return;
    }
    m->samples++;
    if (!m->begun)
        m->first = value;
    if (m->begun && time <= m->time && m->count) // the next one holds it too
        return;
    if (m->begun && time > m->time)
        add_interval(m, time, type, bits, states);
    m->begun = true;
    m->time = time;
    m->bits = bits;
    m->type = type;
    if (states)
        memcpy(m->states, states, sizeof m->states);
    keep_regions(m);
}

static pj_meter_kind kind_of(const pj_energy_meter *m)
{
    if (m->meter->kind == PJ_METER_ENERGY && m->falls)
        return PJ_METER_POWER;
    if (m->meter->kind == PJ_METER_POWER && !m->falls && !m->resets && m->rises >= CHANGES)
        return PJ_METER_ENERGY;
    return m->meter->kind;
}

/// The median, as the mean of those of about its length.
static uint64_t usual_step(const pj_energy_meter *m)
{
    uint64_t all = 0, seen = 0;
    for (size_t i = 0; i < m->count; i++)
        all += m->bins[i].count;
    for (size_t i = 0; i < m->count; i++)
        if ((seen += m->bins[i].count) * 2 >= all)
            return m->bins[i].ns / m->bins[i].count;
    return 0;
}

static void add_bin(pj_energy_reading *out, const pj_energy_bin *bin, int way)
{
    out->covered_ns += way == COUNTER ? bin->counter_ns : bin->covered_ns;
    out->sum += bin->sum[way];
    for (unsigned s = 0; s < PJ_ENERGY_IDLE; s++)
        out->states[s] += bin->states[way][s];
    out->min = bin->min[way] < out->min ? bin->min[way] : out->min;
    out->max = bin->max[way] > out->max ? bin->max[way] : out->max;
}

pj_energy_reading pj_energy_meter_end(const pj_energy_meter *m)
{
    pj_energy_reading out = {.kind = kind_of(m),
                             .samples = m->samples,
                             .dropped = m->dropped,
                             .step_ns = usual_step(m),
                             .first = m->first,
                             .last = m->begun ? value_of(m->type, m->bits) : 0,
                             .min = INFINITY,
                             .max = -INFINITY};
    int way = out.kind == PJ_METER_ENERGY ? COUNTER : POWER;
    out.resets = way == COUNTER ? m->resets : 0;
    unsigned most = length_of(out.step_ns * GAP);
    for (size_t i = 0; i < m->count; i++) {
        if (m->bins[i].length > most)
            out.gaps += m->bins[i].count;
        else
            add_bin(&out, &m->bins[i], way);
    }
    out.states[PJ_ENERGY_IDLE] = out.sum;
    for (unsigned s = 0; s < PJ_ENERGY_IDLE; s++)
        out.states[PJ_ENERGY_IDLE] -= out.states[s];
    return out;
}

void pj_energy_meter_end_regions(const pj_energy_meter *m, double *out)
{
    int way = kind_of(m) == PJ_METER_ENERGY ? COUNTER : POWER;
    unsigned most = length_of(usual_step(m) * GAP);
    double sum = 0;
    memset(out, 0, m->regions * sizeof *out);
    for (size_t i = 0; i < m->count && m->bins[i].length <= most; i++) {
        sum += m->bins[i].sum[way];
        for (size_t r = 0; r + 1 < m->regions; r++)
            out[r] += m->bins[i].regions[way][r];
    }
    for (size_t r = 0; r + 1 < m->regions; r++)
        sum -= out[r];
    out[m->regions - 1] = sum;
}

void pj_energy_meter_free(pj_energy_meter *m)
{
    for (size_t i = 0; i < m->count; i++)
        for (int way = 0; way < WAYS; way++)
            free(m->bins[i].regions[way]);
    free(m->were_in);
    free(m->region_parts);
    free(m->bins);
    *m = (pj_energy_meter){.meter = NULL};
}
