// The functions of the C library that read and write files, around the library's own. What they
// return, and errno, is what the library's leave.
#undef _FORTIFY_SOURCE // whose functions are defined here
#undef _FILE_OFFSET_BITS
#include "metrics/record/posix/rec_posix_call.h"
#include "metrics/record/posix/rec_posix_files.h"
#include "metrics/record/rec_chunk.h"
#include "metrics/record/rec_export.h"
#include "metrics/record/rec_names.h"
#include "metrics/record/rec_part.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/uio.h>
#include <unistd.h>

#undef fread_unlocked // macros where gcc optimises
#undef fwrite_unlocked
#undef getc
#undef putc

enum { DATA = PJ_REC_ROLE_FILE_IO, METADATA = PJ_REC_ROLE_FILE_IO_METADATA };

typedef pj_rec_posix_call call;
typedef pj_rec_posix_function function;

#define WANTED pj_rec_posix_wanted(__builtin_return_address(0))

static uint64_t bytes_of(const struct iovec *parts, int count)
{
    uint64_t sum = 0;
    for (int i = 0; i < count; i++)
        sum += parts[i].iov_len;
    return sum;
}

/// The handle of a descriptor of a call that is wanted, else 0; errno stays.
static uint32_t handle_of(const void *caller, int descriptor)
{
    const int kept = errno;
    const uint32_t handle = pj_rec_posix_wanted(caller) ? pj_rec_posix_handle(descriptor) : 0;
    errno = kept;
    return handle;
}

/// Of a stream; negative where it has none, as in memory. errno stays.
static int descriptor_of(FILE *file)
{
    const int kept = errno, descriptor = fileno(file);
    errno = kept;
    return descriptor;
}

// NOLINTBEGIN(bugprone-reserved-identifier,readability-function-size): the library's own.
// Functions that have no declaration without _FORTIFY_SOURCE, or for large files.
ssize_t __read_chk(int file, void *to, size_t size, size_t room);
ssize_t __pread_chk(int file, void *to, size_t size, off_t at, size_t room);
ssize_t __pread64_chk(int file, void *to, size_t size, off64_t at, size_t room);
size_t __fread_chk(void *to, size_t room, size_t size, size_t count, FILE *file);
size_t __fread_unlocked_chk(void *to, size_t room, size_t size, size_t count, FILE *file);
char *__fgets_chk(char *to, size_t room, int size, FILE *file);
int __vfprintf_chk(FILE *file, int flag, const char *format, va_list values);
int __fprintf_chk(FILE *file, int flag, const char *format, ...);
int __open_2(const char *path, int flags);
int __open64_2(const char *path, int flags);
int __openat_2(int folder, const char *path, int flags);
int __openat64_2(int folder, const char *path, int flags);

/// The library's own function of this type and name, as `real`.
#define REAL_NAMED(like, symbol, shown, of_role)                                                   \
    static function own = {.name = (shown), .role = (of_role)};                                    \
    __typeof__(&(like)) real;                                                                      \
    *(void **)&real = pj_rec_posix_real(&own, symbol)

#define REAL(symbol, shown, of_role) REAL_NAMED(symbol, #symbol, shown, of_role)

