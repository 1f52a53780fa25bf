// The settings that bound output, read together.
#include "kernel/jupyter/limits.h"

#include "kernel/command/setting.h"

bool pj_limits_read(pj_limits *limits, pj_err *err)
{
    uint64_t bytes, seconds;
    bool ok = pj_setting_number(PJ_SETTING_QUEUE, &bytes, err) &&
              pj_setting_number(PJ_SETTING_RATE, &limits->rate, err) &&
              pj_setting_number(PJ_SETTING_TIMEOUT, &seconds, err);
    limits->queue = ok ? (size_t)bytes : 0;
    limits->patience_ms = ok ? (unsigned)seconds * 1000 : 0;
    return ok;
}
