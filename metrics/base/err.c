// Errors are values; nothing below kernel/ prints them.
#include "metrics/base/err.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

static void fill(pj_err *err, pj_err_code code, const char *where, const char *format, va_list args)
{
    *err = (pj_err){.code = code};
    if (where)
        snprintf(err->where, sizeof err->where, "%s", where);
    vsnprintf(err->text, sizeof err->text, format, args);
}

bool pj_fail(pj_err *err, pj_err_code code, const char *where, uint64_t line, const char *format,
             ...)
{
    if (!err || err->code != PJ_E_NONE)
        return false;
    va_list args;
    va_start(args, format);
    fill(err, code, where, format, args);
    va_end(args);
    err->line = line;
    return false;
}

bool pj_fail_byte(pj_err *err, pj_err_code code, const char *where, uint64_t byte,
                  const char *format, ...)
{
    if (!err || err->code != PJ_E_NONE)
        return false;
    va_list args;
    va_start(args, format);
    fill(err, code, where, format, args);
    va_end(args);
    err->byte = byte;
    err->has_byte = true;
    return false;
}

const char *pj_err_message(const pj_err *err, char *out, unsigned long size)
{
    const char *colon = err->where[0] ? ": " : "";
    if (err->line)
        snprintf(out, size, "%s%sline %" PRIu64 ": %s", err->where, colon, err->line, err->text);
    else if (err->has_byte)
        snprintf(out, size, "%s%sbyte %" PRIu64 ": %s", err->where, colon, err->byte, err->text);
    else
        snprintf(out, size, "%s%s%s", err->where, colon, err->text);
    return out;
}
