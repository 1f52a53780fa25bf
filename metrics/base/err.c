// Making and printing errors.
// Errors are values; nothing below kernel/ prints them.
#include "metrics/base/err.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

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

static const char *io_advice(int reason)
{
    switch (reason) {
    case ENOENT:
    case ENOTDIR:
        return "; check the name";
    case EACCES:
    case EPERM:
        return "; ask its owner for permission";
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
        return "; make room, or choose another place";
    case EROFS:
        return "; choose another place";
    case EISDIR:
        return "; name a file in it";
    default:
        return "";
    }
}

bool pj_fail_io(pj_err *err, const char *where, const char *what)
{
    int reason = errno;
    return pj_fail(err, PJ_E_IO, where, 0, "%s: %s%s", what, strerror(reason), io_advice(reason));
}

const char *pj_err_message(const pj_err *err, char *out, unsigned long size)
{
    const char *colon = err->where[0] ? ": " : "";
    if (err->line)
        snprintf(out, size, "%s%sline %" PRIu64 ": %s", err->where, colon, err->line, err->text);
    else
        snprintf(out, size, "%s%s%s", err->where, colon, err->text);
    return out;
}