#define TRANSFER(type, symbol, shown, parameters, arguments, file, mode, bytes, result)            \
    PJ_REC_API type symbol parameters                                                              \
    {                                                                                              \
        REAL(symbol, shown, DATA);                                                                 \
        call c;                                                                                    \
        const uint32_t handle = handle_of(__builtin_return_address(0), file);                      \
        if (!handle || !pj_rec_posix_begin(&c, &own))                                              \
            return real arguments;                                                                 \
        pj_rec_posix_operation operation =                                                         \
            pj_rec_posix_operate(&c, handle, PJ_REC_POSIX_##mode, (uint64_t)(bytes));              \
        type done = real arguments;                                                                \
        pj_rec_posix_back(&c);                                                                     \
        pj_rec_posix_complete(&c, operation, (int64_t)(result));                                   \
        pj_rec_posix_end(&c);                                                                      \
        return done;                                                                               \
    }

#define OPENED(arguments, flags)                                                                   \
    call c;                                                                                        \
    if (!WANTED || pj_rec_posix_borrowed() || !pj_rec_posix_begin(&c, &own))                       \
        return real arguments;                                                                     \
    int file = real arguments;                                                                     \
    pj_rec_posix_back(&c);                                                                         \
    pj_rec_posix_create(&c, file < 0 ? 0 : pj_rec_posix_opened(file, PJ_REC_IO_POSIX), flags);     \
    pj_rec_posix_end(&c);                                                                          \
    return file

#define OPEN(symbol, shown, parameters, arguments, flags)                                          \
    PJ_REC_API int symbol parameters                                                               \
    {                                                                                              \
        REAL(symbol, shown, METADATA);                                                             \
        OPENED(arguments, flags);                                                                  \
    }

#define SEEK(type, symbol, shown, parameters, arguments, file, offset, whence, result)             \
    PJ_REC_API type symbol parameters                                                              \
    {                                                                                              \
        REAL(symbol, shown, METADATA);                                                             \
        call c;                                                                                    \
        const uint32_t handle = handle_of(__builtin_return_address(0), file);                      \
        if (!handle || !pj_rec_posix_begin(&c, &own))                                              \
            return real arguments;                                                                 \
        type done = real arguments;                                                                \
        pj_rec_posix_back(&c);                                                                     \
        if (done >= 0)                                                                             \
            pj_rec_posix_seek(&c, handle, offset, whence, (uint64_t)(result));                     \
        pj_rec_posix_end(&c);                                                                      \
        return done;                                                                               \
    }

#define MOVE(symbol, shown, parameters, arguments, from, to, size)                                 \
    PJ_REC_API ssize_t symbol parameters                                                           \
    {                                                                                              \
        REAL(symbol, shown, DATA);                                                                 \
        call c;                                                                                    \
        const uint32_t in = handle_of(__builtin_return_address(0), from),                          \
                       out = handle_of(__builtin_return_address(0), to);                           \
        if ((!in && !out) || !pj_rec_posix_begin(&c, &own))                                        \
            return real arguments;                                                                 \
        pj_rec_posix_operation read = pj_rec_posix_operate(&c, in, PJ_REC_POSIX_READ, size),       \
                               written = pj_rec_posix_operate(&c, out, PJ_REC_POSIX_WRITE, size);  \
        ssize_t done = real arguments;                                                             \
        pj_rec_posix_back(&c);                                                                     \
        pj_rec_posix_complete(&c, read, done);                                                     \
        pj_rec_posix_complete(&c, written, done);                                                  \
        pj_rec_posix_end(&c);                                                                      \
        return done;                                                                               \
    }

#include "metrics/record/posix/posix_wrapped.def"
#undef TRANSFER
#undef OPEN
#undef SEEK
#undef MOVE

// Functions with a variable number of arguments

/// The mode of a new file; what the program does not say is not read.
#define NEW_MODE(last)                                                                             \
    mode_t mode = 0;                                                                               \
    if ((flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE) {                                   \
        va_list more;                                                                              \
        va_start(more, last);                                                                      \
        mode = va_arg(more, mode_t);                                                               \
        va_end(more);                                                                              \
    }

PJ_REC_API int open(const char *path, int flags, ...)
{
    REAL(open, "open", METADATA);
    NEW_MODE(flags)
    OPENED((path, flags, mode), flags);
}

PJ_REC_API int open64(const char *path, int flags, ...)
{
    REAL(open64, "open", METADATA);
    NEW_MODE(flags)
    OPENED((path, flags, mode), flags);
}

PJ_REC_API int openat(int folder, const char *path, int flags, ...)
{
    REAL(openat, "openat", METADATA);
    NEW_MODE(flags)
    OPENED((folder, path, flags, mode), flags);
}

PJ_REC_API int openat64(int folder, const char *path, int flags, ...)
{
    REAL(openat64, "openat", METADATA);
    NEW_MODE(flags)
    OPENED((folder, path, flags, mode), flags);
}

#define PRINTED(next, ...)                                                                         \
    va_list values;                                                                                \
    va_start(values, format);                                                                      \
    int done = next(__VA_ARGS__, values);                                                          \
    va_end(values);                                                                                \
    return done

PJ_REC_API int fprintf(FILE *file, const char *format, ...)
{
    PRINTED(vfprintf, file, format);
}

PJ_REC_API int __fprintf_chk(FILE *file, int flag, const char *format, ...)
{
    PRINTED(__vfprintf_chk, file, flag, format);
}

/// Where a stream stands; a negative number where that cannot be told. errno stays.
static int64_t place_in(FILE *file)
{
    const int kept = errno;
    const int64_t place = ftello(file);
    errno = kept;
    return place;
}

/// What is read is told by where the stream stands behind it. Programs call the function of the C
/// that they were compiled for; its name here is another, which no header makes a second one of.
#define SCANNED(name, symbol, next)                                                                \
    PJ_REC_API int next_##name(FILE *file, const char *format, va_list values) __asm__(#next);     \
    PJ_REC_API int next_##name(FILE *file, const char *format, va_list values)                     \
    {                                                                                              \
        REAL_NAMED(next_##name, #next, "fscanf", DATA);                                            \
        call c;                                                                                    \
        const uint32_t handle = handle_of(__builtin_return_address(0), descriptor_of(file));       \
        if (!handle || !pj_rec_posix_begin(&c, &own))                                              \
            return real(file, format, values);                                                     \
        const int64_t from = place_in(file);                                                       \
        pj_rec_posix_operation operation =                                                         \
            pj_rec_posix_operate(&c, handle, PJ_REC_POSIX_READ, PJ_REC_UNDEFINED);                 \
        int done = real(file, format, values);                                                     \
        pj_rec_posix_back(&c);                                                                     \
        pj_rec_posix_complete(&c, operation, from < 0 ? 0 : place_in(file) - from);                \
        pj_rec_posix_end(&c);                                                                      \
        return done;                                                                               \
    }                                                                                              \
    PJ_REC_API int name(FILE *file, const char *format, ...) __asm__(#symbol);                     \
    PJ_REC_API int name(FILE *file, const char *format, ...)                                       \
    {                                                                                              \
        PRINTED(next_##name, file, format);                                                        \
    }

SCANNED(scan, fscanf, vfscanf)
SCANNED(scan_c99, __isoc99_fscanf, __isoc99_vfscanf)
SCANNED(scan_c23, __isoc23_fscanf, __isoc23_vfscanf)
// NOLINTEND(bugprone-reserved-identifier,readability-function-size)

// Ends and copies of descriptors

PJ_REC_API int close(int file)
{
    REAL(close, "close", METADATA);
    call c;
    const uint32_t handle = handle_of(__builtin_return_address(0), file);
    if (pj_rec_posix_borrowed())
        return real(file);
    pj_rec_posix_closed(file); // before another thread can get it
    if (!handle || !pj_rec_posix_begin(&c, &own))
        return real(file);
    int done = real(file);
    pj_rec_posix_back(&c);
    pj_rec_posix_destroy(&c, handle);
    pj_rec_posix_end(&c);
    return done;
}

// The C library has these from 2.34 on.
int close_range(unsigned first, unsigned last, int how);
void closefrom(int first);

PJ_REC_API int close_range(unsigned first, unsigned last, int how)
{
    REAL(close_range, "close_range", METADATA);
    if (!pj_rec_posix_borrowed() && how == 0)
        pj_rec_posix_closed_range(first, last);
    return real(first, last, how);
}

PJ_REC_API void closefrom(int first)
{
    REAL(closefrom, "closefrom", METADATA);
    if (!pj_rec_posix_borrowed() && first >= 0)
        pj_rec_posix_closed_range((unsigned)first, UINT_MAX);
    real(first);
}

/// `to` is what the library's function has given for `from`, which has this handle; `gone` is what
/// `to` was before.
static int copied(call *c, uint32_t handle, uint32_t gone, int from, int to)
{
    pj_rec_posix_back(c);
    pj_rec_posix_destroy(c, gone);
    if (to >= 0 && to != from)
        pj_rec_posix_duplicate(c, handle, pj_rec_posix_duplicated(from, to));
    pj_rec_posix_end(c);
    return to;
}

/// A descriptor that something else may have been before. Pipes and the like are copied, too.
#define COPY(symbol, from, to, arguments)                                                          \
    REAL(symbol, #symbol, METADATA);                                                               \
    call c;                                                                                        \
    if (pj_rec_posix_borrowed())                                                                   \
        return real arguments;                                                                     \
    const uint32_t handle = handle_of(__builtin_return_address(0), from);                          \
    const uint32_t gone = (to) >= 0 && (to) != (from) ? pj_rec_posix_closed(to) : 0;               \
    if ((!handle && !gone) || !WANTED || !pj_rec_posix_begin(&c, &own))                            \
        return real arguments;                                                                     \
    return copied(&c, handle, gone, from, real arguments)

PJ_REC_API int dup(int file)
{
    COPY(dup, file, -1, (file));
}

PJ_REC_API int dup2(int file, int to)
{
    COPY(dup2, file, to, (file, to));
}

PJ_REC_API int dup3(int file, int to, int flags)
{
    COPY(dup3, file, to, (file, to, flags));
}

/// Only copies of descriptors are of interest here.
#define CONTROL(symbol)                                                                            \
    va_list more;                                                                                  \
    va_start(more, order);                                                                         \
    void *argument = va_arg(more, void *);                                                         \
    va_end(more);                                                                                  \
    if (order == F_DUPFD || order == F_DUPFD_CLOEXEC) {                                            \
        COPY(symbol, file, -1, (file, order, argument));                                           \
    }                                                                                              \
    REAL(symbol, #symbol, METADATA);                                                               \
    return real(file, order, argument)

PJ_REC_API int fcntl(int file, int order, ...)
{
    CONTROL(fcntl);
}

PJ_REC_API int fcntl64(int file, int order, ...)
{
    CONTROL(fcntl64);
}

// Streams

/// Flags of open, of "r+" and the like.
static int flags_of(const char *mode)
{
    const bool both = strchr(mode, '+') != NULL;
    const int other = *mode == 'a' ? O_CREAT | O_APPEND : *mode == 'w' ? O_CREAT | O_TRUNC : 0;
    return other | (both ? O_RDWR : *mode == 'r' ? O_RDONLY : O_WRONLY);
}

/// A stream whose descriptor was `before`, negative where it is new: nobody else is seen to close
/// it.
#define STREAM(symbol, shown, parameters, arguments, before, mode)                                 \
    PJ_REC_API FILE *symbol parameters                                                             \
    {                                                                                              \
        REAL(symbol, shown, METADATA);                                                             \
        call c;                                                                                    \
        if (pj_rec_posix_borrowed())                                                               \
            return real arguments;                                                                 \
        const uint32_t gone = pj_rec_posix_closed(before);                                         \
        if (!WANTED || !pj_rec_posix_begin(&c, &own))                                              \
            return real arguments;                                                                 \
        FILE *made = real arguments;                                                               \
        pj_rec_posix_back(&c);                                                                     \
        pj_rec_posix_destroy(&c, gone);                                                            \
        pj_rec_posix_create(&c, made ? pj_rec_posix_opened(fileno(made), PJ_REC_IO_ISOC) : 0,      \
                            flags_of(mode));                                                       \
        pj_rec_posix_end(&c);                                                                      \
        return made;                                                                               \
    }

STREAM(fopen, "fopen", (const char *path, const char *mode), (path, mode), -1, mode)
STREAM(fopen64, "fopen", (const char *path, const char *mode), (path, mode), -1, mode)
STREAM(tmpfile, "tmpfile", (void), (), -1, "w+")
STREAM(tmpfile64, "tmpfile", (void), (), -1, "w+")
STREAM(freopen, "freopen", (const char *path, const char *mode, FILE *file), (path, mode, file),
       descriptor_of(file), mode)
STREAM(freopen64, "freopen", (const char *path, const char *mode, FILE *file), (path, mode, file),
       descriptor_of(file), mode)

PJ_REC_API int fclose(FILE *file)
{
    REAL(fclose, "fclose", METADATA);
    call c;
    const int descriptor = descriptor_of(file);
    const uint32_t handle = handle_of(__builtin_return_address(0), descriptor);
    if (pj_rec_posix_borrowed())
        return real(file);
    pj_rec_posix_closed(descriptor);
    if (!handle || !pj_rec_posix_begin(&c, &own))
        return real(file);
    int done = real(file);
    pj_rec_posix_back(&c);
    pj_rec_posix_destroy(&c, handle);
    pj_rec_posix_end(&c);
    return done;
}

PJ_REC_API int fflush(FILE *file)
{
    REAL(fflush, "fflush", DATA);
    call c;
    const uint32_t handle = file ? handle_of(__builtin_return_address(0), descriptor_of(file)) : 0;
    if (!handle || !pj_rec_posix_begin(&c, &own))
        return real(file);
    pj_rec_posix_operation operation = pj_rec_posix_operate(&c, handle, PJ_REC_POSIX_FLUSH, 0);
    int done = real(file);
    pj_rec_posix_back(&c);
    pj_rec_posix_complete(&c, operation, 0);
    pj_rec_posix_end(&c);
    return done;
}
