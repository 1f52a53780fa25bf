// Names of metrics as PAPI, Score-P's plugins, lo2s and LIKWID write them.
#include "metrics/trace/meter.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

static const struct {
    const char *key, *word;
    pj_meter_domain domain;
    double joules, watts, range, lesser;
} sources[PJ_METER_SOURCES] = {
#define SOURCE(key, word, domain, joules, watts, range, lesser)                                    \
    [PJ_METER_SOURCE_##key] = {#key, word, PJ_METER_##domain, joules, watts, range, lesser},
#include "metrics/trace/meter_sources.def"
#undef SOURCE
};

static const char *const domain_names[PJ_METER_DOMAINS] = {
    [PJ_METER_NODE] = "node",   [PJ_METER_PLATFORM] = "platform", [PJ_METER_PACKAGE] = "package",
    [PJ_METER_CORES] = "cores", [PJ_METER_UNCORE] = "uncore",     [PJ_METER_DRAM] = "dram",
    [PJ_METER_BOARD] = "board", [PJ_METER_OTHER] = "other",
};

/// Words that say what is measured; the first that is found counts.
static const struct {
    const char *word;
    pj_meter_domain domain;
} words[] = {
    {"psys", PJ_METER_PLATFORM}, {"platform", PJ_METER_PLATFORM}, {"dram", PJ_METER_DRAM},
    {"memory", PJ_METER_DRAM},   {"accel", PJ_METER_BOARD},       {"gpu", PJ_METER_BOARD},
    {"pp0", PJ_METER_CORES},     {"cores", PJ_METER_CORES},       {"pp1", PJ_METER_UNCORE},
    {"uncore", PJ_METER_UNCORE}, {"pkg", PJ_METER_PACKAGE},       {"package", PJ_METER_PACKAGE},
    {"cpu", PJ_METER_PACKAGE},   {"socket", PJ_METER_PACKAGE},
};

/// Behind `word`, ignoring case; NULL = it is not there.
static const char *behind(const char *text, const char *word)
{
    const char *at = strcasestr(text, word);
    return at ? at + strlen(word) : NULL;
}

/// A word that no letter or digit follows.
static bool ends_word(const char *text, const char *word)
{
    for (const char *at = behind(text, word); at; at = behind(at, word))
        if (!isalnum((unsigned char)*at) && *at != '_')
            return true;
    return false;
}

static pj_meter_kind kind_of(const char *name)
{
    if (behind(name, "energy") || behind(name, "joule") || ends_word(name, "_uj"))
        return PJ_METER_ENERGY;
    return behind(name, "power") || behind(name, "watt") ? PJ_METER_POWER : PJ_METER_NONE;
}

/// What may be used at most says nothing of what is.
static bool is_limit(const char *name)
{
    return behind(name, "power_cap") || behind(name, "power_limit") || behind(name, "power1_cap");
}

static pj_meter_domain domain_of(const char *name, pj_meter_domain usual)
{
    if (usual == PJ_METER_BOARD)
        return usual;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (behind(name, words[i].word))
            return words[i].domain;
    return usual;
}

/// Of "device=3", "hwmon5", "PACKAGE0"; 0 where there is no number.
static uint32_t number_of(const char *name)
{
    static const char *const before[] = {"device=", "device_", "device", "hwmon", "accel",
                                         "gpu",     "package", "socket", "pkg",   "intel-rapl:"};
    enum { DIGITS_MOST = 9 };
    for (size_t i = 0; i < sizeof before / sizeof *before; i++)
        for (const char *at = behind(name, before[i]); at; at = behind(at, before[i])) {
            if (!isdigit((unsigned char)*at))
                continue;
            uint32_t number = 0;
            for (unsigned n = 0; n < DIGITS_MOST && isdigit((unsigned char)*at); n++)
                number = number * 10 + (uint32_t)(*at++ - '0');
            return number;
        }
    return 0;
}

double pj_meter_unit(pj_str unit)
{
    static const struct {
        pj_str name;
        double factor;
    } units[] = {{{"J", 1}, 1},     {{"mJ", 2}, 1e-3}, {{"uJ", 2}, 1e-6},  {{"nJ", 2}, 1e-9},
                 {{"kJ", 2}, 1e3},  {{"Wh", 2}, 3600}, {{"W", 1}, 1},      {{"mW", 2}, 1e-3},
                 {{"uW", 2}, 1e-6}, {{"kW", 2}, 1e3},  {{"Joules", 6}, 1}, {{"Watts", 5}, 1}};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (pj_str_equal(unit, units[i].name))
            return units[i].factor;
    return 0;
}

pj_meter pj_meter_of(const char *name, const char *unit, double scale)
{
    pj_meter meter = {.name = name,
                      .scope = "",
                      .source = PJ_METER_SOURCES,
                      .kind = is_limit(name) ? PJ_METER_NONE : kind_of(name)};
    if (meter.kind == PJ_METER_NONE)
        return meter;
    for (unsigned s = 0; s < PJ_METER_SOURCES && meter.source == PJ_METER_SOURCES; s++)
        if (behind(name, sources[s].word))
            meter.source = s;
    bool known = meter.source < PJ_METER_SOURCES;
    meter.domain = domain_of(name, known ? sources[meter.source].domain : PJ_METER_OTHER);
    meter.number = number_of(name);
    meter.factor = pj_meter_unit(pj_str_of(unit));
    bool unlabelled = !*unit || strcmp(unit, "#") == 0;
    if (unlabelled && known)
        meter.factor = meter.kind == PJ_METER_ENERGY ? sources[meter.source].joules
                                                     : sources[meter.source].watts;
    bool micro = ends_word(name, "_uj");
    unsigned row =
        micro && meter.source == PJ_METER_SOURCE_rapl ? PJ_METER_SOURCE_powercap : meter.source;
    if (unlabelled && micro)
        meter.factor = 1e-6;
    meter.factor *= scale;
    if (!isfinite(meter.factor))
        meter.factor = 0;
    // Tools that tell another unit have made 64 bits of the register.
    if (known && (unlabelled || meter.factor == sources[row].joules)) {
        meter.range = sources[row].range;
        meter.lesser_range = sources[row].lesser;
    }
    return meter;
}

const char *pj_meter_source_name(unsigned source)
{
    return source < PJ_METER_SOURCES ? sources[source].key : "";
}

const char *pj_meter_domain_name(pj_meter_domain domain)
{
    return domain_names[domain];
}
