// One row per variable.
#include "kernel/limits.h"

#include "kernel/pace.h"
#include "metrics/base/num.h"

#include <stdlib.h>

typedef struct variable {
    const char *name;
    const char *meaning;
    uint64_t otherwise, least, most;
} variable;

static const variable queue = {"POPINJAY_QUEUE", "a size such as 64M", 64 << 20, 1 << 20,
                               UINT64_C(1) << 40};
static const variable rate = {"POPINJAY_RATE", "bytes per second such as 900k, or 0 for any rate",
                              PJ_PACE_RATE, 0, UINT64_C(1) << 40};
static const variable timeout = {"POPINJAY_TIMEOUT", "seconds from 1 to 3600", 30, 1, 3600};

static bool read_size(const variable *v, uint64_t *out, pj_err *err)
{
    const char *text = getenv(v->name);
    *out = v->otherwise;
    if (!text || !*text)
        return true;
    if (pj_parse_size(pj_str_of(text), out) && *out >= v->least && *out <= v->most)
        return true;
    return pj_fail(err, PJ_E_USAGE, v->name, 0, "'%s' is not understood; give %s", text,
                   v->meaning);
}

bool pj_limits_read(pj_limits *limits, pj_err *err)
{
    uint64_t bytes, seconds;
    bool ok = read_size(&queue, &bytes, err) && read_size(&rate, &limits->rate, err) &&
              read_size(&timeout, &seconds, err);
    limits->queue = ok ? (size_t)bytes : 0;
    limits->patience_ms = ok ? (unsigned)seconds * 1000 : 0;
    return ok;
}
